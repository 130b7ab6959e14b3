#include "inside.h"
#include "../json/json.h"
#include "../base/base.h"
#include <stdlib.h>

/* ---- graphs ---- */

static void graph_coarse(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen seen = {0};
	int64_t sum = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i];
		if (!rl_is_kernel(f, o) || !rl_is_replayed(f, o))
			continue;
		rl_saw_row(f, &seen, o);
		sum = tl_ns_add(sum, f->t->dur[o]);
	}
	double share = rl_ratio((double)sum, (double)f->kernel_sum);
	if (share < 0.5)
		return;
	struct rl_warning *w = rl_raise(r, RL_graph_coarse, RL_SEV_WARNING, &seen,
		"%.1f %% of the kernel time was launched by graph replays: no operators, no shapes",
		100 * share);
	tl_put_us(&w->figures, "graph_us", sum);
	tl_put_us(&w->figures, "kernel_us", f->kernel_sum);
}

struct replay { /* a graph launch and the kernels of one graph id that it owns */
	uint32_t group, graph_id, kernels;
};

/* Replays by graph id, then by number of kernels. The caller frees. */
static struct replay *replays_of(const struct rl_facts *f, size_t *n)
{
	struct replay *p = NULL;
	size_t cap = 0, keys = 0;
	struct tl_sort *k = tl_alloc((f->n_graph_ids + 1) * sizeof *k);
	for (size_t i = 0; i < f->n_graph_ids; i++) {
		const struct rl_graph_id *o = &f->graph_ids[i];
		const struct rl_group *g = rl_group_of(f, o->row);
		if (g && rl_is_replayed(f, o->row))
			k[keys++] = (struct tl_sort){
				(uint64_t)o->graph << 32 | (uint32_t)(g - f->groups), 0, 0};
	}
	tl_sort(k, keys);
	*n = 0;
	for (size_t i = 0; i < keys; i++) {
		if (i == 0 || k[i].key != k[i - 1].key) {
			TL_GROW(p, *n, cap);
			p[(*n)++] = (struct replay){(uint32_t)k[i].key, (uint32_t)(k[i].key >> 32), 0};
		}
		p[*n - 1].kernels++;
	}
	for (size_t i = 0; i < *n; i++)
		k[i] = (struct tl_sort){(uint64_t)p[i].graph_id << 32 | p[i].kernels, (uint32_t)i, 0};
	tl_sort(k, *n);
	struct replay *sorted = tl_alloc((*n + 1) * sizeof *sorted);
	for (size_t i = 0; i < *n; i++)
		sorted[i] = p[k[i].at];
	free(k);
	free(p);
	return sorted;
}

/* The number of kernels that most of p[0..n) have, the larger of two; 0 unless two agree. */
static uint32_t usual_kernels(const struct replay *p, size_t n)
{
	uint32_t mode = 0;
	size_t most = 1, run = 0;
	for (size_t i = 0; i < n; i++) {
		run = i && p[i].kernels == p[i - 1].kernels ? run + 1 : 1;
		if (run > 1 && run >= most) {
			most = run;
			mode = p[i].kernels;
		}
	}
	return mode;
}

/* Replays of a graph id that have less than 0.9 of the usual kernels; the last launch may be cut.
 */
static uint64_t partial_replays(const struct rl_facts *f, struct rl_seen *seen)
{
	size_t n;
	uint64_t found = 0;
	struct replay *p = replays_of(f, &n);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && p[to].graph_id == p[from].graph_id; to++)
			;
		uint32_t usual = usual_kernels(p + from, to - from);
		for (size_t i = from; i < to; i++) {
			const struct rl_group *g = &f->groups[p[i].group];
			if (p[i].kernels >= 0.9 * usual || g->ts >= f->last_launch)
				continue;
			rl_saw_group(f, seen, g);
			found++;
		}
	}
	free(p);
	return found;
}

/* Replays without a GPU op that lie before the launch of the last linked GPU op: not the tail. */
static void graph_lost_kernels(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen lost = {0}, none = {0};
	for (size_t i = 0; i < f->n_groups; i++) {
		const struct rl_group *g = &f->groups[i];
		if (!g->graph || g->ops)
			continue;
		rl_saw_group(f, &none, g);
		if (g->ts < f->last_launch)
			rl_saw_group(f, &lost, g);
	}
	if (r->graphs == 0)
		return;
	bool all = r->graphs_recorded == 0;
	struct rl_seen seen = all ? none : lost;
	uint64_t partial = partial_replays(f, &seen);
	if (!all && !partial && (double)lost.count <= 0.02 * (double)r->graphs)
		return;
	struct rl_warning *w = rl_raise(r, RL_graph_lost_kernels, RL_SEV_ERROR, &seen,
		"%llu of %llu graph launches have no kernels, or too few, in the file: idle time is not "
		"known",
		(unsigned long long)seen.count, (unsigned long long)r->graphs);
	tl_put_u64(&w->figures, "graph_launches", r->graphs);
	tl_put_u64(&w->figures, "graph_launches_recorded", r->graphs_recorded);
	tl_put_u64(&w->figures, "incomplete", partial);
}

/* A tool that records a replay as a whole: each has one op, called a graph. */
static void wrong_tool_granularity(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen seen = {0};
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i];
		const struct rl_group *g = rl_group_of(f, o);
		if (!g || !rl_is_replayed(f, o))
			continue;
		if (g->ops != 1 || !tl_span_has_nocase(tl_table_name(f->t, o), TL_LIT("graph")))
			return;
		rl_saw_row(f, &seen, o);
	}
	if (seen.count)
		rl_raise(r, RL_wrong_tool_granularity, RL_SEV_WARNING, &seen,
			"each of %llu graph replays is one GPU op: its kernels were not recorded",
			(unsigned long long)seen.count);
}

/* ---- launches and GPU ops that lack each other ---- */

struct orphans {
	struct rl_seen all;
	uint64_t head, tail; /* in the first and in the last 40 % of the span */
};

static struct orphans orphans_of(const struct rl_facts *f)
{
	struct orphans n = {0};
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i];
		if (f->launcher[o] != TL_NO_ROW)
			continue;
		double at = rl_ratio((double)tl_ns_sub(f->t->ts[o], f->n.first), (double)f->span);
		rl_saw_row(f, &n.all, o);
		n.head += at <= 0.4;
		n.tail += at >= 0.6;
	}
	return n;
}

static void orphan_rows(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct orphans n = orphans_of(f);
	struct rl_seen late = {0};
	struct rl_warning *w = NULL;
	double share = rl_ratio((double)n.all.count, (double)f->n_ops);
	for (size_t i = f->n_launches; i-- > 0 && f->groups[f->launches[i]].ts > f->last_launch;)
		if (f->groups[f->launches[i]].ops == 0 && f->last_launch != INT64_MIN)
			rl_saw_group(f, &late, &f->groups[f->launches[i]]);
	if (share > 0.02 && (double)n.head >= 0.9 * (double)n.all.count) {
		w = rl_raise(r, RL_head_orphans, RL_SEV_WARNING, &n.all,
			"%.1f %% of the GPU ops, all near the start, were launched before the recording began",
			100 * share);
		tl_put_u64(&w->figures, "gpu_ops", f->n_ops);
	}
	bool tail = share > 0.02 && !w && (double)n.tail >= 0.9 * (double)n.all.count;
	if (!tail && !late.count)
		return;
	w = rl_raise(r, RL_tail_orphans, RL_SEV_WARNING, late.count ? &late : &n.all, "%llu %s",
		(unsigned long long)(late.count ? late.count : n.all.count),
		late.count ? "launches at the end have no GPU op: the recording stopped before it"
				   : "GPU ops near the end have no launch in the file");
	tl_put_u64(&w->figures, "gpu_ops", f->n_ops);
	tl_put_u64(&w->figures, "launches", f->n_launches);
}

/* At least three launches without a GPU op, and then none up to the last one that has one. */
static void head_drop(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen seen = {0};
	size_t i = 0, end = f->n_launches;
	uint64_t early = 0;
	for (; i < end && f->groups[f->launches[i]].ops == 0; i++)
		rl_saw_group(f, &seen, &f->groups[f->launches[i]]);
	while (end > i && f->groups[f->launches[end - 1]].ops == 0)
		end--;
	if (seen.count < 3 || i == end)
		return;
	for (; i < end; i++)
		if (f->groups[f->launches[i]].ops == 0)
			return;
	for (size_t k = 0; k < f->n_ops; k++) {
		const struct rl_group *g = rl_group_of(f, f->ops[k]);
		early += g && f->t->ts[f->ops[k]] < g->ts;
	}
	struct rl_warning *w = rl_raise(r, RL_head_drop, RL_SEV_WARNING, &seen,
		"the first %llu launches have no GPU op, all later ones do: the session began with lost "
		"records",
		(unsigned long long)seen.count);
	tl_put_u64(&w->figures, "launches", f->n_launches);
	tl_put_u64(&w->figures, "before_launch", early);
}

static void kernel_before_launch(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen seen = {0};
	uint64_t linked = 0;
	int64_t worst = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		const struct rl_group *g = rl_group_of(f, f->ops[i]);
		if (!g)
			continue;
		int64_t ahead = tl_ns_sub(g->ts, f->t->ts[f->ops[i]]);
		linked++;
		if (ahead > 1000)
			rl_saw_row(f, &seen, f->ops[i]);
		if (ahead > worst)
			worst = ahead;
	}
	if (!seen.count)
		return;
	bool fault = (double)seen.count > 0.01 * (double)linked || worst > 1000000;
	struct rl_warning *w = rl_raise(r, RL_kernel_before_launch,
		fault ? RL_SEV_ERROR : RL_SEV_WARNING, &seen,
		"%llu of %llu GPU ops start before the call that launched them",
		(unsigned long long)seen.count, (unsigned long long)linked);
	tl_put_us(&w->figures, "worst_us", worst);
	tl_put_u64(&w->figures, "linked", linked);
}

/* ---- operators ---- */

/* Operators that have GPU work, and those of them that say their shapes. */
static void shapes_missing(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen bare = {0};
	uint64_t n = 0;
	bool *seen = tl_calloc((size_t)f->t->n + 1, sizeof *seen);
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t op = f->operators[f->ops[i]];
		if (op == TL_NO_ROW || seen[op])
			continue;
		seen[op] = true;
		n++;
		if (!(f->bits[op] & RL_DIMS))
			rl_saw_row(f, &bare, op);
	}
	free(seen);
	if (!n || (double)bare.count <= 0.5 * (double)n)
		return;
	struct rl_warning *w = rl_raise(r, RL_shapes_missing, RL_SEV_INFO, &bare,
		"%llu of %llu operators with GPU work have no Input Dims", (unsigned long long)bare.count,
		(unsigned long long)n);
	tl_put_u64(&w->figures, "operators", n);
}

static void low_op_correlation(struct tl_reliability *r)
{
	if (!r->has_attributed || r->attributed >= r->o->attribution_floor)
		return;
	struct rl_warning *w = rl_raise(r, RL_low_op_correlation, RL_SEV_WARNING, NULL,
		"only %.1f %% of the kernel time belongs to an operator", r->attributed);
	tl_put_num(&w->figures, "attributed_share", r->attributed, 6);
	tl_put_num(&w->figures, "floor", r->o->attribution_floor, 6);
}

void rl_rows_launches(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	graph_lost_kernels(r);
	shapes_missing(r);
	if (!r->has_launch || f->n_ops == 0)
		return;
	graph_coarse(r);
	wrong_tool_granularity(r);
	orphan_rows(r);
	head_drop(r);
	kernel_before_launch(r);
	low_op_correlation(r);
}
