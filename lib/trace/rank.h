/* Ranks in merged traces: pids there are texts such as "[TP00] 4711" or "rank1 cpu", and the ids
 * that tie events together repeat from rank to rank. */
#ifndef TL_TRACE_RANK_H
#define TL_TRACE_RANK_H
#include "../base/base.h"

enum tl_rank { TL_RANK_UNKNOWN, TL_RANK_SAME, TL_RANK_OTHER };

/* Compares two pids (JSON text). Words of letters and then digits are compared in turn, as long as
 * the letters are the same: TP00 and TP01 are other ranks, python3 and cuda0 say nothing. */
enum tl_rank tl_rank_compare(struct tl_span pid, struct tl_span other);

#endif
