#include "overlap_in.h"
#include "../io/json.h"
#include "../io/time.h"
#include <stdlib.h>

/* What a ph B event is, until its E is found. */
enum half_kind { HALF_OTHER, HALF_OP, HALF_LAUNCH, HALF_NOTE };

/* A number, or digits in quotes; 0 where there is none. Correlations and external ids of 0 are
 * none. */
static uint64_t id_of(struct tl_span v)
{
	uint64_t id;
	return tl_json_u64(tl_json_inner(v), &id) ? id : 0;
}

static uint32_t add_text(struct tl_overlap *o, struct tl_span json_value)
{
	o->text.n = 0;
	if (tl_json_is_string(json_value))
		tl_json_text(json_value, &o->text);
	return tl_pool_add(o->texts, tl_buf_all(&o->text));
}

/* ---- where an event is ---- */

static uint32_t process_of(struct tl_overlap *o, const struct tl_event *e)
{
	return tl_pool_add(o->pids_by, e->f[TL_F_PID]);
}

static uint32_t thread_of(struct tl_overlap *o, const struct tl_event *e)
{
	o->buf.n = 0;
	tl_buf_span(&o->buf, e->f[TL_F_PID]);
	tl_buf_ch(&o->buf, '\n');
	tl_buf_span(&o->buf, e->f[TL_F_TID]);
	return tl_pool_add(o->threads_by, tl_buf_all(&o->buf));
}

static bool is_known(struct tl_span v)
{
	return v.n && !tl_span_eq(v, TL_LIT("null"));
}

/* args.device, else the pid; 0 and "0" are one device. */
static uint32_t device_of(struct tl_overlap *o, const struct tl_event *e)
{
	struct tl_span v = is_known(e->f[TL_F_DEVICE]) ? e->f[TL_F_DEVICE] : e->f[TL_F_PID];
	uint32_t at = tl_pool_add(o->devices_by, tl_json_inner(v));
	if (at == o->n_devices) {
		TL_GROW(o->devices, at, o->devices_cap);
		o->devices[o->n_devices++] = (struct device){.text = tl_pool_add(o->json, v)};
	}
	return at;
}

static uint32_t row_of(struct tl_overlap *o, const struct tl_event *e)
{
	uint32_t device = device_of(o, e), pid = process_of(o, e);
	bool by_tid = !is_known(e->f[TL_F_STREAM]);
	struct tl_span v = by_tid ? e->f[TL_F_TID] : e->f[TL_F_STREAM];
	o->buf.n = 0;
	tl_buf_add(&o->buf, &device, sizeof device);
	tl_buf_ch(&o->buf, by_tid ? 't' : 's');
	tl_buf_span(&o->buf, tl_json_inner(v));
	uint32_t at = tl_pool_add(o->rows_by, tl_buf_all(&o->buf));
	if (at == o->n_rows) {
		TL_GROW(o->rows, at, o->rows_cap);
		o->rows[o->n_rows++] = (struct row){device, tl_pool_add(o->json, v), pid, by_tid};
	}
	if (o->rows[at].pid != pid)
		o->rows[at].pid = NONE;
	return at;
}

/* ---- GPU ops ---- */

static void more_ops(struct ops *p)
{
	if (p->n < p->cap)
		return;
	p->cap = p->cap ? p->cap * 2 : 256;
	if (p->cap == 0)
		tl_die(TL_FAILED, "more than 2^32 GPU ops in one trace");
	p->iv = tl_realloc(p->iv, p->cap, sizeof *p->iv);
	p->id = tl_realloc(p->id, p->cap, sizeof *p->id);
	p->key = tl_realloc(p->key, p->cap, sizeof *p->key);
	p->ext = tl_realloc(p->ext, p->cap, sizeof *p->ext);
	p->cell = tl_realloc(p->cell, p->cap, sizeof *p->cell);
	p->flags = tl_realloc(p->flags, p->cap, 1);
}

static uint32_t name_of(struct tl_overlap *o, const struct tl_event *e)
{
	o->buf.n = 0;
	tl_buf_ch(&o->buf, (char)('0' + (int)tl_cat_of(e->f[TL_F_CAT])));
	tl_buf_span(&o->buf, e->f[TL_F_NAME]);
	return tl_pool_add(o->raw, tl_buf_all(&o->buf));
}

static void read_op(struct tl_overlap *o, const struct tl_event *e)
{
	struct ops *p = &o->ops;
	more_ops(p);
	uint32_t i = p->n++;
	p->iv[i] = (struct tl_interval){.ts = e->ts, .end = e->end, .row = row_of(o, e)};
	p->id[i] = e->id;
	bool launcher = e->f[TL_F_LAUNCHER].n > 0;
	o->tree |= launcher;
	p->key[i] = launcher ? id_of(e->f[TL_F_LAUNCHER]) : id_of(e->f[TL_F_CORRELATION]);
	p->ext[i] = id_of(e->f[TL_F_EXTERNAL_ID]);
	p->cell[i] = name_of(o, e);
	p->flags[i] = (e->has_ts ? OP_TIMED : 0) | (launcher ? OP_LAUNCHER : 0) |
				  (e->f[TL_F_CLASS].n || e->f[TL_F_STAGE].n || e->f[TL_F_HIDDEN_US].n ? OP_OLD : 0);
}

/* ---- host ---- */

static void read_launch(struct tl_overlap *o, const struct tl_event *e)
{
	TL_GROW(o->launches, o->n_launches, o->launches_cap);
	o->launches[o->n_launches++] = (struct launch){.id = e->id,
		.key = id_of(e->f[TL_F_CORRELATION]),
		.ext = id_of(e->f[TL_F_EXTERNAL_ID]),
		.ts = e->ts,
		.end = e->end,
		.thread = thread_of(o, e),
		.pid = process_of(o, e),
		.first = NONE,
		.graph = tl_is_graph_launch(e->f[TL_F_NAME])};
}

static void read_note(struct tl_overlap *o, const struct tl_event *e, bool gpu)
{
	struct note n = {.ts = e->ts,
		.end = e->end,
		.id = e->id,
		.ext = id_of(e->f[TL_F_EXTERNAL_ID]),
		.name = add_text(o, e->f[TL_F_NAME]),
		.gpu = gpu,
		.span = NONE};
	n.row = gpu ? row_of(o, e) : thread_of(o, e);
	n.pid = gpu ? o->rows[n.row].device : process_of(o, e);
	TL_GROW(o->notes, o->n_notes, o->notes_cap);
	o->notes[o->n_notes++] = n;
}

static struct half read_span(struct tl_overlap *o, const struct tl_event *e, enum tl_cat cat)
{
	if (tl_cat_is_gpu(cat)) {
		read_op(o, e);
		return (struct half){HALF_OP, o->ops.n - 1};
	}
	if (!e->has_ts)
		return (struct half){HALF_OTHER, 0};
	if (tl_cat_is_launch(cat)) {
		read_launch(o, e);
		return (struct half){HALF_LAUNCH, (uint32_t)(o->n_launches - 1)};
	}
	if (cat == TL_CAT_ANNOTATION || cat == TL_CAT_GPU_ANNOTATION) {
		read_note(o, e, cat == TL_CAT_GPU_ANNOTATION);
		return (struct half){HALF_NOTE, (uint32_t)(o->n_notes - 1)};
	}
	return (struct half){HALF_OTHER, 0};
}

void overlap_read(struct tl_overlap *o, const struct tl_event *e)
{
	enum tl_cat cat = tl_cat_of(e->f[TL_F_CAT]);
	if (e->f[TL_F_DEPTH].n)
		o->tree = true;
	if (e->ph == 'X' || (e->ph == 'B' && e->has_dur)) {
		if (e->has_dur || tl_cat_is_gpu(cat))
			read_span(o, e, cat);
	} else if (e->ph == 'B' || e->ph == 'E') {
		struct half h = {HALF_OTHER, 0};
		if (e->ph == 'B')
			h = read_span(o, e, cat);
		uint32_t row = tl_table_add(o->halves, e, TL_LIT(""));
		TL_GROW(o->half, row, o->half_cap);
		o->half[row] = h;
	}
}

/* A B without its E has no end: it is no span, hence neither op, launch nor annotation. Where
 * tl-tree was, those that have an E came with a `dur`. */
void overlap_pair_halves(struct tl_overlap *o)
{
	if (!o->tree)
		tl_table_finish(o->halves);
	for (uint32_t i = 0; i < o->halves->n; i++) {
		bool whole = !o->tree && (o->halves->flags[i] & TL_ROW_SPAN);
		int64_t end = o->halves->end[i];
		uint32_t at = o->half[i].at;
		switch (o->half[i].kind) {
		case HALF_OP:
			o->ops.iv[at].end = whole ? end : o->ops.iv[at].ts;
			o->ops.flags[at] &= whole ? ~0 : ~OP_TIMED;
			break;
		case HALF_LAUNCH:
			o->launches[at].end = end;
			o->launches[at].key = whole ? o->launches[at].key : 0;
			break;
		case HALF_NOTE:
			o->notes[at].end = whole ? end : o->notes[at].ts;
			break;
		default:
			break;
		}
	}
}

/* ---- records of tl-sourcemap ---- */

static uint64_t count_of(struct tl_span line, struct tl_span key)
{
	uint64_t n;
	return tl_json_u64(tl_json_get(line, key), &n) ? n : 0;
}

static uint32_t text_or_none(struct tl_overlap *o, struct tl_span line, struct tl_span key)
{
	struct tl_span v = tl_json_get(line, key);
	return tl_json_is_string(v) && v.n > 2 ? add_text(o, v) : NONE;
}

/* What is known of a graph's launch alone says nothing of the kernels that it replays. */
void overlap_read_source(struct tl_overlap *o, struct tl_span line)
{
	struct source s = {.kernel = text_or_none(o, line, TL_LIT("kernel")),
		.scope = text_or_none(o, line, TL_LIT("scope")),
		.launch_op = text_or_none(o, line, TL_LIT("launch_op")),
		.launches = count_of(line, TL_LIT("launches")),
		.mapped = count_of(line, TL_LIT("mapped"))};
	s.family = s.mapped > 0 || tl_span_eq(tl_json_get(line, TL_LIT("how")), TL_LIT("\"map\""));
	if (s.kernel == NONE)
		return;
	TL_GROW(o->sources, o->n_sources, o->sources_cap);
	o->sources[o->n_sources++] = s;
	*tl_intmap_add(&o->source_at, s.kernel) = (uint32_t)o->n_sources;
}

/* ---- order of devices and streams ---- */

/* Numbers first, by value; then texts. */
struct place {
	uint32_t major, at;
	bool number, by_tid;
	int64_t value;
	struct tl_span text;
};

static int by_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->by_tid != b->by_tid)
		return a->by_tid ? 1 : -1;
	if (a->number != b->number)
		return a->number ? -1 : 1;
	if (a->number && a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return tl_span_cmp(a->text, b->text);
}

static struct place place_of(
	const struct tl_overlap *o, uint32_t major, uint32_t at, uint32_t json, bool by_tid)
{
	struct place p = {.major = major, .at = at, .by_tid = by_tid};
	p.text = tl_json_inner(tl_pool_text(o->json, json));
	p.number = tl_json_i64(p.text, &p.value);
	return p;
}

/* New numbers by old ones. */
static uint32_t *number_devices(struct tl_overlap *o)
{
	struct place *p = tl_calloc(o->n_devices + 1, sizeof *p);
	uint32_t *to = tl_calloc(o->n_devices + 1, sizeof *to);
	struct device *sorted = tl_calloc(o->n_devices + 1, sizeof *sorted);
	for (size_t i = 0; i < o->n_devices; i++)
		p[i] = place_of(o, 0, (uint32_t)i, o->devices[i].text, false);
	qsort(p, o->n_devices, sizeof *p, by_place);
	for (size_t i = 0; i < o->n_devices; i++) {
		sorted[i] = o->devices[p[i].at];
		to[p[i].at] = (uint32_t)i;
	}
	free(p);
	free(o->devices);
	o->devices = sorted;
	o->devices_cap = o->n_devices + 1;
	return to;
}

static uint32_t *number_streams(struct tl_overlap *o, const uint32_t *device_to)
{
	struct place *p = tl_calloc(o->n_rows + 1, sizeof *p);
	uint32_t *to = tl_calloc(o->n_rows + 1, sizeof *to);
	struct row *sorted = tl_calloc(o->n_rows + 1, sizeof *sorted);
	for (size_t i = 0; i < o->n_rows; i++) {
		const struct row *r = &o->rows[i];
		p[i] = place_of(o, device_to[r->device], (uint32_t)i, r->stream, r->by_tid);
	}
	qsort(p, o->n_rows, sizeof *p, by_place);
	for (size_t i = 0; i < o->n_rows; i++) {
		sorted[i] = o->rows[p[i].at];
		sorted[i].device = p[i].major;
		to[p[i].at] = (uint32_t)i;
		struct device *d = &o->devices[p[i].major];
		d->row_base = d->rows++ ? d->row_base : (uint32_t)i;
	}
	free(p);
	free(o->rows);
	o->rows = sorted;
	o->rows_cap = o->n_rows + 1;
	return to;
}

void overlap_number_rows(struct tl_overlap *o)
{
	uint32_t *device = number_devices(o), *row = number_streams(o, device);
	for (uint32_t i = 0; i < o->ops.n; i++)
		o->ops.iv[i].row = row[o->ops.iv[i].row];
	for (size_t i = 0; i < o->n_notes; i++) {
		if (!o->notes[i].gpu)
			continue;
		o->notes[i].row = row[o->notes[i].row];
		o->notes[i].pid = device[o->notes[i].pid];
	}
	free(device);
	free(row);
}
