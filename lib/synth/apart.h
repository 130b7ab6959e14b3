/* GPU ops whose operator is not above their launch (`apart` of tl-tree's operators): they come
 * before or after it in the stream. What comes before is held until the operator closes; a row that
 * still lacks some when it would be written waits for them.
 *
 * Memory: such ops, and the rows that wait for them. */
#ifndef TL_SYNTH_APART_H
#define TL_SYNTH_APART_H
#include "../base/base.h"
#include "oprow.h"

/* A row that waits; the texts of `event` are its own. */
struct synth_apart_row {
	struct synth_row row;
	struct synth_row_event event;
	struct tl_buf texts;
	struct synth_op *ops;
	size_t n, cap;
	uint64_t missing;
	int decider;  /* as in synth_queue_put */
	bool singles; /* each op makes a row of its own, named after `row.name` */
	bool written;
};

/* A zeroed one is empty. */
struct synth_apart {
	struct synth_apart_row *rows;
	size_t n_rows, rows_cap;
	/* private */
	struct synth_apart_held *held;
	size_t n_held, held_cap;
	struct synth_apart_due *due;
	size_t n_due, due_cap;
	struct tl_intmap held_at, due_at; /* operator -> place + 1, of held ops the last one */
};
void synth_apart_clear(struct synth_apart *a); /* forgets the trace */
void synth_apart_free(struct synth_apart *a);

/* An op of the operator `owner`, which has not closed yet. */
void synth_apart_hold(struct synth_apart *a, uint64_t owner, const struct synth_op *op);

/* Takes back one that is held, of one operator or of any; false: there is none. */
bool synth_apart_take(struct synth_apart *a, uint64_t owner, struct synth_op *op);
bool synth_apart_take_any(struct synth_apart *a, struct synth_op *op);

/* `owner` has closed and lacks `missing` ops, which the row of the open node `node` shall own. */
void synth_apart_expect(struct synth_apart *a, uint64_t owner, uint64_t missing, int node);

/* An op of the operator `owner` has come: if it is expected by an open node, true and `node`; if by
 * a row, true and `row` (a place in rows), whose ops it was added to; else false. */
bool synth_apart_arrive(
	struct synth_apart *a, uint64_t owner, const struct synth_op *op, int *node, size_t *row);

/* A new row, which gets all that `node` expects; the event and ops are copied, the row's buffers
 * taken over. */
struct synth_apart_row *synth_apart_wait(struct synth_apart *a, int node, const struct synth_row *r,
	const struct synth_row_event *e, const struct synth_op *ops, size_t n);

#endif
