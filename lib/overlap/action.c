/* `action` records: what runs exposed, what is hidden already, and who may depend on whom. */
#include "inside.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include <stdlib.h>

enum verdict { HEADROOM, HIDDEN };

struct pick {
	uint32_t group;
	enum verdict verdict;
	bool last; /* of a class that stands behind all others */
	double score, ratio;
	uint64_t id;   /* of its first op: ties */
	uint32_t slot; /* of its op's neighbours */
};

/* All rows of a device, stage after stage, and the neighbours of the ops that stand for them: on
 * the same stream and in the same stage, or NONE. */
struct picks {
	struct pick *v;
	size_t n, cap;
	struct neighbours {
		uint32_t prev, next;
	} * slots;
	struct tl_intmap slot_at; /* op -> slot + 1 */
	struct tl_intmap last;    /* row and stage -> op + 1 */
};

/* ---- choosing ---- */

static double ratio(int64_t part, int64_t of)
{
	return of > 0 ? (double)part / (double)of : 0;
}

static double share_of(const struct tl_overlap *o, const struct overlap_group *g)
{
	return 100 * ratio(g->gpu, o->devices[g->device].busy.busy);
}

static bool is_worth_it(const struct tl_overlap *o, const struct overlap_group *g)
{
	return (double)g->gpu / 1000 >= o->set.min_us && share_of(o, g) >= o->set.min_share;
}

static bool weigh(
	const struct tl_overlap *o, const struct overlap_group *g, enum verdict verdict, struct pick *p)
{
	double hidden = (double)g->hidden / 1000, exclusive = (double)(g->gpu - g->hidden) / 1000;
	if (!is_worth_it(o, g))
		return false;
	if (verdict == HEADROOM) {
		p->ratio = 0;
		p->score = exclusive * overlap_weight(o, g->class);
		p->last = tl_span_eq(o->set.last, overlap_class(o, g->class));
		return ratio(g->gpu - g->hidden, g->gpu) >= o->set.headroom_ratio;
	}
	p->ratio = ratio(g->hidden, g->gpu);
	p->score = hidden * (1 + (double)g->by_compute / 1000 / (hidden > 1 ? hidden : 1));
	return p->ratio >= o->set.hidden_ratio &&
		   overlap_listed(o->set.hidden_classes, overlap_class(o, g->class));
}

static int by_score(const void *x, const void *y)
{
	const struct pick *a = x, *b = y;
	if (a->last != b->last)
		return a->last ? 1 : -1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->ratio != b->ratio)
		return a->ratio > b->ratio ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Adds the best groups of group_order[from..to), one device and stage, at most --top of them. */
static void choose(
	const struct tl_overlap *o, size_t from, size_t to, enum verdict verdict, struct picks *p)
{
	size_t first = p->n;
	for (size_t i = from; i < to; i++) {
		uint32_t at = o->group_order[i];
		struct pick x = {.group = at, .verdict = verdict, .id = o->groups[at].first_id};
		if (!weigh(o, &o->groups[at], verdict, &x))
			continue;
		TL_GROW(p->v, p->n, p->cap);
		p->v[p->n++] = x;
	}
	if (p->n > first)
		qsort(p->v + first, p->n - first, sizeof *p->v, by_score);
	if (p->n - first > o->opt->top)
		p->n = first + (size_t)o->opt->top;
}

/* ---- neighbours ---- */

static void make_slots(struct tl_overlap *o, struct picks *p)
{
	uint32_t n = 0;
	p->slots = tl_calloc(p->n + 1, sizeof *p->slots);
	for (size_t i = 0; i < p->n; i++) {
		uint32_t op = o->groups[p->v[i].group].best;
		uint32_t *slot = tl_intmap_add(&p->slot_at, op);
		if (*slot == 0)
			*slot = ++n;
		p->v[i].slot = *slot - 1;
		p->slots[*slot - 1] = (struct neighbours){NONE, NONE};
		o->ops.flags[op] |= OP_PICKED;
	}
}

static struct neighbours *slot_of(struct tl_overlap *o, struct picks *p, uint32_t op)
{
	if (!(o->ops.flags[op] & OP_PICKED))
		return NULL;
	return &p->slots[*tl_intmap_find(&p->slot_at, op) - 1];
}

static void find_neighbours(struct tl_overlap *o, const struct overlap_device *d, struct picks *p)
{
	make_slots(o, p);
	for (uint32_t i = d->from; i < d->to && p->n; i++) {
		uint32_t op = o->by_device[i];
		const struct tl_interval *iv = &o->ops.iv[op];
		uint32_t *last = tl_intmap_add(&p->last, (int64_t)iv->row << 16 | iv->stage);
		struct neighbours *before = *last ? slot_of(o, p, *last - 1) : NULL;
		struct neighbours *self = slot_of(o, p, op);
		if (before)
			before->next = op;
		if (self)
			self->prev = *last ? *last - 1 : NONE;
		*last = op + 1;
	}
}

/* ---- dependency ---- */

static const struct overlap_source *source_of(struct tl_overlap *o, uint32_t op)
{
	uint32_t canon = o->names[o->cells[o->ops.cell[op]].name].canon;
	uint32_t *at = tl_intmap_find(&o->source_at, canon);
	return at ? &o->sources[*at - 1] : NULL;
}

static uint32_t family_scope(const struct overlap_source *s)
{
	return s && s->family ? s->scope : NONE;
}

/* The same source file, or functions of the same name. */
static bool is_one_family(
	const struct tl_overlap *o, const struct overlap_source *a, const struct overlap_source *b)
{
	uint32_t x = family_scope(a), y = family_scope(b);
	struct tl_site s = {0}, t = {0};
	if (x == NONE || y == NONE)
		return false;
	if (!tl_name_site(tl_pool_text(o->texts, x), &s))
		s.path = tl_pool_text(o->texts, x);
	if (!tl_name_site(tl_pool_text(o->texts, y), &t))
		t.path = tl_pool_text(o->texts, y);
	return tl_span_eq(s.path, t.path) || (s.func.n && tl_span_eq(s.func, t.func));
}

static bool is_one_operator(
	struct tl_overlap *o, const struct overlap_source *a, const struct overlap_source *b)
{
	return a && b && a->launch_op != NONE && a->launch_op == b->launch_op &&
		   overlap_is_operator(o, a->launch_op);
}

static struct tl_span class_of(const struct tl_overlap *o, uint32_t op)
{
	return overlap_class(o, o->names[o->cells[o->ops.cell[op]].name].class);
}

static int64_t gap_between(const struct tl_overlap *o, uint32_t a, uint32_t b)
{
	int64_t gap = tl_ns_sub(o->ops.iv[b].ts, o->ops.iv[a].end);
	return gap > 0 ? gap : 0;
}

enum signal { LOW, RISK, UNCLEAR };

static enum signal signal_of(struct tl_overlap *o, uint32_t self, uint32_t other, int64_t gap)
{
	double share = o->set.tight_share * (double)overlap_dur(o, self);
	int64_t limit = share < (double)o->set.tight_max ? (int64_t)share : o->set.tight_max;
	if (gap > (limit > o->set.tight_min ? limit : o->set.tight_min))
		return LOW;
	const struct overlap_source *a = source_of(o, self), *b = source_of(o, other);
	if (is_one_family(o, a, b) || is_one_operator(o, a, b) ||
		overlap_listed(tl_json_get(o->set.serial, class_of(o, self)), class_of(o, other)))
		return RISK;
	return a && b && a->scope != NONE && b->scope != NONE ? LOW : UNCLEAR;
}

static const char *dependency_of(struct tl_overlap *o, uint32_t self, const struct neighbours *p)
{
	enum signal prev = LOW, next = LOW;
	if (p->prev != NONE)
		prev = signal_of(o, self, p->prev, gap_between(o, p->prev, self));
	if (p->next != NONE)
		next = signal_of(o, self, p->next, gap_between(o, self, p->next));
	if (prev == RISK && next == RISK)
		return "both-side serial risk";
	if (prev == RISK || next == RISK)
		return prev == RISK ? "prev-side serial risk" : "next-side serial risk";
	return prev == UNCLEAR || next == UNCLEAR ? "adjacency unclear" : "serial risk low";
}

/* ---- records ---- */

static const char *const verdicts[] = {"headroom", "low-roi-hidden"};

static struct tl_span ask_advice(struct tl_overlap *o, const struct overlap_group *g,
	enum verdict verdict, const char *dependency)
{
	struct tl_write *w = &o->w;
	tl_value(w);
	tl_object(w, NULL);
	tl_put_text(w, "verdict", tl_str(verdicts[verdict]));
	tl_put_text(w, "dependency", tl_str(dependency));
	tl_put_num(w, "share", share_of(o, g), 15);
	tl_put_num(w, "exclusive_ratio", ratio(g->gpu - g->hidden, g->gpu), 15);
	tl_put_num(w, "hidden_ratio", ratio(g->hidden, g->gpu), 15);
	tl_put_string(w, "class", overlap_class(o, g->class));
	tl_put_string(w, "name", tl_pool_text(o->texts, g->canon));
	tl_put_string(w, "stage", overlap_stage(o, g->stage));
	if (g->pairs_n) {
		tl_put_string(w, "beside", tl_pool_text(o->texts, o->pairs[g->pairs].canon));
		tl_put_us(w, "beside_us", o->pairs[g->pairs].ns);
	}
	tl_put_text(w, "rules", tl_str(tl_rules_set(o->rules)));
	return tl_rules_ask(o->rules, ASK_ADVICE, tl_record_end(w));
}

static void add_answer(struct tl_overlap *o, struct tl_span answer, const char *key)
{
	struct tl_span v = tl_json_get(answer, tl_str(key));
	if (!tl_span_eq(v, TL_LIT("null")))
		tl_put_json(&o->w, key, v);
}

static void add_neighbour(struct tl_overlap *o, const char *key, uint32_t op, int64_t gap)
{
	const struct overlap_source *s = source_of(o, op);
	tl_object(&o->w, key);
	tl_put_u64(&o->w, "event", o->ops.id[op]);
	tl_put_string(&o->w, "name", overlap_name(o, op));
	tl_put_string(&o->w, "class", class_of(o, op));
	if (s && s->scope != NONE)
		tl_put_string(&o->w, "scope", tl_pool_text(o->texts, s->scope));
	tl_put_us(&o->w, "gap_us", gap);
	tl_object_end(&o->w);
}

static void add_source(struct tl_overlap *o, const struct overlap_source *s)
{
	if (!s)
		return;
	if (s->scope != NONE)
		tl_put_string(&o->w, "scope", tl_pool_text(o->texts, s->scope));
	if (s->launch_op != NONE)
		tl_put_string(&o->w, "launch_op", tl_pool_text(o->texts, s->launch_op));
	tl_put_share(&o->w, "mapping_ratio", (int64_t)s->mapped, (int64_t)s->launches, 1);
}

static void write_action(
	struct tl_overlap *o, struct tl_stream *s, const struct pick *p, const struct neighbours *at)
{
	const struct overlap_group *g = &o->groups[p->group];
	const char *dependency = dependency_of(o, g->best, at);
	struct tl_span advice = ask_advice(o, g, p->verdict, dependency);
	overlap_begin(o, "action", g->device);
	add_answer(o, advice, "priority");
	tl_put_string(&o->w, "verdict", tl_str(verdicts[p->verdict]));
	tl_put_string(&o->w, "name", tl_pool_text(o->texts, g->canon));
	tl_put_string(&o->w, "class", overlap_class(o, g->class));
	tl_put_string(&o->w, "stage", overlap_stage(o, g->stage));
	tl_put_us(&o->w, "gpu_us", g->gpu);
	tl_put_share(&o->w, "share", g->gpu, o->devices[g->device].busy.busy, 100);
	tl_put_share(&o->w, "exclusive_ratio", tl_ns_sub(g->gpu, g->hidden), g->gpu, 1);
	tl_put_share(&o->w, "hidden_ratio", g->hidden, g->gpu, 1);
	add_source(o, source_of(o, g->best));
	tl_put_string(&o->w, "dependency", tl_str(dependency));
	if (at->prev != NONE)
		add_neighbour(o, "prev", at->prev, gap_between(o, at->prev, g->best));
	if (at->next != NONE)
		add_neighbour(o, "next", at->next, gap_between(o, g->best, at->next));
	add_answer(o, advice, "recommendation");
	add_answer(o, advice, "suggestion");
	tl_put_u64(&o->w, "event", o->ops.id[g->best]);
	overlap_end(o, s);
}

/* A kernel that has a row for its headroom has none for what is hidden of it in that stage. */
static void write_picks(struct tl_overlap *o, struct tl_stream *s, const struct picks *p)
{
	struct tl_intmap named = {0};
	for (size_t i = 0; i < p->n; i++) {
		const struct pick *x = &p->v[i];
		const struct overlap_group *g = &o->groups[x->group];
		uint32_t *seen = tl_intmap_add(&named, (int64_t)g->stage << 32 | g->canon);
		if (x->verdict == HIDDEN && *seen)
			continue;
		*seen = 1;
		write_action(o, s, x, &p->slots[x->slot]);
	}
	tl_intmap_free(&named);
}

/* The end of the groups of group_order[from...) that are of its device, and of its stage too. */
static size_t run_end(const struct tl_overlap *o, size_t from, bool of_stage)
{
	const struct overlap_group *a = &o->groups[o->group_order[from]];
	size_t to = from;
	for (; to < o->n_groups; to++) {
		const struct overlap_group *b = &o->groups[o->group_order[to]];
		if (a->device != b->device || (of_stage && a->stage != b->stage))
			break;
	}
	return to;
}

void overlap_write_actions(struct tl_overlap *o, struct tl_stream *s)
{
	for (size_t from = 0, to; from < o->n_groups; from = to) {
		struct picks p = {0};
		to = run_end(o, from, false);
		for (size_t i = from, j; i < to; i = j) {
			j = run_end(o, i, true);
			choose(o, i, j, HEADROOM, &p);
			choose(o, i, j, HIDDEN, &p);
		}
		find_neighbours(o, &o->devices[o->groups[o->group_order[from]].device], &p);
		write_picks(o, s, &p);
		for (size_t i = 0; i < p.n; i++)
			o->ops.flags[o->groups[p.v[i].group].best] &= (uint8_t)~OP_PICKED;
		free(p.v);
		free(p.slots);
		tl_intmap_free(&p.slot_at);
		tl_intmap_free(&p.last);
	}
}
