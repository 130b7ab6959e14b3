#include "reliability_rows.h"
#include "../io/json.h"

/* Which records carry which flags, and the doubts that bear on their figures. */
static const struct concern {
	struct tl_span type;
	bool idle, attribution;
	unsigned doubts; /* tl_affects bits */
} concerns[] = {
	{TL_LIT("timeline"), true, false, TL_A_IDLE | TL_A_DURATION | TL_A_OVERLAP},
	{TL_LIT("coverage"), false, true, TL_A_ATTRIBUTION},
	{TL_LIT("op_group"), false, true, TL_A_ATTRIBUTION | TL_A_DURATION | TL_A_ROOFLINE},
	{TL_LIT("kernel_group"), false, false, TL_A_IDLE | TL_A_DURATION | TL_A_OVERLAP},
	{TL_LIT("action"), false, true, TL_A_IDLE | TL_A_DURATION | TL_A_OVERLAP | TL_A_ATTRIBUTION},
};

/* Figures that an unreliable idle takes back, and where they are kept. */
static const struct {
	struct tl_span key, raw;
} taken[] = {
	{TL_LIT("idle_us"), TL_LIT("raw_idle_us")},
	{TL_LIT("busy_us"), TL_LIT("raw_busy_us")},
	{TL_LIT("idle_share"), TL_LIT("raw_idle_share")},
};
#define TAKEN (sizeof taken / sizeof *taken)

static const struct concern *concern_of(struct tl_span type)
{
	for (size_t i = 0; i < sizeof concerns / sizeof *concerns; i++)
		if (tl_span_eq(type, concerns[i].type))
			return &concerns[i];
	return NULL;
}

static bool replaced(struct tl_span type)
{
	return tl_span_eq(type, TL_LIT("warning")) || tl_span_eq(type, TL_LIT("reliability"));
}

static bool ours(struct tl_span key)
{
	static const struct tl_span keys[] = {TL_LIT("idle_reliable"), TL_LIT("attribution_reliable"),
		TL_LIT("doubts"), TL_LIT("raw_idle_us"), TL_LIT("raw_busy_us"), TL_LIT("raw_idle_share")};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (tl_span_eq(key, keys[i]))
			return true;
	return false;
}

static void member(struct tl_buf *b, struct tl_span key, struct tl_span value)
{
	tl_buf_lit(b, ",\"");
	tl_buf_span(b, key);
	tl_buf_lit(b, "\":");
	tl_buf_span(b, value);
}

/* What the figure was before any pass took it back; empty: not known. */
static struct tl_span original(struct tl_span line, size_t i)
{
	struct tl_span v = tl_json_get(line, taken[i].raw);
	if (!v.n)
		v = tl_json_get(line, taken[i].key);
	return tl_span_eq(v, TL_LIT("null")) ? TL_LIT("") : v;
}

static size_t taken_at(struct tl_span key)
{
	size_t i = 0;
	while (i < TAKEN && !tl_span_eq(key, taken[i].key))
		i++;
	return i;
}

static void flag_member(struct tl_buf *b, const char *key, enum tl_flag v)
{
	if (v != TL_FLAG_UNKNOWN)
		tl_buf_printf(b, ",\"%s\":%s", key, v == TL_FLAG_TRUE ? "true" : "false");
}

static void doubts_member(const struct tl_reliab *r, unsigned bears_on, struct tl_buf *b)
{
	const char *before = ",\"doubts\":[";
	for (size_t i = 0; i < RL_CODES; i++) {
		if (!tl_reliab_fired(r, (int)i) || !tl_codes[i].doubt || !(tl_codes[i].affects & bears_on))
			continue;
		tl_buf_printf(b, "%s\"%s\"", before, tl_codes[i].code);
		before = ",";
	}
	if (*before == ',' && before[1] == 0)
		tl_buf_ch(b, ']');
}

/* The record's own members, with `blank` figures taken back and those of an earlier pass given
 * back. */
static void own_members(struct tl_span line, bool idle, bool blank, struct tl_buf *out)
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, value;
	while (tl_json_member(&it, &key, &value)) {
		size_t i = idle ? taken_at(key) : TAKEN;
		if (i < TAKEN)
			value = blank ? TL_LIT("null") : original(line, i);
		if (!ours(key) && value.n)
			member(out, key, value);
	}
}

static void raw_members(struct tl_span line, struct tl_buf *out)
{
	for (size_t i = 0; i < TAKEN; i++) {
		struct tl_span v = original(line, i);
		member(out, taken[i].raw, v.n ? v : TL_LIT("null"));
	}
}

/* Appends the line to `out` with the doubts in it. What an earlier pass wrote is replaced. */
static void mark(
	const struct tl_reliab *r, const struct concern *c, struct tl_span line, struct tl_buf *out)
{
	bool blank = c->idle && r->v.idle == TL_FLAG_FALSE;
	size_t start = out->n;
	own_members(line, c->idle, blank, out);
	for (size_t i = 0; blank && i < TAKEN; i++)
		if (!tl_json_get(line, taken[i].key).n)
			member(out, taken[i].key, TL_LIT("null"));
	if (c->idle)
		flag_member(out, "idle_reliable", r->v.idle);
	if (c->attribution)
		flag_member(out, "attribution_reliable", r->v.attribution);
	doubts_member(r, c->doubts, out);
	if (blank)
		raw_members(line, out);
	out->p[start] = '{';
	tl_buf_ch(out, '}');
}

bool tl_reliab_hold(struct tl_reliab *r, const struct tl_record *rec)
{
	if (rec->kind != TL_DERIVED ||
		(!r->held_ends.n && !concern_of(rec->type) && !replaced(rec->type)))
		return false;
	tl_buf_span(&r->held, rec->line);
	tl_buf_add(&r->held_ends, &r->held.n, sizeof r->held.n);
	return true;
}

static void release(
	const struct tl_reliab *r, struct tl_stream *s, struct tl_span line, struct tl_buf *marked)
{
	struct tl_span type = tl_json_inner(tl_json_get(line, TL_LIT("type")));
	const struct concern *c = r->v.none ? NULL : concern_of(type);
	if (!r->v.none && replaced(type))
		return;
	marked->n = 0;
	if (c)
		mark(r, c, line, marked);
	tl_stream_write(s, c ? tl_buf_all(marked) : line);
}

void rl_release(struct tl_reliab *r, struct tl_stream *s)
{
	struct tl_buf marked = {0};
	size_t from = 0, to;
	for (size_t i = 0; i < r->held_ends.n; i += sizeof to, from = to) {
		memcpy(&to, r->held_ends.p + i, sizeof to);
		release(r, s, (struct tl_span){r->held.p + from, to - from}, &marked);
	}
	r->held.n = r->held_ends.n = 0;
	tl_buf_free(&marked);
}
