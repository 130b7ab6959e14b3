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

/* What operations say, under the key of args and under that of records. */
enum key {
	KEY_NAME,
	KEY_IN,
	KEY_OUT,
	KEY_SIZE,
	KEY_DTYPE,
	KEY_SPLIT,
	KEY_GROUP,
	KEY_DESC,
	KEY_RANKS,
	KEY_SEQ,
	KEY_SRC,
	KEY_DST,
	KEYS
};
static const struct tl_span arg_keys[KEYS] = {
	[KEY_NAME] = TL_LIT("Collective name"),
	[KEY_IN] = TL_LIT("In msg nelems"),
	[KEY_OUT] = TL_LIT("Out msg nelems"),
	[KEY_SIZE] = TL_LIT("Group size"),
	[KEY_DTYPE] = TL_LIT("dtype"),
	[KEY_SPLIT] = TL_LIT("In split size"),
	[KEY_GROUP] = TL_LIT("Process Group Name"),
	[KEY_DESC] = TL_LIT("Process Group Description"),
	[KEY_RANKS] = TL_LIT("Process Group Ranks"),
	[KEY_SEQ] = TL_LIT("Seq"),
	[KEY_SRC] = TL_LIT("Src Rank"),
	[KEY_DST] = TL_LIT("Dst Rank"),
};
static const struct tl_span record_keys[KEYS] = {
	[KEY_NAME] = TL_LIT("name"),
	[KEY_IN] = TL_LIT("in_elements"),
	[KEY_OUT] = TL_LIT("out_elements"),
	[KEY_SIZE] = TL_LIT("group_size"),
	[KEY_DTYPE] = TL_LIT("dtype"),
	[KEY_SPLIT] = TL_LIT("in_split"),
	[KEY_GROUP] = TL_LIT("group_name"),
	[KEY_DESC] = TL_LIT("desc"),
	[KEY_RANKS] = TL_LIT("ranks"),
	[KEY_SEQ] = TL_LIT("seq"),
	[KEY_SRC] = TL_LIT("src"),
	[KEY_DST] = TL_LIT("dst"),
};

static void take(struct tl_collective *c, struct collective_meta *m, enum key key, struct tl_span v)
{
	switch (key) {
	case KEY_NAME:
		m->name = collective_text(c, v);
		break;
	case KEY_IN:
		m->in = count(v);
		break;
	case KEY_OUT:
		m->out = count(v);
		break;
	case KEY_SIZE:
		m->size = rank_in(v);
		break;
	case KEY_DTYPE:
		m->dtype = collective_text(c, v);
		break;
	case KEY_SPLIT:
		m->split = collective_text(c, v);
		break;
	case KEY_GROUP:
		m->pg = collective_text(c, v);
		break;
	case KEY_DESC:
		m->desc = collective_text(c, v);
		break;
	case KEY_RANKS:
		m->list = collective_text(c, v);
		break;
	case KEY_SEQ:
		m->seq = whole(v, NO_SEQ);
		break;
	case KEY_SRC:
		m->src = rank_in(v);
		break;
	case KEY_DST:
		m->dst = rank_in(v);
		break;
	default:
		break;
	}
}

static struct collective_meta meta_of(
	struct tl_collective *c, struct tl_span object, const struct tl_span *keys)
{
	struct collective_meta m = nothing;
	struct tl_json it = tl_json_open(object);
	struct tl_span key, v;
	while (tl_json_member(&it, &key, &v))
		for (enum key i = 0; i < KEYS; i++)
			if (tl_span_eq(key, keys[i]))
				take(c, &m, i, v);
	return m;
}

struct collective_meta collective_meta_of_args(struct tl_collective *c, struct tl_span args)
{
	return meta_of(c, args, arg_keys);
}

struct collective_meta collective_meta_of_record(struct tl_collective *c, struct tl_span line)
{
	return meta_of(c, line, record_keys);
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
