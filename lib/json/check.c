#include "check.h"

/* The first byte that is repaired, or at which the scanner stopped. */
static const char *first_fault(const struct tl_scan *s)
{
	const char *at = s->p;
	for (int i = 0; i < TL_REPAIRS; i++)
		if (s->repair[i].count && s->repair[i].first < at)
			at = s->repair[i].first;
	return at;
}

bool tl_json_check(struct tl_json_check *c, struct tl_span v, size_t *fault)
{
	struct tl_scan *s = &c->scan;
	c->copy.n = c->out.n = 0;
	tl_buf_more(&c->copy, v.n + TL_SCAN_PAD);
	tl_buf_more(&c->out, (v.n + TL_SCAN_PAD) * TL_SCAN_GROWTH);
	if (v.n)
		memcpy(c->copy.p, v.p, v.n);
	memset(c->copy.p + v.n, 0, TL_SCAN_PAD);
	*s = (struct tl_scan){.p = c->copy.p,
		.end = c->copy.p + v.n,
		.final = true,
		.o = c->out.p,
		.stack = s->stack,
		.stack_cap = s->stack_cap};
	bool ok = tl_scan_value(s) == TL_SCAN_OK && !s->repairs && !s->trailing_comma;
	if (ok)
		tl_scan_blank(s);
	if (ok && s->p == s->end)
		return true;
	*fault = (size_t)(first_fault(s) - c->copy.p);
	return false;
}

void tl_json_check_free(struct tl_json_check *c)
{
	tl_scan_free(&c->scan);
	tl_buf_free(&c->copy);
	tl_buf_free(&c->out);
}

bool tl_json_valid(struct tl_span v)
{
	struct tl_json_check c = {0};
	size_t fault;
	bool ok = tl_json_check(&c, v, &fault);
	tl_json_check_free(&c);
	return ok;
}
