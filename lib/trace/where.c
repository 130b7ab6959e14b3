#include "where.h"
#include "../json/json.h"
#include <stdlib.h>

#define NONE TL_POOL_NONE

/* A place as events name it: numbers in `texts`. */
struct tl_spot {
	uint32_t pid, device, context, stream;
	bool by_tid;
};

/* The number of a JSON value; 0 and "0" have one. Texts are kept with quotes, `bare` says that some
 * event had it without. */
static uint32_t text_of(struct tl_places *p, struct tl_span v)
{
	uint32_t known = tl_pool_count(p->texts), at;
	bool bare = !tl_json_is_string(v);
	if (!tl_is_known(v))
		return NONE;
	if (bare) {
		p->scratch.n = 0;
		tl_buf_ch(&p->scratch, '"');
		tl_buf_span(&p->scratch, v);
		tl_buf_ch(&p->scratch, '"');
		v = tl_buf_all(&p->scratch);
	}
	at = tl_pool_add(p->texts, v);
	if (at == known) {
		TL_GROW(p->bare, at, p->bare_cap);
		p->bare[at] = false;
	}
	p->bare[at] |= bare;
	return at;
}

static struct tl_span text(const struct tl_places *p, uint32_t at)
{
	struct tl_span none = {0};
	if (at == NONE)
		return none;
	return p->bare[at] ? tl_json_inner(tl_pool_text(p->texts, at)) : tl_pool_text(p->texts, at);
}

static struct tl_span context_of(const struct tl_event *e)
{
	struct tl_span v = {0};
	if (e->f[TL_F_ARGS].n)
		v = tl_json_get(e->f[TL_F_ARGS], TL_LIT("context"));
	return v;
}

uint32_t tl_places_add(struct tl_places *p, const struct tl_event *e)
{
	struct tl_spot s = {.by_tid = !tl_is_known(e->f[TL_F_STREAM])};
	if (!p->keys) {
		p->keys = tl_pool_new();
		p->texts = tl_pool_new();
	}
	s.pid = text_of(p, e->f[TL_F_PID]);
	s.device = text_of(p, e->f[TL_F_DEVICE]);
	s.context = text_of(p, context_of(e));
	s.stream = text_of(p, e->f[s.by_tid ? TL_F_TID : TL_F_STREAM]);
	uint32_t key[] = {s.pid, s.device, s.context, s.stream, s.by_tid};
	uint32_t known = tl_pool_count(p->keys);
	uint32_t at = tl_pool_add(p->keys, (struct tl_span){(const char *)key, sizeof key});
	if (at == known) {
		TL_GROW(p->spots, at, p->spots_cap);
		p->spots[at] = s;
	}
	return at;
}

/* ---- what is left out is what all others say ---- */

static uint32_t *new_column(size_t n)
{
	uint32_t *v = tl_alloc((n + 1) * sizeof *v);
	memset(v, 0xff, (n + 1) * sizeof *v);
	return v;
}

#define SEVERAL (NONE - 1)

static void note(uint32_t *only, uint32_t value)
{
	if (*only == NONE)
		*only = value;
	else if (*only != value)
		*only = SEVERAL;
}

static void fill_devices(struct tl_places *p, uint32_t n)
{
	uint32_t *only = new_column(tl_pool_count(p->texts) + 1); /* by pid; the last: without */
	uint32_t none = tl_pool_count(p->texts);
	for (uint32_t i = 0; i < n; i++)
		if (p->spots[i].device != NONE)
			note(&only[p->spots[i].pid == NONE ? none : p->spots[i].pid], p->spots[i].device);
	for (uint32_t i = 0; i < n; i++) {
		struct tl_spot *s = &p->spots[i];
		uint32_t one = only[s->pid == NONE ? none : s->pid];
		if (s->device == NONE)
			s->device = one < SEVERAL ? one : s->pid;
	}
	free(only);
}

/* ---- order ---- */

/* Numbers first, by value; then texts; nothing last. */
static int by_text(struct tl_span a, struct tl_span b)
{
	int64_t x, y;
	bool is_x = tl_json_i64(a, &x), is_y = tl_json_i64(b, &y);
	if (!a.n || !b.n)
		return !a.n - !b.n;
	if (is_x != is_y)
		return is_x ? -1 : 1;
	if (is_x && x != y)
		return x < y ? -1 : 1;
	return is_x ? 0 : tl_span_cmp(tl_json_inner(a), tl_json_inner(b));
}

static int by_device(const struct tl_places *p, const struct tl_spot *a, const struct tl_spot *b)
{
	int c = by_text(text(p, a->device), text(p, b->device));
	return c ? c : by_text(text(p, a->pid), text(p, b->pid));
}

static int by_stream(const struct tl_places *p, const struct tl_spot *a, const struct tl_spot *b)
{
	int c = by_device(p, a, b);
	if (!c)
		c = a->by_tid - b->by_tid;
	return c ? c : by_text(text(p, a->stream), text(p, b->stream));
}

static int by_lane(const void *x, const void *y, void *of)
{
	const struct tl_places *p = of;
	const struct tl_spot *a = &p->spots[*(const uint32_t *)x], *b = &p->spots[*(const uint32_t *)y];
	int c = by_stream(p, a, b);
	return c ? c : by_text(text(p, a->context), text(p, b->context));
}

/* A stream of one context is that context's, whether each of its events says so or not. */
static void fill_contexts(struct tl_places *p, const uint32_t *order, uint32_t n)
{
	for (uint32_t from = 0, to; from < n; from = to) {
		uint32_t only = NONE;
		for (to = from; to < n && by_stream(p, &p->spots[order[to]], &p->spots[order[from]]) == 0;
			 to++)
			if (p->spots[order[to]].context != NONE)
				note(&only, p->spots[order[to]].context);
		for (uint32_t i = from; i < to && only < SEVERAL; i++)
			p->spots[order[i]].context = only;
	}
}

static void add_device(struct tl_places *p, const struct tl_spot *s)
{
	struct tl_device *last = p->n_devices ? &p->devices[p->n_devices - 1] : NULL;
	struct tl_device d = {
		.text = text(p, s->device), .pid = text(p, s->pid), .lane = p->n_lanes, .n_lanes = 0};
	if (last && by_text(last->text, d.text) == 0)
		last->ambiguous = d.ambiguous = true;
	p->devices[p->n_devices++] = d;
}

static void add_lane(struct tl_places *p, const struct tl_spot *s, bool same_stream)
{
	struct tl_lane l = {.device = p->n_devices - 1,
		.stream = text(p, s->stream),
		.by_tid = s->by_tid,
		.context = text(p, s->context)};
	if (same_stream)
		p->lanes[p->n_lanes - 1].ambiguous = l.ambiguous = true;
	p->devices[l.device].n_lanes++;
	p->lanes[p->n_lanes++] = l;
}

void tl_places_finish(struct tl_places *p)
{
	uint32_t n = p->keys ? tl_pool_count(p->keys) : 0, *order = tl_alloc((n + 1) * sizeof *order);
	p->devices = tl_calloc((size_t)n + 1, sizeof *p->devices);
	p->lanes = tl_calloc((size_t)n + 1, sizeof *p->lanes);
	p->lane = tl_calloc((size_t)n + 1, sizeof *p->lane);
	if (n)
		fill_devices(p, n);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof *order, by_lane, p);
	fill_contexts(p, order, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_spot *s = &p->spots[order[i]], *last = i ? &p->spots[order[i - 1]] : NULL;
		if (!last || by_device(p, last, s) != 0)
			add_device(p, s);
		if (!last || by_lane(&order[i - 1], &order[i], p) != 0)
			add_lane(p, s, last && by_stream(p, last, s) == 0);
		p->lane[order[i]] = p->n_lanes - 1;
	}
	free(order);
}

void tl_places_clear(struct tl_places *p)
{
	free(p->devices);
	free(p->lanes);
	free(p->lane);
	p->devices = NULL;
	p->lanes = NULL;
	p->lane = NULL;
	p->n_devices = p->n_lanes = 0;
	if (p->keys) {
		tl_pool_clear(p->keys);
		tl_pool_clear(p->texts);
	}
}

void tl_places_free(struct tl_places *p)
{
	tl_places_clear(p);
	tl_pool_free(p->keys);
	tl_pool_free(p->texts);
	tl_buf_free(&p->scratch);
	free(p->spots);
	free(p->bare);
	*p = (struct tl_places){0};
}
