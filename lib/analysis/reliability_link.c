#include "reliability_facts.h"
#include "../io/time.h"
#include "../trace/sort.h"
#include <stdlib.h>

static struct tl_sort *keys_of(size_t n)
{
	return tl_alloc((n ? n : 1) * sizeof(struct tl_sort));
}

/* ---- launches: calls of one process and correlation ---- */

static void into_group(struct rl_group *g, const struct rl_call *c)
{
	if (c->id < g->id)
		g->id = c->id;
	if (c->ts < g->ts)
		g->ts = c->ts;
	if (c->has_ext && (!g->has_ext || c->id > g->ext_from)) {
		g->has_ext = true;
		g->ext = c->ext;
		g->ext_from = c->id;
	}
	if (c->op != RL_NONE)
		g->op = c->op;
	g->runtime += !c->driver;
	g->graph |= c->graph;
	g->launch |= c->launch;
	g->captured |= c->captured;
}

static void make_groups(struct rl_facts *f)
{
	struct tl_sort *k = keys_of(f->n_calls);
	for (size_t i = 0; i < f->n_calls; i++)
		k[i] = (struct tl_sort){f->calls[i].pid, (uint32_t)i, 0};
	tl_sort(k, f->n_calls);
	for (size_t i = 0; i < f->n_calls; i++)
		k[i].key = f->calls[k[i].at].has_corr ? f->calls[k[i].at].corr : 0;
	tl_sort(k, f->n_calls);
	for (size_t i = 0; i < f->n_calls; i++) {
		struct rl_call *c = &f->calls[k[i].at];
		struct rl_group *last = f->n_groups ? &f->groups[f->n_groups - 1] : NULL;
		if (!c->has_corr || !last || last->corr != c->corr || last->pid != c->pid) {
			TL_GROW(f->groups, f->n_groups, f->cap_groups);
			last = &f->groups[f->n_groups++];
			*last = (struct rl_group){.corr = c->corr,
				.id = c->id,
				.ts = c->ts,
				.pid = c->pid,
				.op = RL_NONE,
				.op_name = RL_NONE,
				.has_corr = c->has_corr};
		}
		c->group = (uint32_t)(last - f->groups);
		into_group(last, c);
	}
	free(k);
}

/* Groups with an External id by correlation, then by that id; `at` is the group. */
static struct tl_sort *groups_by_ext(const struct rl_facts *f, size_t *n)
{
	struct tl_sort *k = keys_of(f->n_groups);
	*n = 0;
	for (size_t i = 0; i < f->n_groups; i++)
		if (f->groups[i].has_corr && f->groups[i].has_ext)
			k[(*n)++] = (struct tl_sort){f->groups[i].ext, (uint32_t)i, 0};
	tl_sort(k, *n);
	for (size_t i = 0; i < *n; i++)
		k[i].key = f->groups[k[i].at].corr;
	tl_sort(k, *n);
	return k;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The one group of that correlation and External id; RL_NONE: none or several. */
static uint32_t find_ext(
	const struct rl_facts *f, const struct tl_sort *k, size_t n, uint64_t corr, uint64_t ext)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = compare(k[mid].key, corr);
		if (c < 0 || (c == 0 && f->groups[k[mid].at].ext < ext))
			lo = mid + 1;
		else
			hi = mid;
	}
	bool one = lo < n && k[lo].key == corr && f->groups[k[lo].at].ext == ext;
	bool two = lo + 1 < n && k[lo + 1].key == corr && f->groups[k[lo + 1].at].ext == ext;
	return one && !two ? k[lo].at : RL_NONE;
}

/* The first group of a correlation, or n_groups. Groups are in order of correlation. */
static size_t find_corr(const struct rl_facts *f, uint64_t corr)
{
	size_t lo = 0, hi = f->n_groups;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->groups[mid].corr < corr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* By correlation in one process; of several processes the one whose External id is the op's. */
static uint32_t group_of(
	const struct rl_facts *f, const struct tl_sort *by_ext, size_t n, const struct rl_op *o)
{
	size_t at = find_corr(f, o->corr);
	if (at == f->n_groups || f->groups[at].corr != o->corr)
		return RL_NONE;
	if (at + 1 == f->n_groups || f->groups[at + 1].corr != o->corr)
		return (uint32_t)at;
	return o->has_ext ? find_ext(f, by_ext, n, o->corr, o->ext) : RL_NONE;
}

struct call_ids {
	struct tl_sort *k;
	size_t n;
};

static struct call_ids calls_by_id(const struct rl_facts *f)
{
	struct call_ids c = {keys_of(f->n_calls), f->n_calls};
	for (size_t i = 0; i < c.n; i++)
		c.k[i] = (struct tl_sort){f->calls[i].id, (uint32_t)i, 0};
	tl_sort(c.k, c.n);
	return c;
}

static uint32_t group_of_launcher(const struct rl_facts *f, struct call_ids c, uint64_t id)
{
	size_t lo = 0, hi = c.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c.k[mid].key < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c.n && c.k[lo].key == id ? f->calls[c.k[lo].at].group : RL_NONE;
}

static void link_ops(struct rl_facts *f)
{
	struct call_ids ids = f->tree ? calls_by_id(f) : (struct call_ids){0};
	size_t n_ext = 0;
	struct tl_sort *by_ext = f->tree ? NULL : groups_by_ext(f, &n_ext);
	for (size_t i = 0; i < f->n_ops; i++) {
		struct rl_op *o = &f->ops[i];
		if (f->tree)
			o->group = o->has_launcher ? group_of_launcher(f, ids, o->launcher) : RL_NONE;
		else if (o->has_corr)
			o->group = group_of(f, by_ext, n_ext, o);
		if (o->group != RL_NONE)
			f->groups[o->group].ops++;
	}
	free(ids.k);
	free(by_ext);
}

/* ---- operators around launches, stream captures ---- */

struct span_ref {
	int64_t ts, end;
	uint32_t thread, at;
	bool cpu;
};

static struct span_ref span_at(const struct rl_facts *f, size_t i)
{
	if (i < f->n_cpu)
		return (struct span_ref){f->cpu[i].ts, f->cpu[i].end, f->cpu[i].thread, (uint32_t)i, true};
	const struct rl_call *c = &f->calls[i - f->n_cpu];
	return (struct span_ref){c->ts, c->end, c->thread, (uint32_t)(i - f->n_cpu), false};
}

/* Operators and calls per thread, by start, longer ones first; equal ones: operators first. */
static struct tl_sort *sweep_order(const struct rl_facts *f, size_t n)
{
	struct tl_sort *k = keys_of(n);
	for (size_t i = 0; i < n; i++)
		k[i] = (struct tl_sort){~tl_sort_time(span_at(f, i).end), (uint32_t)i, 0};
	tl_sort(k, n);
	for (size_t i = 0; i < n; i++)
		k[i].key = tl_sort_time(span_at(f, k[i].at).ts);
	tl_sort(k, n);
	for (size_t i = 0; i < n; i++)
		k[i].key = span_at(f, k[i].at).thread;
	tl_sort(k, n);
	return k;
}

static void find_operators(struct rl_facts *f)
{
	size_t n = f->n_cpu + f->n_calls, depth = 0, cap = 0;
	struct tl_sort *k = sweep_order(f, n);
	uint32_t *stack = NULL, thread = RL_NONE;
	for (size_t i = 0; i < n; i++) {
		struct span_ref s = span_at(f, k[i].at);
		if (s.thread != thread)
			depth = 0;
		thread = s.thread;
		while (depth && f->cpu[stack[depth - 1]].end <= s.ts)
			depth--;
		if (!s.cpu) {
			f->calls[s.at].op = depth ? stack[depth - 1] : RL_NONE;
			continue;
		}
		TL_GROW(stack, depth, cap);
		stack[depth++] = s.at;
	}
	free(stack);
	free(k);
}

/* What a process launches while it captures a stream runs only when the graph is replayed. */
static void mark_captured(struct rl_facts *f)
{
	struct tl_sort *k = keys_of(f->n_calls);
	uint32_t pid = RL_NONE;
	int64_t open = 0;
	for (size_t i = 0; i < f->n_calls; i++)
		k[i] = (struct tl_sort){tl_sort_time(f->calls[i].ts), (uint32_t)i, 0};
	tl_sort(k, f->n_calls);
	for (size_t i = 0; i < f->n_calls; i++)
		k[i].key = f->calls[k[i].at].pid;
	tl_sort(k, f->n_calls);
	for (size_t i = 0; i < f->n_calls; i++) {
		struct rl_call *c = &f->calls[k[i].at];
		if (c->pid != pid)
			open = 0;
		pid = c->pid;
		open += c->capture;
		if (open < 0)
			open = 0;
		c->captured = open > 0 && !c->graph;
	}
	free(k);
}

static void order_ext(struct rl_facts *f)
{
	struct tl_sort *k = keys_of(f->n_cpu);
	size_t n = 0;
	for (size_t i = 0; i < f->n_cpu; i++)
		if (f->cpu[i].has_ext)
			k[n++] = (struct tl_sort){f->cpu[i].id, (uint32_t)i, 0};
	tl_sort(k, n);
	for (size_t i = 0; i < n; i++)
		k[i].key = f->cpu[k[i].at].ext;
	tl_sort(k, n);
	f->ext_cpu = tl_alloc((n ? n : 1) * sizeof *f->ext_cpu);
	f->n_ext = n;
	for (size_t i = 0; i < n; i++)
		f->ext_cpu[i] = k[i].at;
	free(k);
}

uint32_t rl_cpu_of_ext(const struct rl_facts *f, uint64_t ext)
{
	size_t lo = 0, hi = f->n_ext;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->cpu[f->ext_cpu[mid]].ext <= ext)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && f->cpu[f->ext_cpu[lo - 1]].ext == ext ? f->ext_cpu[lo - 1] : RL_NONE;
}

/* ---- orders and sums ---- */

static void order_ops(struct rl_facts *f)
{
	struct tl_sort *k = keys_of(f->n_ops);
	for (size_t i = 0; i < f->n_ops; i++)
		k[i] = (struct tl_sort){f->ops[i].id, (uint32_t)i, 0};
	tl_sort(k, f->n_ops);
	for (size_t i = 0; i < f->n_ops; i++)
		k[i].key = tl_sort_time(f->ops[k[i].at].ts);
	tl_sort(k, f->n_ops);
	f->by_start = tl_alloc((f->n_ops + 1) * sizeof *f->by_start);
	for (size_t i = 0; i < f->n_ops; i++)
		f->by_start[i] = k[i].at;
	free(k);
}

static void order_launches(struct rl_facts *f)
{
	struct tl_sort *k = keys_of(f->n_groups);
	size_t n = 0;
	for (size_t i = 0; i < f->n_groups; i++) {
		const struct rl_group *g = &f->groups[i];
		if (g->launch && !g->captured && (g->has_corr || g->ops))
			k[n++] = (struct tl_sort){tl_sort_time(g->ts), (uint32_t)i, 0};
	}
	tl_sort(k, n);
	f->launches = tl_alloc((n ? n : 1) * sizeof *f->launches);
	f->n_launches = n;
	for (size_t i = 0; i < n; i++)
		f->launches[i] = k[i].at;
	free(k);
}

static uint32_t distinct(const struct rl_facts *f, size_t offset)
{
	uint32_t texts = tl_pool_count(f->pool), n = 0;
	bool *seen = tl_calloc(texts ? texts : 1, sizeof *seen);
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t v;
		memcpy(&v, (const char *)&f->ops[i] + offset, sizeof v);
		n += !seen[v];
		seen[v] = true;
	}
	free(seen);
	return n;
}

static void add_up(struct rl_facts *f)
{
	int64_t end = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		const struct rl_op *o = &f->ops[f->by_start[i]];
		f->sum = tl_ns_add(f->sum, o->dur);
		if (o->kernel)
			f->kernel_sum = tl_ns_add(f->kernel_sum, o->dur);
		if (i == 0 || o->ts > end)
			end = o->ts;
		if (o->end > end) {
			f->busy = tl_ns_add(f->busy, tl_ns_sub(o->end, end));
			end = o->end;
		}
		if (o->group != RL_NONE)
			f->last_launch = f->groups[o->group].ts;
	}
	f->span = f->n.has_span ? tl_ns_sub(f->n.last, f->n.first) : 0;
	f->lanes = distinct(f, offsetof(struct rl_op, lane));
	f->devices = distinct(f, offsetof(struct rl_op, device));
}

void rl_facts_link(struct rl_facts *f)
{
	find_operators(f);
	if (f->n.begin_capture.count)
		mark_captured(f);
	make_groups(f);
	link_ops(f);
	order_ext(f);
	for (size_t i = 0; i < f->n_groups; i++) {
		struct rl_group *g = &f->groups[i];
		uint32_t cpu = g->has_ext ? rl_cpu_of_ext(f, g->ext) : RL_NONE;
		g->op_name = cpu == RL_NONE ? RL_NONE : f->cpu[cpu].name;
	}
	order_ops(f);
	order_launches(f);
	add_up(f);
}

static bool attributed(const struct rl_facts *f, const struct rl_op *o)
{
	const struct rl_group *g = o->group == RL_NONE ? NULL : &f->groups[o->group];
	if (g && g->graph)
		return false;
	if (g && (g->op != RL_NONE || g->op_name != RL_NONE))
		return true;
	return o->has_ext && rl_cpu_of_ext(f, o->ext) != RL_NONE;
}

bool rl_attributed(const struct rl_facts *f, bool v1, double *percent)
{
	int64_t sum = 0;
	*percent = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		const struct rl_op *o = &f->ops[i];
		if (!o->kernel)
			continue;
		if (v1 ? o->group != RL_NONE && f->groups[o->group].op_name != RL_NONE : attributed(f, o))
			sum = tl_ns_add(sum, o->dur);
	}
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
