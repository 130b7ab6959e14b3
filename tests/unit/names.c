/* Canonical names: kernels, operators, scopes, paths. */
#include "../../lib/rules/names.h"
#include <stdio.h>

static int failures;

static void is(const char *what, struct tl_buf *got, const char *want)
{
	if (got->n != strlen(want) || memcmp(got->p, want, got->n) != 0) {
		fprintf(stderr, "%s: got \"%.*s\", want \"%s\"\n", what, (int)got->n, got->p, want);
		failures++;
	}
	got->n = 0;
}

static void plain_and_kernels(struct tl_buf *b)
{
	tl_name_plain(b, tl_str("  a \t b\n"));
	is("runs of white space", b, "a b");
	tl_name_plain(b, tl_str("\xc2\xa0 a\xe3\x80\x80"));
	is("white space of Unicode at the ends", b, "a");
	tl_name_plain(b, tl_str("a\xc2\xa0z"));
	is("no ASCII white space inside", b, "a\xc2\xa0z");
	tl_name_plain(b, tl_str(" \n "));
	is("nothing but white space", b, "");
	tl_name_kernel(b, tl_str("void f<int, (x)1>(int*, g(int))"));
	is("arguments", b, "void f<int, (x)1>");
	tl_name_kernel(b, tl_str("void f)"));
	is("parentheses that do not balance", b, "void f)");
	tl_name_kernel(b, tl_str("Memcpy DtoH (Device -> Host)"));
	is("not a void function", b, "Memcpy DtoH (Device -> Host)");
	tl_name_kernel(b, tl_str("f at 0x7fFF, 0x, 0xg, 10x20"));
	is("addresses", b, "f at 0xADDR, 0x, 0xg, 10xADDR");
	tl_name_kernel(b, tl_str(""));
	is("empty", b, "");
}

static void short_and_match(struct tl_buf *b)
{
	tl_name_short(b, tl_str("abcdefgh"), 8);
	is("fits", b, "abcdefgh");
	tl_name_short(b, tl_str("abcdefghi"), 8);
	is("too long", b, "abcde...");
	tl_name_short(b, tl_str("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"), 4);
	is("code points", b, "\xc3\xa4...");
	tl_name_match(b, tl_str("void ns::F_2<int>(\xc3\xa4)"));
	is("match text", b, "voidnsf2int");
}

static void scopes(struct tl_buf *b)
{
	struct tl_root v[] = {
		{TL_LIT("python/sglang/"), TL_LIT("python/sglang/")},
		{TL_LIT("vllm/"), TL_LIT("vllm/")},
		{TL_LIT("sglang/"), TL_LIT("python/sglang/")},
	};
	struct tl_roots loose = {v, 3, false, false}, strict = {v, 3, true, true};
	const char *twice = "/w/sglang/python/sglang/srt/a.py(12): f";
	for (int i = 0; i < 2; i++) {
		const struct tl_roots *r = i ? &strict : &loose;
		tl_name_scope(b, tl_str(twice), r);
		is("root in the middle", b, "python/sglang/srt/a.py(12): f");
		tl_name_scope(b, tl_str("C:\\x\\sglang\\A.py(1): f(2): g"), r);
		is("backslashes, the shortest path", b, "python/sglang/A.py(1): f(2): g");
		tl_name_scope(b, tl_str("<built-in method f of x at 0x12>"), r);
		is("no location", b, "<built-in method f of x at 0xADDR>");
	}
	tl_name_scope(b, tl_str("/w/nano-vllm/a.py(1): f"), &loose);
	is("inside a word, loosely", b, "vllm/a.py(1): f");
	tl_name_scope(b, tl_str("/w/nano-vllm/a.py(1): f"), &strict);
	is("inside a word, strictly", b, "w/nano-vllm/a.py(1): f");
	tl_name_scope(b, tl_str("/usr/lib/python3.10/threading.py(1): run"), &strict);
	is("the standard library", b, "threading.py(1): run");
	tl_name_scope(
		b, tl_str("/v/lib/python3/dist-packages/torch/nn/modules/module.py(1): f"), &strict);
	is("installed packages", b, "torch/nn/modules/module.py(1): f");
	tl_name_scope(b, tl_str("/v/mysite-packages/a.py(1): f"), &strict);
	is("a word that ends so", b, "v/mysite-packages/a.py(1): f");
}

static void sites(void)
{
	struct tl_site s;
	if (!tl_name_site(tl_str("a(b)/c.py(10): f(x)"), &s) ||
		!tl_span_eq(s.path, TL_LIT("a(b)/c.py")) || !tl_span_eq(s.line, TL_LIT("10")) ||
		!tl_span_eq(s.func, TL_LIT("f(x)")))
		failures++, fprintf(stderr, "path, line and function\n");
	static const char *const none[] = {
		"", "(1): f", "a.py(1): ", "a.py(x): f", "a.py(1)f", "a.py(1"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (tl_name_site(tl_str(none[i]), &s))
			failures++, fprintf(stderr, "\"%s\" is no location\n", none[i]);
}

int main(void)
{
	struct tl_buf b = {0};
	plain_and_kernels(&b);
	short_and_match(&b);
	scopes(&b);
	sites();
	tl_buf_free(&b);
	return failures > 0;
}
