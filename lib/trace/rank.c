#include "rank.h"
#include "../json/json.h"

struct word {
	struct tl_span letters, digits;
};

/* The next word of letters and then digits; what stands before it is passed over. */
static bool next_word(struct tl_span *s, struct word *w)
{
	const char *p = s->p, *end = s->p + s->n;
	while (p < end) {
		const char *from = p, *mid;
		while (p < end && tl_is_letter(*p))
			p++;
		for (mid = p; p < end && tl_is_digit(*p); p++)
			;
		bool whole = mid > from && p > mid && (p == end || !tl_is_letter(*p));
		while (p < end && (tl_is_letter(*p) || tl_is_digit(*p)))
			p++;
		*s = (struct tl_span){p, (size_t)(end - p)};
		if (whole) {
			w->letters = (struct tl_span){from, (size_t)(mid - from)};
			w->digits = (struct tl_span){mid, (size_t)(p - mid)};
			return true;
		}
		if (p < end)
			p++;
	}
	return false;
}

enum tl_rank tl_rank_compare(struct tl_span pid, struct tl_span other)
{
	struct word a, b;
	enum tl_rank r = TL_RANK_UNKNOWN;
	if (!tl_json_is_string(pid) || !tl_json_is_string(other))
		return r;
	pid = tl_json_inner(pid);
	other = tl_json_inner(other);
	while (next_word(&pid, &a) && next_word(&other, &b)) {
		if (!tl_span_eq_nocase(a.letters, b.letters))
			return r;
		if (!tl_span_eq(a.digits, b.digits))
			return TL_RANK_OTHER;
		r = TL_RANK_SAME;
	}
	return r;
}
