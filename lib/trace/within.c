#include "within.h"
#include "../json/json.h"
#include "step.h"
#include <stdlib.h>

/* A time in which annotations are open; a list of these has no overlap, is by process, then time.
 */
struct span {
	uint32_t process;
	int64_t from, to;
};

struct spans {
	struct span *a;
	size_t n;
};

/* For each number of a name whether it is `name`. */
static bool *named(const struct tl_table *t, struct tl_span name)
{
	struct tl_buf text = {0};
	uint32_t n = tl_pool_count(t->names);
	bool *is = tl_calloc((size_t)n + 1, sizeof *is);
	for (uint32_t i = 0; i < n; i++) {
		struct tl_span json = tl_pool_text(t->names, i);
		if (!tl_json_is_string(json))
			continue;
		text.n = 0;
		tl_json_text(json, &text);
		is[i] = tl_span_eq(tl_buf_all(&text), name);
	}
	tl_buf_free(&text);
	return is;
}

static bool can_hold(const struct tl_table *t, uint32_t row)
{
	enum tl_cat c = (enum tl_cat)t->cat[row];
	return c == TL_CAT_ANNOTATION || c == TL_CAT_CPU_OP || c == TL_CAT_OTHER;
}

/* The annotations, in order of id. */
static void find(const struct tl_tree *tree, const bool *is, struct tl_rows *found)
{
	struct tl_table *t = tree->t;
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (is[t->name[i]] && (t->flags[i] & TL_ROW_TREE) && can_hold(t, i))
			tl_rows_add(found, 0, i);
	}
}

static struct spans times(const struct tl_table *t, struct tl_rows *found)
{
	struct spans s = {tl_calloc(found->n + 1, sizeof *s.a), 0};
	tl_sort_by_time(found->a, found->n, t->ts);
	tl_table_sort_by_process(t, found->a, found->n);
	for (size_t k = 0; k < found->n; k++) {
		uint32_t i = found->a[k].at, process = tl_table_process(t, i);
		struct span *last = s.n ? &s.a[s.n - 1] : NULL;
		if (last && last->process == process && t->ts[i] <= last->to) {
			if (t->end[i] > last->to)
				last->to = t->end[i];
		} else {
			s.a[s.n++] = (struct span){process, t->ts[i], t->end[i]};
		}
	}
	return s;
}

/* True when the row lies in one of the spans of its process. */
static bool lies_in(const struct tl_table *t, const struct spans *s, uint32_t row)
{
	uint32_t process = tl_table_process(t, row);
	int64_t end = t->flags[row] & TL_ROW_SPAN ? t->end[row] : t->ts[row];
	size_t lo;
	TL_SEARCH(lo, 0, s->n,
		s->a[lo].process < process || (s->a[lo].process == process && s->a[lo].from <= t->ts[row]));
	return lo > 0 && s->a[lo - 1].process == process && end <= s->a[lo - 1].to;
}

static void keep(struct tl_table *t, uint32_t row)
{
	t->flags[row] &= (uint16_t)~TL_ROW_LEFT_OUT;
}

static void keep_tree(struct tl_tree *tree, const struct tl_rows *found, const struct spans *s)
{
	struct tl_table *t = tree->t;
	for (size_t k = 0; k < found->n; k++)
		keep(t, found->a[k].at);
	for (uint32_t k = 0; k < tree->n; k++) {
		uint32_t i = tree->order[k], up = tree->parent[i];
		if ((up != TL_NO_ROW && !(t->flags[up] & TL_ROW_LEFT_OUT)) ||
			(!tl_table_is_gpu_op(t, i) && lies_in(t, s, i)))
			keep(t, i);
	}
}

/* A GPU op of a step, its launch with the calls around it, and its operator, wherever these end. */
static void keep_op(struct tl_tree *tree, uint32_t op)
{
	uint32_t at = tree->parent[op];
	keep(tree->t, op);
	if (tree->operators[op] != TL_NO_ROW)
		keep(tree->t, tree->operators[op]);
	for (; at != TL_NO_ROW && tl_table_is_launch(tree->t, at); at = tree->parent[at])
		keep(tree->t, at);
}

/* Of steps, the GPU ops are those that step.h says are theirs. */
static void keep_steps(struct tl_tree *tree, const bool *is)
{
	struct tl_table *t = tree->t;
	struct tl_steps s = tl_steps_find(t, tree->parent);
	bool any = false;
	for (size_t i = 0; i < s.n && !any; i++)
		any = is[s.a[i].name];
	for (uint32_t i = 0; i < t->n && any; i++)
		if (tl_table_is_gpu_op(t, i))
			t->flags[i] |= TL_ROW_LEFT_OUT;
	for (uint32_t i = 0; i < t->n && any; i++)
		if (s.of[i] != TL_NO_ROW && is[s.a[s.of[i]].name])
			keep_op(tree, i);
	for (size_t k = 0; k < s.nested.n && any; k++)
		if (is[s.a[s.nested.a[k].key].name])
			keep_op(tree, s.nested.a[k].at);
	tl_steps_free(&s);
}

/* Host events outside the tree; an E stays with its B. */
static void keep_others(struct tl_table *t, const struct spans *s)
{
	for (uint32_t i = 0; i < t->n; i++) {
		bool host = (t->flags[i] & TL_ROW_TS) && t->cat[i] < TL_CAT_KERNEL;
		if ((t->flags[i] & TL_ROW_TREE) || tl_table_is_flow(t, i))
			continue;
		if (t->ph[i] == 'M' || (host && lies_in(t, s, i)))
			keep(t, i);
	}
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->ph[i] != 'E' || !(t->flags[i] & TL_ROW_PAIRED))
			continue;
		uint16_t out = t->flags[(uint32_t)t->key[i]] & TL_ROW_LEFT_OUT;
		t->flags[i] = (uint16_t)((t->flags[i] & ~TL_ROW_LEFT_OUT) | out);
	}
}

static bool same_flow(const struct tl_table *t, uint32_t a, uint32_t b)
{
	return t->key[a] == t->key[b] && t->cat[a] == t->cat[b] && t->name[a] == t->name[b];
}

static void keep_flows(struct tl_table *t)
{
	struct tl_rows spans = {0}, flows = {0};
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (!(t->flags[i] & TL_ROW_TS))
			continue;
		if (tl_table_is_flow(t, i))
			tl_rows_add(&flows, 0, i);
		else if (!(t->flags[i] & TL_ROW_LEFT_OUT) &&
				 ((t->flags[i] & TL_ROW_SPAN) || tl_table_is_gpu_op(t, i)))
			tl_rows_add(&spans, 0, i);
	}
	tl_bind(t, spans.a, spans.n, flows.a, flows.n);
	for (size_t k = 0; k < flows.n; k++)
		flows.a[k].key = (uint64_t)t->cat[flows.a[k].at] << 32 | t->name[flows.a[k].at];
	tl_sort(flows.a, flows.n);
	tl_sort_by_u64(flows.a, flows.n, t->key);
	for (size_t k = 0, to; k < flows.n; k = to) {
		bool start = false, finish = false;
		for (to = k; to < flows.n && same_flow(t, flows.a[to].at, flows.a[k].at); to++) {
			bool bound = flows.a[to].more != TL_NO_ROW;
			start = start || (bound && t->ph[flows.a[to].at] == 's');
			finish = finish || (bound && t->ph[flows.a[to].at] == 'f');
		}
		for (size_t j = k; j < to && start && finish; j++)
			if (flows.a[j].more != TL_NO_ROW)
				keep(t, flows.a[j].at);
	}
	free(spans.a);
	free(flows.a);
}

bool tl_within(struct tl_tree *tree, struct tl_span name)
{
	struct tl_table *t = tree->t;
	struct tl_rows found = {0};
	bool *is = named(t, name);
	find(tree, is, &found);
	struct spans s = times(t, &found);
	for (uint32_t i = 0; i < t->n; i++)
		t->flags[i] |= TL_ROW_LEFT_OUT;
	keep_tree(tree, &found, &s);
	keep_steps(tree, is);
	keep_others(t, &s);
	keep_flows(t);
	free(found.a);
	free(s.a);
	free(is);
	return s.n > 0;
}

/* What `end` counts of the events that are left. */
static struct tl_sum sum_up(const struct tl_table *t)
{
	struct tl_sum s = {0};
	for (uint32_t i = 0; i < t->n; i++) {
		struct tl_mark m = {.ts = t->ts[i],
			.end = tl_ns_add(t->ts[i], t->dur[i]),
			.has_ts = (t->flags[i] & TL_ROW_TS) && t->ph[i] != 'M',
			.gpu_op = t->ph[i] == 'X' && tl_table_is_gpu_op(t, i)};
		if (!(t->flags[i] & TL_ROW_LEFT_OUT))
			tl_sum_add(&s, &m);
	}
	return s;
}

/* The member of `end` with what is left in place of what it counted. */
static void put_member(struct tl_write *w, struct tl_span key, struct tl_span val, struct tl_sum s)
{
	bool first = tl_span_eq(key, TL_LIT("ts_first")), last = tl_span_eq(key, TL_LIT("ts_last"));
	if (tl_span_eq(key, TL_LIT("events")))
		tl_put_u64(w, "events", s.events);
	else if (tl_span_eq(key, TL_LIT("gpu_ops")))
		tl_put_u64(w, "gpu_ops", s.gpu_ops);
	else if (!first && !last)
		tl_put_member(w, key, val);
	else if (s.any_ts)
		tl_put_us(w, first ? "ts_first" : "ts_last", first ? s.ts_first : s.ts_last);
}

bool tl_within_end(const struct tl_table *t, struct tl_span line, struct tl_write *out)
{
	struct tl_sum s = sum_up(t);
	struct tl_json it = tl_json_open(line);
	struct tl_span key, val;
	tl_value(out);
	tl_object(out, NULL);
	while (tl_json_member(&it, &key, &val))
		put_member(out, key, val, s);
	return !it.bad;
}
