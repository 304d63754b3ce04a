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
