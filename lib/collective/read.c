/* The events of a trace, and what communicates among them. */
#include "trace.h"
#include <stdlib.h>

struct collective_trace *collective_trace_new(const struct tl_collective_options *opt)
{
	struct collective_trace *t = tl_calloc(1, sizeof *t);
	unsigned take = TL_TAKE_OPS | TL_TAKE_CALLS | TL_TAKE_CPU | TL_TAKE_NOTES | TL_TAKE_FLOWS;
	t->t = tl_table_new((opt->in ? TL_TAKE_ALL & ~TL_TAKE_LINES : take) | TL_TAKE_PLACES);
	t->config = tl_pool_new();
	t->said_groups = tl_pool_new();
	t->world = -1;
	return t;
}

void collective_trace_forget(struct collective_trace *t)
{
	tl_table_clear(t->t);
	tl_pool_clear(t->config);
	free(t->said);
	free(t->what);
	free(t->lists);
	free(t->pending);
	free(t->groups);
	tl_pool_clear(t->said_groups);
	*t = (struct collective_trace){.t = t->t,
		.config = t->config,
		.said_groups = t->said_groups,
		.world = -1,
		.plain = t->plain};
}

void collective_trace_free(struct collective_trace *t)
{
	collective_trace_forget(t);
	tl_table_free(t->t);
	tl_pool_free(t->config);
	tl_pool_free(t->said_groups);
	tl_buf_free(&t->plain);
	free(t);
}

/* ---- names ---- */

static enum collective_what what_is(enum tl_cat cat, struct tl_span name)
{
	if (cat == TL_CAT_KERNEL)
		return tl_name_communicates(name) ? IS_KERNEL : IS_OTHER;
	if (cat != TL_CAT_CPU_OP && cat != TL_CAT_ANNOTATION)
		return IS_OTHER;
	if (tl_span_eq(name, TL_LIT("record_param_comms")))
		return IS_CALL;
	return name.n > 5 && tl_span_begins(name, TL_LIT("nccl:")) ? IS_NOTE : IS_OTHER;
}

/* Once per name and kind of category; the plain name is left in c->buf where `again`. */
static enum collective_what what_of(
	struct tl_collective *c, uint32_t row, const struct tl_event *e, struct tl_buf *plain)
{
	struct collective_trace *t = c->trace;
	enum tl_cat cat = (enum tl_cat)t->t->cat[row];
	size_t at = (size_t)t->t->name[row] * 2 + (cat == TL_CAT_KERNEL);
	for (size_t from = t->what_cap; at >= t->what_cap; from = t->what_cap) {
		TL_GROW(t->what, at, t->what_cap);
		memset(t->what + from, IS_NEW, t->what_cap - from);
	}
	if (t->what[at] == IS_NEW || t->what[at] == IS_NOTE) {
		plain->n = 0;
		if (tl_json_is_string(e->f[TL_F_NAME]))
			tl_json_text(e->f[TL_F_NAME], plain);
	}
	if (t->what[at] == IS_NEW)
		t->what[at] = (uint8_t)what_is(cat, tl_buf_all(plain));
	return (enum collective_what)t->what[at];
}

/* ---- events ---- */

static int64_t exposed_of(const struct tl_event *e)
{
	int64_t hidden;
	return tl_ns_parse(e->f[TL_F_HIDDEN_BY_COMPUTE_US], &hidden) ? tl_ns_sub(e->dur, hidden)
																 : NO_TIME;
}

void collective_read(struct tl_collective *c, const struct tl_event *e)
{
	struct collective_trace *t = c->trace;
	uint32_t row = tl_table_add(t->t, e, TL_LIT(""));
	if (row == TL_NO_ROW || (e->ph != 'X' && e->ph != 'B'))
		return;
	enum collective_what is = what_of(c, row, e, &t->plain);
	if (is == IS_OTHER)
		return;
	TL_GROW(t->said, t->n_said, t->said_cap);
	t->said[t->n_said++] = (struct collective_said){.row = row,
		.is = is,
		.exposed = exposed_of(e),
		.meta = is == IS_NOTE ? collective_meta_of_note(c, tl_buf_all(&t->plain), e->f[TL_F_ARGS])
							  : collective_meta_of_args(c, e->f[TL_F_ARGS])};
}

/* ---- what the trace says of its job ---- */

static void read_config(struct tl_collective *c, struct tl_span key, struct tl_span group)
{
	struct collective_trace *t = c->trace;
	struct tl_span name = tl_json_get(group, TL_LIT("pg_name"));
	uint32_t pg = name.n ? collective_text(c, name) : NONE;
	uint32_t list = collective_text(c, tl_json_get(group, TL_LIT("ranks")));
	if (pg == NONE && key.n)
		pg = tl_pool_add(c->texts, key);
	if (pg == NONE || list == NONE)
		return;
	uint32_t at = tl_pool_add(t->config, tl_pool_text(c->texts, pg));
	TL_GROW(t->lists, at, t->lists_cap);
	t->lists[at] = list;
}

void collective_read_job(struct tl_collective *c, struct tl_span info)
{
	struct tl_span config = tl_json_get(info, TL_LIT("pg_config")), key, v;
	struct tl_json it = tl_json_open(config);
	uint64_t world = tl_json_count(info, TL_LIT("world_size"));
	if (world > 0 && world <= INT32_MAX)
		c->trace->world = (int64_t)world;
	if (config.n && config.p[0] == '[')
		while (tl_json_element(&it, &v))
			read_config(c, (struct tl_span){0}, v);
	else if (config.n && config.p[0] == '{')
		while (tl_json_member(&it, &key, &v))
			read_config(c, key, v);
}

void collective_read_meta(struct tl_collective *c, struct tl_span line)
{
	if (tl_span_eq(tl_json_get(line, TL_LIT("key")), TL_LIT("\"distributedInfo\"")))
		collective_read_job(c, tl_json_get(line, TL_LIT("value")));
}

/* ---- an earlier pass ---- */

static uint32_t lane_of(struct tl_collective *c, struct tl_span device, struct tl_span stream)
{
	c->buf.n = 0;
	tl_buf_ch(&c->buf, '[');
	tl_buf_span(&c->buf, tl_is_known(device) ? device : TL_LIT("null"));
	tl_buf_ch(&c->buf, ',');
	tl_buf_span(&c->buf, tl_is_known(stream) ? stream : TL_LIT("null"));
	tl_buf_ch(&c->buf, ']');
	return tl_pool_add(c->lanes, tl_buf_all(&c->buf));
}

struct collective_pending *collective_add_pending(struct tl_collective *c)
{
	struct collective_trace *t = c->trace;
	TL_GROW(t->pending, t->n_pending, t->pending_cap);
	return memset(&t->pending[t->n_pending++], 0, sizeof *t->pending);
}

/* `ts`, `dur` and `event` are what a record must have. */
bool collective_read_comm(struct tl_collective *c, struct tl_span line)
{
	int64_t ts, dur, exposed;
	struct tl_span event = tl_json_get(line, TL_LIT("event"));
	uint64_t id, kernels = tl_json_count(line, TL_LIT("kernels"));
	if (!tl_ns_parse(tl_json_get(line, TL_LIT("ts")), &ts) ||
		!tl_ns_parse(tl_json_get(line, TL_LIT("dur")), &dur) || dur < 0 || !tl_json_u64(event, &id))
		return false;
	if (!tl_ns_parse(tl_json_get(line, TL_LIT("exposed_us")), &exposed))
		exposed = NO_TIME;
	struct collective_meta m = collective_meta_of_record(c, line);
	uint32_t kind = collective_text(c, tl_json_get(line, TL_LIT("kind")));
	struct collective_pending *p = collective_add_pending(c);
	p->op = (struct collective_op){.ts = ts,
		.end = tl_ns_add(ts, dur),
		.event = id,
		.exposed = exposed,
		.seq = m.seq,
		.kernels = kernels ? (uint32_t)kernels : 1,
		.graph = tl_span_eq(tl_json_get(line, TL_LIT("graph")), TL_LIT("true")),
		.lane = lane_of(
			c, tl_json_get(line, TL_LIT("device")), tl_json_get(line, TL_LIT("stream")))};
	p->meta = m;
	p->shape.from = collective_from(tl_json_get(line, TL_LIT("from")));
	p->shape.kind = collective_kind_of(c, kind);
	c->trace->mapped = true;
	return true;
}

uint32_t collective_lane(struct tl_collective *c, uint32_t row)
{
	const struct tl_table *t = c->trace->t;
	const struct tl_lane *l = &t->places.lanes[tl_table_lane(t, row)];
	return lane_of(c, t->places.devices[l->device].text, l->stream);
}
