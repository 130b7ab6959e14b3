#include "digest.h"
#include "fit.h"
#include "../json/json.h"
#include "../synth/synth.h"
#include "../trace/trace.h"
#include "../base/base.h"
#include <stdlib.h>

struct total {
	uint64_t count;
	int64_t ns;
	size_t name_n; /* of the pool's text, which is name and category, as JSON */
};

struct tally {
	struct tl_pool *names;
	struct total *totals; /* by number in `names` */
	size_t cap;
	int64_t ns;
};

struct report_digest {
	struct tl_buf records;
	uint64_t trace;
	bool taken;
	struct tally events, rows;
	struct tl_synth_groups *groups;
	bool grouped; /* by tl-synth already */
	struct tl_buf key;
	struct tl_write line;
	struct tl_buf fit;
	struct report_misfits misfits;
};

struct report_digest *report_digest_new(void)
{
	struct report_digest *d = tl_calloc(1, sizeof *d);

	d->events.names = tl_pool_new();
	d->rows.names = tl_pool_new();
	d->groups = tl_synth_groups_new(TL_SYNTH_GROUP_INPUTS);
	return d;
}

void report_digest_free(struct report_digest *d)
{
	tl_pool_free(d->events.names);
	tl_pool_free(d->rows.names);
	free(d->events.totals);
	free(d->rows.totals);
	tl_synth_groups_free(d->groups);
	tl_buf_free(&d->records);
	tl_buf_free(&d->key);
	tl_buf_free(&d->fit);
	tl_write_free(&d->line);
	free(d);
}

static void count(
	struct report_digest *d, struct tally *t, struct tl_span name, struct tl_span cat, int64_t ns)
{
	uint32_t known = tl_pool_count(t->names), at;

	d->key.n = 0;
	tl_buf_span(&d->key, name.n ? name : TL_LIT("\"\""));
	size_t name_n = d->key.n;
	tl_buf_span(&d->key, cat.n ? cat : TL_LIT("\"\""));
	at = tl_pool_add(t->names, tl_buf_all(&d->key));
	if (at == known) {
		TL_GROW(t->totals, at, t->cap);
		t->totals[at] = (struct total){.name_n = name_n};
	}
	t->totals[at].count++;
	t->totals[at].ns = tl_ns_add(t->totals[at].ns, ns);
	t->ns = tl_ns_add(t->ns, ns);
}

static void add_event(struct report_digest *d, struct tl_stream *s, const struct tl_record *r)
{
	struct tl_event e;

	if (!tl_event_read(r->line, &e))
		tl_stream_bad(s, r);
	else if (tl_event_is_gpu_op(&e) && tl_stream_check(s, r))
		count(d, &d->events, e.f[TL_F_NAME], e.f[TL_F_CAT], e.has_dur ? e.dur : 0);
}

static void count_row(struct report_digest *d, struct tl_span line)
{
	struct tl_span ops = tl_json_get(line, TL_LIT("gpu_ops")), op;
	struct tl_json it = tl_json_open(ops);
	int64_t ns;

	while (ops.n && tl_json_element(&it, &op)) {
		if (!tl_ns_parse(tl_json_get(op, TL_LIT("dur")), &ns))
			ns = 0;
		count(d, &d->rows, tl_json_get(op, TL_LIT("name")), tl_json_get(op, TL_LIT("cat")), ns);
	}
}

static void append(struct report_digest *d, struct tl_span line)
{
	struct tl_span type = tl_json_inner(tl_json_get(line, TL_LIT("type")));

	line = report_fit(line, type, &d->fit, &d->misfits);
	if (!line.n)
		return;
	tl_buf_span(&d->records, d->records.n ? TL_LIT(",") : TL_LIT("["));
	tl_buf_span(&d->records, line);
}

void report_digest_add(struct report_digest *d, struct tl_stream *s, const struct tl_record *r)
{
	if (d->taken)
		d->records.n = 0;
	d->taken = false;
	d->trace = r->trace;
	if (r->kind == TL_EVENT)
		add_event(d, s, r);
	if (r->kind == TL_EVENT || r->kind == TL_META || r->kind == TL_CUT || !tl_stream_check(s, r))
		return;
	if (tl_span_eq(r->type, TL_LIT("op"))) {
		if (tl_pool_count(d->events.names) == 0)
			count_row(d, r->line);
		tl_synth_groups_add(d->groups, r->line);
		return;
	}
	d->grouped |= tl_span_eq(r->type, TL_LIT("op_group"));
	append(d, r->line);
}

static void write_total(struct report_digest *d, const struct tally *t, uint32_t at)
{
	const struct total *k = &t->totals[at];
	struct tl_span key = tl_pool_text(t->names, at);
	struct tl_write *w = &d->line;

	tl_record(w, "kernel_total", d->trace);
	struct tl_span name = {key.p, k->name_n};
	if (tl_json_is_string(name))
		tl_put_json(w, "name", name);
	else
		tl_put_text(w, "name", name);
	tl_put_json(w, "cat", (struct tl_span){key.p + k->name_n, key.n - k->name_n});
	tl_put_u64(w, "count", k->count);
	tl_put_us(w, "gpu_us", k->ns);
	tl_put_share(w, "share", k->ns, t->ns, 100);
	append(d, tl_record_end(w));
}

static void write_totals(struct report_digest *d, const struct tally *t)
{
	uint32_t n = tl_pool_count(t->names);
	struct tl_sort *order = tl_alloc((n ? n : 1) * sizeof *order);

	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct tl_sort){.key = ~tl_sort_time(t->totals[i].ns), .at = i};
	tl_sort(order, n);
	for (uint32_t i = 0; i < n; i++)
		write_total(d, t, order[i].at);
	free(order);
}

static void forget(struct tally *t)
{
	tl_pool_clear(t->names);
	t->ns = 0;
}

static void take_group(void *digest, struct tl_span group)
{
	struct report_digest *d = digest;

	if (!d->grouped)
		append(d, group);
}

struct tl_span report_digest_take(struct report_digest *d)
{
	const struct tally *t = tl_pool_count(d->events.names) ? &d->events : &d->rows;

	if (d->taken)
		d->records.n = 0;
	tl_synth_groups_write(d->groups, d->trace, t->ns, take_group, d);
	write_totals(d, t);
	if (d->misfits.values || d->misfits.records)
		tl_note("trace %llu: %llu values and %llu records of unexpected form are left out of the "
				"report, first %s",
			(unsigned long long)d->trace, (unsigned long long)d->misfits.values,
			(unsigned long long)d->misfits.records, d->misfits.first);
	d->misfits = (struct report_misfits){0};
	d->grouped = false;
	forget(&d->events);
	forget(&d->rows);
	tl_buf_span(&d->records, d->records.n ? TL_LIT("]") : TL_LIT("[]"));
	d->taken = true;
	return tl_buf_all(&d->records);
}
