/* Python scopes: which frames of a call stack count, by share/rules/scopes.jq, asked once per
 * distinct frame; and chains of them. Numbers hold until the scopes are cleared. */
#ifndef TL_SCOPES_H
#define TL_SCOPES_H
#include "../base/buf.h"

struct tl_scopes;
#define TL_CHAIN_MAX 6 /* frames of a chain: the innermost ones */
#define TL_CHAIN_KEY 4 /* of these, what the chain's text shows */

enum tl_scope_use { TL_SCOPE_NEVER, TL_SCOPE_FALLBACK, TL_SCOPE_MEANINGFUL };

/* `rules`: what --rules was given, borrowed. */
struct tl_scopes *tl_scopes_new(const char *const *rules, size_t n);
void tl_scopes_free(struct tl_scopes *s);
void tl_scopes_clear(struct tl_scopes *s); /* forgets all numbers; what the rules said is kept */

/* The number of a frame, from its name in the trace (UTF-8). Frames whose canonical spelling is the
 * same have one number. */
uint32_t tl_scope_of(struct tl_scopes *s, struct tl_span name);
enum tl_scope_use tl_scope_use(struct tl_scopes *s, uint32_t scope);
struct tl_span tl_scope_text(const struct tl_scopes *s, uint32_t scope); /* UTF-8 */

/* The number of a text that is a canonical scope already (from a map). */
uint32_t tl_scope_add(struct tl_scopes *s, struct tl_span text);

/* The number of a chain: 1 to TL_CHAIN_MAX frames, outermost first. */
uint32_t tl_chain_of(struct tl_scopes *s, const uint32_t *frames, size_t n);
/* Of a chain of which only the text and the best frame are known (from a map). */
uint32_t tl_chain_add(struct tl_scopes *s, struct tl_span text, uint32_t best);
uint32_t tl_chain_best(const struct tl_scopes *s, uint32_t chain); /* the best frame's number */
void tl_chain_text(const struct tl_scopes *s, uint32_t chain, struct tl_buf *out); /* "a -> b" */

#endif
