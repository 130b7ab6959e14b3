#include "inside.h"
#include "../json/json.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- life ---- */

struct tl_reliability *tl_reliability_new(const struct tl_reliability_options *o)
{
	struct tl_reliability *r = tl_calloc(1, sizeof *r);
	r->o = o;
	r->rule = o->rule == RL_RULE_V1 ? &rl_v1 : &rl_evidence;
	rl_facts_clear(&r->f);
	return r;
}

void tl_reliability_free(struct tl_reliability *r)
{
	for (size_t i = 0; i < RL_CODES; i++) {
		tl_buf_free(&r->w[i].message);
		tl_write_free(&r->w[i].figures);
	}
	rl_facts_free(&r->f);
	tl_buf_free(&r->held);
	tl_buf_free(&r->held_ends);
	tl_buf_free(&r->end);
	free(r);
}

static void forget(struct tl_reliability *r, uint64_t trace)
{
	rl_facts_clear(&r->f);
	for (size_t i = 0; i < RL_CODES; i++)
		r->w[i].severity = RL_SEV_NONE;
	r->v = (struct tl_reliability_verdict){.reason = -1};
	r->trace = trace;
	r->attributed = 0;
	r->has_attributed = r->bad_timeline = r->has_launch = false;
	r->graphs = r->graphs_recorded = 0;
}

/* Our own figures of an earlier pass are no evidence: null is no number. */
static void see_timeline(struct tl_reliability *r, struct tl_span line)
{
	int64_t busy, window;
	if (tl_ns_parse(tl_json_get(line, TL_LIT("busy_us")), &busy) &&
		tl_ns_parse(tl_json_get(line, TL_LIT("window_us")), &window) &&
		(double)busy > 1.001 * (double)window)
		r->bad_timeline = true;
}

bool tl_reliability_see(struct tl_reliability *r, const struct tl_record *rec)
{
	switch (rec->kind) {
	case TL_TRACE:
		forget(r, rec->trace);
		rl_facts_trace(&r->f, rec->line);
		return true;
	case TL_EVENT:
		return rl_facts_event(&r->f, rec->line, r->o->quick);
	case TL_META:
		rl_facts_meta(&r->f, rec->line);
		return true;
	case TL_END:
		rl_facts_end(&r->f, rec->line);
		r->end.n = 0;
		tl_buf_span(&r->end, rec->line);
		return true;
	case TL_CUT:
		r->f.n.cut = true;
		r->end.n = 0;
		return true;
	case TL_DERIVED:
		if (tl_span_eq(rec->type, TL_LIT("timeline")))
			see_timeline(r, rec->line);
		return true;
	}
	return true;
}

/* ---- judgement ---- */

static void high_idle(struct tl_reliability *r)
{
	if (!r->v.has_idle || r->v.idle != RL_FLAG_TRUE || r->v.idle_pct <= r->o->idle_gate)
		return;
	r->v.suppress = true;
	struct rl_warning *w = rl_raise(r, RL_high_gpu_idle_pct, RL_SEV_WARNING, NULL,
		"the GPU was idle for %.2f %% of the time: the host, not the kernels, is what to look at",
		r->v.idle_pct);
	tl_put_num(&w->figures, "idle_pct", r->v.idle_pct, 6);
	tl_put_num(&w->figures, "threshold_pct", r->o->idle_gate, 6);
}

const struct tl_reliability_verdict *tl_reliability_judge(struct tl_reliability *r)
{
	struct rl_facts *f = &r->f;
	r->judged = true;
	r->traces++;
	r->ranks++;
	r->v.none = f->n.events == 0 && f->n.end_events > 0;
	if (r->v.none)
		return &r->v;
	rl_facts_finish(f);
	r->ranks += rl_ranks(f) - 1;
	r->has_launch = f->n.launches > 0;
	r->graphs = f->n.graph_calls;
	if (!r->o->quick) {
		rl_facts_link(f);
		rl_graph_launches(f, &r->graphs, &r->graphs_recorded);
		r->has_launch = r->has_launch || f->last_launch != INT64_MIN;
		r->has_attributed = rl_attributed(f, r->rule->attributed, &r->attributed);
		r->v.has_idle = f->span > 0;
		r->v.idle_pct = f->span > 0
							? fmax(0, (double)tl_ns_sub(f->span, f->busy) / (double)f->span * 100)
							: 0;
	}
	r->rule->judge(r);
	high_idle(r);
	return &r->v;
}

/* ---- records ---- */

static const char *const affect_names[] = {
	"idle", "duration", "attribution", "steps", "overlap", "roofline"};

static void put_affects(struct tl_write *w, unsigned affects)
{
	tl_list(w, "affects");
	for (unsigned i = 0; i < sizeof affect_names / sizeof *affect_names; i++)
		if (affects >> i & 1)
			tl_put_text(w, NULL, tl_str(affect_names[i]));
	tl_list_end(w);
}

static void write_warning(
	struct tl_reliability *r, size_t code, struct tl_stream *s, struct tl_write *to)
{
	static const char *const severities[] = {"", "info", "warning", "error"};
	const struct rl_warning *w = &r->w[code];
	tl_record(to, "warning", r->trace);
	tl_put_text(to, "code", tl_str(tl_reliability_codes[code].code));
	tl_put_text(to, "severity", tl_str(severities[w->severity]));
	tl_put_string(to, "message", tl_buf_all(&w->message));
	tl_put_u64(to, "count", w->first.count ? w->first.count : 1);
	if (w->example)
		tl_put_u64(to, "event", w->first.id);
	put_affects(to, tl_reliability_codes[code].affects);
	tl_buf_span(&to->b, tl_buf_all(&w->figures.b));
	if (w->example && w->first.has_ts)
		tl_put_us(to, "ts", w->first.ts);
	tl_stream_write(s, tl_record_end(to));
}

static bool is_of_rule(const struct tl_reliability *r, size_t code)
{
	return tl_reliability_codes[code].rules & r->o->rule;
}

static unsigned missing_inputs(const struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	size_t comm = 0;
	for (size_t i = 0; i < r->f.n_ops; i++)
		comm += r->f.bits[r->f.ops[i]] & RL_COMM && rl_is_kernel(&r->f, r->f.ops[i]);
	return (n->gpu ? 0 : RL_N_DEVICE) | (r->has_launch ? 0 : RL_N_LAUNCH) |
		   (n->cpu_ops ? 0 : RL_N_CPU_OP) | (n->python ? 0 : RL_N_PYTHON) |
		   (n->launches || n->cpu_ops ? 0 : RL_N_HOST_ID) | (r->f.n_steps >= 4 ? 0 : RL_N_STEPS) |
		   (n->world_size ? 0 : RL_N_WORLD) | (comm >= 3 ? 0 : RL_N_COMM) |
		   (n->with_stream ? 0 : RL_N_STREAM) | (n->host ? 0 : RL_N_ANNOTATE);
}

static bool testable(const struct tl_reliability *r, size_t code, unsigned missing)
{
	const struct tl_reliability_code *c = &tl_reliability_codes[code];
	return tl_reliability_fired(r, (int)code) ||
		   (!(c->needs & missing) && (c->quick || !r->o->quick));
}

bool tl_reliability_testable(const struct tl_reliability *r, int code)
{
	return testable(r, (size_t)code, missing_inputs(r));
}

static void put_untestable(const struct tl_reliability *r, struct tl_write *w)
{
	unsigned missing = missing_inputs(r);
	tl_list(w, "untestable");
	if (r->v.attribution == RL_FLAG_UNKNOWN)
		tl_put_text(w, NULL, TL_LIT("attribution_reliable"));
	for (size_t i = 0; i < RL_CODES; i++)
		if (is_of_rule(r, i) && !testable(r, i, missing))
			tl_put_text(w, NULL, tl_str(tl_reliability_codes[i].code));
	tl_list_end(w);
}

static const char *reason_of(const struct tl_reliability *r)
{
	const struct tl_reliability_verdict *v = &r->v;
	if (r->rule->reason && (v->idle == RL_FLAG_FALSE || v->attribution == RL_FLAG_FALSE))
		return r->rule->reason;
	return v->reason >= 0 ? tl_reliability_codes[v->reason].code : "";
}

static void write_reliability(struct tl_reliability *r, struct tl_stream *s, struct tl_write *w)
{
	const struct tl_reliability_verdict *v = &r->v;
	tl_record(w, "reliability", r->trace);
	rl_put_verdict(w, "idle_reliable", v->idle);
	rl_put_verdict(w, "attribution_reliable", v->attribution);
	rl_put_verdict(w, "duration_reliable", v->duration);
	tl_put_text(w, "reason", tl_str(reason_of(r)));
	tl_put_u64(w, "graph_launches", r->graphs);
	if (!r->o->quick)
		tl_put_u64(w, "graph_launches_recorded", r->graphs_recorded);
	if (r->has_attributed && r->has_launch)
		tl_put_num(w, "attributed_share", r->attributed, 6);
	if (!r->o->quick)
		tl_put_flag(w, "suppress_candidates", v->suppress);
	tl_put_text(w, "rule", tl_str(r->rule->name));
	put_untestable(r, w);
	tl_stream_write(s, tl_record_end(w));
}

static void write_all(struct tl_reliability *r, struct tl_stream *s)
{
	struct tl_write w = {0};
	for (size_t i = 0; i < RL_CODES; i++)
		if (tl_reliability_fired(r, (int)i))
			write_warning(r, i, s, &w);
	write_reliability(r, s, &w);
	tl_write_free(&w);
}

static void partial_file_set(struct tl_reliability *r)
{
	uint64_t world = r->f.n.world_size;
	if (world <= r->ranks || !is_of_rule(r, RL_partial_file_set))
		return;
	struct rl_warning *w = rl_raise(r, RL_partial_file_set, RL_SEV_INFO, NULL,
		"the job had %llu ranks, the stream holds %llu", (unsigned long long)world,
		(unsigned long long)r->ranks);
	tl_put_u64(&w->figures, "world_size", world);
	tl_put_u64(&w->figures, "ranks", r->ranks);
	tl_put_u64(&w->figures, "traces", r->traces);
}

void tl_reliability_conclude(struct tl_reliability *r, struct tl_stream *s, bool last)
{
	if (!r->judged)
		return;
	if (last && !r->v.none)
		partial_file_set(r);
	rl_release(r, s);
	if (!r->v.none)
		write_all(r, s);
	if (r->end.n)
		tl_stream_write(s, tl_buf_all(&r->end));
	r->judged = false;
}
