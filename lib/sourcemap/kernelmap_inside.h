/* Private to kernelmap*.c: what is kept of a map. */
#ifndef TL_SOURCEMAP_KERNELMAP_INSIDE_H
#define TL_SOURCEMAP_KERNELMAP_INSIDE_H
#include "kernelmap.h"
#include "../rules/rules.h"
#include "../base/base.h"

enum { FN_LOOKUP, FN_ALIASES, FN_SCOPE };

struct sourcemap_entry { /* all in texts */
	uint32_t kernel, scope, chain, launch_op;
	uint32_t lower, match; /* the kernel in lower case; without punctuation */
	uint64_t launches;     /* that the scope rests on */
	double mapped;         /* share of the launches that have a scope */
};

/* How alike two names must be (share/rules/scopes.jq, `lookup`). */
struct sourcemap_limits {
	double least, share, length, common, common_share, bonus;
	struct tl_span same;
};

struct tl_sourcemap_map {
	struct tl_rules *rules;
	struct tl_pool *texts;
	struct sourcemap_entry *v;
	size_t n, cap;
	uint32_t *of_text; /* place in v + 1, by number in texts */
	size_t of_text_n;
	struct sourcemap_limits limits;
	bool have_limits;
	struct tl_buf a, b;
};

/* The number in texts of a text in lower case; and without punctuation. */
uint32_t sourcemap_map_lower(struct tl_sourcemap_map *k, uint32_t text);
uint32_t sourcemap_map_match(struct tl_sourcemap_map *k, uint32_t text);

#endif
