/* What a report sees of a trace (share/reports/README.md): its records but for `event` and `meta`,
 * as one JSON array, with two condensations, so that no report has to read what can be as long as
 * the trace itself:
 *
 *   - `op` rows are grouped by name, category, kind and inputs (group.h), and their groups stand
 *     behind the other records as `op_group`; those of a stream that holds some stay as they are;
 *   - GPU ops are counted into `kernel_total` records, one per name and category, the longest sum
 *     first; from the events, or where the stream holds none (-n), from the `op` rows. */
#ifndef TL_REPORT_DIGEST_H
#define TL_REPORT_DIGEST_H
#include "../stream/stream.h"

struct report_digest;

struct report_digest *report_digest_new(void);
void report_digest_free(struct report_digest *d);

/* Adds a record of the trace; a line that figures would come from and that is broken is the
 * stream's to judge (tl_stream_bad). */
void report_digest_add(struct report_digest *d, struct tl_stream *s, const struct tl_record *r);

/* The array, valid until the next call. Then the digest is empty, for the next trace. */
struct tl_span report_digest_take(struct report_digest *d);

#endif
