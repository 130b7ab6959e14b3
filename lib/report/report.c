#include "report.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include "digest.h"
#include <stdio.h>
#include <stdlib.h>

struct tl_report {
	char *path;
	struct tl_rules *program;
	struct tl_target *target;
	struct tl_report_page page;
	struct report_digest *digest;
	struct tl_buf rank;
	bool of_sets;
	bool begun; /* records of a trace were taken since the last end */

	/* while the program runs */
	unsigned outputs;
	struct tl_error *error; /* NULL: no output was wrong so far */
	bool failed;
};

static char *find(const char *name)
{
	struct tl_buf b = {0};
	bool file = strchr(name, '/') || tl_span_ends_nocase(tl_str(name), TL_LIT(".jq"));
	char *path;

	if (file)
		return strdup(name);
	tl_buf_printf(&b, "reports/%s.jq", name);
	tl_buf_ch(&b, '\0');
	path = tl_share_path(b.p);
	tl_buf_free(&b);
	return path;
}

/* The first line says so. */
static bool is_of_sets(const char *path)
{
	char line[8] = "";
	FILE *in = fopen(path, "re");

	bool is = in && fgets(line, sizeof line, in) && strcmp(line, "#: sets") == 0;
	if (in)
		fclose(in);
	return is;
}

bool tl_report_is_of_sets(const struct tl_report *p)
{
	return p->of_sets;
}

struct tl_report *tl_report_new(
	const char *name, struct tl_target *target, struct tl_report_page page, struct tl_error *e)
{
	struct tl_report *p;
	char *path = find(name);

	if (!path) {
		tl_fail(e, 0, "%s: no such report in share/reports (a file's name ends in .jq)", name);
		return NULL;
	}
	p = tl_calloc(1, sizeof *p);
	p->path = path;
	p->of_sets = is_of_sets(path);
	p->program = tl_rules_program(path);
	tl_rules_begin(p->program);
	p->target = target;
	p->target->several = true;
	p->page = page;
	p->digest = report_digest_new();
	return p;
}

static void take_output(void *report, struct tl_span output)
{
	struct tl_report *p = report;
	struct tl_error e;

	p->outputs++;
	if (p->failed || report_block(&p->page, output, &e))
		return;
	p->failed = true;
	tl_fail(p->error, 0, "%s: output %u: %s", p->path, p->outputs, e.text);
}

static enum tl_status run(struct tl_report *p, struct tl_error *e)
{
	if (!tl_target_open(p->target, tl_buf_all(&p->rank), e))
		return TL_USAGE;
	p->page.out = &p->target->out;
	if (tl_target_each(p->target))
		p->page.begun = false;
	p->outputs = 0;
	p->failed = false;
	p->error = e;
	e->text[0] = '\0';
	bool ran = tl_rules_each(p->program, 0, report_digest_take(p->digest), take_output, p);
	tl_target_end(p->target);
	p->begun = false;
	p->rank.n = 0;
	return ran && !p->failed ? TL_OK : TL_FAILED;
}

enum tl_status tl_report_take(
	struct tl_report *p, struct tl_stream *s, const struct tl_record *r, struct tl_error *e)
{
	p->begun = p->begun || r->kind != TL_CUT;
	if ((r->kind == TL_TRACE || r->kind == TL_END) && p->rank.n == 0)
		tl_buf_span(&p->rank, tl_json_get(r->line, TL_LIT("rank")));
	if (!report_digest_add(p->digest, r))
		tl_stream_bad(s, r);
	if ((r->kind == TL_END || r->kind == TL_CUT) && p->begun)
		return run(p, e);
	return TL_OK;
}

void tl_report_free(struct tl_report *p)
{
	report_digest_free(p->digest);
	tl_rules_free(p->program);
	tl_buf_free(&p->rank);
	free(p->path);
	free(p);
}
