/* What tl-reliability keeps of a trace: counters that need constant memory, and, unless `quick`,
 * the table of its events with what only the detectors need beside it. Which call launched an op,
 * whose it is, where it ran and what a step is, lib/trace says. Private to the files of this
 * folder. */
#ifndef TL_RELIABILITY_FACTS_H
#define TL_RELIABILITY_FACTS_H
#include "../trace/trace.h"
#include "reliability.h"

#define RL_NONE UINT32_MAX

/* How often a thing was seen, and its first example: the lowest id. */
struct rl_seen {
	uint64_t count, id;
	int64_t ts; /* of the example, ns */
	bool has_ts;
};
void rl_saw(struct rl_seen *s, uint64_t id, int64_t ts, bool has_ts);

/* Constant memory. Times are ns. */
struct rl_count {
	uint64_t events, end_events; /* seen; written, as `end` says */
	uint64_t end_skipped;        /* as `end` says */
	uint64_t gpu, kernels, calls, launches, graph_calls, cpu_ops, python, host, with_stream;
	uint64_t cpu_dims;
	struct rl_seen negative, zero_ts, zero_dur, corr_absent, launch_noext, long_dur, unknown,
		big_stream, marker, begin_capture, longest;
	bool fraction;             /* a GPU op has a ts or dur that is no whole number of us */
	bool has_span, has_starts; /* first, last: of GPU ops; starts: of all ph X events */
	int64_t first, last, start_min, start_max;
	int64_t after_zero; /* the earliest ts of GPU ops above 0 */
	int64_t longest_ns;
	uint64_t steps;            /* annotations that could mark one */
	struct tl_buf unknown_cat; /* of the first example */
	struct tl_buf source;
	int record_shapes; /* -1: not said */
	bool distributed;
	uint64_t world_size; /* 0: not said */
	bool ended, cut;     /* an `end` record came; the stream ended without */
	struct tl_buf faults, ts_last;
	struct tl_buf other_cats; /* as `end` has them */
};

/* What a row of the table is besides. */
enum rl_bit {
	RL_DIMS = 1 << 0,    /* an operator with Input Dims */
	RL_COMM = 1 << 1,    /* a GPU op that communicates */
	RL_CLASSED = 1 << 7, /* as tl-overlap says */
	RL_LAUNCH = 1 << 2,  /* a call that is expected to have GPU ops, by its name */
	RL_BEGIN = 1 << 3,   /* a call that begins a stream capture; that ends one */
	RL_END = 1 << 4,
	RL_CAPTURED = 1 << 5, /* a call during a stream capture */
};

/* Calls of one process with one correlation: a launch, whatever calls it took. Rows of the table,
 * or RL_NONE. */
struct rl_group {
	int64_t ts;       /* when the first of them starts */
	uint32_t call;    /* the one with the lowest event id */
	uint32_t ext;     /* of those with an External id the one with the highest event id */
	uint32_t named;   /* the operator that this External id names */
	uint32_t ops;     /* how many GPU ops it launched */
	uint32_t runtime; /* how many of the calls are no driver calls */
	bool graph, launch, captured;
};

struct rl_pause { /* overhead of the profiler: a buffer request or flush, a lazy load */
	uint64_t id;
	int64_t ts, dur;
	bool lazy;
};

struct rl_step { /* one that is not nested in another */
	uint32_t row;
	int64_t ts, dur;
};

struct rl_graph_id { /* of a kernel that says which graph it is of */
	uint32_t row, graph;
};

struct rl_facts {
	struct rl_count n;
	struct tl_table *t;     /* `quick`: without rows, only its places are filled in */
	uint8_t *bits;          /* by row: enum rl_bit */
	struct tl_pool *graphs; /* graph ids, JSON text */
	struct rl_graph_id *graph_ids;
	struct rl_pause *pauses;
	size_t cap_bits, n_graph_ids, cap_graph_ids, n_pauses, cap_pauses;
	/* from rl_facts_link on */
	uint32_t *launcher, *group; /* by row: of GPU ops the call (link.h), of calls their group */
	uint32_t *operators;        /* operator.h */
	struct rl_group *groups;    /* by correlation key, then process; the ones without key first */
	struct rl_step *steps;
	uint32_t *ops;      /* GPU ops that have a start, by it, then by id */
	uint32_t *launches; /* kernel launches that are expected to have GPU ops, by start: groups */
	uint32_t *ext_cpu;  /* operators with an External id, by its key, then by event id */
	size_t n_groups, cap_groups, n_steps, cap_steps, n_ops, n_launches, n_ext;
	/* figures of all GPU ops */
	int64_t span, busy, sum, kernel_sum;
	uint32_t lanes, devices;
	int64_t last_launch; /* start of the launch of the last linked GPU op; INT64_MIN: none */
};

void rl_facts_clear(struct rl_facts *f); /* forgets the trace, keeps memory */
void rl_facts_free(struct rl_facts *f);
bool rl_facts_event(struct rl_facts *f, struct tl_span line, bool quick);
void rl_facts_trace(struct rl_facts *f, struct tl_span line);
void rl_facts_meta(struct rl_facts *f, struct tl_span line);
void rl_facts_end(struct rl_facts *f, struct tl_span line);

/* Once all events are read: counts the spans of B and E pairs too. */
void rl_facts_finish(struct rl_facts *f);

/* Links and figures, after that (not for `quick`). O(n) memory, sorts. */
void rl_facts_link(struct rl_facts *f);

/* How many ranks the trace holds, as far as its GPU rows tell. */
uint32_t rl_ranks(const struct rl_facts *f);

static inline bool rl_is_kernel(const struct rl_facts *f, uint32_t op)
{
	return f->t->cat[op] == TL_CAT_KERNEL;
}

static inline bool rl_is_replayed(const struct rl_facts *f, uint32_t op)
{
	return f->t->flags[op] & TL_ROW_GRAPH;
}

/* The launch of a GPU op; NULL: none in the file. */
static inline struct rl_group *rl_group_of(const struct rl_facts *f, uint32_t op)
{
	uint32_t call = f->launcher[op];
	return call == TL_NO_ROW ? NULL : &f->groups[f->group[call]];
}

static inline uint64_t rl_key(const struct rl_facts *f, const struct rl_group *g)
{
	return f->t->key[g->call];
}

static inline uint32_t rl_process(const struct rl_facts *f, const struct rl_group *g)
{
	return tl_table_process(f->t, g->call);
}

static inline void rl_saw_row(const struct rl_facts *f, struct rl_seen *s, uint32_t row)
{
	rl_saw(s, f->t->id[row], f->t->ts[row], true);
}

static inline void rl_saw_group(
	const struct rl_facts *f, struct rl_seen *s, const struct rl_group *g)
{
	rl_saw(s, f->t->id[g->call], g->ts, true);
}

/* The place in ext_cpu behind the last operator that this External id (key) names. */
size_t rl_behind_ext(const struct rl_facts *f, uint64_t ext);

/* The operator (row) that an External id names, the last one of several; RL_NONE: none. */
uint32_t rl_cpu_of_ext(const struct rl_facts *f, uint64_t ext);

/* Percent of kernel time that belongs to an operator; false when there is no kernel time. */
typedef bool rl_is_attributed(const struct rl_facts *f, uint32_t op);
bool rl_attributed(const struct rl_facts *f, rl_is_attributed *is, double *percent);

/* Distinct graph launches, and those that own a GPU op. */
void rl_graph_launches(const struct rl_facts *f, uint64_t *all, uint64_t *recorded);

#endif
