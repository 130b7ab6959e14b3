/* Checked output. Bytes are gathered in 256 KiB and written with write(2); a pipe is enlarged to
 * 1 MiB where the system allows it. An error in any write, the last flush and the close included,
 * ends the tool with exit status 3 and a message (`/dev/full` fails loudly); SIGPIPE is left at
 * its default. With a path, bytes go to a file beside it that is renamed by tl_out_close: a killed
 * run leaves no half file. */
#ifndef TL_STREAM_OUT_H
#define TL_STREAM_OUT_H
#include "../base/base.h"
#include <stdint.h>

struct tl_out {
	char *p;
	size_t n, cap;
	int fd;
	bool line_buffered;
	char *path, *temp;                                /* NULL for stdout */
	void *gz;                                         /* deflate state when the output is gzipped */
	uint64_t total;                                   /* bytes taken so far */
	void (*sink)(void *ctx, const char *p, size_t n); /* where bytes go instead, or NULL */
	void *ctx;
};

/* Opens `path` (NULL or "-": stdout), compressed when `gzip`. Dies when that fails. */
void tl_out_open(struct tl_out *o, const char *path, bool gzip);
/* An output whose blocks go to `sink`. */
void tl_out_to(struct tl_out *o, void (*sink)(void *ctx, const char *p, size_t n), void *ctx);
void tl_out_flush(struct tl_out *o);
/* Flushes, closes, renames; dies when that fails. This or tl_out_discard must be called: nothing
 * else flushes. */
void tl_out_close(struct tl_out *o);
/* The same for a run that could not finish (exit status 3): what was written beside a target is
 * removed, and the target stays as it was. */
void tl_out_discard(struct tl_out *o);
/* Room for n bytes in a row behind o->n, where the caller writes and then adds to o->n. */
char *tl_out_reserve(struct tl_out *o, size_t n);
void tl_out_slow(struct tl_out *o, const char *p, size_t n);

static inline void tl_out_add(struct tl_out *o, const void *p, size_t n)
{
	if (o->cap - o->n < n) {
		tl_out_slow(o, p, n);
		return;
	}
	if (n)
		memcpy(o->p + o->n, p, n);
	o->n += n;
}

static inline void tl_out_span(struct tl_out *o, struct tl_span s)
{
	tl_out_add(o, s.p, s.n);
}

#define tl_out_lit(o, s) tl_out_add((o), (s), sizeof(s) - 1)

/* Ends a line: LF, and a flush when --line-buffered. */
static inline void tl_out_eol(struct tl_out *o)
{
	tl_out_add(o, "\n", 1);
	if (o->line_buffered)
		tl_out_flush(o);
}

#endif
