/* Inside tl_collective: what is known of one slot. */
#ifndef TL_COLLECTIVE_FIGURES_H
#define TL_COLLECTIVE_FIGURES_H
#include "inside.h"

/* Columns are by member; times are ns, of corrected clocks. */
struct collective_figures {
	const struct collective_slot *slot;
	struct collective_group *group;
	int64_t *start, *end, *dur;
	bool *listed;
	size_t cap;

	struct collective_shape shape; /* of the first member; kind: the first that is known */
	int64_t first_start, last_start, first_end, last_end, latency;
	uint64_t kernels, bytes, bytes_min; /* NO_COUNT: not known */
	unsigned differ, doubts;
	bool sync, counted;   /* counted: tells who was late */
	uint32_t last, first; /* members, or NONE */
	int64_t late;
	double algo, bus; /* NAN: not known */
};

/* Fills `f` anew; what it owns is given back by collective_figures_free. */
void collective_figures(
	struct tl_collective *c, const struct collective_slot *slot, struct collective_figures *f);
void collective_figures_free(struct collective_figures *f);

#endif
