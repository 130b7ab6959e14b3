#include "sourcemap_impl.h"
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

static bool counts(struct tl_sourcemap *m, const struct host *h)
{
	if (h->kind != HOST_FRAME)
		return false;
	uint32_t *scope = &m->info[h->name].scope;
	if (*scope == NONE)
		*scope = tl_scope_of(m->scopes, tl_pool_text(m->names, h->name));
	return tl_scope_use(m->scopes, *scope) == TL_SCOPE_MEANINGFUL;
}

/* Frames that count by start (their callers first) or by end. */
static struct tl_sort *frames(struct tl_sourcemap *m, bool by_start, size_t *n)
{
	struct tl_sort *v = tl_alloc((m->n_host + 1) * sizeof *v);
	*n = 0;
	for (size_t i = 0; i < m->n_host; i++) {
		const struct host *h = &m->host[i];
		if (counts(m, h))
			v[(*n)++] = (struct tl_sort){
				by_start ? ~tl_sort_time(h->end) : tl_sort_time(h->end), (uint32_t)i, 0};
	}
	tl_sort(v, *n);
	for (size_t i = 0; by_start && i < *n; i++)
		v[i].key = tl_sort_time(m->host[v[i].at].ts);
	if (by_start)
		tl_sort(v, *n);
	return v;
}

static struct tl_sort *unlocated(const struct tl_sourcemap *m, size_t *n)
{
	struct tl_sort *v = tl_alloc((m->n_gpu + 1) * sizeof *v);
	*n = 0;
	for (size_t i = 0; i < m->n_gpu; i++)
		if (m->gpu[i].scope == NONE && m->gpu[i].has_ts && !m->gpu[i].graph)
			v[(*n)++] = (struct tl_sort){tl_sort_time(m->gpu[i].ts), (uint32_t)i, 0};
	tl_sort(v, *n);
	return v;
}

/* Recursion shows one frame many times; a guess need not look further than this. */
#define MAX_LOOKS 64

static void guess(struct tl_sourcemap *m, const struct active *a, struct gpu_op *g)
{
	uint32_t scopes[TL_CHAIN_MAX];
	size_t n = TL_CHAIN_MAX, looks = 0;
	for (uint32_t r = a->last; r != NONE && n > 0 && looks < MAX_LOOKS; r = a->prev[r], looks++) {
		uint32_t scope = m->info[m->host[r].name].scope;
		bool seen = false;
		for (size_t i = n; i < TL_CHAIN_MAX; i++)
			seen |= scopes[i] == scope;
		if (!seen)
			scopes[--n] = scope;
	}
	if (n == TL_CHAIN_MAX)
		return;
	g->how = HOW_TIME;
	g->chain = tl_chain_of(m->scopes, scopes + n, TL_CHAIN_MAX - n);
	g->scope = tl_chain_best(m->scopes, g->chain);
}

void tl_sourcemap_guess(struct tl_sourcemap *m)
{
	size_t n, ops, s = 0, e = 0;
	struct tl_sort *v = unlocated(m, &ops);
	if (ops > 0) {
		struct tl_sort *start = frames(m, true, &n), *stop = frames(m, false, &n);
		struct active a = {tl_alloc((m->n_host + 1) * sizeof *a.prev),
			tl_alloc((m->n_host + 1) * sizeof *a.next), NONE};
		for (size_t i = 0; i < ops; i++) {
			for (; s < n && start[s].key <= v[i].key; s++)
				begin(&a, start[s].at);
			for (; e < n && stop[e].key <= v[i].key; e++)
				end(&a, stop[e].at);
			guess(m, &a, &m->gpu[v[i].at]);
		}
		free(a.prev);
		free(a.next);
		free(start);
		free(stop);
	}
	free(v);
}
