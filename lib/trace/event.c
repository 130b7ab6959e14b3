#include "event.h"
#include "../json/json.h"

/* Keys come in nearly this order, so each one is looked for from where the last was found. */
static const struct tl_span names[] = {TL_LIT("type"),
	TL_LIT("trace"), /* no fields, but in every line */
#define FIRST 2
	TL_LIT("id"), TL_LIT("ph"), TL_LIT("cat"), TL_LIT("name"), TL_LIT("pid"), TL_LIT("tid"),
	TL_LIT("ts"), TL_LIT("dur"), TL_LIT("device"), TL_LIT("stream"), TL_LIT("correlation"),
	TL_LIT("external_id"), TL_LIT("flow"), TL_LIT("args"), TL_LIT("chrome"), TL_LIT("from"),
	TL_LIT("start_ns"), TL_LIT("end_ns"), TL_LIT("waits"), TL_LIT("window"), TL_LIT("parent"),
	TL_LIT("depth"), TL_LIT("gpu_ops"), TL_LIT("gpu_us"), TL_LIT("own_gpu_ops"), TL_LIT("launcher"),
	TL_LIT("graph"), TL_LIT("operator"), TL_LIT("apart"), TL_LIT("bwd"), TL_LIT("fwd"),
	TL_LIT("fwd_name"), TL_LIT("early_us"), TL_LIT("overrun_us"), TL_LIT("grazes"),
	TL_LIT("clamped_end"), TL_LIT("scope"), TL_LIT("launch_op"), TL_LIT("how"), TL_LIT("class"),
	TL_LIT("stage"), TL_LIT("hidden_us"), TL_LIT("exclusive_us"), TL_LIT("hidden_by_compute_us")};
#define NAMES (sizeof names / sizeof *names)
_Static_assert(NAMES == FIRST + TL_F_COUNT, "one name per field");

static size_t find(struct tl_span key, size_t from)
{
	for (size_t i = from; i < NAMES; i++)
		if (tl_span_eq(names[i], key))
			return i;
	for (size_t i = 0; i < from; i++)
		if (tl_span_eq(names[i], key))
			return i;
	return NAMES;
}

static bool read_fields(struct tl_span line, struct tl_event *e)
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, val;
	size_t next = 0;
	while (tl_json_member(&it, &key, &val)) {
		size_t i = find(key, next);
		if (i == NAMES)
			continue;
		next = i + 1;
		if (i >= FIRST && e->f[i - FIRST].n == 0)
			e->f[i - FIRST] = val;
	}
	return !it.bad;
}

bool tl_event_read(struct tl_span line, struct tl_event *e)
{
	*e = (struct tl_event){0};
	if (line.n == 0 || line.p[0] != '{' || !read_fields(line, e))
		return false;
	if (!tl_json_u64(e->f[TL_F_ID], &e->id))
		return false;
	struct tl_span ph = e->f[TL_F_PH];
	if (tl_json_is_string(ph) && ph.n == 3)
		e->ph = ph.p[1];
	e->has_ts = e->f[TL_F_TS].n && tl_ns_parse(e->f[TL_F_TS], &e->ts);
	e->has_dur = e->f[TL_F_DUR].n && tl_ns_parse(e->f[TL_F_DUR], &e->dur) && e->dur >= 0;
	if (!e->has_ts)
		e->ts = 0;
	if (!e->has_dur)
		e->dur = 0;
	e->end = tl_ns_add(e->ts, e->dur);
	return true;
}

enum tl_cat tl_cat_of(struct tl_span cat)
{
	static const struct {
		struct tl_span name;
		enum tl_cat cat;
	} known[] = {
		{TL_LIT("cpu_op"), TL_CAT_CPU_OP},
		{TL_LIT("python_function"), TL_CAT_PYTHON},
		{TL_LIT("kernel"), TL_CAT_KERNEL},
		{TL_LIT("ac2g"), TL_CAT_AC2G},
		{TL_LIT("fwdbwd"), TL_CAT_FWDBWD},
		{TL_LIT("gpu_memcpy"), TL_CAT_MEMCPY},
		{TL_LIT("gpu_memset"), TL_CAT_MEMSET},
		{TL_LIT("user_annotation"), TL_CAT_ANNOTATION},
		{TL_LIT("gpu_user_annotation"), TL_CAT_GPU_ANNOTATION},
		{TL_LIT("cuda_sync"), TL_CAT_SYNC},
		{TL_LIT("overhead"), TL_CAT_OVERHEAD},
		{TL_LIT("async_cpu_to_gpu"), TL_CAT_AC2G},
		{TL_LIT("trace"), TL_CAT_TRACE},
		{TL_LIT("operator"), TL_CAT_CPU_OP},
		{TL_LIT("runtime"), TL_CAT_RUNTIME},
		{TL_LIT("memcpy"), TL_CAT_MEMCPY},
		{TL_LIT("memset"), TL_CAT_MEMSET},
	};
	cat = tl_json_inner(cat);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (tl_span_eq(known[i].name, cat) || tl_span_eq_nocase(known[i].name, cat))
			return known[i].cat;
	if (tl_span_ends_nocase(cat, TL_LIT("_runtime")))
		return TL_CAT_RUNTIME;
	if (tl_span_ends_nocase(cat, TL_LIT("_driver")))
		return TL_CAT_DRIVER;
	return TL_CAT_OTHER;
}

/* Spec: the overview page of the TensorBoard plugin takes none of these for operators. */
static bool names_annotation(struct tl_span name)
{
	static const struct tl_span heads[] = {TL_LIT("ProfilerStep#"), TL_LIT("Optimizer."),
		TL_LIT("enumerate(DataLoader)#"), TL_LIT("enumerate(DataPipe)#"), TL_LIT("## ")};
	if (name.n == 0 ||
		!memchr("POe#D", name.p[0], 5)) /* most names are seen by their first letter */
		return false;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (name.n >= heads[i].n && memcmp(name.p, heads[i].p, heads[i].n) == 0)
			return true;
	return tl_span_eq(name, TL_LIT("DataParallel.forward")) ||
		   tl_span_eq(name, TL_LIT("DistributedDataParallel.forward"));
}

enum tl_cat tl_event_cat(const struct tl_event *e)
{
	enum tl_cat cat = tl_cat_of(e->f[TL_F_CAT]);
	if (cat == TL_CAT_CPU_OP && names_annotation(tl_json_inner(e->f[TL_F_NAME])))
		return TL_CAT_ANNOTATION;
	return cat;
}

bool tl_event_is_gpu_op(const struct tl_event *e)
{
	if (e->ph != 'X' && !(e->ph == 'B' && e->has_dur))
		return false;
	return tl_cat_is_gpu(tl_cat_of(e->f[TL_F_CAT]));
}

bool tl_is_graph_launch(struct tl_span name)
{
	return tl_span_has_nocase(name, TL_LIT("graphlaunch")) ||
		   tl_span_has_nocase(name, TL_LIT("graph_launch"));
}

struct tl_mark tl_mark_of(const struct tl_event *e)
{
	return (struct tl_mark){.ts = e->ts,
		.end = e->end,
		.has_ts = e->has_ts && e->ph != 'M',
		.gpu_op = e->ph == 'X' && tl_event_is_gpu_op(e)};
}
