#include "names.h"

static bool is_ascii_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Length of the white space character that stands at p; 0 when there is none. */
static size_t space_at(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t n = (size_t)(end - p);
	if (n == 0)
		return 0;
	if (is_ascii_space(u[0]) || (u[0] >= 0x1c && u[0] <= 0x1f))
		return 1;
	if (n >= 2 && u[0] == 0xc2 && (u[1] == 0x85 || u[1] == 0xa0))
		return 2;
	if (n < 3 || u[0] < 0xe1 || u[0] > 0xe3)
		return 0;
	unsigned c = (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
	return c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
				   c == 0x202f || c == 0x205f || c == 0x3000
			   ? 3
			   : 0;
}

static struct tl_span strip(struct tl_span s)
{
	const char *p = s.p, *end = s.p + s.n;
	size_t n;
	while ((n = space_at(p, end)) > 0)
		p += n;
	for (;;) {
		for (n = 1; n <= 3 && n <= (size_t)(end - p); n++)
			if (space_at(end - n, end) == n)
				break;
		if (n > 3 || n > (size_t)(end - p))
			return (struct tl_span){p, (size_t)(end - p)};
		end -= n;
	}
}

void tl_name_plain(struct tl_buf *out, struct tl_span text)
{
	struct tl_span s = strip(text);
	const char *p = s.p, *end = s.p + s.n;
	while (p < end && !is_ascii_space((unsigned char)*p))
		p++;
	if (p == end) {
		tl_buf_span(out, s);
		return;
	}
	for (p = s.p; p < end;) {
		size_t n = space_at(p, end);
		if (n == 0) {
			tl_buf_ch(out, *p++);
			continue;
		}
		tl_buf_ch(out, ' ');
		for (; n > 0; n = space_at(p, end))
			p += n;
	}
}

static bool is_hex(char c)
{
	c = lower(c);
	return tl_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Replaces addresses in out[from...]; what is written never outruns what is read by more than the
 * length of the replacement, hence the copy. */
static void hide_addresses(struct tl_buf *out, size_t from)
{
	struct tl_buf r = {0};
	size_t i = from;
	while (i < out->n) {
		const char *p = out->p + i;
		size_t left = out->n - i;
		if (left < 3 || p[0] != '0' || p[1] != 'x' || !is_hex(p[2])) {
			tl_buf_ch(&r, *p);
			i++;
			continue;
		}
		tl_buf_lit(&r, "0xADDR");
		for (i += 2; i < out->n && is_hex(out->p[i]); i++)
			;
	}
	out->n = from;
	tl_buf_span(out, tl_buf_all(&r));
	tl_buf_free(&r);
}

static bool has_address(const char *p, size_t n)
{
	return memmem(p, n, "0x", 2) != NULL;
}

static void plain_without_addresses(struct tl_buf *out, struct tl_span text)
{
	size_t from = out->n;
	tl_name_plain(out, text);
	if (out->n > from && has_address(out->p + from, out->n - from))
		hide_addresses(out, from);
}

/* Where the parenthesis opens that the last character of s closes; s.n when it does not balance. */
static size_t open_of_last(struct tl_span s)
{
	size_t depth = 0;
	for (size_t i = s.n; i-- > 0;) {
		if (s.p[i] == ')')
			depth++;
		else if (s.p[i] == '(' && --depth == 0)
			return i;
	}
	return s.n;
}

void tl_name_kernel(struct tl_buf *out, struct tl_span text)
{
	size_t from = out->n;
	plain_without_addresses(out, text);
	struct tl_span s = {out->p + from, out->n - from};
	if (s.n > 5 && memcmp(s.p, "void ", 5) == 0 && s.p[s.n - 1] == ')')
		out->n = from + open_of_last(s);
}

void tl_name_short(struct tl_buf *out, struct tl_span text, size_t max)
{
	size_t from = out->n, points = 0, cut = 0;
	tl_name_plain(out, text);
	for (size_t i = from; i < out->n; i++) {
		if ((out->p[i] & 0xc0) == 0x80)
			continue;
		if (points == max - 3)
			cut = i;
		points++;
	}
	if (points <= max)
		return;
	out->n = cut;
	tl_buf_lit(out, "...");
}

void tl_name_match(struct tl_buf *out, struct tl_span text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = lower(text.p[i]);
		if (tl_is_digit(c) || (c >= 'a' && c <= 'z'))
			tl_buf_ch(out, c);
	}
}

static bool begins(const char *p, const char *end, struct tl_span lower_text)
{
	if ((size_t)(end - p) < lower_text.n)
		return false;
	for (size_t i = 0; i < lower_text.n; i++)
		if (lower(p[i]) != lower_text.p[i])
			return false;
	return true;
}

/* The first place of root `r` in s; NULL when it has none. */
static const char *find_root(struct tl_span s, struct tl_span root, bool components)
{
	const char *end = s.p + s.n;
	for (const char *p = s.p; p < end; p++)
		if ((!components || p == s.p || p[-1] == '/') && begins(p, end, root))
			return p;
	return NULL;
}

/* Length of a component "python3", "python3.12" with its slash; 0 when it is another. */
static size_t python_component(const char *p, const char *end)
{
	if (!begins(p, end, TL_LIT("python")) || end - p < 7 || !tl_is_digit(p[6]))
		return 0;
	const char *q = p + 6;
	while (q < end && (tl_is_digit(*q) || *q == '.'))
		q++;
	return q < end && *q == '/' ? (size_t)(q + 1 - p) : 0;
}

/* Length of what a package directory is called at the component p; 0 when it is none. */
static size_t packages_at(const char *p, const char *end)
{
	if (begins(p, end, TL_LIT("site-packages/")) || begins(p, end, TL_LIT("dist-packages/")))
		return 14;
	if (!begins(p, end, TL_LIT("lib/")))
		return 0;
	size_t n = python_component(p + 4, end);
	return n ? 4 + n : 0;
}

static struct tl_span behind_packages(struct tl_span s)
{
	const char *end = s.p + s.n, *rest = s.p;
	for (const char *p = s.p; p < end; p++) {
		size_t n = p == s.p || p[-1] == '/' ? packages_at(p, end) : 0;
		if (n)
			rest = p + n;
	}
	return (struct tl_span){rest, (size_t)(end - rest)};
}

static struct tl_span without_slash(struct tl_span s)
{
	while (s.n && s.p[0] == '/')
		s.p++, s.n--;
	return s;
}

/* The end of a path: its root is `to`, and the rest is what stands behind `from`. */
static void rooted(struct tl_buf *out, struct tl_span s, const struct tl_roots *roots)
{
	for (size_t i = 0; i < roots->n; i++) {
		const char *p = find_root(s, roots->v[i].from, roots->components);
		if (!p)
			continue;
		p += roots->v[i].from.n;
		tl_buf_span(out, roots->v[i].to);
		tl_buf_span(out, without_slash((struct tl_span){p, (size_t)(s.p + s.n - p)}));
		return;
	}
	tl_buf_span(out, without_slash(s));
}

void tl_name_path(struct tl_buf *out, struct tl_span path, const struct tl_roots *roots)
{
	struct tl_buf plain = {0};
	tl_name_plain(&plain, path);
	for (size_t i = 0; i < plain.n; i++)
		if (plain.p[i] == '\\')
			plain.p[i] = '/';
	struct tl_span s = tl_buf_all(&plain);
	rooted(out, roots->packages ? behind_packages(s) : s, roots);
	tl_buf_free(&plain);
}

bool tl_name_site(struct tl_span scope, struct tl_site *site)
{
	const char *end = scope.p + scope.n;
	for (const char *p = scope.p + (scope.n > 0); p < end; p++) {
		const char *q = p + 1;
		if (*p != '(')
			continue;
		while (q < end && tl_is_digit(*q))
			q++;
		if (q == p + 1 || end - q < 4 || memcmp(q, "): ", 3) != 0)
			continue;
		site->path = (struct tl_span){scope.p, (size_t)(p - scope.p)};
		site->line = (struct tl_span){p + 1, (size_t)(q - p - 1)};
		site->func = (struct tl_span){q + 3, (size_t)(end - q - 3)};
		return true;
	}
	return false;
}

void tl_name_scope(struct tl_buf *out, struct tl_span text, const struct tl_roots *roots)
{
	struct tl_buf plain = {0};
	struct tl_site site;
	plain_without_addresses(&plain, text);
	if (tl_name_site(tl_buf_all(&plain), &site)) {
		tl_name_path(out, site.path, roots);
		tl_buf_ch(out, '(');
		tl_buf_span(out, site.line);
		tl_buf_lit(out, "): ");
		tl_buf_span(out, site.func);
	} else {
		tl_buf_span(out, tl_buf_all(&plain));
	}
	tl_buf_free(&plain);
}
