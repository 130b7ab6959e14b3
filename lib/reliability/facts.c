#include "facts.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include <stdlib.h>

void rl_saw(struct rl_seen *s, uint64_t id, int64_t ts, bool has_ts)
{
	if (s->count++ == 0 || id < s->id)
		*s = (struct rl_seen){s->count, id, ts, has_ts};
}

static void forget_links(struct rl_facts *f)
{
	free(f->launcher);
	free(f->operators);
	free(f->group);
	free(f->ops);
	free(f->launches);
	free(f->ext_cpu);
	f->launcher = f->operators = f->group = f->ops = f->launches = f->ext_cpu = NULL;
	f->n_groups = f->n_steps = f->n_ops = f->n_launches = f->n_ext = 0;
	f->span = f->busy = f->sum = f->kernel_sum = 0;
	f->lanes = f->devices = 0;
	f->last_launch = INT64_MIN;
}

void rl_facts_clear(struct rl_facts *f)
{
	struct tl_buf cat = f->n.unknown_cat, source = f->n.source, faults = f->n.faults,
				  last = f->n.ts_last, other = f->n.other_cats;
	cat.n = source.n = faults.n = last.n = other.n = 0;
	f->n = (struct rl_count){.record_shapes = -1,
		.unknown_cat = cat,
		.source = source,
		.faults = faults,
		.ts_last = last,
		.other_cats = other};
	if (!f->t) {
		f->t = tl_table_new(TL_TAKE_OPS | TL_TAKE_CALLS | TL_TAKE_CPU | TL_TAKE_NOTES |
							TL_TAKE_FLOWS | TL_TAKE_PLACES);
		f->graphs = tl_pool_new();
	}
	tl_table_clear(f->t);
	tl_pool_clear(f->graphs);
	f->n_graph_ids = f->n_pauses = 0;
	forget_links(f);
}

void rl_facts_free(struct rl_facts *f)
{
	forget_links(f);
	tl_table_free(f->t);
	tl_pool_free(f->graphs);
	free(f->bits);
	free(f->graph_ids);
	free(f->groups);
	free(f->steps);
	free(f->pauses);
	tl_buf_free(&f->n.unknown_cat);
	tl_buf_free(&f->n.source);
	tl_buf_free(&f->n.faults);
	tl_buf_free(&f->n.ts_last);
	tl_buf_free(&f->n.other_cats);
}

static void put(struct tl_buf *b, struct tl_span s)
{
	b->n = 0;
	tl_buf_span(b, s);
}

static bool starts_nocase(struct tl_span s, struct tl_span lower)
{
	return s.n >= lower.n && tl_span_eq_nocase((struct tl_span){s.p, lower.n}, lower);
}

/* A name that is one of these words, or goes on behind it with no letter. */
static bool is_word(struct tl_span s, struct tl_span lower)
{
	return starts_nocase(s, lower) && (s.n == lower.n || !tl_is_letter(s.p[lower.n]));
}

/* What tl-overlap said, if it was there. */
static uint8_t comm_bits(const struct tl_event *e)
{
	struct tl_span class = tl_json_inner(e->f[TL_F_CLASS]);
	if (!class.n)
		return 0;
	return RL_CLASSED | (tl_span_eq(class, TL_LIT("communication")) ? RL_COMM : 0);
}

/* GPU ops that tl-overlap has not classed communicate by their names; each is asked about once. */
static void ask_comm(struct rl_facts *f)
{
	enum { UNKNOWN, NO, YES };
	uint8_t *known = tl_calloc((size_t)tl_pool_count(f->t->names) + 1, 1);
	struct tl_buf name = {0};
	for (uint32_t i = 0; i < f->t->n; i++) {
		uint8_t *k = &known[f->t->name[i]];
		if (!tl_cat_is_gpu((enum tl_cat)f->t->cat[i]) || f->bits[i] & RL_CLASSED)
			continue;
		name.n = 0;
		if (*k == UNKNOWN && tl_json_is_string(tl_table_name(f->t, i)))
			tl_json_text(tl_table_name(f->t, i), &name);
		if (*k == UNKNOWN)
			*k = tl_name_communicates(tl_buf_all(&name)) ? YES : NO;
		f->bits[i] |= *k == YES ? RL_COMM : 0;
	}
	tl_buf_free(&name);
	free(known);
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

static bool is_launch(struct tl_span name)
{
	return tl_span_has_nocase(name, TL_LIT("launch")) &&
		   !tl_span_has_nocase(name, TL_LIT("hostfunc"));
}

/* What is counted of an event, whether it comes as one line or as a B and an E in the table. */
struct fact {
	enum tl_cat cat;
	struct tl_span name; /* tl_json_inner */
	uint64_t id;
	int64_t ts, dur, end;
	uint8_t bits; /* enum rl_bit */
	bool has_ts, has_dur, fraction, negative, has_corr, has_ext, has_stream, big_stream;
};

static bool is_big(struct tl_span stream)
{
	uint64_t u;
	return tl_json_u64(stream, &u) && u > UINT64_C(1) << 53;
}

static uint8_t call_bits(struct tl_span name)
{
	int capture = tl_span_has_nocase(name, TL_LIT("begincapture")) -
				  tl_span_has_nocase(name, TL_LIT("endcapture"));
	return (uint8_t)((is_launch(name) ? RL_LAUNCH : 0) | (capture > 0 ? RL_BEGIN : 0) |
					 (capture < 0 ? RL_END : 0));
}

static struct fact fact_of(const struct tl_event *e)
{
	struct fact a = {.cat = tl_event_cat(e),
		.name = tl_json_inner(e->f[TL_F_NAME]),
		.id = e->id,
		.ts = e->ts,
		.dur = e->dur,
		.end = e->end,
		.has_ts = e->has_ts,
		.has_dur = e->has_dur};
	if (tl_cat_is_gpu(a.cat)) {
		a.bits = comm_bits(e);
		a.fraction = has_fraction(e->f[TL_F_TS]) || has_fraction(e->f[TL_F_DUR]);
		a.negative = negative_dur(e);
		a.has_corr = tl_is_id(e->f[TL_F_CORRELATION]);
		a.has_stream = tl_is_known(e->f[TL_F_STREAM]);
		a.big_stream = is_big(e->f[TL_F_STREAM]);
	} else if (tl_cat_is_launch(a.cat)) {
		a.bits = call_bits(a.name);
		a.has_ext = tl_is_id(e->f[TL_F_EXTERNAL_ID]);
	} else if (a.cat == TL_CAT_CPU_OP && e->f[TL_F_ARGS].n) {
		a.bits = tl_json_get(e->f[TL_F_ARGS], TL_LIT("Input Dims")).n ? RL_DIMS : 0;
	}
	return a;
}

static struct fact fact_at(const struct rl_facts *f, uint32_t row)
{
	const struct tl_table *t = f->t;
	struct fact a = {.cat = (enum tl_cat)t->cat[row],
		.name = tl_json_inner(tl_table_name(t, row)),
		.id = t->id[row],
		.ts = t->ts[row],
		.dur = t->dur[row],
		.end = t->end[row],
		.bits = f->bits[row],
		.has_ts = true,
		.has_dur = true,
		.fraction = t->ts[row] % 1000 || t->dur[row] % 1000,
		.has_corr = t->key[row] != 0,
		.has_ext = t->key2[row] != 0};
	if (tl_cat_is_gpu(a.cat)) {
		const struct tl_lane *lane = &t->places.lanes[tl_table_lane(t, row)];
		a.has_stream = !lane->by_tid;
		a.big_stream = a.has_stream && is_big(lane->stream);
	}
	return a;
}

/* ---- counts ---- */

static void saw(struct rl_seen *s, const struct fact *a)
{
	rl_saw(s, a->id, a->ts, a->has_ts);
}

static void count_times(struct rl_count *n, const struct fact *a)
{
	if (a->negative || (a->has_ts && a->ts < 0))
		saw(&n->negative, a);
	if (!a->has_ts)
		return;
	if (a->ts == 0)
		saw(&n->zero_ts, a);
	else if (a->ts > 0 && (n->after_zero == 0 || a->ts < n->after_zero))
		n->after_zero = a->ts;
	if (a->has_dur && a->dur == 0)
		saw(&n->zero_dur, a);
	if (a->dur > INT64_C(10000000))
		saw(&n->long_dur, a);
	if (a->dur > n->longest_ns) {
		n->longest_ns = a->dur;
		n->longest = (struct rl_seen){1, a->id, a->ts, true};
	}
	n->fraction = n->fraction || a->fraction;
	if (!n->has_span || a->ts < n->first)
		n->first = a->ts;
	if (!n->has_span || a->end > n->last)
		n->last = a->end;
	n->has_span = true;
}

static void count_gpu(struct rl_count *n, const struct fact *a)
{
	n->gpu++;
	n->kernels += a->cat == TL_CAT_KERNEL;
	n->with_stream += a->has_stream;
	if (!a->has_corr)
		saw(&n->corr_absent, a);
	if (a->big_stream)
		saw(&n->big_stream, a);
	if (is_word(a->name, TL_LIT("marker")) || is_word(a->name, TL_LIT("context sync")))
		saw(&n->marker, a);
	count_times(n, a);
}

static void count_call(struct rl_count *n, const struct fact *a)
{
	bool launch = a->bits & RL_LAUNCH;
	n->calls++;
	n->launches += launch;
	n->graph_calls += tl_is_graph_launch(a->name);
	if (launch && !a->has_ext)
		saw(&n->launch_noext, a);
	if (a->bits & RL_BEGIN)
		saw(&n->begin_capture, a);
}

static void take_overhead(struct rl_facts *f, const struct fact *a)
{
	bool lazy = tl_span_eq_nocase(a->name, TL_LIT("lazy function loading")) ||
				tl_span_eq_nocase(a->name, TL_LIT("instrumentation"));
	bool buffer = tl_span_eq_nocase(a->name, TL_LIT("activity buffer request")) ||
				  tl_span_eq_nocase(a->name, TL_LIT("buffer flush"));
	if (!a->has_ts || (!lazy && !buffer))
		return;
	TL_GROW(f->pauses, f->n_pauses, f->cap_pauses);
	f->pauses[f->n_pauses++] = (struct rl_pause){a->id, a->ts, a->dur, lazy};
}

static void see_start(struct rl_count *n, int64_t ts)
{
	if (!n->has_starts || ts < n->start_min)
		n->start_min = ts;
	if (!n->has_starts || ts > n->start_max)
		n->start_max = ts;
	n->has_starts = true;
}

static void take(struct rl_facts *f, const struct fact *a, bool quick)
{
	struct rl_count *n = &f->n;
	if (a->has_ts && a->cat != TL_CAT_TRACE)
		see_start(n, a->ts);
	n->host += a->cat == TL_CAT_CPU_OP || a->cat == TL_CAT_PYTHON || a->cat == TL_CAT_ANNOTATION ||
			   tl_cat_is_launch(a->cat);
	if (tl_cat_is_gpu(a->cat)) {
		count_gpu(n, a);
	} else if (tl_cat_is_launch(a->cat)) {
		count_call(n, a);
	} else if (a->cat == TL_CAT_CPU_OP) {
		n->cpu_ops++;
		n->cpu_dims += (a->bits & RL_DIMS) != 0;
	} else if (a->cat == TL_CAT_PYTHON) {
		n->python++;
	} else if (a->cat == TL_CAT_OVERHEAD && !quick) {
		take_overhead(f, a);
	} else if (a->cat == TL_CAT_ANNOTATION) {
		n->steps += tl_step_form(a->name, NULL, NULL) != TL_STEP_NONE;
	}
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
			rl_saw(&f->n.unknown, e->id, e->ts, e->has_ts);
			return;
		}
}

/* ---- events ---- */

static void keep(struct rl_facts *f, const struct tl_event *e, const struct fact *a)
{
	struct tl_span graph;
	uint32_t row = tl_table_add(f->t, e, TL_LIT(""));
	if (row == TL_NO_ROW)
		return;
	if (row >= f->cap_bits) {
		f->cap_bits = f->t->cap;
		f->bits = tl_realloc(f->bits, f->cap_bits, sizeof *f->bits);
	}
	f->bits[row] = a->bits;
	if (a->cat != TL_CAT_KERNEL || !e->f[TL_F_ARGS].n)
		return;
	graph = tl_json_get(e->f[TL_F_ARGS], TL_LIT("graph id"));
	if (!graph.n)
		return;
	TL_GROW(f->graph_ids, f->n_graph_ids, f->cap_graph_ids);
	f->graph_ids[f->n_graph_ids++] = (struct rl_graph_id){row, tl_pool_add(f->graphs, graph)};
}

bool rl_facts_event(struct rl_facts *f, struct tl_span line, bool quick)
{
	struct tl_event e;
	if (!tl_event_read(line, &e))
		return false;
	struct fact a = fact_of(&e);
	f->n.events++;
	if (e.ph == 'X' || (e.ph == 'B' && e.has_dur))
		take(f, &a, quick);
	if (a.cat == TL_CAT_OTHER && (e.ph == 'X' || e.ph == 'B'))
		take_other(f, &e);
	if (!quick)
		keep(f, &e, &a);
	else if (tl_cat_is_gpu(a.cat) || a.cat == TL_CAT_GPU_ANNOTATION)
		tl_places_add(&f->t->places, &e);
	return true;
}

void rl_facts_finish(struct rl_facts *f)
{
	struct tl_table *t = f->t;
	tl_table_finish(t);
	ask_comm(f);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->ph[i] == 'B' && (t->flags[i] & (TL_ROW_SPAN | TL_ROW_DUR)) == TL_ROW_SPAN) {
			struct fact a = fact_at(f, i);
			take(f, &a, false);
		}
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
	if (value.n && value.p[0] == '{')
		f->n.world_size = tl_json_count(value, TL_LIT("world_size"));
}

void rl_facts_end(struct rl_facts *f, struct tl_span line)
{
	f->n.ended = true;
	f->n.end_events = tl_json_count(line, TL_LIT("events"));
	f->n.end_skipped = tl_json_count(line, TL_LIT("skipped"));
	put(&f->n.faults, tl_json_get(line, TL_LIT("faults")));
	put(&f->n.other_cats, tl_json_get(line, TL_LIT("other_cats")));
	put(&f->n.ts_last, tl_json_get(line, TL_LIT("ts_last")));
}
