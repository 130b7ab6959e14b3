/* Sweeps against the plain way: every instant by itself, every pair of intervals. */
#include "../../lib/trace/beside.h"
#include "../../lib/trace/clip.h"
#include "../../lib/rules/words.h"
#include "expect.h"
#include <stdlib.h>

#define MOST 24
#define SPAN 60
#define ROWS 4

static uint32_t state = 1;

static uint32_t random_below(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

static size_t make(struct tl_interval *iv, uint64_t *ids)
{
	size_t n = 1 + random_below(MOST);
	for (size_t i = 0; i < n; i++) {
		int64_t ts = random_below(SPAN);
		iv[i] = (struct tl_interval){.ts = ts,
			.end = ts + random_below(random_below(2) ? 4 : SPAN),
			.row = random_below(ROWS),
			.part = (uint8_t)random_below(TL_PARTS),
			.priority = (uint8_t)random_below(3)};
		ids[i] = 1000 - i; /* the order of the file is the reverse of that of arrival */
	}
	return n;
}

static bool is_active(const struct tl_interval *iv, int64_t t)
{
	return iv->ts <= t && t < iv->end;
}

static bool is_stronger(const struct tl_interval *iv, const uint64_t *ids, size_t a, size_t b)
{
	int64_t x = iv[a].end - iv[a].ts, y = iv[b].end - iv[b].ts;
	if (iv[a].priority != iv[b].priority)
		return iv[a].priority > iv[b].priority;
	if (x != y)
		return x > y;
	return iv[a].ts != iv[b].ts ? iv[a].ts < iv[b].ts : ids[a] < ids[b];
}

static size_t strongest(
	const struct tl_interval *iv, const uint64_t *ids, size_t n, int64_t t, uint32_t but_row)
{
	size_t best = n;
	for (size_t i = 0; i < n; i++)
		if (is_active(&iv[i], t) && iv[i].row != but_row &&
			(best == n || is_stronger(iv, ids, i, best)))
			best = i;
	return best;
}

static void add_instant(struct tl_busy *b, const struct tl_interval *iv, size_t n, int64_t t)
{
	uint32_t rows[ROWS] = {0}, active = 0, busy = 0;
	bool part[TL_PARTS] = {false};
	for (size_t i = 0; i < n; i++) {
		if (!is_active(&iv[i], t))
			continue;
		active++;
		busy += rows[iv[i].row]++ == 0;
		part[iv[i].part] = true;
	}
	b->busy += active > 0;
	for (int i = 0; i < TL_PARTS; i++)
		b->part[i] += part[i];
	b->exposed_comm += part[TL_PART_COMM] && !part[TL_PART_COMPUTE];
	b->exposed_memcpy += part[TL_PART_MEMCPY] && !part[TL_PART_COMPUTE] && !part[TL_PART_COMM];
	b->several += busy > 1;
	b->same_row += active - busy;
	b->max_rows = busy > b->max_rows ? busy : b->max_rows;
}

static bool is_same(const struct tl_busy *a, const struct tl_busy *b)
{
	for (int i = 0; i < TL_PARTS; i++)
		if (a->part[i] != b->part[i])
			return false;
	return a->busy == b->busy && a->exposed_comm == b->exposed_comm &&
		   a->exposed_memcpy == b->exposed_memcpy && a->several == b->several &&
		   a->same_row == b->same_row && a->max_rows == b->max_rows;
}

/* Who dominates between this point and the next, which is at `t` while the walk stands there. */
static bool is_dominant(const struct tl_beside *b, const struct tl_walk *w,
	const struct tl_interval *iv, const uint64_t *ids, size_t n)
{
	if (w->active == 0)
		return b->first == TL_BESIDE_NONE && b->second == TL_BESIDE_NONE;
	size_t first = strongest(iv, ids, n, w->now, UINT32_MAX);
	size_t second = strongest(iv, ids, n, w->now, iv[first].row);
	return w->order[b->first] == first &&
		   (second == n ? b->second == TL_BESIDE_NONE : w->order[b->second] == second);
}

static void sweep_once(void)
{
	struct tl_interval iv[MOST];
	uint64_t ids[MOST];
	uint32_t rows[ROWS] = {0};
	size_t n = make(iv, ids);
	uint32_t *order = tl_interval_order(iv, ids, n);
	struct tl_walk w = tl_walk_open(iv, order, n);
	struct tl_beside beside;
	struct tl_busy busy, plain = {0};
	struct tl_point p;
	bool dominant = true;
	for (size_t i = 1; i < n; i++) {
		const struct tl_interval *a = &iv[order[i - 1]], *b = &iv[order[i]];
		EXPECT(a->ts < b->ts || (a->ts == b->ts && a->end < b->end) ||
			   (a->ts == b->ts && a->end == b->end && ids[order[i - 1]] < ids[order[i]]));
	}
	tl_busy_open(&busy, rows);
	tl_beside_open(&beside, iv, order, n, 0, ROWS);
	while (tl_walk_next(&w, &p)) {
		tl_busy_point(&busy, &p, &iv[p.at]);
		tl_beside_point(&beside, &p);
		/* only when all of an instant's points are done: the next one is later */
		int64_t next = w.next < n ? iv[order[w.next]].ts : INT64_MAX;
		int64_t end = w.active ? iv[order[w.heap[0]]].end : INT64_MAX;
		if ((next < end ? next : end) > w.now)
			dominant &= is_dominant(&beside, &w, iv, ids, n);
	}
	for (int64_t t = 0; t < 2 * SPAN; t++)
		add_instant(&plain, iv, n, t);
	EXPECT(dominant);
	EXPECT(is_same(&busy, &plain));
	for (int i = 0; i < ROWS; i++)
		EXPECT(rows[i] == 0);
	tl_walk_close(&w);
	tl_beside_close(&beside);
	free(order);
}

static void windows_once(void)
{
	struct tl_period w[MOST];
	struct tl_probe p[MOST];
	size_t nw = random_below(MOST), np = random_below(MOST);
	for (size_t i = 0; i < nw; i++) {
		int64_t ts = random_below(SPAN);
		w[i] = (struct tl_period){ts, ts + random_below(SPAN), random_below(2), (uint32_t)i};
	}
	for (size_t i = 0; i < np; i++)
		p[i] = (struct tl_probe){
			.t = random_below(SPAN), .row = random_below(2), .at = (uint32_t)i};
	tl_period_find(w, nw, p, np, 2);
	for (size_t i = 0; i < np; i++) {
		uint32_t best = TL_PERIOD_NONE;
		for (uint32_t k = 0; k < nw; k++)
			if (w[k].row == p[i].row && w[k].ts <= p[i].t && p[i].t < w[k].end)
				best = k; /* sorted: the last one started last */
		EXPECT(p[i].found == best);
	}
}

static void extremes(void)
{
	struct tl_interval iv[] = {{.ts = INT64_MIN, .end = INT64_MAX},
		{.ts = INT64_MIN, .end = INT64_MAX}, {.ts = 0, .end = 0}};
	uint64_t ids[] = {0, 1, 2};
	uint32_t rows[1] = {0}, *order = tl_interval_order(iv, ids, 3);
	struct tl_walk w = tl_walk_open(iv, order, 3);
	struct tl_busy b;
	struct tl_point p;
	int points = 0;
	tl_busy_open(&b, rows);
	for (; tl_walk_next(&w, &p); points++)
		tl_busy_point(&b, &p, &iv[p.at]);
	EXPECT(points == 4 && b.busy == INT64_MAX && b.same_row == INT64_MAX);
	tl_walk_close(&w);
	free(order);
	order = tl_interval_order(iv, ids, 0);
	w = tl_walk_open(iv, order, 0);
	EXPECT(!tl_walk_next(&w, &p));
	free(order);
}

static void overruns(void)
{
	struct tl_overrun r = {0};
	tl_overrun_add(&r, 0, 100000, 1);
	tl_overrun_add(&r, 80000, 130000, 2);
	EXPECT(r.overlapping == 1 && r.excess == 20000 && !tl_overrun_impossible(&r));
	tl_overrun_add(&r, 80000, 90000000, 3);
	EXPECT(r.overlapping == 1); /* starts at one instant say nothing */
	tl_overrun_add(&r, 200000, 300000, 4);
	EXPECT(r.worst == 3 && r.worst_excess == 89800000 && tl_overrun_impossible(&r));
	EXPECT(tl_clip_end(0, 1003999, 4000) == 1003999 && tl_clip_end(0, 1004000, 4000) == 4000);
	EXPECT(tl_clip_end(7, 9000, 7) == 9000);
}

static void words_of(const char *name, const char *want)
{
	struct tl_buf b = {0};
	tl_words(&b, tl_str(name));
	EXPECT(tl_span_eq(tl_buf_all(&b), tl_str(want)));
	tl_buf_free(&b);
}

int main(void)
{
	for (int i = 0; i < 3000; i++) {
		sweep_once();
		windows_once();
	}
	extremes();
	overruns();
	words_of("vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>",
		" vllm fused add rms norm kernel c 10 b float 16 8 ");
	words_of("GammaBetaBackwardCUDAKernel_32x32", " gamma beta backward cuda kernel 32 x 32 ");
	words_of("_ZN5aiter24add_rmsnorm", " zn 5 aiter 24 add rmsnorm ");
	words_of("s161616gemm", " s 161616 gemm ");
	words_of("", " ");
	words_of("--", " ");
	return expect_failures > 0;
}
