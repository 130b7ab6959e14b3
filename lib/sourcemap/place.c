/* What lies above a row, and what names are called. */
#include "inside.h"
#include "../rules/rules.h"
#include "../json/json.h"

const char *const sourcemap_how[HOWS] = {"", "external_id", "launch", "forward", "time", "map"};

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

uint32_t sourcemap_kernel(struct tl_sourcemap *m, uint32_t name)
{
	struct sourcemap_name_info *i = &m->info[name];
	if (i->kernel == NONE) {
		m->key.n = 0;
		tl_name_kernel(&m->key, plain_name(m, name));
		i->kernel = tl_pool_add(m->texts, tl_buf_all(&m->key));
	}
	return i->kernel;
}

uint32_t sourcemap_op(struct tl_sourcemap *m, uint32_t name)
{
	struct sourcemap_name_info *i = &m->info[name];
	if (i->op == NONE) {
		m->key.n = 0;
		tl_name_short(&m->key, plain_name(m, name), TL_NAME_OP);
		i->op = tl_pool_add(m->texts, tl_buf_all(&m->key));
	}
	return i->op;
}

uint32_t sourcemap_scope(struct tl_sourcemap *m, uint32_t name)
{
	struct sourcemap_name_info *i = &m->info[name];
	if (i->scope == NONE)
		i->scope = sourcemap_scope_of(m->scopes, plain_name(m, name));
	return i->scope;
}

static bool is(struct tl_sourcemap *m, uint32_t row, enum sourcemap_near what)
{
	if (what == NEAR_BACKWARD)
		return m->fwdbwd.fwd[row] != TL_NO_ROW;
	if (m->t->cat[row] != TL_CAT_PYTHON)
		return false;
	enum sourcemap_scope_use use = sourcemap_scope_use(
		m->scopes, sourcemap_scope(m, m->t->name[row]));
	return use == (what == NEAR_MEANINGFUL ? SOURCEMAP_SCOPE_MEANINGFUL : SOURCEMAP_SCOPE_FALLBACK);
}

uint32_t *sourcemap_column(size_t n, uint32_t value)
{
	uint32_t *v = tl_alloc((n + 1) * sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = value;
	return v;
}

uint32_t sourcemap_near(struct tl_sourcemap *m, uint32_t row, enum sourcemap_near what)
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

uint32_t sourcemap_forward(struct tl_sourcemap *m, uint32_t row)
{
	if (!m->frames)
		return NONE;
	if (!m->fwdbwd.fwd) {
		tl_fwdbwd_find(&m->fwdbwd, m->t, m->parent);
		m->near[NEAR_BACKWARD] = sourcemap_column(m->t->n, NOT_ASKED);
	}
	uint32_t backward = sourcemap_near(m, row, NEAR_BACKWARD);
	return backward == NONE ? NONE : m->fwdbwd.fwd[backward];
}

uint32_t sourcemap_chain(struct tl_sourcemap *m, uint32_t row)
{
	uint32_t scopes[SOURCEMAP_CHAIN_MAX];
	size_t n = SOURCEMAP_CHAIN_MAX;
	enum sourcemap_near what = NEAR_MEANINGFUL;
	if (sourcemap_near(m, row, what) == NONE)
		what = NEAR_FALLBACK;
	while (n > 0 && (row = sourcemap_near(m, row, what)) != NONE) {
		scopes[--n] = sourcemap_scope(m, m->t->name[row]);
		row = m->parent[row];
	}
	return n < SOURCEMAP_CHAIN_MAX
			   ? sourcemap_chain_of(m->scopes, scopes + n, SOURCEMAP_CHAIN_MAX - n)
			   : NONE;
}

struct tl_span tl_sourcemap_line(const struct tl_sourcemap *m, uint32_t row)
{
	return (struct tl_span){m->t->line[row], m->t->len[row]};
}
