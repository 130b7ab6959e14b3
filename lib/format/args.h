/* Members of an object that is being built: keys and values are JSON text, copied. */
#ifndef TL_FORMAT_ARGS_H
#define TL_FORMAT_ARGS_H
#include "../json/json.h"
#include "../base/base.h"

struct tl_args {
	struct tl_arg {
		size_t key, nkey, val, nval; /* in text */
	} * v;
	size_t n, cap;
	struct tl_buf text;
	struct tl_pool *keys; /* of an object with many members: their keys, each once */
	uint32_t *at;         /* by number in `keys`: the member */
	size_t at_cap;
};

void tl_args_clear(struct tl_args *a);
void tl_args_free(struct tl_args *a);

/* A new key, which the caller knows not to be there. Keys are without quotes, as written in JSON.
 */
void tl_args_add(struct tl_args *a, struct tl_span key, struct tl_span value);
void tl_args_int(struct tl_args *a, const char *key, int64_t v);
void tl_args_str(struct tl_args *a, const char *key, struct tl_span unquoted);

/* Replaces the value of a key in its place, or adds it. */
void tl_args_set(struct tl_args *a, struct tl_span key, struct tl_span value);

/* For values that are appended to `text` piece by piece, between the two. */
void tl_args_open(struct tl_args *a, struct tl_span key);
void tl_args_close(struct tl_args *a);

/* Valid until the next change; an empty span when there is no such key. */
struct tl_span tl_args_get(const struct tl_args *a, struct tl_span key);

/* As a member of a record: "KEY":{...}; and those of them that a record has beside its args too:
 * device, stream, correlation, external_id. */
void tl_args_put(const struct tl_args *a, struct tl_write *w, const char *key);
void tl_args_hoist(const struct tl_args *a, struct tl_write *w);

#endif
