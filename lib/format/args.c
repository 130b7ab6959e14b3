#include "args.h"
#include "../json/json.h"
#include <stdlib.h>

#define FEW 32 /* members that are looked through one by one */

void tl_args_clear(struct tl_args *a)
{
	if (a->n > FEW)
		tl_pool_clear(a->keys);
	a->n = a->text.n = 0;
}

void tl_args_free(struct tl_args *a)
{
	free(a->v);
	free(a->at);
	tl_buf_free(&a->text);
	if (a->keys)
		tl_pool_free(a->keys);
}

static struct tl_span part(const struct tl_args *a, size_t at, size_t n)
{
	return (struct tl_span){a->text.p + at, n};
}

static struct tl_span key_at(const struct tl_args *a, size_t i)
{
	return part(a, a->v[i].key, a->v[i].nkey);
}

static struct tl_arg *find(const struct tl_args *a, struct tl_span key)
{
	if (a->n > FEW) {
		uint32_t k = tl_pool_find(a->keys, key);
		return k == TL_POOL_NONE ? NULL : a->v + a->at[k];
	}
	for (size_t i = 0; i < a->n; i++)
		if (tl_span_eq(key_at(a, i), key))
			return a->v + i;
	return NULL;
}

/* Makes the i-th member one that find() sees by its key; of equal keys the first. */
static void know(struct tl_args *a, size_t i)
{
	uint32_t n = tl_pool_count(a->keys), k = tl_pool_add(a->keys, key_at(a, i));
	if (tl_pool_count(a->keys) == n)
		return;
	TL_GROW(a->at, k, a->at_cap);
	a->at[k] = (uint32_t)i;
}

struct tl_span tl_args_get(const struct tl_args *a, struct tl_span key)
{
	struct tl_arg *m = find(a, key);
	return m ? part(a, m->val, m->nval) : (struct tl_span){0};
}

void tl_args_open(struct tl_args *a, struct tl_span key)
{
	TL_GROW(a->v, a->n, a->cap);
	struct tl_arg *m = a->v + a->n++;
	m->key = a->text.n;
	m->nkey = key.n;
	tl_buf_span(&a->text, key);
	m->val = a->text.n;
	if (a->n <= FEW)
		return;
	if (!a->keys)
		a->keys = tl_pool_new();
	for (size_t i = a->n == FEW + 1 ? 0 : a->n - 1; i < a->n; i++)
		know(a, i);
}

void tl_args_close(struct tl_args *a)
{
	struct tl_arg *m = a->v + a->n - 1;
	m->nval = a->text.n - m->val;
}

void tl_args_add(struct tl_args *a, struct tl_span key, struct tl_span value)
{
	tl_args_open(a, key);
	tl_buf_span(&a->text, value);
	tl_args_close(a);
}

void tl_args_set(struct tl_args *a, struct tl_span key, struct tl_span value)
{
	struct tl_arg *m = find(a, key);
	if (!m) {
		tl_args_add(a, key, value);
		return;
	}
	m->val = a->text.n;
	m->nval = value.n;
	tl_buf_span(&a->text, value);
}

void tl_args_int(struct tl_args *a, const char *key, int64_t v)
{
	tl_args_open(a, tl_str(key));
	tl_buf_i64(&a->text, v);
	tl_args_close(a);
}

void tl_args_str(struct tl_args *a, const char *key, struct tl_span unquoted)
{
	tl_args_open(a, tl_str(key));
	tl_json_quote(&a->text, unquoted);
	tl_args_close(a);
}

void tl_args_put(const struct tl_args *a, struct tl_write *w, const char *key)
{
	tl_object(w, key);
	for (size_t i = 0; i < a->n; i++)
		tl_put_member(w, key_at(a, i), part(a, a->v[i].val, a->v[i].nval));
	tl_object_end(w);
}

void tl_args_hoist(const struct tl_args *a, struct tl_write *w)
{
	tl_put_json(w, "device", tl_args_get(a, TL_LIT("device")));
	tl_put_json(w, "stream", tl_args_get(a, TL_LIT("stream")));
	tl_put_json(w, "correlation", tl_args_get(a, TL_LIT("correlation")));
	tl_put_json(w, "external_id", tl_args_get(a, TL_LIT("External id")));
}
