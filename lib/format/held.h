/* The event lines of a trace, kept until it ends, in the order of their ids. The lines themselves
 * stay where the stream holds them (tl_stream_hold). */
#ifndef TL_FORMAT_HELD_H
#define TL_FORMAT_HELD_H
#include "../stream/stream.h"
#include "../base/base.h"

struct tl_held {
	struct tl_span *lines;
	struct tl_sort *order;
	size_t n, cap_lines, cap_order;
	bool sorted;
};

/* Keeps the line of the stream's current record; from now on the stream holds its lines. */
void tl_held_add(struct tl_held *h, struct tl_stream *s, const struct tl_record *r, uint64_t id);

/* The i-th line by id; equal ids in the order they came. */
struct tl_span tl_held_line(struct tl_held *h, size_t i);

/* The place of the first line of that id; false when there is none. */
bool tl_held_find(struct tl_held *h, uint64_t id, size_t *i);

/* Forgets the lines, and lets the stream forget them. */
void tl_held_clear(struct tl_held *h, struct tl_stream *s);
void tl_held_free(struct tl_held *h);

#endif
