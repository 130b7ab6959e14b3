/* Perfetto traces.
 */
#ifndef TL_PERFETTO_H
#define TL_PERFETTO_H
#include "in.h"  /* a source into records */
#include "out.h" /* records into documents */

#endif
