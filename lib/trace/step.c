#include "step.h"
#include "../json/json.h"
#include "interval.h"
#include "rank.h"
#include <stdlib.h>

/* ---- names ---- */

/* Where a word ends that occurs in the name, in any case; 0: it does not. `whole`: no letter may
 * stand on both sides of it. */
static size_t word_end(struct tl_span name, struct tl_span lower, bool whole)
{
	for (size_t i = 0; i + lower.n <= name.n; i++) {
		size_t end = i + lower.n;
		if (!tl_span_eq_nocase((struct tl_span){name.p + i, lower.n}, lower))
			continue;
		bool before = i > 0 && tl_is_letter(name.p[i - 1]),
			 after = end < name.n && tl_is_letter(name.p[end]);
		if (!whole || !before || !after)
			return end;
	}
	return 0;
}

/* The decimal number behind name[from], which stands by itself: 4 of "_step 4", not 16 of "_fp16",
 * nor what stands in brackets. */
static bool number_behind(struct tl_span name, size_t from, uint64_t *number)
{
	size_t i = from, end;
	while (i < name.n && (tl_is_letter(name.p[i]) || memchr("#_ :-", name.p[i], 5)))
		i++;
	for (end = i; end < name.n && tl_is_digit(name.p[end]);)
		end++;
	bool apart = i > 0 && !tl_is_letter(name.p[i - 1]) &&
				 (end == name.n || !tl_is_letter(name.p[end]));
	return end > i && apart && tl_json_u64((struct tl_span){name.p + i, end - i}, number);
}

enum tl_step_form tl_step_form(struct tl_span name, uint64_t *number, bool *numbered)
{
	static const struct tl_span profiler = TL_LIT("ProfilerStep#");
	static const struct {
		struct tl_span word;
		enum tl_step_form form;
	} forms[] = {{TL_LIT("profilerstep"), TL_STEP_PROFILER_WORD},
		{TL_LIT("denoise"), TL_STEP_DENOISE}, {TL_LIT("iteration"), TL_STEP_ITERATION},
		{TL_LIT("step"), TL_STEP_WORD}};
	uint64_t n = 0;
	bool has = false;
	enum tl_step_form form = TL_STEP_NONE;
	if (word_end(name, TL_LIT("optimizer."), false) == TL_LIT("optimizer.").n)
		return form;
	if (name.n > profiler.n && memcmp(name.p, profiler.p, profiler.n) == 0 &&
		tl_json_u64((struct tl_span){name.p + profiler.n, name.n - profiler.n}, &n)) {
		form = TL_STEP_PROFILER;
		has = true;
	}
	for (size_t i = 0; i < sizeof forms / sizeof *forms && form == TL_STEP_NONE; i++) {
		size_t end = word_end(name, forms[i].word, forms[i].form == TL_STEP_WORD);
		if (end == 0)
			continue;
		form = forms[i].form;
		has = number_behind(name, end, &n);
	}
	if (number)
		*number = n;
	if (numbered)
		*numbered = has;
	return form;
}

/* ---- steps ---- */

static struct tl_span plain(const struct tl_table *t, uint32_t name)
{
	return tl_json_inner(tl_pool_text(t->names, name));
}

/* The forms of all names, and the best one among the annotations. */
static uint8_t *forms_of(const struct tl_table *t, enum tl_step_form *best)
{
	uint32_t n = tl_pool_count(t->names);
	uint8_t *form = tl_alloc((size_t)n + 1);
	memset(form, 0xff, (size_t)n + 1);
	*best = TL_STEP_NONE;
	for (uint32_t i = 0; i < t->n; i++) {
		uint8_t *f = &form[t->name[i]];
		bool host = t->cat[i] == TL_CAT_ANNOTATION && (t->flags[i] & TL_ROW_SPAN);
		if (!host && t->cat[i] != TL_CAT_GPU_ANNOTATION)
			continue;
		if (*f == 0xff)
			*f = (uint8_t)tl_step_form(plain(t, t->name[i]), NULL, NULL);
		if (host && *f && (*best == TL_STEP_NONE || *f < *best))
			*best = (enum tl_step_form) * f;
	}
	return form;
}

/* Annotations of the form, by process, name, start, id. */
static struct tl_rows marks_of(
	const struct tl_table *t, const uint8_t *form, enum tl_step_form best)
{
	struct tl_rows r = {0};
	for (uint32_t k = 0; k < t->n && best; k++) {
		uint32_t i = tl_table_at(t, k);
		if (t->cat[i] == TL_CAT_ANNOTATION && (t->flags[i] & TL_ROW_SPAN) &&
			form[t->name[i]] == best)
			tl_rows_add(&r, 0, i);
	}
	tl_sort_by_time(r.a, r.n, t->ts);
	for (size_t k = 0; k < r.n; k++)
		r.a[k].key = (uint64_t)tl_table_process(t, r.a[k].at) << 32 | t->name[r.a[k].at];
	tl_sort(r.a, r.n);
	return r;
}

static int by_start(const void *x, const void *y)
{
	const struct tl_step *a = x, *b = y;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void make_steps(const struct tl_table *t, const struct tl_rows *marks, struct tl_steps *s)
{
	s->a = tl_calloc(marks->n + 1, sizeof *s->a);
	for (size_t k = 0; k < marks->n; k++) {
		uint32_t i = marks->a[k].at;
		struct tl_step *last = s->n ? &s->a[s->n - 1] : NULL;
		bool same = k > 0 && marks->a[k].key == marks->a[k - 1].key && t->ts[i] < last->end;
		if (same)
			last->end = t->end[i] > last->end ? t->end[i] : last->end;
		else
			s->a[s->n++] = (struct tl_step){.name = t->name[i],
				.process = tl_table_process(t, i),
				.row = i,
				.ts = t->ts[i],
				.end = t->end[i],
				.number = t->id[i]}; /* for the order; the number comes then */
	}
	qsort(s->a, s->n, sizeof *s->a, by_start);
}

static void number_steps(const struct tl_table *t, struct tl_steps *s)
{
	bool all = true, numbered;
	uint64_t count = 0;
	for (size_t i = 0; i < s->n; i++) {
		tl_step_form(plain(t, s->a[i].name), &s->a[i].number, &numbered);
		all = all && numbered;
	}
	for (size_t i = 0; i < s->n && !all; i++) {
		count = i > 0 && s->a[i].process == s->a[i - 1].process ? count + 1 : 0;
		s->a[i].number = count;
	}
}

static void mark_nested(struct tl_steps *s)
{
	int64_t end = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct tl_step *p = &s->a[i];
		bool first = i == 0 || p->process != s->a[i - 1].process;
		s->several |= i > 0 && first;
		p->nested = !first && p->end <= end;
		end = first || p->end > end ? p->end : end;
	}
}

/* ---- whose is an instant ---- */

/* From `from` on, in a process, `step` is the shortest one that is open. By process, then time. */
struct segment {
	uint32_t process, step;
	int64_t from;
};

struct segments {
	struct segment *a;
	size_t n, cap;
};

static void add_segment(struct segments *g, uint32_t process, int64_t from, uint32_t step)
{
	struct segment *last = g->n ? &g->a[g->n - 1] : NULL;
	if (last && last->process == process && last->from == from) {
		last->step = step;
		return;
	}
	TL_GROW(g->a, g->n, g->cap);
	g->a[g->n++] = (struct segment){process, step, from};
}

/* Steps chain[0..n) of one process. None is nested, so they end in the order in which they start,
 * and of the open ones only those matter that no later, shorter one outlasts: `open`, by length. */
static void cut_process(
	const struct tl_steps *s, const uint32_t *chain, size_t n, uint32_t *open, struct segments *g)
{
	size_t head = 0, tail = 0, next = 0;
	while (next < n || head < tail) {
		const struct tl_step *p = next < n ? &s->a[chain[next]] : NULL;
		int64_t now = head < tail ? s->a[open[head]].end : INT64_MAX;
		now = p && p->ts < now ? p->ts : now;
		while (head < tail && s->a[open[head]].end <= now)
			head++;
		if (p && p->ts <= now) {
			while (
				tail > head && s->a[open[tail - 1]].end - s->a[open[tail - 1]].ts > p->end - p->ts)
				tail--;
			open[tail++] = chain[next++];
		}
		add_segment(g, s->a[chain[0]].process, now, head < tail ? open[head] : TL_NO_ROW);
	}
}

static struct segments cut(const struct tl_steps *s)
{
	struct segments g = {0};
	uint32_t *chain = tl_alloc((s->n + 1) * sizeof *chain);
	uint32_t *open = tl_alloc((s->n + 1) * sizeof *open);
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->a[i].process != s->a[chain[0]].process) {
			cut_process(s, chain, n, open, &g);
			n = 0;
		}
		if (!s->a[i].nested)
			chain[n++] = (uint32_t)i;
	}
	if (n)
		cut_process(s, chain, n, open, &g);
	free(chain);
	free(open);
	return g;
}

static uint32_t step_at(const struct segments *g, uint32_t process, int64_t t)
{
	size_t lo;
	TL_SEARCH(lo, 0, g->n,
		g->a[lo].process < process || (g->a[lo].process == process && g->a[lo].from <= t));
	return lo && g->a[lo - 1].process == process ? g->a[lo - 1].step : TL_NO_ROW;
}

/* ---- GPU ops without a launch ---- */

/* Steps by name, then start. */
static struct tl_sort *by_name(const struct tl_steps *s)
{
	struct tl_sort *k = tl_alloc((s->n + 1) * sizeof *k);
	for (size_t i = 0; i < s->n; i++)
		k[i] = (struct tl_sort){tl_sort_time(s->a[i].ts), (uint32_t)i, 0};
	tl_sort(k, s->n);
	for (size_t i = 0; i < s->n; i++)
		k[i].key = s->a[k[i].at].name;
	tl_sort(k, s->n);
	return k;
}

#define LOOKS 16 /* steps of one name that a projection is compared with */

/* The step that a projection shows: of its name and not of another rank, with its External id if
 * there is one, the last that began before it. */
static uint32_t projected(
	const struct tl_table *t, const struct tl_steps *s, const struct tl_sort *names, uint32_t row)
{
	struct tl_span pid = tl_pool_text(t->pids, tl_table_process(t, row));
	uint32_t found = TL_NO_ROW, name = t->name[row];
	size_t lo;
	TL_SEARCH(lo, 0, s->n,
		s->a[names[lo].at].name < name ||
			(s->a[names[lo].at].name == name && s->a[names[lo].at].ts <= t->ts[row]));
	if (lo < s->n && (lo == 0 || s->a[names[lo - 1].at].name != name))
		lo++; /* none began before it: the first */
	for (int i = 0; i < LOOKS && lo-- > 0; i++) {
		const struct tl_step *p = &s->a[names[lo].at];
		if (p->name != name)
			break;
		if (tl_rank_compare(tl_pool_text(t->pids, p->process), pid) == TL_RANK_OTHER)
			continue;
		if (t->key2[row] && t->key2[p->row] == t->key2[row])
			return names[lo].at;
		if (found == TL_NO_ROW)
			found = names[lo].at;
	}
	return found;
}

struct projections {
	struct tl_period *v;
	size_t n, cap;
};

/* The projections of steps: windows of their lanes, with the number of the step. */
static struct projections projections_of(
	const struct tl_table *t, const uint8_t *form, enum tl_step_form best, const struct tl_steps *s)
{
	struct projections p = {0};
	struct tl_sort *names = by_name(s);
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (t->cat[i] != TL_CAT_GPU_ANNOTATION || !(t->flags[i] & TL_ROW_SPAN) ||
			form[t->name[i]] != best)
			continue;
		TL_GROW(p.v, p.n, p.cap);
		p.v[p.n++] = (struct tl_period){.ts = t->ts[i],
			.end = t->end[i],
			.row = tl_table_lane(t, i),
			.value = projected(t, s, names, i)};
	}
	free(names);
	return p;
}

/* Gives the ops that have no step yet that of the projection on their lane, or device (what `row`
 * of the projections is), which holds their start. */
static void look(const struct tl_table *t, struct projections *p, const struct tl_rows *ops,
	uint32_t *step, bool by_device)
{
	struct tl_probe *probes = tl_calloc(ops->n + 1, sizeof *probes);
	size_t n = 0;
	for (size_t k = 0; k < ops->n; k++) {
		uint32_t i = ops->a[k].at, lane = tl_table_lane(t, i);
		if (step[i] == TL_NO_ROW)
			probes[n++] = (struct tl_probe){
				.t = t->ts[i], .row = by_device ? t->places.lanes[lane].device : lane, .at = i};
	}
	tl_period_find(p->v, p->n, probes, n, by_device ? t->places.n_devices : t->places.n_lanes);
	for (size_t k = 0; k < n; k++)
		if (probes[k].found != TL_PERIOD_NONE)
			step[probes[k].at] = p->v[probes[k].found].value;
	free(probes);
}

/* By lane first, then by device. */
static void by_projections(
	const struct tl_table *t, struct projections p, const struct tl_rows *ops, uint32_t *step)
{
	if (p.n) {
		look(t, &p, ops, step, false);
		for (size_t i = 0; i < p.n; i++)
			p.v[i].row = t->places.lanes[p.v[i].row].device;
		look(t, &p, ops, step, true);
	}
	free(p.v);
}

/* ---- GPU ops of nested steps ---- */

static bool starts_before(const struct tl_table *t, uint32_t row, uint32_t process, int64_t ts)
{
	uint32_t of = tl_table_process(t, row);
	return of < process || (of == process && t->ts[row] < ts);
}

static void add_nested(const struct tl_table *t, const struct tl_rows *launched, struct tl_steps *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct tl_step *p = &s->a[i];
		size_t lo;
		if (!p->nested)
			continue;
		TL_SEARCH(lo, 0, launched->n, starts_before(t, launched->a[lo].more, p->process, p->ts));
		for (; lo < launched->n; lo++) {
			uint32_t call = launched->a[lo].more;
			if (tl_table_process(t, call) != p->process || t->ts[call] >= p->end)
				break;
			tl_rows_add(&s->nested, i, launched->a[lo].at);
		}
	}
}

/* ---- all ---- */

/* GPU ops with a launch, by its process and start; `more` the launch. The others go to `rest`. */
static struct tl_rows launched_ops(
	const struct tl_table *t, const uint32_t *launcher, struct tl_rows *rest)
{
	struct tl_rows r = {0};
	for (uint32_t k = 0; k < t->n; k++) {
		uint32_t i = tl_table_at(t, k);
		if (!tl_table_is_gpu_op(t, i) || !(t->flags[i] & TL_ROW_TS))
			continue;
		if (launcher[i] == TL_NO_ROW) {
			tl_rows_add(rest, 0, i);
			continue;
		}
		tl_rows_add(&r, tl_sort_time(t->ts[launcher[i]]), i);
		r.a[r.n - 1].more = launcher[i];
	}
	tl_sort(r.a, r.n);
	for (size_t k = 0; k < r.n; k++)
		r.a[k].key = tl_table_process(t, r.a[k].more);
	tl_sort(r.a, r.n);
	return r;
}

struct tl_steps tl_steps_find(const struct tl_table *t, const uint32_t *launcher)
{
	struct tl_steps s = {0};
	enum tl_step_form best;
	uint8_t *form = forms_of(t, &best);
	struct tl_rows marks = marks_of(t, form, best), rest = {0};
	make_steps(t, &marks, &s);
	number_steps(t, &s);
	mark_nested(&s);
	s.of = tl_no_rows(t->n);
	struct segments g = cut(&s);
	struct tl_rows launched = launched_ops(t, launcher, &rest);
	for (size_t k = 0; k < launched.n; k++) {
		uint32_t call = launched.a[k].more;
		s.of[launched.a[k].at] = step_at(&g, tl_table_process(t, call), t->ts[call]);
	}
	if (s.n && rest.n)
		by_projections(t, projections_of(t, form, best, &s), &rest, s.of);
	add_nested(t, &launched, &s);
	free(g.a);
	free(marks.a);
	free(rest.a);
	free(launched.a);
	free(form);
	return s;
}

void tl_steps_free(struct tl_steps *s)
{
	free(s->a);
	free(s->of);
	free(s->nested.a);
	*s = (struct tl_steps){0};
}
