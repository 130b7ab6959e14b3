/* Counters of a window (ph C events): environment samples, PM sampling, cycles of kernels. */
#include "inside.h"
#include "../json/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CYCLES "Cycles (Current Kernel)"

enum { ENV_SPEED = 1, ENV_TEMPERATURE, ENV_POWER, ENV_COOLING };

static const struct spec {
	const char *name;
	int64_t kind;
	bool high;
	bool whole;  /* all 64 bits */
	double unit; /* what 1 is in the sample */
} specs[] = {
	{"Power (W)", ENV_POWER, false, false, 1000},
	{"Temperature (C)", ENV_TEMPERATURE, false, true, 1},
	{"SM Clock (MHz)", ENV_SPEED, false, false, 1},
	{"Memory Clock (MHz)", ENV_SPEED, true, false, 1},
	{"Fan Speed (%)", ENV_COOLING, false, true, 1},
};

static double sample(const struct spec *s, uint64_t data)
{
	return (double)(s->whole ? data : s->high ? data >> 32 : data & 0xffffffff) / s->unit;
}

struct counters {
	struct window *w;
	struct tl_intmap active;      /* devices that did GPU work; empty: all count */
	struct window_numbers clocks; /* device -> SM clock, Hz (as integer bits of a double) */
};

static bool is_active(const struct counters *c, int64_t device)
{
	return !c->active.n || tl_intmap_find(&c->active, device);
}

static void find_active(struct counters *c)
{
	const struct window *w = c->w;
	for (int k = G_KERNEL; k <= G_MEMSET; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++)
			if (!i || w->gpu[k].rows[i].place != w->gpu[k].rows[i - 1].place)
				tl_intmap_add(&c->active, window_place_at(w, w->gpu[k].rows[i].place)->device);
}

/* ---- median clock */

struct clock {
	int64_t device;
	double hz;
};

static int by_clock(const void *a, const void *b)
{
	const struct clock *x = a, *y = b;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->hz < y->hz ? -1 : x->hz > y->hz;
}

static void put_median(struct counters *c, const struct clock *v, size_t n)
{
	double hz = n & 1 ? v[n / 2].hz : (v[n / 2 - 1].hz + v[n / 2].hz) / 2;
	int64_t bits;
	memcpy(&bits, &hz, sizeof bits);
	window_numbers_put(&c->clocks, v->device, bits, true);
}

static void find_clocks(struct counters *c)
{
	const struct window *w = c->w;
	struct clock *v = tl_calloc(w->nenv, sizeof *v);
	size_t n = 0;
	for (size_t i = 0; i < w->nenv; i++)
		if (w->env[i].kind == ENV_SPEED)
			v[n++] = (struct clock){w->env[i].device, (double)(w->env[i].data & 0xffffffff) * 1e6};
	if (n)
		qsort(v, n, sizeof *v, by_clock);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && v[j].device == v[i].device;)
			j++;
		put_median(c, v + i, j - i);
	}
	free(v);
}

static bool cycles_of(const struct counters *c, const struct window_gpu_row *r, double *cycles)
{
	int64_t bits;
	double hz;
	if (!window_numbers_get(&c->clocks, window_place_at(c->w, r->place)->device, &bits))
		return false;
	memcpy(&hz, &bits, sizeof hz);
	*cycles = (double)window_dur(r->start, r->end) / 1e9 * hz;
	return true;
}

/* ---- events */

static void put_device(struct window *w, int64_t device)
{
	tl_put_key(w->line, "pid");
	tl_buf_printf(&w->line->b, "\"GPU %lld Counters\"", (long long)device);
}

static void put_number(struct window *w, const char *key, double v)
{
	tl_put_key(w->line, key);
	tl_buf_exact(&w->line->b, v);
}

static void put_sample(struct counters *c, struct tl_span name, const char *from, int64_t device,
	int64_t start, double value, double shown)
{
	struct window *w = c->w;
	tl_frame_open(w->frame, w->next_id++, 'C');
	tl_put_string(w->line, "name", name);
	put_device(w, device);
	tl_frame_ts(w->frame, tl_ns_sub(start, w->base));
	tl_object(w->line, "args");
	put_number(w, "", shown);
	tl_object_end(w->line);
	tl_put_text(w->line, "from", tl_str(from));
	tl_put_i64(w->line, "start_ns", start);
	tl_object(w->line, "window");
	tl_put_i64(w->line, "device", device);
	put_number(w, "value", value);
	tl_object_end(w->line);
	tl_frame_close(w->frame);
}

/* Called for every sample in order of output. */
typedef void visit(struct counters *c, void *ctx, struct tl_span name, const char *from,
	int64_t device, int64_t start, double value);

static void each_environment(struct counters *c, visit *f, void *ctx)
{
	const struct window *w = c->w;
	for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
		for (size_t i = 0; i < w->nenv; i++)
			if (w->env[i].kind == specs[s].kind && is_active(c, w->env[i].device))
				f(c, ctx, tl_str(specs[s].name), "environment", w->env[i].device, w->env[i].start,
					sample(specs + s, w->env[i].data));
}

/* The label of a metric: a friendly name for the part before the first dot, and (%) for shares. */
static void metric_label(const struct window *w, struct tl_span metric, struct tl_buf *out)
{
	struct tl_span text;
	out->n = 0;
	struct tl_buf plain = {0};
	tl_json_text(metric, &plain);
	text = tl_buf_all(&plain);
	const char *dot = text.n ? memchr(text.p, '.', text.n) : NULL;
	struct tl_span base = {text.p, dot ? (size_t)(dot - text.p) : text.n};
	struct tl_span rest = {base.p + base.n, text.n - base.n};
	struct tl_span label = tl_cupti_metric(w->cupti, base);
	tl_buf_span(out, label.n ? label : text);
	if (label.n && tl_span_has_nocase(rest, TL_LIT("pct_of_peak")))
		tl_buf_lit(out, " (%)");
	tl_buf_free(&plain);
}

static void each_metric(struct counters *c, visit *f, void *ctx)
{
	const struct window *w = c->w;
	size_t n = tl_pool_count(w->metrics), *at = tl_calloc(n + 1, sizeof *at);
	uint32_t *order = tl_calloc(w->npm, sizeof *order);
	struct tl_buf label = {0};
	for (size_t i = 0; i < w->npm; i++)
		at[w->pm[i].metric + 1]++;
	for (size_t m = 0; m < n; m++)
		at[m + 1] += at[m];
	for (size_t i = 0; i < w->npm; i++)
		order[at[w->pm[i].metric]++] = (uint32_t)i;
	uint32_t last = UINT32_MAX;
	for (size_t i = 0; i < w->npm; i++) {
		const struct window_pm_row *r = w->pm + order[i];
		if (!is_active(c, r->device))
			continue;
		if (r->metric != last)
			metric_label(w, tl_pool_text(w->metrics, last = r->metric), &label);
		f(c, ctx, tl_buf_all(&label), "pm_sampling", r->device, r->start, r->value);
	}
	tl_buf_free(&label);
	free(order);
	free(at);
}

static void each_kernel(struct counters *c, visit *f, void *ctx)
{
	const struct window_gpu *g = c->w->gpu + G_KERNEL;
	double cycles;
	for (size_t i = 0; i < g->n && c->clocks.at.n; i++)
		if (cycles_of(c, g->rows + i, &cycles))
			f(c, ctx, TL_LIT(CYCLES), "cycles", window_place_at(c->w, g->rows[i].place)->device,
				g->rows[i].start, cycles);
}

static void each_sample(struct counters *c, visit *f, void *ctx)
{
	each_environment(c, f, ctx);
	each_metric(c, f, ctx);
	each_kernel(c, f, ctx);
}

static void see_device(struct counters *c, void *ctx, struct tl_span name, const char *from,
	int64_t device, int64_t start, double value)
{
	(void)c, (void)name, (void)from, (void)start, (void)value;
	window_numbers_put(ctx, device, device, false);
}

static void write_sample(struct counters *c, void *ctx, struct tl_span name, const char *from,
	int64_t device, int64_t start, double value)
{
	double shown = value;
	(void)ctx;
	if (strcmp(from, "cycles") == 0)
		shown = c->w->compat ? trunc(value) : round(value);
	put_sample(c, name, from, device, start, value, shown);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void write_order(struct counters *c, struct window_numbers *devices)
{
	struct window *w = c->w;
	if (devices->at.n)
		qsort(devices->v, devices->at.n, sizeof *devices->v, by_value);
	for (size_t i = 0; i < devices->at.n; i++) {
		tl_frame_open(w->frame, w->next_id++, 'M');
		tl_put_string(w->line, "name", TL_LIT("process_sort_index"));
		put_device(w, devices->v[i]);
		tl_put_i64(w->line, "tid", 0);
		tl_frame_ts(w->frame, 0);
		tl_object(w->line, "args");
		tl_put_i64(w->line, "sort_index", tl_ns_add(100, devices->v[i]));
		tl_object_end(w->line);
		tl_put_text(w->line, "from", TL_LIT("name"));
		tl_frame_close(w->frame);
	}
}

void window_write_counters(struct window *w)
{
	struct counters c = {.w = w};
	struct window_numbers devices = {0};
	if (!w->nenv && !w->npm)
		return;
	find_active(&c);
	find_clocks(&c);
	each_sample(&c, see_device, &devices);
	write_order(&c, &devices);
	each_sample(&c, write_sample, NULL);
	window_numbers_free(&devices);
	window_numbers_free(&c.clocks);
	tl_intmap_free(&c.active);
}
