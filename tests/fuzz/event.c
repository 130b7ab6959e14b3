/* tl_event_read on one line. */
#include "../../lib/trace/event.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct tl_event e;
	char *copy = malloc(n ? n : 1);
	if (n)
		memcpy(copy, data, n);
	if (tl_event_read((struct tl_span){copy, n}, &e)) {
		for (int f = 0; f < TL_F_COUNT; f++)
			MUST(e.f[f].n == 0 || (e.f[f].p > copy && e.f[f].p + e.f[f].n < copy + n));
		MUST(e.dur >= 0 && e.end >= e.ts);
		tl_event_is_gpu_op(&e);
		tl_is_graph_launch(e.f[TL_F_NAME]);
	}
	free(copy);
	return 0;
}
