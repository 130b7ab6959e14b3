/* The reader of Chrome traces, as its parts share it: in.c (documents and members),
 * refill.c (bytes and events of the input), resync.c (where to go on after damage),
 * records.c (the records that are no events). */
#ifndef TL_CHROME_INSIDE_H
#define TL_CHROME_INSIDE_H
#include "event.h"
#include "../stream/stream.h"

#define TL_META_HELD (1024u * 1024) /* keys before traceEvents that wait for the trace's rank */

enum chrome_form {
	FORM_OBJECT, /* {"traceEvents": [...], ...} */
	FORM_ARRAY,  /* [...], whose ']' may be missing */
	FORM_LINES,  /* events one after the other, with no bracket around them */
};

struct chrome_reader {
	const char *name;
	const struct tl_extract_options *opt;
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
	struct tl_frame f;
	enum chrome_form form;
	struct tl_buf early;  /* raw text of events that wait for --rebase's first time */
	struct tl_write head; /* {"type":"event","trace":N,"id": */
	struct tl_chrome_rebase rebase;
	uint64_t ids;
	bool in_damage; /* behind a broken event: junk is part of it until an event is in place */
	bool resynced;  /* the next event was found by resync: more of the broken one may follow it */
	bool saw_events;
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

/* ---- resync.c */

/* Moves from `from` to the next place at which reading can go on: an object that is an event, or,
 * when none is left, the ']' that closes the array. False: neither, p is at the end then. */
bool chrome_resync(struct chrome_reader *r, const char *from);

/* ---- records.c */

void chrome_begin_trace(struct chrome_reader *r); /* once */
void chrome_write_meta(struct chrome_reader *r, struct tl_span key, struct tl_span val);
void chrome_say_faults(const struct chrome_reader *r);
void chrome_say_notes(const struct chrome_reader *r);

#endif
