#include "scan.h"
#include "../base/base.h"
#include "cursor.h"
#include <stdlib.h>

/* TL_SCALAR forces the form for machines without SSE2; tests/unit/scan.c compares the two. */
#if defined(__SSE2__) && !defined(TL_SCALAR)
#include <emmintrin.h>
#define BLOCKS_OF_16
#endif

static enum tl_scan_result bad(struct tl_scan *s, const char *why)
{
	s->why = why;
	return TL_SCAN_BAD;
}

/* At a byte that fits nowhere: the end of the window, or damage. */
static enum tl_scan_result unexpected(struct tl_scan *s, const char *why)
{
	return s->p >= s->end ? TL_SCAN_MORE : bad(s, why);
}

static void repaired(struct tl_scan *s, enum tl_repair r)
{
	if (!s->repair[r].count++)
		s->repair[r].first = s->p;
	s->repairs++;
}

static void put(struct tl_scan *s, const char *p, size_t n)
{
	memcpy(s->o, p, n);
	s->o += n;
}

/* A \u escape at p. The bytes behind `end` are zeros: no digits. */
static void unicode_escape(struct tl_scan *s)
{
	int u = tl_hex4(s->p + 2);
	if (u < 0) {
		repaired(s, TL_BAD_ESCAPE);
		put(s, "\\\\", 2);
		s->p++;
		return;
	}
	bool high = u >= 0xd800 && u < 0xdc00, low = u >= 0xdc00 && u < 0xe000;
	if (high && s->p[6] == '\\' && s->p[7] == 'u') {
		int v = tl_hex4(s->p + 8);
		if (v >= 0xdc00 && v < 0xe000) {
			put(s, s->p, 12);
			s->p += 12;
			return;
		}
	}
	if (high || low) {
		repaired(s, TL_LONE_SURROGATE);
		put(s, "\\ufffd", 6);
	} else {
		put(s, s->p, 6);
	}
	s->p += 6;
}

static enum tl_scan_result escape(struct tl_scan *s)
{
	/* the longest escape, a surrogate pair, has 12 bytes */
	if (s->end - s->p < 12 && !s->final)
		return TL_SCAN_MORE;
	switch (s->p[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		put(s, s->p, 2);
		s->p += 2;
		return TL_SCAN_OK;
	case 'u':
		unicode_escape(s);
		return TL_SCAN_OK;
	default:
		repaired(s, TL_BAD_ESCAPE);
		put(s, "\\\\", 2);
		s->p++;
		return TL_SCAN_OK;
	}
}

static void control(struct tl_scan *s)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char c = (unsigned char)*s->p;
	static const char from[] = "\b\f\n\r\t", to[] = "bfnrt";
	repaired(s, TL_CONTROL_CHAR);
	const char *f = c ? memchr(from, c, sizeof from - 1) : NULL;
	if (f) {
		*s->o++ = '\\';
		*s->o++ = to[f - from];
	} else {
		put(s, "\\u00", 4);
		*s->o++ = hex[c >> 4];
		*s->o++ = hex[c & 15];
	}
	s->p++;
}

static enum tl_scan_result multibyte(struct tl_scan *s)
{
	size_t sub, n = tl_utf8_len((const unsigned char *)s->p, (const unsigned char *)s->end, &sub);
	if (n) {
		put(s, s->p, n);
		s->p += n;
		return TL_SCAN_OK;
	}
	if (s->end - s->p < 4 && !s->final)
		return TL_SCAN_MORE;
	repaired(s, TL_BAD_UTF8);
	put(s, "\xef\xbf\xbd", 3);
	s->p += sub;
	return TL_SCAN_OK;
}

/* A plain run ends at a quote, a backslash, a byte below 0x20 or one from 0x80. Whole blocks are
 * copied, past its end too: the padding of the window and the room of the output allow it. */
#ifdef BLOCKS_OF_16
static inline void plain_run(struct tl_scan *s)
{
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
				  space = _mm_set1_epi8(' ');
	const char *p = s->p;
	char *o = s->o;
	for (;; p += 16, o += 16) {
		__m128i w = _mm_loadu_si128((const __m128i *)(const void *)p);
		_mm_storeu_si128((__m128i *)(void *)o, w);
		/* as signed bytes those from 0x80 are below the space too */
		__m128i end = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(w, quote), _mm_cmpeq_epi8(w, slash)),
			_mm_cmplt_epi8(w, space));
		unsigned m = (unsigned)_mm_movemask_epi8(end);
		if (m) {
			unsigned n = (unsigned)__builtin_ctz(m);
			s->p = p + n;
			s->o = o + n;
			return;
		}
	}
}
#else
static inline void plain_run(struct tl_scan *s)
{
	const char *p = s->p;
	char *o = s->o;
	while ((unsigned char)*p >= ' ' && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
		*o++ = *p++;
	s->p = p;
	s->o = o;
}
#endif

enum tl_scan_result tl_scan_string(struct tl_scan *s)
{
	enum tl_scan_result r = TL_SCAN_OK;
	*s->o++ = *s->p++;
	while (r == TL_SCAN_OK) {
		plain_run(s);
		unsigned char c = (unsigned char)*s->p;
		if (s->p >= s->end)
			return TL_SCAN_MORE;
		if (c == '"') {
			*s->o++ = '"';
			s->p++;
			return TL_SCAN_OK;
		}
		if (c == '\\')
			r = escape(s);
		else if (c < ' ')
			control(s);
		else
			r = multibyte(s);
	}
	return r;
}

/* True where a bare token may end. */
static bool token_ends(char c)
{
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool word(struct tl_span t, const char *lower_name)
{
	return tl_span_eq_nocase(t, tl_str(lower_name));
}

/* NaN, Infinity, N/A and what C libraries print for them: they stand for no value. */
static bool no_value(struct tl_span t)
{
	if (t.n && (t.p[0] == '-' || t.p[0] == '+'))
		t.p++, t.n--;
	if (t.n > 4 && word((struct tl_span){t.p, 4}, "nan("))
		return t.p[t.n - 1] == ')';
	if (t.n > 2 && t.p[0] == '1' && t.p[1] == '.' && t.p[2] == '#')
		return true;
	return word(t, "nan") || word(t, "inf") || word(t, "infinity") || word(t, "n/a");
}

/* +1, 01, .5, 1. : numbers that only JSON's grammar refuses. Written as JSON; false: no number. */
static bool odd_number(struct tl_scan *s, struct tl_span t)
{
	const char *p = t.p, *end = t.p + t.n;
	char *o = s->o;
	double unused;
	if (!t.n || !tl_json_double(t, &unused))
		return false;
	if (*p == '-')
		*o++ = '-';
	if (*p == '-' || *p == '+')
		p++;
	while (end - p > 1 && *p == '0' && tl_is_digit(p[1]))
		p++;
	if (p < end && !tl_is_digit(*p))
		*o++ = '0';
	for (; p < end; p++) {
		*o++ = *p;
		if (*p == '.' && (p + 1 == end || !tl_is_digit(p[1])))
			*o++ = '0';
	}
	s->o = o;
	return true;
}

static enum tl_scan_result odd_token(struct tl_scan *s, const char *start)
{
	const char *p = start;
	while (p < s->end && !token_ends(*p) && *p != '"' && *p != '{' && *p != '[' && *p != ':')
		p++;
	if (p >= s->end && !s->final)
		return TL_SCAN_MORE;
	struct tl_span t = {start, (size_t)(p - start)};
	s->p = start;
	if (no_value(t)) {
		repaired(s, TL_BAD_NUMBER);
		put(s, "null", 4);
	} else if (odd_number(s, t)) {
		repaired(s, TL_BAD_NUMBER);
	} else {
		/* cut inside a token, 1.5e or nul */
		return p >= s->end ? TL_SCAN_MORE : bad(s, "expected a value");
	}
	s->p = p;
	return TL_SCAN_OK;
}

static enum tl_scan_result number(struct tl_scan *s)
{
	const char *start = s->p, *p = start, *d;
	p += *p == '-';
	d = p;
	while (tl_is_digit(*p))
		p++;
	bool ok = p > d && (*d != '0' || p == d + 1);
	if (*p == '.') {
		d = ++p;
		while (tl_is_digit(*p))
			p++;
		ok = ok && p > d;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '-' || *p == '+';
		d = p;
		while (tl_is_digit(*p))
			p++;
		ok = ok && p > d;
	}
	if (!ok || !token_ends(*p)) {
		if (!ok || p < s->end || !s->final)
			return odd_token(s, start);
	}
	put(s, start, (size_t)(p - start));
	s->p = p;
	return TL_SCAN_OK;
}

static enum tl_scan_result literal(struct tl_scan *s)
{
	static const char *const words[] = {"true", "false", "null"};
	for (int i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);
		if (memcmp(s->p, words[i], n) == 0 && (token_ends(s->p[n]) || s->p + n >= s->end)) {
			if (s->p + n >= s->end && !s->final)
				return TL_SCAN_MORE;
			put(s, s->p, n);
			s->p += n;
			return TL_SCAN_OK;
		}
	}
	return odd_token(s, s->p);
}

static enum tl_scan_result scalar(struct tl_scan *s)
{
	if (*s->p == '"')
		return tl_scan_string(s);
	if (*s->p == '-' || tl_is_digit(*s->p))
		return number(s);
	return literal(s);
}

static void push(struct tl_scan *s, size_t depth, bool object)
{
	size_t w = depth / 64;
	TL_GROW(s->stack, w, s->stack_cap);
	uint64_t bit = UINT64_C(1) << depth % 64;
	s->stack[w] = object ? s->stack[w] | bit : s->stack[w] & ~bit;
}

static bool in_object(const struct tl_scan *s, size_t depth)
{
	return s->stack[depth / 64] >> depth % 64 & 1;
}

static enum tl_scan_result key_and_colon(struct tl_scan *s)
{
	if (*s->p != '"')
		return unexpected(s, "expected a key");
	enum tl_scan_result r = tl_scan_string(s);
	if (r != TL_SCAN_OK)
		return r;
	tl_scan_blank(s);
	if (*s->p != ':')
		return unexpected(s, "expected ':'");
	s->p++;
	*s->o++ = ':';
	return TL_SCAN_OK;
}

/* Closes what is closed at p and goes over the comma; *depth 0: the whole value is done. */
static enum tl_scan_result after_value(struct tl_scan *s, size_t *depth)
{
	while (*depth) {
		bool object = in_object(s, *depth - 1);
		char close = object ? '}' : ']';
		tl_scan_blank(s);
		if (*s->p == ',') {
			s->p++;
			tl_scan_blank(s);
			if (*s->p != close) {
				*s->o++ = ',';
				return object ? key_and_colon(s) : TL_SCAN_OK;
			}
			s->trailing_comma = true;
		}
		if (*s->p != close)
			return unexpected(s, object ? "expected ',' or '}'" : "expected ',' or ']'");
		s->p++;
		*s->o++ = close;
		--*depth;
	}
	return TL_SCAN_OK;
}

/* Opens the bracket at p; *empty when it closes at once. */
static enum tl_scan_result open_bracket(struct tl_scan *s, size_t *depth, bool *empty)
{
	bool object = *s->p == '{';
	push(s, (*depth)++, object);
	*s->o++ = *s->p++;
	tl_scan_blank(s);
	*empty = *s->p == (object ? '}' : ']');
	if (!*empty)
		return object ? key_and_colon(s) : TL_SCAN_OK;
	*s->o++ = *s->p++;
	--*depth;
	return TL_SCAN_OK;
}

enum tl_scan_result tl_scan_value(struct tl_scan *s)
{
	size_t depth = 0;
	for (;;) {
		enum tl_scan_result r;
		tl_scan_blank(s);
		if (*s->p == '{' || *s->p == '[') {
			bool empty;
			r = open_bracket(s, &depth, &empty);
			if (r != TL_SCAN_OK)
				return r;
			if (!empty)
				continue;
		} else {
			r = scalar(s);
			if (r != TL_SCAN_OK)
				return r;
		}
		r = after_value(s, &depth);
		if (r != TL_SCAN_OK || depth == 0)
			return r;
	}
}

enum tl_scan_result tl_scan_key(struct tl_scan *s, bool first, struct tl_span *key, bool *more)
{
	tl_scan_blank(s);
	if (!first && *s->p == ',') {
		s->p++;
		tl_scan_blank(s);
		s->trailing_comma |= *s->p == '}';
		first = true;
	}
	*more = *s->p != '}';
	if (!*more) {
		s->p++;
		return TL_SCAN_OK;
	}
	if (!first)
		return unexpected(s, "expected ',' or '}'");
	char *start = s->o;
	enum tl_scan_result r = key_and_colon(s);
	*key = (struct tl_span){start + 1, (size_t)(s->o - start) - (r == TL_SCAN_OK ? 3 : 0)};
	return r;
}

enum tl_scan_result tl_scan_member(
	struct tl_scan *s, bool first, struct tl_span *key, struct tl_span *val, bool *more)
{
	enum tl_scan_result r = tl_scan_key(s, first, key, more);
	if (r != TL_SCAN_OK || !*more)
		return r;
	char *start = s->o;
	r = tl_scan_value(s);
	*val = (struct tl_span){start, (size_t)(s->o - start)};
	return r;
}

void tl_scan_free(struct tl_scan *s)
{
	free(s->stack);
	s->stack = NULL;
	s->stack_cap = 0;
}
