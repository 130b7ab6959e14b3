/* Which backward operator belongs to which forward operator.
 *
 * By the fwdbwd flows: a flow ends on the operator that starts there (of several the inner one with
 * a Sequence number). For wrappers that no flow reaches, by Sequence number: the first autograd
 * wrapper of a number belongs to the operator of that number that starts last on another thread.
 * Only within one process: numbers of merged ranks are not joined. */
#ifndef TL_TRACE_FWDBWD_H
#define TL_TRACE_FWDBWD_H
#include "link.h"
#include "tree.h"

struct tl_fwdbwd {
	uint32_t *fwd;      /* by row: the forward operator of a backward operator, and of the autograd
						   wrapper that encloses it; TL_NO_ROW */
	struct tl_rows bwd; /* the same links from the other side, without wrappers that enclose a
						   backward operator: `key` forward row, `at` backward row; by forward row,
						   then id of the backward operator */
};

/* `parent`: the column of tl_tree_parents, or of a tree. Sets TL_ROW_BWD on forward operators. */
void tl_fwdbwd_find(struct tl_fwdbwd *f, struct tl_table *t, const uint32_t *parent);
void tl_fwdbwd_free(struct tl_fwdbwd *f);

/* The first of a forward row's links in f->bwd; the others follow it. */
size_t tl_fwdbwd_first(const struct tl_fwdbwd *f, uint32_t forward);

#endif
