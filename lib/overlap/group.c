/* `kernel_group` and `fusion` records. */
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

/* ---- order ---- */

/* Stages as they come in time; what belongs to none comes last. */
static void order_stages(struct tl_overlap *o)
{
	uint32_t n = tl_pool_count(o->stages), next = 0;
	o->stage_rank = tl_alloc(((size_t)n + 1) * sizeof *o->stage_rank);
	o->stage_order = tl_calloc((size_t)n + 1, sizeof *o->stage_order);
	memset(o->stage_rank, 0xff, n * sizeof *o->stage_rank);
	o->stage_rank[0] = n - 1;
	for (uint32_t i = 0; i < o->n_timed; i++) {
		uint32_t *rank = &o->stage_rank[o->ops.iv[o->order[i]].stage];
		if (*rank == NONE)
			*rank = next++;
	}
	for (uint32_t i = 1; i < n; i++)
		if (o->stage_rank[i] == NONE)
			o->stage_rank[i] = next++;
	for (uint32_t i = 0; i < n; i++)
		o->stage_order[o->stage_rank[i]] = i;
}

static int by_time(const void *x, const void *y, void *of)
{
	const struct tl_overlap *o = of;
	const struct overlap_group *a = &o->groups[*(const uint32_t *)x],
							   *b = &o->groups[*(const uint32_t *)y];
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->stage != b->stage)
		return o->stage_rank[a->stage] < o->stage_rank[b->stage] ? -1 : 1;
	if (a->gpu != b->gpu)
		return a->gpu > b->gpu ? -1 : 1;
	return a->first_id < b->first_id ? -1 : a->first_id > b->first_id;
}

/* By group; the longest first, of equal ones by name. */
static int by_group(const void *x, const void *y, void *of)
{
	const struct tl_overlap *o = of;
	const struct overlap_pair *a = x, *b = y;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return tl_span_cmp(tl_pool_text(o->texts, a->canon), tl_pool_text(o->texts, b->canon));
}

void overlap_order_groups(struct tl_overlap *o)
{
	order_stages(o);
	o->group_order = tl_calloc(o->n_groups + 1, sizeof *o->group_order);
	for (size_t i = 0; i < o->n_groups; i++)
		o->group_order[i] = (uint32_t)i;
	qsort_r(o->group_order, o->n_groups, sizeof *o->group_order, by_time, o);
	if (o->n_pairs)
		qsort_r(o->pairs, o->n_pairs, sizeof *o->pairs, by_group, o);
	for (size_t i = 0; i < o->n_pairs; i++) {
		struct overlap_group *g = &o->groups[o->pairs[i].group];
		if (g->pairs_n++ == 0)
			g->pairs = (uint32_t)i;
	}
}

/* ---- records ---- */

static void add_pairs(struct tl_overlap *o, const struct overlap_group *g)
{
	tl_object(&o->w, "overlap_with");
	for (uint32_t i = 0; i < g->pairs_n; i++) {
		const struct overlap_pair *p = &o->pairs[g->pairs + i];
		tl_put_name(&o->w, tl_pool_text(o->texts, p->canon));
		tl_buf_us(&o->w.b, p->ns);
	}
	tl_object_end(&o->w);
}

static void write_group(struct tl_overlap *o, struct tl_stream *s, const struct overlap_group *g)
{
	int64_t exclusive = tl_ns_sub(g->gpu, g->hidden);
	overlap_begin(o, "kernel_group", g->device);
	tl_put_string(&o->w, "stage", overlap_stage(o, g->stage));
	tl_put_string(&o->w, "name", tl_pool_text(o->texts, g->canon));
	tl_put_string(&o->w, "class", overlap_class(o, g->class));
	tl_put_u64(&o->w, "count", g->count);
	tl_put_us(&o->w, "gpu_us", g->gpu);
	tl_put_share(&o->w, "share", g->gpu, o->devices[g->device].busy.busy, 100);
	tl_put_us(&o->w, "hidden_us", g->hidden);
	tl_put_us(&o->w, "exclusive_us", exclusive);
	tl_put_us(&o->w, "hidden_by_compute_us", g->by_compute);
	tl_put_share(&o->w, "hidden_ratio", g->hidden, g->gpu, 1);
	tl_put_share(&o->w, "exclusive_ratio", exclusive, g->gpu, 1);
	add_pairs(o, g);
	tl_put_u64(&o->w, "event", o->ops.id[g->best]);
	if (g->has_launch) {
		tl_put_us(&o->w, "latency_us", g->latency);
		tl_put_us(&o->w, "queue_us", g->queue);
	}
	tl_put_u64(&o->w, "short", g->shorts);
	overlap_end(o, s);
}

void overlap_write_groups(struct tl_overlap *o, struct tl_stream *s)
{
	for (size_t i = 0; i < o->n_groups; i++)
		write_group(o, s, &o->groups[o->group_order[i]]);
}

/* ---- fusion ---- */

struct found {
	struct tl_overlap *o;
	struct tl_stream *s;
};

static void take(void *to, struct tl_span line)
{
	struct found *f = to;
	tl_stream_write(f->s, line);
}

/* Matching costs about a millisecond per kernel: names beyond these cannot tell much. */
#define MOST_FUSED 400

static int by_gpu(const void *x, const void *y)
{
	const struct overlap_fusion_row *a = x, *b = y;
	if (a->gpu_ns != b->gpu_ns)
		return a->gpu_ns > b->gpu_ns ? -1 : 1;
	return tl_span_cmp(a->name, b->name);
}

void overlap_write_fusions(struct tl_overlap *o, struct tl_stream *s)
{
	struct overlap_fusion_row *rows = tl_calloc(o->n_groups + 1, sizeof *rows);
	struct tl_intmap at = {0};
	struct found to = {o, s};
	size_t n = 0;
	int64_t total = 0;
	for (size_t i = 0; i < o->n_groups; i++) {
		const struct overlap_group *g = &o->groups[o->group_order[i]];
		uint32_t *row = tl_intmap_add(&at, g->canon);
		if (*row == 0) {
			rows[n].name = tl_pool_text(o->texts, g->canon);
			*row = (uint32_t)++n;
		}
		rows[*row - 1].gpu_ns = tl_ns_add(rows[*row - 1].gpu_ns, g->gpu);
		total = tl_ns_add(total, g->gpu);
	}
	for (size_t i = 0; i < o->n_sources; i++) {
		const struct overlap_source *p = &o->sources[i];
		uint32_t *row = tl_intmap_find(&at, p->kernel);
		if (row && p->scope != NONE)
			rows[*row - 1].scope = tl_pool_text(o->texts, p->scope);
		if (row && p->launch_op != NONE)
			rows[*row - 1].launch_op = tl_pool_text(o->texts, p->launch_op);
	}
	qsort(rows, n, sizeof *rows, by_gpu);
	overlap_fusion_find(
		o->fusion, o->trace, rows, n < MOST_FUSED ? n : MOST_FUSED, total, take, &to);
	tl_intmap_free(&at);
	free(rows);
}
