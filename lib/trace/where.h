/* Where GPU work ran: devices, and on each of them lanes, which are its streams. What is the same
 * device or stream, and what is another one, is decided here and nowhere else.
 *
 *     uint32_t spot = tl_places_add(p, &e);     // of each event of a GPU
 *     tl_places_finish(p);                      // after the last event
 *     struct tl_lane *l = &p->lanes[p->lane[spot]];
 *     struct tl_device *d = &p->devices[l->device];
 *
 * Device: args.device; where that is absent or null, the only device that GPU work of this pid
 * names, else the pid. GPU rows of different pids are of different devices, even where the number
 * is the same (Kineto writes the device's number as pid; files in which several ranks were merged
 * write others), and then `process` of the record tells them apart. Which host process launched the
 * work does not matter.
 * Stream: args.stream; where that is absent or null, the tid, told apart from streams. A stream is
 * one of its context (args.context), where the trace has contexts: CUPTI numbers the streams of
 * each context for itself.
 * 0 and "0" are the same device, stream, context or pid. */
#ifndef TL_TRACE_WHERE_H
#define TL_TRACE_WHERE_H
#include "event.h"
#include "../base/base.h"

/* Texts are JSON values, absent where n is 0; without quotes where some event had it so; valid
 * until tl_places_clear. */
struct tl_device {
	struct tl_span text;    /* its number or, where it has none, its pid */
	struct tl_span pid;     /* of its rows */
	bool ambiguous;         /* another device has the same number: the pid has to be said too */
	uint32_t lane, n_lanes; /* its part of `lanes` */
};

struct tl_lane {
	uint32_t device;
	struct tl_span stream; /* or tid */
	bool by_tid;
	struct tl_span context;
	bool ambiguous; /* another lane of the device has the same stream number */
};

/* A zeroed one is empty. In order: devices by number, then by text, then by pid; lanes by device,
 * streams before tids, and by number, text, context. */
struct tl_places {
	struct tl_device *devices;
	struct tl_lane *lanes;
	uint32_t *lane; /* by spot */
	uint32_t n_devices, n_lanes;
	/* private */
	struct tl_pool *keys, *texts;
	bool *bare;
	size_t bare_cap;
	struct tl_spot *spots;
	size_t spots_cap;
	struct tl_buf scratch;
};

/* The number of the place in which an event of a GPU (GPU op, gpu_user_annotation) stands, from 0
 * in order of first sight. */
uint32_t tl_places_add(struct tl_places *p, const struct tl_event *e);
void tl_places_finish(struct tl_places *p); /* sorts what is distinct: n log n in places */
void tl_places_clear(struct tl_places *p);  /* forgets all */
void tl_places_free(struct tl_places *p);

static inline bool tl_is_known(struct tl_span json)
{
	return json.n && !(json.n == 4 && json.p[0] == 'n');
}

/* What names the device of one event by itself: JSON text, possibly empty. */
static inline struct tl_span tl_device_of(const struct tl_event *e)
{
	return tl_is_known(e->f[TL_F_DEVICE]) ? e->f[TL_F_DEVICE] : e->f[TL_F_PID];
}

#endif
