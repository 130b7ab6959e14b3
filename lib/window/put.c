/* Pieces of a line that several kinds of rows have. */
#include "inside.h"

/* A GPU's pid is its number; text where a host process has that number (not compat). */
void window_put_gpu_pid(struct window *w, int64_t device)
{
	if (!w->compat && tl_intmap_find(&w->host_pids, device)) {
		tl_put_key(w->line, "pid");
		tl_buf_printf(&w->line->b, "\"GPU %lld\"", (long long)device);
	} else {
		tl_put_i64(w->line, "pid", device);
	}
}

void window_put_tid(struct window *w, int64_t tid)
{
	if (w->compat && tid < 0)
		tid = tid == INT64_MIN ? 0 : -tid;
	tl_put_i64(w->line, "tid", tid);
}

int64_t window_ts(const struct window *w, int64_t ns)
{
	int64_t ts = tl_ns_sub(ns, w->base);
	return w->compat && ts < 0 ? 0 : ts;
}

int64_t window_dur(int64_t start, int64_t end)
{
	return end > start ? tl_ns_sub(end, start) : 0;
}

void window_span(struct window *w, int64_t ts, int64_t dur)
{
	int64_t end = tl_ns_add(ts, dur);
	if (!w->any_span || ts < w->span_first)
		w->span_first = ts;
	if (!w->any_span || end > w->span_last)
		w->span_last = end;
	w->any_span = true;
}
