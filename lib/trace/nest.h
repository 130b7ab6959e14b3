/* How host spans of a thread lie within each other: what overruns, what grazes, what starts just
 * before. tree.h tells the rule. */
#ifndef TL_TRACE_NEST_H
#define TL_TRACE_NEST_H
#include "link.h"

/* True when a span that starts at `ts`, before `outer_end`, and ends at `end` is taken for a child
 * of the span that ends at `outer_end`: it ends at most TL_ROUNDING later, or more of it lies
 * inside than outside. */
bool tl_nest_holds(int64_t outer_end, int64_t ts, int64_t end);

/* Nests host spans given in tl_table_nesting_order: sets `parent` of each to another one of them,
 * or to TL_NO_ROW. Parents stand before their children then, whatever started first; `key` and
 * `more` of the list are used up. With `overrun` (else NULL)
 * it also fills that column, and sets TL_ROW_GRAZES. */
void tl_nest_spans(
	const struct tl_table *t, struct tl_rows *spans, uint32_t *parent, int64_t *overrun);

#endif
