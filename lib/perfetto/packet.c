#include "packet.h"
#include "../json/json.h"
#include <stdlib.h>

#define BLOCK 65536
#define SEQUENCE 1

struct pf_block {
	struct pf_block *older;
	size_t n, cap;
	max_align_t p[];
};

void pf_init(struct pf_writer *pf, struct tl_out *out)
{
	*pf = (struct pf_writer){.out = out};
	interned_data__init(&pf->extra);
	for (int i = 0; i < PF_IID_TABLES; i++)
		pf->tables[i] = tl_pool_new();
}

/* All but one block, which is used again. */
static void reuse_blocks(struct pf_writer *pf)
{
	while (pf->blocks && pf->blocks->older) {
		struct pf_block *b = pf->blocks;
		pf->blocks = b->older;
		free(b);
	}
	if (pf->blocks)
		pf->blocks->n = 0;
}

void pf_free(struct pf_writer *pf)
{
	for (int i = 0; i < PF_IID_TABLES; i++)
		tl_pool_free(pf->tables[i]);
	reuse_blocks(pf);
	free(pf->blocks);
	tl_buf_free(&pf->packet);
	tl_buf_free(&pf->text);
	free(pf->extra.gpu_specifications);
	free(pf->extra.graphics_contexts);
	free(pf->extra.gpu_counter_descriptors);
}

void *pf_alloc(struct pf_writer *pf, size_t n)
{
	struct pf_block *b = pf->blocks;

	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!b || b->cap - b->n < n) {
		size_t cap = n > BLOCK ? n : BLOCK;
		b = tl_alloc(sizeof *b + cap);
		*b = (struct pf_block){.older = pf->blocks, .cap = cap};
		pf->blocks = b;
	}
	void *p = (char *)b->p + b->n;
	b->n += n;
	return memset(p, 0, n);
}

char *pf_string(struct pf_writer *pf, struct tl_span text)
{
	static const char sign[] = "\xEF\xBF\xBD";
	size_t nuls = 0, n = 0;

	for (size_t i = 0; i < text.n; i++)
		nuls += text.p[i] == '\0';
	char *s = pf_alloc(pf, text.n + 2 * nuls + 1);
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i])
			s[n++] = text.p[i];
		else
			n = (size_t)(stpcpy(s + n, sign) - s);
	}
	return s;
}

char *pf_json_text(struct pf_writer *pf, struct tl_span value)
{
	if (!tl_json_is_string(value))
		return pf_string(pf, value);
	pf->text.n = 0;
	tl_json_text(value, &pf->text);
	return pf_string(pf, tl_buf_all(&pf->text));
}

uint64_t pf_intern(struct pf_writer *pf, enum pf_iid_kind table, struct tl_span text)
{
	return (uint64_t)tl_pool_add(pf->tables[table], text) + 1;
}

void pf_specification(struct pf_writer *pf, uint64_t iid, struct tl_span name, int category)
{
	InternedData *d = &pf->extra;
	InternedGpuRenderStageSpecification *s = pf_alloc(pf, sizeof *s);

	interned_gpu_render_stage_specification__init(s);
	s->iid = iid;
	s->name = pf_string(pf, name);
	s->category = category;
	s->has_iid = s->has_category = true;
	TL_GROW(d->gpu_specifications, d->n_gpu_specifications, pf->cap_specs);
	d->gpu_specifications[d->n_gpu_specifications++] = s;
}

void pf_context(struct pf_writer *pf, uint64_t iid, int32_t pid, int api)
{
	InternedData *d = &pf->extra;
	InternedGraphicsContext *c = pf_alloc(pf, sizeof *c);

	interned_graphics_context__init(c);
	c->iid = iid;
	c->pid = pid;
	c->api = api;
	c->has_iid = c->has_pid = true;
	c->has_api = api != 0;
	TL_GROW(d->graphics_contexts, d->n_graphics_contexts, pf->cap_contexts);
	d->graphics_contexts[d->n_graphics_contexts++] = c;
}

void pf_counter_names(
	struct pf_writer *pf, uint64_t iid, int32_t gpu, GpuCounterDescriptor *counters)
{
	InternedData *d = &pf->extra;
	InternedGpuCounterDescriptor *c = pf_alloc(pf, sizeof *c);

	interned_gpu_counter_descriptor__init(c);
	c->iid = iid;
	c->counter_descriptor = counters;
	c->gpu_id = gpu;
	c->has_iid = c->has_gpu_id = true;
	TL_GROW(d->gpu_counter_descriptors, d->n_gpu_counter_descriptors, pf->cap_counters);
	d->gpu_counter_descriptors[d->n_gpu_counter_descriptors++] = c;
}

/* ---- writing ---- */

/* The entries of a table that no packet has defined so far. */
static InternedName **new_names(struct pf_writer *pf, enum pf_iid_kind table, size_t *n)
{
	uint32_t first = pf->written[table], all = tl_pool_count(pf->tables[table]);

	*n = all - first;
	if (!*n)
		return NULL;
	InternedName **names = pf_alloc(pf, *n * sizeof(InternedName *));
	for (uint32_t i = first; i < all; i++) {
		InternedName *name = names[i - first] = pf_alloc(pf, sizeof *name);
		interned_name__init(name);
		name->iid = (uint64_t)i + 1;
		name->has_iid = true;
		name->name = pf_string(pf, tl_pool_text(pf->tables[table], i));
	}
	pf->written[table] = all;
	return names;
}

static void add_kernels(struct pf_writer *pf, InternedData *d)
{
	size_t n;
	InternedName **names = new_names(pf, PF_IID_KERNEL, &n);

	if (!n)
		return;
	d->compute_kernels = pf_alloc(pf, n * sizeof *d->compute_kernels);
	d->n_compute_kernels = n;
	for (size_t i = 0; i < n; i++) {
		InternedComputeKernel *k = d->compute_kernels[i] = pf_alloc(pf, sizeof *k);
		interned_compute_kernel__init(k);
		k->iid = names[i]->iid;
		k->has_iid = true;
		k->demangled_name = names[i]->name;
	}
}

static bool waiting(const InternedData *d)
{
	return d->n_gpu_specifications || d->n_graphics_contexts || d->n_gpu_counter_descriptors;
}

/* What the packet must define, or NULL when there is nothing new. */
static InternedData *interned(struct pf_writer *pf)
{
	InternedData *d = pf_alloc(pf, sizeof *d);

	*d = pf->extra;
	d->event_names = new_names(pf, PF_IID_NAME, &d->n_event_names);
	d->event_categories = new_names(pf, PF_IID_CATEGORY, &d->n_event_categories);
	d->debug_annotation_names = new_names(pf, PF_IID_ANNOTATION, &d->n_debug_annotation_names);
	d->compute_arg_names = new_names(pf, PF_IID_ARG, &d->n_compute_arg_names);
	add_kernels(pf, d);
	bool any = d->n_event_names || d->n_event_categories || d->n_debug_annotation_names ||
			   d->n_compute_arg_names || d->n_compute_kernels || waiting(d);
	return any ? d : NULL;
}

static void write_packet(struct pf_writer *pf, TracePacket *p)
{
	struct tl_buf *b = &pf->packet;
	size_t n = trace_packet__get_packed_size(p), left = n;

	b->n = 0;
	tl_buf_more(b, n + 16);
	tl_buf_ch(b, 0x0A); /* field 1 of Trace */
	for (; left > 127; left >>= 7)
		tl_buf_ch(b, (char)(left | 128));
	tl_buf_ch(b, (char)left);
	b->n += trace_packet__pack(p, (uint8_t *)b->p + b->n);
	tl_out_span(pf->out, tl_buf_all(b));
}

void pf_put_plain(struct pf_writer *pf, TracePacket *p)
{
	write_packet(pf, p);
	if (!waiting(&pf->extra))
		reuse_blocks(pf);
}

static void begin(struct pf_writer *pf)
{
	TracePacket p = TRACE_PACKET__INIT;

	pf->begun = true;
	p.has_trusted_packet_sequence_id = p.has_sequence_flags = true;
	p.trusted_packet_sequence_id = SEQUENCE;
	p.sequence_flags = TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	size_t n = trace_packet__get_packed_size(&p);
	uint8_t bytes[32];
	trace_packet__pack(&p, bytes);
	char head[2] = {0x0A, (char)n};
	tl_out_add(pf->out, head, sizeof head);
	tl_out_add(pf->out, bytes, n);
}

void pf_put(struct pf_writer *pf, TracePacket *p, int64_t ts)
{
	if (!pf->begun)
		begin(pf);
	p->has_timestamp = p->has_trusted_packet_sequence_id = p->has_sequence_flags = true;
	p->timestamp = (uint64_t)ts;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->sequence_flags = TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	p->interned_data = interned(pf);
	write_packet(pf, p);
	pf->extra.n_gpu_specifications = 0;
	pf->extra.n_graphics_contexts = pf->extra.n_gpu_counter_descriptors = 0;
	reuse_blocks(pf);
}
