#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

static uint32_t add_text(struct tl_overlap *o, struct tl_span json_value)
{
	o->text.n = 0;
	if (tl_json_is_string(json_value))
		tl_json_text(json_value, &o->text);
	return tl_pool_add(o->texts, tl_buf_all(&o->text));
}

/* ---- events ---- */

static void more_ops(struct overlap_ops *p)
{
	if (p->n < p->cap)
		return;
	p->cap = p->cap ? p->cap * 2 : 256;
	if (p->cap == 0)
		tl_die(TL_FAILED, "more than 2^32 GPU ops in one trace");
	p->row = tl_realloc(p->row, p->cap, sizeof *p->row);
	p->id = tl_realloc(p->id, p->cap, sizeof *p->id);
	p->name = tl_realloc(p->name, p->cap, sizeof *p->cell);
	p->flags = tl_realloc(p->flags, p->cap, 1);
}

static uint32_t name_of(struct tl_overlap *o, const struct tl_event *e)
{
	o->buf.n = 0;
	tl_buf_ch(&o->buf, (char)('0' + (int)tl_cat_of(e->f[TL_F_CAT])));
	tl_buf_span(&o->buf, e->f[TL_F_NAME]);
	return tl_pool_add(o->raw, tl_buf_all(&o->buf));
}

/* Whether a B has an end, only the end of the trace tells. */
void overlap_read(struct tl_overlap *o, const struct tl_event *e)
{
	struct overlap_ops *p = &o->ops;
	uint32_t row = tl_table_add(o->t, e, TL_LIT(""));
	if (row == TL_NO_ROW || !tl_cat_is_gpu((enum tl_cat)o->t->cat[row]) ||
		(e->ph != 'X' && e->ph != 'B'))
		return;
	more_ops(p);
	p->row[p->n] = row;
	p->id[p->n] = e->id;
	p->name[p->n] = name_of(o, e);
	p->flags[p->n++] = e->f[TL_F_CLASS].n || e->f[TL_F_STAGE].n || e->f[TL_F_HIDDEN_US].n ? OP_OLD
																						  : 0;
}

/* ---- the end of the trace ---- */

static void read_times(struct tl_overlap *o)
{
	const struct tl_table *t = o->t;
	o->ops.iv = tl_calloc((size_t)o->ops.n + 1, sizeof *o->ops.iv);
	for (uint32_t i = 0; i < o->ops.n; i++) {
		uint32_t row = o->ops.row[i];
		if (tl_table_is_gpu_op(t, row) && (t->flags[row] & TL_ROW_TS))
			o->ops.flags[i] |= OP_TIMED;
		o->ops.iv[i] = (struct tl_interval){
			.ts = t->ts[row], .end = t->end[row], .row = tl_table_lane(t, row)};
	}
}

static void read_places(struct tl_overlap *o)
{
	const struct tl_places *p = &o->t->places;
	o->rows = p->lanes;
	o->n_rows = p->n_lanes;
	o->n_devices = p->n_devices;
	o->devices = tl_calloc(o->n_devices + 1, sizeof *o->devices);
	o->lane_device = tl_calloc(o->n_rows + 1, sizeof *o->lane_device);
	o->parts = tl_calloc(o->n_devices + 1, sizeof *o->parts);
	for (size_t i = 0; i < o->n_devices; i++)
		o->devices[i] = (struct overlap_device){
			.row_base = p->devices[i].lane, .rows = p->devices[i].n_lanes};
	for (size_t i = 0; i < o->n_rows; i++)
		o->lane_device[i] = p->lanes[i].device;
}

static void first_of_graph(struct tl_overlap *o, uint32_t op)
{
	if (o->ops.launch[op] == NONE || !overlap_by_graph(o, o->ops.launch[op]) ||
		!(o->ops.flags[op] & OP_TIMED))
		return;
	uint32_t *first = tl_intmap_add(&o->first_of, (int64_t)o->ops.launch[op]);
	const struct tl_interval *a = &o->ops.iv[op], *b = *first ? &o->ops.iv[*first - 1] : NULL;
	if (!b || a->ts < b->ts || (a->ts == b->ts && o->ops.id[op] < o->ops.id[*first - 1]))
		*first = op + 1;
}

static void read_launches(struct tl_overlap *o, const uint32_t *launcher)
{
	o->ops.launch = tl_alloc(((size_t)o->ops.n + 1) * sizeof *o->ops.launch);
	for (uint32_t i = 0; i < o->ops.n; i++)
		o->ops.launch[i] = launcher[o->ops.row[i]];
	for (uint32_t i = 0; i < o->ops.n; i++)
		first_of_graph(o, i);
}

static void read_note(struct tl_overlap *o, uint32_t row)
{
	const struct tl_table *t = o->t;
	struct overlap_note n = {.ts = t->ts[row],
		.end = t->end[row],
		.id = t->id[row],
		.ext = t->key2[row],
		.name = add_text(o, tl_table_name(t, row)),
		.gpu = t->cat[row] == TL_CAT_GPU_ANNOTATION,
		.op = tl_table_is_op(t, row),
		.span = NONE};
	n.row = n.gpu ? tl_table_lane(t, row) : t->thread[row];
	n.pid = n.gpu ? o->rows[n.row].device : tl_table_process(t, row);
	if (n.op && !tl_glob(tl_str(o->opt->by), tl_pool_text(o->texts, n.name)))
		return;
	TL_GROW(o->notes, o->n_notes, o->notes_cap);
	o->notes[o->n_notes++] = n;
}

void overlap_read_end(struct tl_overlap *o)
{
	struct tl_table *t = o->t;
	tl_table_finish(t);
	uint32_t *launcher = tl_link(t);
	tl_table_drop_flows(t);
	tl_table_drop_told(t);
	read_places(o);
	read_times(o);
	read_launches(o, launcher);
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		enum tl_cat c = (enum tl_cat)t->cat[i];
		if ((t->flags[i] & TL_ROW_SPAN) &&
			(c == TL_CAT_ANNOTATION || c == TL_CAT_GPU_ANNOTATION || tl_table_is_op(t, i)))
			read_note(o, i);
	}
	if (o->opt->by_step)
		o->steps = tl_steps_find(t, launcher);
	free(launcher);
}

/* ---- records of tl-sourcemap ---- */

static uint32_t text_or_none(struct tl_overlap *o, struct tl_span line, struct tl_span key)
{
	struct tl_span v = tl_json_get(line, key);
	return tl_json_is_string(v) && v.n > 2 ? add_text(o, v) : NONE;
}

/* What is known of a graph's launch alone says nothing of the kernels that it replays. */
void overlap_read_source(struct tl_overlap *o, struct tl_span line)
{
	struct overlap_source s = {.kernel = text_or_none(o, line, TL_LIT("kernel")),
		.scope = text_or_none(o, line, TL_LIT("scope")),
		.launch_op = text_or_none(o, line, TL_LIT("launch_op")),
		.launches = tl_json_count(line, TL_LIT("launches")),
		.mapped = tl_json_count(line, TL_LIT("mapped"))};
	s.family = s.mapped > 0 || tl_span_eq(tl_json_get(line, TL_LIT("how")), TL_LIT("\"map\""));
	if (s.kernel == NONE)
		return;
	TL_GROW(o->sources, o->n_sources, o->sources_cap);
	o->sources[o->n_sources++] = s;
	*tl_intmap_add(&o->source_at, s.kernel) = (uint32_t)o->n_sources;
}
