/* Times, bytes and rates of one slot. */
#include "figures.h"
#include <math.h>
#include <stdlib.h>

static uint32_t op_at(
	const struct tl_collective *c, const struct collective_figures *f, uint32_t member)
{
	return c->members[f->slot->from + member].at;
}

static void make_room(struct collective_figures *f, size_t n)
{
	if (n <= f->cap)
		return;
	f->cap = n;
	f->start = tl_realloc(f->start, n, sizeof *f->start);
	f->end = tl_realloc(f->end, n, sizeof *f->end);
	f->dur = tl_realloc(f->dur, n, sizeof *f->dur);
	f->listed = tl_realloc(f->listed, n, sizeof *f->listed);
}

void collective_figures_free(struct collective_figures *f)
{
	free(f->start);
	free(f->end);
	free(f->dur);
	free(f->listed);
}

static void read_times(const struct tl_collective *c, struct collective_figures *f)
{
	f->first_start = f->first_end = INT64_MAX;
	f->last_start = f->last_end = INT64_MIN;
	f->latency = INT64_MAX;
	for (uint32_t i = 0; i < f->slot->n; i++) {
		const struct tl_sort *m = &c->members[f->slot->from + i];
		const struct collective_rank *r = &c->ranks[m->more];
		int64_t offset = r->corrected && !c->opt->raw_clocks ? r->offset : 0;
		int64_t start = tl_ns_sub(c->ops[m->at].ts, offset);
		int64_t end = tl_ns_sub(c->ops[m->at].end, offset), dur = collective_dur(c, m->at);
		f->start[i] = start;
		f->end[i] = end;
		f->dur[i] = dur;
		f->first_start = start < f->first_start ? start : f->first_start;
		f->last_start = start > f->last_start ? start : f->last_start;
		f->first_end = end < f->first_end ? end : f->first_end;
		f->last_end = end > f->last_end ? end : f->last_end;
		f->latency = dur < f->latency ? dur : f->latency;
	}
}

static void read_shapes(struct tl_collective *c, struct collective_figures *f)
{
	struct collective_shape first = collective_shape_at(c, op_at(c, f, 0));
	f->shape = first;
	for (uint32_t i = 0; i < f->slot->n; i++) {
		struct collective_shape s = collective_shape_at(c, op_at(c, f, i));
		uint32_t kernels = c->ops[op_at(c, f, i)].kernels;
		f->kernels = kernels > f->kernels ? kernels : f->kernels;
		if (i > 0 && !f->slot->pair)
			f->differ |= collective_contradiction(c, &first, &s);
		if (f->shape.kind == 0 || c->kinds[s.kind].uneven)
			f->shape.kind = s.kind;
		if (f->shape.name == NONE)
			f->shape.name = s.name;
		if (f->shape.dtype == NONE)
			f->shape.dtype = s.dtype;
	}
	if (f->differ)
		f->doubts |= DOUBT_MISMATCH;
}

/* Of one rank: the larger of what goes in and out; of an all-gather of which only the input is
 * known, that n times. */
static uint64_t bytes_of(
	struct tl_collective *c, const struct collective_figures *f, struct collective_shape s)
{
	uint64_t n = s.in, bytes, width = collective_width(c, s.dtype);
	if (s.out != NO_COUNT && (n == NO_COUNT || s.out > n))
		n = s.out;
	if (width == 0 || n == NO_COUNT)
		return NO_COUNT;
	if (c->kinds[f->shape.kind].gathers && s.out == NO_COUNT &&
		(f->group->size <= 0 || __builtin_mul_overflow(n, (uint64_t)f->group->size, &n)))
		return NO_COUNT;
	return __builtin_mul_overflow(n, width, &bytes) ? NO_COUNT : bytes;
}

static void count_bytes(struct tl_collective *c, struct collective_figures *f)
{
	f->bytes = f->bytes_min = NO_COUNT;
	if (!c->kinds[f->shape.kind].sized || f->differ & (DIFFER_DTYPE | DIFFER_ELEMENTS))
		return;
	for (uint32_t i = 0; i < f->slot->n; i++) {
		uint64_t b = bytes_of(c, f, collective_shape_at(c, op_at(c, f, i)));
		if (b == NO_COUNT)
			continue;
		f->bytes = f->bytes == NO_COUNT || b > f->bytes ? b : f->bytes;
		f->bytes_min = b < f->bytes_min ? b : f->bytes_min;
	}
}

static void rate(struct tl_collective *c, struct collective_figures *f)
{
	uint32_t kind = c->kinds[f->shape.kind].text;
	struct tl_span text = TL_LIT("p2p");
	if (!f->slot->pair)
		text = kind == NONE ? TL_LIT("") : tl_pool_text(c->texts, kind);
	f->algo = f->bytes == NO_COUNT || f->latency <= 0 ? NAN : (double)f->bytes / (double)f->latency;
	f->bus = text.n ? f->algo * collective_factor(c, text, f->group->size) : NAN;
}

static void doubt(const struct tl_collective *c, struct collective_figures *f)
{
	int64_t limit = f->latency > c->set.apart ? f->latency : c->set.apart;
	if (f->slot->missing)
		f->doubts |= DOUBT_MISSING_RANKS;
	if (f->slot->lost)
		f->doubts |= DOUBT_LOST;
	if (!f->slot->pair && f->group->size < 0)
		f->doubts |= DOUBT_SIZE_UNKNOWN;
	if (f->sync && tl_ns_sub(f->last_end, f->first_end) > limit)
		f->doubts |= DOUBT_ENDS_APART;
	f->counted = f->sync && f->slot->n > 1 && f->slot->n == f->group->size && f->slot->lost == 0 &&
				 !(f->doubts & DOUBT_ENDS_APART);
}

/* Of all members, in times that need no common clock: the last to come has the shortest. */
static void judge(const struct tl_collective *c, struct collective_figures *f)
{
	uint32_t shortest = 0, longest = 0;
	int64_t second = INT64_MAX, second_longest = INT64_MIN;
	f->last = f->first = NONE;
	if (!f->counted)
		return;
	for (uint32_t i = 1; i < f->slot->n; i++) {
		shortest = f->dur[i] < f->dur[shortest] ? i : shortest;
		longest = f->dur[i] > f->dur[longest] ? i : longest;
	}
	for (uint32_t i = 0; i < f->slot->n; i++) {
		if (i != shortest && f->dur[i] < second)
			second = f->dur[i];
		if (i != longest && f->dur[i] > second_longest)
			second_longest = f->dur[i];
	}
	double margin = (double)c->set.verdict + c->set.verdict_share * (double)f->latency;
	if ((double)(second - f->latency) > margin) {
		f->last = shortest;
		f->late = second - f->latency;
	}
	if ((double)(f->dur[longest] - second_longest) > margin)
		f->first = longest;
}

/* Of many members those of the shortest and longest durations. */
static void list(const struct tl_collective *c, struct collective_figures *f)
{
	uint32_t n = f->slot->n;
	uint64_t each = c->set.of_each_end;
	bool all = c->opt->all_members || n <= c->set.most_members || n <= 2 * each;
	memset(f->listed, all, n);
	if (all)
		return;
	struct tl_sort *by_dur = tl_alloc(n * sizeof *by_dur);
	for (uint32_t i = 0; i < n; i++)
		by_dur[i] = (struct tl_sort){tl_sort_time(f->dur[i]), i, 0};
	tl_sort(by_dur, n);
	for (uint32_t i = 0; i < each; i++)
		f->listed[by_dur[i].at] = f->listed[by_dur[n - 1 - i].at] = true;
	free(by_dur);
}

void collective_figures(
	struct tl_collective *c, const struct collective_slot *slot, struct collective_figures *f)
{
	*f = (struct collective_figures){.slot = slot,
		.group = &c->groups[slot->group],
		.start = f->start,
		.end = f->end,
		.dur = f->dur,
		.listed = f->listed,
		.cap = f->cap};
	make_room(f, slot->n);
	read_times(c, f);
	read_shapes(c, f);
	f->sync = collective_is_sync(c, slot);
	if (c->kinds[f->shape.kind].uneven && slot->n > 1)
		f->latency = tl_ns_sub(f->last_end, f->last_start);
	count_bytes(c, f);
	rate(c, f);
	doubt(c, f);
	judge(c, f);
	list(c, f);
}
