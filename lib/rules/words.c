#include "words.h"

enum sort { NONE, DIGIT, SMALL, CAPITAL };

static enum sort sort_of(struct tl_span s, size_t i)
{
	if (i >= s.n)
		return NONE;
	unsigned char c = (unsigned char)s.p[i];
	if (c >= '0' && c <= '9')
		return DIGIT;
	if (c >= 'A' && c <= 'Z')
		return CAPITAL;
	return (c >= 'a' && c <= 'z') || c >= 0x80 ? SMALL : NONE;
}

static bool begins(struct tl_span s, size_t i, enum sort before, enum sort is)
{
	if (before == NONE || (before == DIGIT) != (is == DIGIT))
		return true;
	return is == CAPITAL && (before == SMALL || sort_of(s, i + 1) == SMALL);
}

void tl_words(struct tl_buf *out, struct tl_span name)
{
	enum sort before = NONE;
	tl_buf_ch(out, ' ');
	for (size_t i = 0; i < name.n; i++) {
		enum sort is = sort_of(name, i);
		if (is != NONE) {
			if (before != NONE && begins(name, i, before, is))
				tl_buf_ch(out, ' ');
			tl_buf_ch(out, is == CAPITAL ? (char)(name.p[i] - 'A' + 'a') : name.p[i]);
		} else if (before != NONE) {
			tl_buf_ch(out, ' ');
		}
		before = is;
	}
	if (before != NONE)
		tl_buf_ch(out, ' ');
}

enum { LOOKED_AT = 200 };

/* The first `max` characters. */
static struct tl_span beginning(struct tl_span s, size_t max)
{
	size_t n = 0;
	for (; n < s.n; n++)
		if (((unsigned char)s.p[n] & 0xC0) != 0x80 && max-- == 0)
			break;
	return (struct tl_span){s.p, n};
}

void tl_kernel_words(struct tl_buf *out, struct tl_span name)
{
	tl_words(out, beginning(name, LOOKED_AT));
}

static struct tl_span without_arguments(struct tl_span s)
{
	size_t n = 0;
	while (n < s.n && s.p[n] != '<' && s.p[n] != '(')
		n++;
	return (struct tl_span){s.p, n};
}

static bool ends_with(struct tl_span s, struct tl_span end)
{
	return s.n >= end.n && memcmp(s.p + s.n - end.n, end.p, end.n) == 0;
}

/* The part behind the first separator, up to the next one; empty when there is none. */
static struct tl_span second_part(struct tl_span s, struct tl_span separator)
{
	const char *end = s.p + s.n, *at = memmem(s.p, s.n, separator.p, separator.n);
	if (!at)
		return (struct tl_span){s.p, 0};
	at += separator.n;
	const char *next = memmem(at, (size_t)(end - at), separator.p, separator.n);
	return (struct tl_span){at, (size_t)((next ? next : end) - at)};
}

/* std::enable_if<...>::type f<float>(float *) is called f. */
static struct tl_span called(struct tl_span name)
{
	struct tl_span head = without_arguments(name);
	return ends_with(head, TL_LIT("enable_if"))
			   ? without_arguments(second_part(name, TL_LIT("::type ")))
			   : head;
}

/* The name without "(anonymous namespace)::". */
static void add_named(struct tl_buf *out, struct tl_span name)
{
	static const struct tl_span anonymous = TL_LIT("(anonymous namespace)::");
	const char *p = name.p, *end = name.p + name.n, *at;
	while (p < end && (at = memmem(p, (size_t)(end - p), anonymous.p, anonymous.n))) {
		tl_buf_add(out, p, (size_t)(at - p));
		p = at + anonymous.n;
	}
	if (p < end)
		tl_buf_add(out, p, (size_t)(end - p));
}

void tl_kernel_head(struct tl_buf *out, struct tl_span name)
{
	struct tl_buf named = {0};
	size_t before = out->n;
	add_named(&named, name);
	tl_words(out, beginning(called(tl_buf_all(&named)), LOOKED_AT));
	tl_buf_free(&named);
	if (out->n - before > 1)
		return;
	out->n = before;
	tl_kernel_words(out, name);
}
