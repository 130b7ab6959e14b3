/* What a trace cannot tell, and how far its figures can be trusted.
 *
 * One pass over the records of a trace: tl_reliability_see takes each; tl_reliability_judge, at its
 * end, runs the detectors of the chosen rule; tl_reliability_conclude writes the doubts into the
 * records they concern, and what was found. Nothing is repaired. Memory is O(GPU ops + launches +
 * cpu_ops) of one trace, constant with `quick`. */
#ifndef TL_RELIABILITY_H
#define TL_RELIABILITY_H
#include "../stream/stream.h"

enum tl_reliability_rule { RL_RULE_EVIDENCE = 1, RL_RULE_V1 = 2 };
enum tl_reliability_severity { RL_SEV_NONE, RL_SEV_INFO, RL_SEV_WARNING, RL_SEV_ERROR };

/* What a doubt bears on, in the order in which `affects` names it. */
enum tl_reliability_affects {
	RL_A_IDLE = 1,
	RL_A_DURATION = 2,
	RL_A_ATTRIBUTION = 4,
	RL_A_STEPS = 8,
	RL_A_OVERLAP = 16,
	RL_A_ROOFLINE = 32,
	RL_A_ALL = 63,
};

/* Inputs that a detector cannot do without; a code that lacks one is `untestable`. */
enum tl_reliability_needs {
	RL_N_DEVICE = 1,    /* GPU ops with a time */
	RL_N_LAUNCH = 2,    /* runtime or driver calls */
	RL_N_CPU_OP = 4,    /* operators */
	RL_N_PYTHON = 8,    /* Python functions */
	RL_N_HOST_ID = 16,  /* launches or operators */
	RL_N_STEPS = 32,    /* four steps */
	RL_N_WORLD = 64,    /* distributedInfo.world_size */
	RL_N_COMM = 128,    /* three collectives */
	RL_N_STREAM = 256,  /* GPU ops with a stream */
	RL_N_ANNOTATE = 512 /* any host event */
};

/* One row per code: the only list of them. Order is that of the output and of `reason`. */
struct tl_reliability_code {
	const char *code;
	unsigned rules;   /* tl_reliability_rule bits */
	unsigned affects; /* tl_reliability_affects bits */
	unsigned needs;   /* tl_reliability_needs bits */
	/* the severity from which it clears the flag; RL_SEV_NONE: never */
	enum tl_reliability_severity clears_idle, clears_attribution, clears_duration;
	bool quick;       /* can be told in constant memory */
	bool doubt;       /* goes into the `doubts` of records */
	const char *what; /* one line, for --list */
};
extern const struct tl_reliability_code tl_reliability_codes[];
extern const size_t tl_reliability_codes_n;
int tl_reliability_find(const char *code); /* place in tl_reliability_codes, -1: none */

struct tl_reliability_options {
	enum tl_reliability_rule rule;
	double idle_gate, attribution_floor; /* percent */
	const char *capture_folder;          /* NULL: not given */
	bool quick;
};

enum tl_reliability_flag { RL_FLAG_UNKNOWN, RL_FLAG_FALSE, RL_FLAG_TRUE };

struct tl_reliability_verdict {
	bool none; /* the stream came without its events (-n): nothing is judged, all stays */
	enum tl_reliability_flag idle, attribution, duration;
	int reason;      /* place in tl_reliability_codes, -1: none */
	bool has_idle;   /* idle_pct is known */
	double idle_pct; /* of the first start to the last end of all GPU ops */
	bool suppress;   /* idle exceeds the gate, and can be trusted */
};

struct tl_reliability;
struct tl_reliability *tl_reliability_new(
	const struct tl_reliability_options *o); /* `o` is borrowed */
void tl_reliability_free(struct tl_reliability *r);

/* Takes a record of the trace (a `trace` record forgets the trace before it). False when an event
 * cannot be read. */
bool tl_reliability_see(struct tl_reliability *r, const struct tl_record *rec);

/* Runs the detectors. Once per trace. */
const struct tl_reliability_verdict *tl_reliability_judge(struct tl_reliability *r);

/* True when the verdict holds a warning of this code. */
bool tl_reliability_fired(const struct tl_reliability *r, int code);

/* False when the trace lacks what the code looks at: it is listed as untestable. */
bool tl_reliability_testable(const struct tl_reliability *r, int code);

/* Keeps the line of a derived record that waits for the verdict: one that doubts may concern, one
 * that an earlier pass wrote, and all behind the first such one, so that their order stays. False:
 * it need not wait. */
bool tl_reliability_hold(struct tl_reliability *r, const struct tl_record *rec);

/* Writes what is held, with the doubts in it and without what an earlier pass wrote, then `warning`
 * records, `reliability` and the `end` record. Called once it is known whether the trace is the
 * `last` of the stream: partial_file_set depends on it. Does nothing when no trace waits for that.
 */
void tl_reliability_conclude(struct tl_reliability *r, struct tl_stream *s, bool last);

#endif
