/* Steps: of training, of decoding, of denoising. What marks one, which number it has, and which GPU
 * ops are its own, is decided here for every tool.
 *
 * A step is an annotation of the host (also where a trace of 2021 calls it an operator) whose name
 * has the best form that occurs in the trace: ProfilerStep#N; else a name with ProfilerStep in it;
 * else with denoise; else with iteration; else with the word step. Optimizer.step#... is none, nor
 * is the projection of a step on a GPU.
 * Annotations of one name in one process that overlap in time are one step. A step that lies wholly
 * within another one of its process is nested.
 *
 * A GPU op belongs to the step of the process of its launch in which the launch starts: to the
 * shortest one that is not nested (steps of several threads may overlap), and to the nested ones
 * too. So sums over the steps that are not nested count each op once. Without a launch it belongs
 * to the step whose projection holds its start. */
#ifndef TL_TRACE_STEP_H
#define TL_TRACE_STEP_H
#include "link.h"

enum tl_step_form {
	TL_STEP_NONE,
	TL_STEP_PROFILER, /* ProfilerStep#N */
	TL_STEP_PROFILER_WORD,
	TL_STEP_DENOISE,
	TL_STEP_ITERATION,
	TL_STEP_WORD,
};

/* The form of an annotation's name (without quotes), the best first. `number` (may be NULL) gets
 * what stands behind the word, and `numbered` (likewise) whether a number does. */
enum tl_step_form tl_step_form(struct tl_span name, uint64_t *number, bool *numbered);

struct tl_step {
	uint32_t name, process; /* of the table */
	uint32_t row;           /* of its annotation, the first of several */
	int64_t ts, end;        /* from the first start to the last end */
	uint64_t number;        /* in its name; where some name has none, counted from 0 by start */
	bool nested;
};

struct tl_steps {
	struct tl_step *a; /* by process, start, longest first, id */
	size_t n;
	bool several;          /* of several processes */
	uint32_t *of;          /* by row: of a GPU op its step that is not nested; TL_NO_ROW */
	struct tl_rows nested; /* `key` a nested step, `at` a GPU op of it; by step, then id */
};

/* `launcher`: the column of tl_link. The table needs annotations and places. */
struct tl_steps tl_steps_find(const struct tl_table *t, const uint32_t *launcher);
void tl_steps_free(struct tl_steps *s);

#endif
