/* The reader of activity windows, alone, and beside a trace when the input holds a NUL byte (the
 * trace is what follows it). */
#include "../../lib/window/window.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct tl_buf text;
	struct tl_extract_options opt = {.max_event = 4096, .args = "all"};
	struct tl_extracted got = {0};
	struct tl_out out;
	struct tl_error e;
	const uint8_t *nul = n ? memchr(data, 0, n) : NULL;
	size_t first = nul ? (size_t)(nul - data) : n;
	char *beside = nul ? fuzz_file(1, nul + 1, n - first - 1) : NULL;
	for (int compat = 0; compat < 2; compat++) {
		text.n = 0;
		tl_out_to(&out, fuzz_sink, &text);
		tl_window_read(fuzz_file(0, data, first), beside, compat, &opt, &out, &got, &e);
		tl_out_close(&out);
		fuzz_check_records(tl_buf_all(&text));
	}
	return 0;
}
