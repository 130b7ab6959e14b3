/* The fields of an `event` record (tl-records.5) as spans of its line, and what its category means.
 */
#ifndef TL_TRACE_EVENT_H
#define TL_TRACE_EVENT_H
#include "../base/base.h"

/* Every key of an event record that some tool reads. Spans are JSON text (strings keep quotes);
 * an absent key has n == 0. Keep in the order of `names` in event.c. */
enum tl_field {
	TL_F_ID,
	TL_F_PH,
	TL_F_CAT,
	TL_F_NAME,
	TL_F_PID,
	TL_F_TID,
	TL_F_TS,
	TL_F_DUR,
	TL_F_DEVICE,
	TL_F_STREAM,
	TL_F_CORRELATION,
	TL_F_EXTERNAL_ID,
	TL_F_FLOW,
	TL_F_ARGS,
	TL_F_CHROME,
	/* activity windows */
	TL_F_FROM,
	TL_F_START_NS,
	TL_F_END_NS,
	TL_F_WAITS,
	TL_F_WINDOW,
	/* tl-tree */
	TL_F_PARENT,
	TL_F_DEPTH,
	TL_F_GPU_OPS,
	TL_F_GPU_US,
	TL_F_OWN_GPU_OPS,
	TL_F_LAUNCHER,
	TL_F_GRAPH,
	TL_F_OPERATOR,
	TL_F_APART,
	TL_F_BWD,
	TL_F_FWD,
	TL_F_FWD_NAME,
	TL_F_EARLY_US,
	TL_F_OVERRUN_US,
	TL_F_GRAZES,
	TL_F_CLAMPED_END,
	/* tl-sourcemap, tl-overlap */
	TL_F_SCOPE,
	TL_F_LAUNCH_OP,
	TL_F_HOW,
	TL_F_CLASS,
	TL_F_STAGE,
	TL_F_HIDDEN_US,
	TL_F_EXCLUSIVE_US,
	TL_F_HIDDEN_BY_COMPUTE_US,
	TL_F_COUNT
};

struct tl_event {
	struct tl_span f[TL_F_COUNT];
	uint64_t id;
	int64_t ts, dur, end; /* ns; end = ts + dur (ts when there is no dur), clamped to int64_t */
	bool has_ts, has_dur;
	char ph; /* first letter of ph; 0 when it is longer or absent */
};

/* Reads one event line. False when it is no JSON object with an id. */
bool tl_event_read(struct tl_span line, struct tl_event *e);

/* What a category is, in any letter case and with the spellings of 2021 (Operator, Runtime, Kernel,
 * Memcpy, Memset). `cat` with or without quotes. */
enum tl_cat {
	TL_CAT_OTHER,
	TL_CAT_CPU_OP,     /* cpu_op, Operator */
	TL_CAT_PYTHON,     /* python_function */
	TL_CAT_RUNTIME,    /* *_runtime, Runtime */
	TL_CAT_DRIVER,     /* *_driver */
	TL_CAT_ANNOTATION, /* user_annotation */
	TL_CAT_KERNEL,
	TL_CAT_MEMCPY,
	TL_CAT_MEMSET,         /* GPU ops */
	TL_CAT_GPU_ANNOTATION, /* gpu_user_annotation */
	TL_CAT_SYNC,
	TL_CAT_OVERHEAD, /* cuda_sync, overhead: neither host nor GPU op */
	TL_CAT_AC2G,     /* ac2g, async_cpu_to_gpu */
	TL_CAT_FWDBWD,
	TL_CAT_TRACE, /* "Trace" */
};
enum tl_cat tl_cat_of(struct tl_span cat);

/* What an event is: its category, where the name does not know better. What is called like an
 * annotation that PyTorch itself makes (ProfilerStep#3, Optimizer.step#SGD.step,
 * enumerate(DataLoader)#..., ## forward ##, DistributedDataParallel.forward) is one, though traces
 * of 2021 call it an operator. */
enum tl_cat tl_event_cat(const struct tl_event *e);

static inline bool tl_cat_is_gpu(enum tl_cat c)
{
	return c >= TL_CAT_KERNEL && c <= TL_CAT_MEMSET;
}

static inline bool tl_cat_is_launch(enum tl_cat c)
{
	return c == TL_CAT_RUNTIME || c == TL_CAT_DRIVER;
}

/* A GPU op: ph X (or a B that tl-tree has joined with its E) of a GPU category. */
bool tl_event_is_gpu_op(const struct tl_event *e);

/* A call that replays a graph by its own name: GraphLaunch or graph_launch in it, any case. Whether
 * a launch does is link.h's to say: the call around it may. */
bool tl_is_graph_launch(struct tl_span name);

/* What `end` counts of an event; of one of ph M no time (has_ts false). */
struct tl_mark {
	int64_t ts, end; /* end: ts where there is no dur */
	bool has_ts, gpu_op;
};
struct tl_mark tl_mark_of(const struct tl_event *e);

/* What was written of a trace. */
struct tl_sum {
	uint64_t events, gpu_ops;
	bool any_ts;
	int64_t ts_first, ts_last;
};

static inline void tl_sum_add(struct tl_sum *s, const struct tl_mark *m)
{
	s->events++;
	s->gpu_ops += m->gpu_op;
	if (!m->has_ts)
		return;
	if (!s->any_ts || m->ts < s->ts_first)
		s->ts_first = m->ts;
	if (!s->any_ts || m->end > s->ts_last)
		s->ts_last = m->end;
	s->any_ts = true;
}

#endif
