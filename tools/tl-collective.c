/* tl-collective: communication of all ranks together (tl-collective.1, tl-records.5). */
#include "../lib/collective/collective.h"
#include "../lib/base/base.h"
#include "../lib/json/json.h"
#include "../lib/stream/stream.h"

static struct tl_collective_options opt;
static struct tl_list rules;
static const char *step;

static const struct tl_option options[] = {
	{'m', "map", NULL, TL_OPT_FLAG, &opt.map, "each trace's operations alone, for a later run"},
	{0, "raw-clocks", NULL, TL_OPT_FLAG, &opt.raw_clocks, "do not correct the ranks' clocks"},
	{0, "all-members", NULL, TL_OPT_FLAG, &opt.all_members, "lists of over 64 ranks in full"},
	{0, "in", "NAME", TL_OPT_STRING, &opt.in, "only what belongs to annotations of this name"},
	{0, "step", "N", TL_OPT_STRING, &step, "only what belongs to step N"},
	{0, "rules", "FILE|reference", TL_OPT_LIST, &rules, "rules to add, or the set to use"},
	{0},
};

static const struct tl_usage usage = {
	.tool = "tl-collective",
	.what = "which collectives of the ranks belong together, who waited, and for whom",
	.operands = "[FILE]...",
	.options = options,
	.common = TL_COMMON_FILTER,
	.example = "tl-extract rank*.json.gz | tl-collective -n | jq -c 'select(.type==\"straggler\")'",
};

static void check_options(void)
{
	opt.rules = rules.v;
	opt.n_rules = rules.n;
	opt.by_step = step;
	if (step && !tl_json_u64(tl_str(step), &opt.step))
		tl_die(TL_USAGE, "--step: not a number from 0");
}

int main(int argc, char **argv)
{
	int first = tl_options(&usage, argc, argv);
	check_options();
	struct tl_stream *s = tl_stream_open(argv + first, argc - first);
	tl_stream_sets(s, TL_SETS_GIVE);
	struct tl_collective *c = tl_collective_new(&opt);
	struct tl_record r;
	while (tl_stream_next(s, &r))
		tl_collective_take(c, s, &r);
	bool damage = tl_collective_finish(c, s);
	tl_collective_free(c);
	int status = tl_stream_close(s);
	return status == TL_OK && damage ? TL_DAMAGE : status;
}
