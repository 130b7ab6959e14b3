#include "report.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include "digest.h"
#include "list.h"
#include <stdlib.h>

struct tl_report {
	struct report_program {
		char *path;
		struct tl_rules *rules;
	} * programs;
	size_t n;
	struct tl_target *target;
	struct tl_report_page page;
	struct report_digest *digest;
	struct tl_buf rank;
	bool of_sets;
	bool begun; /* records of a trace were taken since the last end */

	/* while a program runs */
	const char *path;
	unsigned outputs;
	struct tl_error *error; /* of the first output that was wrong */
	bool failed;
};

/* Adds the program of a report. False: there is none, or it does not go with those before. */
static bool add_program(struct tl_report *p, const char *name, struct tl_error *e)
{
	struct tl_report_about about;
	if (!tl_report_about(name, &about, e))
		return false;
	bool mixed = p->n > 0 && about.sets != p->of_sets;
	if (mixed) {
		tl_fail(e, 0, "%s: reports of traces and of sets do not go together", name);
	} else {
		p->of_sets = about.sets;
		p->programs[p->n++].path = about.path;
		about.path = NULL;
	}
	tl_report_about_free(&about);
	return !mixed;
}

struct tl_report *tl_report_new(const char *const *names, size_t n, struct tl_target *target,
	struct tl_report_page page, struct tl_error *e)
{
	struct tl_report *p = tl_calloc(1, sizeof *p);
	p->programs = tl_calloc(n, sizeof *p->programs);
	p->digest = report_digest_new();
	for (size_t i = 0; i < n; i++)
		if (!add_program(p, names[i], e)) {
			tl_report_free(p);
			return NULL;
		}
	for (size_t i = 0; i < n; i++) {
		p->programs[i].rules = tl_rules_program(p->programs[i].path);
		tl_rules_begin(p->programs[i].rules);
	}
	p->target = target;
	p->target->several = true;
	p->page = page;
	return p;
}

bool tl_report_is_of_sets(const struct tl_report *p)
{
	return p->of_sets;
}

static void take_output(void *report, struct tl_span output)
{
	struct tl_report *p = report;
	struct tl_error e;

	p->outputs++;
	if (p->failed || report_block(&p->page, output, &e))
		return;
	p->failed = true;
	if (!p->error->text[0])
		tl_fail(p->error, 0, "%s: output %u: %s", p->path, p->outputs, e.text);
}

static bool run_program(
	struct tl_report *p, const struct report_program *program, struct tl_span records)
{
	p->path = program->path;
	p->outputs = 0;
	p->failed = false;
	return tl_rules_each(program->rules, 0, records, take_output, p) && !p->failed;
}

static enum tl_status run(struct tl_report *p, struct tl_error *e)
{
	if (!tl_target_open(p->target, tl_buf_all(&p->rank), e))
		return TL_USAGE;
	p->page.out = &p->target->out;
	if (tl_target_each(p->target))
		p->page.begun = false;
	p->error = e;
	e->text[0] = '\0';
	bool ran = true;
	struct tl_span records = report_digest_take(p->digest);
	for (size_t i = 0; i < p->n; i++)
		ran = run_program(p, &p->programs[i], records) && ran;
	tl_target_end(p->target);
	p->begun = false;
	p->rank.n = 0;
	return ran ? TL_OK : TL_FAILED;
}

enum tl_status tl_report_take(
	struct tl_report *p, struct tl_stream *s, const struct tl_record *r, struct tl_error *e)
{
	p->begun = p->begun || r->kind != TL_CUT;
	if ((r->kind == TL_TRACE || r->kind == TL_END) && p->rank.n == 0)
		tl_buf_span(&p->rank, tl_json_get(r->line, TL_LIT("rank")));
	report_digest_add(p->digest, s, r);
	if ((r->kind == TL_END || r->kind == TL_CUT) && p->begun)
		return run(p, e);
	return TL_OK;
}

void tl_report_free(struct tl_report *p)
{
	report_digest_free(p->digest);
	tl_buf_free(&p->rank);
	for (size_t i = 0; i < p->n; i++) {
		tl_rules_free(p->programs[i].rules);
		free(p->programs[i].path);
	}
	free(p->programs);
	free(p);
}
