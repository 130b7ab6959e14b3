#include "inside.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include <stdlib.h>

/* ---- correlations ---- */

/* GPU ops that nothing ties to a launch: a flow does as well. */
static struct rl_seen without_correlation(const struct rl_facts *f)
{
	struct rl_seen absent = {0};
	for (size_t i = 0; i < f->n_ops; i++)
		if (!f->t->key[f->ops[i]] && f->launcher[f->ops[i]] == TL_NO_ROW)
			rl_saw_row(f, &absent, f->ops[i]);
	return absent;
}

static void corr_zero_or_dup(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen twice = {0}, many = {0}, absent = without_correlation(f);
	for (size_t i = 0; i < f->n_groups; i++) {
		const struct rl_group *g = &f->groups[i];
		if (rl_key(f, g) && g->runtime > 1)
			rl_saw_group(f, &twice, g);
		if (rl_key(f, g) && !g->graph && g->ops > 1)
			rl_saw_group(f, &many, g);
	}
	double launches = (double)(f->n_launches ? f->n_launches : f->n_groups);
	bool zero = (double)absent.count > 0.01 * (double)f->n.gpu;
	bool shared = (double)many.count > 0.01 * launches;
	if (!zero && !twice.count && !shared)
		return;
	struct rl_seen *first = zero ? &absent : twice.count ? &twice : &many;
	bool fault = zero || (double)twice.count > 0.01 * launches;
	struct rl_warning *w = rl_raise(r, RL_corr_zero_or_dup, fault ? RL_SEV_ERROR : RL_SEV_WARNING,
		first, "%llu %s", (unsigned long long)first->count,
		zero          ? "GPU ops have no correlation id, or 0: their launch is not known"
		: twice.count ? "correlation ids belong to more than one runtime call of their process"
					  : "launches that are no graph replay own more than one GPU op");
	tl_put_u64(&w->figures, "no_correlation", absent.count);
	tl_put_u64(&w->figures, "reused", twice.count);
	tl_put_u64(&w->figures, "shared", many.count);
	tl_put_u64(&w->figures, "gpu_ops", f->n.gpu);
}

/* ---- ranks ---- */

struct pid_range {
	uint32_t process;
	uint64_t min, max; /* keys */
};

/* Ranges of correlations that are numbers, per process, in order of first sight. Groups are in
 * order of their key. */
static struct pid_range *ranges_of(const struct rl_facts *f, size_t *n)
{
	uint32_t *at = tl_calloc((size_t)tl_pool_count(f->t->pids) + 1, sizeof *at); /* place + 1 */
	struct pid_range *p = NULL;
	size_t cap = 0;
	*n = 0;
	for (size_t i = 0; i < f->n_groups; i++) {
		uint64_t key = rl_key(f, &f->groups[i]);
		uint32_t process = rl_process(f, &f->groups[i]);
		if (!key || key & TL_KEY_TEXT)
			continue;
		if (!at[process]) {
			TL_GROW(p, *n, cap);
			p[(*n)++] = (struct pid_range){process, key, key};
			at[process] = (uint32_t)*n;
		}
		p[at[process] - 1].max = key;
	}
	free(at);
	return p;
}

/* The launches groups[from..to) have one correlation: those but the first by event id, as far as
 * the pids do not tell their ranks from its own. */
static void see_collisions(const struct rl_facts *f, size_t from, size_t to, struct rl_seen *same)
{
	const struct tl_table *t = f->t;
	const struct rl_group *first = &f->groups[from];
	for (size_t i = from; i < to; i++)
		if (t->id[f->groups[i].call] < t->id[first->call])
			first = &f->groups[i];
	struct tl_span pid = tl_pool_text(t->pids, rl_process(f, first));
	for (size_t i = from; i < to; i++) {
		const struct rl_group *g = &f->groups[i];
		if (g != first &&
			tl_rank_compare(tl_pool_text(t->pids, rl_process(f, g)), pid) != TL_RANK_OTHER)
			rl_saw_group(f, same, g);
	}
}

/* Launches of several processes that share a correlation id. Groups are in order of their key. */
static struct rl_seen collisions(const struct rl_facts *f)
{
	struct rl_seen same = {0};
	for (size_t from = 0, to; from < f->n_groups; from = to) {
		uint64_t key = rl_key(f, &f->groups[from]);
		for (to = from + 1; to < f->n_groups && rl_key(f, &f->groups[to]) == key; to++)
			;
		if (key)
			see_collisions(f, from, to, &same);
	}
	return same;
}

static void merged_ranks(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct rl_seen same = collisions(f);
	size_t n;
	bool overlap = false;
	struct pid_range *p = ranges_of(f, &n);
	for (size_t i = 0; i + 1 < n && !overlap; i++)
		overlap = p[i + 1].min <= p[i].max; /* ranges come in order of their minimum */
	free(p);
	bool named = !f->n.distributed &&
				 tl_span_has_nocase(tl_buf_all(&f->n.source), TL_LIT("merged"));
	bool several = f->devices > 1 && n > 1 && overlap;
	if (!several && !named)
		return;
	struct rl_warning *w = rl_raise(r, RL_merged_ranks,
		several && same.count ? RL_SEV_ERROR : RL_SEV_WARNING, several ? &same : NULL, "%s",
		!several     ? "the file's name says that ranks were merged into it"
		: same.count ? "several ranks in one file use the same correlation ids"
					 : "several ranks in one file, with correlation ids in the same range");
	tl_put_u64(&w->figures, "devices", f->devices);
	tl_put_u64(&w->figures, "processes", n);
}

/* ---- External ids ---- */

struct wrapper {
	uint32_t op, kernels; /* operator's name, distinct kernel names below it */
	int64_t dur;
	uint64_t id; /* of its first kernel */
};

/* The name of the operator that a GPU op's External id names. */
static uint32_t op_by_ext(const struct rl_facts *f, uint32_t op)
{
	uint64_t ext = tl_external_id(f->t, op, f->launcher[op]);
	uint32_t cpu = ext ? rl_cpu_of_ext(f, ext) : RL_NONE;
	return cpu == RL_NONE ? RL_NONE : f->t->name[cpu];
}

/* The operator that, by External ids, owns the most kernel time. */
static struct wrapper widest_op(const struct rl_facts *f)
{
	const struct tl_table *t = f->t;
	struct wrapper best = {RL_NONE, 0, 0, 0};
	uint32_t names = tl_pool_count(t->names);
	int64_t *sum = tl_calloc((size_t)names + 1, sizeof *sum);
	bool *seen = tl_calloc((size_t)names + 1, sizeof *seen);
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i], op = rl_is_kernel(f, o) ? op_by_ext(f, o) : RL_NONE;
		if (op == RL_NONE)
			continue;
		sum[op] = tl_ns_add(sum[op], t->dur[o]);
		if (sum[op] > best.dur)
			best = (struct wrapper){op, 0, sum[op], 0};
	}
	best.id = UINT64_MAX;
	for (size_t i = 0; i < f->n_ops && best.op != RL_NONE; i++) {
		uint32_t o = f->ops[i];
		if (!rl_is_kernel(f, o) || op_by_ext(f, o) != best.op)
			continue;
		best.id = t->id[o] < best.id ? t->id[o] : best.id;
		best.kernels += !seen[t->name[o]];
		seen[t->name[o]] = true;
	}
	free(sum);
	free(seen);
	return best;
}

static struct rl_seen repeated_ids(const struct rl_facts *f)
{
	struct rl_seen repeated = {0};
	for (size_t i = 1; i < f->n_ext; i++)
		if (f->t->key2[f->ext_cpu[i]] == f->t->key2[f->ext_cpu[i - 1]])
			rl_saw_row(f, &repeated, f->ext_cpu[i]);
	return repeated;
}

#define MOST 64 /* operators with one External id: more are not looked at */

/* Whether the External id names an operator of the call's process that holds its start. */
static bool names_own(const struct rl_facts *f, uint64_t ext, uint32_t call)
{
	const struct tl_table *t = f->t;
	size_t k = rl_behind_ext(f, ext);
	for (int i = 0; i < MOST && k-- > 0 && t->key2[f->ext_cpu[k]] == ext; i++) {
		uint32_t op = f->ext_cpu[k];
		if (tl_table_process(t, op) == tl_table_process(t, call) &&
			tl_ns_sub(t->ts[op], TL_ROUNDING) <= t->ts[call] &&
			t->ts[call] <= tl_ns_add(t->end[op], TL_ROUNDING))
			return true;
	}
	return false;
}

/* GPU ops launched in an operator that has an External id, but with the id of none that holds the
 * launch; `all`: those with an id. PyTorch 1.13 to 2.0 number operators and launches apart. */
static struct rl_seen other_ids(const struct rl_facts *f, uint64_t *all)
{
	const struct tl_table *t = f->t;
	struct rl_seen other = {0};
	*all = 0;
	for (size_t i = 0; i < f->n_ops; i++) {
		uint32_t o = f->ops[i], call = f->launcher[o];
		uint32_t op = call == TL_NO_ROW ? TL_NO_ROW : f->operators[call];
		if (op == TL_NO_ROW || !t->key2[op])
			continue;
		uint64_t ext = tl_external_id(t, o, call);
		*all += ext != 0;
		if (ext && ext != t->key2[op] && !names_own(f, ext, call))
			rl_saw_row(f, &other, o);
	}
	return other;
}

static void wrapper_id(struct tl_reliability *r, const struct wrapper *top)
{
	struct rl_seen at = {top->kernels, top->id, 0, false};
	struct rl_warning *w = rl_raise(r, RL_external_id_unusable, RL_SEV_WARNING, &at,
		"by External ids one operator owns nearly all kernels: it is a wrapper, not their "
		"operator");
	rl_figure_name(w, "operator", tl_json_inner(tl_pool_text(r->f.t->names, top->op)));
}

static void external_id_unusable(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	struct wrapper top = widest_op(f);
	uint64_t named;
	struct rl_seen repeated = repeated_ids(f), other = other_ids(f, &named);
	double top_share = rl_ratio((double)top.dur, (double)f->kernel_sum);
	bool coarse = top_share > 0.8 && top.kernels > 50;
	bool missing = rl_ratio((double)f->n.launch_noext.count, (double)f->n.launches) > 0.5;
	bool twice = rl_ratio((double)repeated.count, (double)f->n_ext) > 0.5;
	bool apart = rl_ratio((double)other.count, (double)named) > 0.5;
	if (!coarse && !missing && !twice && !apart)
		return;
	if (coarse)
		wrapper_id(r, &top);
	else
		rl_raise(r, RL_external_id_unusable, RL_SEV_INFO,
			missing ? &f->n.launch_noext
			: twice ? &repeated
					: &other,
			"%s",
			missing ? "most launches have no External id"
			: twice ? "most operators share their External id with another"
					: "most launches have the External id of no operator around them: both are "
					  "numbered apart");
	struct rl_warning *w = &r->w[RL_external_id_unusable];
	tl_put_num(&w->figures, "top_share", 100 * top_share, 6);
	tl_put_u64(&w->figures, "without_id", f->n.launch_noext.count);
	tl_put_u64(&w->figures, "repeated", repeated.count);
	tl_put_u64(&w->figures, "other_operator", other.count);
}

void rl_rows_ids(struct tl_reliability *r)
{
	const struct rl_facts *f = &r->f;
	if (r->has_launch && f->n_ops)
		corr_zero_or_dup(r);
	merged_ranks(r);
	if (f->n.launches || f->n.cpu_ops)
		external_id_unusable(r);
}
