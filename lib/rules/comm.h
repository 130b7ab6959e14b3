/* Which kernels communicate, for tools that do not start libjq: the answer of the default rules
 * (share/rules/comm.jq, which says what counts and why), from a copy of their table of words.
 * comm_words.h is that copy, written by `make comm`; tests/comm.bats compares the two. */
#ifndef TL_RULES_COMM_H
#define TL_RULES_COMM_H
#include "../base/base.h"

/* `plain_name`: a kernel's name as text, without JSON's quotes and escapes, in full or canonical.
 * Costs about as much as a look at each of its first 200 letters. */
bool tl_name_communicates(struct tl_span plain_name);

#endif
