#include "fault.h"
#include "../base/base.h"
#include <stdio.h>

static const struct {
	const char *name, *says;
} table[TL_FAULT_CODES] = {
	{"bad_escape", "bad escapes in strings, backslash kept"},
	{"control_char", "raw control characters in strings, escaped"},
	{"bad_utf8", "bytes that are not UTF-8, replaced by U+FFFD"},
	{"lone_surrogate", "lone surrogates in strings, replaced by U+FFFD"},
	{"bad_number", "values that are no JSON numbers (NaN, Infinity, N/A: null)"},
	{"bad_time", "times that are negative or no number, left out"},
	{"broken_event", "events skipped: not JSON"},
	{"not_an_event", "members of traceEvents skipped: no event"},
	{"oversize_event", "events skipped: larger than --max-event"},
	{"truncated_json", "the input ends inside the trace"},
	{"truncated_gzip", "the gzip data end early"},
	{"bad_gzip", "the gzip data are damaged"},
	{"trailing_garbage", "bytes that belong to no trace"},
};

const char *tl_fault_says(enum tl_fault_code c)
{
	return table[c].says;
}

void tl_faults_add(
	struct tl_faults *f, enum tl_fault_code c, uint64_t count, uint64_t offset, const char *detail)
{
	if (!f->of[c].count) {
		f->of[c].offset = offset;
		snprintf(f->of[c].detail, sizeof f->of[c].detail, "%s", detail ? detail : "");
	}
	f->of[c].count += count;
	f->any = true;
}

void tl_faults_say(
	const struct tl_faults *f, const char *source, const struct tl_fault_text *own, size_t n)
{
	for (int c = 0; c < TL_FAULT_CODES; c++) {
		const char *says = table[c].says;
		if (!f->of[c].count)
			continue;
		for (size_t i = 0; i < n; i++)
			if ((int)own[i].code == c &&
				(!own[i].detail || strcmp(own[i].detail, f->of[c].detail) == 0))
				says = own[i].says;
		tl_warn("%s: %llu %s, first at byte %llu", source, (unsigned long long)f->of[c].count, says,
			(unsigned long long)f->of[c].offset);
	}
}

enum tl_fault_code tl_fault_of_gzip(enum tl_gzip_damage d)
{
	return d == TL_GZIP_BAD         ? TL_FAULT_BAD_GZIP
		   : d == TL_GZIP_TRUNCATED ? TL_FAULT_TRUNCATED_GZIP
									: TL_FAULT_TRAILING_GARBAGE;
}

void tl_faults_put(const struct tl_faults *f, struct tl_write *w)
{
	for (int c = 0; c < TL_FAULT_CODES; c++) {
		if (!f->of[c].count)
			continue;
		tl_object(w, NULL);
		tl_put_text(w, "code", tl_str(table[c].name));
		tl_put_u64(w, "count", f->of[c].count);
		tl_put_u64(w, "offset", f->of[c].offset);
		tl_put_text(w, "detail", tl_str(f->of[c].detail));
		tl_object_end(w);
	}
}
