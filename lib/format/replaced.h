/* What a merge of an activity window with the events of its host trace writes anew. */
#ifndef TL_FORMAT_REPLACED_H
#define TL_FORMAT_REPLACED_H
#include "../trace/trace.h"

/* True for an event of the host trace that such a merge writes anew (the profiler's span and its
 * marks): it stays in the stream, and is left out where a trace is written from one. */
bool tl_is_replaced(const struct tl_event *e);

#endif
