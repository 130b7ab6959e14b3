/* UTF-8 and JSON escapes, byte by byte, whatever the locale. */
#ifndef TL_BASE_UTF8_H
#define TL_BASE_UTF8_H
#include "buf.h"

/* Length (1..4) of the well-formed sequence at p, or 0: then `bad` is the length of the maximal
 * subpart to replace by one U+FFFD (Unicode 15, section 3.9). */
size_t tl_utf8_len(const unsigned char *p, const unsigned char *end, size_t *bad);

void tl_utf8_add(struct tl_buf *out, uint32_t code_point);

/* Appends the escape of an ASCII byte that cannot stand in a JSON string (\" \\ \n \u0001 ...). */
void tl_json_escape(struct tl_buf *out, unsigned char c);

static inline int tl_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of the four hex digits at p, -1 when one of them is none (what follows is not read). */
static inline int tl_hex4(const char *p)
{
	int v = 0;
	for (int i = 0; i < 4; i++) {
		int d = tl_hex(p[i]);
		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

#endif
