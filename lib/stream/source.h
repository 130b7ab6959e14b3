/* Where bytes come from: a file or stdin, gzip found by its magic bytes (any number of members,
 * inflated on a thread of its own), zstd recognised and named. */
#ifndef TL_STREAM_SOURCE_H
#define TL_STREAM_SOURCE_H
#include "../base/base.h"
#include <sys/types.h>

struct tl_source;

/* Opens `name` ("-": stdin). NULL and `e` filled when it cannot be opened or is zstd. */
struct tl_source *tl_source_open(const char *name, struct tl_error *e);

/* Up to n bytes into buf: as many as are at hand, at least 1; 0 at the end; -1 and `e` filled on an
 * error of read(2). Damage of gzip ends the bytes (0): see tl_source_damage. */
ssize_t tl_source_read(struct tl_source *s, void *buf, size_t n, struct tl_error *e);

/* The first bytes, up to n, without taking them: what the next reads begin with. Each call waits
 * for some more of them (the same number again: there are no more). To be called before anything is
 * read; -1 and `e` filled on an error. */
ssize_t tl_source_peek(struct tl_source *s, void *buf, size_t n, struct tl_error *e);

/* What the container lacked, once the end is reached. `offset` counts inflated bytes. */
enum tl_gzip_damage { TL_GZIP_WHOLE, TL_GZIP_TRUNCATED, TL_GZIP_BAD, TL_GZIP_TRAILING };
enum tl_gzip_damage tl_source_damage(const struct tl_source *s, uint64_t *offset);

/* How many gzip members were begun so far; 0: no gzip. */
uint64_t tl_source_members(const struct tl_source *s);

uint64_t tl_source_raw(const struct tl_source *s);  /* bytes of the file read so far */
uint64_t tl_source_size(const struct tl_source *s); /* bytes of the file; 0: not known (a pipe) */
void tl_source_close(struct tl_source *s);

/* Asks for a 1 MiB pipe at fd; does nothing when fd is no pipe or the system says no. */
void tl_pipe_enlarge(int fd);

#endif
