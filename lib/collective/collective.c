#include "inside.h"
#include <stdlib.h>

struct tl_collective *tl_collective_new(const struct tl_collective_options *options)
{
	struct tl_collective *c = tl_calloc(1, sizeof *c);
	c->opt = options;
	c->world = -1;
	c->texts = tl_pool_new();
	c->shapes = tl_pool_new();
	c->lanes = tl_pool_new();
	c->group_keys = tl_pool_new();
	c->kind_keys = tl_pool_new();
	tl_pool_add(c->kind_keys, TL_LIT(""));
	TL_GROW(c->kinds, 0, c->kinds_cap);
	c->kinds[0] = (struct collective_kind){.text = NONE, .sized = true};
	c->trace = collective_trace_new(options);
	return c;
}

void tl_collective_free(struct tl_collective *c)
{
	collective_trace_free(c->trace);
	tl_rules_free(c->rules);
	tl_intmap_free(&c->rank_at);
	struct tl_pool *pools[] = {c->texts, c->shapes, c->lanes, c->group_keys, c->kind_keys};
	for (uint32_t i = 0; i < tl_pool_count(c->group_keys); i++)
		tl_buf_free(&c->groups[i].unmatched);
	for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
		tl_pool_free(pools[i]);
	void *rest[] = {c->kinds, c->kind_of, c->widths, c->groups, c->ops, c->ranks, c->members,
		c->slots, c->order};
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		free(rest[i]);
	tl_write_free(&c->w);
	tl_buf_free(&c->buf);
	tl_buf_free(&c->rank);
	tl_buf_free(&c->source);
	free(c);
}

/* ---- the stream ---- */

static void keep_rank(struct tl_collective *c, struct tl_span line)
{
	struct tl_span rank = tl_json_get(line, TL_LIT("rank"));
	int64_t n;
	if (!tl_json_i64(rank, &n))
		return;
	c->rank.n = 0;
	tl_buf_span(&c->rank, rank);
}

static void begin(struct tl_collective *c, const struct tl_record *r)
{
	c->rank.n = c->source.n = 0;
	tl_buf_span(&c->source, tl_json_inner(tl_json_get(r->line, TL_LIT("source"))));
	keep_rank(c, r->line);
	if (r->trace >= c->number)
		c->number = r->trace + 1;
}

static void end(struct tl_collective *c, struct tl_stream *s, const struct tl_record *r)
{
	uint32_t before = c->duplicates;
	if (r->kind == TL_END)
		keep_rank(c, r->line);
	collective_end_trace(c, s, r->trace, tl_buf_all(&c->rank));
	if (c->duplicates > before)
		tl_warn("%.*s: left out of the set: another trace is of its rank", (int)c->source.n,
			c->source.p);
}

static void take_event(struct tl_collective *c, struct tl_stream *s, const struct tl_record *r)
{
	struct tl_event e;
	if (tl_event_read(r->line, &e))
		collective_read(c, &e);
	else
		tl_stream_bad(s, r);
}

/* False when the record is made anew, or cannot be read. */
static bool take_derived(struct tl_collective *c, struct tl_stream *s, const struct tl_record *r)
{
	if (tl_span_eq(r->type, TL_LIT("comm")) && !collective_read_comm(c, r->line)) {
		tl_stream_bad(s, r);
		return false;
	}
	if (!tl_span_eq(r->type, TL_LIT("rank")))
		return true;
	collective_read_job(c, r->line);
	return false;
}

/* An earlier set is made anew. */
void tl_collective_take(struct tl_collective *c, struct tl_stream *s, const struct tl_record *r)
{
	if (tl_stream_is_of_set(s))
		return;
	if (r->kind == TL_TRACE)
		begin(c, r);
	if (r->kind == TL_END || r->kind == TL_CUT)
		end(c, s, r);
	else if (r->kind == TL_META)
		collective_read_meta(c, r->line);
	else if (r->kind == TL_EVENT)
		take_event(c, s, r);
	else if (r->kind == TL_DERIVED && !take_derived(c, s, r))
		return;
	tl_stream_pass(s, r);
}

bool tl_collective_finish(struct tl_collective *c, struct tl_stream *s)
{
	if (!c->opt->map && tl_stream_whole(s) && c->n_traces > 0)
		collective_write_set(c, s);
	return c->duplicates > 0;
}
