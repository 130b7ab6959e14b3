/* Members of `args`: what annotations, metadata and graph nodes add to an event. */
#include "inside.h"
#include "../json/json.h"
#include "../base/base.h"
#include <stdio.h>
#include <stdlib.h>

void window_args_known(struct tl_args *a, const char *key, int64_t v)
{
	if (v != ABSENT)
		tl_args_int(a, key, v);
}

void window_args_triple(struct tl_args *a, const char *key, const int64_t *v)
{
	if (v[0] == ABSENT && v[1] == ABSENT && v[2] == ABSENT)
		return;
	tl_args_open(a, tl_str(key));
	for (unsigned i = 0; i < 3; i++) {
		tl_buf_ch(&a->text, i ? ',' : '[');
		tl_buf_i64(&a->text, v[i] == ABSENT ? 0 : v[i]);
	}
	tl_buf_ch(&a->text, ']');
	tl_args_close(a);
}

static char first(struct tl_span v)
{
	return v.n ? v.p[0] : 0;
}

/* A string with every character beyond ASCII as \uXXXX. */
static void ascii_string(struct tl_span quoted, struct tl_buf *out)
{
	struct tl_buf text = {0};
	tl_json_text(quoted, &text);
	const unsigned char *p = (const unsigned char *)text.p, *end = p + text.n;
	tl_buf_ch(out, '"');
	while (p < end) {
		size_t bad, n = *p < 0x80 ? 1 : tl_utf8_len(p, end, &bad);
		uint32_t c = 0xfffd;
		if (n == 1 && *p >= ' ' && *p != '"' && *p != '\\' && *p != 0x7f) {
			tl_buf_ch(out, (char)*p++);
			continue;
		}
		if (n == 1 && *p != 0x7f) {
			tl_json_escape(out, *p++);
			continue;
		}
		if (n) {
			c = n == 1 ? *p : n == 2 ? *p & 31 : n == 3 ? *p & 15 : *p & 7;
			for (size_t i = 1; i < n; i++)
				c = c << 6 | (p[i] & 63);
		}
		p += n ? n : bad;
		if (c == 0x7f)
			tl_buf_ch(out, 0x7f);
		else if (c < 0x10000)
			tl_buf_printf(out, "\\u%04x", c);
		else
			tl_buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				0xdc00 + ((c - 0x10000) & 0x3ff));
	}
	tl_buf_ch(out, '"');
	tl_buf_free(&text);
}

/* JSON with ", " and ": " between its parts, in ASCII: how the reference prints a list. */
static void spaced_text(struct tl_span v, struct tl_buf *out)
{
	const char *p = v.p, *end = v.p + v.n;
	while (p < end) {
		const char *q = p + 1;
		if (*p == '"') {
			q = tl_json_skip(p, end);
			ascii_string((struct tl_span){p, (size_t)(q - p)}, out);
		} else if (*p == ',') {
			tl_buf_lit(out, ", ");
		} else if (*p == ':') {
			tl_buf_lit(out, ": ");
		} else if ((unsigned char)*p > ' ') {
			tl_buf_ch(out, *p);
		}
		p = q;
	}
}

/* The JSON that a text holds, in `tmp`; an empty span when it holds none. */
static struct tl_span inner_json(struct tl_span quoted, struct tl_buf *tmp)
{
	tmp->n = 0;
	tl_json_text(quoted, tmp);
	struct tl_span s = tl_buf_all(tmp);
	while (s.n && (unsigned char)s.p[0] <= ' ')
		s.p++, s.n--;
	while (s.n && (unsigned char)s.p[s.n - 1] <= ' ')
		s.n--;
	if (!s.n || !tl_json_valid(s))
		return (struct tl_span){0};
	size_t from = (size_t)(s.p - tmp->p);
	tl_buf_more(tmp, s.n);
	return tl_json_compact((struct tl_span){tmp->p + from, s.n}, tmp);
}

/* The reference's rule for Chrome events: later members win, in place. */
static void spread_compat(struct tl_args *a, struct tl_span v)
{
	struct tl_span annotation = TL_LIT("annotation"), key, val, json;
	struct tl_buf tmp = {0}, text = {0};
	if (tl_json_is_string(v) && (json = inner_json(v, &tmp)).n)
		v = json;
	if (first(v) == '{') {
		struct tl_json it = tl_json_open(v);
		while (tl_json_member(&it, &key, &val))
			tl_args_set(a, key, val);
	} else if (first(v) == '[') {
		spaced_text(v, &text);
		tmp.n = 0;
		struct tl_buf quoted = {0};
		tl_json_quote(&quoted, tl_buf_all(&text));
		tl_args_set(a, annotation, tl_buf_all(&quoted));
		tl_buf_free(&quoted);
	} else {
		tl_args_set(a, annotation, v);
	}
	tl_buf_free(&tmp);
	tl_buf_free(&text);
}

static void merge_members(struct tl_args *a, struct tl_span object)
{
	struct tl_json it = tl_json_open(object);
	struct tl_span key, val;
	while (tl_json_member(&it, &key, &val))
		tl_args_set(a, key, val);
}

/* The reference's rule for render stages: one object, text is not read, numbers are ignored. */
static void stage_annotation(struct tl_args *a, struct tl_span v)
{
	struct tl_span annotation = TL_LIT("annotation"), item;
	if (first(v) == '[') {
		struct tl_json it = tl_json_open(v);
		while (tl_json_element(&it, &item))
			if (first(item) == '{')
				merge_members(a, item);
			else if (tl_json_is_string(item) && !tl_args_get(a, annotation).n)
				tl_args_add(a, annotation, item);
	} else if (first(v) == '{') {
		merge_members(a, v);
	} else if (tl_json_is_string(v) && !tl_args_get(a, annotation).n) {
		tl_args_add(a, annotation, v);
	}
}

static void stage_metadata(struct tl_args *a, struct tl_span v)
{
	struct tl_buf tmp = {0};
	if (tl_json_is_string(v))
		v = inner_json(v, &tmp);
	if (first(v) == '{')
		merge_members(a, v);
	tl_buf_free(&tmp);
}

/* Our rule, one for all outputs: an object's members join args, under "annotation.KEY" where KEY is
 * taken; any other value is the member `what`. Text that holds JSON counts as that JSON. */
static void spread_member(
	struct window *w, const char *what, struct tl_span key, struct tl_span val)
{
	if (tl_args_get(&w->args, key).n) {
		w->text.n = 0;
		tl_buf_printf(&w->text, "%s.", what);
		tl_buf_span(&w->text, key);
		key = tl_buf_all(&w->text);
	}
	tl_args_set(&w->args, key, val);
	tl_args_set(&w->extra, key, val);
}

static void spread_own(struct window *w, const char *what, struct tl_span v)
{
	struct tl_buf tmp = {0};
	struct tl_span json, key, val;
	if (tl_json_is_string(v) && (json = inner_json(v, &tmp)).n)
		v = json;
	if (first(v) == '{') {
		struct tl_json it = tl_json_open(v);
		while (tl_json_member(&it, &key, &val))
			spread_member(w, what, key, val);
	} else if (first(v) != 'n' && v.n && !(tl_json_is_string(v) && v.n == 2)) {
		spread_member(w, what, tl_str(what), v);
	}
	tl_buf_free(&tmp);
}

bool window_spreads(const struct window *w, enum window_gpu_kind k)
{
	const struct window_gpu *g = w->gpu + k;
	return !w->compat || g->has_node || g->has_annotation || g->has_metadata || g->has_lane ||
		   g->has_host_fn;
}

/* Metadata of the row, its node, or the collective whose launch it belongs to. */
static struct tl_span metadata_of(const struct window *w, const struct window_gpu_row *r)
{
	const struct window_place *p = window_place_at(w, r->place);
	uint32_t *row;
	int64_t text;
	if (p->metadata != NO_TEXT || !r->correlation ||
		!(row = tl_intmap_find(&w->described, r->correlation)))
		return window_text(w, p->metadata);
	window_numbers_get(&w->collectives, w->external[*row - 1].external, &text);
	return window_text(w, (uint32_t)text);
}

static void spread_texts(struct window *w, enum window_gpu_kind k, const struct window_gpu_row *r)
{
	struct tl_span annotation = window_text(w, window_place_at(w, r->place)->annotation);
	struct tl_span metadata = metadata_of(w, r);
	if (!w->compat) {
		if (annotation.n)
			spread_own(w, "annotation", annotation);
		if (metadata.n)
			spread_own(w, "metadata", metadata);
		return;
	}
	if (annotation.n) {
		spread_compat(&w->args, annotation);
		if (w->gpu[k].has_annotation)
			stage_annotation(&w->extra, annotation);
	}
	if (metadata.n) {
		spread_compat(&w->args, metadata);
		stage_metadata(&w->extra, metadata);
	}
}

static void add_hex(struct tl_args *a, const char *key, int64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof text, "\"0x%llx\"", (unsigned long long)v);
	tl_args_set(a, tl_str(key), (struct tl_span){text, (size_t)n});
}

static void spread_host_fn(struct window *w, enum window_gpu_kind k, const struct window_place *p)
{
	struct tl_span fn = window_text(w, p->host_fn), key = TL_LIT("host fn");
	if (fn.n > 2) {
		tl_args_set(&w->args, key, fn);
		tl_args_set(&w->extra, key, fn);
	}
	if (!p->host_addr)
		return;
	add_hex(&w->args, "host fn addr", p->host_addr);
	const struct window_gpu *g = w->gpu + k;
	if (!w->compat || g->has_metadata || g->has_annotation || g->has_host_fn)
		add_hex(&w->extra, "host fn addr", p->host_addr);
}

void window_spread(struct window *w, enum window_gpu_kind k, const struct window_gpu_row *r)
{
	const struct window_place *p = window_place_at(w, r->place);
	tl_args_clear(&w->extra);
	if (!window_spreads(w, k))
		return;
	if (p->graph)
		tl_args_int(&w->args, "graph id", p->graph);
	if (p->node)
		tl_args_int(&w->args, "graph node id", p->node & 0xffffffff);
	spread_texts(w, k, r);
	if (k == G_EVENT && p->fact && w->facts[p->fact - 1].has_event)
		add_hex(&w->args, "cuda event", w->facts[p->fact - 1].event);
	spread_host_fn(w, k, p);
	if (p->moved) {
		char text[24];
		int n = snprintf(text, sizeof text, "%lld", (long long)p->lane);
		tl_args_set(&w->args, TL_LIT("stream"), (struct tl_span){text, (size_t)n});
		tl_args_int(&w->args, "original_stream", p->stream);
	}
}
