/* Names and tracks of a Perfetto trace. */
#include "in_inside.h"
#include "../json/json.h"

struct pf_sequence *pf_in_sequence(struct pf_in *r, uint64_t id)
{
	uint32_t *at = tl_intmap_add(&r->sequence_at, (int64_t)id);
	if (!*at) {
		TL_GROW(r->sequences, r->nsequences, r->sequences_cap);
		r->sequences[r->nsequences++] = (struct pf_sequence){0};
		*at = (uint32_t)r->nsequences;
	}
	return r->sequences + *at - 1;
}

void pf_in_clear(struct pf_sequence *s)
{
	for (int t = 0; t < PF_TABLES; t++)
		tl_intmap_free(&s->table[t]);
}

struct tl_span pf_in_name(
	const struct pf_in *r, const struct pf_sequence *s, enum pf_table t, uint64_t iid)
{
	uint32_t *text = tl_intmap_find(&s->table[t], (int64_t)iid);
	return text ? tl_pool_text(r->texts, *text - 1) : (struct tl_span){0};
}

/* The first name of a number holds until the state is cleared. */
static void intern(struct pf_in *r, struct pf_sequence *s, enum pf_table t, struct tl_span message)
{
	struct tl_span name = {0};
	if (t == PF_T_KERNEL)
		name = pf_wire_get(message, INTERNED_COMPUTE_KERNEL_DEMANGLED_NAME).s;
	if (!name.n)
		name = pf_wire_get(message, INTERNED_NAME_NAME).s;
	uint32_t *text = tl_intmap_add(
		&s->table[t], (int64_t)pf_wire_get(message, INTERNED_NAME_IID).u);
	if (!*text)
		*text = tl_pool_add(r->texts, name) + 1;
}

uint32_t pf_in_counters(struct pf_in *r, struct tl_span descriptor, int64_t gpu)
{
	struct pf_wire it = pf_wire_open(descriptor);
	struct pf_wire_field f;
	TL_GROW(r->descriptors, r->ndescriptors, r->descriptors_cap);
	struct pf_counters *c = r->descriptors + r->ndescriptors++;
	*c = (struct pf_counters){.gpu = gpu};
	while (pf_wire_next(&it, &f))
		if (f.number == GPU_COUNTER_DESCRIPTOR_SPECS)
			*tl_intmap_add(&c->names, (int64_t)pf_wire_get(f.s, GPU_COUNTER_SPEC_COUNTER_ID).u) =
				tl_pool_add(r->texts, pf_wire_get(f.s, GPU_COUNTER_SPEC_NAME).s) + 1;
	return (uint32_t)r->ndescriptors;
}

void pf_in_interned(struct pf_in *r, struct pf_sequence *s, struct tl_span message)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	while (pf_wire_next(&it, &f)) {
		static const struct {
			uint32_t field;
			enum pf_table table;
		} tables[] = {{INTERNED_DATA_EVENT_CATEGORIES, PF_T_CATEGORY},
			{INTERNED_DATA_EVENT_NAMES, PF_T_NAME},
			{INTERNED_DATA_DEBUG_ANNOTATION_NAMES, PF_T_ANNOTATION},
			{INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, PF_T_STRING},
			{INTERNED_DATA_GPU_SPECIFICATIONS, PF_T_SPEC},
			{INTERNED_DATA_COMPUTE_KERNELS, PF_T_KERNEL},
			{INTERNED_DATA_COMPUTE_ARG_NAMES, PF_T_ARG}};
		for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
			if (tables[i].field == f.number)
				intern(r, s, tables[i].table, f.s);
		if (f.number == INTERNED_DATA_GPU_COUNTER_DESCRIPTORS) {
			uint32_t *at = tl_intmap_add(&s->table[PF_T_COUNTERS],
				(int64_t)pf_wire_get(f.s, INTERNED_GPU_COUNTER_DESCRIPTOR_IID).u);
			if (!*at)
				*at = pf_in_counters(r,
					pf_wire_get(f.s, INTERNED_GPU_COUNTER_DESCRIPTOR_COUNTER_DESCRIPTOR).s,
					(int32_t)pf_wire_get(f.s, INTERNED_GPU_COUNTER_DESCRIPTOR_GPU_ID).u);
		}
	}
	if (it.bad)
		pf_in_fault(r, TL_FAULT_BROKEN_EVENT, "interned data");
}

/* ---- tracks */

static struct pf_in_track *track_of(struct pf_in *r, uint64_t uuid)
{
	uint32_t *at = tl_intmap_add(&r->track_at, (int64_t)uuid);
	if (!*at) {
		TL_GROW(r->tracks, r->ntracks, r->tracks_cap);
		r->tracks[r->ntracks++] = (struct pf_in_track){.uuid = uuid, .name = PF_NONE};
		*at = (uint32_t)r->ntracks;
	}
	return r->tracks + *at - 1;
}

static uint32_t number_text(struct pf_in *r, int64_t v)
{
	r->tmp.n = 0;
	tl_buf_i64(&r->tmp, v);
	return tl_pool_add(r->texts, tl_buf_all(&r->tmp));
}

void pf_in_put_place(struct pf_in *r, uint32_t pid, uint32_t tid)
{
	tl_put_json(&r->f.line, "pid", tl_pool_text(r->texts, pid));
	tl_put_json(&r->f.line, "tid", tid == PF_NONE ? TL_LIT("0") : tl_pool_text(r->texts, tid));
}

static void write_name(struct pf_in *r, const char *what, const char *key,
	const struct pf_in_track *t, struct tl_span name)
{
	if (!name.n)
		return;
	struct tl_write *w = tl_frame_open(&r->f, r->ids++, 'M');
	tl_put_text(w, "name", tl_str(what));
	pf_in_put_place(r, t->pid, t->tid);
	tl_frame_ts(&r->f, 0);
	tl_object(w, "args");
	tl_put_text(w, key, name);
	tl_object_end(w);
	tl_frame_close(&r->f);
}

/* A process whose label is "GPU N" stands for a device: its pid is no other's. */
static void see_process(struct pf_in *r, int64_t pid, struct tl_span label)
{
	r->tmp.n = 0;
	tl_buf_printf(&r->tmp, "GPU %lld", (long long)pid);
	*tl_intmap_add(&r->pids, pid) |= tl_span_eq(label, tl_buf_all(&r->tmp)) ? PF_PID_GPU
																			: PF_PID_OTHER;
}

static void describe_process(struct pf_in *r, struct pf_in_track *t, struct tl_span process)
{
	int64_t pid = (int32_t)pf_wire_get(process, PROCESS_DESCRIPTOR_PID).u;
	t->kind = PF_IN_PROCESS;
	t->pid = number_text(r, pid);
	t->tid = PF_NONE;
	t->placed = true;
	see_process(r, pid, pf_wire_get(process, PROCESS_DESCRIPTOR_PROCESS_LABELS).s);
	write_name(
		r, "process_name", "name", t, pf_wire_get(process, PROCESS_DESCRIPTOR_PROCESS_NAME).s);
	write_name(r, "process_labels", "labels", t,
		pf_wire_get(process, PROCESS_DESCRIPTOR_PROCESS_LABELS).s);
}

static void describe_thread(struct pf_in *r, struct pf_in_track *t, struct tl_span thread)
{
	int64_t pid = (int32_t)pf_wire_get(thread, THREAD_DESCRIPTOR_PID).u;
	t->kind = PF_IN_THREAD;
	t->pid = number_text(r, pid);
	t->tid = number_text(r, (int64_t)pf_wire_get(thread, THREAD_DESCRIPTOR_TID).u);
	t->placed = true;
	t->name = tl_pool_add(r->texts, pf_wire_get(thread, THREAD_DESCRIPTOR_THREAD_NAME).s);
	write_name(r, "thread_name", "name", t, pf_wire_get(thread, THREAD_DESCRIPTOR_THREAD_NAME).s);
}

void pf_in_descriptor(struct pf_in *r, struct tl_span message)
{
	struct tl_span name = pf_wire_get(message, TRACK_DESCRIPTOR_NAME).s,
				   process = pf_wire_get(message, TRACK_DESCRIPTOR_PROCESS).s;
	struct tl_span thread = pf_wire_get(message, TRACK_DESCRIPTOR_THREAD).s;
	struct pf_in_track *t = track_of(r, pf_wire_get(message, TRACK_DESCRIPTOR_UUID).u);
	if (name.n)
		t->name = tl_pool_add(r->texts, name);
	if (thread.p) {
		describe_thread(r, t, thread);
	} else if (process.p) {
		describe_process(r, t, process);
	} else if (t->kind == PF_IN_UNKNOWN) {
		t->kind = PF_IN_PLAIN;
		t->parent = pf_wire_get(message, TRACK_DESCRIPTOR_PARENT_UUID).u;
	}
}

/* The nearest process or thread above a track; NULL when there is none. */
static const struct pf_in_track *above(const struct pf_in *r, const struct pf_in_track *t)
{
	uint64_t parent = t->parent;
	for (int depth = 0; parent && depth < 16; depth++) {
		uint32_t *at = tl_intmap_find(&r->track_at, (int64_t)parent);
		if (!at)
			return NULL;
		t = r->tracks + *at - 1;
		if (t->kind == PF_IN_PROCESS || t->kind == PF_IN_THREAD)
			return t;
		parent = t->parent;
	}
	return NULL;
}

/* A plain track has the pid of what it belongs to. One with the name of its thread is a lane for
 * what overlaps there, and is that thread; else its tid is a text: its name and number. */
static void place(struct pf_in *r, struct pf_in_track *t)
{
	const struct pf_in_track *up = above(r, t);
	struct tl_buf full = {0};
	t->placed = true;
	t->pid = up ? up->pid : tl_pool_add(r->texts, TL_LIT("0"));
	if (up && up->kind == PF_IN_THREAD && (t->name == PF_NONE || t->name == up->name)) {
		t->tid = up->tid;
		return;
	}
	tl_buf_span(&full, t->name == PF_NONE ? TL_LIT("track") : tl_pool_text(r->texts, t->name));
	tl_buf_printf(&full, " #%llu", (unsigned long long)t->uuid);
	r->tmp.n = 0;
	tl_json_quote(&r->tmp, tl_buf_all(&full));
	t->tid = tl_pool_add(r->texts, tl_buf_all(&r->tmp));
	tl_buf_free(&full);
}

struct pf_in_track *pf_in_track(struct pf_in *r, uint64_t uuid)
{
	struct pf_in_track *t = track_of(r, uuid);
	if (!t->placed)
		place(r, t);
	return t;
}
