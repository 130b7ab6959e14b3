/* tl-synth: one row per operator that launched GPU work; every GPU op in exactly one row. */
#include "../lib/synth/synth.h"
#include "../lib/stream/stream.h"

static struct {
	struct tl_list rules;
	const char *arch, *group;
	bool no_comm;
} opt = {.arch = "auto"};

static const struct tl_option options[] = {
	{'g', "group", "KEY", TL_OPT_OPTIONAL, &opt.group,
		"op_group records, not rows, by: inputs, name, category, stack"},
	{0, "no-comm", NULL, TL_OPT_FLAG, &opt.no_comm,
		"leave out rows of which all GPU ops communicate"},
	{0, "arch", "NAME|FILE", TL_OPT_STRING, &opt.arch,
		"peaks of this device (auto: the one that the trace names)"},
	{0, "rules", "FILE|reference", TL_OPT_LIST, &opt.rules,
		"add jq rules from a file, or use the reference rules"},
	{0},
};

static const struct tl_usage usage = {
	.tool = "tl-synth",
	.what = "one row per operator that launched GPU work",
	.operands = "[FILE]...",
	.options = options,
	.common = TL_COMMON_FILTER,
	.example =
		"tl-extract t.json.gz | tl-tree | tl-synth -n | jq -r 'select(.type == \"op\").name'",
};

int main(int argc, char **argv)
{
	int first = tl_options(&usage, argc, argv), status;
	struct tl_synth_options o = {.no_comm = opt.no_comm};
	enum tl_synth_group_key key;
	struct tl_error e;
	struct tl_record r;

	if (opt.group && !tl_synth_group_key_of(opt.group, &key))
		tl_die(TL_USAGE, "--group: no key named %s", opt.group);
	if (opt.group)
		o.groups = tl_synth_groups_new(key);
	if (strcmp(opt.arch, "auto") != 0)
		o.arch = opt.arch;
	o.rules = tl_rules_new("synth", tl_synth_rules, opt.rules.v, opt.rules.n);
	struct tl_stream *stream = tl_stream_open(argv + first, argc - first);
	struct tl_synth *synth = tl_synth_new(&o, stream, &e);
	if (!synth)
		tl_die(TL_USAGE, "--arch: %s", e.text);
	while (tl_stream_next(stream, &r))
		tl_synth_take(synth, &r);
	status = tl_stream_close(stream);
	if (!tl_synth_sound(synth)) {
		tl_warn("a GPU op is not owned by exactly one row: this is a fault of tl-synth");
		status = TL_FAILED;
	}
	tl_synth_free(synth);
	tl_synth_groups_free(o.groups);
	tl_rules_free(o.rules);
	return status;
}
