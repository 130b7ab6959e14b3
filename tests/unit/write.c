/* tl_write: commas, what writes nothing, records and members alone. */
#include "../../lib/json/write.h"
#include "expect.h"
#include <math.h>

static bool gives(struct tl_write *w, const char *text)
{
	struct tl_span got = tl_record_end(w);
	bool same = tl_span_eq(got, tl_str(text));
	if (!same)
		fprintf(stderr, "got  %.*s\nnot  %s\n", (int)got.n, got.p, text);
	return same;
}

static void all_kinds(struct tl_write *w)
{
	tl_record(w, "launch", 3);
	tl_put_u64(w, "u", UINT64_MAX);
	tl_put_i64(w, "i", INT64_MIN);
	tl_put_us(w, "us", -1500);
	tl_put_num(w, "num", 1.0 / 3, 6);
	tl_put_share(w, "share", 1, 3, 100);
	tl_put_flag(w, "yes", true);
	tl_put_flag(w, "no", false);
	tl_put_json(w, "json", TL_LIT("[1]"));
	tl_put_text(w, "text", TL_LIT("a\"b"));
	tl_put_key(w, "own");
	tl_buf_lit(&w->b, "7");
	EXPECT(gives(w, "{\"type\":\"launch\",\"trace\":3,\"u\":18446744073709551615,"
					"\"i\":-9223372036854775808,\"us\":-1.5,\"num\":0.333333,\"share\":33.3333,"
					"\"yes\":true,\"no\":false,\"json\":[1],\"text\":\"a\\\"b\",\"own\":7}"));
}

static void not_known(struct tl_write *w)
{
	struct tl_span none = {0};
	tl_record(w, "x", 0);
	tl_put_num(w, "inf", INFINITY, 6);
	tl_put_num(w, "nan", NAN, 6);
	tl_put_share(w, "share", 5, 0, 100);
	tl_put_json(w, "json", none);
	tl_put_text(w, "text", TL_LIT(""));
	tl_put_string(w, "string", none);
	EXPECT(gives(w, "{\"type\":\"x\",\"trace\":0,\"string\":\"\"}"));
}

static void within(struct tl_write *w)
{
	tl_record(w, "x", 0);
	tl_list(w, "empty");
	tl_list_end(w);
	tl_object(w, "args");
	tl_object_end(w);
	tl_list(w, "list");
	tl_put_u64(w, NULL, 1);
	tl_put_text(w, NULL, TL_LIT("two"));
	tl_object(w, NULL);
	tl_put_u64(w, "three", 3);
	tl_put_u64(w, "four", 4);
	tl_object_end(w);
	tl_list_end(w);
	tl_put_u64(w, "last", 5);
	EXPECT(gives(w, "{\"type\":\"x\",\"trace\":0,\"empty\":[],\"args\":{},"
					"\"list\":[1,\"two\",{\"three\":3,\"four\":4}],\"last\":5}"));
}

static void members(struct tl_write *w)
{
	tl_members(w);
	EXPECT(gives(w, ""));
	tl_members(w);
	tl_put_u64(w, "a", 1);
	tl_put_u64(w, "b", 2);
	EXPECT(gives(w, ",\"a\":1,\"b\":2"));
}

int main(void)
{
	struct tl_write w = {0};
	all_kinds(&w);
	not_known(&w);
	within(&w);
	members(&w);
	tl_write_free(&w);
	return expect_failures > 0;
}
