/* tl-render: a stream of records as a report, or as a trace again. */
#include "../lib/chrome/chrome.h"
#include "../lib/perfetto/perfetto.h"
#include "../lib/report/report.h"
#include "../lib/stream/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
	const char *format;
	struct tl_list reports;
	bool list, gzip, merge, compat, sort, annotate, raw;
} opt;

static const struct tl_option options[] = {
	{'f', "format", "FORMAT", TL_OPT_STRING, &opt.format, "chrome, pftrace, md, table, csv or tsv"},
	{'r', "report", "NAME|FILE.jq", TL_OPT_LIST, &opt.reports, "a report (default: summary)"},
	{0, "list", NULL, TL_OPT_FLAG, &opt.list, "list the reports, and what each needs"},
	{0, "merge", NULL, TL_OPT_FLAG, &opt.merge, "all traces in one document, by rank"},
	{0, "sort", NULL, TL_OPT_FLAG, &opt.sort, "events of a trace in order of time, not of ids"},
	{0, "annotate", NULL, TL_OPT_FLAG, &opt.annotate, "draw operators, stages and warnings too"},
	{0, "compat", NULL, TL_OPT_FLAG, &opt.compat, "write a merged window as the reference does"},
	{0, "raw", NULL, TL_OPT_FLAG, &opt.raw, "no apostrophe before formulas in csv"},
	{0, "gzip", NULL, TL_OPT_FLAG, &opt.gzip, "compress, whatever the name of the output"},
	{0},
};

static bool no_input(void)
{
	return opt.list;
}

static const struct tl_usage usage = {
	.tool = "tl-render",
	.what = "a stream of records as a report, or as a trace again",
	.operands = "[FILE]...",
	.options = options,
	.common = TL_COMMON_SINK,
	.example = "tl-extract t.json.gz | tl-tree | tl-synth | tl-render -f md",
	.no_input = no_input,
};

static bool on_terminal(void)
{
	return !tl_common.output && isatty(STDOUT_FILENO);
}

static struct tl_report_page page_for(const char *format)
{
	static const char *const names[] = {"md", "table", "csv", "tsv"};
	struct winsize w = {0};
	size_t i = 0;

	while (i < sizeof names / sizeof *names && strcmp(format, names[i]) != 0)
		i++;
	if (i == sizeof names / sizeof *names)
		tl_die(TL_USAGE, "--format: no such format: %s", format);
	struct tl_report_page page = {.form = (enum tl_report_form)i, .raw = opt.raw};
	if (page.form != TL_REPORT_TABLE || !on_terminal())
		return page;
	const char *plain = getenv("NO_COLOR");
	page.colour = !plain || !*plain;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
		page.width = w.ws_col;
	return page;
}

static void write_chrome(struct tl_stream *s, struct tl_target *target)
{
	struct tl_chrome *c = tl_chrome_new(target, opt.merge);
	struct tl_record r;
	struct tl_error e;

	tl_chrome_set(c, opt.sort, opt.annotate);
	while (tl_stream_next(s, &r))
		if (tl_stream_check(s, &r) && !tl_chrome_take(c, s, &r, &e))
			tl_die(TL_USAGE, "%s", e.text);
	unsigned dropped = tl_chrome_close(c);
	if (dropped)
		tl_note(
			"%u top-level values of later traces differ from the first and are left out", dropped);
}

static void write_pftrace(struct tl_stream *s, struct tl_target *target)
{
	struct tl_record r;
	struct tl_error e;
	struct tl_perfetto_options o = {opt.merge, opt.compat, opt.annotate};
	struct tl_perfetto *p = tl_perfetto_new(target, o, &e);

	if (!p)
		tl_die(TL_FAILED, "%s", e.text);
	while (tl_stream_next(s, &r))
		if (tl_stream_check(s, &r) && !tl_perfetto_take(p, s, &r, &e))
			tl_die(TL_USAGE, "%s", e.text);
	uint64_t left_out = tl_perfetto_close(p);
	if (left_out)
		tl_note("%llu events have no time, or no place in a Perfetto trace, and are left out",
			(unsigned long long)left_out);
}

static _Noreturn void list_reports(void)
{
	struct tl_report_list list;
	struct tl_error e;
	if (!tl_report_list(&list, &e))
		tl_die(TL_FAILED, "%s", e.text);
	for (size_t i = 0; i < list.n; i++)
		printf("%-12s %s\n%-12s tl-extract | %s | tl-render -r %s\n", list.v[i].name,
			list.v[i].answers, "", list.v[i].needs, list.v[i].name);
	tl_report_list_free(&list);
	tl_printed(TL_OK);
}

static int write_report(struct tl_stream *s, struct tl_target *target)
{
	static const char *const summary[] = {"summary"};
	const char *const *names = opt.reports.n ? opt.reports.v : summary;
	struct tl_record r;
	struct tl_error e;
	enum tl_status worst = TL_OK;
	bool any = false;
	struct tl_report *p = tl_report_new(
		names, opt.reports.n ? opt.reports.n : 1, target, page_for(opt.format), &e);

	if (!p)
		tl_die(TL_USAGE, "%s", e.text);
	tl_stream_sets(s, tl_report_is_of_sets(p) ? TL_SETS_ALONE : TL_SETS_DROP);
	while (tl_stream_next(s, &r)) {
		any = true;
		enum tl_status status = tl_report_take(p, s, &r, &e);
		if (status == TL_USAGE)
			tl_die(TL_USAGE, "%s", e.text);
		if (status != TL_OK && e.text[0])
			tl_warn("%s", e.text);
		worst = status > worst ? status : worst;
	}
	if (!any && tl_report_is_of_sets(p))
		tl_warn("no set is in the stream: tl-collective must come before");
	tl_report_free(p);
	return worst;
}

int main(int argc, char **argv)
{
	int first = tl_options(&usage, argc, argv), status = TL_OK;
	struct tl_target target = {.pattern = tl_common.output, .gzip = opt.gzip};

	if (opt.list)
		list_reports();
	if (!opt.format)
		opt.format = on_terminal() ? "table" : "md";
	bool chrome = strcmp(opt.format, "chrome") == 0;
	bool pftrace = strcmp(opt.format, "pftrace") == 0;
	if ((chrome || pftrace) && opt.reports.n)
		tl_die(TL_USAGE, "-r: a report has one of the formats md, table, csv, tsv");
	if (opt.merge && (!(chrome || pftrace) || tl_target_each(&target)))
		tl_die(TL_USAGE, "--merge: makes one document, with -f chrome or pftrace");
	if (opt.sort && !chrome)
		tl_die(TL_USAGE, "--sort: goes with -f chrome");
	if (opt.raw && strcmp(opt.format, "csv") != 0)
		tl_die(TL_USAGE, "--raw: goes with -f csv");
	if (opt.annotate && !chrome && !pftrace)
		tl_die(TL_USAGE, "--annotate: goes with -f chrome or pftrace");
	tl_common.output = NULL; /* the target opens it, per trace */
	struct tl_stream *s = tl_stream_open(argv + first, argc - first);
	tl_stream_sets(s, TL_SETS_DROP);
	if (chrome)
		write_chrome(s, &target);
	else if (pftrace)
		write_pftrace(s, &target);
	else
		status = write_report(s, &target);
	tl_target_close(&target, tl_stream_whole(s) && status != TL_FAILED);
	int stream = tl_stream_close(s);
	return stream > status ? stream : status;
}
