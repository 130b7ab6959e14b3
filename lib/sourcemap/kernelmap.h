/* Kernels of another run and where they came from there: what --map reads.
 *
 * A map is a stream, or its `source` records alone. For a trace of it without `source` records they
 * are derived from its events. Of several records of one kernel the one with most launches counts,
 * the first of equals. */
#ifndef TL_SOURCEMAP_KERNELMAP_H
#define TL_SOURCEMAP_KERNELMAP_H
#include "../base/base.h"

struct tl_sourcemap_map;

struct sourcemap_mapped { /* texts are UTF-8, owned by the map; chain and launch_op may be empty */
	struct tl_span scope, chain, launch_op;
};

/* Reads `path`. NULL and `e` filled when it cannot be read or a line is no record. `rules` as in
 * rules.h, borrowed as long as the map lives. */
struct tl_sourcemap_map *tl_sourcemap_map_read(
	const char *path, const char *const *rules, size_t n_rules, struct tl_error *e);
void tl_sourcemap_map_free(struct tl_sourcemap_map *k);
size_t tl_sourcemap_map_count(const struct tl_sourcemap_map *k); /* kernels with a scope */

/* The entry for a kernel's canonical name: the same name, else the one that resembles it most by
 * the `lookup` and `aliases` of share/rules/scopes.jq. False when there is none. Costs up to the
 * size of the map: ask once per name. */
bool tl_sourcemap_map_find(
	struct tl_sourcemap_map *k, struct tl_span kernel, struct sourcemap_mapped *found);

#endif
