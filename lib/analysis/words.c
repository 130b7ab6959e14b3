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
