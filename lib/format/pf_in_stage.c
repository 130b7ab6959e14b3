/* What ran on a GPU, and the counters of GPUs, in a Perfetto trace. */
#include "pf_in.h"
#include "../io/json.h"
#include "../io/time.h"

struct stage {
	uint64_t id, dur, queue, kind, kernel;
	bool has_id;
	int64_t gpu, shared[2]; /* shared memory of a launch, static and dynamic; -1: not said */
	struct tl_span name, launch;
};

/* The id of the record that a stage has or will have. */
static uint64_t record_of(struct pf_in *r, uint64_t event)
{
	uint32_t *at = tl_intmap_add(&r->stage_ids, (int64_t)event);
	if (!*at) {
		TL_GROW(r->stage_records, r->nstage_records, r->stage_records_cap);
		r->stage_records[r->nstage_records++] = r->ids++;
		*at = (uint32_t)r->nstage_records;
	}
	return r->stage_records[*at - 1];
}

/* ---- args */

/* Extra data are texts: those that hold JSON other than a string count as that. */
static void add_extra(struct pf_in *r, struct tl_span message)
{
	static const struct {
		struct tl_span extra, arg;
	} renamed[] = {{TL_LIT("device id"), TL_LIT("device")},
		{TL_LIT("context id"), TL_LIT("context")}, {TL_LIT("stream id"), TL_LIT("stream")}};
	struct tl_span name = tl_wire_get(message, 1).s, value = tl_wire_get(message, 2).s;
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
	for (uint32_t i = 1; i <= 3; i++) {
		tl_buf_ch(&r->args.text, i == 1 ? '[' : ',');
		tl_buf_u64(&r->args.text, tl_wire_get(dim3, i).u);
	}
	tl_buf_ch(&r->args.text, ']');
	tl_args_close(&r->args);
}

/* An arg of a launch, under the name that Kineto has for it. */
static void add_launch_arg(
	struct pf_in *r, const struct pf_sequence *s, struct tl_span message, int64_t shared[2])
{
	struct tl_wire_field iid = tl_wire_get(message, 1), f;
	struct tl_span name = iid.number ? pf_in_name(r, s, PF_T_ARG, iid.u)
									 : tl_wire_get(message, 2).s;
	struct tl_buf key = {0}, value = {0};
	if ((f = tl_wire_get(message, 3)).number)
		tl_buf_i64(&value, (int64_t)f.u);
	else if ((f = tl_wire_get(message, 4)).number)
		tl_buf_u64(&value, f.u);
	else if ((f = tl_wire_get(message, 5)).number)
		pf_in_double(&value, tl_wire_double(&f));
	else
		tl_json_quote(&value, tl_wire_get(message, 6).s);
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
	struct tl_wire it = tl_wire_open(g->launch);
	struct tl_wire_field f;
	if (tl_wire_get(g->launch, 1).s.n) {
		add_dimensions(r, "grid", tl_wire_get(g->launch, 1).s);
		add_dimensions(r, "block", tl_wire_get(g->launch, 2).s);
	}
	while (tl_wire_next(&it, &f))
		if (f.number == 3)
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
	struct tl_wire it = tl_wire_open(message);
	struct tl_wire_field f;
	tl_args_clear(&r->args);
	while (tl_wire_next(&it, &f))
		switch (f.number) {
		case 1:
			g->id = f.u;
			g->has_id = true;
			break;
		case 2:
			g->dur = f.u;
			break;
		case 6:
			add_extra(r, f.s);
			break;
		case 11:
			g->gpu = (int32_t)f.u;
			break;
		case 13:
			g->queue = f.u;
			break;
		case 14:
			g->kind = f.u;
			break;
		case 17:
			g->name = f.s;
			break;
		case 19:
			g->kernel = f.u;
			break;
		case 20:
			g->name = pf_in_name(r, s, PF_T_NAME, f.u);
			break;
		case 21:
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
	if (use && *use & PF_PID_OTHER)
		tl_buf_printf(&r->line, ",\"pid\":\"GPU %lld\"", (long long)gpu);
	else
		tl_buf_printf(&r->line, ",\"pid\":%lld", (long long)gpu);
}

static void put_tid(struct pf_in *r, const struct pf_sequence *s, const struct stage *g)
{
	struct tl_span stream = tl_args_get(&r->args, TL_LIT("stream"));
	if (stream.n)
		pf_in_raw(r, "tid", stream);
	else
		pf_in_str(r, "tid", pf_in_name(r, s, PF_T_SPEC, g->queue));
}

static void put_waits(struct pf_in *r, struct tl_span message)
{
	struct tl_wire it = tl_wire_open(message);
	struct tl_wire_field f;
	const char *before = ",\"waits\":[";
	while (tl_wire_next(&it, &f)) {
		if (f.number != 18)
			continue;
		tl_buf_span(&r->line, tl_str(before));
		tl_buf_u64(&r->line, record_of(r, f.u));
		before = ",";
	}
	if (*before == ',' && before[1] == 0)
		tl_buf_ch(&r->line, ']');
}

/* What args cannot hold, as rows of a window have it. */
static void put_shared(struct pf_in *r, const int64_t shared[2])
{
	static const char *const keys[] = {"static_shared", "dynamic_shared"};
	const char *before = ",\"window\":{";
	for (int i = 0; i < 2; i++) {
		if (shared[i] < 0)
			continue;
		tl_buf_printf(&r->line, "%s\"%s\":%lld", before, keys[i], (long long)shared[i]);
		before = ",";
	}
	if (before[1] == 0)
		tl_buf_ch(&r->line, '}');
}

static void write_finish(struct pf_in *r, const struct pf_sequence *s, const struct stage *g,
	int64_t ts, int64_t correlation)
{
	pf_in_open(r, r->ids++, "f");
	pf_in_str(r, "cat", TL_LIT("ac2g"));
	pf_in_str(r, "name", TL_LIT("ac2g"));
	put_pid(r, g->gpu);
	put_tid(r, s, g);
	pf_in_us(r, "ts", ts);
	tl_buf_lit(&r->line, ",\"flow\":");
	tl_buf_i64(&r->line, correlation);
	tl_buf_lit(&r->line, ",\"chrome\":{\"id\":");
	tl_buf_i64(&r->line, correlation);
	tl_buf_lit(&r->line, ",\"bp\":\"e\"},\"from\":\"flow\"");
	pf_in_close(r, TL_LIT("ac2g"), TL_LIT("ac2g"), 'f');
}

static void write_stage(struct pf_in *r, const struct pf_sequence *s, const struct stage *g,
	struct tl_span message, int64_t ts)
{
	uint32_t *launch = g->has_id ? tl_intmap_find(&r->launched, (int64_t)g->id) : NULL;
	int64_t dur = g->dur > INT64_MAX ? INT64_MAX : (int64_t)g->dur;
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
	pf_in_open(r, g->has_id ? record_of(r, g->id) : r->ids++, "X");
	pf_in_str(r, "cat", cat);
	pf_in_str(r, "name", name);
	put_pid(r, g->gpu);
	put_tid(r, s, g);
	pf_in_us(r, "ts", ts);
	pf_in_us(r, "dur", dur);
	pf_in_hoist(&r->args, &r->line);
	tl_buf_lit(&r->line, ",\"args\":");
	tl_args_write(&r->args, &r->line);
	if (!tl_span_eq(cat, other))
		pf_in_str(r, "from", cat);
	put_waits(r, message);
	put_shared(r, g->shared);
	pf_in_time(r, ts, tl_ns_add(ts, dur));
	pf_in_close(r, cat, name, 'X');
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

static void write_value(
	struct pf_in *r, const struct pf_counters *c, struct tl_span counter, int64_t ts)
{
	uint32_t *name = tl_intmap_find(&c->names, (int64_t)tl_wire_get(counter, 1).u);
	struct tl_wire_field whole = tl_wire_get(counter, 2), real = tl_wire_get(counter, 3);
	struct tl_buf value = {0};
	if (!name) {
		pf_in_fault(r, TL_FAULT_NOT_AN_EVENT, "a counter without a name");
		return;
	}
	if (whole.number)
		tl_buf_i64(&value, (int64_t)whole.u);
	else
		pf_in_double(&value, tl_wire_double(&real));
	pf_in_open(r, r->ids++, "C");
	pf_in_str(r, "name", tl_pool_text(r->texts, *name - 1));
	tl_buf_printf(&r->line, ",\"pid\":\"GPU %lld Counters\"", (long long)c->gpu);
	pf_in_us(r, "ts", ts);
	tl_buf_lit(&r->line, ",\"args\":{\"\":");
	tl_buf_span(&r->line, tl_buf_all(&value));
	bool cycles = tl_span_eq(tl_pool_text(r->texts, *name - 1), TL_LIT("Cycles (Current Kernel)"));
	tl_buf_ch(&r->line, '}');
	pf_in_str(r, "from", cycles ? TL_LIT("cycles") : TL_LIT("gpu_counter"));
	tl_buf_printf(&r->line, ",\"window\":{\"device\":%lld,\"value\":", (long long)c->gpu);
	tl_buf_span(&r->line, tl_buf_all(&value));
	tl_buf_ch(&r->line, '}');
	pf_in_time(r, ts, ts);
	pf_in_close(r, (struct tl_span){0}, tl_pool_text(r->texts, *name - 1), 'C');
	tl_buf_free(&value);
}

void pf_in_gpu_counter(struct pf_in *r, struct pf_sequence *s, struct tl_span message, uint64_t ts)
{
	struct tl_wire_field own = tl_wire_get(message, 1), f;
	uint32_t at = 0,
			 *known = tl_intmap_find(&s->table[PF_T_COUNTERS], (int64_t)tl_wire_get(message, 4).u);
	struct tl_wire it = tl_wire_open(message);
	if (own.number)
		at = r->described = pf_in_counters(r, own.s, (int32_t)tl_wire_get(message, 3).u);
	else if (known)
		at = *known;
	else
		at = r->described;
	while (tl_wire_next(&it, &f)) {
		if (f.number != 2)
			continue;
		if (at)
			write_value(r, r->descriptors + at - 1, f.s, pf_in_ts(r, ts));
		else
			pf_in_fault(r, TL_FAULT_NOT_AN_EVENT, "a counter without a descriptor");
	}
	if (it.bad)
		pf_in_fault(r, TL_FAULT_BROKEN_EVENT, "a GPU counter");
}
