/* The set of all traces: its records. */
#include "figures.h"
#include <stdlib.h>

/* ---- ranks ---- */

static void sort_ranks(struct tl_collective *c)
{
	struct tl_sort *by_rank = tl_alloc((c->n_ranks + 1) * sizeof *by_rank);
	struct collective_rank *sorted = tl_alloc((c->n_ranks + 1) * sizeof *sorted);
	for (uint32_t i = 0; i < c->n_ranks; i++)
		by_rank[i] = (struct tl_sort){tl_sort_time(c->ranks[i].rank), i, 0};
	tl_sort(by_rank, c->n_ranks);
	for (uint32_t i = 0; i < c->n_ranks; i++)
		sorted[i] = c->ranks[by_rank[i].at];
	free(by_rank);
	free(c->ranks);
	c->ranks = sorted;
}

static uint64_t device_at(const struct tl_collective *c, uint32_t op)
{
	uint64_t n;
	return tl_json_u64(tl_json_inner(collective_device(c, c->ops[op].lane)), &n) ? n : UINT64_MAX;
}

/* One trace of several devices that no rank is said of, the export of a node: each is a rank. */
static void ranks_of_devices(struct tl_collective *c)
{
	struct tl_sort *a = tl_alloc((c->n_ops + 1) * sizeof *a);
	struct collective_op *ops = tl_alloc((c->n_ops + 1) * sizeof *ops);
	for (uint32_t i = 0; i < c->n_ops; i++)
		a[i] = (struct tl_sort){device_at(c, i), i, 0};
	tl_sort(a, c->n_ops);
	c->n_ranks = 0;
	for (uint32_t i = 0; i < c->n_ops; i++) {
		ops[i] = c->ops[a[i].at];
		if (i == 0 || a[i].key != a[i - 1].key) {
			TL_GROW(c->ranks, c->n_ranks, c->ranks_cap);
			c->ranks[c->n_ranks] = (struct collective_rank){
				.rank = (int64_t)c->n_ranks, .from = i, .via = NONE};
			c->n_ranks++;
		}
		c->ranks[c->n_ranks - 1].to = i + 1;
	}
	free(a);
	free(c->ops);
	c->ops = ops;
	c->ops_cap = c->n_ops + 1;
}

/* ---- records ---- */

static void put_doubts(struct tl_collective *c, unsigned doubts)
{
	static const char *const words[] = {"ends_apart", "few", "group_ambiguous", "lost", "mismatch",
		"missing_ranks", "no_match", "peer_unknown", "shift_unsure", "shifted", "size_unknown"};
	if (!doubts)
		return;
	tl_list(&c->w, "doubts");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (doubts >> i & 1)
			tl_put_text(&c->w, NULL, tl_str(words[i]));
	tl_list_end(&c->w);
}

static void write_ranks(struct tl_collective *c, struct tl_stream *s)
{
	tl_record(&c->w, "ranks", c->number);
	tl_put_u64(&c->w, "traces", c->n_traces);
	tl_list(&c->w, "ranks");
	for (size_t i = 0; i < c->n_ranks; i++)
		tl_put_i64(&c->w, NULL, c->ranks[i].rank);
	tl_list_end(&c->w);
	if (c->world > 0) {
		tl_put_i64(&c->w, "world_size", c->world);
		tl_put_i64(
			&c->w, "missing", c->world > (int64_t)c->n_ranks ? c->world - (int64_t)c->n_ranks : 0);
	}
	if (c->duplicates)
		tl_put_u64(&c->w, "duplicates", c->duplicates);
	tl_stream_write(s, tl_record_end(&c->w));
}

static void write_group(struct tl_collective *c, struct tl_stream *s, struct collective_group *g)
{
	tl_record(&c->w, "comm_group", c->number);
	tl_put_u64(&c->w, "group", g->number);
	collective_put_text(c, "name", g->name);
	collective_put_text(c, "desc", g->desc);
	if (g->assumed)
		tl_put_flag(&c->w, "assumed", true);
	if (g->size > 0)
		tl_put_i64(&c->w, "group_size", g->size);
	if (g->list != NONE)
		tl_put_json(&c->w, "ranks", tl_pool_text(c->texts, g->list));
	tl_put_u64(&c->w, "seen", g->seen);
	tl_put_u64(&c->w, "missing", g->missing);
	tl_put_u64(&c->w, "ops", g->n_ops);
	tl_put_u64(&c->w, "collectives", g->collectives);
	tl_put_u64(&c->w, "matched", g->matched);
	if (g->unmatched.n) {
		tl_list(&c->w, "unmatched");
		tl_put_json(&c->w, NULL, tl_buf_all(&g->unmatched));
		tl_list_end(&c->w);
	}
	put_doubts(c, g->doubts);
	tl_stream_write(s, tl_record_end(&c->w));
}

static void write_clock(struct tl_collective *c, struct tl_stream *s, struct collective_rank *r)
{
	tl_record(&c->w, "clock", c->number);
	tl_put_i64(&c->w, "rank", r->rank);
	tl_put_i64(&c->w, "via", c->ranks[r->via].rank);
	tl_put_us(&c->w, "offset_us", r->offset);
	tl_put_us(&c->w, "spread_us", r->spread);
	tl_put_u64(&c->w, "pairs", r->pairs);
	tl_put_flag(&c->w, "corrected", r->corrected && !c->opt->raw_clocks);
	tl_stream_write(s, tl_record_end(&c->w));
}

static void write_straggler(struct tl_collective *c, struct tl_stream *s, struct collective_rank *r)
{
	for (uint32_t i = r->from; i < r->to; i++)
		r->comm = tl_ns_add(r->comm, collective_dur(c, i));
	tl_record(&c->w, "straggler", c->number);
	tl_put_i64(&c->w, "rank", r->rank);
	tl_put_us(&c->w, "comm_us", r->comm);
	tl_put_u64(&c->w, "collectives", r->collectives);
	if (r->collectives) {
		tl_put_us(&c->w, "wait_us", r->wait);
		tl_put_u64(&c->w, "first", r->first);
		tl_put_u64(&c->w, "last", r->last);
		tl_put_us(&c->w, "late_us", r->late);
		tl_put_us(&c->w, "caused_us", r->caused);
	}
	tl_stream_write(s, tl_record_end(&c->w));
}

/* ---- a collective ---- */

static struct collective_rank *rank_of(
	struct tl_collective *c, const struct collective_figures *f, uint32_t member)
{
	return &c->ranks[c->members[f->slot->from + member].more];
}

/* A list over the members that are listed: of times from `base` on, or of durations. */
static void put_times(struct tl_collective *c, const struct collective_figures *f, const char *key,
	const int64_t *v, int64_t base)
{
	tl_list(&c->w, key);
	for (uint32_t i = 0; i < f->slot->n; i++)
		if (f->listed[i])
			tl_put_us(&c->w, NULL, tl_ns_sub(v[i], base));
	tl_list_end(&c->w);
}

static void put_members(struct tl_collective *c, const struct collective_figures *f)
{
	tl_list(&c->w, "ranks");
	for (uint32_t i = 0; i < f->slot->n; i++)
		if (f->listed[i])
			tl_put_i64(&c->w, NULL, rank_of(c, f, i)->rank);
	tl_list_end(&c->w);
	tl_list(&c->w, "events");
	for (uint32_t i = 0; i < f->slot->n; i++)
		if (f->listed[i])
			tl_put_u64(&c->w, NULL, c->ops[c->members[f->slot->from + i].at].event);
	tl_list_end(&c->w);
	put_times(c, f, "start_us", f->start, f->first_start);
	put_times(c, f, "dur_us", f->dur, 0);
	if (f->slot->n > 1) {
		tl_put_us(&c->w, "start_skew_us", tl_ns_sub(f->last_start, f->first_start));
		tl_put_us(&c->w, "end_skew_us", tl_ns_sub(f->last_end, f->first_end));
	}
	tl_put_us(&c->w, "latency_us", f->latency);
	if (f->sync && f->slot->n > 1)
		put_times(c, f, "wait_us", f->dur, f->latency);
}

static void put_what(struct tl_collective *c, const struct collective_figures *f)
{
	static const char *const differ[] = {"kind", "dtype", "elements"};
	const struct collective_slot *slot = f->slot;
	if (slot->pair) {
		tl_put_text(&c->w, "kind", TL_LIT("p2p"));
		tl_put_i64(&c->w, "src", slot->src);
		tl_put_i64(&c->w, "dst", slot->dst);
	} else {
		collective_put_text(c, "kind", c->kinds[f->shape.kind].text);
		collective_put_text(c, "name", f->shape.name);
	}
	collective_put_text(c, "dtype", f->shape.dtype);
	if (f->bytes != NO_COUNT)
		tl_put_u64(&c->w, "bytes", f->bytes);
	if (f->bytes != NO_COUNT && f->bytes_min != f->bytes)
		tl_put_u64(&c->w, "bytes_min", f->bytes_min);
	if (f->group->size > 0 && !slot->pair)
		tl_put_i64(&c->w, "group_size", f->group->size);
	tl_put_u64(&c->w, "seen", slot->n);
	tl_put_u64(&c->w, "missing", slot->missing);
	if (slot->lost)
		tl_put_u64(&c->w, "lost", slot->lost);
	if (f->differ) {
		tl_list(&c->w, "mismatch");
		for (unsigned i = 0; i < 3; i++)
			if (f->differ >> i & 1)
				tl_put_text(&c->w, NULL, tl_str(differ[i]));
		tl_list_end(&c->w);
	}
	if (f->kernels != 1)
		tl_put_u64(&c->w, "kernels", f->kernels);
}

static void put_verdict(struct tl_collective *c, const struct collective_figures *f)
{
	bool known = true;
	for (uint32_t i = 0; i < f->slot->n; i++)
		known &= c->ops[c->members[f->slot->from + i].at].exposed != NO_TIME;
	if (f->last != NONE) {
		tl_put_i64(&c->w, "last", rank_of(c, f, f->last)->rank);
		tl_put_us(&c->w, "late_us", f->late);
	}
	if (f->first != NONE)
		tl_put_i64(&c->w, "first", rank_of(c, f, f->first)->rank);
	if (!known)
		return;
	tl_list(&c->w, "exposed_us");
	for (uint32_t i = 0; i < f->slot->n; i++)
		if (f->listed[i])
			tl_put_us(&c->w, NULL, c->ops[c->members[f->slot->from + i].at].exposed);
	tl_list_end(&c->w);
}

static void count_verdict(struct tl_collective *c, const struct collective_figures *f)
{
	for (uint32_t i = 0; i < f->slot->n && f->counted; i++) {
		struct collective_rank *r = rank_of(c, f, i);
		r->collectives++;
		r->wait = tl_ns_add(r->wait, f->dur[i] - f->latency);
		r->first += i == f->first;
		if (i != f->last)
			continue;
		r->last++;
		r->late = tl_ns_add(r->late, f->late);
		for (uint32_t k = 1; k < f->slot->n; k++)
			r->caused = tl_ns_add(r->caused, f->late);
	}
}

static void write_collective(
	struct tl_collective *c, struct tl_stream *s, struct collective_figures *f)
{
	tl_record(&c->w, "collective", c->number);
	tl_put_u64(&c->w, "group", f->group->number);
	tl_put_i64(&c->w, "index", f->slot->index);
	put_what(c, f);
	tl_put_us(&c->w, "ts", f->first_start);
	put_members(c, f);
	put_verdict(c, f);
	tl_put_num(&c->w, "algo_gb_s", f->algo, 6);
	tl_put_num(&c->w, "bus_gb_s", f->bus, 6);
	put_doubts(c, f->doubts);
	tl_stream_write(s, tl_record_end(&c->w));
}

/* ---- all of it ---- */

static void write_found(struct tl_collective *c, struct tl_stream *s)
{
	struct collective_figures f = {0};
	collective_ask_settings(c);
	collective_match(c);
	collective_clocks(c);
	for (uint32_t i = 0; i < c->n_groups; i++)
		write_group(c, s, &c->groups[c->order[i]]);
	for (size_t i = 0; i < c->n_ranks; i++)
		if (c->ranks[i].via != NONE)
			write_clock(c, s, &c->ranks[i]);
	for (size_t i = 0; i < c->n_slots; i++) {
		collective_figures(c, &c->slots[i], &f);
		write_collective(c, s, &f);
		count_verdict(c, &f);
	}
	collective_figures_free(&f);
	for (size_t i = 0; i < c->n_ranks; i++)
		write_straggler(c, s, &c->ranks[i]);
}

void collective_write_set(struct tl_collective *c, struct tl_stream *s)
{
	if (c->n_traces == 1 && !c->ranks[0].said && c->n_ops)
		ranks_of_devices(c);
	sort_ranks(c);
	tl_record(&c->w, "trace", c->number);
	tl_put_u64(&c->w, "schema", 1);
	tl_put_text(&c->w, "source", TL_LIT("ranks"));
	tl_put_text(&c->w, "format", TL_LIT("ranks"));
	tl_stream_write(s, tl_record_end(&c->w));
	write_ranks(c, s);
	if (c->n_ops)
		write_found(c, s);
	tl_record(&c->w, "end", c->number);
	const char *const zeros[] = {"events", "gpu_ops", "skipped", "repaired"};
	for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
		tl_put_u64(&c->w, zeros[i], 0);
	tl_list(&c->w, "faults");
	tl_list_end(&c->w);
	tl_stream_write(s, tl_record_end(&c->w));
}
