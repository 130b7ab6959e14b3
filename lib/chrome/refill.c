#include "inside.h"
#include "../base/base.h"
#include <stdlib.h>

#define WINDOW (1024u * 1024)

static void fit_scratch(struct chrome_reader *r)
{
	free(r->scratch);
	/* untouched pages cost nothing: only a window full of control characters needs all of it */
	r->scratch = tl_alloc((r->cap + TL_SCAN_PAD) * TL_SCAN_GROWTH + 256);
}

bool chrome_refill(struct chrome_reader *r, const char *keep)
{
	if (r->sc.final || r->failed)
		return false;
	if (r->pin < chrome_offset(r, keep))
		keep = chrome_at(r, r->pin);
	size_t left = (size_t)(r->sc.end - keep), at = (size_t)(r->sc.p - keep), target = left + 1;
	r->base += (uint64_t)(keep - r->win);
	memmove(r->win, keep, left);
	if (left > r->cap / 2) {
		r->cap *= 2;
		r->win = tl_realloc(r->win, r->cap + TL_SCAN_PAD, 1);
		fit_scratch(r);
	}
	if (left > 4096)
		target = left * 2;
	while (left < target) {
		ssize_t n = tl_source_read(r->src, r->win + left, r->cap - left, r->e);
		if (n < 0)
			r->failed = true;
		if (n <= 0)
			r->sc.final = true;
		if (n <= 0)
			break;
		left += (size_t)n;
	}
	memset(r->win + left, 0, TL_SCAN_PAD);
	r->sc.p = r->win + at;
	r->sc.end = r->win + left;
	tl_progress(tl_source_raw(r->src), tl_source_size(r->src));
	return at < left || !r->sc.final;
}

bool chrome_skip_blank(struct chrome_reader *r)
{
	for (;;) {
		tl_scan_blank(&r->sc);
		if (r->sc.p < r->sc.end)
			return true;
		if (!chrome_refill(r, r->sc.p))
			return false;
	}
}

void chrome_window_open(struct chrome_reader *r)
{
	r->cap = WINDOW;
	r->pin = UINT64_MAX;
	r->win = tl_calloc(r->cap + TL_SCAN_PAD, 1);
	r->sc.p = r->sc.end = r->win;
	fit_scratch(r);
}

void chrome_fault_at(
	struct chrome_reader *r, enum tl_fault_code c, uint64_t n, uint64_t offset, const char *detail)
{
	tl_faults_add(&r->f.faults, c, n, offset, detail);
	if (r->opt->strict && !r->failed) {
		tl_fail(r->e, offset, "%s, at byte %llu", tl_fault_says(c), (unsigned long long)offset);
		r->failed = true;
	}
}

void chrome_take_repairs(struct chrome_reader *r)
{
	for (int i = 0; i < TL_REPAIRS; i++) {
		if (!r->sc.repair[i].count)
			continue;
		chrome_fault_at(r, (enum tl_fault_code)i, r->sc.repair[i].count,
			chrome_offset(r, r->sc.repair[i].first), NULL);
		r->sc.repair[i].count = 0;
	}
	r->sc.repairs = 0;
}

void chrome_forget_repairs(struct chrome_reader *r)
{
	for (int i = 0; i < TL_REPAIRS && r->sc.repairs; i++)
		r->sc.repair[i].count = 0;
	r->sc.repairs = 0;
}

enum tl_scan_result chrome_scan_event(struct chrome_reader *r)
{
	for (;;) {
		const char *start = r->sc.p;
		r->sc.o = r->scratch;
		enum tl_scan_result res = tl_chrome_event_scan(&r->sc, &r->ev, r->opt);
		if (res == TL_SCAN_OK)
			return res;
		chrome_forget_repairs(r);
		if (res == TL_SCAN_BAD)
			return res;
		r->sc.p = start;
		if ((size_t)(r->sc.end - start) >= r->opt->max_event || !chrome_refill(r, start))
			return TL_SCAN_MORE;
	}
}
