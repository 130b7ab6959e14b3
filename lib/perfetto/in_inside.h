/* What the reader of Perfetto traces knows while it reads (in.c, in_*.c). Texts are
 * numbers in `texts`: plain UTF-8 for names, JSON for pids and tids. */
#ifndef TL_PERFETTO_IN_INSIDE_H
#define TL_PERFETTO_IN_INSIDE_H
#include "../base/base.h"
#include "../format/format.h"
#include "wire.h"

#define PF_NONE UINT32_MAX

/* Names that packets refer to by number, per sequence. */
enum pf_table {
	PF_T_CATEGORY,
	PF_T_NAME,
	PF_T_ANNOTATION,
	PF_T_STRING,
	PF_T_SPEC,   /* queues and stages */
	PF_T_KERNEL, /* demangled name, else name */
	PF_T_ARG,
	PF_T_COUNTERS, /* place in descriptors + 1 */
	PF_TABLES
};
struct pf_sequence {
	struct tl_intmap table[PF_TABLES]; /* iid -> text + 1 */
};

enum pf_in_track_kind { PF_IN_UNKNOWN, PF_IN_PROCESS, PF_IN_THREAD, PF_IN_PLAIN };
struct pf_in_track {
	enum pf_in_track_kind kind;
	uint64_t uuid, parent;
	uint32_t name;     /* text, or PF_NONE */
	uint32_t pid, tid; /* JSON texts; known once `placed` */
	bool placed;
	uint32_t open; /* innermost open slice + 1 */
};

enum { PF_PID_GPU = 1, PF_PID_OTHER = 2 };

/* A slice that has begun. */
struct pf_open {
	struct tl_mark mark;
	uint32_t up;        /* the slice around it + 1; in the free list: the next free + 1 */
	struct tl_buf text; /* the record up to ts, and behind dur */
	size_t head_n;
};

/* The counters that a descriptor describes. */
struct pf_counters {
	int64_t gpu;
	struct tl_intmap names; /* counter id -> text + 1 */
};

/* The last point of a flow that was seen. */
struct pf_in_point {
	uint64_t id;
	int64_t ts;
	uint32_t pid, tid;
	uint64_t n; /* points so far; 0: none, or it has ended */
};

/* The record of the first stage with an event id. */
struct pf_stage_record {
	uint64_t id;
	bool taken; /* that stage was seen, not only waits for it */
};

struct pf_in {
	const char *name;
	const struct tl_extract_options *opt;
	struct tl_frame f;
	struct tl_error *e;
	bool failed; /* e is filled */

	uint64_t ids, at; /* at: offset of the packet */
	bool has_clock;
	int64_t zero;             /* the clock where ts is 0 */
	int64_t base;             /* the same in ns since the epoch, when has_clock */
	struct tl_intmap skipped; /* packet's field number -> count */

	struct tl_pool *texts;
	struct tl_intmap sequence_at;
	struct pf_sequence *sequences;
	size_t nsequences, sequences_cap;
	struct tl_intmap track_at;
	struct pf_in_track *tracks;
	size_t ntracks, tracks_cap;
	struct pf_open *slices;
	size_t nslices, slices_cap;
	uint32_t free_slice;
	struct tl_intmap pids; /* of processes: PF_PID_* */
	struct pf_counters *descriptors;
	size_t ndescriptors, descriptors_cap;
	uint32_t described;         /* the last one that no number refers to, + 1 */
	struct tl_intmap stage_ids; /* event id -> place in stage_records + 1 */
	struct pf_stage_record *stage_records;
	size_t nstage_records, stage_records_cap;
	struct tl_intmap launched; /* event id -> place in launches + 1 */
	int64_t *launches;         /* correlations */
	size_t nlaunches, launches_cap;
	struct tl_intmap flow_at;
	struct pf_in_point *flows;
	size_t nflows, flows_cap;

	struct tl_buf tmp;
	struct tl_args args;
};

/* in.c */
void pf_in_fault(struct pf_in *r, enum tl_fault_code c, const char *detail);
int64_t pf_in_ts(const struct pf_in *r, uint64_t clock);

/* in_names.c: tracks and interned names. */
struct pf_sequence *pf_in_sequence(struct pf_in *r, uint64_t id);
void pf_in_clear(struct pf_sequence *s);
void pf_in_interned(struct pf_in *r, struct pf_sequence *s, struct tl_span message);
struct tl_span pf_in_name(
	const struct pf_in *r, const struct pf_sequence *s, enum pf_table t, uint64_t iid);
void pf_in_descriptor(struct pf_in *r, struct tl_span message);
uint32_t pf_in_counters(struct pf_in *r, struct tl_span descriptor, int64_t gpu);
/* The track, with its pid and tid. */
struct pf_in_track *pf_in_track(struct pf_in *r, uint64_t uuid);

/* The members pid and tid of the open event; a process alone (tid PF_NONE) has tid 0. */
void pf_in_put_place(struct pf_in *r, uint32_t pid, uint32_t tid);

/* in_slice.c: slices, instants, counters and flows of TrackEvent. */
void pf_in_track_event(struct pf_in *r, struct pf_sequence *s, struct tl_span message, uint64_t ts);
/* Ends the open event, one end of an arrow; `from`: as the rows of a window have it. */
void pf_in_close_flow(struct pf_in *r, struct tl_span id, bool from);
void pf_in_finish(struct pf_in *r); /* slices without an end, ends of flows */

/* in_stage.c: what ran on a GPU. */
void pf_in_stage(struct pf_in *r, struct pf_sequence *s, struct tl_span message, uint64_t ts);
void pf_in_gpu_counter(struct pf_in *r, struct pf_sequence *s, struct tl_span message, uint64_t ts);

#endif
