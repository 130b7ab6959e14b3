/* Unit tests: `EXPECT(condition)` says where it failed; main returns expect_failures > 0. */
#ifndef EXPECT_H
#define EXPECT_H
#include <stdio.h>

static int expect_failures;

#define EXPECT(c)                                                             \
	do {                                                                      \
		if (!(c)) {                                                           \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #c); \
			expect_failures++;                                                \
		}                                                                     \
	} while (0)

#endif
