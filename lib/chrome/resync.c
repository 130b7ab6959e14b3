#include "inside.h"

#define CANDIDATES 64

/* What stands behind a ']' that may close traceEvents: only top-level keys up to the end of the
 * document, as far as the input is known. */
static bool tail_fits(struct chrome_reader *r, const char *p)
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

enum next { NEXT_NONE, NEXT_OBJECT, NEXT_BRACKET, NEXT_END };

/* To the next '{' or ']', or to where the damage ends. The brackets seen stay in the window as long
 * as --max-event allows. */
static enum next next_place(struct chrome_reader *r, struct brackets *b)
{
	for (;;) {
		const char *p = r->sc.p;
		while (p < r->sc.end && *p != '{' && *p != ']')
			p++;
		r->sc.p = p;
		if (chrome_damage_pass(r, p < r->sc.end ? p + (*p == ']') : p)) {
			r->sc.p = chrome_at(r, r->damage.at);
			return NEXT_END;
		}
		if (p < r->sc.end)
			return *p == '{' ? NEXT_OBJECT : NEXT_BRACKET;
		if (b->n && chrome_offset(r, p) - b->at[0] > r->opt->max_event)
			b->n = 0;
		r->pin = b->n ? b->at[0] : UINT64_MAX;
		if (!chrome_refill(r, p))
			return NEXT_NONE;
	}
}

/* Tries the '{' at p: true when an event starts there. Else p moves on, one byte, or, when trying
 * has cost far more than has been passed over, to where the last try failed: linear whatever the
 * damage. */
static bool try_event(struct chrome_reader *r, uint64_t start)
{
	uint64_t at = chrome_offset(r, r->sc.p);
	enum tl_scan_result res = chrome_scan_event(r);
	uint64_t reached = chrome_offset(r, res == TL_SCAN_MORE ? r->sc.end : r->sc.p);
	chrome_forget_repairs(r);
	r->sc.p = chrome_at(r, at);
	if (res == TL_SCAN_OK && tl_chrome_event_is(&r->ev))
		return true;
	r->tried += reached - at;
	bool dear = r->tried > (UINT64_C(16) << 20) + 32 * (r->passed + at - start) && reached > at;
	r->sc.p = chrome_at(r, dear ? reached : at + 1);
	return false;
}

bool chrome_resync(struct chrome_reader *r, const char *from)
{
	struct brackets b = {.n = 0};
	uint64_t start = chrome_offset(r, from);
	enum next n;
	bool found = false;
	r->sc.p = from;
	r->resynced = true;
	while (!found && !r->failed && (n = next_place(r, &b)) != NEXT_NONE) {
		r->pin = b.n ? b.at[0] : UINT64_MAX;
		if (n == NEXT_END) {
			found = true;
		} else if (n == NEXT_OBJECT) {
			found = chrome_damage_ends(r) || try_event(r, start);
		} else {
			if (b.n < CANDIDATES)
				b.at[b.n++] = chrome_offset(r, r->sc.p);
			r->sc.p++;
		}
	}
	for (size_t i = 0; i < b.n && !found && !r->failed; i++) {
		r->sc.p = chrome_at(r, b.at[i]);
		found = tail_fits(r, r->sc.p + 1);
	}
	r->pin = UINT64_MAX;
	if (!found)
		r->sc.p = r->sc.end;
	r->passed += chrome_offset(r, r->sc.p) - start;
	return found;
}
