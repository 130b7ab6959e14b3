#include "reliability_facts.h"
#include "comm.h"
#include "../io/json.h"
#include "../io/time.h"
#include <stdlib.h>

void rl_saw(struct rl_seen *s, uint64_t id, int64_t ts, bool has_ts)
{
	if (s->count++ == 0 || id < s->id)
		*s = (struct rl_seen){s->count, id, ts, has_ts};
}

void rl_facts_clear(struct rl_facts *f)
{
	struct tl_buf cat = f->n.unknown_cat, source = f->n.source, faults = f->n.faults,
				  last = f->n.ts_last;
	cat.n = source.n = faults.n = last.n = 0;
	f->n = (struct rl_count){.record_shapes = -1,
		.unknown_cat = cat,
		.source = source,
		.faults = faults,
		.ts_last = last};
	if (f->pool)
		tl_pool_clear(f->pool);
	else
		f->pool = tl_pool_new();
	f->n_ops = f->n_calls = f->n_cpu = f->n_groups = f->n_pauses = f->n_steps = f->n_launches =
		f->n_ext = 0;
	free(f->by_start);
	free(f->launches);
	free(f->ext_cpu);
	f->by_start = f->launches = f->ext_cpu = NULL;
	f->span = f->busy = f->sum = f->kernel_sum = 0;
	f->lanes = f->devices = 0;
	f->last_launch = INT64_MIN;
	f->tree = false;
	if (f->halves)
		tl_table_clear(f->halves);
	f->half_lines.n = 0;
}

void rl_facts_free(struct rl_facts *f)
{
	tl_pool_free(f->pool);
	if (f->halves)
		tl_table_free(f->halves);
	tl_buf_free(&f->half_lines);
	free(f->half_at);
	free(f->ops);
	free(f->calls);
	free(f->cpu);
	free(f->groups);
	free(f->pauses);
	free(f->steps);
	free(f->by_start);
	free(f->launches);
	free(f->ext_cpu);
	tl_buf_free(&f->n.unknown_cat);
	tl_buf_free(&f->n.source);
	tl_buf_free(&f->n.faults);
	tl_buf_free(&f->n.ts_last);
}

static void put(struct tl_buf *b, struct tl_span s)
{
	b->n = 0;
	tl_buf_span(b, s);
}

static bool id_of(struct tl_span v, uint64_t *out)
{
	int64_t i;
	if (tl_json_u64(v, out))
		return true;
	if (!tl_json_i64(v, &i))
		return false;
	*out = (uint64_t)i;
	return true;
}

static void saw(struct rl_seen *s, const struct tl_event *e)
{
	rl_saw(s, e->id, e->ts, e->has_ts);
}

static bool starts_nocase(struct tl_span s, struct tl_span lower)
{
	return s.n >= lower.n && tl_span_eq_nocase((struct tl_span){s.p, lower.n}, lower);
}

/* A name that is one of these words, or goes on behind it with no letter. */
static bool is_word(struct tl_span s, struct tl_span lower)
{
	if (!starts_nocase(s, lower))
		return false;
	char next = s.n > lower.n ? (char)(s.p[lower.n] | 0x20) : ' ';
	return next < 'a' || next > 'z';
}

static bool letter_at(struct tl_span s, size_t i)
{
	return i < s.n && (s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z';
}

/* ProfilerStep#3, denoise_step 4, iteration 12, "step[DECODE bs=32]"; not Optimizer.step#SGD.step.
 */
static bool is_step(struct tl_span name)
{
	if (starts_nocase(name, TL_LIT("optimizer.")))
		return false;
	if (tl_span_has_nocase(name, TL_LIT("profilerstep")) ||
		tl_span_has_nocase(name, TL_LIT("denoise")) ||
		tl_span_has_nocase(name, TL_LIT("iteration")))
		return true;
	for (size_t i = 0; i + 4 <= name.n; i++)
		if (tl_span_eq_nocase((struct tl_span){name.p + i, 4}, TL_LIT("step")) &&
			((i == 0 || !letter_at(name, i - 1)) || !letter_at(name, i + 4)))
			return true;
	return false;
}

static bool is_comm(const struct tl_event *e)
{
	struct tl_span class = tl_json_inner(e->f[TL_F_CLASS]);
	struct tl_buf name = {0};
	if (class.n)
		return tl_span_eq(class, TL_LIT("communication"));
	if (tl_json_is_string(e->f[TL_F_NAME]))
		tl_json_text(e->f[TL_F_NAME], &name);
	bool is = tl_name_communicates(tl_buf_all(&name));
	tl_buf_free(&name);
	return is;
}

/* Whole microseconds: no point, or nothing but zeros behind it. */
static bool has_fraction(struct tl_span v)
{
	const char *dot = v.n ? memchr(v.p, '.', v.n) : NULL;
	for (const char *p = dot ? dot + 1 : v.p + v.n; p < v.p + v.n; p++)
		if (*p >= '1' && *p <= '9')
			return true;
	return false;
}

static bool negative_dur(const struct tl_event *e)
{
	int64_t ns;
	struct tl_span v = e->f[TL_F_DUR];
	if (!e->has_dur && !v.n && e->f[TL_F_CHROME].n)
		v = tl_json_get(e->f[TL_F_CHROME], TL_LIT("dur"));
	return v.n && tl_ns_parse(v, &ns) && ns < 0;
}

static void count_times(struct rl_count *n, const struct tl_event *e)
{
	if (negative_dur(e) || (e->has_ts && e->ts < 0))
		saw(&n->negative, e);
	if (!e->has_ts)
		return;
	if (e->ts == 0)
		saw(&n->zero_ts, e);
	else if (e->ts > 0 && (n->after_zero == 0 || e->ts < n->after_zero))
		n->after_zero = e->ts;
	if (e->has_dur && e->dur == 0)
		saw(&n->zero_dur, e);
	if (e->dur > INT64_C(10000000))
		saw(&n->long_dur, e);
	if (e->dur > n->longest_ns) {
		n->longest_ns = e->dur;
		n->longest = (struct rl_seen){1, e->id, e->ts, true};
	}
	n->fraction = n->fraction || has_fraction(e->f[TL_F_TS]) || has_fraction(e->f[TL_F_DUR]);
	if (!n->has_span || e->ts < n->first)
		n->first = e->ts;
	if (!n->has_span || e->end > n->last)
		n->last = e->end;
	n->has_span = true;
}

static void count_gpu(struct rl_count *n, const struct tl_event *e, enum tl_cat cat)
{
	struct tl_span name = tl_json_inner(e->f[TL_F_NAME]);
	uint64_t u;
	n->gpu++;
	n->kernels += cat == TL_CAT_KERNEL;
	n->with_stream += e->f[TL_F_STREAM].n > 0;
	if (!id_of(e->f[TL_F_CORRELATION], &u) || u == 0)
		saw(&n->corr_absent, e);
	if (tl_json_u64(e->f[TL_F_STREAM], &u) && u > UINT64_C(1) << 53)
		saw(&n->big_stream, e);
	if (is_word(name, TL_LIT("marker")) || is_word(name, TL_LIT("context sync")))
		saw(&n->marker, e);
	count_times(n, e);
}

static uint32_t join(struct rl_facts *f, struct tl_span a, struct tl_span b)
{
	char text[256];
	struct tl_span s = {text, 0};
	struct tl_buf big = {0};
	if (a.n + b.n + 1 > sizeof text)
		tl_buf_more(&big, a.n + b.n + 1);
	char *p = big.p ? big.p : text;
	if (a.n)
		memcpy(p, a.p, a.n);
	p[a.n] = '|';
	if (b.n)
		memcpy(p + a.n + 1, b.p, b.n);
	s = (struct tl_span){p, a.n + b.n + 1};
	uint32_t id = tl_pool_add(f->pool, s);
	tl_buf_free(&big);
	return id;
}

/* The key of a device: args.device, else the pid, told apart by the '|' of the join. */
static struct tl_span first_of(struct tl_span a, struct tl_span b)
{
	return a.n ? a : b;
}

static void add_gpu(struct rl_facts *f, const struct tl_event *e, enum tl_cat cat)
{
	struct tl_span name = tl_json_inner(e->f[TL_F_NAME]), graph_id;
	if (!e->has_ts)
		return;
	TL_GROW(f->ops, f->n_ops, f->cap_ops);
	struct rl_op *o = &f->ops[f->n_ops++];
	struct tl_span device = first_of(e->f[TL_F_DEVICE], e->f[TL_F_PID]);
	*o = (struct rl_op){.id = e->id,
		.ts = e->ts,
		.dur = e->dur,
		.end = e->end,
		.kernel = cat == TL_CAT_KERNEL,
		.name = tl_pool_add(f->pool, name),
		.group = RL_NONE,
		.graph_id = RL_NONE};
	o->device = join(f, device, TL_LIT(""));
	o->lane = join(f, device, first_of(e->f[TL_F_STREAM], e->f[TL_F_TID]));
	o->has_corr = id_of(e->f[TL_F_CORRELATION], &o->corr) && o->corr != 0;
	o->has_ext = id_of(e->f[TL_F_EXTERNAL_ID], &o->ext);
	o->has_launcher = id_of(e->f[TL_F_LAUNCHER], &o->launcher);
	o->comm = is_comm(e);
	f->tree = f->tree || o->has_launcher;
	if (o->kernel && e->f[TL_F_ARGS].n &&
		(graph_id = tl_json_get(e->f[TL_F_ARGS], TL_LIT("graph id"))).n)
		o->graph_id = tl_pool_add(f->pool, graph_id);
}

static bool is_launch(struct tl_span name)
{
	return tl_span_has_nocase(name, TL_LIT("launch")) &&
		   !tl_span_has_nocase(name, TL_LIT("hostfunc"));
}

static void take_call(struct rl_facts *f, const struct tl_event *e, enum tl_cat cat, bool quick)
{
	struct tl_span name = tl_json_inner(e->f[TL_F_NAME]);
	struct rl_count *n = &f->n;
	uint64_t u;
	bool launch = is_launch(name), graph = tl_is_graph_launch(name),
		 ext = id_of(e->f[TL_F_EXTERNAL_ID], &u);
	int capture = tl_span_has_nocase(name, TL_LIT("begincapture")) -
				  tl_span_has_nocase(name, TL_LIT("endcapture"));
	n->calls++;
	n->launches += launch;
	n->launches_ext += launch && ext;
	n->graph_calls += graph;
	if (launch && !ext)
		saw(&n->launch_noext, e);
	if (capture == 1)
		saw(&n->begin_capture, e);
	if (quick)
		return;
	TL_GROW(f->calls, f->n_calls, f->cap_calls);
	struct rl_call *c = &f->calls[f->n_calls++];
	*c = (struct rl_call){.id = e->id,
		.ts = e->ts,
		.end = e->end,
		.graph = graph,
		.launch = launch,
		.has_ext = ext,
		.ext = ext ? u : 0,
		.capture = (signed char)capture,
		.group = RL_NONE,
		.op = RL_NONE,
		.driver = cat == TL_CAT_DRIVER,
		.name = tl_pool_add(f->pool, name)};
	c->pid = tl_pool_add(f->pool, e->f[TL_F_PID]);
	c->thread = join(f, e->f[TL_F_PID], e->f[TL_F_TID]);
	c->has_corr = id_of(e->f[TL_F_CORRELATION], &c->corr) && c->corr != 0;
}

static void take_cpu(struct rl_facts *f, const struct tl_event *e, bool quick)
{
	bool dims = e->f[TL_F_ARGS].n && tl_json_get(e->f[TL_F_ARGS], TL_LIT("Input Dims")).n;
	f->n.cpu_ops++;
	f->n.cpu_dims += dims;
	if (quick)
		return;
	TL_GROW(f->cpu, f->n_cpu, f->cap_cpu);
	struct rl_cpu *c = &f->cpu[f->n_cpu++];
	*c = (struct rl_cpu){.id = e->id,
		.ts = e->ts,
		.end = e->end,
		.dims = dims,
		.name = tl_pool_add(f->pool, tl_json_inner(e->f[TL_F_NAME]))};
	c->thread = join(f, e->f[TL_F_PID], e->f[TL_F_TID]);
	c->has_ext = id_of(e->f[TL_F_EXTERNAL_ID], &c->ext);
}

static void take_overhead(struct rl_facts *f, const struct tl_event *e, bool quick)
{
	struct tl_span name = tl_json_inner(e->f[TL_F_NAME]);
	bool lazy = tl_span_eq_nocase(name, TL_LIT("lazy function loading")) ||
				tl_span_eq_nocase(name, TL_LIT("instrumentation"));
	bool buffer = tl_span_eq_nocase(name, TL_LIT("activity buffer request")) ||
				  tl_span_eq_nocase(name, TL_LIT("buffer flush"));
	if (quick || !e->has_ts || (!lazy && !buffer))
		return;
	TL_GROW(f->pauses, f->n_pauses, f->cap_pauses);
	f->pauses[f->n_pauses++] = (struct rl_pause){e->id, e->ts, e->dur, lazy};
}

static void take_annotation(struct rl_facts *f, const struct tl_event *e, bool quick)
{
	struct tl_span name = tl_json_inner(e->f[TL_F_NAME]);
	if (!is_step(name))
		return;
	f->n.steps++;
	if (quick || !e->has_ts || !e->has_dur)
		return;
	while (name.n && name.p[name.n - 1] >= '0' && name.p[name.n - 1] <= '9')
		name.n--;
	while (name.n && strchr("#_ -", name.p[name.n - 1]))
		name.n--;
	TL_GROW(f->steps, f->n_steps, f->cap_steps);
	f->steps[f->n_steps++] = (struct rl_step){tl_pool_add(f->pool, name), e->ts, e->dur, e->id};
}

/* Device rows of back ends whose events tl does not take for GPU ops. */
static void take_other(struct rl_facts *f, const struct tl_event *e)
{
	static const struct tl_span foreign[] = {
		TL_LIT("mtia_"), TL_LIT("privateuse1_"), TL_LIT("glow_"), TL_LIT("hpu_op")};
	struct tl_span cat = tl_json_inner(e->f[TL_F_CAT]);
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		if (starts_nocase(cat, foreign[i])) {
			if (f->n.unknown.count == 0 || e->id < f->n.unknown.id)
				put(&f->n.unknown_cat, cat);
			saw(&f->n.unknown, e);
			return;
		}
}

static void see_start(struct rl_count *n, const struct tl_event *e)
{
	if (!n->has_starts || e->ts < n->start_min)
		n->start_min = e->ts;
	if (!n->has_starts || e->ts > n->start_max)
		n->start_max = e->ts;
	n->has_starts = true;
}

static void take_span(struct rl_facts *f, const struct tl_event *e, bool quick)
{
	enum tl_cat cat = tl_cat_of(e->f[TL_F_CAT]);
	struct rl_count *n = &f->n;
	if (e->has_ts && cat != TL_CAT_TRACE)
		see_start(n, e);
	n->host += cat == TL_CAT_CPU_OP || cat == TL_CAT_PYTHON || cat == TL_CAT_ANNOTATION ||
			   tl_cat_is_launch(cat);
	if (tl_cat_is_gpu(cat)) {
		count_gpu(n, e, cat);
		if (!quick)
			add_gpu(f, e, cat);
	} else if (tl_cat_is_launch(cat)) {
		take_call(f, e, cat, quick);
	} else if (cat == TL_CAT_CPU_OP) {
		take_cpu(f, e, quick);
	} else if (cat == TL_CAT_PYTHON) {
		n->python++;
	} else if (cat == TL_CAT_OVERHEAD) {
		take_overhead(f, e, quick);
	} else if (cat == TL_CAT_ANNOTATION) {
		take_annotation(f, e, quick);
	} else {
		take_other(f, e);
	}
}

/* Halves of spans wait for the end: only there it is known which belong together. */
static void keep_half(struct rl_facts *f, const struct tl_event *e, struct tl_span line)
{
	if (!f->halves)
		f->halves = tl_table_new(TL_TAKE_ALL & ~TL_TAKE_LINES);
	uint32_t row = tl_table_add(f->halves, e, TL_LIT(""));
	TL_GROW(f->half_at, row, f->cap_halves);
	if (e->ph == 'B')
		tl_buf_span(&f->half_lines, line);
	f->half_at[row] = f->half_lines.n;
}

void rl_facts_join(struct rl_facts *f)
{
	struct tl_table *t = f->halves;
	struct tl_event e;
	if (!t || f->tree)
		return;
	tl_table_finish(t);
	for (uint32_t i = 0; i < t->n; i++) {
		size_t from = i ? f->half_at[i - 1] : 0;
		struct tl_span line = {f->half_lines.p + from, f->half_at[i] - from};
		if (t->ph[i] != 'B' || !(t->flags[i] & TL_ROW_SPAN) || !tl_event_read(line, &e))
			continue;
		e.has_dur = true;
		e.dur = t->dur[i];
		e.end = t->end[i];
		take_span(f, &e, false);
	}
}

bool rl_facts_event(struct rl_facts *f, struct tl_span line, bool quick)
{
	struct tl_event e;
	if (!tl_event_read(line, &e))
		return false;
	f->n.events++;
	if (e.f[TL_F_DEPTH].n)
		f->tree = true;
	if (e.ph == 'X' || (e.ph == 'B' && e.has_dur))
		take_span(f, &e, quick);
	else if ((e.ph == 'B' || e.ph == 'E') && !quick)
		keep_half(f, &e, line);
	return true;
}

void rl_facts_trace(struct rl_facts *f, struct tl_span line)
{
	struct tl_span source = tl_json_get(line, TL_LIT("source"));
	f->n.source.n = 0;
	if (tl_json_is_string(source))
		tl_json_text(source, &f->n.source);
}

void rl_facts_meta(struct rl_facts *f, struct tl_span line)
{
	struct tl_span key = tl_json_inner(tl_json_get(line, TL_LIT("key")));
	struct tl_span value = tl_json_get(line, TL_LIT("value"));
	if (tl_span_eq(key, TL_LIT("record_shapes")))
		f->n.record_shapes = !(tl_span_eq(value, TL_LIT("0")) ||
							   tl_span_eq(value, TL_LIT("false")) ||
							   tl_span_eq(value, TL_LIT("null")));
	if (!tl_span_eq(key, TL_LIT("distributedInfo")))
		return;
	f->n.distributed = true;
	if (value.n && value.p[0] == '{' &&
		!tl_json_u64(tl_json_get(value, TL_LIT("world_size")), &f->n.world_size))
		f->n.world_size = 0;
}

void rl_facts_end(struct rl_facts *f, struct tl_span line)
{
	f->n.ended = true;
	if (!tl_json_u64(tl_json_get(line, TL_LIT("events")), &f->n.end_events))
		f->n.end_events = 0;
	put(&f->n.faults, tl_json_get(line, TL_LIT("faults")));
	put(&f->n.ts_last, tl_json_get(line, TL_LIT("ts_last")));
}
