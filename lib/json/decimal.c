#include "decimal.h"
#include "cursor.h"

static size_t digit_run(const char *p, const char *end)
{
	const char *s = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return (size_t)(p - s);
}

bool tl_decimal_plain(struct tl_span v)
{
	const char *p = v.p, *end = v.p + v.n;
	if (p < end && *p == '-')
		p++;
	size_t n = digit_run(p, end);
	if (!n)
		return false;
	p += n;
	if (p == end)
		return true;
	if (*p != '.')
		return false;
	n = digit_run(++p, end);
	return n && p + n == end;
}

struct parts {
	bool neg;
	char digits[420];
	size_t n;      /* digits */
	int64_t point; /* digits before the point; may be < 0 or > n */
};

static bool exponent(const char *p, const char *end, int64_t *e)
{
	bool neg = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	size_t n = digit_run(p, end);
	if (!n || p + n != end || n > 5)
		return false;
	*e = 0;
	for (; p < end; p++)
		*e = *e * 10 + (*p - '0');
	*e = neg ? -*e : *e;
	return true;
}

static bool split(struct tl_span v, struct parts *d)
{
	struct tl_span s = tl_json_inner(v);
	const char *p = s.p, *end = s.p + s.n;
	d->neg = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	size_t ints = digit_run(p, end), fracs = 0;
	const char *frac = p + ints;
	if (frac < end && *frac == '.')
		fracs = digit_run(++frac, end);
	if (ints + fracs == 0 || ints + fracs > 400)
		return false;
	memcpy(d->digits, p, ints);
	memcpy(d->digits + ints, frac, fracs);
	d->n = ints + fracs;
	d->digits[d->n] = 0;
	p = frac + fracs;
	int64_t e = 0;
	if (p < end && ((*p | 32) != 'e' || !exponent(p + 1, end, &e)))
		return false;
	d->point = (int64_t)ints + e;
	return d->point > -400 && d->point < 400;
}

static void join(struct tl_buf *out, const struct parts *d)
{
	int64_t first = 0, last = (int64_t)d->n;
	if (strspn(d->digits, "0") >= d->n) {
		tl_buf_ch(out, '0');
		return;
	}
	while (first < last && d->digits[first] == '0' && first < d->point - 1)
		first++;
	while (last > d->point && last > first && d->digits[last - 1] == '0')
		last--;
	if (d->neg)
		tl_buf_ch(out, '-');
	if (d->point <= first)
		tl_buf_ch(out, '0');
	for (int64_t i = first; i < d->point; i++)
		tl_buf_ch(out, i < (int64_t)d->n ? d->digits[i] : '0');
	if (last > d->point) {
		tl_buf_ch(out, '.');
		for (int64_t i = d->point; i < last; i++)
			tl_buf_ch(out, i < 0 ? '0' : d->digits[i]);
	}
}

bool tl_decimal_add(struct tl_buf *out, struct tl_span v)
{
	struct parts d;
	if (!split(v, &d))
		return false;
	join(out, &d);
	return true;
}

/* Value * 10^18 as a 128-bit integer. */
static bool scaled(struct tl_span v, __int128 *out)
{
	struct parts d;
	if (!split(v, &d) || d.point > 18 || (int64_t)d.n - d.point > 18)
		return false;
	__int128 x = 0;
	for (int64_t i = d.point < 0 ? d.point : 0; i < d.point + 18; i++)
		x = x * 10 + (i >= 0 && i < (int64_t)d.n ? d.digits[i] - '0' : 0);
	*out = d.neg ? -x : x;
	return true;
}

static void unscale(struct tl_buf *out, __int128 x)
{
	struct parts d = {.neg = x < 0, .point = 22};
	unsigned __int128 u = x < 0 ? -(unsigned __int128)x : (unsigned __int128)x;
	d.n = 40;
	for (size_t i = d.n; i-- > 0; u /= 10)
		d.digits[i] = (char)('0' + (int)(u % 10));
	d.digits[d.n] = 0;
	join(out, &d);
}

bool tl_decimal_minus(struct tl_buf *out, struct tl_span a, struct tl_span b)
{
	__int128 x, y;
	if (!scaled(a, &x) || !scaled(b, &y))
		return false;
	unscale(out, x - y);
	return true;
}

bool tl_decimal_plus(struct tl_buf *out, struct tl_span a, struct tl_span b)
{
	__int128 x, y;
	if (!scaled(a, &x) || !scaled(b, &y))
		return false;
	unscale(out, x + y);
	return true;
}
