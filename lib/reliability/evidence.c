/* --rule evidence: what was seen in the trace decides, each code for itself. */
#include "inside.h"

static bool is_attributed(const struct rl_facts *f, uint32_t op)
{
	return rl_group_of(f, op) && !rl_is_replayed(f, op) && f->operators[op] != TL_NO_ROW;
}

static bool clears(const struct rl_warning *w, enum tl_reliability_severity from)
{
	return from != RL_SEV_NONE && w->severity >= from;
}

static void host_overhead_profile(struct tl_reliability *r)
{
	const struct rl_count *n = &r->f.n;
	if (n->cpu_ops == 0 || n->python <= 5 * n->cpu_ops || !r->v.has_idle || r->v.idle_pct <= 50)
		return;
	if (r->v.idle != RL_FLAG_TRUE || tl_reliability_fired(r, RL_capture_not_run))
		return;
	struct rl_warning *w = rl_raise(r, RL_host_overhead_profile, RL_SEV_INFO, NULL,
		"%.1f %% idle, %.0f Python calls per operator: the idle time may be the profiler's",
		r->v.idle_pct, (double)n->python / (double)n->cpu_ops);
	tl_put_u64(&w->figures, "python_functions", n->python);
	tl_put_u64(&w->figures, "cpu_ops", n->cpu_ops);
}

static void judge(struct tl_reliability *r)
{
	struct tl_reliability_verdict *v = &r->v;
	enum tl_reliability_flag fine = r->o->quick ? RL_FLAG_UNKNOWN : RL_FLAG_TRUE;
	rl_rows_counts(r);
	if (!r->o->quick) {
		rl_rows_launches(r);
		rl_rows_ids(r);
		rl_rows_times(r);
	} else if (r->f.n.gpu == 0 && r->f.n.launches == 0) {
		rl_empty_timeline(r);
	}
	v->idle = fine;
	v->attribution = r->has_launch ? fine : RL_FLAG_UNKNOWN;
	v->duration = r->f.n.gpu ? fine : RL_FLAG_UNKNOWN;
	for (size_t i = RL_CODES; i-- > 0;) {
		const struct rl_warning *w = &r->w[i];
		bool idle = clears(w, tl_reliability_codes[i].clears_idle),
			 duration = clears(w, tl_reliability_codes[i].clears_duration);
		bool attribution = r->has_launch && clears(w, tl_reliability_codes[i].clears_attribution);
		v->idle = idle ? RL_FLAG_FALSE : v->idle;
		v->attribution = attribution ? RL_FLAG_FALSE : v->attribution;
		v->duration = duration ? RL_FLAG_FALSE : v->duration;
		if (idle || attribution || duration)
			v->reason = (int)i;
	}
	if (!r->o->quick)
		host_overhead_profile(r);
}

const struct rl_rule rl_evidence = {"evidence", is_attributed, judge, NULL};
