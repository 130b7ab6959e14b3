/* Bytes and records in and out of a tool.
 */
#ifndef TL_STREAM_H
#define TL_STREAM_H
#include "option.h"  /* the command line */
#include "out.h"     /* output: stdout, -o */
#include "records.h" /* the stream of records between tools */
#include "source.h"  /* input, inflated */

#endif
