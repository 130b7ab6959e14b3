#include "inside.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include <stdlib.h>

/* How often a kernel came with a scope, a chain, an operator: counters by (kernel, what), in order
 * of first sight, each kernel's in a list. */
struct tally {
	struct tl_pool *keys; /* the two numbers' bytes */
	struct count {
		uint32_t what, next; /* next: of the same kernel */
		uint64_t n;
	} * counts;
	size_t cap;
};

struct source {
	uint32_t kernel; /* in texts */
	uint64_t launches, mapped, graph, captured, how[HOWS];
	int64_t ns;
	uint32_t scopes, chains, ops; /* heads of the lists; NONE */
	uint32_t map_name;            /* of a replayed launch that the map knows; NONE */
};

struct sources {
	struct tl_sourcemap *m;
	struct source *v;
	size_t n, cap;
	uint32_t *of_text; /* by number in texts: place in v, NONE */
	struct tally scopes, chains, ops;
	int64_t total;
};

static void count(struct tally *t, size_t kernel, uint32_t *head, uint32_t what)
{
	uint32_t key[2] = {(uint32_t)kernel, what}, before = tl_pool_count(t->keys);
	uint32_t at = tl_pool_add(t->keys, (struct tl_span){(const char *)key, sizeof key});
	if (at == before) {
		TL_GROW(t->counts, at, t->cap);
		t->counts[at] = (struct count){what, *head, 0};
		*head = at;
	}
	t->counts[at].n++;
}

/* The most frequent, of equals the first by id of its event; NONE of an empty list. Lists stand
 * latest first. */
static uint32_t most(const struct tally *t, uint32_t head)
{
	uint32_t best = NONE;
	uint64_t n = 0;
	for (; head != NONE; head = t->counts[head].next) {
		if (t->counts[head].n >= n) {
			n = t->counts[head].n;
			best = t->counts[head].what;
		}
	}
	return best;
}

static size_t source_of(struct sources *s, uint32_t text)
{
	if (s->of_text[text] == NONE) {
		TL_GROW(s->v, s->n, s->cap);
		s->v[s->n] = (struct source){
			.kernel = text, .scopes = NONE, .chains = NONE, .ops = NONE, .map_name = NONE};
		s->of_text[text] = (uint32_t)s->n++;
	}
	return s->of_text[text];
}

/* What one launch, run or captured, says of its kernel. */
static void count_place(struct sources *s, size_t at, enum sourcemap_how how, uint32_t scope,
	uint32_t chain, uint32_t op)
{
	struct source *k = &s->v[at];
	k->how[how]++;
	if (scope != NONE)
		count(&s->scopes, at, &k->scopes, scope);
	if (chain != NONE)
		count(&s->chains, at, &k->chains, chain);
	if (op != NONE)
		count(&s->ops, at, &k->ops, op);
}

static void count_op(struct sources *s, const struct sourcemap_gpu_op *g)
{
	uint32_t name = s->m->t->name[g->row];
	int64_t dur = s->m->t->dur[g->row];
	size_t at = source_of(s, sourcemap_kernel(s->m, name));
	struct source *k = &s->v[at];
	k->launches++;
	k->ns = tl_ns_add(k->ns, dur);
	s->total = tl_ns_add(s->total, dur);
	if (g->graph) {
		k->graph++;
		if (g->how == HOW_MAP && k->map_name == NONE)
			k->map_name = name;
		return;
	}
	k->mapped += g->scope != NONE;
	count_place(s, at, (enum sourcemap_how)g->how, g->scope, g->chain, g->launch_op);
}

/* Launches that no GPU op came from, though they name a kernel: key its name in texts, at the row.
 */
static struct tl_rows captures(struct tl_sourcemap *m)
{
	struct tl_rows r = {0};
	struct tl_buf text = {0}, name = {0};
	uint8_t *ran = tl_calloc((size_t)m->t->n + 1, 1);
	for (size_t k = 0; k < m->n_gpu; k++)
		if (m->parent[m->gpu[k].row] != NONE)
			ran[m->parent[m->gpu[k].row]] = 1;
	for (uint32_t k = 0; k < m->t->n; k++) {
		uint32_t i = tl_table_at(m->t, k);
		if (ran[i] || !tl_table_is_launch(m->t, i))
			continue;
		struct tl_span args = tl_json_get(tl_sourcemap_line(m, i), TL_LIT("args"));
		struct tl_span kernel = tl_json_get(args, TL_LIT("kernel"));
		if (!tl_json_is_string(kernel) || kernel.n == 2)
			continue;
		text.n = name.n = 0;
		tl_json_text(kernel, &text);
		tl_name_kernel(&name, tl_buf_all(&text));
		tl_rows_add(&r, tl_pool_add(m->texts, tl_buf_all(&name)), i);
	}
	tl_buf_free(&text);
	tl_buf_free(&name);
	free(ran);
	return r;
}

static void count_capture(struct sources *s, uint32_t kernel, uint32_t row)
{
	struct tl_sourcemap *m = s->m;
	size_t at = source_of(s, kernel);
	uint32_t chain = sourcemap_chain(m, row), op = m->operators[row];
	s->v[at].captured++;
	count_place(s, at, HOW_LAUNCH, chain != NONE ? sourcemap_chain_best(m->scopes, chain) : NONE,
		chain, sourcemap_op(m, m->t->name[op != NONE ? op : row]));
}

static struct sources gather(struct tl_sourcemap *m)
{
	struct sources s = {.m = m};
	struct tl_rows captured = captures(m);
	for (size_t k = 0; k < m->n_gpu; k++)
		sourcemap_kernel(m, m->t->name[m->gpu[k].row]);
	size_t texts = tl_pool_count(m->texts);
	s.of_text = tl_alloc((texts + 1) * sizeof *s.of_text);
	memset(s.of_text, 0xff, (texts + 1) * sizeof *s.of_text);
	s.scopes.keys = tl_pool_new();
	s.chains.keys = tl_pool_new();
	s.ops.keys = tl_pool_new();
	for (size_t k = 0; k < m->n_gpu; k++)
		count_op(&s, &m->gpu[k]);
	for (size_t k = 0; k < captured.n; k++)
		count_capture(&s, (uint32_t)captured.a[k].key, captured.a[k].at);
	free(captured.a);
	return s;
}

static void release(struct sources *s)
{
	struct tally *t[] = {&s->scopes, &s->chains, &s->ops};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		tl_pool_free(t[i]->keys);
		free(t[i]->counts);
	}
	free(s->of_text);
	free(s->v);
}

static int by_count(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->next < y->next ? -1 : x->next > y->next;
}

static void add_scopes(struct sources *s, const struct source *k, struct tl_write *w)
{
	struct count *v = NULL;
	size_t n = 0, cap = 0;
	for (uint32_t c = k->scopes; c != NONE; c = s->scopes.counts[c].next) {
		TL_GROW(v, n, cap);
		v[n] = s->scopes.counts[c];
		v[n++].next = c;
	}
	if (n > 1)
		qsort(v, n, sizeof *v, by_count);
	tl_object(w, "scopes");
	for (size_t i = 0; i < n; i++) {
		tl_put_name(w, sourcemap_scope_text(s->m->scopes, v[i].what));
		tl_buf_u64(&w->b, v[i].n);
	}
	tl_object_end(w);
	free(v);
}

static const char *how_of(const struct source *k)
{
	int best = HOW_NOT;
	for (int h = HOW_NOT + 1; h < HOWS; h++)
		if (k->how[h] > (best == HOW_NOT ? 0 : k->how[best]))
			best = h;
	return sourcemap_how[best];
}

/* Scope, chain, operator and how they are known: by this trace, else, for replays, by the map. */
static void add_place(struct sources *s, const struct source *k, struct tl_write *w)
{
	struct tl_sourcemap *m = s->m;
	uint32_t scope = most(&s->scopes, k->scopes), chain = most(&s->chains, k->chains),
			 op = most(&s->ops, k->ops);
	const char *how = how_of(k);
	if (scope == NONE && k->map_name != NONE) {
		const struct sourcemap_name_info *i = &m->info[k->map_name];
		scope = i->map_scope;
		chain = i->map_chain;
		op = i->map_op;
		how = sourcemap_how[HOW_MAP];
	}
	if (scope != NONE)
		tl_put_text(w, "scope", sourcemap_scope_text(m->scopes, scope));
	if (chain != NONE) {
		m->text.n = 0;
		sourcemap_chain_text(m->scopes, chain, &m->text);
		tl_put_text(w, "chain", tl_buf_all(&m->text));
	}
	if (op != NONE)
		tl_put_text(w, "launch_op", tl_pool_text(m->texts, op));
	add_scopes(s, k, w);
	tl_put_text(w, "how", tl_str(how));
}

static struct tl_span record(
	struct sources *s, const struct source *k, uint64_t trace, struct tl_write *w)
{
	tl_record(w, "source", trace);
	tl_put_string(w, "kernel", tl_pool_text(s->m->texts, k->kernel));
	tl_put_u64(w, "launches", k->launches);
	tl_put_u64(w, "mapped", k->mapped);
	tl_put_u64(w, "graph", k->graph);
	add_place(s, k, w);
	tl_put_us(w, "gpu_us", k->ns);
	tl_put_share(w, "share", k->ns, s->total, 100);
	if (k->captured)
		tl_put_u64(w, "captured", k->captured);
	return tl_record_end(w);
}

/* By time, then by captured launches, the most first; then as first seen. */
static struct tl_sort *in_order(const struct sources *s)
{
	struct tl_sort *v = tl_alloc((s->n + 1) * sizeof *v);
	for (size_t i = 0; i < s->n; i++)
		v[i] = (struct tl_sort){~s->v[i].captured, (uint32_t)i, 0};
	tl_sort(v, s->n);
	for (size_t i = 0; i < s->n; i++)
		v[i].key = ~tl_sort_time(s->v[v[i].at].ns);
	tl_sort(v, s->n);
	return v;
}

void tl_sourcemap_records(
	struct tl_sourcemap *m, uint64_t trace, void (*take)(void *to, struct tl_span line), void *to)
{
	struct sources s = gather(m);
	struct tl_sort *v = in_order(&s);
	struct tl_write line = {0};
	for (size_t i = 0; i < s.n; i++)
		take(to, record(&s, &s.v[v[i].at], trace, &line));
	tl_write_free(&line);
	free(v);
	release(&s);
}
