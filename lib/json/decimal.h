/* Plain decimal numbers as text: exact, with as many digits as the source has. */
#ifndef TL_JSON_DECIMAL_H
#define TL_JSON_DECIMAL_H
#include "../base/base.h"

/* True when the span is digits with an optional sign before and fraction behind: a JSON number
 * without exponent. */
bool tl_decimal_plain(struct tl_span v);

/* Appends a JSON number, or a string that holds one, as a plain decimal: "1.5e3" gives 1500.
 * False (nothing appended) when it is no number, or would need more than 400 digits. */
bool tl_decimal_add(struct tl_buf *out, struct tl_span v);

/* a - b and a + b of plain decimals, exact; false when they have more than 18 digits before or
 * behind the point. */
bool tl_decimal_minus(struct tl_buf *out, struct tl_span a, struct tl_span b);
bool tl_decimal_plus(struct tl_buf *out, struct tl_span a, struct tl_span b);

#endif
