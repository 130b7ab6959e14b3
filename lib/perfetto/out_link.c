/* Arrows of a Perfetto trace: from a launch to the render stages that it launched, and flows
 * between slices. */
#include "../json/json.h"
#include "out_inside.h"
#include <stdlib.h>

/* ---- launches ---- */

/* Stages are kept in lists that start in a slice and go through pf_stage.next; each list ascends,
 * since the stages are put in front from the last one on. */
static void put_front(struct tl_perfetto *t, uint32_t *head, size_t stage)
{
	t->stages.v[stage].next = *head;
	*head = (uint32_t)stage + 1;
}

/* Slices and stages by the text of their correlation. */
struct by_correlation {
	struct tl_pool *texts;
	uint32_t *head; /* by text, from 1 */
	size_t cap;
};

static uint32_t *head_of(struct by_correlation *b, struct tl_span correlation)
{
	uint32_t known = tl_pool_count(b->texts), at = tl_pool_add(b->texts, correlation);

	if (at == known) {
		TL_GROW(b->head, at, b->cap);
		b->head[at] = 0;
	}
	return &b->head[at];
}

static struct tl_span correlation_of(const struct tl_event *e)
{
	struct tl_span c = pf_inner(e, TL_F_CORRELATION);

	return c.n ? c : TL_LIT("0");
}

/* Does an arrow from another node lead to this stage? Then none from the launch does. `any`: is it
 * enough that the node has predecessors (the reference), drawn or not. */
static bool has_arrow(const struct tl_event *e, bool any)
{
	struct tl_json it = tl_json_open(e->f[TL_F_WAITS]);
	struct tl_span id;

	return e->f[TL_F_WAITS].n && (any || tl_json_element(&it, &id));
}

/* The reference links a call of certain names to all stages of its correlation, 0 too. */
static void link_by_name(struct tl_perfetto *t)
{
	struct by_correlation b = {.texts = tl_pool_new()};

	for (size_t i = t->stages.n; i-- > 0;) {
		struct tl_event e = pf_event(t, t->stages.v[i].line);
		if (!has_arrow(&e, true))
			put_front(t, head_of(&b, correlation_of(&e)), i);
	}
	for (size_t i = 0; i < t->slices.n; i++) {
		struct pf_slice *s = &t->slices.v[i];
		if (s->row != PF_API)
			continue;
		struct tl_event e = pf_event(t, s->line);
		bool driver = tl_cat_of(e.f[TL_F_CAT]) == TL_CAT_DRIVER;
		if (tl_cupti_in(
				t->cupti, driver ? "driver_link" : "runtime_link", pf_text(t, e.f[TL_F_NAME])))
			s->stages = *head_of(&b, correlation_of(&e));
	}
	tl_pool_free(b.texts);
	free(b.head);
}

/* Calls of one correlation, in a list. */
struct calls {
	struct by_correlation by;
	uint32_t *next; /* by slice, from 1 */
};

static void list_calls(struct tl_perfetto *t, struct calls *c)
{
	c->by.texts = tl_pool_new();
	c->next = tl_calloc(t->slices.n + 1, sizeof *c->next);
	for (size_t i = t->slices.n; i-- > 0;) {
		if (t->slices.v[i].row != PF_API)
			continue;
		struct tl_event e = pf_event(t, t->slices.v[i].line);
		if (!e.f[TL_F_CORRELATION].n || tl_span_eq(correlation_of(&e), TL_LIT("0")))
			continue;
		uint32_t *head = head_of(&c->by, correlation_of(&e));
		c->next[i] = *head;
		*head = (uint32_t)i + 1;
	}
}

/* Of the calls that share the op's correlation the latest that starts before it, else the first:
 * that is the innermost of nested ones. None when they belong to several processes, whose ids say
 * nothing about each other. */
static uint32_t call_of(
	struct tl_perfetto *t, struct calls *c, const struct tl_event *op, int64_t at)
{
	struct tl_span correlation = correlation_of(op);
	uint32_t text = tl_pool_find(c->by.texts, correlation), best = 0;
	uint64_t process = 0;

	if (text == TL_POOL_NONE || tl_span_eq(correlation, TL_LIT("0")))
		return 0;
	for (uint32_t i = c->by.head[text]; i; i = c->next[i - 1]) {
		const struct pf_slice *s = &t->slices.v[i - 1];
		uint64_t of = pf_track_at(&t->tracks, s->track)->parent;
		if (process && of != process)
			return 0;
		process = of;
		if (!best || (s->start <= at && s->start >= t->slices.v[best - 1].start))
			best = i;
	}
	return best;
}

/* The launch that tl-tree found, as a slice. */
static uint32_t launcher_of(struct tl_perfetto *t, const struct tl_event *op)
{
	uint64_t id;
	size_t line;

	if (!tl_json_u64(op->f[TL_F_LAUNCHER], &id) || !tl_held_find(&t->held, id, &line))
		return 0;
	return t->slice_of[line];
}

static void link_by_launch(struct tl_perfetto *t)
{
	struct calls c = {0};

	list_calls(t, &c);
	for (size_t i = t->stages.n; i-- > 0;) {
		struct pf_stage *s = &t->stages.v[i];
		struct tl_event e = pf_event(t, s->line);
		s->launcher = launcher_of(t, &e);
		if (!s->launcher)
			s->launcher = call_of(t, &c, &e, s->start);
		if (s->launcher && !has_arrow(&e, false))
			put_front(t, &t->slices.v[s->launcher - 1].stages, i);
	}
	tl_pool_free(c.by.texts);
	free(c.by.head);
	free(c.next);
}

void pf_link_stages(struct tl_perfetto *t)
{
	if (t->compat)
		link_by_name(t);
	else
		link_by_launch(t);
}

/* ---- flows ---- */

void pf_take_point(struct tl_perfetto *t, uint32_t line, const struct tl_event *e)
{
	if (!e->has_ts) {
		t->left_out++;
		return;
	}
	PF_MORE(t->points);
	PF_LAST(t->points) = (struct pf_point){
		.ts = tl_ns_add(tl_ns_add(e->ts, t->rebase), t->base), .line = line};
}

/* The flow that the point is of: those with one category, name and id, from one start to the next.
 * A finish may come before its start. */
static void find_chain(struct tl_perfetto *t, struct by_correlation *open, struct pf_point *p)
{
	struct tl_event e = pf_event(t, p->line);
	struct tl_buf key = {0};

	tl_buf_span(&key, e.f[TL_F_CAT]);
	tl_buf_span(&key, e.f[TL_F_NAME]);
	tl_buf_span(&key, e.f[TL_F_FLOW]);
	uint32_t *at = head_of(open, tl_buf_all(&key));
	struct pf_chain *c = *at ? &t->chains.v[*at - 1] : NULL;
	if (!c || (e.ph == 's' && c->start) || (e.ph == 'f' && c->finish)) {
		PF_MORE(t->chains);
		c = &PF_LAST(t->chains);
		*c = (struct pf_chain){0};
		*at = (uint32_t)t->chains.n;
	}
	p->device = tl_cat_of(e.f[TL_F_CAT]) == TL_CAT_AC2G;
	c->start = c->start || e.ph == 's';
	c->finish = c->finish || e.ph == 'f';
	p->chain = *at - 1;
	p->track = (uint32_t)pf_find_thread(&t->tracks, e.f[TL_F_PID], e.f[TL_F_TID]);
	tl_buf_free(&key);
}

static void find_chains(struct tl_perfetto *t)
{
	struct by_correlation open = {.texts = tl_pool_new()};

	for (size_t i = 0; i < t->points.n; i++)
		find_chain(t, &open, &t->points.v[i]);
	tl_pool_free(open.texts);
	free(open.head);
}

static struct tl_sort *order_points(const struct tl_perfetto *t)
{
	struct tl_sort *order = tl_alloc((t->points.n + 1) * sizeof *order);

	for (size_t i = 0; i < t->points.n; i++)
		order[i] = (struct tl_sort){.key = tl_sort_time(t->points.v[i].ts), .at = (uint32_t)i};
	tl_sort(order, t->points.n);
	for (size_t i = 0; i < t->points.n; i++)
		order[i].key = t->points.v[order[i].at].track;
	tl_sort(order, t->points.n);
	return order;
}

/* Whether the slice stands before the point, on an earlier track or at an earlier or equal time. */
static bool before(const struct pf_slice *s, const struct pf_point *p)
{
	return s->track < p->track || (s->track == p->track && s->start <= p->ts);
}

static void bind_point(struct tl_perfetto *t, struct pf_point *p, uint32_t slice)
{
	struct pf_slice *s = &t->slices.v[slice];

	p->slice = slice + 1;
	p->next = s->points;
	s->points = (uint32_t)(p - t->points.v) + 1;
	t->chains.v[p->chain].bound++;
}

/* A point lies in the slice of its track that started last and has not ended; an arrow to GPU work
 * that became a render stage does not lie in an annotation around that. One pass over
 * slices and points by track and time; a slice that has ended under an open one is passed over
 * when that one ends. */
static void bind_all(struct tl_perfetto *t, const struct tl_sort *points)
{
	uint32_t *stack = tl_alloc((t->slices.n + 1) * sizeof *stack);
	size_t depth = 0, next = 0;

	for (size_t i = 0; i < t->points.n; i++) {
		struct pf_point *p = &t->points.v[points[i].at];
		for (; next < t->slices.n && before(&t->slices.v[t->sequence[next].at], p); next++)
			stack[depth++] = t->sequence[next].at;
		while (depth && (t->slices.v[stack[depth - 1]].track != p->track ||
							t->slices.v[stack[depth - 1]].end < p->ts))
			depth--;
		if (depth && !(p->device && t->slices.v[stack[depth - 1]].row == PF_GPU_SPAN))
			bind_point(t, p, stack[depth - 1]);
	}
	free(stack);
}

void pf_bind_points(struct tl_perfetto *t)
{
	struct tl_sort *points;

	find_chains(t);
	points = order_points(t);
	bind_all(t, points);
	for (size_t i = 0; i < t->chains.n; i++)
		if (t->chains.v[i].bound > 1)
			t->chains.v[i].id = t->next_flow++;
	free(points);
}
