#include "inside.h"
#include <stdlib.h>

static size_t slot_of(const struct window_intern *t, const char *item)
{
	uint64_t h = 0, word;
	for (size_t i = 0; i < t->size; i += 8) {
		memcpy(&word, item + i, 8);
		h = tl_mix(h ^ word);
	}
	size_t i = h & t->mask;
	while (t->slots[i] && memcmp(t->items + (t->slots[i] - 1) * t->size, item, t->size) != 0)
		i = (i + 1) & t->mask;
	return i;
}

static void more_slots(struct window_intern *t)
{
	size_t slots = t->slots ? (t->mask + 1) * 2 : 64;
	free(t->slots);
	t->slots = tl_calloc(slots, sizeof *t->slots);
	t->mask = slots - 1;
	for (size_t i = 0; i < t->n; i++)
		t->slots[slot_of(t, t->items + i * t->size)] = (uint32_t)i + 1;
}

uint32_t window_intern(struct window_intern *t, const void *item)
{
	if (!t->slots || t->n >= t->mask - t->mask / 4)
		more_slots(t);
	size_t i = slot_of(t, item);
	if (!t->slots[i]) {
		if (t->n == t->cap) {
			t->cap = t->cap ? t->cap * 2 : 16;
			t->items = tl_realloc(t->items, t->cap, t->size);
		}
		memcpy(t->items + t->n * t->size, item, t->size);
		t->slots[i] = (uint32_t)++t->n;
	}
	return t->slots[i] - 1;
}

uint32_t window_intern_find(const struct window_intern *t, const void *item)
{
	return t->slots ? t->slots[slot_of(t, item)] - 1 : UINT32_MAX;
}

void window_intern_free(struct window_intern *t)
{
	free(t->items);
	free(t->slots);
	t->items = NULL;
	t->slots = NULL;
	t->n = t->cap = 0;
}

bool window_numbers_get(const struct window_numbers *m, int64_t key, int64_t *v)
{
	uint32_t *i = tl_intmap_find(&m->at, key);
	if (i)
		*v = m->v[*i];
	return i != NULL;
}

void window_numbers_put(struct window_numbers *m, int64_t key, int64_t v, bool replace)
{
	size_t n = m->at.n;
	uint32_t *i = tl_intmap_add(&m->at, key);
	if (m->at.n > n) {
		TL_GROW(m->v, n, m->cap);
		*i = (uint32_t)n;
		m->v[n] = v;
	} else if (replace) {
		m->v[*i] = v;
	}
}

void window_numbers_free(struct window_numbers *m)
{
	tl_intmap_free(&m->at);
	free(m->v);
	*m = (struct window_numbers){0};
}
