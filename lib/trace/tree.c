#include "tree.h"
#include "../json/json.h"
#include "operator.h"
#include <stdlib.h>

static bool has_place(const struct tl_table *t, uint32_t row, const bool *host_thread)
{
	if (t->flags[row] & TL_ROW_LEFT_OUT)
		return false;
	return tl_table_is_call(t, row) ||
		   (t->cat[row] == TL_CAT_OTHER && (t->flags[row] & TL_ROW_SPAN) &&
			   host_thread[t->thread[row]]);
}

/* The host spans of the tree, in order of id. */
static void gather(struct tl_table *t, struct tl_rows *spans)
{
	bool *host_thread = tl_calloc(tl_pool_count(t->threads) + 1, sizeof *host_thread);
	for (uint32_t i = 0; i < t->n; i++)
		if (tl_table_is_call(t, i))
			host_thread[t->thread[i]] = true;
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		t->flags[i] &= (uint16_t) ~(TL_ROW_TREE | TL_ROW_GRAZES);
		if (!has_place(t, i, host_thread))
			continue;
		tl_rows_add(spans, 0, i);
		t->flags[i] |= TL_ROW_TREE;
	}
	free(host_thread);
}

/* The GPU ops that have a launcher in the tree, by start. `child` gets, for each launcher, its
 * first GPU op, and for each GPU op the next one of its launcher. */
static uint32_t *attach(struct tl_tree *tree, size_t *n_gpu)
{
	struct tl_table *t = tree->t;
	struct tl_rows ops = {0};
	uint32_t *child = tl_alloc(((size_t)t->n + 1) * sizeof *child);
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k), launcher = tree->parent[i];
		child[i] = TL_NO_ROW;
		if (!tl_table_is_gpu_op(t, i) || launcher == TL_NO_ROW || (t->flags[i] & TL_ROW_LEFT_OUT))
			continue;
		if (t->flags[launcher] & TL_ROW_TREE)
			tl_rows_add(&ops, tl_sort_time(t->ts[i]), i);
		else
			tree->parent[i] = TL_NO_ROW;
	}
	tl_sort(ops.a, ops.n);
	*n_gpu = ops.n;
	for (size_t k = ops.n; k-- > 0;) {
		uint32_t i = ops.a[k].at, launcher = tree->parent[i];
		child[i] = child[launcher];
		child[launcher] = i;
		tree->depth[i] = tree->depth[launcher] + 1;
		t->flags[i] |= TL_ROW_TREE;
	}
	free(ops.a);
	return child;
}

/* Groups of `spans`, one per thread, by first start: `key` that start, `at` and `more` the range.
 */
static void thread_order(const struct tl_table *t, const struct tl_rows *spans, struct tl_rows *out)
{
	for (size_t k = 0; k < spans->n; k++) {
		uint32_t i = spans->a[k].at;
		if (k == 0 || t->thread[i] != t->thread[spans->a[k - 1].at])
			tl_rows_add(out, t->id[i], (uint32_t)k);
		out->a[out->n - 1].more = (uint32_t)k + 1;
	}
	tl_sort(out->a, out->n);
	for (size_t k = 0; k < out->n; k++)
		out->a[k].key = tl_sort_time(t->ts[spans->a[out->a[k].at].at]);
	tl_sort(out->a, out->n);
}

static bool starts_before(const struct tl_table *t, uint32_t a, uint32_t b)
{
	return t->ts[a] != t->ts[b] ? t->ts[a] < t->ts[b] : t->id[a] < t->id[b];
}

/* Writes out the GPU ops of `launcher` that come before its child `row` (all: TL_NO_ROW). */
static void put_gpu_ops(struct tl_tree *tree, uint32_t *child, uint32_t launcher, uint32_t row)
{
	uint32_t op = child[launcher];
	for (; op != TL_NO_ROW; op = child[op]) {
		if (row != TL_NO_ROW && !starts_before(tree->t, op, row))
			break;
		tree->order[tree->n++] = op;
	}
	child[launcher] = op;
}

static void put_thread(struct tl_tree *tree, const struct tl_sort *span, size_t n, uint32_t *child)
{
	uint32_t open = TL_NO_ROW; /* the innermost span that is being written */
	for (size_t k = 0; k < n; k++) {
		uint32_t i = span[k].at;
		for (; open != tree->parent[i]; open = tree->parent[open])
			put_gpu_ops(tree, child, open, TL_NO_ROW);
		if (open != TL_NO_ROW)
			put_gpu_ops(tree, child, open, i);
		tree->order[tree->n++] = i;
		open = i;
	}
	for (; open != TL_NO_ROW; open = tree->parent[open])
		put_gpu_ops(tree, child, open, TL_NO_ROW);
}

/* A GPU op counts from its launch on upwards; where its operator is not above its launch, from the
 * operator. */
static void count(struct tl_tree *tree, uint32_t op, uint32_t nearest)
{
	uint32_t owner = tree->operators[op], at = tree->parent[op];
	if (owner != TL_NO_ROW)
		tree->own_gpu_ops[owner]++;
	if (owner != TL_NO_ROW && owner != nearest) {
		tree->apart[owner]++;
		at = owner;
	}
	tree->gpu_ops[at]++;
	tree->gpu_ns[at] = tl_ns_add(tree->gpu_ns[at], tree->t->dur[op]);
}

static void sum_up(struct tl_tree *tree)
{
	struct tl_table *t = tree->t;
	uint32_t *nearest = tl_tree_nearest(t, tree->parent, tl_table_is_op);
	for (uint32_t k = 0; k < tree->n; k++)
		if (tl_table_is_gpu_op(t, tree->order[k]))
			count(tree, tree->order[k], nearest[tree->order[k]]);
	for (uint32_t k = tree->n; k-- > 0;) {
		uint32_t i = tree->order[k], up = tree->parent[i];
		if (up == TL_NO_ROW || tl_table_is_gpu_op(t, i))
			continue;
		tree->gpu_ops[up] += tree->gpu_ops[i];
		tree->gpu_ns[up] = tl_ns_add(tree->gpu_ns[up], tree->gpu_ns[i]);
	}
	free(nearest);
}

static void put_all(struct tl_tree *tree, struct tl_rows *spans, size_t n_gpu, uint32_t *child)
{
	struct tl_rows threads = {0};
	tree->order = tl_alloc((spans->n + n_gpu + 1) * sizeof *tree->order);
	tree->n = 0;
	thread_order(tree->t, spans, &threads);
	for (size_t k = 0; k < threads.n; k++)
		put_thread(tree, spans->a + threads.a[k].at, threads.a[k].more - threads.a[k].at, child);
	free(threads.a);
}

/* All columns but `parent`, which holds the launchers of GPU ops. */
static void build(struct tl_tree *tree)
{
	struct tl_rows spans = {0};
	size_t n = (size_t)tree->t->n + 1, n_gpu;
	gather(tree->t, &spans);
	tl_table_nesting_order(tree->t, spans.a, spans.n);
	tree->depth = tl_calloc(n, sizeof *tree->depth);
	tree->overrun = tl_calloc(n, sizeof *tree->overrun);
	tl_nest_spans(tree->t, &spans, tree->parent, tree->overrun);
	for (size_t k = 0; k < spans.n; k++) {
		uint32_t i = spans.a[k].at, up = tree->parent[i];
		tree->depth[i] = up == TL_NO_ROW ? 0 : tree->depth[up] + 1;
	}
	uint32_t *child = attach(tree, &n_gpu);
	put_all(tree, &spans, n_gpu, child);
	free(child);
	tree->gpu_ops = tl_calloc(n, sizeof *tree->gpu_ops);
	tree->own_gpu_ops = tl_calloc(n, sizeof *tree->own_gpu_ops);
	tree->apart = tl_calloc(n, sizeof *tree->apart);
	tree->gpu_ns = tl_calloc(n, sizeof *tree->gpu_ns);
	tree->operators = tl_operators_find(tree->t, tree->parent, &spans);
	free(spans.a);
	sum_up(tree);
}

static void free_columns(struct tl_tree *tree)
{
	free(tree->depth);
	free(tree->overrun);
	free(tree->order);
	free(tree->gpu_ops);
	free(tree->own_gpu_ops);
	free(tree->apart);
	free(tree->operators);
	free(tree->gpu_ns);
}

void tl_tree_parents(struct tl_table *t, uint32_t *parent)
{
	struct tl_rows spans = {0};
	gather(t, &spans);
	tl_table_nesting_order(t, spans.a, spans.n);
	tl_nest_spans(t, &spans, parent, NULL);
	free(spans.a);
}

struct tl_tree *tl_tree_build(struct tl_table *t, uint32_t *launcher)
{
	struct tl_tree *tree = tl_calloc(1, sizeof *tree);
	tree->t = t;
	tree->parent = launcher;
	build(tree);
	return tree;
}

void tl_tree_again(struct tl_tree *tree)
{
	free_columns(tree);
	build(tree);
}

void tl_tree_free(struct tl_tree *tree)
{
	if (!tree)
		return;
	free_columns(tree);
	free(tree->parent);
	free(tree);
}

uint32_t *tl_tree_nearest(const struct tl_table *t, const uint32_t *parent,
	bool (*is)(const struct tl_table *t, uint32_t row))
{
	const uint32_t unknown = TL_NO_ROW - 1;
	uint32_t *nearest = tl_alloc(((size_t)t->n + 1) * sizeof *nearest);
	for (uint32_t i = 0; i < t->n; i++)
		nearest[i] = t->flags[i] & TL_ROW_TREE ? unknown : TL_NO_ROW;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t at = i, found; /* no row is passed twice */
		while (at != TL_NO_ROW && nearest[at] == unknown && !is(t, at))
			at = parent[at];
		found = at == TL_NO_ROW || nearest[at] == unknown ? at : nearest[at];
		for (uint32_t up = i; up != TL_NO_ROW && nearest[up] == unknown; up = parent[up]) {
			nearest[up] = found;
			if (up == at)
				break;
		}
	}
	return nearest;
}
