#include "apart.h"
#include <stdlib.h>

struct synth_apart_held {
	struct synth_op op;
	uint32_t before; /* place + 1 of the one of its operator that came before */
	bool taken;
};

struct synth_apart_due {
	uint64_t missing;
	int node; /* an open node; -1: the row */
	size_t row;
};

static void free_row(struct synth_apart_row *r)
{
	tl_buf_free(&r->texts);
	free(r->ops);
	if (!r->written)
		synth_row_free(&r->row);
}

void synth_apart_clear(struct synth_apart *a)
{
	for (size_t i = 0; i < a->n_rows; i++)
		free_row(&a->rows[i]);
	tl_intmap_free(&a->held_at);
	tl_intmap_free(&a->due_at);
	a->held_at = a->due_at = (struct tl_intmap){0};
	a->n_rows = a->n_held = a->n_due = 0;
}

void synth_apart_free(struct synth_apart *a)
{
	synth_apart_clear(a);
	free(a->rows);
	free(a->held);
	free(a->due);
}

void synth_apart_hold(struct synth_apart *a, uint64_t owner, const struct synth_op *op)
{
	uint32_t *last = tl_intmap_add(&a->held_at, (int64_t)owner);
	TL_GROW(a->held, a->n_held, a->held_cap);
	a->held[a->n_held++] = (struct synth_apart_held){*op, *last, false};
	*last = (uint32_t)a->n_held;
}

bool synth_apart_take(struct synth_apart *a, uint64_t owner, struct synth_op *op)
{
	uint32_t *last = tl_intmap_find(&a->held_at, (int64_t)owner);
	if (!last || *last == 0)
		return false;
	struct synth_apart_held *h = &a->held[*last - 1];
	*last = h->before;
	*op = h->op;
	return h->taken = true;
}

bool synth_apart_take_any(struct synth_apart *a, struct synth_op *op)
{
	while (a->n_held && a->held[a->n_held - 1].taken)
		a->n_held--;
	if (a->n_held == 0)
		return false;
	*op = a->held[--a->n_held].op;
	return true;
}

void synth_apart_expect(struct synth_apart *a, uint64_t owner, uint64_t missing, int node)
{
	TL_GROW(a->due, a->n_due, a->due_cap);
	a->due[a->n_due++] = (struct synth_apart_due){missing, node, 0};
	*tl_intmap_add(&a->due_at, (int64_t)owner) = (uint32_t)a->n_due;
}

static void add_op(struct synth_apart_row *r, const struct synth_op *op)
{
	TL_GROW(r->ops, r->n, r->cap);
	r->ops[r->n++] = *op;
}

bool synth_apart_arrive(
	struct synth_apart *a, uint64_t owner, const struct synth_op *op, int *node, size_t *row)
{
	uint32_t *at = tl_intmap_find(&a->due_at, (int64_t)owner);
	struct synth_apart_due *d = at && *at ? &a->due[*at - 1] : NULL;
	if (!d || d->missing == 0)
		return false;
	d->missing--;
	*node = d->node;
	*row = d->row;
	if (d->node >= 0)
		return true;
	a->rows[d->row].missing--;
	add_op(&a->rows[d->row], op);
	return true;
}

static struct tl_span keep(struct tl_buf *b, struct tl_span text)
{
	struct tl_span kept = {b->p + b->n, text.n};
	tl_buf_span(b, text);
	return kept;
}

static size_t length_of(const struct synth_row_event *e)
{
	size_t n = e->name.n + e->pid.n + e->tid.n + e->external_id.n + e->stack.n;
	for (int i = 0; i < SYNTH_INPUTS; i++)
		n += e->inputs[i].n;
	return n;
}

static void keep_event(struct synth_apart_row *r, const struct synth_row_event *e)
{
	r->event = *e;
	tl_buf_more(&r->texts, length_of(e) + 1); /* so that it does not move */
	r->event.name = keep(&r->texts, e->name);
	r->event.pid = keep(&r->texts, e->pid);
	r->event.tid = keep(&r->texts, e->tid);
	r->event.external_id = keep(&r->texts, e->external_id);
	r->event.stack = keep(&r->texts, e->stack);
	for (int i = 0; i < SYNTH_INPUTS; i++)
		r->event.inputs[i] = keep(&r->texts, e->inputs[i]);
}

struct synth_apart_row *synth_apart_wait(struct synth_apart *a, int node,
	const struct synth_row *row, const struct synth_row_event *e, const struct synth_op *ops,
	size_t n)
{
	TL_GROW(a->rows, a->n_rows, a->rows_cap);
	struct synth_apart_row *r = &a->rows[a->n_rows];
	*r = (struct synth_apart_row){.row = *row, .decider = -1};
	keep_event(r, e);
	for (size_t i = 0; i < n; i++)
		add_op(r, &ops[i]);
	for (size_t i = 0; i < a->n_due; i++) {
		if (a->due[i].node != node)
			continue;
		a->due[i].node = -1;
		a->due[i].row = a->n_rows;
		r->missing += a->due[i].missing;
	}
	a->n_rows++;
	return r;
}
