/* The bridge to libjq: the knowledge in share/rules, asked from C.
 *
 * One jq program per tool run. A module of share/rules is included, then the text of every --rules
 * FILE.jq follows it, so that a definition there overrides the module's of the same name where C
 * asks for it, and can call the module's (`def category: if .name == "x" then "y" else
 * default_category end;`). A line `#: def NAME: ...;` of a module is a late definition: it stands
 * behind the --rules files, so that it calls what they redefine, where none of them defines NAME
 * itself. --rules reference chooses the reference's tables: a tool puts the name of the rule set
 * into its questions as "rules", and the modules look at `.rules`.
 *
 * The program is compiled at the first question, or, after tl_rules_begin, on a thread of its own
 * while the tool reads. Answers are kept: each distinct question is asked once. HOME is not set any
 * more from then on: libjq would read ~/.jq into every program.
 *
 *     static const char *const fns[] = {"category", NULL};
 *     struct tl_rules *r = tl_rules_new("overlap", fns, opt.rules.v, opt.rules.n);
 *     struct tl_span answer = tl_rules_ask(r, 0, tl_buf_all(&question));
 *     tl_rules_free(r);
 */
#ifndef TL_RULES_ASK_H
#define TL_RULES_ASK_H
#include "../base/base.h"

struct tl_rules;

/* `module`: a file of share/rules without .jq, e.g. "synth". `fns`: the names of its functions that
 * will be asked, ended by NULL. `options`: what --rules was given, in order (each "default",
 * "reference", or the path of a .jq file; of the two names the last one counts). All names are
 * borrowed. A --rules file that cannot be read ends the tool with status 3; nothing else is read
 * yet. */
struct tl_rules *tl_rules_new(
	const char *module, const char *const *fns, const char *const *options, size_t n);

/* The same for a file that is a whole jq program (a report), to be run as fn 0. The file is read
 * now and must be there; its imports are looked up beside it, then in share/reports and
 * share/rules. */
struct tl_rules *tl_rules_program(const char *path);

/* Begins to compile the program on a second thread, for a tool that is nearly sure to ask: the
 * first question waits for it. Under a limit on addresses (ulimit -v) below 1 GiB it does nothing.
 * Rules that do not compile are still an error at the first question,
 * not before, and a tool that asks nothing ends without waiting. */
void tl_rules_begin(struct tl_rules *r);

/* The same for a module (see below) that answers about `fn` are nearly sure to name. */
void tl_rules_begin_module(struct tl_rules *r, unsigned fn, const char *module);

/* NULL is allowed. Rules that were begun and never asked are left to the end of the process. */
void tl_rules_free(struct tl_rules *r);

/* "default" or "reference". */
const char *tl_rules_set(const struct tl_rules *r);

/* Empties `out` and begins a question there: `{"rules":"default"`, for more members and a '}'. */
void tl_rules_question(const struct tl_rules *r, struct tl_buf *out);

/* Runs the jq function `fn` (one of `fns`, by its place) on the JSON text `input`; the answer is
 * the first output as compact JSON text, kept by the rules and valid until they are freed; an empty
 * span when there is no output or it is null. An error of the rule itself gives an empty span, and
 * is said once per fn on stderr: the function, the --rules file and line that defines it where one
 * does, jq's message and the input that failed. Rules that do not compile end the tool with status
 * 2 and jq's messages. */
struct tl_span tl_rules_ask(struct tl_rules *r, unsigned fn, struct tl_span input);

/* Members of an answer, or of an object in it: a number, and a time in us as ns; 0 without it. */
double tl_rules_number(struct tl_span answer, const char *key);
int64_t tl_rules_us(struct tl_span answer, const char *key);

/* jq compiles in a time that grows with the length of a program (about 8 us per instruction of it,
 * for each of its own builtins looks through all of it; definitions that nothing calls are free),
 * so what few questions need may stand in a module of its own: an answer {"module": NAME}, given or
 * raised as an error, means that share/rules/NAME.jq knows, and the same function is asked there:
 * the same question, or the answer's "question". Where there are --rules files they follow it too,
 * and the module that was asked first stands before it. Only that one may send on. */

/* Hands every output of `fn` to `take` as compact JSON text, valid during the call. Nothing is
 * kept. False after an error of the rule, said on stderr each time. */
bool tl_rules_each(struct tl_rules *r, unsigned fn, struct tl_span input,
	void (*take)(void *to, struct tl_span output), void *to);

#endif
