/* What a report sees of a trace (share/reports/README.md): its records but for `event` and `meta`,
 * as one JSON array, with two condensations, so that no report has to read what can be as long as
 * the trace itself:
 *
 *   - `op` rows are grouped by name, category, kind and inputs (group.h), and their groups stand
 *     behind the other records as `op_group`; those of a stream that holds some stay as they are;
 *   - GPU ops are counted into `kernel_total` records, one per name and category, the longest sum
 *     first; from the events, or where the stream holds none (-n), from the `op` rows. */
#ifndef TL_DIGEST_H
#define TL_DIGEST_H
#include "../stream/stream.h"

struct tl_digest;

struct tl_digest *tl_digest_new(void);
void tl_digest_free(struct tl_digest *d);

/* Adds a record of the trace. False when it is an event that cannot be read (tl_stream_bad). */
bool tl_digest_add(struct tl_digest *d, const struct tl_record *r);

/* The array, valid until the next call. Then the digest is empty, for the next trace. */
struct tl_span tl_digest_take(struct tl_digest *d);

#endif
