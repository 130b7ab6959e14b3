/* tl-extract: traces in, records out (tl-extract.1, tl-records.5). */
#include "../lib/extract/extract.h"
#include "../lib/window/window.h"
#include "../lib/json/json.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct tl_extract_options opt = {.max_event = 8u << 20};
static bool all, compat;
static const char *window;

static const struct tl_option options[] = {
	{0, "cat", "LIST", TL_OPT_LIST, &opt.cat,
		"only events of these categories (kernel,cpu_op,...)"},
	{0, "name", "GLOB", TL_OPT_LIST, &opt.name, "only events of such a name; may be repeated"},
	{0, "no-python", NULL, TL_OPT_FLAG, &opt.no_python, "leave out Python frames"},
	{0, "args", "all|none|KEYS", TL_OPT_STRING, &opt.args, "keep all args, none, or KEY,KEY"},
	{0, "rebase", NULL, TL_OPT_FLAG, &opt.rebase, "times from the first event on"},
	{0, "rank", "N", TL_OPT_STRING, &opt.rank, "the rank, where the trace does not say"},
	{0, "all", NULL, TL_OPT_FLAG, &all, "also graph-capture sidecars of a directory"},
	{0, "window", "FILE", TL_OPT_STRING, &window,
		"an activity window, merged with the trace (-: stdin)"},
	{0, "compat", NULL, TL_OPT_FLAG, &compat, "merge a window exactly as the reference does"},
	{0, "max-event", "SIZE", TL_OPT_SIZE, &opt.max_event, "skip larger events (default 8M)"},
	{0},
};

static bool no_stdin(void)
{
	return window && strcmp(window, "-") != 0;
}

static const struct tl_usage usage = {
	.tool = "tl-extract",
	.what = "Reads profiler traces (files, directories of them, stdin) and writes records.",
	.operands = "[TRACE|DIR]...",
	.options = options,
	.common = TL_COMMON_SOURCE,
	.no_input = no_stdin,
	.example = "tl-extract rank0.json.gz | jq -c 'select(.cat==\"kernel\") | .name'",
};

static struct tl_out out;
static struct tl_extracted got;
static bool failed;

/* True when it was read, well or badly. Of a file that is no trace `say` decides whether that is
 * told here; what it is stands in `e`. */
static bool read_trace(const char *name, bool say, struct tl_error *e)
{
	got.no_trace = false;
	if (tl_extract_read(name, got.traces, &opt, &out, &got, e))
		return true;
	if (got.no_trace && !say)
		return false;
	if (got.rank_misfit || tl_common.strict) {
		tl_out_flush(&out);
		tl_die(got.rank_misfit ? TL_USAGE : TL_FAILED, "%s: %s", name, e->text);
	}
	tl_warn("%s: %s", name, e->text);
	failed = true;
	return true;
}

static bool is_trace_name(struct tl_span name)
{
	static const char *const suffixes[] = {".json", ".json.gz", ".json.zst"};
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (tl_span_ends_nocase(name, tl_str(suffixes[i])))
			return name.p[0] != '.';
	return false;
}

static int keep_trace(const struct dirent *d)
{
	return is_trace_name(tl_str(d->d_name));
}

static int natural(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* What a directory holds beside its traces; the first one stands for all. */
struct others {
	int n;
	char first[256];
	struct tl_error why;
};

static void read_entry(const char *dir, const char *name, struct others *o)
{
	struct tl_buf path = {0};
	struct tl_error e;
	size_t d = strlen(dir);
	tl_buf_printf(&path, "%s%s%s", dir, d && dir[d - 1] == '/' ? "" : "/", name);
	if (!read_trace(path.p, false, &e) && !o->n++) {
		snprintf(o->first, sizeof o->first, "%s", name);
		o->why = e;
	}
	tl_buf_free(&path);
}

/* The trace files of a directory in natural order (rank2 before rank10). */
static void read_directory(const char *dir)
{
	struct dirent **names;
	struct others other = {0};
	int n = scandir(dir, &names, keep_trace, natural), left_out = 0;
	if (n < 0)
		tl_die(TL_FAILED, "%s: cannot read: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!all && tl_span_has_nocase(tl_str(names[i]->d_name), TL_LIT("capture")))
			left_out++;
		else
			read_entry(dir, names[i]->d_name, &other);
		free(names[i]);
	}
	free(names);
	if (left_out)
		tl_note("%s: %d graph-capture traces left out (--all reads them)", dir, left_out);
	if (other.n)
		tl_note("%s: %d files that are no trace passed over, first %s: %s", dir, other.n,
			other.first, other.why.text);
	if (n == other.n)
		tl_warn("%s: no trace in this directory", dir);
	failed |= n == other.n;
}

static bool is_directory(const char *name)
{
	struct stat st;
	return strcmp(name, "-") != 0 && stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static void check_options(int operands)
{
	uint64_t unused;
	if (opt.rank && !tl_json_u64(tl_str(opt.rank), &unused))
		tl_die(TL_USAGE, "--rank: %s is no number", opt.rank);
	if (opt.rank && operands > 1)
		tl_die(TL_USAGE, "--rank is for one trace, not for %d", operands);
	if (compat && !window)
		tl_die(TL_USAGE, "--compat goes with --window");
	if (opt.max_event == 0)
		tl_die(TL_USAGE, "--max-event: 0 would skip everything");
}

/* --window: one trace comes out, of the window and of the trace beside it, if any. */
static void read_window(char **traces, int n)
{
	struct tl_error e;
	if (n > 1 || (n == 1 && is_directory(traces[0])))
		tl_die(TL_USAGE, "--window goes with one trace, not with several");
	if (opt.rebase || opt.args)
		tl_die(TL_USAGE, "--window does not go with --rebase or --args");
	if (n && strcmp(window, "-") == 0 && strcmp(traces[0], "-") == 0)
		tl_die(TL_USAGE, "the window and the trace cannot both be stdin");
	if (!tl_window_read(window, n ? traces[0] : NULL, compat, &opt, &out, &got, &e))
		tl_die(TL_FAILED, "%s: %s", window, e.text);
}

int main(int argc, char **argv)
{
	struct tl_error e;
	int first = tl_options(&usage, argc, argv);
	check_options(argc - first);
	opt.strict = tl_common.strict;
	tl_out_open(&out, tl_common.output, false);
	out.line_buffered = tl_common.line_buffered;
	if (window)
		read_window(argv + first, argc - first);
	else if (first == argc)
		read_trace("-", true, &e);
	for (int i = first; i < argc && !window; i++) {
		if (is_directory(argv[i]))
			read_directory(argv[i]);
		else
			read_trace(argv[i], true, &e);
	}
	if (failed)
		tl_out_discard(&out);
	else
		tl_out_close(&out);
	return failed ? TL_FAILED : got.damage ? TL_DAMAGE : TL_OK;
}
