/* The JSON scanner for foreign input: checks, repairs and minifies in one pass, without recursion.
 *
 * It reads from a window of raw bytes that ends in at least TL_SCAN_PAD zero bytes and writes to a
 * buffer that must have room for TL_SCAN_GROWTH times the window. What needs no guess is repaired
 * (records.md: bad_escape, control_char, bad_utf8, lone_surrogate, bad_number) and counted. */
#ifndef TL_JSON_SCAN_H
#define TL_JSON_SCAN_H
#include "../base/base.h"

#define TL_SCAN_PAD 16
#define TL_SCAN_GROWTH 6 /* a raw control byte becomes \u0001 */

enum tl_scan_result {
	TL_SCAN_OK,
	TL_SCAN_MORE, /* the window ends inside the value */
	TL_SCAN_BAD,  /* not JSON at p */
};

enum tl_repair {
	TL_BAD_ESCAPE,
	TL_CONTROL_CHAR,
	TL_BAD_UTF8,
	TL_LONE_SURROGATE,
	TL_BAD_NUMBER,
	TL_REPAIRS
};

struct tl_scan {
	const char *p, *end; /* unread raw bytes; `end` is where the padding starts */
	bool final;          /* no more bytes will follow `end` */
	char *o;             /* where minified text goes */
	const char *why;     /* for TL_SCAN_BAD: "expected ':'" ... */
	unsigned repairs;    /* since the caller last set it to 0 */
	struct {
		uint32_t count;
		const char *first; /* raw byte of the first one */
	} repair[TL_REPAIRS];
	bool trailing_comma; /* one was met before a closing bracket (a form that is let pass) */
	uint64_t *stack;     /* open brackets, one bit each; owned, freed by tl_scan_free */
	size_t stack_cap;
};

/* Copies the value at p, white space before it skipped. */
enum tl_scan_result tl_scan_value(struct tl_scan *s);

/* Copies the string at p (at its quote), quotes included. */
enum tl_scan_result tl_scan_string(struct tl_scan *s);

/* Copies the next member of an object as "key":value. p stands behind '{' (first) or behind a
 * value. `key` is the text between the quotes, `val` the value, both in the output; at the closing
 * brace, which is consumed and not copied, *more is false. A comma before the brace is let pass. */
enum tl_scan_result tl_scan_member(
	struct tl_scan *s, bool first, struct tl_span *key, struct tl_span *val, bool *more);

/* As tl_scan_member, up to and with the colon: the value is not touched. */
enum tl_scan_result tl_scan_key(struct tl_scan *s, bool first, struct tl_span *key, bool *more);

static inline void tl_scan_blank(struct tl_scan *s)
{
	const char *p = s->p;
	while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
		p++;
	s->p = p;
}

void tl_scan_free(struct tl_scan *s);

#endif
