#include "sourcemap_impl.h"
#include "../io/json.h"
#include "../io/time.h"
#include <stdlib.h>

const char *const tl_sourcemap_how[HOWS] = {"", "external_id", "launch", "time", "map"};

/* Host rows by one of their ids, and within it by process, start, and end from the latest: the last
 * of those that began before some time is the innermost. */
struct index {
	struct tl_sort *v; /* key: the id, at: the row, more: its pid */
	size_t n;
};

static uint64_t id_of_row(const struct host *h)
{
	return h->kind == HOST_OP ? h->external : h->correlation;
}

static struct index index_of(const struct tl_sourcemap *m, enum host_kind kind)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n_host; i++)
		n += m->host[i].kind == kind;
	struct index x = {tl_alloc((n + 1) * sizeof *x.v), 0};
	for (size_t i = 0; i < m->n_host; i++) {
		const struct host *h = &m->host[i];
		if (h->kind == kind && id_of_row(h) != 0)
			x.v[x.n++] = (struct tl_sort){
				~tl_sort_time(h->end), (uint32_t)i, m->thread_pid[h->thread]};
	}
	tl_sort(x.v, x.n);
	for (size_t i = 0; i < x.n; i++)
		x.v[i].key = tl_sort_time(m->host[x.v[i].at].ts);
	tl_sort(x.v, x.n);
	for (size_t i = 0; i < x.n; i++)
		x.v[i].key = x.v[i].more;
	tl_sort(x.v, x.n);
	for (size_t i = 0; i < x.n; i++)
		x.v[i].key = id_of_row(&m->host[x.v[i].at]);
	tl_sort(x.v, x.n);
	return x;
}

/* The first place whose (id, pid) is not below the given one. */
static size_t place(const struct index *x, uint64_t id, uint32_t pid)
{
	size_t lo = 0, hi = x->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct tl_sort *s = &x->v[mid];
		if (s->key < id || (s->key == id && s->more < pid))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Of the rows [a, b) of one process: the last that began by `by`, else the first. */
static uint32_t latest(
	const struct tl_sourcemap *m, const struct index *x, size_t a, size_t b, int64_t by)
{
	size_t lo = a, hi = b;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->host[x->v[mid].at].ts <= by)
			lo = mid + 1;
		else
			hi = mid;
	}
	return x->v[lo > a ? lo - 1 : a].at;
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Merged traces tell their ranks by pids such as "[TP00] 4711": the first word with a letter and a
 * digit in it. Empty for other pids. */
static struct tl_span rank_of(struct tl_span pid)
{
	struct tl_span s = tl_json_inner(pid);
	size_t from = 0;
	bool letter = false, digit = false;
	if (!tl_json_is_string(pid))
		return (struct tl_span){0};
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && (is_letter(s.p[i]) || is_digit(s.p[i]))) {
			letter |= is_letter(s.p[i]);
			digit |= is_digit(s.p[i]);
			continue;
		}
		if (letter && digit)
			return (struct tl_span){s.p + from, i - from};
		letter = digit = false;
		from = i + 1;
	}
	return (struct tl_span){0};
}

static bool other_rank(const struct tl_sourcemap *m, uint32_t a, uint32_t b)
{
	struct tl_span x = rank_of(tl_pool_text(m->pids, a)), y = rank_of(tl_pool_text(m->pids, b));
	return a != b && x.n && y.n && !tl_span_eq(x, y);
}

/* More processes than this that share an id cannot be told apart. */
#define MAX_PROCESSES 64

struct found {
	uint32_t row;
	unsigned processes;
};

/* The row of `id` that a GPU op belongs to. Ranks are never joined: when several processes have the
 * id, it is the only one whose row has the op's External id, else none. */
static uint32_t find(const struct tl_sourcemap *m, const struct index *x, uint64_t id,
	const struct gpu_op *g, int64_t by)
{
	struct found any = {NONE, 0}, same = {NONE, 0};
	if (id == 0)
		return NONE;
	for (size_t a = place(x, id, 0), b; a < x->n && x->v[a].key == id; a = b) {
		uint32_t pid = x->v[a].more;
		b = place(x, id, pid + 1);
		if (other_rank(m, pid, g->pid))
			continue;
		if (any.processes++ >= MAX_PROCESSES)
			return NONE;
		any.row = latest(m, x, a, b, by);
		if (g->external && m->host[any.row].external == g->external) {
			same.row = any.row;
			same.processes++;
		}
	}
	if (any.processes == 1)
		return any.row;
	return same.processes == 1 ? same.row : NONE;
}

/* The operator of an External id: in the launch's process where the launch is known. */
static uint32_t find_op(const struct tl_sourcemap *m, const struct index *ops,
	const struct gpu_op *g, const struct host *launch)
{
	uint64_t id = g->external ? g->external : launch ? launch->external : 0;
	if (!launch)
		return find(m, ops, id, g, g->ts);
	uint32_t pid = m->thread_pid[launch->thread];
	size_t a = place(ops, id, pid), b = place(ops, id, pid + 1);
	return id && a < b ? latest(m, ops, a, b, launch->ts) : NONE;
}

/* The nearest frame at or above `frame` that counts: want 0 meaningful, 1 fallback. What is found
 * is kept in every frame on the way, so that no frame is passed twice. */
static uint32_t nearest(struct tl_sourcemap *m, uint32_t frame, int want)
{
	uint32_t at = frame, found = NONE;
	for (; at != NONE; at = m->host[at].frame) {
		struct host *h = &m->host[at];
		if (h->near[want] != UNKNOWN) {
			found = h->near[want];
			break;
		}
		uint32_t *scope = &m->info[h->name].scope;
		if (*scope == NONE)
			*scope = tl_scope_of(m->scopes, tl_pool_text(m->names, h->name));
		if (tl_scope_use(m->scopes, *scope) == (want ? TL_SCOPE_FALLBACK : TL_SCOPE_MEANINGFUL)) {
			found = at;
			break;
		}
	}
	for (uint32_t f = frame; f != NONE && m->host[f].near[want] == UNKNOWN; f = m->host[f].frame) {
		m->host[f].near[want] = found;
		if (f == found)
			break;
	}
	return found;
}

uint32_t tl_sourcemap_chain(struct tl_sourcemap *m, uint32_t frame)
{
	uint32_t scopes[TL_CHAIN_MAX];
	size_t n = TL_CHAIN_MAX;
	int want = nearest(m, frame, 0) == NONE;
	for (frame = nearest(m, frame, want); frame != NONE && n > 0;) {
		scopes[--n] = m->info[m->host[frame].name].scope;
		frame = nearest(m, m->host[frame].frame, want);
	}
	return n < TL_CHAIN_MAX ? tl_chain_of(m->scopes, scopes + n, TL_CHAIN_MAX - n) : NONE;
}

static void locate(struct tl_sourcemap *m, struct gpu_op *g, uint32_t frame, enum how how)
{
	g->how = (uint8_t)how;
	g->chain = tl_sourcemap_chain(m, frame);
	if (g->chain != NONE)
		g->scope = tl_chain_best(m->scopes, g->chain);
}

/* A replayed kernel has its launch's scope and no operator: the launch call is all that is known.
 */
static void from_graph(struct tl_sourcemap *m, struct gpu_op *g, const struct host *launch)
{
	g->graph = true;
	g->launch_op = tl_sourcemap_op(m, launch->name);
	locate(m, g, launch->frame, HOW_LAUNCH);
}

static void from_launch(struct tl_sourcemap *m, struct gpu_op *g, const struct host *launch)
{
	if (g->launch_op == NONE)
		g->launch_op = tl_sourcemap_op(
			m, launch->op != NONE ? m->host[launch->op].name : launch->name);
	locate(m, g, launch->frame, HOW_LAUNCH);
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
	if (!m->o.map)
		return;
	if (!m->info[g->name].map_asked)
		ask_map(m, g->name);
	const struct name_info *i = &m->info[g->name];
	if (i->map_scope == NONE)
		return;
	g->how = HOW_MAP;
	g->scope = i->map_scope;
	g->chain = i->map_chain;
	g->launch_op = i->map_op;
}

static void attribute(struct tl_sourcemap *m, struct gpu_op *g, const struct index *ops)
{
	const struct host *launch = g->launch != NONE ? &m->host[g->launch] : NULL;
	uint32_t op = NONE;
	if (launch && (g->graph || tl_is_graph_launch(tl_pool_text(m->names, launch->name)))) {
		from_graph(m, g, launch);
	} else if (!g->graph && (op = find_op(m, ops, g, launch)) != NONE) {
		g->launch_op = tl_sourcemap_op(m, m->host[op].name);
		locate(m, g, m->host[op].frame, HOW_EXTERNAL_ID);
		if (g->chain == NONE && launch && launch->frame != NONE)
			from_launch(m, g, launch);
		if (g->chain == NONE)
			g->how = HOW_EXTERNAL_ID;
	} else if (launch) {
		from_launch(m, g, launch);
	}
	if (g->graph || g->chain == NONE)
		from_map(m, g);
}

void tl_sourcemap_link(struct tl_sourcemap *m)
{
	struct index launches = index_of(m, HOST_LAUNCH), ops = index_of(m, HOST_OP);
	for (size_t i = 0; i < m->n_gpu; i++) {
		struct gpu_op *g = &m->gpu[i];
		if (g->launch == NONE)
			g->launch = find(m, &launches, g->correlation, g, tl_ns_add(g->ts, 1000000));
		attribute(m, g, &ops);
	}
	free(launches.v);
	free(ops.v);
}
