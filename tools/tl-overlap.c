/* tl-overlap: what runs beside what, and what runs alone (tl-overlap.1, tl-records.5). */
#include "../lib/overlap/overlap.h"
#include "../lib/base/base.h"
#include "../lib/stream/stream.h"

#define MOST_LANES 100000

static struct tl_overlap_options opt = {.top = 5};
static struct tl_list rules;
static double short_us = 10;

static const struct tl_option options[] = {
	{0, "by-step", NULL, TL_OPT_FLAG, &opt.by_step, "also a timeline per step"},
	{0, "by", "GLOB", TL_OPT_STRING, &opt.by,
		"also a timeline per annotation or operator of such a name"},
	{0, "gaps", "N", TL_OPT_COUNT, &opt.gaps, "the N longest idle gaps of each device"},
	{0, "lanes", "N", TL_OPT_COUNT, &opt.lanes, "busy shares of each stream in N bins"},
	{0, "short", "US", TL_OPT_NUMBER, &short_us, "below this an op is short (default 10)"},
	{0, "top", "N", TL_OPT_COUNT, &opt.top, "rows per list of actions (default 5)"},
	{0, "clip", NULL, TL_OPT_FLAG, &opt.clip, "cut durations that cannot be at the next start"},
	{0, "rules", "FILE|reference", TL_OPT_LIST, &rules,
		"other rules, or those of a .jq file on top"},
	{0},
};

static const struct tl_usage usage = {
	.tool = "tl-overlap",
	.what = "Tells what runs beside what on each device, what runs alone, and what is idle.",
	.operands = "[FILE]...",
	.options = options,
	.common = TL_COMMON_FILTER,
	.example = "tl-extract t.json.gz | tl-overlap -n | jq -c 'select(.type==\"timeline\")'",
};

static void check_options(void)
{
	if (!(short_us >= 0 && short_us <= 1e12))
		tl_die(TL_USAGE, "--short: not a time in microseconds from 0 to 1e12");
	if (opt.lanes > MOST_LANES)
		tl_die(TL_USAGE, "--lanes: at most %d bins", MOST_LANES);
	opt.short_ns = (int64_t)(short_us * 1000 + 0.5);
	opt.no_events = tl_common.no_events;
	opt.rules = rules.v;
	opt.n_rules = rules.n;
}

int main(int argc, char **argv)
{
	int first = tl_options(&usage, argc, argv);
	check_options();
	struct tl_stream *s = tl_stream_open(argv + first, argc - first);
	struct tl_overlap *o = tl_overlap_new(&opt);
	struct tl_record r;
	tl_stream_hold(s, !opt.no_events);
	while (tl_stream_next(s, &r))
		tl_overlap_take(o, s, &r);
	tl_overlap_free(o);
	return tl_stream_close(s);
}
