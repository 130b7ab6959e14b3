#include "fit.h"
#include "../json/json.h"
#include <stdio.h>

#define DEPTH 200 /* jq reads 256 levels; the record and the array of records are two */

enum kind { ANY, NUMBER, TEXT, FLAG, TEXTS, OBJECTS, NUMBERS, NUMBERS_BY_NAME, OBJECT, LIST };

/* A key has one type in all records, but for those that name one. */
static const struct {
	struct tl_span key;
	enum kind kind;
	const char *type; /* NULL: of all */
} known[] = {
	{TL_LIT("gpu_ops"), NUMBER},
	{TL_LIT("count"), NUMBER},
	{TL_LIT("share"), NUMBER},
	{TL_LIT("ts"), NUMBER},
	{TL_LIT("dur"), NUMBER},
	{TL_LIT("ts_first"), NUMBER},
	{TL_LIT("ts_last"), NUMBER},
	{TL_LIT("events"), NUMBER, "end"},
	{TL_LIT("start_us"), LIST, "collective"},
	{TL_LIT("dur_us"), LIST, "collective"},
	{TL_LIT("wait_us"), LIST, "collective"},
	{TL_LIT("exposed_us"), LIST, "collective"},
	{TL_LIT("skipped"), NUMBER},
	{TL_LIT("repaired"), NUMBER},
	{TL_LIT("launches"), NUMBER},
	{TL_LIT("mapped"), NUMBER},
	{TL_LIT("graph"), NUMBER},
	{TL_LIT("captured"), NUMBER},
	{TL_LIT("owned"), NUMBER},
	{TL_LIT("orphans"), NUMBER},
	{TL_LIT("unlaunched"), NUMBER},
	{TL_LIT("duplicates"), NUMBER},
	{TL_LIT("streams"), NUMBER},
	{TL_LIT("max_streams"), NUMBER},
	{TL_LIT("short"), NUMBER},
	{TL_LIT("gflops"), NUMBER},
	{TL_LIT("bytes"), NUMBER},
	{TL_LIT("tflops_s"), NUMBER},
	{TL_LIT("tb_s"), NUMBER},
	{TL_LIT("flops_per_byte"), NUMBER},
	{TL_LIT("roofline_share"), NUMBER},
	{TL_LIT("floor"), NUMBER},
	{TL_LIT("idle_share"), NUMBER},
	{TL_LIT("raw_idle_share"), NUMBER},
	{TL_LIT("hidden_ratio"), NUMBER},
	{TL_LIT("exclusive_ratio"), NUMBER},
	{TL_LIT("mapping_ratio"), NUMBER},
	{TL_LIT("attributed_share"), NUMBER},
	{TL_LIT("graph_launches"), NUMBER},
	{TL_LIT("graph_launches_recorded"), NUMBER},
	{TL_LIT("name"), TEXT},
	{TL_LIT("kernel"), TEXT},
	{TL_LIT("category"), TEXT},
	{TL_LIT("class"), TEXT},
	{TL_LIT("kind"), TEXT},
	{TL_LIT("model"), TEXT},
	{TL_LIT("bound"), TEXT},
	{TL_LIT("precision"), TEXT},
	{TL_LIT("code"), TEXT},
	{TL_LIT("severity"), TEXT},
	{TL_LIT("message"), TEXT},
	{TL_LIT("reason"), TEXT},
	{TL_LIT("rule"), TEXT},
	{TL_LIT("source"), TEXT},
	{TL_LIT("format"), TEXT},
	{TL_LIT("stage"), TEXT},
	{TL_LIT("scope"), TEXT},
	{TL_LIT("chain"), TEXT},
	{TL_LIT("launch_op"), TEXT},
	{TL_LIT("how"), TEXT},
	{TL_LIT("cause"), TEXT},
	{TL_LIT("before_name"), TEXT},
	{TL_LIT("after_name"), TEXT},
	{TL_LIT("priority"), TEXT},
	{TL_LIT("verdict"), TEXT},
	{TL_LIT("dependency"), TEXT},
	{TL_LIT("recommendation"), TEXT},
	{TL_LIT("suggestion"), TEXT},
	{TL_LIT("pattern"), TEXT},
	{TL_LIT("confidence"), TEXT},
	{TL_LIT("rationale"), TEXT},
	{TL_LIT("origin"), TEXT},
	{TL_LIT("span"), TEXT},
	{TL_LIT("idle_reliable"), FLAG},
	{TL_LIT("attribution_reliable"), FLAG},
	{TL_LIT("duration_reliable"), FLAG},
	{TL_LIT("suppress_candidates"), FLAG},
	{TL_LIT("affects"), TEXTS},
	{TL_LIT("doubts"), TEXTS},
	{TL_LIT("names"), TEXTS},
	{TL_LIT("untestable"), TEXTS},
	{TL_LIT("input_types"), LIST},
	{TL_LIT("input_dims"), LIST},
	{TL_LIT("input_strides"), LIST},
	{TL_LIT("concrete_inputs"), LIST},
	{TL_LIT("call_stack"), LIST},
	{TL_LIT("bins"), NUMBERS},
	{TL_LIT("faults"), OBJECTS},
	{TL_LIT("other_cats"), OBJECTS},
	{TL_LIT("scopes"), NUMBERS_BY_NAME},
	{TL_LIT("overlap_with"), NUMBERS_BY_NAME},
	{TL_LIT("prev"), OBJECT},
	{TL_LIT("next"), OBJECT},
	{TL_LIT("params"), OBJECT},
};

/* Without these a record is no row of any table. */
static const struct {
	const char *type, *keys[5];
} rows[] = {
	{"kernel_total", {"name", "count", "gpu_us"}},
	{"op_group", {"name", "count", "gpu_us"}},
	{"kernel_group", {"name", "count", "gpu_us", "stage"}},
	{"source", {"kernel"}},
	{"action", {"name", "gpu_us", "share"}},
	{"fusion", {"pattern", "names", "share"}},
	{"lane", {"bins"}},
	{"gap", {"ts", "dur"}},
	{"timeline", {"window_us"}},
	{"overlap", {"busy_us"}},
	{"warning", {"code", "severity", "message"}},
};

static bool is_number(struct tl_span v)
{
	return v.n && (v.p[0] == '-' || (v.p[0] >= '0' && v.p[0] <= '9'));
}

static bool is_kind(struct tl_span v, enum kind k)
{
	struct tl_json it = tl_json_open(v);
	struct tl_span key, value;
	char first = v.n ? v.p[0] : 'n';
	bool ok = true;
	if (first == 'n' || k == ANY)
		return true;
	switch (k) {
	case NUMBER:
		return is_number(v);
	case TEXT:
		return first == '"';
	case FLAG:
		return first == 't' || first == 'f';
	case LIST:
		return first == '[';
	case OBJECT:
		return first == '{';
	case NUMBERS_BY_NAME:
		while (first == '{' && ok && tl_json_member(&it, &key, &value))
			ok = is_number(value);
		return first == '{' && ok;
	default:
		while (first == '[' && ok && tl_json_element(&it, &value))
			ok = k == NUMBERS ? is_number(value)
							  : value.n && value.p[0] == (k == TEXTS ? '"' : '{');
		return first == '[' && ok;
	}
}

static enum kind kind_of(struct tl_span key, struct tl_span type)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (tl_span_eq(key, known[i].key) &&
			(!known[i].type || tl_span_eq(type, tl_str(known[i].type))))
			return known[i].kind;
	bool us = key.n > 3 && memcmp(key.p + key.n - 3, "_us", 3) == 0;
	return us || (key.n > 7 && memcmp(key.p, "gpu_us_", 7) == 0) ? NUMBER : ANY;
}

static bool too_deep(struct tl_span v)
{
	unsigned depth = 0;
	for (const char *p = v.p, *end = v.p + v.n; p < end && depth <= DEPTH;) {
		depth += *p == '[' || *p == '{';
		depth -= *p == ']' || *p == '}';
		p = *p == '"' ? tl_json_skip(p, end) : p + 1;
	}
	return depth > DEPTH;
}

static bool lacks(struct tl_span line, struct tl_span type, const char **what)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!tl_span_eq(type, tl_str(rows[i].type)))
			continue;
		for (const char *const *k = rows[i].keys; *k; k++) {
			struct tl_span v = tl_json_get(line, tl_str(*k));
			*what = *k;
			if (!v.n || v.p[0] == 'n')
				return true;
		}
	}
	return false;
}

static void note(struct report_misfits *m, struct tl_span key, struct tl_span type)
{
	if (!m->first[0])
		snprintf(m->first, sizeof m->first, "%.*s of %.*s", (int)(key.n < 24 ? key.n : 24), key.p,
			(int)(type.n < 24 ? type.n : 24), type.p);
}

struct tl_span report_fit(
	struct tl_span line, struct tl_span type, struct tl_buf *out, struct report_misfits *m)
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, value;
	const char *what = NULL;
	bool all = true;
	out->n = 0;
	tl_buf_ch(out, '{');
	while (tl_json_member(&it, &key, &value)) {
		if (!is_kind(value, kind_of(key, type)) || too_deep(value)) {
			all = false;
			m->values++;
			note(m, key, type);
			continue;
		}
		tl_buf_span(out, out->n > 1 ? TL_LIT(",\"") : TL_LIT("\""));
		tl_buf_span(out, key);
		tl_buf_span(out, TL_LIT("\":"));
		tl_buf_span(out, value);
	}
	tl_buf_ch(out, '}');
	struct tl_span fit = all ? line : tl_buf_all(out);
	if (lacks(fit, type, &what)) {
		m->records++;
		note(m, tl_str(what), type);
		fit.n = 0;
	}
	return fit;
}
