/* `fusion` records (tl-records.5): groups of kernels that are known to be done by one kernel
 * elsewhere. The patterns and the matching are jq (share/rules/fusion.jq); asked once per trace. */
#ifndef TL_OVERLAP_FUSION_H
#define TL_OVERLAP_FUSION_H
#include "../base/base.h"

/* One kernel of a trace, by canonical name, all devices and stages together. Texts are UTF-8, not
 * JSON; scope and launch_op are empty where nothing is known. */
struct overlap_fusion_row {
	struct tl_span name, scope, launch_op;
	int64_t gpu_ns;
};

struct overlap_fusion;

/* `options`: what --rules was given, borrowed (rules.h). */
struct overlap_fusion *overlap_fusion_new(const char *const *options, size_t n);
void overlap_fusion_free(struct overlap_fusion *f);

/* Hands each `fusion` record (a line without LF, valid during the call) to `take`, best first.
 * `total_ns` is what shares are of: all GPU time of the trace. */
void overlap_fusion_find(struct overlap_fusion *f, uint64_t trace,
	const struct overlap_fusion_row *rows, size_t n, int64_t total_ns,
	void (*take)(void *to, struct tl_span line), void *to);

#endif
