#include "held.h"
#include <stdlib.h>

void tl_held_add(struct tl_held *h, struct tl_stream *s, const struct tl_record *r, uint64_t id)
{
	tl_stream_hold(s, true);
	TL_GROW(h->lines, h->n, h->cap_lines);
	TL_GROW(h->order, h->n, h->cap_order);
	h->order[h->n] = (struct tl_sort){.key = id, .at = (uint32_t)h->n};
	h->lines[h->n++] = r->line;
	h->sorted = false;
}

struct tl_span tl_held_line(struct tl_held *h, size_t i)
{
	if (!h->sorted)
		tl_sort(h->order, h->n);
	h->sorted = true;
	return h->lines[h->order[i].at];
}

void tl_held_clear(struct tl_held *h, struct tl_stream *s)
{
	h->n = 0;
	tl_stream_forget(s);
	tl_stream_hold(s, false);
}

void tl_held_free(struct tl_held *h)
{
	free(h->lines);
	free(h->order);
	*h = (struct tl_held){0};
}

bool tl_held_find(struct tl_held *h, uint64_t id, size_t *i)
{
	size_t low;

	if (h->n)
		tl_held_line(h, 0); /* sorts */
	TL_SEARCH(low, 0, h->n, h->order[low].key < id);
	*i = low;
	return low < h->n && h->order[low].key == id;
}
