/* One event of a Chrome trace: scanned from the window, written as an `event` record. */
#ifndef TL_CHROME_EVENT_H
#define TL_CHROME_EVENT_H
#include "../json/scan.h"
#include "in.h"

/* Keys of an event that have a place of their own in the record; all others go to `chrome`. */
enum tl_chrome_key {
	TL_CK_PH,
	TL_CK_CAT,
	TL_CK_NAME,
	TL_CK_PID,
	TL_CK_TID,
	TL_CK_TS,
	TL_CK_DUR,
	TL_CK_ARGS,
	TL_CK_ID, /* stays in `chrome`; `flow` too when ph is s, t or f */
	TL_CK_OTHER
};

/* Keys of args that are hoisted. */
enum tl_hoist { TL_H_DEVICE, TL_H_STREAM, TL_H_CORRELATION, TL_H_EXTERNAL_ID, TL_H_COUNT };

struct tl_spans {
	struct tl_span *v;
	size_t n, cap;
};

struct tl_chrome_event {
	struct tl_span key[TL_CK_OTHER]; /* values, minified; n == 0: absent */
	struct tl_span hoist[TL_H_COUNT];
	struct tl_spans rest; /* members for `chrome`, as "key":value */
	struct tl_spans kept; /* members of args that --args KEY,KEY keeps */
};

/* A plain decimal number of microseconds that is subtracted from every ts; n == 0: none. */
struct tl_rebase {
	char text[64];
	size_t n;
};

/* Scans the object at s->p ('{'). On TL_SCAN_OK, e holds spans of the scanner's output. */
enum tl_scan_result tl_chrome_event_scan(
	struct tl_scan *s, struct tl_chrome_event *e, const struct tl_extract_options *opt);

/* An event is an object with `ph`. */
static inline bool tl_chrome_event_is(const struct tl_chrome_event *e)
{
	return e->key[TL_CK_PH].n > 0;
}

/* Writes the record and counts it: `head` is all up to the id, {"type":"event","trace":0,"id": .
 * Returns the number of bad times, which are left out. */
unsigned tl_chrome_event_write(struct tl_out *o, struct tl_span head, uint64_t id,
	const struct tl_chrome_event *e, const struct tl_extract_options *opt,
	const struct tl_rebase *rebase, struct tl_sum *sum);

/* Whether it is metadata (ph M), and its ts as plain decimal digits for --rebase (false: none). */
bool tl_chrome_event_is_meta(const struct tl_chrome_event *e);
bool tl_chrome_event_ts(const struct tl_chrome_event *e, struct tl_rebase *out);

void tl_chrome_event_free(struct tl_chrome_event *e);

#endif
