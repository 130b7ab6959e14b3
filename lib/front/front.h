/* The pipe of tools that answers a question (tl.1): which tools the reports asked for need, in the
 * order in which they stand in a pipe, and running them.
 *
 *     struct tl_front_pipe p = {0};
 *     tl_front_add(&p, "tl-extract");
 *     tl_front_need(&p, "tl-tree | tl-overlap --gaps 20");   // of each report
 *     tl_front_add(&p, "tl-render");
 *     tl_front_arg(&p, p.n - 1, "-r");
 *     status = tl_front_run(&p);
 *     tl_front_free(&p);
 */
#ifndef TL_FRONT_H
#define TL_FRONT_H
#include "../base/base.h"

struct tl_front_command {
	char **argv; /* ended by NULL */
	size_t n;
};

struct tl_front_pipe {
	struct tl_front_command *v;
	size_t n, cap;
};

/* Adds a command, given by its words; or an argument to the command at this place. */
void tl_front_add(struct tl_front_pipe *p, const char *words);
void tl_front_arg(struct tl_front_pipe *p, size_t at, const char *arg);

/* Adds the commands of a pipe that are not in this one yet, each behind those that stand before it
 * in any pipe (tl.1 has the order), and the options that a command lacks. Call it before what
 * follows them is added. */
void tl_front_need(struct tl_front_pipe *p, const char *pipe);

/* Prints the pipe as a shell takes it, and a line end. */
void tl_front_print(const struct tl_front_pipe *p);

/* Runs the pipe: each command from the folder of this executable, else from PATH. Returns the worst
 * exit status; a command that was killed, or that cannot be run, counts as 3 (but for SIGPIPE,
 * where what it wrote to ended first). */
int tl_front_run(const struct tl_front_pipe *p);

/* Becomes the command `tl-WORD` with these arguments (argv[0] is set). Returns only when there is
 * no such command. */
void tl_front_become(const char *word, char **argv);

void tl_front_free(struct tl_front_pipe *p);

#endif
