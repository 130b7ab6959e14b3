/* What belongs to an annotation: its own span and all below it, what lies in its time on other
 * threads of its process, and the GPU ops launched from any of these, whenever they ran. Which GPU
 * ops are a step's, step.h says: the same that tl-overlap --by-step gives to it; their launches and
 * operators belong to it too. */
#ifndef TL_TRACE_WITHIN_H
#define TL_TRACE_WITHIN_H
#include "../json/json.h"
#include "tree.h"

/* The table needs places. Marks with TL_ROW_LEFT_OUT what belongs to no annotation or operator
 * named `name` (plain text). Never marked: ph M. Flow events stay where at least a start and a
 * finish of one flow lie on events that stay. False when nothing has that name (then only ph M is
 * left). */
bool tl_within(struct tl_tree *tree, struct tl_span name);

/* The `end` record `line` with the counts and times of what is left, but for its last brace. False
 * when the line cannot be read. */
bool tl_within_end(const struct tl_table *t, struct tl_span line, struct tl_write *out);

#endif
