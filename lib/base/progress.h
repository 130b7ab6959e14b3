/* A progress line on stderr: only when that is a terminal, the work has lasted over a second, and
 * no -q. Bytes done of those known, rate, time left. */
#ifndef TL_BASE_PROGRESS_H
#define TL_BASE_PROGRESS_H
#include <stdint.h>

/* Cheap enough to call per block. `size` 0: not known. */
void tl_progress(uint64_t done, uint64_t size);
void tl_progress_end(void); /* wipes the line */

#endif
