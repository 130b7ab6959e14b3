#include "sourcemap_impl.h"
#include "names.h"
#include "../io/json.h"
#include <stdlib.h>

const char *const tl_sourcemap_key_names[] = {"scope", "launch_op", "how", "graph", NULL};
const char *const tl_sourcemap_how[HOWS] = {"", "external_id", "launch", "forward", "time", "map"};

#define NOT_ASKED (UINT32_MAX - 1)

struct tl_sourcemap *tl_sourcemap_new(const struct tl_sourcemap_options *o)
{
	struct tl_sourcemap *m = tl_calloc(1, sizeof *m);
	m->o = *o;
	m->scopes = tl_scopes_new(o->rules, o->n_rules);
	m->t = tl_table_new(TL_TAKE_ALL);
	m->texts = tl_pool_new();
	return m;
}

static void free_columns(struct tl_sourcemap *m)
{
	tl_fwdbwd_free(&m->fwdbwd);
	tl_operators_free(&m->operators);
	free(m->info);
	free(m->parent);
	m->info = NULL;
	m->parent = NULL;
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
	tl_scopes_free(m->scopes);
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
	tl_scopes_clear(m->scopes);
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

struct tl_span tl_sourcemap_line(const struct tl_sourcemap *m, uint32_t row)
{
	return (struct tl_span){m->t->line[row], m->t->len[row]};
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
		m->gpu[m->n_gpu++] = (struct gpu_op){i, NONE, NONE, NONE, HOW_NOT, false};
	}
}

static uint32_t *column(size_t n, uint32_t value)
{
	uint32_t *v = tl_alloc((n + 1) * sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = value;
	return v;
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
		m->near[i] = column(t->n, NOT_ASKED);
	m->info = tl_calloc(names + 1, sizeof *m->info);
	for (size_t i = 0; i < names; i++)
		m->info[i] = (struct name_info){NONE, NONE, NONE, NONE, NONE, NONE, false};
	tl_sourcemap_attribute(m);
	if (m->o.guess_by_time)
		tl_sourcemap_guess(m);
}

/* The text of a name, unescaped, in m->text. */
static struct tl_span plain_name(struct tl_sourcemap *m, uint32_t name)
{
	struct tl_span s = tl_pool_text(m->t->names, name), inner = tl_json_inner(s);
	if (inner.n == 0 || !tl_json_is_string(s) || !memchr(inner.p, '\\', inner.n))
		return inner;
	m->text.n = 0;
	tl_json_text(s, &m->text);
	return tl_buf_all(&m->text);
}

uint32_t tl_sourcemap_kernel(struct tl_sourcemap *m, uint32_t name)
{
	struct name_info *i = &m->info[name];
	if (i->kernel == NONE) {
		m->key.n = 0;
		tl_name_kernel(&m->key, plain_name(m, name));
		i->kernel = tl_pool_add(m->texts, tl_buf_all(&m->key));
	}
	return i->kernel;
}

uint32_t tl_sourcemap_op(struct tl_sourcemap *m, uint32_t name)
{
	struct name_info *i = &m->info[name];
	if (i->op == NONE) {
		m->key.n = 0;
		tl_name_short(&m->key, plain_name(m, name), TL_NAME_OP);
		i->op = tl_pool_add(m->texts, tl_buf_all(&m->key));
	}
	return i->op;
}

uint32_t tl_sourcemap_scope(struct tl_sourcemap *m, uint32_t name)
{
	struct name_info *i = &m->info[name];
	if (i->scope == NONE)
		i->scope = tl_scope_of(m->scopes, plain_name(m, name));
	return i->scope;
}

static bool is(struct tl_sourcemap *m, uint32_t row, enum near what)
{
	if (what == NEAR_BACKWARD)
		return m->fwdbwd.fwd[row] != TL_NO_ROW;
	if (m->t->cat[row] != TL_CAT_PYTHON)
		return false;
	enum tl_scope_use use = tl_scope_use(m->scopes, tl_sourcemap_scope(m, m->t->name[row]));
	return use == (what == NEAR_MEANINGFUL ? TL_SCOPE_MEANINGFUL : TL_SCOPE_FALLBACK);
}

uint32_t tl_sourcemap_forward(struct tl_sourcemap *m, uint32_t row)
{
	if (!m->frames)
		return NONE;
	if (!m->fwdbwd.fwd) {
		tl_fwdbwd_find(&m->fwdbwd, m->t, m->parent);
		m->near[NEAR_BACKWARD] = column(m->t->n, NOT_ASKED);
	}
	uint32_t backward = tl_sourcemap_near(m, row, NEAR_BACKWARD);
	return backward == NONE ? NONE : m->fwdbwd.fwd[backward];
}

uint32_t tl_sourcemap_near(struct tl_sourcemap *m, uint32_t row, enum near what)
{
	uint32_t *near = m->near[what], at = row, found = NONE;
	while (at != NONE && near[at] == NOT_ASKED && !is(m, at, what))
		at = m->parent[at];
	if (at != NONE)
		found = near[at] == NOT_ASKED ? at : near[at];
	for (uint32_t i = row; i != NONE && near[i] == NOT_ASKED; i = m->parent[i]) {
		near[i] = found;
		if (i == at)
			break;
	}
	return found;
}

uint32_t tl_sourcemap_chain(struct tl_sourcemap *m, uint32_t row)
{
	uint32_t scopes[TL_CHAIN_MAX];
	size_t n = TL_CHAIN_MAX;
	enum near what = NEAR_MEANINGFUL;
	if (tl_sourcemap_near(m, row, what) == NONE)
		what = NEAR_FALLBACK;
	while (n > 0 && (row = tl_sourcemap_near(m, row, what)) != NONE) {
		scopes[--n] = tl_sourcemap_scope(m, m->t->name[row]);
		row = m->parent[row];
	}
	return n < TL_CHAIN_MAX ? tl_chain_of(m->scopes, scopes + n, TL_CHAIN_MAX - n) : NONE;
}

static void add_text(struct tl_buf *b, const char *key, struct tl_span text)
{
	tl_buf_printf(b, ",\"%s\":", key);
	tl_json_quote(b, text);
}

static const struct gpu_op *gpu_op_of(const struct tl_sourcemap *m, uint32_t row)
{
	size_t lo = 0, hi = m->n_gpu;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->t->id[m->gpu[mid].row] < m->t->id[row])
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->n_gpu && m->gpu[lo].row == row ? &m->gpu[lo] : NULL;
}

bool tl_sourcemap_keys(const struct tl_sourcemap *m, uint32_t row, struct tl_buf *more)
{
	if (!tl_table_is_gpu_op(m->t, row))
		return false;
	const struct gpu_op *g = gpu_op_of(m, row);
	if (g->scope != NONE)
		add_text(more, "scope", tl_scope_text(m->scopes, g->scope));
	if (g->launch_op != NONE)
		add_text(more, "launch_op", tl_pool_text(m->texts, g->launch_op));
	if (g->how != HOW_NOT)
		add_text(more, "how", tl_str(tl_sourcemap_how[g->how]));
	if (g->graph)
		tl_buf_lit(more, ",\"graph\":true");
	return true;
}
