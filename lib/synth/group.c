#include "group.h"
#include "../json/json.h"
#include "../base/base.h"
#include <math.h>
#include <stdlib.h>

/* Fields of the rows; those before NUMBERS describe a group as long as all its rows agree. */
enum field {
	NAME,
	CATEGORY,
	KIND,
	DIMS,
	TYPES,
	STRIDES,
	CONCRETE,
	MODEL,
	BOUND,
	PRECISION,
	PARAMS,
	STACK,
	NUMBERS,
	GPU_US = NUMBERS,
	BUSY_US,
	GFLOPS,
	BYTES,
	ROOFLINE,
	GPU_OPS,
	FIELDS
};

static const struct tl_span names[FIELDS] = {
	[NAME] = TL_LIT("name"),
	[CATEGORY] = TL_LIT("category"),
	[KIND] = TL_LIT("kind"),
	[DIMS] = TL_LIT("input_dims"),
	[TYPES] = TL_LIT("input_types"),
	[STRIDES] = TL_LIT("input_strides"),
	[CONCRETE] = TL_LIT("concrete_inputs"),
	[MODEL] = TL_LIT("model"),
	[BOUND] = TL_LIT("bound"),
	[PRECISION] = TL_LIT("precision"),
	[PARAMS] = TL_LIT("params"),
	[STACK] = TL_LIT("call_stack"),
	[GPU_US] = TL_LIT("gpu_us"),
	[BUSY_US] = TL_LIT("busy_us"),
	[GFLOPS] = TL_LIT("gflops"),
	[BYTES] = TL_LIT("bytes"),
	[ROOFLINE] = TL_LIT("roofline_share"),
	[GPU_OPS] = TL_LIT("gpu_ops"),
};

#define BIT(f) (1u << (f))
static const struct {
	const char *name;
	unsigned fields;
} keys[] = {
	[TL_SYNTH_GROUP_INPUTS] = {"inputs", BIT(NAME) | BIT(CATEGORY) | BIT(KIND) | BIT(DIMS) |
											 BIT(TYPES) | BIT(STRIDES) | BIT(CONCRETE)},
	[TL_SYNTH_GROUP_NAME] = {"name", BIT(NAME)},
	[TL_SYNTH_GROUP_CATEGORY] = {"category", BIT(CATEGORY)},
	[TL_SYNTH_GROUP_STACK] = {"stack", BIT(NAME) | BIT(STACK)},
};

struct group {
	uint32_t text[NUMBERS]; /* in the pool; TL_POOL_NONE: absent or not all the same */
	uint64_t count, gpu_ops;
	int64_t gpu_ns, busy_ns;
	int64_t last; /* its latest row, from which the others follow; -1: none */
	/* of the rows that have the figure */
	double gflops, bytes, flops_ns, bytes_ns;
	double both_gflops, both_bytes;
	double least_ns, roofline_ns; /* at the device's peaks, and as it was */
	uint64_t with_gflops, with_bytes;
};

struct row {
	int64_t gpu_ns;
	int64_t before; /* the row of the same group before this one; -1: none */
};

struct tl_synth_groups {
	unsigned key;
	struct tl_pool *keys, *texts;
	struct group *groups;
	size_t groups_cap;
	struct row *rows;
	size_t n, rows_cap;
	struct tl_buf scratch;
	struct tl_write line;
	int64_t *times;
};

bool tl_synth_group_key_of(const char *name, enum tl_synth_group_key *key)
{
	if (!*name)
		name = keys[0].name;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (strcmp(keys[i].name, name) == 0) {
			*key = (enum tl_synth_group_key)i;
			return true;
		}
	}
	return false;
}

struct tl_synth_groups *tl_synth_groups_new(enum tl_synth_group_key key)
{
	struct tl_synth_groups *g = tl_calloc(1, sizeof *g);
	g->key = keys[key].fields;
	g->keys = tl_pool_new();
	g->texts = tl_pool_new();
	return g;
}

void tl_synth_groups_free(struct tl_synth_groups *g)
{
	if (!g)
		return;
	tl_pool_free(g->keys);
	tl_pool_free(g->texts);
	tl_buf_free(&g->scratch);
	tl_write_free(&g->line);
	free(g->groups);
	free(g->rows);
	free(g);
}

static void read_row(struct tl_span line, struct tl_span f[FIELDS])
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, val;
	while (tl_json_member(&it, &key, &val))
		for (int i = 0; i < FIELDS; i++)
			if (tl_span_eq(key, names[i]))
				f[i] = val;
}

/* The group of the row: its place, and whether it is new. */
static uint32_t find_group(struct tl_synth_groups *g, const struct tl_span f[FIELDS], bool *is_new)
{
	uint32_t n = tl_pool_count(g->keys), at;
	g->scratch.n = 0;
	for (int i = 0; i < NUMBERS; i++) {
		if (g->key & BIT(i))
			tl_buf_span(&g->scratch, f[i]);
		tl_buf_ch(&g->scratch, '\n');
	}
	at = tl_pool_add(g->keys, tl_buf_all(&g->scratch));
	*is_new = at == n;
	return at;
}

static void describe(
	struct tl_synth_groups *g, struct group *group, const struct tl_span f[FIELDS], bool is_new)
{
	for (int i = 0; i < NUMBERS; i++) {
		/* a call stack describes only where it is the key: it is long */
		if (i == STACK && !(g->key & BIT(STACK)))
			group->text[i] = TL_POOL_NONE;
		else if (is_new)
			group->text[i] = f[i].n ? tl_pool_add(g->texts, f[i]) : TL_POOL_NONE;
		else if (group->text[i] != TL_POOL_NONE &&
				 !tl_span_eq(tl_pool_text(g->texts, group->text[i]), f[i]))
			group->text[i] = TL_POOL_NONE;
	}
}

static void add_figures(struct group *group, const struct tl_span f[FIELDS])
{
	int64_t busy = 0;
	double gflops, bytes, share;
	bool has_gflops = f[GFLOPS].n && tl_json_double(f[GFLOPS], &gflops);
	bool has_bytes = f[BYTES].n && tl_json_double(f[BYTES], &bytes);
	if (!f[BUSY_US].n || !tl_ns_parse(f[BUSY_US], &busy))
		busy = 0;
	group->busy_ns = tl_ns_add(group->busy_ns, busy);
	if (has_gflops) {
		group->gflops += gflops;
		group->with_gflops++;
		group->flops_ns += (double)busy;
	}
	if (has_bytes) {
		group->bytes += bytes;
		group->bytes_ns += (double)busy;
		group->with_bytes++;
	}
	if (has_gflops && has_bytes) {
		group->both_gflops += gflops;
		group->both_bytes += bytes;
	}
	if (f[ROOFLINE].n && tl_json_double(f[ROOFLINE], &share)) {
		group->least_ns += (double)busy * share / 100;
		group->roofline_ns += (double)busy;
	}
}

static uint64_t elements(struct tl_span array)
{
	struct tl_json it = tl_json_open(array);
	struct tl_span element;
	uint64_t n = 0;
	while (array.n && array.p[0] == '[' && tl_json_element(&it, &element))
		n++;
	return n;
}

void tl_synth_groups_add(struct tl_synth_groups *g, struct tl_span line)
{
	struct tl_span f[FIELDS] = {{0}};
	bool is_new;
	int64_t ns = 0;
	read_row(line, f);
	uint32_t at = find_group(g, f, &is_new);
	TL_GROW(g->groups, at, g->groups_cap);
	struct group *group = &g->groups[at];
	if (is_new)
		*group = (struct group){.last = -1};
	describe(g, group, f, is_new);
	add_figures(group, f);
	if (f[GPU_US].n && !tl_ns_parse(f[GPU_US], &ns))
		ns = 0;
	group->count++;
	group->gpu_ops += elements(f[GPU_OPS]);
	group->gpu_ns = tl_ns_add(group->gpu_ns, ns);
	TL_GROW(g->rows, g->n, g->rows_cap);
	g->rows[g->n] = (struct row){ns, group->last};
	group->last = (int64_t)g->n++;
}

/* ---- the records ---- */

/* Mean, median, least, most and sample standard deviation of times in ascending order. */
static void put_statistics(struct tl_write *w, const int64_t *ns, size_t n, int64_t sum)
{
	double mean = (double)sum / (double)n, squares = 0;
	int64_t low = ns[(n - 1) / 2], high = ns[n / 2];
	for (size_t i = 0; i < n; i++)
		squares += ((double)ns[i] - mean) * ((double)ns[i] - mean);
	tl_put_us(w, "gpu_us_mean", (int64_t)round(mean));
	tl_put_us(w, "gpu_us_median", low + (high - low) / 2);
	tl_put_us(w, "gpu_us_min", ns[0]);
	tl_put_us(w, "gpu_us_max", ns[n - 1]);
	if (n > 1)
		tl_put_us(w, "gpu_us_std", (int64_t)round(sqrt(squares / (double)(n - 1))));
}

/* The fields from `f` to `to`. */
static void put_fields(
	struct tl_synth_groups *g, const struct group *group, enum field f, enum field to)
{
	for (int i = f; i <= (int)to; i++)
		if (group->text[i] != TL_POOL_NONE)
			tl_put_json(&g->line, names[i].p, tl_pool_text(g->texts, group->text[i]));
}

static void put_rates(struct tl_write *w, const struct group *group)
{
	if (group->with_gflops)
		tl_put_num(w, "gflops", group->gflops / (double)group->with_gflops, 15);
	if (group->with_gflops && group->flops_ns > 0)
		tl_put_num(w, "tflops_s", group->gflops * 1e6 / group->flops_ns, 6);
	if (group->bytes_ns > 0)
		tl_put_num(w, "tb_s", group->bytes / 1e3 / group->bytes_ns, 6);
	if (group->both_bytes > 0)
		tl_put_num(w, "flops_per_byte", group->both_gflops * 1e9 / group->both_bytes, 6);
}

static struct tl_span write_group(
	struct tl_synth_groups *g, const struct group *group, uint64_t trace, int64_t total_ns)
{
	struct tl_write *w = &g->line;
	tl_record(w, "op_group", trace);
	put_fields(g, group, NAME, CONCRETE);
	tl_put_u64(w, "count", group->count);
	tl_put_us(w, "gpu_us", group->gpu_ns);
	put_statistics(w, g->times, group->count, group->gpu_ns);
	tl_put_share(w, "share", group->gpu_ns, total_ns, 100);
	put_fields(g, group, MODEL, MODEL);
	put_rates(w, group);
	tl_put_u64(w, "gpu_ops", group->gpu_ops);
	tl_put_us(w, "busy_us", group->busy_ns);
	if (group->with_bytes)
		tl_put_num(w, "bytes", group->bytes / (double)group->with_bytes, 15);
	put_fields(g, group, BOUND, BOUND);
	if (group->roofline_ns > 0)
		tl_put_num(w, "roofline_share", 100 * group->least_ns / group->roofline_ns, 6);
	put_fields(g, group, PRECISION, STACK);
	return tl_record_end(w);
}

/* The group's times into g->times, in ascending order. `sorted` has room for them. */
static void gather(struct tl_synth_groups *g, const struct group *group, struct tl_sort *sorted)
{
	size_t n = 0;
	for (int64_t i = group->last; i >= 0; i = g->rows[i].before)
		sorted[n++].key = tl_sort_time(g->rows[i].gpu_ns);
	tl_sort(sorted, n);
	for (size_t i = 0; i < n; i++)
		g->times[i] = (int64_t)(sorted[i].key ^ (UINT64_C(1) << 63));
}

void tl_synth_groups_write(struct tl_synth_groups *g, uint64_t trace, int64_t total_ns,
	void (*take)(void *to, struct tl_span record), void *to)
{
	size_t n = tl_pool_count(g->keys);
	struct tl_sort *order = tl_calloc(n, sizeof *order), *sorted = tl_calloc(g->n, sizeof *sorted);
	g->times = tl_calloc(g->n, sizeof *g->times);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct tl_sort){~tl_sort_time(g->groups[i].gpu_ns), (uint32_t)i, 0};
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++) {
		const struct group *group = &g->groups[order[i].at];
		gather(g, group, sorted);
		take(to, write_group(g, group, trace, total_ns));
	}
	free(order);
	free(sorted);
	free(g->times);
	g->n = 0;
	tl_pool_clear(g->keys);
	tl_pool_clear(g->texts);
}
