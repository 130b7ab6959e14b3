/* The rows of tl-synth (`op` in tl-records.5): an operator, the GPU ops that it owns, and what the
 * rules say of it. Which event owns what is decided in synth.c; here a row becomes a record.
 *
 * A row is filled when its event closes and written when its kind and forward operator are known.
 */
#ifndef TL_SYNTH_OPROW_H
#define TL_SYNTH_OPROW_H
#include "../stream/stream.h"
#include "../json/json.h"
#include "../base/base.h"
#include "group.h"
#include "../rules/rules.h"

enum synth_row_kind {
	SYNTH_ROW_MODEL,     /* has a perf model: owns all that lies below it */
	SYNTH_ROW_BACKWARD,  /* no model, but the operator that it is the backward of has one */
	SYNTH_ROW_LEAF,      /* no operator below it launches GPU work */
	SYNTH_ROW_SYNTHETIC, /* one GPU op that an operator launched beside those of operators below it
						  */
	SYNTH_ROW_ORPHAN,    /* one GPU op that no operator launched */
};

/* Functions of share/rules/synth.jq, by their place in tl_synth_rules (synth.h). */
enum synth_row_rule { SYNTH_RULE_OP, SYNTH_RULE_ROW, SYNTH_RULE_DEVICE, SYNTH_RULE_COMM };

struct synth_op {
	uint64_t id;
	int64_t ts, dur; /* ns */
	bool has_ts, has_dur;
	uint32_t name, cat, stream; /* JSON text in the pool; TL_POOL_NONE: absent */
	uint32_t comm;              /* of a collective: {"collective":...,"group_size":...}, likewise */
};

/* "Input Dims" and its like, in the order of the record. */
enum {
	SYNTH_INPUT_DIMS,
	SYNTH_INPUT_TYPES,
	SYNTH_INPUT_STRIDES,
	SYNTH_CONCRETE_INPUTS,
	SYNTH_INPUTS
};

/* What a row takes from the event that it stands for: JSON text, empty when absent. `stack` is the
 * list of frames without its brackets. Borrowed during the call. */
struct synth_row_event {
	uint64_t id;
	struct tl_span name, pid, tid, external_id, inputs[SYNTH_INPUTS], stack, annotation, comm;
	int64_t dur;
	bool has_dur;
};

/* A zeroed row is an empty one; the buffers are its own. */
struct synth_row {
	enum synth_row_kind kind;
	uint64_t event;
	struct tl_buf name;
	struct tl_write body, question; /* members */
	size_t gpu_ops;
	int64_t gpu_ns, busy_ns;
	uint64_t ids; /* sum of the mixed ids of its GPU ops */
	bool wants_forward;
	uint64_t forward; /* id of the forward operator, when wants_forward */
	struct tl_buf forward_name;
};
void synth_row_free(struct synth_row *r);

/* What all rows share. Owned by the caller, who sets the first part; a zeroed rest is right for the
 * first trace. */
struct synth_rows {
	struct tl_stream *stream;
	struct tl_rules *rules;
	struct tl_pool *pool;
	struct tl_synth_groups *groups; /* not NULL: rows go there instead of into the stream */
	struct tl_span arch;            /* JSON of the device's peaks, or empty */
	void (*need_arch)(void *to);    /* sets `arch`, if it can; called before `arch` is looked at */
	void *to;
	uint64_t trace;

	uint64_t n; /* rows written */
	uint64_t owned, orphans, ids;
	int64_t owned_ns;
	bool figures; /* a row had FLOPs or bytes */
	struct synth_name_time {
		int64_t ns;
		uint32_t place; /* in the list of the row, from 1; 0: not in it */
	} * times;          /* by pool number */
	size_t times_cap;
	struct tl_write line;
};
void synth_rows_free(struct synth_rows *rows);

/* The members `,"input_dims":...` of those inputs that are there. */
void synth_row_inputs(struct tl_buf *out, const struct tl_span inputs[SYNTH_INPUTS]);

/* "PREFIX->KERNEL (Synthetic Op)" as JSON; both names as JSON text. */
void synth_row_synthetic_name(struct tl_buf *out, struct tl_span prefix, struct tl_span kernel);

/* Fills an empty row named r->name from its event and GPU ops, which are put in order of start and
 * id. */
void synth_row_fill(struct synth_rows *rows, struct synth_row *r, const struct synth_row_event *e,
	struct synth_op *ops, size_t n);

/* Asks the rules and writes the row. `forward`: the question's "fwd" object, or empty. */
void synth_row_write(struct synth_rows *rows, struct synth_row *r, struct tl_span forward);

#endif
