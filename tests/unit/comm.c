/* Which kernels communicate, as C sees it. With "-": for each name on stdin a line with the answer
 * and the words that tests/kernel-names.bats compares with the rules'. */
#include "../../lib/rules/comm.h"
#include "../../lib/rules/words.h"
#include "expect.h"
#include <stdlib.h>

static void filter(void)
{
	struct tl_buf words = {0}, head = {0};
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	while ((n = getline(&line, &cap, stdin)) > 0) {
		struct tl_span name = {line, (size_t)n - (line[n - 1] == '\n')};
		words.n = head.n = 0;
		tl_kernel_words(&words, name);
		tl_kernel_head(&head, name);
		printf("%s\t%.*s\t%.*s\n", tl_name_communicates(name) ? "true" : "false", (int)head.n,
			head.p, (int)words.n, words.p);
	}
	free(line);
	tl_buf_free(&words);
	tl_buf_free(&head);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		filter();
		return 0;
	}
	EXPECT(tl_name_communicates(tl_str("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm *)")));
	EXPECT(
		tl_name_communicates(tl_str("void std::enable_if<(8 > 0), void>::type all_gather<8>(x)")));
	EXPECT(!tl_name_communicates(tl_str("void reduce<AllReduce>(int)")));
	EXPECT(tl_name_communicates(tl_str("<unnamed>::nccl_kernel<int>")));
	EXPECT(!tl_name_communicates(tl_str("")));
	EXPECT(!tl_name_communicates((struct tl_span){0}));
	return expect_failures > 0;
}
