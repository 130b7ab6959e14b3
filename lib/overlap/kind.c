/* What share/rules/overlap.jq says of names, and its thresholds. */
#include "inside.h"
#include "../rules/rules.h"
#include "../json/json.h"
#include <stdlib.h>

static struct tl_span question(struct tl_overlap *o)
{
	tl_buf_printf(&o->buf, "\"rules\":\"%s\"}", tl_rules_set(o->rules));
	return tl_buf_all(&o->buf);
}

static void ask_for(struct tl_overlap *o, struct tl_span name)
{
	o->buf.n = 0;
	tl_buf_lit(&o->buf, "{\"name\":");
	tl_json_quote(&o->buf, name);
	tl_buf_ch(&o->buf, ',');
}

void overlap_ask_settings(struct tl_overlap *o)
{
	struct overlap_settings *t = &o->set;
	o->buf.n = 0;
	tl_buf_ch(&o->buf, '{');
	struct tl_span a = tl_rules_ask(o->rules, ASK_SETTINGS, question(o));
	struct tl_span headroom = tl_json_get(a, TL_LIT("headroom"));
	struct tl_span hidden = tl_json_get(a, TL_LIT("hidden"));
	struct tl_span tight = tl_json_get(a, TL_LIT("tight"));
	t->min_us = tl_rules_number(a, "min_us");
	t->min_share = tl_rules_number(a, "min_share");
	t->headroom_ratio = tl_rules_number(headroom, "exclusive_ratio");
	t->weights = tl_json_get(headroom, TL_LIT("weights"));
	t->last = tl_json_inner(tl_json_get(headroom, TL_LIT("last")));
	t->hidden_ratio = tl_rules_number(hidden, "hidden_ratio");
	t->hidden_classes = tl_json_get(hidden, TL_LIT("classes"));
	t->tight_min = tl_rules_us(tight, "min_us");
	t->tight_max = tl_rules_us(tight, "max_us");
	t->tight_share = tl_rules_number(tight, "share");
	t->serial = tl_json_get(a, TL_LIT("serial"));
	t->reach = tl_rules_us(a, "stage_reach_us");
	t->by_start = tl_span_eq(tl_json_get(a, TL_LIT("stage_by")), TL_LIT("\"start\""));
	o->asked = true;
}

static void add_words(struct tl_overlap *o, const char *key, struct tl_span name,
	void (*words_of)(struct tl_buf *, struct tl_span))
{
	struct tl_buf words = {0};
	words_of(&words, name);
	tl_buf_printf(&o->buf, "\"%s\":", key);
	tl_json_quote(&o->buf, tl_buf_all(&words));
	tl_buf_ch(&o->buf, ',');
	tl_buf_free(&words);
}

uint16_t overlap_add(
	struct tl_pool *pool, struct tl_buf *b, struct tl_span json, struct tl_span otherwise)
{
	b->n = 0;
	if (tl_json_is_string(json))
		tl_json_text(json, b);
	uint32_t n = tl_pool_add(pool, b->n ? tl_buf_all(b) : otherwise);
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

static struct overlap_name kind_of(struct tl_overlap *o, enum tl_cat cat, struct tl_span name)
{
	static const char *const cats[] = {"kernel", "gpu_memcpy", "gpu_memset"};
	ask_for(o, name);
	tl_buf_printf(&o->buf, "\"cat\":\"%s\",", cats[cat - TL_CAT_KERNEL]);
	add_words(o, "words", name, tl_kernel_words);
	add_words(o, "head", name, tl_kernel_head);
	struct tl_span a = tl_rules_ask(o->rules, ASK_KIND, question(o));
	struct tl_span part = tl_json_get(a, TL_LIT("part"));
	struct overlap_name k = {.part = TL_PART_COMPUTE};
	double priority = tl_rules_number(a, "priority");
	k.class = overlap_add(o->classes, &o->text, tl_json_get(a, TL_LIT("class")), TL_LIT("other"));
	k.priority = priority > 0 && priority < 8 ? (uint8_t)priority : 0;
	if (tl_span_eq(part, TL_LIT("\"comm\"")))
		k.part = TL_PART_COMM;
	else if (tl_span_eq(part, TL_LIT("\"memcpy\"")))
		k.part = TL_PART_MEMCPY;
	return k;
}

void overlap_kinds(struct tl_overlap *o)
{
	uint32_t n = tl_pool_count(o->raw);
	struct tl_buf name = {0};
	o->names = tl_calloc((size_t)n + 1, sizeof *o->names);
	for (uint32_t i = 0; i < n; i++) {
		struct tl_span raw = tl_pool_text(o->raw, i);
		struct tl_span value = {raw.p + 1, raw.n - 1};
		name.n = 0;
		if (tl_json_is_string(value))
			tl_json_text(value, &name);
		o->names[i] = kind_of(o, (enum tl_cat)(raw.p[0] - '0'), tl_buf_all(&name));
		o->text.n = 0;
		tl_name_kernel(&o->text, tl_buf_all(&name));
		o->names[i].canon = tl_pool_add(o->texts, tl_buf_all(&o->text));
	}
	tl_buf_free(&name);
	for (uint32_t i = 0; i < o->ops.n; i++) {
		o->ops.iv[i].part = o->names[o->ops.name[i]].part;
		o->ops.iv[i].priority = o->names[o->ops.name[i]].priority;
	}
}

bool overlap_is_operator(struct tl_overlap *o, uint32_t text)
{
	if (text == NONE)
		return false;
	ask_for(o, tl_pool_text(o->texts, text));
	return tl_span_eq(tl_rules_ask(o->rules, ASK_OPERATOR, question(o)), TL_LIT("true"));
}

double overlap_weight(const struct tl_overlap *o, uint16_t class)
{
	double v;
	return tl_json_double(tl_json_get(o->set.weights, overlap_class(o, class)), &v) ? v : 0;
}

bool overlap_listed(struct tl_span array, struct tl_span text)
{
	struct tl_span v;
	if (array.n == 0)
		return false;
	struct tl_json it = tl_json_open(array);
	while (tl_json_element(&it, &v))
		if (tl_span_eq(tl_json_inner(v), text))
			return true;
	return false;
}

struct tl_span overlap_class(const struct tl_overlap *o, uint16_t class)
{
	return class < UINT16_MAX ? tl_pool_text(o->classes, class) : TL_LIT("other");
}

struct tl_span overlap_stage(const struct tl_overlap *o, uint16_t stage)
{
	return stage < UINT16_MAX ? tl_pool_text(o->stages, stage) : TL_LIT("other");
}

struct tl_span overlap_name(const struct tl_overlap *o, uint32_t op)
{
	return tl_pool_text(o->texts, o->names[o->cells[o->ops.cell[op]].name].canon);
}
