#include "link.h"
#include "../json/json.h"
#include "open.h"
#include "rank.h"
#include <stdlib.h>

#define SKEW 1000000 /* ns that the two clocks may differ */

static void close_before(const struct tl_table *t, struct tl_open *open, int64_t ts)
{
	while (open->n > 0 && t->end[tl_open_top(open)] < ts)
		open->n--;
}

/* As tl_bind; ts and thread are columns of the points. */
static void bind(const struct tl_table *t, struct tl_sort *spans, size_t n_spans, const int64_t *ts,
	const uint32_t *threads, struct tl_rows *points)
{
	struct tl_sort *p = points->a;
	tl_table_nesting_order(t, spans, n_spans);
	tl_sort_by_time(p, points->n, ts);
	tl_sort_by_u32(p, points->n, threads);

	struct tl_open open = {spans, 0};
	size_t s = 0;
	for (size_t k = 0; k < points->n; k++) {
		uint32_t thread = threads[p[k].at];
		int64_t at = ts[p[k].at];
		if (k == 0 || thread != threads[p[k - 1].at]) {
			open.n = 0;
			while (s < n_spans && t->thread[spans[s].at] < thread)
				s++;
		}
		for (; s < n_spans && t->thread[spans[s].at] == thread && t->ts[spans[s].at] <= at; s++) {
			close_before(t, &open, t->ts[spans[s].at]);
			tl_open_push(&open, spans[s].at);
		}
		close_before(t, &open, at);
		p[k].more = tl_open_top(&open);
	}
}

void tl_bind(const struct tl_table *t, struct tl_sort *spans, size_t n_spans,
	struct tl_sort *points, size_t n_points)
{
	bind(t, spans, n_spans, t->ts, t->thread, &(struct tl_rows){points, n_points, n_points});
}

/* Candidates: launches with a key, in groups of one key, each group by start, inner ones last. In a
 * group of several processes by external id first; `more` is then 0 where all candidates of that
 * external id are of one process, else 1. */
static size_t group_end(const struct tl_rows *r, size_t from)
{
	size_t to = from;
	while (to < r->n && r->a[to].key == r->a[from].key)
		to++;
	return to;
}

static bool one_process(const struct tl_table *t, const struct tl_sort *a, size_t n)
{
	for (size_t k = 1; k < n; k++)
		if (tl_table_process(t, a[k].at) != tl_table_process(t, a[0].at))
			return false;
	return true;
}

static void split_by_external(const struct tl_table *t, struct tl_sort *a, size_t n)
{
	uint64_t key = a[0].key;
	tl_sort_by_u64(a, n, t->key2);
	for (size_t k = 0, to; k < n; k = to) {
		for (to = k; to < n && a[to].key == a[k].key; to++)
			;
		bool several = a[k].key == 0 || !one_process(t, a + k, to - k);
		for (size_t j = k; j < to; j++)
			a[j].more = several;
	}
	for (size_t k = 0; k < n; k++)
		a[k].key = key;
}

static void sort_group(const struct tl_table *t, struct tl_sort *a, size_t n)
{
	uint64_t key = a[0].key;
	tl_sort_by_u64(a, n, t->id);
	tl_sort_late_first(a, n, t->end);
	tl_sort_by_time(a, n, t->ts);
	for (size_t k = 0; k < n; k++)
		a[k].key = key;
}

static void sort_candidates(const struct tl_table *t, struct tl_rows *r)
{
	tl_sort(r->a, r->n);
	for (size_t from = 0, to; from < r->n; from = to) {
		to = group_end(r, from);
		if (to - from > 1)
			sort_group(t, r->a + from, to - from);
	}
}

/* The part of a group (sorted by external id) whose external id is `external`. */
static void narrow(const struct tl_table *t, const struct tl_sort **a, size_t *n, uint64_t external)
{
	const struct tl_sort *g = *a;
	size_t lo, behind;
	TL_SEARCH(lo, 0, *n, t->key2[g[lo].at] < external);
	TL_SEARCH(behind, lo, *n, t->key2[g[behind].at] <= external);
	*a = g + lo;
	*n = behind - lo;
}

/* The last of a group by start that starts no later than `limit`; when there is none, the last of
 * those that start first. */
static uint32_t latest(const struct tl_table *t, const struct tl_sort *a, size_t n, int64_t limit)
{
	if (t->ts[a[0].at] > limit)
		limit = t->ts[a[0].at];
	size_t lo;
	TL_SEARCH(lo, 1, n, t->ts[a[lo].at] <= limit);
	return a[lo - 1].at;
}

static enum tl_rank rank_of(const struct tl_table *t, uint32_t a, uint32_t b)
{
	uint32_t x = tl_table_process(t, a), y = tl_table_process(t, b);
	return x == y ? TL_RANK_SAME
				  : tl_rank_compare(tl_pool_text(t->pids, x), tl_pool_text(t->pids, y));
}

/* More candidates of several processes than this are not told apart. */
#define MAX_SEVERAL 64

/* Of candidates of several processes the one that `latest` would take of those that the pids say
 * are of the op's rank; TL_NO_ROW when these are of several processes too. */
static uint32_t of_rank(const struct tl_table *t, const struct tl_sort *a, size_t n, uint32_t op)
{
	uint32_t found = TL_NO_ROW;
	int64_t limit = tl_ns_add(t->ts[op], SKEW);
	if (n > MAX_SEVERAL)
		return found;
	for (size_t k = 0; k < n; k++) {
		uint32_t i = a[k].at;
		if (rank_of(t, i, op) != TL_RANK_SAME)
			continue;
		if (found != TL_NO_ROW && tl_table_process(t, found) != tl_table_process(t, i))
			return TL_NO_ROW;
		if (found == TL_NO_ROW || (t->ts[i] <= limit && t->ts[i] >= t->ts[found]) ||
			(t->ts[found] > limit && t->ts[i] < t->ts[found]))
			found = i;
	}
	return found;
}

/* Gives each GPU op of `ops` (keys as those of `launches`) that has no launcher yet its launcher.
 */
static void match(
	const struct tl_table *t, struct tl_rows *launches, struct tl_rows *ops, uint32_t *launcher)
{
	sort_candidates(t, launches);
	tl_sort(ops->a, ops->n);
	size_t op = 0;
	for (size_t from = 0, to; from < launches->n; from = to) {
		to = group_end(launches, from);
		uint64_t key = launches->a[from].key;
		while (op < ops->n && ops->a[op].key < key)
			op++;
		if (op == ops->n || ops->a[op].key != key)
			continue;
		struct tl_sort *group = launches->a + from;
		bool one = one_process(t, group, to - from);
		if (!one)
			split_by_external(t, group, to - from);
		for (; op < ops->n && ops->a[op].key == key; op++) {
			uint32_t row = ops->a[op].at;
			const struct tl_sort *a = group;
			size_t n = to - from;
			if (launcher[row] != TL_NO_ROW)
				continue;
			if (!one)
				narrow(t, &a, &n, t->key2[row]);
			if (one || (n > 0 && a[0].more == 0))
				launcher[row] = latest(t, a, n, tl_ns_add(t->ts[row], SKEW));
			else
				launcher[row] = n > 0 ? of_rank(t, a, n, row) : of_rank(t, group, to - from, row);
			if (launcher[row] != TL_NO_ROW && rank_of(t, launcher[row], row) == TL_RANK_OTHER)
				launcher[row] = TL_NO_ROW;
		}
	}
}

/* An op with a flow: thread, then start, then (where asked for) key. */
static int compare_place(const struct tl_table *t, uint32_t op, uint32_t flow, bool with_key)
{
	const struct tl_flows *f = &t->flows;
	if (t->thread[op] != f->thread[flow])
		return t->thread[op] < f->thread[flow] ? -1 : 1;
	if (t->ts[op] != f->ts[flow])
		return t->ts[op] < f->ts[flow] ? -1 : 1;
	return with_key ? (t->key[op] > f->key[flow]) - (t->key[op] < f->key[flow]) : 0;
}

/* By thread, then start; what is equal in both keeps its order. */
static void sort_by_place(struct tl_rows *r, const int64_t *ts, const uint32_t *thread)
{
	tl_sort_by_time(r->a, r->n, ts);
	tl_sort_by_u32(r->a, r->n, thread);
}

/* Flow ids that are texts are told apart by as many bytes. */
#define FLOW_ID_BYTES 64

/* The 8 bytes of a text key's text from `from`, as a number that sorts as they do. */
static uint64_t piece(const struct tl_table *t, uint64_t key, size_t from)
{
	uint64_t piece = 0;
	if (!(key & TL_KEY_TEXT))
		return 0;
	struct tl_span text = tl_pool_text(t->texts, (uint32_t)key);
	for (size_t k = from; k < from + 8; k++)
		piece = piece << 8 | (k < text.n ? (unsigned char)text.p[k] : 0);
	return piece;
}

/* The key of a text is its number in order of arrival, which must not decide: the text does. */
static void sort_flows_by_text(const struct tl_table *t, struct tl_rows *flows)
{
	for (size_t from = FLOW_ID_BYTES; from > 0; from -= 8) {
		for (size_t k = 0; k < flows->n; k++)
			flows->a[k].key = piece(t, t->flows.key[flows->a[k].at], from - 8);
		tl_sort(flows->a, flows->n);
	}
	for (size_t k = 0; k < flows->n; k++) {
		uint64_t key = t->flows.key[flows->a[k].at];
		flows->a[k].key = key & TL_KEY_TEXT ? TL_KEY_TEXT : key;
	}
	tl_sort(flows->a, flows->n);
	sort_by_place(flows, t->flows.ts, t->flows.thread);
}

static bool has_texts(const struct tl_table *t, const struct tl_rows *flows)
{
	for (size_t k = 0; k < flows->n; k++)
		if (t->flows.key[flows->a[k].at] & TL_KEY_TEXT)
			return true;
	return false;
}

/* Adds the ops that a flow ends on to `ends`; the flows that found none are left in `finishes`.
 * Both lists are sorted by place; an op is taken once (`more` is then 0). */
static void bind_finishes(const struct tl_table *t, struct tl_rows *finishes, struct tl_rows *ops,
	struct tl_rows *ends, bool with_key)
{
	size_t left = 0, op = 0;
	for (size_t k = 0; k < finishes->n; k++) {
		uint32_t flow = finishes->a[k].at;
		int c = -1;
		while (op < ops->n && ((c = compare_place(t, ops->a[op].at, flow, with_key)) < 0 ||
								  (c == 0 && ops->a[op].more == 0)))
			op++;
		if (op == ops->n || c != 0) {
			finishes->a[left++] = finishes->a[k];
			continue;
		}
		ops->a[op].more = 0;
		tl_rows_add(ends, t->flows.key[flow], ops->a[op].at);
	}
	finishes->n = left;
}

static void bound(const struct tl_table *t, const struct tl_rows *flows, struct tl_rows *to)
{
	for (size_t k = 0; k < flows->n; k++)
		if (flows->a[k].more != TL_NO_ROW)
			tl_rows_add(to, t->flows.key[flows->a[k].at], flows->a[k].more);
}

/* `starts` and `finishes`: `at` is a flow. What is equal in time and key among them is
 * interchangeable, so that their order of arrival does not matter. */
struct parts {
	struct tl_rows launches, ops, starts, finishes;
};

static void gather(const struct tl_table *t, struct parts *p)
{
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (!(t->flags[i] & TL_ROW_TS))
			continue;
		if (tl_table_is_launch(t, i))
			tl_rows_add(&p->launches, 0, i);
		else if (tl_table_is_gpu_op(t, i))
			tl_rows_add(&p->ops, 0, i);
	}
	for (uint32_t i = 0; i < t->flows.n && p->ops.n && p->launches.n; i++)
		tl_rows_add(t->flows.start[i] ? &p->starts : &p->finishes, 0, i);
}

static void match_flows(const struct tl_table *t, struct parts *p, uint32_t *launcher)
{
	struct tl_rows from = {0}, to = {0};
	bind(t, p->launches.a, p->launches.n, t->flows.ts, t->flows.thread, &p->starts);
	bound(t, &p->starts, &from);
	tl_sort_by_u64(p->finishes.a, p->finishes.n, t->flows.key);
	sort_by_place(&p->finishes, t->flows.ts, t->flows.thread);
	tl_sort_by_u64(p->ops.a, p->ops.n, t->key);
	sort_by_place(&p->ops, t->ts, t->thread);
	/* of ops that start at once on a thread each has the flow of its correlation, if there is one;
	 * the others take what is left in order of event id */
	bind_finishes(t, &p->finishes, &p->ops, &to, true);
	if (p->finishes.n) {
		tl_sort_by_u64(p->ops.a, p->ops.n, t->id);
		sort_by_place(&p->ops, t->ts, t->thread);
		if (has_texts(t, &p->finishes))
			sort_flows_by_text(t, &p->finishes);
		bind_finishes(t, &p->finishes, &p->ops, &to, false);
	}
	match(t, &from, &to, launcher);
	free(from.a);
	free(to.a);
}

static void match_correlations(const struct tl_table *t, struct parts *p, uint32_t *launcher)
{
	size_t launches = 0, ops = 0;
	for (size_t k = 0; k < p->launches.n; k++)
		if (t->key[p->launches.a[k].at])
			p->launches.a[launches++] = (struct tl_sort){
				t->key[p->launches.a[k].at], p->launches.a[k].at, 0};
	for (size_t k = 0; k < p->ops.n; k++)
		if (t->key[p->ops.a[k].at])
			p->ops.a[ops++] = (struct tl_sort){t->key[p->ops.a[k].at], p->ops.a[k].at, 0};
	p->launches.n = launches;
	p->ops.n = ops;
	match(t, &p->launches, &p->ops, launcher);
}

static uint32_t *find_launchers(const struct tl_table *t)
{
	struct parts p = {0};
	uint32_t *launcher = tl_no_rows(t->n);
	gather(t, &p);
	if (p.starts.n && p.finishes.n)
		match_flows(t, &p, launcher);
	match_correlations(t, &p, launcher);
	free(p.launches.a);
	free(p.ops.a);
	free(p.starts.a);
	free(p.finishes.a);
	return launcher;
}

static uint32_t *told_launchers(const struct tl_table *t)
{
	uint32_t *launcher = tl_no_rows(t->n);
	for (size_t k = 0; k < t->n_told; k++) {
		const struct tl_told *told = &t->told[k];
		uint32_t row = told->has_launcher ? tl_table_row(t, told->launcher) : TL_NO_ROW;
		if (row != TL_NO_ROW && tl_table_is_launch(t, row))
			launcher[told->row] = row;
	}
	return launcher;
}

/* ---- graph replays ---- */

static bool *graph_names(const struct tl_table *t, bool *any)
{
	uint32_t n = tl_pool_count(t->names);
	bool *is = tl_calloc((size_t)n + 1, sizeof *is);
	*any = false;
	for (uint32_t i = 0; i < n; i++)
		*any |= is[i] = tl_is_graph_launch(tl_pool_text(t->names, i));
	return is;
}

/* Launches of one correlation (or one launch without), parents first: `open` ends the last graph
 * launch on their thread. */
static void mark_group(struct tl_table *t, struct tl_sort *a, size_t n, const bool *is)
{
	int64_t open = INT64_MIN;
	if (n > 1)
		tl_table_nesting_order(t, a, n);
	for (size_t k = 0; k < n; k++) {
		uint32_t i = a[k].at;
		if (k > 0 && t->thread[i] != t->thread[a[k - 1].at])
			open = INT64_MIN;
		if (!is[t->name[i]] && t->ts[i] >= open)
			continue;
		t->flags[i] |= TL_ROW_GRAPH;
		if (is[t->name[i]] && t->end[i] > open)
			open = t->end[i];
	}
}

static void mark_replays(struct tl_table *t)
{
	struct tl_rows r = {0};
	bool any, *is = graph_names(t, &any);
	for (uint32_t k = 0; k < t->n && any; k++) {
		uint32_t i = tl_table_at(t, k);
		if (tl_table_is_launch(t, i))
			tl_rows_add(&r, t->key[i], i);
	}
	tl_sort(r.a, r.n);
	for (size_t from = 0, to; from < r.n; from = to) {
		to = r.a[from].key ? group_end(&r, from) : from + 1;
		mark_group(t, r.a + from, to - from, is);
	}
	free(r.a);
	free(is);
}

static uint32_t *with_replays(struct tl_table *t, uint32_t *launcher)
{
	mark_replays(t);
	for (uint32_t i = 0; i < t->n; i++)
		if (launcher[i] != TL_NO_ROW)
			t->flags[i] |= t->flags[launcher[i]] & TL_ROW_GRAPH;
	return launcher;
}

uint32_t *tl_link_anew(struct tl_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->flags[i] &= (uint16_t)~TL_ROW_GRAPH;
	return with_replays(t, find_launchers(t));
}

uint32_t *tl_link(struct tl_table *t)
{
	return with_replays(t, t->tree ? told_launchers(t) : find_launchers(t));
}
