/* The stream between the tools (tl-records.5): records in, records out.
 *
 *     struct tl_stream *s = tl_stream_open(argv + first, argc - first);
 *     struct tl_record r;
 *     while (tl_stream_next(s, &r)) {
 *         if (r.kind == TL_END || r.kind == TL_CUT)
 *             write_what_i_know(s);          // derived records: just before `end`
 *         tl_stream_pass(s, &r);
 *     }
 *     return tl_stream_close(s);             // exit status
 *
 * Lines stay valid until the next tl_stream_next, or, after tl_stream_hold(s, true), until
 * tl_stream_forget(s): for tools that keep a whole trace. The stream owns them. */
#ifndef TL_STREAM_RECORDS_H
#define TL_STREAM_RECORDS_H
#include "out.h"

enum tl_kind {
	TL_DERIVED, /* any other type, known or not: see `type` */
	TL_TRACE,
	TL_META,
	TL_EVENT,
	TL_END,
	TL_CUT, /* the stream ended inside a trace: no line; said once per open trace, at its end */
};

struct tl_record {
	struct tl_span line; /* the object, without LF */
	struct tl_span type; /* without quotes */
	enum tl_kind kind;
	uint64_t trace;
};

struct tl_stream;

/* Opens the files (none: stdin; "-" is stdin), gzip found by magic bytes, and the output that
 * -o names. Dies with status 3 when a file cannot be opened. */
struct tl_stream *tl_stream_open(char **files, int n);

/* What becomes of sets: traces of format ranks or diff, which say something of other traces and are
 * themselves nothing that a GPU did. Unless told otherwise they pass unseen. */
enum tl_sets {
	TL_SETS_PASS,  /* tl_stream_next writes their records and does not give them */
	TL_SETS_GIVE,  /* they are given as other traces are */
	TL_SETS_DROP,  /* neither given nor written */
	TL_SETS_ALONE, /* they are given, and all else is dropped */
};
void tl_stream_sets(struct tl_stream *s, enum tl_sets what);

/* Whether the record that tl_stream_next gave last is of a set. */
bool tl_stream_is_of_set(const struct tl_stream *s);

/* The next record. Blank lines are passed over. A line that is no record ends the tool with
 * file:line and status 3, or is left out and counted under --skip-bad. False at the end. */
bool tl_stream_next(struct tl_stream *s, struct tl_record *r);

/* For a tool that finds out itself that a line is broken (its fields cannot be read): counted and
 * left out under --skip-bad, else ends the tool. */
void tl_stream_bad(struct tl_stream *s, const struct tl_record *r);

/* Whether the line is JSON to its last byte, UTF-8 and all: tl_stream_next looks at its head and
 * its end alone. For those who write a line in another form, or make figures of all it holds.
 * False: it ended the tool, with its place, or was left out and counted under --skip-bad. */
bool tl_stream_check(struct tl_stream *s, const struct tl_record *r);

/* Writes the record as it came (nothing for TL_CUT; with -n, nothing for event and meta). */
void tl_stream_pass(struct tl_stream *s, const struct tl_record *r);

/* The record's line with members appended: `more` is `,"key":value...`. Keys in `drop` (names
 * ended by NULL, or NULL) are taken out of the line first. Under -n, as tl_stream_pass. */
void tl_stream_pass_with(
	struct tl_stream *s, const struct tl_record *r, struct tl_span more, const char *const *drop);

/* One whole derived record (without LF). */
void tl_stream_write(struct tl_stream *s, struct tl_span line);

void tl_stream_hold(struct tl_stream *s, bool on);
void tl_stream_forget(struct tl_stream *s);

struct tl_out *tl_stream_out(struct tl_stream *s);

/* False as long as the stream holds no trace, and once it turned out to be cut. */
bool tl_stream_whole(const struct tl_stream *s);

/* Closes the output (of a stream that is not whole a file stays as it was) and says what the stream
 * lacked. Returns the exit status: 3 for a cut or empty stream, 1 when lines were left out, else 0.
 */
int tl_stream_close(struct tl_stream *s);

#endif
