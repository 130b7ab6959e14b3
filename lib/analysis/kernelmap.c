#include "kernelmap.h"
#include "names.h"
#include "rules.h"
#include "sourcemap.h"
#include "../io/json.h"
#include "../io/source.h"
#include "../trace/pool.h"
#include <stdlib.h>

enum { FN_LOOKUP, FN_ALIASES, FN_SCOPE };

struct entry { /* all in texts */
	uint32_t kernel, scope, chain, launch_op;
	uint32_t lower, match; /* the kernel in lower case; without punctuation */
	uint64_t launches;     /* that the scope rests on */
	double mapped;         /* share of the launches that have a scope */
};

/* How alike two names must be (share/rules/scopes.jq, `lookup`). */
struct limits {
	double least, share, length, common, common_share, bonus;
	struct tl_span same;
};

struct tl_kernelmap {
	struct tl_rules *rules;
	struct tl_pool *texts;
	struct entry *v;
	size_t n, cap;
	uint32_t *of_text; /* place in v + 1, by number in texts */
	size_t of_text_n;
	struct limits limits;
	bool have_limits;
	struct tl_buf a, b;
};

static uint32_t text_of(struct tl_kernelmap *k, struct tl_span v)
{
	k->a.n = 0;
	if (tl_json_is_string(v))
		tl_json_text(v, &k->a);
	return tl_pool_add(k->texts, tl_buf_all(&k->a));
}

static uint32_t lower_of(struct tl_kernelmap *k, uint32_t text)
{
	struct tl_span s = tl_pool_text(k->texts, text);
	k->a.n = 0;
	for (size_t i = 0; i < s.n; i++)
		tl_buf_ch(&k->a, s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i]);
	return tl_pool_add(k->texts, tl_buf_all(&k->a));
}

static uint32_t match_of(struct tl_kernelmap *k, uint32_t text)
{
	k->a.n = 0;
	tl_name_match(&k->a, tl_pool_text(k->texts, text));
	return tl_pool_add(k->texts, tl_buf_all(&k->a));
}

static uint64_t number_of(struct tl_span line, struct tl_span key)
{
	uint64_t n;
	return tl_json_u64(tl_json_get(line, key), &n) ? n : 0;
}

/* The entry of a kernel: a new one with no launches when it has none. */
static struct entry *entry_of(struct tl_kernelmap *k, uint32_t kernel)
{
	while (k->of_text_n <= kernel) {
		size_t more = k->of_text_n ? k->of_text_n * 2 : 256;
		k->of_text = tl_realloc(k->of_text, more, sizeof *k->of_text);
		memset(k->of_text + k->of_text_n, 0, (more - k->of_text_n) * sizeof *k->of_text);
		k->of_text_n = more;
	}
	if (k->of_text[kernel] == 0) {
		TL_GROW(k->v, k->n, k->cap);
		k->v[k->n++] = (struct entry){.kernel = kernel};
		k->of_text[kernel] = (uint32_t)k->n;
	}
	return &k->v[k->of_text[kernel] - 1];
}

static void add_source(void *to, struct tl_span line)
{
	struct tl_kernelmap *k = to;
	struct tl_span scope = tl_json_get(line, TL_LIT("scope"));
	if (!tl_json_is_string(scope) || scope.n == 2)
		return;
	uint64_t launches = number_of(line, TL_LIT("launches")),
			 mapped = number_of(line, TL_LIT("mapped")),
			 captured = number_of(line, TL_LIT("captured"));
	uint32_t kernel = text_of(k, tl_json_get(line, TL_LIT("kernel")));
	if (tl_pool_text(k->texts, kernel).n == 0)
		return;
	struct entry *e = entry_of(k, kernel);
	if (e->scope && mapped + captured <= e->launches)
		return;
	e->launches = mapped + captured;
	e->mapped = e->launches && launches + captured
					? (double)e->launches / (double)(launches + captured)
					: 0;
	e->scope = text_of(k, scope);
	e->chain = text_of(k, tl_json_get(line, TL_LIT("chain")));
	e->launch_op = text_of(k, tl_json_get(line, TL_LIT("launch_op")));
	e->lower = lower_of(k, kernel);
	e->match = match_of(k, kernel);
}

/* Reading a map: a trace's events wait for its end, in case it has no source records. */
struct reading {
	struct tl_kernelmap *k;
	struct tl_sourcemap *events;
	bool has_sources;
};

static void trace_ends(struct reading *r)
{
	if (!r->has_sources) {
		tl_sourcemap_finish(r->events);
		tl_sourcemap_records(r->events, 0, add_source, r->k);
	}
	tl_sourcemap_forget(r->events);
	r->has_sources = false;
}

static bool add_line(struct reading *r, struct tl_span line)
{
	struct tl_span type = {0};
	if (line.p[0] == '{' && line.p[line.n - 1] == '}')
		type = tl_json_get(line, TL_LIT("type"));
	if (!tl_json_is_string(type))
		return false;
	type = tl_json_inner(type);
	if (tl_span_eq(type, TL_LIT("event")) && !r->has_sources)
		return tl_sourcemap_add(r->events, line);
	if (tl_span_eq(type, TL_LIT("trace")) || tl_span_eq(type, TL_LIT("end")))
		trace_ends(r);
	if (tl_span_eq(type, TL_LIT("source"))) {
		r->has_sources = true;
		add_source(r->k, line);
	}
	return true;
}

static bool add_lines(struct reading *r, struct tl_span all, struct tl_error *e)
{
	const char *p = all.p, *end = all.p + all.n;
	for (uint64_t n = 1; p < end; n++) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		struct tl_span line = {p, (size_t)((lf ? lf : end) - p)};
		p = lf ? lf + 1 : end;
		while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
			line.n--;
		if (line.n && !add_line(r, line)) {
			tl_fail(e, 0, "line %llu is no record", (unsigned long long)n);
			return false;
		}
	}
	trace_ends(r);
	return true;
}

#define BLOCK ((size_t)1 << 20)

/* The whole file: a trace's lines must stay where they are until its end. */
static bool read_all(const char *path, struct tl_buf *all, struct tl_error *e)
{
	struct tl_source *src = tl_source_open(path, e);
	ssize_t n = -1;
	if (!src)
		return false;
	do {
		tl_buf_more(all, BLOCK);
		n = tl_source_read(src, all->p + all->n, all->cap - all->n, e);
		all->n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	uint64_t at;
	if (n == 0 && tl_source_damage(src, &at) != TL_GZIP_WHOLE) {
		tl_fail(e, at, "damaged gzip data at byte %llu", (unsigned long long)at);
		n = -1;
	}
	tl_source_close(src);
	return n == 0;
}

struct tl_kernelmap *tl_kernelmap_read(
	const char *path, const char *const *rules, size_t n_rules, struct tl_error *e)
{
	static const char *const fns[] = {"lookup", "aliases", "scope", NULL};
	struct tl_sourcemap_options o = {.rules = rules, .n_rules = n_rules};
	struct tl_kernelmap *k = tl_calloc(1, sizeof *k);
	k->rules = tl_rules_new("scopes", fns, rules, n_rules);
	k->texts = tl_pool_new();
	tl_pool_add(k->texts, (struct tl_span){"", 0}); /* number 0: nothing known */
	struct reading r = {.k = k, .events = tl_sourcemap_new(&o)};
	struct tl_buf all = {0};
	bool good = read_all(path, &all, e) && add_lines(&r, tl_buf_all(&all), e);
	tl_sourcemap_free(r.events);
	tl_buf_free(&all);
	if (good)
		return k;
	tl_kernelmap_free(k);
	return NULL;
}

void tl_kernelmap_free(struct tl_kernelmap *k)
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

size_t tl_kernelmap_count(const struct tl_kernelmap *k)
{
	return k->n;
}

static double limit(struct tl_span answer, struct tl_span key)
{
	double v;
	return tl_json_double(tl_json_get(answer, key), &v) ? v : 0;
}

static const struct limits *limits(struct tl_kernelmap *k)
{
	if (k->have_limits)
		return &k->limits;
	k->have_limits = true;
	k->b.n = 0;
	tl_buf_printf(&k->b, "{\"rules\":\"%s\"}", tl_rules_set(k->rules));
	struct tl_span a = tl_rules_ask(k->rules, FN_LOOKUP, tl_buf_all(&k->b)), v;
	k->limits = (struct limits){limit(a, TL_LIT("least")), limit(a, TL_LIT("share")),
		limit(a, TL_LIT("long")), limit(a, TL_LIT("common")), limit(a, TL_LIT("common_share")), 0,
		{0}};
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

static bool begins(struct tl_span s, struct tl_span with)
{
	return s.n >= with.n && memcmp(s.p, with.p, with.n) == 0;
}

/* One name within the other: the length of the shorter, half of it when it is not the beginning. */
static double score_within(const struct limits *l, struct tl_span a, struct tl_span b)
{
	struct tl_span s = a.n < b.n ? a : b, t = a.n < b.n ? b : a;
	if (s.n == 0 || (double)s.n < l->least || (double)s.n < l->share * (double)t.n)
		return 0;
	size_t half = s.n / 2;
	if (begins(t, s))
		return (double)s.n;
	return memmem(t.p, t.n, s.p, s.n) ? (double)half : 0;
}

/* Long mangled names that begin alike. */
static double score_common(const struct limits *l, struct tl_span a, struct tl_span b)
{
	size_t n = 0, shorter = a.n < b.n ? a.n : b.n;
	if ((double)shorter < l->length)
		return 0;
	while (n < shorter && a.p[n] == b.p[n])
		n++;
	if ((double)n < l->common || n < (size_t)(l->common_share * (double)shorter))
		return 0;
	return (double)n + (begins(a, l->same) && begins(b, l->same) ? l->bonus : 0);
}

static double scope_priority(struct tl_kernelmap *k, uint32_t scope)
{
	k->b.n = 0;
	tl_buf_printf(&k->b, "{\"rules\":\"%s\",\"name\":", tl_rules_set(k->rules));
	tl_json_quote(&k->b, tl_pool_text(k->texts, scope));
	tl_buf_ch(&k->b, '}');
	return limit(tl_rules_ask(k->rules, FN_SCOPE, tl_buf_all(&k->b)), TL_LIT("priority"));
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

static double score_alias(struct tl_kernelmap *k, const struct entry *e, struct tl_span groups)
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
static struct tl_span aliases(struct tl_kernelmap *k, struct tl_span match)
{
	k->b.n = 0;
	tl_buf_printf(&k->b, "{\"rules\":\"%s\",\"match\":", tl_rules_set(k->rules));
	tl_json_quote(&k->b, match);
	tl_buf_ch(&k->b, '}');
	struct tl_span groups = tl_rules_ask(k->rules, FN_ALIASES, tl_buf_all(&k->b));
	return groups.n > 2 ? groups : (struct tl_span){0};
}

/* The best entry, the first of equals; NULL when none scores. */
static const struct entry *resembling(struct tl_kernelmap *k, struct tl_span kernel)
{
	uint32_t name = tl_pool_add(k->texts, kernel);
	struct tl_span lower = tl_pool_text(k->texts, lower_of(k, name)),
				   match = tl_pool_text(k->texts, match_of(k, name)), groups = {0};
	const struct limits *l = limits(k);
	for (int step = 0; step < 3; step++) {
		const struct entry *best = NULL;
		double most = 0;
		if (step == 2 && (groups = aliases(k, match)).n == 0)
			break;
		for (size_t i = 0; i < k->n; i++) {
			const struct entry *e = &k->v[i];
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

bool tl_kernelmap_find(struct tl_kernelmap *k, struct tl_span kernel, struct tl_mapped *found)
{
	uint32_t t = tl_pool_find(k->texts, kernel);
	const struct entry *e = NULL;
	if (t != TL_POOL_NONE && t < k->of_text_n && k->of_text[t])
		e = &k->v[k->of_text[t] - 1];
	if (!e)
		e = resembling(k, kernel);
	if (!e)
		return false;
	*found = (struct tl_mapped){tl_pool_text(k->texts, e->scope), tl_pool_text(k->texts, e->chain),
		tl_pool_text(k->texts, e->launch_op)};
	return true;
}
