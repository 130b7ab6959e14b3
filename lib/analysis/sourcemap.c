#include "sourcemap_impl.h"
#include "names.h"
#include "../io/json.h"
#include "../io/time.h"
#include <stdlib.h>

const char *const tl_sourcemap_key_names[] = {"scope", "launch_op", "how", "graph", NULL};

struct tl_sourcemap *tl_sourcemap_new(const struct tl_sourcemap_options *o)
{
	struct tl_sourcemap *m = tl_calloc(1, sizeof *m);
	m->o = *o;
	m->scopes = tl_scopes_new(o->rules, o->n_rules);
	m->names = tl_pool_new();
	m->texts = tl_pool_new();
	m->pids = tl_pool_new();
	m->threads = tl_pool_new();
	m->last_thread = NONE;
	return m;
}

void tl_sourcemap_free(struct tl_sourcemap *m)
{
	if (!m)
		return;
	tl_scopes_free(m->scopes);
	tl_pool_free(m->names);
	tl_pool_free(m->texts);
	tl_pool_free(m->pids);
	tl_pool_free(m->threads);
	free(m->info);
	free(m->thread_pid);
	free(m->host);
	free(m->gpu);
	free(m->captures);
	free(m->halves);
	free(m->open);
	tl_buf_free(&m->key);
	tl_buf_free(&m->text);
	free(m);
}

void tl_sourcemap_forget(struct tl_sourcemap *m)
{
	tl_scopes_clear(m->scopes);
	tl_pool_clear(m->names);
	tl_pool_clear(m->texts);
	tl_pool_clear(m->pids);
	tl_pool_clear(m->threads);
	m->last_thread = NONE;
	m->n_host = m->n_gpu = m->n_captures = m->n_halves = m->n_open = 0;
	m->tree = false;
}

/* Ids of the trace; 0 links nothing, so it also stands for "none". */
static uint64_t id_of(struct tl_span v)
{
	uint64_t id;
	return v.n && tl_json_u64(v, &id) ? id : 0;
}

static uint32_t name_of(struct tl_sourcemap *m, struct tl_span name)
{
	uint32_t before = tl_pool_count(m->names), n = tl_pool_add(m->names, tl_json_inner(name));
	if (n == before) {
		TL_GROW(m->info, n, m->info_cap);
		m->info[n] = (struct name_info){NONE, NONE, NONE, NONE, NONE, NONE, false};
	}
	return n;
}

static uint32_t thread_of(struct tl_sourcemap *m, const struct tl_event *e)
{
	m->key.n = 0;
	tl_buf_span(&m->key, e->f[TL_F_PID]);
	tl_buf_ch(&m->key, '\n');
	tl_buf_span(&m->key, e->f[TL_F_TID]);
	struct tl_span key = tl_buf_all(&m->key);
	if (m->last_thread != NONE && tl_span_eq(key, tl_pool_text(m->threads, m->last_thread)))
		return m->last_thread;
	uint32_t before = tl_pool_count(m->threads), n = tl_pool_add(m->threads, key);
	if (n == before) {
		TL_GROW(m->thread_pid, n, m->thread_pid_cap);
		m->thread_pid[n] = tl_pool_add(m->pids, e->f[TL_F_PID]);
	}
	return m->last_thread = n;
}

static void add_half(struct tl_sourcemap *m, const struct tl_event *e, uint32_t target)
{
	if (!e->has_ts)
		return;
	TL_GROW(m->halves, m->n_halves, m->halves_cap);
	m->halves[m->n_halves++] = (struct half){e->ts, thread_of(m, e), target, e->ph == 'B'};
}

/* tl-tree's order: what is open above e is its path of parents. */
static struct open *parent_of(struct tl_sourcemap *m, const struct tl_event *e)
{
	uint64_t parent;
	if (!tl_json_u64(e->f[TL_F_PARENT], &parent))
		m->n_open = 0;
	while (m->n_open && m->open[m->n_open - 1].id != parent)
		m->n_open--;
	return m->n_open ? &m->open[m->n_open - 1] : NULL;
}

static void place_in_tree(struct tl_sourcemap *m, const struct tl_event *e, uint32_t row)
{
	m->tree = true;
	struct open *p = parent_of(m, e);
	struct open self = {e->id, row, p ? p->frame : NONE, p ? p->op : NONE};
	if (row != NONE) {
		m->host[row].frame = self.frame;
		m->host[row].op = self.op;
		if (m->host[row].kind == HOST_FRAME)
			self.frame = row;
		if (m->host[row].kind == HOST_OP)
			self.op = row;
	}
	TL_GROW(m->open, m->n_open, m->open_cap);
	m->open[m->n_open++] = self;
}

static enum host_kind host_kind(enum tl_cat cat)
{
	switch (cat) {
	case TL_CAT_PYTHON:
		return HOST_FRAME;
	case TL_CAT_CPU_OP:
		return HOST_OP;
	case TL_CAT_RUNTIME:
	case TL_CAT_DRIVER:
		return HOST_LAUNCH;
	default:
		return HOST_OTHER;
	}
}

static void add_capture(struct tl_sourcemap *m, const struct tl_event *e, uint32_t row)
{
	struct tl_span kernel = tl_json_get(e->f[TL_F_ARGS], TL_LIT("kernel"));
	if (!tl_json_is_string(kernel) || kernel.n == 2)
		return;
	TL_GROW(m->captures, m->n_captures, m->captures_cap);
	m->captures[m->n_captures++] = (struct capture){row, name_of(m, kernel)};
}

static uint32_t add_row(struct tl_sourcemap *m, const struct tl_event *e, enum host_kind kind)
{
	if (m->n_host >= UNKNOWN)
		return NONE;
	TL_GROW(m->host, m->n_host, m->host_cap);
	uint32_t row = (uint32_t)m->n_host++;
	struct host *h = &m->host[row];
	*h = (struct host){.ts = e->ts, .end = e->end, .frame = NONE, .op = NONE};
	h->name = name_of(m, e->f[TL_F_NAME]);
	h->kind = kind;
	h->thread = thread_of(m, e) & 0x3fffffff;
	if (kind == HOST_FRAME) {
		h->near[0] = h->near[1] = UNKNOWN;
		return row;
	}
	h->external = id_of(e->f[TL_F_EXTERNAL_ID]);
	if (kind == HOST_LAUNCH) {
		h->correlation = id_of(e->f[TL_F_CORRELATION]);
		add_capture(m, e, row);
	}
	return row;
}

static void add_host(struct tl_sourcemap *m, const struct tl_event *e, enum tl_cat cat)
{
	bool in_tree = e->f[TL_F_DEPTH].n > 0, whole = e->has_ts && (e->has_dur || e->ph == 'B');
	enum host_kind kind = host_kind(cat);
	uint32_t row = kind != HOST_OTHER && whole ? add_row(m, e, kind) : NONE;
	if (in_tree)
		place_in_tree(m, e, row);
	else if (e->ph == 'B' && !e->has_dur)
		add_half(m, e, row);
}

static uint32_t add_gpu_op(struct tl_sourcemap *m, const struct tl_event *e)
{
	if (m->n_gpu >= HALF_GPU)
		return TL_NO_OP;
	TL_GROW(m->gpu, m->n_gpu, m->gpu_cap);
	uint32_t n = (uint32_t)m->n_gpu++;
	m->gpu[n] = (struct gpu_op){
		.ts = e->ts,
		.dur = e->dur,
		.has_ts = e->has_ts,
		.correlation = id_of(e->f[TL_F_CORRELATION]),
		.external = id_of(e->f[TL_F_EXTERNAL_ID]),
		.name = name_of(m, e->f[TL_F_NAME]),
		.pid = tl_pool_add(m->pids, e->f[TL_F_PID]),
		.launch = NONE,
		.scope = NONE,
		.chain = NONE,
		.launch_op = NONE,
		.graph = tl_span_eq(e->f[TL_F_GRAPH], TL_LIT("true")),
	};
	if (e->f[TL_F_LAUNCHER].n) {
		struct open *p = parent_of(m, e);
		m->gpu[n].launch = p ? p->row : NONE;
	} else if (e->ph == 'B' && !e->has_dur) {
		add_half(m, e, n | HALF_GPU);
	}
	return n;
}

bool tl_sourcemap_add(struct tl_sourcemap *m, struct tl_span line, uint32_t *op)
{
	struct tl_event e;
	*op = TL_NO_OP;
	if (!tl_event_read(line, &e))
		return false;
	if (e.ph == 'E')
		add_half(m, &e, NONE);
	if (e.ph != 'X' && e.ph != 'B')
		return true;
	enum tl_cat cat = tl_cat_of(e.f[TL_F_CAT]);
	if (tl_cat_is_gpu(cat))
		*op = add_gpu_op(m, &e);
	else
		add_host(m, &e, cat);
	return true;
}

void tl_sourcemap_finish(struct tl_sourcemap *m)
{
	tl_sourcemap_pair(m);
	if (!m->tree)
		tl_sourcemap_nest(m);
	tl_sourcemap_link(m);
	if (m->o.guess_by_time)
		tl_sourcemap_guess(m);
}

/* The text of a JSON string's inside, unescaped, in m->text. */
static struct tl_span plain_name(struct tl_sourcemap *m, uint32_t name)
{
	struct tl_span inner = tl_pool_text(m->names, name);
	if (inner.n == 0 || !memchr(inner.p, '\\', inner.n))
		return inner;
	m->key.n = m->text.n = 0;
	tl_buf_ch(&m->key, '"');
	tl_buf_span(&m->key, inner);
	tl_buf_ch(&m->key, '"');
	tl_json_text(tl_buf_all(&m->key), &m->text);
	return tl_buf_all(&m->text);
}

uint32_t tl_sourcemap_kernel(struct tl_sourcemap *m, uint32_t name)
{
	struct name_info *i = &m->info[name];
	if (i->kernel == NONE) {
		struct tl_span text = plain_name(m, name);
		m->key.n = 0;
		tl_name_kernel(&m->key, text);
		i->kernel = tl_pool_add(m->texts, tl_buf_all(&m->key));
	}
	return i->kernel;
}

uint32_t tl_sourcemap_op(struct tl_sourcemap *m, uint32_t name)
{
	struct name_info *i = &m->info[name];
	if (i->op == NONE) {
		struct tl_span text = plain_name(m, name);
		m->key.n = 0;
		tl_name_short(&m->key, text, TL_NAME_OP);
		i->op = tl_pool_add(m->texts, tl_buf_all(&m->key));
	}
	return i->op;
}

static void add_text(struct tl_buf *b, const char *key, struct tl_span text)
{
	tl_buf_printf(b, ",\"%s\":", key);
	tl_json_quote(b, text);
}

void tl_sourcemap_keys(struct tl_sourcemap *m, uint32_t op, struct tl_buf *more)
{
	const struct gpu_op *g = &m->gpu[op];
	if (g->scope != NONE)
		add_text(more, "scope", tl_scope_text(m->scopes, g->scope));
	if (g->launch_op != NONE)
		add_text(more, "launch_op", tl_pool_text(m->texts, g->launch_op));
	if (g->how != HOW_NOT)
		add_text(more, "how", tl_str(tl_sourcemap_how[g->how]));
	if (g->graph)
		tl_buf_lit(more, ",\"graph\":true");
}
