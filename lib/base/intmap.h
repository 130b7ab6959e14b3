/* 64-bit integers to small values: open addressing, about 24 to 48 bytes per key, never shrinks.
 * A zeroed tl_intmap is an empty map. */
#ifndef TL_BASE_INTMAP_H
#define TL_BASE_INTMAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_intmap {
	struct tl_intmap_slot {
		int64_t key;
		uint32_t value, used;
	} * slots;
	size_t n, mask;
};

/* Room for `n` keys without growing on the way. */
void tl_intmap_reserve(struct tl_intmap *m, size_t n);

/* The value of `key`, which is added with value 0 when it is new. Valid until the next call. */
uint32_t *tl_intmap_add(struct tl_intmap *m, int64_t key);

/* The value of `key`, or NULL. */
uint32_t *tl_intmap_find(const struct tl_intmap *m, int64_t key);

void tl_intmap_free(struct tl_intmap *m);

/* A well-mixed hash of an integer (splitmix64). */
static inline uint64_t tl_mix(uint64_t x)
{
	x += UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

#endif
