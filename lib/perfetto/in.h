/* Perfetto traces in: what tl-render -f pftrace writes, and of other writers what is written in the
 * same kinds of packets (share/proto/pftrace.proto). Slices become X events with ids in the order
 * of their beginnings, written when they end; render stages become GPU ops; flows, instants and
 * counters their events. Memory grows with names, open slices, flows and the numbers of stages, not
 * with events. Packets of other kinds are counted and named. */
#ifndef TL_PERFETTO_IN_H
#define TL_PERFETTO_IN_H
#include "../stream/stream.h"
#include "../format/format.h"

/* True when these first bytes of a file begin a Perfetto trace. */
bool tl_perfetto_is(const char *p, size_t n);

/* As tl_chrome_read (chrome/in.h); one trace is written. */
bool tl_perfetto_read(struct tl_source *src, const char *name, uint64_t first,
	const struct tl_extract_options *opt, struct tl_out *out, struct tl_extracted *got,
	struct tl_error *e);

#endif
