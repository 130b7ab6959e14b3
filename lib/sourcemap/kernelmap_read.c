/* Reads a map; for traces without `source` records it runs a sourcemap. */
#include "kernelmap_inside.h"
#include "sourcemap.h"
#include "../json/json.h"
#include "../stream/stream.h"
#include <stdlib.h>

static uint32_t text_of(struct tl_sourcemap_map *k, struct tl_span v)
{
	k->a.n = 0;
	if (tl_json_is_string(v))
		tl_json_text(v, &k->a);
	return tl_pool_add(k->texts, tl_buf_all(&k->a));
}

/* The entry of a kernel: a new one with no launches when it has none. */
static struct sourcemap_entry *entry_of(struct tl_sourcemap_map *k, uint32_t kernel)
{
	while (k->of_text_n <= kernel) {
		size_t more = k->of_text_n ? k->of_text_n * 2 : 256;
		k->of_text = tl_realloc(k->of_text, more, sizeof *k->of_text);
		memset(k->of_text + k->of_text_n, 0, (more - k->of_text_n) * sizeof *k->of_text);
		k->of_text_n = more;
	}
	if (k->of_text[kernel] == 0) {
		TL_GROW(k->v, k->n, k->cap);
		k->v[k->n++] = (struct sourcemap_entry){.kernel = kernel};
		k->of_text[kernel] = (uint32_t)k->n;
	}
	return &k->v[k->of_text[kernel] - 1];
}

static void add_source(void *to, struct tl_span line)
{
	struct tl_sourcemap_map *k = to;
	struct tl_span scope = tl_json_get(line, TL_LIT("scope"));
	if (!tl_json_is_string(scope) || scope.n == 2)
		return;
	uint64_t launches = tl_json_count(line, TL_LIT("launches")),
			 mapped = tl_json_count(line, TL_LIT("mapped")),
			 captured = tl_json_count(line, TL_LIT("captured"));
	uint32_t kernel = text_of(k, tl_json_get(line, TL_LIT("kernel")));
	if (tl_pool_text(k->texts, kernel).n == 0)
		return;
	struct sourcemap_entry *e = entry_of(k, kernel);
	if (e->scope && mapped + captured <= e->launches)
		return;
	e->launches = mapped + captured;
	e->mapped = e->launches && launches + captured
					? (double)e->launches / (double)(launches + captured)
					: 0;
	e->scope = text_of(k, scope);
	e->chain = text_of(k, tl_json_get(line, TL_LIT("chain")));
	e->launch_op = text_of(k, tl_json_get(line, TL_LIT("launch_op")));
	e->lower = sourcemap_map_lower(k, kernel);
	e->match = sourcemap_map_match(k, kernel);
}

/* Reading a map: a trace's events wait for its end, in case it has no source records. */
struct reading {
	struct tl_sourcemap_map *k;
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

struct tl_sourcemap_map *tl_sourcemap_map_read(
	const char *path, const char *const *rules, size_t n_rules, struct tl_error *e)
{
	static const char *const fns[] = {"lookup", "aliases", "scope", NULL};
	struct tl_sourcemap_options o = {.rules = rules, .n_rules = n_rules};
	struct tl_sourcemap_map *k = tl_calloc(1, sizeof *k);
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
	tl_sourcemap_map_free(k);
	return NULL;
}
