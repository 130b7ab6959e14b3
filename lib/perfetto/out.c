#include "out.h"
#include "../json/json.h"
#include "out_inside.h"
#include "../format/format.h"
#include <stdlib.h>

struct tl_perfetto *tl_perfetto_new(
	struct tl_target *target, struct tl_perfetto_options o, struct tl_error *e)
{
	struct tl_cupti *cupti = o.compat ? tl_cupti_open(e) : NULL;
	struct tl_perfetto *t;

	if (o.compat && !cupti)
		return NULL;
	t = tl_calloc(1, sizeof *t);

	t->target = target;
	t->merge = o.merge;
	t->compat = o.compat;
	t->annotate = o.annotate ? tl_annotate_new() : NULL;
	t->gpus = tl_pool_new();
	t->queue_keys = tl_pool_new();
	t->cupti = cupti;
	return t;
}

/* ---- times and places ---- */

/* When an event starts and ends. False when it has no time, or one that the format cannot hold. */
static bool times(
	const struct tl_perfetto *t, const struct tl_event *e, int64_t *start, int64_t *end)
{
	bool exact = tl_json_i64(e->f[TL_F_START_NS], start);

	if (!exact && !e->has_ts)
		return false;
	if (!exact)
		*start = tl_ns_add(tl_ns_add(e->ts, t->rebase), t->base);
	if (!exact || !tl_json_i64(e->f[TL_F_END_NS], end))
		*end = e->has_dur ? tl_ns_add(*start, e->dur) : *start;
	if (*end < *start)
		*end = *start;
	return *start > INT64_MIN / 2 && *end < INT64_MAX;
}

static uint32_t thread_of(struct tl_perfetto *t, const struct tl_event *e)
{
	struct tl_span pid = e->f[TL_F_PID], tid = e->f[TL_F_TID];
	struct tl_buf process = {0}, thread = {0};
	bool plain = pid.n && !tl_json_is_string(pid);

	if (!pid.n || pf_inner(e, TL_F_PID).n == 0)
		tl_buf_lit(&process, "no process");
	else if (plain)
		tl_buf_printf(&process, "process %.*s", (int)pid.n, pid.p);
	if (!tid.n || pf_inner(e, TL_F_TID).n == 0)
		tl_buf_lit(&thread, "no thread");
	else if (!tl_json_is_string(tid))
		tl_buf_printf(&thread, "thread %.*s", (int)tid.n, tid.p);
	uint64_t uuid = pf_thread(&t->tracks, pid, tid, tl_buf_all(&process), tl_buf_all(&thread));
	tl_buf_free(&process);
	tl_buf_free(&thread);
	return (uint32_t)uuid;
}

/* ---- events ---- */

static void add_slice(
	struct tl_perfetto *t, uint32_t line, const struct tl_event *e, enum pf_row row, uint32_t track)
{
	int64_t start, end;

	if (!times(t, e, &start, &end)) {
		t->left_out++;
		return;
	}
	PF_MORE(t->slices);
	PF_LAST(t->slices) = (struct pf_slice){
		.start = start, .end = end, .line = line, .track = track, .row = (uint8_t)row};
	t->slice_of[line] = (uint32_t)t->slices.n;
	t->last = end > t->last ? end : t->last;
}

static void add_stage(
	struct tl_perfetto *t, uint32_t line, const struct tl_event *e, enum pf_stage_kind kind)
{
	int64_t start, end;

	if (!times(t, e, &start, &end)) {
		t->left_out++;
		return;
	}
	PF_MORE(t->stages);
	PF_LAST(t->stages) = (struct pf_stage){.start = start,
		.end = end,
		.line = line,
		.queue = pf_queue_of(t, e),
		.kind = (uint8_t)kind};
}

static void add_half(
	struct tl_perfetto *t, uint32_t line, const struct tl_event *e, uint32_t track, bool is_end)
{
	int64_t start, end;

	if (!times(t, e, &start, &end)) {
		t->left_out++;
		return;
	}
	PF_MORE(t->halves);
	PF_LAST(t->halves) = (struct pf_half){.ts = start, .line = line, .track = track, .end = is_end};
	t->last = start > t->last ? start : t->last;
}

static void add_sample(struct tl_perfetto *t, uint32_t line, const struct tl_event *e, bool gpu)
{
	int64_t start, end;

	if (!times(t, e, &start, &end)) {
		t->left_out++;
		return;
	}
	PF_MORE(t->samples);
	PF_LAST(t->samples) = (struct pf_sample){.ts = start, .line = line, .gpu = gpu};
}

/* Async spans with one category and id share a track. */
static uint32_t async_track(struct tl_perfetto *t, const struct tl_event *e)
{
	struct tl_span id = tl_json_get(e->f[TL_F_CHROME], TL_LIT("id"));
	struct tl_buf key = {0};

	if (!id.n)
		id = tl_json_get(e->f[TL_F_CHROME], TL_LIT("id2"));
	tl_buf_span(&key, e->f[TL_F_CAT]);
	tl_buf_ch(&key, '\n');
	tl_buf_span(&key, id);
	uint64_t uuid = pf_plain_track(
		&t->tracks, PF_TRACK_ASYNC, e->f[TL_F_PID], tl_buf_all(&key), pf_text(t, e->f[TL_F_NAME]));
	tl_buf_free(&key);
	return (uint32_t)uuid;
}

/* An event of the trace itself, by its phase. */
static void add_event(struct tl_perfetto *t, uint32_t line, const struct tl_event *e)
{
	enum tl_cat cat = tl_cat_of(e->f[TL_F_CAT]);

	if (tl_event_is_gpu_op(e)) {
		add_stage(t, line, e, PF_KERNEL + (cat - TL_CAT_KERNEL));
		return;
	}
	switch (e->ph) {
	case 'X':
	case 'i':
	case 'I':
	case 'R':
		add_slice(t, line, e,
			tl_cat_is_launch(cat)          ? PF_API
			: cat == TL_CAT_GPU_ANNOTATION ? PF_GPU_SPAN
										   : PF_PLAIN,
			thread_of(t, e));
		return;
	case 'B':
		t->joined = t->joined || e->has_dur;
		if (e->has_dur)
			add_slice(t, line, e, PF_PLAIN, thread_of(t, e));
		else
			add_half(t, line, e, thread_of(t, e), false);
		return;
	case 'E':
		add_half(t, line, e, thread_of(t, e), true);
		return;
	case 'b':
	case 'e':
		add_half(t, line, e, async_track(t, e), e->ph == 'e');
		return;
	case 'n':
		add_slice(t, line, e, PF_PLAIN, async_track(t, e));
		return;
	case 's':
	case 't':
	case 'f':
		pf_take_point(t, line, e);
		return;
	case 'C':
		add_sample(t, line, e, false);
		return;
	case 'M':
		return;
	}
	t->left_out++;
}

static enum pf_stage_kind stage_kind(struct tl_span from)
{
	static const struct tl_span names[] = {TL_LIT("kernel"), TL_LIT("gpu_memcpy"),
		TL_LIT("gpu_memset"), TL_LIT("gpu_user_annotation"), TL_LIT("graph_event_node"),
		TL_LIT("graph_host_node")};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (tl_span_eq(from, names[i]))
			return PF_KERNEL + (enum pf_stage_kind)i;
	return 0;
}

static bool is_api(struct tl_span from)
{
	return tl_span_eq(from, TL_LIT("cuda_runtime")) || tl_span_eq(from, TL_LIT("cuda_driver"));
}

/* A row of the window, or an event that the merge made. Flows and names among these say what the
 * rows say themselves. */
static void add_row(
	struct tl_perfetto *t, uint32_t line, const struct tl_event *e, struct tl_span from)
{
	enum pf_stage_kind kind = stage_kind(from);
	bool sync = tl_span_eq(from, TL_LIT("cuda_sync"));
	bool overhead = tl_span_eq(from, TL_LIT("overhead"));

	if (kind && (t->compat || kind != PF_ANNOTATION)) {
		add_stage(t, line, e, kind);
	} else if (is_api(from) || sync || overhead) {
		enum pf_row row = sync ? PF_SYNC : overhead ? PF_OVERHEAD : PF_API;
		add_slice(t, line, e, row, t->compat ? 0 : thread_of(t, e));
	} else if (e->ph == 'C') {
		add_sample(t, line, e, true);
	} else if (!t->compat && !tl_span_eq(from, TL_LIT("flow"))) {
		add_event(t, line, e);
	}
}

/* An event without a ts starts at the base, to the reference. */
static void add_original(struct tl_perfetto *t, uint32_t line, struct tl_event *e)
{
	if (!t->compat) {
		if (!t->window || !tl_is_replaced(e))
			add_event(t, line, e);
		return;
	}
	if (!pf_reference_slice(e))
		return;
	if (!e->has_ts)
		e->has_ts = true, e->ts = 0;
	add_slice(t, line, e, PF_PLAIN, 0);
}

static void take_name(struct tl_perfetto *t, const struct tl_event *e, bool original)
{
	struct tl_span args = e->f[TL_F_ARGS], what = pf_inner(e, TL_F_NAME), name;

	if (e->ph != 'M' || (t->compat && !original))
		return;
	name = tl_json_get(args, what.n == 14 ? TL_LIT("labels") : TL_LIT("name"));
	if (tl_json_is_string(name))
		pf_tracks_name(&t->tracks, what, e->f[TL_F_PID], e->f[TL_F_TID], pf_text(t, name));
}

static void add_all(struct tl_perfetto *t)
{
	for (uint32_t i = 0; i < t->held.n; i++) {
		struct tl_event e = pf_event(t, i);
		take_name(t, &e, !e.f[TL_F_FROM].n);
	}
	for (uint32_t i = 0; i < t->held.n; i++) {
		struct tl_event e = pf_event(t, i);
		if (e.f[TL_F_FROM].n)
			add_row(t, i, &e, pf_inner(&e, TL_F_FROM));
		else
			add_original(t, i, &e);
	}
}

/* ---- the document ---- */

static void write_clock(struct tl_perfetto *t)
{
	TracePacket p = TRACE_PACKET__INIT;
	ClockSnapshot s = CLOCK_SNAPSHOT__INIT;
	ClockSnapshot__Clock boot = CLOCK_SNAPSHOT__CLOCK__INIT, real = CLOCK_SNAPSHOT__CLOCK__INIT;
	ClockSnapshot__Clock *clocks[] = {&boot, &real};

	boot.clock_id = BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME;
	real.clock_id = BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
	for (int i = 0; i < 2; i++) {
		clocks[i]->timestamp = (uint64_t)t->base;
		clocks[i]->has_clock_id = clocks[i]->has_timestamp = true;
	}
	s.n_clocks = 2;
	s.clocks = clocks;
	p.clock_snapshot = &s;
	pf_put(&t->pf, &p, t->base);
}

static void choose_base(struct tl_perfetto *t)
{
	if (!t->has_base)
		t->has_base = tl_json_i64(tl_json_inner(tl_buf_all(&t->base_text)), &t->base);
	t->has_base = t->has_base && t->base >= 0;
	if (!t->has_base)
		t->base = 0;
}

/* Perfetto drops what is before its zero: a trace with such times and no base is moved, whole. */
static void lift(struct tl_perfetto *t)
{
	int64_t first = 0;

	for (size_t i = 0; i < t->slices.n; i++)
		first = t->slices.v[i].start < first ? t->slices.v[i].start : first;
	for (size_t i = 0; i < t->stages.n; i++)
		first = t->stages.v[i].start < first ? t->stages.v[i].start : first;
	for (size_t i = 0; i < t->samples.n; i++)
		first = t->samples.v[i].ts < first ? t->samples.v[i].ts : first;
	if (first == 0)
		return;
	for (size_t i = 0; i < t->slices.n; i++)
		t->slices.v[i].start -= first, t->slices.v[i].end -= first;
	for (size_t i = 0; i < t->stages.n; i++)
		t->stages.v[i].start -= first, t->stages.v[i].end -= first;
	for (size_t i = 0; i < t->samples.n; i++)
		t->samples.v[i].ts -= first;
	for (size_t i = 0; i < t->points.n; i++)
		t->points.v[i].ts -= first;
}

static bool open_document(struct tl_perfetto *t, struct tl_error *e)
{
	if (t->open)
		return true;
	if (!tl_target_open(t->target, tl_buf_all(&t->rank), e))
		return false;
	pf_init(&t->pf, &t->target->out);
	pf_tracks_init(&t->tracks, t->compat);
	tl_pool_clear(t->gpus);
	tl_intmap_free(&t->gpu_numbers);
	t->gpu_numbers = (struct tl_intmap){0};
	t->next_gpu = 0;
	t->next_flow = t->next_event = t->next_context = t->next_counters = 1;
	t->next_queue = 100;
	t->next_counter = 0;
	t->open = true;
	return true;
}

static void close_document(struct tl_perfetto *t)
{
	pf_free(&t->pf);
	pf_tracks_free(&t->tracks);
	t->open = false;
	tl_target_end(t->target);
}

static bool end(
	struct tl_perfetto *t, struct tl_stream *s, const struct tl_record *r, struct tl_error *e)
{
	bool first = !t->open;

	if (!t->rank.n && r->kind == TL_END)
		tl_buf_span(&t->rank, tl_json_get(r->line, TL_LIT("rank")));
	if (!open_document(t, e))
		return false;
	t->text.n = 0;
	if (t->merge)
		tl_target_label(t->target, tl_buf_all(&t->rank), &t->text);
	pf_tracks_begin(&t->tracks, tl_buf_all(&t->text));
	choose_base(t);
	if (t->has_base && first)
		write_clock(t);
	if (t->annotate)
		tl_annotate_draw(t->annotate, &t->held, s, r->trace, false);
	t->stage_of = tl_calloc(t->held.n + 1, sizeof *t->stage_of);
	t->slice_of = tl_calloc(t->held.n + 1, sizeof *t->slice_of);
	add_all(t);
	if (t->compat)
		pf_reference_tracks(t);
	pf_join_halves(t);
	lift(t);
	pf_order_stages(t);
	pf_order_slices(t);
	pf_link_stages(t);
	pf_bind_points(t);
	pf_place_slices(t);
	pf_write_counters(t);
	pf_tracks_write(&t->tracks, &t->pf);
	if (!t->compat && !t->merge)
		pf_write_gpus(t);
	pf_write_slices(t);
	pf_write_stages(t);
	tl_held_clear(&t->held, s);
	free(t->stage_of);
	free(t->slice_of);
	free(t->sequence);
	t->sequence = NULL;
	t->inside = false;
	if (!t->merge)
		close_document(t);
	return true;
}

/* ---- records ---- */

static void begin(struct tl_perfetto *t, const struct tl_record *r)
{
	struct tl_span head = r->kind == TL_TRACE ? r->line : TL_LIT("{}");
	struct tl_span rank = tl_json_get(head, TL_LIT("rank"));

	t->inside = true;
	t->rank.n = t->base_text.n = t->devices.n = 0;
	tl_buf_span(&t->rank, rank);
	t->window = tl_span_has_nocase(tl_json_get(head, TL_LIT("format")), TL_LIT("window"));
	t->has_base = tl_json_i64(tl_json_get(head, TL_LIT("base_ns")), &t->base);
	if (!tl_ns_parse(tl_json_get(head, TL_LIT("rebase_us")), &t->rebase))
		t->rebase = 0;
	t->slices.n = t->halves.n = t->stages.n = t->points.n = t->chains.n = t->samples.n = 0;
	for (size_t i = 0; i < t->queues.n; i++)
		tl_buf_free(&t->queues.v[i].label);
	t->queues.n = 0;
	tl_pool_clear(t->queue_keys);
	t->joined = false;
	t->last = 0;
}

static void take_meta(struct tl_perfetto *t, const struct tl_record *r)
{
	struct tl_span key = tl_json_inner(tl_json_get(r->line, TL_LIT("key")));
	struct tl_span value = tl_json_get(r->line, TL_LIT("value"));
	struct tl_buf *b = tl_span_eq(key, TL_LIT("baseTimeNanoseconds")) ? &t->base_text
					   : tl_span_eq(key, TL_LIT("deviceProperties"))  ? &t->devices
																	  : NULL;

	if (!b)
		return;
	b->n = 0;
	tl_buf_span(b, value);
}

static void take_event(struct tl_perfetto *t, struct tl_stream *s, const struct tl_record *r)
{
	struct tl_event e;

	if (tl_event_read(r->line, &e))
		tl_held_add(&t->held, s, r, e.id);
	else
		tl_stream_bad(s, r);
}

bool tl_perfetto_take(
	struct tl_perfetto *t, struct tl_stream *s, const struct tl_record *r, struct tl_error *e)
{
	if (r->kind == TL_DERIVED && (!t->annotate || !t->inside))
		return true;
	if (!t->inside)
		begin(t, r);
	if (r->kind == TL_DERIVED) {
		tl_stream_hold(s, true);
		tl_annotate_take(t->annotate, r);
	}
	if (r->kind == TL_META)
		take_meta(t, r);
	if (r->kind == TL_EVENT)
		take_event(t, s, r);
	return (r->kind != TL_END && r->kind != TL_CUT) || end(t, s, r, e);
}

uint64_t tl_perfetto_close(struct tl_perfetto *t)
{
	uint64_t left_out = t->left_out;

	if (t->open)
		close_document(t);
	for (size_t i = 0; i < t->queues.n; i++)
		tl_buf_free(&t->queues.v[i].label);
	void *arrays[] = {t->slices.v, t->halves.v, t->stages.v, t->queues.v, t->points.v, t->chains.v,
		t->samples.v, t->gpu_of};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	tl_pool_free(t->gpus);
	tl_pool_free(t->queue_keys);
	tl_intmap_free(&t->gpu_numbers);
	tl_cupti_free(t->cupti);
	tl_held_free(&t->held);
	tl_buf_free(&t->rank);
	tl_buf_free(&t->base_text);
	tl_buf_free(&t->devices);
	tl_buf_free(&t->text);
	tl_buf_free(&t->args);
	tl_annotate_free(t->annotate);
	free(t);
	return left_out;
}
