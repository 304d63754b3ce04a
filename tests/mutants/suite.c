/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the program of all mutants and asks it. */
#include "tests/mutants/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_list_free(char **names, size_t cnt)
{
	while (cnt)
		free(names[--cnt]);
	free(names);
}

static int read_names(FILE *f, char ***ret_names, size_t *ret_cnt)
{
	char **v = NULL, **more, line[512];
	size_t cnt = 0;

	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		more = realloc(v, (cnt + 1) * sizeof(*v));
		if (more)
			more[cnt] = strdup(line);
		if (!more || !more[cnt]) {
			suite_list_free(more ? more : v, cnt);
			return -ENOMEM;
		}
		v = more;
		cnt++;
	}
	*ret_names = v;
	*ret_cnt = cnt;
	return 0;
}

int suite_list(const char *exe, char ***ret_names, size_t *ret_cnt)
{
	char command[512];
	int err;
	FILE *f;

	snprintf(command, sizeof(command), "%s --list", exe);
	f = popen(command, "r");
	if (!f)
		return -errno;
	err = read_names(f, ret_names, ret_cnt);
	return pclose(f) && !err ? -EIO : err;
}

/* Only what a child may do after fork: it shares its memory with threads that are not there. */
static void exec_server(const char *exe, int ask, int answer, int met)
{
	dup2(ask, WIRE_ASK_FD);
	dup2(answer, WIRE_ANSWER_FD);
	if (met == WIRE_MET_FD)
		fcntl(met, F_SETFD, 0);
	else
		dup2(met, WIRE_MET_FD);
	execl(exe, exe, "--serve", (char *)NULL);
	_exit(127);
}

/* All descriptors above those that exec_server fills, so that none is overwritten. */
static int out_of_the_way(int fd)
{
	int away = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 16);

	if (fd >= 0)
		close(fd);
	return away;
}

static void close_all(const int *fd, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

int suite_start(struct suite *ret, const char *exe)
{
	int fd[5] = {-1, -1, -1, -1, -1}; /* ask, answer (each: read, write), memory */
	struct suite s;

	if (pipe2(fd, O_CLOEXEC) || pipe2(fd + 2, O_CLOEXEC))
		goto fail;
	fd[4] = memfd_create("met", MFD_CLOEXEC);
	for (size_t i = 0; i < 5; i++)
		fd[i] = out_of_the_way(fd[i]);
	if (fd[4] < 0 || ftruncate(fd[4], MUTANTS_MAX))
		goto fail;
	s = (struct suite){.ask = fd[1], .answer = fd[2]};
	s.met = mmap(NULL, MUTANTS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fd[4], 0);
	if (s.met == MAP_FAILED)
		goto fail;
	s.pid = fork();
	if (!s.pid)
		exec_server(exe, fd[0], fd[3], fd[4]);
	close_all((int[]){fd[0], fd[3], fd[4]}, 3);
	*ret = s;
	return 0;
fail:
	close_all(fd, 5);
	return -errno;
}

int suite_run(struct suite *s, const struct wire_ask *ask, struct wire_answer *ret)
{
	memset(s->met, 0, MUTANTS_MAX);
	if (write(s->ask, ask, sizeof(*ask)) != sizeof(*ask) ||
	    read(s->answer, ret, sizeof(*ret)) != sizeof(*ret))
		return -EPIPE;
	return 0;
}

void suite_end(struct suite *s)
{
	if (s->pid <= 0)
		return;
	close(s->ask);
	close(s->answer);
	waitpid(s->pid, NULL, 0);
	munmap(s->met, MUTANTS_MAX);
	*s = (struct suite){0};
}
