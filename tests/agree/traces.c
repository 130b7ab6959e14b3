/* Small random traces for tests/agree.bats: of each seed one that is well formed, as profilers
 * write them, and one with odd ids, times and places.
 *
 * usage: traces [-s NS] [-p] DIR N [SEED]
 *
 * writes DIR/plain-SEED.json and DIR/odd-SEED.json, and so on for N seeds. -s moves all times by NS
 * nanoseconds, -p gives every pid another number (not those of GPU rows where the pid names the
 * device): nothing else changes. The key "steps" of a file says how its steps lie: none, apart, or
 * mixed (nested or at once). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US INT64_C(1000)
#define MAX_EVENTS 2000
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
#define PICK(a) (a)[below(COUNT(a))]

/* how pids tell the ranks of a merged trace apart: not merged, by text, by number alone */
enum merge { ALONE, TEXT_PIDS, NUMBER_PIDS };
enum steps {
	NO_STEPS,
	PROFILER_STEPS,
	OPERATOR_STEPS,
	OTHER_STEPS,
	NESTED_STEPS,
	TWIN_STEPS,
	STEPS
};

static int64_t moved;
static bool renamed;

static struct {
	uint64_t random;
	bool odd;
	enum merge merge;
	enum steps steps;
	bool flows, externals, contexts, python, backward, projections;
	int processes, threads;
	char *events[MAX_EVENTS];
	int n;
	int form;   /* of the names of other steps */
	int kernel; /* the first of its few */
	int correlation, external, sequence;
	int process, tid; /* where host events go now */
	int64_t now;      /* on that thread */
	int64_t free_at[2][2][3];
	int step;              /* -1: outside */
	int64_t step_from[64]; /* of GPU ops, by step and process */
	int64_t step_to[64];
} g;

static uint32_t next(void)
{
	uint64_t z = g.random += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(z >> 32);
}

static int below(int n)
{
	return (int)(next() % (uint32_t)n);
}

/* True in `percent` of the cases; chance() in well-formed traces too, odd() in odd ones alone. */
static bool chance(int percent)
{
	return below(100) < percent;
}

static bool odd(int percent)
{
	return chance(percent) && g.odd;
}

/* ---- text ---- */

struct text {
	char s[1000];
	size_t n;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *t, const char *format, ...)
{
	va_list a;
	va_start(a, format);
	int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, format, a);
	va_end(a);
	if (n < 0 || t->n + (size_t)n >= sizeof t->s)
		abort();
	t->n += (size_t)n;
}

static void add_us(struct text *t, const char *key, int64_t ns)
{
	add(t, ",\"%s\":%" PRId64 ".%03d", key, ns / US, (int)(ns % US));
}

static int slot(void)
{
	if (g.n == MAX_EVENTS)
		abort();
	g.events[g.n] = NULL;
	return g.n++;
}

static void put(int at, const struct text *t)
{
	g.events[at] = strdup(t->s);
}

/* ---- places ---- */

static int other_number(int pid)
{
	return renamed ? 2000000 - 37 * pid : pid;
}

static void add_host(struct text *t)
{
	int pid = other_number(4711 + 100 * g.process);
	if (g.merge == TEXT_PIDS)
		add(t, "\"pid\":\"[TP%02d] %d\"", g.process, pid);
	else
		add(t, "\"pid\":%d", pid);
	add(t, ",\"tid\":%d", g.tid);
}

static void add_row(struct text *t, int device, int stream)
{
	if (g.merge == TEXT_PIDS)
		add(t, "\"pid\":\"[TP%02d] %d\"", g.process, device);
	else if (g.merge == NUMBER_PIDS)
		add(t, "\"pid\":%d", 1000 + 100 * g.process + device);
	else
		add(t, "\"pid\":%d", device);
	add(t, ",\"tid\":%d", stream);
}

/* ---- host spans ---- */

struct span {
	const char *cat, *name, *args;
	int64_t ts;
	int at, end_at; /* slots; end_at for the E of a B */
	int process, tid;
};

static struct span open_span(const char *cat, const char *name, const char *args)
{
	bool pair = chance(6) && strcmp(cat, "python_function") != 0;
	struct span s = {cat, strdup(name), strdup(args), g.now, slot(), -1, g.process, g.tid};
	if (pair)
		s.end_at = 0;
	return s;
}

static void head(struct text *t, char ph, const char *cat, const char *name)
{
	add(t, "{\"ph\":\"%c\",\"cat\":\"%s\",\"name\":\"%s\",", ph, cat, name);
}

static void close_span(struct span s, int64_t end)
{
	struct text t = {"", 0};
	head(&t, s.end_at < 0 ? 'X' : 'B', s.cat, s.name);
	add_host(&t);
	add_us(&t, "ts", s.ts + moved);
	if (s.end_at < 0)
		add_us(&t, "dur", end - s.ts);
	add(&t, ",\"args\":{%s}}", s.args);
	put(s.at, &t);
	if (s.end_at >= 0) {
		struct text e = {"", 0};
		head(&e, 'E', s.cat, s.name);
		add_host(&e);
		add_us(&e, "ts", end + moved);
		add(&e, "}");
		put(slot(), &e);
	}
	free((char *)s.name);
	free((char *)s.args);
}

/* ---- GPU ops ---- */

static const char *const kernels[] = {"ampere_sgemm_128x64_tn", "void gemm_%d<float>(int)",
	"void at::native::vectorized_elementwise_kernel<4, f>(int)", "elementwise_%d",
	"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	"ncclDevKernel_SendRecv_%d", "multimem_all_reduce_kernel_%d", "one_shot_all_reduce_%d",
	"void cross_device_reduce_1stage<float, 2>(int)", "moe_a2a_dispatch_%d",
	"nvshmem_put_signal_%d", "triton_poi_fused_add_%d", "flash_fwd_kernel_%d", "reduce_%d",
	"void permute_2D_data_kernel<true>(int)", "__amd_rocclr_copyBuffer"};
static const char *const copies[] = {
	"Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)"};

static void name_of(char *to, size_t n, const char *pattern, int k)
{
	const char *p = strstr(pattern, "%d");
	if (p)
		snprintf(to, n, "%.*s%d%s", (int)(p - pattern), pattern, k, p + 2);
	else
		snprintf(to, n, "%s", pattern);
}

/* What ties a call and its GPU ops: members of args, each with a comma behind it. */
struct ids {
	char call[100], op[100];
	int flow;
};

static void add_id(char *to, size_t n, const char *key, int id, int form)
{
	size_t k = strlen(to);
	static const char *const forms[] = {"\"%s\":%d,", "\"%s\":\"%d\",", "\"%s\":\"0x%x\","};
	static const char *const fixed[] = {"\"%s\":-1,", "\"%s\":0,", "\"%s\":null,", ""};
	if (form < COUNT(forms))
		snprintf(to + k, n - k, forms[form], key, id);
	else
		snprintf(to + k, n - k, fixed[form - COUNT(forms)], key);
}

static struct ids new_ids(int external)
{
	static const int forms[] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 6};
	struct ids i = {"", "", 0};
	int c = ++g.correlation, form = odd(60) ? PICK(forms) : 0;
	if (odd(10) && c > 1)
		c--; /* an id that another launch has */
	i.flow = c + (odd(10) ? -1 : 0);
	add_id(i.call, sizeof i.call, "correlation", c, form);
	add_id(i.op, sizeof i.op, "correlation", c, form);
	if (!g.externals)
		return i;
	static const int wrong[] = {0, 1, 2, 3, 99};
	int e = odd(20) ? PICK(wrong) : external;
	form = odd(10) ? PICK(forms) : 0;
	if (e || g.odd) {
		if (!odd(20))
			add_id(i.call, sizeof i.call, "External id", e, form);
		if (!odd(20))
			add_id(i.op, sizeof i.op, "External id", e, form);
	}
	return i;
}

static void put_flow(char ph, int id, int64_t ts, int device, int stream)
{
	struct text t = {"", 0};
	head(&t, ph, "ac2g", "ac2g");
	if (ph == 's')
		add_host(&t);
	else
		add_row(&t, device, stream);
	add_us(&t, "ts", ts + moved);
	/* the ids of flows are those of the file: ranks that were merged have numbers of their own */
	add(&t, ",\"id\":%d%s}", id + 1000 * g.process, ph == 'f' ? ",\"bp\":\"e\"" : "");
	put(slot(), &t);
}

static void add_device(struct text *t, int device, int stream)
{
	if (odd(5))
		add(t, "\"device\":\"%d\",", device);
	else if (odd(5))
		add(t, "\"device\":null,");
	else if (!odd(5))
		add(t, "\"device\":%d,", device);
	if (g.contexts)
		add(t, "\"context\":%d,", 1 + device);
	if (odd(5))
		add(t, "\"stream\":null,");
	else if (!odd(5))
		add(t, "\"stream\":%d,", stream);
}

static void note_step(int64_t ts, int64_t end)
{
	if (g.step < 0)
		return;
	int k = 2 * g.step + g.process;
	if (g.step_to[k] == 0 || ts < g.step_from[k])
		g.step_from[k] = ts;
	if (end > g.step_to[k])
		g.step_to[k] = end;
}

struct op {
	const char *cat;
	char name[100];
	int device, stream;
	int64_t ts, dur;
};

static struct op new_op(int64_t ready)
{
	static const int streams[] = {7, 7, 7, 20, 0};
	struct op o = {"kernel", "", 0, PICK(streams), ready, 1000 + below(20000)};
	int kind = below(10);
	const char *name = kernels[(g.kernel + 5 * below(4)) % COUNT(kernels)];
	if (g.merge == ALONE)
		o.device = g.processes > 1 ? g.process : chance(25);
	if (kind == 8) {
		o.cat = "gpu_memcpy";
		name = PICK(copies);
	} else if (kind == 9) {
		o.cat = "gpu_memset";
		name = "Memset (Device)";
	} else if (odd(3)) {
		o.cat = "Kernel";
	}
	name_of(o.name, sizeof o.name, name, below(2));
	int64_t *busy = &g.free_at[g.process][o.device][o.stream % 3];
	if (o.ts < *busy && !odd(25))
		o.ts = *busy + (chance(50) ? 0 : below(3000));
	if (odd(5))
		o.dur = 0;
	if (o.ts + o.dur > *busy)
		*busy = o.ts + o.dur;
	return o;
}

/* A GPU op that may start at `ready`, and the end of a flow there. */
static void gpu_op(int64_t ready, const struct ids *ids, bool flow)
{
	struct op o = new_op(ready);
	bool pair = odd(4);
	struct text t = {"", 0};
	head(&t, pair ? 'B' : 'X', o.cat, o.name);
	add_row(&t, o.device, o.stream);
	add_us(&t, "ts", o.ts + moved);
	if (!pair && !odd(2))
		add_us(&t, "dur", o.dur);
	add(&t, ",\"args\":{");
	add_device(&t, o.device, o.stream);
	add(&t, "%s\"grid\":[1,1,1]}}", ids->op);
	put(slot(), &t);
	if (pair) {
		struct text e = {"", 0};
		head(&e, 'E', o.cat, o.name);
		add_row(&e, o.device, o.stream);
		add_us(&e, "ts", o.ts + o.dur + moved);
		add(&e, "}");
		put(slot(), &e);
	}
	if (flow)
		put_flow('f', ids->flow, o.ts, o.device, o.stream);
	note_step(o.ts, o.ts + o.dur);
}

/* ---- calls ---- */

static void put_call(const char *cat, const char *name, const char *ids, int64_t ts, int64_t dur)
{
	struct text t = {"", 0};
	head(&t, 'X', cat, name);
	add_host(&t);
	add_us(&t, "ts", ts + moved);
	add_us(&t, "dur", dur);
	add(&t, ",\"args\":{%s\"cbid\":211}}", ids);
	put(slot(), &t);
}

/* A launch now, under the operator with this External id (0: none); in odd traces it may begin up
 * to 1 us before it, or outlast what it lies in. */
static void launch(int external)
{
	static const char *const names[] = {
		"cudaLaunchKernel", "cudaLaunchKernelExC", "hipLaunchKernel", "cudaMemcpyAsync"};
	static const int64_t longer[] = {500, 1000, 1001, 3000, 20000, 60000};
	struct ids ids = new_ids(external);
	bool graph = chance(8), flow = g.flows && !odd(30);
	int64_t ts = g.now, dur = 1000 + below(6000);
	if (odd(15))
		ts -= below(1001);
	g.now = ts + dur;
	if (odd(12))
		dur += PICK(longer);
	put_call("cuda_runtime",
		graph ? (chance(50) ? "cudaGraphLaunch" : "hipGraphLaunch") : PICK(names), ids.call, ts,
		dur);
	if (chance(20))
		put_call("cuda_driver", graph && chance(50) ? "cuGraphLaunch" : "cuLaunchKernel", ids.call,
			ts + 100, dur - 200);
	if (flow)
		put_flow('s', ids.flow, ts, 0, 0);
	int ops = graph ? below(4) : chance(4) ? 0 : 1;
	int64_t ready = ts + 1000 + below(chance(20) ? 150000 : 12000);
	if (odd(5))
		ready = ts - below(1500);
	for (int k = 0; k < ops; k++)
		gpu_op(ready + k * 500, &ids, flow && k == 0);
	if (chance(50))
		g.now += below(3000);
}

static void synchronize(void)
{
	put_call("cuda_runtime", "cudaStreamSynchronize", "", g.now, 2000);
	g.now += 2000;
}

/* ---- operators ---- */

static const char *const operators[] = {"aten::mm", "aten::addmm", "aten::linear", "aten::add_",
	"aten::_softmax", "aten::copy_", "mine::op", "record_param_comms"};

static void operator_args(char *to, size_t n, int external, int sequence)
{
	*to = 0;
	size_t k = 0;
	if (g.externals)
		k += (size_t)snprintf(to, n, "\"External id\":%d,", odd(5) ? 1 : external);
	if (sequence)
		k += (size_t)snprintf(to + k, n - k, "\"Sequence number\":%d,\"Fwd thread id\":%d,",
			sequence, g.tid == 1 ? 0 : 1);
	snprintf(to + k, n - k,
		"\"Input Dims\":[[8,16],[16,4],[]],\"Input type\":[\"float\",\"float\",\"Scalar\"]");
}

static void call_operator(int depth, const char *name, int sequence)
{
	char args[200];
	int external = ++g.external;
	operator_args(args, sizeof args, external, sequence);
	struct span s = open_span("cpu_op", name ? name : PICK(operators), args);
	if (chance(50))
		g.now += below(4000);
	for (int k = 1 + below(3); k > 0; k--) {
		if (depth < 3 && chance(35))
			call_operator(depth + 1, NULL, sequence && chance(20) ? sequence : 0);
		else if (chance(5))
			synchronize();
		else
			launch(external);
	}
	if (chance(60))
		g.now += 1000 + below(4000);
	if (g.now <= s.ts)
		g.now = s.ts + 1000;
	close_span(s, g.now);
	if (chance(50))
		g.now += below(5000);
}

/* A wrapper of autograd's, the node it runs, and operators below, on a thread of their own. */
static void call_backward(void)
{
	char args[200];
	int thread = g.tid, sequence = g.sequence;
	g.tid = 2;
	operator_args(args, sizeof args, ++g.external, sequence);
	struct span wrapper = open_span(
		"cpu_op", "autograd::engine::evaluate_function: MmBackward0", args);
	operator_args(args, sizeof args, ++g.external, sequence);
	struct span node = open_span("cpu_op", "MmBackward0", args);
	call_operator(1, "aten::mm", 0);
	close_span(node, g.now);
	g.now += 100;
	close_span(wrapper, g.now);
	g.tid = thread;
}

static void call_top(void)
{
	struct span frame = {0};
	bool framed = g.python && chance(70);
	if (framed) {
		char name[60], args[60];
		int id = ++g.external;
		snprintf(name, sizeof name, "demo/model.py(%d): forward", 10 + below(3));
		snprintf(args, sizeof args, "\"Python id\":%d,\"Python parent id\":1", id);
		frame = open_span("python_function", name, args);
		g.now += 300;
	}
	if (chance(8))
		launch(0); /* under no operator */
	else
		call_operator(0, NULL, ++g.sequence);
	if (framed) {
		g.now += 200;
		close_span(frame, g.now);
	}
	if (g.backward && g.sequence && chance(70))
		call_backward();
}

/* ---- steps ---- */

static void step_name(char *to, size_t n, int k)
{
	static const char *const others[] = {"iteration %d", "denoise_step %d", "step[DECODE bs=%d]"};
	name_of(to, n, g.steps == OTHER_STEPS ? others[g.form] : "ProfilerStep#%d", k);
}

static void put_projection(int k)
{
	int at = 2 * k + g.process;
	struct text t = {"", 0};
	char name[60];
	if (g.step_to[at] == 0)
		return;
	step_name(name, sizeof name, k);
	head(&t, 'X', "gpu_user_annotation", name);
	add_row(&t, g.merge == ALONE && g.processes > 1 ? g.process : 0, 7);
	add_us(&t, "ts", g.step_from[at] + moved);
	add_us(&t, "dur", g.step_to[at] - g.step_from[at]);
	add(&t, ",\"args\":{\"External id\":%d}}", 5000 + k);
	put(slot(), &t);
}

static void put_step(int k, int tid, int64_t ts, int64_t end)
{
	char name[60];
	struct text t = {"", 0};
	int thread = g.tid;
	g.tid = tid;
	step_name(name, sizeof name, k);
	head(&t, 'X', g.steps == OPERATOR_STEPS ? "Operator" : "user_annotation", name);
	add_host(&t);
	add_us(&t, "ts", ts + moved);
	add_us(&t, "dur", end - ts);
	add(&t, ",\"args\":{\"External id\":%d}}", 5000 + k);
	put(slot(), &t);
	g.tid = thread;
}

static void run_step(int k)
{
	int64_t ts = g.now, inner = 0;
	g.step = g.steps == NO_STEPS ? -1 : k;
	if (chance(50))
		g.now += below(3000);
	for (int n = 1 + below(2); n > 0; n--)
		call_top();
	if (g.steps == NESTED_STEPS && k % 2 == 0) {
		inner = g.now;
		call_top();
		put_step(20 + k, 1, inner, g.now);
	}
	int64_t end = g.now;
	if (odd(20) && end - ts > 4000)
		end -= below(4000); /* the last call outlasts it, or starts at its end */
	if (g.steps != NO_STEPS)
		put_step(k, 1, ts, end);
	if (g.steps == TWIN_STEPS && chance(70))
		put_step(k, 2, ts + 500, end + 2000);
	g.step = -1;
	if (chance(30))
		call_top(); /* between steps */
	g.now += 3000;
}

static void run_process(void)
{
	static const struct ids none = {"", "", 0};
	int steps = 1 + below(3);
	g.tid = 1;
	g.now = 100 * US + below(5000);
	if (g.merge != ALONE)
		g.correlation = g.external = 0; /* ranks count alike */
	if (chance(25))
		call_top();
	struct span root = {0};
	if (g.python)
		root = open_span("python_function", "demo/train.py(3): main", "\"Python id\":1");
	for (int k = 0; k < steps; k++)
		run_step(k);
	if (g.python)
		close_span(root, g.now);
	if (g.projections && g.steps != NO_STEPS)
		for (int k = 0; k < steps; k++)
			put_projection(k);
	for (int n = chance(30) ? 1 + below(2) : 0; n > 0; n--) {
		struct ids lost = none;
		if (chance(50))
			add_id(lost.op, sizeof lost.op, "correlation", 90000 + n, 0);
		gpu_op(60 * US + below(300000), &lost, false);
	}
}

static void put_extras(void)
{
	struct text t = {"", 0}, c = {"", 0};
	g.process = 0;
	g.tid = 1;
	head(&t, 'M', "__metadata", "process_name");
	add_host(&t);
	add_us(&t, "ts", 0);
	add(&t, ",\"args\":{\"name\":\"python\"}}");
	put(slot(), &t);
	head(&c, 'i', "mark", "here");
	add_host(&c);
	add_us(&c, "ts", 100 * US + below(200000) + moved);
	add(&c, ",\"s\":\"t\"}");
	put(slot(), &c);
}

static void make(uint64_t seed, bool is_odd)
{
	memset(&g, 0, sizeof g);
	g.random = seed * 2 + is_odd;
	next();
	g.odd = is_odd;
	g.processes = chance(65) ? 1 : 2;
	g.merge = g.processes == 1 || chance(30) ? ALONE
			  : chance(50) && is_odd         ? NUMBER_PIDS
											 : TEXT_PIDS;
	g.steps = chance(25) ? NO_STEPS : chance(40) ? PROFILER_STEPS : (enum steps)below(STEPS);
	g.form = below(3);
	g.kernel = below(COUNT(kernels));
	g.flows = chance(50);
	g.externals = chance(70);
	g.contexts = chance(50);
	g.python = chance(35);
	g.backward = chance(50);
	g.projections = chance(50);
	g.step = -1;
	for (g.process = 0; g.process < g.processes; g.process++)
		run_process();
	put_extras();
}

static void write_trace(const char *dir, uint64_t seed, bool is_odd)
{
	static const char *const lie[STEPS] = {"none", "apart", "apart", "apart", "mixed", "apart"};
	char path[4096];
	snprintf(path, sizeof path, "%s/%s-%" PRIu64 ".json", dir, is_odd ? "odd" : "plain", seed);
	make(seed, is_odd);
	FILE *f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(3);
	}
	fprintf(f, "{\"steps\":\"%s\",\"traceEvents\":[\n", lie[g.steps]);
	bool first = true;
	for (int i = 0; i < g.n; i++) {
		if (g.events[i])
			fprintf(f, "%s%s", first ? "" : ",\n", g.events[i]);
		first = first && !g.events[i];
		free(g.events[i]);
	}
	fprintf(f, "\n]}\n");
	if (fclose(f)) {
		perror(path);
		exit(3);
	}
}

int main(int argc, char **argv)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-s") && i + 1 < argc)
			moved = strtoll(argv[++i], NULL, 10);
		else
			renamed = !strcmp(argv[i], "-p");
	}
	if (argc - i < 2) {
		fprintf(stderr, "usage: traces [-s NS] [-p] DIR N [SEED]\n");
		return 2;
	}
	uint64_t seed = argc - i > 2 ? strtoull(argv[i + 2], NULL, 10) : 0;
	for (uint64_t k = 0; k < strtoull(argv[i + 1], NULL, 10); k++) {
		write_trace(argv[i], seed + k, false);
		write_trace(argv[i], seed + k, true);
	}
	return 0;
}
