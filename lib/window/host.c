/* The host trace beside a window: its events, kept as text until they are written again, and what
 * the rows of the window need to know of them. */
#include "../format/format.h"
#include "inside.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include <stdlib.h>

#define BLOCK ((size_t)1 << 20)

/* Keeps the record behind its id. */
static void hold(struct window *w, struct tl_span tail, struct tl_mark mark)
{
	struct window_held_event head = {mark, tail.n};
	struct window_held_block *h = w->held_last;
	size_t need = sizeof head + tail.n;
	if (!h || h->cap - h->n < need) {
		size_t cap = need > BLOCK ? need : BLOCK;
		h = tl_alloc(sizeof *h + cap);
		*h = (struct window_held_block){.cap = cap};
		if (w->held_last)
			w->held_last->next = h;
		else
			w->held = h;
		w->held_last = h;
	}
	memcpy(h->p + h->n, &head, sizeof head);
	if (tail.n)
		memcpy(h->p + h->n + sizeof head, tail.p, tail.n);
	h->n += need;
}

void window_hold_free(struct window *w)
{
	while (w->held) {
		struct window_held_block *next = w->held->next;
		free(w->held);
		w->held = next;
	}
}

static struct tl_span named_key(
	struct window *w, struct tl_span what, struct tl_span pid, struct tl_span tid)
{
	w->text.n = 0;
	tl_buf_span(&w->text, what);
	tl_buf_ch(&w->text, ' ');
	tl_buf_span(&w->text, pid);
	tl_buf_ch(&w->text, ' ');
	tl_buf_span(&w->text, tid);
	return tl_buf_all(&w->text);
}

bool window_is_named(struct window *w, struct tl_span what, struct tl_span pid, struct tl_span tid)
{
	return tl_pool_find(w->named, named_key(w, what, pid, tid)) != TL_POOL_NONE;
}

static void see_name(struct window *w, const struct tl_event *e)
{
	struct tl_span what = tl_json_inner(e->f[TL_F_NAME]), tid = {0};
	if (what.n > 7 && memcmp(what.p, "thread_", 7) == 0)
		tid = e->f[TL_F_TID];
	tl_pool_add(w->named, named_key(w, what, e->f[TL_F_PID], tid));
}

/* An operator or annotation whose external id the window may refer to. */
static void see_external(struct window *w, const struct tl_event *e)
{
	struct tl_span id = tl_json_get(e->f[TL_F_ARGS], TL_LIT("External id"));
	struct window_pair thread;
	int64_t external;
	if (!window_int(id, &external) || tl_json_is_string(e->f[TL_F_PID]) ||
		tl_json_is_string(e->f[TL_F_TID]) || !tl_json_i64(e->f[TL_F_PID], &thread.a) ||
		!tl_json_i64(e->f[TL_F_TID], &thread.b))
		return;
	uint32_t *i = tl_intmap_add(&w->host_external, external);
	if (*i == 0) {
		TL_GROW(w->host_threads, w->nhost_threads, w->host_threads_cap);
		*i = (uint32_t)++w->nhost_threads;
	}
	w->host_threads[*i - 1] = thread;
}

static void see_span(struct window *w, const struct tl_event *e)
{
	static const struct tl_span trace = TL_LIT("Trace");
	enum tl_cat cat = tl_cat_of(e->f[TL_F_CAT]);
	int64_t pid;
	if (!tl_is_replaced(e) && !tl_span_eq(tl_json_inner(e->f[TL_F_CAT]), trace) &&
		(e->has_ts || w->compat))
		window_span(w, e->ts, e->dur);
	if (tl_span_eq(tl_json_inner(e->f[TL_F_CAT]), TL_LIT("cpu_op")) ||
		tl_span_eq(tl_json_inner(e->f[TL_F_CAT]), TL_LIT("user_annotation")))
		see_external(w, e);
	w->cpu_ops += cat == TL_CAT_CPU_OP;
	w->host_device_rows |= tl_cat_is_gpu(cat) || tl_cat_is_launch(cat);
	if ((cat == TL_CAT_CPU_OP || cat == TL_CAT_PYTHON || cat == TL_CAT_ANNOTATION ||
			tl_cat_is_launch(cat)) &&
		tl_json_i64(e->f[TL_F_PID], &pid))
		tl_intmap_add(&w->host_pids, pid);
}

bool window_event(struct window *w, struct tl_span record)
{
	struct tl_event e;
	int64_t flow;
	if (!tl_event_read(record, &e))
		return false;
	const char *tail = e.f[TL_F_ID].p + e.f[TL_F_ID].n;
	hold(w, (struct tl_span){tail, (size_t)(record.p + record.n - tail)}, tl_mark_of(&e));
	w->totals.host_events++;
	w->nheld++;
	w->leading_over |= e.ph != 'M';
	w->leading += !w->leading_over;
	if (e.ph == 'M')
		see_name(w, &e);
	else if (e.ph == 'X')
		see_span(w, &e);
	else if (e.ph == 's' && tl_cat_of(e.f[TL_F_CAT]) == TL_CAT_AC2G &&
			 tl_json_i64(e.f[TL_F_FLOW], &flow))
		tl_intmap_add(&w->host_flows, flow);
	return true;
}

void window_top(struct window *w, struct tl_span key, struct tl_span value, bool header)
{
	uint32_t k = tl_pool_add(w->texts, key);
	uint32_t *at = tl_intmap_add(&w->top_at, (int64_t)k << 1 | header);
	if (*at == 0) {
		TL_GROW(w->tops, w->ntops, w->tops_cap);
		*at = (uint32_t)++w->ntops;
	}
	w->text.n = 0;
	value = tl_json_compact(value, &w->text);
	w->tops[*at - 1] = (struct window_top){k, tl_pool_add(w->texts, value), header};
}

void window_meta(struct window *w, struct tl_span key, struct tl_span value)
{
	window_top(w, key, value, false);
}
