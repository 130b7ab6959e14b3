/* JSON in and out: what is read is spans of the text, what is written goes member by member.
 */
#ifndef TL_JSON_H
#define TL_JSON_H
#include "check.h"   /* whether a text is JSON */
#include "cursor.h"  /* members and values of valid JSON, in place */
#include "decimal.h" /* exact sums of decimal numbers as text */
#include "scan.h"    /* JSON that may be broken: checked, minified, repaired */
#include "time.h"    /* microseconds as text, ns inside */
#include "write.h"   /* the writer of records and members */

#endif
