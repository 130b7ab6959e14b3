#include "../io/time.h"
#include "link.h"
#include "tree.h"
#include <stdlib.h>

/* Python ids are given in the order of the calls, so a caller's end is settled before its callees
 * are looked at when frames are taken in order of id. */
static uint32_t caller_of(const struct tl_table *t, const struct tl_rows *frames, uint32_t row)
{
	uint64_t id = t->key2[row];
	size_t lo = 0, hi = frames->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct tl_sort *f = &frames->a[mid];
		if (f->key < id || (f->key == id && t->thread[f->at] < t->thread[row]))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == frames->n || frames->a[lo].key != id)
		return TL_NO_ROW;
	uint32_t caller = frames->a[lo].at;
	return t->thread[caller] == t->thread[row] ? caller : TL_NO_ROW;
}

static int64_t *last_ends(const struct tl_table *t)
{
	size_t threads = tl_pool_count(t->threads);
	int64_t *last = tl_calloc(threads + 1, sizeof *last);
	for (size_t i = 0; i < threads; i++)
		last[i] = INT64_MIN;
	for (uint32_t i = 0; i < t->n; i++)
		if (tl_table_is_call(t, i) && t->end[i] > last[t->thread[i]])
			last[t->thread[i]] = t->end[i];
	return last;
}

static void gather(const struct tl_table *t, struct tl_rows *frames)
{
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (t->cat[i] == TL_CAT_PYTHON && tl_table_is_call(t, i) && t->key[i])
			tl_rows_add(frames, t->thread[i], i);
	}
	tl_sort(frames->a, frames->n);
	for (size_t k = 0; k < frames->n; k++)
		frames->a[k].key = t->key[frames->a[k].at];
	tl_sort(frames->a, frames->n);
}

void tl_clamp_frames(struct tl_table *t)
{
	struct tl_rows frames = {0};
	gather(t, &frames);
	if (frames.n == 0)
		return;
	int64_t *last = last_ends(t);
	for (size_t k = 0; k < frames.n; k++) {
		uint32_t i = frames.a[k].at;
		if (!t->key2[i] || t->end[i] < tl_ns_sub(last[t->thread[i]], TL_ROUNDING))
			continue;
		uint32_t caller = caller_of(t, &frames, i);
		if (caller == TL_NO_ROW || t->end[caller] >= t->end[i] || t->end[caller] <= t->ts[i])
			continue;
		t->end[i] = t->end[caller];
		t->flags[i] |= TL_ROW_CLAMPED;
	}
	free(last);
	free(frames.a);
}
