/* Damage met while reading a trace: what kind, how often, where first. The codes are the interface
 * (tl-records.5, `end`); this table is the only list of them. */
#ifndef TL_FORMAT_FAULT_H
#define TL_FORMAT_FAULT_H
#include "../stream/stream.h"
#include "../json/json.h"

/* In the order in which they stand in `end`. The first five are those of tl_repair (json/scan.h).
 */
enum tl_fault_code {
	TL_FAULT_BAD_ESCAPE,
	TL_FAULT_CONTROL_CHAR,
	TL_FAULT_BAD_UTF8,
	TL_FAULT_LONE_SURROGATE,
	TL_FAULT_BAD_NUMBER,
	TL_FAULT_BAD_TIME,
	TL_FAULT_BROKEN_EVENT,
	TL_FAULT_NOT_AN_EVENT,
	TL_FAULT_OVERSIZE_EVENT,
	TL_FAULT_TRUNCATED_JSON,
	TL_FAULT_TRUNCATED_GZIP,
	TL_FAULT_BAD_GZIP,
	TL_FAULT_TRAILING_GARBAGE,
	TL_FAULT_CODES
};

struct tl_faults {
	struct {
		uint64_t count;
		uint64_t offset; /* byte offset of the first one in the inflated input */
		char detail[64]; /* of the first one; "" when there is nothing to add */
	} of[TL_FAULT_CODES];
	bool any;
};

const char *tl_fault_says(enum tl_fault_code c); /* for messages: "events skipped: not JSON" */

/* What a reader says of a code instead; with that detail only, when it is not NULL. */
struct tl_fault_text {
	enum tl_fault_code code;
	const char *detail, *says;
};
/* Warns of each code that was met, one line each. */
void tl_faults_say(
	const struct tl_faults *f, const char *source, const struct tl_fault_text *own, size_t n);

void tl_faults_add(
	struct tl_faults *f, enum tl_fault_code c, uint64_t count, uint64_t offset, const char *detail);

enum tl_fault_code tl_fault_of_gzip(enum tl_gzip_damage d); /* d: not TL_GZIP_WHOLE */

/* Puts {"code":...,"count":...,"offset":...,"detail":...}, ... into the open list. */
void tl_faults_put(const struct tl_faults *f, struct tl_write *w);

#endif
