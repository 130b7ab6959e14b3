/* From kernels to operations: whose call launched them, and what is known of it. */
#include "trace.h"
#include <stdlib.h>

struct finder {
	struct tl_collective *c;
	struct tl_table *t;
	uint32_t *launcher;
	uint32_t *said;                           /* by row: which of `said`, or TL_NO_ROW */
	uint32_t *call_of;                        /* by row of a launch: the row of its call */
	uint32_t *note_of;                        /* and of its annotation */
	struct tl_intmap by_external, pending_of; /* External id, row of a call -> number + 1 */
};

static struct collective_said *said_at(const struct finder *f, uint32_t row)
{
	return row == TL_NO_ROW ? NULL : &f->c->trace->said[f->said[row]];
}

/* The innermost span of that sort around each launch. */
static uint32_t *around(const struct finder *f, enum collective_what is, const bool *wanted)
{
	struct tl_rows spans = {0}, points = {0};
	uint32_t *of = tl_no_rows(f->t->n);
	for (uint32_t k = 0; k < f->t->n; k++) {
		uint32_t row = tl_table_at(f->t, k);
		if (wanted[row])
			tl_rows_add(&points, 0, row);
		if (f->said[row] != TL_NO_ROW && said_at(f, row)->is == is &&
			(f->t->flags[row] & TL_ROW_SPAN))
			tl_rows_add(&spans, 0, row);
	}
	if (spans.n && points.n) {
		tl_bind(f->t, spans.a, spans.n, points.a, points.n);
		for (size_t i = 0; i < points.n; i++)
			of[points.a[i].at] = points.a[i].more;
	}
	free(spans.a);
	free(points.a);
	return of;
}

static void open(struct finder *f)
{
	const struct collective_trace *t = f->c->trace;
	bool *wanted = tl_calloc((size_t)f->t->n + 1, sizeof *wanted);
	f->said = tl_no_rows(f->t->n);
	for (uint32_t i = 0; i < t->n_said; i++) {
		uint32_t row = t->said[i].row, l = f->launcher[row];
		f->said[row] = i;
		if (t->said[i].is == IS_KERNEL && l != TL_NO_ROW && (f->t->flags[l] & TL_ROW_TS))
			wanted[l] = true;
		if (t->said[i].is == IS_CALL && f->t->key2[row]) {
			uint32_t *at = tl_intmap_add(&f->by_external, (int64_t)f->t->key2[row]);
			*at = *at ? NONE : row + 1; /* an id of several calls says nothing */
		}
	}
	f->call_of = around(f, IS_CALL, wanted);
	f->note_of = around(f, IS_NOTE, wanted);
	free(wanted);
}

static void close(struct finder *f)
{
	free(f->launcher);
	free(f->said);
	free(f->call_of);
	free(f->note_of);
	tl_intmap_free(&f->by_external);
	tl_intmap_free(&f->pending_of);
}

/* A graph's launch lies in no call of its kernels: these were made when it was captured. */
static uint32_t call_of(const struct finder *f, uint32_t row)
{
	uint32_t l = f->launcher[row];
	if (f->t->flags[row] & TL_ROW_GRAPH)
		return TL_NO_ROW;
	if (l != TL_NO_ROW)
		return f->call_of[l];
	const uint32_t *at = f->t->key2[row] ? tl_intmap_find(&f->by_external, (int64_t)f->t->key2[row])
										 : NULL;
	return at && *at != NONE ? *at - 1 : TL_NO_ROW;
}

/* What the one does not say, the other does: the group, and the place in its order. */
static void add_group(struct collective_meta *m, const struct collective_meta *more)
{
	if (m->pg == NONE && m->list == NONE) {
		m->pg = more->pg;
		m->list = more->list;
		m->desc = more->desc;
	}
	if (m->size < 0)
		m->size = more->size;
	if (m->seq == NO_SEQ)
		m->seq = more->seq;
}

static void describe(struct finder *f, struct collective_pending *p, uint32_t row, uint32_t call)
{
	const struct collective_said *kernel = said_at(f, row), *launch = said_at(f, call);
	uint32_t l = f->launcher[row];
	bool graph = f->t->flags[row] & TL_ROW_GRAPH;
	const struct collective_said *note = said_at(
		f, l == TL_NO_ROW || graph ? TL_NO_ROW : f->note_of[l]);
	p->shape.from = FROM_NAME;
	p->meta = kernel->meta;
	if (kernel->meta.name != NONE) {
		p->shape.from = FROM_KERNEL;
	} else if (launch && launch->meta.name != NONE) {
		p->shape.from = FROM_LAUNCH;
		p->meta = launch->meta;
	} else if (note) {
		p->shape.from = FROM_ANNOTATION;
		p->meta = note->meta;
	}
	add_group(&p->meta, &kernel->meta);
	if (launch)
		add_group(&p->meta, &launch->meta);
	if (p->shape.from != FROM_NAME) {
		p->shape.kind = collective_kind_of(f->c, p->meta.name);
		return;
	}
	struct tl_buf plain = {0};
	tl_json_text(tl_table_name(f->t, row), &plain);
	p->shape.kind = collective_kind_of_kernel(f->c, tl_buf_all(&plain));
	tl_buf_free(&plain);
}

static void add_kernel(struct finder *f, uint32_t row)
{
	const struct collective_said *kernel = said_at(f, row);
	uint32_t call = call_of(f, row);
	uint32_t *at = call == TL_NO_ROW ? NULL : tl_intmap_add(&f->pending_of, call);
	if (at && *at) {
		struct collective_op *op = &f->c->trace->pending[*at - 1].op;
		op->kernels++;
		if (f->t->end[row] > op->end)
			op->end = f->t->end[row];
		op->exposed = op->exposed == NO_TIME || kernel->exposed == NO_TIME
						  ? NO_TIME
						  : tl_ns_add(op->exposed, kernel->exposed);
		return;
	}
	struct collective_pending *p = collective_add_pending(f->c);
	if (at)
		*at = (uint32_t)f->c->trace->n_pending;
	describe(f, p, row, call);
	p->op = (struct collective_op){.ts = f->t->ts[row],
		.end = f->t->end[row],
		.event = f->t->id[row],
		.seq = p->meta.seq,
		.exposed = kernel->exposed,
		.kernels = 1,
		.lane = collective_lane(f->c, row),
		.graph = f->t->flags[row] & TL_ROW_GRAPH};
}

/* Marks what is not of the step, or of the annotation, that was asked for. */
static void leave_out(struct finder *f)
{
	const struct tl_collective_options *opt = f->c->opt;
	if (opt->in) {
		tl_clamp_frames(f->t);
		struct tl_tree *tree = tl_tree_build(f->t, tl_link_anew(f->t));
		tl_within(tree, tl_str(opt->in));
		tl_tree_free(tree);
	}
	if (!opt->by_step)
		return;
	struct tl_steps steps = tl_steps_find(f->t, f->launcher);
	for (uint32_t row = 0; row < f->t->n; row++)
		if (steps.n == 0 || steps.of[row] == TL_NO_ROW ||
			steps.a[steps.of[row]].number != opt->step)
			f->t->flags[row] |= TL_ROW_LEFT_OUT;
	tl_steps_free(&steps);
}

void collective_find(struct tl_collective *c)
{
	struct collective_trace *t = c->trace;
	struct finder f = {.c = c, .t = t->t};
	struct tl_rows kernels = {0};
	tl_table_finish(t->t);
	f.launcher = tl_link(t->t);
	open(&f);
	leave_out(&f);
	for (uint32_t k = 0; k < t->t->n; k++) {
		uint32_t row = tl_table_at(t->t, k);
		if (f.said[row] != TL_NO_ROW && said_at(&f, row)->is == IS_KERNEL &&
			tl_table_is_gpu_op(t->t, row) && (t->t->flags[row] & TL_ROW_TS) &&
			!(t->t->flags[row] & TL_ROW_LEFT_OUT))
			tl_rows_add(&kernels, tl_sort_time(t->t->ts[row]), row);
	}
	tl_sort(kernels.a, kernels.n);
	for (size_t i = 0; i < kernels.n; i++)
		add_kernel(&f, kernels.a[i].at);
	free(kernels.a);
	close(&f);
}
