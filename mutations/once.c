/* SPDX-License-Identifier: BSD-2-Clause */
/* A lock beside the file for the time of its making. */
#include "mutations/once.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/house.h"

static int make_part(const char *path, int (*make)(void *, const char *, struct diag *), void *arg,
		     struct diag *d)
{
	char part[RECORD_PATH];
	int rc = house_path(part, d, "%s.%d.part", path, (int)getpid());

	if (!rc && unlink(part) && errno != ENOENT) /* of a process of that number that died */
		rc = file_error(d, -errno, part, "remove");
	if (!rc)
		rc = make(arg, part, d);
	if (!rc && rename(part, path))
		rc = file_error(d, -errno, path, "write");
	return rc;
}

static int lock(const char *name, struct diag *d)
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

/* The lock goes before it is released: who waits for it finds the file there. Who comes between the
 * two takes a new lock, and finds it, too. */
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
