/* Detectors: each looks at the facts of a trace and raises at most one warning of its code.
 * Private to the files of this folder. */
#ifndef TL_RELIABILITY_INSIDE_H
#define TL_RELIABILITY_INSIDE_H
#include "codes.h"
#include "../json/json.h"
#include "facts.h"

struct rl_warning {
	enum tl_reliability_severity severity; /* RL_SEV_NONE: not raised */
	struct rl_seen first; /* count, and the first example where count > 0 and `example` */
	bool example;
	struct tl_buf message;
	struct tl_write figures; /* members, put here by the detector */
};

/* What --rule chooses (evidence.c, v1.c). */
struct rl_rule {
	const char *name;
	rl_is_attributed *attributed;
	void (*judge)(struct tl_reliability *r); /* raises warnings, sets the flags of r->v */
	const char *reason;                      /* for all; NULL: the code that cleared a flag */
};
extern const struct rl_rule rl_evidence, rl_v1;

struct tl_reliability {
	const struct tl_reliability_options *o;
	const struct rl_rule *rule;
	uint64_t trace;
	struct rl_facts f;
	struct rl_warning w[RL_CODES];
	struct tl_reliability_verdict v;
	double attributed; /* percent */
	bool has_attributed;
	uint64_t graphs, graphs_recorded;
	bool has_launch;               /* a launch, or a GPU op that has one */
	bool bad_timeline;             /* a timeline record says busy > window */
	struct tl_buf held, held_ends; /* lines that wait, and where each ends (size_t) */
	struct tl_buf end;             /* the `end` line; empty when the stream was cut */
	bool judged;
	uint64_t traces, ranks; /* judged so far; that these hold */
};

/* Raises a warning; `first` (NULL: none) gives the count and the example. */
struct rl_warning *rl_raise(struct tl_reliability *r, enum rl_code code,
	enum tl_reliability_severity severity, const struct rl_seen *first, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void rl_figure_name(struct rl_warning *w, const char *key, struct tl_span inner);

/* A flag that is known. */
void rl_put_verdict(struct tl_write *w, const char *key, enum tl_reliability_flag v);

static inline double rl_ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/* Writes the lines that tl_reliability_hold kept, marked, and forgets them. */
void rl_release(struct tl_reliability *r, struct tl_stream *s);

/* The rows of one theme, in constant memory or from the columns. */
void rl_rows_counts(struct tl_reliability *r);
void rl_rows_launches(struct tl_reliability *r);
void rl_rows_ids(struct tl_reliability *r);
void rl_rows_times(struct tl_reliability *r);

void rl_empty_timeline(struct tl_reliability *r);

/* What both rules need. rl_overruns: the stream that impossible_duration names; false: none. */
struct rl_seen rl_no_example(uint64_t count);
void rl_truncated(struct tl_reliability *r, enum rl_code code);
void rl_capture_folder(struct tl_reliability *r);
bool rl_overruns(struct tl_reliability *r, enum rl_code code);

/* A name that says "graph capture sidecar": bs_32..., graph_capture, capture_traces/. */
bool rl_is_sidecar(struct tl_span source);

#endif
