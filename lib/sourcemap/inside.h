/* Private to the files of this folder: what is kept of a trace. */
#ifndef TL_SOURCEMAP_INSIDE_H
#define TL_SOURCEMAP_INSIDE_H
#include "../rules/rules.h"
#include "scopes.h"
#include "sourcemap.h"
#include "../trace/trace.h"

#define NONE UINT32_MAX
#define NOT_ASKED (UINT32_MAX - 1)

enum sourcemap_how { HOW_NOT, HOW_EXTERNAL_ID, HOW_LAUNCH, HOW_FORWARD, HOW_TIME, HOW_MAP, HOWS };
extern const char *const sourcemap_how[HOWS]; /* as records spell it */

struct sourcemap_gpu_op { /* in order of id */
	uint32_t row;
	uint32_t scope, chain; /* in scopes; NONE: not known */
	uint32_t launch_op;    /* in texts */
	uint8_t how;
	bool graph;
};

/* What one looks for above a row. */
enum sourcemap_near { NEAR_MEANINGFUL, NEAR_FALLBACK, NEAR_BACKWARD, NEARS };

struct sourcemap_name_info { /* by number of a name in the table; NONE: not asked for yet */
	uint32_t kernel, op;     /* in texts */
	uint32_t scope;          /* in scopes */
	uint32_t map_scope, map_chain, map_op; /* what --map knows */
	bool map_asked;
};

struct tl_sourcemap {
	struct tl_sourcemap_options o;
	struct sourcemap_scopes *scopes;
	struct tl_table *t;
	struct tl_pool *texts; /* canonical kernels and operators */
	struct sourcemap_name_info *info;
	uint32_t *parent;      /* by row: the call around it, of a GPU op its launch */
	uint32_t *operators;   /* operator.h */
	uint32_t *near[NEARS]; /* by row: the nearest such row at or above it, once it was asked for */
	bool frames;           /* there are Python frames */
	struct tl_fwdbwd fwdbwd; /* once it was asked for: see near[NEAR_BACKWARD] */
	struct sourcemap_gpu_op *gpu;
	size_t n_gpu, gpu_cap;
	struct tl_buf key, text;
};

/* attribute.c: scope, chain, launch_op, how and graph of every GPU op. */
void sourcemap_attribute(struct tl_sourcemap *m);

/* guess.c: the frames open, on whatever thread, when ops ran that nothing else locates. */
void sourcemap_guess(struct tl_sourcemap *m);

/* A column of n rows with one value in it; the caller frees it. */
uint32_t *sourcemap_column(size_t n, uint32_t value);

/* The nearest row of a kind at or above `row` (which may be NONE); NONE when there is none. No row
 * is passed twice, however often it is asked. */
uint32_t sourcemap_near(struct tl_sourcemap *m, uint32_t row, enum sourcemap_near what);

/* The forward operator of the backward operator at or above `row`, or NONE; always NONE in a trace
 * without Python frames, which it could not lead to. */
uint32_t sourcemap_forward(struct tl_sourcemap *m, uint32_t row);

/* The chain of scopes around a row: a number of scopes.h, or NONE. */
uint32_t sourcemap_chain(struct tl_sourcemap *m, uint32_t row);

/* The number of a row's name, in texts: as a kernel, as an operator; in scopes: as a frame. */
uint32_t sourcemap_kernel(struct tl_sourcemap *m, uint32_t name);
uint32_t sourcemap_op(struct tl_sourcemap *m, uint32_t name);
uint32_t sourcemap_scope(struct tl_sourcemap *m, uint32_t name);

#endif
