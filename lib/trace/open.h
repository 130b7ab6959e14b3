/* The stack of spans that are open while a sorted list of rows is read in order. It grows in `more`
 * (and, where an end is kept, in `key`) over the part of the list that has been read, so that it
 * costs no memory: push at most one for each entry read. */
#ifndef TL_TRACE_OPEN_H
#define TL_TRACE_OPEN_H
#include "table.h"
#include "../base/base.h"

struct tl_open {
	struct tl_sort *a; /* the list */
	size_t n;          /* open now */
};

static inline void tl_open_push(struct tl_open *o, uint32_t row)
{
	o->a[o->n++].more = row;
}

/* The same, with where it ends for those in it; tl_open_end tells it of the innermost one. */
static inline void tl_open_until(struct tl_open *o, uint32_t row, int64_t end)
{
	o->a[o->n].key = (uint64_t)end;
	tl_open_push(o, row);
}

static inline int64_t tl_open_end(const struct tl_open *o)
{
	return (int64_t)o->a[o->n - 1].key;
}

/* The innermost one, or TL_NO_ROW. */
static inline uint32_t tl_open_top(const struct tl_open *o)
{
	return o->n ? o->a[o->n - 1].more : TL_NO_ROW;
}

#endif
