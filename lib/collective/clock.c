/* How far the clocks of ranks are apart: all members of a collective that leaves together end at
 * one time. Breadth first from the lowest rank. */
#include "inside.h"
#include <stdlib.h>

struct clocks {
	struct tl_collective *c;
	struct tl_intmap common; /* of a rank not yet reached and one of the last level: operations */
	struct tl_sort *via;     /* the ranks that a level reaches; at: rank, more: via */
	size_t n_via;
	int64_t *d;
	size_t d_cap;
};

/* Whether all leave together; of kinds that contradict each other the first decides. */
bool collective_is_sync(const struct tl_collective *c, const struct collective_slot *slot)
{
	for (uint32_t i = 0; i < slot->n && !slot->pair; i++) {
		const struct collective_kind *k = collective_kind_at(c, c->members[slot->from + i].at);
		if (k->uneven)
			return false;
		if (k->text != NONE)
			return k->sync;
	}
	return false;
}

static int64_t pair_of(uint32_t rank, uint32_t via)
{
	return (int64_t)((uint64_t)rank << 32 | via);
}

/* Counts what ranks not yet reached have in common with those of `level`. */
static void count_slot(struct clocks *k, const struct collective_slot *slot, uint32_t level)
{
	const struct tl_sort *m = k->c->members + slot->from;
	for (uint32_t i = 0; i < slot->n; i++) {
		if (k->c->ranks[m[i].more].level != level)
			continue;
		for (uint32_t j = 0; j < slot->n; j++)
			if (k->c->ranks[m[j].more].level == 0)
				(*tl_intmap_add(&k->common, pair_of(m[j].more, m[i].more)))++;
	}
}

static void choose_via(struct clocks *k)
{
	struct collective_rank *r = k->c->ranks;
	for (size_t i = 0; k->common.n && i <= k->common.mask; i++) {
		const struct tl_intmap_slot *s = &k->common.slots[i];
		uint32_t rank = (uint32_t)((uint64_t)s->key >> 32), via = (uint32_t)s->key;
		if (s->used &&
			(s->value > r[rank].pairs || (s->value == r[rank].pairs && via < r[rank].via))) {
			r[rank].pairs = s->value;
			r[rank].via = via;
		}
	}
}

static const struct tl_sort *member(
	const struct tl_collective *c, const struct collective_slot *slot, uint32_t rank)
{
	const struct tl_sort *m = c->members + slot->from;
	size_t at;
	TL_SEARCH(at, 0, slot->n, m[at].more < rank);
	return at < slot->n && m[at].more == rank ? &m[at] : NULL;
}

/* Differences of ends, rank after rank: `first` of each is where its own begin. */
static void gather(struct clocks *k, uint32_t level, size_t *first)
{
	struct tl_collective *c = k->c;
	for (size_t i = 0; i < c->n_slots; i++) {
		const struct collective_slot *slot = &c->slots[i];
		if (!collective_is_sync(c, slot))
			continue;
		for (uint32_t j = 0; j < slot->n; j++) {
			const struct tl_sort *m = &c->members[slot->from + j];
			const struct collective_rank *r = &c->ranks[m->more];
			const struct tl_sort *via = r->level == level ? member(c, slot, r->via) : NULL;
			if (via)
				k->d[first[m->more]++] = tl_ns_sub(c->ops[m->at].end, c->ops[via->at].end);
		}
	}
}

static void set_offset(struct tl_collective *c, struct collective_rank *r, int64_t *d)
{
	int64_t median = collective_median(d, r->pairs);
	r->offset = tl_ns_add(c->ranks[r->via].offset, median);
	r->spread = collective_spread(d, r->pairs, median);
	double limit = (double)c->set.clock + c->set.clock_spreads * (double)r->spread;
	double offset = r->offset < 0 ? -(double)r->offset : (double)r->offset;
	r->corrected = r->pairs >= 3 && offset > limit;
}

/* The ranks that are one step farther than `level`; false when there is none. */
static bool next_level(struct clocks *k, uint32_t level)
{
	struct tl_collective *c = k->c;
	size_t n = 0, at = 0, *first = tl_alloc((c->n_ranks + 1) * sizeof *first);
	for (size_t i = 0; i < c->n_slots; i++)
		if (collective_is_sync(c, &c->slots[i]))
			count_slot(k, &c->slots[i], level);
	choose_via(k);
	tl_intmap_free(&k->common);
	for (size_t r = 0; r < c->n_ranks; r++) {
		first[r] = n;
		if (c->ranks[r].level == 0 && c->ranks[r].via != NONE) {
			c->ranks[r].level = level + 1;
			n += c->ranks[r].pairs;
		}
	}
	k->d = tl_alloc((n + 1) * sizeof *k->d);
	gather(k, level + 1, first);
	for (size_t r = 0; r < c->n_ranks; r++) {
		if (c->ranks[r].level != level + 1)
			continue;
		set_offset(c, &c->ranks[r], k->d + at);
		at += c->ranks[r].pairs;
	}
	free(k->d);
	free(first);
	return n > 0;
}

void collective_clocks(struct tl_collective *c)
{
	struct clocks k = {.c = c};
	if (c->n_ranks == 0)
		return;
	c->ranks[0].level = 1;
	for (uint32_t level = 1; next_level(&k, level); level++)
		;
}
