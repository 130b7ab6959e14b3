#include "inside.h"
#include <stdlib.h>

/* Frames that count, open at the time of the sweep, on all threads: a list in the order in which
 * they began. `prev` and `next` are by row. */
struct active {
	uint32_t *prev, *next;
	uint32_t last;
};

static void begin(struct active *a, uint32_t row)
{
	a->prev[row] = a->last;
	a->next[row] = NONE;
	if (a->last != NONE)
		a->next[a->last] = row;
	a->last = row;
}

static void end(struct active *a, uint32_t row)
{
	uint32_t p = a->prev[row], n = a->next[row];
	if (p != NONE)
		a->next[p] = n;
	if (n != NONE)
		a->prev[n] = p;
	else
		a->last = p;
}

static bool counts(struct tl_sourcemap *m, uint32_t row)
{
	const struct tl_table *t = m->t;
	return t->cat[row] == TL_CAT_PYTHON && (t->flags[row] & TL_ROW_SPAN) &&
		   sourcemap_scope_use(m->scopes, sourcemap_scope(m, t->name[row])) ==
			   SOURCEMAP_SCOPE_MEANINGFUL;
}

/* Frames that count by start, their callers first. */
static struct tl_rows by_start(struct tl_sourcemap *m)
{
	struct tl_rows r = {0};
	for (uint32_t k = 0; k < m->t->n; k++) {
		uint32_t i = tl_table_at(m->t, k);
		if (counts(m, i))
			tl_rows_add(&r, 0, i);
	}
	tl_sort_late_first(r.a, r.n, m->t->end);
	tl_sort_by_time(r.a, r.n, m->t->ts);
	return r;
}

static struct tl_rows by_end(const struct tl_table *t, const struct tl_rows *frames)
{
	struct tl_rows r = {0};
	for (size_t k = 0; k < frames->n; k++)
		tl_rows_add(&r, 0, frames->a[k].at);
	tl_sort_by_time(r.a, r.n, t->end);
	return r;
}

/* GPU ops by start: `at` is the place in m->gpu. */
static struct tl_rows unlocated(const struct tl_sourcemap *m)
{
	struct tl_rows r = {0};
	for (size_t k = 0; k < m->n_gpu; k++) {
		uint32_t row = m->gpu[k].row;
		if (m->gpu[k].scope == NONE && !m->gpu[k].graph && (m->t->flags[row] & TL_ROW_TS))
			tl_rows_add(&r, tl_sort_time(m->t->ts[row]), (uint32_t)k);
	}
	tl_sort(r.a, r.n);
	return r;
}

/* Recursion shows one frame many times; a guess need not look further than this. */
#define MAX_LOOKS 64

static void guess(struct tl_sourcemap *m, const struct active *a, struct sourcemap_gpu_op *g)
{
	uint32_t scopes[SOURCEMAP_CHAIN_MAX];
	size_t n = SOURCEMAP_CHAIN_MAX, looks = 0;
	for (uint32_t r = a->last; r != NONE && n > 0 && looks < MAX_LOOKS; r = a->prev[r], looks++) {
		uint32_t scope = sourcemap_scope(m, m->t->name[r]);
		bool seen = false;
		for (size_t i = n; i < SOURCEMAP_CHAIN_MAX; i++)
			seen |= scopes[i] == scope;
		if (!seen)
			scopes[--n] = scope;
	}
	if (n == SOURCEMAP_CHAIN_MAX)
		return;
	g->how = HOW_TIME;
	g->chain = sourcemap_chain_of(m->scopes, scopes + n, SOURCEMAP_CHAIN_MAX - n);
	g->scope = sourcemap_chain_best(m->scopes, g->chain);
}

static void sweep(struct tl_sourcemap *m, const struct tl_rows *ops)
{
	struct tl_rows start = by_start(m), stop = by_end(m->t, &start);
	struct active a = {tl_alloc(((size_t)m->t->n + 1) * sizeof *a.prev),
		tl_alloc(((size_t)m->t->n + 1) * sizeof *a.next), NONE};
	size_t s = 0, e = 0;
	for (size_t k = 0; k < ops->n; k++) {
		for (; s < start.n && start.a[s].key <= ops->a[k].key; s++)
			begin(&a, start.a[s].at);
		for (; e < stop.n && stop.a[e].key <= ops->a[k].key; e++)
			end(&a, stop.a[e].at);
		guess(m, &a, &m->gpu[ops->a[k].at]);
	}
	free(a.prev);
	free(a.next);
	free(start.a);
	free(stop.a);
}

void sourcemap_guess(struct tl_sourcemap *m)
{
	struct tl_rows ops = unlocated(m);
	if (ops.n > 0)
		sweep(m, &ops);
	free(ops.a);
}
