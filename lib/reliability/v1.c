/* --rule v1: the first rule, kept for those who compare with it (tl-reliability.1). It looks at
 * graph launches and two shares alone, and has one reason for all. */
#include "inside.h"

/* Through the External ids of launches alone; replayed graphs count. */
static bool is_attributed(const struct rl_facts *f, uint32_t op)
{
	const struct rl_group *g = rl_group_of(f, op);
	return g && g->named != RL_NONE;
}

static void rows(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	const struct rl_count *n = &f->n;
	struct rl_seen graphs = rl_no_example(r->graphs);
	rl_truncated(r, RL_trace_stream_incomplete);
	if (n->kernels == 0)
		rl_raise(r, RL_no_gpu_kernels, RL_SEV_WARNING, NULL, "the trace holds no kernel");
	if (n->kernels && rl_is_sidecar(tl_buf_all(&n->source)))
		rl_raise(r, RL_only_capture_fragments, RL_SEV_WARNING, NULL,
			"the file is a graph capture: few GPU ops ran in it");
	if (!r->o->quick) {
		rl_overruns(r, RL_impossible_kernel_durations);
		if (n->kernels && r->attributed < r->o->attribution_floor) {
			struct rl_warning *w = rl_raise(r, RL_low_op_correlation, RL_SEV_INFO, NULL,
				"only %.1f %% of the kernel time belongs to an operator", r->attributed);
			tl_put_num(&w->figures, "attributed_share", r->attributed, 6);
			tl_put_num(&w->figures, "floor", r->o->attribution_floor, 6);
		}
	}
	if (r->graphs)
		rl_raise(r, RL_cudagraph_replay, RL_SEV_INFO, &graphs,
			"%llu graph launches: see idle_reliable and attribution_reliable",
			(unsigned long long)r->graphs);
	rl_capture_folder(r);
}

static void judge(struct tl_reliability *r)
{
	struct tl_reliability_verdict *v = &r->v;
	bool high = v->has_idle && v->idle_pct > r->o->idle_gate, graphs = r->graphs > 0;
	rows(r);
	if (r->o->quick)
		return;
	v->idle = graphs && (high || !v->has_idle) ? RL_FLAG_FALSE : RL_FLAG_TRUE;
	v->attribution = graphs && r->attributed < r->o->attribution_floor ? RL_FLAG_FALSE
																	   : RL_FLAG_TRUE;
	if (v->idle == RL_FLAG_FALSE) {
		struct rl_warning *w = rl_raise(r, RL_cudagraph_unreliable_idle, RL_SEV_WARNING, NULL, "%s",
			v->has_idle ? "idle exceeds the gate while graphs were replayed: not trusted, no "
						  "candidate is dropped"
						: "graphs were replayed and no GPU op was recorded: idle is not known");
		if (v->has_idle) {
			tl_put_num(&w->figures, "raw_idle_pct", v->idle_pct, 6);
			tl_put_num(&w->figures, "threshold_pct", r->o->idle_gate, 6);
		}
	}
}

const struct rl_rule rl_v1 = {"v1", is_attributed, judge, "cudagraph_incomplete_trace"};
