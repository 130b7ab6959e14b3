/* What runs beside what on each device: the records and keys of tl-overlap (tl-records.5).
 *
 *     struct tl_overlap *o = tl_overlap_new(&options);
 *     while (tl_stream_next(s, &r))
 *         tl_overlap_take(o, s, &r);        // passes it along, sooner or later
 *     tl_overlap_free(o);
 *
 * A trace is held until its `end`: keys are added to GPU ops that have passed. Beside the stream's
 * own text it costs under 120 bytes per event, O(n log n) time in GPU ops, and nothing of it stays
 * when the trace is done. A trace without GPU ops passes unchanged. */
#ifndef TL_OVERLAP_H
#define TL_OVERLAP_H
#include "../stream/stream.h"

struct tl_overlap_options {
	bool by_step;   /* also a timeline per ProfilerStep */
	const char *by; /* or per annotation whose name matches this glob; NULL: none */
	bool clip;      /* end ops of impossible length where the next one of their stream starts */
	uint64_t gaps;  /* longest idle gaps per device; 0: none */
	uint64_t lanes; /* bins per stream; 0: no lanes */
	uint64_t top;   /* action rows per list */
	int64_t short_ns;
	bool no_events;           /* -n: lines of events are not kept */
	const char *const *rules; /* what --rules was given */
	size_t n_rules;
};

struct tl_overlap;

/* The options are borrowed. Rules are read at the first GPU op. */
struct tl_overlap *tl_overlap_new(const struct tl_overlap_options *options);
void tl_overlap_take(struct tl_overlap *o, struct tl_stream *s, const struct tl_record *r);
void tl_overlap_free(struct tl_overlap *o);

#endif
