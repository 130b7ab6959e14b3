#include "buf.h"
#include "msg.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void out_of_memory(void)
{
	tl_die(TL_FAILED, "out of memory");
}

void *tl_alloc(size_t n)
{
	void *p = malloc(n ? n : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *tl_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *tl_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || !(p = realloc(p, bytes ? bytes : 1)))
		out_of_memory();
	return p;
}

struct tl_span tl_str(const char *s)
{
	return (struct tl_span){s, s ? strlen(s) : 0};
}

int tl_span_cmp(struct tl_span a, struct tl_span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

bool tl_span_eq_nocase(struct tl_span a, struct tl_span b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

bool tl_span_has_nocase(struct tl_span hay, struct tl_span needle)
{
	unsigned char first = needle.n ? lower(needle.p[0]) : 0;
	for (size_t i = 0; i + needle.n <= hay.n; i++)
		if ((needle.n == 0 || lower(hay.p[i]) == first) &&
			tl_span_eq_nocase((struct tl_span){hay.p + i, needle.n}, needle))
			return true;
	return false;
}

bool tl_span_ends_nocase(struct tl_span s, struct tl_span suffix)
{
	return s.n >= suffix.n &&
		   tl_span_eq_nocase((struct tl_span){s.p + s.n - suffix.n, suffix.n}, suffix);
}

bool tl_glob(struct tl_span pat, struct tl_span s)
{
	size_t p = 0, i = 0, star = SIZE_MAX, mark = 0;
	while (i < s.n) {
		if (p < pat.n && pat.p[p] == '*') {
			star = p++;
			mark = i;
		} else if (p < pat.n && (pat.p[p] == '?' || pat.p[p] == s.p[i])) {
			p++;
			i++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			i = ++mark;
		} else {
			return false;
		}
	}
	while (p < pat.n && pat.p[p] == '*')
		p++;
	return p == pat.n;
}

void tl_buf_more(struct tl_buf *b, size_t more)
{
	size_t need, cap = b->cap ? b->cap : 256;
	if (__builtin_add_overflow(b->n, more, &need))
		out_of_memory();
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	if (cap != b->cap) {
		b->p = tl_realloc(b->p, cap, 1);
		b->cap = cap;
	}
}

void tl_buf_free(struct tl_buf *b)
{
	free(b->p);
	*b = (struct tl_buf){0};
}

void tl_buf_printf(struct tl_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	tl_buf_more(b, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}
