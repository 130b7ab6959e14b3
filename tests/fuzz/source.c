/* The byte source, gzip above all: the same bytes and the same verdict whatever the size of reads.
 */
#include "../../lib/stream/source.h"
#include "fuzz.h"

#define MOST (8u << 20) /* inflated bytes that are read */

static enum tl_gzip_damage read_all(const char *file, size_t step, struct tl_buf *got, bool *whole)
{
	struct tl_error e;
	struct tl_source *s = tl_source_open(file, &e);
	enum tl_gzip_damage damage = TL_GZIP_WHOLE;
	ssize_t n = 0;
	got->n = 0;
	*whole = false;
	if (!s)
		return damage;
	while (got->n < MOST) {
		tl_buf_more(got, step);
		n = tl_source_read(s, got->p + got->n, step, &e);
		MUST(n >= 0 && (size_t)n <= step);
		if (n == 0)
			break;
		got->n += (size_t)n;
	}
	*whole = n == 0;
	if (*whole) {
		uint64_t offset;
		damage = tl_source_damage(s, &offset);
		MUST(damage == TL_GZIP_WHOLE || offset <= got->n);
	}
	tl_source_close(s);
	return damage;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct tl_buf once, twice;
	bool all, all_again;
	const char *file = fuzz_file(0, data, n);
	enum tl_gzip_damage a = read_all(file, 1 << 20, &once, &all);
	enum tl_gzip_damage b = read_all(file, 4093, &twice, &all_again);
	if (all && all_again)
		MUST(a == b && tl_span_eq(tl_buf_all(&once), tl_buf_all(&twice)));
	return 0;
}
