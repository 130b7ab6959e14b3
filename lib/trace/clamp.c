#include "../json/json.h"
#include "link.h"
#include "tree.h"
#include <stdlib.h>

#define NO_FRAME SIZE_MAX

struct frames {
	struct tl_table *t;
	struct tl_rows by_id; /* by Python id, then thread; `more` is 0 once looked at */
	int64_t *last_end;    /* by thread */
};

static void gather(struct frames *f)
{
	struct tl_table *t = f->t;
	struct tl_rows *r = &f->by_id;
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (t->cat[i] == TL_CAT_PYTHON && tl_table_is_call(t, i) && t->key[i])
			tl_rows_add(r, 0, i);
	}
	tl_sort_by_u32(r->a, r->n, t->thread);
	tl_sort_by_u64(r->a, r->n, t->key);
}

static void find_last_ends(struct frames *f)
{
	struct tl_table *t = f->t;
	size_t threads = tl_pool_count(t->threads);
	f->last_end = tl_calloc(threads + 1, sizeof *f->last_end);
	for (size_t i = 0; i < threads; i++)
		f->last_end[i] = INT64_MIN;
	for (uint32_t i = 0; i < t->n; i++)
		if (tl_table_is_call(t, i) && t->end[i] > f->last_end[t->thread[i]])
			f->last_end[t->thread[i]] = t->end[i];
}

/* The caller on the frame's own thread. */
static size_t caller_of(const struct frames *f, size_t frame)
{
	const struct tl_table *t = f->t;
	uint32_t row = f->by_id.a[frame].at;
	uint64_t id = t->key2[row];
	size_t lo;
	TL_SEARCH(lo, 0, f->by_id.n,
		f->by_id.a[lo].key < id ||
			(f->by_id.a[lo].key == id && t->thread[f->by_id.a[lo].at] < t->thread[row]));
	if (id == 0 || lo == f->by_id.n || f->by_id.a[lo].key != id)
		return NO_FRAME;
	return t->thread[f->by_id.a[lo].at] == t->thread[row] ? lo : NO_FRAME;
}

/* True when the frame's end depends on that of its caller. */
static bool may_be_lost(const struct frames *f, size_t frame)
{
	const struct tl_table *t = f->t;
	uint32_t i = f->by_id.a[frame].at;
	return t->key2[i] && t->end[i] >= tl_ns_sub(f->last_end[t->thread[i]], TL_ROUNDING);
}

static void settle(struct frames *f, size_t frame, size_t caller)
{
	struct tl_table *t = f->t;
	uint32_t i = f->by_id.a[frame].at;
	if (caller == NO_FRAME)
		return;
	int64_t end = t->end[f->by_id.a[caller].at];
	if (end < t->end[i] && end > t->ts[i]) {
		t->end[i] = end;
		t->flags[i] |= TL_ROW_CLAMPED;
	}
}

void tl_clamp_frames(struct tl_table *t)
{
	struct frames f = {.t = t};
	gather(&f);
	find_last_ends(&f);
	size_t *chain = tl_calloc(f.by_id.n + 1, sizeof *chain);
	for (size_t k = 0; k < f.by_id.n; k++) {
		size_t n = 0, at = k;
		/* callers first; marked at once, so that a circle ends */
		while (at != NO_FRAME && f.by_id.a[at].more && may_be_lost(&f, at)) {
			f.by_id.a[at].more = 0;
			chain[n++] = at;
			at = caller_of(&f, at);
		}
		for (; n > 0; n--) {
			settle(&f, chain[n - 1], at);
			at = chain[n - 1];
		}
	}
	free(chain);
	free(f.last_end);
	free(f.by_id.a);
}
