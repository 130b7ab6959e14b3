#include "front.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Becomes the command; returns when there is none. */
static void become(char **argv)
{
	char *folder = tl_exe_folder();
	if (folder) {
		struct tl_buf path = {0};
		tl_buf_printf(&path, "%s/%s", folder, argv[0]);
		tl_buf_ch(&path, '\0');
		execv(path.p, argv);
		tl_buf_free(&path);
		free(folder);
	}
	execvp(argv[0], argv);
}

void tl_front_become(const char *word, char **argv)
{
	struct tl_buf name = {0};
	tl_buf_printf(&name, "tl-%s", word);
	tl_buf_ch(&name, '\0');
	argv[0] = name.p;
	become(argv);
	tl_buf_free(&name);
}

static pid_t start(const struct tl_front_command *c, int in, int out)
{
	pid_t pid = fork();
	if (pid < 0)
		tl_die(TL_FAILED, "cannot start %s: %s", c->argv[0], strerror(errno));
	if (pid)
		return pid;
	if (in != STDIN_FILENO)
		dup2(in, STDIN_FILENO);
	if (out != STDOUT_FILENO)
		dup2(out, STDOUT_FILENO);
	become(c->argv);
	tl_warn("cannot run %s: %s", c->argv[0], strerror(errno));
	_exit(TL_FAILED);
}

static int status_of(int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	return WTERMSIG(wait_status) == SIGPIPE ? TL_OK : TL_FAILED;
}

int tl_front_run(const struct tl_front_pipe *p)
{
	pid_t *pids = tl_alloc(p->n * sizeof *pids);
	int in = STDIN_FILENO, worst = TL_OK;
	for (size_t i = 0; i < p->n; i++) {
		int ends[2] = {STDIN_FILENO, STDOUT_FILENO};
		bool last = i + 1 == p->n;
		if (!last && pipe2(ends, O_CLOEXEC) != 0)
			tl_die(TL_FAILED, "pipe: %s", strerror(errno));
		pids[i] = start(&p->v[i], in, ends[1]);
		if (in != STDIN_FILENO)
			close(in);
		if (!last)
			close(ends[1]);
		in = ends[0];
	}
	for (size_t i = 0; i < p->n; i++) {
		int status = 0;
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		status = status_of(status);
		worst = status > worst ? status : worst;
	}
	free(pids);
	return worst;
}
