#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define SLOT_SIZE (512u * 1024)
#define SLOTS 4
#define IN_SIZE (256u * 1024)

struct slot {
	unsigned char *p;
	size_t n;
};

struct tl_source {
	int fd;
	uint64_t size;
	_Atomic uint64_t raw, members;
	bool gzip, at_end;
	unsigned char *in; /* what was read ahead to see the magic bytes; then the inflater's input */
	size_t in_n, in_at;
	char *peeked; /* given out before anything else */
	size_t peeked_n, peeked_at;

	/* A ring of inflated blocks: the inflater fills slot `head`, the reader empties slot `tail`. */
	struct slot ring[SLOTS];
	size_t slot_at; /* bytes of the tail slot already taken */
	unsigned head, tail;
	bool finished, started;
	_Atomic bool stop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	enum tl_gzip_damage damage;
	uint64_t inflated; /* bytes inflated, where the damage lies */
	int read_errno;
};

void tl_pipe_enlarge(int fd)
{
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		(void)fcntl(fd, F_SETPIPE_SZ, 1 << 20);
}

static ssize_t read_some(struct tl_source *s, void *buf, size_t n)
{
	ssize_t r;
	do
		r = read(s->fd, buf, n);
	while (r < 0 && errno == EINTR);
	if (r > 0)
		s->raw += (uint64_t)r;
	return r;
}

/* Inflater's side: more input; false at the end of the file or on an error of read. */
static bool refill(struct tl_source *s, z_stream *z)
{
	ssize_t r = read_some(s, s->in, IN_SIZE);
	if (r < 0)
		s->read_errno = errno;
	z->next_in = s->in;
	z->avail_in = r > 0 ? (unsigned)r : 0;
	return r > 0;
}

/* Inflater's side: hands over the slot at head and waits for the next; false when told to stop. */
static bool hand_over(struct tl_source *s, z_stream *z)
{
	pthread_mutex_lock(&s->lock);
	s->ring[s->head % SLOTS].n = SLOT_SIZE - z->avail_out;
	s->inflated += SLOT_SIZE - z->avail_out;
	s->head++;
	pthread_cond_signal(&s->filled);
	while (!s->stop && s->head - s->tail == SLOTS)
		pthread_cond_wait(&s->emptied, &s->lock);
	bool go = !s->stop;
	pthread_mutex_unlock(&s->lock);
	z->next_out = s->ring[s->head % SLOTS].p;
	z->avail_out = SLOT_SIZE;
	return go;
}

/* After a member: true when another one follows, else what stands there is told in damage. */
static bool next_member(struct tl_source *s, z_stream *z)
{
	/* gzip(1) ignores zeros behind the last member: tapes and block devices pad with them */
	for (;;) {
		while (z->avail_in && *z->next_in == 0)
			z->next_in++, z->avail_in--;
		if (z->avail_in)
			break;
		if (!refill(s, z))
			return false;
	}
	if (*z->next_in != 0x1f) {
		s->damage = TL_GZIP_TRAILING;
		return false;
	}
	s->members++;
	return inflateReset(z) == Z_OK;
}

static void inflate_all(struct tl_source *s, z_stream *z)
{
	for (;;) {
		if (z->avail_in == 0 && !refill(s, z)) {
			s->damage = s->read_errno ? TL_GZIP_WHOLE : TL_GZIP_TRUNCATED;
			return;
		}
		int rc = inflate(z, Z_NO_FLUSH);
		if (z->avail_out == 0 && !hand_over(s, z))
			return;
		if (rc == Z_STREAM_END) {
			if (!next_member(s, z))
				return;
		} else if (rc != Z_OK && rc != Z_BUF_ERROR) {
			s->damage = TL_GZIP_BAD;
			return;
		}
	}
}

static void *inflater(void *arg)
{
	struct tl_source *s = arg;
	z_stream z = {.next_in = s->in, .avail_in = (unsigned)s->in_n};
	z.next_out = s->ring[0].p;
	z.avail_out = SLOT_SIZE;
	if (inflateInit2(&z, 15 + 16) == Z_OK) {
		inflate_all(s, &z);
		if (z.avail_out < SLOT_SIZE && !s->stop)
			hand_over(s, &z);
		inflateEnd(&z);
	} else {
		s->damage = TL_GZIP_BAD;
	}
	pthread_mutex_lock(&s->lock);
	s->finished = true;
	pthread_cond_signal(&s->filled);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static bool start_inflater(struct tl_source *s)
{
	for (int i = 0; i < SLOTS; i++)
		s->ring[i].p = tl_alloc(SLOT_SIZE);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->filled, NULL);
	pthread_cond_init(&s->emptied, NULL);
	s->started = pthread_create(&s->thread, NULL, inflater, s) == 0;
	return s->started;
}

/* The first bytes decide what the file is; a pipe may give them one by one. */
static bool peek(struct tl_source *s, struct tl_error *e)
{
	s->in = tl_alloc(IN_SIZE);
	while (s->in_n < 4) {
		ssize_t r = read_some(s, s->in + s->in_n, IN_SIZE - s->in_n);
		if (r < 0) {
			tl_fail(e, s->in_n, "cannot read: %s", strerror(errno));
			return false;
		}
		if (r == 0)
			break;
		s->in_n += (size_t)r;
	}
	return true;
}

struct tl_source *tl_source_open(const char *name, struct tl_error *e)
{
	struct tl_source *s = tl_calloc(1, sizeof *s);
	struct stat st;
	bool is_stdin = strcmp(name, "-") == 0;
	s->fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0) {
		tl_fail(e, 0, "cannot open: %s", strerror(errno));
		free(s);
		return NULL;
	}
	if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode))
		s->size = (uint64_t)st.st_size;
	tl_pipe_enlarge(s->fd);
	if (!peek(s, e)) {
		tl_source_close(s);
		return NULL;
	}
	if (s->in_n >= 4 && memcmp(s->in, "\x28\xb5\x2f\xfd", 4) == 0) {
		tl_fail(e, 0, "zstd input: use zstd -dc %s | %s", is_stdin ? "" : name, tl_prog);
		tl_source_close(s);
		return NULL;
	}
	s->gzip = s->in_n >= 2 && s->in[0] == 0x1f && s->in[1] == 0x8b;
	if (s->gzip && !start_inflater(s)) {
		tl_fail(e, 0, "cannot start a thread");
		tl_source_close(s);
		return NULL;
	}
	return s;
}

static ssize_t read_ring(struct tl_source *s, void *buf, size_t n, struct tl_error *e)
{
	pthread_mutex_lock(&s->lock);
	while (s->head == s->tail && !s->finished)
		pthread_cond_wait(&s->filled, &s->lock);
	bool empty = s->head == s->tail;
	pthread_mutex_unlock(&s->lock);
	if (empty) {
		s->at_end = true;
		if (s->read_errno) {
			tl_fail(e, s->inflated, "cannot read: %s", strerror(s->read_errno));
			return -1;
		}
		return 0;
	}
	struct slot *slot = &s->ring[s->tail % SLOTS];
	if (n > slot->n - s->slot_at)
		n = slot->n - s->slot_at;
	memcpy(buf, slot->p + s->slot_at, n);
	s->slot_at += n;
	if (s->slot_at == slot->n) {
		pthread_mutex_lock(&s->lock);
		s->slot_at = 0;
		s->tail++;
		pthread_cond_signal(&s->emptied);
		pthread_mutex_unlock(&s->lock);
	}
	return (ssize_t)n;
}

static ssize_t read_next(struct tl_source *s, void *buf, size_t n, struct tl_error *e)
{
	if (s->at_end || n == 0)
		return 0;
	if (s->gzip)
		return read_ring(s, buf, n, e);
	if (s->in_at < s->in_n) {
		n = n < s->in_n - s->in_at ? n : s->in_n - s->in_at;
		memcpy(buf, s->in + s->in_at, n);
		s->in_at += n;
		return (ssize_t)n;
	}
	ssize_t r = read_some(s, buf, n);
	if (r < 0)
		tl_fail(e, s->raw, "cannot read: %s", strerror(errno));
	s->at_end = r == 0;
	return r;
}

ssize_t tl_source_read(struct tl_source *s, void *buf, size_t n, struct tl_error *e)
{
	size_t left = s->peeked_n - s->peeked_at;
	if (!left || !n)
		return read_next(s, buf, n, e);
	n = n < left ? n : left;
	memcpy(buf, s->peeked + s->peeked_at, n);
	s->peeked_at += n;
	return (ssize_t)n;
}

ssize_t tl_source_peek(struct tl_source *s, void *buf, size_t n, struct tl_error *e)
{
	s->peeked = tl_realloc(s->peeked, n, 1);
	ssize_t r = read_next(s, s->peeked + s->peeked_n, n - s->peeked_n, e);
	if (r < 0)
		return r;
	s->peeked_n += (size_t)r;
	memcpy(buf, s->peeked, s->peeked_n);
	return (ssize_t)s->peeked_n;
}

enum tl_gzip_damage tl_source_damage(const struct tl_source *s, uint64_t *offset)
{
	*offset = s->inflated;
	return s->at_end ? s->damage : TL_GZIP_WHOLE;
}

uint64_t tl_source_members(const struct tl_source *s)
{
	return s->members + s->gzip;
}

uint64_t tl_source_raw(const struct tl_source *s)
{
	return s->raw;
}

uint64_t tl_source_size(const struct tl_source *s)
{
	return s->size;
}

void tl_source_close(struct tl_source *s)
{
	if (!s)
		return;
	if (s->started) {
		pthread_mutex_lock(&s->lock);
		s->stop = true;
		pthread_cond_signal(&s->emptied);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	for (int i = 0; i < SLOTS; i++)
		free(s->ring[i].p);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	free(s->in);
	free(s->peeked);
	free(s);
}
