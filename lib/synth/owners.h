/* Who owns which GPU op: the open nodes of tl-tree's call tree, and the rows that come of them as
 * they close. The rule is told in synth.h. */
#ifndef TL_OWNERS_H
#define TL_OWNERS_H
#include "../trace/event.h"
#include "rowqueue.h"

struct tl_owners;

/* What a trace held so far. */
struct tl_owned {
	uint64_t gpu_ops, unlaunched, left_out;
	int64_t gpu_ns, unlaunched_ns, left_out_ns;
	uint64_t ids, left_ids; /* sums of mixed ids: of all GPU ops, and of those left out */
};

/* Borrows `rows`. no_comm: rows of which all GPU ops communicate are left out. */
struct tl_owners *tl_owners_new(struct tl_rows *rows, bool no_comm);
void tl_owners_free(struct tl_owners *o);

/* Closes the nodes that do not enclose an event of this depth, and writes the rows they make. */
void tl_owners_close(struct tl_owners *o, uint64_t depth);

/* The next event; `depth` counts when it is `in_tree`. */
void tl_owners_take(
	struct tl_owners *o, const struct tl_event *e, enum tl_cat cat, bool in_tree, uint64_t depth);

const struct tl_owned *tl_owners_counts(const struct tl_owners *o);

/* Closes all, writes the rows that waited. Then the counts stand until tl_owners_forget, which
 * begins the next trace. */
void tl_owners_end(struct tl_owners *o);
void tl_owners_forget(struct tl_owners *o);

#endif
