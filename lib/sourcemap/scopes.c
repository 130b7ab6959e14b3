#include "scopes.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include "../base/base.h"
#include <stdlib.h>

enum { FN_ROOTS, FN_SCOPE };

#define PAD '\xff' /* in no UTF-8 */

struct frame {
	bool asked;
	enum sourcemap_scope_use use;
	int64_t bonus;
};

struct chain {
	uint32_t frames[SOURCEMAP_CHAIN_MAX];
	uint32_t n;    /* 0: known by its text alone */
	uint32_t best; /* a frame's number */
};

struct sourcemap_scopes {
	struct tl_rules *rules;
	struct tl_roots roots;
	struct tl_buf roots_text; /* what the roots borrow from */
	bool have_roots;
	struct tl_pool *texts; /* by number of a frame */
	struct frame *frames;
	size_t frames_cap, n_frames;
	struct tl_pool *keys; /* of chains: the bytes of the frames' numbers, or best, text and PAD */
	struct chain *chains;
	size_t chains_cap;
	struct tl_buf text, question;
};

struct sourcemap_scopes *sourcemap_scopes_new(const char *const *rules, size_t n)
{
	static const char *const fns[] = {"roots", "scope", NULL};
	struct sourcemap_scopes *s = tl_calloc(1, sizeof *s);
	s->rules = tl_rules_new("scopes", fns, rules, n);
	tl_rules_begin(s->rules);
	s->texts = tl_pool_new();
	s->keys = tl_pool_new();
	return s;
}

void sourcemap_scopes_free(struct sourcemap_scopes *s)
{
	if (!s)
		return;
	tl_rules_free(s->rules);
	tl_pool_free(s->texts);
	tl_pool_free(s->keys);
	tl_buf_free(&s->roots_text);
	tl_buf_free(&s->text);
	tl_buf_free(&s->question);
	free(s->roots.v);
	free(s->frames);
	free(s->chains);
	free(s);
}

void sourcemap_scopes_clear(struct sourcemap_scopes *s)
{
	tl_pool_clear(s->texts);
	tl_pool_clear(s->keys);
	s->n_frames = 0;
}

static bool is_true(struct tl_span v)
{
	return tl_span_eq(v, TL_LIT("true"));
}

/* The two texts of a root, copied; their spans are offsets until all are there. */
static void add_root(struct sourcemap_scopes *s, struct tl_span pair, size_t *cap)
{
	struct tl_json it = tl_json_open(pair);
	struct tl_span from, to;
	if (!tl_json_element(&it, &from) || !tl_json_element(&it, &to) || !tl_json_is_string(from) ||
		!tl_json_is_string(to) || from.n == 2)
		return;
	TL_GROW(s->roots.v, s->roots.n, *cap);
	struct tl_root *r = &s->roots.v[s->roots.n++];
	size_t at = s->roots_text.n;
	tl_json_text(from, &s->roots_text);
	r->from = (struct tl_span){NULL, s->roots_text.n - at};
	at = s->roots_text.n;
	tl_json_text(to, &s->roots_text);
	r->to = (struct tl_span){NULL, s->roots_text.n - at};
}

static void place_roots(struct sourcemap_scopes *s)
{
	const char *p = s->roots_text.p;
	for (size_t i = 0; i < s->roots.n; i++) {
		struct tl_root *r = &s->roots.v[i];
		r->from.p = p;
		r->to.p = p + r->from.n;
		p = r->to.p + r->to.n;
	}
}

static const struct tl_roots *roots(struct sourcemap_scopes *s)
{
	if (s->have_roots)
		return &s->roots;
	s->have_roots = true;
	struct tl_buf q = {0};
	tl_buf_printf(&q, "{\"rules\":\"%s\"}", tl_rules_set(s->rules));
	struct tl_span answer = tl_rules_ask(s->rules, FN_ROOTS, tl_buf_all(&q)), pair;
	tl_buf_free(&q);
	if (answer.n == 0)
		return &s->roots;
	s->roots.packages = is_true(tl_json_get(answer, TL_LIT("packages")));
	s->roots.components = is_true(tl_json_get(answer, TL_LIT("components")));
	struct tl_span list = tl_json_get(answer, TL_LIT("roots"));
	size_t cap = 0;
	if (list.n == 0)
		return &s->roots;
	for (struct tl_json it = tl_json_open(list); tl_json_element(&it, &pair);)
		add_root(s, pair, &cap);
	place_roots(s);
	return &s->roots;
}

uint32_t sourcemap_scope_add(struct sourcemap_scopes *s, struct tl_span text)
{
	uint32_t n = tl_pool_add(s->texts, text);
	while (s->n_frames <= n) {
		TL_GROW(s->frames, s->n_frames, s->frames_cap);
		s->frames[s->n_frames++] = (struct frame){0};
	}
	return n;
}

uint32_t sourcemap_scope_of(struct sourcemap_scopes *s, struct tl_span name)
{
	s->text.n = 0;
	tl_name_scope(&s->text, name, roots(s));
	return sourcemap_scope_add(s, tl_buf_all(&s->text));
}

static void ask(struct sourcemap_scopes *s, uint32_t scope)
{
	struct frame *f = &s->frames[scope];
	uint64_t use;
	s->question.n = 0;
	tl_buf_printf(&s->question, "{\"rules\":\"%s\",\"name\":", tl_rules_set(s->rules));
	tl_json_quote(&s->question, tl_pool_text(s->texts, scope));
	tl_buf_ch(&s->question, '}');
	struct tl_span answer = tl_rules_ask(s->rules, FN_SCOPE, tl_buf_all(&s->question));
	f->asked = true;
	if (answer.n == 0)
		return;
	if (tl_json_u64(tl_json_get(answer, TL_LIT("use")), &use) && use <= SOURCEMAP_SCOPE_MEANINGFUL)
		f->use = (enum sourcemap_scope_use)use;
	tl_json_i64(tl_json_get(answer, TL_LIT("bonus")), &f->bonus);
}

enum sourcemap_scope_use sourcemap_scope_use(struct sourcemap_scopes *s, uint32_t scope)
{
	if (!s->frames[scope].asked)
		ask(s, scope);
	return s->frames[scope].use;
}

struct tl_span sourcemap_scope_text(const struct sourcemap_scopes *s, uint32_t scope)
{
	return tl_pool_text(s->texts, scope);
}

/* Place in the chain plus what the frame is worth; the outermost of equals. */
static uint32_t best_of(struct sourcemap_scopes *s, const uint32_t *frames, size_t n)
{
	int64_t best = INT64_MIN;
	uint32_t at = frames[0];
	for (size_t i = 0; i < n; i++) {
		sourcemap_scope_use(s, frames[i]);
		int64_t score = tl_ns_add(s->frames[frames[i]].bonus, (int64_t)i);
		if (score > best) {
			best = score;
			at = frames[i];
		}
	}
	return at;
}

static uint32_t add_chain(struct sourcemap_scopes *s, struct tl_span key, bool *is_new)
{
	uint32_t before = tl_pool_count(s->keys), n = tl_pool_add(s->keys, key);
	*is_new = n == before;
	TL_GROW(s->chains, n, s->chains_cap);
	return n;
}

uint32_t sourcemap_chain_of(struct sourcemap_scopes *s, const uint32_t *frames, size_t n)
{
	bool is_new;
	uint32_t c = add_chain(s, (struct tl_span){(const char *)frames, n * sizeof *frames}, &is_new);
	if (is_new) {
		s->chains[c].n = (uint32_t)n;
		memcpy(s->chains[c].frames, frames, n * sizeof *frames);
		s->chains[c].best = best_of(s, frames, n);
	}
	return c;
}

uint32_t sourcemap_chain_add(struct sourcemap_scopes *s, struct tl_span text, uint32_t best)
{
	bool is_new;
	/* Padded with bytes that no text has, to a length that no list of numbers has. */
	s->text.n = 0;
	tl_buf_add(&s->text, &best, sizeof best);
	tl_buf_span(&s->text, text);
	do
		tl_buf_ch(&s->text, PAD);
	while (s->text.n % sizeof best == 0);
	uint32_t c = add_chain(s, tl_buf_all(&s->text), &is_new);
	if (is_new)
		s->chains[c] = (struct chain){.n = 0, .best = best};
	return c;
}

uint32_t sourcemap_chain_best(const struct sourcemap_scopes *s, uint32_t chain)
{
	return s->chains[chain].best;
}

void sourcemap_chain_text(const struct sourcemap_scopes *s, uint32_t chain, struct tl_buf *out)
{
	const struct chain *c = &s->chains[chain];
	if (c->n == 0) {
		struct tl_span key = tl_pool_text(s->keys, chain);
		while (key.n > sizeof c->best && key.p[key.n - 1] == PAD)
			key.n--;
		tl_buf_add(out, key.p + sizeof c->best, key.n - sizeof c->best);
		return;
	}
	for (uint32_t i = c->n > SOURCEMAP_CHAIN_KEY ? c->n - SOURCEMAP_CHAIN_KEY : 0, first = i;
		 i < c->n; i++) {
		if (i > first)
			tl_buf_lit(out, " -> ");
		tl_buf_span(out, sourcemap_scope_text(s, c->frames[i]));
	}
}
