#include "chrome_event.h"
#include "../io/json.h"
#include "../io/progress.h"
#include "../io/source.h"
#include "../io/time.h"
#include <stdio.h>
#include <stdlib.h>

#define WINDOW (1024u * 1024)
#define META_HELD (1024u * 1024) /* keys before traceEvents that wait for the trace's rank */
#define CANDIDATES 64

enum form {
	FORM_OBJECT, /* {"traceEvents": [...], ...} */
	FORM_ARRAY,  /* [...], whose ']' may be missing */
	FORM_LINES,  /* events one after the other, with no bracket around them */
};

struct reader {
	const char *name;
	const struct tl_extract_options *opt;
	struct tl_out *out;
	struct tl_source *src;
	struct tl_error *e;
	bool failed; /* e is filled: reading failed, or damage under strict */

	char *win; /* window of raw bytes; the scanner's p and end point into it */
	size_t cap;
	uint64_t base; /* offset of win[0] in the inflated input */
	uint64_t pin;  /* bytes from this offset on stay in the window; UINT64_MAX: no such need */
	struct tl_scan sc;
	char *scratch;
	struct tl_chrome_event ev;

	/* the trace being read */
	uint64_t trace;
	enum form form;
	bool begun;          /* its `trace` record is written */
	struct tl_buf held;  /* meta records that wait for that */
	struct tl_buf early; /* raw text of events that wait for --rebase's first time */
	struct tl_buf head;  /* {"type":"event","trace":N,"id": */
	struct tl_buf rank;  /* "" or digits */
	struct tl_buf rank_written;
	struct tl_rebase rebase;
	uint64_t ids, skipped, repaired;
	struct tl_chrome_sum sum;
	struct tl_faults faults;
	bool in_damage; /* behind a broken event: junk belongs to it until an event stands in its place
					 */
	bool resynced;  /* the next event was found by resync: more of the broken one may follow it */
	bool saw_events;
	unsigned comma_notes, open_notes;
	struct tl_extracted *got;
};

/* ---- the window */

static uint64_t offset_of(const struct reader *r, const char *p)
{
	return r->base + (uint64_t)(p - r->win);
}

static void fit_scratch(struct reader *r)
{
	free(r->scratch);
	/* untouched pages cost nothing: only a window full of control characters needs all of it */
	r->scratch = tl_alloc((r->cap + TL_SCAN_PAD) * TL_SCAN_GROWTH + 256);
}

/* More bytes behind those from `keep` on, which move to the front. The window at least doubles what
 * is kept, so that a value that is scanned anew each time costs linear time. False at the end. */
static bool refill(struct reader *r, const char *keep)
{
	if (r->sc.final || r->failed)
		return false;
	if (r->pin < offset_of(r, keep))
		keep = r->win + (r->pin - r->base);
	size_t left = (size_t)(r->sc.end - keep), at = (size_t)(r->sc.p - keep), target = left + 1;
	r->base += (uint64_t)(keep - r->win);
	memmove(r->win, keep, left);
	if (left > r->cap / 2) {
		r->cap *= 2;
		r->win = tl_realloc(r->win, r->cap + TL_SCAN_PAD, 1);
		fit_scratch(r);
	}
	if (left > 4096)
		target = left * 2;
	while (left < target) {
		ssize_t n = tl_source_read(r->src, r->win + left, r->cap - left, r->e);
		if (n < 0)
			r->failed = true;
		if (n <= 0)
			r->sc.final = true;
		if (n <= 0)
			break;
		left += (size_t)n;
	}
	memset(r->win + left, 0, TL_SCAN_PAD);
	r->sc.p = r->win + at;
	r->sc.end = r->win + left;
	tl_progress(tl_source_raw(r->src), tl_source_size(r->src));
	return at < left || !r->sc.final;
}

/* Goes over white space; false at the end of the input. */
static bool skip_blank(struct reader *r)
{
	for (;;) {
		tl_scan_blank(&r->sc);
		if (r->sc.p < r->sc.end)
			return true;
		if (!refill(r, r->sc.p))
			return false;
	}
}

/* ---- damage */

static void fault_at(
	struct reader *r, enum tl_fault_code c, uint64_t n, uint64_t offset, const char *detail)
{
	tl_faults_add(&r->faults, c, n, offset, detail);
	if (r->opt->strict && !r->failed) {
		tl_fail(r->e, offset, "%s, at byte %llu", tl_fault_says(c), (unsigned long long)offset);
		r->failed = true;
	}
}

static void fault(struct reader *r, enum tl_fault_code c, const char *p, const char *detail)
{
	fault_at(r, c, 1, offset_of(r, p), detail);
}

/* Takes over what the scanner repaired in a value that was kept. */
static void take_repairs(struct reader *r)
{
	for (int i = 0; i < TL_REPAIRS; i++) {
		if (!r->sc.repair[i].count)
			continue;
		fault_at(r, (enum tl_fault_code)i, r->sc.repair[i].count,
			offset_of(r, r->sc.repair[i].first), NULL);
		r->sc.repair[i].count = 0;
	}
	r->sc.repairs = 0;
}

static void forget_repairs(struct reader *r)
{
	for (int i = 0; i < TL_REPAIRS && r->sc.repairs; i++)
		r->sc.repair[i].count = 0;
	r->sc.repairs = 0;
}

/* ---- records */

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

static void begin_trace(struct reader *r)
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

static void write_meta(struct reader *r, struct tl_span key, struct tl_span val)
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
	} else if (b->n > META_HELD && !r->opt->rebase) {
		begin_trace(r);
	}
}

static void end_record(struct reader *r)
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

static void say_faults(const struct reader *r)
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

static void say_notes(const struct reader *r)
{
	if (r->open_notes)
		tl_note("%s: the array of events has no closing ]", r->name);
	if (r->comma_notes || r->sc.trailing_comma)
		tl_note("%s: missing or extra commas between events", r->name);
	if (!r->saw_events)
		tl_note("%s: no traceEvents", r->name);
}

/* ---- events */

/* Scans the object at p as an event, with more bytes when the window ends in it. MORE means that
 * the input ends in it, or that it is larger than --max-event; p stands at it then. */
static enum tl_scan_result scan_event(struct reader *r)
{
	for (;;) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		enum tl_scan_result res = tl_chrome_event_scan(&r->sc, &r->ev, r->opt);
		if (res == TL_SCAN_OK)
			return res;
		forget_repairs(r);
		if (res == TL_SCAN_BAD)
			return res;
		r->sc.p = start;
		if ((size_t)(r->sc.end - start) >= r->opt->max_event || !refill(r, start))
			return TL_SCAN_MORE;
	}
}

static void put_event(struct reader *r, const struct tl_chrome_event *ev, uint64_t id, uint64_t at)
{
	unsigned bad = tl_chrome_event_write(
		r->out, tl_buf_all(&r->head), id, ev, r->opt, &r->rebase, &r->sum);
	r->got->events++;
	if (bad)
		fault_at(r, TL_FAULT_BAD_TIME, bad, at, NULL);
	if (bad && !r->sc.repairs)
		r->repaired++;
}

/* Writes the `trace` record and the events that waited for it (they are the first of the trace). */
static void begin_rebased(struct reader *r)
{
	struct tl_buf out = {0};
	struct tl_chrome_event ev = {0};
	begin_trace(r);
	tl_buf_more(&out, (r->early.n + TL_SCAN_PAD) * TL_SCAN_GROWTH);
	size_t n = r->early.n;
	tl_buf_more(&r->early, TL_SCAN_PAD);
	memset(r->early.p + n, 0, TL_SCAN_PAD);
	struct tl_scan s = {.p = r->early.p, .end = r->early.p + n, .final = true};
	for (uint64_t id = 0; s.p < s.end; id++) {
		s.o = out.p;
		if (tl_chrome_event_scan(&s, &ev, r->opt) != TL_SCAN_OK)
			break;
		if (tl_chrome_event_wanted(&ev, r->opt))
			put_event(r, &ev, id, r->base);
	}
	tl_scan_free(&s);
	tl_chrome_event_free(&ev);
	tl_buf_free(&out);
	r->early.n = 0;
}

/* The event that r->ev holds; its raw text is win + (at - base) up to p. */
static void take_event(struct reader *r, uint64_t at)
{
	uint64_t id = r->ids++;
	bool repaired = r->sc.repairs > 0;
	r->saw_events = true;
	r->in_damage &= r->resynced;
	r->resynced = false;
	if (!r->begun) {
		if (tl_chrome_event_is_meta(&r->ev) || !tl_chrome_event_ts(&r->ev, &r->rebase)) {
			const char *raw = r->win + (at - r->base);
			tl_buf_add(&r->early, raw, (size_t)(r->sc.p - raw));
			r->repaired += repaired;
			take_repairs(r);
			return;
		}
		begin_rebased(r);
	}
	if (tl_chrome_event_wanted(&r->ev, r->opt))
		put_event(r, &r->ev, id, at);
	r->repaired += repaired;
	take_repairs(r);
}

/* ---- resynchronisation after damage */

/* What stands behind a ']' that may close traceEvents: only top-level keys up to the end of the
 * document, as far as the input is known. */
static bool tail_fits(struct reader *r, const char *p)
{
	struct tl_scan s = {.p = p, .end = r->sc.end, .final = true, .o = r->scratch};
	struct tl_span key;
	bool more = true, ok = true;
	if (r->form == FORM_OBJECT) {
		while (more && ok) {
			s.o = r->scratch;
			ok = tl_scan_key(&s, false, &key, &more) == TL_SCAN_OK &&
				 (!more || tl_scan_value(&s) == TL_SCAN_OK);
		}
	}
	if (ok)
		tl_scan_blank(&s);
	ok = ok && (s.p == s.end || *s.p == '{' || *s.p == '[');
	tl_scan_free(&s);
	return ok;
}

struct brackets {
	uint64_t at[CANDIDATES]; /* offsets of ']' that may close the array */
	size_t n;
};

/* To the next '{' or ']'; false at the end of the input. The brackets seen stay in the window as
 * long as --max-event allows. */
static bool next_bracket(struct reader *r, struct brackets *b)
{
	for (;;) {
		const char *p = r->sc.p;
		while (p < r->sc.end && *p != '{' && *p != ']')
			p++;
		r->sc.p = p;
		if (p < r->sc.end)
			return true;
		if (b->n && offset_of(r, p) - b->at[0] > r->opt->max_event)
			b->n = 0;
		r->pin = b->n ? b->at[0] : UINT64_MAX;
		if (!refill(r, p))
			return false;
	}
}

/* Tries the '{' at p: true when an event starts there. Else p moves on, one byte, or, when trying
 * has cost far more than has been passed over, to where the last try failed: linear whatever the
 * damage. */
static bool try_event(struct reader *r, uint64_t start, uint64_t *spent)
{
	uint64_t at = offset_of(r, r->sc.p);
	enum tl_scan_result res = scan_event(r);
	uint64_t reached = offset_of(r, res == TL_SCAN_MORE ? r->sc.end : r->sc.p);
	forget_repairs(r);
	r->sc.p = r->win + (at - r->base);
	if (res == TL_SCAN_OK && tl_chrome_event_is(&r->ev))
		return true;
	*spent += reached - at;
	bool dear = *spent > (UINT64_C(16) << 20) + 32 * (at - start) && reached > at;
	r->sc.p = r->win + ((dear ? reached : at + 1) - r->base);
	return false;
}

/* Moves from `from` to the next place at which reading can go on: an object that is an event, or,
 * when none is left, the ']' that closes the array. False: neither. */
static bool resync(struct reader *r, const char *from)
{
	struct brackets b = {.n = 0};
	uint64_t start = offset_of(r, from), spent = 0;
	bool found = false;
	r->sc.p = from;
	r->resynced = true;
	while (!found && !r->failed && next_bracket(r, &b)) {
		r->pin = b.n ? b.at[0] : UINT64_MAX;
		if (*r->sc.p == '{') {
			found = try_event(r, start, &spent);
			continue;
		}
		if (b.n < CANDIDATES)
			b.at[b.n++] = offset_of(r, r->sc.p);
		r->sc.p++;
	}
	for (size_t i = 0; i < b.n && !found && !r->failed; i++) {
		r->sc.p = r->win + (b.at[i] - r->base);
		found = tail_fits(r, r->sc.p + 1);
	}
	r->pin = UINT64_MAX;
	if (!found)
		r->sc.p = r->sc.end;
	return found;
}

static void count_damage(struct reader *r, enum tl_fault_code code, uint64_t at, const char *why)
{
	if (!r->in_damage) {
		r->skipped++;
		fault_at(r, code, 1, at, why);
	}
	r->in_damage = true;
}

/* A member that gives no event: counted once, then on to where reading can go on. */
static bool skip_damage(struct reader *r, enum tl_fault_code code, uint64_t at, const char *why)
{
	count_damage(r, code, at, why);
	return !r->failed && resync(r, r->win + (at + 1 - r->base));
}

/* The input ends inside a member that starts at `at`. Something in it may still be whole: then it
 * is broken; else the input was cut. */
static bool ends_inside(struct reader *r, uint64_t at)
{
	if (resync(r, r->win + (at + 1 - r->base))) {
		count_damage(r, TL_FAULT_BROKEN_EVENT, at, "no end");
		return !r->failed;
	}
	if (r->failed)
		return false;
	r->skipped += !r->in_damage;
	fault_at(r, TL_FAULT_TRUNCATED_JSON, 1, offset_of(r, r->sc.end), "an event");
	return false;
}

/* A member that is no object: a number, string or list is passed over, the rest is damage. */
static bool read_odd_member(struct reader *r, uint64_t at)
{
	enum tl_scan_result v = TL_SCAN_BAD;
	while (!r->in_damage) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		v = tl_scan_value(&r->sc);
		forget_repairs(r);
		if (v == TL_SCAN_OK) {
			r->skipped++;
			fault_at(r, TL_FAULT_NOT_AN_EVENT, 1, at, NULL);
			return !r->failed;
		}
		if (v == TL_SCAN_BAD)
			break;
		r->sc.p = start;
		if ((size_t)(r->sc.end - start) >= r->opt->max_event)
			return skip_damage(r, TL_FAULT_OVERSIZE_EVENT, at, NULL);
		if (!refill(r, start))
			return ends_inside(r, at);
	}
	return skip_damage(r, TL_FAULT_BROKEN_EVENT, at, r->sc.why);
}

/* One member of the array at p; false when the array cannot be read on. */
static bool read_member(struct reader *r)
{
	uint64_t at = offset_of(r, r->sc.p);
	if (*r->sc.p != '{')
		return read_odd_member(r, at);
	enum tl_scan_result res = scan_event(r);
	if (r->failed)
		return false;
	if (res == TL_SCAN_BAD)
		return skip_damage(r, TL_FAULT_BROKEN_EVENT, at, r->sc.why);
	bool oversize = (res == TL_SCAN_OK ? offset_of(r, r->sc.p) : offset_of(r, r->sc.end)) - at >
					r->opt->max_event;
	if (oversize)
		return skip_damage(r, TL_FAULT_OVERSIZE_EVENT, at, NULL);
	if (res == TL_SCAN_MORE)
		return ends_inside(r, at);
	if (tl_chrome_event_is(&r->ev)) {
		take_event(r, at);
	} else {
		take_repairs(r);
		r->skipped++;
		fault_at(r, TL_FAULT_NOT_AN_EVENT, 1, at, "no ph");
	}
	return !r->failed;
}

/* The members of the array, from behind its '[' to behind its ']'. False when the input ended or
 * reading failed before that. */
static bool read_events(struct reader *r)
{
	bool comma = true, any = false;
	for (;;) {
		if (!skip_blank(r))
			return false;
		char c = *r->sc.p;
		if (c == ',') {
			r->comma_notes += comma;
			comma = true;
			r->sc.p++;
			continue;
		}
		if (c == ']') {
			r->comma_notes += comma && any && !r->in_damage;
			r->in_damage = false;
			r->sc.p++;
			return true;
		}
		/* without a comma, only an object can be a member; the rest is the tail of damage */
		if (!comma && c != '{') {
			r->resynced = false;
			uint64_t at = offset_of(r, r->sc.p);
			if (!skip_damage(r, TL_FAULT_BROKEN_EVENT, at, "expected ',' or ']'"))
				return false;
			comma = true;
			continue;
		}
		r->comma_notes += !comma && r->form != FORM_LINES;
		comma = false;
		any = true;
		if (!read_member(r))
			return false;
	}
}

/* ---- documents */

/* A key and its value at the top level; p stands behind '{' or behind a value. */
static enum tl_scan_result top_key(struct reader *r, bool first, struct tl_buf *key, bool *more)
{
	struct tl_span k;
	for (;;) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		enum tl_scan_result res = tl_scan_key(&r->sc, first, &k, more);
		if (res == TL_SCAN_OK && *more) {
			key->n = 0;
			tl_buf_span(key, k);
			take_repairs(r);
		}
		if (res != TL_SCAN_MORE)
			return res;
		forget_repairs(r);
		r->sc.p = start;
		if (!refill(r, start))
			return TL_SCAN_MORE;
	}
}

static enum tl_scan_result top_value(struct reader *r, struct tl_span key)
{
	for (;;) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		enum tl_scan_result res = tl_scan_value(&r->sc);
		if (res == TL_SCAN_OK) {
			take_repairs(r);
			write_meta(r, key, (struct tl_span){r->scratch, (size_t)(r->sc.o - r->scratch)});
		}
		if (res != TL_SCAN_MORE)
			return res;
		forget_repairs(r);
		r->sc.p = start;
		if (!refill(r, start))
			return TL_SCAN_MORE;
	}
}

static void cut(struct reader *r, const char *inside)
{
	fault_at(r, TL_FAULT_TRUNCATED_JSON, 1, offset_of(r, r->sc.end), inside);
	r->sc.p = r->sc.end;
}

/* Top-level text that is not JSON: on to where a document may start, a bracket that begins a line.
 */
static void garbage(struct reader *r)
{
	fault(r, TL_FAULT_TRAILING_GARBAGE, r->sc.p, r->sc.why);
	char before = 0;
	while (!r->failed) {
		while (r->sc.p < r->sc.end && !(before == '\n' && (*r->sc.p == '{' || *r->sc.p == '[')))
			before = *r->sc.p++;
		if (r->sc.p < r->sc.end || !refill(r, r->sc.p))
			return;
	}
}

static void traceevents(struct reader *r)
{
	if (!r->opt->rebase)
		begin_trace(r);
	r->saw_events = true;
	bool cut_before = r->faults.of[TL_FAULT_TRUNCATED_JSON].count > 0;
	if (!read_events(r) && !r->failed && !cut_before &&
		!r->faults.of[TL_FAULT_TRUNCATED_JSON].count) {
		if (r->form == FORM_OBJECT)
			cut(r, "traceEvents");
		else
			r->open_notes++;
	}
}

static void read_object(struct reader *r)
{
	struct tl_buf key = {0};
	bool more = true;
	r->form = FORM_OBJECT;
	r->sc.p++;
	for (bool first = true; !r->failed; first = false) {
		enum tl_scan_result res = top_key(r, first, &key, &more);
		if (res == TL_SCAN_OK && !more)
			break;
		if (res == TL_SCAN_OK && !skip_blank(r))
			res = TL_SCAN_MORE;
		if (res == TL_SCAN_OK && *r->sc.p == '[' &&
			tl_span_eq(tl_buf_all(&key), TL_LIT("traceEvents"))) {
			r->sc.p++;
			traceevents(r);
			continue;
		}
		if (res == TL_SCAN_OK)
			res = top_value(r, tl_buf_all(&key));
		if (res == TL_SCAN_MORE && !r->faults.of[TL_FAULT_TRUNCATED_JSON].count)
			cut(r, "metadata");
		if (res == TL_SCAN_BAD)
			garbage(r);
		if (res != TL_SCAN_OK)
			break;
	}
	tl_buf_free(&key);
}

/* True when the object at p starts like an event ("ph" first): events without a bracket around. */
static bool looks_like_event(struct reader *r)
{
	while (r->sc.end - r->sc.p < 64 && refill(r, r->sc.p))
		;
	const char *p = r->sc.p + 1;
	while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
		p++;
	return r->sc.end - p >= 4 && memcmp(p, "\"ph\"", 4) == 0;
}

static void read_document(struct reader *r)
{
	if (*r->sc.p == '{' && !looks_like_event(r)) {
		read_object(r);
		return;
	}
	r->form = *r->sc.p == '[' ? FORM_ARRAY : FORM_LINES;
	r->sc.p += r->form == FORM_ARRAY;
	traceevents(r);
}

static void gzip_damage(struct reader *r)
{
	static const enum tl_fault_code codes[] = {[TL_GZIP_TRUNCATED] = TL_FAULT_TRUNCATED_GZIP,
		[TL_GZIP_BAD] = TL_FAULT_BAD_GZIP,
		[TL_GZIP_TRAILING] = TL_FAULT_TRAILING_GARBAGE};
	uint64_t at;
	enum tl_gzip_damage d = tl_source_damage(r->src, &at);
	if (d == TL_GZIP_WHOLE || r->sc.p < r->sc.end)
		return;
	/* the cut of the JSON is that of the gzip data: one fault, not two */
	if (d != TL_GZIP_TRAILING && r->faults.of[TL_FAULT_TRUNCATED_JSON].count)
		r->faults.of[TL_FAULT_TRUNCATED_JSON].count = 0;
	fault_at(r, codes[d], 1, at, NULL);
}

static void read_trace(struct reader *r)
{
	r->begun = r->in_damage = r->saw_events = false;
	r->held.n = r->early.n = r->head.n = r->rank.n = 0;
	r->rebase.n = 0;
	r->ids = r->skipped = r->repaired = 0;
	r->sum = (struct tl_chrome_sum){0};
	r->faults = (struct tl_faults){0};
	r->comma_notes = r->open_notes = 0;
	r->sc.trailing_comma = false;
	if (r->opt->rank)
		tl_buf_span(&r->rank, tl_str(r->opt->rank));
	tl_buf_lit(&r->head, "{\"type\":\"event\",\"trace\":");
	tl_buf_u64(&r->head, r->trace);
	tl_buf_lit(&r->head, ",\"id\":");
	read_document(r);
	if (!r->failed && skip_blank(r) && *r->sc.p != '{' && *r->sc.p != '[') {
		r->sc.why = "expected a trace or the end";
		garbage(r);
		skip_blank(r);
	}
	gzip_damage(r);
	if (!r->failed && !r->begun)
		begin_rebased(r);
	say_faults(r);
	if (r->failed)
		return;
	end_record(r);
	say_notes(r);
	r->got->damage |= r->faults.any;
	r->got->traces++;
	r->trace++;
}

static bool read_source(struct reader *r)
{
	refill(r, r->win);
	if (r->sc.end - r->sc.p >= 3 && memcmp(r->sc.p, "\xef\xbb\xbf", 3) == 0) {
		r->sc.p += 3;
		tl_note("%s: byte order mark passed over", r->name);
	}
	if (!skip_blank(r) && !r->failed) {
		tl_fail(r->e, 0, "empty input");
		r->failed = true;
	}
	if (!r->failed && *r->sc.p != '{' && *r->sc.p != '[') {
		tl_fail(r->e, offset_of(r, r->sc.p), "no JSON trace: starts with neither { nor [");
		r->failed = true;
	}
	uint64_t before = r->got->traces;
	while (!r->failed && skip_blank(r) && (*r->sc.p == '{' || *r->sc.p == '[')) {
		if (r->opt->rank && r->got->traces) {
			tl_fail(r->e, offset_of(r, r->sc.p), "--rank is for one trace, and here is another");
			r->failed = r->got->rank_misfit = true;
			break;
		}
		read_trace(r);
	}
	if (r->got->traces - before > 1)
		tl_note(
			"%s: %llu traces in one input", r->name, (unsigned long long)(r->got->traces - before));
	return !r->failed;
}

bool tl_chrome_read(const char *name, uint64_t first, const struct tl_extract_options *opt,
	struct tl_out *out, struct tl_extracted *got, struct tl_error *e)
{
	struct reader r = {.name = name,
		.opt = opt,
		.out = out,
		.trace = first,
		.got = got,
		.e = e,
		.cap = WINDOW,
		.pin = UINT64_MAX};
	r.src = tl_source_open(name, e);
	if (!r.src)
		return false;
	r.win = tl_calloc(r.cap + TL_SCAN_PAD, 1);
	r.sc.p = r.sc.end = r.win;
	fit_scratch(&r);
	bool ok = read_source(&r);
	tl_source_close(r.src);
	tl_scan_free(&r.sc);
	tl_chrome_event_free(&r.ev);
	tl_buf_free(&r.held);
	tl_buf_free(&r.early);
	tl_buf_free(&r.head);
	tl_buf_free(&r.rank);
	tl_buf_free(&r.rank_written);
	free(r.win);
	free(r.scratch);
	return ok;
}
