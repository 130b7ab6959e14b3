/* `gap` and `lane` records: where a device is idle, and a picture of its streams. */
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

/* ---- gaps ---- */

struct gap {
	int64_t ts, dur;
	uint32_t before, after;
};

static int by_length(const void *x, const void *y)
{
	const struct gap *a = x, *b = y;
	if (a->dur != b->dur)
		return a->dur > b->dur ? -1 : 1;
	return a->ts < b->ts ? -1 : a->ts > b->ts;
}

/* The longest ones are kept: when twice as many have come, the shorter half goes. */
struct gaps {
	struct gap *v;
	size_t n, cap, most;
};

static void keep_longest(struct gaps *g)
{
	if (g->n)
		qsort(g->v, g->n, sizeof *g->v, by_length);
	g->n = g->n < g->most ? g->n : g->most;
}

static void add_gap(struct gaps *g, struct gap x)
{
	if (g->n >= g->most && g->n - g->most >= g->most)
		keep_longest(g);
	TL_GROW(g->v, g->n, g->cap);
	g->v[g->n++] = x;
}

static const char *cause_of(const struct tl_overlap *o, const struct gap *g)
{
	uint32_t launch = o->ops.launch[g->after];
	if (launch == NONE)
		return NULL;
	return o->t->ts[launch] > g->ts ? "host" : o->t->end[launch] <= g->ts ? "device" : "both";
}

static void write_gap(
	struct tl_overlap *o, struct tl_stream *s, uint32_t device, const struct gap *g)
{
	const char *cause = cause_of(o, g);
	overlap_begin(o, "gap", device);
	tl_put_us(&o->w, "ts", g->ts);
	tl_put_us(&o->w, "dur", g->dur);
	tl_put_u64(&o->w, "before", o->ops.id[g->before]);
	tl_put_u64(&o->w, "after", o->ops.id[g->after]);
	if (cause)
		tl_put_string(&o->w, "cause", tl_str(cause));
	tl_put_string(&o->w, "before_name", overlap_name(o, g->before));
	tl_put_string(&o->w, "after_name", overlap_name(o, g->after));
	overlap_end(o, s);
}

static void write_device_gaps(struct tl_overlap *o, struct tl_stream *s, uint32_t at)
{
	const struct overlap_device *d = &o->devices[at];
	struct gaps g = {.most = o->opt->gaps};
	uint32_t last = NONE;
	for (uint32_t i = d->from; i < d->to; i++) {
		uint32_t op = o->by_device[i];
		const struct tl_interval *iv = &o->ops.iv[op];
		int64_t busy_to = last == NONE ? iv->ts : o->ops.iv[last].end;
		if (iv->ts > busy_to)
			add_gap(&g, (struct gap){busy_to, tl_ns_sub(iv->ts, busy_to), last, op});
		if (last == NONE || iv->end > busy_to)
			last = op;
	}
	keep_longest(&g);
	for (size_t i = 0; i < g.n; i++)
		write_gap(o, s, at, &g.v[i]);
	free(g.v);
}

void overlap_write_gaps(struct tl_overlap *o, struct tl_stream *s)
{
	for (uint32_t d = 0; d < o->n_devices && o->opt->gaps; d++)
		write_device_gaps(o, s, d);
}

/* ---- lanes ---- */

/* Where bin i of n begins, ns from the start of the window. */
static int64_t edge(int64_t window, uint64_t i, uint64_t n)
{
	return (int64_t)((__int128)window * (__int128)i / (__int128)n);
}

static void fill(int64_t *bins, int64_t from, int64_t to, int64_t window, uint64_t n)
{
	uint64_t i = (uint64_t)((__int128)from * (__int128)n / window);
	while (i + 1 < n && edge(window, i + 1, n) <= from)
		i++;
	for (; from < to && i < n; i++) {
		int64_t stop = edge(window, i + 1, n);
		stop = stop < to ? stop : to;
		bins[i] += stop - from;
		from = stop;
	}
}

static void add_stream(struct tl_overlap *o, uint32_t row)
{
	const struct tl_lane *lane = &o->rows[row];
	overlap_json(o, "stream", lane->by_tid ? TL_LIT("null") : lane->stream);
	if (lane->by_tid)
		overlap_json(o, "tid", lane->stream);
}

static void write_lane(
	struct tl_overlap *o, struct tl_stream *s, uint32_t row, const int64_t *bins, int64_t window)
{
	uint64_t n = o->opt->lanes;
	overlap_begin(o, "lane", o->rows[row].device);
	add_stream(o, row);
	tl_list(&o->w, "bins");
	for (uint64_t i = 0; i < n; i++) {
		int64_t width = edge(window, i + 1, n) - edge(window, i, n);
		tl_put_num(&o->w, NULL, width ? (double)bins[i] / (double)width : 0, 4);
	}
	tl_list_end(&o->w);
	if (o->rows[row].ambiguous)
		overlap_json(o, "context", o->rows[row].context);
	overlap_end(o, s);
}

/* A device's ops, one stream after the other, each by time. */
static uint32_t *by_row(const struct tl_overlap *o, const struct overlap_device *d)
{
	uint32_t *next = tl_calloc((size_t)d->rows + 1, sizeof *next);
	uint32_t *to = tl_calloc((size_t)(d->to - d->from) + 1, sizeof *to);
	for (uint32_t i = d->from; i < d->to; i++)
		next[o->ops.iv[o->by_device[i]].row - d->row_base + 1]++;
	for (uint32_t r = 0; r < d->rows; r++)
		next[r + 1] += next[r];
	for (uint32_t i = d->from; i < d->to; i++)
		to[next[o->ops.iv[o->by_device[i]].row - d->row_base]++] = o->by_device[i];
	free(next);
	return to;
}

static void write_device_lanes(
	struct tl_overlap *o, struct tl_stream *s, const struct overlap_device *d, int64_t *bins)
{
	int64_t window = tl_ns_sub(d->last, d->first), busy_to = 0;
	uint32_t n = d->to - d->from, *op = by_row(o, d);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_interval *iv = &o->ops.iv[op[i]];
		int64_t from = tl_ns_sub(iv->ts, d->first), to = tl_ns_sub(iv->end, d->first);
		from = from > busy_to ? from : busy_to;
		if (to > from) {
			fill(bins, from, to, window, o->opt->lanes);
			busy_to = to;
		}
		if (i + 1 == n || o->ops.iv[op[i + 1]].row != iv->row) {
			write_lane(o, s, iv->row, bins, window);
			memset(bins, 0, o->opt->lanes * sizeof *bins);
			busy_to = 0;
		}
	}
	free(op);
}

void overlap_write_lanes(struct tl_overlap *o, struct tl_stream *s)
{
	if (o->opt->lanes == 0)
		return;
	int64_t *bins = tl_calloc(o->opt->lanes, sizeof *bins);
	for (size_t i = 0; i < o->n_devices; i++) {
		const struct overlap_device *d = &o->devices[i];
		if (d->from < d->to && d->last > d->first)
			write_device_lanes(o, s, d, bins);
	}
	free(bins);
}
