#include "inside.h"
#include "../json/json.h"

/* Which records carry which flags, and the doubts that bear on their figures. */
static const struct concern {
	struct tl_span type;
	bool idle, attribution;
	unsigned doubts; /* tl_reliability_affects bits */
} concerns[] = {
	{TL_LIT("timeline"), true, false, RL_A_IDLE | RL_A_DURATION | RL_A_OVERLAP},
	{TL_LIT("coverage"), false, true, RL_A_ATTRIBUTION},
	{TL_LIT("op_group"), false, true, RL_A_ATTRIBUTION | RL_A_DURATION | RL_A_ROOFLINE},
	{TL_LIT("kernel_group"), false, false, RL_A_IDLE | RL_A_DURATION | RL_A_OVERLAP},
	{TL_LIT("action"), false, true, RL_A_IDLE | RL_A_DURATION | RL_A_OVERLAP | RL_A_ATTRIBUTION},
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

static bool is_doubt(const struct tl_reliability *r, size_t code, unsigned bears_on)
{
	return tl_reliability_fired(r, (int)code) && tl_reliability_codes[code].doubt &&
		   (tl_reliability_codes[code].affects & bears_on);
}

static void put_doubts(const struct tl_reliability *r, unsigned bears_on, struct tl_write *w)
{
	size_t i = 0;
	while (i < RL_CODES && !is_doubt(r, i, bears_on))
		i++;
	if (i == RL_CODES)
		return;
	tl_list(w, "doubts");
	for (; i < RL_CODES; i++)
		if (is_doubt(r, i, bears_on))
			tl_put_text(w, NULL, tl_str(tl_reliability_codes[i].code));
	tl_list_end(w);
}

/* The record's own members, with `blank` figures taken back and those of an earlier pass given
 * back. */
static void put_own(struct tl_span line, bool idle, bool blank, struct tl_write *w)
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, value;
	while (tl_json_member(&it, &key, &value)) {
		size_t i = idle ? taken_at(key) : TAKEN;
		if (i < TAKEN)
			value = blank ? TL_LIT("null") : original(line, i);
		if (!ours(key) && value.n)
			tl_put_member(w, key, value);
	}
}

static void put_raw(struct tl_span line, struct tl_write *w)
{
	for (size_t i = 0; i < TAKEN; i++) {
		struct tl_span v = original(line, i);
		tl_put_member(w, taken[i].raw, v.n ? v : TL_LIT("null"));
	}
}

/* The line with the doubts in it. What an earlier pass wrote is replaced. */
static struct tl_span mark(const struct tl_reliability *r, const struct concern *c,
	struct tl_span line, struct tl_write *w)
{
	bool blank = c->idle && r->v.idle == RL_FLAG_FALSE;
	tl_value(w);
	tl_object(w, NULL);
	put_own(line, c->idle, blank, w);
	for (size_t i = 0; blank && i < TAKEN; i++)
		if (!tl_json_get(line, taken[i].key).n)
			tl_put_member(w, taken[i].key, TL_LIT("null"));
	if (c->idle)
		rl_put_verdict(w, "idle_reliable", r->v.idle);
	if (c->attribution)
		rl_put_verdict(w, "attribution_reliable", r->v.attribution);
	put_doubts(r, c->doubts, w);
	if (blank)
		put_raw(line, w);
	return tl_record_end(w);
}

bool tl_reliability_hold(struct tl_reliability *r, const struct tl_record *rec)
{
	if (rec->kind != TL_DERIVED ||
		(!r->held_ends.n && !concern_of(rec->type) && !replaced(rec->type)))
		return false;
	tl_buf_span(&r->held, rec->line);
	tl_buf_add(&r->held_ends, &r->held.n, sizeof r->held.n);
	return true;
}

static void release(const struct tl_reliability *r, struct tl_stream *s, struct tl_span line,
	struct tl_write *marked)
{
	struct tl_span type = tl_json_inner(tl_json_get(line, TL_LIT("type")));
	const struct concern *c = r->v.none ? NULL : concern_of(type);
	if (!r->v.none && replaced(type))
		return;
	tl_stream_write(s, c ? mark(r, c, line, marked) : line);
}

void rl_release(struct tl_reliability *r, struct tl_stream *s)
{
	struct tl_write marked = {0};
	size_t from = 0, to;
	for (size_t i = 0; i < r->held_ends.n; i += sizeof to, from = to) {
		memcpy(&to, r->held_ends.p + i, sizeof to);
		release(r, s, (struct tl_span){r->held.p + from, to - from}, &marked);
	}
	r->held.n = r->held_ends.n = 0;
	tl_write_free(&marked);
}
