#include "event.h"
#include "../json/json.h"
#include <stdlib.h>

#define IS(key, s) ((key).n == sizeof(s) - 1 && memcmp((key).p, s, sizeof(s) - 1) == 0)

static inline enum chrome_key key_of(struct tl_span k)
{
	switch (k.n) {
	case 2:
		return IS(k, "ph")   ? CHROME_KEY_PH
			   : IS(k, "ts") ? CHROME_KEY_TS
			   : IS(k, "id") ? CHROME_KEY_ID
							 : CHROME_KEY_OTHER;
	case 3:
		return IS(k, "cat")   ? CHROME_KEY_CAT
			   : IS(k, "pid") ? CHROME_KEY_PID
			   : IS(k, "tid") ? CHROME_KEY_TID
			   : IS(k, "dur") ? CHROME_KEY_DUR
							  : CHROME_KEY_OTHER;
	case 4:
		return IS(k, "name") ? CHROME_KEY_NAME : IS(k, "args") ? CHROME_KEY_ARGS : CHROME_KEY_OTHER;
	default:
		return CHROME_KEY_OTHER;
	}
}

enum chrome_key tl_chrome_key(struct tl_span inner)
{
	return key_of(inner);
}

static enum chrome_hoist hoist_of(struct tl_span k)
{
	switch (k.n) {
	case 6:
		return IS(k, "device")   ? CHROME_HOIST_DEVICE
			   : IS(k, "stream") ? CHROME_HOIST_STREAM
								 : CHROME_HOIST_COUNT;
	case 11:
		/* "external id" is the spelling of 2021 */
		return IS(k, "correlation")                           ? CHROME_HOIST_CORRELATION
			   : IS(k, "External id") || IS(k, "external id") ? CHROME_HOIST_EXTERNAL_ID
															  : CHROME_HOIST_COUNT;
	default:
		return CHROME_HOIST_COUNT;
	}
}

static void add_span(struct chrome_spans *l, struct tl_span s)
{
	TL_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = s;
}

static bool args_some(const struct tl_extract_options *opt)
{
	return opt->args && strcmp(opt->args, "all") != 0;
}

static enum tl_scan_result scan_args(
	struct tl_scan *s, struct tl_chrome_event *e, const struct tl_extract_options *opt)
{
	char *start = s->o;
	bool first = true, more;
	tl_scan_blank(s);
	if (*s->p != '{')
		return tl_scan_value(s);
	s->p++;
	*s->o++ = '{';
	for (;; first = false) {
		struct tl_span key, val;
		char *member = s->o;
		if (!first)
			*s->o++ = ',';
		enum tl_scan_result r = tl_scan_member(s, first, &key, &val, &more);
		if (r != TL_SCAN_OK)
			return r;
		if (!more) {
			s->o = member;
			*s->o++ = '}';
			e->key[CHROME_KEY_ARGS] = (struct tl_span){start, (size_t)(s->o - start)};
			return TL_SCAN_OK;
		}
		enum chrome_hoist h = hoist_of(key);
		if (h != CHROME_HOIST_COUNT)
			e->hoist[h] = val;
		if (args_some(opt) && tl_in_list(key, opt->args))
			add_span(&e->kept, (struct tl_span){key.p - 1, (size_t)(s->o - key.p) + 1});
	}
}

static void reset(struct tl_chrome_event *e)
{
	memset(e->key, 0, sizeof e->key);
	memset(e->hoist, 0, sizeof e->hoist);
	e->own_cat.n = 0;
	e->rest.n = e->kept.n = 0;
}

enum tl_scan_result tl_chrome_event_scan(
	struct tl_scan *s, struct tl_chrome_event *e, const struct tl_extract_options *opt)
{
	bool more;
	reset(e);
	s->p++;
	for (bool first = true;; first = false) {
		struct tl_span key;
		enum tl_scan_result r = tl_scan_key(s, first, &key, &more);
		if (r != TL_SCAN_OK || !more)
			return r;
		char *val = s->o;
		enum chrome_key k = key_of(key);
		r = k == CHROME_KEY_ARGS ? scan_args(s, e, opt) : tl_scan_value(s);
		if (r != TL_SCAN_OK)
			return r;
		if (k != CHROME_KEY_OTHER)
			e->key[k] = (struct tl_span){val, (size_t)(s->o - val)};
		if (k == CHROME_KEY_OTHER || k == CHROME_KEY_ID)
			add_span(&e->rest, (struct tl_span){key.p - 1, (size_t)(s->o - key.p) + 1});
	}
}

bool tl_chrome_event_is_meta(const struct tl_chrome_event *e)
{
	return tl_span_eq(e->key[CHROME_KEY_PH], TL_LIT("\"M\""));
}

bool tl_chrome_event_ts(const struct tl_chrome_event *e, struct tl_chrome_rebase *out)
{
	struct tl_buf b = {0};
	bool ok = e->key[CHROME_KEY_TS].n && tl_decimal_add(&b, e->key[CHROME_KEY_TS]) &&
			  b.n < sizeof out->text;
	if (ok) {
		memcpy(out->text, b.p, b.n);
		out->n = b.n;
	}
	tl_buf_free(&b);
	return ok;
}

/* Plain decimals of up to 15 digits and 3 decimals, which nearly all times are. */
static bool ns_fast(struct tl_span v, int64_t *ns)
{
	static const int64_t scale[] = {1000, 100, 10, 1};
	uint64_t u = 0;
	size_t i = 0, dot;
	if (v.n > 18)
		return false;
	while (i < v.n && v.p[i] >= '0' && v.p[i] <= '9')
		u = u * 10 + (uint64_t)(v.p[i++] - '0');
	if (i == v.n) {
		*ns = (int64_t)u * 1000;
		return i > 0 && i < 16;
	}
	if (i == 0 || v.p[i] != '.')
		return false;
	for (dot = i++; i < v.n && v.p[i] >= '0' && v.p[i] <= '9'; i++)
		u = u * 10 + (uint64_t)(v.p[i] - '0');
	size_t frac = v.n - dot - 1;
	if (i != v.n || frac == 0 || frac > 3)
		return false;
	*ns = (int64_t)u * scale[frac];
	return dot < 15;
}

struct time_field {
	bool have, bad, rewritten;
	int64_t ns;
	struct tl_span text;
	struct tl_buf own;
};

static void read_time(struct time_field *t, struct tl_span v, bool is_dur)
{
	if (!v.n)
		return;
	t->text = v;
	if (ns_fast(v, &t->ns)) {
		t->have = true;
		return;
	}
	if (!tl_ns_parse(v, &t->ns) || (is_dur && t->ns < 0)) {
		t->bad = true;
		return;
	}
	t->have = true;
	if (!tl_decimal_plain(v)) {
		t->have = tl_decimal_add(&t->own, v);
		t->rewritten = t->have;
		t->bad = !t->have;
		t->text = tl_buf_all(&t->own);
	}
}

static void rebase_time(struct time_field *t, const struct tl_chrome_rebase *rebase)
{
	struct tl_buf b = {0};
	int64_t base;
	struct tl_span by = {rebase->text, rebase->n};
	if (!t->have || !tl_ns_parse(by, &base))
		return;
	/* more than 18 digits: the ns, since the exact digits stand in chrome */
	t->ns = tl_ns_sub(t->ns, base);
	if (!tl_decimal_minus(&b, t->text, by)) {
		t->rewritten = true;
		tl_buf_us(&b, t->ns);
	}
	tl_buf_free(&t->own);
	t->own = b;
	t->text = tl_buf_all(&b);
}

/* Values stand in the scanner's output or in a buffer of at least 256 bytes: behind a short one
 * there are 16 to read, and write_fixed has made room for as many. One copy of fixed size is the
 * quick way for what most values are. */
static inline char *put(char *p, struct tl_span v)
{
	if (v.n <= 16)
		memcpy(p, v.p, 16);
	else
		memcpy(p, v.p, v.n);
	return p + v.n;
}

#define MEMBER(p, key, v)                              \
	if ((v).n) {                                       \
		memcpy((p), ",\"" key "\":", sizeof(key) + 3); \
		(p) = put((p) + sizeof(key) + 3, (v));         \
	}

static void write_args(
	struct tl_out *o, const struct tl_chrome_event *e, const struct tl_extract_options *opt)
{
	struct tl_span args = e->key[CHROME_KEY_ARGS];
	if (!args_some(opt)) {
		if (args.n)
			tl_out_lit(o, ",\"args\":");
		tl_out_span(o, args);
		return;
	}
	for (size_t i = 0; i < e->kept.n; i++) {
		if (i == 0)
			tl_out_lit(o, ",\"args\":{");
		else
			tl_out_lit(o, ",");
		tl_out_span(o, e->kept.v[i]);
	}
	if (e->kept.n)
		tl_out_lit(o, "}");
}

static void chrome_member(struct tl_out *o, bool *open, const char *key, struct tl_span v)
{
	if (*open)
		tl_out_lit(o, ",");
	else
		tl_out_lit(o, ",\"chrome\":{");
	*open = true;
	tl_out_add(o, key, strlen(key));
	tl_out_span(o, v);
}

/* What has no place of its own, and times that are not written as they stood. */
static void write_chrome(struct tl_out *o, const struct tl_chrome_event *e,
	const struct time_field *ts, const struct time_field *dur)
{
	bool open = false;
	for (size_t i = 0; i < e->rest.n; i++)
		chrome_member(o, &open, "", e->rest.v[i]);
	if (e->own_cat.n)
		chrome_member(o, &open, "\"cat\":", e->own_cat);
	if (ts->bad || ts->rewritten)
		chrome_member(o, &open, "\"ts\":", e->key[CHROME_KEY_TS]);
	if (dur->bad || dur->rewritten)
		chrome_member(o, &open, "\"dur\":", e->key[CHROME_KEY_DUR]);
	if (open)
		tl_out_lit(o, "}");
}

static bool is_flow(struct tl_span ph)
{
	return ph.n == 3 && (ph.p[1] == 's' || ph.p[1] == 't' || ph.p[1] == 'f');
}

/* kernel, gpu_memcpy, gpu_memset, Memcpy, Memset: most categories are none by their first letter.
 */
static bool may_be_gpu(struct tl_span cat)
{
	char c = cat.n > 1 ? cat.p[1] | 32 : 0;
	return c == 'k' || c == 'g' || c == 'm';
}

static void count(struct tl_sum *sum, const struct tl_chrome_event *e, const struct time_field *ts,
	const struct time_field *dur)
{
	tl_sum_add(sum, &(struct tl_mark){.ts = ts->ns,
						.end = dur->have ? tl_ns_add(ts->ns, dur->ns) : ts->ns,
						.has_ts = ts->have && !tl_chrome_event_is_meta(e),
						.gpu_op = may_be_gpu(e->key[CHROME_KEY_CAT]) &&
								  tl_span_eq(e->key[CHROME_KEY_PH], TL_LIT("\"X\"")) &&
								  tl_cat_is_gpu(tl_cat_of(e->key[CHROME_KEY_CAT]))});
}

static char *put_id(char *p, uint64_t id)
{
	char digits[20];
	size_t d = sizeof digits;
	do
		digits[--d] = (char)('0' + id % 10);
	while (id /= 10);
	memcpy(p, digits + d, sizeof digits - d);
	return p + sizeof digits - d;
}

/* The record up to the keys that every event has. */
static void write_fixed(struct tl_out *o, struct tl_span head, uint64_t id,
	const struct tl_chrome_event *e, struct tl_span ts, struct tl_span dur)
{
	size_t need = head.n + ts.n + dur.n + 512; /* 512: the keys, the id, and 16 behind the last */
	for (int i = 0; i < CHROME_KEY_OTHER; i++)
		need += i == CHROME_KEY_ARGS ? 0 : e->key[i].n;
	for (int i = 0; i < CHROME_HOIST_COUNT; i++)
		need += e->hoist[i].n;
	char *start = tl_out_reserve(o, need), *p = put_id(put(start, head), id);
	MEMBER(p, "ph", e->key[CHROME_KEY_PH]);
	MEMBER(p, "cat", e->key[CHROME_KEY_CAT]);
	MEMBER(p, "name", e->key[CHROME_KEY_NAME]);
	MEMBER(p, "pid", e->key[CHROME_KEY_PID]);
	MEMBER(p, "tid", e->key[CHROME_KEY_TID]);
	MEMBER(p, "ts", ts);
	MEMBER(p, "dur", dur);
	MEMBER(p, "device", e->hoist[CHROME_HOIST_DEVICE]);
	MEMBER(p, "stream", e->hoist[CHROME_HOIST_STREAM]);
	MEMBER(p, "correlation", e->hoist[CHROME_HOIST_CORRELATION]);
	MEMBER(p, "external_id", e->hoist[CHROME_HOIST_EXTERNAL_ID]);
	if (is_flow(e->key[CHROME_KEY_PH]))
		MEMBER(p, "flow", e->key[CHROME_KEY_ID]);
	o->n += (size_t)(p - start);
}

unsigned tl_chrome_event_write(struct tl_out *o, struct tl_span head, uint64_t id,
	const struct tl_chrome_event *e, const struct tl_extract_options *opt,
	const struct tl_chrome_rebase *rebase, struct tl_sum *sum)
{
	const struct tl_span none = {0};
	struct time_field ts = {0}, dur = {0};
	read_time(&ts, e->key[CHROME_KEY_TS], false);
	read_time(&dur, e->key[CHROME_KEY_DUR], true);
	/* the length of a begin event is that to its end */
	if (dur.have && tl_span_eq(e->key[CHROME_KEY_PH], TL_LIT("\"B\""))) {
		dur.have = false;
		dur.rewritten = true;
	}
	if (rebase->n)
		rebase_time(&ts, rebase);
	write_fixed(o, head, id, e, ts.have ? ts.text : none, dur.have ? dur.text : none);
	write_args(o, e, opt);
	write_chrome(o, e, &ts, &dur);
	tl_out_lit(o, "}");
	tl_out_eol(o);
	count(sum, e, &ts, &dur);
	unsigned bad = (unsigned)ts.bad + dur.bad;
	tl_buf_free(&ts.own);
	tl_buf_free(&dur.own);
	return bad;
}

void tl_chrome_event_free(struct tl_chrome_event *e)
{
	free(e->rest.v);
	free(e->kept.v);
}
