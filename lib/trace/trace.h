/* A trace in memory and all its facts; each is decided in one file.
 */
#ifndef TL_TRACE_H
#define TL_TRACE_H
#include "event.h"    /* an event record's fields and what its category means */
#include "table.h"    /* the events of a trace in columns */
#include "where.h"    /* device, stream, process */
#include "rank.h"     /* which rank a process of merged traces is of */
#include "link.h"     /* which call launched which GPU op */
#include "nest.h"     /* how host spans lie within each other */
#include "tree.h"     /* the call tree */
#include "operator.h" /* whose operator a GPU op is */
#include "step.h"     /* steps, and the GPU ops of each */
#include "within.h"   /* what belongs to an annotation */
#include "fwdbwd.h"   /* the forward operator of a backward one */
#include "interval.h" /* busy and idle time */
#include "beside.h"   /* what runs beside what */
#include "clip.h"     /* durations that cannot be */

#endif
