/* SPDX-License-Identifier: BSD-2-Clause */
/* A lock beside the file for the time of its making. */
#include "mutations/once.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/house.h"

/* A part of this file whose process is gone; whoever may make it now has the lock. */
static bool is_left(const char *name, const char *part)
{
	int pid = 0, end = 0;

	return sscanf(part, "%9d.part.%n", &pid, &end) == 1 && end && !strcmp(part + end, name) &&
	       pid > 0 && kill(pid, 0) && errno == ESRCH;
}

static void remove_left(const char *path, int folder)
{
	char part[RECORD_PATH];
	struct dirent *e;
	DIR *dir;

	if (house_path(part, NULL, "%.*s", folder ? folder : 1, folder ? path : "."))
		return;
	dir = opendir(part);
	while (dir && (e = readdir(dir)))
		if (is_left(path + folder, e->d_name) &&
		    !house_path(part, NULL, "%.*s%s", folder, path, e->d_name))
			unlink(part);
	if (dir)
		closedir(dir);
}

static int make_part(const char *path, int (*make)(void *, const char *, struct diag *), void *arg,
		     struct diag *d)
{
	const char *name = strrchr(path, '/');
	int folder = name ? (int)(name - path) + 1 : 0;
	char part[RECORD_PATH];
	int rc;

	remove_left(path, folder);
	/* its end stays what it is: it may say in which form it is to be written */
	rc = house_path(part, d, "%.*s%d.part.%s", folder, path, (int)getpid(), path + folder);

	if (!rc && unlink(part) && errno != ENOENT) /* of a process of that number that died */
		rc = file_error(d, -errno, part, "remove");
	if (!rc)
		rc = make(arg, part, d);
	if (!rc && rename(part, path))
		rc = file_error(d, -errno, path, "write");
	if (rc)
		unlink(part);
	return rc;
}

/* Whether that is still the file of this name: whoever had the lock before may have removed it. */
static bool is_there(int fd, const char *name)
{
	struct stat mine, there;

	return !fstat(fd, &mine) && !stat(name, &there) && mine.st_ino == there.st_ino &&
	       mine.st_dev == there.st_dev;
}

static int lock_one(const char *name, struct diag *d)
{
	int rc, fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return file_error(d, -errno, name, "open");
	while (flock(fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		rc = -errno;
		close(fd);
		return file_error(d, rc, name, "lock");
	}
	return fd;
}

static int lock(const char *name, struct diag *d)
{
	int fd;

	while ((fd = lock_one(name, d)) >= 0 && !is_there(fd, name))
		close(fd);
	return fd;
}

/* The lock goes before it is released. Who waited for it sees that it is none any more, and takes
 * the one that there is now: two would make the file at once where the first failed. */
int make_once(const char *path, int (*make)(void *arg, const char *part, struct diag *d), void *arg,
	      struct diag *d)
{
	char name[RECORD_PATH];
	int rc, fd;

	if (!access(path, R_OK))
		return 0;
	rc = house_path(name, d, "%s.lock", path);
	if (rc)
		return rc;
	fd = lock(name, d);
	if (fd < 0)
		return fd;
	if (access(path, R_OK))
		rc = make_part(path, make, arg, d);
	unlink(name);
	close(fd);
	return rc;
}
