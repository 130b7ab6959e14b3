/* tl-reliability: what a trace cannot tell (tl-reliability.1, tl-records.5). */
#include "../lib/reliability/reliability.h"
#include "../lib/rules/rules.h"
#include "../lib/json/json.h"
#include "../lib/base/base.h"
#include "../lib/stream/stream.h"
#include <stdio.h>
#include <stdlib.h>

static struct {
	const char *rule, *explain;
	struct tl_list gates;
	bool list;
} opt = {.rule = "evidence"};
static struct tl_reliability_options how = {.idle_gate = 80, .attribution_floor = 10};

static const struct tl_option options[] = {
	{0, "rule", "evidence|v1", TL_OPT_STRING, &opt.rule, "what clears a flag (default evidence)"},
	{0, "idle-gate", "PERCENT", TL_OPT_NUMBER, &how.idle_gate,
		"idle above this is high (default 80)"},
	{0, "attribution-floor", "PERCENT", TL_OPT_NUMBER, &how.attribution_floor,
		"attributed time below this is low (default 10)"},
	{0, "gate", "COND", TL_OPT_LIST, &opt.gates,
		"exit 1 unless it holds: idle=N, reliable, or no CODE"},
	{0, "quick", NULL, TL_OPT_FLAG, &how.quick, "only what constant memory can tell"},
	{0, "capture-folder", "DIR", TL_OPT_STRING, &how.capture_folder,
		"noted; nothing is rebuilt from it"},
	{0, "list", NULL, TL_OPT_FLAG, &opt.list, "list all codes"},
	{0, "explain", "CODE", TL_OPT_STRING, &opt.explain, "what a code means and what to do"},
	{0},
};

static bool no_input(void)
{
	return opt.list || opt.explain;
}

static const struct tl_usage usage = {
	.tool = "tl-reliability",
	.what = "Says what a trace cannot tell, and writes the doubts into the records they concern.",
	.operands = "[FILE]...",
	.options = options,
	.common = TL_COMMON_FILTER,
	.example =
		"tl-extract t.json.gz | tl-tree | tl-overlap | tl-reliability -n | tl-render -r health",
	.no_input = no_input,
};

/* ---- --list, --explain ---- */

static _Noreturn void list_codes(void)
{
	for (size_t i = 0; i < tl_reliability_codes_n; i++) {
		const struct tl_reliability_code *c = &tl_reliability_codes[i];
		printf("%s\t%s%s%s\t%s\t%s\n", c->code, c->rules & RL_RULE_EVIDENCE ? "evidence" : "",
			c->rules == (RL_RULE_EVIDENCE | RL_RULE_V1) ? "," : "",
			c->rules & RL_RULE_V1 ? "v1" : "", c->quick ? "quick" : "-", c->what);
	}
	tl_printed(TL_OK);
}

static void paragraph(const char *title, struct tl_span entry, struct tl_span key)
{
	struct tl_buf text = {0};
	tl_json_text(tl_json_get(entry, key), &text);
	printf("\n%s:\n  %.*s\n", title, (int)text.n, text.p ? text.p : "");
	tl_buf_free(&text);
}

static void explain_code(const char *code, const char *what)
{
	static const char *const fns[] = {"explain", NULL};
	struct tl_buf question = {0};
	tl_json_quote(&question, tl_str(code));
	struct tl_rules *rules = tl_rules_new("reliability", fns, NULL, 0);
	struct tl_span entry = tl_rules_ask(rules, 0, tl_buf_all(&question));
	printf("%s: %s\n", code, what);
	if (entry.n) {
		paragraph("What it means", entry, TL_LIT("means"));
		paragraph("How it was met", entry, TL_LIT("met"));
		paragraph("For the next trace", entry, TL_LIT("remedy"));
	}
	tl_rules_free(rules);
	tl_buf_free(&question);
}

static _Noreturn void explain(const char *code)
{
	int found = tl_reliability_find(code);
	if (found >= 0) {
		explain_code(code, tl_reliability_codes[found].what);
		tl_printed(TL_OK);
	}
	tl_die(TL_USAGE, "--explain: %s is no code (tl-reliability --list)", code);
}

/* ---- gates ---- */

struct gate {
	enum { GATE_IDLE, GATE_RELIABLE, GATE_CODE } kind;
	double percent;
	int code;
	const char *text;
};
static struct gate *gates;
static bool gate_failed;

static struct gate read_gate(const char *text)
{
	struct gate g = {GATE_CODE, 0, tl_reliability_find(text), text};
	char *end;
	if (strncmp(text, "idle=", 5) == 0) {
		g.kind = GATE_IDLE;
		g.percent = strtod(text + 5, &end);
		if (end == text + 5 || *end || !(g.percent >= 0 && g.percent <= 100))
			tl_die(TL_USAGE, "--gate: %s: not a percentage", text);
	} else if (strcmp(text, "reliable") == 0) {
		g.kind = GATE_RELIABLE;
	} else if (g.code < 0) {
		tl_die(TL_USAGE, "--gate: %s is not idle=PERCENT, reliable, or a code", text);
	} else if (!(tl_reliability_codes[g.code].rules & how.rule)) {
		tl_die(TL_USAGE, "--gate: %s is no code of the rule %s", text, opt.rule);
	}
	if (how.quick &&
		(g.kind == GATE_IDLE || (g.kind == GATE_CODE && !tl_reliability_codes[g.code].quick)))
		tl_die(TL_USAGE, "--gate: %s cannot be told with --quick", text);
	return g;
}

static void check_gate(const struct gate *g, const struct tl_reliability *r,
	const struct tl_reliability_verdict *v, uint64_t trace)
{
	unsigned long long t = trace;
	bool bad = false, known = true;
	if (g->kind == GATE_IDLE) {
		known = v->has_idle && v->idle == RL_FLAG_TRUE;
		bad = known && v->idle_pct > g->percent;
	} else if (g->kind == GATE_RELIABLE) {
		bad = v->idle == RL_FLAG_FALSE || v->attribution == RL_FLAG_FALSE ||
			  v->duration == RL_FLAG_FALSE;
	} else {
		known = tl_reliability_testable(r, g->code);
		bad = tl_reliability_fired(r, g->code);
	}
	if (bad)
		tl_warn("trace %llu: --gate %s does not hold", t, g->text);
	else if (!known)
		tl_note("trace %llu: --gate %s holds, since %s", t, g->text,
			g->kind == GATE_IDLE ? "idle time is not reliable" : "nothing tells");
	gate_failed |= bad;
}

/* ---- the stream ---- */

static void check_gates(
	const struct tl_reliability *r, const struct tl_reliability_verdict *v, uint64_t trace)
{
	if (v->none)
		tl_warn(
			"trace %llu: no events in the stream (-n): nothing is judged, earlier verdicts stay",
			(unsigned long long)trace);
	gate_failed |= v->none && opt.gates.n > 0;
	for (size_t i = 0; i < opt.gates.n && !v->none; i++)
		check_gate(&gates[i], r, v, trace);
}

static void take(struct tl_reliability *r, struct tl_stream *s, const struct tl_record *rec)
{
	if (rec->kind == TL_TRACE)
		tl_reliability_conclude(r, s, tl_stream_is_of_set(s)); /* sets come last */
	if (tl_stream_is_of_set(s))
		tl_stream_pass(s, rec);
	else if (!tl_reliability_see(r, rec))
		tl_stream_bad(s, rec);
	else if (rec->kind == TL_END || rec->kind == TL_CUT)
		check_gates(r, tl_reliability_judge(r), rec->trace);
	else if (!tl_reliability_hold(r, rec))
		tl_stream_pass(s, rec);
}

static void read_options(void)
{
	if (strcmp(opt.rule, "v1") == 0)
		how.rule = RL_RULE_V1;
	else if (strcmp(opt.rule, "evidence") == 0)
		how.rule = RL_RULE_EVIDENCE;
	else
		tl_die(TL_USAGE, "--rule: %s is not evidence or v1", opt.rule);
	gates = tl_calloc(opt.gates.n + 1, sizeof *gates);
	for (size_t i = 0; i < opt.gates.n; i++)
		gates[i] = read_gate(opt.gates.v[i]);
}

int main(int argc, char **argv)
{
	int first = tl_options(&usage, argc, argv);
	if (opt.list)
		list_codes();
	if (opt.explain)
		explain(opt.explain);
	read_options();
	struct tl_stream *s = tl_stream_open(argv + first, argc - first);
	struct tl_reliability *r = tl_reliability_new(&how);
	tl_stream_sets(s, TL_SETS_GIVE); /* the trace before is written once the next one begins */
	struct tl_record rec;
	while (tl_stream_next(s, &rec))
		take(r, s, &rec);
	tl_reliability_conclude(r, s, true);
	int status = tl_stream_close(s);
	tl_reliability_free(r);
	return status == TL_OK && gate_failed ? TL_DAMAGE : status;
}
