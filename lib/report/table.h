/* The blocks that a report gives (share/reports/README.md), written as Markdown, as a table for a
 * terminal, as CSV (RFC 4180, lines ended by CRLF) or as TSV.
 *
 * CSV and TSV hold the tables alone, a blank line between two, and every value whole. In the other
 * two forms a text cell that is too long loses its middle to a visible mark. */
#ifndef TL_REPORT_TABLE_H
#define TL_REPORT_TABLE_H
#include "../base/base.h"
#include "../stream/stream.h"

enum tl_report_form { TL_REPORT_MD, TL_REPORT_TABLE, TL_REPORT_CSV, TL_REPORT_TSV };

struct tl_report_page {
	enum tl_report_form form;
	struct tl_out *out;
	bool raw;       /* CSV: texts that a spreadsheet takes for formulas stay as they are */
	bool colour;    /* headings bold, for a terminal */
	unsigned width; /* columns of the terminal; 0: not known, every cell is cut by itself */
	bool begun;     /* something was written: the next block keeps its distance */
};

/* Writes one block, given as JSON text. False, and `e` filled, when it is none; then nothing of it
 * is written. */
bool report_block(struct tl_report_page *p, struct tl_span block, struct tl_error *e);

#endif
