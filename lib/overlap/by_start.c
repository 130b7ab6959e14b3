/* Stages of --rules reference (share/rules/overlap.jq, `stage_by` "start"): by External id, else by
 * the annotation of the GPU, or of the host, that holds the op's start or is nearest to it. */
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

/* Of the annotations of an External id that of the GPU counts, then the longer one. */
static bool is_better(const struct overlap_note *a, const struct overlap_note *b)
{
	return a->gpu != b->gpu ? a->gpu : a->end - a->ts > b->end - b->ts;
}

static void by_external(const struct tl_overlap *o, uint32_t *stage)
{
	struct tl_intmap at = {0};
	for (size_t i = 0; i < o->n_notes; i++) {
		const struct overlap_note *n = &o->notes[i];
		if (!n->stage || !n->ext)
			continue;
		uint32_t *slot = tl_intmap_add(&at, (int64_t)n->ext);
		if (*slot == 0 || is_better(n, &o->notes[*slot - 1]))
			*slot = (uint32_t)i + 1;
	}
	for (uint32_t i = 0; i < o->ops.n && at.n; i++) {
		uint64_t ext = tl_external_id(o->t, o->ops.row[i], o->ops.launch[i]);
		const uint32_t *slot = ext ? tl_intmap_find(&at, (int64_t)ext) : NULL;
		if (slot)
			stage[i] = o->notes[*slot - 1].stage;
	}
	tl_intmap_free(&at);
}

/* Windows by start; `reached`: which of the windows so far ends last (the first of several). */
struct timeline {
	struct tl_period *v;
	uint32_t *reached;
	size_t n;
};

static int by_start(const void *x, const void *y)
{
	const struct tl_period *a = x, *b = y;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static struct timeline timeline_of(const struct tl_overlap *o, bool gpu)
{
	struct overlap_periods w = overlap_gather(o, gpu ? BY_STREAM : BY_THREAD, overlap_stage_of);
	struct timeline t = {w.v, tl_calloc(w.n + 1, sizeof *t.reached), w.n};
	if (w.n)
		qsort(w.v, w.n, sizeof *w.v, by_start);
	for (uint32_t i = 1; i < w.n; i++) {
		uint32_t best = t.reached[i - 1];
		t.reached[i] = w.v[i].end > w.v[best].end ? i : best;
	}
	return t;
}

/* The first window that holds t, give or take 1 ns; else the nearest, and its distance. */
static uint32_t nearest(const struct timeline *w, int64_t t, int64_t *distance)
{
	size_t started, from;
	TL_SEARCH(started, 0, w->n, w->v[started].ts <= t);
	TL_SEARCH(from, 0, started, tl_ns_add(w->v[w->reached[from]].end, 1) < t);
	*distance = 0;
	if (from < started)
		return w->reached[from];
	uint32_t best = NONE;
	*distance = INT64_MAX;
	if (started > 0) {
		best = w->reached[started - 1];
		*distance = tl_ns_sub(t, w->v[best].end);
	}
	if (started < w->n && tl_ns_sub(w->v[started].ts, t) < *distance) {
		best = (uint32_t)started;
		*distance = tl_ns_sub(w->v[best].ts, t);
	}
	return best;
}

static void by_reach(struct tl_overlap *o, uint32_t *stage)
{
	struct timeline gpu = timeline_of(o, true), host = timeline_of(o, false);
	for (uint32_t i = 0; i < o->ops.n && gpu.n + host.n; i++) {
		int64_t near, far, t = tl_ns_add(o->ops.iv[i].ts, 1);
		if (stage[i] != NONE || !(o->ops.flags[i] & OP_TIMED))
			continue;
		uint32_t a = nearest(&gpu, t, &near);
		uint32_t b = a != NONE && near == 0 ? NONE : nearest(&host, t, &far);
		const struct timeline *w = &gpu;
		if (b != NONE && (a == NONE || far < near)) {
			a = b;
			near = far;
			w = &host;
		}
		if (a != NONE && near <= o->set.reach)
			stage[i] = w->v[a].value;
	}
	free(gpu.v);
	free(gpu.reached);
	free(host.v);
	free(host.reached);
}

void overlap_stages_by_start(struct tl_overlap *o, uint32_t *stage)
{
	by_external(o, stage);
	by_reach(o, stage);
}
