/* Tables of share/: one entry a line, fields separated by tabs, none of them empty; lines that
 * begin with '#' are remarks. */
#ifndef TL_FORMAT_TSV_H
#define TL_FORMAT_TSV_H
#include "../base/base.h"

#define TL_TSV_FIELDS 8 /* at most */

/* Takes the fields of a line, valid for this call; false: they are no entry. */
typedef bool tl_tsv_line(void *to, const struct tl_span *f);

/* Reads share/`file`, all lines of which have `fields` fields. False and `e` filled when it cannot
 * be read, or a line is no entry. */
bool tl_tsv_read(
	const char *file, unsigned fields, tl_tsv_line *take, void *to, struct tl_error *e);

#endif
