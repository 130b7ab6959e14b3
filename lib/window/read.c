/* Lines of a window into columns. */
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

/* In the order of field_names. */
enum field {
	F_kind,
	F_ph,
	F_start,
	F_end,
	F_deviceId,
	F_contextId,
	F_streamId,
	F_correlationId,
	F_graphNodeId,
	F_graphId,
	F_name,
	F_gridX,
	F_gridY,
	F_gridZ,
	F_blockX,
	F_blockY,
	F_blockZ,
	F_registersPerThread,
	F_staticSharedMemory,
	F_dynamicSharedMemory,
	F_priority,
	F_queued,
	F_channelID,
	F_channelType,
	F_annotation,
	F_metadata,
	F_logicalLane,
	F_laneName,
	F_bytes,
	F_copyKind,
	F_srcKind,
	F_dstKind,
	F_flags,
	F_value,
	F_memoryKind,
	F_processId,
	F_threadId,
	F_hostFn,
	F_hostFnAddr,
	F_cbid,
	F_globalTid,
	F_overheadKind,
	F_type,
	F_cudaEventId,
	F_cudaEventSyncId,
	F_eventId,
	F_externalId,
	F_userExternalId,
	F_timestamp,
	F_environmentKind,
	F_data,
	F_smClock,
	F_memoryClock,
	F_gpuTemperature,
	F_power,
	F_powerLimit,
	F_fanSpeed,
	F_metrics,
	F_systemThreadId,
	F_deps,
	F_event,
	F_arch,
	F_COUNT
};
static const char *const field_names[] = {"kind", "ph", "start", "end", "deviceId", "contextId",
	"streamId", "correlationId", "graphNodeId", "graphId", "name", "gridX", "gridY", "gridZ",
	"blockX", "blockY", "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory",
	"priority", "queued", "channelID", "channelType", "annotation", "metadata", "logicalLane",
	"laneName", "bytes", "copyKind", "srcKind", "dstKind", "flags", "value", "memoryKind",
	"processId", "threadId", "hostFn", "hostFnAddr", "cbid", "globalTid", "overheadKind", "type",
	"cudaEventId", "cudaEventSyncId", "eventId", "externalId", "userExternalId", "timestamp",
	"environmentKind", "data", "smClock", "memoryClock", "gpuTemperature", "power", "powerLimit",
	"fanSpeed", "metrics", "systemThreadId", "deps", "event", "arch"};
_Static_assert(sizeof field_names / sizeof *field_names == F_COUNT, "one name per field");

struct row {
	struct tl_span f[F_COUNT];
};

static bool is_null(struct tl_span v)
{
	return v.n == 0 || (v.n == 4 && v.p[0] == 'n');
}

static int64_t num(const struct row *r, enum field f)
{
	int64_t v;
	return window_int(r->f[f], &v) ? v : 0;
}

static bool has(const struct row *r, enum field f)
{
	return !is_null(r->f[f]);
}

/* A value as a text number, NO_TEXT for null. */
static uint32_t value_text(struct window *w, const struct row *r, enum field f)
{
	if (!has(r, f))
		return NO_TEXT;
	w->text.n = 0;
	return tl_pool_add(w->texts, tl_json_compact(r->f[f], &w->text));
}

/* A string as a text number; what is no string counts as null. */
static uint32_t string_text(struct window *w, const struct row *r, enum field f)
{
	return tl_json_is_string(r->f[f]) ? tl_pool_add(w->texts, r->f[f]) : NO_TEXT;
}

/* Start and end of a row, in the order in which they must stand. */
static bool read_times(struct window *w, const struct row *r, int64_t *start, int64_t *end)
{
	return window_int(r->f[F_start], start) && window_int(r->f[F_end], end) &&
		   (w->compat || *end >= *start);
}

static size_t put_varint(char *p, int64_t v)
{
	uint64_t u = (uint64_t)v << 1 ^ -(uint64_t)(v < 0);
	size_t n = 0;
	for (; u > 127; u >>= 7)
		p[n++] = (char)(u | 128);
	p[n++] = (char)u;
	return n;
}

static uint32_t add_what(struct window *w, const int64_t *v, unsigned n)
{
	char text[WHAT_MAX * 10];
	size_t at = 0;
	for (unsigned i = 0; i < n; i++)
		at += put_varint(text + at, v[i]);
	return tl_pool_add(w->whats, (struct tl_span){text, at});
}

unsigned window_what_get(const struct window *w, uint32_t what, int64_t v[WHAT_MAX])
{
	struct tl_span s = tl_pool_text(w->whats, what);
	unsigned n = 0;
	memset(v, 0, WHAT_MAX * sizeof *v);
	for (size_t i = 0; i < s.n && n < WHAT_MAX; i++) {
		uint64_t u = 0;
		unsigned shift = 0;
		for (; (unsigned char)s.p[i] > 127; i++, shift += 7)
			u |= (uint64_t)(s.p[i] & 127) << shift;
		u |= (uint64_t)s.p[i] << shift;
		v[n++] = (int64_t)(u >> 1 ^ -(u & 1));
	}
	return n;
}

static uint32_t read_what(struct window *w, const struct row *r, enum window_gpu_kind k)
{
	static const unsigned char fields[G_KINDS][WHAT_MAX + 1] = {
		{F_name, F_gridX, F_gridY, F_gridZ, F_blockX, F_blockY, F_blockZ, F_registersPerThread,
			F_staticSharedMemory, F_dynamicSharedMemory, F_priority, F_channelID, F_channelType},
		{F_bytes, F_copyKind, F_srcKind, F_dstKind, F_flags, F_channelID, F_channelType},
		{F_bytes, F_value, F_memoryKind, F_flags, F_channelID, F_channelType},
		{0},
		{F_processId, F_threadId},
	};
	int64_t v[WHAT_MAX];
	unsigned n = 0;
	for (; fields[k][n]; n++)
		if (!window_int(r->f[fields[k][n]], v + n))
			v[n] = w->compat ? 0 : ABSENT;
	if (k == G_KERNEL)
		v[0] = tl_json_is_string(r->f[F_name]) ? tl_pool_add(w->texts, r->f[F_name]) : NO_TEXT;
	return add_what(w, v, n);
}

static uint32_t read_place(struct window *w, const struct row *r, struct window_gpu *g)
{
	static const struct {
		enum field field;
		uint32_t bit;
	} own[] = {{F_logicalLane, OWN_LANE}, {F_hostFnAddr, OWN_ADDR}, {F_laneName, OWN_LANE_NAME},
		{F_annotation, OWN_ANNOTATION}, {F_metadata, OWN_METADATA}, {F_hostFn, OWN_HOST_FN}};
	struct window_place p = {.device = num(r, F_deviceId),
		.context = num(r, F_contextId),
		.stream = num(r, F_streamId),
		.node = num(r, F_graphNodeId),
		.graph = num(r, F_graphId),
		.lane_name = string_text(w, r, F_laneName),
		.annotation = value_text(w, r, F_annotation),
		.metadata = value_text(w, r, F_metadata),
		.host_fn = string_text(w, r, F_hostFn)};
	if (window_int(r->f[F_logicalLane], &p.lane))
		p.has |= PLACE_LANE;
	window_int(r->f[F_hostFnAddr], &p.host_addr);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		p.has |= r->f[own[i].field].n ? own[i].bit : 0;
	g->has_node |= p.node || p.graph;
	g->has_annotation |= window_truthy(r->f[F_annotation]);
	g->has_metadata |= r->f[F_metadata].n > 0;
	g->has_lane |= r->f[F_logicalLane].n > 0;
	g->has_host_fn |= r->f[F_hostFn].n > 0;
	return window_intern(&w->places, &p);
}

static bool read_gpu(struct window *w, const struct row *r, unsigned k)
{
	struct window_gpu *g = w->gpu + k;
	struct window_gpu_row row = {.correlation = num(r, F_correlationId)};
	if (!read_times(w, r, &row.start, &row.end))
		return false;
	row.place = read_place(w, r, g);
	row.what = read_what(w, r, k);
	TL_GROW(g->rows, g->n, g->cap);
	if (k == G_KERNEL) {
		TL_GROW(g->queued, g->n, g->queued_cap);
		g->queued[g->n] = num(r, F_queued);
	}
	g->rows[g->n++] = row;
	return true;
}

static bool read_api(struct window *w, const struct row *r, unsigned api)
{
	struct window_api_row row = {.correlation = num(r, F_correlationId)};
	struct window_pair caller = {num(r, F_processId), num(r, F_threadId)};
	struct window_call call = {
		.cbid = num(r, F_cbid), .name = string_text(w, r, F_name), .api = api};
	int64_t tid;
	if (!read_times(w, r, &row.start, &row.end))
		return false;
	if (window_int(r->f[F_globalTid], &tid))
		caller = (struct window_pair){tid >> 24 & 0xffffff, tid & 0xffffff};
	if (has(r, F_cbid))
		call.name = NO_TEXT;
	row.caller = window_intern(&w->callers, &caller);
	row.call = window_intern(&w->calls, &call);
	TL_GROW(w->api[api], w->napi[api], w->api_cap[api]);
	w->api[api][w->napi[api]++] = row;
	return true;
}

static bool read_overhead(struct window *w, const struct row *r, unsigned unused)
{
	struct window_overhead_row row = {.name = string_text(w, r, F_name)};
	(void)unused;
	if (!read_times(w, r, &row.start, &row.end))
		return false;
	if (row.name == NO_TEXT) {
		int64_t kind = num(r, F_overheadKind);
		struct tl_span name = tl_cupti_enum(w->cupti, "overhead", kind);
		w->text.n = 0;
		if (name.n)
			tl_json_quote(&w->text, name);
		else
			tl_buf_printf(&w->text, "\"overhead_%lld\"", (long long)kind);
		row.name = tl_pool_add(w->texts, tl_buf_all(&w->text));
	}
	TL_GROW(w->overhead, w->noverhead, w->overhead_cap);
	w->overhead[w->noverhead++] = row;
	return true;
}

static bool read_sync(struct window *w, const struct row *r, unsigned unused)
{
	struct window_sync_row row = {.type = num(r, F_type),
		.context = num(r, F_contextId),
		.stream = num(r, F_streamId),
		.correlation = num(r, F_correlationId),
		.event = num(r, F_cudaEventId),
		.sync_id = num(r, F_cudaEventSyncId)};
	(void)unused;
	if (!read_times(w, r, &row.start, &row.end))
		return false;
	row.has_device = window_int(r->f[F_deviceId], &row.device);
	if (row.stream == 0xffffffff)
		row.stream = -1;
	TL_GROW(w->sync, w->nsync, w->sync_cap);
	w->sync[w->nsync++] = row;
	return true;
}

static bool read_event(struct window *w, const struct row *r, unsigned unused)
{
	int64_t id = num(r, F_cudaEventSyncId);
	(void)unused;
	window_numbers_put(&w->event_contexts, num(r, F_contextId), num(r, F_deviceId), false);
	if (id) {
		window_numbers_put(&w->event_records, id, num(r, F_correlationId), true);
		window_numbers_put(&w->event_stream, id, num(r, F_streamId), true);
	}
	return true;
}

static bool read_external(struct window *w, const struct row *r, unsigned unused)
{
	struct window_external_row row = {num(r, F_correlationId), num(r, F_externalId), 0};
	(void)unused;
	row.user = has(r, F_userExternalId) ? num(r, F_userExternalId) : row.external;
	TL_GROW(w->external, w->nexternal, w->external_cap);
	w->external[w->nexternal++] = row;
	return true;
}

static int64_t environment_kind(struct tl_span v)
{
	static const char *const names[] = {"", "SPEED", "TEMPERATURE", "POWER", "COOLING"};
	int64_t n;
	if (window_int(v, &n))
		return n;
	for (int i = 1; i < 5; i++)
		if (tl_span_eq_nocase(tl_json_inner(v), tl_str(names[i])))
			return i;
	return 0;
}

static bool read_environment(struct window *w, const struct row *r, unsigned unused)
{
	static const enum field low[] = {F_data, F_smClock, F_gpuTemperature, F_power, F_fanSpeed};
	static const enum field high[] = {F_data, F_memoryClock, F_data, F_powerLimit, F_data};
	struct window_env_row row = {.device = num(r, F_deviceId)};
	(void)unused;
	row.kind = environment_kind(r->f[F_environmentKind]);
	if (!window_int(r->f[F_timestamp], &row.start) && !window_int(r->f[F_start], &row.start))
		return false;
	row.data = (uint64_t)num(r, F_data);
	if (!has(r, F_data) && row.kind > 0 && row.kind < 5) {
		row.data = (uint64_t)num(r, low[row.kind]);
		if (row.kind & 1)
			row.data = (row.data & 0xffffffff) | (uint64_t)num(r, high[row.kind]) << 32;
	}
	TL_GROW(w->env, w->nenv, w->env_cap);
	w->env[w->nenv++] = row;
	return true;
}

static bool read_pm(struct window *w, const struct row *r, unsigned unused)
{
	struct window_pm_row row = {.device = num(r, F_deviceId)};
	struct tl_json it = tl_json_open(r->f[F_metrics]);
	struct tl_span key, val;
	(void)unused;
	if (!window_int(r->f[F_start], &row.start))
		return false;
	while (r->f[F_metrics].n && tl_json_member(&it, &key, &val)) {
		row.metric = tl_pool_add(w->metrics, key);
		if (!tl_json_double(val, &row.value))
			continue;
		TL_GROW(w->pm, w->npm, w->pm_cap);
		w->pm[w->npm++] = row;
	}
	return true;
}

static bool read_thread(struct window *w, const struct row *r, unsigned unused)
{
	struct window_pair key = {num(r, F_processId), (int32_t)(uint32_t)num(r, F_threadId)};
	uint32_t i = window_intern(&w->opaque, &key);
	(void)unused;
	TL_GROW(w->os_thread, i, w->os_thread_cap);
	w->os_thread[i] = num(r, F_systemThreadId);
	return true;
}

static void read_deps(struct window *w, struct window_fact *f, struct tl_span list)
{
	struct tl_json it = tl_json_open(list);
	struct tl_span v;
	f->deps = w->ndeps;
	while (tl_json_element(&it, &v)) {
		int64_t node;
		if (!window_int(v, &node))
			continue;
		TL_GROW(w->deps, w->ndeps, w->deps_cap);
		w->deps[w->ndeps++] = node;
	}
	f->ndeps = w->ndeps - f->deps;
}

static struct window_fact *fact_of(struct window *w, int64_t node)
{
	uint32_t *i = tl_intmap_add(&w->node_facts, node);
	if (*i == 0) {
		TL_GROW(w->facts, w->nfacts, w->facts_cap);
		w->facts[w->nfacts++] = (struct window_fact){
			.lane_name = NO_TEXT, .annotation = NO_TEXT, .metadata = NO_TEXT, .host_fn = NO_TEXT};
		*i = (uint32_t)w->nfacts;
	}
	return w->facts + *i - 1;
}

static bool read_node(struct window *w, const struct row *r, unsigned unused)
{
	struct window_fact *f = fact_of(w, num(r, F_graphNodeId));
	(void)unused;
	if (r->f[F_deps].n && *r->f[F_deps].p == '[')
		read_deps(w, f, r->f[F_deps]);
	if (has(r, F_laneName))
		f->lane_name = string_text(w, r, F_laneName);
	if (has(r, F_annotation))
		f->annotation = value_text(w, r, F_annotation);
	if (has(r, F_metadata))
		f->metadata = value_text(w, r, F_metadata);
	if (has(r, F_hostFn))
		f->host_fn = string_text(w, r, F_hostFn);
	f->has_lane |= window_int(r->f[F_logicalLane], &f->lane);
	window_int(r->f[F_hostFnAddr], &f->host_addr);
	f->has_event |= window_int(r->f[F_event], &f->event);
	return true;
}

static bool read_annotation(struct window *w, const struct row *r, unsigned unused)
{
	(void)unused;
	window_numbers_put(&w->annotations, num(r, F_externalId), string_text(w, r, F_name), true);
	return true;
}

static bool read_collective(struct window *w, const struct row *r, unsigned unused)
{
	(void)unused;
	if (has(r, F_metadata))
		window_numbers_put(
			&w->collectives, num(r, F_externalId), value_text(w, r, F_metadata), true);
	return true;
}

static bool read_device(struct window *w, const struct row *r, unsigned unused)
{
	int64_t id = num(r, F_deviceId);
	(void)unused;
	TL_GROW(w->device_ids, w->devices.at.n, w->device_ids_cap);
	w->device_ids[w->devices.at.n] = id;
	window_numbers_put(&w->devices, id, string_text(w, r, F_name), true);
	if (tl_json_is_string(r->f[F_arch]))
		window_numbers_put(&w->archs, id, string_text(w, r, F_arch), true);
	return true;
}

static bool read_process(struct window *w, const struct row *r, unsigned unused)
{
	(void)unused;
	if (tl_json_is_string(r->f[F_name]))
		window_numbers_put(&w->processes, num(r, F_processId), string_text(w, r, F_name), true);
	return true;
}

/* CUPTI's names of activity kinds are taken too, with or without CUPTI_ACTIVITY_KIND_. */
static const struct kind {
	const char *name, *cupti, *cupti2;
	bool (*read)(struct window *, const struct row *, unsigned);
	unsigned arg;
	bool row; /* a row of activity */
} kinds[] = {
	{"kernel", "KERNEL", "CONCURRENT_KERNEL", read_gpu, G_KERNEL, true},
	{"cuda_runtime", "RUNTIME", NULL, read_api, TL_CUPTI_RUNTIME, true},
	{"gpu_memcpy", "MEMCPY", "MEMCPY2", read_gpu, G_MEMCPY, true},
	{"gpu_memset", "MEMSET", NULL, read_gpu, G_MEMSET, true},
	{"external_correlation", "EXTERNAL_CORRELATION", NULL, read_external, 0, true},
	{"cuda_driver", "DRIVER", NULL, read_api, TL_CUPTI_DRIVER, true},
	{"cuda_sync", "SYNCHRONIZATION", NULL, read_sync, 0, true},
	{"cuda_event", "CUDA_EVENT", NULL, read_event, 0, true},
	{"pm_sampling", "PM_SAMPLING", NULL, read_pm, 0, true},
	{"environment", "ENVIRONMENT", NULL, read_environment, 0, true},
	{"overhead", "OVERHEAD", NULL, read_overhead, 0, true},
	{"graph_event_node", "GRAPH_EVENT_NODE", NULL, read_gpu, G_EVENT, true},
	{"graph_host_node", "GRAPH_HOST_NODE", NULL, read_gpu, G_HOST, true},
	{"graph_node", NULL, NULL, read_node, 0, false},
	{"user_annotation", NULL, NULL, read_annotation, 0, false},
	{"thread", NULL, NULL, read_thread, 0, false},
	{"external_metadata", NULL, NULL, read_collective, 0, false},
	{"device", NULL, NULL, read_device, 0, false},
	{"process", NULL, NULL, read_process, 0, false},
};

static const struct kind *kind_of(struct tl_span name)
{
	struct tl_span prefix = TL_LIT("CUPTI_ACTIVITY_KIND_"), cupti = name;
	if (name.n > prefix.n && tl_span_eq((struct tl_span){name.p, prefix.n}, prefix))
		cupti = (struct tl_span){name.p + prefix.n, name.n - prefix.n};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (tl_span_eq(name, tl_str(kinds[i].name)) ||
			(kinds[i].cupti && tl_span_eq(cupti, tl_str(kinds[i].cupti))) ||
			(kinds[i].cupti2 && tl_span_eq(cupti, tl_str(kinds[i].cupti2))))
			return kinds + i;
	return NULL;
}

static void read_header(struct window *w, struct tl_span line)
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, val;
	while (tl_json_member(&it, &key, &val)) {
		if (tl_span_eq(key, TL_LIT("timeOffsetNs")))
			window_int(val, &w->offset);
		else if (!tl_span_eq(key, TL_LIT("kind")) && !tl_span_eq(key, TL_LIT("note")) &&
				 !tl_span_eq(key, TL_LIT("gz")))
			window_top(w, key, val, true);
	}
}

static enum window_line unknown_kind(struct window *w, struct tl_span kind)
{
	uint32_t i = tl_pool_add(w->unknown, kind);
	if (i + 1 == tl_pool_count(w->unknown)) {
		size_t cap = w->unknown_cap;
		TL_GROW(w->unknown_count, i, w->unknown_cap);
		if (cap != w->unknown_cap)
			memset(w->unknown_count + cap, 0, (w->unknown_cap - cap) * sizeof *w->unknown_count);
	}
	w->unknown_count[i]++;
	return WINDOW_UNKNOWN;
}

bool window_unknown(const struct window *w, size_t n, struct tl_span *kind, uint64_t *count)
{
	if (n >= tl_pool_count(w->unknown))
		return false;
	*kind = tl_pool_text(w->unknown, (uint32_t)n);
	*count = w->unknown_count[n];
	return true;
}

static void read_row(struct window *w, struct tl_span line, struct row *r)
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, val;
	*r = (struct row){0};
	while (tl_json_member(&it, &key, &val)) {
		uint32_t f = tl_pool_find(w->fields, key);
		if (f < F_COUNT)
			r->f[f] = val;
	}
}

enum window_line window_line(struct window *w, struct tl_span line)
{
	struct row r;
	while (line.n && (unsigned char)line.p[0] <= ' ')
		line.p++, line.n--;
	while (line.n && (unsigned char)line.p[line.n - 1] <= ' ')
		line.n--;
	if (line.n == 0 || (line.n > 1 && line.p[0] == '/' && line.p[1] == '/'))
		return WINDOW_TAKEN;
	if (!tl_json_valid(line))
		return WINDOW_NOT_JSON;
	if (line.p[0] != '{')
		return WINDOW_NO_KIND;
	read_row(w, line, &r);
	struct tl_span kind = tl_json_inner(r.f[F_kind]);
	if (r.f[F_kind].n == 0)
		return tl_json_is_string(r.f[F_ph]) ? WINDOW_EVENT : WINDOW_NO_KIND;
	if (tl_span_eq(kind, TL_LIT("header"))) {
		read_header(w, line);
		return WINDOW_TAKEN;
	}
	const struct kind *k = kind_of(kind);
	if (!k)
		return unknown_kind(w, kind);
	if (!k->read(w, &r, k->arg))
		return WINDOW_BAD_TIME;
	w->totals.rows += k->row;
	return WINDOW_TAKEN;
}

void window_read_init(struct window *w)
{
	w->fields = tl_pool_new();
	for (unsigned i = 0; i < F_COUNT; i++)
		tl_pool_add(w->fields, tl_str(field_names[i]));
}
