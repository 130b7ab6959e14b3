/* Binary search over what is sorted. */
#ifndef TL_BASE_SEARCH_H
#define TL_BASE_SEARCH_H
#include <stddef.h>

/* Sets `at` to the first place of [from, to) for which `before`, an expression of `at`, does not
 * hold, or to `to`; it holds for all places up to some one and for none from there on.
 *
 *     TL_SEARCH(at, 0, n, a[at].key < key);     // the first of that key, if there is one
 */
#define TL_SEARCH(at, from, to, before)       \
	do {                                      \
		size_t low_ = (from), high_ = (to);   \
		while (low_ < high_) {                \
			(at) = low_ + (high_ - low_) / 2; \
			if (before)                       \
				low_ = (at) + 1;              \
			else                              \
				high_ = (at);                 \
		}                                     \
		(at) = low_;                          \
	} while (0)

#endif
