/* The tracks of a Perfetto trace: processes, threads, async spans, counters, and lanes beside a
 * track for slices that overlap their neighbours without lying in them.
 *
 * Pids and tids of a trace may be numbers or texts; Perfetto's are numbers. By default a number
 * stays, unless another process has it already (merged ranks); what else there is gets a number
 * from 2^30 on. Under compat (the reference's rules) numbers lose their sign bit, and texts are
 * numbered from 1. */
#ifndef TL_PERFETTO_TRACK_H
#define TL_PERFETTO_TRACK_H
#include "packet.h"

enum pf_track_kind {
	PF_TRACK_PROCESS,
	PF_TRACK_THREAD,
	PF_TRACK_ASYNC,
	PF_TRACK_COUNTER,
	PF_TRACK_LANE
};

struct pf_track {
	enum pf_track_kind kind;
	uint64_t parent; /* uuid; 0: none */
	int64_t pid, tid;
	size_t name, name_n; /* of pf_tracks.text */
	size_t labels, labels_n;
};

struct pf_tracks {
	bool compat;
	struct pf_track *v; /* uuid = index + 1 */
	uint32_t n, cap;
	uint32_t written;     /* descriptors that went out */
	struct tl_pool *keys; /* what a track is of; the numbers of keys -> `of` */
	uint32_t *of;         /* track by key */
	size_t cap_of;
	struct tl_pool *pids;   /* numbers given to processes */
	struct tl_pool *names;  /* keys of named processes and threads, this trace */
	struct tl_buf *name_of; /* by number in `names` */
	size_t cap_names;
	int64_t next_number;
	struct tl_buf text, key, group; /* group: what the trace's tracks are told apart by */
};

void pf_tracks_init(struct pf_tracks *t, bool compat);
void pf_tracks_free(struct pf_tracks *t);

/* A new trace: tracks of earlier ones are not its own; `group` ("rank3") stands before the names of
 * its processes when it is not empty. */
void pf_tracks_begin(struct pf_tracks *t, struct tl_span group);

/* What ph M events say: `what` is "process_name", "thread_name" or "process_labels"; pid and tid
 * are JSON text, `name` is plain. The last one wins. To be said before the track is asked for. */
void pf_tracks_name(struct pf_tracks *t, struct tl_span what, struct tl_span pid,
	struct tl_span tid, struct tl_span name);

/* Tracks by what they are of, as uuids, made when new. Pid and tid are JSON text, or empty. When
 * the trace gives no name, the process is called `process`, the thread `thread` (plain texts; the
 * numbers when empty). */
uint64_t pf_process(struct pf_tracks *t, struct tl_span pid, struct tl_span process);
uint64_t pf_thread(struct pf_tracks *t, struct tl_span pid, struct tl_span tid,
	struct tl_span process, struct tl_span thread);
/* The track of a thread, 0 when it has none. */
uint64_t pf_find_thread(struct pf_tracks *t, struct tl_span pid, struct tl_span tid);
/* A track of a process for async spans that share `key`, or for a counter. */
uint64_t pf_plain_track(struct pf_tracks *t, enum pf_track_kind kind, struct tl_span pid,
	struct tl_span key, struct tl_span name);
/* Another lane beside a track. */
uint64_t pf_lane(struct pf_tracks *t, uint64_t beside);

const struct pf_track *pf_track_at(const struct pf_tracks *t, uint64_t uuid);
/* The name of a thread as the trace has it; an empty span when it has none. */
struct tl_span pf_thread_name(struct pf_tracks *t, struct tl_span pid, struct tl_span tid);

/* Writes the descriptors of the tracks made since the last call. */
void pf_tracks_write(struct pf_tracks *t, struct pf_writer *pf);

#endif
