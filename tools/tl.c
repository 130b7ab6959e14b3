/* tl: from a question to an answer: the pipe of tools that a report needs (tl.1). */
#include "../lib/front/front.h"
#include "../lib/report/report.h"
#include "../lib/stream/stream.h"
#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define ALL "tl-tree | tl-synth | tl-sourcemap | tl-overlap | tl-reliability"

static struct {
	struct tl_list reports;
	const char *format;
	bool print;
} opt;

static const struct tl_option options[] = {
	{'r', "report", "NAME|FILE.jq", TL_OPT_LIST, &opt.reports, "a report; tl-render --list"},
	{'f', "format", "FORMAT", TL_OPT_STRING, &opt.format, "md, table, csv or tsv"},
	{'n', "dry-run", NULL, TL_OPT_FLAG, &opt.print, "print the pipe, do not run it"},
	{0},
};

static const struct tl_usage usage = {
	.tool = "tl",
	.what = "The first look at traces; `tl report -r NAME TRACE` answers one question.\n"
			"`tl TOOL ...` runs tl-TOOL: extract, tree, synth, sourcemap, overlap, reliability, "
			"render.",
	.operands = "[report] TRACE...",
	.options = options,
	.common = TL_COMMON_SINK,
	.example = "tl rank0.json.gz; tl report -r gaps -r kernels rank0.json.gz",
};

static _Noreturn void version(void)
{
	printf("tl %s (zlib %s, protobuf-c %s, libjq of %s)\n", TL_VERSION, zlibVersion(),
		protobuf_c_version(), TL_JQ);
	tl_printed(TL_OK);
}

/* Whether the file is a stream of tl already. One that cannot be read is left to the tool. */
static bool is_stream(const char *path)
{
	static const char record[] = "{\"type\":\"trace\"";
	char head[sizeof record - 1];
	struct tl_error e;
	struct tl_source *s = strcmp(path, "-") == 0 ? NULL : tl_source_open(path, &e);
	if (!s)
		return false;
	ssize_t n = tl_source_peek(s, head, sizeof head, &e);
	tl_source_close(s);
	return n == sizeof head && memcmp(head, record, sizeof head) == 0;
}

static void need_reports(struct tl_front_pipe *p)
{
	for (size_t i = 0; i < opt.reports.n; i++) {
		struct tl_report_about about;
		struct tl_error e;
		if (!tl_report_about(opt.reports.v[i], &about, &e))
			tl_die(TL_USAGE, "%s", e.text);
		tl_front_need(p, about.needs ? about.needs : ALL);
		tl_report_about_free(&about);
	}
}

static void add_option(struct tl_front_pipe *p, const char *option, const char *value)
{
	if (!value)
		return;
	tl_front_arg(p, p->n - 1, option);
	tl_front_arg(p, p->n - 1, value);
}

static struct tl_front_pipe pipe_for(char **traces, int n)
{
	struct tl_front_pipe p = {0};
	int streams = 0;
	for (int i = 0; i < n; i++)
		streams += is_stream(traces[i]);
	if (streams && streams < n)
		tl_die(TL_USAGE, "traces and streams of tl cannot be mixed");
	if (!streams)
		tl_front_add(&p, "tl-extract");
	need_reports(&p);
	tl_front_add(&p, "tl-render");
	for (size_t i = 0; i < opt.reports.n; i++)
		add_option(&p, "-r", opt.reports.v[i]);
	add_option(&p, "-f", opt.format);
	add_option(&p, "-o", tl_common.output);
	for (size_t i = 0; i < p.n; i++) {
		if (tl_common.quiet)
			tl_front_arg(&p, i, "-q");
		if (tl_common.skip_bad && (i > 0 || streams))
			tl_front_arg(&p, i, "--skip-bad");
	}
	for (int i = 0; i < n; i++)
		tl_front_arg(&p, 0, traces[i]);
	return p;
}

int main(int argc, char **argv)
{
	static const char *const first_look[] = {"look"}, *const summary[] = {"summary"};
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
		version();
	bool report = argc > 1 && strcmp(argv[1], "report") == 0;
	if (argc > 1 && !report && argv[1][0] != '-' && !strpbrk(argv[1], "./")) {
		const char *word = argv[1];
		tl_front_become(word, argv + 1);
		argv[1] = (char *)word;
		if (access(word, F_OK) != 0)
			tl_die(TL_USAGE, "%s: no tool and no trace of that name (try tl --help)", word);
	}
	int shift = report ? 1 : 0;
	int first = tl_options(&usage, argc - shift, argv + shift) + shift;
	if (first == argc)
		tl_die(TL_USAGE, "which trace? (try tl --help)");
	if (!opt.reports.n)
		opt.reports = (struct tl_list){(const char **)(report ? summary : first_look), 1};
	struct tl_front_pipe p = pipe_for(argv + first, argc - first);
	int status = TL_OK;
	if (opt.print)
		tl_front_print(&p);
	else
		status = tl_front_run(&p);
	tl_front_free(&p);
	tl_printed(status);
}
