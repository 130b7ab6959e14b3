#include "progress.h"
#include "msg.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double started, shown;
static bool visible;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void tl_progress(uint64_t done, uint64_t size)
{
	static int tty = -1;
	if (tty < 0)
		tty = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
	if (!tty || tl_quiet)
		return;
	double t = now();
	if (started == 0)
		started = t;
	if (t - started < 1 || t - shown < 0.2)
		return;
	double rate = (double)done / (t - started), mib = 1048576.0;
	fprintf(stderr, "\r\033[K%s: %.0f MiB", tl_prog, (double)done / mib);
	if (size)
		fprintf(stderr, " of %.0f", (double)size / mib);
	fprintf(stderr, ", %.0f MiB/s", rate / mib);
	if (size > done && rate > 0)
		fprintf(stderr, ", %.0f s left", (double)(size - done) / rate);
	fflush(stderr);
	shown = t;
	visible = true;
}

void tl_progress_end(void)
{
	if (visible)
		fputs("\r\033[K", stderr);
	visible = false;
}
