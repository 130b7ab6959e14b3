#include "msg.h"
#include "progress.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *fmt, va_list ap)
{
	char line[4096];
	tl_progress_end();
	vsnprintf(line, sizeof line, fmt, ap);
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	fprintf(stderr, "%s: %s\n", tl_prog, line);
}

void tl_warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void tl_note(const char *fmt, ...)
{
	va_list ap;
	if (tl_quiet)
		return;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void tl_die(enum tl_status status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(status);
}

void tl_fail(struct tl_error *e, uint64_t offset, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	e->offset = offset;
}
