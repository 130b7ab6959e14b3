#include "extract.h"
#include "../chrome/chrome.h"
#include "../perfetto/perfetto.h"

enum form { FORM_UNREAD, FORM_FOREIGN, FORM_PFTRACE, FORM_TEXT };

/* By its first bytes. Waits for more than the first only when that begins no JSON. */
static enum form form_of(struct tl_source *src, const char *name, struct tl_error *e)
{
	char head[4096];
	ssize_t n = 0, had;
	do {
		had = n;
		n = tl_source_peek(src, head, sizeof head, e);
	} while (n > had && head[0] != '{' && head[0] != '[' && n < (ssize_t)sizeof head);
	if (n < 0)
		return FORM_UNREAD;
	if (tl_foreign_bytes((struct tl_span){head, (size_t)n}, name, e))
		return FORM_FOREIGN;
	return n > 0 && tl_perfetto_is(head, (size_t)n) ? FORM_PFTRACE : FORM_TEXT;
}

bool tl_extract_read(const char *name, uint64_t first, const struct tl_extract_options *opt,
	struct tl_out *out, struct tl_extracted *got, struct tl_error *e)
{
	struct tl_source *src = tl_source_open(name, e);
	enum form f = src ? form_of(src, name, e) : FORM_UNREAD;
	bool ok = f == FORM_PFTRACE || f == FORM_TEXT;
	got->no_trace = f == FORM_FOREIGN;
	if (ok)
		ok = (f == FORM_PFTRACE ? tl_perfetto_read : tl_chrome_read)(
			src, name, first, opt, out, got, e);
	tl_source_close(src);
	return ok;
}
