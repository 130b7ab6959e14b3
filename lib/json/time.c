#include "time.h"
#include "cursor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct decimal {
	const char *ints, *fracs;
	size_t int_n, frac_n;
	int64_t exp;
	bool neg;
};

static size_t digits(const char *p, const char *end)
{
	const char *s = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return (size_t)(p - s);
}

static bool read_exponent(const char *p, const char *end, int64_t *exp)
{
	bool neg = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end || digits(p, end) != (size_t)(end - p))
		return false;
	int64_t e = 0;
	for (; p < end; p++)
		e = e > 100000 ? e : e * 10 + (*p - '0');
	*exp = neg ? -e : e;
	return true;
}

static bool read_decimal(struct tl_span v, struct decimal *d)
{
	const char *p = v.p, *end = v.p + v.n;
	*d = (struct decimal){0};
	if (p < end && (*p == '-' || *p == '+'))
		d->neg = *p++ == '-';
	d->ints = p;
	p += d->int_n = digits(p, end);
	if (p < end && *p == '.') {
		d->fracs = ++p;
		p += d->frac_n = digits(p, end);
	}
	if (d->int_n + d->frac_n == 0)
		return false;
	if (p < end && (*p == 'e' || *p == 'E'))
		return read_exponent(p + 1, end, &d->exp);
	return p == end;
}

static int digit_at(const struct decimal *d, int64_t i)
{
	if (i < 0)
		return 0;
	if ((uint64_t)i < d->int_n)
		return d->ints[i] - '0';
	i -= (int64_t)d->int_n;
	return (uint64_t)i < d->frac_n ? d->fracs[i] - '0' : 0;
}

bool tl_ns_parse(struct tl_span v, int64_t *ns)
{
	struct decimal d;
	if (!read_decimal(tl_json_inner(v), &d))
		return false;
	/* the digits before this place are whole nanoseconds, the one at it rounds */
	int64_t places = (int64_t)d.int_n + d.exp + 3;
	uint64_t sum = 0;
	int64_t all = (int64_t)(d.int_n + d.frac_n);
	for (int64_t i = 0; i < places; i++) {
		if (i >= all && sum == 0)
			break;
		if (__builtin_mul_overflow(sum, 10u, &sum) ||
			__builtin_add_overflow(sum, (uint64_t)digit_at(&d, i), &sum))
			return false;
	}
	if (places >= 0 && digit_at(&d, places) >= 5 && places < all)
		sum++;
	if (sum > INT64_MAX)
		return false;
	*ns = d.neg ? -(int64_t)sum : (int64_t)sum;
	return true;
}

size_t tl_us_text(char out[TL_US_MAX], int64_t ns)
{
	char tmp[TL_US_MAX];
	size_t n = 0, o = 0;
	uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, us = u / 1000, frac = u % 1000;
	if (ns < 0)
		out[o++] = '-';
	do
		tmp[n++] = (char)('0' + us % 10);
	while (us /= 10);
	while (n)
		out[o++] = tmp[--n];
	if (frac) {
		out[o++] = '.';
		for (unsigned div = 100; frac; div /= 10) {
			out[o++] = (char)('0' + frac / div);
			frac %= div;
		}
	}
	return o;
}

void tl_buf_us(struct tl_buf *b, int64_t ns)
{
	tl_buf_more(b, TL_US_MAX);
	b->n += tl_us_text(b->p + b->n, ns);
}

void tl_buf_double(struct tl_buf *b, double v, int digits_wanted)
{
	char text[40];
	if (!isfinite(v)) {
		tl_buf_lit(b, "null");
		return;
	}
	int n = snprintf(text, sizeof text, "%.*g", digits_wanted, v == 0 ? 0.0 : v);
	tl_buf_add(b, text, (size_t)n);
}

void tl_buf_exact(struct tl_buf *b, double v)
{
	char text[40];
	snprintf(text, sizeof text, "%.15g", v);
	tl_buf_double(b, v, strtod(text, NULL) == v ? 15 : 17);
}

void tl_buf_u64(struct tl_buf *b, uint64_t v)
{
	char text[20];
	size_t n = sizeof text;
	do
		text[--n] = (char)('0' + v % 10);
	while (v /= 10);
	tl_buf_add(b, text + n, sizeof text - n);
}

void tl_buf_i64(struct tl_buf *b, int64_t v)
{
	if (v < 0)
		tl_buf_ch(b, '-');
	tl_buf_u64(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}
