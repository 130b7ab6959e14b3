/* Packets of a Perfetto trace (share/proto/pftrace.proto), written one by one, with the names that
 * they refer to interned on the way.
 *
 *     struct pf_writer pf;
 *     pf_init(&pf, out);
 *     TrackEvent e = TRACK_EVENT__INIT;
 *     e.name_iid = pf_intern(&pf, PF_IID_NAME, text), e.has_name_iid = true;
 *     TracePacket p = TRACE_PACKET__INIT;
 *     p.track_event = &e;
 *     pf_put(&pf, &p, ts);
 *
 * All packets are of one sequence. What was interned since the last packet goes into the next one,
 * so a name is always defined in or before the packet that uses it. Memory that pf_alloc gives
 * lasts until the packet is written. */
#ifndef TL_PERFETTO_PACKET_H
#define TL_PERFETTO_PACKET_H
#include "../stream/stream.h"
#include "../base/base.h"
#include "pftrace.pb-c.h"

enum pf_iid_kind {
	PF_IID_NAME, /* of slices and render stages */
	PF_IID_CATEGORY,
	PF_IID_ANNOTATION, /* names of debug annotations */
	PF_IID_ARG,        /* names of a launch's args */
	PF_IID_KERNEL,
	PF_IID_TABLES
};

struct pf_block;

struct pf_writer {
	struct tl_out *out;
	struct tl_pool *tables[PF_IID_TABLES];
	uint32_t written[PF_IID_TABLES]; /* of each table, the entries that went out */
	InternedData extra;              /* entries with iids of the caller's; see pf_queue */
	size_t cap_specs, cap_contexts, cap_counters;
	bool begun;
	struct pf_block *blocks; /* what pf_alloc gave */
	struct tl_buf packet, text;
};

void pf_init(struct pf_writer *pf, struct tl_out *out);
void pf_free(struct pf_writer *pf);

/* Zeroed memory, aligned for anything. */
void *pf_alloc(struct pf_writer *pf, size_t n);
/* The text as a C string, a NUL in it as U+FFFD; `value` is the text itself, or JSON. */
char *pf_string(struct pf_writer *pf, struct tl_span text);
char *pf_json_text(struct pf_writer *pf, struct tl_span value);

/* The iid (from 1) of a text in a table. */
uint64_t pf_intern(struct pf_writer *pf, enum pf_iid_kind table, struct tl_span text);

/* Interned with iids that the caller chooses, for the next packet. */
void pf_specification(struct pf_writer *pf, uint64_t iid, struct tl_span name, int category);
void pf_context(struct pf_writer *pf, uint64_t iid, int32_t pid, int api);
void pf_counter_names(struct pf_writer *pf, uint64_t iid, int32_t gpu, GpuCounterDescriptor *d);

/* Writes the packet (its sequence fields are set here) and frees what pf_alloc gave.
 * pf_put_plain: one that belongs to no sequence and has no time. */
void pf_put(struct pf_writer *pf, TracePacket *p, int64_t ts);
void pf_put_plain(struct pf_writer *pf, TracePacket *p);

#endif
