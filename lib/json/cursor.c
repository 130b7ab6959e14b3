#include "cursor.h"
#include "../base/base.h"
#include <stdio.h>
#include <stdlib.h>

static const char *blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* The byte behind the closing quote of the string that opens at p, or NULL. */
static const char *skip_string(const char *p, const char *end)
{
	for (const char *q = p + 1; q < end;) {
		q = memchr(q, '"', (size_t)(end - q));
		if (!q)
			return NULL;
		const char *b = q;
		while (b > p + 1 && b[-1] == '\\')
			b--;
		q++;
		if ((q - 1 - b) % 2 == 0)
			return q;
	}
	return NULL;
}

static const char *skip_container(const char *p, const char *end)
{
	size_t depth = 0;
	while (p && p < end) {
		switch (*p) {
		case '"':
			p = skip_string(p, end);
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (--depth == 0)
				return p + 1;
			break;
		}
		p++;
	}
	return NULL;
}

const char *tl_json_skip(const char *p, const char *end)
{
	p = blank(p, end);
	if (p == end)
		return NULL;
	if (*p == '"')
		return skip_string(p, end);
	if (*p == '{' || *p == '[')
		return skip_container(p, end);
	const char *s = p;
	while (p < end && *p != ',' && *p != '}' && *p != ']' && *p != ':' && *p > ' ')
		p++;
	return p > s ? p : NULL;
}

struct tl_json tl_json_open(struct tl_span s)
{
	if (s.n == 0)
		return (struct tl_json){.bad = true};
	struct tl_json it = {s.p, s.p + s.n, false, false};
	it.p = blank(it.p, it.end);
	if (it.p < it.end && (*it.p == '{' || *it.p == '['))
		it.p++;
	else
		it.bad = true;
	return it;
}

/* Moves to the next member or element; false at the closing bracket or where the text is bad. */
static bool advance(struct tl_json *it, char close)
{
	if (it->bad)
		return false;
	it->p = blank(it->p, it->end);
	if (it->p == it->end) {
		it->bad = true;
		return false;
	}
	if (*it->p == close)
		return false;
	if (it->started) {
		if (*it->p != ',') {
			it->bad = true;
			return false;
		}
		it->p = blank(it->p + 1, it->end);
	}
	it->started = true;
	return true;
}

static bool take(struct tl_json *it, struct tl_span *v)
{
	const char *s = blank(it->p, it->end), *e = tl_json_skip(s, it->end);
	if (!e) {
		it->bad = true;
		return false;
	}
	*v = (struct tl_span){s, (size_t)(e - s)};
	it->p = e;
	return true;
}

bool tl_json_member(struct tl_json *it, struct tl_span *key, struct tl_span *val)
{
	if (!advance(it, '}'))
		return false;
	const char *s = it->p, *e = s < it->end && *s == '"' ? skip_string(s, it->end) : NULL;
	if (!e) {
		it->bad = true;
		return false;
	}
	*key = (struct tl_span){s + 1, (size_t)(e - s - 2)};
	it->p = blank(e, it->end);
	if (it->p == it->end || *it->p != ':') {
		it->bad = true;
		return false;
	}
	it->p++;
	return take(it, val);
}

bool tl_json_element(struct tl_json *it, struct tl_span *val)
{
	return advance(it, ']') && take(it, val);
}

struct tl_span tl_json_get(struct tl_span object, struct tl_span key)
{
	struct tl_json it = tl_json_open(object);
	struct tl_span k, v;
	if (object.n && blank(object.p, object.p + object.n)[0] == '{')
		while (tl_json_member(&it, &k, &v))
			if (tl_span_eq(k, key))
				return v;
	return (struct tl_span){0};
}

uint64_t tl_json_count(struct tl_span object, struct tl_span key)
{
	uint64_t n;
	return tl_json_u64(tl_json_get(object, key), &n) ? n : 0;
}

static int hex4(const char *p, const char *end)
{
	return end - p < 4 ? -1 : tl_hex4(p);
}

/* One escape at p ('\\'); appends its text and returns the byte behind it. */
static const char *unescape(const char *p, const char *end, struct tl_buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	if (p + 1 < end && p[1] == 'u') {
		int u = hex4(p + 2, end);
		if (u >= 0) {
			p += 6;
			uint32_t c = (uint32_t)u;
			int low = c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u'
						  ? hex4(p + 2, end)
						  : -1;
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
				p += 6;
			} else if (c >= 0xd800 && c < 0xe000) {
				c = 0xfffd;
			}
			tl_utf8_add(out, c);
			return p;
		}
	} else if (p + 1 < end) {
		const char *f = memchr(from, p[1], sizeof from - 1);
		if (f) {
			tl_buf_ch(out, to[f - from]);
			return p + 2;
		}
	}
	tl_buf_ch(out, '\\');
	return p + 1;
}

void tl_json_text(struct tl_span v, struct tl_buf *out)
{
	struct tl_span s = tl_json_inner(v);
	if (s.n == 0)
		return;
	const char *p = s.p, *end = s.p + s.n;
	while (p < end) {
		const char *b = memchr(p, '\\', (size_t)(end - p));
		if (!b) {
			tl_buf_add(out, p, (size_t)(end - p));
			return;
		}
		tl_buf_add(out, p, (size_t)(b - p));
		p = unescape(b, end, out);
	}
}

void tl_json_quote(struct tl_buf *out, struct tl_span s)
{
	if (s.n == 0) {
		tl_buf_lit(out, "\"\"");
		return;
	}
	const unsigned char *p = (const unsigned char *)s.p, *end = p + s.n;
	tl_buf_ch(out, '"');
	while (p < end) {
		const unsigned char *run = p;
		while (p < end && *p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\')
			p++;
		tl_buf_add(out, run, (size_t)(p - run));
		if (p == end)
			break;
		if (*p < 0x80) {
			tl_json_escape(out, *p++);
			continue;
		}
		size_t bad, n = tl_utf8_len(p, end, &bad);
		if (n)
			tl_buf_add(out, p, n);
		else
			tl_buf_lit(out, "\xef\xbf\xbd");
		p += n ? n : bad;
	}
	tl_buf_ch(out, '"');
}

struct tl_span tl_json_compact(struct tl_span v, struct tl_buf *out)
{
	const char *p = v.p, *end = v.p + v.n;
	size_t from = out->n;
	while (p < end) {
		const char *q = p;
		while (q < end && (unsigned char)*q > ' ')
			q = *q == '"' ? tl_json_skip(q, end) : q + 1;
		if (q == end && p == v.p)
			return v;
		tl_buf_add(out, p, (size_t)(q - p));
		for (p = q; p < end && (unsigned char)*p <= ' ';)
			p++;
	}
	return (struct tl_span){out->p + from, out->n - from};
}
