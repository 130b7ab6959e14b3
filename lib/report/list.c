#include "list.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The value of a line "#: KEY: VALUE", its LF cut off; NULL: another line. */
static char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);
	if (strncmp(line, "#: ", 3) != 0 || strncmp(line + 3, key, n) != 0)
		return NULL;
	return strndup(line + 3 + n, strcspn(line + 3 + n, "\n"));
}

/* Reads the comment that a report begins with, from a path that is taken over. */
static void read_head(char *path, struct tl_report_about *about)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	*about = (struct tl_report_about){.path = path};
	while (f && getline(&line, &cap, f) > 0 && line[0] == '#') {
		if (!about->answers)
			about->answers = value_of(line, "answers: ");
		if (!about->needs)
			about->needs = value_of(line, "needs: ");
		about->sets = about->sets || strcmp(line, "#: sets\n") == 0;
	}
	free(line);
	if (f)
		fclose(f);
}

void tl_report_about_free(struct tl_report_about *about)
{
	free(about->name);
	free(about->path);
	free(about->answers);
	free(about->needs);
	*about = (struct tl_report_about){0};
}

/* The report NAME of share/reports. False: there is none. */
static bool read_report(const char *name, struct tl_report_about *about)
{
	struct tl_buf file = {0};
	tl_buf_printf(&file, "reports/%s.jq", name);
	tl_buf_ch(&file, '\0');
	char *path = tl_share_path(file.p);
	tl_buf_free(&file);
	*about = (struct tl_report_about){0};
	if (path)
		read_head(path, about);
	bool is = about->answers && about->needs;
	if (is)
		about->name = strdup(name);
	else
		tl_report_about_free(about);
	return is;
}

static void add(struct tl_report_list *list, size_t *cap, const char *file)
{
	struct tl_report_about about;
	char *name = strndup(file, strlen(file) - 3);
	if (read_report(name, &about)) {
		TL_GROW(list->v, list->n, *cap);
		list->v[list->n++] = about;
	}
	free(name);
}

static int by_name(const void *a, const void *b)
{
	const struct tl_report_about *x = a, *y = b;
	return strcmp(x->name, y->name);
}

bool tl_report_list(struct tl_report_list *list, struct tl_error *e)
{
	char *folder = tl_share_path("reports");
	DIR *d = folder ? opendir(folder) : NULL;
	size_t cap = 0;
	*list = (struct tl_report_list){0};
	if (!d) {
		tl_fail(e, 0, "%s: %s", folder ? folder : "share/reports", strerror(errno));
		free(folder);
		return false;
	}
	for (struct dirent *f; (f = readdir(d));)
		if (tl_span_ends_nocase(tl_str(f->d_name), TL_LIT(".jq")))
			add(list, &cap, f->d_name);
	closedir(d);
	free(folder);
	if (list->n)
		qsort(list->v, list->n, sizeof *list->v, by_name);
	return true;
}

void tl_report_list_free(struct tl_report_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		tl_report_about_free(&list->v[i]);
	free(list->v);
	*list = (struct tl_report_list){0};
}

static bool no_report(const char *name, struct tl_error *e)
{
	struct tl_report_list list;
	struct tl_buf names = {0};
	if (!tl_report_list(&list, e))
		return false;
	for (size_t i = 0; i < list.n; i++)
		tl_buf_printf(&names, " %s", list.v[i].name);
	tl_fail(e, 0, "%s: no such report; there are:%.*s (or a file, FILE.jq)", name, (int)names.n,
		names.p ? names.p : "");
	tl_buf_free(&names);
	tl_report_list_free(&list);
	return false;
}

bool tl_report_about(const char *name, struct tl_report_about *about, struct tl_error *e)
{
	if (!strchr(name, '/') && !tl_span_ends_nocase(tl_str(name), TL_LIT(".jq")))
		return read_report(name, about) || no_report(name, e);
	read_head(strdup(name), about); /* one that cannot be read fails where it is compiled */
	about->name = strdup(name);
	return true;
}
