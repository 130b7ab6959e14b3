/* What the rows of a window say of each other: threads, contexts, lanes, graph nodes, flows. */
#include "inside.h"
#include "../json/json.h"
#include <stdlib.h>

static void shift(int64_t *t, int64_t offset)
{
	*t = tl_ns_add(*t, offset);
}

static void apply_offset(struct window *w)
{
	int64_t by = w->offset;
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++) {
			shift(&w->gpu[k].rows[i].start, by);
			shift(&w->gpu[k].rows[i].end, by);
			if (k == G_KERNEL && w->gpu[k].queued[i])
				shift(&w->gpu[k].queued[i], by);
		}
	for (int a = 0; a < 2; a++)
		for (size_t i = 0; i < w->napi[a]; i++) {
			shift(&w->api[a][i].start, by);
			shift(&w->api[a][i].end, by);
		}
	for (size_t i = 0; i < w->noverhead; i++) {
		shift(&w->overhead[i].start, by);
		shift(&w->overhead[i].end, by);
	}
	for (size_t i = 0; i < w->nsync; i++) {
		shift(&w->sync[i].start, by);
		shift(&w->sync[i].end, by);
	}
	for (size_t i = 0; i < w->nenv; i++)
		shift(&w->env[i].start, by);
	for (size_t i = 0; i < w->npm; i++)
		shift(&w->pm[i].start, by);
}

static void earlier(int64_t *least, bool *any, int64_t t)
{
	if (!*any || t < *least)
		*least = t;
	*any = true;
}

static int64_t earliest(const struct window *w)
{
	int64_t t = 0;
	bool any = false;
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++)
			earlier(&t, &any, w->gpu[k].rows[i].start);
	for (int a = 0; a < 2; a++)
		for (size_t i = 0; i < w->napi[a]; i++)
			earlier(&t, &any, w->api[a][i].start);
	for (size_t i = 0; i < w->noverhead; i++)
		earlier(&t, &any, w->overhead[i].start);
	for (size_t i = 0; i < w->nsync; i++)
		earlier(&t, &any, w->sync[i].start);
	for (size_t i = 0; i < w->nenv; i++)
		earlier(&t, &any, w->env[i].start);
	for (size_t i = 0; i < w->npm; i++)
		earlier(&t, &any, w->pm[i].start);
	return t;
}

/* baseTimeNanoseconds of the host trace, else of the header, else the earliest row. */
static void find_base(struct window *w)
{
	bool found = false;
	for (int header = 1; header >= 0; header--)
		for (size_t i = 0; i < w->ntops; i++)
			if (w->tops[i].header == header &&
				tl_span_eq(window_text(w, w->tops[i].key), TL_LIT("baseTimeNanoseconds")))
				found |= window_int(window_text(w, w->tops[i].value), &w->base);
	if (!found)
		w->base = earliest(w);
}

/* What is known of the node, where the row itself does not say. */
static void join_fact(struct window_place *p, const struct window_fact *f)
{
	if (!(p->has & OWN_LANE_NAME))
		p->lane_name = f->lane_name;
	if (!(p->has & OWN_ANNOTATION))
		p->annotation = f->annotation;
	if (!(p->has & OWN_METADATA))
		p->metadata = f->metadata;
	if (!(p->has & OWN_HOST_FN))
		p->host_fn = f->host_fn;
	if (!(p->has & OWN_ADDR))
		p->host_addr = f->host_addr;
	if (!(p->has & OWN_LANE) && f->has_lane) {
		p->lane = f->lane;
		p->has |= PLACE_LANE;
	}
}

/* Facts of graph nodes, and the lane where a row is drawn. */
static void join_places(struct window *w)
{
	for (size_t i = 0; i < w->places.n; i++) {
		struct window_place *p = window_place_at(w, (uint32_t)i);
		uint32_t *at = p->node ? tl_intmap_find(&w->node_facts, p->node) : NULL;
		if (at) {
			p->fact = *at;
			join_fact(p, w->facts + *at - 1);
		}
		p->moved = p->node && (p->has & PLACE_LANE) && p->lane != p->stream;
		struct window_pair home = {p->device, p->stream}, shown = {p->device, p->lane};
		p->home = window_intern(&w->lanes, &home);
		p->shown = p->moved ? window_intern(&w->lanes, &shown) : p->home;
	}
}

static void join_lanes(struct window *w)
{
	w->lane_info = tl_alloc((w->lanes.n + 1) * sizeof *w->lane_info);
	for (size_t i = 0; i < w->lanes.n; i++)
		w->lane_info[i] = (struct tl_lane_info){NO_TEXT, false};
	for (size_t i = 0; i < w->places.n; i++) {
		struct window_place *p = window_place_at(w, (uint32_t)i);
		p->truthy = window_truthy(window_text(w, p->annotation));
	}
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++) {
			const struct window_place *p = window_place_at(w, w->gpu[k].rows[i].place);
			w->gpu[k].has_annotation |= p->truthy;
			if (p->moved && p->lane_name != NO_TEXT)
				w->lane_info[p->shown].label = p->lane_name;
			if (!p->moved && k <= G_MEMSET)
				w->lane_info[p->home].stays = true;
			w->gpu[k].has_metadata |= p->metadata != NO_TEXT;
			w->gpu[k].has_host_fn |= p->host_fn != NO_TEXT;
		}
}

static void join_contexts(struct window *w)
{
	for (int k = G_KERNEL; k <= G_MEMSET; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++) {
			if (i && w->gpu[k].rows[i].place == w->gpu[k].rows[i - 1].place)
				continue;
			const struct window_place *p = window_place_at(w, w->gpu[k].rows[i].place);
			window_numbers_put(&w->contexts, p->context, p->device, false);
		}
}

int64_t window_sync_device(const struct window *w, const struct window_sync_row *r)
{
	int64_t device = 0;
	if (r->has_device)
		return r->device;
	if (!window_numbers_get(&w->contexts, r->context, &device))
		window_numbers_get(&w->event_contexts, r->context, &device);
	return device;
}

/* The last id of a correlation stands, one that a host event has before others. */
static void join_id(struct window *w, size_t row, bool known)
{
	uint32_t *at = tl_intmap_add(&w->ids, w->external[row].correlation);
	if (known || !*at || !tl_intmap_find(&w->host_external, w->external[*at - 1].external))
		*at = (uint32_t)row + 1;
}

static void join_externals(struct window *w)
{
	for (size_t i = 0; i < w->nexternal; i++) {
		const struct window_external_row *r = w->external + i;
		if (!r->correlation)
			continue;
		uint32_t *host = tl_intmap_find(&w->host_external, r->external);
		if (host)
			*tl_intmap_add(&w->cpu_threads, r->correlation) = *host;
		if (!w->compat && r->external)
			join_id(w, i, host != NULL);
		if (tl_intmap_find(&w->annotations.at, r->user))
			*tl_intmap_add(&w->regions, r->correlation) = (uint32_t)i + 1;
		if (tl_intmap_find(&w->collectives.at, r->external))
			*tl_intmap_add(&w->described, r->correlation) = (uint32_t)i + 1;
	}
}

int64_t window_thread(const struct window *w, const struct window_api_row *r)
{
	const struct window_pair *caller = (const struct window_pair *)w->callers.items + r->caller;
	uint32_t *host = tl_intmap_find(&w->cpu_threads, r->correlation);
	if (host && w->host_threads[*host - 1].a == caller->a)
		return w->host_threads[*host - 1].b;
	struct window_pair key = {caller->a, (int32_t)(uint32_t)caller->b};
	uint32_t i = window_intern_find(&w->opaque, &key);
	return i == UINT32_MAX ? key.b : w->os_thread[i];
}

static struct tl_span call_name(struct window *w, const struct window_call *c)
{
	struct tl_span name = {0};
	w->text.n = 0;
	if (c->name != NO_TEXT) {
		tl_json_text(window_text(w, c->name), &w->text);
		return tl_cupti_unversioned(tl_buf_all(&w->text));
	}
	name = tl_cupti_call(w->cupti, c->api, c->cbid);
	if (name.n == 0) {
		tl_buf_printf(&w->text, "cbid_%lld", (long long)c->cbid);
		name = tl_buf_all(&w->text);
	}
	return name;
}

static void join_calls(struct window *w)
{
	static const char *const flow[] = {"runtime_flow", "driver_flow"};
	w->call_info = tl_calloc(w->calls.n, sizeof *w->call_info);
	for (size_t i = 0; i < w->calls.n; i++) {
		const struct window_call *c = (const struct window_call *)w->calls.items + i;
		struct window_call_info *info = w->call_info + i;
		struct tl_span name = call_name(w, c), base = name;
		struct tl_buf quoted = {0};
		if (!w->compat)
			base = tl_cupti_unstreamed(name);
		info->cbid = c->name == NO_TEXT ? c->cbid : tl_cupti_cbid(w->cupti, c->api, name);
		info->shown = c->api == TL_CUPTI_RUNTIME ? !tl_cupti_in(w->cupti, "runtime_hidden", base)
												 : tl_cupti_in(w->cupti, "driver_shown", base);
		info->flow = tl_cupti_in(w->cupti, flow[c->api], base);
		tl_json_quote(&quoted, name);
		info->name = tl_pool_add(w->texts, tl_buf_all(&quoted));
		tl_buf_free(&quoted);
	}
}

bool window_api_shown(const struct window *w, const struct window_api_row *r)
{
	if (w->call_info[r->call].shown)
		return true;
	if (w->compat || !r->correlation)
		return false;
	uint32_t *bits = tl_intmap_find(&w->by_correlation, r->correlation);
	return bits && *bits & CORR_GPU;
}

bool window_overhead_shown(const struct window *w, const struct window_overhead_row *r)
{
	return w->overhead_cut <= 0 || r->start <= w->overhead_cut ||
		   !tl_span_eq(window_text(w, r->name), TL_LIT("\"Activity Buffer Request\""));
}

static void find_overhead_cut(struct window *w)
{
	int64_t cut = INT64_MIN;
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++)
			if (w->gpu[k].rows[i].end > cut)
				cut = w->gpu[k].rows[i].end;
	for (int a = 0; a < 2; a++)
		for (size_t i = 0; i < w->napi[a]; i++)
			if (w->api[a][i].end > cut)
				cut = w->api[a][i].end;
	for (size_t i = 0; i < w->nsync; i++)
		if (w->sync[i].end > cut)
			cut = w->sync[i].end;
	w->overhead_cut = cut;
}

enum window_gpu_kind window_row_kind(const struct window *w, size_t row, size_t *i)
{
	unsigned k = 0;
	for (; k < G_KINDS - 1 && row >= w->gpu[k].n; k++)
		row -= w->gpu[k].n;
	*i = row;
	return (enum window_gpu_kind)k;
}

static const struct window_gpu_row *row_at(const struct window *w, size_t row)
{
	size_t i;
	enum window_gpu_kind k = window_row_kind(w, row, &i);
	return w->gpu[k].rows + i;
}

/* The slot of a node under a correlation: of its number, or the free one where it belongs. */
static size_t node_slot(const struct window *w, int64_t correlation, int64_t node)
{
	size_t i = tl_mix(tl_mix((uint64_t)correlation) ^ (uint64_t)node) & w->node_mask;
	for (; w->node_slots[i]; i = (i + 1) & w->node_mask) {
		const struct window_gpu_row *r = row_at(w, w->nodes[w->node_slots[i] - 1].row);
		if (r->correlation == correlation && window_place_at(w, r->place)->node == node)
			break;
	}
	return i;
}

size_t window_node_row(const struct window *w, int64_t correlation, int64_t node)
{
	if (!w->nnodes)
		return SIZE_MAX;
	uint32_t n = w->node_slots[node_slot(w, correlation, node)];
	return n ? w->nodes[n - 1].row : SIZE_MAX;
}

static bool is_node(const struct window *w, const struct window_gpu_row *r)
{
	/* correlation 0 means that the replay is not known: nothing is joined by it */
	return window_place_at(w, r->place)->node && (w->compat || r->correlation);
}

static size_t count_nodes(const struct window *w)
{
	size_t n = 0;
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++)
			n += is_node(w, w->gpu[k].rows + i);
	return n;
}

static void add_node(struct window *w, struct tl_intmap *groups, size_t row)
{
	const struct window_gpu_row *r = row_at(w, row);
	uint32_t *slot = w->node_slots +
					 node_slot(w, r->correlation, window_place_at(w, r->place)->node);
	if (*slot) {
		w->nodes[*slot - 1].row = (uint32_t)row;
		return;
	}
	uint32_t *group = tl_intmap_add(groups, r->correlation);
	if (!*group)
		*group = (uint32_t)groups->n;
	TL_GROW(w->nodes, w->nnodes, w->nodes_cap);
	w->nodes[w->nnodes++] = (struct tl_node){(uint32_t)row, *group - 1};
	*slot = (uint32_t)w->nnodes;
}

/* Nodes are found by correlation and id, and stand in order of first sight, group by group. */
static void join_nodes(struct window *w)
{
	struct tl_intmap groups = {0};
	size_t slots = 16, want = w->nfacts ? count_nodes(w) : 0, row = 0;
	if (!want)
		return;
	while (slots < want + want / 2)
		slots *= 2;
	w->node_slots = tl_calloc(slots, sizeof *w->node_slots);
	w->node_mask = slots - 1;
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++, row++)
			if (is_node(w, w->gpu[k].rows + i))
				add_node(w, &groups, row);
	w->ngroups = groups.n;
	tl_intmap_free(&groups);
}

/* True when an arrow is drawn to this row from a predecessor. */
static bool has_arrow(const struct window *w, const struct window_gpu_row *r, size_t row)
{
	const struct window_place *p = window_place_at(w, r->place);
	if (!p->fact || !is_node(w, r) || window_node_row(w, r->correlation, p->node) != row)
		return false;
	const struct window_fact *f = w->facts + p->fact - 1;
	for (size_t i = 0; i < f->ndeps; i++)
		if (window_node_row(w, r->correlation, w->deps[f->deps + i]) != SIZE_MAX)
			return true;
	return false;
}

/* Which rows end a flow that starts at a launch. */
static void join_flows(struct window *w)
{
	size_t row = 0;
	for (int k = 0; k < G_KINDS; k++) {
		struct window_gpu *g = w->gpu + k;
		g->flow = tl_calloc(g->n, 1);
		for (size_t i = 0; i < g->n; i++, row++) {
			const struct window_gpu_row *r = g->rows + i;
			const struct window_place *p = window_place_at(w, r->place);
			if (!r->correlation)
				continue;
			if (w->compat) {
				g->flow[i] = !p->fact || w->facts[p->fact - 1].ndeps == 0;
			} else {
				uint32_t *bits = tl_intmap_find(&w->by_correlation, r->correlation);
				g->flow[i] = *bits & CORR_CALL && !has_arrow(w, r, row);
				if (g->flow[i])
					*bits |= CORR_ENDS;
			}
			g->flows += g->flow[i];
		}
	}
}

/* What shares a correlation: only where that decides what is shown. */
static void join_correlations(struct window *w)
{
	if (w->compat)
		return;
	for (int k = 0; k < G_KINDS; k++)
		for (size_t i = 0; i < w->gpu[k].n; i++)
			if (w->gpu[k].rows[i].correlation)
				*tl_intmap_add(&w->by_correlation, w->gpu[k].rows[i].correlation) |= CORR_GPU;
	for (int a = 0; a < 2; a++)
		for (size_t i = 0; i < w->napi[a]; i++) {
			const struct window_api_row *r = w->api[a] + i;
			uint32_t *bits = tl_intmap_find(&w->by_correlation, r->correlation);
			if (!window_api_shown(w, r))
				continue;
			tl_intmap_add(
				&w->host_pids, ((const struct window_pair *)w->callers.items)[r->caller].a);
			if (bits)
				*bits |= CORR_CALL;
		}
	for (size_t i = 0; w->host_flows.n && i <= w->host_flows.mask; i++)
		if (w->host_flows.slots[i].used) {
			uint32_t *bits = tl_intmap_find(&w->by_correlation, w->host_flows.slots[i].key);
			if (bits)
				*bits |= CORR_CALL | CORR_STARTED;
		}
}

void window_join(struct window *w)
{
	if (w->offset)
		apply_offset(w);
	find_base(w);
	find_overhead_cut(w);
	join_places(w);
	join_contexts(w);
	for (size_t i = 0; i < w->nsync; i++) {
		struct window_pair lane = {window_sync_device(w, w->sync + i), w->sync[i].stream};
		if (w->compat)
			window_intern(&w->lanes, &lane);
	}
	join_lanes(w);
	join_externals(w);
	join_calls(w);
	join_correlations(w);
	join_nodes(w);
	join_flows(w);
}

void window_join_free(struct window *w)
{
	free(w->call_info);
	free(w->lane_info);
	free(w->node_slots);
	free(w->nodes);
	tl_intmap_free(&w->cpu_threads);
	tl_intmap_free(&w->regions);
	tl_intmap_free(&w->described);
	tl_intmap_free(&w->ids);
	tl_intmap_free(&w->by_correlation);
	window_numbers_free(&w->contexts);
	window_intern_free(&w->lanes);
	for (int k = 0; k < G_KINDS; k++)
		free(w->gpu[k].flow);
}
