/* What tl-render -f pftrace keeps of a trace, shared by the files that write it (out.c
 * fills it in, out_slice.c, out_stage.c, out_link.c and out_counter.c work on it). Times are
 * absolute ns. Numbers that count from 1 say "none" with 0. */
#ifndef TL_PERFETTO_OUT_INSIDE_H
#define TL_PERFETTO_OUT_INSIDE_H
#include "../json/json.h"
#include "../trace/trace.h"
#include "../base/base.h"
#include "../format/format.h"
#include "track.h"

struct pf_slice {
	int64_t start, end;
	uint32_t line;   /* place among the held lines */
	uint32_t track;  /* uuid */
	uint32_t points; /* first of the flow points bound to it, from 1 */
	uint32_t stages; /* first of the render stages that it launched, from 1 */
	uint8_t row;     /* enum pf_row */
};

enum pf_row { PF_PLAIN, PF_API, PF_SYNC, PF_OVERHEAD, PF_GPU_SPAN };

/* The begin or the end of a slice that comes as two events. */
struct pf_half {
	int64_t ts;
	uint32_t line, track;
	bool end;
};

enum pf_stage_kind {
	PF_KERNEL = 1,
	PF_MEMCPY,
	PF_MEMSET,
	PF_ANNOTATION,
	PF_EVENT_NODE,
	PF_HOST_NODE
};

struct pf_stage {
	int64_t start, end;
	uint32_t line;
	uint32_t queue;    /* place in queues */
	uint32_t launcher; /* the slice, from 1 */
	uint32_t next;     /* the next stage in a list of pf_slice.stages, from 1 */
	uint8_t kind;
};

struct pf_queue {
	int32_t gpu;   /* compat: 0, lanes of one number are one queue */
	bool numbered; /* the stream is a number */
	bool named;    /* the trace gave the label */
	int64_t lane;
	struct tl_buf label;
	uint64_t iid;
};

struct pf_point {
	int64_t ts;
	uint32_t track, line;
	uint32_t chain; /* place in chains */
	uint32_t slice; /* bound to, from 1 */
	uint32_t next;  /* of the same slice, from 1 */
	bool device;    /* of an arrow from a launch to what it launched */
};

struct pf_chain {
	bool start, finish;
	uint32_t bound;
	uint64_t id; /* in the file */
};

struct pf_sample {
	int64_t ts;
	uint32_t line;
	bool gpu; /* of a GPU (a window's row), else of a process */
};

/* A growing array of one of the above; PF_MORE makes room and counts the new last one. */
#define PF_ARRAY(type)  \
	struct {            \
		struct type *v; \
		size_t n, cap;  \
	}
#define PF_MORE(a)                      \
	(void)({                            \
		TL_GROW((a).v, (a).n, (a).cap); \
		(a).n++;                        \
	})
#define PF_LAST(a) ((a).v[(a).n - 1])

struct tl_perfetto {
	struct tl_target *target;
	bool merge, compat;
	struct tl_annotate *annotate; /* NULL: not asked for */

	/* the document */
	bool open;
	struct pf_writer pf;
	struct pf_tracks tracks;
	uint64_t next_flow, next_event, next_queue, next_context;
	uint64_t next_counters; /* descriptors */
	uint32_t next_counter;  /* ids in them */
	struct tl_pool *gpus;   /* devices, "group\ndevice" */
	int32_t *gpu_of;
	size_t cap_gpus;
	struct tl_intmap gpu_numbers; /* given; the others are tried from next_gpu on */
	int64_t next_gpu;
	struct tl_cupti *cupti; /* compat: the sets of calls */

	/* the trace */
	bool inside, window;
	int64_t base, rebase;
	bool has_base;
	struct tl_buf rank, base_text, devices;
	struct tl_held held;
	PF_ARRAY(pf_slice) slices;
	PF_ARRAY(pf_half) halves;
	PF_ARRAY(pf_stage) stages;
	PF_ARRAY(pf_queue) queues;
	struct tl_pool *queue_keys; /* by place in queues */
	PF_ARRAY(pf_point) points;
	PF_ARRAY(pf_chain) chains;
	PF_ARRAY(pf_sample) samples;
	uint32_t *stage_of, *slice_of; /* by line, from 1 */
	struct tl_sort *sequence;      /* slices by track, start, longest first */
	bool joined;                   /* tl-tree gave begin events their lengths */
	int64_t last;                  /* latest end */
	uint64_t left_out;
	struct tl_buf text, args;
};

/* The event of a held line; the line was read before, so this cannot fail. */
static inline struct tl_event pf_event(struct tl_perfetto *t, uint32_t line)
{
	struct tl_event e;

	tl_event_read(tl_held_line(&t->held, line), &e);
	return e;
}

static inline struct tl_span pf_inner(const struct tl_event *e, enum tl_field f)
{
	return tl_json_inner(e->f[f]);
}

/* The plain text of a JSON string (another value as it stands); valid until the next call. */
static inline struct tl_span pf_text(struct tl_perfetto *t, struct tl_span value)
{
	t->text.n = 0;
	if (tl_json_is_string(value))
		tl_json_text(value, &t->text);
	else
		tl_buf_span(&t->text, value);
	return tl_buf_all(&t->text);
}

/* The args of an event, with what the tools added to it when that is asked for; valid until the
 * next call. */
static inline struct tl_span pf_args_of(struct tl_perfetto *t, const struct tl_event *e)
{
	t->args.n = 0;
	if (t->annotate && tl_annotate_args(e, &t->args))
		return tl_buf_all(&t->args);
	return e->f[TL_F_ARGS];
}

/* out_reference.c: which events of the host the reference draws; the tracks of its slices. */
bool pf_reference_slice(const struct tl_event *e);
void pf_reference_tracks(struct tl_perfetto *t);

/* out_slice.c: joins halves, orders slices by track and time, makes them nest, writes them. */
void pf_join_halves(struct tl_perfetto *t);
void pf_order_slices(struct tl_perfetto *t);
void pf_place_slices(struct tl_perfetto *t);
void pf_write_slices(struct tl_perfetto *t);

/* out_stage.c: the queue of a GPU op; what a device's number is in the file; stages in their order,
 * which gives them their ids; the packets; what the trace says of its devices. */
uint32_t pf_queue_of(struct tl_perfetto *t, const struct tl_event *e);
int32_t pf_gpu_of(struct tl_perfetto *t, struct tl_span device);
void pf_write_gpus(struct tl_perfetto *t);
void pf_order_stages(struct tl_perfetto *t);
void pf_write_stages(struct tl_perfetto *t);

/* out_link.c: which slice launched which stages; which slices the points of flows lie in. */
void pf_link_stages(struct tl_perfetto *t);
void pf_take_point(struct tl_perfetto *t, uint32_t line, const struct tl_event *e);
void pf_bind_points(struct tl_perfetto *t);

/* out_counter.c: counters of a window (of GPUs) and of a trace (of processes). */
void pf_write_counters(struct tl_perfetto *t);

#endif
