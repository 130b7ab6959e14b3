/* Who owns which GPU op: the open nodes of tl-tree's call tree, and the rows that come of them as
 * they close. The rule is told in synth.h. */
#ifndef TL_SYNTH_OWNERS_H
#define TL_SYNTH_OWNERS_H
#include "../trace/trace.h"
#include "rowqueue.h"

struct synth_owners;

/* What a trace held so far. */
struct synth_owned {
	uint64_t gpu_ops, unlaunched, left_out;
	int64_t gpu_ns, unlaunched_ns, left_out_ns;
	uint64_t ids, left_ids; /* sums of mixed ids: of all GPU ops, and of those left out */
};

/* Borrows `rows`. no_comm: rows of which all GPU ops communicate are left out. */
struct synth_owners *synth_owners_new(struct synth_rows *rows, bool no_comm);
void synth_owners_free(struct synth_owners *o);

/* Closes the nodes that do not enclose an event of this depth, and writes the rows they make. */
void synth_owners_close(struct synth_owners *o, uint64_t depth);

/* The next event; `depth` counts when it is `in_tree`. */
void synth_owners_take(struct synth_owners *o, const struct tl_event *e, enum tl_cat cat,
	bool in_tree, uint64_t depth);

const struct synth_owned *synth_owners_counts(const struct synth_owners *o);

/* Closes all, writes the rows that waited. Then the counts stand until synth_owners_forget, which
 * begins the next trace. */
void synth_owners_end(struct synth_owners *o);
void synth_owners_forget(struct synth_owners *o);

#endif
