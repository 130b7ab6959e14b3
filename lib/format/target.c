#include "target.h"
#include "../json/json.h"
#include <stdlib.h>

static bool has(const struct tl_target *t, const char *mark)
{
	return t->pattern && strstr(t->pattern, mark);
}

bool tl_target_by_rank(const struct tl_target *t)
{
	return has(t, "{rank}");
}

bool tl_target_each(const struct tl_target *t)
{
	return has(t, "{rank}") || has(t, "{trace}");
}

static void expand(struct tl_buf *b, const char *pattern, uint64_t trace, int64_t rank)
{
	for (const char *p = pattern; *p;) {
		if (strncmp(p, "{trace}", 7) == 0) {
			tl_buf_printf(b, "%llu", (unsigned long long)trace);
			p += 7;
		} else if (strncmp(p, "{rank}", 6) == 0) {
			tl_buf_printf(b, "%lld", (long long)rank);
			p += 6;
		} else {
			tl_buf_ch(b, *p++);
		}
	}
	tl_buf_ch(b, '\0');
}

static bool used(const struct tl_target *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->names[i], name) == 0)
			return true;
	return false;
}

static bool open_each(struct tl_target *t, struct tl_span rank, struct tl_error *e)
{
	uint64_t trace = t->n; /* not the record's number: streams may have been joined */
	struct tl_buf name = {0};
	int64_t number = 0;

	if (tl_target_by_rank(t) && !tl_json_i64(rank, &number)) {
		tl_fail(e, 0, "trace %llu has no rank: use {trace} in the name, or tl-extract --rank",
			(unsigned long long)trace);
		return false;
	}
	expand(&name, t->pattern, trace, number);
	if (used(t, name.p)) {
		tl_fail(e, 0, "%s: two traces would be written to it: use {trace} in the name", name.p);
		tl_buf_free(&name);
		return false;
	}
	TL_GROW(t->names, t->n, t->cap);
	t->names[t->n++] = name.p;
	tl_out_open(&t->out, name.p, t->gzip || tl_span_ends_nocase(tl_str(name.p), TL_LIT(".gz")));
	t->open = true;
	return true;
}

bool tl_target_open(struct tl_target *t, struct tl_span rank, struct tl_error *e)
{
	if (tl_target_each(t))
		return open_each(t, rank, e);
	if (t->open && t->several)
		return true;
	if (t->open) {
		tl_fail(e, 0,
			"the stream holds several traces: name a file for each with {trace} or {rank} in -o, "
			"or --merge them");
		return false;
	}
	bool gz = t->pattern && tl_span_ends_nocase(tl_str(t->pattern), TL_LIT(".gz"));
	tl_out_open(&t->out, t->pattern, t->gzip || gz);
	t->open = true;
	return true;
}

void tl_target_label(struct tl_target *t, struct tl_span rank, struct tl_buf *label)
{
	size_t trace = t->labels++;
	int64_t number;
	bool again = false;

	if (!tl_json_i64(rank, &number)) {
		tl_buf_printf(label, "trace%zu", trace);
		return;
	}
	for (size_t i = 0; i < t->n_ranks; i++)
		again = again || t->ranks[i] == number;
	TL_GROW(t->ranks, t->n_ranks, t->cap_ranks);
	t->ranks[t->n_ranks++] = number;
	tl_buf_printf(label, "rank%lld", (long long)number);
	if (again)
		tl_buf_printf(label, ".%zu", trace);
}

void tl_target_end(struct tl_target *t)
{
	if (!t->open || !tl_target_each(t))
		return;
	tl_out_close(&t->out);
	t->open = false;
}

void tl_target_close(struct tl_target *t, bool whole)
{
	if (t->open && whole)
		tl_out_close(&t->out);
	else if (t->open)
		tl_out_discard(&t->out);
	t->open = false;
	for (size_t i = 0; i < t->n; i++)
		free(t->names[i]);
	free(t->names);
	free(t->ranks);
	t->names = NULL;
	t->ranks = NULL;
	t->n = t->cap = t->n_ranks = t->cap_ranks = 0;
}
