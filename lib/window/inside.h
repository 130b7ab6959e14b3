/* What lib/format/files of this folder share: the columns of a window and what is joined to them.
 * Texts are numbers in `texts`: JSON text as it stood in the line (strings with quotes). */
#ifndef TL_WINDOW_INSIDE_H
#define TL_WINDOW_INSIDE_H
#include "../base/base.h"
#include "../format/format.h"
#include "rows.h"

#define NO_TEXT TL_POOL_NONE

/* Equal items of one size get one number, from 0 in order of first sight. Items must have no
 * padding. */
struct window_intern {
	size_t size, n, cap, mask;
	char *items;
	uint32_t *slots; /* number + 1 */
};
uint32_t window_intern(struct window_intern *t, const void *item);
uint32_t window_intern_find(
	const struct window_intern *t, const void *item); /* UINT32_MAX: absent */
void window_intern_free(struct window_intern *t);

/* Numbers to numbers, small maps. */
struct window_numbers {
	struct tl_intmap at;
	int64_t *v;
	size_t cap;
};
bool window_numbers_get(const struct window_numbers *m, int64_t key, int64_t *v);
void window_numbers_put(struct window_numbers *m, int64_t key, int64_t v, bool replace);
void window_numbers_free(struct window_numbers *m);

enum window_gpu_kind { G_KERNEL, G_MEMCPY, G_MEMSET, G_EVENT, G_HOST, G_KINDS };

struct window_gpu_row {
	int64_t start, end, correlation;
	uint32_t place; /* in places */
	uint32_t what;  /* in whats */
};

/* Where a GPU row ran and what was said about it: few of these, many rows. */
struct window_place {
	int64_t device, context, stream, node, graph, lane, host_addr;
	uint32_t lane_name, annotation, metadata, host_fn;
	uint32_t has; /* PLACE_LANE, OWN_* */
	/* set by window_join, 0 before */
	uint32_t moved, fact; /* fact: number + 1 */
	uint32_t home, shown; /* in lanes: of the stream, of the lane where it is drawn */
	uint32_t truthy;      /* its annotation */
};
/* Values that are there, and keys that stand in the row itself: null or not, these win. */
enum {
	PLACE_LANE = 1,
	OWN_LANE = 2,
	OWN_ADDR = 4,
	OWN_LANE_NAME = 8,
	OWN_ANNOTATION = 16,
	OWN_METADATA = 32,
	OWN_HOST_FN = 64
};

#define WHAT_MAX 13
#define ABSENT INT64_MIN /* a column that the row did not have (under compat it is 0) */
/* The columns of a `what`, in order: kernel: name (text), grid x y z, block x y z, registers,
 * static and dynamic shared memory, priority, channel, channel type; memcpy: bytes, copy, source
 * and destination kind, flags, channel, channel type; memset: bytes, value, memory kind, flags,
 * channel, channel type; host node: process, thread. */
unsigned window_what_get(const struct window *w, uint32_t what, int64_t v[WHAT_MAX]);

struct window_gpu {
	struct window_gpu_row *rows;
	size_t n, cap, queued_cap;
	int64_t *queued;                                                    /* kernels only */
	uint8_t *flow;                                                      /* row gets an `f` */
	bool has_node, has_annotation, has_metadata, has_lane, has_host_fn; /* in some row */
	uint64_t flows, first_id;
};

/* What graph_node lines say of a node. */
struct window_fact {
	int64_t lane, host_addr, event;
	size_t deps, ndeps; /* in deps */
	uint32_t lane_name, annotation, metadata, host_fn;
	bool has_lane, has_event;
};

struct window_api_row {
	int64_t start, end, correlation;
	uint32_t caller; /* in callers: pid, thread as CUPTI names it */
	uint32_t call;   /* in calls */
};
struct window_pair {
	int64_t a, b;
};
struct window_call {
	int64_t cbid;
	uint32_t name; /* text as given, NO_TEXT: by cbid */
	uint32_t api;
};
/* What is known of a call once all is read. */
struct window_call_info {
	uint32_t name; /* text to show */
	int64_t cbid;
	bool shown, flow;
};

struct window_overhead_row {
	int64_t start, end;
	uint32_t name;
};
struct window_sync_row {
	int64_t start, end, type, device, context, stream, correlation, event, sync_id;
	bool has_device;
};
struct window_external_row {
	int64_t correlation, external, user;
};
struct window_env_row {
	int64_t start, device, kind;
	uint64_t data;
};
struct window_pm_row {
	int64_t start, device;
	double value;
	uint32_t metric; /* in metrics */
};

/* What stands before the text of each event that is held, at any place. */
struct window_held_event {
	struct tl_mark mark;
	size_t n; /* bytes of text */
};

struct window_held_block {
	struct window_held_block *next;
	size_t n, cap, read; /* bytes written, room, bytes given out again */
	char p[];
};

struct window_top {
	uint32_t key, value; /* texts */
	bool header;         /* of the window's header, not of the host trace */
};

struct window {
	bool compat;
	struct tl_cupti *cupti;
	struct tl_pool *texts, *whats, *fields, *unknown;
	uint64_t *unknown_count;
	size_t unknown_cap;
	struct window_totals totals;

	struct window_gpu gpu[G_KINDS];
	struct window_intern places;
	struct window_api_row *api[2]; /* by tl_cupti_api */
	size_t napi[2], api_cap[2];
	struct window_intern callers, calls;
	struct window_overhead_row *overhead;
	size_t noverhead, overhead_cap;
	struct window_sync_row *sync;
	size_t nsync, sync_cap;
	struct window_external_row *external;
	size_t nexternal, external_cap;
	struct window_env_row *env;
	size_t nenv, env_cap;
	struct window_pm_row *pm;
	size_t npm, pm_cap;
	struct tl_pool *metrics;

	struct tl_intmap node_facts; /* node -> fact */
	struct window_fact *facts;
	size_t nfacts, facts_cap;
	int64_t *deps;
	size_t ndeps, deps_cap;
	struct window_numbers annotations;               /* external id -> text */
	struct window_numbers collectives;               /* external id -> text: external_metadata */
	struct window_numbers devices, archs, processes; /* number -> text */
	int64_t *device_ids;                             /* in order of first sight */
	size_t device_ids_cap;
	struct window_intern opaque; /* pid, thread as CUPTI names it */
	int64_t *os_thread;          /* by number in opaque */
	size_t os_thread_cap;
	struct window_numbers event_contexts;              /* cuda_event: context -> device */
	struct window_numbers event_records, event_stream; /* sync id -> correlation, stream */

	struct window_top *tops;
	size_t ntops, tops_cap;
	struct tl_intmap top_at;
	int64_t offset; /* timeOffsetNs */
	int64_t base;

	/* the host trace */
	struct window_held_block *held, *held_last;
	uint64_t nheld, leading; /* events; the run of M events that they begin with */
	bool leading_over;
	struct tl_pool *named;          /* "what pid [tid]" that M events name */
	struct tl_intmap host_pids;     /* pids of host events */
	struct tl_intmap host_flows;    /* ids of ac2g flow starts */
	struct tl_intmap host_external; /* external id -> number in host_threads */
	struct window_pair *host_threads;
	size_t nhost_threads, host_threads_cap;
	bool host_device_rows;
	uint64_t cpu_ops;
	bool any_span; /* a ph X event that is no "Trace" */
	int64_t span_first, span_last;

	/* joined */
	struct window_call_info *call_info;
	struct tl_intmap cpu_threads;    /* correlation -> number in host_threads */
	struct tl_intmap regions;        /* correlation -> external row + 1 whose user id has a name */
	struct tl_intmap ids;            /* correlation -> external row + 1 (not compat) */
	struct tl_intmap described;      /* correlation -> external row + 1 whose id has metadata */
	struct tl_intmap by_correlation; /* CORR_* */
	struct window_numbers contexts;
	struct window_intern lanes; /* device, number */
	struct tl_lane_info {
		uint32_t label; /* text */
		bool stays;     /* an op of this stream is drawn on it */
	} * lane_info;
	uint32_t *node_slots; /* (correlation, node) -> number in nodes + 1 */
	size_t node_mask;
	struct tl_node {
		uint32_t row, group; /* row: the last one, counted over all kinds */
	} * nodes;
	size_t nnodes, nodes_cap, ngroups;
	int64_t overhead_cut;

	/* output */
	struct tl_frame *frame;
	struct tl_write *line; /* of the frame */
	uint64_t next_id, next_arrow;
	struct tl_buf text;
	struct tl_args args, extra;
};

enum { CORR_GPU = 1, CORR_CALL = 2, CORR_ENDS = 4, CORR_STARTED = 8 };

extern const char *const window_gpu_kind_name[G_KINDS];
extern const char *const window_api_name[2];

static inline struct window_place *window_place_at(const struct window *w, uint32_t i)
{
	return (struct window_place *)w->places.items + i;
}

static inline struct tl_span window_text(const struct window *w, uint32_t text)
{
	struct tl_span none = {0};
	return text == NO_TEXT ? none : tl_pool_text(w->texts, text);
}

/* A JSON integer, or text that holds one (decimal, 0x...): as 64 bits, those above the signed
 * range wrapped. Fractions are cut. False for anything else. */
bool window_int(struct tl_span v, int64_t *out);

/* What Python calls true: not null, false, 0, "", [] or {}. */
bool window_truthy(struct tl_span json);

/* read.c, host.c */
void window_read_init(struct window *w);
void window_top(struct window *w, struct tl_span key, struct tl_span value, bool header);
/* True when an M event of the host trace gives `what` to this pid (and thread, when not empty). */
bool window_is_named(struct window *w, struct tl_span what, struct tl_span pid, struct tl_span tid);
void window_hold_free(struct window *w);

/* join.c */
void window_join(struct window *w);
void window_join_free(struct window *w);
int64_t window_thread(const struct window *w, const struct window_api_row *r); /* signed */
int64_t window_sync_device(const struct window *w, const struct window_sync_row *r);
bool window_api_shown(const struct window *w, const struct window_api_row *r);
bool window_overhead_shown(const struct window *w, const struct window_overhead_row *r);
/* The row (counted over all kinds) of a node under a correlation; SIZE_MAX: none. */
size_t window_node_row(const struct window *w, int64_t correlation, int64_t node);
/* The kind of a row counted over all kinds; `i` becomes its place in the kind. */
enum window_gpu_kind window_row_kind(const struct window *w, size_t row, size_t *i);

/* args.c */
void window_args_known(struct tl_args *a, const char *key, int64_t v); /* unless it is ABSENT */
void window_args_triple(
	struct tl_args *a, const char *key, const int64_t *v); /* [x,y,z], likewise */
/* Adds graph ids, annotation, metadata, host function and lane to w->args; w->extra becomes what a
 * render stage says beside its numbers. */
void window_spread(struct window *w, enum window_gpu_kind k, const struct window_gpu_row *r);
/* True when the additions of a kind are looked at: under compat, only if some row has a reason. */
bool window_spreads(const struct window *w, enum window_gpu_kind k);

/* write.c: pieces of event lines. */
void window_put_gpu_pid(struct window *w, int64_t device);
void window_put_tid(struct window *w, int64_t tid);    /* signed, absolute under compat */
int64_t window_ts(const struct window *w, int64_t ns); /* since base, clamped under compat */
int64_t window_dur(int64_t start, int64_t end);
/* Takes ts and dur (ns since base) of an X event into the closing events. */
void window_span(struct window *w, int64_t ts, int64_t dur);

void window_write_names(struct window *w);
void window_write_counters(struct window *w);

#endif
