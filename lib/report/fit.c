#include "fit.h"
#include "../json/json.h"
#include <stdio.h>

#define DEPTH 200 /* jq reads 256 levels; the record and the array of records are two */

enum kind { ANY, NUMBER, TEXT, FLAG, TEXTS, OBJECTS, NUMBERS, NUMBERS_BY_NAME, OBJECT, LIST };

/* A key has one type in all records, but for those that name one. */
static const struct {
	const char *key;
	enum kind kind;
	const char *type; /* NULL: of all */
} known[] = {
	{"gpu_ops", NUMBER},
	{"count", NUMBER},
	{"share", NUMBER},
	{"ts", NUMBER},
	{"dur", NUMBER},
	{"ts_first", NUMBER},
	{"ts_last", NUMBER},
	{"events", NUMBER, "end"},
	{"start_us", LIST, "collective"},
	{"dur_us", LIST, "collective"},
	{"wait_us", LIST, "collective"},
	{"exposed_us", LIST, "collective"},
	{"skipped", NUMBER},
	{"repaired", NUMBER},
	{"launches", NUMBER},
	{"mapped", NUMBER},
	{"graph", NUMBER},
	{"captured", NUMBER},
	{"owned", NUMBER},
	{"orphans", NUMBER},
	{"unlaunched", NUMBER},
	{"duplicates", NUMBER},
	{"streams", NUMBER},
	{"max_streams", NUMBER},
	{"short", NUMBER},
	{"gflops", NUMBER},
	{"bytes", NUMBER},
	{"tflops_s", NUMBER},
	{"tb_s", NUMBER},
	{"flops_per_byte", NUMBER},
	{"roofline_share", NUMBER},
	{"floor", NUMBER},
	{"idle_share", NUMBER},
	{"raw_idle_share", NUMBER},
	{"hidden_ratio", NUMBER},
	{"exclusive_ratio", NUMBER},
	{"mapping_ratio", NUMBER},
	{"attributed_share", NUMBER},
	{"graph_launches", NUMBER},
	{"graph_launches_recorded", NUMBER},
	{"name", TEXT},
	{"kernel", TEXT},
	{"category", TEXT},
	{"class", TEXT},
	{"kind", TEXT},
	{"model", TEXT},
	{"bound", TEXT},
	{"precision", TEXT},
	{"code", TEXT},
	{"severity", TEXT},
	{"message", TEXT},
	{"reason", TEXT},
	{"rule", TEXT},
	{"source", TEXT},
	{"format", TEXT},
	{"stage", TEXT},
	{"scope", TEXT},
	{"chain", TEXT},
	{"launch_op", TEXT},
	{"how", TEXT},
	{"cause", TEXT},
	{"before_name", TEXT},
	{"after_name", TEXT},
	{"priority", TEXT},
	{"verdict", TEXT},
	{"dependency", TEXT},
	{"recommendation", TEXT},
	{"suggestion", TEXT},
	{"pattern", TEXT},
	{"confidence", TEXT},
	{"rationale", TEXT},
	{"origin", TEXT},
	{"span", TEXT},
	{"idle_reliable", FLAG},
	{"attribution_reliable", FLAG},
	{"duration_reliable", FLAG},
	{"suppress_candidates", FLAG},
	{"affects", TEXTS},
	{"doubts", TEXTS},
	{"names", TEXTS},
	{"untestable", TEXTS},
	{"input_types", LIST},
	{"input_dims", LIST},
	{"input_strides", LIST},
	{"concrete_inputs", LIST},
	{"call_stack", LIST},
	{"bins", NUMBERS},
	{"faults", OBJECTS},
	{"other_cats", OBJECTS},
	{"scopes", NUMBERS_BY_NAME},
	{"overlap_with", NUMBERS_BY_NAME},
	{"prev", OBJECT},
	{"next", OBJECT},
	{"params", OBJECT},
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
		if (tl_span_eq(key, tl_str(known[i].key)) &&
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
