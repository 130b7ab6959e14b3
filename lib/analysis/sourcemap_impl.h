/* Private to sourcemap*.c: what is kept of a trace. */
#ifndef TL_SOURCEMAP_IMPL_H
#define TL_SOURCEMAP_IMPL_H
#include "rules.h"
#include "scopes.h"
#include "sourcemap.h"
#include "../trace/event.h"
#include "../trace/pool.h"
#include "../trace/sort.h"

#define NONE UINT32_MAX

enum host_kind { HOST_FRAME, HOST_OP, HOST_LAUNCH, HOST_OTHER };

/* A span of a host thread. The two ids are those of the trace (0: none); a frame has none and
 * keeps there the nearest frames at or above it that count, once they are known. */
struct host {
	int64_t ts, end;
	union {
		uint64_t correlation;
		uint32_t near[2]; /* [0] meaningful, [1] fallback; NONE: none; UNKNOWN until asked */
	};
	uint64_t external;
	uint32_t name; /* in names */
	uint32_t kind : 2, thread : 30;
	uint32_t frame, op; /* rows of the innermost Python frame and operator around it */
};
#define UNKNOWN (UINT32_MAX - 1)

enum how { HOW_NOT, HOW_EXTERNAL_ID, HOW_LAUNCH, HOW_TIME, HOW_MAP, HOWS };

struct gpu_op {
	int64_t ts, dur;
	uint64_t correlation, external;
	uint32_t name, pid;    /* in names, pids */
	uint32_t launch;       /* row; NONE: not in the trace */
	uint32_t scope, chain; /* in scopes; NONE: not known */
	uint32_t launch_op;    /* in texts */
	uint8_t how;
	bool graph, has_ts;
};

/* A launch that names its kernel (graph capture: nothing ran). */
struct capture {
	uint32_t row, kernel; /* kernel: in names */
};

/* A B or E event whose other half is not known yet. */
struct half {
	int64_t ts;
	uint32_t thread, target; /* row, or number of a GPU op | HALF_GPU, or NONE */
	bool begin;
};
#define HALF_GPU (UINT32_C(1) << 31)

/* An open event of tl-tree's depth-first order. */
struct open {
	uint64_t id;
	uint32_t row, frame, op;
};

struct name_info {                         /* by number in names; NONE: not asked for yet */
	uint32_t kernel, op;                   /* in texts */
	uint32_t scope;                        /* in scopes */
	uint32_t map_scope, map_chain, map_op; /* what --map knows */
	bool map_asked;
};

struct tl_sourcemap {
	struct tl_sourcemap_options o;
	struct tl_scopes *scopes;
	struct tl_pool *names; /* names of events as JSON has them, between the quotes */
	struct tl_pool *texts; /* canonical kernels and operators */
	struct tl_pool *pids, *threads;
	struct name_info *info;
	size_t info_cap;
	uint32_t last_thread; /* most events are on the thread of the one before */
	uint32_t *thread_pid; /* by thread */
	size_t thread_pid_cap;
	struct host *host;
	size_t n_host, host_cap;
	struct gpu_op *gpu;
	size_t n_gpu, gpu_cap;
	struct capture *captures;
	size_t n_captures, captures_cap;
	struct half *halves;
	size_t n_halves, halves_cap;
	struct open *open;
	size_t n_open, open_cap;
	bool tree; /* tl-tree has been here */
	struct tl_buf key, text;
};

/* sourcemap_nest.c: `frame` and `op` of every row, without tl-tree; and B/E pairs. */
void tl_sourcemap_pair(struct tl_sourcemap *m);
void tl_sourcemap_nest(struct tl_sourcemap *m);

/* sourcemap_link.c: `launch`, `scope`, `chain`, `launch_op`, `how` and `graph` of every GPU op. */
void tl_sourcemap_link(struct tl_sourcemap *m);

/* sourcemap_time.c: the frames open, on whatever thread, when ops ran that nothing else locates. */
void tl_sourcemap_guess(struct tl_sourcemap *m);

/* The chain around a row, from its innermost frame: a number of scopes.h, or NONE. */
uint32_t tl_sourcemap_chain(struct tl_sourcemap *m, uint32_t frame);

extern const char *const tl_sourcemap_how[HOWS]; /* as records spell it */

/* Canonical spellings, in texts, of a number in names. */
uint32_t tl_sourcemap_kernel(struct tl_sourcemap *m, uint32_t name);
uint32_t tl_sourcemap_op(struct tl_sourcemap *m, uint32_t name);

#endif
