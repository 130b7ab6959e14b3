#include "out.h"
#include "../format/format.h"
#include "../json/json.h"
#include "../trace/trace.h"
#include "../base/base.h"
#include <stdlib.h>

/* A top-level key that waits: text of `keys`, the key with its quotes, then the value. */
struct member {
	size_t at, key_n, value_n;
};

struct tl_chrome {
	struct tl_target *target;
	bool merge, sort;
	struct tl_annotate *annotate; /* NULL: not asked for */

	/* the document */
	bool open, array, any_member, any_event;
	struct tl_pool *seen; /* merge: keys written, and then their values */
	struct tl_buf late;   /* merge: members of later traces, for behind the array */
	struct tl_buf base;   /* merge: baseTimeNanoseconds of the first trace, "" when absent */
	uint64_t traces;
	unsigned dropped;

	/* the trace */
	uint64_t next;
	bool inside, wait, holding;
	struct tl_buf rank, shift, label, keys, args;
	bool window; /* merged with an activity window */
	bool moved;  /* to the base of another trace: `ts` as the source wrote it holds no more */
	struct member *members;
	size_t n_members, cap_members;
	struct tl_held held;
	struct tl_write event;
};

struct tl_chrome *tl_chrome_new(struct tl_target *target, bool merge)
{
	struct tl_chrome *c = tl_calloc(1, sizeof *c);

	c->target = target;
	c->merge = merge;
	c->seen = tl_pool_new();
	return c;
}

void tl_chrome_set(struct tl_chrome *c, bool sort, bool annotate)
{
	c->sort = sort;
	if (annotate && !c->annotate)
		c->annotate = tl_annotate_new();
}

static struct tl_out *out(struct tl_chrome *c)
{
	return &c->target->out;
}

static void set_text(struct tl_buf *b, struct tl_span s)
{
	b->n = 0;
	tl_buf_span(b, s);
}

/* ---- the document ---- */

static void write_member(struct tl_chrome *c, struct tl_span key, struct tl_span value)
{
	tl_out_span(out(c), c->any_member ? TL_LIT(",\n") : TL_LIT("\n"));
	c->any_member = true;
	tl_out_span(out(c), key);
	tl_out_lit(out(c), ":");
	tl_out_span(out(c), value);
}

static void open_array(struct tl_chrome *c)
{
	if (c->array)
		return;
	write_member(c, TL_LIT("\"traceEvents\""), TL_LIT("["));
	c->array = true;
}

static bool open_document(struct tl_chrome *c, struct tl_error *e)
{
	if (c->open)
		return true;
	if (!tl_target_open(c->target, tl_buf_all(&c->rank), e))
		return false;
	tl_out_lit(out(c), "{");
	c->open = true;
	c->array = c->any_member = c->any_event = false;
	return true;
}

static void write_waiting(struct tl_chrome *c)
{
	for (size_t i = 0; i < c->n_members; i++) {
		const struct member *m = &c->members[i];
		const char *p = c->keys.p + m->at;
		write_member(c, (struct tl_span){p, m->key_n}, (struct tl_span){p + m->key_n, m->value_n});
	}
	c->n_members = 0;
	c->keys.n = 0;
}

static void close_document(struct tl_chrome *c)
{
	open_array(c);
	tl_out_lit(out(c), "\n]");
	write_waiting(c);
	tl_out_span(out(c), tl_buf_all(&c->late));
	tl_out_lit(out(c), "\n}\n");
	c->open = false;
	tl_target_end(c->target);
}

/* ---- one event ---- */

static const struct {
	enum tl_field field;
	struct tl_span key;
} fields[] = {
	{TL_F_PH, TL_LIT("ph")},
	{TL_F_CAT, TL_LIT("cat")},
	{TL_F_NAME, TL_LIT("name")},
	{TL_F_PID, TL_LIT("pid")},
	{TL_F_TID, TL_LIT("tid")},
	{TL_F_TS, TL_LIT("ts")},
	{TL_F_DUR, TL_LIT("dur")},
	{TL_F_ARGS, TL_LIT("args")},
};
#define N_FIELDS (sizeof fields / sizeof *fields)

static void add_labelled(struct tl_chrome *c, struct tl_span value)
{
	struct tl_buf *b = &c->event.b;

	if (!c->label.n || !value.n || value.p[0] == '{' || value.p[0] == '[' || value.p[0] == 'n') {
		tl_buf_span(b, value);
		return;
	}
	tl_buf_ch(b, '"');
	tl_buf_span(b, tl_buf_all(&c->label));
	tl_buf_ch(b, ':');
	tl_buf_span(b, tl_json_inner(value));
	tl_buf_ch(b, '"');
}

static void add_field(struct tl_chrome *c, const struct tl_event *e, size_t i)
{
	struct tl_span value = e->f[fields[i].field];

	tl_put_key(&c->event, fields[i].key.p);
	if (fields[i].field == TL_F_PID)
		add_labelled(c, value);
	else if (fields[i].field != TL_F_TS || !c->shift.n ||
			 !tl_decimal_plus(&c->event.b, value, tl_buf_all(&c->shift)))
		tl_buf_span(&c->event.b, value);
}

/* Bit i: `chrome` holds the source's own value of fields[i]. */
static unsigned overridden(const struct tl_chrome *c, struct tl_span chrome)
{
	struct tl_json it = tl_json_open(chrome);
	struct tl_span key, value;
	unsigned bits = 0;

	while (chrome.n && tl_json_member(&it, &key, &value))
		for (size_t i = 0; i < N_FIELDS; i++)
			if (tl_span_eq(key, fields[i].key) && !(c->moved && fields[i].field == TL_F_TS))
				bits |= 1u << i;
	return bits;
}

static void add_rare(struct tl_chrome *c, struct tl_span chrome)
{
	struct tl_json it = tl_json_open(chrome);
	struct tl_span key, value;

	while (chrome.n && tl_json_member(&it, &key, &value)) {
		if (c->moved && tl_span_eq(key, TL_LIT("ts")))
			continue;
		if (tl_span_eq(key, TL_LIT("cat")) && tl_span_eq(value, TL_LIT("null")))
			continue; /* the source has none */
		if (tl_span_eq(key, TL_LIT("id")) || tl_span_eq(key, TL_LIT("pid"))) {
			tl_put_member(&c->event, key, (struct tl_span){0});
			add_labelled(c, value);
		} else {
			tl_put_member(&c->event, key, value);
		}
	}
}

static void write_event(struct tl_chrome *c, const struct tl_event *e)
{
	unsigned skip = overridden(c, e->f[TL_F_CHROME]);
	struct tl_event more;

	if (c->window && tl_is_replaced(e))
		return;
	if (c->annotate) {
		c->args.n = 0;
		if (tl_annotate_args(e, &c->args)) {
			more = *e;
			more.f[TL_F_ARGS] = tl_buf_all(&c->args);
			e = &more;
		}
	}
	tl_value(&c->event);
	tl_object(&c->event, NULL);
	for (size_t i = 0; i < N_FIELDS; i++) {
		/* a begin event has the length that tl-tree found: its own, if any, stands in chrome */
		bool joined = fields[i].field == TL_F_DUR && e->ph == 'B';
		if (e->f[fields[i].field].n && !(skip >> i & 1) && !joined)
			add_field(c, e, i);
	}
	add_rare(c, e->f[TL_F_CHROME]);
	tl_object_end(&c->event);
	open_array(c);
	tl_out_span(out(c), c->any_event ? TL_LIT(",\n") : TL_LIT("\n"));
	c->any_event = true;
	tl_out_span(out(c), tl_buf_all(&c->event.b));
}

/* ---- records ---- */

static void take_event(struct tl_chrome *c, struct tl_stream *s, const struct tl_record *r)
{
	struct tl_event e;

	if (!tl_event_read(r->line, &e)) {
		tl_stream_bad(s, r);
	} else if (!c->wait && !c->sort && !c->annotate && !c->holding && e.id == c->next) {
		write_event(c, &e);
		c->next++;
	} else {
		c->holding = true;
		tl_held_add(&c->held, s, r, c->sort ? tl_sort_key(&e) : e.id);
	}
}

static void take_meta(struct tl_chrome *c, const struct tl_record *r)
{
	struct tl_span key = tl_json_get(r->line, TL_LIT("key"));
	struct tl_span value = tl_json_get(r->line, TL_LIT("value"));

	if (!tl_json_is_string(key) || !value.n)
		return;
	if (!c->wait && !c->array) {
		write_member(c, key, value);
		return;
	}
	TL_GROW(c->members, c->n_members, c->cap_members);
	c->members[c->n_members++] = (struct member){c->keys.n, key.n, value.n};
	tl_buf_span(&c->keys, key);
	tl_buf_span(&c->keys, value);
}

static bool begin(
	struct tl_chrome *c, struct tl_stream *s, const struct tl_record *r, struct tl_error *e)
{
	struct tl_span head = r->kind == TL_TRACE ? r->line : TL_LIT("{}");

	c->next = 0;
	c->inside = true;
	c->holding = c->moved = false;
	c->label.n = 0;
	c->window = tl_span_has_nocase(tl_json_get(head, TL_LIT("format")), TL_LIT("window"));
	set_text(&c->rank, tl_json_get(head, TL_LIT("rank")));
	set_text(&c->shift, tl_json_get(head, TL_LIT("rebase_us")));
	c->wait = c->merge || (tl_target_by_rank(c->target) && !c->rank.n);
	if (c->wait || c->sort || c->annotate)
		tl_stream_hold(s, true);
	return c->wait || open_document(c, e);
}

static void write_held(struct tl_chrome *c)
{
	struct tl_event e;

	for (size_t i = 0; i < c->held.n; i++)
		if (tl_event_read(tl_held_line(&c->held, i), &e))
			write_event(c, &e);
}

/* ---- merging ---- */

static struct tl_span value_of(const struct tl_chrome *c, struct tl_span key)
{
	for (size_t i = 0; i < c->n_members; i++) {
		const struct member *m = &c->members[i];
		const char *p = c->keys.p + m->at;
		if (tl_span_eq((struct tl_span){p, m->key_n}, key))
			return (struct tl_span){p + m->key_n, m->value_n};
	}
	return (struct tl_span){0};
}

/* Adds (this trace's base - the first one's) to what `ts` is moved by. */
static void move_to_base(struct tl_chrome *c)
{
	struct tl_span base = tl_json_inner(value_of(c, TL_LIT("\"baseTimeNanoseconds\"")));
	int64_t first, own;
	struct tl_buf sum = {0};

	if (c->traces == 0)
		set_text(&c->base, base);
	if (!tl_json_i64(tl_buf_all(&c->base), &first) || !tl_json_i64(base, &own) || first == own)
		return;
	char us[TL_US_MAX];
	size_t n = tl_us_text(us, tl_ns_sub(own, first));
	struct tl_span was = c->shift.n ? tl_buf_all(&c->shift) : TL_LIT("0");
	if (tl_decimal_plus(&sum, was, (struct tl_span){us, n}))
		set_text(&c->shift, tl_buf_all(&sum));
	c->moved = true;
	tl_buf_free(&sum);
}

/* The keys of the first trace come before the events, new ones of later traces behind them. */
static void merge_members(struct tl_chrome *c)
{
	struct tl_buf pair = {0};

	for (size_t i = 0; i < c->n_members; i++) {
		const struct member *m = &c->members[i];
		struct tl_span key = {c->keys.p + m->at, m->key_n};
		struct tl_span value = {key.p + key.n, m->value_n};
		bool known = tl_pool_find(c->seen, key) != TL_POOL_NONE;
		set_text(&pair, key);
		tl_buf_span(&pair, value);
		c->dropped += known && tl_pool_find(c->seen, tl_buf_all(&pair)) == TL_POOL_NONE;
		if (known)
			continue;
		tl_pool_add(c->seen, key);
		tl_pool_add(c->seen, tl_buf_all(&pair));
		if (!c->array) {
			write_member(c, key, value);
			continue;
		}
		tl_buf_lit(&c->late, ",\n");
		tl_buf_span(&c->late, key);
		tl_buf_lit(&c->late, ":");
		tl_buf_span(&c->late, value);
	}
	c->n_members = 0;
	c->keys.n = 0;
	tl_buf_free(&pair);
}

static bool end(
	struct tl_chrome *c, struct tl_stream *s, const struct tl_record *r, struct tl_error *e)
{
	if (!c->rank.n && r->kind == TL_END)
		set_text(&c->rank, tl_json_get(r->line, TL_LIT("rank")));
	if (!open_document(c, e))
		return false;
	if (c->merge) {
		c->label.n = 0;
		tl_target_label(c->target, tl_buf_all(&c->rank), &c->label);
		move_to_base(c);
		merge_members(c);
		open_array(c);
	} else if (c->wait) {
		write_waiting(c);
	}
	if (c->annotate)
		tl_annotate_draw(c->annotate, &c->held, s, r->trace, c->sort);
	write_held(c);
	tl_held_clear(&c->held, s);
	c->traces++;
	c->inside = false;
	if (!c->merge)
		close_document(c);
	return true;
}

bool tl_chrome_take(
	struct tl_chrome *c, struct tl_stream *s, const struct tl_record *r, struct tl_error *e)
{
	if (r->kind == TL_DERIVED && (!c->annotate || !c->inside))
		return true;
	if (!c->inside && !begin(c, s, r, e))
		return false;
	if (r->kind == TL_DERIVED)
		tl_annotate_take(c->annotate, r);
	if (r->kind == TL_META)
		take_meta(c, r);
	if (r->kind == TL_EVENT)
		take_event(c, s, r);
	return (r->kind != TL_END && r->kind != TL_CUT) || end(c, s, r, e);
}

unsigned tl_chrome_close(struct tl_chrome *c)
{
	unsigned dropped = c->dropped;

	if (c->open)
		close_document(c);
	tl_pool_free(c->seen);
	free(c->members);
	tl_held_free(&c->held);
	tl_annotate_free(c->annotate);
	struct tl_buf *bufs[] = {
		&c->late, &c->base, &c->rank, &c->shift, &c->label, &c->keys, &c->args};
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		tl_buf_free(bufs[i]);
	tl_write_free(&c->event);
	free(c);
	return dropped;
}
