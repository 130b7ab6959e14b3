/* The reference's choice of slices, and its tracks: their names, and the order in which they are
 * made, which decides about numbers for texts and about the process that GPU work belongs to. */
#include "out_inside.h"
#include <stdlib.h>

/* Complete host events alone. */
bool pf_reference_slice(const struct tl_event *e)
{
	static const struct tl_span not_host[] = {TL_LIT("Trace"), TL_LIT("kernel"),
		TL_LIT("gpu_memcpy"), TL_LIT("gpu_memset"), TL_LIT("gpu_user_annotation"),
		TL_LIT("cuda_runtime"), TL_LIT("cuda_driver"), TL_LIT("cuda_sync"), TL_LIT("overhead"),
		TL_LIT("graph_event_node"), TL_LIT("graph_host_node")};

	for (size_t i = 0; i < sizeof not_host / sizeof *not_host; i++)
		if (tl_span_eq(pf_inner(e, TL_F_CAT), not_host[i]))
			return false;
	return e->ph == 'X';
}

struct place {
	struct tl_span pid, tid;      /* JSON text */
	const char *process, *thread; /* what they are called, before their numbers; NULL: by number */
};

static struct place place_of(const struct tl_event *e, enum pf_row row)
{
	struct tl_span window = e->f[TL_F_WINDOW], pid = e->f[TL_F_PID], tid = e->f[TL_F_TID];

	if (row == PF_API)
		return (struct place){pid, tl_json_get(window, TL_LIT("tid")), "process", "thread"};
	if (row == PF_SYNC)
		return (struct place){tl_json_get(window, TL_LIT("device")),
			tl_json_get(window, TL_LIT("stream")), "GPU", "stream"};
	return (struct place){pid, tid, NULL, NULL};
}

static uint32_t track_of(struct tl_perfetto *t, const struct tl_event *e, enum pf_row row)
{
	struct place p = place_of(e, row);
	struct tl_buf process = {0}, thread = {0};

	if (row == PF_OVERHEAD) {
		tl_buf_lit(&process, "Overhead");
		tl_buf_lit(&thread, "Overhead");
	}
	if (p.process) {
		tl_buf_printf(&process, "%s %.*s", p.process, (int)p.pid.n, p.pid.p);
		tl_buf_printf(&thread, "%s %.*s", p.thread, (int)p.tid.n, p.tid.p);
	}
	uint64_t uuid = pf_thread(&t->tracks, p.pid, p.tid, tl_buf_all(&process), tl_buf_all(&thread));
	tl_buf_free(&process);
	tl_buf_free(&thread);
	return (uint32_t)uuid;
}

/* Host slices, calls of the runtime, of the driver, overhead, synchronisation, waits. */
static int group_of(const struct tl_event *e, enum pf_row row)
{
	switch (row) {
	case PF_PLAIN:
	case PF_GPU_SPAN:
		return 0;
	case PF_API:
		return tl_span_eq(pf_inner(e, TL_F_FROM), TL_LIT("cuda_runtime")) ? 1 : 2;
	case PF_OVERHEAD:
		return 3;
	case PF_SYNC:
		return tl_json_get(e->f[TL_F_ARGS], TL_LIT("wait_on_stream")).n ? 5 : 4;
	}
	return 0;
}

/* Host slices in the order of the trace, in each other group by pid and the low half of tid. */
void pf_reference_tracks(struct tl_perfetto *t)
{
	size_t n = t->slices.n;
	struct tl_sort *order = tl_alloc((n + 1) * sizeof *order);

	for (size_t i = 0; i < n; i++) {
		struct tl_event e = pf_event(t, t->slices.v[i].line);
		enum pf_row row = t->slices.v[i].row;
		struct place p = place_of(&e, row);
		int64_t pid = 0, tid = 0;
		if (row != PF_PLAIN) {
			tl_json_i64(p.pid, &pid);
			tl_json_i64(p.tid, &tid);
		}
		order[i] = (struct tl_sort){
			(uint64_t)pid << 32 | (uint32_t)tid, (uint32_t)i, (uint32_t)group_of(&e, row)};
	}
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++)
		order[i].key = order[i].more;
	tl_sort(order, n);
	for (size_t i = 0; i < n; i++) {
		struct pf_slice *s = &t->slices.v[order[i].at];
		struct tl_event e = pf_event(t, s->line);
		s->track = track_of(t, &e, s->row);
	}
	free(order);
}
