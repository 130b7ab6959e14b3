/* The JSON scanner's two forms, blocks of 16 bytes and byte by byte, give the same on any text. */
#include "expect.h"
#include <stdlib.h>

#define TL_SCALAR
#define tl_scan_value scalar_scan_value
#define tl_scan_string scalar_scan_string
#define tl_scan_member scalar_scan_member
#define tl_scan_key scalar_scan_key
#define tl_scan_free scalar_scan_free
#include "../../lib/json/scan.c"
#undef tl_scan_value
#undef tl_scan_free
enum tl_scan_result tl_scan_value(struct tl_scan *s);
void tl_scan_free(struct tl_scan *s);

#define MAX 400

struct result {
	enum tl_scan_result r;
	size_t read, written;
	unsigned repairs;
	char out[(MAX + TL_SCAN_PAD) * TL_SCAN_GROWTH + 64];
};

static void scan(struct result *to, const char *text, size_t n, bool final, bool scalar)
{
	char window[MAX + TL_SCAN_PAD] = {0};
	struct tl_scan s = {.p = window, .end = window + n, .final = final, .o = to->out};
	memcpy(window, text, n);
	to->r = scalar ? scalar_scan_value(&s) : tl_scan_value(&s);
	to->read = (size_t)(s.p - window);
	to->written = (size_t)(s.o - to->out);
	to->repairs = s.repairs;
	if (scalar)
		scalar_scan_free(&s);
	else
		tl_scan_free(&s);
}

static void compare(const char *text, size_t n)
{
	static struct result a, b;
	for (int final = 0; final < 2; final++) {
		scan(&a, text, n, final, false);
		scan(&b, text, n, final, true);
		EXPECT(a.r == b.r && a.repairs == b.repairs);
		if (a.r == TL_SCAN_OK) {
			EXPECT(a.read == b.read && a.written == b.written);
			EXPECT(memcmp(a.out, b.out, a.written) == 0);
		}
	}
}

int main(void)
{
	static const char parts[][8] = {"\"", "\\", "\\n", "\\u00e9", "\\ud83d", "\xc3\xa9", "\xff",
		"\x01", "a", "abcdefg", "{", "}", "[", "]", ":", ",", "1", "-0.5e3", "NaN", "true", " ",
		"\n"};
	char text[MAX];
	uint32_t seed = 1;
	for (int i = 0; i < 20000; i++) {
		size_t n = 0;
		text[n++] = '"';
		while (n < 40 + (size_t)i % 300) {
			seed = seed * 1664525u + 1013904223u;
			/* mostly long strings, closed now and then */
			const char *part =
				parts[(seed >> 24) % (seed >> 8 & 3 ? 10 : sizeof parts / sizeof *parts)];
			if (part[0] == '"' && (seed >> 12 & 7))
				continue;
			memcpy(text + n, part, strlen(part));
			n += strlen(part);
		}
		text[n++] = '"';
		compare(text, n);
	}
	/* every length of a run, and every place of its end */
	for (size_t n = 0; n < 64; n++) {
		memset(text, 'x', n + 1);
		text[0] = '"';
		memcpy(text + n + 1, "\" ", 2);
		compare(text, n + 3);
		text[n / 2 + 1] = '\t';
		compare(text, n + 3);
	}
	return expect_failures > 0;
}
