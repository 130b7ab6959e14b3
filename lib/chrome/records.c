#include "inside.h"
#include "../json/json.h"

void chrome_begin_trace(struct chrome_reader *r)
{
	tl_frame_trace(
		&r->f, &(struct tl_origin){r->name, "chrome", .rebase_us = {r->rebase.text, r->rebase.n}});
}

void chrome_write_meta(struct chrome_reader *r, struct tl_span key, struct tl_span val)
{
	uint64_t rank;
	if (tl_span_eq(key, TL_LIT("distributedInfo")) &&
		tl_json_u64(tl_json_get(val, TL_LIT("rank")), &rank))
		tl_frame_rank(&r->f, rank);
	tl_frame_meta(&r->f, key, val);
	if (r->f.held.n > TL_META_HELD && !r->opt->rebase)
		chrome_begin_trace(r);
}

void chrome_say_faults(const struct chrome_reader *r)
{
	for (int c = 0; c < TL_FAULT_CODES; c++) {
		if (!r->f.faults.of[c].count)
			continue;
		if (c == TL_FAULT_TRUNCATED_JSON)
			tl_warn("%s: input ends inside %s at byte %llu; %llu events read", r->name,
				r->f.faults.of[c].detail[0] ? r->f.faults.of[c].detail : "the trace",
				(unsigned long long)r->f.faults.of[c].offset, (unsigned long long)r->ids);
		else if (c == TL_FAULT_TRUNCATED_GZIP || c == TL_FAULT_BAD_GZIP)
			tl_warn("%s: gzip: %s at byte %llu of the inflated data", r->name,
				c == TL_FAULT_BAD_GZIP ? "damaged data" : "unexpected end",
				(unsigned long long)r->f.faults.of[c].offset);
		else
			tl_warn("%s: %llu %s, first at byte %llu", r->name,
				(unsigned long long)r->f.faults.of[c].count, tl_fault_says((enum tl_fault_code)c),
				(unsigned long long)r->f.faults.of[c].offset);
	}
}

void chrome_say_notes(const struct chrome_reader *r)
{
	if (r->open_notes)
		tl_note("%s: the array of events has no closing ]", r->name);
	if (r->comma_notes || r->sc.trailing_comma)
		tl_note("%s: missing or extra commas between events", r->name);
	struct tl_buf cats = {0};
	chrome_rows_say(r->rows, &cats);
	if (cats.n)
		tl_note("%s: spans of categories that are neither host nor GPU work to tl: %.*s", r->name,
			(int)cats.n, cats.p);
	tl_buf_free(&cats);
}
