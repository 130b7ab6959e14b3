/* Slices of a Perfetto trace: what comes as two events is joined, what overlaps its neighbour goes
 * to a lane of its own, and begin and end packets are written in the order of time. */
#include "out_args.h"
#include "out_inside.h"
#include <stdlib.h>

#define LANES 64 /* tried beside a track; a slice that fits in none gets one for itself */

/* ---- begin and end events ---- */

static void join(struct tl_perfetto *t, uint32_t begin, int64_t end)
{
	const struct pf_half *h = &t->halves.v[begin];

	PF_MORE(t->slices);
	PF_LAST(t->slices) = (struct pf_slice){
		.start = h->ts, .end = end, .line = h->line, .track = h->track, .row = PF_PLAIN};
	t->slice_of[h->line] = (uint32_t)t->slices.n;
}

/* In the order of time on each track, equal times as in the trace: an end closes the innermost
 * begin; begins that nothing closes last to the end of the trace. */
void pf_join_halves(struct tl_perfetto *t)
{
	size_t n = t->halves.n, depth = 0;
	struct tl_sort *order = tl_alloc((n + 1) * sizeof *order);
	uint32_t *stack = tl_alloc((n + 1) * sizeof *stack);

	for (size_t i = 0; i < n; i++)
		order[i] = (struct tl_sort){.key = tl_sort_time(t->halves.v[i].ts), .at = (uint32_t)i};
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++)
		order[i].key = t->halves.v[order[i].at].track;
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++) {
		const struct pf_half *h = &t->halves.v[order[i].at];
		if (!h->end)
			stack[depth++] = order[i].at;
		else if (depth)
			join(t, stack[--depth], h->ts);
		while (depth && (i + 1 == n || order[i + 1].key != order[i].key))
			join(t, stack[--depth], t->last);
	}
	free(order);
	free(stack);
}

/* ---- lanes ---- */

/* A lane's open slices, by their ends, the innermost last. */
struct lane {
	uint32_t track;
	int64_t *ends;
	size_t n, cap;
};

static bool fits(struct lane *l, const struct pf_slice *s)
{
	while (l->n && l->ends[l->n - 1] <= s->start)
		l->n--;
	return l->n == 0 || l->ends[l->n - 1] >= s->end;
}

static void push(struct lane *l, struct pf_slice *s)
{
	TL_GROW(l->ends, l->n, l->cap);
	l->ends[l->n++] = s->end;
	s->track = l->track;
}

static void place(struct tl_perfetto *t, struct lane *lanes, size_t *used, struct pf_slice *s)
{
	uint32_t track = s->track;

	if (*used == 0 || lanes[0].track != track) {
		*used = 1;
		lanes[0].track = track;
		lanes[0].n = 0;
	}
	for (size_t i = 0; i < *used; i++)
		if (fits(&lanes[i], s)) {
			push(&lanes[i], s);
			return;
		}
	s->track = (uint32_t)pf_lane(&t->tracks, track);
	if (*used < LANES) {
		lanes[*used].track = s->track;
		lanes[*used].n = 0;
		push(&lanes[(*used)++], s);
	}
}

static void place_all(struct tl_perfetto *t)
{
	struct lane lanes[LANES] = {0};
	size_t used = 0;

	for (size_t i = 0; i < t->slices.n; i++)
		place(t, lanes, &used, &t->slices.v[t->sequence[i].at]);
	for (size_t i = 0; i < LANES; i++)
		free(lanes[i].ends);
}

/* The reference makes the slices of a synchronisation track nest: one that ends inside the next
 * ends where that starts. */
static void cut_all(struct tl_perfetto *t)
{
	uint32_t *stack = tl_alloc((t->slices.n + 1) * sizeof *stack);
	size_t depth = 0;

	for (size_t i = 0; i < t->slices.n; i++) {
		uint32_t at = t->sequence[i].at;
		struct pf_slice *s = &t->slices.v[at];
		if (depth && t->slices.v[stack[depth - 1]].track != s->track)
			depth = 0;
		if (s->row != PF_SYNC)
			continue;
		while (depth) {
			struct pf_slice *top = &t->slices.v[stack[depth - 1]];
			if (top->end > s->start && top->end >= s->end)
				break;
			if (top->end > s->start)
				top->end = s->start;
			depth--;
		}
		stack[depth++] = at;
	}
	free(stack);
}

void pf_place_slices(struct tl_perfetto *t)
{
	if (t->compat)
		cut_all(t);
	else
		place_all(t);
}

/* By track, start, longest first; `sequence` keeps the slices' places. */
void pf_order_slices(struct tl_perfetto *t)
{
	size_t n = t->slices.n;
	struct tl_sort *order = t->sequence = tl_alloc((n + 1) * sizeof *order);

	for (size_t i = 0; i < n; i++)
		order[i] = (struct tl_sort){.key = ~tl_sort_time(t->slices.v[i].end), .at = (uint32_t)i};
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++)
		order[i].key = tl_sort_time(t->slices.v[order[i].at].start);
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++)
		order[i].key = t->slices.v[order[i].at].track;
	tl_sort(order, n);
}

/* ---- packets ---- */

static void add_flows(struct tl_perfetto *t, TrackEvent *e, const struct pf_slice *s)
{
	size_t n = 0;

	for (uint32_t p = s->points; p; p = t->points.v[p - 1].next)
		n += t->chains.v[t->points.v[p - 1].chain].id != 0;
	if (!n)
		return;
	e->flow_ids = pf_alloc(&t->pf, n * sizeof *e->flow_ids);
	for (uint32_t p = s->points; p; p = t->points.v[p - 1].next) {
		uint64_t id = t->chains.v[t->points.v[p - 1].chain].id;
		if (id)
			e->flow_ids[e->n_flow_ids++] = id;
	}
}

static void add_stages(struct tl_perfetto *t, TrackEvent *e, const struct pf_slice *s)
{
	GpuCorrelation *c;
	size_t n = 0;

	for (uint32_t at = s->stages; at; at = t->stages.v[at - 1].next)
		n++;
	if (!n)
		return;
	c = pf_alloc(&t->pf, sizeof *c);
	gpu_correlation__init(c);
	c->render_stage_submission_event_ids = pf_alloc(&t->pf, n * sizeof(uint64_t));
	for (uint32_t at = s->stages; at; at = t->stages.v[at - 1].next)
		c->render_stage_submission_event_ids[c->n_render_stage_submission_event_ids++] =
			t->next_event + at - 1;
	e->gpu_correlation = c;
}

static void write_begin(struct tl_perfetto *t, const struct pf_slice *s)
{
	struct tl_event e = pf_event(t, s->line);
	TracePacket p = TRACE_PACKET__INIT;
	TrackEvent b = TRACK_EVENT__INIT;
	bool row = e.f[TL_F_FROM].n != 0;
	bool reference_plain = t->compat && (s->row == PF_SYNC || s->row == PF_OVERHEAD);
	uint64_t category;

	b.type = TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
	b.track_uuid = s->track;
	b.has_type = b.has_track_uuid = b.has_name_iid = true;
	b.name_iid = pf_intern(&t->pf, PF_IID_NAME, pf_text(t, e.f[TL_F_NAME]));
	struct tl_span cat = pf_text(t, e.f[TL_F_CAT]);
	if (cat.n && !reference_plain) {
		category = pf_intern(&t->pf, PF_IID_CATEGORY, cat);
		b.n_category_iids = 1;
		b.category_iids = &category;
	}
	struct tl_span args = pf_args_of(t, &e);
	if (args.n && !(t->compat && s->row == PF_OVERHEAD))
		pf_annotate(&t->pf, &b, args, row);
	add_flows(t, &b, s);
	add_stages(t, &b, s);
	p.track_event = &b;
	pf_put(&t->pf, &p, s->start);
}

static void write_end(struct tl_perfetto *t, const struct pf_slice *s)
{
	TracePacket p = TRACE_PACKET__INIT;
	TrackEvent b = TRACK_EVENT__INIT;

	b.type = TRACK_EVENT__TYPE__TYPE_SLICE_END;
	b.track_uuid = s->track;
	b.has_type = b.has_track_uuid = true;
	p.track_event = &b;
	pf_put(&t->pf, &p, s->end);
}

/* Ends stand before begins of the same time, and the end of a slice without length right behind
 * its begin. */
void pf_write_slices(struct tl_perfetto *t)
{
	size_t n = t->slices.n, k = 0;
	struct tl_sort *items = tl_alloc((2 * n + 1) * sizeof *items);
	enum { BEGIN, END };

	for (size_t i = 0; i < n; i++) {
		const struct pf_slice *s = &t->slices.v[t->sequence[i].at];
		if (s->end > s->start)
			items[k++] = (struct tl_sort){tl_sort_time(s->end), t->sequence[i].at, END};
	}
	for (size_t i = 0; i < n; i++) {
		const struct pf_slice *s = &t->slices.v[t->sequence[i].at];
		items[k++] = (struct tl_sort){tl_sort_time(s->start), t->sequence[i].at, BEGIN};
		if (s->end <= s->start)
			items[k++] = (struct tl_sort){tl_sort_time(s->start), t->sequence[i].at, END};
	}
	tl_sort(items, k);
	for (size_t i = 0; i < k; i++)
		(items[i].more == END ? write_end : write_begin)(t, &t->slices.v[items[i].at]);
	free(items);
}
