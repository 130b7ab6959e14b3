/* The JSON cursor and what reads single values: on text that is JSON they must not fail, on other
 * text they must stay inside it. */
#include "../../lib/json/time.h"
#include "fuzz.h"

static struct tl_buf text, quoted, again;

static void read_value(struct tl_span v, bool valid)
{
	uint64_t u;
	int64_t i;
	double d;
	tl_json_u64(v, &u);
	tl_json_i64(v, &i);
	tl_json_double(v, &d);
	tl_ns_parse(v, &i);
	if (!tl_json_is_string(v))
		return;
	text.n = quoted.n = again.n = 0;
	tl_json_text(v, &text);
	tl_json_quote(&quoted, tl_buf_all(&text));
	MUST(tl_json_valid(tl_buf_all(&quoted)));
	tl_json_text(tl_buf_all(&quoted), &again);
	if (valid)
		MUST(tl_span_eq(tl_buf_all(&text), tl_buf_all(&again)));
}

static void walk(struct tl_span s, bool valid)
{
	struct tl_json it = tl_json_open(s);
	struct tl_span key, val;
	bool object = !it.bad && it.p[-1] == '{';
	while (object ? tl_json_member(&it, &key, &val) : tl_json_element(&it, &val)) {
		MUST(val.p >= s.p && val.n > 0 && val.p + val.n <= s.p + s.n);
		read_value(val, valid);
		if (object)
			MUST(tl_json_get(s, key).n > 0);
	}
	if (valid && (object || (s.n && s.p[0] == '[')))
		MUST(!it.bad);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *copy = malloc(n ? n : 1); /* of the exact size, so that any byte too far is seen */
	if (n)
		memcpy(copy, data, n);
	struct tl_span s = {copy, n};
	bool valid = tl_json_valid(s);
	const char *end = tl_json_skip(s.p, s.p + s.n);
	MUST(!end || (end > s.p && end <= s.p + s.n));
	MUST(end || !valid);
	walk(s, valid);
	read_value(s, valid);
	free(copy);
	return 0;
}
