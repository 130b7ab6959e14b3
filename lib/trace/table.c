#include "table.h"
#include "open.h"
#include "../json/json.h"
#include <stdlib.h>

struct tl_table *tl_table_new(unsigned take)
{
	struct tl_table *t = tl_calloc(1, sizeof *t);
	t->take = take;
	t->names = tl_pool_new();
	t->threads = tl_pool_new();
	t->pids = tl_pool_new();
	t->texts = tl_pool_new();
	return t;
}

void tl_table_drop_flows(struct tl_table *t)
{
	free(t->flows.ts);
	free(t->flows.key);
	free(t->flows.thread);
	free(t->flows.start);
	t->flows = (struct tl_flows){0};
}

static void free_columns(struct tl_table *t)
{
#define FREE(type, name) \
	free(t->name);       \
	t->name = NULL;
	TL_TABLE_COLUMNS(FREE)
	FREE(const char *, line)
	FREE(uint32_t, len)
	FREE(uint32_t, spot)
#undef FREE
	t->cap = 0;
}

void tl_table_free(struct tl_table *t)
{
	if (!t)
		return;
	free_columns(t);
	free(t->told);
	tl_table_drop_flows(t);
	tl_places_free(&t->places);
	tl_pool_free(t->names);
	tl_pool_free(t->threads);
	tl_pool_free(t->pids);
	tl_pool_free(t->texts);
	tl_buf_free(&t->scratch);
	free(t->process);
	free(t->by_id);
	free(t);
}

void tl_table_clear(struct tl_table *t)
{
	tl_pool_clear(t->names);
	tl_pool_clear(t->threads);
	tl_pool_clear(t->pids);
	tl_pool_clear(t->texts);
	free(t->by_id);
	t->by_id = NULL;
	if (t->slim)
		free_columns(t);
	t->unordered = t->tree = t->slim = false;
	t->n = t->flows.n = 0;
	t->n_told = t->n_operators = 0;
	tl_places_clear(&t->places);
}

void tl_table_drop_told(struct tl_table *t)
{
	free(t->told);
	t->told = NULL;
	t->n_told = t->told_cap = t->n_operators = 0;
}

void tl_table_slim(struct tl_table *t)
{
	void *ts = t->ts, *end = t->end, *flags = t->flags;
	t->ts = t->end = NULL;
	t->flags = NULL;
	free_columns(t);
	tl_table_drop_flows(t);
	t->ts = ts;
	t->end = end;
	t->flags = flags;
	t->slim = true;
}

static void grow(struct tl_table *t)
{
	t->cap = t->cap ? t->cap * 2 : 1024;
#define GROW(type, name) t->name = tl_realloc(t->name, t->cap, sizeof *t->name);
	TL_TABLE_COLUMNS(GROW)
#undef GROW
	if (t->take & TL_TAKE_LINES) {
		t->line = tl_realloc(t->line, t->cap, sizeof *t->line);
		t->len = tl_realloc(t->len, t->cap, sizeof *t->len);
	}
	if (t->take & TL_TAKE_PLACES)
		t->spot = tl_realloc(t->spot, t->cap, sizeof *t->spot);
}

static uint32_t thread_of(struct tl_table *t, struct tl_span pid, struct tl_span tid)
{
	struct tl_buf *b = &t->scratch;
	b->n = 0;
	tl_buf_span(b, pid);
	tl_buf_ch(b, '\n');
	tl_buf_span(b, tid);
	uint32_t known = tl_pool_count(t->threads);
	uint32_t thread = tl_pool_add(t->threads, tl_buf_all(b));
	if (thread == known) {
		TL_GROW(t->process, thread, t->process_cap);
		t->process[thread] = tl_pool_add(t->pids, pid);
	}
	return thread;
}

static bool is_named(struct tl_span inner)
{
	return inner.n > 0 && inner.p[0] != '-' && !tl_span_eq(inner, TL_LIT("null"));
}

/* Small numbers are their own key (plus 1, since 0 means none), other texts have one in the pool.
 */
static uint64_t key_of(struct tl_table *t, struct tl_span v)
{
	uint64_t u;
	v = tl_json_inner(v);
	if (!is_named(v))
		return 0;
	if (tl_json_u64(v, &u) && u < TL_KEY_TEXT - 1)
		return u + 1;
	return TL_KEY_TEXT | tl_pool_add(t->texts, v);
}

static uint64_t nonzero_key_of(struct tl_table *t, struct tl_span v)
{
	uint64_t key = key_of(t, v);
	return key == TL_KEY_ZERO ? 0 : key;
}

bool tl_is_id(struct tl_span json)
{
	uint64_t u;
	struct tl_span v = tl_json_inner(json);
	return is_named(v) && !(tl_json_u64(v, &u) && u == 0);
}

static void add_keys(struct tl_table *t, uint32_t row, const struct tl_event *e)
{
	enum tl_cat cat = (enum tl_cat)t->cat[row];
	struct tl_span args = e->f[TL_F_ARGS];
	t->key[row] = t->key2[row] = 0;
	if (tl_table_is_flow(t, row)) {
		t->key[row] = key_of(t, e->f[TL_F_FLOW]);
	} else if (tl_cat_is_gpu(cat) || tl_cat_is_launch(cat)) {
		t->key[row] = nonzero_key_of(t, e->f[TL_F_CORRELATION]);
		t->key2[row] = nonzero_key_of(t, e->f[TL_F_EXTERNAL_ID]);
	} else if (cat == TL_CAT_CPU_OP) {
		t->key[row] = key_of(t, tl_json_get(args, TL_LIT("Sequence number")));
		t->key2[row] = nonzero_key_of(t, e->f[TL_F_EXTERNAL_ID]);
	} else if (cat == TL_CAT_PYTHON) {
		t->key[row] = key_of(t, tl_json_get(args, TL_LIT("Python id")));
		t->key2[row] = key_of(t, tl_json_get(args, TL_LIT("Python parent id")));
	} else if (cat == TL_CAT_ANNOTATION || cat == TL_CAT_GPU_ANNOTATION) {
		t->key2[row] = nonzero_key_of(t, e->f[TL_F_EXTERNAL_ID]);
	}
}

static uint16_t flags_of(const struct tl_event *e)
{
	uint16_t flags = 0;
	if (e->has_ts)
		flags |= TL_ROW_TS;
	if (e->has_ts && e->has_dur && e->ph == 'X')
		flags |= TL_ROW_SPAN;
	if (e->f[TL_F_DUR].n)
		flags |= TL_ROW_DUR;
	for (int f = TL_F_PARENT; f <= TL_F_CLAMPED_END; f++)
		if (e->f[f].n)
			flags |= TL_ROW_OLD;
	if (tl_span_eq(e->f[TL_F_GRAPH], TL_LIT("true")))
		flags |= TL_ROW_GRAPH;
	return flags;
}

static void add_told(struct tl_table *t, uint32_t row, const struct tl_event *e)
{
	struct tl_told told = {.row = row};
	t->tree |= e->f[TL_F_DEPTH].n || e->f[TL_F_LAUNCHER].n;
	if (!tl_cat_is_gpu((enum tl_cat)t->cat[row]))
		return;
	told.has_launcher = tl_json_u64(e->f[TL_F_LAUNCHER], &told.launcher);
	told.has_operator = tl_json_u64(e->f[TL_F_OPERATOR], &told.owner);
	if (!told.has_launcher && !told.has_operator)
		return;
	TL_GROW(t->told, t->n_told, t->told_cap);
	t->told[t->n_told++] = told;
	t->n_operators += told.has_operator;
}

static void add_flow(struct tl_table *t, const struct tl_event *e)
{
	struct tl_flows *f = &t->flows;
	uint64_t key = key_of(t, e->f[TL_F_FLOW]);
	if (!e->has_ts || key <= TL_KEY_ZERO)
		return;
	if (f->n == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 1024;
		f->ts = tl_realloc(f->ts, f->cap, sizeof *f->ts);
		f->key = tl_realloc(f->key, f->cap, sizeof *f->key);
		f->thread = tl_realloc(f->thread, f->cap, sizeof *f->thread);
		f->start = tl_realloc(f->start, f->cap, sizeof *f->start);
	}
	f->ts[f->n] = e->ts;
	f->key[f->n] = key;
	f->thread[f->n] = thread_of(t, e->f[TL_F_PID], e->f[TL_F_TID]);
	f->start[f->n++] = e->ph == 's';
}

static bool is_wanted(unsigned take, const struct tl_event *e, enum tl_cat cat)
{
	if ((take & TL_TAKE_ALL) == TL_TAKE_ALL || e->ph == 'B' || e->ph == 'E')
		return true;
	if (e->ph == 's' || e->ph == 't' || e->ph == 'f')
		return take & TL_TAKE_REST;
	if (tl_cat_is_gpu(cat))
		return take & TL_TAKE_OPS;
	if (tl_cat_is_launch(cat))
		return take & TL_TAKE_CALLS;
	if (cat == TL_CAT_CPU_OP)
		return take & TL_TAKE_CPU;
	if (cat == TL_CAT_ANNOTATION || cat == TL_CAT_GPU_ANNOTATION)
		return take & TL_TAKE_NOTES;
	return take & TL_TAKE_REST;
}

uint32_t tl_table_add(struct tl_table *t, const struct tl_event *e, struct tl_span line)
{
	enum tl_cat cat = tl_event_cat(e);
	if (cat == TL_CAT_AC2G && t->take & TL_TAKE_FLOWS && (e->ph == 's' || e->ph == 'f'))
		add_flow(t, e);
	if (!is_wanted(t->take, e, cat))
		return TL_NO_ROW;
	if (t->n == t->cap)
		grow(t);
	uint32_t row = t->n++;
	if (row > 0 && e->id < t->id[row - 1])
		t->unordered = true;
	if (t->line) {
		t->line[row] = line.p;
		t->len[row] = (uint32_t)line.n;
	}
	t->id[row] = e->id;
	t->ts[row] = e->ts;
	t->dur[row] = e->dur;
	t->end[row] = e->end;
	t->name[row] = tl_pool_add(t->names, e->f[TL_F_NAME]);
	t->thread[row] = thread_of(t, e->f[TL_F_PID], e->f[TL_F_TID]);
	t->flags[row] = flags_of(e);
	t->cat[row] = (uint8_t)cat;
	t->ph[row] = e->ph;
	add_keys(t, row, e);
	add_told(t, row, e);
	if (t->spot && (tl_cat_is_gpu(cat) || cat == TL_CAT_GPU_ANNOTATION))
		t->spot[row] = tl_places_add(&t->places, e);
	return row;
}

static void order_by_id(struct tl_table *t)
{
	struct tl_sort *a = tl_calloc(t->n, sizeof *a);
	for (uint32_t i = 0; i < t->n; i++)
		a[i] = (struct tl_sort){t->id[i], i, 0};
	tl_sort(a, t->n);
	t->by_id = tl_calloc(t->n, sizeof *t->by_id);
	for (uint32_t i = 0; i < t->n; i++)
		t->by_id[i] = a[i].at;
	free(a);
}

static void join(struct tl_table *t, uint32_t b, uint32_t e)
{
	t->end[b] = t->ts[e];
	t->dur[b] = tl_ns_sub(t->ts[e], t->ts[b]);
	t->flags[b] |= TL_ROW_SPAN | TL_ROW_PAIRED;
	t->flags[e] |= TL_ROW_PAIRED;
	t->key[e] = b;
}

static void pair(struct tl_table *t)
{
	struct tl_sort *a = NULL;
	size_t n = 0, cap = 0;
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if ((t->ph[i] != 'B' && t->ph[i] != 'E') || !(t->flags[i] & TL_ROW_TS))
			continue;
		TL_GROW(a, n, cap);
		a[n++] = (struct tl_sort){tl_sort_time(t->ts[i]), i, 0};
	}
	tl_sort(a, n);
	tl_sort_by_u32(a, n, t->thread);
	struct tl_open open = {a, 0};
	for (size_t k = 0; k < n; k++) {
		if (k > 0 && a[k].key != a[k - 1].key)
			open.n = 0;
		if (t->ph[a[k].at] == 'B')
			tl_open_push(&open, a[k].at);
		else if (open.n > 0) {
			join(t, tl_open_top(&open), a[k].at);
			open.n--;
		}
	}
	free(a);
}

uint32_t tl_table_row(const struct tl_table *t, uint64_t id)
{
	size_t lo;
	TL_SEARCH(lo, 0, t->n, t->id[tl_table_at(t, lo)] < id);
	return lo < t->n && t->id[tl_table_at(t, lo)] == id ? tl_table_at(t, lo) : TL_NO_ROW;
}

/* Where tl-tree was, a B has the length of its E, which a filter may have taken away since. */
static void take_joined(struct tl_table *t)
{
	const uint16_t joined = TL_ROW_TS | TL_ROW_DUR;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->ph[i] == 'B' && (t->flags[i] & joined) == joined)
			t->flags[i] |= TL_ROW_SPAN;
}

void tl_table_finish(struct tl_table *t)
{
	if (t->unordered)
		order_by_id(t);
	pair(t);
	if (t->tree)
		take_joined(t);
	if (t->take & TL_TAKE_PLACES)
		tl_places_finish(&t->places);
}

void tl_table_nesting_order(const struct tl_table *t, struct tl_sort *a, size_t n)
{
	tl_sort_by_u32(a, n, t->thread);
	for (size_t k = 0, to; k < n; k = to) {
		uint32_t thread = t->thread[a[k].at];
		for (to = k; to < n && t->thread[a[to].at] == thread; to++)
			;
		tl_sort_by_time(a + k, to - k, t->ts);
	}
	for (size_t k = 0, to; k < n; k = to) {
		uint32_t thread = t->thread[a[k].at];
		int64_t ts = t->ts[a[k].at];
		to = k + 1;
		while (to < n && t->ts[a[to].at] == ts && t->thread[a[to].at] == thread)
			to++;
		if (to - k > 1)
			tl_sort_late_first(a + k, to - k, t->end);
	}
}

void tl_table_sort_by_process(const struct tl_table *t, struct tl_sort *a, size_t n)
{
	for (size_t k = 0; k < n; k++)
		a[k].key = tl_table_process(t, a[k].at);
	tl_sort(a, n);
}

uint32_t *tl_no_rows(size_t n)
{
	uint32_t *column = tl_alloc((n + 1) * sizeof *column);
	for (size_t i = 0; i < n; i++)
		column[i] = TL_NO_ROW;
	return column;
}
