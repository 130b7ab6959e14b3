/* `timeline` and `overlap` records. */
#include "inside.h"
#include "../json/json.h"
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
	tl_put_us(&o->w, "window_us", f->window);
	tl_put_us(&o->w, "busy_us", b->busy);
	tl_put_us(&o->w, "idle_us", idle);
	tl_put_share(&o->w, "idle_share", idle, f->window, 100);
	tl_put_us(&o->w, "compute_us", b->part[TL_PART_COMPUTE]);
	tl_put_us(&o->w, "comm_us", b->part[TL_PART_COMM]);
	tl_put_us(&o->w, "memcpy_us", b->part[TL_PART_MEMCPY]);
	tl_put_us(&o->w, "exposed_comm_us", b->exposed_comm);
	tl_put_us(&o->w, "exposed_memcpy_us", b->exposed_memcpy);
	tl_put_us(&o->w, "gpu_us", f->gpu);
	tl_put_us(&o->w, "same_stream_overlap_us", b->same_row);
	tl_put_u64(&o->w, "max_streams", b->max_rows);
	tl_put_u64(&o->w, "streams", f->rows);
}

static void write_device(struct tl_overlap *o, struct tl_stream *s, uint32_t at)
{
	const struct overlap_device *d = &o->devices[at];
	struct figures f = {.busy = &d->busy};
	if (d->from == d->to)
		return;
	measure(o, o->by_device + d->from, d->to - d->from, &f);
	overlap_begin(o, "timeline", at);
	add_figures(o, &f);
	if (o->opt->clip)
		tl_put_u64(&o->w, "clipped", d->clipped);
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
		tl_put_u64(&o->w, "clipped", clipped);
	overlap_end(o, s);
}

/* `step` is the number of a step, `span` the name of any other annotation. */
static void name_span(struct tl_overlap *o, const struct overlap_span *p)
{
	uint64_t number;
	if (p->step)
		tl_put_u64(&o->w, "step", p->step->number);
	else if (tl_step_form(tl_pool_text(o->texts, p->name), &number, NULL) == TL_STEP_PROFILER)
		tl_put_u64(&o->w, "step", number);
	else
		tl_put_string(&o->w, "span", tl_pool_text(o->texts, p->name));
}

/* What tells steps apart that have one number. */
static void add_step(struct tl_overlap *o, const struct tl_step *step)
{
	if (o->steps.several)
		overlap_json(o, "pid", tl_pool_text(o->t->pids, step->process));
	if (step->nested)
		tl_put_flag(&o->w, "nested", true);
}

static void write_part(struct tl_overlap *o, struct tl_stream *s, uint32_t device,
	const struct overlap_span *p, const uint32_t *order, size_t n)
{
	struct tl_busy busy;
	struct tl_point at;
	struct tl_walk walk = tl_walk_open(o->ops.iv, order, n);
	struct figures f = {.busy = &busy};
	if (device == NONE)
		tl_busy_open_pooled(&busy, o->row_active, o->lane_device, o->parts);
	else
		tl_busy_open(&busy, o->row_active);
	while (tl_walk_next(&walk, &at))
		tl_busy_point(&busy, &at, &o->ops.iv[at.at]);
	tl_walk_close(&walk);
	measure(o, order, n, &f);
	overlap_begin(o, "timeline", device);
	name_span(o, p);
	add_figures(o, &f);
	tl_put_u64(&o->w, "event", p->id);
	if (p->step)
		add_step(o, p->step);
	overlap_end(o, s);
}

/* Ops of the span order[0..n): by time; then its devices, which `by_device` lists one after
 * another. */
static void write_span(struct tl_overlap *o, struct tl_stream *s, const struct overlap_span *p,
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

/* Where the members of each op begin, which stand by op. */
static uint32_t *by_op(const struct tl_overlap *o)
{
	uint32_t *first = tl_calloc((size_t)o->ops.n + 2, sizeof *first);
	for (size_t i = 0; i < o->n_members; i++)
		first[o->members[i].op + 1]++;
	for (uint32_t i = 0; i < o->ops.n; i++)
		first[i + 1] += first[i];
	return first;
}

/* The ops of each span, in the order that `from` has; `ends` where each span's end. */
static uint32_t *by_span(
	const struct tl_overlap *o, const uint32_t *from, const uint32_t *first, uint32_t *ends)
{
	uint32_t *to = tl_calloc(o->n_members + 1, sizeof *to);
	memset(ends, 0, (o->n_spans + 1) * sizeof *ends);
	for (uint32_t i = 0; i < o->n_timed; i++)
		for (uint32_t k = first[from[i]]; k < first[from[i] + 1]; k++)
			ends[o->members[k].span + 1]++;
	for (size_t i = 0; i < o->n_spans; i++)
		ends[i + 1] += ends[i];
	for (uint32_t i = 0; i < o->n_timed; i++)
		for (uint32_t k = first[from[i]]; k < first[from[i] + 1]; k++)
			to[ends[o->members[k].span]++] = from[i];
	return to;
}

static void write_spans(struct tl_overlap *o, struct tl_stream *s)
{
	uint32_t *ends = tl_calloc(o->n_spans + 1, sizeof *ends), *first = by_op(o);
	uint32_t *order = by_span(o, o->order, first, ends);
	uint32_t *by_device = by_span(o, o->by_device, first, ends);
	for (size_t i = 0, from = 0; i < o->n_spans; from = ends[i++])
		if (ends[i] > from)
			write_span(o, s, &o->spans[i], order + from, by_device + from, ends[i] - from);
	free(order);
	free(by_device);
	free(first);
	free(ends);
}

void overlap_write_timelines(struct tl_overlap *o, struct tl_stream *s)
{
	for (uint32_t d = 0; d < o->n_devices; d++)
		write_device(o, s, d);
	write_pooled(o, s);
	if (o->n_members)
		write_spans(o, s);
}

/* ---- stages ---- */

void overlap_write_stages(struct tl_overlap *o, struct tl_stream *s)
{
	size_t stages = tl_pool_count(o->stages);
	for (uint32_t d = 0; d < o->n_devices; d++) {
		for (size_t i = 0; i < stages; i++) {
			const struct overlap_stage_time *t = &o->stage_times[d * stages + o->stage_order[i]];
			if (!t->used)
				continue;
			overlap_begin(o, "overlap", d);
			tl_put_string(&o->w, "stage", overlap_stage(o, (uint16_t)o->stage_order[i]));
			tl_put_us(&o->w, "busy_us", t->busy);
			tl_put_us(&o->w, "overlap_us", t->overlap);
			tl_put_u64(&o->w, "max_streams", t->max_rows);
			overlap_end(o, s);
		}
	}
}
