#include "option.h"
#include "../base/base.h"
#include "../json/json.h"
#include "out.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tl_common tl_common;

#define OUTPUT                                                   \
	{                                                            \
		'o', "output", "FILE", TL_OPT_STRING, &tl_common.output, \
			"write to FILE, in place once it is whole"           \
	}
#define QUIET                                                                                   \
	{                                                                                           \
		'q', "quiet", NULL, TL_OPT_FLAG, &tl_common.quiet, "no notes and no progress on stderr" \
	}
#define LINES                                                            \
	{                                                                    \
		0, "line-buffered", NULL, TL_OPT_FLAG, &tl_common.line_buffered, \
			"flush after every record"                                   \
	}
#define SKIP                                                   \
	{                                                          \
		0, "skip-bad", NULL, TL_OPT_FLAG, &tl_common.skip_bad, \
			"leave out lines that are no records"              \
	}

static const struct tl_option source_options[] = {
	OUTPUT,
	QUIET,
	LINES,
	{0, "strict", NULL, TL_OPT_FLAG, &tl_common.strict, "stop at the first damage (exit 3)"},
	{0},
};

static const struct tl_option filter_options[] = {
	{'n', "no-events", NULL, TL_OPT_FLAG, &tl_common.no_events, "leave out event and meta records"},
	OUTPUT,
	QUIET,
	LINES,
	SKIP,
	{0},
};

static const struct tl_option sink_options[] = {OUTPUT, QUIET, SKIP, {0}};

static const struct tl_option help_options[] = {
	{'h', "help", NULL, TL_OPT_FLAG, NULL, "show this help"},
	{'V', "version", NULL, TL_OPT_FLAG, NULL, "show the version"},
	{0},
};

static const struct tl_option *common_options(enum tl_common_set set)
{
	return set == TL_COMMON_SOURCE ? source_options
		   : set == TL_COMMON_SINK ? sink_options
								   : filter_options;
}

static void usage_line(const struct tl_usage *u, FILE *f)
{
	fprintf(f, "usage: %s [option]...%s%s\n", u->tool, u->operands ? " " : "",
		u->operands ? u->operands : "");
}

static void help_option(const struct tl_option *o)
{
	char left[64];
	const char *eq = o->kind == TL_OPT_OPTIONAL ? "[=" : " ";
	snprintf(left, sizeof left, "%c%c%s --%s%s%s%s", o->letter ? '-' : ' ',
		o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name, o->arg ? eq : "",
		o->arg ? o->arg : "", o->arg && o->kind == TL_OPT_OPTIONAL ? "]" : "");
	printf("  %-28s %s\n", left, o->help);
}

void tl_printed(int status)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		tl_die(TL_FAILED, "stdout: cannot write");
	exit(status);
}

static void help(const struct tl_usage *u)
{
	usage_line(u, stdout);
	printf("%s\n\n", u->what);
	for (const struct tl_option *o = u->options; o && o->name; o++)
		help_option(o);
	for (const struct tl_option *o = common_options(u->common); o->name; o++)
		help_option(o);
	for (const struct tl_option *o = help_options; o->name; o++)
		help_option(o);
	printf("\nexample:\n  %s\n", u->example);
	tl_printed(TL_OK);
}

static void version(const struct tl_usage *u)
{
	printf("%s %s\n", u->tool, TL_VERSION);
	tl_printed(TL_OK);
}

static const struct tl_option *find(
	const struct tl_usage *u, char letter, const char *name, size_t n)
{
	const struct tl_option *tables[] = {u->options, common_options(u->common), help_options};
	for (size_t t = 0; t < 3; t++)
		for (const struct tl_option *o = tables[t]; o && o->name; o++)
			if (name ? strlen(o->name) == n && memcmp(o->name, name, n) == 0
					 : o->letter && o->letter == letter)
				return o;
	return NULL;
}

static bool size_value(const char *v, uint64_t *out)
{
	static const char units[] = "KMG";
	size_t n = strlen(v);
	const char *u = n ? strchr(units, v[n - 1] & ~32) : NULL;
	unsigned shift = u && *u ? 10 * (unsigned)(u - units + 1) : 0;
	if (!tl_json_u64((struct tl_span){v, n - (shift > 0)}, out) || *out > UINT64_MAX >> shift)
		return false;
	*out <<= shift;
	return true;
}

static bool number_value(const char *v, double *out)
{
	char *end;
	*out = strtod(v, &end);
	return *v && !*end && isfinite(*out);
}

static void set(const struct tl_option *o, const char *v)
{
	bool ok = true;
	switch (o->kind) {
	case TL_OPT_FLAG:
		*(bool *)o->dest = true;
		break;
	case TL_OPT_STRING:
	case TL_OPT_OPTIONAL:
		*(const char **)o->dest = v;
		break;
	case TL_OPT_LIST: {
		struct tl_list *l = o->dest;
		l->v = tl_realloc(l->v, l->n + 1, sizeof *l->v);
		l->v[l->n++] = v;
		break;
	}
	case TL_OPT_COUNT:
		ok = tl_json_u64(tl_str(v), o->dest) && v[0] != '"';
		break;
	case TL_OPT_SIZE:
		ok = size_value(v, o->dest);
		break;
	case TL_OPT_NUMBER:
		ok = number_value(v, o->dest);
		break;
	}
	if (!ok)
		tl_die(
			TL_USAGE, "--%s: %s is no %s", o->name, v, o->kind == TL_OPT_SIZE ? "size" : "number");
}

static bool takes_value(const struct tl_option *o)
{
	return o->kind != TL_OPT_FLAG && o->kind != TL_OPT_OPTIONAL;
}

static void found(const struct tl_usage *u, const struct tl_option *o, const char *v)
{
	if (o == &help_options[0])
		help(u);
	if (o == &help_options[1])
		version(u);
	set(o, v);
}

static _Noreturn void wrong(const struct tl_usage *u, const char *what, const char *arg)
{
	tl_die(TL_USAGE, "%s: %s (try %s --help)", arg, what, u->tool);
}

/* --name, --name=value, --name value; returns the index of the last argument used. */
static int long_option(const struct tl_usage *u, int argc, char **argv, int i)
{
	const char *arg = argv[i], *eq = strchr(arg, '=');
	size_t n = eq ? (size_t)(eq - arg) - 2 : strlen(arg) - 2;
	const struct tl_option *o = find(u, 0, arg + 2, n);
	if (!o)
		wrong(u, "no such option", arg);
	if (eq && o->kind == TL_OPT_FLAG)
		wrong(u, "takes no value", arg);
	const char *v = eq ? eq + 1 : o->kind == TL_OPT_OPTIONAL ? "" : NULL;
	if (!v && takes_value(o)) {
		if (i + 1 >= argc)
			wrong(u, "needs a value", arg);
		v = argv[++i];
	}
	found(u, o, v);
	return i;
}

/* -a, -abc, -ovalue, -o value. */
static int short_options(const struct tl_usage *u, int argc, char **argv, int i)
{
	for (const char *c = argv[i] + 1; *c; c++) {
		const struct tl_option *o = find(u, *c, NULL, 0);
		if (!o)
			wrong(u, "no such option", argv[i]);
		if (!takes_value(o)) {
			found(u, o, "");
			continue;
		}
		if (!c[1] && i + 1 >= argc)
			wrong(u, "needs a value", argv[i]);
		found(u, o, c[1] ? c + 1 : argv[++i]);
		break;
	}
	return i;
}

/* Where stderr is closed (daemons, 2>&-) the first file that is opened would get its number, and
 * messages would be written into it. */
static void keep_stderr(void)
{
	if (fcntl(STDERR_FILENO, F_GETFD) != -1 || errno != EBADF)
		return;
	int fd = open("/dev/null", O_WRONLY);
	if (fd >= 0 && fd != STDERR_FILENO) {
		dup2(fd, STDERR_FILENO);
		close(fd);
	}
}

int tl_options(const struct tl_usage *u, int argc, char **argv)
{
	keep_stderr();
	char **operands = tl_alloc((size_t)(argc + 1) * sizeof *operands);
	int n = 0, i = 1;
	tl_prog = u->tool;
	for (; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			operands[n++] = argv[i];
		else if (argv[i][1] == '-')
			i = long_option(u, argc, argv, i);
		else
			i = short_options(u, argc, argv, i);
	}
	for (; i < argc; i++)
		operands[n++] = argv[i];
	/* operands move to the end: whatever the order, they are argv[argc - n ...] */
	memcpy(argv + argc - n, operands, (size_t)n * sizeof *operands);
	free(operands);
	tl_quiet = tl_common.quiet;
	if (n && !u->operands)
		wrong(u, "no operand is taken", argv[argc - n]);
	bool reads = u->operands && !(u->no_input && u->no_input());
	if (!n && reads && isatty(STDIN_FILENO)) {
		usage_line(u, stderr);
		exit(TL_USAGE);
	}
	return argc - n;
}
