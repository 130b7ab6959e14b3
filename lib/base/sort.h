/* Linear-time stable sort of 64-bit keys (LSD radix, 11-bit digits, constant digits skipped). */
#ifndef TL_BASE_SORT_H
#define TL_BASE_SORT_H
#include <stddef.h>
#include <stdint.h>

struct tl_sort {
	uint64_t key;
	uint32_t at;   /* what the key belongs to */
	uint32_t more; /* the caller's */
};

/* Order of int64_t times as unsigned keys. */
static inline uint64_t tl_sort_time(int64_t ns)
{
	return (uint64_t)ns ^ (UINT64_C(1) << 63);
}

/* Sorts a[0..n) by key, equal keys in the order they stand. O(n) memory is taken meanwhile. */
void tl_sort(struct tl_sort *a, size_t n);

/* The same by a column: its value at `at` becomes the key. By several, the last one first. */
void tl_sort_by_u32(struct tl_sort *a, size_t n, const uint32_t *column);
void tl_sort_by_u64(struct tl_sort *a, size_t n, const uint64_t *column);
void tl_sort_by_time(struct tl_sort *a, size_t n, const int64_t *column);
void tl_sort_late_first(struct tl_sort *a, size_t n, const int64_t *column);

#endif
