#include "intmap.h"
#include "buf.h"
#include <stdlib.h>

static struct tl_intmap_slot *slot_of(const struct tl_intmap *m, int64_t key)
{
	size_t i = tl_mix((uint64_t)key) & m->mask;
	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return m->slots + i;
}

static void resize(struct tl_intmap *m, size_t slots)
{
	struct tl_intmap old = *m;
	m->slots = tl_calloc(slots, sizeof *m->slots);
	m->mask = slots - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].used)
			*slot_of(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

void tl_intmap_reserve(struct tl_intmap *m, size_t n)
{
	size_t slots = m->slots ? m->mask + 1 : 16;
	while (slots - slots / 4 <= n)
		slots *= 2;
	if (!m->slots || slots != m->mask + 1)
		resize(m, slots);
}

uint32_t *tl_intmap_add(struct tl_intmap *m, int64_t key)
{
	tl_intmap_reserve(m, m->n + 1);
	struct tl_intmap_slot *s = slot_of(m, key);
	if (!s->used) {
		*s = (struct tl_intmap_slot){key, 0, 1};
		m->n++;
	}
	return &s->value;
}

uint32_t *tl_intmap_find(const struct tl_intmap *m, int64_t key)
{
	if (!m->n)
		return NULL;
	struct tl_intmap_slot *s = slot_of(m, key);
	return s->used ? &s->value : NULL;
}

void tl_intmap_free(struct tl_intmap *m)
{
	free(m->slots);
	*m = (struct tl_intmap){0};
}
