/* White space between the tokens of a value goes, that inside strings stays. */
#include "../../lib/json/cursor.h"
#include "expect.h"

static const struct {
	const char *in, *out;
} cases[] = {
	{"1", "1"},
	{"{\"a\":[1,2]}", "{\"a\":[1,2]}"},
	{"{ \"a b\" : [ 1 ,\n2 ] }", "{\"a b\":[1,2]}"},
	{" \"x \\\" y\" ", "\"x \\\" y\""},
	{"[\t]", "[]"},
	{"", ""},
};

int main(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tl_buf b = {0};
		struct tl_span got = tl_json_compact(tl_str(cases[i].in), &b);
		EXPECT(tl_span_eq(got, tl_str(cases[i].out)));
		tl_buf_free(&b);
	}
	return expect_failures > 0;
}
