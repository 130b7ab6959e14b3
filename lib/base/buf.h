/* Spans and growable buffers: the two ways in which tl holds bytes.
 *
 * A span borrows: pointer and length, never NUL-terminated, valid as long as its owner says.
 * A buffer owns: `p` may move with every call that appends. A zeroed tl_buf is an empty buffer.
 * Out of memory ends the process with exit status 3: no caller can do better. */
#ifndef TL_BASE_BUF_H
#define TL_BASE_BUF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tl_span {
	const char *p;
	size_t n;
};

struct tl_buf {
	char *p;
	size_t n, cap;
};

/* A span of a string literal, and of a C string. */
#define TL_LIT(s) ((struct tl_span){(s), sizeof(s) - 1})
struct tl_span tl_str(const char *s);

static inline bool tl_span_eq(struct tl_span a, struct tl_span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool tl_span_begins(struct tl_span s, struct tl_span with)
{
	return s.n >= with.n && (with.n == 0 || memcmp(s.p, with.p, with.n) == 0);
}

/* Order of the bytes, the shorter first where one is the beginning of the other: <0, 0, >0. */
int tl_span_cmp(struct tl_span a, struct tl_span b);

static inline bool tl_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* In ASCII, whatever the locale. */
static inline bool tl_is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* As strncasecmp, strstr and fnmatch, in ASCII, whatever the locale. */
bool tl_span_eq_nocase(struct tl_span a, struct tl_span b);
bool tl_span_has_nocase(struct tl_span hay, struct tl_span lower_needle);
bool tl_span_ends_nocase(struct tl_span s, struct tl_span lower_suffix);
bool tl_glob(struct tl_span pattern, struct tl_span s); /* '*' and '?' only */

/* malloc, calloc and realloc that do not return when memory is out; n * size is checked. */
void *tl_alloc(size_t n);
void *tl_calloc(size_t n, size_t size);
void *tl_realloc(void *p, size_t n, size_t size);

/* Grows the array `a` (capacity in `cap`, element type from `a`) so that index n exists. */
#define TL_GROW(a, n, cap)                                     \
	do {                                                       \
		if ((size_t)(n) >= (size_t)(cap)) {                    \
			(cap) = (cap) ? (cap)*2 : 64;                      \
			(a) = tl_realloc((a), (size_t)(cap), sizeof *(a)); \
		}                                                      \
	} while (0)

void tl_buf_more(struct tl_buf *b, size_t more); /* room for `more` bytes behind n */
void tl_buf_free(struct tl_buf *b);
void tl_buf_printf(struct tl_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void tl_buf_add(struct tl_buf *b, const void *p, size_t n)
{
	if (b->cap - b->n < n)
		tl_buf_more(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static inline void tl_buf_span(struct tl_buf *b, struct tl_span s)
{
	tl_buf_add(b, s.p, s.n);
}

static inline void tl_buf_ch(struct tl_buf *b, char c)
{
	tl_buf_add(b, &c, 1);
}

#define tl_buf_lit(b, s) tl_buf_add((b), (s), sizeof(s) - 1)

static inline struct tl_span tl_buf_all(const struct tl_buf *b)
{
	return (struct tl_span){b->p, b->n};
}

#endif
