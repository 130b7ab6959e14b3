/* The bridge to the jq programs of share/rules, and what these say of names.
 */
#ifndef TL_RULES_H
#define TL_RULES_H
#include "arch.h"  /* peaks of devices */
#include "ask.h"   /* asking a function of the rules */
#include "comm.h"  /* is it communication */
#include "names.h" /* canonical names of kernels and Python frames */
#include "words.h" /* words of a kernel's name */

#endif
