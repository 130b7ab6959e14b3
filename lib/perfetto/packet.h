/* Packets of a Perfetto trace (share/proto/pftrace.proto), written one by one, with the names that
 * they refer to interned on the way.
 *
 *     struct tl_pf pf;
 *     tl_pf_init(&pf, out);
 *     TrackEvent e = TRACK_EVENT__INIT;
 *     e.name_iid = tl_pf_intern(&pf, TL_PF_NAME, text), e.has_name_iid = true;
 *     TracePacket p = TRACE_PACKET__INIT;
 *     p.track_event = &e;
 *     tl_pf_put(&pf, &p, ts);
 *
 * All packets are of one sequence. What was interned since the last packet goes into the next one,
 * so a name is always defined in or before the packet that uses it. Memory that tl_pf_alloc gives
 * lasts until the packet is written. */
#ifndef TL_PF_PACKET_H
#define TL_PF_PACKET_H
#include "../stream/out.h"
#include "../base/pool.h"
#include "pftrace.pb-c.h"

enum tl_pf_table {
	TL_PF_NAME, /* of slices and render stages */
	TL_PF_CATEGORY,
	TL_PF_ANNOTATION, /* names of debug annotations */
	TL_PF_ARG,        /* names of a launch's args */
	TL_PF_KERNEL,
	TL_PF_TABLES
};

struct tl_pf_block;

struct tl_pf {
	struct tl_out *out;
	struct tl_pool *tables[TL_PF_TABLES];
	uint32_t written[TL_PF_TABLES]; /* of each table, the entries that went out */
	InternedData extra;             /* entries with iids of the caller's; see tl_pf_queue */
	size_t cap_specs, cap_contexts, cap_counters;
	bool begun;
	struct tl_pf_block *blocks; /* what tl_pf_alloc gave */
	struct tl_buf packet, text;
};

void tl_pf_init(struct tl_pf *pf, struct tl_out *out);
void tl_pf_free(struct tl_pf *pf);

/* Zeroed memory, aligned for anything. */
void *tl_pf_alloc(struct tl_pf *pf, size_t n);
/* The text as a C string, a NUL in it as U+FFFD; `value` is the text itself, or JSON. */
char *tl_pf_string(struct tl_pf *pf, struct tl_span text);
char *tl_pf_json_text(struct tl_pf *pf, struct tl_span value);

/* The iid (from 1) of a text in a table. */
uint64_t tl_pf_intern(struct tl_pf *pf, enum tl_pf_table table, struct tl_span text);

/* Interned with iids that the caller chooses, for the next packet. */
void tl_pf_specification(struct tl_pf *pf, uint64_t iid, struct tl_span name, int category);
void tl_pf_context(struct tl_pf *pf, uint64_t iid, int32_t pid, int api);
void tl_pf_counters(struct tl_pf *pf, uint64_t iid, int32_t gpu, GpuCounterDescriptor *d);

/* Writes the packet (its sequence fields are set here) and frees what tl_pf_alloc gave.
 * tl_pf_put_plain: one that belongs to no sequence and has no time. */
void tl_pf_put(struct tl_pf *pf, TracePacket *p, int64_t ts);
void tl_pf_put_plain(struct tl_pf *pf, TracePacket *p);

#endif
