#include "write.h"
#include "cursor.h"
#include "time.h"
#include <math.h>

/* No key (p NULL): an item of a list. */
static void put_key(struct tl_write *w, struct tl_span key)
{
	if (w->b.cap - w->b.n < key.n + 4)
		tl_buf_more(&w->b, key.n + 4);
	char *p = w->b.p + w->b.n;
	if (!w->first)
		*p++ = ',';
	w->first = false;
	if (key.p) {
		*p++ = '"';
		memcpy(p, key.p, key.n);
		p += key.n;
		*p++ = '"';
		*p++ = ':';
	}
	w->b.n = (size_t)(p - w->b.p);
}

void tl_put_key(struct tl_write *w, const char *key)
{
	put_key(w, (struct tl_span){key, key ? strlen(key) : 0});
}

void tl_put_name(struct tl_write *w, struct tl_span plain)
{
	tl_put_key(w, NULL);
	tl_json_quote(&w->b, plain);
	tl_buf_ch(&w->b, ':');
}

static void open(struct tl_write *w, char bracket)
{
	tl_buf_ch(&w->b, bracket);
	w->first = true;
}

static void close(struct tl_write *w, char bracket)
{
	tl_buf_ch(&w->b, bracket);
	w->first = false;
}

void tl_record(struct tl_write *w, const char *type, uint64_t trace)
{
	tl_members(w);
	tl_buf_lit(&w->b, "{\"type\":\"");
	tl_buf_add(&w->b, type, strlen(type));
	tl_buf_lit(&w->b, "\",\"trace\":");
	tl_buf_u64(&w->b, trace);
}

void tl_members(struct tl_write *w)
{
	w->b.n = 0;
	w->first = false;
}

void tl_value(struct tl_write *w)
{
	w->b.n = 0;
	w->first = true;
}

struct tl_span tl_record_end(struct tl_write *w)
{
	if (w->b.n && w->b.p[0] == '{')
		tl_buf_ch(&w->b, '}');
	return tl_buf_all(&w->b);
}

void tl_write_free(struct tl_write *w)
{
	tl_buf_free(&w->b);
}

void tl_put_u64(struct tl_write *w, const char *key, uint64_t v)
{
	tl_put_key(w, key);
	tl_buf_u64(&w->b, v);
}

void tl_put_i64(struct tl_write *w, const char *key, int64_t v)
{
	tl_put_key(w, key);
	tl_buf_i64(&w->b, v);
}

void tl_put_us(struct tl_write *w, const char *key, int64_t ns)
{
	tl_put_key(w, key);
	tl_buf_us(&w->b, ns);
}

void tl_put_num(struct tl_write *w, const char *key, double v, int digits)
{
	if (!isfinite(v))
		return;
	tl_put_key(w, key);
	tl_buf_double(&w->b, v, digits);
}

void tl_put_share(struct tl_write *w, const char *key, int64_t part, int64_t of, double times)
{
	if (of > 0)
		tl_put_num(w, key, times * (double)part / (double)of, 6);
}

void tl_put_flag(struct tl_write *w, const char *key, bool v)
{
	tl_put_json(w, key, v ? TL_LIT("true") : TL_LIT("false"));
}

void tl_put_json(struct tl_write *w, const char *key, struct tl_span json)
{
	if (!json.n)
		return;
	tl_put_key(w, key);
	tl_buf_span(&w->b, json);
}

void tl_put_member(struct tl_write *w, struct tl_span key, struct tl_span json)
{
	put_key(w, key);
	tl_buf_span(&w->b, json);
}

void tl_put_text(struct tl_write *w, const char *key, struct tl_span plain)
{
	if (plain.n)
		tl_put_string(w, key, plain);
}

void tl_put_string(struct tl_write *w, const char *key, struct tl_span plain)
{
	tl_put_key(w, key);
	tl_json_quote(&w->b, plain);
}

void tl_object(struct tl_write *w, const char *key)
{
	tl_put_key(w, key);
	open(w, '{');
}

void tl_object_end(struct tl_write *w)
{
	close(w, '}');
}

void tl_list(struct tl_write *w, const char *key)
{
	tl_put_key(w, key);
	open(w, '[');
}

void tl_list_end(struct tl_write *w)
{
	close(w, ']');
}
