/* Sums of plain decimals in text, against sums known by hand. */
#include "../../lib/json/decimal.h"
#include <stdio.h>

static const struct {
	const char *a, *b, *sum; /* NULL: refused */
} cases[] = {
	{"0", "0", "0"},
	{"1", "2", "3"},
	{"10.5", "30.25", "40.75"},
	{"0.1", "0.2", "0.3"},
	{"999.999", "0.001", "1000"},
	{"9", "1", "10"},
	{"-5", "5", "0"},
	{"5", "-5", "0"},
	{"-0.5", "0.25", "-0.25"},
	{"0.25", "-0.5", "-0.25"},
	{"-1.5", "-2.5", "-4"},
	{"1764412800000000.1234567", "0.0000003", "1764412800000000.123457"},
	{"1764412800000020.501", "-1764412800000000", "20.501"},
	{"100", "-0.001", "99.999"},
	{"0.000", "0.00", "0"},
	{"-0", "0", "0"},
	{"1000", "-999", "1"},
	{"0012", "1", "13"},
	{"1.0", "100", "101"},
	{"1e3", "1", "1001"},
	{"", "1", NULL},
	{"-", "1", NULL},
};

int main(void)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tl_buf b = {0};
		bool ok = tl_decimal_plus(&b, tl_str(cases[i].a), tl_str(cases[i].b));
		struct tl_span want = cases[i].sum ? tl_str(cases[i].sum) : (struct tl_span){0};
		if (ok != (cases[i].sum != NULL) || !tl_span_eq(tl_buf_all(&b), want)) {
			printf("%s + %s: got %.*s\n", cases[i].a, cases[i].b, (int)b.n, b.p ? b.p : "");
			failed = 1;
		}
		tl_buf_free(&b);
	}
	return failed;
}
