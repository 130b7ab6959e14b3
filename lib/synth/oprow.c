#include "oprow.h"
#include "../json/json.h"
#include "../base/base.h"
#include "synth.h"
#include <stdlib.h>

const char *const tl_synth_rules[] = {"op", "row", "device", "is_comm", NULL};

static const struct tl_span kinds[] = {TL_LIT("\"model\""), TL_LIT("\"backward\""),
	TL_LIT("\"leaf\""), TL_LIT("\"synthetic\""), TL_LIT("\"orphan\"")};
static const char *const inputs_names[] = {
	"input_dims", "input_types", "input_strides", "concrete_inputs"};

void synth_row_free(struct synth_row *r)
{
	tl_buf_free(&r->name);
	tl_write_free(&r->body);
	tl_write_free(&r->question);
	tl_buf_free(&r->forward_name);
}

void synth_rows_free(struct synth_rows *rows)
{
	free(rows->times);
	tl_write_free(&rows->line);
}

static void put_inputs(struct tl_write *w, const struct tl_span inputs[SYNTH_INPUTS])
{
	for (int i = 0; i < SYNTH_INPUTS; i++)
		tl_put_json(w, inputs_names[i], inputs[i]);
}

void synth_row_inputs(struct tl_buf *out, const struct tl_span inputs[SYNTH_INPUTS])
{
	struct tl_write w = {.b = *out};
	put_inputs(&w, inputs);
	*out = w.b;
}

void synth_row_synthetic_name(struct tl_buf *out, struct tl_span prefix, struct tl_span kernel)
{
	tl_buf_ch(out, '"');
	tl_buf_span(out, tl_json_inner(prefix));
	tl_buf_lit(out, "->");
	tl_buf_span(out, tl_json_inner(kernel));
	tl_buf_lit(out, " (Synthetic Op)\"");
}

static int by_start(const void *a, const void *b)
{
	const struct synth_op *x = a, *y = b;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Sum and union of the durations of ops in order of start. */
static void measure(struct synth_row *r, const struct synth_op *ops, size_t n)
{
	int64_t reached = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		int64_t end = tl_ns_add(ops[i].ts, ops[i].dur);
		r->ids += tl_mix(ops[i].id);
		r->gpu_ns = tl_ns_add(r->gpu_ns, ops[i].dur);
		if (!ops[i].has_ts || end <= reached)
			continue;
		int64_t from = ops[i].ts > reached ? ops[i].ts : reached;
		r->busy_ns = tl_ns_add(r->busy_ns, tl_ns_sub(end, from));
		reached = end;
	}
}

static struct tl_span pooled(const struct synth_rows *rows, uint32_t text)
{
	struct tl_span none = {0};
	return text == TL_POOL_NONE ? none : tl_pool_text(rows->pool, text);
}

static void put_gpu_ops(
	struct synth_rows *rows, struct tl_write *w, const struct synth_op *ops, size_t n)
{
	tl_list(w, "gpu_ops");
	for (size_t i = 0; i < n; i++) {
		tl_object(w, NULL);
		tl_put_u64(w, "id", ops[i].id);
		tl_put_json(w, "name", pooled(rows, ops[i].name));
		tl_put_json(w, "cat", pooled(rows, ops[i].cat));
		if (ops[i].has_ts)
			tl_put_us(w, "ts", ops[i].ts);
		if (ops[i].has_dur)
			tl_put_us(w, "dur", ops[i].dur);
		tl_put_json(w, "stream", pooled(rows, ops[i].stream));
		tl_object_end(w);
	}
	tl_list_end(w);
}

static void fill_body(struct synth_rows *rows, struct synth_row *r, const struct synth_row_event *e,
	const struct synth_op *ops, size_t n)
{
	struct tl_write *w = &r->body;
	tl_put_json(w, "pid", e->pid);
	tl_put_json(w, "tid", e->tid);
	tl_put_json(w, "external_id", e->external_id);
	if (e->has_dur)
		tl_put_us(w, "dur", e->dur);
	put_gpu_ops(rows, w, ops, n);
	tl_put_us(w, "gpu_us", r->gpu_ns);
	tl_put_us(w, "busy_us", r->busy_ns);
	tl_list(w, "call_stack");
	tl_buf_span(&w->b, e->stack);
	tl_list_end(w);
	put_inputs(w, e->inputs);
}

struct kernel {
	int64_t ns;
	uint32_t name, place;
};

static int by_time(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* The distinct names of the ops, the longest time first. Returns how many. */
static size_t kernels_by_time(
	struct synth_rows *rows, const struct synth_op *ops, size_t n, struct kernel *out)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t name = ops[i].name;
		if (name == TL_POOL_NONE)
			continue;
		struct synth_name_time *t = &rows->times[name];
		if (t->place == 0) {
			*t = (struct synth_name_time){0, (uint32_t)found + 1};
			out[found++].name = name;
		}
		t->ns = tl_ns_add(t->ns, ops[i].dur);
	}
	for (size_t i = 0; i < found; i++) {
		struct synth_name_time *t = &rows->times[out[i].name];
		out[i].ns = t->ns;
		out[i].place = t->place;
		t->place = 0;
	}
	qsort(out, found, sizeof *out, by_time);
	return found;
}

static void put_kernels(
	struct synth_rows *rows, struct tl_write *w, const struct synth_op *ops, size_t n)
{
	struct kernel few[16], *list = n <= 16 ? few : tl_alloc(n * sizeof *list);
	size_t old = rows->times_cap, names = tl_pool_count(rows->pool);
	while (rows->times_cap < names)
		TL_GROW(rows->times, rows->times_cap, rows->times_cap);
	memset(rows->times + old, 0, (rows->times_cap - old) * sizeof *rows->times);
	n = kernels_by_time(rows, ops, n, list);
	tl_list(w, "kernels");
	for (size_t i = 0; i < n; i++)
		tl_put_json(w, NULL, pooled(rows, list[i].name));
	tl_list_end(w);
	if (list != few)
		free(list);
}

/* What the trace recorded of the row's collective; of several, nothing: they have no common size.
 */
static struct tl_span collective_of(
	const struct synth_rows *rows, const struct synth_op *ops, size_t n)
{
	uint32_t found = TL_POOL_NONE;
	for (size_t i = 0; i < n; i++) {
		if (ops[i].comm == TL_POOL_NONE)
			continue;
		if (found != TL_POOL_NONE)
			return (struct tl_span){0};
		found = ops[i].comm;
	}
	return pooled(rows, found);
}

void synth_row_fill(struct synth_rows *rows, struct synth_row *r, const struct synth_row_event *e,
	struct synth_op *ops, size_t n)
{
	if (n > 1)
		qsort(ops, n, sizeof *ops, by_start);
	r->event = e->id;
	r->gpu_ops = n;
	measure(r, ops, n);
	fill_body(rows, r, e, ops, n);
	put_inputs(&r->question, e->inputs);
	put_kernels(rows, &r->question, ops, n);
	tl_put_json(&r->question, "annotation", e->annotation);
	struct tl_span comm = collective_of(rows, ops, n);
	tl_put_json(&r->question, "comm", comm.n || n > 1 ? comm : e->comm);
}

/* ---- what the rules say ---- */

struct answer {
	struct tl_span category, model, precision, unit, params;
	double gflops, bytes, peak_tflops, peak_tb_s; /* peaks: 0 where they are not known */
	bool has_gflops, has_bytes;
};

/* jq writes what is infinite as the largest number. */
static bool is_figure(struct tl_span json, double *v)
{
	return !tl_json_is_string(json) && tl_json_double(json, v) && *v >= 0 && *v < 1e300;
}

static struct answer read_answer(struct tl_span json)
{
	struct answer a = {0};
	struct tl_json it = tl_json_open(json);
	struct tl_span key, val;
	while (json.n && tl_json_member(&it, &key, &val)) {
		if (tl_span_eq(key, TL_LIT("category")) && tl_json_is_string(val))
			a.category = val;
		else if (tl_span_eq(key, TL_LIT("model")) && tl_json_is_string(val))
			a.model = val;
		else if (tl_span_eq(key, TL_LIT("precision")) && tl_json_is_string(val))
			a.precision = val;
		else if (tl_span_eq(key, TL_LIT("unit")) && tl_json_is_string(val))
			a.unit = val;
		else if (tl_span_eq(key, TL_LIT("params")) && val.n && val.p[0] == '{')
			a.params = val;
		else if (tl_span_eq(key, TL_LIT("gflops")))
			a.has_gflops = is_figure(val, &a.gflops);
		else if (tl_span_eq(key, TL_LIT("bytes")))
			a.has_bytes = is_figure(val, &a.bytes);
	}
	return a;
}

static double peak(struct tl_span json)
{
	double v;
	return is_figure(json, &v) ? v : 0;
}

/* What the device can do of what the answer says the row does. */
static void find_peaks(struct synth_rows *rows, struct answer *a)
{
	if (a->unit.n == 0)
		return;
	rows->need_arch(rows->to);
	if (rows->arch.n == 0)
		return;
	a->peak_tb_s = peak(tl_json_get(rows->arch, TL_LIT("memory_tb_s")));
	if (a->precision.n == 0)
		return;
	struct tl_span unit = tl_json_get(rows->arch, tl_json_inner(a->unit));
	a->peak_tflops = peak(tl_json_get(unit, tl_json_inner(a->precision)));
}

/* The time that the work takes at the device's peaks, and which of the two it waits for. Nothing
 * when a peak that matters is not known. */
static void put_roofline(struct tl_write *w, const struct answer *a, int64_t busy_ns)
{
	bool computes = a->has_gflops && a->gflops > 0;
	if (!a->has_bytes || a->peak_tb_s <= 0 || (computes && a->peak_tflops <= 0) || busy_ns <= 0)
		return;
	double memory_us = a->bytes / (a->peak_tb_s * 1e6);
	double compute_us = computes ? a->gflops / (a->peak_tflops * 1e3) * 1e6 : 0;
	double least_us = memory_us > compute_us ? memory_us : compute_us;
	if (least_us <= 0)
		return;
	tl_put_text(w, "bound", tl_str(compute_us >= memory_us ? "compute" : "memory"));
	tl_put_num(w, "roofline_share", 100 * least_us / ((double)busy_ns / 1e3), 6);
}

static void put_figures(struct tl_write *w, const struct answer *a, int64_t busy_ns)
{
	double seconds = (double)busy_ns / 1e9;
	if (a->has_gflops)
		tl_put_num(w, "gflops", a->gflops, 15);
	if (a->has_bytes)
		tl_put_num(w, "bytes", a->bytes, 15);
	if (a->has_gflops && busy_ns > 0)
		tl_put_num(w, "tflops_s", a->gflops / 1e3 / seconds, 6);
	if (a->has_bytes && busy_ns > 0)
		tl_put_num(w, "tb_s", a->bytes / 1e12 / seconds, 6);
	if (a->has_gflops && a->has_bytes && a->bytes > 0)
		tl_put_num(w, "flops_per_byte", a->gflops * 1e9 / a->bytes, 6);
	put_roofline(w, a, busy_ns);
	tl_put_json(w, "precision", a->precision);
	tl_put_json(w, "params", a->params);
}

static struct tl_span ask(
	struct synth_rows *rows, const struct synth_row *r, struct tl_span forward)
{
	struct tl_write *w = &rows->line;
	tl_members(w);
	tl_rules_question(rows->rules, &w->b);
	tl_put_json(w, "kind", kinds[r->kind]);
	tl_put_json(w, "name", tl_buf_all(&r->name));
	tl_buf_span(&w->b, tl_buf_all(&r->question.b));
	if (forward.n > 2) {
		tl_object(w, "fwd");
		tl_put_text(w, "rules", tl_str(tl_rules_set(rows->rules)));
		tl_put_json(w, NULL, (struct tl_span){forward.p + 1, forward.n - 2}); /* its members */
		tl_object_end(w);
	}
	return tl_rules_ask(rows->rules, SYNTH_RULE_ROW, tl_record_end(w));
}

static void count(struct synth_rows *rows, const struct synth_row *r)
{
	rows->owned += r->gpu_ops;
	rows->owned_ns = tl_ns_add(rows->owned_ns, r->gpu_ns);
	rows->ids += r->ids;
	if (r->kind == SYNTH_ROW_ORPHAN)
		rows->orphans += r->gpu_ops;
}

void synth_row_write(struct synth_rows *rows, struct synth_row *r, struct tl_span forward)
{
	struct tl_write *w = &rows->line;
	struct answer a = read_answer(ask(rows, r, forward));
	find_peaks(rows, &a);
	count(rows, r);
	rows->figures |= a.has_gflops || a.has_bytes;
	tl_record(w, "op", rows->trace);
	tl_put_u64(w, "id", rows->n++);
	tl_put_u64(w, "event", r->event);
	tl_put_json(w, "name", tl_buf_all(&r->name));
	tl_put_json(w, "kind", kinds[r->kind]);
	tl_put_json(w, "category", a.category);
	tl_put_json(w, "model", a.model);
	tl_buf_span(&w->b, tl_buf_all(&r->body.b));
	put_figures(w, &a, r->busy_ns);
	if (rows->groups)
		tl_synth_groups_add(rows->groups, tl_record_end(w));
	else
		tl_stream_write(rows->stream, tl_record_end(w));
}
