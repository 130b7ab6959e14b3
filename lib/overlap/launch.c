/* `launch` records, and the launch figures of kernel groups. */
#include "inside.h"
#include "../json/json.h"
#include "../base/base.h"
#include <stdlib.h>

/* ---- launches ---- */

/* Ops whose launch is in the trace, of a graph's ops the first one; in order of time. */
struct launched {
	uint32_t *op;
	int64_t *latency, *queue;
	size_t n;
};

static bool counts(const struct tl_overlap *o, uint32_t op)
{
	uint32_t launch = o->ops.launch[op];
	if (launch == NONE || !overlap_by_graph(o, launch))
		return launch != NONE;
	const uint32_t *first = tl_intmap_find(&o->first_of, (int64_t)launch);
	return first && *first == op + 1;
}

static struct launched collect(const struct tl_overlap *o)
{
	struct launched w = {0};
	size_t n = 0;
	for (uint32_t i = 0; i < o->n_timed; i++)
		n += counts(o, o->order[i]);
	w.op = tl_calloc(n + 1, sizeof *w.op);
	w.latency = tl_calloc(n + 1, sizeof *w.latency);
	w.queue = tl_calloc(n + 1, sizeof *w.queue);
	int64_t *busy_to = tl_calloc(o->n_rows + 1, sizeof *busy_to);
	for (size_t r = 0; r < o->n_rows; r++)
		busy_to[r] = INT64_MIN;
	for (uint32_t i = 0; i < o->n_timed; i++) {
		uint32_t op = o->order[i];
		const struct tl_interval *iv = &o->ops.iv[op];
		int64_t *row = &busy_to[iv->row];
		if (counts(o, op)) {
			uint32_t l = o->ops.launch[op];
			int64_t ready = o->t->end[l] > *row ? o->t->end[l] : *row;
			int64_t wait = tl_ns_sub(iv->ts, ready);
			w.op[w.n] = op;
			w.latency[w.n] = tl_ns_sub(iv->ts, o->t->ts[l]);
			w.queue[w.n++] = wait > 0 ? wait : 0;
		}
		*row = iv->end > *row ? iv->end : *row;
	}
	free(busy_to);
	return w;
}

/* a[0..n) sorted: the middle, or half way between the two in the middle, rounded away from zero. */
static int64_t median(const struct tl_sort *a, size_t n, const int64_t *of)
{
	__int128 sum = (__int128)of[a[(n - 1) / 2].at] + of[a[n / 2].at];
	return (int64_t)((sum + (sum > 0 ? 1 : sum < 0 ? -1 : 0)) / 2);
}

static struct tl_sort *sorted(const struct launched *w, const int64_t *value)
{
	struct tl_sort *a = tl_calloc(w->n + 1, sizeof *a);
	for (size_t i = 0; i < w->n; i++)
		a[i] = (struct tl_sort){.key = tl_sort_time(value[i]), .at = (uint32_t)i};
	tl_sort(a, w->n);
	return a;
}

struct overlap_launch_time {
	uint64_t n, shorts;
	int64_t latency, p95, queue, short_ns, saving;
};

/* Takes from `a`, sorted by value, the figures of all and of each device; then of each group. */
static void take_all(struct overlap_launch_time *t, const struct tl_sort *a, size_t n,
	const int64_t *value, bool latency)
{
	if (n == 0)
		return;
	t->n = n;
	if (latency) {
		t->latency = median(a, n, value);
		t->p95 = value[a[(n * 95 + 99) / 100 - 1].at];
	} else {
		t->queue = median(a, n, value);
	}
}

static size_t run_end(const struct tl_sort *a, size_t from, size_t n)
{
	size_t to = from;
	while (to < n && a[to].key == a[from].key)
		to++;
	return to;
}

static void take_devices(struct tl_overlap *o, const struct launched *w, struct tl_sort *a,
	const int64_t *value, struct overlap_launch_time *times, bool latency)
{
	for (size_t i = 0; i < w->n; i++)
		a[i].key = o->rows[o->ops.iv[w->op[a[i].at]].row].device;
	tl_sort(a, w->n);
	for (size_t i = 0, j; i < w->n; i = j) {
		j = run_end(a, i, w->n);
		take_all(&times[a[i].key], a + i, j - i, value, latency);
	}
}

static void take_groups(struct tl_overlap *o, const struct launched *w, struct tl_sort *a,
	const int64_t *value, bool latency)
{
	for (size_t i = 0; i < w->n; i++)
		a[i].key = o->cells[o->ops.cell[w->op[a[i].at]]].group;
	tl_sort(a, w->n);
	for (size_t i = 0, j; i < w->n; i = j) {
		j = run_end(a, i, w->n);
		struct overlap_group *g = &o->groups[a[i].key];
		int64_t m = median(a + i, j - i, value);
		g->has_launch = true;
		*(latency ? &g->latency : &g->queue) = m;
	}
}

static void take(struct tl_overlap *o, const struct launched *w, const int64_t *value,
	struct overlap_launch_time *times, bool latency)
{
	struct tl_sort *a = sorted(w, value);
	take_all(&times[o->n_devices], a, w->n, value, latency);
	take_devices(o, w, a, value, times, latency);
	take_groups(o, w, a, value, latency);
	free(a);
}

/* Gaps between consecutive short ops of a stream: what fusing them could save at most. */
static void take_shorts(const struct tl_overlap *o, struct overlap_launch_time *times)
{
	uint32_t *last = tl_alloc((o->n_rows + 1) * sizeof *last);
	memset(last, 0xff, o->n_rows * sizeof *last);
	for (uint32_t i = 0; i < o->n_timed; i++) {
		uint32_t op = o->order[i], row = o->ops.iv[op].row, before = last[row];
		bool is_short = overlap_dur(o, op) < o->opt->short_ns;
		last[row] = op;
		if (!is_short)
			continue;
		int64_t gap = 0;
		if (before != NONE && overlap_dur(o, before) < o->opt->short_ns)
			gap = tl_ns_sub(o->ops.iv[op].ts, o->ops.iv[before].end);
		struct overlap_launch_time *to[] = {&times[o->rows[row].device], &times[o->n_devices]};
		for (int k = 0; k < 2; k++) {
			to[k]->shorts++;
			to[k]->short_ns = tl_ns_add(to[k]->short_ns, overlap_dur(o, op));
			to[k]->saving = tl_ns_add(to[k]->saving, gap > 0 ? gap : 0);
		}
	}
	free(last);
}

static void write_launch(
	struct tl_overlap *o, struct tl_stream *s, uint32_t device, const struct overlap_launch_time *t)
{
	overlap_begin(o, "launch", device);
	tl_put_u64(&o->w, "launches", t->n);
	if (t->n) {
		tl_put_us(&o->w, "latency_us_median", t->latency);
		tl_put_us(&o->w, "latency_us_p95", t->p95);
		tl_put_us(&o->w, "queue_us_median", t->queue);
	}
	tl_put_u64(&o->w, "short", t->shorts);
	tl_put_us(&o->w, "short_us", t->short_ns);
	tl_put_us(&o->w, "short_saving_us", t->saving);
	overlap_end(o, s);
}

void overlap_launch_figures(struct tl_overlap *o)
{
	struct launched w = collect(o);
	o->launch_times = tl_calloc(o->n_devices + 1, sizeof *o->launch_times);
	take(o, &w, w.latency, o->launch_times, true);
	take(o, &w, w.queue, o->launch_times, false);
	take_shorts(o, o->launch_times);
	free(w.op);
	free(w.latency);
	free(w.queue);
}

void overlap_write_launches(struct tl_overlap *o, struct tl_stream *s)
{
	for (uint32_t d = 0; d < o->n_devices; d++)
		if (o->devices[d].from < o->devices[d].to)
			write_launch(o, s, d, &o->launch_times[d]);
	write_launch(o, s, NONE, &o->launch_times[o->n_devices]);
}
