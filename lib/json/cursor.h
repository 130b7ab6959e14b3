/* JSON in records: a cursor that works in place on one line that holds valid JSON.
 *
 * Values are spans of their own text (a string keeps its quotes). No recursion, no allocation.
 *
 *     struct tl_json it = tl_json_open(line);           // at '{' or '['
 *     struct tl_span key, val;
 *     while (tl_json_member(&it, &key, &val)) ...       // key without quotes, as written
 *     if (it.bad) ...                                   // not JSON at it.p
 */
#ifndef TL_JSON_CURSOR_H
#define TL_JSON_CURSOR_H
#include "../base/base.h"

struct tl_json {
	const char *p, *end;
	bool started, bad;
};

/* A cursor before the first member or element of `object_or_array`. */
struct tl_json tl_json_open(struct tl_span object_or_array);
bool tl_json_member(struct tl_json *it, struct tl_span *key, struct tl_span *val);
bool tl_json_element(struct tl_json *it, struct tl_span *val);

/* The end of the value that starts at p, or NULL when there is none before `end`. Brackets are
 * matched by count alone: use it on text known to be JSON. */
const char *tl_json_skip(const char *p, const char *end);

/* The first member named `key` of an object; an empty span when absent or no object. */
struct tl_span tl_json_get(struct tl_span object, struct tl_span key);

static inline bool tl_json_is_string(struct tl_span v)
{
	return v.n >= 2 && v.p[0] == '"';
}

/* The text between the quotes, escapes as written; the value itself when it is no string. */
static inline struct tl_span tl_json_inner(struct tl_span v)
{
	return tl_json_is_string(v) ? (struct tl_span){v.p + 1, v.n - 2} : v;
}

/* The same value without white space between its tokens, as records hold it: `v` itself when it has
 * none, else the text appended to `out`. `v` must be valid. */
struct tl_span tl_json_compact(struct tl_span v, struct tl_buf *out);

/* Appends the text of a string value, unescaped to UTF-8 (a lone surrogate gives U+FFFD). */
void tl_json_text(struct tl_span string_value, struct tl_buf *out);

/* Appends `text` (UTF-8; bad bytes become U+FFFD) as a JSON string with its quotes. */
void tl_json_quote(struct tl_buf *out, struct tl_span text);

/* Whole numbers: true and the value when the span is one that fits (a string of digits counts too
 * when `text_too`). Never goes through double: ids keep all 64 bits. */
bool tl_json_u64(struct tl_span v, uint64_t *out);
bool tl_json_i64(struct tl_span v, int64_t *out);
bool tl_json_double(struct tl_span v, double *out);

/* The whole number that a member of an object is; 0 when it is absent or none. */
uint64_t tl_json_count(struct tl_span object, struct tl_span key);

#endif
