/* Sweeps over intervals of time: busy and idle, what runs beside what, and which window holds an
 * instant. Times are ns; an interval holds the instants ts <= t < end, so one of no length holds
 * none, and intervals that touch do not overlap.
 *
 *     uint32_t *order = tl_interval_order(iv, ids, n);
 *     struct tl_walk w = tl_walk_open(iv, order, n);
 *     while (tl_walk_next(&w, &p))       // every start and end, in the order of time
 *         tl_busy_point(&busy, &p, &iv[p.at]);   // what has passed first, then the change
 *     tl_walk_close(&w);
 */
#ifndef TL_TRACE_INTERVAL_H
#define TL_TRACE_INTERVAL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_part { TL_PART_COMPUTE, TL_PART_COMM, TL_PART_MEMCPY, TL_PARTS };

struct tl_interval {
	int64_t ts, end;  /* end >= ts */
	uint32_t row;     /* the stream, numbered over all devices */
	uint16_t stage;   /* the caller's */
	uint8_t part;     /* enum tl_part */
	uint8_t priority; /* of the class, for tl_beside_*; 7 at most */
};

/* The numbers 0..n-1 by (ts, end, ids[i]). The caller frees it. O(n); n < 2^32. */
uint32_t *tl_interval_order(const struct tl_interval *iv, const uint64_t *ids, size_t n);

/* ---- the points of time at which something starts or ends ---- */

struct tl_point {
	int64_t passed; /* ns since the point before, during which nothing changed */
	uint32_t at;    /* which interval: order[pos] */
	uint32_t pos;
	bool start; /* else its end */
};

struct tl_walk {
	const struct tl_interval *iv;
	const uint32_t *order;
	size_t n, next;
	uint32_t *heap; /* of what is active (places in `order`), by end */
	size_t active, cap;
	int64_t now;
};

/* Walks the intervals iv[order[0..n)], order as tl_interval_order gives it (any subsequence of it).
 * Intervals of no length are passed over. At one instant ends come before starts. O(n log active).
 */
struct tl_walk tl_walk_open(const struct tl_interval *iv, const uint32_t *order, size_t n);
bool tl_walk_next(struct tl_walk *w, struct tl_point *p);
void tl_walk_close(struct tl_walk *w);

/* ---- busy time and its parts ---- */

/* `exposed_comm` is what of communication lies beside no computation, `exposed_memcpy` what of
 * copies lies beside neither; so compute + exposed_comm + exposed_memcpy = busy, exactly, for one
 * device. Of several devices pooled they are the time in which any device has some exposed:
 * computation of another device hides nothing.
 * `same_row` is the sum over rows of (durations - their union). */
struct tl_busy {
	int64_t busy, part[TL_PARTS], exposed_comm, exposed_memcpy;
	int64_t several; /* ns in which two or more rows are busy */
	int64_t same_row;
	uint32_t rows_busy, max_rows; /* rows that are busy now, and at most */
	/* private */
	uint32_t active, part_active[TL_PARTS];
	uint32_t exposing_comm, exposing_memcpy; /* devices that have some exposed now */
	uint32_t *row_active;
	const uint32_t *device;
	uint32_t (*device_active)[TL_PARTS];
};

/* `row_active`: one zero for each row that the intervals have, borrowed; all zero again once the
 * walk is through. A busy starts as zeros. */
void tl_busy_open(struct tl_busy *b, uint32_t *row_active);

/* The same for rows of several devices: `device` of each row, and zeros for each device, borrowed
 * and all zero again at the end. */
void tl_busy_open_pooled(struct tl_busy *b, uint32_t *row_active, const uint32_t *device,
	uint32_t (*device_active)[TL_PARTS]);
void tl_busy_point(struct tl_busy *b, const struct tl_point *p, const struct tl_interval *iv);

/* ---- the window that holds an instant ---- */

struct tl_period {
	int64_t ts, end;
	uint32_t row;   /* thread or stream */
	uint32_t value; /* the caller's */
};

struct tl_probe {
	int64_t t;
	uint32_t row, at;
	uint32_t found; /* answer: an index of the sorted windows, or TL_PERIOD_NONE */
};
#define TL_PERIOD_NONE UINT32_MAX

/* Sorts windows by (ts, longest first) and probes by t, then finds for every probe the innermost
 * window of its row that holds t: the one that started last. Rows are below `rows`. */
void tl_period_find(
	struct tl_period *w, size_t nw, struct tl_probe *probes, size_t np, uint32_t rows);

#endif
