/* Exact sums of plain decimals, in text. */
#ifndef TL_DECIMAL_H
#define TL_DECIMAL_H
#include "../io/buf.h"

/* Appends a + b, both plain JSON decimals ("-12.050", no exponent, of any length), with as many
 * digits after the point as the longer of the two has, zeros at the end left out. False, and
 * nothing is appended, when one is no plain decimal. */
bool tl_decimal_add(struct tl_buf *out, struct tl_span a, struct tl_span b);

#endif
