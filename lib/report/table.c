#include "table.h"
#include "../json/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MD_MAX 100                            /* characters of a cell in Markdown */
#define CELL_MAX 60                           /* and in a table whose width is free */
#define CELL_MIN 16                           /* what a terminal's width may leave of it */
#define GAP 2                                 /* blanks between two columns of a table */
static const char mark[] = "\xE2\x80\xA6";    /* … */
static const char em_dash[] = "\xE2\x80\x94"; /* — */

/* A text of `text`, by place since that buffer moves; `chars` counts code points. */
struct cell {
	size_t at, n, chars;
	bool null, text; /* text: no figure */
};

struct column {
	struct cell name;
	int num;      /* digits after the point; -1: text */
	bool wrap;    /* words of our own: they go on in a further line, and are not cut */
	size_t width; /* of a table */
};

struct table {
	struct column *cols;
	struct cell *cells; /* by row, ncols each */
	size_t ncols, nrows, cap_cols, cap_cells;
	struct tl_buf text;
};

static struct tl_span text_of(const struct table *t, const struct cell *c)
{
	return (struct tl_span){t->text.p + c->at, c->n};
}

static bool starts_char(char c)
{
	return ((unsigned char)c & 0xC0) != 0x80;
}

static size_t count_chars(struct tl_span s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += starts_char(s.p[i]);
	return n;
}

/* What is seen of no text, but steers a terminal or turns what stands around it: C0, DEL and C1,
 * zero width, bidirectional marks, line and paragraph separators. Its bytes; 0: none of these. */
static size_t unseen(struct tl_span s, size_t i)
{
	const unsigned char *p = (const unsigned char *)s.p + i;
	if (p[0] < 32 || p[0] == 127)
		return 1;
	if (p[0] == 0xC2 && i + 1 < s.n && p[1] < 0xA0)
		return 2;
	if (i + 2 >= s.n)
		return 0;
	unsigned u = (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u);
	bool general = p[0] == 0xE2 && ((u >= 0x200B && u <= 0x200F) || (u >= 0x2028 && u <= 0x202E) ||
									   (u >= 0x2060 && u <= 0x2069));
	return general || (p[0] == 0xEF && u == 0xFEFF) ? 3 : 0;
}

/* White space becomes a blank (of `lines`, line ends and tabs stay), what is not seen U+FFFD: what
 * a trace calls a kernel must not steer a terminal. */
static void printable(struct tl_buf *b, size_t from, bool lines)
{
	static const char sign[] = "\xEF\xBF\xBD";
	struct tl_buf clean = {0};
	struct tl_span s = {b->p, b->n};

	for (size_t i = from; i < s.n; i++) {
		size_t n = unseen(s, i);
		if (s.p[i] == '\n' || s.p[i] == '\t' || s.p[i] == '\r')
			tl_buf_ch(&clean, lines ? s.p[i] : ' ');
		else if (n)
			tl_buf_lit(&clean, sign);
		else
			tl_buf_ch(&clean, s.p[i]);
		i += n > 1 ? n - 1 : 0;
	}
	b->n = from;
	tl_buf_span(b, tl_buf_all(&clean));
	tl_buf_free(&clean);
}

/* ---- reading a block ---- */

/* A number whose digits nobody asked for: the fewest that tell it from its neighbours. jq 1.7 would
 * hand on "2.0" or "1E-7" as they were typed, jq 1.6 does not. */
static void plain_number(struct tl_buf *b, struct tl_span value)
{
	size_t at = b->n;
	double v, again;

	if (!memchr(value.p, '.', value.n) && !memchr(value.p, 'e', value.n) &&
		!memchr(value.p, 'E', value.n)) {
		tl_buf_span(b, value);
		return;
	}
	if (!tl_json_double(value, &v))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		b->n = at;
		tl_buf_double(b, v, digits);
		if (tl_json_double((struct tl_span){b->p + at, b->n - at}, &again) && again == v)
			return;
	}
}

/* Digits by hand where it matters: no "-0.00", and nothing that is not finite. */
static bool number_text(struct tl_buf *b, struct tl_span value, int num)
{
	char text[400];
	double v;

	if (num < 0) {
		plain_number(b, value);
		return true;
	}
	if (!tl_json_double(value, &v) || fabs(v) > 1e300)
		return false;
	int n = snprintf(text, sizeof text, "%.*f", num, v);
	bool zero = strspn(text, "-0.") == (size_t)n;
	tl_buf_add(b, text + (zero && text[0] == '-'), (size_t)n - (zero && text[0] == '-'));
	return true;
}

static struct cell read_cell(struct table *t, struct tl_span value, int num)
{
	struct cell c = {.at = t->text.n};
	char first = value.n ? value.p[0] : 'n';

	c.text = tl_json_is_string(value);
	if (c.text)
		tl_json_text(value, &t->text);
	else if (first == '-' || (first >= '0' && first <= '9'))
		c.null = !number_text(&t->text, value, num);
	else if (first == 'n')
		c.null = true;
	else
		tl_buf_span(&t->text, value);
	printable(&t->text, c.at, true);
	c.n = t->text.n - c.at;
	c.chars = count_chars(text_of(t, &c));
	return c;
}

static bool read_column(struct table *t, struct tl_span spec)
{
	struct tl_span name = tl_json_get(spec, TL_LIT("name"));
	struct tl_span digits = tl_json_get(spec, TL_LIT("num"));
	uint64_t num = 0;

	if (!tl_json_is_string(name) || (digits.n && (!tl_json_u64(digits, &num) || num > 15)))
		return false;
	TL_GROW(t->cols, t->ncols, t->cap_cols);
	t->cols[t->ncols++] = (struct column){.name = read_cell(t, name, -1),
		.num = digits.n ? (int)num : -1,
		.wrap = tl_span_eq(tl_json_get(spec, TL_LIT("wrap")), TL_LIT("true"))};
	return true;
}

static bool read_row(struct table *t, struct tl_span row)
{
	struct tl_json it = tl_json_open(row);
	struct tl_span value;
	size_t i = 0;

	if (!row.n || row.p[0] != '[')
		return false;
	for (; i < t->ncols && tl_json_element(&it, &value); i++) {
		TL_GROW(t->cells, t->nrows * t->ncols + i, t->cap_cells);
		t->cells[t->nrows * t->ncols + i] = read_cell(t, value, t->cols[i].num);
	}
	if (i < t->ncols || tl_json_element(&it, &value))
		return false;
	t->nrows++;
	return true;
}

static bool read_table(struct table *t, struct tl_span block, struct tl_error *e)
{
	struct tl_span columns = tl_json_get(block, TL_LIT("columns"));
	struct tl_span rows = tl_json_get(block, TL_LIT("rows")), value;
	struct tl_json it;

	if (!columns.n || columns.p[0] != '[' || !rows.n || rows.p[0] != '[') {
		tl_fail(e, 0, "neither text, nor a heading, nor a table with columns and rows");
		return false;
	}
	for (it = tl_json_open(columns); tl_json_element(&it, &value);)
		if (!read_column(t, value)) {
			tl_fail(e, 0, "column %zu: needs a name, and digits from 0 to 15 if any", t->ncols + 1);
			return false;
		}
	for (it = tl_json_open(rows); tl_json_element(&it, &value);)
		if (!read_row(t, value)) {
			tl_fail(e, 0, "row %zu: is no array of %zu cells", t->nrows + 1, t->ncols);
			return false;
		}
	if (!t->ncols)
		tl_fail(e, 0, "a table without columns");
	return t->ncols > 0;
}

/* ---- cells ---- */

static size_t skip_chars(struct tl_span s, size_t at, size_t chars)
{
	for (; at < s.n && chars; chars--)
		for (at++; at < s.n && !starts_char(s.p[at]);)
			at++;
	return at;
}

/* At most `max` characters: two thirds of them from the head, the others from the tail. */
static void shorten(struct tl_buf *out, struct tl_span s, size_t chars, size_t max)
{
	size_t tail = (max - 1) / 3, head = max - 1 - tail;

	if (chars <= max) {
		tl_buf_span(out, s);
		return;
	}
	size_t cut = skip_chars(s, 0, head), rest = skip_chars(s, cut, chars - head - tail);
	tl_buf_add(out, s.p, cut);
	tl_buf_lit(out, mark);
	tl_buf_add(out, s.p + rest, s.n - rest);
}

/* ---- Markdown ---- */

static bool alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c & 0x80);
}

/* Whether the run of `_` at i can open or close emphasis: not inside a word. */
static bool flanks(struct tl_span s, size_t i)
{
	size_t from = i, to = i + 1;

	while (from > 0 && s.p[from - 1] == '_')
		from--;
	while (to < s.n && s.p[to] == '_')
		to++;
	return from == 0 || to == s.n || !alnum(s.p[from - 1]) || !alnum(s.p[to]);
}

static size_t count_of(struct tl_span s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c && (c != '_' || flanks(s, i));
	return n;
}

/* What Markdown would read as markup, and names would lose by it: `<float>` and `<c10::Half>` are a
 * tag and a link, two `*` an emphasis. A lone one is left as it is, since people read the source.
 */
static bool is_markup(struct tl_span s, size_t i, const bool pairs[3])
{
	char c = s.p[i], next = i + 1 < s.n ? s.p[i + 1] : ' ';

	switch (c) {
	case '|':
	case '\\':
	case '`':
		return true;
	case '<':
		return alnum(next) || next == '/' || next == '!' || next == '?';
	case '&':
		return alnum(next) || next == '#';
	case ']':
		return next == '(' || next == '[';
	case '*':
		return pairs[0];
	case '~':
		return pairs[1];
	case '_':
		return pairs[2] && flanks(s, i);
	}
	return false;
}

static void md_text(struct tl_buf *out, struct tl_span s)
{
	const bool pairs[3] = {count_of(s, '*') > 1, count_of(s, '~') > 1, count_of(s, '_') > 1};

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\r' && i + 1 < s.n && s.p[i + 1] == '\n')
			continue;
		if (s.p[i] == '\n' || s.p[i] == '\r') {
			tl_buf_lit(out, "<br>");
			continue;
		}
		if (is_markup(s, i, pairs))
			tl_buf_ch(out, '\\');
		tl_buf_ch(out, s.p[i] == '\t' ? ' ' : s.p[i]);
	}
}

/* Escapes what stands in `b` from `from` on. */
static void md_again(struct tl_buf *b, size_t from)
{
	struct tl_buf plain = {0};

	tl_buf_add(&plain, b->p + from, b->n - from);
	b->n = from;
	md_text(b, tl_buf_all(&plain));
	tl_buf_free(&plain);
}

static void md_cell(
	struct tl_buf *line, const struct table *t, const struct column *k, const struct cell *c)
{
	struct tl_buf cut = {0};

	tl_buf_lit(line, " ");
	if (c->null)
		tl_buf_lit(line, em_dash);
	shorten(&cut, text_of(t, c), c->chars, k->wrap ? c->chars + 1 : MD_MAX);
	md_text(line, tl_buf_all(&cut));
	tl_buf_lit(line, " |");
	tl_buf_free(&cut);
}

static void write_md(struct tl_report_page *p, const struct table *t)
{
	struct tl_buf line = {0};

	tl_buf_lit(&line, "|");
	for (size_t i = 0; i < t->ncols; i++)
		md_cell(&line, t, &t->cols[i], &t->cols[i].name);
	tl_buf_lit(&line, "\n|");
	for (size_t i = 0; i < t->ncols; i++)
		tl_buf_span(&line, t->cols[i].num < 0 ? TL_LIT(" --- |") : TL_LIT(" ---: |"));
	tl_buf_lit(&line, "\n");
	for (size_t r = 0; r < t->nrows; r++) {
		tl_buf_lit(&line, "|");
		for (size_t i = 0; i < t->ncols; i++)
			md_cell(&line, t, &t->cols[i], &t->cells[r * t->ncols + i]);
		tl_buf_lit(&line, "\n");
		tl_out_span(p->out, tl_buf_all(&line));
		line.n = 0;
	}
	tl_out_span(p->out, tl_buf_all(&line));
	tl_buf_free(&line);
}

/* ---- terminal ---- */

static size_t widest(const struct table *t, size_t col)
{
	size_t w = t->cols[col].name.chars;

	for (size_t r = 0; r < t->nrows; r++) {
		const struct cell *c = &t->cells[r * t->ncols + col];
		size_t n = c->null ? 1 : c->chars;
		w = n > w ? n : w;
	}
	return w;
}

/* Text columns give way, the widest first, until the table fits the terminal. Figures never do. */
static void fit(struct table *t, unsigned width)
{
	size_t total = 0;

	for (size_t i = 0; i < t->ncols; i++) {
		size_t w = widest(t, i);
		t->cols[i].width = w > CELL_MAX && !width && t->cols[i].num < 0 ? CELL_MAX : w;
		total += t->cols[i].width + (i ? GAP : 0);
	}
	while (width && total > width) {
		struct column *wide = NULL;
		size_t next = CELL_MIN;
		for (size_t i = 0; i < t->ncols; i++)
			if (t->cols[i].num < 0 && t->cols[i].width > (wide ? wide->width : CELL_MIN))
				wide = &t->cols[i];
		if (!wide)
			return;
		for (size_t i = 0; i < t->ncols; i++)
			if (t->cols[i].num < 0 && t->cols[i].width < wide->width && t->cols[i].width > next)
				next = t->cols[i].width;
		size_t cut = total - width < wide->width - next ? total - width : wide->width - next;
		wide->width -= cut;
		total -= cut;
	}
}

/* The bytes of the first line of a text whose lines have at most `width` characters: whole words,
 * or as much of a word that is longer. */
static size_t first_line(struct tl_span s, size_t width)
{
	size_t end = skip_chars(s, 0, width), i = end;
	while (end < s.n && i > 0 && s.p[i] != ' ')
		i--;
	return end < s.n && i > 0 ? i : end;
}

/* The rest of a text behind its first `n` bytes and the blanks there. */
static struct tl_span behind_line(struct tl_span s, size_t n)
{
	while (n < s.n && s.p[n] == ' ')
		n++;
	return (struct tl_span){s.p + n, s.n - n};
}

static void table_cell(struct tl_buf *line, const struct table *t, size_t col, const struct cell *c)
{
	const struct column *k = &t->cols[col];
	size_t shown = c->null ? 1 : c->chars < k->width ? c->chars : k->width;

	for (size_t i = shown; k->num >= 0 && i < k->width; i++)
		tl_buf_ch(line, ' ');
	if (c->null) {
		tl_buf_lit(line, em_dash);
	} else {
		size_t from = line->n;
		shorten(line, text_of(t, c), c->chars, k->width);
		printable(line, from, false);
	}
	for (size_t i = shown; k->num < 0 && i < k->width && col + 1 < t->ncols; i++)
		tl_buf_ch(line, ' ');
	for (int i = 0; i < GAP && col + 1 < t->ncols; i++)
		tl_buf_ch(line, ' ');
}

static void bold(const struct tl_report_page *p, struct tl_buf *line, bool on)
{
	if (p->colour)
		tl_buf_span(line, on ? TL_LIT("\033[1m") : TL_LIT("\033[0m"));
}

static void table_head(const struct tl_report_page *p, struct tl_buf *line, const struct table *t)
{
	bold(p, line, true);
	for (size_t i = 0; i < t->ncols; i++)
		table_cell(line, t, i, &t->cols[i].name);
	bold(p, line, false);
	tl_buf_lit(line, "\n");
	for (size_t i = 0; i < t->ncols; i++) {
		for (size_t k = 0; k < t->cols[i].width; k++)
			tl_buf_ch(line, '-');
		tl_buf_span(line, i + 1 < t->ncols ? TL_LIT("  ") : TL_LIT("\n"));
	}
}

/* The k-th line of a cell; `more`: it has further ones. Behind its last one it is empty. */
static struct cell line_of(const struct table *t, size_t col, struct cell c, size_t k, bool *more)
{
	const struct column *column = &t->cols[col];
	struct tl_span s = text_of(t, &c);
	size_t n = s.n;
	if (column->wrap && !c.null) {
		n = first_line(s, column->width);
		for (; k > 0; k--) {
			s = behind_line(s, n);
			n = first_line(s, column->width);
		}
		*more = *more || behind_line(s, n).n > 0;
	} else if (k > 0) {
		n = s.n = 0;
		c.null = false;
	}
	c.at = (size_t)(s.p - t->text.p);
	c.n = n;
	c.chars = count_chars((struct tl_span){s.p, n});
	return c;
}

/* The k-th line of a row. Returns whether there are more. */
static bool table_row(struct tl_buf *line, const struct table *t, size_t row, size_t k)
{
	bool more = false;
	for (size_t i = 0; i < t->ncols; i++) {
		struct cell c = line_of(t, i, t->cells[row * t->ncols + i], k, &more);
		table_cell(line, t, i, &c);
	}
	while (k > 0 && line->n && line->p[line->n - 1] == ' ')
		line->n--;
	tl_buf_ch(line, '\n');
	return more;
}

static void write_terminal(struct tl_report_page *p, struct table *t)
{
	struct tl_buf line = {0};

	fit(t, p->width);
	table_head(p, &line, t);
	for (size_t r = 0; r < t->nrows; r++) {
		bool more = table_row(&line, t, r, 0);
		for (size_t k = 1; more; k++)
			more = table_row(&line, t, r, k);
		tl_out_span(p->out, tl_buf_all(&line));
		line.n = 0;
	}
	tl_out_span(p->out, tl_buf_all(&line));
	tl_buf_free(&line);
}

/* ---- CSV, TSV ---- */

/* An empty value that is `alone` on its line is quoted: a blank line stands between tables. */
static void csv_text(struct tl_out *o, struct tl_span s, bool alone)
{
	bool quoted = s.n ? s.p[0] == ' ' || s.p[s.n - 1] == ' ' : alone;

	for (size_t i = 0; i < s.n && !quoted; i++)
		quoted = strchr("\",\r\n", s.p[i]) != NULL;
	if (!quoted) {
		tl_out_span(o, s);
		return;
	}
	tl_out_lit(o, "\"");
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			tl_out_lit(o, "\"");
		tl_out_add(o, s.p + i, 1);
	}
	tl_out_lit(o, "\"");
}

/* Tab, line ends and the backslash itself are written \t \n \r \\. */
static void tsv_text(struct tl_out *o, struct tl_span s)
{
	static const char from[] = "\t\n\r\\", to[] = "tnr\\";

	for (size_t i = 0; i < s.n; i++) {
		const char *at = s.p[i] ? strchr(from, s.p[i]) : NULL;
		if (at) {
			tl_out_lit(o, "\\");
			tl_out_add(o, to + (at - from), 1);
		} else {
			tl_out_add(o, s.p + i, 1);
		}
	}
}

/* A text that a spreadsheet would run: an apostrophe before it makes it text again. */
static bool is_formula(struct tl_span s)
{
	return s.n > 1 && strchr("=+-@\t\r", s.p[0]) != NULL;
}

static void write_values(struct tl_report_page *p, const struct table *t)
{
	bool csv = p->form == TL_REPORT_CSV;
	struct tl_buf guarded = {0};

	for (size_t r = 0; r <= t->nrows; r++) {
		for (size_t i = 0; i < t->ncols; i++) {
			const struct cell *c = r ? &t->cells[(r - 1) * t->ncols + i] : &t->cols[i].name;
			if (i)
				tl_out_add(p->out, csv ? "," : "\t", 1);
			struct tl_span text = text_of(t, c);
			if (csv && r && c->text && !p->raw && is_formula(text)) {
				guarded.n = 0;
				tl_buf_ch(&guarded, '\'');
				tl_buf_span(&guarded, text);
				text = tl_buf_all(&guarded);
			}
			if (csv)
				csv_text(p->out, text, t->ncols == 1);
			else
				tsv_text(p->out, text);
		}
		tl_out_span(p->out, csv ? TL_LIT("\r\n") : TL_LIT("\n"));
	}
	tl_buf_free(&guarded);
}

/* ---- blocks ---- */

static void distance(struct tl_report_page *p)
{
	if (p->begun)
		tl_out_span(p->out, p->form == TL_REPORT_CSV ? TL_LIT("\r\n") : TL_LIT("\n"));
	p->begun = true;
}

static bool table_block(struct tl_report_page *p, struct tl_span block, struct tl_error *e)
{
	struct table t = {0};
	bool ok = read_table(&t, block, e);

	if (ok) {
		distance(p);
		if (p->form == TL_REPORT_MD)
			write_md(p, &t);
		else if (p->form == TL_REPORT_TABLE)
			write_terminal(p, &t);
		else
			write_values(p, &t);
	}
	tl_buf_free(&t.text);
	free(t.cols);
	free(t.cells);
	return ok;
}

/* A paragraph, in lines of whole words that fit a terminal; its own line ends stay. */
static void put_paragraph(struct tl_report_page *p, struct tl_span s)
{
	while (s.n) {
		const char *end = memchr(s.p, '\n', s.n);
		struct tl_span line = {s.p, end ? (size_t)(end - s.p) : s.n};
		s = (struct tl_span){s.p + line.n + (end != NULL), s.n - line.n - (end != NULL)};
		do {
			size_t n = p->width ? first_line(line, p->width) : line.n;
			tl_out_add(p->out, line.p, n);
			tl_out_lit(p->out, "\n");
			line = behind_line(line, n);
		} while (line.n);
	}
}

static void text_block(struct tl_report_page *p, struct tl_span value, bool heading)
{
	struct tl_buf b = {0};

	if (p->form == TL_REPORT_CSV || p->form == TL_REPORT_TSV)
		return;
	distance(p);
	if (heading && p->form == TL_REPORT_MD)
		tl_buf_lit(&b, "## ");
	if (heading)
		bold(p, &b, true);
	size_t from = b.n;
	tl_json_text(value, &b);
	for (size_t i = from; i < b.n; i++) /* a line end alone would write over the line */
		b.p[i] = b.p[i] == '\r' ? ' ' : b.p[i];
	printable(&b, from, !heading);
	if (heading && p->form == TL_REPORT_MD)
		md_again(&b, from);
	if (heading)
		bold(p, &b, false);
	tl_buf_lit(&b, "\n");
	if (heading || p->form != TL_REPORT_TABLE)
		tl_out_span(p->out, tl_buf_all(&b));
	else
		put_paragraph(p, tl_buf_all(&b));
	tl_buf_free(&b);
}

bool report_block(struct tl_report_page *p, struct tl_span block, struct tl_error *e)
{
	struct tl_span heading = tl_json_get(block, TL_LIT("h"));
	bool text = tl_json_is_string(block);

	if (!text && !tl_json_is_string(heading))
		return table_block(p, block, e);
	text_block(p, text ? block : heading, !text);
	return true;
}
