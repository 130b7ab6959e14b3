/* tl-sourcemap: where kernels come from. */
#include "../lib/sourcemap/sourcemap.h"
#include "../lib/base/base.h"
#include "../lib/stream/stream.h"
#include <stdlib.h>

static struct {
	const char *map;
	bool guess_by_time;
	struct tl_list rules;
} opt;

static const struct tl_option options[] = {
	{'m', "map", "FILE", TL_OPT_STRING, &opt.map,
		"stream or source records of another run, for graph replays"},
	{0, "guess-by-time", NULL, TL_OPT_FLAG, &opt.guess_by_time,
		"take frames open when a kernel ran, where nothing else is known"},
	{0, "rules", "FILE|reference", TL_OPT_LIST, &opt.rules, "rules to add, or the set to use"},
	{0},
};

static const struct tl_usage usage = {
	.tool = "tl-sourcemap",
	.what = "the operator and the Python scope that launched each kernel",
	.operands = "[FILE]...",
	.options = options,
	.common = TL_COMMON_FILTER,
	.example = "tl-extract t.json.gz | tl-sourcemap -n | jq -c 'select(.type==\"source\") | "
			   "[.kernel, .scope]'",
};

/* A record of the open trace that is no event, and the row that it stands before. */
struct other {
	struct tl_record record;
	uint32_t row;
};

static struct trace {
	struct tl_stream *s;
	struct tl_sourcemap *m;
	struct other *others;
	size_t n, cap;
	struct tl_buf old; /* source records of an earlier pass, each with LF */
	struct tl_write more;
} trace;

static void write_event(struct trace *w, uint32_t row)
{
	struct tl_record r = {.line = tl_sourcemap_line(w->m, row), .kind = TL_EVENT};
	if (tl_sourcemap_keys(w->m, row, &w->more))
		tl_stream_pass_with(w->s, &r, tl_record_end(&w->more), tl_sourcemap_key_names);
	else
		tl_stream_pass(w->s, &r);
}

static void write_lines(struct trace *w)
{
	size_t k = 0;
	for (uint32_t row = 0; row <= tl_sourcemap_rows(w->m); row++) {
		for (; k < w->n && w->others[k].row == row; k++)
			tl_stream_pass(w->s, &w->others[k].record);
		if (row < tl_sourcemap_rows(w->m))
			write_event(w, row);
	}
}

static void write_source(void *to, struct tl_span line)
{
	tl_stream_write(to, line);
}

/* A trace without events keeps the source records that it came with. */
static void end_trace(struct trace *w, uint64_t number)
{
	tl_sourcemap_finish(w->m);
	write_lines(w);
	if (tl_sourcemap_rows(w->m) > 0)
		tl_sourcemap_records(w->m, number, write_source, w->s);
	else
		tl_out_span(tl_stream_out(w->s), tl_buf_all(&w->old));
	tl_sourcemap_forget(w->m);
	tl_stream_forget(w->s);
	w->n = w->old.n = 0;
}

static void take(struct trace *w, const struct tl_record *r)
{
	if (r->kind == TL_END || r->kind == TL_CUT) {
		end_trace(w, r->trace);
		tl_stream_pass(w->s, r);
	} else if (r->kind == TL_EVENT) {
		if (!tl_sourcemap_add(w->m, r->line))
			tl_stream_bad(w->s, r);
	} else if (tl_span_eq(r->type, TL_LIT("source"))) {
		tl_buf_span(&w->old, r->line);
		tl_buf_ch(&w->old, '\n');
	} else if (tl_sourcemap_rows(w->m) == 0) {
		tl_stream_pass(w->s, r);
	} else {
		TL_GROW(w->others, w->n, w->cap);
		w->others[w->n++] = (struct other){*r, tl_sourcemap_rows(w->m)};
	}
}

int main(int argc, char **argv)
{
	int first = tl_options(&usage, argc, argv);
	struct tl_sourcemap_options o = {
		.rules = opt.rules.v, .n_rules = opt.rules.n, .guess_by_time = opt.guess_by_time};
	struct tl_error e;
	if (opt.map && !(o.map = tl_sourcemap_map_read(opt.map, opt.rules.v, opt.rules.n, &e)))
		tl_die(TL_FAILED, "%s: %s", opt.map, e.text);
	if (o.map && tl_sourcemap_map_count(o.map) == 0)
		tl_warn("%s: no kernel has a scope there", opt.map);
	struct trace *w = &trace;
	struct tl_record r;
	w->s = tl_stream_open(argv + first, argc - first);
	w->m = tl_sourcemap_new(&o);
	tl_stream_hold(w->s, true);
	while (tl_stream_next(w->s, &r))
		take(w, &r);
	tl_sourcemap_free(w->m);
	tl_sourcemap_map_free(o.map);
	free(w->others);
	tl_buf_free(&w->old);
	tl_write_free(&w->more);
	return tl_stream_close(w->s);
}
