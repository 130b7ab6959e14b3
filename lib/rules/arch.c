#include "arch.h"
#include "../json/json.h"
#include "../base/base.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_path(const char *name)
{
	size_t n = strlen(name);
	return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

static char *path_of(const char *name)
{
	struct tl_buf b = {0};
	if (is_path(name))
		return strdup(name);
	tl_buf_printf(&b, "rules/arch/%s.json", name);
	tl_buf_ch(&b, '\0');
	char *path = tl_share_path(b.p);
	tl_buf_free(&b);
	return path;
}

static bool read_all(const char *path, struct tl_buf *text, struct tl_error *e)
{
	FILE *in = fopen(path, "re");
	size_t n = 1;
	while (in && n > 0) {
		tl_buf_more(text, 4096);
		n = fread(text->p + text->n, 1, 4096, in);
		text->n += n;
	}
	bool ok = in && !ferror(in);
	if (!ok)
		tl_fail(e, 0, "cannot read %s: %s", path, strerror(errno));
	if (in)
		fclose(in);
	return ok;
}

static void add_compact(struct tl_buf *out, struct tl_span json)
{
	bool quoted = false;
	for (size_t i = 0; i < json.n; i++) {
		char c = json.p[i];
		if (quoted && c == '\\') {
			tl_buf_ch(out, c);
			c = json.p[++i];
		} else if (c == '"') {
			quoted = !quoted;
		}
		if (quoted || !strchr(" \t\r\n", c))
			tl_buf_ch(out, c);
	}
}

bool tl_arch_load(const char *name, struct tl_buf *out, struct tl_error *e)
{
	struct tl_buf text = {0};
	char *path = path_of(name);
	if (!path) {
		tl_fail(e, 0, "no device %s in share/rules/arch", name);
		return false;
	}
	bool ok = read_all(path, &text, e);
	struct tl_buf flat = {0};
	if (ok && !tl_json_valid(tl_buf_all(&text))) {
		tl_fail(e, 0, "%s is not JSON", path);
		ok = false;
	}
	if (ok)
		add_compact(&flat, tl_buf_all(&text));
	if (ok && (flat.n == 0 || flat.p[0] != '{')) {
		tl_fail(e, 0, "%s holds no JSON object", path);
		ok = false;
	}
	if (ok)
		tl_buf_span(out, tl_buf_all(&flat));
	tl_buf_free(&flat);
	tl_buf_free(&text);
	free(path);
	return ok;
}

struct tl_span tl_arch_device(struct tl_span properties)
{
	struct tl_json it = tl_json_open(properties);
	struct tl_span device, found = {0};
	if (properties.n == 0 || properties.p[0] != '[')
		return found;
	while (tl_json_element(&it, &device)) {
		struct tl_span name = tl_json_get(device, TL_LIT("name"));
		if (!tl_json_is_string(name) || (found.n && !tl_span_eq(found, name)))
			return (struct tl_span){0};
		found = name;
	}
	return found;
}
