/* Which annotation holds an op: its launch, or its start. */
#include "inside.h"
#include <stdlib.h>

static bool is_host(enum overlap_by by)
{
	return by == BY_THREAD || by == BY_PROCESS;
}

static uint32_t rows_of(const struct tl_overlap *o, enum overlap_by by)
{
	switch (by) {
	case BY_THREAD:
		return tl_pool_count(o->t->threads);
	case BY_PROCESS:
		return tl_pool_count(o->t->pids);
	case BY_STREAM:
		return (uint32_t)o->n_rows;
	default:
		return (uint32_t)o->n_devices;
	}
}

static struct tl_probe probe_of(const struct tl_overlap *o, uint32_t op, enum overlap_by by)
{
	struct tl_probe p = {.at = op, .t = o->ops.iv[op].ts};
	if (is_host(by)) {
		uint32_t launch = o->ops.launch[op];
		p.t = o->t->ts[launch];
		p.row = by == BY_THREAD ? o->t->thread[launch] : tl_table_process(o->t, launch);
	} else {
		p.row = o->ops.iv[op].row;
		if (by == BY_DEVICE)
			p.row = o->rows[p.row].device;
	}
	return p;
}

static void look(
	struct tl_overlap *o, const struct overlap_periods *w, enum overlap_by by, uint32_t *value)
{
	struct tl_probe *probes = NULL;
	size_t n = 0, cap = 0;
	if (w->n == 0)
		return;
	for (uint32_t i = 0; i < o->ops.n; i++) {
		if (value[i] != NONE || !(o->ops.flags[i] & OP_TIMED) ||
			(is_host(by) && o->ops.launch[i] == NONE))
			continue;
		TL_GROW(probes, n, cap);
		probes[n++] = probe_of(o, i, by);
	}
	tl_period_find(w->v, w->n, probes, n, rows_of(o, by));
	for (size_t i = 0; i < n; i++)
		if (probes[i].found != TL_PERIOD_NONE)
			value[probes[i].at] = w->v[probes[i].found].value;
	free(probes);
}

struct overlap_periods overlap_gather(
	const struct tl_overlap *o, enum overlap_by by, overlap_value *value)
{
	struct overlap_periods w = {0};
	for (size_t i = 0; i < o->n_notes; i++) {
		const struct overlap_note *n = &o->notes[i];
		if (n->gpu == is_host(by) || value(n) == NONE)
			continue;
		TL_GROW(w.v, w.n, w.cap);
		w.v[w.n++] = (struct tl_period){
			n->ts, n->end, by == BY_THREAD || by == BY_STREAM ? n->row : n->pid, value(n)};
	}
	return w;
}

void overlap_look(struct tl_overlap *o, enum overlap_by by, overlap_value *value, uint32_t *values)
{
	struct overlap_periods w = overlap_gather(o, by, value);
	look(o, &w, by, values);
	free(w.v);
}
