/* The bridge to libjq: the knowledge in share/rules, asked from C.
 *
 * One jq program per tool run. The modules of share/rules are on its search path (TL_SHARE, else
 * the build tree's share/, else the installed one); --rules FILE.jq is included behind them, so that
 * its definitions override those of the same name; --rules reference chooses the reference's tables.
 * A rule set is compiled on the first question, not before: a tool that asks nothing pays nothing.
 * Answers are kept by question: each distinct one is asked once. */
#ifndef TL_RULES_H
#define TL_RULES_H
#include "../io/buf.h"
#include "../io/msg.h"

struct tl_rules;

/* `module`: a file of share/rules without .jq, e.g. "synth". `fns`: the names of its functions that
 * will be asked, ended by NULL. `options`: what --rules was given, in order (each "default",
 * "reference", or the path of a .jq file). Nothing is read yet; all names are borrowed. */
struct tl_rules *tl_rules_new(const char *module, const char *const *fns, const char *const *options, size_t n);
void tl_rules_free(struct tl_rules *r);

/* Runs the jq function `fn` (one of `fns`, by its place) of the module on the JSON text `input`; the answer is the
 * first output as compact JSON text, kept by the rules and valid until they are freed; an empty span
 * when there is no output or it is null.
 * An error of the rule itself gives an empty span, and is said once per fn on stderr (file, line and
 * the input that failed). A rule file that does not compile ends the tool with status 2. */
struct tl_span tl_rules_ask(struct tl_rules *r, unsigned fn, struct tl_span input);

/* A file below share/ ("reports/summary.jq", "rules/arch"): the path, or NULL when it is nowhere.
 * The caller frees it. */
char *tl_share_path(const char *relative);

#endif
