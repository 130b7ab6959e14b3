/* Which host call launched which GPU op.
 *
 * A GPU op's launcher is what the ac2g flow that ends on it starts from, else the runtime or driver
 * call with its correlation id, one of possibly several:
 * - those of one process: the latest that starts no later than 1 ms after the op, else the nearest;
 *   of calls nested in each other the inner one;
 * - of several processes (merged ranks): only those whose external id is the op's, and none while
 *   these are still of several, unless the pids tell ranks apart (rank.h): then those of the op's
 *   rank. A launch that the pids put on another rank is never taken.
 * A launcher may have any number of GPU ops. Sorting aside, the cost is linear.
 *
 * A launch replays a graph when its name says so (tl_is_graph_launch), or that of a call around it
 * with the same correlation id: HIP's graph launch makes its driver's calls. */
#ifndef TL_TRACE_LINK_H
#define TL_TRACE_LINK_H
#include "table.h"

/* The launcher's row for each row of the table; TL_NO_ROW for a GPU op without one, and for what is
 * no GPU op. Only launches that are spans count. Where tl-tree was, its answer is taken. Sets
 * TL_ROW_GRAPH of launches that replay a graph and of their GPU ops; a GPU op whose launch was
 * filtered out keeps the flag of its line. The caller frees the column. Call after tl_table_finish.
 */
uint32_t *tl_link(struct tl_table *t);

/* The same whatever tl-tree said, for tl-tree. */
uint32_t *tl_link_anew(struct tl_table *t);

/* The External id of a GPU op: its own, else that of its launch (which may be TL_NO_ROW), else 0.
 */
static inline uint64_t tl_external_id(const struct tl_table *t, uint32_t op, uint32_t launch)
{
	return t->key2[op] || launch == TL_NO_ROW ? t->key2[op] : t->key2[launch];
}

/* For each of `points` (rows with a ts): the innermost of `spans` on its thread that contains its
 * ts, both ends included; of spans that meet at the ts the later one; TL_NO_ROW when there is none.
 * Both lists (`at`, in order of id) are reordered; the answer is left in `more` of the points. */
void tl_bind(const struct tl_table *t, struct tl_sort *spans, size_t n_spans,
	struct tl_sort *points, size_t n_points);

/* A growing list of rows, for the two above. */
struct tl_rows {
	struct tl_sort *a;
	size_t n, cap;
};

static inline void tl_rows_add(struct tl_rows *r, uint64_t key, uint32_t row)
{
	TL_GROW(r->a, r->n, r->cap);
	r->a[r->n++] = (struct tl_sort){key, row, TL_NO_ROW};
}

#endif
