/* What tl-reliability keeps of a trace: counters that need constant memory, and, unless `quick`,
 * columns of GPU ops, launches and operators with the links between them. Private to
 * reliability*.c. */
#ifndef TL_RELIABILITY_FACTS_H
#define TL_RELIABILITY_FACTS_H
#include "../trace/event.h"
#include "../trace/pool.h"
#include "../trace/table.h"
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
	uint64_t gpu, kernels, calls, launches, graph_calls, cpu_ops, python, host, with_stream;
	uint64_t cpu_dims, launches_ext;
	struct rl_seen negative, zero_ts, zero_dur, corr_absent, launch_noext, long_dur, unknown,
		big_stream, marker, begin_capture, longest;
	bool fraction;             /* a GPU op has a ts or dur that is no whole number of us */
	bool has_span, has_starts; /* first, last: of GPU ops; starts: of all ph X events */
	int64_t first, last, start_min, start_max;
	int64_t after_zero; /* the earliest ts of GPU ops above 0 */
	int64_t longest_ns;
	uint64_t steps;
	struct tl_buf unknown_cat; /* of the first example */
	struct tl_buf source;
	int record_shapes; /* -1: not said */
	bool distributed;
	uint64_t world_size; /* 0: not said */
	bool ended, cut;     /* an `end` record came; the stream ended without */
	struct tl_buf faults, ts_last;
};

struct rl_op {
	uint64_t id, corr, ext, launcher;
	int64_t ts, dur, end;
	uint32_t name, device, lane; /* pool numbers; lane: device and stream */
	uint32_t group;              /* of its launch, RL_NONE: no launch in the file */
	uint32_t graph_id;           /* pool number of args["graph id"], RL_NONE: none */
	bool kernel, has_corr, has_ext, has_launcher, comm;
};

struct rl_call {
	uint64_t id, corr, ext;
	int64_t ts, end;
	uint32_t pid, thread, name, group;
	uint32_t op; /* innermost operator around it */
	bool has_corr, has_ext, graph, launch, driver, captured;
	signed char capture; /* 1 begins, -1 ends a stream capture */
};

struct rl_cpu {
	uint64_t id, ext;
	int64_t ts, end;
	uint32_t name, thread;
	bool has_ext, dims;
};

/* Calls of one process with one correlation: a launch, whatever calls it took. */
struct rl_group {
	uint64_t corr, id, ext, ext_from;
	int64_t ts;
	uint32_t pid, op, ops, runtime;
	uint32_t op_name; /* of the operator that `ext` names, RL_NONE: none */
	bool has_corr, has_ext, graph, launch, captured;
};

struct rl_pause { /* overhead of the profiler: a buffer request or flush, a lazy load */
	uint64_t id;
	int64_t ts, dur;
	bool lazy;
};

struct rl_step {
	uint32_t name;
	int64_t ts, dur;
	uint64_t id;
};

struct rl_facts {
	struct rl_count n;
	bool tree; /* tl-tree has linked the events */
	struct tl_pool *pool;
	struct tl_table *halves; /* ph B and E that tl-tree has not joined; NULL: none yet */
	struct tl_buf half_lines;
	size_t *half_at; /* of a B: where its line ends in half_lines */
	size_t cap_halves;
	struct rl_op *ops;
	struct rl_call *calls;
	struct rl_cpu *cpu;
	struct rl_group *groups;
	struct rl_pause *pauses;
	struct rl_step *steps;
	size_t n_ops, n_calls, n_cpu, n_groups, n_pauses, n_steps;
	size_t cap_ops, cap_calls, cap_cpu, cap_groups, cap_pauses, cap_steps;
	uint32_t *by_start; /* ops by start, then id */
	uint32_t *launches; /* kernel launches that are expected to have GPU ops, by start */
	size_t n_launches;
	uint32_t *ext_cpu; /* operators with an External id, by that id, then by id */
	size_t n_ext;
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

/* Takes the spans of B and E pairs, where tl-tree has not joined them. Before rl_facts_link. */
void rl_facts_join(struct rl_facts *f);

/* Links and figures, once all events are read (not for `quick`). O(n) memory, sorts. */
void rl_facts_link(struct rl_facts *f);

/* The operator (place in cpu) that an External id names, the last one of several; RL_NONE: none. */
uint32_t rl_cpu_of_ext(const struct rl_facts *f, uint64_t ext);

/* Percent of kernel time that belongs to an operator; false when there is no kernel time.
 * v1: through the External ids of launches alone, graph replays counted. */
bool rl_attributed(const struct rl_facts *f, bool v1, double *percent);

/* Distinct graph launches, and those that own a GPU op. */
void rl_graph_launches(const struct rl_facts *f, uint64_t *all, uint64_t *recorded);

#endif
