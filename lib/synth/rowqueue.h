/* Rows of tl-synth on their way out, in the order in which their events closed. A row stands in the
 * queue while its kind, or that of one before it, is not known; it waits for the end of the trace
 * when it needs a forward operator that has not come yet. */
#ifndef TL_ROWQUEUE_H
#define TL_ROWQUEUE_H
#include "../base/intmap.h"
#include "oprow.h"

/* Zeroed but for `rows` it is empty. */
struct tl_rowqueue {
	struct tl_rows *rows;
	struct tl_queued {
		struct tl_row row;
		int decider; /* who will say whether it is a backward row; -1: known */
	} * queue;
	size_t head, n, cap;
	uint64_t first; /* how many rows left the queue before queue[0] came */
	struct tl_row *waiting;
	size_t n_waiting, waiting_cap;

	struct tl_intmap forward_of; /* id -> place in forwards */
	struct {
		size_t at, n; /* in texts */
	} * forwards;
	size_t n_forwards, forwards_cap;
	struct tl_buf texts, scratch;
};
void tl_rowqueue_free(struct tl_rowqueue *q);

/* Takes a filled row, with its buffers. `decider`: any number from 0 that tl_rowqueue_decide will
 * be given later, or -1 when the row's kind is known. */
void tl_rowqueue_put(struct tl_rowqueue *q, struct tl_row *r, int decider);

/* The place of the row that will be put next, for tl_rowqueue_decide. */
uint64_t tl_rowqueue_place(const struct tl_rowqueue *q);

/* Decides the rows of `decider`, of which none is before `from`: they stay backward rows, or they
 * are leaves. */
void tl_rowqueue_decide(struct tl_rowqueue *q, int decider, uint64_t from, bool backward);

/* Keeps a forward operator: `question`, its part of a rule's question. */
void tl_rowqueue_forward(struct tl_rowqueue *q, uint64_t id, struct tl_span question);

/* Writes the rows that waited, and forgets the trace. All must be decided. */
void tl_rowqueue_end(struct tl_rowqueue *q);

#endif
