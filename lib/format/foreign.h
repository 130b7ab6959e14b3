/* What is no trace, but recognised: which kind of file it is, and the command that helps. The two
 * tables in foreign.c are the only lists of them. */
#ifndef TL_FORMAT_FOREIGN_H
#define TL_FORMAT_FOREIGN_H
#include "../base/base.h"

#define TL_FOREIGN_HEAD 512 /* bytes of a source that tell what can be told */

/* By the first bytes of a source called `name`. True and a message in `e`: it is no trace. */
bool tl_foreign_bytes(struct tl_span head, const char *name, struct tl_error *e);

/* By a key at the top of a JSON document (inner text); `first` is true for its first key. */
bool tl_foreign_key(struct tl_span key, bool first, const char *name, struct tl_error *e);

#endif
