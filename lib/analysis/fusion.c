#include "fusion.h"
#include "names.h"
#include "rules.h"
#include "../io/json.h"
#include "../io/time.h"
#include <stdlib.h>

/* Names in a record: the longest-running kernels of the pattern, as evidence. */
#define MAX_NAMES 6

struct tl_fusion {
	struct tl_rules *rules;
	struct tl_buf question, line;
};

struct tl_fusion *tl_fusion_new(const char *const *options, size_t n)
{
	static const char *const fns[] = {"fusions", NULL};
	struct tl_fusion *f = tl_calloc(1, sizeof *f);
	f->rules = tl_rules_new("fusion", fns, options, n);
	tl_rules_begin(f->rules);
	return f;
}

void tl_fusion_free(struct tl_fusion *f)
{
	if (!f)
		return;
	tl_rules_free(f->rules);
	tl_buf_free(&f->question);
	tl_buf_free(&f->line);
	free(f);
}

static void add_text(struct tl_buf *b, const char *key, struct tl_span text)
{
	if (text.n == 0)
		return;
	tl_buf_printf(b, ",\"%s\":", key);
	tl_json_quote(b, text);
}

static void ask_about(
	struct tl_fusion *f, const struct tl_fusion_row *rows, size_t n, int64_t total_ns)
{
	struct tl_buf *b = &f->question;
	b->n = 0;
	tl_buf_printf(b, "{\"rules\":\"%s\",\"total_ns\":%lld,\"rows\":[", tl_rules_set(f->rules),
		(long long)total_ns);
	for (size_t i = 0; i < n; i++) {
		tl_buf_printf(b, "%s{\"gpu_ns\":%lld", i ? "," : "", (long long)rows[i].gpu_ns);
		add_text(b, "name", rows[i].name);
		add_text(b, "scope", rows[i].scope);
		add_text(b, "launch_op", rows[i].launch_op);
		tl_buf_lit(b, ",\"squeezed\":\"");
		tl_name_match(b, rows[i].name);
		tl_name_match(b, rows[i].scope);
		tl_name_match(b, rows[i].launch_op);
		tl_buf_lit(b, "\"}");
	}
	tl_buf_lit(b, "]}");
}

/* The rows that an answer's `at` names, the longest first: at most MAX_NAMES are kept. */
struct evidence {
	const struct tl_fusion_row *top[MAX_NAMES];
	size_t n;
	int64_t ns;
	struct tl_span scope;
};

static void add_row(struct evidence *e, const struct tl_fusion_row *row)
{
	size_t i = e->n < MAX_NAMES ? e->n++ : MAX_NAMES;
	for (; i > 0 && e->top[i - 1]->gpu_ns < row->gpu_ns; i--)
		if (i < MAX_NAMES)
			e->top[i] = e->top[i - 1];
	if (i < MAX_NAMES)
		e->top[i] = row;
	e->ns = tl_ns_add(e->ns, row->gpu_ns);
}

static struct evidence evidence_of(struct tl_span at, const struct tl_fusion_row *rows, size_t n)
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

static void add_member(struct tl_buf *b, struct tl_span answer, struct tl_span key)
{
	struct tl_span v = tl_json_get(answer, key);
	if (v.n == 0)
		return;
	tl_buf_lit(b, ",\"");
	tl_buf_span(b, key);
	tl_buf_lit(b, "\":");
	tl_buf_span(b, v);
}

static void write_record(struct tl_buf *b, uint64_t trace, struct tl_span answer,
	const struct evidence *e, int64_t total_ns)
{
	b->n = 0;
	tl_buf_printf(b, "{\"type\":\"fusion\",\"trace\":%llu", (unsigned long long)trace);
	add_member(b, answer, TL_LIT("pattern"));
	add_member(b, answer, TL_LIT("confidence"));
	tl_buf_lit(b, ",\"gpu_us\":");
	tl_buf_us(b, e->ns);
	tl_buf_lit(b, ",\"share\":");
	tl_buf_double(b, 100.0 * (double)e->ns / (double)total_ns, 6);
	tl_buf_lit(b, ",\"names\":[");
	for (size_t i = 0; i < e->n; i++) {
		if (i)
			tl_buf_ch(b, ',');
		tl_json_quote(b, e->top[i]->name);
	}
	tl_buf_ch(b, ']');
	add_text(b, "scope", e->scope);
	add_member(b, answer, TL_LIT("rationale"));
	add_member(b, answer, TL_LIT("origin"));
	tl_buf_ch(b, '}');
}

void tl_fusion_find(struct tl_fusion *f, uint64_t trace, const struct tl_fusion_row *rows, size_t n,
	int64_t total_ns, void (*take)(void *to, struct tl_span line), void *to)
{
	if (n == 0 || total_ns <= 0)
		return;
	ask_about(f, rows, n, total_ns);
	struct tl_span answer, answers = tl_rules_ask(f->rules, 0, tl_buf_all(&f->question));
	if (answers.n == 0)
		return;
	struct tl_json it = tl_json_open(answers);
	while (tl_json_element(&it, &answer)) {
		struct evidence e = evidence_of(tl_json_get(answer, TL_LIT("at")), rows, n);
		if (e.n == 0)
			continue;
		write_record(&f->line, trace, answer, &e, total_ns);
		take(to, tl_buf_all(&f->line));
	}
}
