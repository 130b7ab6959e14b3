/* JSON values as the typed args of a Perfetto trace. */
#ifndef TL_PERFETTO_OUT_ARGS_H
#define TL_PERFETTO_OUT_ARGS_H
#include "packet.h"

/* The members of an object, by key (bytes), of equal keys the last one; memory of pf_alloc. */
struct pf_member {
	struct tl_span key, value; /* key without quotes, as written; value as JSON text */
	uint32_t place;
};
size_t pf_members(struct pf_writer *pf, struct tl_span object, struct pf_member **members);

/* Debug annotations of an event's args. Objects and arrays keep their form down to a depth of 32,
 * and are texts below it; null is the text "null", as is an object that repeats itself. `plain`:
 * those with whole numbers first, then the others, each in the order of the source (rows of an
 * activity window); else by key. Args that are no object give one annotation, "args". */
void pf_annotate(struct pf_writer *pf, TrackEvent *e, struct tl_span args, bool plain);

/* The text of a key, given as written. */
char *pf_key_text(struct pf_writer *pf, struct tl_span key);

/* True, and the value, for a whole number (in text too); JSON null and absent are no number. */
bool pf_int(struct tl_span value, int64_t *v);

#endif
