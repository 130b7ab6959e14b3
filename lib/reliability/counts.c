#include "inside.h"
#include "../json/json.h"

#define HOUR INT64_C(3600000000000)

static unsigned long long ull(uint64_t v)
{
	return (unsigned long long)v;
}

struct rl_seen rl_no_example(uint64_t count)
{
	return (struct rl_seen){count, UINT64_MAX, 0, false};
}

static void no_device_events(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	struct rl_seen all = rl_no_example(n->launches);
	if (n->launches == 0 || n->gpu > 0)
		return;
	struct rl_warning *w = rl_raise(r, RL_no_device_events, RL_SEV_ERROR, &all,
		"%llu launches, but the file holds no GPU op: nothing about the GPU is known",
		ull(n->launches));
	tl_put_json(&w->figures, "other_cats", tl_buf_all(&n->other_cats));
	tl_put_u64(&w->figures, "launches", n->launches);
}

/* A start of 0 is a fault when the next op starts over an hour later: times are not relative. */
static void zero_or_negative_time(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	bool zero = n->zero_ts.count && n->after_zero > HOUR;
	bool empty = (double)n->zero_dur.count > 0.01 * (double)n->gpu;
	if (!n->negative.count && !zero && !empty)
		return;
	const struct rl_seen *at = n->negative.count ? &n->negative : zero ? &n->zero_ts : &n->zero_dur;
	struct rl_warning *w = rl_raise(r, RL_zero_or_negative_time,
		n->negative.count || zero ? RL_SEV_ERROR : RL_SEV_WARNING, at, "%llu of %llu GPU ops %s",
		ull(at->count), ull(n->gpu),
		n->negative.count ? "start before 0 or end before they start"
		: zero            ? "start at 0, hours before the next one"
						  : "take no time");
	tl_put_u64(&w->figures, "negative", n->negative.count);
	tl_put_u64(&w->figures, "at_zero", zero ? n->zero_ts.count : 0);
	tl_put_u64(&w->figures, "no_duration", n->zero_dur.count);
	tl_put_u64(&w->figures, "gpu_ops", n->gpu);
}

static void wrong_unit(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	int64_t span = n->has_span ? tl_ns_sub(n->last, n->first) : 0;
	int64_t starts = n->has_starts ? tl_ns_sub(n->start_max, n->start_min) : 0;
	struct rl_warning *w;
	if (!n->fraction && span > HOUR && n->long_dur.count * 2 > n->gpu)
		w = rl_raise(r, RL_wrong_unit, RL_SEV_ERROR, &n->long_dur,
			"most GPU ops are longer than 10 ms and all times are whole numbers: likely "
			"nanoseconds");
	else if (n->longest_ns > HOUR && n->longest_ns > starts)
		w = rl_raise(r, RL_wrong_unit, RL_SEV_WARNING, &n->longest,
			"a GPU op is longer than an hour, and than the time in which all events start");
	else
		return;
	tl_put_us(&w->figures, "span_us", span);
	tl_put_us(&w->figures, "longest_us", n->longest_ns);
}

static void from_count(struct tl_reliability *r, enum rl_code code,
	enum tl_reliability_severity severity, const struct rl_seen *s, const char *what)
{
	if (s->count)
		rl_raise(r, code, severity, s, "%llu %s", ull(s->count), what);
}

static void unknown_backend(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	if (!n->unknown.count)
		return;
	struct rl_warning *w = rl_raise(r, RL_unknown_backend, RL_SEV_WARNING, &n->unknown,
		"%llu events are of a back end whose device work is not analysed", ull(n->unknown.count));
	rl_figure_name(w, "cat", tl_buf_all(&n->unknown_cat));
}

static void host_annotations(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	struct rl_seen ops = rl_no_example(n->cpu_ops);
	if (n->cpu_ops && n->cpu_dims == 0 && n->record_shapes <= 0)
		rl_raise(r, RL_shapes_missing, RL_SEV_INFO, &ops,
			"no operator has Input Dims: record_shapes was off");
	if (n->host && n->steps == 0)
		rl_raise(r, RL_steps_missing, RL_SEV_INFO, NULL,
			"no annotation marks a step: nothing can be told per step");
}

/* ---- what the reader met ---- */

enum damage { DAMAGE_NONE, DAMAGE_REPAIRED, DAMAGE_LOST, DAMAGE_CUT };

static enum damage damage_of(struct tl_span code)
{
	static const struct {
		struct tl_span code;
		enum damage damage;
	} known[] = {
		{TL_LIT("truncated_json"), DAMAGE_CUT},
		{TL_LIT("truncated_gzip"), DAMAGE_CUT},
		{TL_LIT("bad_gzip"), DAMAGE_CUT},
		{TL_LIT("broken_event"), DAMAGE_LOST},
		{TL_LIT("oversize_event"), DAMAGE_LOST},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (tl_span_eq(code, known[i].code))
			return known[i].damage;
	return DAMAGE_REPAIRED;
}

struct damages {
	enum damage worst;
	struct tl_span code; /* of the worst */
	uint64_t count, offset;
	bool has_offset, unread; /* unread: text was passed over, and what it held is not known */
};

/* Of the faults of an `end` that counts so many events as skipped. */
static struct damages read_faults(struct tl_span faults, uint64_t skipped)
{
	struct damages d = {0};
	struct tl_span v;
	if (faults.n == 0 || faults.p[0] != '[')
		return d;
	struct tl_json it = tl_json_open(faults);
	while (tl_json_element(&it, &v)) {
		struct tl_span code = tl_json_inner(tl_json_get(v, TL_LIT("code")));
		uint64_t n = 1;
		tl_json_u64(tl_json_get(v, TL_LIT("count")), &n);
		d.count += n;
		d.unread |= tl_span_eq(code, TL_LIT("trailing_garbage"));
		if (damage_of(code) <= d.worst)
			continue;
		d.worst = damage_of(code);
		d.code = code;
		d.has_offset = tl_json_u64(tl_json_get(v, TL_LIT("offset")), &d.offset);
	}
	if (d.worst == DAMAGE_REPAIRED && skipped)
		d.worst = DAMAGE_LOST;
	return d;
}

void rl_truncated(struct tl_reliability *r, enum rl_code code)
{
	const struct rl_count *n = &r->f.n;
	struct damages d = read_faults(tl_buf_all(&n->faults), n->end_skipped);
	if (n->cut)
		d = (struct damages){DAMAGE_CUT, TL_LIT("stream"), d.count + 1, 0, false, false};
	if (d.worst == DAMAGE_NONE)
		return;
	struct rl_seen all = rl_no_example(d.count);
	enum tl_reliability_severity severity = code == RL_trace_stream_incomplete ? RL_SEV_WARNING
											: d.worst == DAMAGE_CUT            ? RL_SEV_ERROR
											: d.worst == DAMAGE_LOST           ? RL_SEV_WARNING
																			   : RL_SEV_INFO;
	struct rl_warning *w = rl_raise(r, code, severity, &all, "%s",
		d.worst == DAMAGE_CUT    ? "the recording was cut: what came after is not in the file"
		: d.worst == DAMAGE_LOST ? "events could not be read and are missing"
		: d.unread               ? "text that belongs to no trace was passed over"
								 : "damage was repaired; no event is missing");
	rl_figure_name(w, "fault", d.code);
	if (d.has_offset)
		tl_put_u64(&w->figures, "offset", d.offset);
	if (n->ts_last.n)
		tl_put_json(&w->figures, "ts_last", tl_buf_all(&n->ts_last));
}

static bool digit_at(struct tl_span s, size_t i)
{
	return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

bool rl_is_sidecar(struct tl_span source)
{
	size_t name = source.n;
	while (name && source.p[name - 1] != '/')
		name--;
	struct tl_span file = {source.p + name, source.n - name};
	return tl_span_has_nocase(source, TL_LIT("graph_capture")) ||
		   tl_span_has_nocase(source, TL_LIT("capture_traces/")) ||
		   (file.n > 3 && tl_span_eq_nocase((struct tl_span){file.p, 3}, TL_LIT("bs_")) &&
			   digit_at(file, 3));
}

static void capture_not_run(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	bool named = rl_is_sidecar(tl_buf_all(&n->source));
	if (!named && (n->begin_capture.count == 0 || n->graph_calls > 0))
		return;
	rl_raise(r, RL_capture_not_run, RL_SEV_WARNING,
		n->begin_capture.count ? &n->begin_capture : NULL, "%s",
		named ? "the file's name is that of a graph capture: the workload is in another file"
			  : "a graph is captured and never replayed: what it launches does not run here");
}

/* What corr_zero_or_dup and external_id_unusable can tell without columns. */
static void quick_ids(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	if (r->has_launch && (double)n->corr_absent.count > 0.01 * (double)n->gpu)
		rl_raise(r, RL_corr_zero_or_dup, RL_SEV_ERROR, &n->corr_absent,
			"%llu GPU ops have no correlation id, or 0: their launch is not known",
			ull(n->corr_absent.count));
	if ((double)n->launch_noext.count > 0.5 * (double)n->launches)
		rl_raise(r, RL_external_id_unusable, RL_SEV_INFO, &n->launch_noext,
			"most launches have no External id");
}

void rl_capture_folder(struct tl_reliability *r)
{
	if (r->o->capture_folder)
		rl_raise(r, RL_capture_folder_not_used_for_core, RL_SEV_INFO, NULL,
			"a capture folder was named; nothing is rebuilt from it");
}

void rl_rows_counts(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	if (r->o->quick)
		quick_ids(r);
	no_device_events(r);
	if (n->gpu) {
		zero_or_negative_time(r);
		wrong_unit(r);
	}
	host_annotations(r);
	rl_truncated(r, RL_truncated_input);
	from_count(r, RL_overhead_as_work, RL_SEV_WARNING, &n->marker,
		"markers or syncs are recorded as GPU ops");
	unknown_backend(r);
	from_count(r, RL_stream_wrong, RL_SEV_WARNING, &n->big_stream,
		"GPU ops have a stream id above 2^53: tools that read numbers as doubles merge streams");
	capture_not_run(r);
	rl_capture_folder(r);
}
