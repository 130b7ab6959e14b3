#include "cupti.h"
#include "tsv.h"
#include "../json/json.h"
#include "../base/base.h"
#include <stdlib.h>

/* A line of sets.tsv or enums.tsv. */
struct entry {
	uint32_t table, name; /* in texts */
	int64_t number;
};

struct tl_cupti {
	struct tl_pool *texts;
	struct tl_intmap calls[2]; /* callback id -> text */
	struct tl_intmap ids[2];   /* text -> lowest callback id */
	struct tl_intmap metrics;  /* text -> text */
	struct entry *enums, *sets;
	size_t nenums, enums_cap, nsets, sets_cap;
};

enum table { RUNTIME, DRIVER, SETS, ENUMS, METRICS };
static const struct {
	const char *file;
	unsigned fields;
} tables[] = {{"cupti/runtime.tsv", 2}, {"cupti/driver.tsv", 2}, {"cupti/sets.tsv", 2},
	{"cupti/enums.tsv", 3}, {"cupti/metrics.tsv", 2}};

static void add_call(struct tl_cupti *c, unsigned api, int64_t cbid, uint32_t name)
{
	*tl_intmap_add(&c->calls[api], cbid) = name;
	uint32_t *id = tl_intmap_add(&c->ids[api], name);
	if (!*id || *id > cbid)
		*id = (uint32_t)cbid;
}

static bool add_line(struct tl_cupti *c, enum table t, const struct tl_span *f)
{
	int64_t number = 0;
	unsigned at = t == ENUMS ? 1 : 0;
	if (t <= DRIVER || t == ENUMS)
		if (!tl_json_i64(f[at], &number) || number < 0 || number > UINT32_MAX)
			return false;
	uint32_t first = tl_pool_add(c->texts, f[0]);
	uint32_t last = tl_pool_add(c->texts, f[tables[t].fields - 1]);
	if (t <= DRIVER) {
		add_call(c, t, number, last);
	} else if (t == METRICS) {
		*tl_intmap_add(&c->metrics, first) = last;
	} else if (t == ENUMS) {
		TL_GROW(c->enums, c->nenums, c->enums_cap);
		c->enums[c->nenums++] = (struct entry){first, last, number};
	} else {
		TL_GROW(c->sets, c->nsets, c->sets_cap);
		c->sets[c->nsets++] = (struct entry){first, last, 0};
	}
	return true;
}

struct reading {
	struct tl_cupti *c;
	enum table t;
};

static bool take_line(void *to, const struct tl_span *f)
{
	const struct reading *r = to;
	return add_line(r->c, r->t, f);
}

struct tl_cupti *tl_cupti_open(struct tl_error *e)
{
	struct tl_cupti *c = tl_calloc(1, sizeof *c);
	c->texts = tl_pool_new();
	for (enum table t = RUNTIME; t <= METRICS; t++) {
		struct reading r = {c, t};
		if (!tl_tsv_read(tables[t].file, tables[t].fields, take_line, &r, e)) {
			tl_cupti_free(c);
			return NULL;
		}
	}
	return c;
}

void tl_cupti_free(struct tl_cupti *c)
{
	if (!c)
		return;
	for (int i = 0; i < 2; i++) {
		tl_intmap_free(&c->calls[i]);
		tl_intmap_free(&c->ids[i]);
	}
	tl_intmap_free(&c->metrics);
	tl_pool_free(c->texts);
	free(c->enums);
	free(c->sets);
	free(c);
}

struct tl_span tl_cupti_call(const struct tl_cupti *c, enum tl_cupti_api api, int64_t cbid)
{
	uint32_t *name = tl_intmap_find(&c->calls[api], cbid);
	return name ? tl_pool_text(c->texts, *name) : (struct tl_span){0};
}

int64_t tl_cupti_cbid(const struct tl_cupti *c, enum tl_cupti_api api, struct tl_span name)
{
	uint32_t text = tl_pool_find(c->texts, name);
	uint32_t *id = text == TL_POOL_NONE ? NULL : tl_intmap_find(&c->ids[api], text);
	return id ? *id : 0;
}

struct tl_span tl_cupti_enum(const struct tl_cupti *c, const char *enumeration, int64_t number)
{
	uint32_t table = tl_pool_find(c->texts, tl_str(enumeration));
	for (size_t i = 0; i < c->nenums; i++)
		if (c->enums[i].number == number && c->enums[i].table == table)
			return tl_pool_text(c->texts, c->enums[i].name);
	return (struct tl_span){0};
}

bool tl_cupti_in(const struct tl_cupti *c, const char *set, struct tl_span name)
{
	uint32_t table = tl_pool_find(c->texts, tl_str(set));
	for (size_t i = 0; i < c->nsets; i++)
		if (c->sets[i].table == table && tl_glob(tl_pool_text(c->texts, c->sets[i].name), name))
			return true;
	return false;
}

struct tl_span tl_cupti_metric(const struct tl_cupti *c, struct tl_span base)
{
	uint32_t text = tl_pool_find(c->texts, base);
	uint32_t *label = text == TL_POOL_NONE ? NULL : tl_intmap_find(&c->metrics, text);
	return label ? tl_pool_text(c->texts, *label) : (struct tl_span){0};
}

struct tl_span tl_cupti_unversioned(struct tl_span s)
{
	size_t n = s.n;
	while (n && s.p[n - 1] >= '0' && s.p[n - 1] <= '9')
		n--;
	if (n < s.n && n > 2 && s.p[n - 1] == 'v' && s.p[n - 2] == '_')
		s.n = n - 2;
	return s;
}

struct tl_span tl_cupti_unstreamed(struct tl_span s)
{
	if (s.n > 5) {
		struct tl_span end = {s.p + s.n - 5, 5};
		if (tl_span_eq(end, TL_LIT("_ptsz")) || tl_span_eq(end, TL_LIT("_ptds")))
			s.n -= 5;
	}
	return s;
}
