/* What a device can do at most: the files of share/rules/arch. */
#ifndef TL_RULES_ARCH_H
#define TL_RULES_ARCH_H
#include "../base/base.h"

/* Appends the JSON of `name` to `out`, without white space: a file when the name holds '/' or ends
 * in .json, else share/rules/arch/NAME.json. False and `e` filled when there is none, or it holds
 * no JSON object. */
bool tl_arch_load(const char *name, struct tl_buf *out, struct tl_error *e);

/* The device that a trace was taken on, from its `deviceProperties` (a JSON array): the name of its
 * devices as JSON string. Empty when none has a name, or when they differ. */
struct tl_span tl_arch_device(struct tl_span properties);

#endif
