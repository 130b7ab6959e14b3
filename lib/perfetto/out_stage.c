/* Render stages of a Perfetto trace: what ran on a GPU, on queues that stand for its streams. */
#include "../json/json.h"
#include "../trace/trace.h"
#include "out_args.h"
#include "out_inside.h"
#include <stdio.h>
#include <stdlib.h>

static struct tl_span column(const struct tl_event *e, const char *name)
{
	return tl_json_get(e->f[TL_F_WINDOW], tl_str(name));
}

static int64_t number(struct tl_span value)
{
	int64_t v;

	return pf_int(value, &v) ? v : 0;
}

/* ---- devices ---- */

static struct tl_span device_of(const struct tl_event *e)
{
	return tl_json_inner(tl_device_of(e));
}

/* A device keeps its number, unless a device of another trace of the document has it. */
int32_t pf_gpu_of(struct tl_perfetto *t, struct tl_span device)
{
	struct tl_buf key = {0};
	uint32_t known = tl_pool_count(t->gpus), at;
	int64_t v;

	tl_buf_span(&key, tl_buf_all(&t->tracks.group));
	tl_buf_ch(&key, '\n');
	tl_buf_span(&key, device);
	at = tl_pool_find(t->gpus, tl_buf_all(&key));
	if (at == TL_POOL_NONE) {
		TL_GROW(t->gpu_of, known, t->cap_gpus);
		if (!tl_json_i64(device, &v) || v < INT32_MIN || v > INT32_MAX)
			v = 0;
		while (tl_intmap_find(&t->gpu_numbers, v))
			v = t->next_gpu++;
		tl_intmap_add(&t->gpu_numbers, v);
		at = tl_pool_add(t->gpus, tl_buf_all(&key));
		t->gpu_of[at] = (int32_t)v;
	}
	tl_buf_free(&key);
	return t->gpu_of[at];
}

static GpuInfo__Gpu *gpu_at(struct tl_perfetto *t, struct tl_span device)
{
	GpuInfo__Gpu *g = pf_alloc(&t->pf, sizeof *g);
	struct tl_span name = tl_json_get(device, TL_LIT("name"));
	struct tl_span major = tl_json_get(device, TL_LIT("computeMajor"));
	struct tl_span minor = tl_json_get(device, TL_LIT("computeMinor"));
	int64_t a, b;
	char arch[32];

	gpu_info__gpu__init(g);
	if (tl_json_is_string(name))
		g->name = pf_json_text(&t->pf, name);
	if (pf_int(major, &a) && pf_int(minor, &b) && a >= 0 && a < 1000 && b >= 0 && b < 1000) {
		int n = snprintf(arch, sizeof arch, "sm_%d%d", (int)a, (int)b);
		g->architecture = pf_string(&t->pf, (struct tl_span){arch, (size_t)n});
	}
	return g;
}

/* The place in the list is the number of the GPU, so it is written when the numbers are small. */
void pf_write_gpus(struct tl_perfetto *t)
{
	enum { MOST = 256 };
	struct tl_json it = tl_json_open(tl_buf_all(&t->devices));
	struct tl_span device;
	GpuInfo__Gpu *list[MOST] = {0};
	TracePacket p = TRACE_PACKET__INIT;
	GpuInfo info = GPU_INFO__INIT;
	int64_t id;

	while (t->devices.n && tl_json_element(&it, &device))
		if (pf_int(tl_json_get(device, TL_LIT("id")), &id) && id >= 0 && id < MOST) {
			list[id] = gpu_at(t, device);
			info.n_gpus = (size_t)id >= info.n_gpus ? (size_t)id + 1 : info.n_gpus;
		}
	if (!info.n_gpus)
		return;
	for (size_t i = 0; i < info.n_gpus; i++)
		if (!list[i])
			list[i] = gpu_at(t, TL_LIT("{}"));
	info.gpus = list;
	p.gpu_info = &info;
	pf_put_plain(&t->pf, &p);
}

/* ---- queues ---- */

static struct tl_span stream_of(const struct tl_event *e)
{
	struct tl_span stream = column(e, "lane");

	if (!stream.n)
		stream = column(e, "stream");
	if (!stream.n)
		stream = e->f[TL_F_STREAM];
	return tl_json_inner(stream.n ? stream : e->f[TL_F_TID]);
}

/* The label is the name of the lane, that of the thread, or made from the stream. */
static void label_queue(struct tl_perfetto *t, struct pf_queue *q, const struct tl_event *e)
{
	struct tl_span given = column(e, "lane_name"), name = {0};

	if (given.n)
		name = pf_text(t, given);
	else if (!t->compat && !q->label.n)
		name = pf_thread_name(&t->tracks, e->f[TL_F_PID], e->f[TL_F_TID]);
	if (name.n || (given.n && t->compat)) {
		q->label.n = 0;
		tl_buf_span(&q->label, name);
		q->named = true;
	}
	if (!q->label.n && !q->named)
		tl_buf_printf(&q->label, "stream %lld", (long long)q->lane);
}

uint32_t pf_queue_of(struct tl_perfetto *t, const struct tl_event *e)
{
	struct tl_span stream = stream_of(e);
	int32_t gpu = t->compat ? 0 : pf_gpu_of(t, device_of(e));
	int64_t lane = 0;
	bool numbered = tl_json_i64(stream, &lane);
	struct tl_buf key = {0};

	tl_buf_printf(&key, "%d\n%.*s", gpu, (int)stream.n, stream.p);
	uint32_t at = tl_pool_add(t->queue_keys, tl_buf_all(&key));
	tl_buf_free(&key);
	if (at == t->queues.n) {
		PF_MORE(t->queues);
		PF_LAST(t->queues) = (struct pf_queue){.gpu = gpu, .numbered = numbered, .lane = lane};
		if (!numbered)
			tl_buf_span(&PF_LAST(t->queues).label, stream);
	}
	if (numbered)
		label_queue(t, &t->queues.v[at], e);
	return at;
}

static int by_place(const void *a, const void *b)
{
	const struct pf_queue *x = *(struct pf_queue *const *)a, *y = *(struct pf_queue *const *)b;

	if (x->gpu != y->gpu)
		return x->gpu < y->gpu ? -1 : 1;
	if (x->numbered != y->numbered)
		return x->numbered ? -1 : 1;
	if (x->numbered)
		return (x->lane > y->lane) - (x->lane < y->lane);
	return x < y ? -1 : x > y;
}

/* "[07] stream 7": numbers of one width, so that names sort as numbers do. */
static void name_queue(struct tl_perfetto *t, const struct pf_queue *q, int width)
{
	t->text.n = 0;
	if (q->numbered)
		tl_buf_printf(&t->text, "[%0*lld] ", width, (long long)q->lane);
	tl_buf_span(&t->text, tl_buf_all(&q->label));
	pf_specification(&t->pf, q->iid, tl_buf_all(&t->text),
		INTERNED_GPU_RENDER_STAGE_SPECIFICATION__RENDER_STAGE_CATEGORY__OTHER);
}

static void define_queues(struct tl_perfetto *t)
{
	struct pf_queue **order = tl_alloc((t->queues.n + 1) * sizeof *order);
	int64_t largest = INT64_MIN;
	char digits[24];

	for (size_t i = 0; i < t->queues.n; i++) {
		order[i] = &t->queues.v[i];
		if (order[i]->numbered && order[i]->lane > largest)
			largest = order[i]->lane;
	}
	qsort(order, t->queues.n, sizeof *order, by_place);
	int width = snprintf(digits, sizeof digits, "%lld", (long long)largest);
	for (size_t i = 0; i < t->queues.n; i++) {
		order[i]->iid = t->next_queue++;
		name_queue(t, order[i], width);
	}
	free(order);
}

static void define_kinds(struct tl_perfetto *t)
{
	static const struct tl_span names[] = {TL_LIT("Kernel"), TL_LIT("Memcpy"), TL_LIT("Memset"),
		TL_LIT("Annotation"), TL_LIT("EventRecord"), TL_LIT("HostNode")};

	for (int i = 0; i < 6; i++)
		pf_specification(&t->pf, PF_KERNEL + (uint64_t)i, names[i],
			i == 0 ? INTERNED_GPU_RENDER_STAGE_SPECIFICATION__RENDER_STAGE_CATEGORY__COMPUTE
				   : INTERNED_GPU_RENDER_STAGE_SPECIFICATION__RENDER_STAGE_CATEGORY__OTHER);
}

/* ---- contexts ---- */

/* A context stands for a process that launches work. */
struct contexts {
	uint64_t *of; /* by track's uuid, 0: not defined */
	uint64_t fallback;
	uint64_t process; /* of ops without a launch: the first that launches, else the first */
};

static uint64_t first_process(const struct tl_perfetto *t)
{
	for (uint32_t i = 0; i < t->slices.n; i++)
		if (t->slices.v[i].row == PF_API && !t->compat)
			return pf_track_at(&t->tracks, t->slices.v[i].track)->parent;
	for (uint64_t i = 1; i <= t->tracks.n; i++)
		if (pf_track_at(&t->tracks, i)->kind == PF_TRACK_PROCESS)
			return i;
	return 0;
}

static int api_of(struct tl_perfetto *t, const struct pf_stage *s)
{
	if (t->compat || !s->launcher)
		return 0;
	struct tl_event e = pf_event(t, t->slices.v[s->launcher - 1].line);
	struct tl_span name = pf_inner(&e, TL_F_NAME);
	bool hip = name.n > 3 && memcmp(name.p, "hip", 3) == 0;
	bool cuda = name.n > 2 && memcmp(name.p, "cu", 2) == 0;
	return hip    ? INTERNED_GRAPHICS_CONTEXT__API__HIP
		   : cuda ? INTERNED_GRAPHICS_CONTEXT__API__CUDA
				  : INTERNED_GRAPHICS_CONTEXT__API__UNDEFINED;
}

static uint64_t context_of(struct tl_perfetto *t, struct contexts *c, const struct pf_stage *s)
{
	uint64_t process = c->process;

	if (!t->compat && s->launcher)
		process = pf_track_at(&t->tracks, t->slices.v[s->launcher - 1].track)->parent;
	if (process && pf_track_at(&t->tracks, process)->kind != PF_TRACK_PROCESS)
		process = pf_track_at(&t->tracks, process)->parent; /* of a lane */
	uint64_t *iid = process ? &c->of[process] : &c->fallback;
	if (!*iid) {
		int64_t pid = process ? pf_track_at(&t->tracks, process)->pid : 0;
		*iid = t->next_context++;
		pf_context(&t->pf, *iid, (int32_t)pid, api_of(t, s));
	}
	return *iid;
}

/* ---- launches ---- */

/* What the stage is called; an empty span when only its kind says what it is. */
static struct tl_span name_of(struct tl_perfetto *t, const struct tl_event *e)
{
	struct tl_span from = pf_inner(e, TL_F_FROM), window = column(e, "name");

	if (!t->compat)
		return pf_text(t, e->f[TL_F_NAME]);
	if (tl_span_eq(from, TL_LIT("kernel")))
		return pf_text(t, window);
	if (tl_span_eq(from, TL_LIT("gpu_user_annotation")))
		return pf_text(t, e->f[TL_F_NAME]);
	return (struct tl_span){0};
}

static Dim3 *dimensions(struct tl_perfetto *t, struct tl_span value)
{
	Dim3 *d = pf_alloc(&t->pf, sizeof *d);
	uint32_t v[3] = {0};
	struct tl_json it = tl_json_open(value);
	struct tl_span element;

	dim3__init(d);
	for (int i = 0; value.n && i < 3 && tl_json_element(&it, &element); i++)
		v[i] = (uint32_t)number(element);
	d->x = v[0], d->y = v[1], d->z = v[2];
	d->has_x = d->has_y = d->has_z = true;
	return d;
}

static void add_arg(struct tl_perfetto *t, ComputeKernelLaunch *l, const char *name, int64_t v)
{
	ExtraComputeArg *a = pf_alloc(&t->pf, sizeof *a);

	extra_compute_arg__init(a);
	a->name_iid = pf_intern(&t->pf, PF_IID_ARG, tl_str(name));
	a->has_name_iid = true;
	if (v >= 0)
		a->uint_value = (uint64_t)v, a->has_uint_value = true;
	else
		a->int_value = v, a->has_int_value = true;
	l->args[l->n_args++] = a;
}

/* From the columns of a window, else from the args of the event. */
static struct tl_span either(const struct tl_event *e, const char *name, const char *arg)
{
	struct tl_span v = column(e, name);

	return v.n ? v : tl_json_get(e->f[TL_F_ARGS], tl_str(arg));
}

static void add_known(
	struct tl_perfetto *t, ComputeKernelLaunch *l, const char *name, struct tl_span value)
{
	int64_t v;

	if (pf_int(value, &v) && (v || !t->compat))
		add_arg(t, l, name, v);
}

/* Device and stream are args of every op, since Perfetto sorts by them. */
static void add_launch(
	struct tl_perfetto *t, GpuRenderStageEvent *g, const struct tl_event *e, bool kernel)
{
	ComputeKernelLaunch *l = pf_alloc(&t->pf, sizeof *l);
	struct tl_span grid = either(e, "grid", "grid");
	Dim3 *size = dimensions(t, grid), *block = dimensions(t, either(e, "block", "block"));
	bool launched = kernel && grid.n && size->x > 0;

	compute_kernel_launch__init(l);
	l->args = pf_alloc(&t->pf, 6 * sizeof *l->args);
	if (launched) {
		l->grid_size = size;
		l->workgroup_size = block;
		add_known(t, l, "registers_per_thread", either(e, "registers", "registers per thread"));
		if (!t->compat)
			add_known(t, l, "shared_mem_static", column(e, "static_shared"));
		add_known(t, l, "shared_mem_dynamic", column(e, "dynamic_shared"));
		int64_t threads = (int64_t)block->x * block->y * block->z;
		if (threads > 0)
			add_arg(t, l, "thread_count", threads);
	}
	if (!t->compat) {
		add_known(t, l, "device", device_of(e));
		add_known(t, l, "stream", stream_of(e));
	}
	if (launched || l->n_args)
		g->launch = l;
	if (kernel && (launched || !t->compat)) {
		struct tl_span name = name_of(t, e);
		g->kernel_iid = name.n ? pf_intern(&t->pf, PF_IID_KERNEL, name) : 0;
		g->has_kernel_iid = name.n > 0;
	}
}

/* ---- extra data ---- */

static void add_extra(struct tl_perfetto *t, GpuRenderStageEvent *g, char *name, char *value)
{
	GpuRenderStageEvent__ExtraData *x = pf_alloc(&t->pf, sizeof *x);

	gpu_render_stage_event__extra_data__init(x);
	x->name = name;
	x->value = value;
	g->extra_data[g->n_extra_data++] = x;
}

/* What the launch says already. Its device and stream are numbers, which Perfetto sorts by; as
 * texts they would stand in the way of that. */
static bool in_launch(const GpuRenderStageEvent *g, struct tl_span key)
{
	bool sized = g->launch && g->launch->grid_size;

	return tl_span_eq(key, TL_LIT("device")) || tl_span_eq(key, TL_LIT("stream")) ||
		   (sized && (tl_span_eq(key, TL_LIT("grid")) || tl_span_eq(key, TL_LIT("block"))));
}

static void add_members(
	struct tl_perfetto *t, GpuRenderStageEvent *g, const struct pf_member *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (t->compat || !in_launch(g, m[i].key))
			add_extra(t, g, pf_key_text(&t->pf, m[i].key), pf_json_text(&t->pf, m[i].value));
}

/* What the reference says of a row, in its order: the first three always, the others unless 0. */
static void add_reference_extra(
	struct tl_perfetto *t, GpuRenderStageEvent *g, const struct tl_event *e)
{
	static const struct {
		const char *name, *column;
	} known[] = {{"device id", "device"}, {"context id", "context"}, {"stream id", "stream"},
		{"correlation", "correlation"}, {"priority", "priority"}, {"queued", "queued"},
		{"channel", "channel"}, {"channel_type", "channel_type"}, {"graph id", "graph_id"},
		{"graph node id", "graph_node"}, {"bytes", "bytes"}, {"value", "value"},
		{"memory kind", "memory_kind"}};
	struct pf_member *m;
	struct tl_span spread = column(e, "extra");
	size_t n = spread.n ? pf_members(&t->pf, spread, &m) : 0;

	g->extra_data = pf_alloc(&t->pf, (sizeof known / sizeof *known + n) * sizeof *g->extra_data);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct tl_span value = column(e, known[i].column);
		int64_t v = number(i == 0 && !value.n   ? device_of(e)
						   : i == 2 && !value.n ? stream_of(e)
												: value);
		char text[24];
		if (i == 9)
			v &= UINT32_MAX;
		int len = snprintf(text, sizeof text, "%lld", (long long)v);
		if (v || i < 3)
			add_extra(t, g, pf_string(&t->pf, tl_str(known[i].name)),
				pf_string(&t->pf, (struct tl_span){text, (size_t)len}));
	}
	if (n)
		add_members(t, g, m, n);
}

static void add_all_extra(struct tl_perfetto *t, GpuRenderStageEvent *g, const struct tl_event *e)
{
	struct tl_span args = pf_args_of(t, e);
	struct pf_member *m;
	size_t n;

	if (t->compat) {
		add_reference_extra(t, g, e);
		return;
	}
	if (!args.n || args.p[0] != '{')
		return;
	n = pf_members(&t->pf, args, &m);
	g->extra_data = pf_alloc(&t->pf, (n + 1) * sizeof *g->extra_data);
	add_members(t, g, m, n);
}

/* ---- stages ---- */

/* By kind, then by id; the place is the stage's id in the document. The reference serialises the
 * ops of a lane: each ends where the next starts, at the latest. */
void pf_order_stages(struct tl_perfetto *t)
{
	size_t n = t->stages.n;
	struct tl_sort *order = tl_alloc((n + 1) * sizeof *order);
	struct pf_stage *sorted = tl_alloc((n + 1) * sizeof *sorted);

	for (size_t i = 0; i < n; i++)
		order[i] = (struct tl_sort){.key = t->stages.v[i].kind, .at = (uint32_t)i};
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = t->stages.v[order[i].at];
		t->stage_of[sorted[i].line] = (uint32_t)i + 1;
	}
	if (n)
		memcpy(t->stages.v, sorted, n * sizeof *sorted);
	free(sorted);
	free(order);
}

static void serialise(struct tl_perfetto *t)
{
	size_t n = 0;
	struct tl_sort *order = tl_alloc((t->stages.n + 1) * sizeof *order);

	for (size_t i = 0; i < t->stages.n; i++)
		if (t->stages.v[i].kind != PF_ANNOTATION)
			order[n++] = (struct tl_sort){
				.key = tl_sort_time(t->stages.v[i].start), .at = (uint32_t)i};
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++) {
		const struct pf_stage *s = &t->stages.v[order[i].at];
		struct tl_event e = pf_event(t, s->line);
		order[i].key = (uint64_t)pf_gpu_of(t, device_of(&e)) << 32 | s->queue;
	}
	tl_sort(order, n);
	for (size_t i = 0; i + 1 < n; i++) {
		struct pf_stage *s = &t->stages.v[order[i].at];
		int64_t next = t->stages.v[order[i + 1].at].start;
		if (order[i].key == order[i + 1].key && s->end > next)
			s->end = next > s->start ? next : s->start;
	}
	free(order);
}

static void add_waits(struct tl_perfetto *t, GpuRenderStageEvent *g, struct tl_span waits)
{
	struct tl_json it = tl_json_open(waits);
	struct tl_span v;
	size_t n = 0, line;
	uint64_t id;

	while (waits.n && tl_json_element(&it, &v))
		n++;
	if (!n)
		return;
	g->event_wait_ids = pf_alloc(&t->pf, n * sizeof *g->event_wait_ids);
	it = tl_json_open(waits);
	while (g->n_event_wait_ids < n && tl_json_element(&it, &v))
		if (tl_json_u64(v, &id) && tl_held_find(&t->held, id, &line) && t->stage_of[line])
			g->event_wait_ids[g->n_event_wait_ids++] = t->next_event + t->stage_of[line] - 1;
}

static void write_stage(struct tl_perfetto *t, struct contexts *c, size_t i)
{
	const struct pf_stage *s = &t->stages.v[i];
	struct tl_event e = pf_event(t, s->line);
	TracePacket p = TRACE_PACKET__INIT;
	GpuRenderStageEvent g = GPU_RENDER_STAGE_EVENT__INIT;
	struct tl_span name = name_of(t, &e);

	g.event_id = t->next_event + i;
	g.duration = (uint64_t)(s->end - s->start);
	g.gpu_id = pf_gpu_of(t, device_of(&e));
	g.hw_queue_iid = t->queues.v[s->queue].iid;
	g.stage_iid = s->kind;
	g.context = context_of(t, c, s);
	g.has_event_id = g.has_duration = g.has_gpu_id = true;
	g.has_hw_queue_iid = g.has_stage_iid = g.has_context = true;
	if (name.n) {
		g.name_iid = pf_intern(&t->pf, PF_IID_NAME, name);
		g.has_name_iid = true;
	}
	add_launch(t, &g, &e, s->kind == PF_KERNEL);
	add_all_extra(t, &g, &e);
	add_waits(t, &g, e.f[TL_F_WAITS]);
	p.gpu_render_stage_event = &g;
	pf_put(&t->pf, &p, s->start);
}

void pf_write_stages(struct tl_perfetto *t)
{
	struct contexts c = {0};

	if (!t->stages.n)
		return;
	if (t->compat)
		serialise(t);
	c.of = tl_calloc(t->tracks.n + 1, sizeof *c.of);
	c.process = first_process(t);
	if (t->next_event == 1)
		define_kinds(t);
	define_queues(t);
	for (size_t i = 0; i < t->stages.n; i++)
		write_stage(t, &c, i);
	t->next_event += t->stages.n;
	free(c.of);
}
