/* Messages: `tl-extract: rank0.json.gz: 2 events skipped, first at byte 1843201` on stderr,
 * lower case, no full stop, one line per kind of thing, never one per event.
 * lib returns errors in a struct tl_error; it calls tl_die only where no caller could go on: wrong
 * usage, memory, output or rules that fail. */
#ifndef TL_BASE_MSG_H
#define TL_BASE_MSG_H
#include <stdbool.h>
#include <stdint.h>

/* Exit statuses, one meaning everywhere (tl.1). */
enum tl_status {
	TL_OK = 0,     /* done */
	TL_DAMAGE = 1, /* done, but this tool passed over damage, or a check asked for did not hold */
	TL_USAGE = 2,  /* wrong usage */
	TL_FAILED = 3, /* could not read, write or finish */
};

/* What lib fills in when a call fails: a message without the program's name. */
struct tl_error {
	char text[512];
	uint64_t offset; /* byte offset in the (inflated) input, where there is one */
};

extern const char *tl_prog; /* the tool's name, set by tl_options */
extern bool tl_quiet;       /* -q: no notes and no progress */

void tl_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tl_note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* silent under -q */
_Noreturn void tl_die(enum tl_status status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tl_fail(struct tl_error *e, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
