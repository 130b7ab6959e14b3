#include "fusion.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include <stdlib.h>

/* Names in a record: the longest-running kernels of the pattern, as evidence. */
#define MAX_NAMES 6

struct overlap_fusion {
	struct tl_rules *rules;
	struct tl_write line;
};

struct overlap_fusion *overlap_fusion_new(const char *const *options, size_t n)
{
	static const char *const fns[] = {"fusions", NULL};
	struct overlap_fusion *f = tl_calloc(1, sizeof *f);
	f->rules = tl_rules_new("fusion", fns, options, n);
	tl_rules_begin(f->rules);
	return f;
}

void overlap_fusion_free(struct overlap_fusion *f)
{
	if (!f)
		return;
	tl_rules_free(f->rules);
	tl_write_free(&f->line);
	free(f);
}

static struct tl_span question(
	struct overlap_fusion *f, const struct overlap_fusion_row *rows, size_t n, int64_t total_ns)
{
	struct tl_write *w = &f->line;
	tl_members(w);
	tl_rules_question(f->rules, &w->b);
	tl_put_i64(w, "total_ns", total_ns);
	tl_list(w, "rows");
	for (size_t i = 0; i < n; i++) {
		tl_object(w, NULL);
		tl_put_i64(w, "gpu_ns", rows[i].gpu_ns);
		tl_put_text(w, "name", rows[i].name);
		tl_put_text(w, "scope", rows[i].scope);
		tl_put_text(w, "launch_op", rows[i].launch_op);
		tl_put_key(w, "squeezed");
		tl_buf_ch(&w->b, '"');
		tl_name_match(&w->b, rows[i].name);
		tl_name_match(&w->b, rows[i].scope);
		tl_name_match(&w->b, rows[i].launch_op);
		tl_buf_ch(&w->b, '"');
		tl_object_end(w);
	}
	tl_list_end(w);
	return tl_record_end(w);
}

/* The rows that an answer's `at` names, the longest first: at most MAX_NAMES are kept. */
struct evidence {
	const struct overlap_fusion_row *top[MAX_NAMES];
	size_t n;
	int64_t ns;
	struct tl_span scope;
};

static void add_row(struct evidence *e, const struct overlap_fusion_row *row)
{
	size_t i = e->n < MAX_NAMES ? e->n++ : MAX_NAMES;
	for (; i > 0 && e->top[i - 1]->gpu_ns < row->gpu_ns; i--)
		if (i < MAX_NAMES)
			e->top[i] = e->top[i - 1];
	if (i < MAX_NAMES)
		e->top[i] = row;
	e->ns = tl_ns_add(e->ns, row->gpu_ns);
}

static struct evidence evidence_of(
	struct tl_span at, const struct overlap_fusion_row *rows, size_t n)
{
	struct evidence e = {0};
	struct tl_json it = tl_json_open(at);
	struct tl_span v;
	uint64_t i;
	int64_t best = -1;
	while (tl_json_element(&it, &v)) {
		if (!tl_json_u64(v, &i) || i >= n)
			continue;
		add_row(&e, &rows[i]);
		if (rows[i].scope.n && rows[i].gpu_ns > best) {
			best = rows[i].gpu_ns;
			e.scope = rows[i].scope;
		}
	}
	return e;
}

static struct tl_span write_record(struct tl_write *w, uint64_t trace, struct tl_span answer,
	const struct evidence *e, int64_t total_ns)
{
	tl_record(w, "fusion", trace);
	tl_put_json(w, "pattern", tl_json_get(answer, TL_LIT("pattern")));
	tl_put_json(w, "confidence", tl_json_get(answer, TL_LIT("confidence")));
	tl_put_us(w, "gpu_us", e->ns);
	tl_put_share(w, "share", e->ns, total_ns, 100);
	tl_list(w, "names");
	for (size_t i = 0; i < e->n; i++)
		tl_put_string(w, NULL, e->top[i]->name);
	tl_list_end(w);
	tl_put_text(w, "scope", e->scope);
	tl_put_json(w, "rationale", tl_json_get(answer, TL_LIT("rationale")));
	tl_put_json(w, "origin", tl_json_get(answer, TL_LIT("origin")));
	return tl_record_end(w);
}

void overlap_fusion_find(struct overlap_fusion *f, uint64_t trace,
	const struct overlap_fusion_row *rows, size_t n, int64_t total_ns,
	void (*take)(void *to, struct tl_span line), void *to)
{
	if (n == 0 || total_ns <= 0)
		return;
	struct tl_span answer, answers = tl_rules_ask(f->rules, 0, question(f, rows, n, total_ns));
	if (answers.n == 0)
		return;
	struct tl_json it = tl_json_open(answers);
	while (tl_json_element(&it, &answer)) {
		struct evidence e = evidence_of(tl_json_get(answer, TL_LIT("at")), rows, n);
		if (e.n == 0)
			continue;
		take(to, write_record(&f->line, trace, answer, &e, total_ns));
	}
}
