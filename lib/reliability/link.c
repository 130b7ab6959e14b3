#include "facts.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include "../base/base.h"
#include <stdlib.h>

/* What the list names, in a column of its own; takes the list. */
static uint32_t *column_of(struct tl_rows *r)
{
	uint32_t *column = tl_alloc((r->n + 1) * sizeof *column);
	for (size_t i = 0; i < r->n; i++)
		column[i] = r->a[i].at;
	free(r->a);
	return column;
}

static struct tl_rows launches_of(const struct tl_table *t)
{
	struct tl_rows r = {0};
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (tl_table_is_launch(t, i))
			tl_rows_add(&r, 0, i);
	}
	return r;
}

/* What a process launches while it captures a stream runs only when the graph is replayed. */
static void mark_captured(struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	struct tl_rows r = launches_of(t);
	int open = 0;
	tl_sort_by_time(r.a, r.n, t->ts);
	tl_table_sort_by_process(t, r.a, r.n);
	for (size_t k = 0; k < r.n; k++) {
		uint8_t *bits = &f->bits[r.a[k].at];
		if (k == 0 || r.a[k].key != r.a[k - 1].key)
			open = 0;
		open += (*bits & RL_BEGIN) != 0;
		open -= (*bits & RL_END) && open > 0;
		if (open > 0 && !(t->flags[r.a[k].at] & TL_ROW_GRAPH))
			*bits |= RL_CAPTURED;
	}
	free(r.a);
}

/* ---- launches: calls of one process and correlation ---- */

static void into_group(const struct rl_facts *f, struct rl_group *g, uint32_t call)
{
	const struct tl_table *t = f->t;
	if (t->id[call] < t->id[g->call])
		g->call = call;
	if (t->ts[call] < g->ts)
		g->ts = t->ts[call];
	if (t->key2[call] && (g->ext == RL_NONE || t->id[call] > t->id[g->ext]))
		g->ext = call;
	g->runtime += t->cat[call] != TL_CAT_DRIVER;
	g->graph |= (t->flags[call] & TL_ROW_GRAPH) != 0;
	g->launch |= (f->bits[call] & RL_LAUNCH) != 0;
	g->captured |= (f->bits[call] & RL_CAPTURED) != 0;
}

static void make_groups(struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	struct tl_rows r = launches_of(t);
	tl_table_sort_by_process(t, r.a, r.n);
	tl_sort_by_u64(r.a, r.n, t->key);
	f->group = tl_alloc(((size_t)t->n + 1) * sizeof *f->group);
	for (size_t k = 0; k < r.n; k++) {
		uint32_t call = r.a[k].at;
		struct rl_group *last = f->n_groups ? &f->groups[f->n_groups - 1] : NULL;
		if (!last || !t->key[call] || rl_key(f, last) != t->key[call] ||
			rl_process(f, last) != tl_table_process(t, call)) {
			TL_GROW(f->groups, f->n_groups, f->cap_groups);
			last = &f->groups[f->n_groups++];
			*last = (struct rl_group){
				.ts = t->ts[call], .call = call, .ext = RL_NONE, .named = RL_NONE};
		}
		f->group[call] = (uint32_t)(last - f->groups);
		into_group(f, last, call);
	}
	free(r.a);
}

/* ---- operators by External id ---- */

static void order_ext(struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	struct tl_rows r = {0};
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (tl_table_is_op(t, i) && t->key2[i] && (t->ph[i] == 'X' || t->flags[i] & TL_ROW_SPAN))
			tl_rows_add(&r, t->key2[i], i);
	}
	tl_sort(r.a, r.n);
	f->n_ext = r.n;
	f->ext_cpu = column_of(&r);
}

size_t rl_behind_ext(const struct rl_facts *f, uint64_t ext)
{
	size_t lo;
	TL_SEARCH(lo, 0, f->n_ext, f->t->key2[f->ext_cpu[lo]] <= ext);
	return lo;
}

uint32_t rl_cpu_of_ext(const struct rl_facts *f, uint64_t ext)
{
	size_t behind = rl_behind_ext(f, ext);
	bool is = behind && f->t->key2[f->ext_cpu[behind - 1]] == ext;
	return is ? f->ext_cpu[behind - 1] : RL_NONE;
}

static void name_groups(struct rl_facts *f)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		struct rl_group *g = &f->groups[i];
		if (g->ext != RL_NONE)
			g->named = rl_cpu_of_ext(f, f->t->key2[g->ext]);
	}
}

/* ---- orders and sums ---- */

static void order_ops(struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	struct tl_rows r = {0};
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (tl_table_is_gpu_op(t, i) && t->flags[i] & TL_ROW_TS)
			tl_rows_add(&r, tl_sort_time(t->ts[i]), i);
	}
	tl_sort(r.a, r.n);
	f->n_ops = r.n;
	f->ops = column_of(&r);
}

static void order_launches(struct rl_facts *f)
{
	struct tl_rows r = {0};
	for (size_t i = 0; i < f->n_groups; i++) {
		const struct rl_group *g = &f->groups[i];
		if (g->launch && !g->captured && (rl_key(f, g) || g->ops))
			tl_rows_add(&r, tl_sort_time(g->ts), (uint32_t)i);
	}
	tl_sort(r.a, r.n);
	f->n_launches = r.n;
	f->launches = column_of(&r);
}

/* How many lanes, and devices, have GPU ops. */
static void count_places(struct rl_facts *f)
{
	const struct tl_places *p = &f->t->places;
	bool *seen = tl_calloc((size_t)p->n_lanes + 1, sizeof *seen);
	for (size_t i = 0; i < f->n_ops; i++)
		seen[tl_table_lane(f->t, f->ops[i])] = true;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		uint32_t from = p->devices[d].lane, before = f->lanes;
		for (uint32_t l = from; l < from + p->devices[d].n_lanes; l++)
			f->lanes += seen[l];
		f->devices += f->lanes > before;
	}
	free(seen);
}

static void add_up(struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	int64_t end = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i];
		struct rl_group *g = rl_group_of(f, o);
		f->sum = tl_ns_add(f->sum, t->dur[o]);
		if (rl_is_kernel(f, o))
			f->kernel_sum = tl_ns_add(f->kernel_sum, t->dur[o]);
		if (i == 0 || t->ts[o] > end)
			end = t->ts[o];
		if (t->end[o] > end) {
			f->busy = tl_ns_add(f->busy, tl_ns_sub(t->end[o], end));
			end = t->end[o];
		}
		if (g) {
			g->ops++;
			f->last_launch = g->ts;
		}
	}
	f->span = f->n.has_span ? tl_ns_sub(f->n.last, f->n.first) : 0;
}

static void find_steps(struct rl_facts *f)
{
	struct tl_steps s = tl_steps_find(f->t, f->launcher);
	for (size_t i = 0; i < s.n; i++) {
		const struct tl_step *p = &s.a[i];
		if (p->nested)
			continue;
		TL_GROW(f->steps, f->n_steps, f->cap_steps);
		f->steps[f->n_steps++] = (struct rl_step){p->row, p->ts, tl_ns_sub(p->end, p->ts)};
	}
	tl_steps_free(&s);
}

void rl_facts_link(struct rl_facts *f)
{
	f->launcher = tl_link(f->t);
	tl_table_drop_flows(f->t);
	f->operators = tl_operators_of(f->t, f->launcher);
	tl_table_drop_told(f->t);
	if (f->n.steps)
		find_steps(f);
	if (f->n.begin_capture.count)
		mark_captured(f);
	make_groups(f);
	order_ext(f);
	name_groups(f);
	order_ops(f);
	add_up(f);
	order_launches(f);
	count_places(f);
}

bool rl_attributed(const struct rl_facts *f, rl_is_attributed *is, double *percent)
{
	int64_t sum = 0;
	*percent = 0;
	for (size_t i = 0; i < f->n_ops; i++)
		if (rl_is_kernel(f, f->ops[i]) && is(f, f->ops[i]))
			sum = tl_ns_add(sum, f->t->dur[f->ops[i]]);
	if (f->kernel_sum <= 0)
		return false;
	*percent = (double)sum / (double)f->kernel_sum * 100;
	return true;
}

void rl_graph_launches(const struct rl_facts *f, uint64_t *all, uint64_t *recorded)
{
	*all = *recorded = 0;
	for (size_t i = 0; i < f->n_groups; i++) {
		*all += f->groups[i].graph;
		*recorded += f->groups[i].graph && f->groups[i].ops;
	}
}

/* ---- ranks ---- */

/* The most devices of one number: each rank has one of them. */
static uint32_t same_number(const struct tl_places *p)
{
	uint32_t most = 0, run = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		bool again = d && p->devices[d].ambiguous &&
					 tl_span_eq(
						 tl_json_inner(p->devices[d].text), tl_json_inner(p->devices[d - 1].text));
		run = again ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return most;
}

#define MOST_RANKS 1024 /* more devices than that are not told apart by their pids */

/* How many ranks the pids name. */
static uint32_t named_ranks(const struct tl_places *p)
{
	struct tl_span *ranks = tl_alloc(MOST_RANKS * sizeof *ranks);
	uint32_t n = 0;
	for (uint32_t d = 0; d < p->n_devices && d < MOST_RANKS; d++) {
		uint32_t i = 0;
		while (i < n && tl_rank_compare(ranks[i], p->devices[d].pid) == TL_RANK_OTHER)
			i++;
		if (i == n)
			ranks[n++] = p->devices[d].pid;
	}
	free(ranks);
	return n;
}

uint32_t rl_ranks(const struct rl_facts *f)
{
	uint32_t same = same_number(&f->t->places), named = named_ranks(&f->t->places);
	uint32_t most = same > named ? same : named;
	return most ? most : 1;
}
