#include "cursor.h"
#include <stdlib.h>

bool tl_json_u64(struct tl_span v, uint64_t *out)
{
	struct tl_span s = tl_json_inner(v);
	uint64_t u = 0;
	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned char)s.p[i] - (unsigned)'0';
		if (d > 9 || __builtin_mul_overflow(u, 10u, &u) || __builtin_add_overflow(u, d, &u))
			return false;
	}
	*out = u;
	return true;
}

bool tl_json_i64(struct tl_span v, int64_t *out)
{
	struct tl_span s = tl_json_inner(v);
	bool neg = s.n && s.p[0] == '-';
	uint64_t u;
	if (neg)
		s.p++, s.n--;
	if (!tl_json_u64(s, &u) || u > (uint64_t)INT64_MAX + neg)
		return false;
	*out = neg ? (int64_t)-u : (int64_t)u;
	return true;
}

bool tl_json_double(struct tl_span v, double *out)
{
	char text[400];
	struct tl_span s = tl_json_inner(v);
	if (s.n == 0 || s.n >= sizeof text)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = 0;
	for (size_t i = 0; i < s.n; i++)
		if (!memchr("0123456789+-.eE", text[i], 15))
			return false;
	char *end;
	*out = strtod(text, &end);
	return end == text + s.n;
}
