/* Rows of tl-synth, grouped (`op` records into `op_group` records, tl-records.5), with exact
 * statistics. Cost: O(rows) time; memory for one number per row and one copy of each distinct key.
 *
 *     struct tl_synth_groups *g = tl_synth_groups_new(TL_SYNTH_GROUP_INPUTS);
 *     tl_synth_groups_add(g, line);                       // per op record
 *     tl_synth_groups_write(g, trace, total, take, to);   // at the end of a trace: forgets them
 *     tl_synth_groups_free(g);
 */
#ifndef TL_SYNTH_GROUP_H
#define TL_SYNTH_GROUP_H
#include "../base/base.h"

enum tl_synth_group_key {
	TL_SYNTH_GROUP_INPUTS, /* name, category, kind and the four fields of inputs */
	TL_SYNTH_GROUP_NAME,
	TL_SYNTH_GROUP_CATEGORY,
	TL_SYNTH_GROUP_STACK, /* name and call stack */
};

/* The key named "" or "inputs", "name", "category", "stack"; false for another name. */
bool tl_synth_group_key_of(const char *name, enum tl_synth_group_key *key);

struct tl_synth_groups;
struct tl_synth_groups *tl_synth_groups_new(enum tl_synth_group_key key);
void tl_synth_groups_free(struct tl_synth_groups *g);

/* Adds an `op` record: one line of JSON. What cannot be read counts as absent. */
void tl_synth_groups_add(struct tl_synth_groups *g, struct tl_span line);

/* Hands the op_group records, by GPU time from the most, equal ones in order of first sight, to
 * `take`; each is valid during the call. `share` is of `total_ns`, or left out when that is 0.
 * Fields that differ between the rows of a group are left out; gflops and bytes are means of the
 * rows that have them, the rates those rows' work over their busy time, roofline_share their least
 * time over it; gpu_us, busy_us and gpu_ops are sums. Then the groups are empty again.
 */
void tl_synth_groups_write(struct tl_synth_groups *g, uint64_t trace, int64_t total_ns,
	void (*take)(void *to, struct tl_span record), void *to);

#endif
