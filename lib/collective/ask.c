/* What share/rules/collective.jq says. */
#include "inside.h"
#include <math.h>

enum { ASK_KIND, ASK_WIDTH, ASK_FACTOR, ASK_SETTINGS };

/* Begins a question in `b`. */
static void question(struct tl_collective *c, struct tl_buf *b)
{
	static const char *const fns[] = {"kind", "width", "bus_factor", "settings", NULL};
	if (!c->rules)
		c->rules = tl_rules_new("collective", fns, c->opt->rules, c->opt->n_rules);
	tl_rules_question(c->rules, b);
}

static struct tl_span ask(
	struct tl_collective *c, unsigned fn, const char *key, struct tl_span text)
{
	question(c, &c->buf);
	tl_buf_printf(&c->buf, ",\"%s\":", key);
	tl_json_quote(&c->buf, text);
	tl_buf_ch(&c->buf, '}');
	return tl_rules_ask(c->rules, fn, tl_buf_all(&c->buf));
}

void collective_ask_settings(struct tl_collective *c)
{
	struct tl_span a = ask(c, ASK_SETTINGS, "of", TL_LIT("set"));
	struct tl_span clock = tl_json_get(a, TL_LIT("clock")),
				   verdict = tl_json_get(a, TL_LIT("verdict"));
	struct tl_span members = tl_json_get(a, TL_LIT("members"));
	c->set = (struct collective_settings){.apart = tl_rules_us(a, "apart_us"),
		.near = tl_rules_us(a, "near_us"),
		.clock = tl_rules_us(clock, "offset_us"),
		.clock_spreads = tl_rules_number(clock, "spreads"),
		.verdict = tl_rules_us(verdict, "margin_us"),
		.verdict_share = tl_rules_number(verdict, "share"),
		.most_members = tl_json_count(members, TL_LIT("most")),
		.of_each_end = tl_json_count(members, TL_LIT("each"))};
}

static bool says(struct tl_span answer, const char *key)
{
	return tl_span_eq(tl_json_get(answer, tl_str(key)), TL_LIT("true"));
}

/* Kinds are few: each has one number, from 1. */
static uint16_t add_kind(struct tl_collective *c, struct tl_span answer)
{
	struct tl_span text = tl_json_get(answer, TL_LIT("kind"));
	if (!tl_json_is_string(text))
		return 0;
	uint32_t n = tl_pool_add(c->kind_keys, text);
	if (n >= UINT16_MAX)
		return 0;
	TL_GROW(c->kinds, n, c->kinds_cap);
	c->kinds[n] = (struct collective_kind){.text = collective_text(c, text),
		.sync = says(answer, "sync"),
		.same = says(answer, "same"),
		.sized = !says(answer, "unsized"),
		.gathers = says(answer, "gathers"),
		.uneven = says(answer, "uneven"),
		.send = says(answer, "send"),
		.recv = says(answer, "recv"),
		.alltoall = tl_span_eq(text, TL_LIT("\"alltoall\""))};
	return (uint16_t)n;
}

uint16_t collective_kind_of(struct tl_collective *c, uint32_t name_text)
{
	if (name_text == NONE)
		return 0;
	for (size_t from = c->kind_cap; name_text >= c->kind_cap; from = c->kind_cap) {
		TL_GROW(c->kind_of, name_text, c->kind_cap);
		memset(c->kind_of + from, 0, (c->kind_cap - from) * sizeof *c->kind_of);
	}
	uint16_t *kind = &c->kind_of[name_text];
	if (*kind == 0)
		*kind = add_kind(c, ask(c, ASK_KIND, "name", tl_pool_text(c->texts, name_text))) + 1;
	return *kind - 1;
}

uint16_t collective_kind_of_kernel(struct tl_collective *c, struct tl_span plain_name)
{
	struct tl_buf head = {0};
	tl_kernel_head(&head, plain_name);
	uint16_t kind = add_kind(c, ask(c, ASK_KIND, "head", tl_buf_all(&head)));
	tl_buf_free(&head);
	return kind;
}

unsigned collective_width(struct tl_collective *c, uint32_t dtype)
{
	if (dtype == NONE)
		return 0;
	for (size_t from = c->widths_cap; dtype >= c->widths_cap; from = c->widths_cap) {
		TL_GROW(c->widths, dtype, c->widths_cap);
		memset(c->widths + from, 0, c->widths_cap - from);
	}
	if (c->widths[dtype] == 0) {
		uint64_t v = 0;
		tl_json_u64(ask(c, ASK_WIDTH, "dtype", tl_pool_text(c->texts, dtype)), &v);
		c->widths[dtype] = (uint8_t)(v < UINT8_MAX ? v + 1 : 1);
	}
	return c->widths[dtype] - 1u;
}

double collective_factor(struct tl_collective *c, struct tl_span kind, int64_t n)
{
	struct tl_buf b = {0};
	double v = NAN;
	question(c, &b);
	tl_buf_lit(&b, ",\"kind\":");
	tl_json_quote(&b, kind);
	if (n > 0)
		tl_buf_printf(&b, ",\"group_size\":%lld", (long long)n);
	tl_buf_ch(&b, '}');
	struct tl_span a = tl_rules_ask(c->rules, ASK_FACTOR, tl_buf_all(&b));
	tl_buf_free(&b);
	return tl_json_double(a, &v) ? v : NAN;
}
