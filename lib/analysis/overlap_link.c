/* Launches of GPU ops: by tl-tree's `launcher` where it was, else by correlation id. */
#include "overlap_in.h"
#include "../io/time.h"
#include "../trace/rank.h"
#include "../trace/sort.h"
#include <stdlib.h>

#define SKEW 1000000 /* ns that the clocks of host and device may differ */

/* Launches with a correlation, by (correlation, start, longest first): of nested calls the inner
 * one comes last. `split`: the same by (correlation, external id, process, start), for merged
 * ranks. */
struct index {
	struct tl_sort *plain, *split;
	size_t n;
};

static void sort_by(
	struct tl_overlap *o, struct tl_sort *s, size_t n, uint64_t (*key)(const struct launch *))
{
	for (size_t i = 0; i < n; i++)
		s[i].key = key(&o->launches[s[i].at]);
	tl_sort(s, n);
}

static uint64_t by_id(const struct launch *l)
{
	return l->id;
}

static uint64_t by_end(const struct launch *l)
{
	return ~tl_sort_time(l->end);
}

static uint64_t by_start(const struct launch *l)
{
	return tl_sort_time(l->ts);
}

static uint64_t by_process(const struct launch *l)
{
	return l->pid;
}

static uint64_t by_external(const struct launch *l)
{
	return l->ext;
}

static uint64_t by_key(const struct launch *l)
{
	return l->key;
}

static struct tl_sort *by_correlation(struct tl_overlap *o, size_t *n)
{
	struct tl_sort *s = tl_calloc(o->n_launches + 1, sizeof *s);
	*n = 0;
	for (size_t i = 0; i < o->n_launches; i++)
		if (o->launches[i].key)
			s[(*n)++].at = (uint32_t)i;
	sort_by(o, s, *n, by_id);
	sort_by(o, s, *n, by_end);
	sort_by(o, s, *n, by_start);
	sort_by(o, s, *n, by_key);
	return s;
}

static struct tl_sort *split_up(struct tl_overlap *o, const struct tl_sort *plain, size_t n)
{
	struct tl_sort *s = tl_calloc(n + 1, sizeof *s);
	memcpy(s, plain, n * sizeof *s);
	sort_by(o, s, n, by_start);
	sort_by(o, s, n, by_process);
	sort_by(o, s, n, by_external);
	sort_by(o, s, n, by_key);
	return s;
}

/* Ends of the runs of one correlation, and whether a run holds several processes. */
struct run {
	uint32_t from, to;
	bool mixed;
};

/* The first of s[0..n) for which (key, ext) is not below the one given. */
static size_t lower(
	const struct tl_overlap *o, const struct tl_sort *s, size_t n, uint64_t key, uint64_t ext)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct launch *l = &o->launches[s[mid].at];
		if (l->key < key || (l->key == key && l->ext < ext))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The latest of the calls s[from..to), by start, that starts no later than `limit`; else the first.
 */
static uint32_t latest(
	const struct tl_overlap *o, const struct tl_sort *s, size_t from, size_t to, int64_t limit)
{
	size_t lo = from + 1, hi = to;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (o->launches[s[mid].at].ts <= limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	return s[lo - 1].at;
}

static enum tl_rank rank_of(const struct tl_overlap *o, uint32_t launch, uint32_t op)
{
	uint32_t x = o->launches[launch].pid, y = o->rows[o->ops.iv[op].row].pid;
	if (x == y || y == NONE)
		return x == y ? TL_RANK_SAME : TL_RANK_UNKNOWN;
	return tl_rank_compare(tl_pool_text(o->pids_by, x), tl_pool_text(o->pids_by, y));
}

/* More calls of several processes than this are not told apart. */
#define MAX_SEVERAL 64

/* The latest of those calls of s[0..n), by start, whose pids say that they are of the op's rank. */
static uint32_t of_rank(
	const struct tl_overlap *o, const struct tl_sort *s, size_t n, uint32_t op, int64_t limit)
{
	struct tl_sort mine[MAX_SEVERAL];
	size_t k = 0;
	for (size_t i = 0; i < n && n <= MAX_SEVERAL; i++)
		if (rank_of(o, s[i].at, op) == TL_RANK_SAME)
			mine[k++] = s[i];
	for (size_t i = 1; i < k; i++)
		if (o->launches[mine[i].at].pid != o->launches[mine[0].at].pid)
			return NONE;
	return k ? latest(o, mine, 0, k, limit) : NONE;
}

/* Merged ranks: the calls with the op's external id if these are of one process, else (or if there
 * are none) those of its rank. */
static uint32_t among_ranks(const struct tl_overlap *o, const struct index *x, const struct run *r,
	uint32_t op, int64_t limit)
{
	uint64_t key = o->ops.key[op], ext = o->ops.ext[op];
	size_t from = lower(o, x->split, x->n, key, ext), to = lower(o, x->split, x->n, key, ext + 1);
	if (from == to)
		return of_rank(o, x->plain + r->from, r->to - r->from, op, limit);
	uint32_t first = o->launches[x->split[from].at].pid,
			 last = o->launches[x->split[to - 1].at].pid;
	if (ext && first == last)
		return latest(o, x->split, from, to, limit);
	return of_rank(o, x->split + from, to - from, op, limit);
}

static struct run *runs_of(
	const struct tl_overlap *o, const struct index *x, size_t *n, bool *mixed)
{
	struct run *runs = NULL;
	size_t cap = 0;
	*n = 0;
	for (size_t i = 0, j; i < x->n; i = j) {
		struct run r = {(uint32_t)i, 0, false};
		const struct launch *first = &o->launches[x->plain[i].at];
		for (j = i; j < x->n && x->plain[j].key == first->key; j++)
			r.mixed |= o->launches[x->plain[j].at].pid != first->pid;
		r.to = (uint32_t)j;
		*mixed |= r.mixed;
		TL_GROW(runs, *n, cap);
		runs[(*n)++] = r;
	}
	return runs;
}

static void link_by_correlation(struct tl_overlap *o)
{
	struct index x = {0};
	size_t n = 0;
	bool mixed = false;
	x.plain = by_correlation(o, &x.n);
	struct run *runs = runs_of(o, &x, &n, &mixed);
	if (mixed)
		x.split = split_up(o, x.plain, x.n);
	struct tl_intmap at = {0};
	tl_intmap_reserve(&at, n);
	for (size_t i = 0; i < n; i++)
		*tl_intmap_add(&at, (int64_t)x.plain[runs[i].from].key) = (uint32_t)i;
	for (uint32_t i = 0; i < o->ops.n; i++) {
		uint32_t *r = o->ops.key[i] ? tl_intmap_find(&at, (int64_t)o->ops.key[i]) : NULL;
		int64_t limit = tl_ns_add(o->ops.iv[i].ts, SKEW);
		if (!r)
			continue;
		const struct run *run = &runs[*r];
		uint32_t launch = run->mixed ? among_ranks(o, &x, run, i, limit)
									 : latest(o, x.plain, run->from, run->to, limit);
		if (launch != NONE && rank_of(o, launch, i) != TL_RANK_OTHER)
			o->ops.launch[i] = launch;
	}
	tl_intmap_free(&at);
	free(runs);
	free(x.plain);
	free(x.split);
}

static void link_by_tree(struct tl_overlap *o)
{
	struct tl_intmap at = {0};
	tl_intmap_reserve(&at, o->n_launches);
	for (size_t i = 0; i < o->n_launches; i++)
		*tl_intmap_add(&at, (int64_t)o->launches[i].id) = (uint32_t)i;
	for (uint32_t i = 0; i < o->ops.n; i++) {
		uint32_t *l = o->ops.flags[i] & OP_LAUNCHER ? tl_intmap_find(&at, (int64_t)o->ops.key[i])
													: NULL;
		o->ops.launch[i] = l ? *l : NONE;
	}
	tl_intmap_free(&at);
}

static void first_of_graphs(struct tl_overlap *o)
{
	for (uint32_t i = 0; i < o->ops.n; i++) {
		struct launch *l = o->ops.launch[i] == NONE ? NULL : &o->launches[o->ops.launch[i]];
		if (!l || !l->graph || !(o->ops.flags[i] & OP_TIMED))
			continue;
		const struct tl_interval *a = &o->ops.iv[i],
								 *b = l->first == NONE ? NULL : &o->ops.iv[l->first];
		if (!b || a->ts < b->ts || (a->ts == b->ts && o->ops.id[i] < o->ops.id[l->first]))
			l->first = i;
	}
}

void overlap_link(struct tl_overlap *o)
{
	o->ops.launch = tl_alloc(((size_t)o->ops.n + 1) * sizeof *o->ops.launch);
	memset(o->ops.launch, 0xff, o->ops.n * sizeof *o->ops.launch);
	if (o->tree)
		link_by_tree(o);
	else if (o->n_launches)
		link_by_correlation(o);
	first_of_graphs(o);
	free(o->ops.key);
	o->ops.key = NULL;
}
