/* The `comm` records of a trace. */
#include "inside.h"

static const char *const from_words[] = {"kernel", "launch", "annotation", "name"};

void collective_put_text(struct tl_collective *c, const char *key, uint32_t text)
{
	if (text != NONE)
		tl_put_text(&c->w, key, tl_pool_text(c->texts, text));
}

static void put_count(struct tl_collective *c, const char *key, uint64_t n)
{
	if (n != NO_COUNT)
		tl_put_u64(&c->w, key, n);
}

static void put_known(struct tl_collective *c, const char *key, int64_t n, int64_t unknown)
{
	if (n != unknown)
		tl_put_i64(&c->w, key, n);
}

/* A group that was taken from the stream is no fact of the operation. */
static void put_group(struct tl_collective *c, uint32_t group)
{
	const struct collective_group *g = &c->groups[group];
	collective_put_text(c, "group_name", g->name);
	collective_put_text(c, "desc", g->desc);
	put_known(c, "group_size", g->size, -1);
	if (g->list != NONE && !g->of_job)
		tl_put_json(&c->w, "ranks", tl_pool_text(c->texts, g->list));
}

struct tl_span collective_device(const struct tl_collective *c, uint32_t lane)
{
	struct tl_json it = tl_json_open(tl_pool_text(c->lanes, lane));
	struct tl_span device = {0};
	tl_json_element(&it, &device);
	return device;
}

static void put_place(struct tl_collective *c, uint32_t lane)
{
	struct tl_json it = tl_json_open(tl_pool_text(c->lanes, lane));
	struct tl_span v;
	for (int i = 0; i < 2 && tl_json_element(&it, &v); i++)
		if (tl_is_known(v))
			tl_put_json(&c->w, i ? "stream" : "device", v);
}

struct tl_span collective_comm(struct tl_collective *c, uint64_t trace,
	const struct collective_op *op, const struct collective_shape *s, uint32_t split)
{
	const struct collective_kind *k = &c->kinds[s->kind];
	tl_record(&c->w, "comm", trace);
	tl_put_u64(&c->w, "event", op->event);
	tl_put_us(&c->w, "ts", op->ts);
	tl_put_us(&c->w, "dur", tl_ns_sub(op->end, op->ts));
	put_place(c, op->lane);
	if (op->kernels != 1)
		tl_put_u64(&c->w, "kernels", op->kernels);
	collective_put_text(c, "kind", k->text);
	collective_put_text(c, "name", s->name);
	tl_put_text(&c->w, "from", tl_str(from_words[s->from]));
	if (op->graph)
		tl_put_flag(&c->w, "graph", true);
	if (s->group != NONE)
		put_group(c, s->group);
	put_known(c, "seq", op->seq, NO_SEQ);
	put_known(c, "src", s->src, -1);
	put_known(c, "dst", s->dst, -1);
	collective_put_text(c, "dtype", s->dtype);
	put_count(c, "in_elements", s->in);
	put_count(c, "out_elements", s->out);
	if (k->uneven && split != NONE)
		tl_put_json(&c->w, "in_split", tl_pool_text(c->texts, split));
	if (op->exposed != NO_TIME)
		tl_put_us(&c->w, "exposed_us", op->exposed);
	return tl_record_end(&c->w);
}

uint16_t collective_from(struct tl_span json)
{
	unsigned i = 0;
	while (i < FROM_NAME && !tl_span_eq(tl_json_inner(json), tl_str(from_words[i])))
		i++;
	return (uint16_t)i;
}
