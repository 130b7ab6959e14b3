/* The rows of a window as event records, in the order of the reference's Chrome output. */
#include "inside.h"
#include <stdlib.h>

const char *const window_gpu_kind_name[G_KINDS] = {
	"kernel", "gpu_memcpy", "gpu_memset", "graph_event_node", "graph_host_node"};
const char *const window_api_name[2] = {"cuda_runtime", "cuda_driver"};

#define FIRST_ARROW (INT64_C(1) << 40)

/* ---- pieces of a line */

/* ts and dur of an X event. */
static void put_times(struct window *w, int64_t start, int64_t end)
{
	int64_t ts = window_ts(w, start), dur = window_dur(start, end);
	tl_frame_ts(w->frame, ts);
	tl_frame_dur(w->frame, dur);
	window_span(w, ts, dur);
}

static void put_args(struct window *w)
{
	tl_args_put(&w->args, w->line, "args");
}

static void put_exact(struct window *w, const char *from, int64_t start, int64_t end)
{
	tl_put_string(w->line, "from", tl_str(from));
	tl_put_i64(w->line, "start_ns", start);
	tl_put_i64(w->line, "end_ns", end);
}

/* One end of an arrow; `args` is JSON or empty. */
static void put_flow(struct window *w, int64_t id, int64_t ts, struct tl_span args)
{
	tl_frame_ts(w->frame, ts);
	tl_put_i64(w->line, "flow", id);
	tl_put_json(w->line, "args", args);
	tl_object(w->line, "chrome");
	tl_put_i64(w->line, "id", id);
	if (w->frame->ph == 'f')
		tl_put_text(w->line, "bp", TL_LIT("e"));
	tl_object_end(w->line);
	tl_put_text(w->line, "from", TL_LIT("flow"));
	tl_frame_close(w->frame);
}

static void open_flow(struct window *w, char ph)
{
	tl_frame_open(w->frame, w->next_id++, ph);
	tl_frame_cat(w->frame, TL_LIT("ac2g"));
	tl_put_string(w->line, "name", TL_LIT("ac2g"));
}

/* Correlation 0 means that it is not known. Its external id is that of the host event which Kineto
 * traces name so. */
static void add_correlation(struct window *w, int64_t correlation)
{
	uint32_t *row = correlation ? tl_intmap_find(&w->ids, correlation) : NULL;
	if (correlation || w->compat)
		tl_args_int(&w->args, "correlation", correlation);
	if (row)
		tl_args_int(&w->args, "External id", w->external[*row - 1].external);
}

/* ---- GPU rows */

static int64_t shown_lane(const struct window_place *p)
{
	return p->moved ? p->lane : p->stream;
}

static void put_gpu_row_place(struct window *w, const struct window_place *p)
{
	window_put_gpu_pid(w, p->device);
	window_put_tid(w, shown_lane(p));
}

static void add_enum(struct window *w, const char *key, const char *enumeration, int64_t v)
{
	struct tl_span name = tl_cupti_enum(w->cupti, enumeration, v);
	if (v == ABSENT)
		return;
	if (!name.n && !w->compat && strcmp(enumeration, "copy_kind") == 0)
		name = tl_cupti_enum(w->cupti, "copy_kind_more", v);
	if (name.n)
		tl_args_str(&w->args, key, name);
	else
		tl_args_int(&w->args, key, v);
}

static void add_ints(struct tl_args *a, const char *const *keys, const int64_t *v)
{
	for (; *keys; keys++)
		window_args_known(a, *keys, *v++);
}

static int64_t shared_memory(const int64_t *v)
{
	if (v[8] == ABSENT || v[9] == ABSENT)
		return v[8] == ABSENT ? v[9] : v[8];
	return tl_ns_add(v[8], v[9]);
}

static void add_kind_args(
	struct window *w, enum window_gpu_kind k, const int64_t *v, int64_t queued)
{
	static const char *const channel[] = {"flags", "channel", "channel_type", NULL};
	struct tl_args *a = &w->args;
	switch (k) {
	case G_KERNEL:
		window_args_triple(a, "grid", v + 1);
		window_args_triple(a, "block", v + 4);
		window_args_known(a, "registers per thread", v[7]);
		window_args_known(a, "shared memory", shared_memory(v));
		window_args_known(a, "priority", v[10]);
		window_args_known(a, "queued", queued || w->compat ? queued : ABSENT);
		add_ints(a, channel + 1, v + 11);
		break;
	case G_MEMCPY:
		window_args_known(a, "bytes", v[0]);
		add_enum(w, "copy kind", "copy_kind", v[1]);
		add_enum(w, "src kind", "memory_kind", v[2]);
		add_enum(w, "dst kind", "memory_kind", v[3]);
		add_ints(a, channel, v + 4);
		break;
	case G_MEMSET:
		window_args_known(a, "bytes", v[0]);
		window_args_known(a, "value", v[1]);
		if (w->compat)
			window_args_known(a, "memory kind", v[2]);
		else
			add_enum(w, "memory kind", "memory_kind", v[2]);
		add_ints(a, channel, v + 3);
		break;
	case G_HOST:
		window_args_known(a, "host process", v[0]);
		window_args_known(a, "host thread", v[1]);
		break;
	default:
		break;
	}
}

/* The columns that args cannot hold as they were. */
static void put_columns(struct window *w, enum window_gpu_kind k, const struct window_gpu_row *r,
	const int64_t *v, int64_t queued)
{
	static const char *const kernel[] = {
		"registers", "static_shared", "dynamic_shared", "priority", NULL};
	static const char *const channel[] = {"channel", "channel_type", NULL};
	const struct window_place *p = window_place_at(w, r->place);
	struct tl_args *a = &w->args;
	tl_args_clear(a);
	if (k == G_KERNEL && (uint32_t)v[0] != NO_TEXT)
		tl_args_add(a, TL_LIT("name"), window_text(w, (uint32_t)v[0]));
	tl_args_int(a, "device", p->device);
	tl_args_int(a, "context", p->context);
	tl_args_int(a, "stream", p->stream);
	tl_args_int(a, "correlation", r->correlation);
	if (k == G_KERNEL) {
		window_args_triple(a, "grid", v + 1);
		window_args_triple(a, "block", v + 4);
		add_ints(a, kernel, v + 7);
		window_args_known(a, "queued", queued || w->compat ? queued : ABSENT);
		add_ints(a, channel, v + 11);
	} else if (k == G_MEMCPY || k == G_MEMSET) {
		add_ints(a, channel, v + (k == G_MEMCPY ? 5 : 4));
		window_args_known(a, "bytes", v[0]);
	}
	if (k == G_MEMSET) {
		window_args_known(a, "value", v[1]);
		window_args_known(a, "memory_kind", v[2]);
	}
	if (p->graph)
		tl_args_int(a, "graph_id", p->graph);
	if (p->node)
		tl_args_int(a, "graph_node", p->node);
	if (p->moved) {
		tl_args_int(a, "lane", p->lane);
		if (p->lane_name != NO_TEXT)
			tl_args_add(a, TL_LIT("lane_name"), window_text(w, p->lane_name));
	}
	tl_args_put(a, w->line, "window");
	if (w->extra.n) {
		w->line->b.n--; /* its brace */
		tl_args_put(&w->extra, w->line, "extra");
		tl_object_end(w->line);
	}
}

static void put_waits(struct window *w, const struct window_gpu_row *r)
{
	const struct window_place *p = window_place_at(w, r->place);
	const struct window_fact *f = p->fact ? w->facts + p->fact - 1 : NULL;
	if (!f || !f->ndeps)
		return;
	tl_list(w->line, "waits");
	for (size_t i = 0; i < f->ndeps; i++) {
		size_t at, row = window_node_row(w, r->correlation, w->deps[f->deps + i]);
		if (row == SIZE_MAX || (!r->correlation && !w->compat))
			continue;
		enum window_gpu_kind k = window_row_kind(w, row, &at);
		tl_put_u64(w->line, NULL, w->gpu[k].first_id + at);
	}
	tl_list_end(w->line);
}

static void put_row_name(
	struct window *w, enum window_gpu_kind k, const struct window_place *p, uint32_t kernel)
{
	static const char *const names[] = {"", "Memcpy", "Memset", "EventRecord", "HostNode"};
	struct tl_span fn = window_text(w, p->host_fn);
	if (fn.n > 2 && (k == G_HOST || (w->compat && window_spreads(w, k)))) {
		tl_put_key(w->line, "name");
		tl_buf_lit(&w->line->b, "\"HostNode: ");
		tl_buf_add(&w->line->b, fn.p + 1, fn.n - 1);
	} else if (k == G_KERNEL && kernel != NO_TEXT) {
		tl_put_json(w->line, "name", window_text(w, kernel));
	} else {
		tl_put_string(w->line, "name", tl_str(names[k]));
	}
}

static void write_gpu_row(struct window *w, enum window_gpu_kind k, size_t i)
{
	const struct window_gpu_row *r = w->gpu[k].rows + i;
	const struct window_place *p = window_place_at(w, r->place);
	int64_t v[WHAT_MAX], queued = k == G_KERNEL ? w->gpu[k].queued[i] : 0;
	window_what_get(w, r->what, v);
	tl_args_clear(&w->args);
	tl_args_int(&w->args, "device", p->device);
	tl_args_int(&w->args, "context", p->context);
	tl_args_int(&w->args, "stream", p->stream);
	add_correlation(w, r->correlation);
	add_kind_args(w, k, v, queued);
	window_spread(w, k, r);
	tl_frame_open(w->frame, w->next_id++, 'X');
	tl_frame_cat(w->frame, tl_str(window_gpu_kind_name[k]));
	put_row_name(w, k, p, (uint32_t)v[0]);
	put_gpu_row_place(w, p);
	put_times(w, r->start, r->end);
	tl_args_hoist(&w->args, w->line);
	put_args(w);
	put_exact(w, window_gpu_kind_name[k], r->start, r->end);
	put_waits(w, r);
	put_columns(w, k, r, v, queued);
	tl_frame_close(w->frame);
}

static void write_gpu(struct window *w)
{
	for (unsigned k = 0; k < G_KINDS; k++) {
		const struct window_gpu *g = w->gpu + k;
		for (size_t i = 0; i < g->n; i++)
			write_gpu_row(w, k, i);
		for (size_t i = 0; i < g->n; i++) {
			if (!g->flow[i])
				continue;
			open_flow(w, 'f');
			put_gpu_row_place(w, window_place_at(w, g->rows[i].place));
			put_flow(
				w, g->rows[i].correlation, window_ts(w, g->rows[i].start), (struct tl_span){0});
		}
	}
}

/* ---- graph arrows */

static const struct window_gpu_row *node_row(const struct window *w, size_t row)
{
	size_t i;
	enum window_gpu_kind k = window_row_kind(w, row, &i);
	return w->gpu[k].rows + i;
}

/* From the end of `from` to the start of `to`; never backwards unless the reference says so. */
static void write_arrow(
	struct window *w, const struct window_gpu_row *from, const struct window_gpu_row *to)
{
	int64_t ts = window_ts(w, from->end), end = window_ts(w, to->start);
	int64_t id = FIRST_ARROW + (int64_t)w->next_arrow++;
	w->text.n = 0;
	if (!w->compat && ts > end) {
		tl_buf_lit(&w->text, "{\"clamped_us\":");
		tl_buf_us(&w->text, tl_ns_sub(ts, end));
		tl_buf_ch(&w->text, '}');
		w->totals.clamped++;
		ts = end;
	}
	open_flow(w, 's');
	put_gpu_row_place(w, window_place_at(w, from->place));
	put_flow(w, id, ts, tl_buf_all(&w->text));
	open_flow(w, 'f');
	put_gpu_row_place(w, window_place_at(w, to->place));
	put_flow(w, id, end, (struct tl_span){0});
}

static void write_arrows_to(struct window *w, const struct window_gpu_row *to)
{
	const struct window_place *p = window_place_at(w, to->place);
	if (!p->fact)
		return;
	const struct window_fact *f = w->facts + p->fact - 1;
	for (size_t i = 0; i < f->ndeps; i++) {
		size_t row = window_node_row(w, to->correlation, w->deps[f->deps + i]);
		if (row != SIZE_MAX)
			write_arrow(w, node_row(w, row), to);
	}
}

/* Group by group in order of first sight, in a group by first sight of the node. */
static void write_arrows(struct window *w)
{
	size_t *at = tl_calloc(w->ngroups + 1, sizeof *at);
	uint32_t *order = tl_calloc(w->nnodes, sizeof *order);
	for (size_t i = 0; i < w->nnodes; i++)
		at[w->nodes[i].group + 1]++;
	for (size_t g = 0; g < w->ngroups; g++)
		at[g + 1] += at[g];
	for (size_t i = 0; i < w->nnodes; i++)
		order[at[w->nodes[i].group]++] = (uint32_t)i;
	for (size_t i = 0; i < w->nnodes; i++)
		write_arrows_to(w, node_row(w, w->nodes[order[i]].row));
	free(at);
	free(order);
}

/* ---- API calls, overhead, synchronisation */

/* An arrow starts at a launch: by name under compat, else at the first call of a correlation whose
 * arrow ends somewhere. */
static bool starts_flow(struct window *w, const struct window_api_row *r)
{
	if (!r->correlation)
		return false;
	if (w->compat)
		return w->call_info[r->call].flow;
	uint32_t *bits = tl_intmap_find(&w->by_correlation, r->correlation);
	if (!bits || !(*bits & CORR_ENDS) || *bits & CORR_STARTED)
		return false;
	*bits |= CORR_STARTED;
	return true;
}

static void write_api_row(struct window *w, unsigned api, const struct window_api_row *r)
{
	const struct window_call_info *c = w->call_info + r->call;
	int64_t pid = ((const struct window_pair *)w->callers.items)[r->caller].a;
	int64_t tid = window_thread(w, r);
	tl_args_clear(&w->args);
	if (w->compat || c->cbid)
		tl_args_int(&w->args, "cbid", c->cbid);
	add_correlation(w, r->correlation);
	tl_frame_open(w->frame, w->next_id++, 'X');
	tl_frame_cat(w->frame, tl_str(window_api_name[api]));
	tl_put_json(w->line, "name", window_text(w, c->name));
	tl_put_i64(w->line, "pid", pid);
	window_put_tid(w, tid);
	put_times(w, r->start, r->end);
	tl_args_hoist(&w->args, w->line);
	put_args(w);
	put_exact(w, window_api_name[api], r->start, r->end);
	tl_object(w->line, "window");
	tl_put_i64(w->line, "tid", tid);
	tl_object_end(w->line);
	tl_frame_close(w->frame);
	if (!starts_flow(w, r))
		return;
	open_flow(w, 's');
	tl_put_i64(w->line, "pid", pid);
	window_put_tid(w, tid);
	put_flow(w, r->correlation, window_ts(w, r->start), (struct tl_span){0});
}

static void write_api(struct window *w)
{
	for (unsigned api = 0; api < 2; api++)
		for (size_t i = 0; i < w->napi[api]; i++)
			if (window_api_shown(w, w->api[api] + i))
				write_api_row(w, api, w->api[api] + i);
}

static void write_overhead(struct window *w)
{
	for (size_t i = 0; i < w->noverhead; i++) {
		const struct window_overhead_row *r = w->overhead + i;
		if (!window_overhead_shown(w, r))
			continue;
		tl_args_clear(&w->args);
		tl_frame_open(w->frame, w->next_id++, 'X');
		tl_frame_cat(w->frame, TL_LIT("overhead"));
		tl_put_json(w->line, "name", window_text(w, r->name));
		tl_put_i64(w->line, "pid", -1);
		tl_put_i64(w->line, "tid", 0);
		put_times(w, r->start, r->end);
		put_args(w);
		put_exact(w, "overhead", r->start, r->end);
		tl_frame_close(w->frame);
	}
}

static void add_wait_args(struct window *w, const struct window_sync_row *r)
{
	int64_t record = -1, stream = -1;
	if (r->sync_id) {
		window_numbers_get(&w->event_records, r->sync_id, &record);
		if (!w->compat)
			window_numbers_get(&w->event_stream, r->sync_id, &stream);
	}
	tl_args_int(&w->args, "wait_on_stream", stream);
	tl_args_int(&w->args, "wait_on_cuda_event_id", r->event);
	tl_args_int(&w->args, "wait_on_cuda_event_record_corr_id", record);
}

static void write_sync_row(struct window *w, const struct window_sync_row *r)
{
	struct tl_span name = tl_cupti_enum(w->cupti, "sync", r->type);
	int64_t device = window_sync_device(w, r);
	w->text.n = 0;
	if (!name.n) {
		tl_buf_printf(&w->text, "sync_%lld", (long long)r->type);
		name = tl_buf_all(&w->text);
	}
	tl_args_clear(&w->args);
	tl_args_str(&w->args, "cuda_sync_kind", name);
	tl_args_int(&w->args, "stream", r->stream);
	add_correlation(w, r->correlation);
	tl_args_int(&w->args, "device", device);
	tl_args_int(&w->args, "context", r->context);
	if (r->type == 1 || r->type == 2)
		add_wait_args(w, r);
	tl_frame_open(w->frame, w->next_id++, 'X');
	tl_frame_cat(w->frame, TL_LIT("cuda_sync"));
	tl_put_string(w->line, "name", name);
	window_put_gpu_pid(w, device);
	if (w->compat)
		window_put_tid(w, r->stream);
	else
		tl_put_string(w->line, "tid", TL_LIT("sync"));
	put_times(w, r->start, r->end);
	tl_args_hoist(&w->args, w->line);
	put_args(w);
	put_exact(w, "cuda_sync", r->start, r->end);
	tl_args_clear(&w->args);
	tl_args_int(&w->args, "device", device);
	tl_args_int(&w->args, "context", r->context);
	tl_args_int(&w->args, "stream", r->stream);
	tl_args_int(&w->args, "correlation", r->correlation);
	tl_args_put(&w->args, w->line, "window");
	tl_frame_close(w->frame);
}

/* ---- annotations on the GPU */

/* A user annotation over the ops of a lane that were launched under it. */
struct span {
	int64_t id, device, lane, start, end;
	uint32_t at; /* in lanes: of the original stream under compat, else as drawn */
};

static int by_id(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static void add_to_span(struct window *w, struct window_intern *keys, struct span **spans,
	size_t *cap, const struct window_gpu_row *r)
{
	uint32_t *row = r->correlation ? tl_intmap_find(&w->regions, r->correlation) : NULL;
	const struct window_place *p = window_place_at(w, r->place);
	if (!row)
		return;
	uint32_t lane = w->compat ? p->home : p->shown;
	struct window_pair key = {w->external[*row - 1].user, lane};
	size_t n = keys->n;
	uint32_t i = window_intern(keys, &key);
	TL_GROW(*spans, i, *cap);
	struct span *s = *spans + i;
	if (keys->n > n)
		*s = (struct span){
			key.a, p->device, w->compat ? p->stream : shown_lane(p), r->start, r->end, lane};
	if (r->start < s->start)
		s->start = r->start;
	if (r->end > s->end)
		s->end = r->end;
}

static void write_span(struct window *w, const struct span *s)
{
	int64_t text, start = s->start, end = s->end;
	window_numbers_get(&w->annotations, s->id, &text);
	if ((uint32_t)text == NO_TEXT || (w->compat && !w->lane_info[s->at].stays))
		return;
	if (w->compat) {
		int64_t dur = tl_ns_add(tl_ns_sub(end, start), 2);
		start = tl_ns_sub(start, 1) > w->base ? tl_ns_sub(start, 1) : w->base;
		end = tl_ns_add(start, dur);
	}
	tl_args_clear(&w->args);
	tl_args_int(&w->args, "External id", s->id);
	tl_frame_open(w->frame, w->next_id++, 'X');
	tl_frame_cat(w->frame, TL_LIT("gpu_user_annotation"));
	tl_put_json(w->line, "name", window_text(w, (uint32_t)text));
	window_put_gpu_pid(w, s->device);
	window_put_tid(w, s->lane);
	put_times(w, start, end);
	tl_args_hoist(&w->args, w->line);
	put_args(w);
	put_exact(w, "gpu_user_annotation", start, end);
	tl_args_clear(&w->args);
	tl_args_add(&w->args, TL_LIT("name"), window_text(w, (uint32_t)text));
	tl_args_int(&w->args, "device", s->device);
	tl_args_int(&w->args, "stream", s->lane);
	tl_args_put(&w->args, w->line, "window");
	tl_frame_close(w->frame);
}

static void write_spans(struct window *w)
{
	struct window_intern keys = {.size = sizeof(struct window_pair)};
	struct span *spans = NULL;
	size_t cap = 0;
	if (!w->regions.n)
		return;
	for (unsigned k = G_KERNEL; k <= G_MEMSET; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++)
			add_to_span(w, &keys, &spans, &cap, w->gpu[k].rows + i);
	if (keys.n)
		qsort(spans, keys.n, sizeof *spans, by_id);
	for (size_t i = 0; i < keys.n; i++)
		write_span(w, spans + i);
	window_intern_free(&keys);
	free(spans);
}

/* ---- closing events */

static void write_mark(
	struct window *w, const char *name, const char *pid, const char *tid, int64_t ts)
{
	tl_frame_open(w->frame, w->next_id++, 'i');
	tl_put_string(w->line, "name", tl_str(name));
	tl_put_string(w->line, "pid", tl_str(pid));
	tl_put_string(w->line, "tid", tl_str(tid));
	tl_frame_ts(w->frame, ts);
	tl_put_json(w->line, "chrome", TL_LIT("{\"s\":\"g\"}"));
	tl_put_string(w->line, "from", TL_LIT("trace"));
	tl_frame_close(w->frame);
}

static void write_closing(struct window *w)
{
	int64_t first = w->span_first, last = w->span_last;
	if (w->compat && last < 0)
		last = 0;
	tl_args_clear(&w->args);
	tl_args_int(&w->args, "Op count", w->compat ? 0 : (int64_t)w->cpu_ops);
	tl_frame_open(w->frame, w->next_id++, 'X');
	tl_frame_cat(w->frame, TL_LIT("Trace"));
	tl_put_string(w->line, "name", TL_LIT("PyTorch Profiler (0)"));
	tl_put_string(w->line, "pid", TL_LIT("Spans"));
	tl_put_string(w->line, "tid", TL_LIT("PyTorch Profiler"));
	tl_frame_ts(w->frame, first);
	tl_frame_dur(w->frame, tl_ns_sub(last, first));
	put_args(w);
	tl_put_string(w->line, "from", TL_LIT("trace"));
	tl_frame_close(w->frame);
	write_mark(w, "Iteration Start: PyTorch Profiler", "Traces", "Trace PyTorch Profiler", first);
	write_mark(w, "Record Window End", "", "", tl_ns_add(last, 1));
}

/* ---- all of it */

static void write_metas(struct window *w)
{
	for (int header = 0; header < 2; header++)
		for (size_t i = 0; i < w->ntops; i++) {
			const struct window_top *t = w->tops + i;
			if (t->header != header || (header && tl_intmap_find(&w->top_at, (int64_t)t->key << 1)))
				continue;
			tl_frame_meta(w->frame, window_text(w, t->key), window_text(w, t->value));
		}
}

/* Host events up to number `until`, under new ids. */
static void write_held(struct window *w, uint64_t *next, uint64_t until)
{
	for (; *next < until; (*next)++) {
		struct window_held_block *h = w->held;
		struct window_held_event e;
		memcpy(&e, h->p + h->read, sizeof e);
		tl_record(w->line, "event", w->frame->trace);
		tl_put_u64(w->line, "id", w->next_id++);
		tl_buf_add(&w->line->b, h->p + h->read + sizeof e, e.n);
		tl_frame_event(w->frame, tl_buf_all(&w->line->b), &e.mark);
		h->read += sizeof e + e.n;
		if (h->read == h->n) {
			w->held = h->next;
			free(h);
		}
	}
}

static void number_rows(struct window *w)
{
	uint64_t id = w->next_id;
	for (unsigned k = 0; k < G_KINDS; k++) {
		w->gpu[k].first_id = id;
		id += w->gpu[k].n + w->gpu[k].flows;
	}
}

void window_write(struct window *w, struct tl_frame *frame)
{
	uint64_t held = 0;
	w->frame = frame;
	w->line = &frame->line;
	write_metas(w);
	write_held(w, &held, w->leading);
	window_write_names(w);
	write_held(w, &held, w->nheld);
	number_rows(w);
	write_gpu(w);
	write_arrows(w);
	write_api(w);
	write_overhead(w);
	for (size_t i = 0; i < w->nsync; i++)
		write_sync_row(w, w->sync + i);
	write_spans(w);
	window_write_counters(w);
	write_closing(w);
}
