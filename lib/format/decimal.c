#include "decimal.h"

/* sign, digits before the point, digits after it */
struct decimal {
	bool minus;
	struct tl_span whole, part;
};

static bool digits(struct tl_span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return true;
}

static bool parse(struct tl_span s, struct decimal *d)
{
	d->minus = s.n && s.p[0] == '-';
	s.p += d->minus;
	s.n -= d->minus;
	const char *point = s.n ? memchr(s.p, '.', s.n) : NULL;
	size_t n = point ? (size_t)(point - s.p) : s.n;
	d->whole = (struct tl_span){s.p, n};
	d->part = point ? (struct tl_span){point + 1, s.n - n - 1} : (struct tl_span){0};
	return n && digits(d->whole) && digits(d->part);
}

/* The digit of weight 10^place (negative: behind the point). */
static int digit(const struct decimal *d, long place)
{
	if (place < 0)
		return (size_t)(-place) <= d->part.n ? d->part.p[-place - 1] - '0' : 0;
	return (size_t)place < d->whole.n ? d->whole.p[d->whole.n - 1 - (size_t)place] - '0' : 0;
}

static size_t longer(size_t a, size_t b)
{
	return a > b ? a : b;
}

static bool less(const struct decimal *a, const struct decimal *b, long top, long low)
{
	for (long i = top; i >= low; i--)
		if (digit(a, i) != digit(b, i))
			return digit(a, i) < digit(b, i);
	return false;
}

/* Appends the digits of |a| + |b|, or |a| - |b| when that is not negative, lowest first. */
static void combine(struct tl_buf *out, const struct decimal *a, const struct decimal *b, long top,
	long low, bool minus)
{
	int carry = 0;

	for (long i = low; i <= top; i++) {
		int v = digit(a, i) + (minus ? -digit(b, i) : digit(b, i)) + carry;
		carry = v > 9 ? 1 : v < 0 ? -1 : 0;
		if (i == 0 && low < 0)
			tl_buf_ch(out, '.');
		tl_buf_ch(out, (char)('0' + v - carry * 10));
	}
}

/* Turns digits that stand lowest first round, without needless zeros. */
static void settle(struct tl_buf *out, size_t from, bool point)
{
	size_t zeros = from;
	while (point && zeros < out->n && (out->p[zeros] == '0' || out->p[zeros] == '.'))
		point = out->p[zeros++] != '.';
	out->n -= zeros - from;
	memmove(out->p + from, out->p + zeros, out->n - from);
	while (out->n > from + 1 && out->p[out->n - 1] == '0' && out->p[out->n - 2] != '.')
		out->n--;
	for (size_t i = from, j = out->n - 1; i < j; i++, j--) {
		char c = out->p[i];
		out->p[i] = out->p[j];
		out->p[j] = c;
	}
}

bool tl_decimal_add(struct tl_buf *out, struct tl_span a, struct tl_span b)
{
	struct decimal x, y;

	if (!parse(a, &x) || !parse(b, &y))
		return false;
	long top = (long)longer(x.whole.n, y.whole.n), low = -(long)longer(x.part.n, y.part.n);
	bool minus = x.minus != y.minus, swap = minus && less(&x, &y, top, low);
	const struct decimal *big = swap ? &y : &x, *small = swap ? &x : &y;
	size_t from = out->n;
	if (big->minus)
		tl_buf_ch(out, '-');
	size_t first = out->n;
	combine(out, big, small, top, low, minus);
	settle(out, first, low < 0);
	if (out->n == first + 1 && out->p[first] == '0' && first > from) {
		out->p[from] = '0'; /* no "-0" */
		out->n = first;
	}
	return true;
}
