/* Who dominates: of all intervals that are active now the strongest one, and the strongest one of
 * another row. Stronger is the higher priority, then the longer one, then the earlier start, then
 * the lower id. Driven by the points of a tl_walk over the same intervals, in the same order.
 *
 * O(log n) per point; 20 bytes per interval while open. */
#ifndef TL_TRACE_BESIDE_H
#define TL_TRACE_BESIDE_H
#include "interval.h"

#define TL_BESIDE_NONE UINT32_MAX

struct tl_beside {
	uint32_t first, second; /* places in the order, or TL_BESIDE_NONE */
	/* private */
	const struct tl_interval *iv;
	const uint32_t *order;
	uint32_t n;
	uint32_t *strength, *place; /* 1..n by place, and back */
	uint32_t *leaf;             /* place in row-major order */
	uint32_t *tree;             /* greatest strength below each node, 0: nothing active */
	uint32_t *row_from;         /* first leaf of each row; one more entry than rows */
	uint32_t row_base;
};

/* The rows of the intervals are row_base ... row_base + rows - 1. */
void tl_beside_open(struct tl_beside *b, const struct tl_interval *iv, const uint32_t *order,
	size_t n, uint32_t row_base, size_t rows);

/* True when `first` or `second` is another one now. */
bool tl_beside_point(struct tl_beside *b, const struct tl_point *p);
void tl_beside_close(struct tl_beside *b);

#endif
