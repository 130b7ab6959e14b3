/* Writes the traces of a stream back as Chrome JSON (tl-render -f chrome): the same events with the
 * same keys and args, value for value, in the order of their ids; what tl tools added to the events
 * is left out, and so are derived records. Times that tl-extract --rebase moved are moved back
 * exactly. Top-level keys that stood behind traceEvents may come behind it, never before.
 *
 * Events that arrive in the order of their ids, without a gap, are written at once: memory does not
 * depend on the size of the trace. From the first that does not fit on, the lines of the trace are
 * held and sorted when it ends. So is a whole trace whose file name waits for its rank, and each
 * trace of a merge.
 *
 * A merge gives one document: pids become "rank3:100" ("trace1:100" without a rank), and so do the
 * ids of flows and async events, since viewers join these across processes. Times of a trace with
 * another baseTimeNanoseconds are moved to the base of the first. Of the top-level keys, the first
 * value of each is kept. */
#ifndef TL_CHROME_OUT_H
#define TL_CHROME_OUT_H
#include "../stream/stream.h"
#include "../format/format.h"

struct tl_chrome;

struct tl_chrome *tl_chrome_new(struct tl_target *target, bool merge);

/* --sort: events in order of time, metadata first; --annotate: what the analysis found is drawn too
 * (annotate.h). Both hold a trace until it ends. */
void tl_chrome_set(struct tl_chrome *c, bool sort, bool annotate);

/* Takes the next record of the stream. False, and `e` filled, when the target cannot take the
 * trace. An event without an id is for tl_stream_bad. */
bool tl_chrome_take(
	struct tl_chrome *c, struct tl_stream *s, const struct tl_record *r, struct tl_error *e);

/* Ends a merged document, and frees. Returns how many top-level keys had other values in a later
 * trace of a merge, which are not in the document. */
unsigned tl_chrome_close(struct tl_chrome *c);

#endif
