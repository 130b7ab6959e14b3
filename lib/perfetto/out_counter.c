/* Counters of a Perfetto trace. Those of a window belong to GPUs, others to processes. */
#include "out_inside.h"
#include <math.h>
#include <stdlib.h>

/* Counters by name, in the order of their first sample; GPUs that have any. */
struct counters {
	struct tl_pool *names;
	uint32_t cycles; /* the counter that counts cycles; TL_POOL_NONE when there is none */
	int32_t *gpus;
	size_t n_gpus, cap_gpus;
	struct tl_intmap places; /* of the GPUs, from 1 */
};

static struct tl_span device_of(const struct tl_event *e)
{
	return tl_json_inner(tl_json_get(e->f[TL_F_WINDOW], TL_LIT("device")));
}

static void see(struct tl_perfetto *t, struct counters *c, const struct tl_event *e)
{
	int32_t gpu = pf_gpu_of(t, device_of(e));
	uint32_t name = tl_pool_add(c->names, pf_text(t, e->f[TL_F_NAME]));

	if (tl_span_eq(pf_inner(e, TL_F_FROM), TL_LIT("cycles")))
		c->cycles = name;
	uint32_t *place = tl_intmap_add(&c->places, gpu);
	if (*place)
		return;
	TL_GROW(c->gpus, c->n_gpus, c->cap_gpus);
	c->gpus[c->n_gpus++] = gpu;
	*place = (uint32_t)c->n_gpus;
}

/* Where the ids of a GPU's counters begin. They are its own, since readers tell the counters of a
 * packet sequence apart by id alone; those of the reference are the same on all GPUs. */
static uint32_t first_id(const struct tl_perfetto *t, const struct counters *c, size_t place)
{
	return t->compat ? 0 : t->next_counter + (uint32_t)place * tl_pool_count(c->names);
}

static GpuCounterDescriptor *descriptor(
	struct tl_perfetto *t, const struct counters *c, size_t place)
{
	GpuCounterDescriptor *d = pf_alloc(&t->pf, sizeof *d);
	uint32_t n = tl_pool_count(c->names), first = first_id(t, c, place);

	gpu_counter_descriptor__init(d);
	d->specs = pf_alloc(&t->pf, n * sizeof *d->specs);
	for (d->n_specs = 0; d->n_specs < n; d->n_specs++) {
		GpuCounterDescriptor__GpuCounterSpec *s = pf_alloc(&t->pf, sizeof *s);
		gpu_counter_descriptor__gpu_counter_spec__init(s);
		s->counter_id = first + (uint32_t)d->n_specs;
		s->has_counter_id = true;
		s->name = pf_string(&t->pf, tl_pool_text(c->names, (uint32_t)d->n_specs));
		s->value_direction =
			GPU_COUNTER_DESCRIPTOR__GPU_COUNTER_SPEC__VALUE_DIRECTION__FORWARDS_LOOKING;
		s->has_value_direction = !t->compat;
		d->specs[d->n_specs] = s;
	}
	if (c->cycles != TL_POOL_NONE) {
		GpuCounterDescriptor__GpuCounterGroup *g = pf_alloc(&t->pf, sizeof *g);
		gpu_counter_descriptor__gpu_counter_group__init(g);
		g->group_id = GPU_COUNTER_DESCRIPTOR__GPU_COUNTER_GROUP_KIND__COMPUTE;
		g->has_group_id = true;
		g->counter_ids = pf_alloc(&t->pf, sizeof *g->counter_ids);
		g->counter_ids[0] = first + c->cycles;
		g->n_counter_ids = 1;
		d->counter_groups = pf_alloc(&t->pf, sizeof *d->counter_groups);
		d->counter_groups[0] = g;
		d->n_counter_groups = 1;
	}
	return d;
}

static void write_gpu_sample(
	struct tl_perfetto *t, const struct counters *c, const struct pf_sample *s)
{
	struct tl_event e = pf_event(t, s->line);
	int32_t gpu = pf_gpu_of(t, device_of(&e));
	TracePacket p = TRACE_PACKET__INIT;
	GpuCounterEvent g = GPU_COUNTER_EVENT__INIT;
	GpuCounterEvent__GpuCounter value = GPU_COUNTER_EVENT__GPU_COUNTER__INIT, *values = &value;
	double v;

	if (!tl_json_double(tl_json_get(e.f[TL_F_WINDOW], TL_LIT("value")), &v))
		return;
	uint32_t name = tl_pool_find(c->names, pf_text(t, e.f[TL_F_NAME]));
	size_t place = *tl_intmap_find(&c->places, gpu) - 1;
	value.counter_id = first_id(t, c, place) + name;
	value.has_counter_id = true;
	if (name == c->cycles)
		value.int_value = (int64_t)round(v), value.has_int_value = true;
	else
		value.double_value = v, value.has_double_value = true;
	g.n_counters = 1;
	g.counters = &values;
	g.counter_descriptor_iid = t->next_counters + place;
	g.has_counter_descriptor_iid = true;
	p.gpu_counter_event = &g;
	pf_put(&t->pf, &p, s->ts);
}

static void write_gpu_counters(struct tl_perfetto *t)
{
	struct counters c = {.names = tl_pool_new(), .cycles = TL_POOL_NONE};

	for (size_t i = 0; i < t->samples.n; i++) {
		struct tl_event e = pf_event(t, t->samples.v[i].line);
		if (t->samples.v[i].gpu)
			see(t, &c, &e);
	}
	for (size_t i = 0; i < c.n_gpus; i++)
		pf_counter_names(&t->pf, t->next_counters + i, c.gpus[i], descriptor(t, &c, i));
	for (size_t i = 0; i < t->samples.n; i++)
		if (t->samples.v[i].gpu)
			write_gpu_sample(t, &c, &t->samples.v[i]);
	t->next_counter = first_id(t, &c, c.n_gpus);
	t->next_counters += c.n_gpus;
	tl_pool_free(c.names);
	tl_intmap_free(&c.places);
	free(c.gpus);
}

/* One track for each of the values that the event holds. */
static void write_sample(struct tl_perfetto *t, const struct pf_sample *s)
{
	struct tl_event e = pf_event(t, s->line);
	struct tl_json it = tl_json_open(e.f[TL_F_ARGS]);
	struct tl_span key, value, name = pf_inner(&e, TL_F_NAME);
	struct tl_buf full = {0};

	while (e.f[TL_F_ARGS].n && tl_json_member(&it, &key, &value)) {
		TracePacket p = TRACE_PACKET__INIT;
		TrackEvent c = TRACK_EVENT__INIT;
		if (tl_json_is_string(value) || !tl_json_double(value, &c.double_counter_value))
			continue;
		full.n = 0;
		tl_buf_printf(
			&full, "\"%.*s%s%.*s\"", (int)name.n, name.p, key.n ? " " : "", (int)key.n, key.p);
		c.track_uuid = pf_plain_track(&t->tracks, PF_TRACK_COUNTER, e.f[TL_F_PID],
			tl_buf_all(&full), pf_text(t, tl_buf_all(&full)));
		c.type = TRACK_EVENT__TYPE__TYPE_COUNTER;
		c.has_type = c.has_track_uuid = c.has_double_counter_value = true;
		pf_tracks_write(&t->tracks, &t->pf);
		p.track_event = &c;
		pf_put(&t->pf, &p, s->ts);
	}
	tl_buf_free(&full);
}

void pf_write_counters(struct tl_perfetto *t)
{
	write_gpu_counters(t);
	for (size_t i = 0; i < t->samples.n; i++)
		if (!t->samples.v[i].gpu)
			write_sample(t, &t->samples.v[i]);
}
