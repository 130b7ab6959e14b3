/* Groups, and which of their operations are one. */
#include "inside.h"
#include <stdlib.h>

/* ---- the operations of a group ---- */

uint32_t collective_find_rank(const struct tl_collective *c, int64_t rank)
{
	size_t at;
	TL_SEARCH(at, 0, c->n_ranks, c->ranks[at].rank < rank);
	return at < c->n_ranks && c->ranks[at].rank == rank ? (uint32_t)at : NONE;
}

/* Ranks stand in their order, and their operations in that of start: so do those of each group. */
static void fill_members(struct tl_collective *c)
{
	uint32_t n_groups = tl_pool_count(c->group_keys), at = 0;
	c->members = tl_alloc((c->n_ops + 1) * sizeof *c->members);
	for (size_t i = 0; i < c->n_ops; i++)
		c->groups[collective_shape_at(c, (uint32_t)i).group].n_ops++;
	for (uint32_t g = 0; g < n_groups; g++) {
		c->groups[g].from = at;
		at += c->groups[g].n_ops;
		c->groups[g].n_ops = 0;
		c->groups[g].first = INT64_MAX;
	}
	for (uint32_t r = 0; r < c->n_ranks; r++) {
		for (uint32_t i = c->ranks[r].from; i < c->ranks[r].to; i++) {
			struct collective_group *g = &c->groups[collective_shape_at(c, i).group];
			c->members[g->from + g->n_ops++] = (struct tl_sort){0, i, r};
			if (c->ops[i].ts < g->first)
				g->first = c->ops[i].ts;
		}
	}
}

/* Of all groups; one for which a stream stands is the whole job when it is the only one. */
static void size_groups(struct tl_collective *c)
{
	struct tl_sort *by_first = tl_alloc(
		((size_t)tl_pool_count(c->group_keys) + 1) * sizeof *by_first);
	for (uint32_t g = 0; g < tl_pool_count(c->group_keys); g++)
		if (c->groups[g].n_ops)
			by_first[c->n_groups++] = (struct tl_sort){tl_sort_time(c->groups[g].first), g, 0};
	tl_sort(by_first, c->n_groups);
	c->order = tl_alloc(((size_t)c->n_groups + 1) * sizeof *c->order);
	for (uint32_t i = 0; i < c->n_groups; i++) {
		c->order[i] = by_first[i].at;
		c->groups[c->order[i]].number = i;
	}
	if (c->n_groups == 1 && c->groups[c->order[0]].assumed)
		c->groups[c->order[0]].size = c->world;
	free(by_first);
}

/* ---- whom the group lacks ---- */

static void count_ranks(struct tl_collective *c, struct collective_group *g)
{
	const struct tl_sort *a = c->members + g->from;
	int64_t rank;
	for (uint32_t i = 0; i < g->n_ops; i++)
		g->seen += i == 0 || a[i].more != a[i - 1].more;
	if (g->list != NONE) {
		struct tl_span list = tl_pool_text(c->texts, g->list);
		while (collective_next_rank(&list, &rank))
			*(collective_find_rank(c, rank) == NONE ? &g->missing : &g->idle) += 1;
		g->idle = g->idle > g->seen ? g->idle - g->seen : 0;
	} else if (g->size > g->seen) {
		g->missing = (uint32_t)(g->size - g->seen);
	} else if (g->size > 0 && g->seen > g->size) {
		g->doubts |= DOUBT_GROUP_AMBIGUOUS;
	}
	if (g->missing)
		g->doubts |= DOUBT_MISSING_RANKS;
}

/* ---- keys ---- */

static bool is_pair(const struct tl_collective *c, uint32_t op)
{
	const struct collective_kind *k = collective_kind_at(c, op);
	return k->send || k->recv;
}

/* Puts sends and receives behind the others; returns how many others there are. */
static uint32_t part_pairs(const struct tl_collective *c, struct tl_sort *a, uint32_t n)
{
	uint32_t others = 0, pairs = 0;
	struct tl_sort *kept = tl_alloc(((size_t)n + 1) * sizeof *kept);
	for (uint32_t i = 0; i < n; i++) {
		if (is_pair(c, a[i].at))
			kept[pairs++] = a[i];
		else
			a[others++] = a[i];
	}
	memcpy(a + others, kept, pairs * sizeof *kept);
	free(kept);
	return others;
}

static bool all_have_seq(const struct tl_collective *c, const struct tl_sort *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (c->ops[a[i].at].seq == NO_SEQ)
			return false;
	return true;
}

/* Sorts by Seq, and among equal ones by the occurrence at their rank. */
static void key_by_seq(const struct tl_collective *c, struct tl_sort *a, uint32_t n)
{
	struct tl_intmap times = {0};
	bool again = false;
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && a[i].more != a[i - 1].more)
			tl_intmap_free(&times);
		a[i].key = (*tl_intmap_add(&times, c->ops[a[i].at].seq))++;
		again |= a[i].key > 0;
	}
	tl_intmap_free(&times);
	if (again)
		tl_sort(a, n);
	for (uint32_t i = 0; i < n; i++)
		a[i].key = tl_sort_time(c->ops[a[i].at].seq);
	tl_sort(a, n);
}

/* ---- slots ---- */

static bool is_written(
	const struct collective_group *g, const struct collective_slot *slot, bool by_seq)
{
	if (slot->n > 1 || by_seq)
		return true;
	return slot->pair ? slot->missing > 0
					  : g->seen == 1 && (g->size < 0 || g->size == 1 + (int64_t)g->missing);
}

static void add_slot(
	struct tl_collective *c, struct collective_group *g, struct collective_slot slot, bool by_seq)
{
	if (!slot.pair) {
		slot.missing = g->missing;
		if (by_seq)
			slot.lost = g->seen + g->idle - slot.n;
	}
	if (!is_written(g, &slot, by_seq))
		return;
	g->collectives++;
	g->matched += slot.n;
	TL_GROW(c->slots, c->n_slots, c->slots_cap);
	c->slots[c->n_slots++] = slot;
}

/* Members of equal key are of one slot, but each rank has its own place in it but once. */
static void slots_of_runs(
	struct tl_collective *c, uint32_t group, uint32_t from, uint32_t n, bool by_seq)
{
	const struct tl_sort *a = c->members + from;
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && a[end].key == a[i].key && a[end].more > a[end - 1].more; end++)
			;
		struct collective_slot slot = {.index = (int64_t)(a[i].key ^ (UINT64_C(1) << 63)),
			.from = from + i,
			.n = end - i,
			.group = group};
		add_slot(c, &c->groups[group], slot, by_seq);
	}
}

/* ---- sends and receives ---- */

#define PAIR_BITS 21

static int64_t peer_of(const struct tl_collective *c, const struct tl_sort *m, bool *sends)
{
	struct collective_shape s = collective_shape_at(c, m->at);
	*sends = c->kinds[s.kind].send;
	return *sends ? s.dst : s.src;
}

/* The key of the k-th of its sort from a to b. False where the peer is not known. */
static bool pair_key(
	const struct tl_collective *c, struct tl_intmap *times, struct tl_sort *m, uint64_t limit)
{
	bool sends;
	int64_t peer = peer_of(c, m, &sends), own = c->ranks[m->more].rank;
	if (peer < 0 || own < 0 || (uint64_t)peer >= limit || (uint64_t)own >= limit || peer == own)
		return false;
	uint64_t src = (uint64_t)(sends ? own : peer), dst = (uint64_t)(sends ? peer : own);
	uint64_t pair = src << PAIR_BITS | dst;
	uint32_t *k = tl_intmap_add(times, (int64_t)(pair << 1 | sends));
	m->key = pair << PAIR_BITS | (*k)++;
	return *k < limit;
}

static void match_pairs(struct tl_collective *c, uint32_t group, uint32_t from, uint32_t n)
{
	const uint64_t mask = (UINT64_C(1) << PAIR_BITS) - 1;
	struct collective_group *g = &c->groups[group];
	struct tl_sort *a = c->members + from;
	struct tl_intmap times = {0};
	uint32_t known = 0;
	for (uint32_t i = 0; i < n; i++)
		if (pair_key(c, &times, &a[i], mask))
			a[known++] = a[i];
	if (known < n)
		g->doubts |= DOUBT_PEER_UNKNOWN;
	tl_intmap_free(&times);
	tl_sort(a, known);
	for (uint32_t i = 0, end; i < known; i = end) {
		bool sends;
		end = i + 1 < known && a[i + 1].key == a[i].key ? i + 2 : i + 1;
		struct collective_slot slot = {.pair = true,
			.index = (int64_t)(a[i].key & mask),
			.src = (int64_t)(a[i].key >> 2 * PAIR_BITS),
			.dst = (int64_t)(a[i].key >> PAIR_BITS & mask),
			.from = from + i,
			.n = end - i,
			.group = group};
		if (slot.n == 1 && collective_find_rank(c, peer_of(c, &a[i], &sends)) == NONE)
			slot.missing = 1;
		add_slot(c, g, slot, false);
	}
}

/* ---- all of it ---- */

static void match_group(struct tl_collective *c, uint32_t group)
{
	struct collective_group *g = &c->groups[group];
	struct tl_sort *a = c->members + g->from;
	count_ranks(c, g);
	if (g->doubts & DOUBT_GROUP_AMBIGUOUS)
		return;
	uint32_t n = part_pairs(c, a, g->n_ops), kept = n;
	bool by_seq = all_have_seq(c, a, n);
	if (by_seq)
		key_by_seq(c, a, n);
	else
		kept = collective_align(c, g, a, n);
	slots_of_runs(c, group, g->from, kept, by_seq);
	match_pairs(c, group, g->from + n, g->n_ops - n);
}

void collective_match(struct tl_collective *c)
{
	fill_members(c);
	size_groups(c);
	for (uint32_t i = 0; i < c->n_groups; i++)
		match_group(c, c->order[i]);
}
