#include "inside.h"
#include "../json/json.h"
#include <stdarg.h>
#include <stdio.h>

struct rl_warning *rl_raise(struct tl_reliability *r, enum rl_code code,
	enum tl_reliability_severity severity, const struct rl_seen *first, const char *fmt, ...)
{
	struct rl_warning *w = &r->w[code];
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	w->severity = severity;
	w->first = first ? *first : (struct rl_seen){0};
	w->example = w->first.count && w->first.id != UINT64_MAX;
	w->message.n = 0;
	tl_members(&w->figures);
	tl_buf_span(&w->message, tl_str(text));
	return w;
}

/* Names are kept as the text inside their quotes; what was no string is quoted now. */
void rl_figure_name(struct rl_warning *w, const char *key, struct tl_span inner)
{
	struct tl_buf b = {0};
	tl_buf_ch(&b, '"');
	tl_buf_span(&b, inner);
	tl_buf_ch(&b, '"');
	if (tl_json_valid(tl_buf_all(&b)))
		tl_put_json(&w->figures, key, tl_buf_all(&b));
	else
		tl_put_string(&w->figures, key, inner);
	tl_buf_free(&b);
}

bool tl_reliability_fired(const struct tl_reliability *r, int code)
{
	return r->w[code].severity != RL_SEV_NONE;
}

void rl_put_verdict(struct tl_write *w, const char *key, enum tl_reliability_flag v)
{
	if (v != RL_FLAG_UNKNOWN)
		tl_put_flag(w, key, v == RL_FLAG_TRUE);
}
