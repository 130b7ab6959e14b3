#include "chrome_reader.h"
#include "../io/json.h"
#include "../io/time.h"

void tl_rank_from_name(const char *name, struct tl_buf *rank)
{
	const char *base = strrchr(name, '/');
	base = base ? base + 1 : name;
	for (const char *p = base; *p; p++) {
		if (strncmp(p, "rank", 4) != 0)
			continue;
		const char *d = p + 4;
		d += *d == '-' || *d == '_';
		size_t n = strspn(d, "0123456789");
		if (!n || n > 9)
			continue;
		while (n > 1 && *d == '0')
			d++, n--;
		tl_buf_add(rank, d, n);
		return;
	}
}

void tl_chrome_begin_trace(struct tl_chrome_reader *r)
{
	struct tl_buf b = {0};
	if (r->begun)
		return;
	r->begun = true;
	if (!r->rank.n)
		tl_rank_from_name(r->name, &r->rank);
	tl_buf_lit(&b, "{\"type\":\"trace\",\"trace\":");
	tl_buf_u64(&b, r->trace);
	tl_buf_lit(&b, ",\"schema\":1,\"source\":");
	tl_json_quote(&b, tl_str(r->name));
	tl_buf_lit(&b, ",\"format\":\"chrome\"");
	if (r->rank.n) {
		tl_buf_lit(&b, ",\"rank\":");
		tl_buf_span(&b, tl_buf_all(&r->rank));
	}
	r->rank_written.n = 0;
	tl_buf_span(&r->rank_written, tl_buf_all(&r->rank));
	if (r->rebase.n) {
		tl_buf_lit(&b, ",\"rebase_us\":");
		tl_buf_add(&b, r->rebase.text, r->rebase.n);
	}
	tl_buf_lit(&b, "}\n");
	tl_out_span(r->out, tl_buf_all(&b));
	tl_buf_free(&b);
	tl_out_span(r->out, tl_buf_all(&r->held));
	r->held.n = 0;
	if (r->out->line_buffered)
		tl_out_flush(r->out);
}

void tl_chrome_write_meta(struct tl_chrome_reader *r, struct tl_span key, struct tl_span val)
{
	uint64_t rank;
	if (tl_span_eq(key, TL_LIT("distributedInfo")) && !r->opt->rank) {
		struct tl_span v = tl_json_get(val, TL_LIT("rank"));
		if (tl_json_u64(v, &rank)) {
			r->rank.n = 0;
			tl_buf_u64(&r->rank, rank);
		}
	}
	struct tl_buf *b = &r->held;
	tl_buf_lit(b, "{\"type\":\"meta\",\"trace\":");
	tl_buf_u64(b, r->trace);
	tl_buf_lit(b, ",\"key\":\"");
	tl_buf_span(b, key);
	tl_buf_lit(b, "\",\"value\":");
	tl_buf_span(b, val);
	tl_buf_lit(b, "}\n");
	if (r->begun) {
		tl_out_span(r->out, tl_buf_all(b));
		b->n = 0;
		if (r->out->line_buffered)
			tl_out_flush(r->out);
	} else if (b->n > TL_META_HELD && !r->opt->rebase) {
		tl_chrome_begin_trace(r);
	}
}

void tl_chrome_end_record(struct tl_chrome_reader *r)
{
	struct tl_buf b = {0};
	tl_buf_lit(&b, "{\"type\":\"end\",\"trace\":");
	tl_buf_u64(&b, r->trace);
	if (r->rank.n && !tl_span_eq(tl_buf_all(&r->rank), tl_buf_all(&r->rank_written))) {
		tl_buf_lit(&b, ",\"rank\":");
		tl_buf_span(&b, tl_buf_all(&r->rank));
	}
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {{"events", r->sum.events}, {"gpu_ops", r->sum.gpu_ops}, {"skipped", r->skipped},
		{"repaired", r->repaired}};
	for (size_t i = 0; i < 4; i++) {
		tl_buf_printf(&b, ",\"%s\":", counts[i].key);
		tl_buf_u64(&b, counts[i].n);
	}
	if (r->sum.any_ts) {
		tl_buf_lit(&b, ",\"ts_first\":");
		tl_buf_us(&b, r->sum.ts_first);
		tl_buf_lit(&b, ",\"ts_last\":");
		tl_buf_us(&b, r->sum.ts_last);
	}
	tl_buf_lit(&b, ",\"faults\":");
	tl_faults_json(&r->faults, &b);
	tl_buf_ch(&b, '}');
	tl_out_span(r->out, tl_buf_all(&b));
	tl_out_eol(r->out);
	tl_buf_free(&b);
}

void tl_chrome_say_faults(const struct tl_chrome_reader *r)
{
	for (int c = 0; c < TL_FAULT_CODES; c++) {
		if (!r->faults.of[c].count)
			continue;
		if (c == TL_FAULT_TRUNCATED_JSON)
			tl_warn("%s: input ends inside %s at byte %llu; %llu events read", r->name,
				r->faults.of[c].detail[0] ? r->faults.of[c].detail : "the trace",
				(unsigned long long)r->faults.of[c].offset, (unsigned long long)r->ids);
		else if (c == TL_FAULT_TRUNCATED_GZIP || c == TL_FAULT_BAD_GZIP)
			tl_warn("%s: gzip: %s at byte %llu of the inflated data", r->name,
				c == TL_FAULT_BAD_GZIP ? "damaged data" : "unexpected end",
				(unsigned long long)r->faults.of[c].offset);
		else
			tl_warn("%s: %llu %s, first at byte %llu", r->name,
				(unsigned long long)r->faults.of[c].count, tl_fault_says((enum tl_fault_code)c),
				(unsigned long long)r->faults.of[c].offset);
	}
}

void tl_chrome_say_notes(const struct tl_chrome_reader *r)
{
	if (r->open_notes)
		tl_note("%s: the array of events has no closing ]", r->name);
	if (r->comma_notes || r->sc.trailing_comma)
		tl_note("%s: missing or extra commas between events", r->name);
	if (!r->saw_events)
		tl_note("%s: no traceEvents", r->name);
}
