/* Writes the traces of a stream as a Perfetto trace (tl-render -f pftrace): host events as slices,
 * GPU ops as render stages linked to their launches, flows, counters.
 *
 * A trace is held until it ends (the lines of its events, and some 100 bytes for each), then
 * written packet by packet. Times are exact: nothing is cut; a slice that overlaps its neighbour
 * without lying in it goes to a lane of its own. With several traces in one document, processes are
 * told apart by rank.
 *
 * `compat` follows the reference to the letter: see tl-window(5). */
#ifndef TL_PERFETTO_OUT_H
#define TL_PERFETTO_OUT_H
#include "../stream/stream.h"
#include "../format/format.h"

struct tl_perfetto;

struct tl_perfetto_options {
	bool merge;    /* all traces in one document */
	bool compat;   /* the reference, to the letter */
	bool annotate; /* what the analysis found is drawn too (annotate.h) */
};

/* NULL and `e` filled when share/cupti, which `compat` needs, cannot be read. */
struct tl_perfetto *tl_perfetto_new(
	struct tl_target *target, struct tl_perfetto_options o, struct tl_error *e);

/* Takes the next record of the stream. False, and `e` filled, when the target cannot take the
 * trace. */
bool tl_perfetto_take(
	struct tl_perfetto *t, struct tl_stream *s, const struct tl_record *r, struct tl_error *e);

/* Frees. Returns how many events were left out, for want of a time or of a place in Perfetto's
 * format. */
uint64_t tl_perfetto_close(struct tl_perfetto *t);

#endif
