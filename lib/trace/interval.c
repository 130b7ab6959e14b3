#include "interval.h"
#include "../base/base.h"
#include <stdlib.h>

/* ---- order ---- */

/* Intervals that start together: by end, then as they stand (by id). */
static void order_ties(struct tl_sort *s, size_t n, const struct tl_interval *iv)
{
	for (size_t i = 0, j; i < n; i = j) {
		uint64_t ts = s[i].key;
		for (j = i + 1; j < n && s[j].key == ts; j++)
			continue;
		if (j - i < 2)
			continue;
		for (size_t k = i; k < j; k++)
			s[k].key = tl_sort_time(iv[s[k].at].end);
		tl_sort(s + i, j - i);
	}
}

uint32_t *tl_interval_order(const struct tl_interval *iv, const uint64_t *ids, size_t n)
{
	struct tl_sort *s = tl_calloc(n ? n : 1, sizeof *s);
	for (size_t i = 0; i < n; i++)
		s[i] = (struct tl_sort){.key = ids[i], .at = (uint32_t)i};
	tl_sort(s, n);
	for (size_t i = 0; i < n; i++)
		s[i].key = tl_sort_time(iv[s[i].at].ts);
	tl_sort(s, n);
	order_ties(s, n, iv);
	uint32_t *order = tl_calloc(n ? n : 1, sizeof *order);
	for (size_t i = 0; i < n; i++)
		order[i] = s[i].at;
	free(s);
	return order;
}

/* ---- walk ---- */

struct tl_walk tl_walk_open(const struct tl_interval *iv, const uint32_t *order, size_t n)
{
	return (struct tl_walk){.iv = iv, .order = order, .n = n};
}

static int64_t end_of(const struct tl_walk *w, uint32_t pos)
{
	return w->iv[w->order[pos]].end;
}

static bool ends_before(const struct tl_walk *w, uint32_t a, uint32_t b)
{
	return end_of(w, a) < end_of(w, b);
}

static void push(struct tl_walk *w, uint32_t pos)
{
	TL_GROW(w->heap, w->active, w->cap);
	size_t i = w->active++;
	for (; i > 0 && ends_before(w, pos, w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = pos;
}

static uint32_t pop(struct tl_walk *w)
{
	uint32_t top = w->heap[0], last = w->heap[--w->active];
	size_t i = 0, child;
	while ((child = 2 * i + 1) < w->active) {
		if (child + 1 < w->active && ends_before(w, w->heap[child + 1], w->heap[child]))
			child++;
		if (!ends_before(w, w->heap[child], last))
			break;
		w->heap[i] = w->heap[child];
		i = child;
	}
	w->heap[i] = last;
	return top;
}

bool tl_walk_next(struct tl_walk *w, struct tl_point *p)
{
	while (w->next < w->n && w->iv[w->order[w->next]].ts == w->iv[w->order[w->next]].end)
		w->next++;
	if (w->next == w->n && w->active == 0)
		return false;
	const struct tl_interval *first = w->next < w->n ? &w->iv[w->order[w->next]] : NULL;
	p->start = w->active == 0 || (first && first->ts < end_of(w, w->heap[0]));
	int64_t t = p->start ? first->ts : end_of(w, w->heap[0]);
	/* Unsigned: from the lowest to the highest time the difference fits no int64_t. */
	uint64_t passed = w->active ? (uint64_t)t - (uint64_t)w->now : 0;
	p->passed = passed > INT64_MAX ? INT64_MAX : (int64_t)passed;
	w->now = t;
	if (p->start)
		push(w, p->pos = (uint32_t)w->next++);
	else
		p->pos = pop(w);
	p->at = w->order[p->pos];
	return true;
}

void tl_walk_close(struct tl_walk *w)
{
	free(w->heap);
	w->heap = NULL;
}

/* ---- busy ---- */

void tl_busy_open(struct tl_busy *b, uint32_t *row_active)
{
	*b = (struct tl_busy){.row_active = row_active};
}

void tl_busy_open_pooled(struct tl_busy *b, uint32_t *row_active, const uint32_t *device,
	uint32_t (*device_active)[TL_PARTS])
{
	tl_busy_open(b, row_active);
	b->device = device;
	b->device_active = device_active;
}

static void add(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

static int64_t times(int64_t ns, uint32_t n)
{
	int64_t r;
	return __builtin_mul_overflow(ns, (int64_t)n, &r) ? INT64_MAX : r;
}

static void advance(struct tl_busy *b, int64_t passed)
{
	add(&b->busy, passed);
	for (int i = 0; i < TL_PARTS; i++)
		if (b->part_active[i])
			add(&b->part[i], passed);
	if (b->exposing_comm)
		add(&b->exposed_comm, passed);
	if (b->exposing_memcpy)
		add(&b->exposed_memcpy, passed);
	if (b->rows_busy > 1)
		add(&b->several, passed);
	if (b->active > b->rows_busy)
		add(&b->same_row, times(passed, b->active - b->rows_busy));
	if (b->rows_busy > b->max_rows)
		b->max_rows = b->rows_busy;
}

/* What a device has exposed, in units of `by`: 1 or -1. */
static void expose(struct tl_busy *b, const uint32_t *active, uint32_t by)
{
	bool compute = active[TL_PART_COMPUTE], comm = active[TL_PART_COMM];
	b->exposing_comm += comm && !compute ? by : 0;
	b->exposing_memcpy += active[TL_PART_MEMCPY] && !comm && !compute ? by : 0;
}

void tl_busy_point(struct tl_busy *b, const struct tl_point *p, const struct tl_interval *iv)
{
	if (p->passed && b->active)
		advance(b, p->passed);
	uint32_t *active = b->device ? b->device_active[b->device[iv->row]] : b->part_active;
	uint32_t by = p->start ? 1 : -1u;
	expose(b, active, -1u);
	b->active += by;
	b->part_active[iv->part] += by;
	if (b->device)
		active[iv->part] += by;
	expose(b, active, 1);
	b->rows_busy += p->start && b->row_active[iv->row] == 0;
	b->row_active[iv->row] += by;
	b->rows_busy -= !p->start && b->row_active[iv->row] == 0;
}

/* ---- windows ---- */

static int by_start(const void *x, const void *y)
{
	const struct tl_period *a = x, *b = y;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static int by_time(const void *x, const void *y)
{
	const struct tl_probe *a = x, *b = y;
	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Open windows of a row: a list through `below`, the last started on top. Those that have ended are
 * taken off when they come to the top: below them lie only earlier starts. */
static uint32_t top_at(uint32_t *top, const uint32_t *below, const struct tl_period *w, int64_t t)
{
	while (*top != TL_PERIOD_NONE && w[*top].end <= t)
		*top = below[*top];
	return *top;
}

void tl_period_find(
	struct tl_period *w, size_t nw, struct tl_probe *probes, size_t np, uint32_t rows)
{
	if (np == 0)
		return;
	uint32_t *top = tl_calloc(rows ? rows : 1, sizeof *top);
	uint32_t *below = tl_calloc(nw ? nw : 1, sizeof *below);
	size_t next = 0;
	memset(top, 0xff, (rows ? rows : 1) * sizeof *top);
	if (nw)
		qsort(w, nw, sizeof *w, by_start);
	qsort(probes, np, sizeof *probes, by_time);
	for (size_t i = 0; i < np; i++) {
		for (; next < nw && w[next].ts <= probes[i].t; next++) {
			below[next] = top_at(&top[w[next].row], below, w, w[next].ts);
			top[w[next].row] = (uint32_t)next;
		}
		probes[i].found = top_at(&top[probes[i].row], below, w, probes[i].t);
	}
	free(below);
	free(top);
}
