#include "sort.h"
#include "buf.h"
#include <stdlib.h>

#define BITS 11
#define DIGITS ((64 + BITS - 1) / BITS)
#define VALUES (1u << BITS)
#define FEW 48

static size_t digit(uint64_t key, int d)
{
	return (key >> (d * BITS)) & (VALUES - 1);
}

static bool sorted(const struct tl_sort *a, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (a[i - 1].key > a[i].key)
			return false;
	return true;
}

static void insertion(struct tl_sort *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tl_sort x = a[i];
		size_t j = i;
		for (; j > 0 && a[j - 1].key > x.key; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

static void scatter(const struct tl_sort *restrict from, struct tl_sort *restrict to, size_t n,
	int d, size_t *count)
{
	size_t sum = 0;
	for (size_t v = 0; v < VALUES; v++) {
		size_t c = count[v];
		count[v] = sum;
		sum += c;
	}
	for (size_t i = 0; i < n; i++)
		to[count[digit(from[i].key, d)]++] = from[i];
}

void tl_sort(struct tl_sort *a, size_t n)
{
	if (n <= FEW) {
		insertion(a, n);
		return;
	}
	if (sorted(a, n))
		return;
	size_t(*count)[VALUES] = tl_calloc(DIGITS, sizeof *count);
	for (size_t i = 0; i < n; i++)
		for (int d = 0; d < DIGITS; d++)
			count[d][digit(a[i].key, d)]++;
	struct tl_sort *temp = tl_calloc(n, sizeof *temp), *from = a, *to = temp;
	for (int d = 0; d < DIGITS; d++) {
		if (count[d][digit(a[0].key, d)] == n)
			continue;
		scatter(from, to, n, d, count[d]);
		struct tl_sort *swap = from;
		from = to;
		to = swap;
	}
	if (from != a)
		memcpy(a, from, n * sizeof *a);
	free(temp);
	free(count);
}

void tl_sort_by_u32(struct tl_sort *a, size_t n, const uint32_t *column)
{
	for (size_t i = 0; i < n; i++)
		a[i].key = column[a[i].at];
	tl_sort(a, n);
}

void tl_sort_by_u64(struct tl_sort *a, size_t n, const uint64_t *column)
{
	for (size_t i = 0; i < n; i++)
		a[i].key = column[a[i].at];
	tl_sort(a, n);
}

void tl_sort_by_time(struct tl_sort *a, size_t n, const int64_t *column)
{
	for (size_t i = 0; i < n; i++)
		a[i].key = tl_sort_time(column[a[i].at]);
	tl_sort(a, n);
}

void tl_sort_late_first(struct tl_sort *a, size_t n, const int64_t *column)
{
	for (size_t i = 0; i < n; i++)
		a[i].key = ~tl_sort_time(column[a[i].at]);
	tl_sort(a, n);
}
