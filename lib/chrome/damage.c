#include "inside.h"

static bool in_list(const struct chrome_damage *d)
{
	return d->depth && d->lists >> ((d->depth - 1) & 63) & 1;
}

/* A list that is not closed ends with the object around it; a ']' too many ends nothing. */
static void close_bracket(struct chrome_damage *d, char c)
{
	if (c == ']' && !in_list(d))
		return;
	while (c == '}' && in_list(d))
		d->depth--;
	d->depth -= d->depth > 0;
}

static void step(struct chrome_damage *d, char c)
{
	uint64_t bit = UINT64_C(1) << (d->depth & 63);
	if (d->escaped) {
		d->escaped = false;
	} else if (d->in_string) {
		d->escaped = c == '\\';
		d->in_string = c != '"';
	} else if (c == '"') {
		d->in_string = true;
	} else if (c == '{' || c == '[') {
		d->lists = c == '[' ? d->lists | bit : d->lists & ~bit;
		d->depth++;
	} else if (c == '}' || c == ']') {
		close_bracket(d, c);
	}
}

void chrome_damage_begin(struct chrome_reader *r, uint64_t at)
{
	char c = *chrome_at(r, at);
	r->damage = (struct chrome_damage){
		.open = true, .junk = c != '{', .at = at + 1, .depth = c == '{', .last = c};
}

bool chrome_damage_pass(struct chrome_reader *r, const char *to)
{
	struct chrome_damage *d = &r->damage;
	const char *p = d->at > r->base ? chrome_at(r, d->at) : r->win;
	for (; d->open && p < to; p++) {
		if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
			continue;
		if (d->depth == 0 && !d->junk) {
			d->open = *p != ',' && *p != ']' && *p != '{';
			if (!d->open)
				break;
			d->depth = 1;
			d->lists &= ~UINT64_C(1);
		}
		step(d, *p);
		d->last = *p;
	}
	d->at = chrome_offset(r, p);
	return !d->open;
}

/* The first key of the object at p, if events have such a key. */
static enum chrome_key first_key(struct chrome_reader *r)
{
	while (r->sc.end - r->sc.p < 64 && chrome_refill(r, r->sc.p))
		;
	const char *p = r->sc.p + 1, *q;
	while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
		p++;
	q = *p == '"' || *p == '\'' ? memchr(p + 1, *p, (size_t)(r->sc.end - p)) : NULL;
	return q ? tl_chrome_key((struct tl_span){p + 1, (size_t)(q - p - 1)}) : CHROME_KEY_OTHER;
}

bool chrome_damage_ends(struct chrome_reader *r)
{
	const struct chrome_damage *d = &r->damage;
	if (!d->open || d->last == ':' || d->last == '[')
		return false;
	enum chrome_key k = first_key(r);
	/* lists of args may hold objects, but none with ph */
	return d->in_string || !in_list(d) ? k != CHROME_KEY_OTHER : k == CHROME_KEY_PH;
}
