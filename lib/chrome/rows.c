#include "rows.h"
#include "../format/format.h"
#include "../trace/trace.h"
#include <stdlib.h>

#define SLOTS 64
#define SAID 8 /* categories that a message names */

enum from { FROM_DEVICE, FROM_STREAM, FROM_CORRELATION, FROMS };

struct row {
	struct tl_span category, process, thread, name, becomes, from[FROMS];
};

/* A category as it stands in events, quotes and all; "" for none. */
struct cat {
	bool known;     /* to tl */
	uint64_t spans; /* of those that stay what they are */
};

struct chrome_rows {
	bool opened;
	struct row *rows;
	size_t n, cap;
	struct tl_pool *texts; /* of rows */
	struct tl_pool *cats;
	struct cat *cat;
	size_t cat_cap;
	uint32_t slot[SLOTS];           /* a category last seen there, + 1 */
	struct tl_pool *places, *names; /* places: a pid, or a pid and a tid; each has a name */
	uint32_t *name;
	size_t name_cap;
	struct tl_buf key;  /* of a place */
	struct tl_buf made; /* values that the source does not have as they are written */
};

struct chrome_rows *chrome_rows_new(void)
{
	struct chrome_rows *r = tl_calloc(1, sizeof *r);
	r->texts = tl_pool_new();
	r->cats = tl_pool_new();
	r->places = tl_pool_new();
	r->names = tl_pool_new();
	return r;
}

void chrome_rows_clear(struct chrome_rows *r)
{
	tl_pool_clear(r->places);
	tl_pool_clear(r->names);
	for (uint32_t i = 0; i < tl_pool_count(r->cats); i++)
		r->cat[i].spans = 0;
}

void chrome_rows_free(struct chrome_rows *r)
{
	tl_pool_free(r->texts);
	tl_pool_free(r->cats);
	tl_pool_free(r->places);
	tl_pool_free(r->names);
	free(r->rows);
	free(r->cat);
	free(r->name);
	tl_buf_free(&r->key);
	tl_buf_free(&r->made);
	free(r);
}

/* ---- the table */

static struct tl_span keep(struct chrome_rows *r, struct tl_span s)
{
	return tl_pool_text(r->texts, tl_pool_add(r->texts, s));
}

static bool take_row(void *to, const struct tl_span *f)
{
	struct chrome_rows *r = to;
	TL_GROW(r->rows, r->n, r->cap);
	r->rows[r->n++] = (struct row){keep(r, f[0]), keep(r, f[1]), keep(r, f[2]), keep(r, f[3]),
		keep(r, f[4]), {keep(r, f[5]), keep(r, f[6]), keep(r, f[7])}};
	return true;
}

static bool is_dash(struct tl_span s)
{
	return s.n == 1 && s.p[0] == '-';
}

static bool fits_category(const struct row *w, struct tl_span cat)
{
	return cat.n ? !is_dash(w->category) && tl_glob(w->category, cat) : is_dash(w->category);
}

/* ---- categories */

static struct cat *new_cat(struct chrome_rows *r, struct tl_span text)
{
	struct tl_span cat = tl_json_inner(text);
	uint32_t n = tl_pool_count(r->cats), at = tl_pool_add(r->cats, text);
	if (at < n)
		return &r->cat[at];
	TL_GROW(r->cat, at, r->cat_cap);
	r->cat[at] = (struct cat){.known = cat.n && tl_cat_of(cat) != TL_CAT_OTHER};
	return &r->cat[at];
}

static struct cat *cat_of(struct chrome_rows *r, struct tl_span text)
{
	size_t h = text.n < 4
				   ? text.n
				   : text.n * 7 + (unsigned char)text.p[1] * 3 + (unsigned char)text.p[text.n - 2];
	uint32_t *slot = &r->slot[h % SLOTS];
	if (*slot && tl_span_eq(tl_pool_text(r->cats, *slot - 1), text))
		return &r->cat[*slot - 1];
	struct cat *c = new_cat(r, text);
	*slot = (uint32_t)(c - r->cat) + 1;
	return c;
}

static bool open_table(struct chrome_rows *r, struct tl_error *e)
{
	if (r->opened)
		return true;
	r->opened = true;
	return tl_tsv_read("producers/chrome.tsv", 8, take_row, r, e);
}

/* ---- names of processes and threads */

static uint32_t place_of(struct chrome_rows *r, const struct tl_chrome_event *ev, bool thread)
{
	r->key.n = 0;
	tl_buf_span(&r->key, tl_json_inner(ev->key[CHROME_KEY_PID]));
	if (thread) {
		tl_buf_ch(&r->key, '\n');
		tl_buf_span(&r->key, tl_json_inner(ev->key[CHROME_KEY_TID]));
	}
	uint32_t n = tl_pool_count(r->places), at = tl_pool_add(r->places, tl_buf_all(&r->key));
	if (at == n) {
		TL_GROW(r->name, at, r->name_cap);
		r->name[at] = TL_POOL_NONE;
	}
	return at;
}

static struct tl_span name_of(struct chrome_rows *r, const struct tl_chrome_event *ev, bool thread)
{
	uint32_t at = place_of(r, ev, thread), name = r->name[at];
	struct tl_span none = {0};
	return name == TL_POOL_NONE ? none : tl_pool_text(r->names, name);
}

void chrome_rows_name(struct chrome_rows *r, const struct tl_chrome_event *ev)
{
	bool thread = tl_span_eq(ev->key[CHROME_KEY_NAME], TL_LIT("\"thread_name\""));
	if (!thread && !tl_span_eq(ev->key[CHROME_KEY_NAME], TL_LIT("\"process_name\"")))
		return;
	struct tl_span name = tl_json_get(ev->key[CHROME_KEY_ARGS], TL_LIT("name"));
	if (!tl_json_is_string(name))
		return;
	uint32_t at = place_of(r, ev, thread);
	r->name[at] = tl_pool_add(r->names, tl_json_inner(name));
}

/* ---- rows */

static bool is_span(const struct tl_chrome_event *ev)
{
	struct tl_span ph = ev->key[CHROME_KEY_PH];
	return ph.n == 3 && (ph.p[1] == 'X' || ph.p[1] == 'B');
}

bool chrome_rows_odd(struct chrome_rows *r, const struct tl_chrome_event *ev)
{
	return is_span(ev) && !cat_of(r, ev->key[CHROME_KEY_CAT])->known;
}

static bool is_any(struct tl_span glob)
{
	return glob.n == 1 && glob.p[0] == '*';
}

/* The row that the span fits; NULL: none. *wait: a name that is not known yet may decide. */
static const struct row *find(struct chrome_rows *r, const struct tl_chrome_event *ev, bool *wait)
{
	struct tl_span cat = tl_json_inner(ev->key[CHROME_KEY_CAT]);
	struct tl_span process = name_of(r, ev, false), thread = name_of(r, ev, true);
	for (size_t i = 0; i < r->n; i++) {
		const struct row *w = &r->rows[i];
		if (!fits_category(w, cat) || !tl_glob(w->name, tl_json_inner(ev->key[CHROME_KEY_NAME])))
			continue;
		bool p = is_any(w->process) || tl_glob(w->process, process);
		bool t = is_any(w->thread) || tl_glob(w->thread, thread);
		*wait |= (!p && !process.n) || (p && !t && !thread.n);
		if (p && t)
			return w;
	}
	return NULL;
}

bool chrome_rows_wait(
	struct chrome_rows *r, const struct tl_chrome_event *ev, bool *failed, struct tl_error *e)
{
	bool wait = false;
	*failed = !open_table(r, e);
	if (!*failed)
		find(r, ev, &wait);
	return wait;
}

/* The first number in a text. */
static struct tl_span digits(struct tl_span s)
{
	size_t i = 0, n = 0;
	while (i < s.n && (s.p[i] < '0' || s.p[i] > '9'))
		i++;
	while (i + n < s.n && s.p[i + n] >= '0' && s.p[i + n] <= '9')
		n++;
	return (struct tl_span){s.p + i, n};
}

static struct tl_span value_of(
	struct chrome_rows *r, const struct tl_chrome_event *ev, struct tl_span from)
{
	if (tl_span_eq(from, TL_LIT("pid")))
		return ev->key[CHROME_KEY_PID];
	if (tl_span_eq(from, TL_LIT("tid")))
		return ev->key[CHROME_KEY_TID];
	bool thread = tl_span_eq(from, TL_LIT("thread"));
	if (thread || tl_span_eq(from, TL_LIT("process")))
		return digits(name_of(r, ev, thread));
	return tl_json_get(ev->key[CHROME_KEY_ARGS], from);
}

void chrome_rows_take(struct chrome_rows *r, struct tl_chrome_event *ev)
{
	static const enum chrome_hoist hoist[FROMS] = {
		CHROME_HOIST_DEVICE, CHROME_HOIST_STREAM, CHROME_HOIST_CORRELATION};
	bool unused = false;
	const struct row *w = find(r, ev, &unused);
	if (!w)
		cat_of(r, ev->key[CHROME_KEY_CAT])->spans++;
	if (!w || is_dash(w->becomes))
		return;
	/* in one piece, with the room behind that short values need (event.c) */
	struct tl_span v[FROMS];
	size_t need = w->becomes.n + 256;
	for (int i = 0; i < FROMS; i++) {
		v[i].n = 0;
		if (!is_dash(w->from[i]) && !ev->hoist[hoist[i]].n)
			v[i] = value_of(r, ev, w->from[i]);
		need += v[i].n;
	}
	r->made.n = 0;
	tl_buf_more(&r->made, need);
	tl_buf_printf(&r->made, "\"%.*s\"", (int)w->becomes.n, w->becomes.p);
	ev->own_cat = ev->key[CHROME_KEY_CAT].n ? ev->key[CHROME_KEY_CAT] : TL_LIT("null");
	ev->key[CHROME_KEY_CAT] = tl_buf_all(&r->made);
	for (int i = 0; i < FROMS; i++) {
		size_t at = r->made.n;
		tl_buf_span(&r->made, v[i]);
		if (v[i].n)
			ev->hoist[hoist[i]] = (struct tl_span){r->made.p + at, v[i].n};
	}
}

/* ---- what stays unknown */

void chrome_rows_put(const struct chrome_rows *r, struct tl_buf *json)
{
	struct tl_write w = {0};
	tl_value(&w);
	tl_list(&w, NULL);
	for (uint32_t i = 0; i < tl_pool_count(r->cats); i++) {
		if (!r->cat[i].spans)
			continue;
		tl_object(&w, NULL);
		tl_put_json(&w, "cat", tl_pool_text(r->cats, i));
		tl_put_u64(&w, "count", r->cat[i].spans);
		tl_object_end(&w);
	}
	tl_list_end(&w);
	if (w.b.n > 2)
		tl_buf_span(json, tl_buf_all(&w.b));
	tl_write_free(&w);
}

void chrome_rows_say(const struct chrome_rows *r, struct tl_buf *text)
{
	unsigned n = 0, more = 0;
	for (uint32_t i = 0; i < tl_pool_count(r->cats); i++) {
		struct tl_span cat = tl_json_inner(tl_pool_text(r->cats, i));
		if (!r->cat[i].spans)
			continue;
		if (n++ >= SAID) {
			more++;
			continue;
		}
		tl_buf_printf(text, "%s%.*s (%llu)", n > 1 ? ", " : "", cat.n ? (int)cat.n : 4,
			cat.n ? cat.p : "none", (unsigned long long)r->cat[i].spans);
	}
	if (more)
		tl_buf_printf(text, " and %u more", more);
}
