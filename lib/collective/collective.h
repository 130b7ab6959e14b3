/* Communication operations of each trace, and what those of all traces are together: the records
 * of tl-collective (tl-records.5).
 *
 *     struct tl_collective *c = tl_collective_new(&options);
 *     tl_stream_sets(s, TL_SETS_GIVE);
 *     while (tl_stream_next(s, &r))
 *         tl_collective_take(c, s, &r);     // passes it along at once
 *     damage = tl_collective_finish(c, s);  // the set
 *     tl_collective_free(c);
 *
 * Of a trace its communication operations stay, in 56 bytes each, and each text once; all else is
 * forgotten at its `end`. The set costs up to 40 bytes per operation more while it is made. Time is
 * linear in operations, sorting aside; without Seq each is looked at for 129 shifts. */
#ifndef TL_COLLECTIVE_H
#define TL_COLLECTIVE_H
#include "../stream/stream.h"

struct tl_collective_options {
	bool map;         /* no set: the records of each trace alone */
	bool raw_clocks;  /* times of the set are those of the traces */
	bool all_members; /* lists of a collective are never cut */
	const char *in;   /* only what belongs to an annotation or operator of this name; NULL: all */
	bool by_step;     /* only what belongs to the step of number `step` */
	uint64_t step;
	const char *const *rules;
	size_t n_rules;
};

struct tl_collective;

/* The options are borrowed. Rules are read at the first communication operation. */
struct tl_collective *tl_collective_new(const struct tl_collective_options *options);
void tl_collective_take(struct tl_collective *c, struct tl_stream *s, const struct tl_record *r);

/* Writes the set of a stream that is whole. True when a trace was left out of it. */
bool tl_collective_finish(struct tl_collective *c, struct tl_stream *s);
void tl_collective_free(struct tl_collective *c);

#endif
