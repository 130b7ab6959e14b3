#include "annotate.h"
#include "../json/json.h"
#include "../base/base.h"
#include <stdlib.h>

/* An event that a derived record refers to. */
struct site {
	int64_t ts;
	uint32_t pid, tid; /* texts */
	bool found;
};

/* A GPU op with a stage. */
struct staged {
	int64_t ts, end;
	uint32_t pid, stage;
};

/* The slice of a stage that is being extended. */
struct stretch {
	int64_t ts, end;
	uint32_t pid, stage;
	bool open;
};

struct tl_annotate {
	struct tl_span *records;
	size_t n, cap;
	struct tl_pool *texts;   /* JSON texts of pids, tids and stages */
	struct tl_intmap wanted; /* event id -> site + 1 */
	struct site *sites;
	size_t nsites, sites_cap;
	struct staged *staged;
	size_t nstaged, staged_cap;
	struct tl_write event;
	struct tl_buf lines; /* the events drawn */
	struct drawn {
		size_t at, n;
		uint64_t key;
	} * drawn;
	size_t ndrawn, drawn_cap;
	struct tl_pool *tracks; /* named already: "pid tid" */
	uint64_t trace, next_id;
	int64_t first_ts;
	bool any_ts;
};

struct tl_annotate *tl_annotate_new(void)
{
	struct tl_annotate *a = tl_calloc(1, sizeof *a);
	a->texts = tl_pool_new();
	a->tracks = tl_pool_new();
	return a;
}

void tl_annotate_free(struct tl_annotate *a)
{
	if (!a)
		return;
	tl_pool_free(a->texts);
	tl_pool_free(a->tracks);
	tl_intmap_free(&a->wanted);
	tl_write_free(&a->event);
	tl_buf_free(&a->lines);
	free(a->records);
	free(a->sites);
	free(a->staged);
	free(a->drawn);
	free(a);
}

uint64_t tl_sort_key(const struct tl_event *e)
{
	return e->ph == 'M' || !e->has_ts ? 0 : tl_sort_time(e->ts);
}

static bool is_warning(struct tl_span line)
{
	return tl_span_eq(tl_json_inner(tl_json_get(line, TL_LIT("type"))), TL_LIT("warning"));
}

void tl_annotate_take(struct tl_annotate *a, const struct tl_record *r)
{
	uint64_t id;
	if (!tl_span_eq(r->type, TL_LIT("op")) && !tl_span_eq(r->type, TL_LIT("warning")))
		return;
	TL_GROW(a->records, a->n, a->cap);
	a->records[a->n++] = r->line;
	if (!tl_json_u64(tl_json_get(r->line, TL_LIT("event")), &id))
		return;
	uint32_t *site = tl_intmap_add(&a->wanted, (int64_t)id);
	if (*site)
		return;
	TL_GROW(a->sites, a->nsites, a->sites_cap);
	a->sites[a->nsites++] = (struct site){0};
	*site = (uint32_t)a->nsites;
}

/* ---- reading the events */

static void see_event(struct tl_annotate *a, const struct tl_event *e)
{
	uint32_t *site = tl_intmap_find(&a->wanted, (int64_t)e->id);
	struct tl_span stage = e->f[TL_F_STAGE];
	if (e->id >= a->next_id)
		a->next_id = e->id + 1;
	if (e->has_ts && e->ph != 'M' && (!a->any_ts || e->ts < a->first_ts)) {
		a->first_ts = e->ts;
		a->any_ts = true;
	}
	if (site)
		a->sites[*site - 1] = (struct site){e->ts, tl_pool_add(a->texts, e->f[TL_F_PID]),
			tl_pool_add(a->texts, e->f[TL_F_TID]), e->has_ts};
	if (!tl_json_is_string(stage) || !e->has_ts || !tl_event_is_gpu_op(e) ||
		tl_span_eq(tl_json_inner(stage), TL_LIT("all")))
		return;
	TL_GROW(a->staged, a->nstaged, a->staged_cap);
	a->staged[a->nstaged++] = (struct staged){
		e->ts, e->end, tl_pool_add(a->texts, e->f[TL_F_PID]), tl_pool_add(a->texts, stage)};
}

static const struct site *site_of(const struct tl_annotate *a, struct tl_span record)
{
	uint64_t id;
	uint32_t *i = NULL;
	if (tl_json_u64(tl_json_get(record, TL_LIT("event")), &id))
		i = tl_intmap_find(&a->wanted, (int64_t)id);
	return i && a->sites[*i - 1].found ? a->sites + *i - 1 : NULL;
}

/* ---- writing events */

static struct tl_write *open_event(struct tl_annotate *a, const char *ph)
{
	tl_record(&a->event, "event", a->trace);
	tl_put_u64(&a->event, "id", a->next_id++);
	tl_put_text(&a->event, "ph", tl_str(ph));
	return &a->event;
}

static void close_event(struct tl_annotate *a, uint64_t key)
{
	struct tl_span line = tl_record_end(&a->event);
	TL_GROW(a->drawn, a->ndrawn, a->drawn_cap);
	a->drawn[a->ndrawn++] = (struct drawn){a->lines.n, line.n, key};
	tl_buf_span(&a->lines, line);
}

static void put_place(struct tl_write *w, struct tl_span pid, struct tl_span tid, int64_t ts)
{
	tl_put_json(w, "pid", pid);
	tl_put_json(w, "tid", tid);
	tl_put_us(w, "ts", ts);
}

/* pid, tid ("WHAT NAME" as text) and, the first time, a name for this track. */
static void name_track(struct tl_annotate *a, struct tl_span pid, struct tl_span tid)
{
	struct tl_buf key = {0};
	uint32_t n = tl_pool_count(a->tracks);
	tl_buf_span(&key, pid);
	tl_buf_ch(&key, ' ');
	tl_buf_span(&key, tid);
	tl_pool_add(a->tracks, tl_buf_all(&key));
	tl_buf_free(&key);
	if (tl_pool_count(a->tracks) == n)
		return;
	struct tl_write *w = open_event(a, "M");
	tl_put_text(w, "name", TL_LIT("thread_name"));
	put_place(w, pid, tid, 0);
	tl_object(w, "args");
	tl_put_json(w, "name", tid);
	tl_object_end(w);
	close_event(a, 0);
}

/* The text "WHAT NAME" of a track; NAME is JSON of any type. */
static void track_text(struct tl_buf *out, const char *what, struct tl_span name)
{
	struct tl_buf text = {0};
	tl_buf_printf(&text, "%s ", what);
	if (tl_json_is_string(name))
		tl_json_text(name, &text);
	else
		tl_buf_span(&text, name);
	out->n = 0;
	tl_json_quote(out, tl_buf_all(&text));
	tl_buf_free(&text);
}

/* The members of a record as args, but those that are said otherwise. */
static void put_args(struct tl_write *w, struct tl_span record)
{
	static const struct tl_span said[] = {TL_LIT("type"), TL_LIT("trace"), TL_LIT("id"),
		TL_LIT("name"), TL_LIT("code"), TL_LIT("pid"), TL_LIT("tid"), TL_LIT("dur"),
		TL_LIT("gpu_ops"), TL_LIT("call_stack")};
	struct tl_json it = tl_json_open(record);
	struct tl_span key, val;
	bool any = false;
	while (tl_json_member(&it, &key, &val)) {
		size_t i = 0;
		while (i < sizeof said / sizeof *said && !tl_span_eq(said[i], key))
			i++;
		if (i < sizeof said / sizeof *said)
			continue;
		if (!any)
			tl_object(w, "args");
		any = true;
		tl_put_member(w, key, val);
	}
	if (any)
		tl_object_end(w);
}

static void draw_op(struct tl_annotate *a, struct tl_span record)
{
	const struct site *site = site_of(a, record);
	struct tl_span name = tl_json_get(record, TL_LIT("name"));
	struct tl_span dur = tl_json_get(record, TL_LIT("dur"));
	if (!site || !name.n || !dur.n)
		return;
	struct tl_buf tid = {0};
	track_text(&tid, "operators", tl_pool_text(a->texts, site->tid));
	struct tl_span pid = tl_pool_text(a->texts, site->pid);
	name_track(a, pid, tl_buf_all(&tid));
	struct tl_write *w = open_event(a, "X");
	tl_put_text(w, "cat", TL_LIT("op"));
	tl_put_json(w, "name", name);
	put_place(w, pid, tl_buf_all(&tid), site->ts);
	tl_put_json(w, "dur", dur);
	put_args(w, record);
	close_event(a, tl_sort_time(site->ts));
	tl_buf_free(&tid);
}

static void draw_warning(struct tl_annotate *a, struct tl_span record)
{
	static const struct tl_span pid = TL_LIT("\"tl\""), tid = TL_LIT("\"warnings\"");
	const struct site *site = site_of(a, record);
	int64_t ts = site ? site->ts : a->first_ts;
	name_track(a, pid, tid);
	struct tl_write *w = open_event(a, "i");
	tl_put_text(w, "cat", TL_LIT("warning"));
	tl_put_key(w, "name");
	tl_buf_lit(&w->b, "\"warning: ");
	tl_buf_span(&w->b, tl_json_inner(tl_json_get(record, TL_LIT("code"))));
	tl_buf_ch(&w->b, '"');
	put_place(w, pid, tid, ts);
	put_args(w, record);
	tl_put_json(w, "chrome", TL_LIT("{\"s\":\"t\"}"));
	close_event(a, tl_sort_time(ts));
}

/* ---- stages */

static void draw_stretch(struct tl_annotate *a, struct stretch *s)
{
	struct tl_span pid = tl_pool_text(a->texts, s->pid);
	struct tl_span stage = tl_pool_text(a->texts, s->stage);
	struct tl_buf tid = {0};
	if (!s->open)
		return;
	s->open = false;
	track_text(&tid, "stage", stage);
	name_track(a, pid, tl_buf_all(&tid));
	struct tl_write *w = open_event(a, "X");
	tl_put_text(w, "cat", TL_LIT("stage"));
	tl_put_json(w, "name", stage);
	put_place(w, pid, tl_buf_all(&tid), s->ts);
	tl_put_us(w, "dur", tl_ns_sub(s->end, s->ts));
	close_event(a, tl_sort_time(s->ts));
	tl_buf_free(&tid);
}

static void extend(struct stretch *s, const struct staged *op)
{
	if (op->end > s->end)
		s->end = op->end;
}

/* Ops of one device by time: a stage's slice goes on until another stage's op starts, and never
 * overlaps the next one of its track. */
static void draw_stages(struct tl_annotate *a)
{
	struct tl_sort *order = tl_calloc(a->nstaged, sizeof *order);
	struct tl_intmap at = {0}, last = {0};
	struct stretch *open = NULL;
	size_t n = 0, cap = 0;
	for (size_t i = 0; i < a->nstaged; i++)
		order[i] = (struct tl_sort){.key = tl_sort_time(a->staged[i].ts), .at = (uint32_t)i};
	tl_sort(order, a->nstaged);
	for (size_t i = 0; i < a->nstaged; i++) {
		const struct staged *op = a->staged + order[i].at;
		uint32_t *k = tl_intmap_add(&at, (int64_t)op->pid << 32 | op->stage);
		uint32_t *of = tl_intmap_add(&last, op->pid);
		if (!*k) {
			TL_GROW(open, n, cap);
			open[n] = (struct stretch){0};
			*k = (uint32_t)++n;
		}
		struct stretch *s = open + *k - 1;
		if (s->open && *of != *k && op->ts > s->end)
			draw_stretch(a, s);
		if (!s->open)
			*s = (struct stretch){op->ts, op->end, op->pid, op->stage, true};
		extend(s, op);
		*of = *k;
	}
	for (size_t i = 0; i < n; i++)
		draw_stretch(a, open + i);
	tl_intmap_free(&at);
	tl_intmap_free(&last);
	free(open);
	free(order);
}

/* ---- all of it */

static void forget(struct tl_annotate *a)
{
	a->n = a->nsites = a->nstaged = 0;
	tl_intmap_free(&a->wanted);
	tl_pool_clear(a->texts);
	tl_pool_clear(a->tracks);
	a->any_ts = false;
	a->first_ts = 0;
}

void tl_annotate_draw(
	struct tl_annotate *a, struct tl_held *h, struct tl_stream *s, uint64_t trace, bool sort)
{
	struct tl_event e;
	a->trace = trace;
	a->next_id = 0;
	a->ndrawn = 0;
	a->lines.n = 0;
	for (size_t i = 0; i < h->n; i++)
		if (tl_event_read(tl_held_line(h, i), &e))
			see_event(a, &e);
	for (size_t i = 0; i < a->n; i++)
		if (!is_warning(a->records[i]))
			draw_op(a, a->records[i]);
	draw_stages(a);
	for (size_t i = 0; i < a->n; i++)
		if (is_warning(a->records[i]))
			draw_warning(a, a->records[i]);
	for (size_t i = 0; i < a->ndrawn; i++) {
		struct tl_record r = {
			.line = {a->lines.p + a->drawn[i].at, a->drawn[i].n}, .kind = TL_EVENT, .trace = trace};
		tl_held_add(h, s, &r, sort ? a->drawn[i].key : a->next_id - a->ndrawn + i);
	}
	forget(a);
}

bool tl_annotate_args(const struct tl_event *e, struct tl_buf *out)
{
	static const struct {
		enum tl_field field;
		const char *key;
	} added[] = {{TL_F_CLASS, "class"}, {TL_F_STAGE, "stage"}, {TL_F_HIDDEN_US, "hidden_us"},
		{TL_F_EXCLUSIVE_US, "exclusive_us"}, {TL_F_HIDDEN_BY_COMPUTE_US, "hidden_by_compute_us"},
		{TL_F_SCOPE, "scope"}, {TL_F_LAUNCH_OP, "launch_op"}, {TL_F_HOW, "how"}};
	struct tl_span args = e->f[TL_F_ARGS];
	if (args.n && args.p[0] != '{')
		return false;
	struct tl_write w = {.b = *out, .first = args.n <= 2};
	tl_buf_add(&w.b, args.n ? args.p : "{", args.n ? args.n - 1 : 1);
	size_t start = out->n, bare = w.b.n;
	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		if (!args.n || !tl_json_get(args, tl_str(added[i].key)).n)
			tl_put_json(&w, added[i].key, e->f[added[i].field]);
	bool more = w.b.n > bare;
	tl_object_end(&w);
	*out = w.b;
	if (!more)
		out->n = start;
	return more;
}
