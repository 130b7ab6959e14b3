/* Whose is this GPU op: the one answer that the call tree, rows, sources and shares are made of.
 *
 * The operator of a GPU op is that of its launch (link.h); without a launch in the trace there is
 * none. Of a launch:
 *  - calls and operators are nested as tl-tree nests host events (tree.h: what overruns, what
 *    grazes, what starts just before its operator). The operator is the innermost one above the
 *    call.
 *  - the External id (of the GPU op, else of the launch) decides ties: where an operator's bound
 *    touches the start or end of the call, time does not tell whether the call lies within it, and
 *    the operator of the id is meant if it is this one, or what lies directly around it.
 *  - where no operator is above the call, it is the one of that id, in the process of the launch,
 *    whose span holds the start of the call, on any thread.
 * An id never beats an operator that truly encloses the call, and never means one that ended before
 * it or began after it: PyTorch 1.13 to 2.0 number launches and operators apart.
 *
 * What remains equal is decided by event id. Sorting aside, the cost is linear. */
#ifndef TL_TRACE_OPERATOR_H
#define TL_TRACE_OPERATOR_H
#include "link.h"

/* A column by row of the table: of a GPU op its operator's row, of a call or operator the operator
 * that time alone puts it in; else TL_NO_ROW. `launcher`: the column of tl_link. Where tl-tree was,
 * its answer is taken. The table needs calls and operators. The caller frees the column. */
uint32_t *tl_operators_of(const struct tl_table *t, const uint32_t *launcher);

/* The same whatever tl-tree said, for tl-tree; rows with TL_ROW_LEFT_OUT do not count. `nested`:
 * the host spans that tl_nest_spans has put in order, so that they need not be sorted again; or
 * NULL. */
uint32_t *tl_operators_find(
	const struct tl_table *t, const uint32_t *launcher, const struct tl_rows *nested);

#endif
