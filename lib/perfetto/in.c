#include "in.h"
#include "../base/base.h"
#include "in_inside.h"
#include <stdlib.h>

#define CHUNK ((size_t)256 << 10)
#define PACKET_TAG (TRACE_PACKET << 3 | PF_WIRE_LEN)

bool tl_perfetto_is(const char *p, size_t n)
{
	const char *end = p + n, *q = p + 1;
	uint64_t size;
	if (n < 3 || p[0] != PACKET_TAG || !pf_wire_varint(&q, end, &size) || size == 0)
		return false;
	bool whole = size <= (uint64_t)(end - q);
	struct pf_wire it = pf_wire_open((struct tl_span){q, whole ? (size_t)size : (size_t)(end - q)});
	struct pf_wire_field f;
	while (pf_wire_next(&it, &f))
		;
	/* a blank before JSON looks like a packet of 9 to 123 bytes: those are seen whole */
	if (!whole)
		return size > 127;
	return !it.bad && (q + size == end || q[size] == PACKET_TAG);
}

/* ---- faults, times and frame */

static void begin_trace(struct pf_in *r)
{
	if (r->f.begun)
		return;
	tl_frame_trace(
		&r->f, &(struct tl_origin){r->name, "pftrace", .base_ns = r->has_clock ? &r->base : NULL});
	r->tmp.n = 0;
	tl_buf_i64(&r->tmp, r->base);
	if (r->has_clock)
		tl_frame_meta(&r->f, TL_LIT("baseTimeNanoseconds"), tl_buf_all(&r->tmp));
}

/* ---- packets */

/* ts 0 is where the first snapshot was taken; its real time is the base. */
static void take_clocks(struct pf_in *r, struct tl_span message)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	uint64_t boot = 0, real = 0;
	bool any = false;
	if (r->f.begun || r->has_clock)
		return;
	while (pf_wire_next(&it, &f)) {
		uint64_t id = f.number == CLOCK_SNAPSHOT_CLOCKS ? pf_wire_get(f.s, CLOCK_CLOCK_ID).u : 0;
		if (id == BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME)
			boot = pf_wire_get(f.s, CLOCK_TIMESTAMP).u;
		if (id == BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME)
			real = pf_wire_get(f.s, CLOCK_TIMESTAMP).u;
		any |= id == BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
	}
	if (!any || boot > INT64_MAX || real > INT64_MAX)
		return;
	r->zero = (int64_t)(boot ? boot : real);
	r->base = (int64_t)real;
	r->has_clock = true;
}

static void take_gpus(struct pf_in *r, struct tl_span message)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	struct tl_write w = {0};
	uint64_t id = 0;
	tl_value(&w);
	tl_list(&w, NULL);
	while (pf_wire_next(&it, &f)) {
		if (f.number != GPU_INFO_GPUS)
			continue;
		struct tl_span name = pf_wire_get(f.s, GPU_NAME).s;
		tl_object(&w, NULL);
		tl_put_u64(&w, "id", id++);
		tl_put_string(&w, "name", name.n ? name : pf_wire_get(f.s, GPU_MODEL).s);
		tl_object_end(&w);
	}
	tl_list_end(&w);
	begin_trace(r);
	tl_frame_meta(&r->f, TL_LIT("deviceProperties"), tl_buf_all(&w.b));
	tl_write_free(&w);
}

struct packet {
	uint64_t ts, sequence, flags;
	struct tl_span interned;
	struct pf_wire_field data;
};

static bool read_packet(struct tl_span message, struct packet *p)
{
	struct pf_wire it = pf_wire_open(message);
	struct pf_wire_field f;
	*p = (struct packet){0};
	while (pf_wire_next(&it, &f))
		switch (f.number) {
		case TRACE_PACKET_TIMESTAMP:
			p->ts = f.u;
			break;
		case TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
			p->sequence = f.u;
			break;
		case TRACE_PACKET_SEQUENCE_FLAGS:
			p->flags = f.u;
			break;
		case TRACE_PACKET_INTERNED_DATA:
			p->interned = f.s;
			break;
		default: /* what a packet is about is a message, and comes once */
			if (f.type == PF_WIRE_LEN)
				p->data = f;
		}
	return !it.bad;
}

static void take_data(struct pf_in *r, const struct packet *p)
{
	struct pf_sequence *s = pf_in_sequence(r, p->sequence);
	if (p->flags & TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED)
		pf_in_clear(s);
	if (p->interned.n)
		pf_in_interned(r, s, p->interned);
	switch (p->data.number) {
	case 0:
		break;
	case TRACE_PACKET_CLOCK_SNAPSHOT:
		take_clocks(r, p->data.s);
		break;
	case TRACE_PACKET_TRACK_DESCRIPTOR:
		begin_trace(r);
		pf_in_descriptor(r, p->data.s);
		break;
	case TRACE_PACKET_TRACK_EVENT:
		begin_trace(r);
		pf_in_track_event(r, s, p->data.s, p->ts);
		break;
	case TRACE_PACKET_GPU_RENDER_STAGE_EVENT:
		begin_trace(r);
		pf_in_stage(r, s, p->data.s, p->ts);
		break;
	case TRACE_PACKET_GPU_COUNTER_EVENT:
		begin_trace(r);
		pf_in_gpu_counter(r, s, p->data.s, p->ts);
		break;
	case TRACE_PACKET_GPU_INFO:
		take_gpus(r, p->data.s);
		break;
	default:
		++*tl_intmap_add(&r->skipped, p->data.number);
		r->f.skipped++;
	}
}

static void take_packet(struct pf_in *r, struct tl_span message)
{
	struct packet p;
	if (read_packet(message, &p)) {
		take_data(r, &p);
	} else {
		r->f.skipped++;
		pf_in_fault(r, TL_FAULT_BROKEN_EVENT, "a packet");
	}
}

/* ---- the file */

/* Takes the packets that are whole; false when what follows is no packet. */
static bool take_packets(struct pf_in *r, struct tl_buf *in, bool final)
{
	const char *p = in->p, *end = in->p + in->n;
	uint64_t offset = r->at;
	bool ok = true;
	while (p < end && !r->failed) {
		const char *q = p;
		uint64_t tag, size;
		bool known = pf_wire_varint(&q, end, &tag) && pf_wire_varint(&q, end, &size);
		if (!known && end - p < 20 && !final)
			break;
		ok = known && tag == PACKET_TAG && size <= INT32_MAX;
		if (!ok || (size_t)(end - q) < size)
			break;
		r->at = offset + (uint64_t)(p - in->p);
		take_packet(r, (struct tl_span){q, (size_t)size});
		p = q + size;
	}
	r->at = offset + (uint64_t)(p - in->p);
	in->n = (size_t)(end - p);
	memmove(in->p, p, in->n);
	return ok;
}

static const struct tl_fault_text said[] = {
	{TL_FAULT_BROKEN_EVENT, NULL, "packets skipped: not as Perfetto writes them"},
	{TL_FAULT_NOT_AN_EVENT, NULL, "counter values skipped: nothing says what they count"}};

/* Names of common kinds of packets, for messages. */
static const char *packet_name(int64_t field)
{
	const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(
		&other_packet__descriptor, (unsigned)field);
	return f ? f->name : "of a kind that tl does not know";
}

static int by_field(const void *a, const void *b)
{
	const struct tl_intmap_slot *x = a, *y = b;
	return x->key < y->key ? -1 : x->key > y->key;
}

static void say_skipped(const struct pf_in *r)
{
	struct tl_intmap_slot *v = tl_calloc(r->skipped.n, sizeof *v);
	size_t n = 0;
	for (size_t i = 0; r->skipped.n && i <= r->skipped.mask; i++)
		if (r->skipped.slots[i].used)
			v[n++] = r->skipped.slots[i];
	if (n)
		qsort(v, n, sizeof *v, by_field);
	for (size_t i = 0; i < n && i < 10; i++)
		tl_warn("%s: %u packets %s (field %lld) skipped", r->name, v[i].value,
			packet_name(v[i].key), (long long)v[i].key);
	if (n > 10)
		tl_warn("%s: packets of %zu more kinds skipped", r->name, n - 10);
	free(v);
}

static void take_gzip_damage(struct pf_in *r, struct tl_source *src)
{
	uint64_t at;
	enum tl_gzip_damage damage = tl_source_damage(src, &at);
	if (damage != TL_GZIP_WHOLE)
		pf_in_fault(r, tl_fault_of_gzip(damage), NULL);
}

static bool read_packets(struct pf_in *r, struct tl_source *src)
{
	struct tl_buf in = {0};
	ssize_t n = 1;
	bool ok = true;
	while (n > 0 && ok && !r->failed) {
		tl_buf_more(&in, CHUNK);
		n = tl_source_read(src, in.p + in.n, in.cap - in.n, r->e);
		in.n += n > 0 ? (size_t)n : 0;
		ok = take_packets(r, &in, n <= 0);
		tl_progress(tl_source_raw(src), tl_source_size(src));
	}
	if (n == 0)
		take_gzip_damage(r, src);
	if (!ok)
		pf_in_fault(r, TL_FAULT_TRAILING_GARBAGE, "not a packet");
	else if (n == 0 && in.n)
		pf_in_fault(r, TL_FAULT_TRUNCATED_JSON, "a packet");
	tl_buf_free(&in);
	return n >= 0 && !r->failed;
}

static void reader_free(struct pf_in *r)
{
	for (size_t i = 0; i < r->nsequences; i++)
		pf_in_clear(r->sequences + i);
	for (size_t i = 0; i < r->nslices; i++)
		tl_buf_free(&r->slices[i].text);
	for (size_t i = 0; i < r->ndescriptors; i++)
		tl_intmap_free(&r->descriptors[i].names);
	struct tl_intmap *maps[] = {&r->skipped, &r->sequence_at, &r->track_at, &r->pids, &r->stage_ids,
		&r->launched, &r->flow_at};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		tl_intmap_free(maps[i]);
	void *arrays[] = {r->sequences, r->tracks, r->slices, r->descriptors, r->stage_records,
		r->launches, r->flows};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	tl_pool_free(r->texts);
	tl_frame_free(&r->f);
	tl_buf_free(&r->tmp);
	tl_args_free(&r->args);
}

bool tl_perfetto_read(struct tl_source *src, const char *name, uint64_t first,
	const struct tl_extract_options *opt, struct tl_out *out, struct tl_extracted *got,
	struct tl_error *e)
{
	struct pf_in r = {.name = name, .opt = opt, .f = {.out = out, .opt = opt, .got = got}, .e = e};
	if (opt->rebase || (opt->args && strcmp(opt->args, "all") != 0)) {
		tl_fail(e, 0, "a Perfetto trace, with which --rebase and --args do not go");
		return false;
	}
	r.texts = tl_pool_new();
	tl_frame_begin(&r.f, first);
	bool ok = read_packets(&r, src);
	if (ok) {
		begin_trace(&r);
		pf_in_finish(&r);
		tl_faults_say(&r.f.faults, name, said, sizeof said / sizeof *said);
		say_skipped(&r);
		tl_frame_end(&r.f);
	}
	reader_free(&r);
	return ok;
}
