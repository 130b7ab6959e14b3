/* The spans of --by-step and --by: what they are, and which ops are theirs. */
#include "inside.h"
#include <stdlib.h>

static void add_member(struct tl_overlap *o, uint32_t span, uint32_t op)
{
	TL_GROW(o->members, o->n_members, o->members_cap);
	o->members[o->n_members++] = (struct overlap_member){span, op};
}

static uint32_t add_span(
	struct tl_overlap *o, uint32_t name, uint64_t id, const struct tl_step *step)
{
	TL_GROW(o->spans, o->n_spans, o->spans_cap);
	o->spans[o->n_spans] = (struct overlap_span){name, id, step};
	return (uint32_t)o->n_spans++;
}

/* ---- steps (step.h says whose an op is) ---- */

static void add_steps(struct tl_overlap *o)
{
	const struct tl_steps *s = &o->steps;
	uint32_t *op_of = tl_calloc((size_t)o->t->n + 1, sizeof *op_of);
	for (size_t i = 0; i < s->n; i++)
		add_span(o, s->a[i].name, o->t->id[s->a[i].row], &s->a[i]);
	for (uint32_t i = 0; i < o->ops.n; i++) {
		uint32_t step = s->of[o->ops.row[i]];
		op_of[o->ops.row[i]] = i;
		if (step != NONE)
			add_member(o, step, i);
	}
	for (size_t k = 0; k < s->nested.n; k++)
		add_member(o, (uint32_t)s->nested.a[k].key, op_of[s->nested.a[k].at]);
	free(op_of);
}

/* ---- annotations and operators of a name ---- */

static uint32_t span_of(const struct overlap_note *n)
{
	return n->span;
}

/* The span of the key in o->buf; a new one for `n` when there is none. */
static uint32_t span_by_key(struct tl_overlap *o, const struct overlap_note *n)
{
	uint32_t known = tl_pool_count(o->spans_by);
	uint32_t at = tl_pool_add(o->spans_by, tl_buf_all(&o->buf));
	if (at == known) {
		TL_GROW(o->span_of, at, o->span_of_cap);
		o->span_of[at] = add_span(o, n->name, n->id, NULL);
	}
	return o->span_of[at];
}

/* A host span and its projections share name and external id; without one, the k-th of a name on a
 * thread and the k-th of it on a stream are taken for the same. */
static void key_of(struct tl_overlap *o, const struct overlap_note *n, struct tl_intmap *count)
{
	o->buf.n = 0;
	tl_buf_add(&o->buf, &n->name, sizeof n->name);
	if (n->ext) {
		tl_buf_printf(&o->buf, "x%llu", (unsigned long long)n->ext);
		return;
	}
	uint64_t row = (uint64_t)n->row << 1 | n->gpu;
	uint32_t *k = tl_intmap_add(count, (int64_t)(row << 31 ^ tl_mix(n->name)));
	tl_buf_printf(&o->buf, "n%u", (*k)++);
}

static int by_time(const void *x, const void *y)
{
	const struct overlap_note *a = x, *b = y;
	if (a->gpu != b->gpu)
		return a->gpu ? 1 : -1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void add_named(struct tl_overlap *o)
{
	struct tl_intmap count = {0};
	uint32_t *span = tl_no_rows(o->ops.n);
	if (o->n_notes)
		qsort(o->notes, o->n_notes, sizeof *o->notes, by_time);
	for (size_t i = 0; i < o->n_notes; i++) {
		struct overlap_note *n = &o->notes[i];
		if (!tl_glob(tl_str(o->opt->by), tl_pool_text(o->texts, n->name)))
			continue;
		key_of(o, n, &count);
		n->span = span_by_key(o, n);
	}
	for (enum overlap_by by = BY_THREAD; by <= BY_DEVICE; by++)
		overlap_look(o, by, span_of, span);
	for (uint32_t i = 0; i < o->ops.n; i++)
		if (span[i] != NONE)
			add_member(o, span[i], i);
	tl_intmap_free(&count);
	free(span);
}

static int by_op(const void *x, const void *y)
{
	const struct overlap_member *a = x, *b = y;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return a->span < b->span ? -1 : a->span > b->span;
}

void overlap_spans(struct tl_overlap *o)
{
	if (o->opt->by_step)
		add_steps(o);
	if (o->opt->by)
		add_named(o);
	if (o->n_members)
		qsort(o->members, o->n_members, sizeof *o->members, by_op);
}
