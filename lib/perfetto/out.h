/* Writes the traces of a stream as a Perfetto trace (tl-render -f pftrace): host events as slices,
 * GPU ops as render stages linked to their launches, flows, counters.
 *
 * A trace is held until it ends (the lines of its events, and some 100 bytes for each), then
 * written packet by packet. Times are exact: nothing is cut; a slice that overlaps its neighbour
 * without lying in it goes to a lane of its own. With several traces in one document, processes are
 * told apart by rank.
 *
 * `compat` follows the reference to the letter: see tl-window(5). */
#ifndef TL_PFTRACE_OUT_H
#define TL_PFTRACE_OUT_H
#include "../stream/stream.h"
#include "../format/target.h"

struct tl_pftrace;

struct tl_pftrace_options {
	bool merge;    /* all traces in one document */
	bool compat;   /* the reference, to the letter */
	bool annotate; /* what the analysis found is drawn too (annotate.h) */
};

/* NULL and `e` filled when share/cupti, which `compat` needs, cannot be read. */
struct tl_pftrace *tl_pftrace_new(
	struct tl_target *target, struct tl_pftrace_options o, struct tl_error *e);

/* Takes the next record of the stream. False, and `e` filled, when the target cannot take the
 * trace. */
bool tl_pftrace_take(
	struct tl_pftrace *t, struct tl_stream *s, const struct tl_record *r, struct tl_error *e);

/* Frees. Returns how many events were left out, for want of a time or of a place in Perfetto's
 * format. */
uint64_t tl_pftrace_close(struct tl_pftrace *t);

#endif
