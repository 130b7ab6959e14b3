/* Python scopes: which frames of a call stack count, by share/rules/scopes.jq, asked once per
 * distinct frame; and chains of them. Numbers hold until the scopes are cleared. */
#ifndef TL_SOURCEMAP_SCOPES_H
#define TL_SOURCEMAP_SCOPES_H
#include "../base/base.h"

struct sourcemap_scopes;
#define SOURCEMAP_CHAIN_MAX 6 /* frames of a chain: the innermost ones */
#define SOURCEMAP_CHAIN_KEY 4 /* of these, what the chain's text shows */

enum sourcemap_scope_use {
	SOURCEMAP_SCOPE_NEVER,
	SOURCEMAP_SCOPE_FALLBACK,
	SOURCEMAP_SCOPE_MEANINGFUL
};

/* `rules`: what --rules was given, borrowed. */
struct sourcemap_scopes *sourcemap_scopes_new(const char *const *rules, size_t n);
void sourcemap_scopes_free(struct sourcemap_scopes *s);
void sourcemap_scopes_clear(
	struct sourcemap_scopes *s); /* forgets all numbers; what the rules said is kept */

/* The number of a frame, from its name in the trace (UTF-8). Frames whose canonical spelling is the
 * same have one number. */
uint32_t sourcemap_scope_of(struct sourcemap_scopes *s, struct tl_span name);
enum sourcemap_scope_use sourcemap_scope_use(struct sourcemap_scopes *s, uint32_t scope);
struct tl_span sourcemap_scope_text(const struct sourcemap_scopes *s, uint32_t scope); /* UTF-8 */

/* The number of a text that is a canonical scope already (from a map). */
uint32_t sourcemap_scope_add(struct sourcemap_scopes *s, struct tl_span text);

/* The number of a chain: 1 to SOURCEMAP_CHAIN_MAX frames, outermost first. */
uint32_t sourcemap_chain_of(struct sourcemap_scopes *s, const uint32_t *frames, size_t n);
/* Of a chain of which only the text and the best frame are known (from a map). */
uint32_t sourcemap_chain_add(struct sourcemap_scopes *s, struct tl_span text, uint32_t best);
uint32_t sourcemap_chain_best(
	const struct sourcemap_scopes *s, uint32_t chain); /* the best frame's number */
void sourcemap_chain_text(
	const struct sourcemap_scopes *s, uint32_t chain, struct tl_buf *out); /* "a -> b" */

#endif
