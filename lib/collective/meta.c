/* What a trace says of an operation: the args of kernels and calls, `nccl:` annotations, and the
 * records of an earlier pass. */
#include "inside.h"

uint32_t collective_text(struct tl_collective *c, struct tl_span json)
{
	if (!tl_is_known(json))
		return NONE;
	c->buf.n = 0;
	if (tl_json_is_string(json))
		tl_json_text(json, &c->buf);
	else
		tl_buf_span(&c->buf, json);
	return c->buf.n ? tl_pool_add(c->texts, tl_buf_all(&c->buf)) : NONE;
}

static uint64_t count(struct tl_span v)
{
	uint64_t n;
	return tl_json_u64(tl_json_inner(v), &n) ? n : NO_COUNT;
}

static int64_t whole(struct tl_span v, int64_t otherwise)
{
	int64_t n;
	return tl_json_i64(tl_json_inner(v), &n) ? n : otherwise;
}

static int64_t rank_in(struct tl_span v)
{
	int64_t n = whole(v, -1);
	return n >= 0 && n <= INT32_MAX ? n : -1;
}

static const struct collective_meta nothing = {.in = NO_COUNT,
	.out = NO_COUNT,
	.seq = NO_SEQ,
	.size = -1,
	.src = -1,
	.dst = -1,
	.name = NONE,
	.dtype = NONE,
	.pg = NONE,
	.desc = NONE,
	.list = NONE,
	.split = NONE};

/* Takes one member whose key is that of args, or of a record. False when it is another. */
static bool take(struct tl_collective *c, struct collective_meta *m, unsigned key, struct tl_span v)
{
	switch (key) {
	case 0:
		m->name = collective_text(c, v);
		return true;
	case 1:
		m->in = count(v);
		return true;
	case 2:
		m->out = count(v);
		return true;
	case 3:
		m->size = rank_in(v);
		return true;
	case 4:
		m->dtype = collective_text(c, v);
		return true;
	case 5:
		m->split = collective_text(c, v);
		return true;
	case 6:
		m->pg = collective_text(c, v);
		return true;
	case 7:
		m->desc = collective_text(c, v);
		return true;
	case 8:
		m->list = collective_text(c, v);
		return true;
	case 9:
		m->seq = whole(v, NO_SEQ);
		return true;
	case 10:
		m->src = rank_in(v);
		return true;
	case 11:
		m->dst = rank_in(v);
		return true;
	default:
		return false;
	}
}

static struct collective_meta meta_of(
	struct tl_collective *c, struct tl_span object, const char *const *keys)
{
	struct collective_meta m = nothing;
	struct tl_json it = tl_json_open(object);
	struct tl_span key, v;
	while (tl_json_member(&it, &key, &v))
		for (unsigned i = 0; keys[i]; i++)
			if (tl_span_eq(key, tl_str(keys[i])) && take(c, &m, i, v))
				break;
	return m;
}

struct collective_meta collective_meta_of_args(struct tl_collective *c, struct tl_span args)
{
	static const char *const keys[] = {"Collective name", "In msg nelems", "Out msg nelems",
		"Group size", "dtype", "In split size", "Process Group Name", "Process Group Description",
		"Process Group Ranks", "Seq", "Src Rank", "Dst Rank", NULL};
	return meta_of(c, args, keys);
}

struct collective_meta collective_meta_of_record(struct tl_collective *c, struct tl_span line)
{
	static const char *const keys[] = {"name", "in_elements", "out_elements", "group_size", "dtype",
		"in_split", "group_name", "desc", "ranks", "seq", "src", "dst", NULL};
	return meta_of(c, line, keys);
}

/* The product of one list of dimensions; none for a scalar's empty list. */
static uint64_t product(struct tl_span dims)
{
	struct tl_json it = tl_json_open(dims);
	struct tl_span v;
	uint64_t all = 1, n;
	bool any = false;
	while (tl_json_element(&it, &v)) {
		any = true;
		if (v.n && v.p[0] == '[')
			n = product(v);
		else if (!tl_json_u64(v, &n))
			n = 0;
		if (__builtin_mul_overflow(all, n, &all))
			return 0;
	}
	return any ? all : 0;
}

struct collective_meta collective_meta_of_note(
	struct tl_collective *c, struct tl_span name, struct tl_span args)
{
	struct collective_meta m = nothing;
	struct tl_span dims = tl_json_get(args, TL_LIT("Input Dims")), v;
	struct tl_json it = tl_json_open(dims);
	uint64_t sum = 0;
	m.name = tl_pool_add(c->texts, (struct tl_span){name.p + 5, name.n - 5});
	while (dims.n && tl_json_element(&it, &v))
		sum += product(v);
	if (sum > 0)
		m.in = sum;
	it = tl_json_open(tl_json_get(args, TL_LIT("Input type")));
	if (it.p && tl_json_element(&it, &v) && tl_json_is_string(v))
		m.dtype = collective_text(c, v);
	return m;
}
