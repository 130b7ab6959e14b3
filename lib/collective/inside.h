/* Inside tl_collective: the operations of all traces, and the steps to a set. Only files of this
 * folder include this. */
#ifndef TL_COLLECTIVE_INSIDE_H
#define TL_COLLECTIVE_INSIDE_H
#include "collective.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include "../base/base.h"

#define NONE UINT32_MAX
#define NO_COUNT UINT64_MAX
#define NO_TIME INT64_MIN
#define NO_SEQ INT64_MIN

enum collective_from { FROM_KERNEL, FROM_LAUNCH, FROM_ANNOTATION, FROM_NAME };

/* In alphabetical order of their words, which is that of records. */
enum collective_doubt {
	DOUBT_ENDS_APART = 1 << 0,
	DOUBT_FEW = 1 << 1,
	DOUBT_GROUP_AMBIGUOUS = 1 << 2,
	DOUBT_LOST = 1 << 3,
	DOUBT_MISMATCH = 1 << 4,
	DOUBT_MISSING_RANKS = 1 << 5,
	DOUBT_NO_MATCH = 1 << 6,
	DOUBT_PEER_UNKNOWN = 1 << 7,
	DOUBT_SHIFT_UNSURE = 1 << 8,
	DOUBT_SHIFTED = 1 << 9,
	DOUBT_SIZE_UNKNOWN = 1 << 10,
};

/* What the rules say of a kind; number 0 is "not known". */
struct collective_kind {
	uint32_t text;
	bool sync;       /* all members leave together */
	bool same;       /* all members have the same number of elements */
	bool sized;      /* has bytes */
	bool gathers;    /* puts out n times what comes in */
	bool uneven;     /* alltoallv */
	bool send, recv; /* of a pair */
	bool alltoall;
};

/* What a trace says of an operation, as far as it does. Texts are numbers in `texts`, or NONE. */
struct collective_meta {
	uint64_t in, out;            /* elements, or NO_COUNT */
	int64_t seq, size, src, dst; /* NO_SEQ; size, src, dst: -1 */
	uint32_t name, dtype, pg, desc, list, split;
};

/* What operations have in common, kept once. No padding: it is compared as bytes. */
struct collective_shape {
	uint64_t in, out;
	int32_t src, dst;
	uint32_t name, dtype, group;
	uint16_t kind, from;
};

struct collective_op {
	int64_t ts, end, seq, exposed; /* ns; exposed: NO_TIME where tl-overlap was not */
	uint64_t event;
	uint32_t shape, lane, kernels;
	bool graph;
};

/* A process group, or a stream that stands for one. */
struct collective_group {
	uint32_t name, desc, list; /* list: JSON, NONE where it is not known */
	int64_t size;              /* -1: not known */
	bool assumed, of_job;      /* of_job: the list is that of pg_config, not of operations */
	/* of the set */
	uint32_t number, seen, missing, idle, collectives, matched, n_ops, from;
	int64_t first; /* start of its first operation */
	unsigned doubts;
	struct tl_buf unmatched; /* ranks, as items of a list */
};

/* The operations of a rank: [from, to) of `ops`. */
struct collective_rank {
	int64_t rank;
	bool said; /* by the trace: not its place in the stream */
	uint32_t from, to;
	/* of the set; times in ns */
	int64_t offset, spread, comm, wait, late, caused;
	uint32_t via, pairs, level; /* via: index of a rank, or NONE; level: 0 not reached */
	uint32_t collectives, first, last;
	bool corrected;
};

/* Operations that are one: members[from, from + n), by rank. */
struct collective_slot {
	int64_t index, src, dst;
	uint32_t from, n, group;
	uint32_t lost, missing;
	bool pair;
};

struct collective_settings {
	int64_t apart, clock, verdict, near; /* ns */
	double clock_spreads, verdict_share;
	uint64_t most_members, of_each_end;
};

/* The trace that is being read. */
struct collective_trace;

struct tl_collective {
	const struct tl_collective_options *opt;
	struct tl_rules *rules;
	struct collective_settings set;
	bool asked;

	struct collective_trace *trace;
	uint64_t number; /* of the set: behind the last trace */
	uint32_t n_traces, duplicates;
	int64_t world; /* -1: not known */
	struct tl_intmap rank_at;
	struct tl_buf rank, source; /* of the trace that is being read */

	struct tl_pool *texts, *shapes, *lanes, *group_keys, *kind_keys;
	struct collective_kind *kinds;
	size_t kinds_cap;
	uint16_t *kind_of; /* by text, + 1; 0: not asked */
	size_t kind_cap;
	uint8_t *widths; /* likewise */
	size_t widths_cap;
	struct collective_group *groups;
	size_t groups_cap;
	struct collective_op *ops;
	size_t n_ops, ops_cap;
	struct collective_rank *ranks; /* by rank, once there is a set */
	size_t n_ranks, ranks_cap;

	struct tl_sort *members; /* at: op; more: index of its rank */
	struct collective_slot *slots;
	size_t n_slots, slots_cap;
	uint32_t *order; /* of groups, by first start */
	uint32_t n_groups;
	struct tl_write w;
	struct tl_buf buf;
};

/* ask.c: what share/rules/collective.jq says. */
void collective_ask_settings(struct tl_collective *c);
uint16_t collective_kind_of(struct tl_collective *c, uint32_t name_text);
uint16_t collective_kind_of_kernel(struct tl_collective *c, struct tl_span plain_name);
unsigned collective_width(struct tl_collective *c, uint32_t dtype); /* 0: not known */
double collective_factor(struct tl_collective *c, struct tl_span kind, int64_t n); /* NAN: none */

/* meta.c: what args, `nccl:` annotations and `comm` records say. */
struct collective_meta collective_meta_of_args(struct tl_collective *c, struct tl_span args);
struct collective_meta collective_meta_of_note(
	struct tl_collective *c, struct tl_span name, struct tl_span args);
struct collective_meta collective_meta_of_record(struct tl_collective *c, struct tl_span line);
uint32_t collective_text(struct tl_collective *c, struct tl_span json_string);

/* read.c: the events of a trace, or its records of an earlier pass (false: the record cannot be
 * read). */
struct collective_trace *collective_trace_new(const struct tl_collective_options *opt);
void collective_trace_forget(struct collective_trace *t);
void collective_trace_free(struct collective_trace *t);
void collective_read(struct tl_collective *c, const struct tl_event *e);
void collective_read_meta(struct tl_collective *c, struct tl_span line);
/* World and groups of the job: distributedInfo, or a `rank` record. */
void collective_read_job(struct tl_collective *c, struct tl_span info);
bool collective_read_comm(struct tl_collective *c, struct tl_span line);

/* end.c: writes the records of the trace, adds its operations to `ops`, and forgets it. `rank`:
 * JSON or empty. */
void collective_end_trace(
	struct tl_collective *c, struct tl_stream *s, uint64_t number, struct tl_span rank);

/* comm.c: the record of an operation, valid until `w` is used again; and how a record says where
 * its operation is known from. */
struct tl_span collective_comm(struct tl_collective *c, uint64_t trace,
	const struct collective_op *op, const struct collective_shape *s, uint32_t split);
uint16_t collective_from(struct tl_span json);

/* A member whose text is known. */
void collective_put_text(struct tl_collective *c, const char *key, uint32_t text);

/* The device of a lane, JSON (null where it is not known). */
struct tl_span collective_device(const struct tl_collective *c, uint32_t lane);

/* The next number of a list, as PyTorch or JSON writes it; moves `list` behind it. */
bool collective_next_rank(struct tl_span *list, int64_t *rank);

/* match.c: groups, and slots of their operations. align.c: for a group without Seq gives its
 * members a[0..n), by rank and start, the index of their slot as key, and sorts them by it; returns
 * how many have one. clock.c: offsets. set.c: the records. */
void collective_match(struct tl_collective *c);
uint32_t collective_align(
	struct tl_collective *c, struct collective_group *g, struct tl_sort *a, uint32_t n);
void collective_clocks(struct tl_collective *c);
void collective_write_set(struct tl_collective *c, struct tl_stream *s);

/* In which two operations of one slot contradict each other. */
enum collective_differ { DIFFER_KIND = 1, DIFFER_DTYPE = 2, DIFFER_ELEMENTS = 4 };
unsigned collective_contradiction(
	struct tl_collective *c, const struct collective_shape *a, const struct collective_shape *b);

/* Whether all members leave together. */
bool collective_is_sync(const struct tl_collective *c, const struct collective_slot *slot);

/* The lower of the two middle ones; and of the distances from it. Both reorder v, the latter
 * overwrites it. */
int64_t collective_median(int64_t *v, size_t n);
int64_t collective_spread(int64_t *v, size_t n, int64_t median);

/* The place of a rank in `ranks`, or NONE. */
uint32_t collective_find_rank(const struct tl_collective *c, int64_t rank);

static inline struct collective_shape collective_shape_at(
	const struct tl_collective *c, uint32_t op)
{
	struct collective_shape s;
	memcpy(&s, tl_pool_text(c->shapes, c->ops[op].shape).p, sizeof s);
	return s;
}

static inline const struct collective_kind *collective_kind_at(
	const struct tl_collective *c, uint32_t op)
{
	return &c->kinds[collective_shape_at(c, op).kind];
}

static inline int64_t collective_dur(const struct tl_collective *c, uint32_t op)
{
	return tl_ns_sub(c->ops[op].end, c->ops[op].ts);
}

#endif
