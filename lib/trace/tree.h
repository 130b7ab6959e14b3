/* The call tree of a trace: host spans nested by time on each thread, GPU ops below their launcher.
 *
 * In the tree: spans (ph X with ts and dur, or B with its E) of operators, Python frames, runtime
 * and driver calls and host annotations, and other host spans on a thread that has any of these. A
 * span that starts in another and ends after it is its child when it ends at most 1 us later or
 * more of it lies inside than outside (`overrun`); else it becomes its sibling (TL_ROW_GRAZES). A
 * call that starts up to 1 us before an operator and overlaps it so is its child (pytorch#188956:
 * the clocks of operators and of calls differ by that much).
 * Python frames whose return was lost end with their caller (TL_ROW_CLAMPED).
 *
 * Columns are by row of the table, which must outlive the tree. Linear, without recursion. */
#ifndef TL_TRACE_TREE_H
#define TL_TRACE_TREE_H
#include "nest.h"
#include "operator.h"

struct tl_tree {
	struct tl_table *t;
	uint32_t *parent;      /* row, TL_NO_ROW for roots; of a GPU op its launcher */
	uint32_t *depth;       /* 0 for roots */
	uint32_t *gpu_ops;     /* launched below this host span, or belonging to an operator below it */
	uint32_t *own_gpu_ops; /* those whose operator (operator.h) this is */
	uint32_t *apart;       /* of its own ones, those that were not launched below it */
	int64_t *gpu_ns;       /* sum of their durations */
	int64_t *overrun;      /* ns that it ends after its parent; 0: it does not */
	uint32_t *order;       /* rows of the tree, depth first, parents first, children by start */
	uint32_t n;            /* rows in `order` */
	uint32_t *operators;   /* operator.h */
};

/* Python frames with a lost return (they end within 1 us of the last end of their thread, and later
 * than the caller on it that their "Python parent id" names) end with that caller. Call once,
 * before tl_tree_build: moves `end`. */
void tl_clamp_frames(struct tl_table *t);

/* The tree's `parent` column alone, for tools that need no more: fills in the host spans of a
 * column made by tl_link. */
void tl_tree_parents(struct tl_table *t, uint32_t *parent);

/* Takes over `launcher`, a column made by tl_link_anew. Sets the flags TL_ROW_TREE and GRAZES of
 * the table. */
struct tl_tree *tl_tree_build(struct tl_table *t, uint32_t *launcher);
/* The tree of what has no TL_ROW_LEFT_OUT, in place of what it was. */
void tl_tree_again(struct tl_tree *tree);
void tl_tree_free(struct tl_tree *tree);

/* For each row of the tree the nearest row at or above it for which `is` holds, else TL_NO_ROW (as
 * for rows outside). `parent`: the column of a tree, or of tl_tree_parents. The caller frees it. */
uint32_t *tl_tree_nearest(const struct tl_table *t, const uint32_t *parent,
	bool (*is)(const struct tl_table *t, uint32_t row));

/* A host span that puts its thread into the tree. */
static inline bool tl_table_is_call(const struct tl_table *t, uint32_t row)
{
	enum tl_cat c = (enum tl_cat)t->cat[row];
	return (t->flags[row] & TL_ROW_SPAN) && c >= TL_CAT_CPU_OP && c <= TL_CAT_ANNOTATION;
}

#endif
