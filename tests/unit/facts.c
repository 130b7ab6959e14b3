/* The facts of a trace that every tool shares, rule by rule: where.h, link.h, operator.h, step.h.
 * A trace is a list of events; each is `id` = its place, so expectations name places. */
#include "../../lib/json/cursor.h"
#include "../../lib/trace/operator.h"
#include "../../lib/trace/step.h"
#include "../../lib/trace/tree.h"
#include "expect.h"
#include <stdlib.h>

#define NONE TL_NO_ROW

static struct tl_buf lines;
static size_t ends[64];

/* `members` without the braces; %s-free JSON. */
static struct tl_table *table(const char *const *events, size_t n)
{
	struct tl_table *t = tl_table_new(TL_TAKE_ALL | TL_TAKE_PLACES);
	lines.n = 0;
	for (size_t i = 0; i < n; i++) {
		tl_buf_printf(&lines, "{\"type\":\"event\",\"trace\":0,\"id\":%zu,%s}", i, events[i]);
		ends[i] = lines.n;
	}
	for (size_t i = 0; i < n; i++) {
		size_t from = i ? ends[i - 1] : 0;
		struct tl_span line = {lines.p + from, ends[i] - from};
		struct tl_event e;
		EXPECT(tl_event_read(line, &e));
		tl_table_add(t, &e, line);
	}
	tl_table_finish(t);
	return t;
}

#define TABLE(...)                            \
	table((const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

#define AT(pid, tid, ts, dur) "\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur
#define OP(ts, dur, more) "\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\"," AT(1, 1, ts, dur) more
#define CALL(ts, dur, more) \
	"\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\"," AT(1, 1, ts, dur) more
#define KERNEL(ts, more) "\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\"," AT(0, 7, ts, 5) more
#define NOTE(name, pid, tid, ts, dur) \
	"\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name "\"," AT(pid, tid, ts, dur)
#define CORR(c) ",\"correlation\":" #c
#define EXT(c) ",\"external_id\":" #c

/* ---- ids ---- */

static uint32_t launcher_of(struct tl_table *t, uint32_t op)
{
	uint32_t *l = tl_link(t), at = l[op];
	free(l);
	tl_table_free(t);
	return at;
}

static void ids(void)
{
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR(9)), KERNEL(20, CORR(9))), 1) == 0);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR("9")), KERNEL(20, CORR(9))), 1) == 0);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR("0x1")), KERNEL(20, CORR("0x1"))), 1) == 0);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR("0x1")), KERNEL(20, CORR(1))), 1) == NONE);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR(0)), KERNEL(20, CORR(0))), 1) == NONE);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR(-1)), KERNEL(20, CORR(-1))), 1) == NONE);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR(null)), KERNEL(20, CORR(null))), 1) == NONE);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR(18446744073709551615)),
						   KERNEL(20, CORR(18446744073709551615))),
			   1) == 0);
}

/* ---- launches ---- */

static void launches(void)
{
	/* the latest that starts no later than 1 ms after the op, else the first */
	EXPECT(launcher_of(TABLE(CALL(1000, 1, CORR(9)), CALL(2019.9, 1, CORR(9)),
						   CALL(2020.2, 1, CORR(9)), KERNEL(1020, CORR(9))),
			   3) == 1);
	EXPECT(launcher_of(
			   TABLE(CALL(5000, 1, CORR(9)), CALL(6000, 1, CORR(9)), KERNEL(10, CORR(9))), 2) == 0);
	/* of calls that start together the inner one, whichever stands first */
	EXPECT(launcher_of(TABLE(CALL(10, 3, CORR(9)), CALL(10, 9, CORR(9)), KERNEL(20, CORR(9))), 2) ==
		   0);
	/* of several ranks that the pids tell apart, that of the op */
	EXPECT(
		launcher_of(
			TABLE("\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\"," AT("TP00 5", 1, 10, 2)
					  CORR(9),
				"\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\"," AT("TP01 5", 1, 10, 2)
					CORR(9),
				"\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\"," AT("TP01 0", 7, 20, 5) CORR(9)),
			2) == 1);
	/* what tl-tree said stands, also against the ids; what it did not link is not linked */
	EXPECT(
		launcher_of(TABLE(CALL(10, 2, CORR(9) ",\"depth\":0"), CALL(12, 2, CORR(8) ",\"depth\":0"),
						KERNEL(20, CORR(8) ",\"launcher\":0")),
			2) == 0);
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR(9) ",\"depth\":0"), KERNEL(20, CORR(9))), 1) == NONE);
	/* a launcher that was filtered out */
	EXPECT(launcher_of(TABLE(CALL(10, 2, CORR(9)), KERNEL(20, CORR(9) ",\"launcher\":77")), 1) ==
		   NONE);
}

#define FLOW(ph, pid, tid, ts, flow)                                                      \
	"\"ph\":\"" ph "\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"pid\":" #pid ",\"tid\":" #tid \
	",\"ts\":" #ts ",\"flow\":" flow

/* Ops that start at once on a thread, with flows of other ids than their own: the first by event
 * id takes the first by flow id, in whatever order the texts of the ids came. */
static void flow_ties(void)
{
	EXPECT(launcher_of(
			   TABLE(CALL(10, 2, ""), FLOW("s", 1, 1, 11, "77"), CALL(13, 2, CORR("0xb")),
				   KERNEL(20, CORR("0xa")), KERNEL(20, CORR("0xb")), FLOW("f", 0, 7, 20, "77")),
			   3) == 0);
	EXPECT(launcher_of(
			   TABLE(CALL(10, 2, ""), FLOW("s", 1, 1, 11, "\"long text b\""), CALL(13, 2, ""),
				   FLOW("s", 1, 1, 14, "\"long text a\""), KERNEL(20, ""), KERNEL(20, ""),
				   FLOW("f", 0, 7, 20, "\"long text b\""), FLOW("f", 0, 7, 20, "\"long text a\"")),
			   4) == 2);
	EXPECT(launcher_of(TABLE(CALL(10, 2, ""), FLOW("s", 1, 1, 11, "\"x\""), CALL(13, 2, ""),
						   FLOW("s", 1, 1, 14, "900"), KERNEL(20, ""), KERNEL(20, ""),
						   FLOW("f", 0, 7, 20, "\"x\""), FLOW("f", 0, 7, 20, "900")),
			   4) == 2);
}

#define GRAPH(ts, dur, more) \
	"\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipGraphLaunch\"," AT(1, 1, ts, dur) more

static bool replayed(struct tl_table *t, uint32_t op)
{
	uint32_t *l = tl_link(t);
	bool is = t->flags[op] & TL_ROW_GRAPH;
	free(l);
	tl_table_free(t);
	return is;
}

static void graphs(void)
{
	EXPECT(replayed(TABLE(GRAPH(10, 9, CORR(9)), KERNEL(20, CORR(9))), 1));
	EXPECT(replayed(TABLE(GRAPH(10, 9, CORR(9)), CALL(12, 2, CORR(9)), KERNEL(20, CORR(9))), 2));
	/* not around it; another correlation; another thread */
	EXPECT(!replayed(TABLE(GRAPH(10, 2, CORR(9)), CALL(12, 2, CORR(9)), KERNEL(20, CORR(9))), 2));
	EXPECT(!replayed(TABLE(GRAPH(10, 9, CORR(8)), CALL(12, 2, CORR(9)), KERNEL(20, CORR(9))), 2));
	EXPECT(!replayed(TABLE("\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipGraphLaunch\"," AT(
							   1, 2, 10, 9) CORR(9),
						 CALL(12, 2, CORR(9)), KERNEL(20, CORR(9))),
		2));
	/* the launch was filtered out: the line says it */
	EXPECT(replayed(
		TABLE(OP(1, 1, ",\"depth\":0"), KERNEL(20, CORR(9) ",\"launcher\":5,\"graph\":true")), 1));
}

/* ---- devices and streams ---- */

static const struct tl_lane *lane(const struct tl_table *t, uint32_t row)
{
	return &t->places.lanes[tl_table_lane(t, row)];
}

#define ON(pid, tid, more) \
	"\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\"," AT(pid, tid, 10, 5) more

static void places(void)
{
	struct tl_table *t = TABLE(ON(0, 7, ",\"device\":0,\"stream\":7"),
		ON("0", 7, ",\"device\":\"0\",\"stream\":\"7\""), ON(0, 7, ",\"device\":null,\"stream\":7"),
		ON(0, 7, ",\"device\":0,\"stream\":null"), ON(0, 9, ",\"device\":0,\"stream\":0"),
		ON(1, 7, ",\"device\":1,\"stream\":7"), ON(5, 7, ""));
	EXPECT(t->places.n_devices == 3);
	EXPECT(lane(t, 0) == lane(t, 1) && lane(t, 0) == lane(t, 2));
	EXPECT(lane(t, 3) != lane(t, 0) && lane(t, 3)->device == 0 && lane(t, 3)->by_tid);
	EXPECT(lane(t, 4)->device == 0 && lane(t, 4) < lane(t, 0)); /* stream 0 comes first */
	EXPECT(lane(t, 5)->device == 1 && lane(t, 6)->device == 2);
	EXPECT(tl_span_eq(t->places.devices[2].text, TL_LIT("5")));
	EXPECT(!t->places.devices[0].ambiguous && !lane(t, 0)->ambiguous);
	tl_table_free(t);

	/* one number on rows of two pids; what says no device is of the only one of its pid */
	t = TABLE(ON("r1:0", 7, ",\"device\":0,\"stream\":7"),
		ON("r0:0", 7, ",\"device\":0,\"stream\":7"), ON("r1:0", 8, ""));
	EXPECT(t->places.n_devices == 2 && lane(t, 0)->device == 1 && lane(t, 1)->device == 0);
	EXPECT(lane(t, 2)->device == 1 && t->places.devices[0].ambiguous &&
		   t->places.devices[1].ambiguous);
	EXPECT(tl_span_eq(t->places.devices[0].pid, TL_LIT("\"r0:0\"")));
	tl_table_free(t);

	/* contexts number their streams for themselves; an event that does not say is of the only one
	 */
	t = TABLE(ON(0, 7, ",\"device\":0,\"stream\":7,\"args\":{\"context\":1}"),
		ON(0, 7, ",\"device\":0,\"stream\":7,\"args\":{\"context\":\"2\"}"),
		ON(0, 7, ",\"device\":0,\"stream\":7"),
		ON(0, 7, ",\"device\":0,\"stream\":8,\"args\":{\"context\":2}"),
		ON(0, 7, ",\"device\":0,\"stream\":8"));
	EXPECT(t->places.n_devices == 1 && t->places.n_lanes == 4);
	EXPECT(lane(t, 0) != lane(t, 1) && lane(t, 0)->ambiguous && lane(t, 2)->ambiguous);
	EXPECT(lane(t, 3) == lane(t, 4) && !lane(t, 3)->ambiguous);
	tl_table_free(t);
}

/* ---- operators ---- */

static uint32_t operator_of(struct tl_table *t, uint32_t op)
{
	uint32_t *l = tl_link(t), *o = tl_operators_of(t, l), at = o[op];
	free(o);
	free(l);
	tl_table_free(t);
	return at;
}

static void operators(void)
{
	const char *k = KERNEL(500, CORR(9));
	EXPECT(operator_of(TABLE(OP(100, 50, ""), OP(110, 20, ""), CALL(115, 5, CORR(9)), k), 3) == 1);
	EXPECT(operator_of(TABLE(OP(100, 50, ""), CALL(200, 5, CORR(9)), k), 2) == NONE);
	EXPECT(operator_of(TABLE(OP(100, 50, EXT(5)), KERNEL(500, EXT(5))), 1) == NONE); /* no call */
	/* up to 1 us before an operator that it overlaps; not more, not without overlap */
	EXPECT(operator_of(TABLE(OP(100, 50, ""), CALL(99, 5, CORR(9)), k), 2) == 0);
	EXPECT(operator_of(TABLE(OP(100, 50, ""), CALL(98.999, 5, CORR(9)), k), 2) == NONE);
	EXPECT(operator_of(TABLE(OP(100, 50, ""), CALL(99.5, 0.5, CORR(9)), k), 2) == NONE);
	EXPECT(operator_of(TABLE(OP(0, 500, ""), OP(100, 50, ""), CALL(99.5, 5, CORR(9)), k), 3) == 1);
	EXPECT(operator_of(TABLE(OP(100, 5, ""), CALL(99.5, 500, CORR(9)), k), 2) == NONE);
	/* overruns and grazes */
	EXPECT(operator_of(TABLE(OP(100, 10, ""), CALL(109, 2, CORR(9)), k), 2) == 0);
	EXPECT(operator_of(TABLE(OP(100, 10, ""), CALL(109, 2.001, CORR(9)), k), 2) == NONE);
	EXPECT(operator_of(TABLE(OP(100, 10, ""), CALL(104, 10, CORR(9)), k), 2) == 0);
	/* annotations by name are no operators */
	EXPECT(operator_of(TABLE("\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"ProfilerStep#3\"," AT(
								 1, 1, 100, 50),
						   CALL(110, 5, CORR(9)), k),
			   2) == NONE);
}

static void external_ids(void)
{
	const char *k = KERNEL(500, CORR(9));
	/* never against an operator that truly holds the call */
	EXPECT(operator_of(
			   TABLE(OP(100, 50, EXT(5)), OP(110, 20, EXT(6)), CALL(115, 5, CORR(9) EXT(5)), k),
			   3) == 1);
	/* nor one that had ended, nor one of another process */
	EXPECT(
		operator_of(TABLE(OP(0, 50, EXT(5)), OP(100, 50, EXT(6)), CALL(115, 5, CORR(9) EXT(5)), k),
			3) == 1);
	EXPECT(operator_of(TABLE(OP(0, 50, EXT(5)), CALL(115, 5, CORR(9) EXT(5)), k), 2) == NONE);
	EXPECT(operator_of(TABLE(OP(100, 50, EXT(5)),
						   "\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\"," AT(2, 1, 115, 5)
							   CORR(9) EXT(5),
						   k),
			   2) == NONE);
	/* where time tells none: on any thread, when it holds the start */
	EXPECT(operator_of(TABLE(OP(100, 50, EXT(5)),
						   "\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\"," AT(1, 2, 115, 5)
							   CORR(9) EXT(5),
						   k),
			   2) == 0);
	EXPECT(operator_of(TABLE(OP(100, 10, EXT(5)), CALL(109, 20, CORR(9) EXT(5)), k), 2) == 0);
	/* of several of that id the innermost */
	EXPECT(operator_of(TABLE(OP(100, 90, EXT(5)), OP(110, 30, EXT(5)),
						   "\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\"," AT(1, 2, 115, 5)
							   CORR(9) EXT(5),
						   k),
			   3) == 1);
	/* the op's own id counts before that of its launch */
	EXPECT(operator_of(TABLE(OP(100, 50, EXT(5)), OP(100, 60, EXT(6)),
						   "\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\"," AT(1, 2, 115, 5)
							   CORR(9) EXT(5),
						   KERNEL(500, CORR(9) EXT(6))),
			   3) == 1);
}

/* Calls of no length at the bounds of an operator (inner, 120..190) within another (outer). */
static uint32_t tie(const char *call)
{
	return operator_of(
		TABLE(OP(100, 100, EXT(2)), OP(120, 70, EXT(4)), call, KERNEL(500, CORR(9))), 3);
}

static void ties(void)
{
	EXPECT(tie(CALL(120, 0, CORR(9) EXT(4))) == 1);
	EXPECT(tie(CALL(120, 0, CORR(9) EXT(2))) == 0);
	EXPECT(tie(CALL(190, 0, CORR(9) EXT(4))) == 1);
	EXPECT(tie(CALL(190, 0, CORR(9) EXT(2))) == 0);
	EXPECT(tie(CALL(120, 0, CORR(9))) == 1);
	EXPECT(tie(CALL(190, 0, CORR(9))) == 0);
	EXPECT(tie(CALL(119, 1, CORR(9) EXT(4))) == 1); /* touches with its end */
	EXPECT(tie(CALL(121, 0, CORR(9) EXT(2))) == 1); /* truly inside */
	EXPECT(tie(CALL(191, 0, CORR(9) EXT(4))) == 0); /* truly outside */
	/* one that touches, but lies beside the operator that truly holds the call */
	EXPECT(operator_of(TABLE(OP(100, 20, EXT(2)), OP(110, 90, EXT(4)), CALL(120, 5, CORR(9) EXT(2)),
						   KERNEL(500, CORR(9))),
			   3) == 1);
}

/* ---- steps ---- */

static bool form(const char *name, enum tl_step_form want, bool numbered, uint64_t number)
{
	uint64_t n;
	bool has;
	enum tl_step_form f = tl_step_form(tl_str(name), &n, &has);
	return f == want && (f == TL_STEP_NONE || (has == numbered && (!has || n == number)));
}

static void step_names(void)
{
	EXPECT(form("ProfilerStep#12", TL_STEP_PROFILER, true, 12));
	EXPECT(form("ProfilerStep#", TL_STEP_PROFILER_WORD, false, 0));
	EXPECT(form("my profilerstep 4", TL_STEP_PROFILER_WORD, true, 4));
	EXPECT(form("denoise_step 4", TL_STEP_DENOISE, true, 4));
	EXPECT(form("Iteration 7", TL_STEP_ITERATION, true, 7));
	EXPECT(form("train_step", TL_STEP_WORD, false, 0));
	EXPECT(form("step[DECODE bs=32]", TL_STEP_WORD, false, 0));
	EXPECT(form("step_fp16", TL_STEP_WORD, false, 0));
	EXPECT(form("decode_step_32_x", TL_STEP_WORD, true, 32));
	EXPECT(form("Optimizer.step#SGD.step", TL_STEP_NONE, false, 0));
	EXPECT(form("stepping", TL_STEP_WORD, false, 0));
	EXPECT(form("misstepped", TL_STEP_NONE, false, 0));
	EXPECT(form("aten::mm", TL_STEP_NONE, false, 0));
}

struct step_of {
	struct tl_table *t;
	uint32_t *launcher;
	struct tl_steps s;
};

static struct step_of steps_of(struct tl_table *t)
{
	struct step_of x = {t, tl_link(t), {0}};
	x.s = tl_steps_find(t, x.launcher);
	return x;
}

static void forget(struct step_of *x)
{
	tl_steps_free(&x->s);
	free(x->launcher);
	tl_table_free(x->t);
}

#define LAUNCH(tid, ts, dur, c) \
	"\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\"," AT(1, tid, ts, dur) CORR(c)

static void steps(void)
{
	/* by the start of the launch, on any thread; none between; the best form alone */
	struct step_of x = steps_of(TABLE(NOTE("ProfilerStep#7", 1, 1, 100, 100),
		NOTE("ProfilerStep#8", 1, 1, 200, 100), NOTE("train_step", 1, 1, 300, 50),
		LAUNCH(2, 199.999, 50, 1), LAUNCH(1, 200, 5, 2), LAUNCH(1, 300, 5, 3), KERNEL(600, CORR(1)),
		KERNEL(610, CORR(2)), KERNEL(620, CORR(3))));
	EXPECT(x.s.n == 2 && x.s.a[0].number == 7 && x.s.a[1].number == 8);
	EXPECT(x.s.of[6] == 0 && x.s.of[7] == 1 && x.s.of[8] == NONE && !x.s.several);
	forget(&x);

	/* one name on two threads at once is one step; apart in time it is two, counted from 0 */
	x = steps_of(TABLE(NOTE("train_step", 1, 1, 0, 100), NOTE("train_step", 1, 2, 50, 100),
		NOTE("train_step", 1, 1, 150, 10), LAUNCH(1, 120, 5, 1), KERNEL(600, CORR(1))));
	EXPECT(x.s.n == 2 && x.s.a[0].end == 150000 && x.s.a[0].row == 0 && x.s.of[4] == 0);
	EXPECT(x.s.a[0].number == 0 && x.s.a[1].number == 1);
	forget(&x);

	/* parallel steps: the shortest; nested ones own theirs too */
	x = steps_of(TABLE(NOTE("ProfilerStep#1", 1, 1, 0, 100), NOTE("ProfilerStep#2", 1, 2, 50, 60),
		NOTE("ProfilerStep#3", 1, 1, 10, 20), LAUNCH(1, 60, 5, 1), LAUNCH(1, 15, 5, 2),
		LAUNCH(1, 40, 5, 3), LAUNCH(1, 105, 2, 4), KERNEL(600, CORR(1)), KERNEL(610, CORR(2)),
		KERNEL(620, CORR(3)), KERNEL(630, CORR(4))));
	EXPECT(x.s.n == 3 && x.s.a[1].nested && !x.s.a[0].nested && !x.s.a[2].nested);
	EXPECT(x.s.of[7] == 2 && x.s.of[8] == 0 && x.s.of[9] == 0 && x.s.of[10] == 2);
	EXPECT(x.s.nested.n == 1 && x.s.nested.a[0].key == 1 && x.s.nested.a[0].at == 8);
	forget(&x);

	/* of another process: not its step */
	x = steps_of(TABLE(NOTE("ProfilerStep#1", 1, 1, 0, 100), NOTE("ProfilerStep#1", 2, 1, 300, 100),
		LAUNCH(1, 310, 5, 1), KERNEL(600, CORR(1))));
	EXPECT(x.s.n == 2 && x.s.several && x.s.of[3] == NONE);
	forget(&x);
}

#define SHOWN(name, ts, dur, more) \
	"\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"" name "\"," AT(0, 7, ts, dur) more

static void projections(void)
{
	/* without a launch by the projection over it, which is no step itself */
	struct step_of x = steps_of(
		TABLE(NOTE("train_step", 1, 1, 0, 10) EXT(5), NOTE("train_step", 1, 1, 20, 10) EXT(6),
			SHOWN("train_step", 100, 20, EXT(5)), SHOWN("train_step", 200, 20, EXT(6)),
			KERNEL(110, ",\"device\":0,\"stream\":7"), KERNEL(210, ",\"device\":0,\"stream\":7"),
			KERNEL(310, ",\"device\":0,\"stream\":7"), KERNEL(110, ",\"device\":1,\"stream\":7")));
	EXPECT(
		x.s.n == 2 && x.s.of[4] == 0 && x.s.of[5] == 1 && x.s.of[6] == NONE && x.s.of[7] == NONE);
	forget(&x);
	x = steps_of(TABLE(SHOWN("train_step", 100, 20, ""), KERNEL(110, "")));
	EXPECT(x.s.n == 0 && x.s.of[1] == NONE);
	forget(&x);
}

int main(void)
{
	ids();
	launches();
	flow_ties();
	graphs();
	places();
	operators();
	external_ids();
	ties();
	step_names();
	steps();
	projections();
	tl_buf_free(&lines);
	return expect_failures > 0;
}
