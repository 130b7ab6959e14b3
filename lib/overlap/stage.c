/* The stage of every op: of its External id, else of the annotation around its launch or start. */
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

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
