/* tl_sort: ordered, stable, for every size class and for keys that use any of the digits. */
#include "../../lib/base/sort.h"
#include "expect.h"
#include <stdlib.h>

static uint64_t state = 42;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void check(size_t n, uint64_t mask)
{
	struct tl_sort *a = malloc((n + 1) * sizeof *a);
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		a[i] = (struct tl_sort){next() & mask, (uint32_t)i, (uint32_t)(i * 7)};
		sum += a[i].key;
	}
	a[n] = (struct tl_sort){1, 2, 3};
	tl_sort(a, n);
	for (size_t i = 0; i < n; i++) {
		sum -= a[i].key;
		EXPECT(a[i].more == a[i].at * 7);
		if (i > 0)
			EXPECT(a[i - 1].key < a[i].key || (a[i - 1].key == a[i].key && a[i - 1].at < a[i].at));
	}
	EXPECT(sum == 0);
	EXPECT(a[n].key == 1 && a[n].at == 2);
	free(a);
}

int main(void)
{
	static const size_t sizes[] = {0, 1, 2, 47, 48, 49, 1000, 30000};
	static const uint64_t masks[] = {
		0, 1, 0xff, 0x7ff, 0x800, 0xffffff, UINT64_C(0xfff0000000000000), UINT64_MAX};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t j = 0; j < sizeof masks / sizeof *masks; j++)
			check(sizes[i], masks[j]);
	EXPECT(tl_sort_time(INT64_MIN) < tl_sort_time(-1));
	EXPECT(tl_sort_time(-1) < tl_sort_time(0));
	EXPECT(tl_sort_time(0) < tl_sort_time(INT64_MAX));
	return expect_failures > 0;
}
