#include "track.h"
#include "../json/json.h"
#include "out_args.h"
#include <stdlib.h>

#define NUMBERS_FROM (INT64_C(1) << 30)

void pf_tracks_init(struct pf_tracks *t, bool compat)
{
	*t = (struct pf_tracks){.compat = compat, .next_number = compat ? 1 : NUMBERS_FROM};
	t->keys = tl_pool_new();
	t->pids = tl_pool_new();
	t->names = tl_pool_new();
}

void pf_tracks_free(struct pf_tracks *t)
{
	for (uint32_t i = 0; i < tl_pool_count(t->names); i++)
		tl_buf_free(&t->name_of[i]);
	tl_pool_free(t->keys);
	tl_pool_free(t->pids);
	tl_pool_free(t->names);
	tl_buf_free(&t->text);
	tl_buf_free(&t->key);
	tl_buf_free(&t->group);
	free(t->name_of);
	free(t->of);
	free(t->v);
}

void pf_tracks_begin(struct pf_tracks *t, struct tl_span group)
{
	for (uint32_t i = 0; i < tl_pool_count(t->names); i++)
		tl_buf_free(&t->name_of[i]);
	tl_pool_clear(t->names);
	tl_pool_clear(t->keys);
	t->group.n = 0;
	tl_buf_span(&t->group, group);
}

/* ---- names that the trace gives ---- */

static struct tl_span make_key(
	struct pf_tracks *t, char kind, struct tl_span a, struct tl_span b, struct tl_span c)
{
	t->key.n = 0;
	tl_buf_ch(&t->key, kind);
	tl_buf_span(&t->key, a);
	tl_buf_ch(&t->key, '\n');
	tl_buf_span(&t->key, b);
	tl_buf_ch(&t->key, '\n');
	tl_buf_span(&t->key, c);
	return tl_buf_all(&t->key);
}

static const struct tl_span nothing = {0};

void pf_tracks_name(struct pf_tracks *t, struct tl_span what, struct tl_span pid,
	struct tl_span tid, struct tl_span name)
{
	bool thread = tl_span_eq(what, TL_LIT("thread_name"));
	bool labels = tl_span_eq(what, TL_LIT("process_labels"));
	uint32_t known = tl_pool_count(t->names), at;

	if (!thread && !labels && !tl_span_eq(what, TL_LIT("process_name")))
		return;
	at = tl_pool_add(t->names, make_key(t,
								   thread   ? 'T'
								   : labels ? 'L'
											: 'P',
								   pid, thread ? tid : nothing, nothing));
	if (at == known) {
		TL_GROW(t->name_of, at, t->cap_names);
		t->name_of[at] = (struct tl_buf){0};
	}
	while (!t->compat && name.n && name.p[name.n - 1] == ' ') /* Kineto's "stream 7 " */
		name.n--;
	t->name_of[at].n = 0;
	tl_buf_span(&t->name_of[at], name);
}

static struct tl_span given_name(
	struct pf_tracks *t, char kind, struct tl_span pid, struct tl_span tid)
{
	uint32_t at = tl_pool_find(t->names, make_key(t, kind, pid, tid, nothing));

	return at == TL_POOL_NONE ? nothing : tl_buf_all(&t->name_of[at]);
}

struct tl_span pf_thread_name(struct pf_tracks *t, struct tl_span pid, struct tl_span tid)
{
	return given_name(t, 'T', pid, tid);
}

/* ---- numbers ---- */

static bool number_taken(struct pf_tracks *t, int64_t v)
{
	return tl_pool_find(t->pids, (struct tl_span){(const char *)&v, sizeof v}) != TL_POOL_NONE;
}

static int64_t reference_number(struct pf_tracks *t, struct tl_span id)
{
	int64_t v;

	if (!tl_json_is_string(id) && tl_json_i64(id, &v))
		return v & INT32_MAX;
	return t->next_number++;
}

static int64_t process_number(struct pf_tracks *t, struct tl_span pid)
{
	int64_t v;

	if (t->compat)
		return reference_number(t, pid);
	if (tl_json_is_string(pid) || !tl_json_i64(pid, &v) || v < 0 || v > INT32_MAX ||
		number_taken(t, v))
		do
			v = t->next_number++;
		while (number_taken(t, v));
	tl_pool_add(t->pids, (struct tl_span){(const char *)&v, sizeof v});
	return v;
}

static int64_t thread_number(struct pf_tracks *t, struct tl_span tid)
{
	int64_t v;

	if (t->compat)
		return reference_number(t, tid);
	return !tl_json_is_string(tid) && tl_json_i64(tid, &v) ? v : t->next_number++;
}

/* ---- tracks ---- */

static struct pf_track *add(struct pf_tracks *t, enum pf_track_kind kind, uint64_t parent)
{
	TL_GROW(t->v, t->n, t->cap);
	t->v[t->n] = (struct pf_track){.kind = kind, .parent = parent};
	return &t->v[t->n++];
}

static void set_name(struct pf_tracks *t, struct pf_track *k, struct tl_span group,
	struct tl_span given, struct tl_span fallback, struct tl_span id)
{
	k->name = t->text.n;
	if (group.n) {
		tl_buf_span(&t->text, group);
		tl_buf_ch(&t->text, ' ');
	}
	if (given.n || fallback.n)
		tl_buf_span(&t->text, given.n ? given : fallback);
	else if (tl_json_is_string(id))
		tl_json_text(id, &t->text);
	else
		tl_buf_span(&t->text, id);
	k->name_n = t->text.n - k->name;
}

/* The track of the key, and whether it is new: then `of` is to be filled in. */
static bool known(struct pf_tracks *t, struct tl_span key, uint32_t *at)
{
	uint32_t n = tl_pool_count(t->keys);

	*at = tl_pool_add(t->keys, key);
	if (*at < n)
		return true;
	TL_GROW(t->of, *at, t->cap_of);
	return false;
}

uint64_t pf_process(struct pf_tracks *t, struct tl_span pid, struct tl_span process)
{
	uint32_t at;

	if (known(t, make_key(t, 'P', pid, nothing, nothing), &at))
		return t->of[at] + UINT64_C(1);
	struct pf_track *k = add(t, PF_TRACK_PROCESS, 0);
	t->of[at] = t->n - 1;
	k->pid = process_number(t, pid);
	set_name(t, k, tl_buf_all(&t->group), given_name(t, 'P', pid, nothing), process, pid);
	struct tl_span labels = t->compat ? nothing : given_name(t, 'L', pid, nothing);
	k->labels = t->text.n;
	k->labels_n = labels.n;
	tl_buf_span(&t->text, labels);
	return t->n;
}

uint64_t pf_thread(struct pf_tracks *t, struct tl_span pid, struct tl_span tid,
	struct tl_span process, struct tl_span thread)
{
	uint64_t parent = pf_process(t, pid, process);
	uint32_t at;

	if (known(t, make_key(t, 'T', pid, tid, nothing), &at))
		return t->of[at] + UINT64_C(1);
	struct pf_track *k = add(t, PF_TRACK_THREAD, parent);
	t->of[at] = t->n - 1;
	k->pid = t->v[parent - 1].pid;
	k->tid = thread_number(t, tid);
	set_name(t, k, nothing, given_name(t, 'T', pid, tid), thread, tid);
	return t->n;
}

uint64_t pf_find_thread(struct pf_tracks *t, struct tl_span pid, struct tl_span tid)
{
	uint32_t at = tl_pool_find(t->keys, make_key(t, 'T', pid, tid, nothing));

	return at == TL_POOL_NONE ? 0 : t->of[at] + UINT64_C(1);
}

uint64_t pf_plain_track(struct pf_tracks *t, enum pf_track_kind kind, struct tl_span pid,
	struct tl_span key, struct tl_span name)
{
	uint64_t parent = pf_process(t, pid, nothing);
	uint32_t at;

	if (known(t, make_key(t, kind == PF_TRACK_ASYNC ? 'A' : 'C', pid, key, nothing), &at))
		return t->of[at] + UINT64_C(1);
	struct pf_track *k = add(t, kind, parent);
	t->of[at] = t->n - 1;
	set_name(t, k, nothing, name, TL_LIT("-"), nothing);
	return t->n;
}

uint64_t pf_lane(struct pf_tracks *t, uint64_t beside)
{
	struct pf_track of = t->v[beside - 1];
	struct pf_track *k = add(t, PF_TRACK_LANE, of.kind == PF_TRACK_THREAD ? beside : of.parent);

	k->name = of.name;
	k->name_n = of.name_n;
	return t->n;
}

const struct pf_track *pf_track_at(const struct pf_tracks *t, uint64_t uuid)
{
	return &t->v[uuid - 1];
}

/* ---- descriptors ---- */

static void write_descriptor(struct pf_tracks *t, struct pf_writer *pf, uint32_t i)
{
	const struct pf_track *k = &t->v[i];
	TracePacket p = TRACE_PACKET__INIT;
	TrackDescriptor d = TRACK_DESCRIPTOR__INIT;
	ProcessDescriptor process = PROCESS_DESCRIPTOR__INIT;
	ThreadDescriptor thread = THREAD_DESCRIPTOR__INIT;
	CounterDescriptor counter = COUNTER_DESCRIPTOR__INIT;
	char *name = pf_string(pf, (struct tl_span){t->text.p + k->name, k->name_n});
	char *labels = pf_string(pf, (struct tl_span){t->text.p + k->labels, k->labels_n});

	p.track_descriptor = &d;
	d.uuid = i + UINT64_C(1);
	d.has_uuid = true;
	d.parent_uuid = k->parent;
	d.has_parent_uuid = k->parent != 0;
	if (k->kind == PF_TRACK_PROCESS) {
		d.process = &process;
		process.pid = (int32_t)k->pid;
		process.has_pid = true;
		process.process_name = name;
		process.n_process_labels = k->labels_n > 0;
		process.process_labels = &labels;
	} else if (k->kind == PF_TRACK_THREAD) {
		d.thread = &thread;
		thread.pid = (int32_t)k->pid;
		thread.tid = k->tid;
		thread.has_pid = thread.has_tid = true;
		thread.thread_name = name;
	} else {
		d.name = name;
		d.counter = k->kind == PF_TRACK_COUNTER ? &counter : NULL;
		d.sibling_merge_behavior =
			TRACK_DESCRIPTOR__SIBLING_MERGE_BEHAVIOR__SIBLING_MERGE_BEHAVIOR_NONE; /* lanes of one
																					  name are not
																					  one track */
		d.has_sibling_merge_behavior = k->kind != PF_TRACK_COUNTER;
	}
	pf_put_plain(pf, &p);
}

void pf_tracks_write(struct pf_tracks *t, struct pf_writer *pf)
{
	for (; t->written < t->n; t->written++)
		write_descriptor(t, pf, t->written);
}
