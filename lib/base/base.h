/* What every room uses; nothing here knows of JSON or traces.
 */
#ifndef TL_BASE_H
#define TL_BASE_H
#include "buf.h"      /* spans of text, growing buffers, allocation that does not fail */
#include "intmap.h"   /* numbers to numbers */
#include "msg.h"      /* messages on stderr, errors, exit status */
#include "pool.h"     /* texts to numbers, each kept once */
#include "progress.h" /* how far a long run is, on a terminal */
#include "search.h"   /* binary search */
#include "share.h"    /* where share/ is */
#include "sort.h"     /* sorting by several keys, linear in what is sorted */
#include "utf8.h"     /* UTF-8 and its escapes in JSON */

#endif
