#include "record.h"
#include "../json/json.h"

/* ---- filters */

bool tl_in_list(struct tl_span word, const char *list)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");
		if (tl_span_eq((struct tl_span){list, n}, word))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

bool tl_is_wanted(const struct tl_extract_options *opt, struct tl_span ph, struct tl_span cat,
	struct tl_span name)
{
	if (tl_span_eq(ph, TL_LIT("\"M\"")))
		return true;
	if (opt->no_python && tl_cat_of(cat) == TL_CAT_PYTHON)
		return false;
	bool ok = opt->cat.n == 0;
	for (size_t i = 0; i < opt->cat.n && !ok; i++)
		ok = tl_in_list(tl_json_inner(cat), opt->cat.v[i]);
	if (!ok)
		return false;
	ok = opt->name.n == 0;
	for (size_t i = 0; i < opt->name.n && !ok; i++)
		ok = tl_glob(tl_str(opt->name.v[i]), tl_json_inner(name));
	return ok;
}

/* Looks no further than needed: ph, cat and name stand before all else that is the event's. */
static bool is_wanted(const struct tl_extract_options *opt, struct tl_span line)
{
	static const struct tl_span keys[] = {TL_LIT("ph"), TL_LIT("cat"), TL_LIT("name")};
	struct tl_span f[3] = {{0}}, key, val;
	struct tl_json it = tl_json_open(line);
	if (!opt->cat.n && !opt->name.n && !opt->no_python)
		return true;
	while (!f[2].n && tl_json_member(&it, &key, &val) && !tl_span_eq(key, TL_LIT("pid")))
		for (int i = 0; i < 3; i++)
			if (tl_span_eq(key, keys[i]))
				f[i] = val;
	return tl_is_wanted(opt, f[0], f[1], f[2]);
}

/* ---- the rank */

void tl_rank_from_name(const char *name, struct tl_buf *rank)
{
	const char *base = strrchr(name, '/');
	base = base ? base + 1 : name;
	for (const char *p = base; *p; p++) {
		if (strncmp(p, "rank", 4) != 0)
			continue;
		const char *d = p + 4;
		d += *d == '-' || *d == '_';
		size_t n = strspn(d, "0123456789");
		if (!n || n > 9)
			continue;
		while (n > 1 && *d == '0')
			d++, n--;
		tl_buf_add(rank, d, n);
		return;
	}
}

void tl_frame_rank(struct tl_frame *f, uint64_t rank)
{
	if (f->opt->rank)
		return;
	f->rank.n = 0;
	tl_buf_u64(&f->rank, rank);
}

/* ---- records */

void tl_frame_begin(struct tl_frame *f, uint64_t trace)
{
	f->trace = trace;
	f->skipped = f->repaired = 0;
	f->faults = (struct tl_faults){0};
	f->more_faults = (struct tl_span){0};
	f->sum = (struct tl_sum){0};
	f->begun = false;
	f->rank.n = f->rank_written.n = f->held.n = f->other_cats.n = 0;
	if (f->opt->rank)
		tl_buf_span(&f->rank, tl_str(f->opt->rank));
}

void tl_frame_free(struct tl_frame *f)
{
	tl_buf_free(&f->rank);
	tl_buf_free(&f->rank_written);
	tl_buf_free(&f->other_cats);
	tl_buf_free(&f->held);
	tl_write_free(&f->line);
}

static void write_line(struct tl_frame *f, struct tl_span line)
{
	tl_out_span(f->out, line);
	tl_out_eol(f->out);
}

void tl_frame_trace(struct tl_frame *f, const struct tl_origin *o)
{
	struct tl_write *w = &f->line;
	if (f->begun)
		return;
	f->begun = true;
	if (!f->rank.n)
		tl_rank_from_name(o->source, &f->rank);
	tl_record(w, "trace", f->trace);
	tl_put_u64(w, "schema", 1);
	if (o->base_ns)
		tl_put_i64(w, "base_ns", *o->base_ns);
	tl_put_string(w, "source", tl_str(o->source));
	tl_put_text(w, "format", tl_str(o->format));
	tl_put_json(w, "rank", tl_buf_all(&f->rank));
	tl_put_json(w, "rebase_us", o->rebase_us);
	write_line(f, tl_record_end(w));
	tl_buf_span(&f->rank_written, tl_buf_all(&f->rank));
	tl_out_span(f->out, tl_buf_all(&f->held));
	f->held.n = 0;
	if (f->out->line_buffered)
		tl_out_flush(f->out);
}

void tl_frame_meta(struct tl_frame *f, struct tl_span key, struct tl_span value)
{
	struct tl_write *w = &f->line;
	tl_record(w, "meta", f->trace);
	tl_put_key(w, "key");
	tl_buf_ch(&w->b, '"');
	tl_buf_span(&w->b, key);
	tl_buf_ch(&w->b, '"');
	tl_put_json(w, "value", value);
	struct tl_span line = tl_record_end(w);
	if (f->begun) {
		write_line(f, line);
		return;
	}
	tl_buf_span(&f->held, line);
	tl_buf_ch(&f->held, '\n');
}

void tl_frame_end(struct tl_frame *f)
{
	struct tl_write *w = &f->line;
	bool more = f->more_faults.n > 2;
	tl_record(w, "end", f->trace);
	if (!tl_span_eq(tl_buf_all(&f->rank), tl_buf_all(&f->rank_written)))
		tl_put_json(w, "rank", tl_buf_all(&f->rank));
	tl_put_u64(w, "events", f->sum.events);
	tl_put_u64(w, "gpu_ops", f->sum.gpu_ops);
	tl_put_u64(w, "skipped", f->skipped);
	tl_put_u64(w, "repaired", f->repaired);
	if (f->sum.any_ts) {
		tl_put_us(w, "ts_first", f->sum.ts_first);
		tl_put_us(w, "ts_last", f->sum.ts_last);
	}
	tl_list(w, "faults");
	if (more)
		tl_put_json(w, NULL, (struct tl_span){f->more_faults.p + 1, f->more_faults.n - 2});
	tl_faults_put(&f->faults, w);
	tl_list_end(w);
	tl_put_json(w, "other_cats", tl_buf_all(&f->other_cats));
	write_line(f, tl_record_end(w));
	f->got->traces++;
	f->got->damage |= f->faults.any || more;
}

/* ---- events */

struct tl_write *tl_frame_open(struct tl_frame *f, uint64_t id, char ph)
{
	const char text[3] = {'"', ph, '"'};
	f->mark = (struct tl_mark){0};
	f->ph = ph;
	tl_record(&f->line, "event", f->trace);
	tl_put_u64(&f->line, "id", id);
	tl_put_json(&f->line, "ph", (struct tl_span){text, 3});
	return &f->line;
}

void tl_frame_cat(struct tl_frame *f, struct tl_span plain)
{
	tl_put_text(&f->line, "cat", plain);
	f->mark.gpu_op = f->ph == 'X' && tl_cat_is_gpu(tl_cat_of(plain));
}

void tl_frame_ts(struct tl_frame *f, int64_t ts)
{
	tl_put_us(&f->line, "ts", ts);
	f->mark.ts = f->mark.end = ts;
	f->mark.has_ts = f->ph != 'M';
}

void tl_frame_dur(struct tl_frame *f, int64_t dur)
{
	tl_put_us(&f->line, "dur", dur);
	f->mark.end = tl_ns_add(f->mark.ts, dur);
}

void tl_frame_close(struct tl_frame *f)
{
	tl_frame_event(f, tl_record_end(&f->line), &f->mark);
}

void tl_frame_event(struct tl_frame *f, struct tl_span line, const struct tl_mark *m)
{
	if (!is_wanted(f->opt, line))
		return;
	write_line(f, line);
	tl_sum_add(&f->sum, m);
}
