/* Whether a text is JSON, by the scanner's rules: what it would repair is none. */
#ifndef TL_JSON_CHECK_H
#define TL_JSON_CHECK_H
#include "../base/base.h"
#include "scan.h"

/* True when the span is exactly one JSON value (white space around it is allowed). */
bool tl_json_valid(struct tl_span s);

/* Room for checking many texts; a zeroed one is empty. */
struct tl_json_check {
	struct tl_scan scan;
	struct tl_buf copy, out;
};

/* As tl_json_valid; false: *fault is the first byte that is none of a JSON value. */
bool tl_json_check(struct tl_json_check *c, struct tl_span s, size_t *fault);
void tl_json_check_free(struct tl_json_check *c);

#endif
