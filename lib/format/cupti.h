/* CUPTI's numbers and names: the tables of share/cupti. */
#ifndef TL_FORMAT_CUPTI_H
#define TL_FORMAT_CUPTI_H
#include "../base/base.h"

struct tl_cupti;

/* NULL and `e` filled when a table is missing or a line of it cannot be read. */
struct tl_cupti *tl_cupti_open(struct tl_error *e);
void tl_cupti_free(struct tl_cupti *c);

enum tl_cupti_api { TL_CUPTI_RUNTIME, TL_CUPTI_DRIVER };

/* The name of a callback id; an empty span when the table lacks it. */
struct tl_span tl_cupti_call(const struct tl_cupti *c, enum tl_cupti_api api, int64_t cbid);
/* The lowest callback id of that name, 0 when there is none. */
int64_t tl_cupti_cbid(const struct tl_cupti *c, enum tl_cupti_api api, struct tl_span name);

/* Name of a number of an enumeration ("copy_kind", ...); an empty span when there is none. */
struct tl_span tl_cupti_enum(const struct tl_cupti *c, const char *enumeration, int64_t number);

/* True when `set` of sets.tsv ("runtime_hidden", ...) holds the name. */
bool tl_cupti_in(const struct tl_cupti *c, const char *set, struct tl_span name);

/* The label of a PM sampling metric's base name; an empty span when there is none. */
struct tl_span tl_cupti_metric(const struct tl_cupti *c, struct tl_span base);

/* A call's name without its version: cuts the last "_v" when only digits follow. */
struct tl_span tl_cupti_unversioned(struct tl_span name);
/* The same without a final _ptsz or _ptds (per-thread default stream). */
struct tl_span tl_cupti_unstreamed(struct tl_span name);

#endif
