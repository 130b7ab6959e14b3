#include "rowqueue.h"
#include <stdlib.h>

void synth_queue_free(struct synth_queue *q)
{
	for (size_t i = q->head; i < q->n; i++)
		synth_row_free(&q->queue[i].row);
	for (size_t i = 0; i < q->n_waiting; i++)
		synth_row_free(&q->waiting[i]);
	tl_intmap_free(&q->forward_of);
	tl_buf_free(&q->texts);
	tl_buf_free(&q->scratch);
	free(q->forwards);
	free(q->waiting);
	free(q->queue);
}

void synth_queue_forward(struct synth_queue *q, uint64_t id, struct tl_span question)
{
	TL_GROW(q->forwards, q->n_forwards, q->forwards_cap);
	q->forwards[q->n_forwards].at = q->texts.n;
	q->forwards[q->n_forwards].n = question.n;
	tl_buf_span(&q->texts, question);
	*tl_intmap_add(&q->forward_of, (int64_t)id) = (uint32_t)q->n_forwards++;
}

/* The forward operator of a row, as far as it is known; false when it may still come. */
static bool find_forward(
	struct synth_queue *q, const struct synth_row *r, bool at_end, struct tl_span *forward)
{
	const uint32_t *at = tl_intmap_find(&q->forward_of, (int64_t)r->forward);
	if (at) {
		*forward = (struct tl_span){q->texts.p + q->forwards[*at].at, q->forwards[*at].n};
		return true;
	}
	q->scratch.n = 0;
	tl_buf_lit(&q->scratch, "{\"name\":");
	tl_buf_span(&q->scratch, tl_buf_all(&r->forward_name));
	tl_buf_lit(&q->scratch, "}");
	*forward = tl_buf_all(&q->scratch);
	return at_end;
}

static void finish(struct synth_queue *q, struct synth_row *r, bool at_end)
{
	struct tl_span forward = {0};
	if (r->wants_forward && !find_forward(q, r, at_end, &forward)) {
		TL_GROW(q->waiting, q->n_waiting, q->waiting_cap);
		q->waiting[q->n_waiting++] = *r;
		return;
	}
	synth_row_write(q->rows, r, forward);
	synth_row_free(r);
}

static void flush(struct synth_queue *q)
{
	while (q->head < q->n && q->queue[q->head].decider < 0)
		finish(q, &q->queue[q->head++].row, false);
	if (q->head == q->n) {
		q->first += q->n;
		q->head = q->n = 0;
	}
}

void synth_queue_put(struct synth_queue *q, struct synth_row *r, int decider)
{
	if (decider < 0 && q->n == 0) {
		finish(q, r, false);
		return;
	}
	TL_GROW(q->queue, q->n, q->cap);
	q->queue[q->n++] = (struct synth_queued){*r, decider};
}

uint64_t synth_queue_place(const struct synth_queue *q)
{
	return q->first + q->n;
}

void synth_queue_decide(struct synth_queue *q, int decider, uint64_t from, bool backward)
{
	for (size_t i = from > q->first ? from - q->first : 0; i < q->n; i++) {
		struct synth_queued *r = &q->queue[i];
		if (r->decider != decider)
			continue;
		r->decider = -1;
		if (!backward) {
			r->row.kind = SYNTH_ROW_LEAF;
			r->row.wants_forward = false;
		}
	}
	flush(q);
}

void synth_queue_end(struct synth_queue *q)
{
	for (size_t i = 0; i < q->n_waiting; i++)
		finish(q, &q->waiting[i], true);
	tl_intmap_free(&q->forward_of);
	q->forward_of = (struct tl_intmap){0};
	q->n_waiting = q->n_forwards = 0;
	q->first = 0;
	q->texts.n = 0;
}
