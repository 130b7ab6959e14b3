/* Records as reports may rely on them: each member of the type that tl-records.5 gives it. What a
 * trace or another program put there instead must not make a report fail. */
#ifndef TL_REPORT_FIT_H
#define TL_REPORT_FIT_H
#include "../base/base.h"

/* What was left out so far; the first is named. */
struct report_misfits {
	uint64_t values, records;
	char first[64]; /* "gpu_us of kernel_group" */
};

/* The record without members of another type than theirs or nested deeper than jq reads: `line`
 * itself, or its text in `out` (which is overwritten). Empty when it lacks a member without which
 * it is no row: it is left out. `line` must be JSON; `type` is its type. */
struct tl_span report_fit(
	struct tl_span line, struct tl_span type, struct tl_buf *out, struct report_misfits *m);

#endif
