#include "extract.h"
#include "../chrome/chrome.h"
#include "../perfetto/perfetto.h"

/* 1: a Perfetto trace, 0: none, -1: reading failed. Waits for more than the first byte only when
 * that may begin one. */
static int is_pftrace(struct tl_source *src, struct tl_error *e)
{
	char head[4096];
	ssize_t n = 0, had;
	do {
		had = n;
		n = tl_source_peek(src, head, sizeof head, e);
	} while (n > had && head[0] == 0x0a && n < (ssize_t)sizeof head);
	return n < 0 ? -1 : n > 0 && tl_perfetto_is(head, (size_t)n);
}

bool tl_extract_read(const char *name, uint64_t first, const struct tl_extract_options *opt,
	struct tl_out *out, struct tl_extracted *got, struct tl_error *e)
{
	struct tl_source *src = tl_source_open(name, e);
	int pftrace = src ? is_pftrace(src, e) : -1;
	bool ok = pftrace >= 0 &&
			  (pftrace ? tl_perfetto_read : tl_chrome_read)(src, name, first, opt, out, got, e);
	tl_source_close(src);
	return ok;
}
