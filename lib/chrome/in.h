/* Chrome/Kineto JSON in: every form and every damage that real files have (tl-extract.1), as
 * records of the stream. Constant memory: one event at a time, in a window of the input. */
#ifndef TL_CHROME_IN_H
#define TL_CHROME_IN_H
#include "../base/base.h"
#include "../stream/stream.h"
#include "../format/format.h"

/* Reads a source, called `name`, and writes its traces, numbered from `first`. Damage is told on
 * stderr, one line per kind, and in `end`. False and `e` filled when it cannot be read, holds no
 * byte, or at the first damage under `strict` (what was read until then is written; a trace that
 * was begun has no `end` then). */
bool tl_chrome_read(struct tl_source *src, const char *name, uint64_t first,
	const struct tl_extract_options *opt, struct tl_out *out, struct tl_extracted *got,
	struct tl_error *e);

#endif
