#include "utf8.h"

size_t tl_utf8_len(const unsigned char *p, const unsigned char *end, size_t *bad)
{
	unsigned lo = 0x80, hi = 0xbf, c = *p;
	size_t n;
	*bad = 1;
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf) {
		n = 2;
	} else if (c >= 0xe0 && c <= 0xef) {
		n = 3;
		lo = c == 0xe0 ? 0xa0 : lo;
		hi = c == 0xed ? 0x9f : hi;
	} else if (c >= 0xf0 && c <= 0xf4) {
		n = 4;
		lo = c == 0xf0 ? 0x90 : lo;
		hi = c == 0xf4 ? 0x8f : hi;
	} else {
		return 0;
	}
	for (size_t i = 1; i < n; i++) {
		if (p + i >= end || p[i] < lo || p[i] > hi) {
			*bad = i;
			return 0;
		}
		lo = 0x80;
		hi = 0xbf;
	}
	return n;
}

void tl_utf8_add(struct tl_buf *out, uint32_t c)
{
	char u[4];
	size_t n = 0;
	if (c < 0x80) {
		u[n++] = (char)c;
	} else if (c < 0x800) {
		u[n++] = (char)(0xc0 | c >> 6);
		u[n++] = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		u[n++] = (char)(0xe0 | c >> 12);
		u[n++] = (char)(0x80 | (c >> 6 & 63));
		u[n++] = (char)(0x80 | (c & 63));
	} else {
		u[n++] = (char)(0xf0 | c >> 18);
		u[n++] = (char)(0x80 | (c >> 12 & 63));
		u[n++] = (char)(0x80 | (c >> 6 & 63));
		u[n++] = (char)(0x80 | (c & 63));
	}
	tl_buf_add(out, u, n);
}

void tl_json_escape(struct tl_buf *out, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *f = memchr(from, c, sizeof from - 1);
	if (f) {
		tl_buf_ch(out, '\\');
		tl_buf_ch(out, to[f - from]);
	} else if (c < ' ') {
		tl_buf_printf(out, "\\u%04x", c);
	} else {
		tl_buf_ch(out, (char)c);
	}
}
