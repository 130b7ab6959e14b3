/* Canonical names (tl-records.5): how records spell kernels, operators, Python scopes and paths, so
 * that two runs of one program agree. Texts are UTF-8, not JSON: unescape first. All functions
 * append to `out` and cost time linear in the text; none can fail. */
#ifndef TL_RULES_NAMES_H
#define TL_RULES_NAMES_H
#include "../base/base.h"

/* White space stripped at both ends; every run inside is one space where ASCII white space occurs.
 */
void tl_name_plain(struct tl_buf *out, struct tl_span text);

/* A kernel: plain, addresses become 0xADDR, and `void f<T>(int, char *)` loses its arguments. */
void tl_name_kernel(struct tl_buf *out, struct tl_span text);

/* At most `max` code points (max >= 3): a longer text ends in "...". Operators have 100. */
#define TL_NAME_OP 100
void tl_name_short(struct tl_buf *out, struct tl_span text, size_t max);

/* For comparing loosely: ASCII letters, in lower case, and digits; nothing else. */
void tl_name_match(struct tl_buf *out, struct tl_span text);

/* What paths are made relative to. `from` (lower case, ends in '/') is replaced, with all that
 * stands before it, by `to`; the first root of the list that occurs decides. */
struct tl_root {
	struct tl_span from, to;
};

struct tl_roots {
	struct tl_root *v;
	size_t n;
	bool packages;   /* first cut behind the last site-packages/, dist-packages/, lib/pythonX.Y/ */
	bool components; /* a root begins where a component of the path does, not inside a word */
};

/* A path of a source file, with '/' and without a leading one. Applying it twice changes nothing.
 */
void tl_name_path(struct tl_buf *out, struct tl_span path, const struct tl_roots *roots);

/* A Python scope: `path(line): function` with the path as above; any other text as plain text. */
void tl_name_scope(struct tl_buf *out, struct tl_span text, const struct tl_roots *roots);

/* Takes `path(line): function` apart; false (and nothing written) when it is no such text. */
struct tl_site {
	struct tl_span path, line, func;
};
bool tl_name_site(struct tl_span scope, struct tl_site *site);

#endif
