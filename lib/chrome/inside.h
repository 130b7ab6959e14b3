/* The reader of Chrome traces, as its parts share it: in.c (documents and members),
 * refill.c (bytes and events of the input), damage.c (how far a broken member reaches), resync.c
 * (where to go on after it), records.c (the records that are no events). */
#ifndef TL_CHROME_INSIDE_H
#define TL_CHROME_INSIDE_H
#include "event.h"
#include "rows.h"
#include "../stream/stream.h"

#define TL_NAMES_HELD (16u * 1024 * 1024) /* events that wait for names of their rows */
#define TL_META_HELD (1024u * 1024) /* keys before traceEvents that wait for the trace's rank */

enum chrome_form {
	FORM_OBJECT, /* {"traceEvents": [...], ...} */
	FORM_ARRAY,  /* [...], whose ']' may be missing */
	FORM_LINES,  /* events one after the other, with no bracket around them */
};

/* A broken member of the array, read on by its brackets and quotes as far as these can be trusted:
 * one damage, whatever it holds. */
struct chrome_damage {
	bool open;      /* its end was not met yet */
	bool junk;      /* no object: ends where an event begins */
	uint64_t at;    /* offset of the first byte not looked at */
	uint64_t lists; /* open brackets, one bit each, 1: a list */
	unsigned depth; /* 0: closed, if what comes next may stand behind a member */
	bool in_string, escaped;
	char last;    /* the last byte that is not blank */
	unsigned cut; /* 1 or 2 behind a member that was cut: junk behind the next event is its tail */
};

struct chrome_reader {
	const char *name;
	const struct tl_extract_options *opt;
	struct tl_source *src;
	struct tl_error *e;
	bool any_trace; /* one was written */
	bool failed;    /* e is filled: reading failed, or damage under strict */

	char *win; /* window of raw bytes; the scanner's p and end point into it */
	size_t cap;
	uint64_t base; /* offset of win[0] in the inflated input */
	uint64_t pin;  /* bytes from this offset on stay in the window; UINT64_MAX: no such need */
	struct tl_scan sc;
	char *scratch;
	struct tl_chrome_event ev;

	/* the trace being read */
	struct tl_frame f;
	enum chrome_form form;
	struct tl_buf early; /* raw text of events that wait: for --rebase's first time, for names */
	uint64_t early_id, early_at; /* of the first of them */
	struct chrome_rows *rows;
	bool waited;          /* names did not come in time: no event waits for one any more */
	struct tl_write head; /* {"type":"event","trace":N,"id": */
	struct tl_chrome_rebase rebase;
	uint64_t ids;
	struct chrome_damage damage; /* what comes while it is open is part of it */
	bool resynced;               /* p was found by resync: what is there may lack its comma */
	uint64_t tried, passed;      /* bytes that resync scanned, and went over, in all */
	bool any_member, has_mark;
	uint64_t mark; /* offset of a {}, which is no damage where no member follows */
	bool saw_events;
	struct tl_error foreign; /* what a document without traceEvents is; "" while it is not known */
	uint64_t other_docs, other_at; /* such documents behind a trace, and where the first stands */
	unsigned comma_notes, open_notes;
};

/* Offset in the inflated input of a byte of the window. */
static inline uint64_t chrome_offset(const struct chrome_reader *r, const char *p)
{
	return r->base + (uint64_t)(p - r->win);
}

/* The byte of the window at an offset. */
static inline const char *chrome_at(const struct chrome_reader *r, uint64_t offset)
{
	return r->win + (offset - r->base);
}

/* ---- refill.c */

void chrome_window_open(struct chrome_reader *r);

/* More bytes behind those from `keep` on, which move to the front. The window at least doubles what
 * is kept, so that a value that is scanned anew each time costs linear time. False at the end, and
 * when reading failed. The scanner's p stays at its byte; other pointers into the window do not. */
bool chrome_refill(struct chrome_reader *r, const char *keep);

/* Goes over white space; false at the end of the input. */
bool chrome_skip_blank(struct chrome_reader *r);

/* Scans the object at p as an event into r->ev, with more bytes when the window ends in it. MORE
 * means that the input ends in it, or that it is larger than --max-event; p stands at it then. */
enum tl_scan_result chrome_scan_event(struct chrome_reader *r);

/* What the scanner repaired in a value that was kept becomes faults; in one that was not, nothing.
 */
void chrome_take_repairs(struct chrome_reader *r);
void chrome_forget_repairs(struct chrome_reader *r);

/* Counts damage; under --strict reading has failed with it. */
void chrome_fault_at(
	struct chrome_reader *r, enum tl_fault_code c, uint64_t n, uint64_t offset, const char *detail);

/* ---- damage.c */

/* A broken member begins at this offset, whose byte is in the window. */
void chrome_damage_begin(struct chrome_reader *r, uint64_t at);

/* Looks at all bytes up to `to`. True when the damage ended: `at` is the place then. */
bool chrome_damage_pass(struct chrome_reader *r, const char *to);

/* True when the '{' at p, up to which the damage was looked at, cannot be within an object or list
 * of it and begins like an event: the next member, behind one that was cut or lacks a quote. */
bool chrome_damage_ends(struct chrome_reader *r);

/* ---- resync.c */

/* Moves from `from` to the next place at which reading can go on: where the damage ends, an object
 * in it that is an event, or, when none is left, the ']' that closes the array. False: neither, p
 * is at the end then. */
bool chrome_resync(struct chrome_reader *r, const char *from);

/* ---- records.c */

void chrome_begin_trace(struct chrome_reader *r); /* once */
void chrome_write_meta(struct chrome_reader *r, struct tl_span key, struct tl_span val);
void chrome_say_faults(const struct chrome_reader *r);
void chrome_say_notes(const struct chrome_reader *r);

#endif
