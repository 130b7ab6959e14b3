/* Chrome/Kineto JSON.
 */
#ifndef TL_CHROME_H
#define TL_CHROME_H
#include "in.h"    /* a source into records */
#include "out.h"   /* records into documents */
#include "event.h" /* one event, scanned and written */

#endif
