/* What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput (fuzz.sh builds and
 * runs it); what must hold of any input is said with MUST, so that its failure is a crash. */
#ifndef FUZZ_H
#define FUZZ_H
#include "../../lib/json/json.h"
#include "../../lib/stream/option.h"
#include "../../lib/stream/out.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MUST(c) ((c) ? (void)0 : must_failed(#c, __FILE__, __LINE__))

static inline _Noreturn void must_failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: must hold: %s\n", file, line, what);
	abort();
}

/* The path of a file in memory with these bytes; slot 0 or 1. It holds until the next call. */
static inline char *fuzz_file(int slot, const uint8_t *data, size_t n)
{
	static int fd[2] = {-1, -1};
	static char path[2][32];
	if (fd[slot] < 0) {
		fd[slot] = memfd_create("fuzz", 0);
		snprintf(path[slot], sizeof path[slot], "/proc/self/fd/%d", fd[slot]);
	}
	MUST(ftruncate(fd[slot], 0) == 0 && pwrite(fd[slot], data, n, 0) == (ssize_t)n);
	return path[slot];
}

static inline bool fuzz_is_zstd(const uint8_t *data, size_t n)
{
	return n >= 4 && memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* Output into a buffer. */
static inline void fuzz_sink(void *ctx, const char *p, size_t n)
{
	tl_buf_add(ctx, p, n);
}

/* Every line of the output must be one record: a JSON object that starts with its type. */
static inline void fuzz_check_records(struct tl_span out)
{
	while (out.n) {
		const char *lf = memchr(out.p, '\n', out.n);
		MUST(lf);
		struct tl_span line = {out.p, (size_t)(lf - out.p)};
		MUST(line.n > 9 && memcmp(line.p, "{\"type\":\"", 9) == 0);
		MUST(tl_json_valid(line));
		out.p += line.n + 1;
		out.n -= line.n + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
