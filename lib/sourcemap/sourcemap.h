/* Where kernels come from: GPU op -> launch -> operator -> Python scope (tl-sourcemap).
 *
 * Calls are nested and launches linked as tl-tree does it (tree.h, link.h), so that the answer is
 * the same with and without tl-tree before. Beside the lines a trace takes less than 120 bytes per
 * event, 150 once forward operators are asked for. Sorting aside, the cost is linear, with a binary
 * search per GPU op.
 *
 *     struct tl_sourcemap *m = tl_sourcemap_new(&options);
 *     tl_sourcemap_add(m, line);                 // every event of the trace
 *     tl_sourcemap_finish(m);                    // at its end
 *     for (row = 0; row < tl_sourcemap_rows(m); row++)
 *         if (tl_sourcemap_keys(m, row, &more))  // a GPU op
 *     tl_sourcemap_records(m, trace, take, to);
 *     tl_sourcemap_forget(m);                    // ready for the next trace
 */
#ifndef TL_SOURCEMAP_H
#define TL_SOURCEMAP_H
#include "../json/json.h"
#include "kernelmap.h"

struct tl_sourcemap;

struct tl_sourcemap_options {
	const char *const *rules; /* what --rules was given, borrowed */
	size_t n_rules;
	bool guess_by_time;           /* what nothing else locates: frames open when the op ran */
	struct tl_sourcemap_map *map; /* of another run, borrowed; NULL: none */
};

struct tl_sourcemap *tl_sourcemap_new(const struct tl_sourcemap_options *o);
void tl_sourcemap_free(struct tl_sourcemap *m);

/* Adds an `event` line, which must stay valid until tl_sourcemap_forget; its row is the next one,
 * from 0. False, and nothing added, when the line is no event. */
bool tl_sourcemap_add(struct tl_sourcemap *m, struct tl_span line);
uint32_t tl_sourcemap_rows(const struct tl_sourcemap *m);
struct tl_span tl_sourcemap_line(const struct tl_sourcemap *m, uint32_t row);

/* Finds out about everything added since the last tl_sourcemap_forget. */
void tl_sourcemap_finish(struct tl_sourcemap *m);

/* False when the row is no GPU op; else puts the members that its line gets into `more`,
 * which may be none, in place of those in tl_sourcemap_key_names (ended by NULL). */
bool tl_sourcemap_keys(const struct tl_sourcemap *m, uint32_t row, struct tl_write *more);
extern const char *const tl_sourcemap_key_names[];

/* Hands the `source` records (lines without LF, valid during the call) to `take`: by GPU time, the
 * most first, then by launches that were captured, then by id of the first event. */
void tl_sourcemap_records(
	struct tl_sourcemap *m, uint64_t trace, void (*take)(void *to, struct tl_span line), void *to);

void tl_sourcemap_forget(struct tl_sourcemap *m);

#endif
