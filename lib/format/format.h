/* What the formats share, in and out.
 */
#ifndef TL_FORMAT_H
#define TL_FORMAT_H
#include "record.h"   /* the frame of a trace: the records around its events */
#include "args.h"     /* members of args in the making */
#include "fault.h"    /* damage of a trace, counted and told */
#include "foreign.h"  /* what is no trace, and what helps */
#include "held.h"     /* lines of a trace that are held */
#include "target.h"   /* the file or files that are written */
#include "annotate.h" /* what the analysis found, as events to draw */
#include "replaced.h" /* what a window brings anew */
#include "tsv.h"      /* tables of share/ */
#include "cupti.h"    /* CUPTI's names and numbers */

#endif
