/* Order of the ops, cells and groups of them, and one sweep per device: what hides what. */
#include "inside.h"
#include "../trace/trace.h"
#include "../json/json.h"
#include <stdlib.h>

/* ---- order ---- */

static void split_by_device(struct tl_overlap *o)
{
	uint32_t *next = tl_calloc(o->n_devices + 1, sizeof *next);
	for (uint32_t i = 0; i < o->n_timed; i++)
		next[o->rows[o->ops.iv[o->order[i]].row].device + 1]++;
	for (size_t d = 0; d < o->n_devices; d++) {
		next[d + 1] += next[d];
		o->devices[d].from = next[d];
		o->devices[d].to = next[d + 1];
	}
	if (o->n_devices == 1) {
		o->by_device = o->order;
		free(next);
		return;
	}
	o->by_device = tl_calloc((size_t)o->n_timed + 1, sizeof *o->by_device);
	for (uint32_t i = 0; i < o->n_timed; i++)
		o->by_device[next[o->rows[o->ops.iv[o->order[i]].row].device]++] = o->order[i];
	free(next);
}

static void order_ops(struct tl_overlap *o)
{
	o->order = tl_interval_order(o->ops.iv, o->ops.id, o->ops.n);
	o->n_timed = 0;
	for (uint32_t i = 0; i < o->ops.n; i++)
		if (o->ops.flags[o->order[i]] & OP_TIMED)
			o->order[o->n_timed++] = o->order[i];
}

/* ---- clipping ---- */

static bool *impossible_rows(const struct tl_overlap *o, bool *any)
{
	struct tl_overrun *r = tl_calloc(o->n_rows + 1, sizeof *r);
	bool *is = tl_calloc(o->n_rows + 1, sizeof *is);
	for (uint32_t i = 0; i < o->n_timed; i++) {
		const struct tl_interval *iv = &o->ops.iv[o->order[i]];
		tl_overrun_add(&r[iv->row], iv->ts, iv->end, o->order[i]);
	}
	for (size_t row = 0; row < o->n_rows; row++)
		*any |= is[row] = tl_overrun_impossible(&r[row]);
	free(r);
	return is;
}

static void clip(struct tl_overlap *o)
{
	bool any = false, *is = impossible_rows(o, &any);
	int64_t *next = tl_calloc(o->n_rows + 1, sizeof *next),
			*later = tl_calloc(o->n_rows + 1, sizeof *later);
	for (size_t row = 0; row < o->n_rows; row++)
		next[row] = later[row] = INT64_MAX;
	for (uint32_t i = o->n_timed; any && i-- > 0;) {
		struct tl_interval *iv = &o->ops.iv[o->order[i]];
		if (!is[iv->row])
			continue;
		if (iv->ts < next[iv->row]) {
			later[iv->row] = next[iv->row];
			next[iv->row] = iv->ts;
		}
		int64_t end = tl_clip_end(iv->ts, iv->end, later[iv->row]);
		o->devices[o->rows[iv->row].device].clipped += end != iv->end;
		iv->end = end;
	}
	free(next);
	free(later);
	free(is);
	if (any) {
		free(o->order);
		order_ops(o);
	}
}

void overlap_order(struct tl_overlap *o)
{
	order_ops(o);
	if (o->opt->clip)
		clip(o);
	split_by_device(o);
	o->row_active = tl_calloc(o->n_rows + 1, sizeof *o->row_active);
}

/* ---- cells and groups ---- */

static uint32_t group_of(struct tl_overlap *o, uint32_t device, uint16_t stage, uint32_t name)
{
	const struct overlap_name *k = &o->names[name];
	uint32_t key[4] = {device, stage, k->canon, k->class};
	uint32_t at = tl_pool_add(o->groups_by, (struct tl_span){(const char *)key, sizeof key});
	if (at == o->n_groups) {
		TL_GROW(o->groups, at, o->groups_cap);
		o->groups[o->n_groups++] = (struct overlap_group){
			.device = device, .stage = stage, .canon = k->canon, .class = k->class, .best = NONE};
	}
	return at;
}

static uint32_t cell_of(struct tl_overlap *o, uint32_t row, uint16_t stage, uint32_t name)
{
	uint32_t key[3] = {row, stage, name};
	uint32_t at = tl_pool_add(o->cells_by, (struct tl_span){(const char *)key, sizeof key});
	if (at == o->n_cells) {
		TL_GROW(o->cells, at, o->cells_cap);
		o->cells[o->n_cells++] = (struct overlap_cell){.row = row,
			.name = name,
			.stage = stage,
			.group = group_of(o, o->rows[row].device, stage, name)};
	}
	return at;
}

static void make_cells(struct tl_overlap *o)
{
	for (uint32_t i = 0; i < o->ops.n; i++) {
		const struct tl_interval *iv = &o->ops.iv[i];
		if (o->ops.flags[i] & OP_TIMED)
			o->ops.cell[i] = cell_of(o, iv->row, iv->stage, o->ops.name[i]);
	}
}

/* ---- the sweep ---- */

static void add(int64_t *sum, int64_t ns)
{
	*sum = tl_ns_add(*sum, ns);
}

static int64_t times(int64_t ns, uint32_t n)
{
	int64_t r;
	return __builtin_mul_overflow(ns, (int64_t)n, &r) ? INT64_MAX : r;
}

struct sweep {
	struct tl_overlap *o;
	struct overlap_device *d;
	uint16_t compute; /* number of the class, UINT16_MAX: no op has it */

	/* Rows that run an op of class compute: time with any, and per row, time with that one only. */
	uint32_t *computing, rows_computing, sole; /* sole: sum of these rows' numbers */
	int64_t any_compute, *only;

	struct overlap_stage_time *stages;
	uint16_t *active_stages;
	size_t n_active;

	/* Who dominates, and which cells have run since that changed. */
	struct tl_beside beside;
	bool one_row;
	int64_t clock;
	uint32_t *listed;
	size_t n_listed, listed_cap;
};

static void pass_time(struct sweep *w, int64_t ns)
{
	add(&w->clock, ns);
	if (w->rows_computing)
		add(&w->any_compute, ns);
	if (w->rows_computing == 1)
		add(&w->only[w->sole], ns);
	for (size_t i = 0; i < w->n_active; i++) {
		struct overlap_stage_time *s = &w->stages[w->active_stages[i]];
		if (s->max_rows < w->d->busy.rows_busy)
			s->max_rows = w->d->busy.rows_busy;
	}
}

static void settle(struct sweep *w, struct overlap_cell *c)
{
	add(&c->weight, times(w->clock - c->since, c->active));
	c->since = w->clock;
}

static void charge(struct tl_overlap *o, uint32_t group, uint32_t canon, int64_t ns)
{
	uint32_t *at = tl_intmap_add(&o->pair_at, (int64_t)((uint64_t)group << 32 | canon));
	if (*at == 0) {
		TL_GROW(o->pairs, o->n_pairs, o->pairs_cap);
		o->pairs[o->n_pairs++] = (struct overlap_pair){group, canon, 0};
		*at = (uint32_t)o->n_pairs;
	}
	add(&o->pairs[*at - 1].ns, ns);
}

struct dominant {
	uint32_t row, canon; /* NONE: nobody */
};

static struct dominant dominant_at(const struct sweep *w, uint32_t place)
{
	if (place == TL_BESIDE_NONE)
		return (struct dominant){NONE, NONE};
	const struct overlap_cell *c = &w->o->cells[w->o->ops.cell[w->beside.order[place]]];
	return (struct dominant){c->row, w->o->names[c->name].canon};
}

/* What ran while `first` dominated (and `second` all but its row) has run beside these. */
static void charge_listed(struct sweep *w, struct dominant first, struct dominant second)
{
	size_t kept = 0;
	for (size_t i = 0; i < w->n_listed; i++) {
		struct overlap_cell *c = &w->o->cells[w->listed[i]];
		uint32_t canon = c->row == first.row ? second.canon : first.canon;
		settle(w, c);
		if (canon != NONE && c->weight)
			charge(w->o, c->group, canon, c->weight);
		c->weight = 0;
		c->listed = c->active > 0;
		if (c->listed)
			w->listed[kept++] = w->listed[i];
	}
	w->n_listed = kept;
}

static void dominate(struct sweep *w, const struct tl_point *p)
{
	uint32_t first = w->beside.first, second = w->beside.second;
	if (tl_beside_point(&w->beside, p)) {
		struct dominant a = dominant_at(w, first), b = dominant_at(w, second);
		struct dominant c = dominant_at(w, w->beside.first), d = dominant_at(w, w->beside.second);
		if (a.row != c.row || a.canon != c.canon || b.canon != d.canon)
			charge_listed(w, a, b);
	}
	uint32_t at = w->o->ops.cell[p->at];
	struct overlap_cell *c = &w->o->cells[at];
	settle(w, c);
	c->active += p->start ? 1 : -1u;
	if (!c->listed) {
		c->listed = true;
		TL_GROW(w->listed, w->n_listed, w->listed_cap);
		w->listed[w->n_listed++] = at;
	}
}

static void change_stage(struct sweep *w, uint16_t at, bool start)
{
	struct overlap_stage_time *s = &w->stages[at];
	int64_t several = w->d->busy.several;
	s->used = true;
	s->active += start ? 1 : -1u;
	if (start && s->active == 1) {
		s->busy_since = w->clock;
		s->several_since = several;
		w->active_stages[w->n_active++] = at;
	} else if (!start && s->active == 0) {
		add(&s->busy, w->clock - s->busy_since);
		add(&s->overlap, several - s->several_since);
		size_t i = 0;
		while (w->active_stages[i] != at)
			i++;
		w->active_stages[i] = w->active_stages[--w->n_active];
	}
}

static void change_compute(struct sweep *w, uint32_t row, bool start)
{
	bool on = start ? w->computing[row]++ == 0 : --w->computing[row] == 0;
	if (on) {
		w->rows_computing += start ? 1 : -1u;
		w->sole += start ? row : -row;
	}
}

/* Running sums: what passed between an op's start and its end is the difference of two look-ups. */
static void measure(struct sweep *w, const struct tl_point *p, const struct tl_interval *iv)
{
	struct overlap_ops *ops = &w->o->ops;
	int64_t hidden = w->d->busy.several;
	int64_t by_compute = w->any_compute - w->only[iv->row];
	ops->hidden[p->at] = p->start ? hidden : hidden - ops->hidden[p->at];
	ops->by_compute[p->at] = p->start ? by_compute : by_compute - ops->by_compute[p->at];
}

static void step(struct sweep *w, const struct tl_point *p)
{
	const struct tl_interval *iv = &w->o->ops.iv[p->at];
	if (p->passed)
		pass_time(w, p->passed);
	if (!w->one_row)
		dominate(w, p);
	tl_busy_point(&w->d->busy, p, iv);
	measure(w, p, iv);
	change_stage(w, iv->stage, p->start);
	if (w->o->names[w->o->cells[w->o->ops.cell[p->at]].name].class == w->compute)
		change_compute(w, iv->row, p->start);
}

static void sweep_device(struct sweep *w, uint32_t device)
{
	struct tl_overlap *o = w->o;
	struct overlap_device *d = w->d = &o->devices[device];
	const uint32_t *order = o->by_device + d->from;
	size_t n = d->to - d->from;
	struct tl_point p;
	struct tl_walk walk = tl_walk_open(o->ops.iv, order, n);
	w->stages = o->stage_times + (size_t)device * tl_pool_count(o->stages);
	w->one_row = d->rows < 2;
	if (!w->one_row)
		tl_beside_open(&w->beside, o->ops.iv, order, n, d->row_base, d->rows);
	tl_busy_open(&d->busy, o->row_active);
	d->first = INT64_MAX;
	d->last = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		const struct tl_interval *iv = &o->ops.iv[order[i]];
		d->first = iv->ts < d->first ? iv->ts : d->first;
		d->last = iv->end > d->last ? iv->end : d->last;
	}
	while (tl_walk_next(&walk, &p))
		step(w, &p);
	tl_walk_close(&walk);
	if (!w->one_row) {
		charge_listed(w, (struct dominant){NONE, NONE}, (struct dominant){NONE, NONE});
		tl_beside_close(&w->beside);
	}
}

static void pool_devices(struct tl_overlap *o)
{
	struct tl_point p;
	if (o->n_devices == 1) {
		o->all = o->devices[0].busy;
		return;
	}
	struct tl_walk walk = tl_walk_open(o->ops.iv, o->order, o->n_timed);
	tl_busy_open_pooled(&o->all, o->row_active, o->lane_device, o->parts);
	while (tl_walk_next(&walk, &p))
		tl_busy_point(&o->all, &p, &o->ops.iv[p.at]);
	tl_walk_close(&walk);
}

static void sum_groups(struct tl_overlap *o)
{
	for (uint32_t i = 0; i < o->ops.n; i++) {
		if (!(o->ops.flags[i] & OP_TIMED))
			continue;
		struct overlap_group *g = &o->groups[o->cells[o->ops.cell[i]].group];
		int64_t dur = overlap_dur(o, i), best = g->best == NONE ? -1 : overlap_dur(o, g->best);
		if (g->count++ == 0 || o->ops.id[i] < g->first_id)
			g->first_id = o->ops.id[i];
		if (dur > best || (dur == best && o->ops.id[i] < o->ops.id[g->best]))
			g->best = i;
		g->shorts += dur < o->opt->short_ns;
		add(&g->gpu, dur);
		add(&g->hidden, o->ops.hidden[i]);
		add(&g->by_compute, o->ops.by_compute[i]);
	}
}

void overlap_sweep(struct tl_overlap *o)
{
	size_t stages = tl_pool_count(o->stages);
	uint32_t compute = tl_pool_find(o->classes, TL_LIT("compute"));
	make_cells(o);
	o->ops.hidden = tl_calloc((size_t)o->ops.n + 1, sizeof *o->ops.hidden);
	o->ops.by_compute = tl_calloc((size_t)o->ops.n + 1, sizeof *o->ops.by_compute);
	o->stage_times = tl_calloc(o->n_devices * stages + 1, sizeof *o->stage_times);
	struct sweep w = {.o = o, .compute = compute < UINT16_MAX ? (uint16_t)compute : UINT16_MAX};
	w.computing = tl_calloc(o->n_rows + 1, sizeof *w.computing);
	w.only = tl_calloc(o->n_rows + 1, sizeof *w.only);
	w.active_stages = tl_calloc(stages + 1, sizeof *w.active_stages);
	for (uint32_t d = 0; d < o->n_devices; d++)
		sweep_device(&w, d);
	free(w.computing);
	free(w.only);
	free(w.active_stages);
	free(w.listed);
	pool_devices(o);
	sum_groups(o);
}
