/* Which annotation an op belongs to, and the stage that it names. */
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

/* ---- windows that hold an op's launch or start ---- */

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

/* ---- stages ---- */

static void name_stages(struct tl_overlap *o)
{
	tl_pool_add(o->stages, TL_LIT("all"));
	for (size_t i = 0; i < o->n_notes; i++) {
		o->buf.n = 0;
		if (o->notes[i].op)
			continue;
		tl_buf_lit(&o->buf, "{\"name\":");
		tl_json_quote(&o->buf, tl_pool_text(o->texts, o->notes[i].name));
		tl_buf_printf(&o->buf, ",\"rules\":\"%s\"}", tl_rules_set(o->rules));
		struct tl_span a = tl_rules_ask(o->rules, ASK_STAGE, tl_buf_all(&o->buf));
		if (a.n)
			o->notes[i].stage = overlap_add(o->stages, &o->text, a, TL_LIT("all"));
	}
}

/* Of the annotations of an external id that name a stage the host's counts, then the longer one;
 * none does where ids of several processes collide. */
static bool is_better(const struct overlap_note *a, const struct overlap_note *b)
{
	return a->gpu != b->gpu ? b->gpu : a->end - a->ts > b->end - b->ts;
}

#define COLLIDES (NONE - 1)

static void index_externals(const struct tl_overlap *o, struct tl_intmap *at)
{
	for (size_t i = 0; i < o->n_notes; i++) {
		const struct overlap_note *n = &o->notes[i];
		if (!n->stage || !n->ext)
			continue;
		uint32_t *slot = tl_intmap_add(at, (int64_t)n->ext);
		const struct overlap_note *best = *slot && *slot != COLLIDES ? &o->notes[*slot - 1] : NULL;
		if (best && !best->gpu && !n->gpu && best->pid != n->pid)
			*slot = COLLIDES;
		else if (*slot == 0 || (best && is_better(n, best)))
			*slot = (uint32_t)i + 1;
	}
}

static void by_external(struct tl_overlap *o, uint32_t *stage)
{
	struct tl_intmap at = {0};
	index_externals(o, &at);
	for (uint32_t i = 0; i < o->ops.n && at.n; i++) {
		const struct tl_table *t = o->t;
		uint32_t l = o->ops.launch[i], row = o->ops.row[i];
		uint64_t ext = tl_external_id(t, row, l);
		uint32_t *slot = ext ? tl_intmap_find(&at, (int64_t)ext) : NULL;
		if (!slot || *slot == COLLIDES)
			continue;
		const struct overlap_note *n = &o->notes[*slot - 1];
		if (l == NONE || n->gpu || n->pid == tl_table_process(t, l))
			stage[i] = n->stage;
	}
	tl_intmap_free(&at);
}

void overlap_stages(struct tl_overlap *o)
{
	name_stages(o);
	if (tl_pool_count(o->stages) > 1) {
		uint32_t *stage = tl_no_rows(o->ops.n);
		if (o->set.by_start) {
			overlap_stages_by_start(o, stage);
		} else {
			by_external(o, stage);
			overlap_look(o, BY_THREAD, overlap_stage_of, stage);
			overlap_look(o, BY_STREAM, overlap_stage_of, stage);
			overlap_look(o, BY_DEVICE, overlap_stage_of, stage);
		}
		for (uint32_t i = 0; i < o->ops.n; i++)
			o->ops.iv[i].stage = stage[i] == NONE ? 0 : (uint16_t)stage[i];
		free(stage);
	}
}
