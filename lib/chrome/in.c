#include "inside.h"
#include <stdlib.h>

/* ---- events */

static bool is_wanted(const struct chrome_reader *r, const struct tl_chrome_event *e)
{
	return tl_is_wanted(
		r->opt, e->key[CHROME_KEY_PH], e->key[CHROME_KEY_CAT], e->key[CHROME_KEY_NAME]);
}

static void put_event(
	struct chrome_reader *r, struct tl_chrome_event *ev, bool odd, uint64_t id, uint64_t at)
{
	if (odd)
		chrome_rows_take(r->rows, ev);
	if (!is_wanted(r, ev))
		return;
	unsigned bad = tl_chrome_event_write(
		r->f.out, tl_buf_all(&r->head.b), id, ev, r->opt, &r->rebase, &r->f.sum);
	if (bad)
		chrome_fault_at(r, TL_FAULT_BAD_TIME, bad, at, NULL);
	if (bad && !r->sc.repairs)
		r->f.repaired++;
}

/* Writes the events that waited. */
static void write_early(struct chrome_reader *r)
{
	struct tl_buf out = {0};
	struct tl_chrome_event ev = {0};
	tl_buf_more(&out, (r->early.n + TL_SCAN_PAD) * TL_SCAN_GROWTH + 256);
	size_t n = r->early.n;
	tl_buf_more(&r->early, TL_SCAN_PAD);
	memset(r->early.p + n, 0, TL_SCAN_PAD);
	struct tl_scan s = {.p = r->early.p, .end = r->early.p + n, .final = true};
	for (uint64_t id = r->early_id; s.p < s.end; id++) {
		s.o = out.p;
		if (tl_chrome_event_scan(&s, &ev, r->opt) != TL_SCAN_OK)
			break;
		put_event(r, &ev, chrome_rows_odd(r->rows, &ev), id, r->early_at);
	}
	tl_scan_free(&s);
	tl_chrome_event_free(&ev);
	tl_buf_free(&out);
	r->early.n = 0;
}

/* Writes the `trace` record and what waited for it. */
static void begin_late(struct chrome_reader *r)
{
	chrome_begin_trace(r);
	write_early(r);
}

/* Whether the event has to wait: for the first time, which --rebase needs; for names that decide
 * what it is; or behind others that wait. */
static bool has_to_wait(struct chrome_reader *r, bool odd)
{
	bool meta = tl_chrome_event_is_meta(&r->ev);
	if (meta)
		chrome_rows_name(r->rows, &r->ev);
	if (!r->f.begun) {
		if (r->opt->rebase && (meta || !tl_chrome_event_ts(&r->ev, &r->rebase)))
			return true;
		begin_late(r);
	}
	if (r->early.n)
		return true;
	return odd && !r->waited && chrome_rows_wait(r->rows, &r->ev, &r->failed, r->e);
}

static void hold(struct chrome_reader *r, uint64_t id, uint64_t at)
{
	const char *raw = chrome_at(r, at);
	if (!r->early.n) {
		r->early_id = id;
		r->early_at = at;
	}
	tl_buf_add(&r->early, raw, (size_t)(r->sc.p - raw));
	r->waited = r->f.begun && r->early.n > TL_NAMES_HELD;
	if (r->waited)
		write_early(r);
}

/* The event that r->ev holds; its raw text is win + (at - base) up to p. */
static void take_event(struct chrome_reader *r, uint64_t at)
{
	uint64_t id = r->ids++;
	bool repaired = r->sc.repairs > 0;
	r->saw_events = true;
	r->damage.cut -= r->damage.cut > 0;
	if (r->damage.open)
		chrome_damage_pass(r, r->sc.p);
	bool odd = chrome_rows_odd(r->rows, &r->ev);
	if (has_to_wait(r, odd))
		hold(r, id, at);
	else
		put_event(r, &r->ev, odd, id, at);
	r->f.repaired += repaired;
	chrome_take_repairs(r);
}

/* ---- members of traceEvents */

static void fault(struct chrome_reader *r, enum tl_fault_code c, const char *p, const char *detail)
{
	chrome_fault_at(r, c, 1, chrome_offset(r, p), detail);
}

static void not_an_event(struct chrome_reader *r, uint64_t at, const char *why)
{
	r->f.skipped++;
	chrome_fault_at(r, TL_FAULT_NOT_AN_EVENT, 1, at, why);
}

/* A member that gives no event: counted once, then on to where reading can go on. */
static bool skip_damage(
	struct chrome_reader *r, enum tl_fault_code code, uint64_t at, const char *why)
{
	bool tail = r->damage.cut && *chrome_at(r, at) != '{';
	if (!r->damage.open) {
		r->f.skipped += !tail;
		if (!tail)
			chrome_fault_at(r, code, 1, at, why);
		chrome_damage_begin(r, at);
	}
	return !r->failed && chrome_resync(r, chrome_at(r, at + 1));
}

/* The input ends inside a member that starts at `at`. Something in it may still be whole: then it
 * is broken; else the input was cut. */
static bool ends_inside(struct chrome_reader *r, uint64_t at)
{
	bool counted = r->damage.open;
	if (!counted)
		chrome_damage_begin(r, at);
	r->f.skipped += !counted;
	if (chrome_resync(r, chrome_at(r, at + 1))) {
		if (!counted)
			chrome_fault_at(r, TL_FAULT_BROKEN_EVENT, 1, at, "no end");
		return !r->failed;
	}
	if (r->failed)
		return false;
	chrome_fault_at(r, TL_FAULT_TRUNCATED_JSON, 1, chrome_offset(r, r->sc.end), "an event");
	return false;
}

/* A member that is no object: a number, string or list is passed over, the rest is damage. */
static bool read_odd_member(struct chrome_reader *r, uint64_t at)
{
	enum tl_scan_result v = TL_SCAN_BAD;
	while (!r->damage.open) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		v = tl_scan_value(&r->sc);
		chrome_forget_repairs(r);
		if (v == TL_SCAN_OK) {
			not_an_event(r, at, NULL);
			return !r->failed;
		}
		if (v == TL_SCAN_BAD)
			break;
		r->sc.p = start;
		if ((size_t)(r->sc.end - start) >= r->opt->max_event)
			return skip_damage(r, TL_FAULT_OVERSIZE_EVENT, at, NULL);
		if (!chrome_refill(r, start))
			return ends_inside(r, at);
	}
	return skip_damage(r, TL_FAULT_BROKEN_EVENT, at, r->sc.why);
}

/* An object without ph. {} is let pass as the first or last member: which one it is, what comes
 * next tells. */
static void skip_object(struct chrome_reader *r, uint64_t at)
{
	if (r->damage.open) {
		chrome_forget_repairs(r);
		chrome_damage_pass(r, r->sc.p);
		return;
	}
	chrome_take_repairs(r);
	if (!tl_chrome_event_is_empty(&r->ev))
		not_an_event(r, at, "no ph");
	else if (r->any_member)
		r->has_mark = true, r->mark = at;
}

/* One member of the array at p; false when the array cannot be read on. */
static bool read_member(struct chrome_reader *r)
{
	uint64_t at = chrome_offset(r, r->sc.p);
	r->resynced = false;
	if (r->has_mark)
		not_an_event(r, r->mark, "no ph");
	r->has_mark = false;
	if (*r->sc.p != '{')
		return read_odd_member(r, at);
	enum tl_scan_result res = chrome_scan_event(r);
	if (r->failed)
		return false;
	if (res == TL_SCAN_BAD)
		return skip_damage(r, TL_FAULT_BROKEN_EVENT, at, r->sc.why);
	bool oversize = (res == TL_SCAN_OK ? chrome_offset(r, r->sc.p) : chrome_offset(r, r->sc.end)) -
						at >
					r->opt->max_event;
	if (oversize)
		return skip_damage(r, TL_FAULT_OVERSIZE_EVENT, at, NULL);
	if (res == TL_SCAN_MORE)
		return ends_inside(r, at);
	if (tl_chrome_event_is(&r->ev))
		take_event(r, at);
	else
		skip_object(r, at);
	return !r->failed;
}

/* Whether what stands at p is still part of damage that an event was found in. */
static void leave_damage(struct chrome_reader *r)
{
	const char *p = r->sc.p;
	if (chrome_damage_pass(r, p))
		return;
	if (*p != '{' || r->damage.depth == 0)
		chrome_damage_pass(r, p + 1);
	else if (chrome_damage_ends(r))
		r->damage = (struct chrome_damage){.cut = 2};
}

/* A comma, or its absence (where a member follows), that is no damage but not JSON either. */
static void note_comma(struct chrome_reader *r, bool odd)
{
	r->comma_notes += odd && !r->resynced && !r->damage.open;
}

/* What stands at p between two members, or behind the last. */
enum place { PLACE_COMMA, PLACE_CLOSE, PLACE_MEMBER, PLACE_JUNK };
static enum place place(const struct chrome_reader *r, bool comma)
{
	return *r->sc.p == ','   ? PLACE_COMMA
		   : *r->sc.p == ']' ? PLACE_CLOSE
		   /* without a comma, only an object can be a member; the rest is the tail of damage */
		   : comma || *r->sc.p == '{' ? PLACE_MEMBER
									  : PLACE_JUNK;
}

/* The members of the array, from behind its '[' to behind its ']'. False when the input ended or
 * reading failed before that. */
static bool read_events(struct chrome_reader *r)
{
	bool comma = true;
	for (;;) {
		if (!chrome_skip_blank(r))
			return false;
		if (r->damage.open)
			leave_damage(r);
		enum place here = place(r, comma);
		if (here == PLACE_COMMA)
			note_comma(r, comma);
		else if (here == PLACE_CLOSE)
			note_comma(r, comma && r->any_member);
		else if (here == PLACE_MEMBER)
			note_comma(r, !comma && r->form != FORM_LINES);
		comma = here == PLACE_COMMA;
		if (here == PLACE_COMMA || here == PLACE_CLOSE) {
			r->resynced = false;
			r->sc.p++;
		}
		if (here == PLACE_CLOSE) {
			r->damage = (struct chrome_damage){0};
			return true;
		}
		if (here == PLACE_MEMBER && !read_member(r))
			return false;
		r->any_member |= here == PLACE_MEMBER;
		if (here == PLACE_JUNK && !skip_damage(r, TL_FAULT_BROKEN_EVENT, chrome_offset(r, r->sc.p),
									  "expected ',' or ']'"))
			return false;
	}
}

/* ---- documents */

/* After a scan from `start` that ran into the end of the window: back there, with more bytes. */
static bool again(struct chrome_reader *r, const char *start)
{
	chrome_forget_repairs(r);
	r->sc.p = start;
	return chrome_refill(r, start);
}

/* A key and its value at the top level; p stands behind '{' or behind a value. */
static enum tl_scan_result top_key(
	struct chrome_reader *r, bool first, struct tl_buf *key, bool *more)
{
	struct tl_span k;
	for (;;) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		enum tl_scan_result res = tl_scan_key(&r->sc, first, &k, more);
		if (res == TL_SCAN_OK && *more) {
			key->n = 0;
			tl_buf_span(key, k);
			chrome_take_repairs(r);
		}
		if (res != TL_SCAN_MORE || !again(r, start))
			return res;
	}
}

static enum tl_scan_result top_value(struct chrome_reader *r, struct tl_span key)
{
	for (;;) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		enum tl_scan_result res = tl_scan_value(&r->sc);
		if (res == TL_SCAN_OK) {
			chrome_take_repairs(r);
			chrome_write_meta(r, key, (struct tl_span){r->scratch, (size_t)(r->sc.o - r->scratch)});
		}
		if (res != TL_SCAN_MORE || !again(r, start))
			return res;
	}
}

static void cut(struct chrome_reader *r, const char *inside)
{
	chrome_fault_at(r, TL_FAULT_TRUNCATED_JSON, 1, chrome_offset(r, r->sc.end), inside);
	r->sc.p = r->sc.end;
}

/* Top-level text that is not JSON: on to where a document may start, a bracket that begins a line.
 */
static void garbage(struct chrome_reader *r)
{
	fault(r, TL_FAULT_TRAILING_GARBAGE, r->sc.p, r->sc.why);
	char before = 0;
	while (!r->failed) {
		while (r->sc.p < r->sc.end && !(before == '\n' && (*r->sc.p == '{' || *r->sc.p == '[')))
			before = *r->sc.p++;
		if (r->sc.p < r->sc.end || !chrome_refill(r, r->sc.p))
			return;
	}
}

static void traceevents(struct chrome_reader *r)
{
	if (!r->opt->rebase && r->form != FORM_ARRAY)
		chrome_begin_trace(r);
	r->saw_events = true;
	bool cut_before = r->f.faults.of[TL_FAULT_TRUNCATED_JSON].count > 0;
	if (!read_events(r) && !r->failed && !cut_before &&
		!r->f.faults.of[TL_FAULT_TRUNCATED_JSON].count) {
		if (r->form == FORM_OBJECT)
			cut(r, "traceEvents");
		else
			r->open_notes++;
	}
	if (r->f.begun)
		write_early(r);
}

static void no_trace(struct chrome_reader *r)
{
	*r->e = r->foreign;
	r->failed = r->f.got->no_trace = true;
}

/* Whether the key says that the document is no trace. Some kinds of files are told by their first
 * key, but only if no traceEvents follow. */
static bool is_foreign(struct chrome_reader *r, struct tl_span key, bool first)
{
	if (r->saw_events || r->any_trace)
		return false;
	if (tl_foreign_key(key, false, r->name, &r->foreign)) {
		no_trace(r);
		return true;
	}
	if (first)
		tl_foreign_key(key, true, r->name, &r->foreign);
	return false;
}

static void read_object(struct chrome_reader *r)
{
	struct tl_buf key = {0};
	bool more = true;
	r->form = FORM_OBJECT;
	r->sc.p++;
	for (bool first = true; !r->failed; first = false) {
		enum tl_scan_result res = top_key(r, first, &key, &more);
		if (res == TL_SCAN_OK && (!more || is_foreign(r, tl_buf_all(&key), first)))
			break;
		if (res == TL_SCAN_OK && !chrome_skip_blank(r))
			res = TL_SCAN_MORE;
		if (res == TL_SCAN_OK && *r->sc.p == '[' &&
			tl_span_eq(tl_buf_all(&key), TL_LIT("traceEvents"))) {
			r->sc.p++;
			traceevents(r);
			continue;
		}
		if (res == TL_SCAN_OK)
			res = top_value(r, tl_buf_all(&key));
		if (res == TL_SCAN_MORE && !r->f.faults.of[TL_FAULT_TRUNCATED_JSON].count)
			cut(r, "metadata");
		if (res == TL_SCAN_BAD)
			garbage(r);
		if (res != TL_SCAN_OK)
			break;
	}
	tl_buf_free(&key);
}

/* True when the object at p starts like an event ("ph" first): events without a bracket around. */
static bool looks_like_event(struct chrome_reader *r)
{
	while (r->sc.end - r->sc.p < 64 && chrome_refill(r, r->sc.p))
		;
	const char *p = r->sc.p + 1;
	while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
		p++;
	return r->sc.end - p >= 4 && memcmp(p, "\"ph\"", 4) == 0;
}

static void read_document(struct chrome_reader *r)
{
	if (*r->sc.p == '{' && !looks_like_event(r)) {
		read_object(r);
		return;
	}
	r->form = *r->sc.p == '[' ? FORM_ARRAY : FORM_LINES;
	r->sc.p += r->form == FORM_ARRAY;
	traceevents(r);
}

static void gzip_damage(struct chrome_reader *r)
{
	uint64_t at;
	enum tl_gzip_damage d = tl_source_damage(r->src, &at);
	if (d == TL_GZIP_WHOLE || r->sc.p < r->sc.end)
		return;
	/* the cut of the JSON is that of the gzip data: one fault, not two */
	if (d != TL_GZIP_TRAILING && r->f.faults.of[TL_FAULT_TRUNCATED_JSON].count)
		r->f.faults.of[TL_FAULT_TRUNCATED_JSON].count = 0;
	chrome_fault_at(r, tl_fault_of_gzip(d), 1, at, NULL);
}

/* A whole document that has no traceEvents, or an array of other things than events. */
static bool is_other(const struct chrome_reader *r)
{
	if (r->failed || r->f.faults.of[TL_FAULT_TRUNCATED_JSON].count)
		return false;
	return r->form == FORM_OBJECT ? !r->saw_events
								  : !r->ids && r->f.skipped && !r->f.begun &&
										r->f.faults.of[TL_FAULT_NOT_AN_EVENT].count == r->f.skipped;
}

/* The first document of a source decides whether that is a trace; later ones are passed over. */
static void leave_other(struct chrome_reader *r, uint64_t at)
{
	if (r->any_trace) {
		r->other_at = r->other_docs++ ? r->other_at : at;
		return;
	}
	const struct tl_faults *f = &r->f.faults;
	if (f->of[TL_FAULT_TRAILING_GARBAGE].count)
		tl_fail(&r->foreign, 0, "no trace: not JSON before any traceEvents, at byte %llu",
			(unsigned long long)f->of[TL_FAULT_TRAILING_GARBAGE].offset);
	else if (!r->foreign.text[0])
		tl_fail(&r->foreign, 0,
			r->form == FORM_OBJECT ? "no trace: JSON without traceEvents"
								   : "no trace: a JSON array that holds no event");
	no_trace(r);
}

static void read_trace(struct chrome_reader *r)
{
	uint64_t at = chrome_offset(r, r->sc.p);
	tl_frame_begin(&r->f, r->f.trace);
	r->damage = (struct chrome_damage){0};
	r->resynced = r->any_member = r->has_mark = r->saw_events = false;
	r->early.n = 0;
	r->waited = false;
	chrome_rows_clear(r->rows);
	r->rebase.n = 0;
	r->ids = 0;
	r->comma_notes = r->open_notes = 0;
	r->sc.trailing_comma = false;
	tl_record(&r->head, "event", r->f.trace);
	tl_put_key(&r->head, "id");
	read_document(r);
	if (is_other(r)) {
		leave_other(r, at);
		return;
	}
	if (!r->failed && chrome_skip_blank(r) && *r->sc.p != '{' && *r->sc.p != '[') {
		r->sc.why = "expected a trace or the end";
		garbage(r);
		chrome_skip_blank(r);
	}
	gzip_damage(r);
	if (!r->failed && !r->f.begun)
		begin_late(r);
	if (r->f.got->no_trace)
		return;
	chrome_say_faults(r);
	if (r->failed)
		return;
	chrome_rows_put(r->rows, &r->f.other_cats);
	tl_frame_end(&r->f);
	r->any_trace = true;
	chrome_say_notes(r);
	r->f.trace++;
}

static bool read_source(struct chrome_reader *r)
{
	chrome_refill(r, r->win);
	if (r->sc.end - r->sc.p >= 3 && memcmp(r->sc.p, "\xef\xbb\xbf", 3) == 0) {
		r->sc.p += 3;
		tl_note("%s: byte order mark passed over", r->name);
	}
	if (!chrome_skip_blank(r) && !r->failed) {
		tl_fail(r->e, 0, "empty input");
		r->failed = true;
	}
	if (!r->failed && *r->sc.p != '{' && *r->sc.p != '[') {
		tl_fail(r->e, chrome_offset(r, r->sc.p), "no JSON trace: starts with neither { nor [");
		r->failed = r->f.got->no_trace = true;
	}
	uint64_t before = r->f.got->traces;
	while (!r->failed && chrome_skip_blank(r) && (*r->sc.p == '{' || *r->sc.p == '[')) {
		if (r->opt->rank && r->f.got->traces) {
			tl_fail(
				r->e, chrome_offset(r, r->sc.p), "--rank is for one trace, and here is another");
			r->failed = r->f.got->rank_misfit = true;
			break;
		}
		read_trace(r);
	}
	if (r->other_docs) {
		tl_warn("%s: %llu documents without events behind the trace left out, first at byte %llu",
			r->name, (unsigned long long)r->other_docs, (unsigned long long)r->other_at);
		r->f.got->damage = true;
	}
	if (tl_source_members(r->src) > 1)
		tl_note("%s: %llu gzip members, read as one", r->name,
			(unsigned long long)tl_source_members(r->src));
	if (r->f.got->traces - before > 1)
		tl_note("%s: %llu traces in one input", r->name,
			(unsigned long long)(r->f.got->traces - before));
	return !r->failed;
}

bool tl_chrome_read(struct tl_source *src, const char *name, uint64_t first,
	const struct tl_extract_options *opt, struct tl_out *out, struct tl_extracted *got,
	struct tl_error *e)
{
	struct chrome_reader r = {.name = name,
		.src = src,
		.opt = opt,
		.f = {.out = out, .opt = opt, .got = got, .trace = first},
		.rows = chrome_rows_new(),
		.e = e};
	chrome_window_open(&r);
	bool ok = read_source(&r);
	tl_scan_free(&r.sc);
	tl_chrome_event_free(&r.ev);
	tl_buf_free(&r.early);
	chrome_rows_free(r.rows);
	tl_write_free(&r.head);
	tl_frame_free(&r.f);
	free(r.win);
	free(r.scratch);
	return ok;
}
