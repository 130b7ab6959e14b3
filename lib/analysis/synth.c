#include "synth.h"
#include "../io/json.h"
#include "../io/time.h"
#include "../trace/event.h"
#include "../trace/intmap.h"
#include "arch.h"
#include "oprow.h"
#include <stdlib.h>

#define CLIMB 5 /* how far above an operator the node may be that has a forward operator */

/* Texts of an open node, in s->texts. */
enum part { PID, TID, EXTERNAL_ID, FORWARD_NAME, INPUT, PARTS = INPUT + TL_INPUTS };

/* An open node with GPU ops below it. Places are indexes into the stack; -1: none. */
struct node {
	uint64_t id, depth, forward;
	int64_t dur;
	bool has_dur, is_op, has_forward, wants_forward;
	enum tl_row_kind kind; /* of its row, when it owns what lies below it */
	int owner;             /* the node, it or above it, that owns all GPU ops below it */
	int nearest;           /* the innermost operator, it or above it */
	int wrapper;           /* the autograd wrapper above it, operators alone between */
	int annotation;        /* the innermost one that counts requests, it or above it */
	uint32_t name;         /* in the pool, a JSON string */
	uint32_t main;  /* of an autograd wrapper: the name of the operator it wraps, else none */
	uint32_t mains; /* how many operators of that name below it launch GPU work */
	uint64_t first_queued;
	size_t first_op, texts_before, frames_before, frames_end;
	struct {
		size_t at, n;
	} part[PARTS];
};

/* A row that stands behind one whose kind is not known yet. */
struct queued {
	struct tl_row row;
	int wrapper; /* decides its kind; -1: known */
};

struct tl_synth {
	struct tl_synth_options opt;
	struct tl_stream *stream;
	struct tl_rows rows;
	struct tl_buf arch_given, arch, device;

	struct node *stack;
	int depth, stack_cap;
	struct tl_buf texts, frames;
	struct tl_gpu_op *ops;
	size_t n_ops, ops_cap;

	struct tl_intmap forward_of; /* id -> place in forwards */
	struct forward {
		size_t at, n; /* in forward_texts: {"name":...,"input_dims":...} */
	} * forwards;
	size_t n_forwards, forwards_cap;
	struct tl_buf forward_texts;

	struct queued *queue;
	size_t queue_head, queue_n, queue_cap;
	uint64_t queue_first; /* how many rows left the queue before queue[0] came */
	struct tl_row *waiting;
	size_t n_waiting, waiting_cap;

	uint64_t events, host_events, tree_events;
	uint64_t gpu_ops, unlaunched, left_out, ids, left_ids;
	int64_t gpu_ns, unlaunched_ns, left_out_ns;
	bool old_rows, old_coverage, sound, said_tree, said_arch;
	int64_t old_gpu_ns;
	struct tl_buf scratch, name;
};

struct tl_synth *tl_synth_new(
	const struct tl_synth_options *options, struct tl_stream *stream, struct tl_error *e)
{
	struct tl_synth *s = tl_calloc(1, sizeof *s);
	s->opt = *options;
	s->stream = stream;
	s->sound = true;
	s->rows = (struct tl_rows){
		.stream = stream, .rules = options->rules, .groups = options->groups};
	s->rows.pool = tl_pool_new();
	if (options->arch && !tl_arch_load(options->arch, &s->arch_given, e)) {
		tl_synth_free(s);
		return NULL;
	}
	return s;
}

void tl_synth_free(struct tl_synth *s)
{
	struct tl_buf *bufs[] = {&s->arch_given, &s->arch, &s->device, &s->texts, &s->frames,
		&s->forward_texts, &s->scratch, &s->name};
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		tl_buf_free(bufs[i]);
	tl_pool_free(s->rows.pool);
	tl_rows_free(&s->rows);
	tl_intmap_free(&s->forward_of);
	free(s->forwards);
	free(s->queue);
	free(s->waiting);
	free(s->stack);
	free(s->ops);
	free(s);
}

bool tl_synth_sound(const struct tl_synth *s)
{
	return s->sound;
}

/* ---- texts ---- */

static struct tl_span pooled(const struct tl_synth *s, uint32_t text)
{
	return text == TL_POOL_NONE ? (struct tl_span){0} : tl_pool_text(s->rows.pool, text);
}

static uint32_t pool_text(struct tl_synth *s, struct tl_span json)
{
	return json.n ? tl_pool_add(s->rows.pool, json) : TL_POOL_NONE;
}

/* A name as JSON string: one that is no string becomes one, an absent one is empty. */
static uint32_t pool_name(struct tl_synth *s, struct tl_span name)
{
	if (tl_json_is_string(name))
		return tl_pool_add(s->rows.pool, name);
	s->scratch.n = 0;
	tl_json_quote(&s->scratch, name);
	return tl_pool_add(s->rows.pool, tl_buf_all(&s->scratch));
}

static struct tl_span part_of(const struct tl_synth *s, const struct node *n, int part)
{
	return (struct tl_span){s->texts.p + n->part[part].at, n->part[part].n};
}

static void keep_part(struct tl_synth *s, struct node *n, int part, struct tl_span text)
{
	n->part[part].at = s->texts.n;
	n->part[part].n = text.n;
	tl_buf_span(&s->texts, text);
}

static void read_inputs(struct tl_span args, struct tl_span inputs[TL_INPUTS])
{
	static const struct tl_span names[TL_INPUTS] = {TL_LIT("Input Dims"), TL_LIT("Input type"),
		TL_LIT("Input Strides"), TL_LIT("Concrete Inputs")};
	struct tl_json it = tl_json_open(args);
	struct tl_span key, val;
	while (args.n && tl_json_member(&it, &key, &val))
		for (int i = 0; i < TL_INPUTS; i++)
			if (tl_span_eq(key, names[i]))
				inputs[i] = val;
}

static struct tl_row_event event_of(const struct tl_synth *s, const struct node *n)
{
	struct tl_row_event e = {.id = n->id,
		.pid = part_of(s, n, PID),
		.tid = part_of(s, n, TID),
		.external_id = part_of(s, n, EXTERNAL_ID),
		.has_dur = n->has_dur,
		.dur = n->dur};
	for (int i = 0; i < TL_INPUTS; i++)
		e.inputs[i] = part_of(s, n, INPUT + i);
	if (n->frames_end)
		e.stack = (struct tl_span){s->frames.p + 1, n->frames_end - 1};
	if (n->annotation >= 0)
		e.annotation = pooled(s, s->stack[n->annotation].name);
	return e;
}

/* ---- rows on their way out ---- */

/* Writes the row, or lets it wait until `end` for a forward operator that has not come yet. */
static void finish(struct tl_synth *s, struct tl_row *r, bool at_end)
{
	struct tl_span forward = {0};
	if (r->wants_forward) {
		uint32_t *at = tl_intmap_find(&s->forward_of, (int64_t)r->forward);
		if (!at && !at_end) {
			TL_GROW(s->waiting, s->n_waiting, s->waiting_cap);
			s->waiting[s->n_waiting++] = *r;
			return;
		}
		s->scratch.n = 0;
		if (at) {
			tl_buf_add(&s->scratch, s->forward_texts.p + s->forwards[*at].at, s->forwards[*at].n);
		} else {
			tl_buf_lit(&s->scratch, "{\"name\":");
			tl_buf_span(&s->scratch, tl_buf_all(&r->forward_name));
			tl_buf_lit(&s->scratch, "}");
		}
		forward = tl_buf_all(&s->scratch);
	}
	tl_row_write(&s->rows, r, forward);
	tl_row_free(r);
}

static void flush_queue(struct tl_synth *s)
{
	while (s->queue_head < s->queue_n && s->queue[s->queue_head].wrapper < 0)
		finish(s, &s->queue[s->queue_head++].row, false);
	if (s->queue_head == s->queue_n) {
		s->queue_first += s->queue_n;
		s->queue_head = s->queue_n = 0;
	}
}

static void put(struct tl_synth *s, struct tl_row *r, int wrapper)
{
	if (wrapper < 0 && s->queue_n == 0) {
		finish(s, r, false);
		return;
	}
	TL_GROW(s->queue, s->queue_n, s->queue_cap);
	s->queue[s->queue_n++] = (struct queued){*r, wrapper};
}

/* An autograd wrapper closes: now it is known whether the operator it wraps launched GPU work once,
 * which makes the rows below it backward rows; else they are leaves. */
static void decide_queued(struct tl_synth *s, int wrapper)
{
	const struct node *w = &s->stack[wrapper];
	uint64_t from = w->first_queued > s->queue_first ? w->first_queued - s->queue_first : 0;
	for (size_t i = from; i < s->queue_n; i++) {
		struct queued *q = &s->queue[i];
		if (q->wrapper != wrapper)
			continue;
		q->wrapper = -1;
		if (w->mains != 1) {
			q->row.kind = TL_ROW_LEAF;
			q->row.wants_forward = false;
		}
	}
	flush_queue(s);
}

static bool communicates(struct tl_synth *s, const struct tl_gpu_op *op)
{
	s->scratch.n = 0;
	tl_buf_printf(&s->scratch, "{\"rules\":\"%s\",\"name\":", tl_rules_set(s->opt.rules));
	tl_buf_span(&s->scratch, pooled(s, op->name));
	tl_buf_ch(&s->scratch, '}');
	struct tl_span answer = tl_rules_ask(s->opt.rules, TL_RULE_COMM, tl_buf_all(&s->scratch));
	return tl_span_eq(answer, TL_LIT("true"));
}

/* Under --no-comm, counts and leaves out ops that all communicate. */
static bool leave_out(struct tl_synth *s, const struct tl_gpu_op *ops, size_t n)
{
	if (!s->opt.no_comm)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!communicates(s, &ops[i]))
			return false;
	for (size_t i = 0; i < n; i++) {
		s->left_out++;
		s->left_out_ns = tl_ns_add(s->left_out_ns, ops[i].dur);
		s->left_ids += tl_mix(ops[i].id);
	}
	return true;
}

/* One row for one GPU op, named after both. */
static void put_single(struct tl_synth *s, const struct tl_row_event *e, struct tl_span prefix,
	struct tl_gpu_op *op, enum tl_row_kind kind)
{
	struct tl_row r = {.kind = kind};
	if (leave_out(s, op, 1))
		return;
	tl_row_synthetic_name(&r.name, prefix, pooled(s, op->name));
	tl_row_fill(&s->rows, &r, e, op, 1);
	put(s, &r, -1);
}

/* ---- backward rows ---- */

/* The members of the rules' answer about an operator. */
struct op_answer {
	bool model, backward, needs_forward;
};

static struct op_answer ask_op(
	struct tl_synth *s, struct tl_span name, const struct tl_span inputs[TL_INPUTS])
{
	struct op_answer a = {0};
	s->scratch.n = 0;
	tl_buf_printf(&s->scratch, "{\"rules\":\"%s\",\"name\":", tl_rules_set(s->opt.rules));
	tl_buf_span(&s->scratch, name);
	if (inputs)
		tl_row_inputs(&s->scratch, inputs);
	tl_buf_ch(&s->scratch, '}');
	struct tl_span json = tl_rules_ask(s->opt.rules, TL_RULE_OP, tl_buf_all(&s->scratch));
	struct tl_json it = tl_json_open(json);
	struct tl_span key, val;
	while (json.n && tl_json_member(&it, &key, &val)) {
		if (tl_span_eq(key, TL_LIT("model")))
			a.model = tl_json_is_string(val);
		else if (tl_span_eq(key, TL_LIT("backward_category")))
			a.backward = tl_json_is_string(val);
		else if (tl_span_eq(key, TL_LIT("needs_forward")))
			a.needs_forward = tl_span_eq(val, TL_LIT("true"));
	}
	return a;
}

/* The node, at or at most CLIMB above `at`, that has a forward operator: an autograd wrapper
 * before any other; -1: none. */
static int linked(const struct tl_synth *s, int at)
{
	int other = -1;
	for (int i = at; i >= 0 && i >= at - CLIMB; i--) {
		const struct node *n = &s->stack[i];
		if (n->has_forward && n->main != TL_POOL_NONE && i < at)
			return i;
		if (n->has_forward && other < 0)
			other = i;
	}
	return other;
}

/* Sets what a row takes from the node that has its forward operator. Returns the wrapper that will
 * decide whether it is a backward row, or -1. */
static int link_forward(struct tl_synth *s, int at, struct tl_row *r)
{
	const struct node *n = &s->stack[at];
	int link = r->kind == TL_ROW_LEAF || n->wants_forward ? linked(s, at) : -1;
	if (link < 0)
		return -1;
	struct tl_span name = part_of(s, &s->stack[link], FORWARD_NAME);
	if (!tl_json_is_string(name))
		return -1;
	if (r->kind == TL_ROW_LEAF) {
		struct op_answer a = ask_op(s, name, NULL);
		if (!a.model || !a.backward)
			return -1;
		r->kind = TL_ROW_BACKWARD;
	}
	r->wants_forward = true;
	r->forward = s->stack[link].forward;
	tl_buf_span(&r->forward_name, name);
	return r->kind == TL_ROW_BACKWARD && s->stack[link].main != TL_POOL_NONE ? link : -1;
}

static void keep_forward(struct tl_synth *s, const struct tl_event *e)
{
	struct tl_span inputs[TL_INPUTS] = {{0}};
	struct tl_buf *b = &s->forward_texts;
	TL_GROW(s->forwards, s->n_forwards, s->forwards_cap);
	struct forward *f = &s->forwards[s->n_forwards];
	uint32_t name = pool_name(s, e->f[TL_F_NAME]);
	read_inputs(e->f[TL_F_ARGS], inputs);
	f->at = b->n;
	tl_buf_lit(b, "{\"name\":");
	tl_buf_span(b, pooled(s, name));
	tl_row_inputs(b, inputs);
	tl_buf_ch(b, '}');
	f->n = b->n - f->at;
	*tl_intmap_add(&s->forward_of, (int64_t)e->id) = (uint32_t)s->n_forwards++;
}

/* ---- the stack ---- */

static void close_owner(struct tl_synth *s, int at)
{
	struct node *n = &s->stack[at];
	struct tl_gpu_op *ops = s->ops + n->first_op;
	size_t count = s->n_ops - n->first_op;
	struct tl_row_event e = event_of(s, n);
	struct tl_row r = {.kind = n->kind};
	if (count == 0 || leave_out(s, ops, count))
		return;
	tl_buf_span(&r.name, pooled(s, n->name));
	tl_row_fill(&s->rows, &r, &e, ops, count);
	int wrapper = link_forward(s, at, &r);
	put(s, &r, wrapper);
}

static void close_singles(struct tl_synth *s, int at)
{
	const struct node *n = &s->stack[at];
	struct tl_row_event e = event_of(s, n);
	for (size_t i = n->first_op; i < s->n_ops; i++)
		put_single(
			s, &e, pooled(s, n->name), &s->ops[i], n->is_op ? TL_ROW_SYNTHETIC : TL_ROW_ORPHAN);
}

static void pop(struct tl_synth *s)
{
	int at = s->depth - 1;
	struct node *n = &s->stack[at];
	bool holder = n->owner == at || (n->owner < 0 && (n->nearest == at || n->nearest < 0));
	if (n->owner == at)
		close_owner(s, at);
	else if (holder)
		close_singles(s, at);
	if (holder)
		s->n_ops = n->first_op;
	if (n->main != TL_POOL_NONE)
		decide_queued(s, at);
	s->texts.n = n->texts_before;
	s->frames.n = n->frames_before;
	s->depth--;
}

static void pop_to(struct tl_synth *s, uint64_t depth)
{
	while (s->depth && s->stack[s->depth - 1].depth >= depth)
		pop(s);
}

/* Frames of a call stack are operators, modules, and what has a path or a namespace; the numbers
 * that tell instances apart ("_12") are left out. */
static void keep_frame(struct tl_synth *s, struct node *n)
{
	struct tl_span name = tl_json_inner(pooled(s, n->name));
	struct tl_buf *b = &s->frames;
	n->frames_before = b->n;
	if (n->is_op || memmem(name.p, name.n, "nn.Module", 9) || memmem(name.p, name.n, "::", 2) ||
		memchr(name.p, '/', name.n)) {
		tl_buf_lit(b, ",\"");
		for (size_t i = 0; i < name.n;) {
			size_t end = i + 1;
			while (name.p[i] == '_' && end < name.n && name.p[end] >= '0' && name.p[end] <= '9')
				end++;
			if (end == i + 1)
				tl_buf_ch(b, name.p[i]);
			i = end;
		}
		tl_buf_ch(b, '"');
	}
	n->frames_end = b->n;
}

/* The name of the operator that an autograd wrapper wraps. */
static uint32_t wrapped(struct tl_synth *s, struct tl_span name)
{
	static const char head[] = "\"autograd::engine::evaluate_function: ";
	if (name.n < sizeof head || memcmp(name.p, head, sizeof head - 1) != 0)
		return TL_POOL_NONE;
	s->scratch.n = 0;
	tl_buf_ch(&s->scratch, '"');
	tl_buf_add(&s->scratch, name.p + sizeof head - 1, name.n - (sizeof head - 1));
	return tl_pool_add(s->rows.pool, tl_buf_all(&s->scratch));
}

static void keep_parts(struct tl_synth *s, struct node *n, const struct tl_event *e,
	const struct tl_span inputs[TL_INPUTS])
{
	n->texts_before = s->texts.n;
	keep_part(s, n, PID, e->f[TL_F_PID]);
	keep_part(s, n, TID, e->f[TL_F_TID]);
	keep_part(s, n, EXTERNAL_ID, e->f[TL_F_EXTERNAL_ID]);
	keep_part(s, n, FORWARD_NAME, e->f[TL_F_FWD_NAME]);
	for (int i = 0; i < TL_INPUTS; i++)
		keep_part(s, n, INPUT + i, inputs[i]);
}

/* What the node takes from those above it. */
static void inherit(struct tl_synth *s, struct node *n)
{
	const struct node *p = s->depth ? &s->stack[s->depth - 1] : NULL;
	n->owner = p ? p->owner : -1;
	n->nearest = p ? p->nearest : -1;
	n->annotation = p ? p->annotation : -1;
	n->wrapper = !p ? -1 : p->main != TL_POOL_NONE ? s->depth - 1 : p->is_op ? p->wrapper : -1;
}

/* Whether the node is a row that owns all below it. */
static void decide(struct tl_synth *s, struct node *n, const struct tl_event *e,
	const struct tl_span inputs[TL_INPUTS])
{
	uint64_t all = 0, own = 0;
	if (!n->is_op)
		return;
	n->nearest = s->depth;
	if (n->wrapper >= 0 && s->stack[n->wrapper].main == n->name)
		s->stack[n->wrapper].mains++;
	if (n->owner >= 0)
		return;
	tl_json_u64(e->f[TL_F_GPU_OPS], &all);
	tl_json_u64(e->f[TL_F_OWN_GPU_OPS], &own);
	struct op_answer a = ask_op(s, pooled(s, n->name), inputs);
	n->wants_forward = a.model && a.needs_forward;
	n->kind = a.model ? TL_ROW_MODEL : TL_ROW_LEAF;
	if (a.model || own == all)
		n->owner = s->depth;
}

static void push(struct tl_synth *s, const struct tl_event *e, enum tl_cat cat, uint64_t depth)
{
	struct tl_span inputs[TL_INPUTS] = {{0}};
	struct node n = {.id = e->id, .depth = depth, .dur = e->dur, .has_dur = e->has_dur};
	n.is_op = cat == TL_CAT_CPU_OP;
	n.name = pool_name(s, e->f[TL_F_NAME]);
	n.has_forward = e->f[TL_F_FWD].n && tl_json_u64(e->f[TL_F_FWD], &n.forward);
	n.main = n.has_forward ? wrapped(s, pooled(s, n.name)) : TL_POOL_NONE;
	n.first_op = s->n_ops;
	n.first_queued = s->queue_first + s->queue_n;
	inherit(s, &n);
	if (n.is_op)
		read_inputs(e->f[TL_F_ARGS], inputs);
	keep_parts(s, &n, e, inputs);
	keep_frame(s, &n);
	decide(s, &n, e, inputs);
	if (cat == TL_CAT_ANNOTATION && memmem(e->f[TL_F_NAME].p, e->f[TL_F_NAME].n, "(sq", 3))
		n.annotation = s->depth;
	TL_GROW(s->stack, s->depth, s->stack_cap);
	s->stack[s->depth++] = n;
}

/* ---- GPU ops ---- */

static struct tl_gpu_op gpu_op_of(struct tl_synth *s, const struct tl_event *e)
{
	return (struct tl_gpu_op){.id = e->id,
		.ts = e->ts,
		.dur = e->dur,
		.has_ts = e->has_ts,
		.has_dur = e->has_dur,
		.name = pool_name(s, e->f[TL_F_NAME]),
		.cat = pool_text(s, e->f[TL_F_CAT]),
		.stream = pool_text(s, e->f[TL_F_STREAM])};
}

static void unlaunched(struct tl_synth *s, const struct tl_event *e, struct tl_gpu_op *op)
{
	struct tl_row_event row = {.id = e->id,
		.pid = e->f[TL_F_PID],
		.tid = e->f[TL_F_TID],
		.external_id = e->f[TL_F_EXTERNAL_ID],
		.dur = e->dur,
		.has_dur = e->has_dur};
	s->unlaunched++;
	s->unlaunched_ns = tl_ns_add(s->unlaunched_ns, e->dur);
	put_single(s, &row, TL_LIT("\"<no launcher>\""), op, TL_ROW_ORPHAN);
}

static void take_gpu_op(struct tl_synth *s, const struct tl_event *e, bool in_tree)
{
	struct tl_gpu_op op = gpu_op_of(s, e);
	s->gpu_ops++;
	s->gpu_ns = tl_ns_add(s->gpu_ns, e->dur);
	s->ids += tl_mix(e->id);
	if (s->depth == 0 || !in_tree) {
		unlaunched(s, e, &op);
		return;
	}
	TL_GROW(s->ops, s->n_ops, s->ops_cap);
	s->ops[s->n_ops++] = op;
}

/* ---- records ---- */

static void take_event(struct tl_synth *s, const struct tl_record *r)
{
	struct tl_event e;
	uint64_t depth = 0;
	if (!tl_event_read(r->line, &e)) {
		tl_stream_bad(s->stream, r);
		return;
	}
	enum tl_cat cat = tl_cat_of(e.f[TL_F_CAT]);
	bool in_tree = e.f[TL_F_DEPTH].n && tl_json_u64(e.f[TL_F_DEPTH], &depth);
	bool gpu = tl_cat_is_gpu(cat) && tl_event_is_gpu_op(&e);
	s->events++;
	s->tree_events += in_tree;
	s->host_events += cat == TL_CAT_CPU_OP || cat == TL_CAT_PYTHON || tl_cat_is_launch(cat);
	if (in_tree)
		pop_to(s, depth);
	tl_stream_pass(s->stream, r);
	if (e.f[TL_F_BWD].n)
		keep_forward(s, &e);
	if (gpu)
		take_gpu_op(s, &e, in_tree);
	else if (in_tree && e.f[TL_F_GPU_OPS].n)
		push(s, &e, cat, depth);
}

static void take_meta(struct tl_synth *s, const struct tl_record *r)
{
	struct tl_error e;
	tl_stream_pass(s->stream, r);
	if (s->opt.arch ||
		!tl_span_eq(tl_json_get(r->line, TL_LIT("key")), TL_LIT("\"deviceProperties\"")))
		return;
	struct tl_span device = tl_arch_device(tl_json_get(r->line, TL_LIT("value")));
	if (device.n == 0)
		return;
	s->device.n = 0;
	tl_buf_span(&s->device, device);
	s->scratch.n = 0;
	tl_buf_printf(&s->scratch, "{\"rules\":\"%s\",\"name\":", tl_rules_set(s->opt.rules));
	tl_buf_span(&s->scratch, device);
	tl_buf_ch(&s->scratch, '}');
	struct tl_span name = tl_rules_ask(s->opt.rules, TL_RULE_DEVICE, tl_buf_all(&s->scratch));
	if (!tl_json_is_string(name))
		return;
	s->scratch.n = 0;
	tl_json_text(name, &s->scratch);
	tl_buf_ch(&s->scratch, '\0');
	if (!tl_arch_load(s->scratch.p, &s->arch, &e))
		tl_warn("%s", e.text);
	s->rows.arch = tl_buf_all(&s->arch);
}

static void begin_trace(struct tl_synth *s, uint64_t trace)
{
	s->rows.trace = trace;
	s->rows.arch = tl_buf_all(&s->arch_given);
}

static void forget(struct tl_synth *s)
{
	tl_pool_clear(s->rows.pool);
	tl_intmap_free(&s->forward_of);
	s->forward_of = (struct tl_intmap){0};
	s->n_forwards = s->n_waiting = s->queue_first = 0;
	s->forward_texts.n = s->arch.n = s->device.n = 0;
	s->events = s->host_events = s->tree_events = 0;
	s->gpu_ops = s->unlaunched = s->left_out = s->ids = s->left_ids = 0;
	s->gpu_ns = s->unlaunched_ns = s->left_out_ns = s->old_gpu_ns = 0;
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

static void add_count(struct tl_buf *b, const char *key, uint64_t n)
{
	tl_buf_printf(b, ",\"%s\":%llu", key, (unsigned long long)n);
}

static void add_us(struct tl_buf *b, const char *key, int64_t ns)
{
	tl_buf_printf(b, ",\"%s\":", key);
	tl_buf_us(b, ns);
}

static void write_coverage(struct tl_synth *s)
{
	struct tl_buf *b = &s->scratch;
	uint64_t given = s->rows.owned + s->left_out;
	b->n = 0;
	tl_buf_lit(b, "{\"type\":\"coverage\",\"trace\":");
	tl_buf_u64(b, s->rows.trace);
	add_count(b, "gpu_ops", s->gpu_ops);
	add_us(b, "gpu_us", s->gpu_ns);
	add_count(b, "owned", s->rows.owned);
	add_us(b, "owned_us", s->rows.owned_ns);
	add_count(b, "orphans", s->rows.orphans);
	add_count(b, "unlaunched", s->unlaunched);
	add_us(b, "unlaunched_us", s->unlaunched_ns);
	add_count(b, "duplicates", given > s->gpu_ops ? given - s->gpu_ops : 0);
	if (s->opt.no_comm) {
		add_count(b, "comm_left_out", s->left_out);
		add_us(b, "comm_left_out_us", s->left_out_ns);
	}
	tl_buf_ch(b, '}');
	tl_stream_write(s->stream, tl_buf_all(b));
	if (given != s->gpu_ops || s->rows.ids + s->left_ids != s->ids)
		s->sound = false;
}

/* What the user should know about this trace, once per run. */
static void say_notes(struct tl_synth *s)
{
	if (s->gpu_ops && s->host_events && !s->tree_events && !s->said_tree) {
		tl_warn("the events carry no call tree (run tl-tree first): every GPU op is an orphan row");
		s->said_tree = true;
	}
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
	pop_to(s, 0);
	for (size_t i = 0; i < s->n_waiting; i++)
		finish(s, &s->waiting[i], true);
	if (s->opt.groups)
		tl_groups_write(s->opt.groups, r->trace, s->old_coverage ? s->old_gpu_ns : s->gpu_ns,
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
		tl_groups_add(s->opt.groups, r->line);
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
