/* The end of a trace: groups of its operations, and its records. */
#include "trace.h"

/* ---- lists of ranks ---- */

bool collective_next_rank(struct tl_span *list, int64_t *rank)
{
	while (list->n && !tl_is_digit(*list->p))
		list->p++, list->n--;
	size_t n = 0;
	while (n < list->n && tl_is_digit(list->p[n]))
		n++;
	bool ok = n && tl_json_i64((struct tl_span){list->p, n}, rank);
	list->p += n;
	list->n -= n;
	return ok;
}

/* PyTorch writes lists of more than 30 ranks as [0, 1, ..., 39]. */
static bool is_cut(struct tl_span list)
{
	return memmem(list.p, list.n, "...", 3) != NULL;
}

/* The list as records have it, and how many it holds; NONE where it does not say. */
static uint32_t whole_list(struct tl_collective *c, uint32_t list, int64_t *size)
{
	if (list == NONE || is_cut(tl_pool_text(c->texts, list)))
		return NONE;
	struct tl_span rest = tl_pool_text(c->texts, list);
	int64_t rank;
	*size = 0;
	c->buf.n = 0;
	for (; collective_next_rank(&rest, &rank); ++*size)
		tl_buf_printf(&c->buf, "%c%lld", *size ? ',' : '[', (long long)rank);
	tl_buf_ch(&c->buf, ']');
	return *size ? tl_pool_add(c->texts, tl_buf_all(&c->buf)) : NONE;
}

/* ---- groups ---- */

static uint32_t add_group(
	struct tl_collective *c, struct tl_span key, const struct collective_group *group)
{
	uint32_t known = tl_pool_count(c->group_keys), n = tl_pool_add(c->group_keys, key);
	if (n == known) {
		TL_GROW(c->groups, n, c->groups_cap);
		c->groups[n] = *group;
	} else if (c->groups[n].desc == NONE) {
		c->groups[n].desc = group->desc;
	}
	return n;
}

static uint32_t find_group(struct tl_collective *c, const struct collective_meta *m)
{
	struct collective_group g = {.name = m->pg, .desc = m->desc, .size = m->size};
	const struct collective_trace *t = c->trace;
	g.list = whole_list(c, m->list, &g.size);
	if (g.list == NONE && m->pg != NONE) {
		uint32_t at = tl_pool_find(t->config, tl_pool_text(c->texts, m->pg));
		if (at != TL_POOL_NONE)
			g.list = whole_list(c, t->lists[at], &g.size);
		g.of_job = g.list != NONE;
	}
	if (g.list == NONE)
		g.size = m->size;
	c->buf.n = 0;
	tl_buf_printf(&c->buf, "%u %u %lld", g.name, g.list, (long long)g.size);
	return add_group(c, tl_buf_all(&c->buf), &g);
}

/* Lists are long: each is read once in a trace. */
static uint32_t group_of(struct tl_collective *c, const struct collective_meta *m)
{
	struct collective_trace *t = c->trace;
	uint32_t key[] = {m->pg, m->desc, m->list, (uint32_t)m->size};
	uint32_t known = tl_pool_count(t->said_groups);
	if (m->pg == NONE && m->list == NONE)
		return NONE;
	uint32_t at = tl_pool_add(t->said_groups, (struct tl_span){(const char *)key, sizeof key});
	TL_GROW(t->groups, at, t->groups_cap);
	if (at == known)
		t->groups[at] = find_group(c, m);
	return t->groups[at];
}

static uint32_t group_of_stream(struct tl_collective *c, uint32_t k)
{
	struct collective_group g = {.desc = NONE, .list = NONE, .size = -1, .assumed = true};
	c->buf.n = 0;
	tl_buf_printf(&c->buf, "stream %u", k);
	g.name = tl_pool_add(c->texts, tl_buf_all(&c->buf));
	return add_group(c, tl_buf_all(&c->buf), &g);
}

/* An operation without a group has that of the others of its stream; where they have none, or
 * several, the stream stands for it: the k-th of its device, for numbers differ between ranks. */
static void groups_of_streams(struct tl_collective *c)
{
	struct collective_trace *t = c->trace;
	struct tl_intmap group_of_lane = {0}, place = {0}, streams = {0};
	for (size_t i = 0; i < t->n_pending; i++) {
		uint32_t group = t->pending[i].shape.group, lane = t->pending[i].op.lane;
		uint32_t *at = tl_intmap_add(&group_of_lane, lane);
		if (group != NONE)
			*at = *at == 0 || *at == group + 1 ? group + 1 : NONE;
		if (!tl_intmap_find(&place, lane)) {
			uint32_t k = (*tl_intmap_add(
				&streams, tl_pool_add(c->texts, collective_device(c, lane))))++;
			*tl_intmap_add(&place, lane) = k;
		}
	}
	for (size_t i = 0; i < t->n_pending; i++) {
		uint32_t *group = &t->pending[i].shape.group, lane = t->pending[i].op.lane;
		uint32_t of_lane = *tl_intmap_find(&group_of_lane, lane);
		if (*group == NONE && of_lane != 0 && of_lane != NONE)
			*group = of_lane - 1;
		else if (*group == NONE)
			*group = group_of_stream(c, *tl_intmap_find(&place, lane));
	}
	tl_intmap_free(&group_of_lane);
	tl_intmap_free(&place);
	tl_intmap_free(&streams);
}

/* ---- the trace becomes a rank ---- */

static void shape_all(struct tl_collective *c)
{
	struct collective_trace *t = c->trace;
	for (size_t i = 0; i < t->n_pending; i++) {
		struct collective_pending *p = &t->pending[i];
		const struct collective_meta *m = &p->meta;
		p->shape = (struct collective_shape){.in = m->in,
			.out = m->out,
			.src = (int32_t)m->src,
			.dst = (int32_t)m->dst,
			.name = m->name,
			.dtype = m->dtype,
			.kind = p->shape.kind,
			.from = p->shape.from,
			.group = group_of(c, m)};
	}
}

static void add_ops(struct tl_collective *c)
{
	struct collective_trace *t = c->trace;
	for (size_t i = 0; i < t->n_pending; i++) {
		struct collective_pending *p = &t->pending[i];
		if (c->n_ops >= NONE - 1)
			tl_die(TL_FAILED, "more than 2^32 communication operations");
		TL_GROW(c->ops, c->n_ops, c->ops_cap);
		p->op.shape = tl_pool_add(
			c->shapes, (struct tl_span){(const char *)&p->shape, sizeof p->shape});
		c->ops[c->n_ops++] = p->op;
	}
}

static void add_rank(struct tl_collective *c, struct tl_span rank)
{
	int64_t n;
	bool said = tl_json_i64(rank, &n);
	if (!said)
		n = c->n_traces;
	c->n_traces++;
	uint32_t *at = tl_intmap_add(&c->rank_at, n);
	if (*at) {
		c->duplicates++;
		return;
	}
	*at = (uint32_t)c->n_ranks + 1;
	TL_GROW(c->ranks, c->n_ranks, c->ranks_cap);
	struct collective_rank *r = &c->ranks[c->n_ranks++];
	*r = (struct collective_rank){.rank = n, .said = said, .from = (uint32_t)c->n_ops, .via = NONE};
	add_ops(c);
	r->to = (uint32_t)c->n_ops;
}

/* The lists of groups that operations do not have themselves. */
static void put_config(struct tl_collective *c)
{
	struct collective_trace *t = c->trace;
	bool any = false;
	for (uint32_t i = 0; i < tl_pool_count(t->said_groups); i++) {
		const struct collective_group *g = &c->groups[t->groups[i]];
		if (!g->of_job)
			continue;
		if (!any)
			tl_list(&c->w, "pg_config");
		any = true;
		tl_object(&c->w, NULL);
		tl_put_text(&c->w, "pg_name", tl_pool_text(c->texts, g->name));
		tl_put_json(&c->w, "ranks", tl_pool_text(c->texts, g->list));
		tl_object_end(&c->w);
	}
	if (any)
		tl_list_end(&c->w);
}

static void write_records(
	struct tl_collective *c, struct tl_stream *s, uint64_t number, struct tl_span rank)
{
	struct collective_trace *t = c->trace;
	for (size_t i = 0; i < t->n_pending && !t->mapped; i++) {
		struct collective_pending *p = &t->pending[i];
		tl_stream_write(s, collective_comm(c, number, &p->op, &p->shape, p->meta.split));
	}
	tl_record(&c->w, "rank", number);
	tl_put_json(&c->w, "rank", rank);
	if (t->world > 0)
		tl_put_i64(&c->w, "world_size", t->world);
	put_config(c);
	tl_stream_write(s, tl_record_end(&c->w));
}

void collective_end_trace(
	struct tl_collective *c, struct tl_stream *s, uint64_t number, struct tl_span rank)
{
	struct collective_trace *t = c->trace;
	if (!t->mapped)
		collective_find(c);
	shape_all(c);
	write_records(c, s, number, rank);
	if (t->world > c->world)
		c->world = t->world;
	if (!c->opt->map) {
		groups_of_streams(c);
		add_rank(c, rank);
	}
	collective_trace_forget(t);
}
