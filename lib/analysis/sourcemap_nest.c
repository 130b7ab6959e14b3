#include "sourcemap_impl.h"
#include "../io/time.h"
#include <stdlib.h>

/* B events close with the E that follows on their thread, the innermost first. Halves stand in file
 * order, which decides between equal times. */

static void close_half(struct tl_sourcemap *m, uint32_t target, int64_t end)
{
	if (target == NONE)
		return;
	if (target & HALF_GPU)
		m->gpu[target & ~HALF_GPU].dur = tl_ns_sub(end, m->gpu[target & ~HALF_GPU].ts);
	else
		m->host[target].end = end;
}

/* A row whose E never came ends nowhere: it is no span. */
static void leave_open(struct tl_sourcemap *m, uint32_t target)
{
	if (target != NONE && !(target & HALF_GPU))
		m->host[target].kind = HOST_OTHER;
}

static struct tl_sort *sorted_halves(const struct tl_sourcemap *m)
{
	struct tl_sort *v = tl_alloc(m->n_halves * sizeof *v);
	for (size_t i = 0; i < m->n_halves; i++)
		v[i] = (struct tl_sort){tl_sort_time(m->halves[i].ts), (uint32_t)i, m->halves[i].thread};
	tl_sort(v, m->n_halves);
	for (size_t i = 0; i < m->n_halves; i++)
		v[i].key = v[i].more;
	tl_sort(v, m->n_halves);
	return v;
}

void tl_sourcemap_pair(struct tl_sourcemap *m)
{
	if (m->n_halves == 0)
		return;
	struct tl_sort *v = sorted_halves(m);
	uint32_t *begun = tl_alloc(m->n_halves * sizeof *begun);
	size_t n = 0;
	for (size_t i = 0; i <= m->n_halves; i++) {
		if (i == m->n_halves || (i > 0 && v[i].more != v[i - 1].more))
			while (n > 0)
				leave_open(m, begun[--n]);
		if (i == m->n_halves)
			break;
		const struct half *h = &m->halves[v[i].at];
		if (h->begin)
			begun[n++] = h->target;
		else if (n > 0)
			close_half(m, begun[--n], h->ts);
	}
	free(begun);
	free(v);
}

/* Rows by thread, start, then end from the latest; equal ones as in the file. */
static struct tl_sort *in_order(const struct tl_sourcemap *m, size_t *n)
{
	struct tl_sort *v = tl_alloc(m->n_host * sizeof *v);
	*n = 0;
	for (size_t i = 0; i < m->n_host; i++)
		if (m->host[i].kind != HOST_OTHER)
			v[(*n)++] = (struct tl_sort){~tl_sort_time(m->host[i].end), (uint32_t)i, 0};
	tl_sort(v, *n);
	for (size_t i = 0; i < *n; i++)
		v[i].key = tl_sort_time(m->host[v[i].at].ts);
	tl_sort(v, *n);
	for (size_t i = 0; i < *n; i++)
		v[i].key = m->host[v[i].at].thread;
	tl_sort(v, *n);
	return v;
}

struct span {
	int64_t end;
	uint32_t frame, op;
};

/* Of two calls that overlap in part, the later is the earlier one's child when it outlives it by a
 * microsecond at most or by less than it shares with it; else it only grazes it. */
#define GRAZE_NS 1000

static bool is_child(const struct host *h, int64_t end)
{
	int64_t overrun = tl_ns_sub(h->end, end);
	return overrun <= GRAZE_NS || overrun < tl_ns_sub(end, h->ts);
}

void tl_sourcemap_nest(struct tl_sourcemap *m)
{
	size_t n, depth = 0, cap = 0;
	struct tl_sort *v = in_order(m, &n);
	struct span *open = NULL;
	for (size_t i = 0; i < n; i++) {
		struct host *h = &m->host[v[i].at];
		if (i > 0 && v[i].key != v[i - 1].key)
			depth = 0;
		while (depth > 0 && (h->ts >= open[depth - 1].end || !is_child(h, open[depth - 1].end)))
			depth--;
		struct span s = {h->end, NONE, NONE};
		if (depth > 0) {
			const struct span *p = &open[depth - 1];
			s = (struct span){h->end < p->end ? h->end : p->end, p->frame, p->op};
		}
		h->frame = s.frame;
		h->op = s.op;
		if (h->kind == HOST_FRAME)
			s.frame = v[i].at;
		else if (h->kind == HOST_OP)
			s.op = v[i].at;
		TL_GROW(open, depth, cap);
		open[depth++] = s;
	}
	free(open);
	free(v);
}
