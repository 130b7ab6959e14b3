/* Ranks told apart by pids. */
#include "../../lib/trace/rank.h"
#include "expect.h"

static enum tl_rank compare(const char *a, const char *b)
{
	return tl_rank_compare(tl_str(a), tl_str(b));
}

int main(void)
{
	EXPECT(compare("\"[TP00] 11\"", "\"[TP00] 0\"") == TL_RANK_SAME);
	EXPECT(compare("\"[TP00] 11\"", "\"[TP01] 11\"") == TL_RANK_OTHER);
	EXPECT(compare("\"rank1 cpu\"", "\"RANK1\"") == TL_RANK_SAME);
	EXPECT(compare("\"TP00-DP01-EP0\"", "\"TP00-DP02-EP0\"") == TL_RANK_OTHER);
	EXPECT(compare("\"TP00\"", "\"TP00-DP02\"") == TL_RANK_SAME);
	EXPECT(compare("\"python3 77\"", "\"cuda0\"") == TL_RANK_UNKNOWN);
	EXPECT(compare("\"11\"", "\"0\"") == TL_RANK_UNKNOWN);
	EXPECT(compare("11", "\"TP00\"") == TL_RANK_UNKNOWN);
	EXPECT(compare("\"a1b 2x3y\"", "\"a2b\"") == TL_RANK_UNKNOWN);
	EXPECT(compare("\"\"", "\"\"") == TL_RANK_UNKNOWN);
	EXPECT(compare("", "") == TL_RANK_UNKNOWN);
	return expect_failures > 0;
}
