/* SPDX-License-Identifier: BSD-2-Clause */
/* Descendants that somebody else started: found, and looked at, through /proc. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/process.h"

enum { DEPTH_MAX = 32 };

/* State letter and parent from a stat file (proc_pid_stat(5)): behind the name in parentheses,
 * which may hold anything. */
static int read_stat(const char *path, char *ret_state, pid_t *ret_parent)
{
	char buf[512], *end;
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return -errno;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	end = strrchr(buf, ')');
	return end && sscanf(end + 1, " %c %d", ret_state, ret_parent) == 2 ? 0 : -ESRCH;
}

static bool descends(pid_t pid, pid_t from)
{
	char path[64], state;

	for (int i = 0; i < DEPTH_MAX && pid > 1; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		if (read_stat(path, &state, &pid))
			return false;
		if (pid == from)
			return true;
	}
	return false;
}

static bool runs(pid_t pid, const struct stat *program)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return !stat(path, &st) && st.st_dev == program->st_dev && st.st_ino == program->st_ino;
}

int process_adopt(const struct process *starter, const char *exe, struct process *ret)
{
	struct stat program;
	struct dirent *e;
	pid_t pid = 0, found = 0;
	DIR *proc;

	if (stat(exe, &program))
		return -errno;
	proc = opendir("/proc");
	if (!proc)
		return -errno;
	while (!found && (e = readdir(proc))) {
		pid = (pid_t)strtol(e->d_name, NULL, 10);
		if (pid > 1 && runs(pid, &program) &&
		    (pid == starter->pid || descends(pid, starter->pid)))
			found = pid;
	}
	closedir(proc);
	if (!found)
		return -ENOENT;
	*ret = (struct process){.pid = found, .adopted = true};
	return 0;
}

/* Looked up after it was found: who was forked meanwhile is listed, too. */
static bool is_listed(pid_t pid, const char *procs)
{
	char line[64];
	FILE *f = fopen(procs, "re");
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strtol(line, NULL, 10) == pid;
	if (f)
		fclose(f);
	return found;
}

/* Who has ended is in no list. */
static bool is_outside(pid_t pid, const char *procs)
{
	char path[64], state;
	pid_t parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return !is_listed(pid, procs) && !read_stat(path, &state, &parent) && state != 'Z' &&
	       state != 'X';
}

bool process_in_group(const struct process *p, const char *procs)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	bool inside = proc;

	while (inside && (e = readdir(proc))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid > 1 && (pid == p->pid || descends(pid, p->pid)))
			inside = !is_outside(pid, procs);
	}
	if (proc)
		closedir(proc);
	return inside;
}

/* A stop is one when the last thread has taken it. */
static bool all_stopped(pid_t pid)
{
	char path[320], state = 0;
	bool all = true;
	struct dirent *e;
	pid_t parent;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	while (all && (e = readdir(tasks))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, e->d_name);
		if (!read_stat(path, &state, &parent))
			all = state == 'T';
	}
	closedir(tasks);
	return all && state == 'T';
}

void process_look(struct process *p)
{
	char path[64], state;
	pid_t parent;

	if (p->exited)
		return;
	snprintf(path, sizeof(path), "/proc/%d/stat", p->pid);
	if (read_stat(path, &state, &parent) || state == 'Z' || state == 'X')
		p->exited = true;
	else if (state == 'T' && all_stopped(p->pid))
		p->stopped = true;
}
