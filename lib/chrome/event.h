/* One event of a Chrome trace: scanned from the window, written as an `event` record. */
#ifndef TL_CHROME_EVENT_H
#define TL_CHROME_EVENT_H
#include "../json/json.h"
#include "in.h"

/* Keys of an event that have a place of their own in the record; all others go to `chrome`. */
enum chrome_key {
	CHROME_KEY_PH,
	CHROME_KEY_CAT,
	CHROME_KEY_NAME,
	CHROME_KEY_PID,
	CHROME_KEY_TID,
	CHROME_KEY_TS,
	CHROME_KEY_DUR,
	CHROME_KEY_ARGS,
	CHROME_KEY_ID, /* stays in `chrome`; `flow` too when ph is s, t or f */
	CHROME_KEY_OTHER
};

/* Keys of args that are hoisted. */
enum chrome_hoist {
	CHROME_HOIST_DEVICE,
	CHROME_HOIST_STREAM,
	CHROME_HOIST_CORRELATION,
	CHROME_HOIST_EXTERNAL_ID,
	CHROME_HOIST_COUNT
};

struct chrome_spans {
	struct tl_span *v;
	size_t n, cap;
};

struct tl_chrome_event {
	struct tl_span key[CHROME_KEY_OTHER]; /* values, minified; n == 0: absent */
	struct tl_span hoist[CHROME_HOIST_COUNT];
	struct tl_span own_cat;   /* n > 0: the source's category, null for none; `key` has another */
	struct chrome_spans rest; /* members for `chrome`, as "key":value */
	struct chrome_spans kept; /* members of args that --args KEY,KEY keeps */
};

/* A plain decimal number of microseconds that is subtracted from every ts; n == 0: none. */
struct tl_chrome_rebase {
	char text[64];
	size_t n;
};

enum chrome_key tl_chrome_key(struct tl_span inner);

/* Scans the object at s->p ('{'). On TL_SCAN_OK, e holds spans of the scanner's output. */
enum tl_scan_result tl_chrome_event_scan(
	struct tl_scan *s, struct tl_chrome_event *e, const struct tl_extract_options *opt);

/* An event is an object with `ph`. */
static inline bool tl_chrome_event_is(const struct tl_chrome_event *e)
{
	return e->key[CHROME_KEY_PH].n > 0;
}

/* {}: the first or last member of some writers, who mark the end with it. */
static inline bool tl_chrome_event_is_empty(const struct tl_chrome_event *e)
{
	bool any = e->rest.n > 0;
	for (int i = 0; i < CHROME_KEY_OTHER; i++)
		any |= e->key[i].n > 0;
	return !any;
}

/* Writes the record and counts it: `head` is all up to the id, {"type":"event","trace":0,"id": .
 * Returns the number of bad times, which are left out. */
unsigned tl_chrome_event_write(struct tl_out *o, struct tl_span head, uint64_t id,
	const struct tl_chrome_event *e, const struct tl_extract_options *opt,
	const struct tl_chrome_rebase *rebase, struct tl_sum *sum);

/* Whether it is metadata (ph M), and its ts as plain decimal digits for --rebase (false: none). */
bool tl_chrome_event_is_meta(const struct tl_chrome_event *e);
bool tl_chrome_event_ts(const struct tl_chrome_event *e, struct tl_chrome_rebase *out);

void tl_chrome_event_free(struct tl_chrome_event *e);

#endif
