/* Operations without Seq: the order of each rank is laid beside that of the rank with most of them,
 * where nothing contradicts and their ends are nearest to each other. */
#include "inside.h"
#include <stdlib.h>

#define MOST_SHIFT 64
#define FEW 3

struct part { /* of a rank, within the members of the group */
	const struct tl_sort *a;
	uint32_t n;
};

struct shift {
	int s; /* place here - place at the reference */
	uint32_t overlap, pairs;
	int64_t median, spread;
	bool natural; /* the shorter one lies within the longer one */
};

struct aligner {
	struct tl_collective *c;
	struct part ref;
	int64_t *d, *shorter; /* room for the reference's number */
	unsigned doubts;
};

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t collective_median(int64_t *v, size_t n)
{
	qsort(v, n, sizeof *v, by_time);
	return n ? v[(n - 1) / 2] : 0;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? tl_ns_sub(a, b) : tl_ns_sub(b, a);
}

int64_t collective_spread(int64_t *v, size_t n, int64_t median)
{
	for (size_t i = 0; i < n; i++)
		v[i] = distance(v[i], median);
	return collective_median(v, n);
}

/* ---- two operations ---- */

static bool kinds_agree(const struct collective_kind *a, const struct collective_kind *b)
{
	bool alltoall = (a->uneven || b->uneven) && (a->alltoall || a->uneven) &&
					(b->alltoall || b->uneven);
	return a->text == NONE || b->text == NONE || a->text == b->text || alltoall;
}

static bool counts_agree(uint64_t a, uint64_t b)
{
	return a == NO_COUNT || b == NO_COUNT || a == b;
}

unsigned collective_contradiction(
	struct tl_collective *c, const struct collective_shape *a, const struct collective_shape *b)
{
	const struct collective_kind *ka = &c->kinds[a->kind], *kb = &c->kinds[b->kind];
	unsigned wa = collective_width(c, a->dtype), wb = collective_width(c, b->dtype);
	unsigned found = kinds_agree(ka, kb) ? 0 : DIFFER_KIND;
	if (wa && wb ? wa != wb : a->dtype != b->dtype && a->dtype != NONE && b->dtype != NONE)
		found |= DIFFER_DTYPE;
	if (ka->same && kb->same && !(counts_agree(a->in, b->in) && counts_agree(a->out, b->out)))
		found |= DIFFER_ELEMENTS;
	return found;
}

static bool fit(struct tl_collective *c, uint32_t a, uint32_t b)
{
	if (c->ops[a].shape == c->ops[b].shape)
		return true;
	struct collective_shape x = collective_shape_at(c, a), y = collective_shape_at(c, b);
	return collective_contradiction(c, &x, &y) == 0;
}

static bool tells_clock(const struct tl_collective *c, uint32_t op)
{
	const struct collective_kind *k = collective_kind_at(c, op);
	return k->sync || k->text == NONE;
}

static int64_t shorter_of(const struct tl_collective *c, uint32_t a, uint32_t b)
{
	int64_t x = collective_dur(c, a), y = collective_dur(c, b);
	return x < y ? x : y;
}

/* ---- shifts ---- */

/* False where the shift contradicts a pair, or has too little in common. Leaves the differences of
 * ends in `d`, and the shorter durations. */
static bool try_shift(struct aligner *x, struct part p, int s, struct shift *sh)
{
	int64_t from = s < 0 ? -s : 0, to = (int64_t)p.n - s;
	uint32_t least = p.n < x->ref.n ? p.n : x->ref.n;
	if (to > x->ref.n)
		to = x->ref.n;
	if (to <= from || 2 * (to - from) < least)
		return false;
	*sh = (struct shift){.s = s, .overlap = (uint32_t)(to - from), .natural = to - from == least};
	for (int64_t i = from; i < to; i++) {
		uint32_t ref = x->ref.a[i].at, op = p.a[i + s].at;
		if (!fit(x->c, ref, op))
			return false;
		if (!tells_clock(x->c, ref) || !tells_clock(x->c, op))
			continue;
		x->d[sh->pairs] = tl_ns_sub(x->c->ops[op].end, x->c->ops[ref].end);
		x->shorter[sh->pairs++] = shorter_of(x->c, ref, op);
	}
	sh->median = collective_median(x->d, sh->pairs);
	sh->spread = collective_spread(x->d, sh->pairs, sh->median);
	return true;
}

static bool is_better(const struct shift *a, const struct shift *b)
{
	if (a->natural != b->natural)
		return a->natural;
	if (distance(a->median, 0) != distance(b->median, 0))
		return distance(a->median, 0) < distance(b->median, 0);
	return abs(a->s) != abs(b->s) ? abs(a->s) < abs(b->s) : a->s > b->s;
}

/* Of shifts with enough pairs: the best of those whose spread is near the least one. */
static const struct shift *best_shift(struct aligner *x, const struct shift *v, size_t n)
{
	const struct shift *best = NULL;
	int64_t least = INT64_MAX, limit;
	unsigned natural = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].pairs >= FEW && v[i].spread < least)
			least = v[i].spread;
	limit = tl_ns_add(tl_ns_add(least, least), x->c->set.near);
	for (size_t i = 0; i < n; i++) {
		if (v[i].pairs < FEW || v[i].spread > limit)
			continue;
		natural += v[i].natural;
		if (!best || is_better(&v[i], best))
			best = &v[i];
	}
	if (best && natural != 1)
		x->doubts |= DOUBT_SHIFT_UNSURE;
	return best;
}

/* With few pairs times tell nothing: none, else what has most in common. */
static const struct shift *only_shift(const struct shift *v, size_t n)
{
	const struct shift *best = NULL;
	for (size_t i = 0; i < n; i++)
		if (!best || v[i].s == 0 ||
			(best->s != 0 && (v[i].overlap > best->overlap ||
								 (v[i].overlap == best->overlap && abs(v[i].s) < abs(best->s)))))
			best = &v[i];
	return best;
}

static bool is_apart(struct aligner *x, struct part p, const struct shift *sh)
{
	struct shift again;
	int64_t limit = x->c->set.apart, middle;
	if (!try_shift(x, p, sh->s, &again))
		return true;
	middle = collective_median(x->shorter, again.pairs);
	return again.spread > (middle > limit ? middle : limit);
}

/* Of one pair: whether it is taken apart again, as an operation that was lost makes it. */
static bool pair_is_apart(struct aligner *x, uint32_t ref, uint32_t op, int64_t median)
{
	if (!tells_clock(x->c, ref) || !tells_clock(x->c, op))
		return false;
	int64_t d = tl_ns_sub(x->c->ops[op].end, x->c->ops[ref].end);
	int64_t limit = shorter_of(x->c, ref, op);
	return distance(d, median) > (limit > x->c->set.apart ? limit : x->c->set.apart);
}

/* ---- ranks ---- */

static const struct shift *choose(struct aligner *x, struct part p, struct shift *v, bool *few)
{
	size_t n = 0;
	for (int s = -MOST_SHIFT; s <= MOST_SHIFT; s++)
		n += try_shift(x, p, s, &v[n]);
	const struct shift *best = best_shift(x, v, n);
	*few = !best;
	if (!best && (best = only_shift(v, n)))
		x->doubts |= DOUBT_FEW;
	if (!best)
		x->doubts |= DOUBT_NO_MATCH;
	else if (!*few && is_apart(x, p, best)) {
		x->doubts |= DOUBT_ENDS_APART;
		best = NULL;
	}
	return best;
}

/* Keys of the rank's members, those without a slot left out; returns how many have one. */
static uint32_t align_rank(
	struct aligner *x, struct collective_group *g, struct part p, struct tl_sort *out)
{
	struct shift v[2 * MOST_SHIFT + 1];
	bool few;
	unsigned before = x->doubts;
	uint32_t n = 0;
	const struct shift *sh = choose(x, p, v, &few);
	if (!sh) {
		x->doubts = before | (x->doubts & (DOUBT_NO_MATCH | DOUBT_ENDS_APART));
		tl_buf_printf(&g->unmatched, "%s%lld", g->unmatched.n ? "," : "",
			(long long)x->c->ranks[p.a[0].more].rank);
		return 0;
	}
	if (sh->s != 0)
		x->doubts |= DOUBT_SHIFTED;
	for (uint32_t j = 0; j < p.n; j++) {
		int64_t i = (int64_t)j - sh->s;
		if (!few && i >= 0 && i < x->ref.n &&
			pair_is_apart(x, x->ref.a[i].at, p.a[j].at, sh->median)) {
			x->doubts |= DOUBT_ENDS_APART;
			continue;
		}
		out[n++] = (struct tl_sort){tl_sort_time(i), p.a[j].at, p.a[j].more};
	}
	return n;
}

static struct part part_at(const struct tl_sort *a, uint32_t from, uint32_t n)
{
	uint32_t end = from;
	while (end < n && a[end].more == a[from].more)
		end++;
	return (struct part){a + from, end - from};
}

static struct part longest(const struct tl_sort *a, uint32_t n)
{
	struct part best = {a, 0};
	for (uint32_t i = 0; i < n;) {
		struct part p = part_at(a, i, n);
		if (p.n > best.n)
			best = p;
		i += p.n;
	}
	return best;
}

uint32_t collective_align(
	struct tl_collective *c, struct collective_group *g, struct tl_sort *a, uint32_t n)
{
	struct aligner x = {.c = c, .ref = longest(a, n)};
	struct tl_sort *out = tl_alloc(((size_t)n + 1) * sizeof *out);
	uint32_t kept = 0;
	x.d = tl_alloc(((size_t)x.ref.n + 1) * sizeof *x.d);
	x.shorter = tl_alloc(((size_t)x.ref.n + 1) * sizeof *x.shorter);
	for (uint32_t i = 0; i < n;) {
		struct part p = part_at(a, i, n);
		i += p.n;
		if (p.a == x.ref.a)
			for (uint32_t k = 0; k < p.n; k++)
				out[kept++] = (struct tl_sort){tl_sort_time(k), p.a[k].at, p.a[k].more};
		else
			kept += align_rank(&x, g, p, out + kept);
	}
	g->doubts |= x.doubts;
	memcpy(a, out, kept * sizeof *a);
	free(out);
	free(x.d);
	free(x.shorter);
	tl_sort(a, kept);
	return kept;
}
