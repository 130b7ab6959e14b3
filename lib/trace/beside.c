#include "beside.h"
#include "../base/base.h"
#include "../json/json.h"
#include <stdlib.h>

#define DUR_BITS 61

/* Weakest first: the order (by start) turned round, then by priority and duration. */
static void rank(struct tl_beside *b)
{
	struct tl_sort *s = tl_calloc(b->n, sizeof *s);
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t pos = b->n - 1 - i;
		const struct tl_interval *iv = &b->iv[b->order[pos]];
		uint64_t dur = (uint64_t)iv->end - (uint64_t)iv->ts;
		uint64_t most = (UINT64_C(1) << DUR_BITS) - 1;
		s[i].key = (uint64_t)iv->priority << DUR_BITS | (dur < most ? dur : most);
		s[i].at = pos;
	}
	tl_sort(s, b->n);
	for (uint32_t i = 0; i < b->n; i++) {
		b->strength[s[i].at] = i + 1;
		b->place[i + 1] = s[i].at;
	}
	free(s);
}

static uint32_t row_at(const struct tl_beside *b, uint32_t place)
{
	return b->iv[b->order[place]].row - b->row_base;
}

static void lay_out(struct tl_beside *b, size_t rows)
{
	uint32_t *next = tl_calloc(rows + 1, sizeof *next);
	for (uint32_t i = 0; i < b->n; i++)
		b->row_from[row_at(b, i) + 1]++;
	for (size_t r = 0; r < rows; r++)
		b->row_from[r + 1] += b->row_from[r];
	memcpy(next, b->row_from, rows * sizeof *next);
	for (uint32_t i = 0; i < b->n; i++)
		b->leaf[i] = next[row_at(b, i)]++;
	free(next);
}

void tl_beside_open(struct tl_beside *b, const struct tl_interval *iv, const uint32_t *order,
	size_t n, uint32_t row_base, size_t rows)
{
	*b = (struct tl_beside){.iv = iv, .order = order, .n = (uint32_t)n, .row_base = row_base};
	b->first = b->second = TL_BESIDE_NONE;
	b->strength = tl_calloc(n + 1, sizeof *b->strength);
	b->place = tl_calloc(n + 1, sizeof *b->place);
	rank(b);
	b->leaf = tl_calloc(n + 1, sizeof *b->leaf);
	b->tree = tl_calloc(2 * n + 2, sizeof *b->tree);
	b->row_from = tl_calloc(rows + 1, sizeof *b->row_from);
	lay_out(b, rows);
}

static void set(struct tl_beside *b, uint32_t leaf, uint32_t strength)
{
	uint32_t *t = b->tree;
	size_t i = (size_t)leaf + b->n;
	t[i] = strength;
	for (i /= 2; i > 0; i /= 2) {
		uint32_t most = t[2 * i] > t[2 * i + 1] ? t[2 * i] : t[2 * i + 1];
		if (t[i] == most)
			break;
		t[i] = most;
	}
}

/* The greatest strength of the leaves [from, to). */
static uint32_t greatest(const struct tl_beside *b, size_t from, size_t to)
{
	uint32_t most = 0;
	for (from += b->n, to += b->n; from < to; from /= 2, to /= 2) {
		if (from & 1) {
			most = b->tree[from] > most ? b->tree[from] : most;
			from++;
		}
		if (to & 1) {
			to--;
			most = b->tree[to] > most ? b->tree[to] : most;
		}
	}
	return most;
}

static uint32_t strength_of(const struct tl_beside *b, uint32_t place)
{
	return place == TL_BESIDE_NONE ? 0 : b->strength[place];
}

static void look(struct tl_beside *b)
{
	uint32_t most = greatest(b, 0, b->n), second = 0;
	b->first = most ? b->place[most] : TL_BESIDE_NONE;
	if (most) {
		uint32_t row = row_at(b, b->first);
		uint32_t left = greatest(b, 0, b->row_from[row]);
		uint32_t right = greatest(b, b->row_from[row + 1], b->n);
		second = left > right ? left : right;
	}
	b->second = second ? b->place[second] : TL_BESIDE_NONE;
}

bool tl_beside_point(struct tl_beside *b, const struct tl_point *p)
{
	uint32_t first = b->first, second = b->second;
	set(b, b->leaf[p->pos], p->start ? b->strength[p->pos] : 0);
	if (p->start ? b->strength[p->pos] < strength_of(b, second)
				 : p->pos != first && p->pos != second)
		return false;
	look(b);
	return b->first != first || b->second != second;
}

void tl_beside_close(struct tl_beside *b)
{
	free(b->strength);
	free(b->place);
	free(b->leaf);
	free(b->tree);
	free(b->row_from);
	*b = (struct tl_beside){0};
}
