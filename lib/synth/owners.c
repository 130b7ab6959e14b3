#include "owners.h"
#include "../json/json.h"
#include "apart.h"
#include <stdlib.h>

#define CLIMB 5 /* how far above an operator the node may be that has a forward operator */

/* Texts of an open node, in o->texts. */
enum part { PID, TID, EXTERNAL_ID, FORWARD_NAME, INPUT, PARTS = INPUT + SYNTH_INPUTS };

/* An open node with GPU ops below it. Places are indexes into the stack; -1: none. */
struct node {
	uint64_t id, depth, forward;
	int64_t dur;
	bool has_dur, is_op, has_forward, wants_forward;
	enum synth_row_kind kind; /* of its row, when it owns what lies below it */
	int owner;                /* the node, it or above it, that owns all GPU ops below it */
	int nearest;              /* the innermost operator, it or above it */
	int wrapper;              /* the autograd wrapper above it, operators alone between */
	int annotation;           /* the innermost one that counts requests, it or above it */
	uint32_t name;            /* in the pool, a JSON string */
	uint32_t comm;            /* of a collective, in the pool */
	uint32_t main;  /* of an autograd wrapper: the name of the operator it wraps, else none */
	uint32_t mains; /* how many operators of that name below it launch GPU work */
	uint64_t queue_place;
	uint64_t apart;   /* ops of this operator that were not launched below it */
	uint64_t missing; /* of such ops, those that its row still lacks */
	size_t first_op, texts_before, frames_before, frames_end;
	struct {
		size_t at, n;
	} part[PARTS];
};

struct synth_owners {
	struct synth_rows *rows;
	struct synth_queue queue;
	struct synth_apart apart;
	bool no_comm;
	struct synth_owned count;

	struct node *stack;
	int depth, stack_cap;
	struct tl_buf texts, frames; /* of the open nodes, cut back as they close */
	struct synth_op *ops;        /* likewise: those that wait for their row */
	size_t n_ops, ops_cap;
	struct tl_buf scratch;
};

struct synth_owners *synth_owners_new(struct synth_rows *rows, bool no_comm)
{
	struct synth_owners *o = tl_calloc(1, sizeof *o);
	o->rows = o->queue.rows = rows;
	o->no_comm = no_comm;
	return o;
}

void synth_owners_free(struct synth_owners *o)
{
	if (!o)
		return;
	synth_queue_free(&o->queue);
	synth_apart_free(&o->apart);
	tl_buf_free(&o->texts);
	tl_buf_free(&o->frames);
	tl_buf_free(&o->scratch);
	free(o->stack);
	free(o->ops);
	free(o);
}

const struct synth_owned *synth_owners_counts(const struct synth_owners *o)
{
	return &o->count;
}

/* ---- texts ---- */

static struct tl_span pooled(const struct synth_owners *o, uint32_t text)
{
	struct tl_span none = {0};
	return text == TL_POOL_NONE ? none : tl_pool_text(o->rows->pool, text);
}

static uint32_t pool_text(struct synth_owners *o, struct tl_span json)
{
	return json.n ? tl_pool_add(o->rows->pool, json) : TL_POOL_NONE;
}

/* A name as JSON string: one that is no string becomes one, an absent one is empty. */
static uint32_t pool_name(struct synth_owners *o, struct tl_span name)
{
	if (tl_json_is_string(name))
		return tl_pool_add(o->rows->pool, name);
	o->scratch.n = 0;
	tl_json_quote(&o->scratch, name);
	return tl_pool_add(o->rows->pool, tl_buf_all(&o->scratch));
}

static struct tl_span part_of(const struct synth_owners *o, const struct node *n, int part)
{
	if (n->part[part].n == 0)
		return (struct tl_span){0};
	return (struct tl_span){o->texts.p + n->part[part].at, n->part[part].n};
}

static void keep_part(struct synth_owners *o, struct node *n, int part, struct tl_span text)
{
	n->part[part].at = o->texts.n;
	n->part[part].n = text.n;
	tl_buf_span(&o->texts, text);
}

static void read_inputs(struct tl_span args, struct tl_span inputs[SYNTH_INPUTS])
{
	static const struct tl_span names[SYNTH_INPUTS] = {TL_LIT("Input Dims"), TL_LIT("Input type"),
		TL_LIT("Input Strides"), TL_LIT("Concrete Inputs")};
	struct tl_json it = tl_json_open(args);
	struct tl_span key, val;
	while (args.n && tl_json_member(&it, &key, &val))
		for (int i = 0; i < SYNTH_INPUTS; i++)
			if (tl_span_eq(key, names[i]))
				inputs[i] = val;
}

/* What the args of a collective's kernel, or of record_param_comms, say of it, as the rules read
 * it. */
static uint32_t pool_collective(struct synth_owners *o, struct tl_span args)
{
	static const struct {
		struct tl_span arg;
		const char *key;
	} map[] = {{TL_LIT("Collective name"), "collective"}, {TL_LIT("Group size"), "group_size"},
		{TL_LIT("In msg nelems"), "in_elements"}, {TL_LIT("Out msg nelems"), "out_elements"},
		{TL_LIT("dtype"), "dtype"}};
	if (!args.n || !memmem(args.p, args.n, "\"Collective name\"", 17))
		return TL_POOL_NONE;
	struct tl_json it = tl_json_open(args);
	struct tl_span key, val;
	o->scratch.n = 0;
	while (tl_json_member(&it, &key, &val))
		for (size_t i = 0; i < sizeof map / sizeof *map; i++)
			if (tl_span_eq(key, map[i].arg)) {
				tl_buf_printf(&o->scratch, "%s\"%s\":", o->scratch.n ? "," : "{", map[i].key);
				tl_buf_span(&o->scratch, val);
			}
	if (!o->scratch.n)
		return TL_POOL_NONE;
	tl_buf_ch(&o->scratch, '}');
	return tl_pool_add(o->rows->pool, tl_buf_all(&o->scratch));
}

static struct synth_row_event event_of(const struct synth_owners *o, const struct node *n)
{
	struct synth_row_event e = {.id = n->id,
		.pid = part_of(o, n, PID),
		.tid = part_of(o, n, TID),
		.external_id = part_of(o, n, EXTERNAL_ID),
		.has_dur = n->has_dur,
		.dur = n->dur};
	for (int i = 0; i < SYNTH_INPUTS; i++)
		e.inputs[i] = part_of(o, n, INPUT + i);
	if (n->frames_end)
		e.stack = (struct tl_span){o->frames.p + 1, n->frames_end - 1};
	if (n->annotation >= 0)
		e.annotation = pooled(o, o->stack[n->annotation].name);
	e.comm = pooled(o, n->comm);
	return e;
}

/* ---- rows ---- */

static bool communicates(struct synth_owners *o, const struct synth_op *op)
{
	tl_rules_question(o->rows->rules, &o->scratch);
	tl_buf_lit(&o->scratch, ",\"name\":");
	tl_buf_span(&o->scratch, pooled(o, op->name));
	tl_buf_ch(&o->scratch, '}');
	struct tl_span answer = tl_rules_ask(o->rows->rules, SYNTH_RULE_COMM, tl_buf_all(&o->scratch));
	return tl_span_eq(answer, TL_LIT("true"));
}

/* Under --no-comm, counts and leaves out ops that all communicate. */
static bool leave_out(struct synth_owners *o, const struct synth_op *ops, size_t n)
{
	if (!o->no_comm)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!communicates(o, &ops[i]))
			return false;
	for (size_t i = 0; i < n; i++) {
		o->count.left_out++;
		o->count.left_out_ns = tl_ns_add(o->count.left_out_ns, ops[i].dur);
		o->count.left_ids += tl_mix(ops[i].id);
	}
	return true;
}

/* One row for one GPU op, named after both. */
static void put_single(struct synth_owners *o, const struct synth_row_event *e,
	struct tl_span prefix, struct synth_op *op, enum synth_row_kind kind)
{
	struct synth_row r = {.kind = kind};
	if (leave_out(o, op, 1))
		return;
	synth_row_synthetic_name(&r.name, prefix, pooled(o, op->name));
	synth_row_fill(o->rows, &r, e, op, 1);
	synth_queue_put(&o->queue, &r, -1);
}

/* ---- backward rows ---- */

/* The members of the rules' answer about an operator. */
struct op_answer {
	bool model, backward, needs_forward;
};

static struct op_answer ask_op(
	struct synth_owners *o, struct tl_span name, const struct tl_span inputs[SYNTH_INPUTS])
{
	struct op_answer a = {0};
	tl_rules_question(o->rows->rules, &o->scratch);
	tl_buf_lit(&o->scratch, ",\"name\":");
	tl_buf_span(&o->scratch, name);
	if (inputs)
		synth_row_inputs(&o->scratch, inputs);
	tl_buf_ch(&o->scratch, '}');
	struct tl_span json = tl_rules_ask(o->rows->rules, SYNTH_RULE_OP, tl_buf_all(&o->scratch));
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
static int linked(const struct synth_owners *o, int at)
{
	int other = -1;
	for (int i = at; i >= 0 && i >= at - CLIMB; i--) {
		const struct node *n = &o->stack[i];
		if (n->has_forward && n->main != TL_POOL_NONE && i < at)
			return i;
		if (n->has_forward && other < 0)
			other = i;
	}
	return other;
}

/* Sets what a row takes from the node that has its forward operator. Returns the wrapper that will
 * decide whether it is a backward row, or -1. */
static int link_forward(struct synth_owners *o, int at, struct synth_row *r)
{
	const struct node *n = &o->stack[at];
	int link = r->kind == SYNTH_ROW_LEAF || n->wants_forward ? linked(o, at) : -1;
	if (link < 0)
		return -1;
	struct tl_span name = part_of(o, &o->stack[link], FORWARD_NAME);
	if (!tl_json_is_string(name))
		return -1;
	if (r->kind == SYNTH_ROW_LEAF) {
		struct op_answer a = ask_op(o, name, NULL);
		if (!a.model || !a.backward)
			return -1;
		r->kind = SYNTH_ROW_BACKWARD;
	}
	r->wants_forward = true;
	r->forward = o->stack[link].forward;
	tl_buf_span(&r->forward_name, name);
	return r->kind == SYNTH_ROW_BACKWARD && o->stack[link].main != TL_POOL_NONE ? link : -1;
}

static void keep_forward(struct synth_owners *o, const struct tl_event *e)
{
	struct tl_span inputs[SYNTH_INPUTS] = {{0}};
	uint32_t name = pool_name(o, e->f[TL_F_NAME]);
	read_inputs(e->f[TL_F_ARGS], inputs);
	o->scratch.n = 0;
	tl_buf_lit(&o->scratch, "{\"name\":");
	tl_buf_span(&o->scratch, pooled(o, name));
	synth_row_inputs(&o->scratch, inputs);
	tl_buf_ch(&o->scratch, '}');
	synth_queue_forward(&o->queue, e->id, tl_buf_all(&o->scratch));
}

/* ---- the stack ---- */

static void keep_op(struct synth_owners *o, const struct synth_op *op)
{
	TL_GROW(o->ops, o->n_ops, o->ops_cap);
	o->ops[o->n_ops++] = *op;
}

static void put_row(struct synth_owners *o, struct synth_row *r, const struct synth_row_event *e,
	struct synth_op *ops, size_t n, int decider)
{
	if (n == 0 || leave_out(o, ops, n)) {
		synth_row_free(r);
		return;
	}
	synth_row_fill(o->rows, r, e, ops, n);
	synth_queue_put(&o->queue, r, decider);
}

static void close_owner(struct synth_owners *o, int at)
{
	struct node *n = &o->stack[at];
	struct synth_op *ops = o->ops + n->first_op;
	size_t count = o->n_ops - n->first_op;
	struct synth_row_event e = event_of(o, n);
	struct synth_row r = {.kind = n->kind};
	if (count == 0 && n->missing == 0)
		return;
	tl_buf_span(&r.name, pooled(o, n->name));
	int wrapper = link_forward(o, at, &r);
	if (n->missing)
		synth_apart_wait(&o->apart, at, &r, &e, ops, count)->decider = wrapper;
	else
		put_row(o, &r, &e, ops, count, wrapper);
}

static void put_singles(struct synth_owners *o, const struct synth_row_event *e,
	struct tl_span prefix, struct synth_op *ops, size_t n, bool is_op)
{
	for (size_t i = 0; i < n; i++)
		put_single(o, e, prefix, &ops[i], is_op ? SYNTH_ROW_SYNTHETIC : SYNTH_ROW_ORPHAN);
}

static void close_singles(struct synth_owners *o, int at)
{
	const struct node *n = &o->stack[at];
	struct synth_row_event e = event_of(o, n);
	struct synth_row r = {.kind = SYNTH_ROW_SYNTHETIC};
	put_singles(o, &e, pooled(o, n->name), o->ops + n->first_op, o->n_ops - n->first_op, n->is_op);
	if (n->missing == 0)
		return;
	tl_buf_span(&r.name, pooled(o, n->name));
	synth_apart_wait(&o->apart, at, &r, &e, NULL, 0)->singles = true;
}

/* Ops of this operator that came before it closed; who is to own those that have not come yet. */
static void take_apart(struct synth_owners *o, int at)
{
	struct node *n = &o->stack[at];
	uint64_t missing = n->apart;
	int owner = n->owner >= 0 ? n->owner : at;
	struct synth_op op;
	for (; missing && synth_apart_take(&o->apart, n->id, &op); missing--)
		keep_op(o, &op);
	if (missing == 0)
		return;
	o->stack[owner].missing += missing;
	synth_apart_expect(&o->apart, n->id, missing, owner);
}

static void decide_apart(struct synth_owners *o, int at, bool backward)
{
	for (size_t i = 0; i < o->apart.n_rows; i++) {
		struct synth_apart_row *r = &o->apart.rows[i];
		if (r->decider != at)
			continue;
		r->decider = -1;
		r->row.kind = backward ? r->row.kind : SYNTH_ROW_LEAF;
		r->row.wants_forward = r->row.wants_forward && backward;
	}
}

static void pop(struct synth_owners *o)
{
	int at = o->depth - 1;
	struct node *n = &o->stack[at];
	bool holder = n->owner == at || (n->owner < 0 && (n->nearest == at || n->nearest < 0));
	if (n->apart)
		take_apart(o, at);
	if (n->owner == at)
		close_owner(o, at);
	else if (holder)
		close_singles(o, at);
	if (holder)
		o->n_ops = n->first_op;
	if (n->main != TL_POOL_NONE) {
		synth_queue_decide(&o->queue, at, n->queue_place, n->mains == 1);
		decide_apart(o, at, n->mains == 1);
	}
	o->texts.n = n->texts_before;
	o->frames.n = n->frames_before;
	o->depth--;
}

/* A row that waited has all its ops, or the trace ends. A row whose kind is not known yet keeps
 * waiting for that. */
static void finish_apart(struct synth_owners *o, struct synth_apart_row *r)
{
	if (r->written || r->decider >= 0)
		return;
	if (r->singles) {
		put_singles(o, &r->event, tl_buf_all(&r->row.name), r->ops, r->n, true);
		synth_row_free(&r->row);
	} else {
		put_row(o, &r->row, &r->event, r->ops, r->n, -1);
	}
	r->written = true;
}

/* An op whose operator is not above its launch: that may have closed, be open, or be still to come.
 */
static void put_apart(struct synth_owners *o, uint64_t owner, struct synth_op *op)
{
	int node;
	size_t row;
	if (!synth_apart_arrive(&o->apart, owner, op, &node, &row)) {
		synth_apart_hold(&o->apart, owner, op);
	} else if (node >= 0) { /* all open nodes from this one on belong to its row */
		o->stack[node].missing--;
		keep_op(o, op);
	} else if (o->apart.rows[row].missing == 0) {
		finish_apart(o, &o->apart.rows[row]);
	}
}

static void end_apart(struct synth_owners *o)
{
	struct synth_op op;
	for (size_t i = 0; i < o->apart.n_rows; i++)
		finish_apart(o, &o->apart.rows[i]);
	while (synth_apart_take_any(&o->apart, &op)) {
		struct synth_row_event e = {.id = op.id, .dur = op.dur, .has_dur = op.has_dur};
		put_single(o, &e, TL_LIT("\"<no operator>\""), &op, SYNTH_ROW_ORPHAN);
	}
	synth_apart_clear(&o->apart);
}

void synth_owners_close(struct synth_owners *o, uint64_t depth)
{
	while (o->depth && o->stack[o->depth - 1].depth >= depth)
		pop(o);
}

/* Frames of a call stack are operators, modules, and what has a path or a namespace; the numbers
 * that tell instances apart ("_12") are left out. */
static void keep_frame(struct synth_owners *o, struct node *n)
{
	struct tl_span name = tl_json_inner(pooled(o, n->name));
	struct tl_buf *b = &o->frames;
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
static uint32_t wrapped(struct synth_owners *o, struct tl_span name)
{
	static const char head[] = "\"autograd::engine::evaluate_function: ";
	if (name.n < sizeof head || memcmp(name.p, head, sizeof head - 1) != 0)
		return TL_POOL_NONE;
	o->scratch.n = 0;
	tl_buf_ch(&o->scratch, '"');
	tl_buf_add(&o->scratch, name.p + sizeof head - 1, name.n - (sizeof head - 1));
	return tl_pool_add(o->rows->pool, tl_buf_all(&o->scratch));
}

static void keep_parts(struct synth_owners *o, struct node *n, const struct tl_event *e,
	const struct tl_span inputs[SYNTH_INPUTS])
{
	n->texts_before = o->texts.n;
	keep_part(o, n, PID, e->f[TL_F_PID]);
	keep_part(o, n, TID, e->f[TL_F_TID]);
	keep_part(o, n, EXTERNAL_ID, e->f[TL_F_EXTERNAL_ID]);
	keep_part(o, n, FORWARD_NAME, e->f[TL_F_FWD_NAME]);
	for (int i = 0; i < SYNTH_INPUTS; i++)
		keep_part(o, n, INPUT + i, inputs[i]);
}

/* What the node takes from those above it. */
static void inherit(struct synth_owners *o, struct node *n)
{
	const struct node *p = o->depth ? &o->stack[o->depth - 1] : NULL;
	n->owner = p ? p->owner : -1;
	n->nearest = p ? p->nearest : -1;
	n->annotation = p ? p->annotation : -1;
	n->wrapper = !p ? -1 : p->main != TL_POOL_NONE ? o->depth - 1 : p->is_op ? p->wrapper : -1;
}

/* Whether the node is a row that owns all below it. */
static void decide(struct synth_owners *o, struct node *n, const struct tl_event *e,
	const struct tl_span inputs[SYNTH_INPUTS])
{
	uint64_t all = 0, own = 0;
	if (!n->is_op)
		return;
	n->nearest = o->depth;
	if (n->wrapper >= 0 && o->stack[n->wrapper].main == n->name)
		o->stack[n->wrapper].mains++;
	if (n->owner >= 0)
		return;
	tl_json_u64(e->f[TL_F_GPU_OPS], &all);
	tl_json_u64(e->f[TL_F_OWN_GPU_OPS], &own);
	struct op_answer a = ask_op(o, pooled(o, n->name), inputs);
	n->wants_forward = a.model && a.needs_forward;
	n->kind = a.model ? SYNTH_ROW_MODEL : SYNTH_ROW_LEAF;
	if (a.model || own == all)
		n->owner = o->depth;
}

static uint64_t apart_of(const struct tl_event *e)
{
	uint64_t n;
	return e->f[TL_F_APART].n && tl_json_u64(e->f[TL_F_APART], &n) ? n : 0;
}

static void push(struct synth_owners *o, const struct tl_event *e, enum tl_cat cat, uint64_t depth)
{
	struct tl_span inputs[SYNTH_INPUTS] = {{0}};
	struct node n = {.id = e->id, .depth = depth, .dur = e->dur, .has_dur = e->has_dur};
	n.is_op = cat == TL_CAT_CPU_OP;
	n.name = pool_name(o, e->f[TL_F_NAME]);
	n.has_forward = e->f[TL_F_FWD].n && tl_json_u64(e->f[TL_F_FWD], &n.forward);
	n.main = n.has_forward ? wrapped(o, pooled(o, n.name)) : TL_POOL_NONE;
	n.first_op = o->n_ops;
	n.apart = apart_of(e);
	n.queue_place = synth_queue_place(&o->queue);
	inherit(o, &n);
	n.comm = TL_POOL_NONE;
	if (n.is_op) {
		read_inputs(e->f[TL_F_ARGS], inputs);
		n.comm = pool_collective(o, e->f[TL_F_ARGS]);
	}
	keep_parts(o, &n, e, inputs);
	keep_frame(o, &n);
	decide(o, &n, e, inputs);
	struct tl_span name = pooled(o, n.name);
	/* Which annotation goes into the questions of what lies below; what it says is read by jq
	 * (models_attention_serving.jq). Not asked of jq: such names hold counts and differ from step
	 * to step, so that each would be a question of its own, whether or not a row needs the answer.
	 */
	if (cat == TL_CAT_ANNOTATION && memmem(name.p, name.n, "(sq", 3))
		n.annotation = o->depth;
	TL_GROW(o->stack, o->depth, o->stack_cap);
	o->stack[o->depth++] = n;
}

/* ---- GPU ops ---- */

static struct synth_op gpu_op_of(struct synth_owners *o, const struct tl_event *e)
{
	return (struct synth_op){.id = e->id,
		.ts = e->ts,
		.dur = e->dur,
		.has_ts = e->has_ts,
		.has_dur = e->has_dur,
		.name = pool_name(o, e->f[TL_F_NAME]),
		.cat = pool_text(o, e->f[TL_F_CAT]),
		.stream = pool_text(o, e->f[TL_F_STREAM]),
		.comm = pool_collective(o, e->f[TL_F_ARGS])};
}

static void unlaunched(struct synth_owners *o, const struct tl_event *e, struct synth_op *op)
{
	struct synth_row_event row = {.id = e->id,
		.pid = e->f[TL_F_PID],
		.tid = e->f[TL_F_TID],
		.external_id = e->f[TL_F_EXTERNAL_ID],
		.dur = e->dur,
		.has_dur = e->has_dur};
	o->count.unlaunched++;
	o->count.unlaunched_ns = tl_ns_add(o->count.unlaunched_ns, e->dur);
	put_single(o, &row, TL_LIT("\"<no launcher>\""), op, SYNTH_ROW_ORPHAN);
}

/* Where tl-tree names another operator than the innermost one that is open. */
static bool is_apart(const struct synth_owners *o, const struct tl_event *e, uint64_t *owner)
{
	int nearest = o->depth ? o->stack[o->depth - 1].nearest : -1;
	return e->f[TL_F_OPERATOR].n && tl_json_u64(e->f[TL_F_OPERATOR], owner) &&
		   (nearest < 0 || o->stack[nearest].id != *owner);
}

static void take_gpu_op(struct synth_owners *o, const struct tl_event *e, bool in_tree)
{
	struct synth_op op = gpu_op_of(o, e);
	uint64_t owner;
	o->count.gpu_ops++;
	o->count.gpu_ns = tl_ns_add(o->count.gpu_ns, e->dur);
	o->count.ids += tl_mix(e->id);
	if (is_apart(o, e, &owner)) {
		put_apart(o, owner, &op);
		return;
	}
	if (o->depth == 0 || !in_tree) {
		unlaunched(o, e, &op);
		return;
	}
	keep_op(o, &op);
}

void synth_owners_take(
	struct synth_owners *o, const struct tl_event *e, enum tl_cat cat, bool in_tree, uint64_t depth)
{
	if (e->f[TL_F_BWD].n)
		keep_forward(o, e);
	if (tl_cat_is_gpu(cat) && tl_event_is_gpu_op(e))
		take_gpu_op(o, e, in_tree);
	else if (in_tree && e->f[TL_F_GPU_OPS].n)
		push(o, e, cat, depth);
}

void synth_owners_end(struct synth_owners *o)
{
	synth_owners_close(o, 0);
	end_apart(o);
	synth_queue_end(&o->queue);
}

void synth_owners_forget(struct synth_owners *o)
{
	o->count = (struct synth_owned){0};
}
