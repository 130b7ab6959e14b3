/* Slices, instants, counters and flows of a Perfetto trace. */
#include "in_inside.h"
#include "../json/json.h"

#define DEPTH 64 /* of nested args; what lies deeper is left out */

/* ---- args */

static void put_annotation(struct pf_in *r, const struct pf_sequence *s, struct tl_span message,
	struct tl_buf *out, unsigned depth);

static struct tl_span annotation_name(
	const struct pf_in *r, const struct pf_sequence *s, struct tl_span message)
{
	struct pf_wire_field iid = pf_wire_get(message, DEBUG_ANNOTATION_NAME_IID);
	return iid.number ? pf_in_name(r, s, PF_T_ANNOTATION, iid.u)
					  : pf_wire_get(message, DEBUG_ANNOTATION_NAME).s;
}

/* Entries of a dictionary or an array, from the first one on. */
static void put_entries(struct pf_in *r, const struct pf_sequence *s, struct tl_span message,
	struct tl_buf *out, uint32_t field, unsigned depth)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	bool dict = field == DEBUG_ANNOTATION_DICT_ENTRIES;
	char before = dict ? '{' : '[';
	while (pf_wire_next(&it, &f)) {
		if (f.number != field)
			continue;
		tl_buf_ch(out, before);
		before = ',';
		if (dict) {
			tl_json_quote(out, annotation_name(r, s, f.s));
			tl_buf_ch(out, ':');
		}
		put_annotation(r, s, f.s, out, depth + 1);
	}
	tl_buf_span(out, dict ? TL_LIT("}") : TL_LIT("]"));
}

/* The value of an annotation as JSON. One without a value is how an empty array is written. */
static void put_annotation(struct pf_in *r, const struct pf_sequence *s, struct tl_span message,
	struct tl_buf *out, unsigned depth)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	while (depth < DEPTH && pf_wire_next(&it, &f))
		switch (f.number) {
		case DEBUG_ANNOTATION_BOOL_VALUE:
			tl_buf_span(out, f.u ? TL_LIT("true") : TL_LIT("false"));
			return;
		case DEBUG_ANNOTATION_UINT_VALUE:
		case DEBUG_ANNOTATION_POINTER_VALUE:
			tl_buf_u64(out, f.u);
			return;
		case DEBUG_ANNOTATION_INT_VALUE:
			tl_buf_i64(out, (int64_t)f.u);
			return;
		case DEBUG_ANNOTATION_DOUBLE_VALUE:
			tl_buf_exact(out, pf_wire_double(&f));
			return;
		case DEBUG_ANNOTATION_STRING_VALUE:
			tl_json_quote(out, f.s);
			return;
		case DEBUG_ANNOTATION_LEGACY_JSON_VALUE:
			if (tl_json_valid(f.s))
				tl_buf_span(out, f.s);
			else
				tl_json_quote(out, f.s);
			return;
		case DEBUG_ANNOTATION_DICT_ENTRIES:
		case DEBUG_ANNOTATION_ARRAY_VALUES:
			put_entries(r, s, message, out, f.number, depth);
			return;
		case DEBUG_ANNOTATION_STRING_VALUE_IID:
			tl_json_quote(out, pf_in_name(r, s, PF_T_STRING, f.u));
			return;
		}
	tl_buf_span(out, depth < DEPTH ? TL_LIT("[]") : TL_LIT("null"));
}

static void read_annotation(struct pf_in *r, const struct pf_sequence *s, struct tl_span message)
{
	struct tl_buf key = {0}, value = {0};
	tl_json_quote(&key, annotation_name(r, s, message));
	put_annotation(r, s, message, &value, 0);
	tl_args_set(&r->args, tl_json_inner(tl_buf_all(&key)), tl_buf_all(&value));
	tl_buf_free(&key);
	tl_buf_free(&value);
}

/* ---- flows */

void pf_in_close_flow(struct pf_in *r, struct tl_span id, bool from)
{
	struct tl_write *w = &r->f.line;
	tl_put_json(w, "flow", id);
	tl_object(w, "chrome");
	tl_put_json(w, "id", id);
	if (r->f.ph != 's')
		tl_put_text(w, "bp", TL_LIT("e"));
	tl_object_end(w);
	if (from)
		tl_put_text(w, "from", TL_LIT("flow"));
	tl_frame_close(&r->f);
}

static void write_point(struct pf_in *r, const struct pf_in_point *p, char ph)
{
	struct tl_write *w = tl_frame_open(&r->f, r->ids++, ph);
	tl_frame_cat(&r->f, TL_LIT("flow"));
	tl_put_text(w, "name", TL_LIT("flow"));
	pf_in_put_place(r, p->pid, p->tid);
	tl_frame_ts(&r->f, p->ts);
	r->tmp.n = 0;
	tl_buf_u64(&r->tmp, p->id);
	pf_in_close_flow(r, tl_buf_all(&r->tmp), false);
}

/* A flow goes from slice to slice in order of time. Whether a point is the last one is known when
 * the next one comes, or at the end. */
static void see_flow(
	struct pf_in *r, uint64_t id, const struct pf_in_track *t, int64_t ts, bool last)
{
	uint32_t *at = tl_intmap_add(&r->flow_at, (int64_t)id);
	if (!*at) {
		TL_GROW(r->flows, r->nflows, r->flows_cap);
		r->flows[r->nflows++] = (struct pf_in_point){0};
		*at = (uint32_t)r->nflows;
	}
	struct pf_in_point *p = r->flows + *at - 1;
	if (last && p->n == 0)
		return;
	if (p->n)
		write_point(r, p, p->n == 1 ? 's' : 't');
	*p = (struct pf_in_point){id, ts, t->pid, t->tid, p->n + 1};
	if (last) {
		write_point(r, p, 'f');
		p->n = 0;
	}
}

/* ---- slices */

/* An arrow from a host slice to what it launched, as Kineto draws it. */
static void write_launch(
	struct pf_in *r, const struct pf_in_track *t, int64_t ts, int64_t correlation)
{
	struct tl_write *w = tl_frame_open(&r->f, r->ids++, 's');
	tl_frame_cat(&r->f, TL_LIT("ac2g"));
	tl_put_text(w, "name", TL_LIT("ac2g"));
	pf_in_put_place(r, t->pid, t->tid);
	tl_frame_ts(&r->f, ts);
	r->tmp.n = 0;
	tl_buf_i64(&r->tmp, correlation);
	pf_in_close_flow(r, tl_buf_all(&r->tmp), true);
}

struct track_event {
	uint64_t type, uuid;
	struct tl_span name;
	struct tl_buf cat;
	struct tl_span links; /* GpuCorrelation */
	double value;
};

/* The number that joins a launch to its stages: its correlation, else the first one's event id. */
static void see_launch(struct pf_in *r, const struct track_event *e, int64_t *correlation)
{
	struct pf_wire it = pf_wire_open(e->links);
	struct pf_wire_field f;
	bool any = tl_json_i64(tl_args_get(&r->args, TL_LIT("correlation")), correlation);
	while (pf_wire_next(&it, &f)) {
		if (f.number != GPU_CORRELATION_RENDER_STAGE_SUBMISSION_EVENT_IDS)
			continue;
		if (!any) {
			*correlation = (int64_t)f.u;
			tl_args_int(&r->args, "correlation", *correlation);
		}
		any = true;
		uint32_t *at = tl_intmap_add(&r->launched, (int64_t)f.u);
		if (!*at) {
			TL_GROW(r->launches, r->nlaunches, r->launches_cap);
			*at = (uint32_t)++r->nlaunches;
		}
		r->launches[*at - 1] = *correlation;
	}
}

/* The record of a slice or an instant up to its ts, and what follows its dur. */
static void put_head(
	struct pf_in *r, const struct pf_in_track *t, const struct track_event *e, char ph, int64_t ts)
{
	struct tl_write *w = tl_frame_open(&r->f, r->ids++, ph);
	tl_frame_cat(&r->f, tl_buf_all(&e->cat));
	tl_put_string(w, "name", e->name);
	pf_in_put_place(r, t->pid, t->tid);
	tl_frame_ts(&r->f, ts);
}

static void put_tail(struct pf_in *r)
{
	tl_args_hoist(&r->args, &r->f.line);
	if (r->args.n)
		tl_args_put(&r->args, &r->f.line, "args");
}

static struct pf_open *new_slice(struct pf_in *r, struct pf_in_track *t)
{
	uint32_t i = r->free_slice;
	if (i) {
		r->free_slice = r->slices[i - 1].up;
	} else {
		TL_GROW(r->slices, r->nslices, r->slices_cap);
		r->slices[r->nslices++] = (struct pf_open){0};
		i = (uint32_t)r->nslices;
	}
	r->slices[i - 1].up = t->open;
	t->open = i;
	return r->slices + i - 1;
}

static void begin_slice(
	struct pf_in *r, struct pf_in_track *t, const struct track_event *e, int64_t ts)
{
	struct pf_open *o = new_slice(r, t);
	put_head(r, t, e, 'X', ts);
	o->mark = r->f.mark;
	o->text.n = 0;
	tl_buf_span(&o->text, tl_buf_all(&r->f.line.b));
	o->head_n = o->text.n;
	tl_members(&r->f.line);
	put_tail(r);
	tl_buf_span(&o->text, tl_record_end(&r->f.line));
}

/* The innermost slice of the track ends; without an end its length is not known. */
static void end_slice(struct pf_in *r, struct pf_in_track *t, int64_t ts, bool known)
{
	uint32_t i = t->open;
	if (!i)
		return;
	struct pf_open *o = r->slices + i - 1;
	struct tl_write *w = &r->f.line;
	tl_members(w);
	tl_buf_add(&w->b, o->text.p, o->head_n);
	r->f.mark = o->mark;
	if (known)
		tl_frame_dur(&r->f, ts > o->mark.ts ? tl_ns_sub(ts, o->mark.ts) : 0);
	tl_buf_add(&w->b, o->text.p + o->head_n, o->text.n - o->head_n);
	tl_frame_close(&r->f);
	t->open = o->up;
	o->up = r->free_slice;
	r->free_slice = i;
}

static void write_instant(
	struct pf_in *r, const struct pf_in_track *t, const struct track_event *e, int64_t ts)
{
	put_head(r, t, e, 'i', ts);
	put_tail(r);
	tl_put_json(&r->f.line, "chrome", TL_LIT("{\"s\":\"t\"}"));
	tl_frame_close(&r->f);
}

static void write_counter(
	struct pf_in *r, const struct pf_in_track *t, const struct track_event *e, int64_t ts)
{
	struct tl_write *w = tl_frame_open(&r->f, r->ids++, 'C');
	tl_put_string(w, "name", t->name == PF_NONE ? e->name : tl_pool_text(r->texts, t->name));
	tl_put_json(w, "pid", tl_pool_text(r->texts, t->pid));
	tl_frame_ts(&r->f, ts);
	tl_object(w, "args");
	tl_put_key(w, "");
	tl_buf_exact(&w->b, e->value);
	tl_object_end(w);
	tl_frame_close(&r->f);
}

/* ---- the event */

static void add_category(struct track_event *e, struct tl_span name)
{
	if (e->cat.n)
		tl_buf_ch(&e->cat, ',');
	tl_buf_span(&e->cat, name);
}

static bool read_event(
	struct pf_in *r, const struct pf_sequence *s, struct tl_span message, struct track_event *e)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	tl_args_clear(&r->args);
	while (pf_wire_next(&it, &f))
		switch (f.number) {
		case TRACK_EVENT_CATEGORY_IIDS:
			add_category(e, pf_in_name(r, s, PF_T_CATEGORY, f.u));
			break;
		case TRACK_EVENT_DEBUG_ANNOTATIONS:
			read_annotation(r, s, f.s);
			break;
		case TRACK_EVENT_TYPE:
			e->type = f.u;
			break;
		case TRACK_EVENT_NAME_IID:
			e->name = pf_in_name(r, s, PF_T_NAME, f.u);
			break;
		case TRACK_EVENT_TRACK_UUID:
			e->uuid = f.u;
			break;
		case TRACK_EVENT_CATEGORIES:
			add_category(e, f.s);
			break;
		case TRACK_EVENT_NAME:
			e->name = f.s;
			break;
		case TRACK_EVENT_COUNTER_VALUE:
			e->value = (double)(int64_t)f.u;
			break;
		case TRACK_EVENT_DOUBLE_COUNTER_VALUE:
			e->value = pf_wire_double(&f);
			break;
		case TRACK_EVENT_GPU_CORRELATION:
			e->links = f.s;
			break;
		}
	return !it.bad;
}

static void see_flows(
	struct pf_in *r, const struct pf_in_track *t, struct tl_span message, int64_t ts)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	while (pf_wire_next(&it, &f))
		switch (f.number) {
		case TRACK_EVENT_FLOW_IDS:
		case TRACK_EVENT_FLOW_IDS_OLD:
			see_flow(r, f.u, t, ts, false);
			break;
		case TRACK_EVENT_TERMINATING_FLOW_IDS:
		case TRACK_EVENT_TERMINATING_FLOW_IDS_OLD:
			see_flow(r, f.u, t, ts, true);
			break;
		}
}

static void take_event(
	struct pf_in *r, const struct track_event *e, struct tl_span message, int64_t ts)
{
	struct pf_in_track *t = pf_in_track(r, e->uuid);
	int64_t correlation = 0;
	bool launches = e->links.n &&
					pf_wire_get(e->links, GPU_CORRELATION_RENDER_STAGE_SUBMISSION_EVENT_IDS).number;
	if (e->type == TRACK_EVENT__TYPE__TYPE_COUNTER) {
		write_counter(r, t, e, ts);
		return;
	}
	if (e->type == TRACK_EVENT__TYPE__TYPE_SLICE_END) {
		end_slice(r, t, ts, true);
		return;
	}
	if (e->type != TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN &&
		e->type != TRACK_EVENT__TYPE__TYPE_INSTANT)
		return;
	if (launches)
		see_launch(r, e, &correlation);
	if (e->type == TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN)
		begin_slice(r, t, e, ts);
	else
		write_instant(r, t, e, ts);
	if (launches)
		write_launch(r, t, ts, correlation);
	see_flows(r, t, message, ts);
}

void pf_in_track_event(struct pf_in *r, struct pf_sequence *s, struct tl_span message, uint64_t ts)
{
	struct track_event e = {0};
	if (read_event(r, s, message, &e))
		take_event(r, &e, message, pf_in_ts(r, ts));
	else
		pf_in_fault(r, TL_FAULT_BROKEN_EVENT, "a track event");
	tl_buf_free(&e.cat);
}

void pf_in_finish(struct pf_in *r)
{
	for (size_t i = 0; i < r->ntracks; i++)
		while (r->tracks[i].open)
			end_slice(r, r->tracks + i, 0, false);
	for (size_t i = 0; i < r->nflows; i++)
		if (r->flows[i].n > 1)
			write_point(r, r->flows + i, 'f');
}
