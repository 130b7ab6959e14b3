/* The libjq bridge: overrides, kept answers, errors that name their file, compile errors. */
#include "../../lib/rules/ask.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/tl-rules-XXXXXX";
static int failures;

#define CHECK(ok)                                           \
	do {                                                    \
		if (!(ok)) {                                        \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #ok); \
			failures++;                                     \
		}                                                   \
	} while (0)

static const char *file(const char *name, const char *text)
{
	static char paths[64][256];
	static unsigned n;
	char *path = paths[n++ % 64];
	FILE *f;

	snprintf(path, sizeof paths[0], "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		exit(99);
	return path;
}

static bool is(struct tl_span s, const char *want)
{
	return tl_span_eq(s, tl_str(want));
}

/* What `body` says on stderr, and its exit status when it is a whole process. */
static const char *said(void (*body)(void), int *status)
{
	static char text[8192];
	const char *path = file("stderr", "");
	pid_t child = fork();
	FILE *f;
	size_t n;

	if (child == 0) {
		if (!freopen(path, "w", stderr))
			_exit(98);
		body();
		fflush(stderr);
		_exit(0);
	}
	waitpid(child, status, 0);
	*status = WEXITSTATUS(*status);
	f = fopen(path, "r");
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static const char *const fns[] = {"category", "count", NULL};
static const char *user, *user2, *broken, *failing;

static void answers(void)
{
	const char *none[] = {"reference"}, *two[] = {user, "default", user2};
	struct tl_rules *r = tl_rules_new("t", fns, none, 1);

	CHECK(strcmp(tl_rules_set(r), "reference") == 0);
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"mm\"}")), "\"GEMM\""));
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"x\"}")), "\"other\""));
	CHECK(tl_rules_ask(r, 1, TL_LIT("[]")).n == 0);
	CHECK(is(tl_rules_ask(r, 1, TL_LIT("[1,2]")), "{\"n\":2}"));
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"rare\"}")), "\"rare rare\""));
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"lost\"}")), "{\"module\":\"t\"}"));
	tl_rules_free(r);
	r = tl_rules_new("t", fns, two, 3);
	CHECK(strcmp(tl_rules_set(r), "default") == 0);
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"x\"}")), "\"mine\""));
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"mm\"}")), "\"GEMM\""));
	CHECK(is(tl_rules_ask(r, 1, TL_LIT("[7]")), "\"helped 7\""));
	tl_rules_free(r);
}

/* ~/.jq of a user must not reach the rules. */
static void no_configuration(void)
{
	struct tl_rules *r;

	file(".jq", "def hidden: \"from home\";");
	setenv("HOME", dir, 1);
	r = tl_rules_new("t", fns, NULL, 0);
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"mm\"}")), "\"GEMM\""));
	tl_rules_free(r);
}

/* On a second thread the answers and the errors are the same, at the first question, not before. */
static void beside(void)
{
	const char *options[] = {user2};
	struct tl_rules *r = tl_rules_new("t", fns, options, 1);

	tl_rules_begin(r);
	tl_rules_begin(r);
	tl_rules_begin_module(r, 0, "rare");
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"mm\"}")), "\"GEMM\""));
	CHECK(is(tl_rules_ask(r, 1, TL_LIT("[7]")), "\"helped 7\""));
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"rare\"}")), "\"rare rare\""));
	tl_rules_free(r);
	r = tl_rules_new("t", fns, NULL, 0); /* never asked */
	tl_rules_begin(r);
	tl_rules_begin_module(r, 0, "rare");
	tl_rules_free(r);
	r = tl_rules_new("t", fns, NULL, 0); /* the module is never asked */
	tl_rules_begin_module(r, 0, "rare");
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"x\"}")), "\"other\""));
	tl_rules_free(r);
}

/* A --rules file may call what the module that was asked first has, in every module that it
 * follows. */
static void files_in_modules(void)
{
	const char *options[] = {file("deep.jq",
		"def category: default_category | if type == \"string\" then . + \"!\" else . end;\n")};
	struct tl_rules *r = tl_rules_new("named", fns, options, 1);

	CHECK(is(tl_rules_ask(r, 0, TL_LIT("{\"name\":\"a\"}")), "\"bare a, first here!\""));
	tl_rules_free(r);
}

static void fail_twice(void)
{
	const char *options[] = {user, failing};
	struct tl_rules *r = tl_rules_new("t", fns, options, 2);

	if (tl_rules_ask(r, 0, TL_LIT("{\"name\":\"a\"}")).n ||
		tl_rules_ask(r, 0, TL_LIT("{\"name\":\"b\"}")).n)
		_exit(90);
	if (!is(tl_rules_ask(r, 1, TL_LIT("[7]")), "{\"n\":1}"))
		_exit(91);
	tl_rules_free(r);
}

static void ask_broken(void)
{
	const char *options[] = {user, broken};

	tl_rules_ask(tl_rules_new("t", fns, options, 2), 0, TL_LIT("{}"));
}

static void begin_broken(void)
{
	const char *options[] = {user, broken};
	struct tl_rules *r = tl_rules_new("t", fns, options, 2);

	tl_rules_begin(r);
	fputs("begun\n", stderr);
	tl_rules_ask(r, 0, TL_LIT("{}"));
}

static void begin_broken_only(void)
{
	const char *options[] = {user, broken};
	struct tl_rules *r = tl_rules_new("t", fns, options, 2);

	tl_rules_begin(r);
	tl_rules_free(r);
}

static void ask_unreadable(void)
{
	const char *options[] = {"/nonexistent.jq"};

	tl_rules_new("t", fns, options, 1);
}

static void ask_too_deep(void)
{
	struct tl_rules *r = tl_rules_new("t", fns, NULL, 0);
	struct tl_buf b = {0};

	for (int i = 0; i < 100000; i++)
		tl_buf_ch(&b, '[');
	for (int i = 0; i < 100000; i++)
		tl_buf_ch(&b, ']');
	if (tl_rules_ask(r, 1, tl_buf_all(&b)).n || !is(tl_rules_ask(r, 1, TL_LIT("[1]")), "{\"n\":1}"))
		_exit(90);
	tl_rules_free(r);
}

static void errors(void)
{
	int status;
	const char *text = said(fail_twice, &status);

	CHECK(status == 0);
	CHECK(strstr(text, "failing.jq: line 2: category: "));
	CHECK(strstr(text, "the input was {\"name\":\"a\"}\n"));
	CHECK(!strstr(text, "\"b\""));
	text = said(ask_broken, &status);
	CHECK(status == TL_USAGE);
	CHECK(strstr(text, "broken.jq, line 3:"));
	text = said(begin_broken, &status);
	CHECK(status == TL_USAGE);
	CHECK(strncmp(text, "begun\n", 6) == 0 && strstr(text, "broken.jq, line 3:"));
	text = said(begin_broken_only, &status);
	CHECK(status == 0 && *text == '\0');
	text = said(ask_unreadable, &status);
	CHECK(status == TL_FAILED);
	CHECK(strstr(text, "/nonexistent.jq"));
	text = said(ask_too_deep, &status);
	CHECK(status == 0);
	CHECK(strstr(text, "share/rules/t.jq: count: "));
}

static void add_output(void *to, struct tl_span output)
{
	tl_buf_span(to, output);
	tl_buf_ch(to, ' ');
}

static void programs(void)
{
	struct tl_rules *r = tl_rules_program(file(
		"report.jq", "# a report\nimport \"help\" as h;\ndef twice: ., .;\n.[] | twice, h::help"));
	struct tl_buf b = {0};

	CHECK(tl_rules_each(r, 0, TL_LIT("[1,2]"), add_output, &b));
	CHECK(is(tl_buf_all(&b), "1 1 \"helped 1\" 2 2 \"helped 2\" "));
	tl_buf_free(&b);
	tl_rules_free(r);
}

/* What a module leaves for behind the files calls what they redefine; a file that defines it has
 * the last word; without files nothing changes. */
static void late_definitions(void)
{
	const char *one[] = {file("one.jq", "def size: 2;\n")};
	const char *both[] = {one[0], file("both.jq", "def count: \"mine\";\n")};
	struct tl_rules *r = tl_rules_new("late", fns, NULL, 0);

	CHECK(is(tl_rules_ask(r, 1, TL_LIT("[]")), "1"));
	tl_rules_free(r);
	r = tl_rules_new("late", fns, one, 1);
	CHECK(is(tl_rules_ask(r, 1, TL_LIT("[]")), "20"));
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("[]")), "2"));
	tl_rules_free(r);
	r = tl_rules_new("late", fns, both, 2);
	CHECK(is(tl_rules_ask(r, 1, TL_LIT("[]")), "\"mine\""));
	CHECK(is(tl_rules_ask(r, 0, TL_LIT("[]")), "2"));
	tl_rules_free(r);
}

int main(void)
{
	char share[64], command[64];

	if (!mkdtemp(dir))
		return 99;
	snprintf(share, sizeof share, "mkdir %s/rules", dir);
	if (system(share) != 0)
		return 99;
	setenv("TL_SHARE", dir, 1);
	file("rules/t.jq", "def default_category: {\"mm\": \"GEMM\"}[.name] // \"other\";\n"
					   "def category: if .name == \"rare\" then {module: \"rare\"}\n"
					   "  elif .name == \"lost\" then {module: \"t\"} else default_category end;\n"
					   "def count: if . == [] then null else {n: length} end;\n");
	file("rules/named.jq", "def first_here: \"first here\";\n"
						   "def default_category: if .deep then \"?\" else {module: "
						   "\"named_more\", question: (. + {deep: true})} end;\n"
						   "def category: default_category; def count: 0;\n");
	file("rules/named_more.jq", "def default_category: \"bare \" + .name + \", \" + first_here;\n"
								"def category: default_category; def count: 0;\n");
	file("rules/late.jq", "def size: 1; def category: size; def count: size;\n"
						  "#: def category: size;\n# no: def count: 7;\n#: def count: 10 * size;");
	file("rules/rare.jq", "def category: \"rare \" + .name; def count: 0;\n");
	file("help.jq", "def help: \"helped \\(.)\";\n");
	user = file(
		"user.jq", "def category: if .name == \"x\" then \"mine\" else default_category end;\n");
	user2 = file("user2.jq", "# with a\n# comment\ninclude\n \"help\";\ndef count: .[0] | help;\n");
	failing = file("failing.jq", "# comment\ndef category: .name + 1;");
	broken = file("broken.jq", "import \"help\" as h;\n# comment\ndef count: h::help +;\n");
	answers();
	no_configuration();
	beside();
	files_in_modules();
	late_definitions();
	errors();
	programs();
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) != 0 || failures;
}
