/* The reader of Perfetto traces. */
#include "../../lib/perfetto/in.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct tl_buf text;
	struct tl_extract_options opt = {.max_event = 4096};
	struct tl_extracted got = {0};
	struct tl_out out;
	struct tl_error e;
	tl_perfetto_is((const char *)data, n);
	struct tl_source *src = tl_source_open(fuzz_file(0, data, n), &e);
	if (!src)
		return 0;
	text.n = 0;
	tl_out_to(&out, fuzz_sink, &text);
	tl_perfetto_read(src, "fuzz", 0, &opt, &out, &got, &e);
	tl_out_close(&out);
	tl_source_close(src);
	fuzz_check_records(tl_buf_all(&text));
	return 0;
}
