/* Where rendered traces go: stdout, one file, or, with {trace} or {rank} in the name of -o, a file
 * for each trace of the stream.
 *
 *     struct tl_target t = {.pattern = tl_common.output, .gzip = opt.gzip};
 *     if (!tl_target_open(&t, rank, &e)) tl_die(TL_USAGE, "%s", e.text);
 *     ... write to t.out ...
 *     tl_target_end(&t);      after each trace
 *     tl_target_close(&t, true);  after the last one
 *
 * A name that ends in .gz is gzipped whether `gzip` is set or not. Nothing is created before the
 * first trace is opened. */
#ifndef TL_FORMAT_TARGET_H
#define TL_FORMAT_TARGET_H
#include "../base/base.h"
#include "../stream/stream.h"

struct tl_target {
	const char *pattern; /* NULL or "-": stdout */
	bool gzip;
	bool several; /* traces may follow one another in one output */
	struct tl_out out;
	bool open;
	char **names; /* of the files written */
	size_t n, cap;
	int64_t *ranks; /* labelled so far */
	size_t n_ranks, cap_ranks, labels;
};

/* True when the name depends on the rank. */
bool tl_target_by_rank(const struct tl_target *t);
/* True when every trace gets a file of its own. */
bool tl_target_each(const struct tl_target *t);

/* Makes `out` ready for the next trace. {trace} is its place, from 0. `rank`: JSON text, empty when
 * not known. False, and `e` filled, when the traces of the stream cannot be written to what -o
 * says; dies (TL_FAILED) when the file cannot be opened. */
bool tl_target_open(struct tl_target *t, struct tl_span rank, struct tl_error *e);
/* Appends what tells a trace apart in a document with others: "rank3", "trace1" without a rank
 * ({trace}'s number), and "rank3.1" when another trace had that rank. To be asked once for each. */
void tl_target_label(struct tl_target *t, struct tl_span rank, struct tl_buf *label);

void tl_target_end(struct tl_target *t);
/* Not `whole`: the run could not finish, and a target that is still open stays as it was. */
void tl_target_close(struct tl_target *t, bool whole);

#endif
