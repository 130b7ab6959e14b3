/* Inside tl_collective: one trace, until its end. */
#ifndef TL_COLLECTIVE_TRACE_H
#define TL_COLLECTIVE_TRACE_H
#include "inside.h"

enum collective_what { IS_NEW, IS_OTHER, IS_KERNEL, IS_CALL, IS_NOTE };

/* A kernel that communicates, a call of record_param_comms, an `nccl:` annotation. */
struct collective_said {
	struct collective_meta meta;
	int64_t exposed;
	uint32_t row;
	enum collective_what is;
};

/* An operation that is not yet one of `ops`. */
struct collective_pending {
	struct collective_op op;
	struct collective_meta meta;
	struct collective_shape shape;
};

struct collective_trace {
	struct tl_table *t;
	struct collective_said *said;
	size_t n_said, said_cap;
	uint8_t *what; /* by name and whether it is a kernel's */
	size_t what_cap;
	struct tl_pool *config; /* names of groups that the job lists */
	uint32_t *lists;        /* their ranks, a text of all traces */
	size_t lists_cap;
	struct tl_pool *said_groups; /* what operations say of their group */
	uint32_t *groups;            /* which it is, by number in `said_groups` */
	size_t groups_cap;
	struct collective_pending *pending;
	size_t n_pending, pending_cap;
	int64_t world;
	bool mapped; /* its operations are those of an earlier pass */
	struct tl_buf plain;
};

struct collective_pending *collective_add_pending(struct tl_collective *c);
uint32_t collective_lane(struct tl_collective *c, uint32_t row); /* of GPU work */

/* find.c: the operations of the table, pending, by start. */
void collective_find(struct tl_collective *c);

#endif
