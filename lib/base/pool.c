#include "pool.h"
#include <stdlib.h>

#define BLOCK ((size_t)64 << 10)

struct text {
	const char *p;
	size_t n;
	uint32_t hash;
};

struct block {
	char *p;
	size_t cap;
};

struct tl_pool {
	struct text *texts; /* by number */
	uint32_t count, cap;
	uint32_t *slots; /* number + 1, 0: free; open addressing, at most half full */
	size_t mask;
	struct block *blocks; /* the copies; blocks[0..used] are in use, the last one up to `fill` */
	size_t nblocks, blocks_cap, used, fill;
};

static uint32_t hash_of(struct tl_span s)
{
	uint64_t h = s.n * UINT64_C(0x9E3779B97F4A7C15), w;
	size_t i = 0;
	for (; s.n - i >= 8; i += 8) {
		memcpy(&w, s.p + i, 8);
		h = (h ^ w) * UINT64_C(0xFF51AFD7ED558CCD);
		h ^= h >> 32;
	}
	w = 0;
	if (i < s.n)
		memcpy(&w, s.p + i, s.n - i);
	h = (h ^ w) * UINT64_C(0xC4CEB9FE1A85EC53);
	h ^= h >> 29;
	h *= UINT64_C(0x9E3779B97F4A7C15);
	return (uint32_t)(h >> 32);
}

struct tl_pool *tl_pool_new(void)
{
	struct tl_pool *p = tl_calloc(1, sizeof *p);
	p->mask = 255;
	p->slots = tl_calloc(p->mask + 1, sizeof *p->slots);
	return p;
}

void tl_pool_free(struct tl_pool *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nblocks; i++)
		free(p->blocks[i].p);
	free(p->blocks);
	free(p->texts);
	free(p->slots);
	free(p);
}

void tl_pool_clear(struct tl_pool *p)
{
	memset(p->slots, 0, (p->mask + 1) * sizeof *p->slots);
	p->count = 0;
	p->used = p->fill = 0;
}

/* Room for n bytes: in the block in use, else in the next kept one that is large enough. */
static char *room(struct tl_pool *p, size_t n)
{
	for (; p->used < p->nblocks; p->used++, p->fill = 0)
		if (p->blocks[p->used].cap - p->fill >= n)
			break;
	if (p->used == p->nblocks) {
		TL_GROW(p->blocks, p->nblocks, p->blocks_cap);
		size_t cap = n > BLOCK ? n : BLOCK;
		p->blocks[p->nblocks++] = (struct block){tl_alloc(cap), cap};
	}
	char *at = p->blocks[p->used].p + p->fill;
	p->fill += n;
	return at;
}

static void rehash(struct tl_pool *p)
{
	p->mask = p->mask * 2 + 1;
	free(p->slots);
	p->slots = tl_calloc(p->mask + 1, sizeof *p->slots);
	for (uint32_t id = 0; id < p->count; id++) {
		size_t i = p->texts[id].hash & p->mask;
		while (p->slots[i])
			i = (i + 1) & p->mask;
		p->slots[i] = id + 1;
	}
}

/* The slot that holds s, or the free one where it would go. */
static size_t slot_of(const struct tl_pool *p, struct tl_span s, uint32_t hash)
{
	size_t i = hash & p->mask;
	for (; p->slots[i]; i = (i + 1) & p->mask) {
		const struct text *t = &p->texts[p->slots[i] - 1];
		if (t->hash == hash && tl_span_eq((struct tl_span){t->p, t->n}, s))
			break;
	}
	return i;
}

uint32_t tl_pool_find(const struct tl_pool *p, struct tl_span s)
{
	uint32_t id = p->slots[slot_of(p, s, hash_of(s))];
	return id ? id - 1 : TL_POOL_NONE;
}

uint32_t tl_pool_add(struct tl_pool *p, struct tl_span s)
{
	uint32_t hash = hash_of(s);
	size_t slot = slot_of(p, s, hash);
	if (p->slots[slot])
		return p->slots[slot] - 1;
	TL_GROW(p->texts, p->count, p->cap);
	char *copy = room(p, s.n);
	if (s.n)
		memcpy(copy, s.p, s.n);
	p->texts[p->count] = (struct text){copy, s.n, hash};
	p->slots[slot] = ++p->count;
	if (p->count > p->mask / 2)
		rehash(p);
	return p->count - 1;
}

struct tl_span tl_pool_text(const struct tl_pool *p, uint32_t id)
{
	return (struct tl_span){p->texts[id].p, p->texts[id].n};
}

uint32_t tl_pool_count(const struct tl_pool *p)
{
	return p->count;
}
