/* Chrome/Kineto JSON in: every form and every damage that real files have (tl-extract.1), as
 * records of the stream. Constant memory: one event at a time, in a window of the input. */
#ifndef TL_CHROME_IN_H
#define TL_CHROME_IN_H
#include "../io/msg.h"
#include "../io/option.h"
#include "../io/out.h"
#include "fault.h"

struct tl_extract_options {
	struct tl_list cat;  /* --cat, each a comma-separated list; none: all */
	struct tl_list name; /* --name, globs; none: all */
	bool no_python;
	const char *args; /* --args: NULL or "all", "none", or KEY,KEY */
	bool rebase, strict;
	const char *rank;   /* --rank, a JSON number, or NULL */
	uint64_t max_event; /* bytes */
};

/* What reading sources gave: each call adds to it, so it starts as {0}. */
struct tl_extracted {
	uint64_t traces;  /* traces written */
	uint64_t events;  /* event records written */
	bool damage;      /* some `end` lists damage */
	bool rank_misfit; /* a rank was given, but there is more than one trace: wrong usage */
};

/* Reads the source `name` ("-": stdin) and writes its traces, numbered from `first`; a Perfetto
 * trace is told by its first bytes and left to pftrace_in.h. Damage is told on stderr, one line per
 * kind, and in `end`. False and `e` filled when the source cannot be opened or read, holds no byte,
 * or at the first damage under `strict` (what was read until then is written; a trace that was
 * begun has no `end` then). */
bool tl_chrome_read(const char *name, uint64_t first, const struct tl_extract_options *opt,
	struct tl_out *out, struct tl_extracted *got, struct tl_error *e);

/* Appends the digits of "rank7", "rank-7" or "rank_7" in the last part of a path, if any. */
void tl_rank_from_name(const char *name, struct tl_buf *rank);

#endif
