/* Inside tl_overlap: one trace in memory, and the steps from events to records. Only files of this
 * folder include this. Steps run in the order in which they stand here; each one says what it
 * needs. */
#ifndef TL_OVERLAP_INSIDE_H
#define TL_OVERLAP_INSIDE_H
#include "overlap.h"
#include "fusion.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include "../base/base.h"

#define NONE UINT32_MAX

/* ---- what is read ---- */

/* GPU ops in columns, in order of arrival. */
enum overlap_op_flag {
	OP_TIMED = 1 << 0,  /* has a start: it stands on the timeline */
	OP_OLD = 1 << 1,    /* its line has keys of an earlier tl-overlap */
	OP_PICKED = 1 << 2, /* stands for a group in an action */
};

struct overlap_ops {
	uint32_t n, cap;
	uint32_t *row;          /* in the table */
	struct tl_interval *iv; /* from the end of reading on; stage, part, priority once known */
	uint64_t *id;
	union {
		uint32_t *name; /* in `raw`: until overlap_order */
		uint32_t *cell; /* from then on */
	};
	uint32_t *launch; /* row of its launch in the table, or NONE */
	uint8_t *flags;
	int64_t *hidden, *by_compute; /* ns; from the sweep on */
};

/* An annotation: a host span, or its projection on a stream. */
struct overlap_note {
	int64_t ts, end;
	uint64_t id, ext;
	uint32_t name;
	uint32_t row, pid; /* host: thread and process; gpu: lane and device */
	bool gpu, op;      /* op: an operator that --by asks for */
	uint16_t stage;    /* 0: none */
	uint32_t span;
};

/* A name of GPU ops, as it stands in the trace, with its category. */
struct overlap_name {
	uint32_t canon;
	uint16_t class;
	uint8_t part, priority;
};

struct overlap_device { /* as the table's places have it */
	uint32_t row_base, rows;
	uint32_t from, to; /* its part of `by_device` */
	int64_t first, last;
	struct tl_busy busy;
	uint64_t clipped;
};

/* What tl-sourcemap says of a kernel. */
struct overlap_source {
	uint32_t kernel, scope, launch_op; /* texts; NONE: not known */
	uint64_t launches, mapped;
	bool family; /* the scope is known by more than a graph's launch */
};

struct overlap_lines {
	struct overlap_line {
		const char *p;
		uint64_t n : 48, kind : 8, is_op : 1; /* length, enum tl_kind */
	} * v;
	size_t n, cap;
};

/* ---- what is made of it ---- */

/* All ops of one name and stage on one row; and of one name, class and stage on a device. */
struct overlap_cell {
	uint32_t row, name, group;
	uint16_t stage;
	/* while its device is swept */
	bool listed;
	uint32_t active;
	int64_t since, weight; /* ns that its ops have run, beside what dominates now */
};

struct overlap_group {
	uint32_t device, canon;
	uint16_t stage, class;
	uint64_t count, first_id, shorts;
	int64_t gpu, hidden, by_compute;
	uint32_t best; /* op that stands for it: the longest one */
	int64_t latency, queue;
	bool has_launch;
	uint32_t pairs, pairs_n; /* its part of the sorted pairs */
};

/* Time of a group beside a dominant kernel of another stream. */
struct overlap_pair {
	uint32_t group, canon;
	int64_t ns;
};

struct overlap_stage_time {
	uint32_t active, max_rows;
	int64_t busy, overlap, busy_since, several_since;
	bool used;
};

struct overlap_span {
	uint32_t name;              /* of the table for a step, else in texts */
	uint64_t id;                /* of the first annotation that stands for it */
	const struct tl_step *step; /* NULL: one of --by */
};

/* Ops of spans, by span and in the order of ops. */
struct overlap_member {
	uint32_t span, op;
};

struct overlap_settings {
	double min_us, min_share, headroom_ratio, hidden_ratio, tight_share;
	int64_t tight_min, tight_max, reach;
	bool by_start;
	struct tl_span weights, last, hidden_classes, serial; /* JSON, kept by the rules */
};

enum overlap_ask { ASK_KIND, ASK_STAGE, ASK_SETTINGS, ASK_OPERATOR, ASK_ADVICE };

struct tl_overlap {
	const struct tl_overlap_options *opt;
	struct tl_rules *rules;
	struct overlap_fusion *fusion;
	struct overlap_settings set;
	bool asked;
	uint64_t trace;

	struct overlap_lines lines;
	struct overlap_ops ops;
	struct tl_table *t; /* GPU ops, calls, annotations; their times and flags alone after linking */
	struct tl_intmap first_of;   /* launch of a graph -> its first op */
	uint32_t *lane_device;       /* by lane */
	uint32_t (*parts)[TL_PARTS]; /* zeros, by device */
	struct overlap_note *notes;
	size_t n_notes, notes_cap;
	struct overlap_source *sources;
	size_t n_sources, sources_cap;
	struct tl_intmap source_at; /* kernel -> source + 1 */

	struct tl_pool *raw;   /* category and JSON value of names of GPU ops */
	struct tl_pool *texts; /* canonical names, classes' and annotations' names, scopes; UTF-8 */
	struct tl_pool *cells_by, *groups_by, *spans_by;
	struct tl_pool *classes, *stages; /* stage 0 is "all" */
	const struct tl_lane *rows;       /* the table's */
	size_t n_rows;
	struct overlap_device *devices;
	size_t n_devices;
	struct overlap_name *names; /* by number in `raw` */
	uint32_t *span_of;          /* by number in `spans_by` */
	size_t span_of_cap;

	uint32_t *order, *by_device; /* timed ops by time; the same by device first */
	uint32_t n_timed;
	struct overlap_cell *cells;
	size_t n_cells, cells_cap;
	struct overlap_group *groups;
	size_t n_groups, groups_cap;
	uint32_t *group_order;
	struct tl_intmap pair_at;
	struct overlap_pair *pairs;
	size_t n_pairs, pairs_cap;
	struct overlap_stage_time *stage_times;   /* device-major */
	struct overlap_launch_time *launch_times; /* per device, then of all */
	uint32_t *stage_rank, *stage_order;
	struct overlap_span *spans;
	size_t n_spans, spans_cap;
	struct tl_steps steps;
	struct overlap_member *members;
	size_t n_members, members_cap;
	uint32_t *row_active; /* zeros, one per row */
	struct tl_busy all;   /* all devices pooled */
	struct tl_write w;
	uint32_t record_of; /* device of the record in `w`, or NONE */
	struct tl_buf buf, text;
};

/* read.c: an event into the columns above; after the last one their times, devices, lanes,
 * launches and annotations. */
void overlap_read(struct tl_overlap *o, const struct tl_event *e);
void overlap_read_source(struct tl_overlap *o, struct tl_span line);
void overlap_read_end(struct tl_overlap *o);

/* kind.c: what the rules say. */
void overlap_ask_settings(struct tl_overlap *o);
void overlap_kinds(struct tl_overlap *o); /* of every name */
bool overlap_is_operator(struct tl_overlap *o, uint32_t text);
double overlap_weight(const struct tl_overlap *o, uint16_t class);
bool overlap_listed(struct tl_span json_array, struct tl_span text);
/* The number of a rule's answer, a JSON string, in `pool`; 65534 are told apart, the rest is
 * "other". */
uint16_t overlap_add(
	struct tl_pool *pool, struct tl_buf *b, struct tl_span json, struct tl_span otherwise);
struct tl_span overlap_class(const struct tl_overlap *o, uint16_t class);
struct tl_span overlap_stage(const struct tl_overlap *o, uint16_t stage);
struct tl_span overlap_name(
	const struct tl_overlap *o, uint32_t op); /* canonical; once in a cell */

/* stage.c: the stage of every op. span.c: the ops of steps and of other spans that
 * were asked for. */
void overlap_stages(struct tl_overlap *o);
void overlap_spans(struct tl_overlap *o);

/* look.c: gives each op that has no value yet the value of the innermost annotation that
 * holds its launch (by thread, process) or its start (by lane, device) and has one. */
enum overlap_by { BY_THREAD, BY_PROCESS, BY_STREAM, BY_DEVICE };
typedef uint32_t overlap_value(const struct overlap_note *n);
void overlap_look(struct tl_overlap *o, enum overlap_by by, overlap_value *value, uint32_t *values);

/* The annotations that have a value, as periods of their thread, process, stream or device; `v` is
 * the caller's to free. */
struct overlap_periods {
	struct tl_period *v;
	size_t n, cap;
};
struct overlap_periods overlap_gather(
	const struct tl_overlap *o, enum overlap_by by, overlap_value *value);

/* The number of the stage that an annotation names, or NONE. */
static inline uint32_t overlap_stage_of(const struct overlap_note *n)
{
	return n->stage ? n->stage : NONE;
}

/* by_start.c: the stages of --rules reference. */
void overlap_stages_by_start(struct tl_overlap *o, uint32_t *stage);

/* sweep.c: order, clipping, cells and groups; then one sweep per device. */
void overlap_order(struct tl_overlap *o);
void overlap_sweep(struct tl_overlap *o);

/* launch.c: latencies and queue delays, of groups too. */
void overlap_launch_figures(struct tl_overlap *o);

/* group.c: order of stages, groups and what they ran beside. */
void overlap_order_groups(struct tl_overlap *o);

/* time.c, gap.c, launch.c, group.c, action.c: the records. */
void overlap_write_timelines(struct tl_overlap *o, struct tl_stream *s);
void overlap_write_stages(struct tl_overlap *o, struct tl_stream *s);
void overlap_write_gaps(struct tl_overlap *o, struct tl_stream *s);
void overlap_write_lanes(struct tl_overlap *o, struct tl_stream *s);
void overlap_write_launches(struct tl_overlap *o, struct tl_stream *s);
void overlap_write_groups(struct tl_overlap *o, struct tl_stream *s);
void overlap_write_actions(struct tl_overlap *o, struct tl_stream *s);
void overlap_write_fusions(struct tl_overlap *o, struct tl_stream *s);

/* A record in o->w: its beginning; a value that is null where it is not known; its end (written;
 * with `process` where the device's number does not say which device it is). */
void overlap_begin(struct tl_overlap *o, const char *type, uint32_t device); /* NONE: no device */
void overlap_json(struct tl_overlap *o, const char *key, struct tl_span json);
void overlap_end(struct tl_overlap *o, struct tl_stream *s);

static inline int64_t overlap_dur(const struct tl_overlap *o, uint32_t op)
{
	return o->ops.iv[op].end - o->ops.iv[op].ts;
}

static inline bool overlap_by_graph(const struct tl_overlap *o, uint32_t launch)
{
	return o->t->flags[launch] & TL_ROW_GRAPH;
}

#endif
