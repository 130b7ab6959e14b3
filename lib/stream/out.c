#include "out.h"
#include "../base/base.h"
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BLOCK (256u * 1024)

/* The half-written file of this run, removed when the run does not reach tl_out_close. */
static char *pending;

static void remove_pending(void)
{
	if (pending)
		unlink(pending);
}

static void killed(int sig)
{
	remove_pending();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void watch(char *temp)
{
	static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
	static bool armed;
	pending = temp;
	if (armed)
		return;
	armed = true;
	atexit(remove_pending);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		if (signal(deadly[i], SIG_IGN) != SIG_IGN) /* nohup, or a job of a script: it stays so */
			signal(deadly[i], killed);
}

static _Noreturn void failed(const struct tl_out *o)
{
	tl_die(TL_FAILED, "%s: cannot write: %s", o->path ? o->path : "stdout", strerror(errno));
}

static void put(const struct tl_out *o, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(o->fd, p, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			failed(o);
		p += w;
		n -= (size_t)w;
	}
}

static void deflate_block(struct tl_out *o, const char *p, size_t n, int flush)
{
	static char buf[BLOCK];
	z_stream *z = o->gz;
	z->next_in = (unsigned char *)(uintptr_t)p;
	z->avail_in = (unsigned)n;
	do {
		z->next_out = (unsigned char *)buf;
		z->avail_out = sizeof buf;
		deflate(z, flush);
		put(o, buf, sizeof buf - z->avail_out);
	} while (z->avail_out == 0);
}

/* Opens a file beside the target; devices and pipes are written directly. */
static void open_file(struct tl_out *o, const char *path)
{
	struct stat st;
	o->path = strdup(path);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		struct tl_buf b = {0};
		const char *slash = strrchr(path, '/');
		size_t dir = slash ? (size_t)(slash + 1 - path) : 0;
		tl_buf_printf(&b, "%.*s.%s.%ld", (int)dir, path, path + dir, (long)getpid());
		o->temp = b.p;
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (o->fd >= 0)
			watch(o->temp);
	}
	if (o->fd < 0)
		tl_die(TL_FAILED, "%s: cannot write: %s", path, strerror(errno));
}

void tl_out_open(struct tl_out *o, const char *path, bool gzip)
{
	*o = (struct tl_out){.fd = STDOUT_FILENO, .cap = BLOCK, .p = tl_alloc(BLOCK)};
	if (path && strcmp(path, "-") != 0)
		open_file(o, path);
	else
		tl_pipe_enlarge(o->fd);
	if (gzip) {
		z_stream *z = o->gz = tl_calloc(1, sizeof *z);
		/* 15 + 16: a gzip header, with time 0, so that two runs give the same bytes */
		if (deflateInit2(z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
			tl_die(TL_FAILED, "out of memory");
	}
}

void tl_out_to(struct tl_out *o, void (*sink)(void *ctx, const char *p, size_t n), void *ctx)
{
	*o = (struct tl_out){.fd = -1, .cap = BLOCK, .p = tl_alloc(BLOCK), .sink = sink, .ctx = ctx};
}

static void emit(struct tl_out *o, const char *p, size_t n)
{
	if (o->sink)
		o->sink(o->ctx, p, n);
	else if (o->gz)
		deflate_block(o, p, n, Z_NO_FLUSH);
	else
		put(o, p, n);
	o->total += n;
}

void tl_out_flush(struct tl_out *o)
{
	if (o->n)
		emit(o, o->p, o->n);
	o->n = 0;
}

char *tl_out_reserve(struct tl_out *o, size_t n)
{
	if (o->cap - o->n < n) {
		tl_out_flush(o);
		if (o->cap < n) {
			o->p = tl_realloc(o->p, n, 1);
			o->cap = n;
		}
	}
	return o->p + o->n;
}

void tl_out_slow(struct tl_out *o, const char *p, size_t n)
{
	tl_out_flush(o);
	while (n >= o->cap) {
		emit(o, p, o->cap);
		p += o->cap;
		n -= o->cap;
	}
	memcpy(o->p, p, n);
	o->n = n;
}

static void end(struct tl_out *o, bool keep)
{
	tl_out_flush(o);
	if (o->gz) {
		deflate_block(o, NULL, 0, Z_FINISH);
		deflateEnd(o->gz);
		free(o->gz);
	}
	/* a closed stdout (>&-) is an error only when something was to be written: put() said so */
	if (!o->sink && close(o->fd) != 0 && errno != EBADF)
		failed(o);
	if (o->temp && keep && rename(o->temp, o->path) != 0)
		failed(o);
	if (o->temp && !keep)
		unlink(o->temp);
	if (o->temp)
		pending = NULL;
	free(o->p);
	free(o->path);
	free(o->temp);
	*o = (struct tl_out){.fd = -1};
}

void tl_out_close(struct tl_out *o)
{
	end(o, true);
}

void tl_out_discard(struct tl_out *o)
{
	end(o, false);
}
