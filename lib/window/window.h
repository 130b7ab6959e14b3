/* Activity windows (tl-window.5): rows of GPU and API activity, one JSON object a line, merged with
 * the events of a host trace into event records (tl-records.5).
 *
 *     struct tl_window *w = tl_window_new(compat, &e);
 *     for each line of the window: switch (tl_window_line(w, line)) ...
 *     for each event of the host trace: tl_window_event(w, record);
 *     if (!tl_window_finish(w, &e)) ...            // nothing was written so far
 *     write the `trace` record, with tl_window_base(w);
 *     tl_window_write(w, &frame);                  // meta records, then all events by id
 *
 * A window is held whole: fixed columns, about 40 bytes a row, with what repeats kept once; the
 * joins add up to 100 bytes a row. Host events are held as text. All times are absolute ns inside.
 * Rules: `compat` follows the reference to the letter, else times are exact, signs are kept, and
 * nothing is drawn that the rows do not say (tl-window.5, REFERENCE RULES). */
#ifndef TL_WINDOW_H
#define TL_WINDOW_H
#include "../base/buf.h"
#include "../base/msg.h"
#include "../trace/event.h"

struct tl_window;

/* NULL and `e` filled when a table of share/cupti cannot be read. */
struct tl_window *tl_window_new(bool compat, struct tl_error *e);
void tl_window_free(struct tl_window *w);

enum tl_window_line {
	TL_WINDOW_TAKEN,    /* a row, or nothing (blank, a // remark) */
	TL_WINDOW_EVENT,    /* a Chrome event: to be made a record and given to tl_window_event */
	TL_WINDOW_BAD_TIME, /* skipped: a row without start or end, or (not compat) that ends too early
						 */
	TL_WINDOW_NOT_JSON, /* skipped; the line may be repaired and given again */
	TL_WINDOW_NO_KIND,  /* skipped: JSON, but neither `kind` nor `ph` */
	TL_WINDOW_UNKNOWN,  /* skipped: a kind that tl does not know, see tl_window_unknown */
};

/* One line (without LF), copied where it is kept. */
enum tl_window_line tl_window_line(struct tl_window *w, struct tl_span line);

/* An event of the host trace: a whole event record; its id is given anew. False: not readable. */
bool tl_window_event(struct tl_window *w, struct tl_span record);

/* A top-level key of the host trace (key without quotes); wins over the same key of a header. */
void tl_window_meta(struct tl_window *w, struct tl_span key, struct tl_span value);

/* The value of a top-level key, of the host trace or of a header; an empty span when absent. */
struct tl_span tl_window_top_value(const struct tl_window *w, struct tl_span key);

/* Joins what was read. False and `e` filled when there is no duration event at all. */
bool tl_window_finish(struct tl_window *w, struct tl_error *e);

/* What ts 0 is: ns since the epoch. Of the host trace, else the header, else the earliest row. */
int64_t tl_window_base(const struct tl_window *w);

/* Writes meta records and events, in order of id. Once only. */
struct tl_frame;
void tl_window_write(struct tl_window *w, struct tl_frame *frame);

/* What was found; complete after tl_window_write. */
struct tl_window_totals {
	uint64_t rows;        /* lines taken as rows of activity */
	uint64_t host_events; /* events of the host trace, those in the window included */
	uint64_t clamped;     /* arrows that would have run backwards */
	bool twice;           /* GPU or API rows stand in the host trace and in the window */
};
const struct tl_window_totals *tl_window_totals(const struct tl_window *w);

/* The n-th unknown kind in order of first sight and how often it came; false when there is none. */
bool tl_window_unknown(const struct tl_window *w, size_t n, struct tl_span *kind, uint64_t *count);

#endif
