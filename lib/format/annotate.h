/* What the analysis found, drawn into the timeline (tl-render --annotate): derived records of a
 * trace as events of its own.
 *
 *   op       a slice on the track "operators TID" of its process, at the event it stands for
 *   warning  an instant on the track "warnings" of the process "tl"
 *   stage    of GPU ops (tl-overlap): slices on the track "stage NAME" of their device
 *
 * and class, stage, scope, hidden and exclusive time of GPU ops as members of their args.
 * Lines are those of records, so that every writer of traces can take them as it takes events. */
#ifndef TL_FORMAT_ANNOTATE_H
#define TL_FORMAT_ANNOTATE_H
#include "../trace/trace.h"
#include "held.h"

struct tl_annotate;

struct tl_annotate *tl_annotate_new(void);
void tl_annotate_free(struct tl_annotate *a);

/* Keeps a derived record of the trace (its line, which the stream must hold). */
void tl_annotate_take(struct tl_annotate *a, const struct tl_record *r);

/* Adds the events to the trace's, with ids behind the last one, and forgets the records. With
 * `sort` the key of a held line is its time (tl_sort_key), else its id. What is added is valid
 * until the next call, or tl_annotate_free. */
void tl_annotate_draw(
	struct tl_annotate *a, struct tl_held *h, struct tl_stream *s, uint64_t trace, bool sort);

/* The args of an event with what the tools added to it: appended to `out`. False when nothing was
 * added: the event's own args hold. */
bool tl_annotate_args(const struct tl_event *e, struct tl_buf *out);

/* Where an event stands in the order of time: metadata and events without ts first. */
uint64_t tl_sort_key(const struct tl_event *e);

#endif
