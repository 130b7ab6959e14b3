#include "out_args.h"
#include "../json/json.h"
#include <stdlib.h>

#define DEPTH 32

static int by_key(const void *a, const void *b)
{
	const struct pf_member *x = a, *y = b;
	int order = tl_span_cmp(x->key, y->key);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static size_t count_values(struct tl_span v)
{
	struct tl_json it = tl_json_open(v);
	struct tl_span key, value;
	size_t n = 0;

	while (v.p[0] == '{' ? tl_json_member(&it, &key, &value) : tl_json_element(&it, &value))
		n++;
	return n;
}

static size_t list_members(struct pf_writer *pf, struct tl_span object, struct pf_member **members)
{
	size_t n = count_values(object), i = 0;
	struct tl_json it = tl_json_open(object);
	struct pf_member *m = *members = pf_alloc(pf, (n ? n : 1) * sizeof *m);

	for (; i < n && tl_json_member(&it, &m[i].key, &m[i].value); i++)
		m[i].place = (uint32_t)i;
	return i;
}

size_t pf_members(struct pf_writer *pf, struct tl_span object, struct pf_member **members)
{
	size_t n = list_members(pf, object, members), kept = 0;
	struct pf_member *m = *members;

	qsort(m, n, sizeof *m, by_key);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || !tl_span_eq(m[i].key, m[i + 1].key))
			m[kept++] = m[i];
	return kept;
}

/* ---- debug annotations ---- */

static bool whole(struct tl_span v)
{
	return v.n && (v.p[0] == '-' || (v.p[0] >= '0' && v.p[0] <= '9')) && !memchr(v.p, '.', v.n) &&
		   !memchr(v.p, 'e', v.n) && !memchr(v.p, 'E', v.n);
}

static void set_number(struct pf_writer *pf, DebugAnnotation *a, struct tl_span v)
{
	if (whole(v) && tl_json_i64(v, &a->int_value))
		a->has_int_value = true;
	else if (whole(v) && tl_json_u64(v, &a->uint_value))
		a->has_uint_value = true;
	else if (tl_json_double(v, &a->double_value))
		a->has_double_value = true;
	else
		a->string_value = pf_string(pf, v);
}

static DebugAnnotation *annotation(struct pf_writer *pf, struct tl_span value, int depth);

char *pf_key_text(struct pf_writer *pf, struct tl_span key)
{
	struct tl_buf quoted = {0};
	char *text;

	if (!key.n || !memchr(key.p, '\\', key.n))
		return pf_string(pf, key);
	tl_buf_printf(&quoted, "\"%.*s\"", (int)key.n, key.p);
	text = pf_json_text(pf, tl_buf_all(&quoted));
	tl_buf_free(&quoted);
	return text;
}

static DebugAnnotation *named(
	struct pf_writer *pf, struct tl_span key, struct tl_span value, int depth)
{
	DebugAnnotation *a = annotation(pf, value, depth);

	a->name = pf_key_text(pf, key);
	return a;
}

static void set_object(struct pf_writer *pf, DebugAnnotation *a, struct tl_span value, int depth)
{
	struct pf_member *m;
	size_t n = pf_members(pf, value, &m);

	a->n_dict_entries = n;
	a->dict_entries = pf_alloc(pf, (n ? n : 1) * sizeof *a->dict_entries);
	for (size_t i = 0; i < n; i++)
		a->dict_entries[i] = named(pf, m[i].key, m[i].value, depth + 1);
}

static void set_array(struct pf_writer *pf, DebugAnnotation *a, struct tl_span value, int depth)
{
	size_t n = count_values(value), i = 0;
	struct tl_json it = tl_json_open(value);
	struct tl_span v;

	a->array_values = pf_alloc(pf, (n ? n : 1) * sizeof *a->array_values);
	while (i < n && tl_json_element(&it, &v))
		a->array_values[i++] = annotation(pf, v, depth + 1);
	a->n_array_values = i;
}

/* Calls itself at most DEPTH deep. */
static DebugAnnotation *annotation(struct pf_writer *pf, struct tl_span value, int depth)
{
	DebugAnnotation *a = pf_alloc(pf, sizeof *a);
	char c = value.n ? value.p[0] : 'n';

	debug_annotation__init(a);
	if (c == '"')
		a->string_value = pf_json_text(pf, value);
	else if (c == 't' || c == 'f')
		a->has_bool_value = true, a->bool_value = c == 't';
	else if (c == 'n')
		a->string_value = "null";
	else if (c != '{' && c != '[')
		set_number(pf, a, value);
	else if (depth >= DEPTH)
		a->string_value = pf_string(pf, value);
	else if (c == '{')
		set_object(pf, a, value, depth);
	else
		set_array(pf, a, value, depth);
	return a;
}

void pf_annotate(struct pf_writer *pf, TrackEvent *e, struct tl_span args, bool plain)
{
	struct pf_member *m, all = {.key = TL_LIT("args"), .value = args};
	bool object = args.n && args.p[0] == '{';
	size_t n = !object ? args.n > 0 : plain ? list_members(pf, args, &m) : pf_members(pf, args, &m);
	size_t at = 0;

	if (!object)
		m = &all;
	e->debug_annotations = pf_alloc(pf, (n ? n : 1) * sizeof *e->debug_annotations);
	for (int numbers = plain; numbers >= 0; numbers--)
		for (size_t i = 0; i < n; i++)
			if (!plain || whole(m[i].value) == numbers)
				e->debug_annotations[at++] = named(pf, m[i].key, m[i].value, 1);
	e->n_debug_annotations = at;
}

bool pf_int(struct tl_span value, int64_t *v)
{
	return value.n && tl_json_i64(tl_json_inner(value), v);
}
