#include "replaced.h"
#include "../json/json.h"

bool tl_is_replaced(const struct tl_event *e)
{
	if (e->f[TL_F_FROM].n)
		return false;
	struct tl_span name = tl_json_inner(e->f[TL_F_NAME]), cat = tl_json_inner(e->f[TL_F_CAT]);
	return tl_span_eq(name, TL_LIT("Iteration Start: PyTorch Profiler")) ||
		   tl_span_eq(name, TL_LIT("Record Window End")) ||
		   (tl_span_eq(cat, TL_LIT("Trace")) && tl_span_eq(name, TL_LIT("PyTorch Profiler (0)")));
}
