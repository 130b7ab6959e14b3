#include "front.h"
#include <stdio.h>
#include <stdlib.h>

/* The order of the tools between tl-extract and tl-render. */
static const char *const order[] = {
	"tl-tree", "tl-synth", "tl-sourcemap", "tl-overlap", "tl-reliability", "tl-collective"};

static size_t place_of(const char *tool)
{
	size_t i = 0;
	while (i < sizeof order / sizeof *order && strcmp(order[i], tool) != 0)
		i++;
	return i;
}

static void add_arg(struct tl_front_command *c, const char *arg, size_t n)
{
	c->argv = tl_realloc(c->argv, c->n + 2, sizeof *c->argv);
	c->argv[c->n++] = strndup(arg, n);
	c->argv[c->n] = NULL;
}

void tl_front_arg(struct tl_front_pipe *p, size_t at, const char *arg)
{
	add_arg(&p->v[at], arg, strlen(arg));
}

static struct tl_front_command command_of(struct tl_span words)
{
	struct tl_front_command c = {0};
	for (const char *w = words.p, *end = w + words.n; w < end;) {
		const char *space = memchr(w, ' ', (size_t)(end - w));
		const char *stop = space ? space : end;
		if (stop > w)
			add_arg(&c, w, (size_t)(stop - w));
		w = stop + 1;
	}
	return c;
}

static void insert(struct tl_front_pipe *p, size_t at, struct tl_front_command c)
{
	TL_GROW(p->v, p->n, p->cap);
	memmove(p->v + at + 1, p->v + at, (p->n++ - at) * sizeof *p->v);
	p->v[at] = c;
}

void tl_front_add(struct tl_front_pipe *p, const char *words)
{
	insert(p, p->n, command_of(tl_str(words)));
}

static void free_command(struct tl_front_command *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->argv[i]);
	free(c->argv);
}

static bool has_arg(const struct tl_front_command *c, const char *arg)
{
	for (size_t i = 1; i < c->n; i++)
		if (strcmp(c->argv[i], arg) == 0)
			return true;
	return false;
}

/* Options of `from` that `to` lacks, each with the value behind it. */
static void add_options(struct tl_front_command *to, const struct tl_front_command *from)
{
	bool adds = false;
	for (size_t i = 1; i < from->n; i++) {
		if (from->argv[i][0] == '-')
			adds = !has_arg(to, from->argv[i]);
		if (adds)
			add_arg(to, from->argv[i], strlen(from->argv[i]));
	}
}

static void need(struct tl_front_pipe *p, struct tl_front_command c)
{
	size_t at = p->n;
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].argv[0], c.argv[0]) == 0) {
			add_options(&p->v[i], &c);
			free_command(&c);
			return;
		}
	while (at > 0 && place_of(p->v[at - 1].argv[0]) > place_of(c.argv[0]) &&
		   place_of(p->v[at - 1].argv[0]) < sizeof order / sizeof *order)
		at--;
	insert(p, at, c);
}

void tl_front_need(struct tl_front_pipe *p, const char *pipe)
{
	for (const char *at = pipe; *at;) {
		size_t n = strcspn(at, "|");
		struct tl_front_command c = command_of((struct tl_span){at, n});
		if (c.n)
			need(p, c);
		at += n + (at[n] == '|');
	}
}

void tl_front_free(struct tl_front_pipe *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_command(&p->v[i]);
	free(p->v);
	*p = (struct tl_front_pipe){0};
}

static void print_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"-_./:,=+@%";
	if (*word && !word[strspn(word, plain)]) {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stdout);
	putchar('\'');
}

void tl_front_print(const struct tl_front_pipe *p)
{
	for (size_t i = 0; i < p->n; i++) {
		fputs(i ? " | " : "", stdout);
		for (size_t k = 0; k < p->v[i].n; k++) {
			fputs(k ? " " : "", stdout);
			print_word(p->v[i].argv[k]);
		}
	}
	putchar('\n');
}
