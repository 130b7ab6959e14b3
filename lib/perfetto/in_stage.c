/* What ran on a GPU, and the counters of GPUs, in a Perfetto trace. */
#include "in_inside.h"
#include "../json/json.h"

struct stage {
	uint64_t id, dur, queue, kind, kernel;
	bool has_id;
	int64_t gpu, shared[2]; /* shared memory of a launch, static and dynamic; -1: not said */
	struct tl_span name, launch;
};

/* The record that a stage has or will have. */
static struct pf_stage_record *record_of(struct pf_in *r, uint64_t event)
{
	uint32_t *at = tl_intmap_add(&r->stage_ids, (int64_t)event);
	if (!*at) {
		TL_GROW(r->stage_records, r->nstage_records, r->stage_records_cap);
		r->stage_records[r->nstage_records++] = (struct pf_stage_record){.id = r->ids++};
		*at = (uint32_t)r->nstage_records;
	}
	return r->stage_records + *at - 1;
}

/* Producers repeat event ids (all nodes of a graph have one): each further stage is a record of its
 * own. */
static uint64_t new_id(struct pf_in *r, const struct stage *g)
{
	struct pf_stage_record *known = g->has_id ? record_of(r, g->id) : NULL;
	if (!known || known->taken)
		return r->ids++;
	known->taken = true;
	return known->id;
}

/* ---- args */

/* Extra data are texts: those that hold JSON other than a string count as that. */
static void add_extra(struct pf_in *r, struct tl_span message)
{
	static const struct {
		struct tl_span extra, arg;
	} renamed[] = {{TL_LIT("device id"), TL_LIT("device")},
		{TL_LIT("context id"), TL_LIT("context")}, {TL_LIT("stream id"), TL_LIT("stream")}};
	struct tl_span name = pf_wire_get(message, EXTRA_DATA_NAME).s,
				   value = pf_wire_get(message, EXTRA_DATA_VALUE).s;
	struct tl_buf key = {0}, quoted = {0};
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (tl_span_eq(name, renamed[i].extra))
			name = renamed[i].arg;
	tl_json_quote(&key, name);
	bool json = value.n && value.p[0] != '"' && (unsigned char)value.p[0] > ' ' &&
				(unsigned char)value.p[value.n - 1] > ' ' && !memchr(value.p, '\n', value.n) &&
				tl_json_valid(value);
	tl_json_quote(&quoted, value);
	tl_args_set(&r->args, tl_json_inner(tl_buf_all(&key)), json ? value : tl_buf_all(&quoted));
	tl_buf_free(&key);
	tl_buf_free(&quoted);
}

static bool lacks(const struct pf_in *r, const char *key)
{
	return tl_args_get(&r->args, tl_str(key)).n == 0;
}

static void add_dimensions(struct pf_in *r, const char *key, struct tl_span dim3)
{
	if (!dim3.p || !lacks(r, key))
		return;
	tl_args_open(&r->args, tl_str(key));
	for (uint32_t i = DIM3_X; i <= DIM3_Z; i++) {
		tl_buf_ch(&r->args.text, i == DIM3_X ? '[' : ',');
		tl_buf_u64(&r->args.text, pf_wire_get(dim3, i).u);
	}
	tl_buf_ch(&r->args.text, ']');
	tl_args_close(&r->args);
}

/* An arg of a launch, under the name that Kineto has for it. */
static void add_launch_arg(
	struct pf_in *r, const struct pf_sequence *s, struct tl_span message, int64_t shared[2])
{
	struct pf_wire_field iid = pf_wire_get(message, EXTRA_COMPUTE_ARG_NAME_IID), f;
	struct tl_span name = iid.number ? pf_in_name(r, s, PF_T_ARG, iid.u)
									 : pf_wire_get(message, EXTRA_COMPUTE_ARG_NAME).s;
	struct tl_buf key = {0}, value = {0};
	if ((f = pf_wire_get(message, EXTRA_COMPUTE_ARG_INT_VALUE)).number)
		tl_buf_i64(&value, (int64_t)f.u);
	else if ((f = pf_wire_get(message, EXTRA_COMPUTE_ARG_UINT_VALUE)).number)
		tl_buf_u64(&value, f.u);
	else if ((f = pf_wire_get(message, EXTRA_COMPUTE_ARG_DOUBLE_VALUE)).number)
		tl_buf_exact(&value, pf_wire_double(&f));
	else
		tl_json_quote(&value, pf_wire_get(message, EXTRA_COMPUTE_ARG_STRING_VALUE).s);
	if (tl_span_eq(name, TL_LIT("registers_per_thread")))
		name = TL_LIT("registers per thread");
	tl_json_quote(&key, name);
	struct tl_span inner = tl_json_inner(tl_buf_all(&key));
	if (tl_span_eq(name, TL_LIT("shared_mem_static")))
		shared[0] = (int64_t)f.u;
	else if (tl_span_eq(name, TL_LIT("shared_mem_dynamic")))
		shared[1] = (int64_t)f.u;
	else if (!tl_span_eq(name, TL_LIT("thread_count")) && !tl_args_get(&r->args, inner).n)
		tl_args_add(&r->args, inner, tl_buf_all(&value));
	tl_buf_free(&key);
	tl_buf_free(&value);
}

static void add_launch(struct pf_in *r, const struct pf_sequence *s, struct stage *g)
{
	struct pf_wire it = pf_wire_open(g->launch);
	struct pf_wire_field f;
	if (pf_wire_get(g->launch, COMPUTE_KERNEL_LAUNCH_GRID_SIZE).s.n) {
		add_dimensions(r, "grid", pf_wire_get(g->launch, COMPUTE_KERNEL_LAUNCH_GRID_SIZE).s);
		add_dimensions(r, "block", pf_wire_get(g->launch, COMPUTE_KERNEL_LAUNCH_WORKGROUP_SIZE).s);
	}
	while (pf_wire_next(&it, &f))
		if (f.number == COMPUTE_KERNEL_LAUNCH_ARGS)
			add_launch_arg(r, s, f.s, g->shared);
	if ((g->shared[0] >= 0 || g->shared[1] >= 0) && lacks(r, "shared memory"))
		tl_args_int(&r->args, "shared memory",
			tl_ns_add(g->shared[0] > 0 ? g->shared[0] : 0, g->shared[1] > 0 ? g->shared[1] : 0));
}

/* ---- stages */

static const struct tl_span other = TL_LIT("gpu_render_stage");

static struct tl_span category(struct tl_span kind)
{
	static const struct {
		struct tl_span kind, cat;
	} known[] = {{TL_LIT("Kernel"), TL_LIT("kernel")}, {TL_LIT("Memcpy"), TL_LIT("gpu_memcpy")},
		{TL_LIT("Memset"), TL_LIT("gpu_memset")},
		{TL_LIT("Annotation"), TL_LIT("gpu_user_annotation")},
		{TL_LIT("EventRecord"), TL_LIT("graph_event_node")},
		{TL_LIT("HostNode"), TL_LIT("graph_host_node")}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (tl_span_eq(known[i].kind, kind))
			return known[i].cat;
	return other;
}

static bool read_stage(
	struct pf_in *r, const struct pf_sequence *s, struct tl_span message, struct stage *g)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	tl_args_clear(&r->args);
	while (pf_wire_next(&it, &f))
		switch (f.number) {
		case GPU_RENDER_STAGE_EVENT_EVENT_ID:
			g->id = f.u;
			g->has_id = true;
			break;
		case GPU_RENDER_STAGE_EVENT_DURATION:
			g->dur = f.u;
			break;
		case GPU_RENDER_STAGE_EVENT_EXTRA_DATA:
			add_extra(r, f.s);
			break;
		case GPU_RENDER_STAGE_EVENT_GPU_ID:
			g->gpu = (int32_t)f.u;
			break;
		case GPU_RENDER_STAGE_EVENT_HW_QUEUE_IID:
			g->queue = f.u;
			break;
		case GPU_RENDER_STAGE_EVENT_STAGE_IID:
			g->kind = f.u;
			break;
		case GPU_RENDER_STAGE_EVENT_NAME:
			g->name = f.s;
			break;
		case GPU_RENDER_STAGE_EVENT_KERNEL_IID:
			g->kernel = f.u;
			break;
		case GPU_RENDER_STAGE_EVENT_NAME_IID:
			g->name = pf_in_name(r, s, PF_T_NAME, f.u);
			break;
		case GPU_RENDER_STAGE_EVENT_LAUNCH:
			g->launch = f.s;
			break;
		}
	if (g->launch.n)
		add_launch(r, s, g);
	return !it.bad;
}

/* A GPU's pid is its number; text where a process has it. */
static void put_pid(struct pf_in *r, int64_t gpu)
{
	uint32_t *use = tl_intmap_find(&r->pids, gpu);
	tl_put_key(&r->f.line, "pid");
	tl_buf_printf(
		&r->f.line.b, use && *use & PF_PID_OTHER ? "\"GPU %lld\"" : "%lld", (long long)gpu);
}

static void put_place(
	struct pf_in *r, const struct pf_sequence *s, const struct stage *g, int64_t ts)
{
	struct tl_span stream = tl_args_get(&r->args, TL_LIT("stream"));
	put_pid(r, g->gpu);
	if (stream.n)
		tl_put_json(&r->f.line, "tid", stream);
	else
		tl_put_string(&r->f.line, "tid", pf_in_name(r, s, PF_T_SPEC, g->queue));
	tl_frame_ts(&r->f, ts);
}

static void put_waits(struct pf_in *r, struct tl_span message)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	bool any = false;
	while (pf_wire_next(&it, &f)) {
		if (f.number != GPU_RENDER_STAGE_EVENT_EVENT_WAIT_IDS)
			continue;
		if (!any)
			tl_list(&r->f.line, "waits");
		any = true;
		tl_put_u64(&r->f.line, NULL, record_of(r, f.u)->id);
	}
	if (any)
		tl_list_end(&r->f.line);
}

/* What args cannot hold, as rows of a window have it. */
static void put_shared(struct pf_in *r, const int64_t shared[2])
{
	struct tl_write *w = &r->f.line;
	if (shared[0] < 0 && shared[1] < 0)
		return;
	tl_object(w, "window");
	if (shared[0] >= 0)
		tl_put_i64(w, "static_shared", shared[0]);
	if (shared[1] >= 0)
		tl_put_i64(w, "dynamic_shared", shared[1]);
	tl_object_end(w);
}

static void write_finish(struct pf_in *r, const struct pf_sequence *s, const struct stage *g,
	int64_t ts, int64_t correlation)
{
	struct tl_write *w = tl_frame_open(&r->f, r->ids++, 'f');
	tl_frame_cat(&r->f, TL_LIT("ac2g"));
	tl_put_text(w, "name", TL_LIT("ac2g"));
	put_place(r, s, g, ts);
	r->tmp.n = 0;
	tl_buf_i64(&r->tmp, correlation);
	pf_in_close_flow(r, tl_buf_all(&r->tmp), true);
}

static void write_stage(struct pf_in *r, const struct pf_sequence *s, const struct stage *g,
	struct tl_span message, int64_t ts)
{
	uint32_t *launch = g->has_id ? tl_intmap_find(&r->launched, (int64_t)g->id) : NULL;
	struct tl_span kind = pf_in_name(r, s, PF_T_SPEC, g->kind), cat = category(kind);
	struct tl_span name = g->name;
	if (!name.n)
		name = pf_in_name(r, s, PF_T_KERNEL, g->kernel);
	if (!name.n)
		name = kind;
	if (lacks(r, "device"))
		tl_args_int(&r->args, "device", g->gpu);
	if (launch && lacks(r, "correlation"))
		tl_args_int(&r->args, "correlation", r->launches[*launch - 1]);
	struct tl_write *w = tl_frame_open(&r->f, new_id(r, g), 'X');
	tl_frame_cat(&r->f, cat);
	tl_put_string(w, "name", name);
	put_place(r, s, g, ts);
	tl_frame_dur(&r->f, g->dur > INT64_MAX ? INT64_MAX : (int64_t)g->dur);
	tl_args_hoist(&r->args, w);
	tl_args_put(&r->args, w, "args");
	if (!tl_span_eq(cat, other))
		tl_put_text(w, "from", cat);
	put_waits(r, message);
	put_shared(r, g->shared);
	tl_frame_close(&r->f);
	if (launch)
		write_finish(r, s, g, ts, r->launches[*launch - 1]);
}

void pf_in_stage(struct pf_in *r, struct pf_sequence *s, struct tl_span message, uint64_t ts)
{
	struct stage g = {.shared = {-1, -1}};
	if (read_stage(r, s, message, &g))
		write_stage(r, s, &g, message, pf_in_ts(r, ts));
	else
		pf_in_fault(r, TL_FAULT_BROKEN_EVENT, "a render stage");
}

/* ---- counters */

static void put_value(struct tl_write *w, const char *key, struct tl_span counter)
{
	struct pf_wire_field whole = pf_wire_get(counter, GPU_COUNTER_INT_VALUE),
						 real = pf_wire_get(counter, GPU_COUNTER_DOUBLE_VALUE);
	tl_put_key(w, key);
	if (whole.number)
		tl_buf_i64(&w->b, (int64_t)whole.u);
	else
		tl_buf_exact(&w->b, pf_wire_double(&real));
}

static void write_value(
	struct pf_in *r, const struct pf_counters *c, struct tl_span counter, int64_t ts)
{
	uint32_t *text = tl_intmap_find(
		&c->names, (int64_t)pf_wire_get(counter, GPU_COUNTER_COUNTER_ID).u);
	if (!text) {
		pf_in_fault(r, TL_FAULT_NOT_AN_EVENT, "a counter without a name");
		return;
	}
	struct tl_span name = tl_pool_text(r->texts, *text - 1);
	bool cycles = tl_span_eq(name, TL_LIT("Cycles (Current Kernel)"));
	struct tl_write *w = tl_frame_open(&r->f, r->ids++, 'C');
	tl_put_string(w, "name", name);
	tl_put_key(w, "pid");
	tl_buf_printf(&w->b, "\"GPU %lld Counters\"", (long long)c->gpu);
	tl_frame_ts(&r->f, ts);
	tl_object(w, "args");
	put_value(w, "", counter);
	tl_object_end(w);
	tl_put_text(w, "from", cycles ? TL_LIT("cycles") : TL_LIT("gpu_counter"));
	tl_object(w, "window");
	tl_put_i64(w, "device", c->gpu);
	put_value(w, "value", counter);
	tl_object_end(w);
	tl_frame_close(&r->f);
}

void pf_in_gpu_counter(struct pf_in *r, struct pf_sequence *s, struct tl_span message, uint64_t ts)
{
	struct pf_wire_field own = pf_wire_get(message, GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR), f;
	uint32_t at = 0, *known = tl_intmap_find(&s->table[PF_T_COUNTERS],
						 (int64_t)pf_wire_get(message, GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR_IID).u);
	struct pf_wire it = pf_wire_open(message);
	if (own.number)
		at = r->described = pf_in_counters(
			r, own.s, (int32_t)pf_wire_get(message, GPU_COUNTER_EVENT_GPU_ID).u);
	else if (known)
		at = *known;
	else
		at = r->described;
	while (pf_wire_next(&it, &f)) {
		if (f.number != GPU_COUNTER_EVENT_COUNTERS)
			continue;
		if (at)
			write_value(r, r->descriptors + at - 1, f.s, pf_in_ts(r, ts));
		else
			pf_in_fault(r, TL_FAULT_NOT_AN_EVENT, "a counter without a descriptor");
	}
	if (it.bad)
		pf_in_fault(r, TL_FAULT_BROKEN_EVENT, "a GPU counter");
}
