/* The command line, the same in all tools: one table per tool, and the options that all have.
 *
 *     static struct { const char *rules; bool group; } opt;
 *     static const struct tl_option options[] = {
 *         {'g', "group", NULL, TL_OPT_FLAG, &opt.group, "write op_group records, not op rows"},
 *         {0, "rules", "FILE|reference", TL_OPT_STRING, &opt.rules, "rules to use"},
 *         {0},
 *     };
 *     static const struct tl_usage usage = {
 *         .tool = "tl-synth", .what = "one row per operator that launched GPU work",
 *         .operands = "[FILE]...", .options = options, .common = TL_COMMON_FILTER,
 *         .example = "tl-extract t.json.gz | tl-tree | tl-synth -n | jq -r .name"};
 *     int first = tl_options(&usage, argc, argv);   -> argv[first...] are the operands
 */
#ifndef TL_STREAM_OPTION_H
#define TL_STREAM_OPTION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_option_kind {
	TL_OPT_FLAG,     /* bool: set to true */
	TL_OPT_STRING,   /* const char *: the last one wins */
	TL_OPT_LIST,     /* struct tl_list: every one is kept, in order */
	TL_OPT_OPTIONAL, /* const char *: --name or --name=VALUE; "" without a value */
	TL_OPT_COUNT,    /* uint64_t: a whole number from 0 */
	TL_OPT_SIZE,     /* uint64_t: bytes, with an optional K, M or G (powers of 1024) */
	TL_OPT_NUMBER,   /* double, finite */
};

struct tl_list {
	const char **v;
	size_t n;
};

struct tl_option {
	char letter;      /* 0: none */
	const char *name; /* long name without the dashes; NULL ends a table */
	const char *arg;  /* what --help calls the value; NULL for flags */
	enum tl_option_kind kind;
	void *dest;
	const char *help;
};

enum tl_common_set {
	TL_COMMON_SOURCE, /* -o -q --line-buffered --strict (tl-extract) */
	TL_COMMON_FILTER, /* the same, -n and --skip-bad */
	TL_COMMON_SINK,   /* -o -q --skip-bad (tl-render) */
};

struct tl_usage {
	const char *tool, *what, *operands;
	const struct tl_option *options;
	enum tl_common_set common;
	const char *example;
	bool (*no_input)(
		void); /* true: an option was given that reads no input (NULL: there is none) */
};

/* Values of the common options. */
struct tl_common {
	const char *output; /* -o FILE, NULL: stdout */
	bool no_events;     /* -n: event and meta records are not passed along */
	bool quiet, line_buffered, strict, skip_bad;
};
extern struct tl_common tl_common;

/* Ends a tool that printed on stdout (--help, --list), with `status` once all of it is written. */
_Noreturn void tl_printed(int status);

/* Reads the options; --help and --version print and exit 0, a wrong option exits 2.
 * With no operand and a terminal as stdin (and `operands` not NULL) prints the usage line and
 * exits 2. Returns the index of the first operand (options may also follow operands). */
int tl_options(const struct tl_usage *u, int argc, char **argv);

#endif
