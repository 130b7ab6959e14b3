/* Values as the columns of windows have them: numbers may be text, flags may be anything. */
#include "inside.h"
#include "../base/base.h"
#include "../json/json.h"

static bool read_hex(struct tl_span s, int64_t *out)
{
	bool neg = s.n && s.p[0] == '-';
	uint64_t v = 0;
	size_t i = neg;
	if (s.n - i < 3 || s.p[i] != '0' || (s.p[i + 1] | 32) != 'x')
		return false;
	for (i += 2; i < s.n; i++) {
		int d = tl_hex(s.p[i]);
		if (d < 0 || v >> 60)
			return false;
		v = v << 4 | (unsigned)d;
	}
	*out = (int64_t)(neg ? -v : v);
	return true;
}

bool window_int(struct tl_span v, int64_t *out)
{
	struct tl_span s = tl_json_inner(v);
	uint64_t u;
	double d;
	while (s.n && s.p[0] == ' ')
		s.p++, s.n--;
	while (s.n && s.p[s.n - 1] == ' ')
		s.n--;
	if (tl_json_i64(s, out) || read_hex(s, out))
		return true;
	if (tl_json_u64(s, &u)) {
		*out = (int64_t)u;
		return true;
	}
	if (s.n == 0 || !tl_json_double(s, &d) || !(d > -9.2e18 && d < 9.2e18))
		return false;
	*out = (int64_t)d;
	return true;
}

bool window_truthy(struct tl_span v)
{
	double d;
	if (v.n == 0 || *v.p == 'n' || *v.p == 'f')
		return false;
	if (*v.p == '"')
		return v.n > 2;
	if (*v.p == '{' || *v.p == '[') {
		size_t i = 1;
		while (i < v.n && (unsigned char)v.p[i] <= ' ')
			i++;
		return v.p[i] != '}' && v.p[i] != ']';
	}
	return !tl_json_double(v, &d) || d != 0;
}
