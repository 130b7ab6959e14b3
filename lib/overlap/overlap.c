#include "inside.h"
#include "../json/json.h"
#include "../stream/stream.h"
#include <stdlib.h>

static const char *const own_keys[] = {
	"class", "stage", "hidden_us", "exclusive_us", "hidden_by_compute_us", NULL};

/* ---- a trace begins and ends ---- */

static struct tl_pool **pools(struct tl_overlap *o, size_t i)
{
	struct tl_pool **all[] = {
		&o->raw, &o->texts, &o->cells_by, &o->groups_by, &o->spans_by, &o->classes, &o->stages};
	return i < sizeof all / sizeof *all ? all[i] : NULL;
}

static void begin(struct tl_overlap *o)
{
	for (size_t i = 0; pools(o, i); i++)
		*pools(o, i) = tl_pool_new();
	tl_table_clear(o->t);
}

static void free_ops(struct overlap_ops *p)
{
	free(p->row);
	free(p->iv);
	free(p->id);
	free(p->cell);
	free(p->launch);
	free(p->flags);
	free(p->hidden);
	free(p->by_compute);
}

/* All that belongs to a trace; what stays is what belongs to the run. */
static void forget(struct tl_overlap *o)
{
	for (size_t i = 0; pools(o, i); i++)
		tl_pool_free(*pools(o, i));
	tl_steps_free(&o->steps);
	free(o->lines.v);
	free_ops(&o->ops);
	if (o->by_device != o->order)
		free(o->by_device);
	void *rest[] = {o->notes, o->sources, o->devices, o->names, o->span_of, o->order, o->cells,
		o->groups, o->group_order, o->pairs, o->stage_times, o->launch_times, o->stage_rank,
		o->stage_order, o->spans, o->row_active, o->members, o->lane_device, o->parts};
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		free(rest[i]);
	tl_intmap_free(&o->source_at);
	tl_intmap_free(&o->pair_at);
	tl_intmap_free(&o->first_of);
	*o = (struct tl_overlap){.opt = o->opt,
		.rules = o->rules,
		.fusion = o->fusion,
		.t = o->t,
		.set = o->set,
		.asked = o->asked,
		.w = o->w,
		.buf = o->buf,
		.text = o->text};
	begin(o);
}

static bool analyse(struct tl_overlap *o)
{
	overlap_read_end(o);
	bool any = false;
	for (uint32_t i = 0; i < o->ops.n && !any; i++)
		any = o->ops.flags[i] & OP_TIMED;
	if (!any)
		return false;
	if (!o->asked)
		overlap_ask_settings(o);
	overlap_kinds(o);
	overlap_stages(o);
	overlap_spans(o);
	tl_table_slim(o->t);
	overlap_order(o);
	overlap_sweep(o);
	overlap_launch_figures(o);
	overlap_order_groups(o);
	return true;
}

/* ---- lines ---- */

static void keep(struct tl_overlap *o, const struct tl_record *r)
{
	TL_GROW(o->lines.v, o->lines.n, o->lines.cap);
	o->lines.v[o->lines.n++] = (struct overlap_line){r->line.p, r->line.n, r->kind, false};
}

static void pass_op(
	struct tl_overlap *o, struct tl_stream *s, const struct tl_record *r, uint32_t op)
{
	if (!(o->ops.flags[op] & OP_TIMED)) {
		tl_stream_pass(s, r);
		return;
	}
	const struct overlap_cell *c = &o->cells[o->ops.cell[op]];
	tl_members(&o->w);
	tl_put_string(&o->w, "class", overlap_class(o, o->names[c->name].class));
	tl_put_string(&o->w, "stage", overlap_stage(o, c->stage));
	tl_put_us(&o->w, "hidden_us", o->ops.hidden[op]);
	tl_put_us(&o->w, "exclusive_us", tl_ns_sub(overlap_dur(o, op), o->ops.hidden[op]));
	tl_put_us(&o->w, "hidden_by_compute_us", o->ops.by_compute[op]);
	tl_stream_pass_with(s, r, tl_record_end(&o->w), o->ops.flags[op] & OP_OLD ? own_keys : NULL);
}

/* Ops stand in the order of their lines. */
static void pass_lines(struct tl_overlap *o, struct tl_stream *s, bool with_keys)
{
	uint32_t op = 0;
	for (size_t i = 0; i < o->lines.n; i++) {
		const struct overlap_line *l = &o->lines.v[i];
		struct tl_record r = {.line = {l->p, l->n}, .kind = (enum tl_kind)l->kind};
		if (l->is_op && with_keys)
			pass_op(o, s, &r, op);
		else
			tl_stream_pass(s, &r);
		op += l->is_op;
	}
}

static void finish(struct tl_overlap *o, struct tl_stream *s, const struct tl_record *r)
{
	bool any = analyse(o);
	o->trace = r->trace;
	pass_lines(o, s, any);
	if (any) {
		overlap_write_timelines(o, s);
		overlap_write_stages(o, s);
		overlap_write_groups(o, s);
		overlap_write_actions(o, s);
		overlap_write_gaps(o, s);
		overlap_write_launches(o, s);
		overlap_write_fusions(o, s);
		overlap_write_lanes(o, s);
	}
	tl_stream_pass(s, r);
	forget(o);
	tl_stream_forget(s);
}

/* An earlier tl-overlap wrote these; they are made again, unless there is nothing to make them of.
 */
static bool is_own(const struct tl_overlap *o, struct tl_span type)
{
	static const char *const own[] = {
		"timeline", "overlap", "kernel_group", "action", "gap", "launch", "fusion", "lane"};
	for (size_t i = 0; i < sizeof own / sizeof *own && o->ops.n; i++)
		if (tl_span_eq(type, tl_str(own[i])))
			return true;
	return false;
}

static void take_event(struct tl_overlap *o, struct tl_stream *s, const struct tl_record *r)
{
	struct tl_event e;
	uint32_t ops = o->ops.n;
	if (!tl_event_read(r->line, &e)) {
		tl_stream_bad(s, r);
		return;
	}
	overlap_read(o, &e);
	if (o->opt->no_events)
		return;
	keep(o, r);
	o->lines.v[o->lines.n - 1].is_op = o->ops.n > ops;
}

void tl_overlap_take(struct tl_overlap *o, struct tl_stream *s, const struct tl_record *r)
{
	switch (r->kind) {
	case TL_EVENT:
		take_event(o, s, r);
		return;
	case TL_END:
	case TL_CUT:
		finish(o, s, r);
		return;
	case TL_DERIVED:
		if (is_own(o, r->type))
			return;
		if (tl_span_eq(r->type, TL_LIT("source")))
			overlap_read_source(o, r->line);
		break;
	default:
		break;
	}
	/* Under -n nothing that is written waits for the end of the trace. */
	if (o->opt->no_events)
		tl_stream_pass(s, r);
	else
		keep(o, r);
}

struct tl_overlap *tl_overlap_new(const struct tl_overlap_options *options)
{
	static const char *const fns[] = {[ASK_KIND] = "kind",
		[ASK_STAGE] = "stage",
		[ASK_SETTINGS] = "settings",
		[ASK_OPERATOR] = "is_operator",
		[ASK_ADVICE] = "advice",
		NULL};
	struct tl_overlap *o = tl_calloc(1, sizeof *o);
	o->opt = options;
	o->rules = tl_rules_new("overlap", fns, options->rules, options->n_rules);
	tl_rules_begin(o->rules);
	o->fusion = overlap_fusion_new(options->rules, options->n_rules);
	o->t = tl_table_new(TL_TAKE_OPS | TL_TAKE_CALLS | TL_TAKE_NOTES | TL_TAKE_FLOWS |
						TL_TAKE_PLACES | (options->by ? TL_TAKE_CPU : 0));
	begin(o);
	return o;
}

void tl_overlap_free(struct tl_overlap *o)
{
	struct tl_rules *rules = o->rules;
	struct overlap_fusion *fusion = o->fusion;
	forget(o);
	for (size_t i = 0; pools(o, i); i++)
		tl_pool_free(*pools(o, i));
	tl_table_free(o->t);
	tl_write_free(&o->w);
	tl_buf_free(&o->buf);
	tl_buf_free(&o->text);
	tl_rules_free(rules);
	overlap_fusion_free(fusion);
	free(o);
}
