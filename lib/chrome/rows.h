/* Rows of other producers than Kineto: which spans of a category that tl does not know are kernels,
 * copies, calls, operators, by category, process, thread and name (share/producers/chrome.tsv).
 *
 *     chrome_rows_name(rows, &ev);             // of each ph M
 *     odd = chrome_rows_odd(rows, &ev);
 *     if (odd && chrome_rows_wait(rows, &ev, &failed, &e)) // a name that decides has not come yet
 *         keep it;
 *     if (odd)
 *         chrome_rows_take(rows, &ev);         // before it is filtered and written
 *
 * A trace whose categories tl knows costs one look into a small cache a span; the table is read
 * with the first category that is not known. */
#ifndef TL_CHROME_ROWS_H
#define TL_CHROME_ROWS_H
#include "event.h"

struct chrome_rows;

struct chrome_rows *chrome_rows_new(void);
void chrome_rows_clear(struct chrome_rows *r); /* for the next trace: forgets names and counts */
void chrome_rows_free(struct chrome_rows *r);

void chrome_rows_name(struct chrome_rows *r, const struct tl_chrome_event *ev);

/* A span of a category that tl does not know: all others are none of this file's business. */
bool chrome_rows_odd(struct chrome_rows *r, const struct tl_chrome_event *ev);

/* Of an odd span. False and *failed, `e` filled, where the table cannot be read. */
bool chrome_rows_wait(
	struct chrome_rows *r, const struct tl_chrome_event *ev, bool *failed, struct tl_error *e);

/* Gives an odd span its category, device, stream and correlation; its own category stays in
 * ev->own_cat. Counts what stays unknown. */
void chrome_rows_take(struct chrome_rows *r, struct tl_chrome_event *ev);

/* The categories of spans that are neither host nor GPU work, as [{"cat":...,"count":N}, ...], and
 * for people: "a (12), none (3)". Nothing is appended when there are none. */
void chrome_rows_put(const struct chrome_rows *r, struct tl_buf *json);
void chrome_rows_say(const struct chrome_rows *r, struct tl_buf *text);

#endif
