/* The Chrome reader: whatever comes in, what goes out is records that can be read. */
#include "../../lib/extract/extract.h"
#include "../../lib/trace/event.h"
#include "fuzz.h"

static void read_events(struct tl_span out)
{
	struct tl_event e;
	for (const char *lf; out.n && (lf = memchr(out.p, '\n', out.n)); out.p = lf + 1) {
		struct tl_span line = {out.p, (size_t)(lf - out.p)};
		if (line.n > 15 && memcmp(line.p, "{\"type\":\"event\"", 15) == 0)
			MUST(tl_event_read(line, &e));
		out.n -= line.n + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct tl_buf text;
	struct tl_extract_options opt = {.max_event = 4096, .args = "all"};
	struct tl_extracted got = {0};
	struct tl_out out;
	struct tl_error e;
	text.n = 0;
	tl_out_to(&out, fuzz_sink, &text);
	tl_extract_read(fuzz_file(0, data, n), 0, &opt, &out, &got, &e);
	tl_out_close(&out);
	fuzz_check_records(tl_buf_all(&text));
	read_events(tl_buf_all(&text));
	return 0;
}
