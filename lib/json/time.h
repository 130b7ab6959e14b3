/* Times: integer nanoseconds inside, microseconds in text (records.md: rounded half away from 0).
 */
#ifndef TL_JSON_TIME_H
#define TL_JSON_TIME_H
#include "../base/base.h"

/* A JSON number, or a string that holds one, in microseconds -> ns. Exponents are read exactly.
 * False when it is no number or |ns| does not fit int64_t. */
bool tl_ns_parse(struct tl_span v, int64_t *ns);

/* ns as microseconds with at most three decimals, no trailing zeros ("9.472", "25", "-0.001").
 * Returns the length; the text is not terminated. */
#define TL_US_MAX 24
size_t tl_us_text(char out[TL_US_MAX], int64_t ns);
void tl_buf_us(struct tl_buf *b, int64_t ns);

/* a + b, clamped to the range of int64_t. */
static inline int64_t tl_ns_add(int64_t a, int64_t b)
{
	int64_t r;
	if (__builtin_add_overflow(a, b, &r))
		return b > 0 ? INT64_MAX : INT64_MIN;
	return r;
}

static inline int64_t tl_ns_sub(int64_t a, int64_t b)
{
	int64_t r;
	if (__builtin_sub_overflow(a, b, &r))
		return b < 0 ? INT64_MAX : INT64_MIN;
	return r;
}

/* A double as JSON, `digits` significant (6 for rates, 15 for figures); not finite: "null". */
void tl_buf_double(struct tl_buf *b, double v, int digits);
void tl_buf_exact(struct tl_buf *b, double v); /* the shorter of 15 and 17 digits that reads back */
void tl_buf_u64(struct tl_buf *b, uint64_t v);
void tl_buf_i64(struct tl_buf *b, int64_t v);

#endif
