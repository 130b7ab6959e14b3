/* Reports: jq programs that turn the records of a trace into blocks (share/reports/README.md). */
#ifndef TL_REPORT_H
#define TL_REPORT_H
#include "../stream/stream.h"
#include "list.h"
#include "table.h"
#include "../format/format.h"

struct tl_report;

/* `names`: reports of share/reports, or, with a '/' or ending in .jq, files; those of one trace are
 * written one after the other. NULL, and `e` filled, when there is none of a name. `page` says how
 * they are written; its `out` is set per trace. */
struct tl_report *tl_report_new(const char *const *names, size_t n, struct tl_target *target,
	struct tl_report_page page, struct tl_error *e);

/* Whether the reports are of sets (share/reports/README.md), not of traces: give them those alone.
 */
bool tl_report_is_of_sets(const struct tl_report *p);

/* Takes the next record of the stream; the reports of a trace are written at its end (a cut one's
 * too). A report that does not compile ends the tool with status 2. Otherwise returns TL_OK, or
 * TL_USAGE when the target cannot take the trace, or TL_FAILED when the report failed; what it had
 * given until then is written. `e` then has a text, or none when all was said on stderr. */
enum tl_status tl_report_take(
	struct tl_report *p, struct tl_stream *s, const struct tl_record *r, struct tl_error *e);

void tl_report_free(struct tl_report *p);

#endif
