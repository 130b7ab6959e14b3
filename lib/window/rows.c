#include "rows.h"
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

struct window *window_new(bool compat, struct tl_error *e)
{
	struct tl_cupti *cupti = tl_cupti_open(e);
	if (!cupti)
		return NULL;
	struct window *w = tl_calloc(1, sizeof *w);
	w->compat = compat;
	w->cupti = cupti;
	w->texts = tl_pool_new();
	w->whats = tl_pool_new();
	w->unknown = tl_pool_new();
	w->metrics = tl_pool_new();
	w->named = tl_pool_new();
	w->places.size = sizeof(struct window_place);
	w->callers.size = w->opaque.size = w->lanes.size = sizeof(struct window_pair);
	w->calls.size = sizeof(struct window_call);
	window_read_init(w);
	return w;
}

int64_t window_base(const struct window *w)
{
	return w->base;
}

const struct window_totals *window_totals(const struct window *w)
{
	return &w->totals;
}

static bool any_row(const struct window *w)
{
	size_t n = w->nsync;
	for (int k = 0; k < G_KINDS; k++)
		n += w->gpu[k].n;
	for (int api = 0; api < 2 && !n; api++)
		for (size_t i = 0; i < w->napi[api] && !n; i++)
			n += window_api_shown(w, w->api[api] + i);
	for (size_t i = 0; i < w->noverhead && !n; i++)
		n += window_overhead_shown(w, w->overhead + i);
	return n > 0;
}

struct tl_span window_top_value(const struct window *w, struct tl_span key)
{
	struct tl_span v = {0};
	for (size_t i = 0; i < w->ntops; i++)
		if (tl_span_eq(window_text(w, w->tops[i].key), key) && (!v.n || !w->tops[i].header))
			v = window_text(w, w->tops[i].value);
	return v;
}

static bool has_top(const struct window *w, struct tl_span key)
{
	return window_top_value(w, key).n > 0;
}

/* computeMajor and computeMinor of "sm_90". */
static void add_arch(struct tl_buf *b, struct tl_span arch)
{
	int64_t v = 0;
	size_t i = 3;
	if (arch.n < 5 || memcmp(arch.p, "sm_", 3) != 0)
		return;
	for (; i < arch.n && i < 9 && arch.p[i] >= '0' && arch.p[i] <= '9'; i++)
		v = v * 10 + (arch.p[i] - '0');
	if (v < 10)
		return;
	tl_buf_lit(b, ",\"computeMajor\":");
	tl_buf_i64(b, v / 10);
	tl_buf_lit(b, ",\"computeMinor\":");
	tl_buf_i64(b, v % 10);
}

/* `device` lines as the top-level key in which host traces say the same. */
static void add_device_properties(struct window *w)
{
	struct tl_buf b = {0};
	if (!w->devices.at.n || has_top(w, TL_LIT("deviceProperties")))
		return;
	for (size_t i = 0; i < w->devices.at.n; i++) {
		int64_t id = w->device_ids[i], name = NO_TEXT, arch;
		window_numbers_get(&w->devices, id, &name);
		tl_buf_span(&b, i ? TL_LIT(",{\"id\":") : TL_LIT("[{\"id\":"));
		tl_buf_i64(&b, id);
		if ((uint32_t)name != NO_TEXT) {
			tl_buf_lit(&b, ",\"name\":");
			tl_buf_span(&b, window_text(w, (uint32_t)name));
		}
		if (window_numbers_get(&w->archs, id, &arch))
			add_arch(&b, tl_json_inner(window_text(w, (uint32_t)arch)));
		tl_buf_ch(&b, '}');
	}
	tl_buf_ch(&b, ']');
	window_top(w, TL_LIT("deviceProperties"), tl_buf_all(&b), true);
	tl_buf_free(&b);
}

/* The base as a number, whatever the header had; a host trace's own value stays as it is. */
static void add_base(struct window *w)
{
	struct tl_span key = TL_LIT("baseTimeNanoseconds");
	struct tl_buf b = {0};
	if (!w->totals.rows && !has_top(w, key))
		return;
	tl_buf_i64(&b, w->base);
	window_top(w, key, tl_buf_all(&b), true);
	tl_buf_free(&b);
}

bool window_finish(struct window *w, struct tl_error *e)
{
	size_t rows = 0;
	for (int k = 0; k < G_KINDS; k++)
		rows += w->gpu[k].n;
	if (rows >= UINT32_MAX) {
		tl_fail(e, 0, "more than 4294967294 rows of GPU activity");
		return false;
	}
	window_join(w);
	if (!w->any_span && !any_row(w)) {
		tl_fail(e, 0, "no duration event, neither in the window nor in a trace beside it");
		return false;
	}
	w->totals.twice = w->host_device_rows && (w->gpu[G_KERNEL].n || w->napi[TL_CUPTI_RUNTIME]);
	if (!w->compat) {
		add_base(w);
		add_device_properties(w);
	}
	return true;
}

static void free_rows(struct window *w)
{
	for (int k = 0; k < G_KINDS; k++) {
		free(w->gpu[k].rows);
		free(w->gpu[k].queued);
	}
	void *arrays[] = {w->api[0], w->api[1], w->overhead, w->sync, w->external, w->env, w->pm,
		w->facts, w->deps, w->os_thread, w->device_ids, w->tops, w->host_threads, w->unknown_count};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
}

void window_free(struct window *w)
{
	if (!w)
		return;
	window_join_free(w);
	window_hold_free(w);
	free_rows(w);
	struct window_intern *interns[] = {&w->places, &w->callers, &w->calls, &w->opaque};
	for (size_t i = 0; i < sizeof interns / sizeof *interns; i++)
		window_intern_free(interns[i]);
	struct window_numbers *numbers[] = {&w->annotations, &w->collectives, &w->devices, &w->archs,
		&w->processes, &w->event_contexts, &w->event_records, &w->event_stream};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		window_numbers_free(numbers[i]);
	struct tl_intmap *maps[] = {
		&w->node_facts, &w->top_at, &w->host_pids, &w->host_flows, &w->host_external};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		tl_intmap_free(maps[i]);
	struct tl_pool *pools[] = {w->texts, w->whats, w->fields, w->unknown, w->metrics, w->named};
	for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
		tl_pool_free(pools[i]);
	tl_args_free(&w->args);
	tl_args_free(&w->extra);
	tl_buf_free(&w->text);
	tl_cupti_free(w->cupti);
	free(w);
}
