/* Where kernels come from: GPU op -> launch -> operator -> Python scope (tl-sourcemap).
 *
 * Events of one trace are added as lines; what is needed of them is copied (at most 48 bytes per
 * host span and 64 per GPU op, with 32 more while they are sorted), so lines may go. With tl-tree's
 * keys in them the tree's answers are used; without, calls are nested and launches linked here.
 * Cost is linear in events, with the logarithm of a binary search per GPU op.
 *
 *     struct tl_sourcemap *m = tl_sourcemap_new(&options);
 *     tl_sourcemap_add(m, line, &op);       // every event of the trace
 *     tl_sourcemap_finish(m);               // at its end
 *     tl_sourcemap_keys(m, op, &more);      // what a GPU op's line gets
 *     tl_sourcemap_records(m, trace, take, to);
 *     tl_sourcemap_forget(m);               // ready for the next trace
 */
#ifndef TL_SOURCEMAP_H
#define TL_SOURCEMAP_H
#include "kernelmap.h"

struct tl_sourcemap;

struct tl_sourcemap_options {
	const char *const *rules; /* what --rules was given, borrowed */
	size_t n_rules;
	bool guess_by_time;       /* what nothing else locates: frames open when the op ran */
	struct tl_kernelmap *map; /* of another run, borrowed; NULL: none */
};

#define TL_NO_OP UINT32_MAX

struct tl_sourcemap *tl_sourcemap_new(const struct tl_sourcemap_options *o);
void tl_sourcemap_free(struct tl_sourcemap *m);

/* Adds an `event` line. *op becomes the number of the GPU op (from 0), TL_NO_OP for other events.
 * False when the line is no event. */
bool tl_sourcemap_add(struct tl_sourcemap *m, struct tl_span line, uint32_t *op);

/* Finds out about everything added since the last tl_sourcemap_forget. */
void tl_sourcemap_finish(struct tl_sourcemap *m);

/* Appends the members `,"scope":...` that GPU op `op` gets; nothing when nothing is known. */
extern const char *const tl_sourcemap_key_names[]; /* scope, launch_op, how, graph; ended by NULL */
void tl_sourcemap_keys(struct tl_sourcemap *m, uint32_t op, struct tl_buf *more);

/* Hands the `source` records (lines without LF, valid during the call) to `take`: by GPU time, the
 * most first, then by launches that were captured, then as first seen. */
void tl_sourcemap_records(
	struct tl_sourcemap *m, uint64_t trace, void (*take)(void *to, struct tl_span line), void *to);

void tl_sourcemap_forget(struct tl_sourcemap *m);

#endif
