/* `timeline` and `overlap` records. */
#include "overlap_in.h"
#include "../io/json.h"
#include "../io/time.h"
#include <stdlib.h>

/* ---- timeline ---- */

static uint32_t count_rows(const struct tl_overlap *o, const uint32_t *order, size_t n)
{
	uint32_t rows = 0;
	for (size_t i = 0; i < n; i++)
		rows += o->row_active[o->ops.iv[order[i]].row]++ == 0;
	for (size_t i = 0; i < n; i++)
		o->row_active[o->ops.iv[order[i]].row] = 0;
	return rows;
}

struct figures {
	const struct tl_busy *busy;
	int64_t window, gpu;
	uint32_t rows;
};

static void measure(const struct tl_overlap *o, const uint32_t *order, size_t n, struct figures *f)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	f->gpu = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tl_interval *iv = &o->ops.iv[order[i]];
		first = iv->ts < first ? iv->ts : first;
		last = iv->end > last ? iv->end : last;
		f->gpu = tl_ns_add(f->gpu, iv->end - iv->ts);
	}
	f->window = tl_ns_sub(last, first);
	f->rows = count_rows(o, order, n);
}

static void add_figures(struct tl_overlap *o, const struct figures *f)
{
	const struct tl_busy *b = f->busy;
	int64_t idle = tl_ns_sub(f->window, b->busy);
	overlap_us(o, "window_us", f->window);
	overlap_us(o, "busy_us", b->busy);
	overlap_us(o, "idle_us", idle);
	overlap_share(o, "idle_share", idle, f->window, 100);
	overlap_us(o, "compute_us", b->part[TL_PART_COMPUTE]);
	overlap_us(o, "comm_us", b->part[TL_PART_COMM]);
	overlap_us(o, "memcpy_us", b->part[TL_PART_MEMCPY]);
	overlap_us(o, "exposed_comm_us", b->exposed_comm);
	overlap_us(o, "exposed_memcpy_us", b->exposed_memcpy);
	overlap_us(o, "gpu_us", f->gpu);
	overlap_us(o, "same_stream_overlap_us", b->same_row);
	overlap_count(o, "max_streams", b->max_rows);
	overlap_count(o, "streams", f->rows);
}

static void write_device(struct tl_overlap *o, struct tl_stream *s, uint32_t at)
{
	const struct device *d = &o->devices[at];
	struct figures f = {.busy = &d->busy};
	if (d->from == d->to)
		return;
	measure(o, o->by_device + d->from, d->to - d->from, &f);
	overlap_begin(o, "timeline", at);
	add_figures(o, &f);
	if (o->opt->clip)
		overlap_count(o, "clipped", d->clipped);
	overlap_end(o, s);
}

static void write_pooled(struct tl_overlap *o, struct tl_stream *s)
{
	struct figures f = {.busy = &o->all};
	uint64_t clipped = 0;
	measure(o, o->order, o->n_timed, &f);
	overlap_begin(o, "timeline", NONE);
	add_figures(o, &f);
	for (size_t d = 0; d < o->n_devices; d++)
		clipped += o->devices[d].clipped;
	if (o->opt->clip)
		overlap_count(o, "clipped", clipped);
	overlap_end(o, s);
}

/* `step` is the number of a ProfilerStep, `span` the name of any other annotation. */
static void name_span(struct tl_overlap *o, const struct span *p)
{
	static const struct tl_span steps = TL_LIT("ProfilerStep#");
	struct tl_span name = tl_pool_text(o->texts, p->name);
	uint64_t step;
	if (name.n > steps.n && memcmp(name.p, steps.p, steps.n) == 0 &&
		tl_json_u64((struct tl_span){name.p + steps.n, name.n - steps.n}, &step))
		overlap_count(o, "step", step);
	else
		overlap_string(o, "span", name);
}

static void write_part(struct tl_overlap *o, struct tl_stream *s, uint32_t device,
	const struct span *p, const uint32_t *order, size_t n)
{
	struct tl_busy busy;
	struct tl_point at;
	struct tl_walk walk = tl_walk_open(o->ops.iv, order, n);
	struct figures f = {.busy = &busy};
	tl_busy_open(&busy, o->row_active);
	while (tl_walk_next(&walk, &at))
		tl_busy_point(&busy, &at, &o->ops.iv[at.at]);
	tl_walk_close(&walk);
	measure(o, order, n, &f);
	overlap_begin(o, "timeline", device);
	name_span(o, p);
	add_figures(o, &f);
	overlap_count(o, "event", p->id);
	overlap_end(o, s);
}

/* Ops of the span order[0..n): by time; then its devices, which `by_device` lists one after
 * another. */
static void write_span(struct tl_overlap *o, struct tl_stream *s, const struct span *p,
	const uint32_t *order, const uint32_t *by_device, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		uint32_t device = o->rows[o->ops.iv[by_device[i]].row].device;
		for (j = i; j < n && o->rows[o->ops.iv[by_device[j]].row].device == device; j++)
			continue;
		write_part(o, s, device, p, by_device + i, j - i);
	}
	write_part(o, s, NONE, p, order, n);
}

/* The ops of each span, in the order that `from` has. */
static uint32_t *by_span(const struct tl_overlap *o, const uint32_t *from, uint32_t *ends)
{
	uint32_t *to = tl_calloc((size_t)o->n_timed + 1, sizeof *to);
	memset(ends, 0, (o->n_spans + 1) * sizeof *ends);
	for (uint32_t i = 0; i < o->n_timed; i++)
		if (o->ops.span[from[i]] != NONE)
			ends[o->ops.span[from[i]] + 1]++;
	for (size_t i = 0; i < o->n_spans; i++)
		ends[i + 1] += ends[i];
	for (uint32_t i = 0; i < o->n_timed; i++)
		if (o->ops.span[from[i]] != NONE)
			to[ends[o->ops.span[from[i]]]++] = from[i];
	return to;
}

static void write_spans(struct tl_overlap *o, struct tl_stream *s)
{
	uint32_t *ends = tl_calloc(o->n_spans + 1, sizeof *ends);
	uint32_t *order = by_span(o, o->order, ends), *by_device = by_span(o, o->by_device, ends);
	for (size_t i = 0, from = 0; i < o->n_spans; from = ends[i++])
		if (ends[i] > from)
			write_span(o, s, &o->spans[i], order + from, by_device + from, ends[i] - from);
	free(order);
	free(by_device);
	free(ends);
}

void overlap_write_timelines(struct tl_overlap *o, struct tl_stream *s)
{
	for (uint32_t d = 0; d < o->n_devices; d++)
		write_device(o, s, d);
	write_pooled(o, s);
	if (o->ops.span)
		write_spans(o, s);
}

/* ---- stages ---- */

void overlap_write_stages(struct tl_overlap *o, struct tl_stream *s)
{
	size_t stages = tl_pool_count(o->stages);
	for (uint32_t d = 0; d < o->n_devices; d++) {
		for (size_t i = 0; i < stages; i++) {
			const struct stage_time *t = &o->stage_times[d * stages + o->stage_order[i]];
			if (!t->used)
				continue;
			overlap_begin(o, "overlap", d);
			overlap_string(o, "stage", overlap_stage(o, (uint16_t)o->stage_order[i]));
			overlap_us(o, "busy_us", t->busy);
			overlap_us(o, "overlap_us", t->overlap);
			overlap_count(o, "max_streams", t->max_rows);
			overlap_end(o, s);
		}
	}
}
