/* A source that may hold traces of any format that is told by its first bytes: which reader is
 * meant.
 */
#ifndef TL_EXTRACT_H
#define TL_EXTRACT_H
#include "../base/base.h"
#include "../format/format.h"

/* Reads the source `name` ("-": stdin) and writes its traces, numbered from `first`: of Perfetto
 * (perfetto/in.h), else of Chrome JSON (chrome/in.h). Damage is told on stderr, one line per kind,
 * and in `end`. False and `e` filled when the source cannot be opened or read, holds no byte, is
 * no trace (got->no_trace says so; the message names what it is and what helps), or at the first
 * damage under `strict` (what was read until then is written; a trace that was begun has
 * no `end` then). */
bool tl_extract_read(const char *name, uint64_t first, const struct tl_extract_options *opt,
	struct tl_out *out, struct tl_extracted *got, struct tl_error *e);

#endif
