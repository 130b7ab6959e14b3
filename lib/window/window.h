/* tl-extract --window: a window, and the host trace that may stand beside it, as one trace. */
#ifndef TL_WINDOW_H
#define TL_WINDOW_H
#include "../chrome/chrome.h"

/* Reads the window `name` ("-": stdin) and the trace beside it (NULL: none) and writes one trace,
 * number 0. Damage is told on stderr and in `end`, as by tl_extract_read. False and `e` filled when
 * a file cannot be read, at the first damage under `strict`, when the trace beside it is not one
 * trace, or when there is no duration event: nothing is written then. */
bool tl_window_read(const char *name, const char *beside, bool compat,
	const struct tl_extract_options *opt, struct tl_out *out, struct tl_extracted *got,
	struct tl_error *e);

#endif
