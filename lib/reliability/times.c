#include "../trace/trace.h"
#include "inside.h"
#include "../json/json.h"
#include "../base/base.h"
#include <stdlib.h>

/* ---- edge_gap ---- */

struct gap {
	int64_t dur, before, after; /* `after`, `before`: GPU time on its sides */
	uint32_t next;              /* the op behind it */
};

static struct gap widest_edge_gap(const struct rl_facts *f)
{
	struct gap best = {0};
	int64_t end = 0, done = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i];
		int64_t rest = tl_ns_sub(f->sum, done), least = rest < done ? rest : done;
		int64_t dur = i ? tl_ns_sub(f->t->ts[o], end) : 0;
		if (dur > best.dur && (double)least <= 0.01 * (double)f->sum)
			best = (struct gap){dur, done, rest, o};
		done = tl_ns_add(done, f->t->dur[o]);
		end = i == 0 || f->t->end[o] > end ? f->t->end[o] : end;
	}
	return best;
}

static void edge_gap(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct gap g = widest_edge_gap(f);
	if (f->sum <= 0 || f->span <= 0 || (double)g.dur <= 0.2 * (double)f->span)
		return;
	struct rl_seen at = {1, f->t->id[g.next], f->t->ts[g.next], true};
	struct rl_warning *w = rl_raise(r, RL_edge_gap, RL_SEV_WARNING, &at,
		"%.1f %% of the span is one gap with at most 1 %% of the GPU time on one side",
		100 * rl_ratio((double)g.dur, (double)f->span));
	tl_put_us(&w->figures, "gap_us", g.dur);
	tl_put_us(&w->figures, "span_us", f->span);
	tl_put_us(&w->figures, "gpu_us_before", g.before);
	tl_put_us(&w->figures, "gpu_us_after", g.after);
}

/* ---- impossible_duration ---- */

/* Ops per lane, by start, then end. */
static struct tl_sort *lane_order(const struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	struct tl_sort *k = tl_calloc(f->n_ops + 1, sizeof *k);
	for (size_t i = 0; i < f->n_ops; i++)
		k[i].at = f->ops[i];
	tl_sort_by_time(k, f->n_ops, t->end);
	tl_sort_by_time(k, f->n_ops, t->ts);
	for (size_t i = 0; i < f->n_ops; i++)
		k[i].key = tl_table_lane(t, k[i].at);
	tl_sort(k, f->n_ops);
	return k;
}

/* The sum of durations as tl-overlap --clip takes them: k[0..n) are the ops of one lane. */
static int64_t clipped_sum(const struct tl_table *t, const struct tl_sort *k, size_t n)
{
	int64_t sum = 0, next = INT64_MAX, later = INT64_MAX;
	for (size_t i = n; i-- > 0;) {
		int64_t ts = t->ts[k[i].at];
		if (ts < next) {
			later = next;
			next = ts;
		}
		sum = tl_ns_add(sum, tl_ns_sub(tl_clip_end(ts, t->end[k[i].at], later), ts));
	}
	return sum;
}

struct lane {
	struct tl_overrun o;
	size_t from, n; /* in the order of lanes */
};

static struct lane worst_lane(const struct rl_facts *f, const struct tl_sort *k, uint64_t *lanes)
{
	struct lane worst = {0};
	*lanes = 0;
	for (size_t i = 0, from; i < f->n_ops;) {
		struct tl_overrun o = {0};
		for (from = i; i < f->n_ops && k[i].key == k[from].key; i++)
			tl_overrun_add(&o, f->t->ts[k[i].at], f->t->end[k[i].at], k[i].at);
		if (!tl_overrun_impossible(&o))
			continue;
		++*lanes;
		if (o.excess > worst.o.excess)
			worst = (struct lane){o, from, i - from};
	}
	return worst;
}

static void figure_lane(struct rl_warning *w, const struct tl_table *t, uint32_t op)
{
	const struct tl_lane *lane = &t->places.lanes[tl_table_lane(t, op)];
	const struct tl_device *device = &t->places.devices[lane->device];
	tl_put_json(&w->figures, "device", device->text);
	if (device->ambiguous)
		tl_put_json(&w->figures, "process", device->pid);
	tl_put_json(&w->figures, "stream", lane->stream);
	if (lane->ambiguous)
		tl_put_json(&w->figures, "context", lane->context);
}

bool rl_overruns(struct tl_reliability *r, enum rl_code code)
{
	const struct rl_facts *f = &r->f;
	uint64_t lanes;
	struct tl_sort *k = lane_order(f);
	struct lane l = worst_lane(f, k, &lanes);
	if (lanes) {
		uint32_t o = (uint32_t)l.o.worst;
		double share = tl_overrun_share(&l.o);
		struct rl_seen at = {l.o.overlapping, f->t->id[o], f->t->ts[o], true};
		struct rl_warning *w = rl_raise(r, code,
			share >= TL_OVERRUN_SHARE_WARN ? RL_SEV_WARNING : RL_SEV_INFO, &at,
			"ops run %.1f %% of their stream's GPU time past the start of the next op",
			100 * share);
		figure_lane(w, f->t, o);
		tl_put_us(&w->figures, "excess_us", l.o.excess);
		tl_put_num(&w->figures, "excess_share", share, 6);
		tl_put_us(&w->figures, "worst_excess_us", l.o.worst_excess);
		tl_put_us(&w->figures, "gpu_us", l.o.device);
		tl_put_us(&w->figures, "gpu_us_clipped", clipped_sum(f->t, k + l.from, l.n));
		tl_put_u64(&w->figures, "streams", lanes);
	}
	free(k);
	return lanes > 0;
}

/* ---- duplicate_events ---- */

static bool same_op(const struct tl_table *t, uint32_t a, uint32_t b)
{
	return tl_table_lane(t, a) == tl_table_lane(t, b) && t->ts[a] == t->ts[b] &&
		   t->dur[a] == t->dur[b] && t->name[a] == t->name[b];
}

/* Ops by (ts, lane, name, dur): equal ones stand together. Ops without length are no evidence. */
static void duplicate_events(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	const struct tl_table *t = f->t;
	struct rl_seen seen = {0};
	struct tl_sort *k = tl_calloc(f->n_ops + 1, sizeof *k);
	for (size_t i = 0; i < f->n_ops; i++)
		k[i].at = f->ops[i];
	tl_sort_by_time(k, f->n_ops, t->dur);
	for (size_t i = 0; i < f->n_ops; i++)
		k[i].key = (uint64_t)tl_table_lane(t, k[i].at) << 32 | t->name[k[i].at];
	tl_sort(k, f->n_ops);
	tl_sort_by_time(k, f->n_ops, t->ts);
	for (size_t i = 1; i < f->n_ops; i++) {
		uint32_t o = k[i].at;
		if (t->dur[o] > 0 && same_op(t, o, k[i - 1].at))
			rl_saw_row(f, &seen, o);
	}
	free(k);
	if (seen.count)
		rl_raise(r, RL_duplicate_events, RL_SEV_WARNING, &seen,
			"%llu GPU ops repeat another one: device, stream, time, length and name",
			(unsigned long long)seen.count);
}

/* ---- the profiler's own work ---- */

/* Start of the last launch that lost its GPU op: later ones have some. INT64_MIN: none did. */
static int64_t last_lost(const struct rl_facts *f)
{
	for (size_t i = f->n_launches; i-- > 0;) {
		const struct rl_group *g = &f->groups[f->launches[i]];
		if (g->ops == 0 && g->ts < f->last_launch)
			return g->ts;
	}
	return INT64_MIN;
}

/* Requests and flushes inside the span of the GPU ops. */
static void buffer_pressure(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen seen = {0};
	int64_t sum = 0, lost_at = last_lost(f);
	bool lost = false;
	for (size_t i = 0; i < f->n_pauses; i++) {
		const struct rl_pause *p = &f->pauses[i];
		if (p->lazy || p->ts < f->n.first || tl_ns_add(p->ts, p->dur) > f->n.last)
			continue;
		rl_saw(&seen, p->id, p->ts, true);
		sum = tl_ns_add(sum, p->dur);
		lost = lost || lost_at > p->ts;
	}
	uint64_t rows = f->n.kernels + f->n.calls;
	bool cap = rows == 1000000 || rows == 5000000;
	double share = rl_ratio((double)sum, (double)f->span);
	if (!cap && !(seen.count && (lost || share > 0.0001)))
		return;
	enum tl_reliability_severity severity = lost || share > 0.01 ? RL_SEV_ERROR
											: cap                ? RL_SEV_WARNING
																 : RL_SEV_INFO;
	struct rl_warning *w = rl_raise(r, RL_buffer_pressure, severity, &seen, "%s",
		lost ? "the profiler's buffers were requested or flushed, and later launches have no GPU op"
		: cap ? "kernels and runtime calls stop at a round number: a buffer was full"
			  : "the profiler requested or flushed buffers while the GPU was measured");
	tl_put_us(&w->figures, "buffer_us", sum);
	tl_put_us(&w->figures, "span_us", f->span);
	if (cap)
		tl_put_u64(&w->figures, "rows", rows);
}

static int by_dur(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* The median of n durations (sorts them). */
static double median(int64_t *dur, size_t n)
{
	qsort(dur, n, sizeof *dur, by_dur);
	size_t mid = n / 2;
	double upper = (double)dur[mid];
	return n % 2 ? upper : ((double)dur[mid - 1] + upper) / 2;
}

static void lazy_first_use(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	const struct rl_step *first = NULL;
	size_t n = 0;
	int64_t lazy = 0;
	if (f->n_steps < 4)
		return;
	for (size_t i = 0; i < f->n_steps; i++)
		if (!first || f->steps[i].ts < first->ts ||
			(f->steps[i].ts == first->ts && f->t->id[f->steps[i].row] < f->t->id[first->row]))
			first = &f->steps[i];
	int64_t *rest = tl_alloc(f->n_steps * sizeof *rest);
	for (size_t i = 0; i < f->n_steps; i++)
		if (&f->steps[i] != first)
			rest[n++] = f->steps[i].dur;
	double usual = median(rest, n);
	free(rest);
	if ((double)first->dur <= 1.5 * usual)
		return;
	for (size_t i = 0; i < f->n_pauses; i++)
		if (f->pauses[i].lazy)
			lazy = tl_ns_add(lazy, f->pauses[i].dur);
	struct rl_seen at = {1, f->t->id[first->row], first->ts, true};
	struct rl_warning *w = rl_raise(r, RL_lazy_first_use, RL_SEV_INFO, &at,
		"the first of %zu steps takes %.1f times the median of the others", f->n_steps,
		rl_ratio((double)first->dur, usual));
	tl_put_us(&w->figures, "first_us", first->dur);
	tl_put_us(&w->figures, "median_us", (int64_t)usual);
	tl_put_us(&w->figures, "lazy_us", lazy);
}

/* ---- sums ---- */

static void spin_collective(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	const struct tl_table *t = f->t;
	uint32_t longest = RL_NONE;
	int64_t *dur = tl_alloc((f->n_ops + 1) * sizeof *dur);
	size_t n = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i];
		if (!(f->bits[o] & RL_COMM) || !rl_is_kernel(f, o))
			continue;
		dur[n++] = t->dur[o];
		if (longest == RL_NONE || t->dur[o] > t->dur[longest])
			longest = o;
	}
	double usual = n ? median(dur, n) : 0;
	free(dur);
	if (n < 3 || usual <= 0 || (double)t->dur[longest] <= 20 * usual)
		return;
	struct rl_seen at = {1, t->id[longest], t->ts[longest], true};
	struct rl_warning *w = rl_raise(r, RL_spin_collective, RL_SEV_INFO, &at,
		"the longest collective takes %.0f times the median: it may have waited for other ranks",
		rl_ratio((double)t->dur[longest], usual));
	tl_put_us(&w->figures, "longest_us", t->dur[longest]);
	tl_put_us(&w->figures, "median_us", (int64_t)usual);
	tl_put_u64(&w->figures, "collectives", n);
}

/* Overlaps of neighbours on a lane that are short enough to be legal (clip.h). */
static int64_t legal_overlap(const struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	struct tl_sort *k = lane_order(f);
	int64_t sum = 0;
	for (size_t i = 1; i < f->n_ops; i++) {
		uint32_t o = k[i - 1].at, next = k[i].at;
		int64_t over = tl_ns_sub(t->end[o], t->ts[next]);
		if (k[i].key == k[i - 1].key && t->ts[next] > t->ts[o] && over > 0 &&
			over < TL_OVERRUN_FAULT)
			sum = tl_ns_add(sum, over);
	}
	free(k);
	return sum;
}

static bool too_much_work(const struct rl_facts *f)
{
	double room = 1.001 * (double)f->lanes * (double)f->span;
	return (double)f->sum > room && (double)tl_ns_sub(f->sum, legal_overlap(f)) > room;
}

static void util_over_100(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	if (!r->bad_timeline && !too_much_work(f))
		return;
	struct rl_warning *w = rl_raise(r, RL_util_over_100, RL_SEV_WARNING, NULL, "%s",
		r->bad_timeline ? "a timeline has more busy time than its window is long"
						: "more GPU time than all streams together have room for");
	tl_put_us(&w->figures, "gpu_us", f->sum);
	tl_put_us(&w->figures, "span_us", f->span);
	tl_put_u64(&w->figures, "streams", f->lanes);
}

void rl_empty_timeline(struct tl_reliability *r)
{
	if (r->f.n.gpu == 0 && r->f.n.launches > 0)
		return; /* no_device_events */
	struct rl_warning *w = rl_raise(r, RL_empty_timeline, RL_SEV_ERROR, NULL, "%s",
		r->f.n.gpu ? "no GPU op has a time"
		: r->f.n.other_cats.n
			? "the trace holds no GPU op, but work of categories that tl does not know"
			: "the trace holds no GPU op");
	tl_put_json(&w->figures, "other_cats", tl_buf_all(&r->f.n.other_cats));
}

void rl_rows_times(struct tl_reliability *r)
{
	if (r->f.n.gpu == 0 || r->f.span <= 0)
		rl_empty_timeline(r);
	lazy_first_use(r);
	if (r->f.n_ops == 0)
		return;
	edge_gap(r);
	rl_overruns(r, RL_impossible_duration);
	buffer_pressure(r);
	duplicate_events(r);
	spin_collective(r);
	util_over_100(r);
}
