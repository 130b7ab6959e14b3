/* Names and order of the processes and threads that the rows of a window bring (ph M events). */
#include "inside.h"
#include "../json/json.h"
#include <stdio.h>
#include <stdlib.h>

/* A device, process or thread, or a lane of a device. */
struct item {
	int64_t a, b;
	int64_t ts; /* ns since base, of its first row */
	uint32_t at;
};

struct items {
	struct window_intern keys;
	struct item *v;
	size_t cap;
};

static void see(struct items *set, int64_t a, int64_t b, int64_t ts)
{
	struct window_pair key = {a, b};
	size_t n = set->keys.n;
	uint32_t i;
	set->keys.size = sizeof key;
	i = window_intern(&set->keys, &key);
	if (set->keys.n == n)
		return;
	TL_GROW(set->v, i, set->cap);
	set->v[i] = (struct item){a, b, ts, i};
}

static int by_number(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

static void sort(struct items *set)
{
	if (set->keys.n)
		qsort(set->v, set->keys.n, sizeof *set->v, by_number);
}

static void items_free(struct items *set)
{
	window_intern_free(&set->keys);
	free(set->v);
}

/* Who an M event is about. */
struct who {
	bool gpu, sync; /* pid is that of a GPU; tid is its lane for synchronisation */
	int64_t pid, tid, ts;
};

static void put_who(struct window *w, const struct who *who)
{
	if (who->gpu)
		window_put_gpu_pid(w, who->pid);
	else
		tl_put_i64(w->line, "pid", who->pid);
	if (who->sync)
		tl_put_string(w->line, "tid", TL_LIT("sync"));
	else
		window_put_tid(w, who->tid);
	tl_frame_ts(w->frame, who->ts);
}

/* True when the host trace names it already: what it says stands. */
static bool is_named(struct window *w, const char *what, const struct who *who)
{
	char pid[32], tid[32] = "";
	bool thread = strncmp(what, "thread", 6) == 0, text;
	if (w->compat)
		return false;
	text = who->gpu && tl_intmap_find(&w->host_pids, who->pid);
	snprintf(pid, sizeof pid, text ? "\"GPU %lld\"" : "%lld", (long long)who->pid);
	if (thread)
		snprintf(tid, sizeof tid, who->sync ? "\"sync\"" : "%lld", (long long)who->tid);
	return window_is_named(w, tl_str(what), tl_str(pid), tl_str(tid));
}

/* One M event: args {key: value}, value as JSON. */
static void put_fact(struct window *w, const char *what, const char *key, const struct who *who,
	struct tl_span value)
{
	if (is_named(w, what, who))
		return;
	tl_frame_open(w->frame, w->next_id++, 'M');
	tl_put_string(w->line, "name", tl_str(what));
	put_who(w, who);
	tl_object(w->line, "args");
	tl_put_json(w->line, key, value);
	tl_object_end(w->line);
	tl_put_text(w->line, "from", TL_LIT("name"));
	tl_frame_close(w->frame);
}

static void put_printed(struct window *w, const char *what, const char *key, const struct who *who,
	const char *format, int64_t number)
{
	char text[64];
	int n = snprintf(text, sizeof text, format, (long long)number);
	put_fact(w, what, key, who, (struct tl_span){text, (size_t)n});
}

static void put_order(struct window *w, const char *what, const struct who *who, int64_t index)
{
	put_printed(w, what, "sort_index", who, "%lld", index);
}

/* The name that a `device` or `process` line gives, else one made from the number. */
static void put_given(
	struct window *w, const struct window_numbers *given, const struct who *who, const char *format)
{
	int64_t text = 0;
	if (w->compat)
		put_fact(w, "process_name", "name", who, TL_LIT("\"python\""));
	else if (window_numbers_get(given, who->pid, &text) && (uint32_t)text != NO_TEXT)
		put_fact(w, "process_name", "name", who, window_text(w, (uint32_t)text));
	else
		put_printed(w, "process_name", "name", who, format, who->pid);
}

static void write_devices(struct window *w)
{
	struct items set = {0};
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++)
			see(&set, window_place_at(w, w->gpu[k].rows[i].place)->device, 0,
				window_ts(w, w->gpu[k].rows[i].start));
	for (size_t i = 0; i < w->nsync; i++)
		see(&set, window_sync_device(w, w->sync + i), 0, window_ts(w, w->sync[i].start));
	sort(&set);
	for (size_t i = 0; i < set.keys.n; i++) {
		struct who who = {.gpu = true, .pid = set.v[i].a, .ts = set.v[i].ts};
		put_given(w, &w->devices, &who, "\"GPU %lld\"");
		put_printed(w, "process_labels", "labels", &who, "\"GPU %lld\"", who.pid);
		put_order(w, "process_sort_index", &who, (int64_t)(UINT64_C(5000000) + (uint64_t)who.pid));
	}
	items_free(&set);
}

static void see_callers(struct window *w, struct items *pids, struct items *threads)
{
	for (int api = 0; api < 2; api++)
		for (size_t i = 0; i < w->napi[api]; i++) {
			const struct window_api_row *r = w->api[api] + i;
			if (!window_api_shown(w, r))
				continue;
			int64_t pid = ((const struct window_pair *)w->callers.items)[r->caller].a;
			see(pids, pid, 0, window_ts(w, r->start));
			see(threads, pid, window_thread(w, r), 0);
		}
}

static void write_processes(struct window *w)
{
	struct items pids = {0}, threads = {0};
	see_callers(w, &pids, &threads);
	sort(&pids);
	sort(&threads);
	for (size_t i = 0; i < pids.keys.n; i++) {
		struct who who = {.pid = pids.v[i].a, .ts = pids.v[i].ts};
		put_given(w, &w->processes, &who, "\"process %lld\"");
		put_fact(w, "process_labels", "labels", &who, TL_LIT("\"CPU\""));
		put_order(w, "process_sort_index", &who, who.pid);
	}
	for (size_t i = 0; i < threads.keys.n; i++) {
		struct who who = {.pid = threads.v[i].a, .tid = threads.v[i].b};
		put_printed(w, "thread_name", "name", &who, "\"thread %lld\"", who.tid);
		put_order(w, "thread_sort_index", &who, who.tid);
	}
	items_free(&pids);
	items_free(&threads);
}

static void write_lanes(struct window *w)
{
	struct items set = {0};
	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct window_pair *lane = (const struct window_pair *)w->lanes.items + i;
		see(&set, lane->a, lane->b, 0); /* the same numbers: nothing is left out */
	}
	sort(&set);
	for (size_t i = 0; i < set.keys.n; i++) {
		struct who who = {.gpu = true, .pid = set.v[i].a, .tid = set.v[i].b};
		uint32_t label = w->lane_info[set.v[i].at].label;
		if (label != NO_TEXT)
			put_fact(w, "thread_name", "name", &who, window_text(w, label));
		else
			put_printed(w, "thread_name", "name", &who,
				w->compat ? "\"stream %lld \"" : "\"stream %lld\"", who.tid);
		put_order(w, "thread_sort_index", &who, who.tid);
	}
	items_free(&set);
}

/* The lane of its own that synchronisation has on each device (not compat). */
static void write_sync_lanes(struct window *w)
{
	struct items set = {0};
	for (size_t i = 0; i < w->nsync && !w->compat; i++)
		see(&set, window_sync_device(w, w->sync + i), 0, 0);
	sort(&set);
	for (size_t i = 0; i < set.keys.n; i++) {
		struct who who = {.gpu = true, .sync = true, .pid = set.v[i].a};
		put_fact(w, "thread_name", "name", &who, TL_LIT("\"synchronisation\""));
		put_order(w, "thread_sort_index", &who, INT32_MAX);
	}
	items_free(&set);
}

static void write_overhead_name(struct window *w)
{
	struct who who = {.pid = -1};
	size_t shown = 0;
	for (size_t i = 0; i < w->noverhead && !shown; i++)
		shown += window_overhead_shown(w, w->overhead + i);
	if (!shown)
		return;
	put_fact(
		w, "process_name", "name", &who, w->compat ? TL_LIT("\"python\"") : TL_LIT("\"Overhead\""));
	put_fact(w, "process_labels", "labels", &who, TL_LIT("\"Overhead\""));
	put_order(w, "process_sort_index", &who, 16777216);
	put_fact(w, "thread_name", "name", &who,
		w->compat ? TL_LIT("\"thread 0\"") : TL_LIT("\"Overhead\""));
	put_order(w, "thread_sort_index", &who, 0);
}

void window_write_names(struct window *w)
{
	write_devices(w);
	write_processes(w);
	write_lanes(w);
	write_sync_lanes(w);
	write_overhead_name(w);
}
