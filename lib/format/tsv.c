#include "tsv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool split(struct tl_span line, struct tl_span *f, unsigned n)
{
	const char *p = line.p, *end = line.p + line.n;
	for (unsigned i = 0; i < n; i++) {
		const char *tab = i + 1 < n ? memchr(p, '\t', (size_t)(end - p)) : end;
		if (!tab || tab == p)
			return false;
		f[i] = (struct tl_span){p, (size_t)(tab - p)};
		p = tab + (i + 1 < n);
	}
	return true;
}

static bool read_lines(
	FILE *in, const char *path, unsigned fields, tl_tsv_line *take, void *to, struct tl_error *e)
{
	struct tl_span f[TL_TSV_FIELDS];
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	unsigned at = 0;
	bool ok = true;
	while (ok && (n = getline(&line, &cap, in)) >= 0) {
		at++;
		while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			n--;
		ok = !n || line[0] == '#' ||
			 (split((struct tl_span){line, (size_t)n}, f, fields) && take(to, f));
	}
	if (!ok)
		tl_fail(e, 0, "%s:%u: not an entry of this table", path, at);
	else if (!feof(in))
		tl_fail(e, 0, "cannot read %s: %s", path, strerror(errno));
	ok &= feof(in) != 0;
	free(line);
	return ok;
}

bool tl_tsv_read(const char *file, unsigned fields, tl_tsv_line *take, void *to, struct tl_error *e)
{
	char *path = tl_share_path(file);
	FILE *in = path ? fopen(path, "re") : NULL;
	bool ok = in && read_lines(in, path, fields, take, to, e);
	if (in)
		fclose(in);
	else
		tl_fail(e, 0, "cannot open share/%s: %s", file,
			path ? strerror(errno) : "there is no such file (see TL_SHARE)");
	free(path);
	return ok;
}
