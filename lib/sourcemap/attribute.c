#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

/* By the frames around `row`; false, and nothing said, when there are none. */
static bool locate(
	struct tl_sourcemap *m, struct sourcemap_gpu_op *g, uint32_t row, enum sourcemap_how how)
{
	uint32_t chain = row == NONE ? NONE : sourcemap_chain(m, row);
	if (chain == NONE)
		return false;
	g->how = (uint8_t)how;
	g->chain = chain;
	g->scope = sourcemap_chain_best(m->scopes, chain);
	return true;
}

/* Autograd's threads have no frames: a backward operator's kernels are put down to the line of the
 * forward operator, which is the one that a user can change. */
static bool from_forward(struct tl_sourcemap *m, struct sourcemap_gpu_op *g, uint32_t row)
{
	return locate(m, g, row == NONE ? NONE : sourcemap_forward(m, row), HOW_FORWARD);
}

/* The operator of a launch, else the call itself; by the frames around the launch. */
static void from_launch(
	struct tl_sourcemap *m, struct sourcemap_gpu_op *g, uint32_t op, uint32_t launch)
{
	g->launch_op = sourcemap_op(m, m->t->name[op != NONE ? op : launch]);
	g->how = HOW_LAUNCH;
	if (!locate(m, g, launch, HOW_LAUNCH))
		from_forward(m, g, launch);
}

/* An operator that the External id names, too; where no scope is open there, as on a thread of
 * autograd's, by the launch. */
static void from_op(
	struct tl_sourcemap *m, struct sourcemap_gpu_op *g, uint32_t op, uint32_t launch)
{
	g->launch_op = sourcemap_op(m, m->t->name[op]);
	g->how = HOW_EXTERNAL_ID;
	if (!locate(m, g, op, HOW_EXTERNAL_ID) && !locate(m, g, launch, HOW_LAUNCH) &&
		!from_forward(m, g, op))
		from_forward(m, g, launch);
}

/* A replayed kernel has its launch's scope and no operator: the call is all that is known of it. */
static void from_graph(struct tl_sourcemap *m, struct sourcemap_gpu_op *g, uint32_t launch)
{
	g->launch_op = sourcemap_op(m, m->t->name[launch]);
	g->how = HOW_LAUNCH;
	locate(m, g, launch, HOW_LAUNCH);
}

/* The map is asked once per name. */
static void ask_map(struct tl_sourcemap *m, uint32_t name)
{
	struct sourcemap_mapped e;
	struct tl_span kernel = tl_pool_text(m->texts, sourcemap_kernel(m, name));
	struct sourcemap_name_info *i = &m->info[name];
	i->map_asked = true;
	if (!tl_sourcemap_map_find(m->o.map, kernel, &e))
		return;
	i->map_scope = sourcemap_scope_add(m->scopes, e.scope);
	i->map_chain = sourcemap_chain_add(m->scopes, e.chain, i->map_scope);
	if (e.launch_op.n)
		i->map_op = tl_pool_add(m->texts, e.launch_op);
}

static void from_map(struct tl_sourcemap *m, struct sourcemap_gpu_op *g)
{
	uint32_t name = m->t->name[g->row];
	if (!m->info[name].map_asked)
		ask_map(m, name);
	const struct sourcemap_name_info *i = &m->info[name];
	if (i->map_scope == NONE)
		return;
	g->how = HOW_MAP;
	g->scope = i->map_scope;
	g->chain = i->map_chain;
	g->launch_op = i->map_op;
}

static void attribute(struct tl_sourcemap *m, struct sourcemap_gpu_op *g)
{
	const struct tl_table *t = m->t;
	uint32_t launch = m->parent[g->row], op = m->operators[g->row];
	g->graph = t->flags[g->row] & TL_ROW_GRAPH;
	if (launch == NONE)
		return;
	uint64_t id = tl_external_id(t, g->row, launch);
	if (g->graph)
		from_graph(m, g, launch);
	else if (op != NONE && id && t->key2[op] == id)
		from_op(m, g, op, launch);
	else
		from_launch(m, g, op, launch);
}

void sourcemap_attribute(struct tl_sourcemap *m)
{
	for (size_t k = 0; k < m->n_gpu; k++) {
		struct sourcemap_gpu_op *g = &m->gpu[k];
		attribute(m, g);
		if (m->o.map && (g->graph || g->chain == NONE))
			from_map(m, g);
	}
}
