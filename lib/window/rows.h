/* Activity windows (tl-window.5): rows of GPU and API activity, one JSON object a line, merged with
 * the events of a host trace into event records (tl-records.5).
 *
 *     struct window *w = window_new(compat, &e);
 *     for each line of the window: switch (window_line(w, line)) ...
 *     for each event of the host trace: window_event(w, record);
 *     if (!window_finish(w, &e)) ...            // nothing was written so far
 *     write the `trace` record, with window_base(w);
 *     window_write(w, &frame);                  // meta records, then all events by id
 *
 * A window is held whole: fixed columns, about 40 bytes a row, with what repeats kept once; the
 * joins add up to 100 bytes a row. Host events are held as text. All times are absolute ns inside.
 * Rules: `compat` follows the reference to the letter, else times are exact, signs are kept, and
 * nothing is drawn that the rows do not say (tl-window.5, REFERENCE RULES). */
#ifndef TL_WINDOW_ROWS_H
#define TL_WINDOW_ROWS_H
#include "../base/base.h"
#include "../trace/trace.h"

struct window;

/* NULL and `e` filled when a table of share/cupti cannot be read. */
struct window *window_new(bool compat, struct tl_error *e);
void window_free(struct window *w);

enum window_line {
	WINDOW_TAKEN,    /* a row, or nothing (blank, a // remark) */
	WINDOW_EVENT,    /* a Chrome event: to be made a record and given to window_event */
	WINDOW_BAD_TIME, /* skipped: a row without start or end, or (not compat) that ends too early
					  */
	WINDOW_NOT_JSON, /* skipped; the line may be repaired and given again */
	WINDOW_NO_KIND,  /* skipped: JSON, but neither `kind` nor `ph` */
	WINDOW_UNKNOWN,  /* skipped: a kind that tl does not know, see window_unknown */
};

/* One line (without LF), copied where it is kept. */
enum window_line window_line(struct window *w, struct tl_span line);

/* An event of the host trace: a whole event record; its id is given anew. False: not readable. */
bool window_event(struct window *w, struct tl_span record);

/* A top-level key of the host trace (key without quotes); wins over the same key of a header. */
void window_meta(struct window *w, struct tl_span key, struct tl_span value);

/* The value of a top-level key, of the host trace or of a header; an empty span when absent. */
struct tl_span window_top_value(const struct window *w, struct tl_span key);

/* Joins what was read. False and `e` filled when there is no duration event at all. */
bool window_finish(struct window *w, struct tl_error *e);

/* What ts 0 is: ns since the epoch. Of the host trace, else the header, else the earliest row. */
int64_t window_base(const struct window *w);

/* Writes meta records and events, in order of id. Once only. */
struct tl_frame;
void window_write(struct window *w, struct tl_frame *frame);

/* What was found; complete after window_write. */
struct window_totals {
	uint64_t rows;        /* lines taken as rows of activity */
	uint64_t host_events; /* events of the host trace, those in the window included */
	uint64_t clamped;     /* arrows that would have run backwards */
	bool twice;           /* GPU or API rows stand in the host trace and in the window */
};
const struct window_totals *window_totals(const struct window *w);

/* The n-th unknown kind in order of first sight and how often it came; false when there is none. */
bool window_unknown(const struct window *w, size_t n, struct tl_span *kind, uint64_t *count);

#endif
