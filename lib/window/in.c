#include "window.h"
#include "../json/json.h"
#include "../base/base.h"
#include "../stream/stream.h"
#include "../extract/extract.h"
#include "../chrome/chrome.h"
#include "rows.h"
#include <stdlib.h>

#define CHUNK ((size_t)256 << 10)

struct reader {
	struct window *w;
	const struct tl_extract_options *opt;
	struct tl_error *e;
	struct tl_frame f;

	/* the window's lines */
	const char *name;
	struct tl_buf line; /* unread bytes, TL_SCAN_PAD zero bytes behind them */
	uint64_t offset;    /* of line.p[0] */
	uint64_t done;      /* bytes of line that are used up */
	struct tl_scan scan;
	struct tl_buf raw, scratch;
	struct tl_chrome_event event;
	bool failed;   /* e is filled */
	bool dropping; /* inside a line that is too long */

	/* records of the host trace */
	struct tl_out records;
	struct tl_buf part; /* a record whose end has not come yet */
	struct tl_buf host_faults;
	struct tl_write head; /* {"type":"event",...,"id": of events that stand in the window */
};

/* ---- damage */

static const struct tl_fault_text skipped[] = {
	[WINDOW_BAD_TIME] = {TL_FAULT_BAD_TIME, "a row of the window",
		"rows skipped: no start or end, or an end before the start"},
	[WINDOW_NOT_JSON] = {TL_FAULT_BROKEN_EVENT, "a line of the window", "lines skipped: not JSON"},
	[WINDOW_NO_KIND] = {TL_FAULT_NOT_AN_EVENT, "a line of the window",
		"lines skipped: neither kind nor ph"},
};

static void fault(struct reader *r, enum tl_fault_code c, uint64_t n, const char *detail)
{
	unsigned long long at = r->offset + r->done;
	tl_faults_add(&r->f.faults, c, n, at, detail);
	if (r->opt->strict && !r->failed) {
		tl_fail(r->e, at, "%s: %s, at byte %llu", r->name, tl_fault_says(c), at);
		r->failed = true;
	}
}

static void say_unknown(const struct reader *r)
{
	struct tl_span kind;
	uint64_t count, rest = 0;
	size_t n = 0;
	for (; window_unknown(r->w, n, &kind, &count); n++)
		if (n < 10)
			tl_warn("%s: %llu rows of kind %.*s skipped", r->name, (unsigned long long)count,
				kind.n < 60 ? (int)kind.n : 60, kind.p);
		else
			rest += count;
	if (rest)
		tl_warn("%s: %llu rows of %zu more unknown kinds skipped", r->name,
			(unsigned long long)rest, n - 10);
}

/* ---- host events */

static void take_record(struct reader *r, struct tl_span line)
{
	struct tl_span type = tl_json_inner(tl_json_get(line, TL_LIT("type")));
	uint64_t n;
	if (tl_span_eq(type, TL_LIT("event"))) {
		window_event(r->w, line);
		return;
	}
	if (tl_span_eq(type, TL_LIT("meta")))
		window_meta(r->w, tl_json_inner(tl_json_get(line, TL_LIT("key"))),
			tl_json_get(line, TL_LIT("value")));
	if (tl_json_u64(tl_json_get(line, TL_LIT("rank")), &n))
		tl_frame_rank(&r->f, n);
	if (!tl_span_eq(type, TL_LIT("end")))
		return;
	if (tl_json_u64(tl_json_get(line, TL_LIT("skipped")), &n))
		r->f.skipped += n;
	if (tl_json_u64(tl_json_get(line, TL_LIT("repaired")), &n))
		r->f.repaired += n;
	tl_buf_span(&r->host_faults, tl_json_get(line, TL_LIT("faults")));
}

/* Bytes of records, in any portions. */
static void take_bytes(void *ctx, const char *p, size_t n)
{
	struct reader *r = ctx;
	const char *end = p + n, *lf;
	for (; p < end && (lf = memchr(p, '\n', (size_t)(end - p))); p = lf + 1) {
		struct tl_span line = {p, (size_t)(lf - p)};
		if (r->part.n) {
			tl_buf_span(&r->part, line);
			line = tl_buf_all(&r->part);
		}
		take_record(r, line);
		r->part.n = 0;
	}
	tl_buf_add(&r->part, p, (size_t)(end - p));
}

static bool read_beside(struct reader *r, const char *name)
{
	struct tl_extract_options all = *r->opt;
	struct tl_extracted got = {0};
	all.cat = all.name = (struct tl_list){0};
	bool ok = tl_extract_read(name, 0, &all, &r->records, &got, r->e);
	tl_out_flush(&r->records);
	if (ok && got.traces > 1) {
		tl_fail(r->e, 0, "%s: %llu traces, and one window", name, (unsigned long long)got.traces);
		return false;
	}
	return ok;
}

static void take_repairs(struct reader *r)
{
	for (int i = 0; i < TL_REPAIRS; i++) {
		if (r->scan.repair[i].count)
			fault(r, (enum tl_fault_code)i, r->scan.repair[i].count, NULL);
		r->scan.repair[i].count = 0;
	}
	r->f.repaired += r->scan.repairs > 0;
	r->scan.repairs = 0;
}

/* Sets the scanner to a copy of the line, since it wants zero bytes behind what it reads. */
static void scan_line(struct reader *r, struct tl_span line)
{
	r->raw.n = r->scratch.n = 0;
	tl_buf_span(&r->raw, line);
	tl_buf_more(&r->raw, TL_SCAN_PAD);
	memset(r->raw.p + line.n, 0, TL_SCAN_PAD);
	tl_buf_more(&r->scratch, (line.n + TL_SCAN_PAD) * TL_SCAN_GROWTH + 256);
	r->scan.p = r->raw.p;
	r->scan.end = r->raw.p + line.n;
	r->scan.final = true;
	r->scan.o = r->scratch.p;
	for (int i = 0; i < TL_REPAIRS; i++)
		r->scan.repair[i].count = 0;
	r->scan.repairs = 0;
}

/* A Chrome event that stands in the window. */
static void take_event(struct reader *r, struct tl_span line)
{
	static const struct tl_chrome_rebase none;
	struct tl_sum sum = {0};
	scan_line(r, line);
	if (tl_chrome_event_scan(&r->scan, &r->event, r->opt) != TL_SCAN_OK) {
		r->f.skipped++;
		fault(r, TL_FAULT_BROKEN_EVENT, 1, skipped[WINDOW_NOT_JSON].detail);
		return;
	}
	if (tl_chrome_event_write(
			&r->records, tl_buf_all(&r->head.b), 0, &r->event, r->opt, &none, &sum)) {
		fault(r, TL_FAULT_BAD_TIME, 1, NULL);
		r->f.repaired += r->scan.repairs == 0;
	}
	take_repairs(r);
}

/* ---- lines of the window */

/* The line, repaired where that needs no guess, in r->scratch; empty when that does not do. */
static struct tl_span repair_line(struct reader *r, struct tl_span line)
{
	scan_line(r, line);
	if (tl_scan_value(&r->scan) == TL_SCAN_OK) {
		tl_scan_blank(&r->scan);
		if (r->scan.p == r->scan.end && r->scan.repairs)
			return (struct tl_span){r->scratch.p, (size_t)(r->scan.o - r->scratch.p)};
	}
	return (struct tl_span){0};
}

static void take_line(struct reader *r, struct tl_span line, bool cut)
{
	enum window_line what = window_line(r->w, line);
	if (what == WINDOW_NOT_JSON) {
		struct tl_span repaired = repair_line(r, line);
		if (repaired.n)
			what = window_line(r->w, repaired);
		if (repaired.n && what != WINDOW_EVENT)
			take_repairs(r);
	}
	if (what == WINDOW_EVENT)
		take_event(r, line);
	if (what == WINDOW_TAKEN || what == WINDOW_EVENT)
		return;
	r->f.skipped++;
	if (what == WINDOW_NOT_JSON && cut)
		fault(r, TL_FAULT_TRUNCATED_JSON, 1, NULL);
	else if (what != WINDOW_UNKNOWN)
		fault(r, skipped[what].code, 1, skipped[what].detail);
}

/* All lines that are whole; at the end of the input the rest too. What is left of a line that is
 * too long is dropped as it comes. */
static void take_lines(struct reader *r, bool final)
{
	const char *p = r->line.p, *end = p + r->line.n, *lf;
	for (; p < end && !r->failed; p = lf ? lf + 1 : end) {
		lf = memchr(p, '\n', (size_t)(end - p));
		struct tl_span line = {p, (size_t)((lf ? lf : end) - p)};
		bool too_long = line.n > r->opt->max_event;
		if (!lf && !final && !too_long && !r->dropping)
			break;
		r->done = (uint64_t)(p - r->line.p);
		if (too_long && !r->dropping) {
			r->f.skipped++;
			fault(r, TL_FAULT_OVERSIZE_EVENT, 1, NULL);
		} else if (!r->dropping) {
			take_line(r, line, !lf);
		}
		r->dropping = !lf && (r->dropping || too_long);
	}
	r->offset += (uint64_t)(p - r->line.p);
	r->line.n = (size_t)(end - p);
	memmove(r->line.p, p, r->line.n);
	r->done = 0;
}

static void take_gzip_damage(struct reader *r, struct tl_source *src)
{
	uint64_t at;
	enum tl_gzip_damage damage = tl_source_damage(src, &at);
	if (damage != TL_GZIP_WHOLE)
		fault(r, tl_fault_of_gzip(damage), 1, NULL);
}

static bool read_lines(struct reader *r)
{
	struct tl_source *src = tl_source_open(r->name, r->e);
	ssize_t n = src ? 1 : -1;
	while (n > 0 && !r->failed) {
		tl_buf_more(&r->line, CHUNK);
		n = tl_source_read(src, r->line.p + r->line.n, CHUNK, r->e);
		r->line.n += n > 0 ? (size_t)n : 0;
		take_lines(r, n <= 0);
		tl_progress(tl_source_raw(src), tl_source_size(src));
	}
	if (n == 0)
		take_gzip_damage(r, src);
	if (src)
		tl_source_close(src);
	tl_out_flush(&r->records);
	return n >= 0 && !r->failed;
}

/* ---- the trace that comes out */

static void begin_trace(struct reader *r, const char *beside)
{
	struct tl_span info = window_top_value(r->w, TL_LIT("distributedInfo"));
	bool both = beside || window_totals(r->w)->host_events;
	int64_t base = window_base(r->w);
	uint64_t rank;
	if (!r->f.rank.n && info.n && tl_json_u64(tl_json_get(info, TL_LIT("rank")), &rank))
		tl_frame_rank(&r->f, rank);
	if (!r->f.rank.n)
		tl_rank_from_name(r->name, &r->f.rank);
	tl_frame_trace(&r->f, &(struct tl_origin){beside ? beside : r->name,
							  both ? "chrome+window" : "window", .base_ns = &base});
}

static void say_notes(const struct reader *r)
{
	const struct window_totals *t = window_totals(r->w);
	if (t->twice)
		tl_note(
			"%s: the trace beside this window has GPU or API events too; both are kept", r->name);
	if (t->clamped)
		tl_note("%s: %llu arrows between graph nodes would run backwards and are cut short",
			r->name, (unsigned long long)t->clamped);
}

static void reader_free(struct reader *r)
{
	struct tl_buf *bufs[] = {&r->line, &r->raw, &r->scratch, &r->part, &r->host_faults};
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		tl_buf_free(bufs[i]);
	tl_write_free(&r->head);
	tl_frame_free(&r->f);
	tl_scan_free(&r->scan);
	memset(r->event.key, 0, sizeof r->event.key);
	tl_chrome_event_free(&r->event);
	tl_out_close(&r->records);
	window_free(r->w);
}

bool tl_window_read(const char *name, const char *beside, bool compat,
	const struct tl_extract_options *opt, struct tl_out *out, struct tl_extracted *got,
	struct tl_error *e)
{
	struct reader r = {.name = name, .opt = opt, .e = e, .f = {.out = out, .opt = opt, .got = got}};
	r.w = window_new(compat, e);
	if (!r.w)
		return false;
	tl_out_to(&r.records, take_bytes, &r);
	tl_frame_begin(&r.f, 0);
	tl_record(&r.head, "event", 0);
	tl_put_key(&r.head, "id");
	bool ok = (!beside || read_beside(&r, beside)) && read_lines(&r);
	if (ok)
		tl_faults_say(&r.f.faults, name, skipped + WINDOW_BAD_TIME, 3);
	if (ok)
		say_unknown(&r);
	ok = ok && window_finish(r.w, e);
	if (ok) {
		begin_trace(&r, beside);
		window_write(r.w, &r.f);
		r.f.more_faults = tl_buf_all(&r.host_faults);
		tl_frame_end(&r.f);
		say_notes(&r);
	}
	reader_free(&r);
	return ok;
}
