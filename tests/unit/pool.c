/* tl_pool: one number per text, in order of first sight, through growth and clearing. */
#include "../../lib/base/pool.h"
#include "expect.h"
#include <stdlib.h>

static void fill(struct tl_pool *p, uint32_t n)
{
	char text[32];
	for (uint32_t i = 0; i < n; i++) {
		size_t len = (size_t)snprintf(text, sizeof text, "name %u", i);
		EXPECT(tl_pool_add(p, (struct tl_span){text, len}) == i);
	}
	EXPECT(tl_pool_count(p) == n);
	for (uint32_t i = 0; i < n; i++) {
		size_t len = (size_t)snprintf(text, sizeof text, "name %u", i);
		struct tl_span s = {text, len};
		EXPECT(tl_pool_find(p, s) == i);
		EXPECT(tl_pool_add(p, s) == i);
		EXPECT(tl_span_eq(tl_pool_text(p, i), s));
	}
	EXPECT(tl_pool_find(p, TL_LIT("name")) == TL_POOL_NONE);
}

int main(void)
{
	struct tl_pool *p = tl_pool_new();
	fill(p, 100000);
	tl_pool_clear(p);
	EXPECT(tl_pool_count(p) == 0);
	EXPECT(tl_pool_find(p, TL_LIT("name 1")) == TL_POOL_NONE);

	size_t n = 1 << 20;
	char *huge = calloc(n, 1);
	EXPECT(tl_pool_add(p, (struct tl_span){huge, n}) == 0);
	EXPECT(tl_pool_add(p, (struct tl_span){huge, n - 1}) == 1);
	EXPECT(tl_pool_add(p, (struct tl_span){0}) == 2);
	EXPECT(tl_pool_add(p, TL_LIT("")) == 2);
	EXPECT(tl_pool_add(p, TL_LIT("a\0b")) == 3);
	EXPECT(tl_pool_add(p, TL_LIT("a\0c")) == 4);
	huge[0] = 'x';
	EXPECT(tl_pool_text(p, 0).p[0] == 0);
	EXPECT(tl_pool_add(p, (struct tl_span){huge, n}) == 5);
	free(huge);

	tl_pool_clear(p);
	fill(p, 5000);
	tl_pool_free(p);
	tl_pool_free(NULL);
	return expect_failures > 0;
}
