#include "sourcemap_impl.h"
#include "../io/json.h"
#include "../trace/rank.h"
#include <stdlib.h>

/* Operators by External id, and within it by process, start, and end from the latest: the last that
 * began before some time is the innermost. key: the id, at: the row, more: the process. */
static void sort_ops(const struct tl_table *t, struct tl_rows *ops)
{
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (t->cat[i] == TL_CAT_CPU_OP && t->key2[i] && (t->flags[i] & TL_ROW_SPAN))
			tl_rows_add(ops, ~tl_sort_time(t->end[i]), i);
	}
	tl_sort(ops->a, ops->n);
	for (size_t k = 0; k < ops->n; k++)
		ops->a[k].key = tl_sort_time(t->ts[ops->a[k].at]);
	tl_sort(ops->a, ops->n);
	for (size_t k = 0; k < ops->n; k++)
		ops->a[k].key = ops->a[k].more = tl_table_process(t, ops->a[k].at);
	tl_sort(ops->a, ops->n);
	for (size_t k = 0; k < ops->n; k++)
		ops->a[k].key = t->key2[ops->a[k].at];
	tl_sort(ops->a, ops->n);
}

/* The first place whose (id, process) is not below the given one. */
static size_t place(const struct tl_rows *ops, uint64_t id, uint32_t process)
{
	size_t lo = 0, hi = ops->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct tl_sort *s = &ops->a[mid];
		if (s->key < id || (s->key == id && s->more < process))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Of [a, b), one id and process: the last that began by `by`, else the first. */
static uint32_t latest(
	const struct tl_table *t, const struct tl_rows *ops, size_t a, size_t b, int64_t by)
{
	size_t lo = a, hi = b;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->ts[ops->a[mid].at] <= by)
			lo = mid + 1;
		else
			hi = mid;
	}
	return ops->a[lo > a ? lo - 1 : a].at;
}

/* More processes than this that share an id are not told apart. */
#define MAX_PROCESSES 64

/* The operator with an External id in the process of the launch; without a launch, in the only
 * process that has it and is not known to be of another rank. */
static uint32_t find_op(
	const struct tl_table *t, const struct tl_rows *ops, uint32_t row, uint32_t launch)
{
	uint64_t id = t->key2[row] || launch == NONE ? t->key2[row] : t->key2[launch];
	uint32_t found = NONE, processes = 0;
	if (id == 0)
		return NONE;
	if (launch != NONE) {
		uint32_t process = tl_table_process(t, launch);
		size_t a = place(ops, id, process), b = place(ops, id, process + 1);
		return a < b ? latest(t, ops, a, b, t->ts[launch]) : NONE;
	}
	struct tl_span pid = tl_pool_text(t->pids, tl_table_process(t, row));
	for (size_t a = place(ops, id, 0), b; a < ops->n && ops->a[a].key == id; a = b) {
		b = place(ops, id, ops->a[a].more + 1);
		if (processes++ == MAX_PROCESSES)
			return NONE;
		if (tl_rank_compare(tl_pool_text(t->pids, ops->a[a].more), pid) == TL_RANK_OTHER)
			continue;
		if (found != NONE)
			return NONE;
		found = latest(t, ops, a, b, t->ts[row]);
	}
	return found;
}

/* By the frames around `row`; false, and nothing said, when there are none. */
static bool locate(struct tl_sourcemap *m, struct gpu_op *g, uint32_t row, enum how how)
{
	uint32_t chain = row == NONE ? NONE : tl_sourcemap_chain(m, row);
	if (chain == NONE)
		return false;
	g->how = (uint8_t)how;
	g->chain = chain;
	g->scope = tl_chain_best(m->scopes, chain);
	return true;
}

/* Autograd's threads have no frames: a backward operator's kernels are put down to the line of the
 * forward operator, which is the one that a user can change. */
static bool from_forward(struct tl_sourcemap *m, struct gpu_op *g, uint32_t row)
{
	return locate(m, g, row == NONE ? NONE : tl_sourcemap_forward(m, row), HOW_FORWARD);
}

/* The operator around a launch, else the call itself. */
static void from_launch(struct tl_sourcemap *m, struct gpu_op *g, uint32_t launch)
{
	uint32_t op = tl_sourcemap_near(m, launch, NEAR_OP);
	g->launch_op = tl_sourcemap_op(m, m->t->name[op != NONE ? op : launch]);
	g->how = HOW_LAUNCH;
	if (!locate(m, g, launch, HOW_LAUNCH))
		from_forward(m, g, launch);
}

/* By External id; where no scope is open there, as on a thread of autograd's, by the launch. */
static void from_op(struct tl_sourcemap *m, struct gpu_op *g, uint32_t op, uint32_t launch)
{
	g->launch_op = tl_sourcemap_op(m, m->t->name[op]);
	g->how = HOW_EXTERNAL_ID;
	if (!locate(m, g, op, HOW_EXTERNAL_ID) && !locate(m, g, launch, HOW_LAUNCH) &&
		!from_forward(m, g, op))
		from_forward(m, g, launch);
}

/* A replayed kernel has its launch's scope and no operator: the call is all that is known of it. */
static void from_graph(struct tl_sourcemap *m, struct gpu_op *g, uint32_t launch)
{
	g->launch_op = tl_sourcemap_op(m, m->t->name[launch]);
	g->how = HOW_LAUNCH;
	locate(m, g, launch, HOW_LAUNCH);
}

/* The map is asked once per name. */
static void ask_map(struct tl_sourcemap *m, uint32_t name)
{
	struct tl_mapped e;
	struct tl_span kernel = tl_pool_text(m->texts, tl_sourcemap_kernel(m, name));
	struct name_info *i = &m->info[name];
	i->map_asked = true;
	if (!tl_kernelmap_find(m->o.map, kernel, &e))
		return;
	i->map_scope = tl_scope_add(m->scopes, e.scope);
	i->map_chain = tl_chain_add(m->scopes, e.chain, i->map_scope);
	if (e.launch_op.n)
		i->map_op = tl_pool_add(m->texts, e.launch_op);
}

static void from_map(struct tl_sourcemap *m, struct gpu_op *g)
{
	uint32_t name = m->t->name[g->row];
	if (!m->info[name].map_asked)
		ask_map(m, name);
	const struct name_info *i = &m->info[name];
	if (i->map_scope == NONE)
		return;
	g->how = HOW_MAP;
	g->scope = i->map_scope;
	g->chain = i->map_chain;
	g->launch_op = i->map_op;
}

/* A replay whose launch was filtered out is still known by what an earlier tool wrote. */
static bool is_replay(const struct tl_sourcemap *m, uint32_t row, uint32_t launch)
{
	if (launch != NONE)
		return tl_is_graph_launch(tl_table_name(m->t, launch));
	return (m->t->flags[row] & TL_ROW_OLD) &&
		   tl_span_eq(tl_json_get(tl_sourcemap_line(m, row), TL_LIT("graph")), TL_LIT("true"));
}

void tl_sourcemap_attribute(struct tl_sourcemap *m)
{
	struct tl_rows ops = {0};
	sort_ops(m->t, &ops);
	for (size_t k = 0; k < m->n_gpu; k++) {
		struct gpu_op *g = &m->gpu[k];
		uint32_t launch = m->parent[g->row], op;
		g->graph = is_replay(m, g->row, launch);
		if (g->graph) {
			if (launch != NONE)
				from_graph(m, g, launch);
		} else if ((op = find_op(m->t, &ops, g->row, launch)) != NONE) {
			from_op(m, g, op, launch);
		} else if (launch != NONE) {
			from_launch(m, g, launch);
		}
		if (m->o.map && (g->graph || g->chain == NONE))
			from_map(m, g);
	}
	free(ops.a);
}
