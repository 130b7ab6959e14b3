#include "synth.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include "../rules/rules.h"
#include "owners.h"
#include <stdlib.h>

struct tl_synth {
	struct tl_synth_options opt;
	struct tl_stream *stream;
	struct synth_rows rows;
	struct synth_owners *owners;
	struct tl_buf arch_given, arch, device;
	uint64_t events, host_events, tree_events;
	bool old_rows, old_coverage, sound, said_tree, said_arch, asked_device;
	int64_t old_gpu_ns;
	struct tl_write line;
};

/* The device is asked about when a row needs its peaks, not when its name is met: a trace that has
 * no such row does not wait for the rules. */
static void find_arch(void *synth)
{
	struct tl_synth *s = synth;
	struct tl_write question = {0};
	struct tl_buf name = {0};
	struct tl_error e;
	if (s->device.n == 0 || s->asked_device)
		return;
	s->asked_device = true;
	tl_rules_question(s->opt.rules, &question.b);
	tl_put_json(&question, "name", tl_buf_all(&s->device));
	struct tl_span answer = tl_rules_ask(s->opt.rules, SYNTH_RULE_DEVICE, tl_record_end(&question));
	if (tl_json_is_string(answer)) {
		tl_json_text(answer, &name);
		tl_buf_ch(&name, '\0');
		s->arch.n = 0;
		if (!tl_arch_load(name.p, &s->arch, &e))
			tl_warn("%s", e.text);
		s->rows.arch = tl_buf_all(&s->arch);
	}
	tl_write_free(&question);
	tl_buf_free(&name);
}

struct tl_synth *tl_synth_new(
	const struct tl_synth_options *options, struct tl_stream *stream, struct tl_error *e)
{
	struct tl_synth *s = tl_calloc(1, sizeof *s);
	s->opt = *options;
	s->stream = stream;
	s->sound = true;
	s->rows = (struct synth_rows){.stream = stream,
		.rules = options->rules,
		.groups = options->groups,
		.need_arch = find_arch,
		.to = s};
	s->rows.pool = tl_pool_new();
	s->owners = synth_owners_new(&s->rows, options->no_comm);
	if (options->arch && !tl_arch_load(options->arch, &s->arch_given, e)) {
		tl_synth_free(s);
		return NULL;
	}
	tl_rules_begin(options->rules);
	tl_rules_begin_module(options->rules, SYNTH_RULE_ROW, "synth_layers");
	return s;
}

void tl_synth_free(struct tl_synth *s)
{
	synth_owners_free(s->owners);
	tl_pool_free(s->rows.pool);
	synth_rows_free(&s->rows);
	tl_buf_free(&s->arch_given);
	tl_buf_free(&s->arch);
	tl_buf_free(&s->device);
	tl_write_free(&s->line);
	free(s);
}

bool tl_synth_sound(const struct tl_synth *s)
{
	return s->sound;
}

static void take_event(struct tl_synth *s, const struct tl_record *r)
{
	struct tl_event e;
	uint64_t depth = 0;
	if (!tl_event_read(r->line, &e)) {
		tl_stream_bad(s->stream, r);
		return;
	}
	enum tl_cat cat = tl_event_cat(&e);
	bool in_tree = e.f[TL_F_DEPTH].n && tl_json_u64(e.f[TL_F_DEPTH], &depth);
	s->events++;
	s->tree_events += in_tree;
	s->host_events += cat == TL_CAT_CPU_OP || cat == TL_CAT_PYTHON || tl_cat_is_launch(cat);
	if (in_tree)
		synth_owners_close(s->owners, depth);
	tl_stream_pass(s->stream, r);
	synth_owners_take(s->owners, &e, cat, in_tree, depth);
}

static void find_device(struct tl_synth *s, struct tl_span properties)
{
	struct tl_span device = tl_arch_device(properties);
	if (device.n == 0)
		return;
	s->device.n = 0;
	tl_buf_span(&s->device, device);
	s->asked_device = false;
}

static void take_meta(struct tl_synth *s, const struct tl_record *r)
{
	struct tl_span key = tl_json_get(r->line, TL_LIT("key")),
				   value = tl_json_get(r->line, TL_LIT("value"));
	tl_stream_pass(s->stream, r);
	if (tl_span_eq(key, TL_LIT("\"deviceProperties\"")) && !s->opt.arch)
		find_device(s, value);
}

static void begin_trace(struct tl_synth *s, uint64_t trace)
{
	s->rows.trace = trace;
	s->rows.arch = tl_buf_all(&s->arch_given);
}

static void forget(struct tl_synth *s)
{
	synth_owners_forget(s->owners);
	tl_pool_clear(s->rows.pool);
	s->arch.n = s->device.n = 0;
	s->events = s->host_events = s->tree_events = 0;
	s->old_gpu_ns = 0;
	s->old_rows = s->old_coverage = false;
	s->rows.n = s->rows.owned = s->rows.orphans = s->rows.ids = 0;
	s->rows.owned_ns = 0;
	s->rows.figures = false;
	s->rows.arch = (struct tl_span){0};
}

static void write_to_stream(void *stream, struct tl_span line)
{
	tl_stream_write(stream, line);
}

static void write_coverage(struct tl_synth *s)
{
	struct tl_write *w = &s->line;
	const struct synth_owned *c = synth_owners_counts(s->owners);
	uint64_t given = s->rows.owned + c->left_out;
	tl_record(w, "coverage", s->rows.trace);
	tl_put_u64(w, "gpu_ops", c->gpu_ops);
	tl_put_us(w, "gpu_us", c->gpu_ns);
	tl_put_u64(w, "owned", s->rows.owned);
	tl_put_us(w, "owned_us", s->rows.owned_ns);
	tl_put_u64(w, "orphans", s->rows.orphans);
	tl_put_u64(w, "unlaunched", c->unlaunched);
	tl_put_us(w, "unlaunched_us", c->unlaunched_ns);
	tl_put_u64(w, "duplicates", given > c->gpu_ops ? given - c->gpu_ops : 0);
	if (s->opt.no_comm) {
		tl_put_u64(w, "comm_left_out", c->left_out);
		tl_put_us(w, "comm_left_out_us", c->left_out_ns);
	}
	tl_stream_write(s->stream, tl_record_end(w));
	if (given != c->gpu_ops || s->rows.ids + c->left_ids != c->ids)
		s->sound = false;
}

/* What the user should know about this trace, once per run. */
static void say_notes(struct tl_synth *s)
{
	if (synth_owners_counts(s->owners)->gpu_ops && s->host_events && !s->tree_events &&
		!s->said_tree) {
		tl_warn("the events carry no call tree (run tl-tree first): every GPU op is an orphan row");
		s->said_tree = true;
	}
	if (s->rows.figures)
		find_arch(s);
	if (s->rows.figures && !s->rows.arch.n && !s->said_arch) {
		struct tl_span device = tl_json_inner(tl_buf_all(&s->device));
		if (device.n)
			tl_note("no peaks known for the device %.*s: no roofline (--arch)", (int)device.n,
				device.p);
		else
			tl_note("the trace does not say which device it ran on: no roofline (--arch)");
		s->said_arch = true;
	}
}

static void take_end(struct tl_synth *s, const struct tl_record *r)
{
	synth_owners_end(s->owners);
	if (s->opt.groups)
		tl_synth_groups_write(s->opt.groups, r->trace,
			s->old_coverage ? s->old_gpu_ns : synth_owners_counts(s->owners)->gpu_ns,
			write_to_stream, s->stream);
	if (s->events || !(s->old_rows || s->old_coverage))
		write_coverage(s);
	say_notes(s);
	tl_stream_pass(s->stream, r);
	forget(s);
}

/* Rows of an earlier pass: made anew where the events are at hand, else passed along or grouped. */
static void take_derived(struct tl_synth *s, const struct tl_record *r)
{
	bool op = tl_span_eq(r->type, TL_LIT("op"));
	bool coverage = tl_span_eq(r->type, TL_LIT("coverage"));
	if (!op && !coverage && !tl_span_eq(r->type, TL_LIT("op_group"))) {
		tl_stream_pass(s->stream, r);
		return;
	}
	if (s->events)
		return;
	s->old_rows |= op;
	if (coverage) {
		s->old_coverage = true;
		if (!tl_ns_parse(tl_json_get(r->line, TL_LIT("gpu_us")), &s->old_gpu_ns))
			s->old_gpu_ns = 0;
	}
	if (op && s->opt.groups)
		tl_synth_groups_add(s->opt.groups, r->line);
	else
		tl_stream_pass(s->stream, r);
}

void tl_synth_take(struct tl_synth *s, const struct tl_record *r)
{
	if (r->kind == TL_TRACE || s->rows.trace != r->trace)
		begin_trace(s, r->trace);
	switch (r->kind) {
	case TL_EVENT:
		take_event(s, r);
		break;
	case TL_META:
		take_meta(s, r);
		break;
	case TL_END:
	case TL_CUT:
		take_end(s, r);
		break;
	case TL_DERIVED:
		take_derived(s, r);
		break;
	case TL_TRACE:
		tl_stream_pass(s->stream, r);
		break;
	}
}
