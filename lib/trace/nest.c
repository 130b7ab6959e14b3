#include "nest.h"
#include "open.h"
#include "../json/json.h"

/* How many spans are looked at that start within a rounding of a call. */
#define MOST 64

bool tl_nest_holds(int64_t outer_end, int64_t ts, int64_t end)
{
	int64_t over = tl_ns_sub(end, outer_end);
	return over <= TL_ROUNDING || over < tl_ns_sub(outer_end, ts);
}

/* The place of the operator that the call at a[k] starts just before, as far as clocks can tell; of
 * several the one that starts last; k when there is none. */
static size_t after_grace(const struct tl_table *t, const struct tl_sort *a, size_t n, size_t k)
{
	uint32_t call = a[k].at;
	size_t found = k, end = k + MOST < n ? k + MOST : n;
	int64_t limit = tl_ns_add(t->ts[call], TL_ROUNDING);
	for (size_t j = k + 1; j < end; j++) {
		uint32_t i = a[j].at;
		if (t->thread[i] != t->thread[call] || t->ts[i] > limit)
			break;
		if (tl_table_is_op(t, i) && t->ts[i] > t->ts[call] && t->ts[i] < t->end[call] &&
			tl_nest_holds(t->end[i], t->ts[i], t->end[call]))
			found = j;
	}
	return found;
}

/* Calls that start just before an operator go behind it. */
static void order_with_grace(const struct tl_table *t, struct tl_rows *spans)
{
	bool any = false;
	for (size_t k = 0; k < spans->n; k++) {
		size_t to = tl_table_is_launch(t, spans->a[k].at) ? after_grace(t, spans->a, spans->n, k)
														  : k;
		spans->a[k].key = to == k ? 2 * k : 2 * to + 1;
		any = any || to != k;
	}
	if (any)
		tl_sort(spans->a, spans->n);
}

/* The stack keeps with each span where it ends for those in it. */
void tl_nest_spans(
	const struct tl_table *t, struct tl_rows *spans, uint32_t *parent, int64_t *overrun)
{
	struct tl_open open = {spans->a, 0};
	order_with_grace(t, spans);
	for (size_t k = 0; k < spans->n; k++) {
		uint32_t i = spans->a[k].at;
		int64_t end = t->end[i];
		if (k > 0 && t->thread[i] != t->thread[spans->a[k - 1].at])
			open.n = 0;
		while (open.n > 0 && t->ts[i] >= tl_open_end(&open))
			open.n--;
		if (overrun)
			overrun[i] = 0;
		while (open.n > 0 && end > tl_open_end(&open)) {
			int64_t outer = tl_open_end(&open), ts = t->ts[tl_open_top(&open)];
			if (tl_nest_holds(outer, ts > t->ts[i] ? ts : t->ts[i], end)) {
				if (overrun)
					overrun[i] = tl_ns_sub(end, outer);
				end = outer;
				break;
			}
			if (overrun)
				t->flags[i] |= TL_ROW_GRAZES;
			open.n--;
		}
		parent[i] = tl_open_top(&open);
		tl_open_until(&open, i, end);
	}
}
