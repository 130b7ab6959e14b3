/* Durations that cannot be: an op that runs far past the start of the next one on its stream.
 * One rule for tl-overlap --clip and for tl-reliability's impossible_duration.
 *
 * Ops of one stream are handed over in the order of (start, end):
 *
 *     struct tl_overrun r = {0};
 *     for (...) tl_overrun_add(&r, ts, end, i);
 *     if (tl_overrun_impossible(&r)) ... r.worst ...
 *
 * Programmatic dependent launch lets neighbours overlap by some microseconds: that is no fault, and
 * neighbours that start at the same instant say nothing (old traces have whole microseconds). */
#ifndef TL_TRACE_CLIP_H
#define TL_TRACE_CLIP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_OVERRUN_COUNTS 1000     /* ns: an overrun above it counts */
#define TL_OVERRUN_FAULT 1000000   /* ns: the largest one must reach it */
#define TL_OVERRUN_SHARE 0.05      /* and all together this share of the stream's durations */
#define TL_OVERRUN_SHARE_WARN 0.25 /* from here on it is more than a remark */

struct tl_overrun {
	uint64_t ops;         /* handed over */
	uint64_t overlapping; /* those that overrun their successor by more than TL_OVERRUN_COUNTS */
	int64_t excess;       /* ns: sum of these overruns */
	int64_t device;       /* ns: sum of all durations */
	int64_t first, last;  /* ns: first start, latest end */
	int64_t worst_excess; /* ns: the largest overrun; `worst` is the `at` of its op */
	size_t worst;
	int64_t ts, end; /* the op before */
	size_t at;
};

void tl_overrun_add(struct tl_overrun *r, int64_t ts, int64_t end, size_t at);

/* The overruns' share of the durations; 0 when there are none. */
double tl_overrun_share(const struct tl_overrun *r);
bool tl_overrun_impossible(const struct tl_overrun *r);

/* Where an op of such a stream ends at the latest: at the next later start on its stream, when it
 * overruns that by TL_OVERRUN_FAULT or more: smaller overlaps are legal. */
int64_t tl_clip_end(int64_t ts, int64_t end, int64_t next_ts);

#endif
