#include "operator.h"
#include "../json/json.h"
#include "link.h"
#include "nest.h"
#include <stdlib.h>

/* How many operators are looked at that touch one call, or share an External id: more are not told
 * apart. */
#define MOST 64

/* Calls and operators, in nesting order; `op` of each is the innermost operator above it. */
struct nest {
	const struct tl_table *t;
	uint32_t *op;
	struct tl_rows spans;
	struct tl_rows ids; /* operators by External id, process, start, end from late to early, id */
	bool sorted;        /* `ids` is made; before it is needed it is empty */
};

static bool counts(const struct tl_table *t, uint32_t row)
{
	return !(t->flags[row] & TL_ROW_LEFT_OUT) && (t->flags[row] & TL_ROW_SPAN) &&
		   (tl_table_is_op(t, row) || tl_table_is_launch(t, row));
}

/* `nested`: all host spans of the tree in the order of nesting; NULL: they are sorted here. */
static void nest_spans(struct nest *n, const struct tl_rows *nested)
{
	const struct tl_table *t = n->t;
	uint32_t count = nested ? (uint32_t)nested->n : t->n;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t i = nested ? nested->a[k].at : tl_table_at(t, k);
		if (counts(t, i))
			tl_rows_add(&n->spans, 0, i);
	}
	if (!nested)
		tl_table_nesting_order(t, n->spans.a, n->spans.n);
	tl_nest_spans(t, &n->spans, n->op, NULL);
	for (size_t k = 0; k < n->spans.n; k++) { /* in the order of nesting: parents come first */
		uint32_t i = n->spans.a[k].at, up = n->op[i];
		if (up != TL_NO_ROW && !tl_table_is_op(t, up))
			n->op[i] = n->op[up];
	}
}

static void sort_ids(struct nest *n)
{
	const struct tl_table *t = n->t;
	struct tl_rows *r = &n->ids;
	n->sorted = true;
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (counts(t, i) && tl_table_is_op(t, i) && t->key2[i])
			tl_rows_add(r, 0, i);
	}
	tl_sort_late_first(r->a, r->n, t->end);
	tl_sort_by_time(r->a, r->n, t->ts);
	for (size_t k = 0; k < r->n; k++)
		r->a[k].key = r->a[k].more = tl_table_process(t, r->a[k].at);
	tl_sort(r->a, r->n);
	tl_sort_by_u64(r->a, r->n, t->key2);
}

static bool is_behind(
	const struct nest *n, const struct tl_sort *s, uint64_t id, uint32_t process, int64_t ts)
{
	if (s->key != id || s->more != process)
		return s->key < id || (s->key == id && s->more < process);
	return n->t->ts[s->at] <= ts;
}

/* The place behind the last operator of that id and process that starts no later than `ts`. */
static size_t behind(const struct nest *n, uint64_t id, uint32_t process, int64_t ts)
{
	size_t lo;
	TL_SEARCH(lo, 0, n->ids.n, is_behind(n, &n->ids.a[lo], id, process, ts));
	return lo;
}

static bool touches(const struct tl_table *t, uint32_t op, uint32_t call)
{
	return t->ts[op] == t->ts[call] || t->ts[op] == t->end[call] || t->end[op] == t->ts[call] ||
		   t->end[op] == t->end[call];
}

/* Whether an id may choose `op`, when time puts the call into `inner` (or into nothing): all that
 * would have to be passed on the way from one to the other must touch the call. */
static bool may_mean(const struct nest *n, uint32_t op, uint32_t inner, uint32_t call)
{
	const struct tl_table *t = n->t;
	uint32_t at = inner;
	for (int i = 0; i < MOST && at != TL_NO_ROW; i++, at = n->op[at]) {
		if (at == op)
			return true;
		if (!touches(t, at, call))
			break;
	}
	if (t->thread[op] != t->thread[call] || !touches(t, op, call))
		return false;
	/* `at` truly holds the call: what touches it must lie within */
	uint32_t up = op;
	for (int i = 0; i < MOST && up != TL_NO_ROW && up != at; i++)
		up = n->op[up];
	return up == at;
}

/* The operator with the External id, in the call's process, that the id may mean. */
static uint32_t by_id(struct nest *n, uint64_t id, uint32_t call, uint32_t inner)
{
	const struct tl_table *t = n->t;
	uint32_t process = tl_table_process(t, call);
	if (inner != TL_NO_ROW && t->key2[inner] == id)
		return inner; /* nearly always */
	if (!n->sorted)
		sort_ids(n);
	size_t k = behind(n, id, process, t->end[call]);
	for (int i = 0; i < MOST && k-- > 0; i++) {
		uint32_t op = n->ids.a[k].at;
		if (n->ids.a[k].key != id || n->ids.a[k].more != process)
			break;
		bool holds = t->ts[op] <= t->ts[call] && t->ts[call] <= t->end[op];
		if ((inner == TL_NO_ROW && holds) || may_mean(n, op, inner, call))
			return op;
	}
	return TL_NO_ROW;
}

static void own_ops(struct nest *n, const uint32_t *launcher)
{
	const struct tl_table *t = n->t;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t call = launcher[i];
		if (!tl_table_is_gpu_op(t, i) || call == TL_NO_ROW)
			continue;
		uint64_t id = tl_external_id(t, i, call);
		uint32_t meant = id ? by_id(n, id, call, n->op[call]) : TL_NO_ROW;
		n->op[i] = meant == TL_NO_ROW ? n->op[call] : meant;
	}
}

/* What tl-tree said stands, also where a filter took away what it knew it from. */
static void told_ops(const struct nest *n)
{
	const struct tl_table *t = n->t;
	for (size_t k = 0; k < t->n_told; k++) {
		const struct tl_told *told = &t->told[k];
		uint32_t row = told->has_operator ? tl_table_row(t, told->owner) : TL_NO_ROW;
		if (row != TL_NO_ROW && tl_table_is_op(t, row))
			n->op[told->row] = row;
	}
}

static uint32_t *find(
	const struct tl_table *t, const uint32_t *launcher, const struct tl_rows *nested, bool told)
{
	struct nest n = {.t = t, .op = tl_no_rows(t->n)};
	nest_spans(&n, nested);
	if (told)
		told_ops(&n);
	else
		own_ops(&n, launcher);
	free(n.spans.a);
	free(n.ids.a);
	return n.op;
}

uint32_t *tl_operators_find(
	const struct tl_table *t, const uint32_t *launcher, const struct tl_rows *nested)
{
	return find(t, launcher, nested, false);
}

uint32_t *tl_operators_of(const struct tl_table *t, const uint32_t *launcher)
{
	return find(t, launcher, NULL, t->n_operators > 0);
}
