/* A record, or any JSON object, written member by member.
 *
 *     tl_record(&w, "launch", trace);                  // {"type":"launch","trace":0
 *     tl_put_json(&w, "device", device);
 *     tl_put_us(&w, "latency_us", ns);
 *     tl_stream_write(s, tl_record_end(&w));
 *
 * What is not known writes nothing: an empty span, a number that is not finite, a share of nothing.
 * Keys are literals that need no escapes; NULL as key makes the value an item of the open list.
 * A zeroed writer is empty (members alone), and owns its buffer; a call costs the bytes that it
 * appends. */
#ifndef TL_JSON_WRITE_H
#define TL_JSON_WRITE_H
#include "../base/base.h"

struct tl_write {
	struct tl_buf b; /* a value may be appended piece by piece, behind tl_put_key */
	bool first;      /* no comma before the next member or item */
};

/* Begins anew: a record; members alone, each with its comma before it (tl_stream_pass_with); one
 * value alone. */
void tl_record(struct tl_write *w, const char *type, uint64_t trace);
void tl_members(struct tl_write *w);
void tl_value(struct tl_write *w);
/* The text, the last brace of a record with it; valid until the writer is used again. */
struct tl_span tl_record_end(struct tl_write *w);
void tl_write_free(struct tl_write *w);

void tl_put_u64(struct tl_write *w, const char *key, uint64_t v);
void tl_put_i64(struct tl_write *w, const char *key, int64_t v);
void tl_put_us(struct tl_write *w, const char *key, int64_t ns);            /* in microseconds */
void tl_put_num(struct tl_write *w, const char *key, double v, int digits); /* significant ones */
/* times * part / of, 6 digits: times 1 for a ratio, 100 for percent. */
void tl_put_share(struct tl_write *w, const char *key, int64_t part, int64_t of, double times);
void tl_put_flag(struct tl_write *w, const char *key, bool v);
void tl_put_json(struct tl_write *w, const char *key, struct tl_span json);    /* as it is */
void tl_put_text(struct tl_write *w, const char *key, struct tl_span plain);   /* quoted here */
void tl_put_string(struct tl_write *w, const char *key, struct tl_span plain); /* "" too */
void tl_put_key(struct tl_write *w, const char *key); /* the caller appends the value to b */

/* A key that is any text, quoted here; the caller appends the value to b. */
void tl_put_name(struct tl_write *w, struct tl_span plain);

/* A member of another object: its key without quotes, as it stands there. */
void tl_put_member(struct tl_write *w, struct tl_span key, struct tl_span json);

/* Objects and lists within: what is put between the two calls is theirs. */
void tl_object(struct tl_write *w, const char *key);
void tl_object_end(struct tl_write *w);
void tl_list(struct tl_write *w, const char *key);
void tl_list_end(struct tl_write *w);

#endif
