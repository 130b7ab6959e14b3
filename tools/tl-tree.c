#include "../lib/base/base.h"
#include "../lib/stream/stream.h"
#include "../lib/json/json.h"
#include "../lib/trace/trace.h"

static struct {
	const char *in;
} opt;

static const struct tl_option options[] = {
	{0, "in", "NAME", TL_OPT_STRING, &opt.in,
		"keep what lies in annotation NAME, or was launched from it"},
	{0},
};

static const struct tl_usage usage = {
	.tool = "tl-tree",
	.what = "nest host events, link GPU ops to their launches, write depth first",
	.operands = "[FILE]...",
	.options = options,
	.common = TL_COMMON_FILTER,
	.example = "tl-extract rank0.json.gz | tl-tree | tl-synth",
};

/* What this tool writes; `dur` only into ph B events. */
static const char *const keys_of_begin[] = {"dur", "parent", "depth", "gpu_ops", "gpu_us",
	"own_gpu_ops", "launcher", "graph", "operator", "apart", "bwd", "fwd", "fwd_name", "early_us",
	"overrun_us", "grazes", "clamped_end", NULL};
static const char *const *keys = keys_of_begin + 1;

struct trace {
	struct tl_table *t;
	struct tl_tree *tree;
	struct tl_fwdbwd links;
	struct tl_write more;
	bool found; /* the annotation asked for, in any trace */
};

static void add_place(struct trace *w, uint32_t i)
{
	uint32_t parent = w->tree->parent[i];
	if (parent != TL_NO_ROW)
		tl_put_u64(&w->more, "parent", w->t->id[parent]);
	tl_put_u64(&w->more, "depth", w->tree->depth[i]);
	if (tl_table_is_gpu_op(w->t, i)) {
		tl_put_u64(&w->more, "launcher", w->t->id[parent]);
		if (w->t->flags[i] & TL_ROW_GRAPH)
			tl_put_flag(&w->more, "graph", true);
		if (w->tree->operators[i] != TL_NO_ROW)
			tl_put_u64(&w->more, "operator", w->t->id[w->tree->operators[i]]);
	} else if (w->tree->gpu_ops[i]) {
		tl_put_u64(&w->more, "gpu_ops", w->tree->gpu_ops[i]);
		tl_put_us(&w->more, "gpu_us", w->tree->gpu_ns[i]);
		tl_put_u64(&w->more, "own_gpu_ops", w->tree->own_gpu_ops[i]);
		if (w->tree->apart[i])
			tl_put_u64(&w->more, "apart", w->tree->apart[i]);
	}
}

static void add_bwd(struct trace *w, uint32_t i)
{
	const struct tl_rows *bwd = &w->links.bwd;
	size_t first = tl_fwdbwd_first(&w->links, i);
	tl_list(&w->more, "bwd");
	for (size_t k = first; k < bwd->n && bwd->a[k].key == i; k++)
		tl_put_u64(&w->more, NULL, w->t->id[bwd->a[k].at]);
	tl_list_end(&w->more);
}

static void add_fwd(struct trace *w, uint32_t fwd)
{
	struct tl_span name = tl_table_name(w->t, fwd);
	tl_put_u64(&w->more, "fwd", w->t->id[fwd]);
	tl_put_json(&w->more, "fwd_name", name);
}

/* How much before its parent a call starts. */
static void add_early(struct trace *w, uint32_t i)
{
	uint32_t parent = w->tree->parent[i];
	const int64_t *ts = w->t->ts;
	if (parent != TL_NO_ROW && !tl_table_is_gpu_op(w->t, i) && ts[i] < ts[parent])
		tl_put_us(&w->more, "early_us", tl_ns_sub(ts[parent], ts[i]));
}

static void add_keys(struct trace *w, uint32_t i)
{
	uint16_t flags = w->t->flags[i];
	add_place(w, i);
	if (flags & TL_ROW_BWD)
		add_bwd(w, i);
	if (w->links.fwd[i] != TL_NO_ROW)
		add_fwd(w, w->links.fwd[i]);
	add_early(w, i);
	if (w->tree->overrun[i])
		tl_put_us(&w->more, "overrun_us", w->tree->overrun[i]);
	if (flags & TL_ROW_GRAZES)
		tl_put_flag(&w->more, "grazes", true);
	if (flags & TL_ROW_CLAMPED)
		tl_put_us(&w->more, "clamped_end", w->t->end[i]);
}

static void write_event(struct tl_stream *s, struct trace *w, uint32_t i)
{
	struct tl_record r = {.line = {w->t->line[i], w->t->len[i]}, .kind = TL_EVENT};
	uint16_t flags = w->t->flags[i];
	bool joined = w->t->ph[i] == 'B' && (flags & TL_ROW_PAIRED);
	tl_members(&w->more);
	if (joined)
		tl_put_us(&w->more, "dur", w->t->dur[i]);
	if (flags & TL_ROW_TREE)
		add_keys(w, i);
	if (joined && (flags & TL_ROW_DUR))
		tl_stream_pass_with(s, &r, tl_record_end(&w->more), keys_of_begin);
	else
		tl_stream_pass_with(s, &r, tl_record_end(&w->more), flags & TL_ROW_OLD ? keys : NULL);
}

static void write_trace(struct tl_stream *s, struct trace *w)
{
	struct tl_table *t = w->t;
	tl_table_finish(t);
	tl_clamp_frames(t);
	w->tree = tl_tree_build(t, tl_link_anew(t));
	if (opt.in) {
		w->found |= tl_within(w->tree, tl_str(opt.in));
		tl_tree_again(w->tree);
	}
	tl_fwdbwd_find(&w->links, w->tree->t, w->tree->parent);
	for (uint32_t i = 0; i < t->n; i++)
		if (!(t->flags[i] & (TL_ROW_TREE | TL_ROW_LEFT_OUT)))
			write_event(s, w, i);
	for (uint32_t k = 0; k < w->tree->n; k++)
		write_event(s, w, w->tree->order[k]);
}

static void forget_trace(struct tl_stream *s, struct trace *w)
{
	tl_fwdbwd_free(&w->links);
	tl_tree_free(w->tree);
	tl_table_clear(w->t);
	tl_stream_forget(s);
}

static void end_trace(struct tl_stream *s, const struct tl_record *end, struct trace *w)
{
	write_trace(s, w);
	if (opt.in && end->kind == TL_END && tl_within_end(w->t, end->line, &w->more))
		tl_stream_write(s, tl_record_end(&w->more));
	else
		tl_stream_pass(s, end);
	forget_trace(s, w);
}

static void take_event(struct tl_stream *s, const struct tl_record *r, struct tl_table *t)
{
	struct tl_event e;
	if (r->line.n > UINT32_MAX || t->n == TL_NO_ROW || !tl_event_read(r->line, &e))
		tl_stream_bad(s, r);
	else
		tl_table_add(t, &e, r->line);
}

int main(int argc, char **argv)
{
	int first = tl_options(&usage, argc, argv);
	struct tl_stream *s = tl_stream_open(argv + first, argc - first);
	struct trace w = {.t = tl_table_new(TL_TAKE_ALL | (opt.in ? TL_TAKE_PLACES : 0))};
	struct tl_record r;
	tl_stream_hold(s, true);
	while (tl_stream_next(s, &r)) {
		if (r.kind == TL_EVENT)
			take_event(s, &r, w.t);
		else if (r.kind == TL_END || r.kind == TL_CUT)
			end_trace(s, &r, &w);
		else
			tl_stream_pass(s, &r);
	}
	if (opt.in && !w.found)
		tl_warn("no annotation has the name %s", opt.in);
	tl_table_free(w.t);
	tl_write_free(&w.more);
	return tl_stream_close(s);
}
