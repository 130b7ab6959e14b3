/* Who owns which GPU op: one pass over tl-tree's events with a stack of open nodes.
 *
 * Every GPU op of a trace goes to exactly one row (oprow.h):
 *  - an operator with a perf model owns all that lies below it (model);
 *  - an operator below which no other one launches GPU work owns all below it (leaf, or backward
 *    when the operator it is the backward of has a model and there is one such row);
 *  - of any other operator, each GPU op whose innermost operator it is makes a row (synthetic);
 *  - a GPU op that no operator launched makes a row (orphan), named after its launch if it has one.
 *
 * Memory: depth + forward operators that have a backward + rows that wait for one + distinct names.
 */
#ifndef TL_SYNTH_H
#define TL_SYNTH_H
#include "../stream/stream.h"
#include "group.h"
#include "../rules/rules.h"

/* The functions of share/rules/synth.jq that are asked, for tl_rules_new. */
extern const char *const tl_synth_rules[];

struct tl_synth_options {
	struct tl_rules *rules;         /* made with tl_synth_rules */
	struct tl_synth_groups *groups; /* NULL: the rows themselves are written */
	const char *arch;               /* name or file; NULL: look at the trace's deviceProperties */
	bool no_comm;                   /* leave out rows of which all GPU ops communicate */
};

struct tl_synth;

/* False-like NULL and `e` filled when options->arch cannot be loaded. Borrows the stream and what
 * the options point to. */
struct tl_synth *tl_synth_new(
	const struct tl_synth_options *options, struct tl_stream *stream, struct tl_error *e);
void tl_synth_free(struct tl_synth *s);

/* Takes the next record, whatever it is, passes it along, and writes the rows that it completes. */
void tl_synth_take(struct tl_synth *s, const struct tl_record *r);

/* False when some GPU op was not owned by exactly one row (a fault of this program). */
bool tl_synth_sound(const struct tl_synth *s);

#endif
