/* One trace in memory: its events in columns of fixed width.
 *
 *     struct tl_table *t = tl_table_new(TL_TAKE_ALL);
 *     while (event lines of the trace)
 *         if (tl_event_read(line, &e))
 *             tl_table_add(t, &e, line);
 *     tl_table_finish(t);                  // pairs B with E
 *     uint32_t *launcher = tl_link(t);     // link.h
 *     ...
 *     tl_table_clear(t);                   // before the next trace
 *
 * An event is named by its row, counted from 0 in order of arrival; TL_NO_ROW means none. The table
 * borrows the text of the lines. Where ties are broken by order in the file, that is the order of
 * `id` (see tl_table_at), so that a stream which was reordered gives the same tree again. */
#ifndef TL_TRACE_TABLE_H
#define TL_TRACE_TABLE_H
#include "event.h"
#include "../base/base.h"
#include "where.h"

#define TL_NO_ROW UINT32_MAX
#define TL_ROUNDING 1000 /* ns by which independently rounded times may disagree */

enum tl_row_flag {
	TL_ROW_TS = 1 << 0,      /* has a start */
	TL_ROW_SPAN = 1 << 1,    /* has a start and an end: ph X with dur, or B with its E */
	TL_ROW_PAIRED = 1 << 2,  /* a B whose E was found, or such an E */
	TL_ROW_DUR = 1 << 3,     /* the line has a `dur` */
	TL_ROW_OLD = 1 << 4,     /* the line has keys of an earlier tl-tree */
	TL_ROW_TREE = 1 << 5,    /* a host span of the call tree (tree.h), or a GPU op below one */
	TL_ROW_GRAZES = 1 << 6,  /* ended after the event it started in, and was put beside it */
	TL_ROW_CLAMPED = 1 << 7, /* `end` was moved to the end of its Python caller */
	TL_ROW_GRAPH = 1 << 8,   /* a GPU op of a graph replay; a launch that replays one (link.h) */
	TL_ROW_BWD = 1 << 9,     /* a forward op that backward ops refer to */
	TL_ROW_LEFT_OUT = 1 << 10,
};

/* key: of launches and GPU ops the correlation, of flows (ph s, t, f) the flow id, of cpu_ops the
 * Sequence number, of Python frames the Python id, of a paired E the row of its B.
 * key2: of launches, GPU ops, cpu_ops and annotations the external id, of Python frames the Python
 * parent id.
 * Numbers and digits in quotes are the same key, any other text is a key of its own ("0x1" is not
 * 1); keys are only to be compared; 0 means none. A correlation or external id of 0 is none, and so
 * is what is negative or null. This is the suite's one reading of ids.
 * end: of a span, for the tree (clamped frames end earlier than ts + dur). */
#define TL_TABLE_COLUMNS(X) \
	X(uint64_t, id)         \
	X(int64_t, ts)          \
	X(int64_t, dur)         \
	X(int64_t, end)         \
	X(uint64_t, key)        \
	X(uint64_t, key2)       \
	X(uint32_t, name)       \
	X(uint32_t, thread)     \
	X(uint16_t, flags)      \
	X(uint8_t, cat)         \
	X(char, ph)

/* Whether a correlation or external id (JSON text) is one. */
bool tl_is_id(struct tl_span json);

#define TL_KEY_ZERO 1                   /* the key of 0 where that is an id like others */
#define TL_KEY_TEXT (UINT64_C(1) << 63) /* set in the keys of texts that are no numbers */

/* What a table keeps; ph B and E are kept whatever they are, since they have to be paired. */
enum tl_take {
	TL_TAKE_OPS = 1 << 0,   /* GPU ops */
	TL_TAKE_CALLS = 1 << 1, /* runtime and driver calls */
	TL_TAKE_CPU = 1 << 2,   /* operators */
	TL_TAKE_NOTES = 1 << 3, /* annotations and their projections */
	TL_TAKE_FLOWS = 1 << 4, /* `flows`; their rows are of the rest */
	TL_TAKE_REST = 1 << 5,
	TL_TAKE_LINES = 1 << 6, /* `line` and `len` of each event */
	TL_TAKE_ALL = (1 << 7) - 1,
	TL_TAKE_PLACES = 1 << 7, /* `spot` and `places`: where GPU work ran */
};

/* Both ends of the flows from launches to GPU ops (ac2g): most traces have two for each op, so they
 * are kept in fewer columns. */
struct tl_flows {
	uint32_t n, cap;
	int64_t *ts;
	uint64_t *key; /* as that of a row; never 0 or TL_KEY_ZERO */
	uint32_t *thread;
	bool *start;
};

/* What tl-tree said of a GPU op that it has passed: ids of events. */
struct tl_told {
	uint64_t launcher, owner; /* owner: the operator */
	uint32_t row;
	bool has_launcher, has_operator;
};

struct tl_table {
	uint32_t n, cap;
	unsigned take;
#define TL_COLUMN(type, name) type *name;
	TL_TABLE_COLUMNS(TL_COLUMN)
#undef TL_COLUMN
	const char **line; /* the text of the event and its length; NULL without TL_TAKE_LINES */
	uint32_t *len;
	uint32_t *spot;          /* of GPU work, in `places`; NULL without TL_TAKE_PLACES */
	struct tl_places places; /* finished by tl_table_finish */
	struct tl_flows flows;
	bool tree; /* tl-tree has linked the events */
	bool slim;
	struct tl_told *told;                 /* by row */
	size_t n_told, told_cap, n_operators; /* n_operators: how many of them name one */
	struct tl_pool *names;   /* JSON text of names; number of the empty text when there is none */
	struct tl_pool *threads; /* pid and tid as JSON text: 1 and "1" differ */
	struct tl_pool *pids, *texts;
	uint32_t *process; /* by thread: the number of its pid */
	uint32_t process_cap;
	uint32_t *by_id; /* rows in order of id; NULL while that is the order of arrival */
	bool unordered;
	struct tl_buf scratch;
};

struct tl_table *tl_table_new(unsigned take);
void tl_table_free(struct tl_table *t);
void tl_table_clear(struct tl_table *t);

/* Takes the event; `line` must stay valid, where lines are kept. Returns its row, TL_NO_ROW when it
 * is nothing that the table keeps. */
uint32_t tl_table_add(struct tl_table *t, const struct tl_event *e, struct tl_span line);

/* Call once, after the last event: pairs B and E of each thread as a stack, in order of time (ties
 * in file order), whatever their names. The B becomes a span. O(n). */
void tl_table_finish(struct tl_table *t);

/* Gives the memory of the flows back, for when nothing is linked any more. */
void tl_table_drop_flows(struct tl_table *t);

/* The same of what tl-tree said, which tl_link and tl_operators_of read. */
void tl_table_drop_told(struct tl_table *t);

/* Keeps `ts`, `end` and `flags` alone, until the table is cleared: memory back once all is linked.
 */
void tl_table_slim(struct tl_table *t);

/* The k-th row in order of id. */
static inline uint32_t tl_table_at(const struct tl_table *t, uint32_t k)
{
	return t->by_id ? t->by_id[k] : k;
}

/* The row of an id, or TL_NO_ROW. O(log n). */
uint32_t tl_table_row(const struct tl_table *t, uint64_t id);

/* A column of n rows, each TL_NO_ROW. The caller frees it. */
uint32_t *tl_no_rows(size_t n);

/* The lane of GPU work: an index of places.lanes. */
static inline uint32_t tl_table_lane(const struct tl_table *t, uint32_t row)
{
	return t->places.lane[t->spot[row]];
}

static inline struct tl_span tl_table_name(const struct tl_table *t, uint32_t row)
{
	return tl_pool_text(t->names, t->name[row]);
}

static inline uint32_t tl_table_process(const struct tl_table *t, uint32_t row)
{
	return t->process[t->thread[row]];
}

static inline bool tl_table_is_gpu_op(const struct tl_table *t, uint32_t row)
{
	return tl_cat_is_gpu((enum tl_cat)t->cat[row]) &&
		   (t->ph[row] == 'X' || (t->ph[row] == 'B' && (t->flags[row] & TL_ROW_SPAN)));
}

static inline bool tl_table_is_launch(const struct tl_table *t, uint32_t row)
{
	return tl_cat_is_launch((enum tl_cat)t->cat[row]) && (t->flags[row] & TL_ROW_SPAN);
}

static inline bool tl_table_is_op(const struct tl_table *t, uint32_t row)
{
	return t->cat[row] == TL_CAT_CPU_OP;
}

static inline bool tl_table_is_flow(const struct tl_table *t, uint32_t row)
{
	return t->ph[row] == 's' || t->ph[row] == 't' || t->ph[row] == 'f';
}

/* Sorts rows (`at` of each element, given in order of id) by thread, start, end from late to early,
 * id: parents before their children. Linear. */
void tl_table_nesting_order(const struct tl_table *t, struct tl_sort *a, size_t n);

/* Sorts rows by process, whose number becomes the key. Linear. */
void tl_table_sort_by_process(const struct tl_table *t, struct tl_sort *a, size_t n);

#endif
