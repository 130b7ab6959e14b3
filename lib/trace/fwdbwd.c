#include "fwdbwd.h"
#include "../json/json.h"
#include <stdlib.h>

#define NEAR 16 /* operators that start at once and are looked through for a Sequence number */

struct finder {
	struct tl_table *t;
	const uint32_t *parent;
	struct tl_fwdbwd *f;
	uint32_t *wrapper; /* nearest autograd wrapper at or above */
};

static bool is_wrapper(const struct tl_table *t, uint32_t row)
{
	static const struct tl_span prefix = TL_LIT("autograd::engine::evaluate_function:");
	struct tl_span name = tl_json_inner(tl_table_name(t, row));
	return tl_table_is_op(t, row) && name.n > prefix.n && memcmp(name.p, prefix.p, prefix.n) == 0;
}

/* `backward` is the operator below a wrapper, or a wrapper that has none. */
static void add(struct finder *d, uint32_t forward, uint32_t backward)
{
	if (d->f->fwd[backward] != TL_NO_ROW || forward == backward)
		return;
	uint32_t wrapper = d->wrapper[backward];
	d->f->fwd[backward] = forward;
	if (wrapper != TL_NO_ROW && d->f->fwd[wrapper] == TL_NO_ROW)
		d->f->fwd[wrapper] = forward;
	d->t->flags[forward] |= TL_ROW_BWD;
	tl_rows_add(&d->f->bwd, d->t->id[backward], backward);
	d->f->bwd.a[d->f->bwd.n - 1].more = forward;
}

/* Of the operators that start where `row` does, from the inner ones out: the first with the
 * Sequence number `key` (0: with any); TL_NO_ROW when there is none near. */
static uint32_t with_number(const struct finder *d, uint32_t row, uint64_t key)
{
	int64_t ts = d->t->ts[row];
	for (int i = 0; i < NEAR && row != TL_NO_ROW && d->t->ts[row] == ts; i++) {
		if (tl_table_is_op(d->t, row) && (key ? d->t->key[row] == key : d->t->key[row] != 0))
			return row;
		row = d->parent[row];
	}
	return TL_NO_ROW;
}

static void add_flow(struct finder *d, uint32_t from, uint32_t to)
{
	uint32_t backward = with_number(d, to, 0), forward = TL_NO_ROW;
	if (backward != TL_NO_ROW)
		forward = with_number(d, from, d->t->key[backward]);
	if (forward == TL_NO_ROW)
		forward = with_number(d, from, 0);
	add(d, forward == TL_NO_ROW ? from : forward, backward == TL_NO_ROW ? to : backward);
}

/* Flow ends by process, flow id and time; `more` the operator that starts there. */
static void flow_ends(const struct finder *d, struct tl_rows *flows)
{
	struct tl_table *t = d->t;
	struct tl_rows ops = {0};
	size_t n = 0;
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		bool flow = t->cat[i] == TL_CAT_FWDBWD && (t->ph[i] == 's' || t->ph[i] == 'f');
		if (flow && (t->flags[i] & TL_ROW_TS) && t->key[i])
			tl_rows_add(flows, 0, i);
		else if (tl_table_is_op(t, i) && (t->flags[i] & TL_ROW_TREE))
			tl_rows_add(&ops, 0, i);
	}
	if (flows->n)
		tl_bind(t, ops.a, ops.n, flows->a, flows->n);
	free(ops.a);
	for (size_t k = 0; k < flows->n; k++)
		if (flows->a[k].more != TL_NO_ROW)
			flows->a[n++] = flows->a[k];
	flows->n = n;
	tl_sort_by_time(flows->a, n, t->ts);
	tl_sort_by_u64(flows->a, n, t->key);
	tl_table_sort_by_process(t, flows->a, n);
}

static void by_flows(struct finder *d)
{
	struct tl_table *t = d->t;
	struct tl_rows flows = {0};
	uint32_t from = TL_NO_ROW;
	flow_ends(d, &flows);
	for (size_t k = 0; k < flows.n; k++) {
		uint32_t i = flows.a[k].at;
		if (k > 0 &&
			(flows.a[k].key != flows.a[k - 1].key || t->key[i] != t->key[flows.a[k - 1].at]))
			from = TL_NO_ROW;
		if (t->ph[i] == 's')
			from = flows.a[k].more;
		else if (from != TL_NO_ROW)
			add_flow(d, from, flows.a[k].more);
	}
	free(flows.a);
}

/* One Sequence number of one process, in order of id. */
static void add_number(struct finder *d, const struct tl_sort *a, size_t n)
{
	struct tl_table *t = d->t;
	uint32_t wrapper = TL_NO_ROW, forward = TL_NO_ROW, backward = TL_NO_ROW;
	for (size_t k = 0; k < n && wrapper == TL_NO_ROW; k++)
		if (d->wrapper[a[k].at] == a[k].at)
			wrapper = a[k].at;
	if (wrapper == TL_NO_ROW || d->f->fwd[wrapper] != TL_NO_ROW)
		return;
	for (size_t k = 0; k < n; k++) {
		uint32_t i = a[k].at;
		if (t->thread[i] != t->thread[wrapper]) {
			if (forward == TL_NO_ROW || t->ts[i] > t->ts[forward])
				forward = i;
		} else if (backward == TL_NO_ROW && i != wrapper && d->wrapper[i] == wrapper) {
			backward = i;
		}
	}
	if (forward != TL_NO_ROW)
		add(d, forward, backward == TL_NO_ROW ? wrapper : backward);
}

static void by_number(struct finder *d)
{
	struct tl_table *t = d->t;
	struct tl_rows ops = {0};
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (tl_table_is_op(t, i) && (t->flags[i] & TL_ROW_TREE) && t->key[i])
			tl_rows_add(&ops, 0, i);
	}
	tl_sort_by_u64(ops.a, ops.n, t->key);
	tl_table_sort_by_process(t, ops.a, ops.n);
	for (size_t k = 0, to; k < ops.n; k = to) {
		for (to = k; to < ops.n && ops.a[to].key == ops.a[k].key &&
					 t->key[ops.a[to].at] == t->key[ops.a[k].at];
			 to++)
			;
		add_number(d, ops.a + k, to - k);
	}
	free(ops.a);
}

void tl_fwdbwd_find(struct tl_fwdbwd *f, struct tl_table *t, const uint32_t *parent)
{
	struct finder d = {t, parent, f, tl_tree_nearest(t, parent, is_wrapper)};
	*f = (struct tl_fwdbwd){tl_no_rows(t->n)};
	by_flows(&d);
	by_number(&d);
	free(d.wrapper);
	tl_sort(f->bwd.a, f->bwd.n);
	for (size_t k = 0; k < f->bwd.n; k++)
		f->bwd.a[k].key = f->bwd.a[k].more;
	tl_sort(f->bwd.a, f->bwd.n);
}

void tl_fwdbwd_free(struct tl_fwdbwd *f)
{
	free(f->fwd);
	free(f->bwd.a);
	*f = (struct tl_fwdbwd){0};
}

size_t tl_fwdbwd_first(const struct tl_fwdbwd *f, uint32_t forward)
{
	size_t lo;
	TL_SEARCH(lo, 0, f->bwd.n, f->bwd.a[lo].key < forward);
	return lo;
}
