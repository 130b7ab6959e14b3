#include "inside.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include <stdlib.h>

const char *const tl_sourcemap_key_names[] = {"scope", "launch_op", "how", "graph", NULL};
struct tl_sourcemap *tl_sourcemap_new(const struct tl_sourcemap_options *o)
{
	struct tl_sourcemap *m = tl_calloc(1, sizeof *m);
	m->o = *o;
	m->scopes = sourcemap_scopes_new(o->rules, o->n_rules);
	m->t = tl_table_new(TL_TAKE_ALL);
	m->texts = tl_pool_new();
	return m;
}

static void free_columns(struct tl_sourcemap *m)
{
	tl_fwdbwd_free(&m->fwdbwd);
	free(m->operators);
	free(m->info);
	free(m->parent);
	m->info = NULL;
	m->parent = m->operators = NULL;
	for (int i = 0; i < NEARS; i++) {
		free(m->near[i]);
		m->near[i] = NULL;
	}
}

void tl_sourcemap_free(struct tl_sourcemap *m)
{
	if (!m)
		return;
	free_columns(m);
	sourcemap_scopes_free(m->scopes);
	tl_table_free(m->t);
	tl_pool_free(m->texts);
	free(m->gpu);
	tl_buf_free(&m->key);
	tl_buf_free(&m->text);
	free(m);
}

void tl_sourcemap_forget(struct tl_sourcemap *m)
{
	free_columns(m);
	sourcemap_scopes_clear(m->scopes);
	tl_table_clear(m->t);
	tl_pool_clear(m->texts);
	m->n_gpu = 0;
}

bool tl_sourcemap_add(struct tl_sourcemap *m, struct tl_span line)
{
	struct tl_event e;
	if (line.n > UINT32_MAX || m->t->n >= NOT_ASKED || !tl_event_read(line, &e))
		return false;
	tl_table_add(m->t, &e, line);
	return true;
}

uint32_t tl_sourcemap_rows(const struct tl_sourcemap *m)
{
	return m->t->n;
}

static void gather_gpu_ops(struct tl_sourcemap *m)
{
	m->frames = false;
	for (uint32_t k = 0; k < m->t->n; k++) {
		uint32_t i = tl_table_at(m->t, k);
		m->frames |= m->t->cat[i] == TL_CAT_PYTHON;
		if (!tl_table_is_gpu_op(m->t, i))
			continue;
		TL_GROW(m->gpu, m->n_gpu, m->gpu_cap);
		m->gpu[m->n_gpu++] = (struct sourcemap_gpu_op){i, NONE, NONE, NONE, HOW_NOT, false};
	}
}

void tl_sourcemap_finish(struct tl_sourcemap *m)
{
	struct tl_table *t = m->t;
	size_t names = tl_pool_count(t->names);
	tl_table_finish(t);
	tl_clamp_frames(t);
	gather_gpu_ops(m);
	m->parent = tl_link(t);
	m->operators = tl_operators_of(t, m->parent);
	tl_tree_parents(t, m->parent);
	for (int i = 0; i < NEAR_BACKWARD; i++)
		m->near[i] = sourcemap_column(t->n, NOT_ASKED);
	m->info = tl_calloc(names + 1, sizeof *m->info);
	for (size_t i = 0; i < names; i++)
		m->info[i] = (struct sourcemap_name_info){NONE, NONE, NONE, NONE, NONE, NONE, false};
	sourcemap_attribute(m);
	if (m->o.guess_by_time)
		sourcemap_guess(m);
}

static const struct sourcemap_gpu_op *gpu_op_of(const struct tl_sourcemap *m, uint32_t row)
{
	size_t lo;
	TL_SEARCH(lo, 0, m->n_gpu, m->t->id[m->gpu[lo].row] < m->t->id[row]);
	return lo < m->n_gpu && m->gpu[lo].row == row ? &m->gpu[lo] : NULL;
}

bool tl_sourcemap_keys(const struct tl_sourcemap *m, uint32_t row, struct tl_write *w)
{
	if (!tl_table_is_gpu_op(m->t, row))
		return false;
	const struct sourcemap_gpu_op *g = gpu_op_of(m, row);
	tl_members(w);
	if (g->scope != NONE)
		tl_put_string(w, "scope", sourcemap_scope_text(m->scopes, g->scope));
	if (g->launch_op != NONE)
		tl_put_string(w, "launch_op", tl_pool_text(m->texts, g->launch_op));
	if (g->how != HOW_NOT)
		tl_put_text(w, "how", tl_str(sourcemap_how[g->how]));
	if (g->graph)
		tl_put_flag(w, "graph", true);
	return true;
}
