/* SPDX-License-Identifier: BSD-2-Clause */
/* Empty mounts over folders and files, and holes in them. */
#include "harness/veil.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/folder.h"

static int hide(struct veil *v, struct diag *d, const char *folder, const char *name)
{
	assert(v->hide_cnt < VEIL_MOST);
	return path_format(v->hide[v->hide_cnt++], d, "%s%s%s", folder, name[0] ? "/" : "", name);
}

int veil_open(const char *run, const char *stock, struct veil *ret, struct diag *d)
{
	static const char *const parts[] = {"cells",	  "work",	   "plan.tsv",	 "run.json",
					    "scores.csv", "scores.sqlite", "report.html"};
	const char *slash = strrchr(run, '/');
	size_t len = slash ? (size_t)(slash - run) : 0;
	char runs[PATH_LEN];
	int rc = 0;

	*ret = (struct veil){.hide_cnt = 0};
	if (len >= 5 && !strncmp(slash - 5, "/runs", 5)) {
		rc = path_format(runs, d, "%.*s", (int)len, run);
		rc = rc ? rc : hide(ret, d, runs, "");
	} else {
		for (size_t i = 0; !rc && i < sizeof(parts) / sizeof(parts[0]); i++)
			rc = hide(ret, d, run, parts[i]);
	}
	return rc || !stock ? rc : hide(ret, d, stock, "");
}

void veil_show(struct veil *v, const char *path)
{
	assert(v->show_cnt < VEIL_MOST);
	v->show[v->show_cnt++] = path;
}

/* A descriptor of what will be out of sight; -1: it will not be, or is not there. */
static int hold(const struct veil *v, const char *path)
{
	for (size_t i = 0; i < v->hide_cnt; i++) {
		const char *rest = path_below(path, v->hide[i]);

		if (rest && rest[0])
			return open(path, O_PATH | O_CLOEXEC);
	}
	return -1;
}

static int cover(const char *path)
{
	struct stat st;
	int rc;

	if (stat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		rc = mount("none", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m");
	else
		rc = mount("/dev/null", path, NULL, MS_BIND, NULL);
	return rc ? -errno : 0;
}

/* The folders above path; those that are there are fine. */
static int make_above(const char *path)
{
	char part[PATH_LEN];

	for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
		if (mkdir(part, 0755) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int uncover(const char *path, int held)
{
	char from[32];
	struct stat st;
	int rc = make_above(path), fd = -1;

	if (rc || fstat(held, &st))
		return rc ? rc : -errno;
	if (S_ISDIR(st.st_mode))
		rc = mkdir(path, 0755);
	else
		rc = fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	snprintf(from, sizeof(from), "/proc/self/fd/%d", held);
	if ((rc < 0 && errno != EEXIST) || mount(from, path, NULL, MS_BIND, NULL))
		return -errno;
	return 0;
}

int veil_draw(const struct veil *v, const char *program)
{
	int held[VEIL_MOST + 1], rc = 0;
	size_t covered = 0;

	for (size_t i = 0; i < v->show_cnt; i++)
		held[i] = hold(v, v->show[i]);
	held[v->show_cnt] = hold(v, program);
	for (; !rc && covered < v->hide_cnt; covered++)
		rc = cover(v->hide[covered]);
	for (size_t i = 0; i <= v->show_cnt; i++) {
		if (!rc && held[i] >= 0)
			rc = uncover(i < v->show_cnt ? v->show[i] : program, held[i]);
		if (held[i] >= 0)
			close(held[i]);
	}
	while (rc && covered)
		umount2(v->hide[--covered], MNT_DETACH);
	return rc;
}
