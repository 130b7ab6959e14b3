#include "ask.h"
#include "../base/base.h"
#include "../json/json.h"
#include <errno.h>
#include <jq.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* A --rules file, and where its text stands in the program. */
struct file {
	const char *path;
	struct tl_span text;
	unsigned first_line;
};

/* The texts of the files that were read, for the whole process: several programs have the same
 * --rules file, and a pipe can be read but once. */
struct given {
	char *path;
	struct tl_buf text;
	struct given *next;
};
static struct given *given;

struct tl_rules {
	const char *module;
	const char *const *fns;
	const char *set;
	struct file *files;
	size_t nfiles;
	bool whole;           /* the one file is the program */
	int only;             /* the one fn that will be asked; -1: any */
	const char *named_by; /* the module whose answers name this one */
	const char *const *options;
	size_t noptions;

	struct tl_rules *more;   /* the modules that answers named: a list */
	char *own_name;          /* of such a module */
	struct tl_pool *inlined; /* names of the modules that stand in the program */
	struct tl_buf late;      /* their lines that begin with "#:", without that */

	jq_state *jq; /* belongs to the thread while it compiles */
	struct tl_buf errors;
	struct tl_buf program;
	pthread_t compiler; /* has the program, its files and `errors` for its own until it is joined */
	bool beside, compiled;
	struct tl_rules *left; /* the next in the list `left` */
	struct tl_pool *asked; /* fn and input */
	struct answer {
		char *p;
		size_t n;
	} * answers; /* by number in `asked` */
	size_t cap;
	uint64_t failed; /* bit per fn: its failure was said */
	struct tl_buf key;
};

static struct tl_rules *left; /* what second threads still work at when the tool ends */

static FILE *open_file(const char *path)
{
	FILE *in = fopen(path, "re");

	if (!in)
		tl_die(TL_FAILED, "cannot read %s: %s", path, strerror(errno));
	return in;
}

static void read_text(struct tl_buf *text, const char *path)
{
	FILE *in = open_file(path);
	size_t n = 1;

	while (n > 0) {
		tl_buf_more(text, 65536);
		n = fread(text->p + text->n, 1, 65536, in);
		text->n += n;
	}
	if (ferror(in))
		tl_die(TL_FAILED, "cannot read %s: %s", path, strerror(errno));
	fclose(in);
}

static void read_file(struct file *f, const char *path)
{
	struct given *g = given;

	while (g && strcmp(g->path, path) != 0)
		g = g->next;
	if (!g) {
		g = tl_calloc(1, sizeof *g);
		read_text(&g->text, path);
		g->path = strdup(path);
		g->next = given;
		given = g;
	}
	f->path = path;
	f->text = tl_buf_all(&g->text);
}

struct tl_rules *tl_rules_new(
	const char *module, const char *const *fns, const char *const *options, size_t n)
{
	struct tl_rules *r = tl_calloc(1, sizeof *r);

	r->module = module;
	r->fns = fns;
	r->set = "default";
	r->only = -1;
	r->options = options;
	r->noptions = n;
	r->files = tl_calloc(n ? n : 1, sizeof *r->files);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(options[i], "default") == 0 || strcmp(options[i], "reference") == 0)
			r->set = options[i];
		else
			read_file(&r->files[r->nfiles++], options[i]);
	}
	r->asked = tl_pool_new();
	r->inlined = tl_pool_new();
	return r;
}

struct tl_rules *tl_rules_program(const char *path)
{
	static const char *const fns[] = {"report", NULL};
	struct tl_rules *r = tl_rules_new(NULL, fns, NULL, 0);

	read_file(&r->files[r->nfiles++], path);
	r->whole = true;
	return r;
}

void tl_rules_free(struct tl_rules *r)
{
	if (!r)
		return;
	if (r->beside && pthread_tryjoin_np(r->compiler, NULL) != 0) {
		r->left = left; /* nothing was asked: the tool ends, and its threads with it */
		left = r;
		return;
	}
	tl_rules_free(r->more);
	free(r->own_name);
	for (uint32_t i = 0; i < tl_pool_count(r->asked); i++)
		free(r->answers[i].p);
	if (r->jq)
		jq_teardown(&r->jq);
	tl_pool_free(r->asked);
	tl_pool_free(r->inlined);
	tl_buf_free(&r->program);
	tl_buf_free(&r->late);
	tl_buf_free(&r->errors);
	tl_buf_free(&r->key);
	free(r->answers);
	free(r->files);
	free(r);
}

const char *tl_rules_set(const struct tl_rules *r)
{
	return r->set;
}

void tl_rules_question(const struct tl_rules *r, struct tl_buf *out)
{
	out->n = 0;
	tl_buf_lit(out, "{\"rules\":\"");
	tl_buf_add(out, r->set, strlen(r->set));
	tl_buf_ch(out, '"');
}

/* ---- the program ---- */

static size_t skip_blank(const struct tl_buf *t, size_t at)
{
	for (; at < t->n; at++) {
		if (t->p[at] == '#') {
			while (at + 1 < t->n && t->p[at + 1] != '\n')
				at++;
		} else if (!strchr(" \t\r\n", t->p[at]) || t->p[at] == '\0') {
			break;
		}
	}
	return at;
}

/* The end of the directive that starts at `at`, behind its ';'; `at` when none does. */
static size_t directive(const struct tl_buf *t, size_t at)
{
	bool quoted = false;

	if (t->n - at < 7 ||
		(memcmp(t->p + at, "include", 7) != 0 && memcmp(t->p + at, "import", 6) != 0))
		return at;
	for (size_t i = at + 6; i < t->n; i++) {
		if (t->p[i] == '\\' && quoted)
			i++;
		else if (t->p[i] == '"')
			quoted = !quoted;
		else if (t->p[i] == ';' && !quoted)
			return i + 1;
	}
	return at;
}

/* jq wants include and import before all definitions: those that head a file move to the head of
 * the program, and blanks take their place, so that the file's lines keep their numbers. */
static void hoist_directives(struct tl_buf *text, struct tl_buf *head)
{
	size_t at = skip_blank(text, 0), end;

	while ((end = directive(text, at)) > at) {
		for (; at < end; at++) {
			tl_buf_ch(head, text->p[at] == '\n' ? ' ' : text->p[at]);
			if (text->p[at] != '\n')
				text->p[at] = ' ';
		}
		at = skip_blank(text, at);
	}
}

static unsigned lines(const struct tl_buf *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->p[i] == '\n';
	return n;
}

static void keep_late(struct tl_buf *late, struct tl_span text)
{
	const char *end = text.p + text.n;

	for (const char *p = text.p, *next; p < end; p = next) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		next = newline ? newline + 1 : end;
		if (next - p > 3 && memcmp(p, "#: ", 3) == 0)
			tl_buf_add(late, p + 3, (size_t)(next - p - 3));
	}
}

/* Appends the module's text, that of the modules it includes first: jq takes an eighth longer for a
 * program whose parts it includes itself. What is not in share/rules is left for it to find. */
static void inline_module(
	struct tl_rules *r, struct tl_span name, struct tl_buf *head, struct tl_buf *out)
{
	static const char start[] = "include \"";
	struct tl_buf path = {0}, directives = {0}, text = {0};
	uint32_t known = tl_pool_count(r->inlined);
	if (tl_pool_add(r->inlined, name) != known)
		return;
	tl_buf_printf(&path, "rules/%.*s.jq", (int)name.n, name.p);
	tl_buf_ch(&path, '\0');
	char *file = tl_share_path(path.p);
	if (file) {
		read_text(&text, file);
		hoist_directives(&text, &directives);
	} else {
		tl_buf_printf(head, "include \"%.*s\"; ", (int)name.n, name.p);
	}
	for (size_t at = 0, end; at < directives.n; at = end) {
		end = directive(&directives, at);
		struct tl_span d = {directives.p + at, end - at}, of = {NULL, 0};
		if (d.n > sizeof start + 1 && memcmp(d.p, start, sizeof start - 1) == 0 &&
			memcmp(d.p + d.n - 2, "\";", 2) == 0)
			of = (struct tl_span){d.p + sizeof start - 1, d.n - sizeof start - 1};
		if (of.n && !memchr(of.p, '"', of.n))
			inline_module(r, of, head, out);
		else
			tl_buf_span(head, d);
	}
	keep_late(&r->late, tl_buf_all(&text));
	tl_buf_span(out, tl_buf_all(&text));
	tl_buf_ch(out, '\n');
	tl_buf_free(&text);
	tl_buf_free(&directives);
	tl_buf_free(&path);
	free(file);
}

/* The --rules file and line with `def NAME`, the last one; NULL when there is none. */
static const struct file *definition(const struct tl_rules *r, const char *name, unsigned *line)
{
	const struct file *found = NULL;

	for (size_t i = 0; i < r->nfiles; i++) {
		const struct tl_span *t = &r->files[i].text;
		size_t n = strlen(name);

		*line = found ? *line : 1;
		for (size_t at = 0, row = 1; at + 4 + n < t->n; at++) {
			row += t->p[at] == '\n';
			if (memcmp(t->p + at, "def ", 4) == 0 && memcmp(t->p + at + 4, name, n) == 0 &&
				strchr(":( \n\t", t->p[at + 4 + n])) {
				found = &r->files[i];
				*line = (unsigned)row;
			}
		}
	}
	return found;
}

/* The name that `def NAME: ...;` defines; the caller frees it. */
static char *defined_name(struct tl_span line)
{
	size_t at = 4, n = 0;

	while (at + n < line.n && !strchr(":( \n", line.p[at + n]))
		n++;
	return strndup(line.n > at ? line.p + at : "", n);
}

/* The modules' late definitions (rules.h), but not of what a --rules file defines itself. */
static void write_late(struct tl_rules *r, struct tl_buf *out)
{
	const char *p = r->late.p, *end = p + r->late.n;

	while (p < end && r->nfiles) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		struct tl_span line = {p, (size_t)((newline ? newline + 1 : end) - p)};
		char *name = defined_name(line);
		unsigned at;

		if (!definition(r, name, &at))
			tl_buf_span(out, line);
		free(name);
		p += line.n;
	}
	tl_buf_ch(out, '\n');
}

/* The program's input is [fn, question]; that of a whole program is the question. */
static void write_program(struct tl_rules *r, struct tl_buf *out)
{
	struct tl_buf modules = {0}, *texts = tl_calloc(r->nfiles + 1, sizeof *texts);

	for (size_t i = 0; i < r->nfiles; i++) {
		tl_buf_span(&texts[i], r->files[i].text);
		hoist_directives(&texts[i], out);
	}
	if (r->named_by && r->nfiles) /* what the files use of that module */
		inline_module(r, tl_str(r->named_by), out, &modules);
	if (r->module)
		inline_module(r, tl_str(r->module), out, &modules);
	tl_buf_ch(out, '\n');
	tl_buf_span(out, tl_buf_all(&modules));
	tl_buf_free(&modules);
	for (size_t i = 0; i < r->nfiles; i++) {
		tl_buf_ch(out, '\n');
		r->files[i].first_line = lines(out) + 1;
		tl_buf_span(out, tl_buf_all(&texts[i]));
		tl_buf_free(&texts[i]);
	}
	free(texts);
	tl_buf_ch(out, '\n');
	write_late(r, out);
	if (r->only >= 0) {
		tl_buf_printf(out, ".[1] | %s", r->fns[r->only]);
	} else if (!r->whole) {
		tl_buf_lit(out, ".[0] as $fn | .[1] | ");
		for (unsigned i = 0; r->fns[i]; i++)
			tl_buf_printf(out, "if $fn == %u then %s else ", i, r->fns[i]);
		tl_buf_lit(out, "empty");
		for (unsigned i = 0; r->fns[i]; i++)
			tl_buf_lit(out, " end");
	}
	tl_buf_ch(out, '\0');
}

static jv folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? jv_string_sized(path, slash == path ? 1 : (int)(slash - path)) : jv_string(".");
}

/* "at <top-level>, line 7:" -> "at my.jq, line 3:", for the line of the program that holds line 3
 * of my.jq. */
static void add_error(void *rules, jv message)
{
	static const char mark[] = "<top-level>, line ";
	struct tl_rules *r = rules;
	jv text = jq_format_error(message);
	const char *s = jv_string_value(text), *found = strstr(s, mark);
	const struct file *file = NULL;
	unsigned line = found ? (unsigned)strtoul(found + sizeof mark - 1, NULL, 10) : 0;

	for (size_t i = 0; i < r->nfiles && line; i++)
		if (r->files[i].first_line <= line)
			file = &r->files[i];
	if (file) {
		tl_buf_printf(&r->errors, "%.*s%s, line %u", (int)(found - s), s, file->path,
			line - file->first_line + 1);
		s = found + sizeof mark - 1;
		s += strspn(s, "0123456789");
	}
	tl_buf_printf(&r->errors, "%s\n", s);
	jv_free(text);
}

static void set_folders(struct tl_rules *r)
{
	char *rules = tl_share_path("rules");
	char *reports = r->whole ? tl_share_path("reports") : NULL;
	jv folders = jv_array();
	jv origin = r->nfiles ? folder_of(r->files[0].path) : jv_string(".");

	for (size_t i = 0; i < r->nfiles; i++)
		folders = jv_array_append(folders, folder_of(r->files[i].path));
	if (reports)
		folders = jv_array_append(folders, jv_string(reports));
	folders = jv_array_append(folders, jv_string(rules ? rules : "."));
	free(reports);
	free(rules);
	jq_set_attr(r->jq, jv_string("JQ_LIBRARY_PATH"), folders);
	jq_set_attr(r->jq, jv_string("JQ_ORIGIN"), jv_copy(origin));
	jq_set_attr(r->jq, jv_string("PROGRAM_ORIGIN"), origin);
}

/* What sets the environment, or may end the tool: not for a second thread. */
static void prepare(struct tl_rules *r)
{
	r->jq = jq_init();
	if (!r->jq)
		tl_die(TL_FAILED, "out of memory");
	set_folders(r);
	write_program(r, &r->program);
	/* libjq reads ~/.jq into every program; no tool of this suite reads a configuration file. Here
	 * and not in each main: whoever starts libjq passes here, nothing else looks at HOME, and the
	 * first call comes before any thread that compiles; later ones find nothing to remove. */
	unsetenv("HOME");
}

static void *compile(void *rules)
{
	struct tl_rules *r = rules;

	jq_set_error_cb(r->jq, add_error, r);
	r->compiled = jq_compile_args(r->jq, r->program.p, jv_array());
	jq_set_error_cb(r->jq, NULL, NULL);
	return NULL;
}

/* A thread's stack and heap reserve some 100 MiB of addresses, whatever they use of them. */
static bool room_for_threads(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= UINT64_C(1) << 30;
}

void tl_rules_begin(struct tl_rules *r)
{
	if (r->jq || !room_for_threads())
		return;
	prepare(r);
	r->beside = pthread_create(&r->compiler, NULL, compile, r) == 0;
	if (!r->beside)
		compile(r);
}

static void need_program(struct tl_rules *r)
{
	if (r->beside)
		pthread_join(r->compiler, NULL);
	r->beside = false;
	if (!r->jq) {
		prepare(r);
		compile(r);
	}
	if (r->compiled)
		return;
	fwrite(r->errors.p, 1, r->errors.n, stderr);
	tl_die(TL_USAGE, "%s not compile", r->whole ? "the report does" : "the rules do");
}

/* ---- questions ---- */

static void say_failure(struct tl_rules *r, unsigned fn, jv message, struct tl_span input)
{
	const char *name = r->fns[fn];
	unsigned line = 0;
	const struct file *file = r->whole ? &r->files[0] : definition(r, name, &line);
	struct tl_buf where = {0};
	size_t shown = input.n < 400 ? input.n : 400;

	if (jv_get_kind(message) != JV_KIND_STRING)
		message = jv_dump_string(message, 0);
	if (!file)
		tl_buf_printf(&where, "share/rules/%s.jq: %s", r->module, name);
	else if (line)
		tl_buf_printf(&where, "%s: line %u: %s", file->path, line, name);
	else
		tl_buf_printf(&where, "%s", file->path);
	while (shown < input.n && shown > 0 && ((unsigned char)input.p[shown] & 0xC0) == 0x80)
		shown--;
	if (r->whole) /* its input is a whole trace */
		tl_warn("%.*s: %s", (int)where.n, where.p, jv_string_value(message));
	else
		tl_warn("%.*s: %s; the input was %.*s%s", (int)where.n, where.p, jv_string_value(message),
			(int)shown, input.p, shown < input.n ? "..." : "");
	tl_buf_free(&where);
	jv_free(message);
}

/* Starts the program on a question. False, with a message, when the input is no JSON to jq (nested
 * too deeply, say). */
static bool start(struct tl_rules *r, unsigned fn, struct tl_span input, jv *message)
{
	jv question = jv_parse_sized(input.p, (int)input.n);

	need_program(r);
	if (!jv_is_valid(question)) {
		jv_free(question);
		*message = jv_string("jq cannot read the question");
		return false;
	}
	if (!r->whole)
		question = JV_ARRAY(jv_number(fn), question);
	jq_start(r->jq, question, 0);
	return true;
}

/* The next output, or invalid; then `message` is what went wrong, invalid when nothing did. */
static jv next(struct tl_rules *r, jv *message)
{
	jv out = jq_next(r->jq);

	*message = jv_invalid();
	if (jv_is_valid(out))
		return out;
	if (jv_invalid_has_msg(jv_copy(out)))
		*message = jv_invalid_get_msg(jv_copy(out));
	else if (jq_halted(r->jq))
		*message = jv_string("the rule called halt");
	return out;
}

/* The rules for `fn` in a module of that name. */
static struct tl_rules *module_for(struct tl_rules *r, const char *name, unsigned fn)
{
	struct tl_rules **at = &r->more;

	while (*at && ((*at)->only != (int)fn || strcmp((*at)->module, name) != 0))
		at = &(*at)->more;
	if (!*at) {
		char *own = strdup(name);

		*at = tl_rules_new(own, r->fns, r->options, r->noptions);
		(*at)->own_name = own;
		(*at)->only = (int)fn;
		(*at)->named_by = r->module;
	}
	return *at;
}

void tl_rules_begin_module(struct tl_rules *r, unsigned fn, const char *name)
{
	tl_rules_begin(module_for(r, name, fn));
}

static jv member(jv object, const char *key)
{
	return jv_get_kind(object) == JV_KIND_OBJECT ? jv_object_get(jv_copy(object), jv_string(key))
												 : jv_invalid();
}

static bool sends_on(jv answer)
{
	jv name = member(answer, "module");
	bool is = jv_get_kind(name) == JV_KIND_STRING;

	jv_free(name);
	return is;
}

/* The first output, or what was raised in its place to send the question on; or invalid: an error
 * is said once per function. */
static jv first(struct tl_rules *r, unsigned fn, struct tl_span input)
{
	jv message = jv_invalid(), out = jv_invalid();

	if (start(r, fn, input, &message))
		out = next(r, &message);
	if (!r->whole && sends_on(message)) {
		jv_free(out);
		return message;
	}
	if (jv_is_valid(message) && !(r->failed >> (fn & 63) & 1)) {
		r->failed |= UINT64_C(1) << (fn & 63);
		say_failure(r, fn, jv_copy(message), input);
	}
	jv_free(message);
	return out;
}

/* Where the answer names another module, that one's; else the answer. */
static jv answer_of_module(struct tl_rules *r, unsigned fn, struct tl_span input, jv answer)
{
	jv name = member(answer, "module"), question = member(answer, "question");

	if (!r->whole && jv_get_kind(name) == JV_KIND_STRING &&
		strcmp(jv_string_value(name), r->module) != 0) {
		jv text = jv_is_valid(question) ? jv_dump_string(jv_copy(question), 0) : jv_invalid();

		if (jv_is_valid(text))
			input = (struct tl_span){
				jv_string_value(text), (size_t)jv_string_length_bytes(jv_copy(text))};
		jv_free(answer);
		answer = first(module_for(r, jv_string_value(name), fn), fn, input);
		jv_free(text);
	}
	jv_free(question);
	jv_free(name);
	return answer;
}

static struct answer run(struct tl_rules *r, unsigned fn, struct tl_span input)
{
	struct answer a = {NULL, 0};
	jv out = answer_of_module(r, fn, input, first(r, fn, input));

	if (jv_is_valid(out) && jv_get_kind(out) != JV_KIND_NULL) {
		jv text = jv_dump_string(jv_copy(out), 0);

		a.n = (size_t)jv_string_length_bytes(jv_copy(text));
		a.p = memcpy(tl_alloc(a.n), jv_string_value(text), a.n);
		jv_free(text);
	}
	jv_free(out);
	return a;
}

struct tl_span tl_rules_ask(struct tl_rules *r, unsigned fn, struct tl_span input)
{
	uint32_t known = tl_pool_count(r->asked), at;

	r->key.n = 0;
	tl_buf_ch(&r->key, (char)fn);
	tl_buf_span(&r->key, input);
	at = tl_pool_add(r->asked, tl_buf_all(&r->key));
	if (at == known) {
		TL_GROW(r->answers, at, r->cap);
		r->answers[at] = run(r, fn, input);
	}
	return (struct tl_span){r->answers[at].p, r->answers[at].n};
}

bool tl_rules_each(struct tl_rules *r, unsigned fn, struct tl_span input,
	void (*take)(void *to, struct tl_span output), void *to)
{
	jv message = jv_invalid(), out;
	bool ok = start(r, fn, input, &message);

	while (ok && jv_is_valid(out = next(r, &message))) {
		jv text = jv_dump_string(out, 0);

		take(to,
			(struct tl_span){jv_string_value(text), (size_t)jv_string_length_bytes(jv_copy(text))});
		jv_free(text);
	}
	if (ok)
		jv_free(out);
	ok = !jv_is_valid(message);
	if (!ok)
		say_failure(r, fn, jv_copy(message), input);
	jv_free(message);
	return ok;
}

double tl_rules_number(struct tl_span answer, const char *key)
{
	double v;
	return tl_json_double(tl_json_get(answer, tl_str(key)), &v) ? v : 0;
}

int64_t tl_rules_us(struct tl_span answer, const char *key)
{
	int64_t ns;
	return tl_ns_parse(tl_json_get(answer, tl_str(key)), &ns) ? ns : 0;
}
