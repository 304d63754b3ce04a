/* SPDX-License-Identifier: BSD-2-Clause */
/* The process tree that exists at attach, read from /proc. */
#include "profilers/collector/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TREE_DEPTH_MAX = 64 };

static int walk(uint32_t pid, tree_fn *fn, void *arg, unsigned depth);

static int walk_children(const char *path, tree_fn *fn, void *arg, unsigned depth)
{
	FILE *f = fopen(path, "re");
	unsigned child;
	int err = 0;

	if (!f)
		return 0;
	while (!err && fscanf(f, "%u", &child) == 1)
		err = walk(child, fn, arg, depth + 1);
	fclose(f);
	return err;
}

static int walk(uint32_t pid, tree_fn *fn, void *arg, unsigned depth)
{
	char path[320];
	struct dirent *e;
	int err;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return depth ? 0 : -ESRCH;
	err = fn(arg, pid);
	while (!err && depth < TREE_DEPTH_MAX && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%s/children", pid, e->d_name);
		err = walk_children(path, fn, arg, depth);
	}
	closedir(dir);
	return err;
}

int tree_walk(uint32_t root, tree_fn *fn, void *arg)
{
	return walk(root, fn, arg, 0);
}

static uint32_t count_entries(const char *folder, bool (*is)(const char *folder, const char *name))
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	uint32_t n = 0;

	if (!dir)
		return 0;
	while ((e = readdir(dir)))
		n += isdigit((unsigned char)e->d_name[0]) && is(folder, e->d_name);
	closedir(dir);
	return n;
}

/* include/linux/sched.h: PF_EXITING; PF_IO_WORKER, PF_USER_WORKER, PF_KTHREAD */
enum { EXITING = 0x4, KERNELS = 0x10 | 0x4000 | 0x200000 };

/* /proc/…/stat: the name stands in brackets and may hold any byte; flags are the seventh behind. Of
 * a thread that is gone: EXITING. */
static uint32_t flags_of(const char *folder)
{
	char path[96], text[512] = "", *end;
	uint32_t flags = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stat", folder);
	f = fopen(path, "re");
	if (f) {
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
	}
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 ? flags : EXITING;
}

/* 0: this kernel does not tell, or the thread is gone. */
static uint64_t ran_of(const char *folder)
{
	unsigned long long ns = 0;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/schedstat", folder);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	fclose(f);
	return ns;
}

int tree_cpu(uint32_t pid, tree_cpu_fn *fn, void *arg)
{
	char path[64];
	struct dirent *e;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (!err && dir && (e = readdir(dir))) {
		struct tree_cpu t = {.tid = (uint32_t)strtoul(e->d_name, NULL, 10)};
		uint32_t flags;

		snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, t.tid);
		t.ran_ns = t.tid ? ran_of(path) : 0;
		flags = t.ran_ns ? flags_of(path) : EXITING;
		t.is_kernel = flags & KERNELS;
		if (!(flags & EXITING))
			err = fn(arg, pid, &t);
	}
	if (dir)
		closedir(dir);
	return err;
}

static bool any(const char *folder, const char *name)
{
	return folder && name;
}

static bool is_ring(const char *folder, const char *name)
{
	char path[320], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = 0;
	return !strcmp(target, "anon_inode:[io_uring]");
}

uint32_t tree_threads(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return count_entries(path, any);
}

uint32_t tree_rings(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	return count_entries(path, is_ring);
}
