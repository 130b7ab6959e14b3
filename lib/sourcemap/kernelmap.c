#include "kernelmap_inside.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include <stdlib.h>

uint32_t sourcemap_map_lower(struct tl_sourcemap_map *k, uint32_t text)
{
	struct tl_span s = tl_pool_text(k->texts, text);
	k->a.n = 0;
	for (size_t i = 0; i < s.n; i++)
		tl_buf_ch(&k->a, s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i]);
	return tl_pool_add(k->texts, tl_buf_all(&k->a));
}

uint32_t sourcemap_map_match(struct tl_sourcemap_map *k, uint32_t text)
{
	k->a.n = 0;
	tl_name_match(&k->a, tl_pool_text(k->texts, text));
	return tl_pool_add(k->texts, tl_buf_all(&k->a));
}

void tl_sourcemap_map_free(struct tl_sourcemap_map *k)
{
	if (!k)
		return;
	tl_rules_free(k->rules);
	tl_pool_free(k->texts);
	tl_buf_free(&k->a);
	tl_buf_free(&k->b);
	free(k->v);
	free(k->of_text);
	free(k);
}

size_t tl_sourcemap_map_count(const struct tl_sourcemap_map *k)
{
	return k->n;
}

static const struct sourcemap_limits *limits(struct tl_sourcemap_map *k)
{
	if (k->have_limits)
		return &k->limits;
	k->have_limits = true;
	k->b.n = 0;
	tl_buf_printf(&k->b, "{\"rules\":\"%s\"}", tl_rules_set(k->rules));
	struct tl_span a = tl_rules_ask(k->rules, FN_LOOKUP, tl_buf_all(&k->b)), v;
	k->limits = (struct sourcemap_limits){tl_rules_number(a, "least"), tl_rules_number(a, "share"),
		tl_rules_number(a, "long"), tl_rules_number(a, "common"),
		tl_rules_number(a, "common_share"), 0, {0}};
	struct tl_span same = tl_json_get(a, TL_LIT("same"));
	if (same.n == 0)
		return &k->limits;
	struct tl_json it = tl_json_open(same);
	if (tl_json_element(&it, &v) && tl_json_is_string(v))
		k->limits.same = tl_json_inner(v);
	if (tl_json_element(&it, &v))
		tl_json_double(v, &k->limits.bonus);
	return &k->limits;
}

/* One name within the other: the length of the shorter, half of it when it is not the beginning. */
static double score_within(const struct sourcemap_limits *l, struct tl_span a, struct tl_span b)
{
	struct tl_span s = a.n < b.n ? a : b, t = a.n < b.n ? b : a;
	if (s.n == 0 || (double)s.n < l->least || (double)s.n < l->share * (double)t.n)
		return 0;
	size_t half = s.n / 2;
	if (tl_span_begins(t, s))
		return (double)s.n;
	return memmem(t.p, t.n, s.p, s.n) ? (double)half : 0;
}

/* Long mangled names that begin alike. */
static double score_common(const struct sourcemap_limits *l, struct tl_span a, struct tl_span b)
{
	size_t n = 0, shorter = a.n < b.n ? a.n : b.n;
	if ((double)shorter < l->length)
		return 0;
	while (n < shorter && a.p[n] == b.p[n])
		n++;
	if ((double)n < l->common || n < (size_t)(l->common_share * (double)shorter))
		return 0;
	return (double)n + (tl_span_begins(a, l->same) && tl_span_begins(b, l->same) ? l->bonus : 0);
}

static double scope_priority(struct tl_sourcemap_map *k, uint32_t scope)
{
	k->b.n = 0;
	tl_buf_printf(&k->b, "{\"rules\":\"%s\",\"name\":", tl_rules_set(k->rules));
	tl_json_quote(&k->b, tl_pool_text(k->texts, scope));
	tl_buf_ch(&k->b, '}');
	return tl_rules_number(tl_rules_ask(k->rules, FN_SCOPE, tl_buf_all(&k->b)), "priority");
}

/* The longest word of an alias group that occurs in `text`. */
static size_t longest(struct tl_span group, struct tl_span text)
{
	struct tl_json it = tl_json_open(group);
	struct tl_span v;
	size_t n = 0;
	while (tl_json_element(&it, &v)) {
		v = tl_json_inner(v);
		if (v.n > n && memmem(text.p, text.n, v.p, v.n))
			n = v.n;
	}
	return n;
}

static double score_alias(
	struct tl_sourcemap_map *k, const struct sourcemap_entry *e, struct tl_span groups)
{
	uint32_t parts[] = {e->kernel, e->scope, e->chain, e->launch_op};
	k->a.n = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		tl_name_match(&k->a, tl_pool_text(k->texts, parts[i]));
	struct tl_json it = tl_json_open(groups);
	struct tl_span group;
	double score = 0;
	for (size_t i = 1; tl_json_element(&it, &group); i++) {
		size_t n = longest(group, tl_buf_all(&k->a));
		if (n)
			score += 1000.0 * (double)i + (double)n;
	}
	if (score > 0)
		score += scope_priority(k, e->scope) + (double)(int)(100 * e->mapped);
	return score;
}

/* The words that stand for a kernel which another run calls differently; empty when there are none.
 */
static struct tl_span aliases(struct tl_sourcemap_map *k, struct tl_span match)
{
	k->b.n = 0;
	tl_buf_printf(&k->b, "{\"rules\":\"%s\",\"match\":", tl_rules_set(k->rules));
	tl_json_quote(&k->b, match);
	tl_buf_ch(&k->b, '}');
	struct tl_span groups = tl_rules_ask(k->rules, FN_ALIASES, tl_buf_all(&k->b));
	return groups.n > 2 ? groups : (struct tl_span){0};
}

/* The best entry, the first of equals; NULL when none scores. */
static const struct sourcemap_entry *resembling(struct tl_sourcemap_map *k, struct tl_span kernel)
{
	uint32_t name = tl_pool_add(k->texts, kernel);
	struct tl_span lower = tl_pool_text(k->texts, sourcemap_map_lower(k, name)),
				   match = tl_pool_text(k->texts, sourcemap_map_match(k, name)), groups = {0};
	const struct sourcemap_limits *l = limits(k);
	for (int step = 0; step < 3; step++) {
		const struct sourcemap_entry *best = NULL;
		double most = 0;
		if (step == 2 && (groups = aliases(k, match)).n == 0)
			break;
		for (size_t i = 0; i < k->n; i++) {
			const struct sourcemap_entry *e = &k->v[i];
			double s = step == 0   ? score_within(l, lower, tl_pool_text(k->texts, e->lower))
					   : step == 1 ? score_common(l, match, tl_pool_text(k->texts, e->match))
								   : score_alias(k, e, groups);
			if (s > most) {
				most = s;
				best = e;
			}
		}
		if (best)
			return best;
	}
	return NULL;
}

bool tl_sourcemap_map_find(
	struct tl_sourcemap_map *k, struct tl_span kernel, struct sourcemap_mapped *found)
{
	uint32_t t = tl_pool_find(k->texts, kernel);
	const struct sourcemap_entry *e = NULL;
	if (t != TL_POOL_NONE && t < k->of_text_n && k->of_text[t])
		e = &k->v[k->of_text[t] - 1];
	if (!e)
		e = resembling(k, kernel);
	if (!e)
		return false;
	*found = (struct sourcemap_mapped){tl_pool_text(k->texts, e->scope),
		tl_pool_text(k->texts, e->chain), tl_pool_text(k->texts, e->launch_op)};
	return true;
}
