/* Rows of tl-synth on their way out, in the order in which their events closed. A row stands in the
 * queue while its kind, or that of one before it, is not known; it waits for the end of the trace
 * when it needs a forward operator that has not come yet. */
#ifndef TL_SYNTH_ROWQUEUE_H
#define TL_SYNTH_ROWQUEUE_H
#include "../base/base.h"
#include "oprow.h"

/* Zeroed but for `rows` it is empty. */
struct synth_queue {
	struct synth_rows *rows;
	struct synth_queued {
		struct synth_row row;
		int decider; /* who will say whether it is a backward row; -1: known */
	} * queue;
	size_t head, n, cap;
	uint64_t first; /* how many rows left the queue before queue[0] came */
	struct synth_row *waiting;
	size_t n_waiting, waiting_cap;

	struct tl_intmap forward_of; /* id -> place in forwards */
	struct {
		size_t at, n; /* in texts */
	} * forwards;
	size_t n_forwards, forwards_cap;
	struct tl_buf texts, scratch;
};
void synth_queue_free(struct synth_queue *q);

/* Takes a filled row, with its buffers. `decider`: any number from 0 that synth_queue_decide will
 * be given later, or -1 when the row's kind is known. */
void synth_queue_put(struct synth_queue *q, struct synth_row *r, int decider);

/* The place of the row that will be put next, for synth_queue_decide. */
uint64_t synth_queue_place(const struct synth_queue *q);

/* Decides the rows of `decider`, of which none is before `from`: they stay backward rows, or they
 * are leaves. */
void synth_queue_decide(struct synth_queue *q, int decider, uint64_t from, bool backward);

/* Keeps a forward operator: `question`, its part of a rule's question. */
void synth_queue_forward(struct synth_queue *q, uint64_t id, struct tl_span question);

/* Writes the rows that waited, and forgets the trace. All must be decided. */
void synth_queue_end(struct synth_queue *q);

#endif
