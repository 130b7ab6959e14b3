#include "records.h"
#include "../json/json.h"
#include "../base/base.h"
#include "option.h"
#include "source.h"
#include <stdlib.h>

#define BLOCK (1024u * 1024)

/* Input bytes. While a trace is held, used-up blocks are kept in a chain until it is forgotten;
 * else the bytes of a line that is not whole yet move to the front of the one block. */
struct block {
	struct block *older;
	size_t cap;
	char p[];
};

struct tl_stream {
	struct tl_out out;
	char **files;
	int n_files, next_file;
	const char *name;
	struct tl_source *src;
	struct block *block;
	char *p, *end; /* unread bytes of the block */
	bool hold;
	uint64_t lineno, bad, bad_line;
	const char *bad_name;
	bool open, cut, any_record, any_trace, eof;
	uint64_t open_trace;
	struct tl_record ahead; /* a record that a TL_CUT was put before */
	bool has_ahead;
	struct tl_json_check check;
	enum tl_sets sets;
	bool in_set, of_set; /* of_set: the last record given */
};

static struct block *new_block(size_t cap, struct block *older)
{
	struct block *b = tl_alloc(sizeof *b + cap);
	b->cap = cap;
	b->older = older;
	return b;
}

static bool open_next(struct tl_stream *s)
{
	struct tl_error e;
	tl_source_close(s->src);
	s->src = NULL;
	if (s->next_file >= s->n_files)
		return false;
	s->name = s->files[s->next_file++];
	s->src = tl_source_open(s->name, &e);
	if (!s->src)
		tl_die(TL_FAILED, "%s: %s", s->name, e.text);
	s->lineno = 0;
	return true;
}

struct tl_stream *tl_stream_open(char **files, int n)
{
	static char *standard[] = {"-"};
	struct tl_stream *s = tl_calloc(1, sizeof *s);
	s->files = n ? files : standard;
	s->n_files = n ? n : 1;
	s->block = new_block(BLOCK, NULL);
	s->p = s->end = s->block->p;
	open_next(s);
	tl_out_open(&s->out, tl_common.output, false);
	s->out.line_buffered = tl_common.line_buffered;
	return s;
}

/* Makes room behind the unread bytes. */
static void make_room(struct tl_stream *s)
{
	size_t left = (size_t)(s->end - s->p);
	size_t cap = left > BLOCK / 2 ? left * 2 : BLOCK;
	if (s->hold || cap > s->block->cap) {
		struct block *old = s->block;
		s->block = new_block(cap, s->hold ? old : NULL);
		memcpy(s->block->p, s->p, left);
		if (!s->hold)
			free(old);
	} else {
		memmove(s->block->p, s->p, left);
	}
	s->p = s->block->p;
	s->end = s->p + left;
}

/* More bytes behind the unread ones; false at the end of the file. */
static bool more(struct tl_stream *s)
{
	struct tl_error e;
	if (!s->src)
		return false;
	if (s->end == s->block->p + s->block->cap)
		make_room(s);
	ssize_t n = tl_source_read(s->src, s->end, (size_t)(s->block->p + s->block->cap - s->end), &e);
	if (n < 0)
		tl_die(TL_FAILED, "%s: %s", s->name, e.text);
	s->end += n;
	tl_progress(tl_source_raw(s->src), tl_source_size(s->src));
	return n > 0;
}

/* The next line without LF and CR; `whole` is false when the file ended before its LF. */
static bool next_line(struct tl_stream *s, struct tl_span *line, bool *whole)
{
	size_t seen = 0;
	char *lf;
	while (!(lf = memchr(s->p + seen, '\n', (size_t)(s->end - s->p) - seen))) {
		seen = (size_t)(s->end - s->p);
		if (!more(s))
			break;
	}
	if (!lf && s->p == s->end)
		return false;
	char *stop = lf ? lf : s->end;
	*line = (struct tl_span){s->p, (size_t)(stop - s->p)};
	*whole = lf != NULL;
	s->p = lf ? lf + 1 : s->end;
	s->lineno++;
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

static void source_ended(struct tl_stream *s)
{
	uint64_t at;
	if (s->src && tl_source_damage(s->src, &at) != TL_GZIP_WHOLE) {
		tl_warn("%s: damaged gzip data at byte %llu", s->name, (unsigned long long)at);
		s->cut = true;
	}
}

static bool blank_line(struct tl_span l)
{
	for (size_t i = 0; i < l.n; i++)
		if (l.p[i] != ' ' && l.p[i] != '\t')
			return false;
	return true;
}

static enum tl_kind kind_of(struct tl_span type)
{
	static const struct {
		struct tl_span name;
		enum tl_kind kind;
	} kinds[] = {{TL_LIT("event"), TL_EVENT}, {TL_LIT("meta"), TL_META},
		{TL_LIT("trace"), TL_TRACE}, {TL_LIT("end"), TL_END}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (tl_span_eq(type, kinds[i].name))
			return kinds[i].kind;
	return TL_DERIVED;
}

/* The common form, {"type":"...","trace":N, read without a JSON cursor. */
static bool read_head_fast(struct tl_record *r)
{
	static const char head[] = "{\"type\":\"", mid[] = "\",\"trace\":";
	const char *p = r->line.p, *end = p + r->line.n;
	if (r->line.n < sizeof head + sizeof mid || memcmp(p, head, sizeof head - 1) != 0)
		return false;
	p += sizeof head - 1;
	const char *q = memchr(p, '"', (size_t)(end - p));
	if (!q || (size_t)(end - q) < sizeof mid || memcmp(q, mid, sizeof mid - 1) != 0)
		return false;
	r->type = (struct tl_span){p, (size_t)(q - p)};
	r->trace = 0;
	const char *d = q + sizeof mid - 1, *first = d;
	while (d < end && *d >= '0' && *d <= '9' && d - first < 18)
		r->trace = r->trace * 10 + (uint64_t)(*d++ - '0');
	return d > first && d < end && (*d == ',' || *d == '}') && end[-1] == '}';
}

static bool read_head(struct tl_record *r)
{
	if (!read_head_fast(r)) {
		if (!tl_json_valid(r->line))
			return false;
		struct tl_span type = tl_json_get(r->line, TL_LIT("type"));
		if (!tl_json_is_string(type))
			return false;
		r->type = tl_json_inner(type);
		if (!tl_json_u64(tl_json_get(r->line, TL_LIT("trace")), &r->trace))
			r->trace = 0;
	}
	r->kind = kind_of(r->type);
	return true;
}

/* A line that cannot be used, at this byte of it (0: as a whole). */
static void bad_line(struct tl_stream *s, size_t column, const char *what)
{
	struct tl_buf text = {0};
	if (tl_common.skip_bad) {
		if (!s->bad++) {
			s->bad_line = s->lineno;
			s->bad_name = s->name;
		}
		return;
	}
	tl_buf_printf(&text, "%s:%llu", s->name, (unsigned long long)s->lineno);
	if (column)
		tl_buf_printf(&text, ":%zu", column);
	tl_die(TL_FAILED, "%.*s: %s", (int)text.n, text.p, what);
}

void tl_stream_bad(struct tl_stream *s, const struct tl_record *r)
{
	struct tl_buf what = {0};
	(void)r;
	if (s->any_record)
		tl_buf_printf(&what, "no record (--skip-bad leaves such lines out)");
	else
		tl_buf_printf(&what, "no record: of a trace, use tl-extract %s | %s",
			strcmp(s->name, "-") == 0 ? "FILE" : s->name, tl_prog);
	tl_buf_ch(&what, '\0');
	bad_line(s, 0, what.p);
	tl_buf_free(&what);
}

bool tl_stream_check(struct tl_stream *s, const struct tl_record *r)
{
	size_t fault;
	if (r->kind == TL_CUT || tl_json_check(&s->check, r->line, &fault))
		return true;
	bad_line(s, fault + 1, "not JSON (--skip-bad leaves such lines out)");
	return false;
}

/* Whether what the stream ends with is a record as far as it goes. */
static bool is_begun(struct tl_span line)
{
	struct tl_span head = TL_LIT("{\"type\":\"");
	return memcmp(line.p, head.p, line.n < head.n ? line.n : head.n) == 0;
}

/* The next record as it stands in the input; false at the end of all files. */
static bool next_record(struct tl_stream *s, struct tl_record *r)
{
	bool whole;
	for (;;) {
		if (!next_line(s, &r->line, &whole)) {
			source_ended(s);
			if (!open_next(s))
				return false;
			continue;
		}
		if (blank_line(r->line))
			continue;
		if (!whole && (s->any_record || is_begun(r->line)) && !tl_json_valid(r->line)) {
			tl_warn(
				"%s:%llu: the stream ends inside a line", s->name, (unsigned long long)s->lineno);
			s->cut = true;
			continue;
		}
		if (read_head(r)) {
			s->any_record = true;
			return true;
		}
		tl_stream_bad(s, r);
	}
}

static bool give_cut(struct tl_stream *s, struct tl_record *r)
{
	*r = (struct tl_record){.kind = TL_CUT, .trace = s->open_trace};
	s->open = false;
	s->cut = true;
	return true;
}

static bool next(struct tl_stream *s, struct tl_record *r)
{
	if (s->has_ahead) {
		*r = s->ahead;
		s->has_ahead = false;
	} else if (s->eof || !next_record(s, r)) {
		s->eof = true;
		return s->open ? give_cut(s, r) : false;
	}
	if (s->open && r->kind == TL_TRACE) {
		s->ahead = *r;
		s->has_ahead = true;
		return give_cut(s, r);
	}
	if (r->kind == TL_TRACE)
		s->any_trace = true;
	if (r->kind == TL_TRACE || r->kind == TL_EVENT || r->kind == TL_META) {
		s->open = true;
		s->open_trace = r->trace;
	}
	if (r->kind == TL_END)
		s->open = false;
	return true;
}

static void note_set(struct tl_stream *s, const struct tl_record *r)
{
	if (r->kind == TL_TRACE) {
		struct tl_span format = tl_json_get(r->line, TL_LIT("format"));
		s->in_set = tl_span_eq(format, TL_LIT("\"ranks\"")) ||
					tl_span_eq(format, TL_LIT("\"diff\""));
	}
	s->of_set = s->in_set;
	if (r->kind == TL_END || r->kind == TL_CUT)
		s->in_set = false;
}

bool tl_stream_next(struct tl_stream *s, struct tl_record *r)
{
	while (next(s, r)) {
		note_set(s, r);
		if (s->sets == TL_SETS_GIVE || s->of_set == (s->sets == TL_SETS_ALONE))
			return true;
		if (s->sets == TL_SETS_PASS)
			tl_stream_pass(s, r);
	}
	return false;
}

bool tl_stream_is_of_set(const struct tl_stream *s)
{
	return s->of_set;
}

void tl_stream_sets(struct tl_stream *s, enum tl_sets what)
{
	s->sets = what;
}

void tl_stream_write(struct tl_stream *s, struct tl_span line)
{
	tl_out_span(&s->out, line);
	tl_out_eol(&s->out);
}

static bool left_out(const struct tl_record *r)
{
	return r->kind == TL_CUT ||
		   (tl_common.no_events && (r->kind == TL_EVENT || r->kind == TL_META));
}

void tl_stream_pass(struct tl_stream *s, const struct tl_record *r)
{
	if (!left_out(r))
		tl_stream_write(s, r->line);
}

static bool dropped(struct tl_span key, const char *const *drop)
{
	for (; drop && *drop; drop++)
		if (strlen(*drop) == key.n && memcmp(*drop, key.p, key.n) == 0)
			return true;
	return false;
}

/* Writes the object without the dropped keys and without its closing brace. */
static void write_without(struct tl_out *o, struct tl_span line, const char *const *drop)
{
	struct tl_json it = tl_json_open(line);
	struct tl_span key, val;
	const char *from = line.p, *last = line.p + 1;
	while (tl_json_member(&it, &key, &val)) {
		if (dropped(key, drop)) {
			tl_out_add(o, from, (size_t)(last - from));
			from = it.p;
		}
		last = it.p;
	}
	tl_out_add(o, from, (size_t)(last - from));
}

void tl_stream_pass_with(
	struct tl_stream *s, const struct tl_record *r, struct tl_span added, const char *const *drop)
{
	if (left_out(r))
		return;
	if (drop && *drop)
		write_without(&s->out, r->line, drop);
	else
		tl_out_add(&s->out, r->line.p, r->line.n - 1);
	tl_out_span(&s->out, added);
	tl_out_lit(&s->out, "}");
	tl_out_eol(&s->out);
}

void tl_stream_hold(struct tl_stream *s, bool on)
{
	s->hold = on;
}

void tl_stream_forget(struct tl_stream *s)
{
	while (s->block->older) {
		struct block *b = s->block->older;
		s->block->older = b->older;
		free(b);
	}
}

struct tl_out *tl_stream_out(struct tl_stream *s)
{
	return &s->out;
}

bool tl_stream_whole(const struct tl_stream *s)
{
	return s->any_trace && !s->cut;
}

int tl_stream_close(struct tl_stream *s)
{
	bool cut = s->cut, none = !s->any_trace;
	uint64_t bad = s->bad;
	if (cut || none)
		tl_out_discard(&s->out);
	else
		tl_out_close(&s->out);
	tl_progress_end();
	if (bad)
		tl_warn("%s: %llu line%s left out, first at line %llu", s->bad_name,
			(unsigned long long)bad, bad == 1 ? "" : "s", (unsigned long long)s->bad_line);
	if (none)
		tl_warn("the stream holds no trace");
	else if (cut)
		tl_warn("the stream was cut: a tool before this one did not finish");
	tl_source_close(s->src);
	s->hold = false;
	tl_stream_forget(s);
	tl_json_check_free(&s->check);
	free(s->block);
	free(s);
	return none || cut ? TL_FAILED : bad ? TL_DAMAGE : TL_OK;
}
