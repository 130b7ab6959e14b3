#include "clip.h"
#include "../json/json.h"

void tl_overrun_add(struct tl_overrun *r, int64_t ts, int64_t end, size_t at)
{
	if (r->ops == 0) {
		r->first = ts;
		r->last = end;
	} else if (r->ts != ts) {
		int64_t over = tl_ns_sub(r->end, ts);
		if (over > TL_OVERRUN_COUNTS) {
			r->overlapping++;
			r->excess = tl_ns_add(r->excess, over);
		}
		if (over > r->worst_excess) {
			r->worst_excess = over;
			r->worst = r->at;
		}
	}
	r->ops++;
	r->device = tl_ns_add(r->device, tl_ns_sub(end, ts));
	r->last = end > r->last ? end : r->last;
	r->ts = ts;
	r->end = end;
	r->at = at;
}

double tl_overrun_share(const struct tl_overrun *r)
{
	return r->device > 0 ? (double)r->excess / (double)r->device : 0;
}

bool tl_overrun_impossible(const struct tl_overrun *r)
{
	return r->worst_excess >= TL_OVERRUN_FAULT && tl_overrun_share(r) >= TL_OVERRUN_SHARE;
}

int64_t tl_clip_end(int64_t ts, int64_t end, int64_t next_ts)
{
	if (next_ts <= ts || tl_ns_sub(end, next_ts) < TL_OVERRUN_FAULT)
		return end;
	return next_ts;
}
