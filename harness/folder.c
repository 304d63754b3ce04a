/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders, copies, free space and names of runs. */
#include "harness/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/owned.h"

int path_format(char ret[PATH_LEN], struct diag *d, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(ret, PATH_LEN, fmt, ap);
	va_end(ap);
	if (n < PATH_LEN)
		return 0;
	return diag_set(d, -ENAMETOOLONG, ret, 0, "use a folder with a shorter path",
			"the path is longer than %d bytes", PATH_LEN - 1);
}

const char *path_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return path && !strncmp(path, folder, len) && (!path[len] || path[len] == '/') ? path + len
										       : NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int folder_remove(const char *path, struct diag *d)
{
	if (!nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) || errno == ENOENT)
		return 0;
	return diag_set(d, -errno, path, 0, NULL, "cannot be removed: %s", strerror(errno));
}

/* A program stays one: the mode is copied, too. */
static int copy_bytes(int in, int out)
{
	char buf[65536];
	struct stat st;
	ssize_t n;

	if (fstat(in, &st) || fchmod(out, st.st_mode & 0777))
		return -errno;

	while ((n = read(in, buf, sizeof(buf))) > 0) {
		for (ssize_t done = 0; done < n;) {
			ssize_t put = write(out, buf + done, (size_t)(n - done));

			if (put < 0)
				return -errno;
			done += put;
		}
	}
	return n < 0 ? -errno : 0;
}

int file_copy(const char *from, const char *to, struct diag *d)
{
	int in, out, rc;

	/* what is there already may be a link to what is copied: it is not written into */
	if (!link(from, to) || (errno == EEXIST && !unlink(to) && !link(from, to)))
		return 0;
	in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return diag_set(d, -errno, from, 0, NULL, "cannot be read: %s", strerror(errno));
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	rc = out < 0 ? -errno : copy_bytes(in, out);
	close(in);
	if (out >= 0 && close(out) && !rc)
		rc = -errno;
	if (!rc)
		return 0;
	unlink(to);
	return diag_set(d, rc, to, 0, NULL, "cannot be written: %s", strerror(-rc));
}

int run_folder_seen(const char *path, struct diag *d)
{
	static const char *const seen[] = {"/dev/shm", "/dev"}; /* the first that fits decides */

	for (size_t i = 0; i < 2; i++) {
		if (!path_below(path, seen[i]))
			continue;
		return i == 0 ? 0
			      : diag_set(d, -ENOTSUP, path, 0, "another folder, or one in /dev/shm",
					 "a run cannot lie there: its programs see a /dev of their "
					 "own");
	}
	return 0;
}

int run_folder_new(const char *results, const char *suite, char ret[PATH_LEN], struct diag *d)
{
	char stamp[32], runs[PATH_LEN];
	time_t now = time(NULL);
	struct tm tm;
	int rc = path_format(runs, d, "%s/runs", results);

	if (!rc)
		rc = dir_make(runs, d);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	for (unsigned i = 1; !rc && i < 1000; i++) {
		if (i == 1)
			rc = path_format(ret, d, "%s/%s-%s", runs, stamp, suite);
		else
			rc = path_format(ret, d, "%s/%s-%s-%u", runs, stamp, suite, i);
		if (rc || !mkdir(ret, 0777))
			return rc;
		if (errno != EEXIST)
			return diag_set(d, -errno, ret, 0, "choose another folder with --results",
					"cannot be made: %s", strerror(errno));
	}
	return rc ? rc : diag_set(d, -EEXIST, runs, 0, NULL, "no free name for a new run");
}

int run_folder_latest(const char *run, struct diag *d)
{
	char link_path[PATH_LEN], temp[PATH_LEN], target[PATH_LEN];
	const char *slash = strrchr(run, '/');
	int rc, len = slash ? (int)(slash - run) : 0;

	/* Only runs that lie in a folder "runs" belong to a collection that has a latest one. */
	if (len < 5 || strncmp(slash - 5, "/runs", 5))
		return 0;
	rc = path_format(link_path, d, "%.*s/latest", len - 5, run);
	if (!rc)
		rc = path_format(temp, d, "%s.%d", link_path, getpid());
	if (!rc)
		rc = path_format(target, d, "runs%s", slash);
	if (rc)
		return rc;
	unlink(temp);
	if (symlink(target, temp) || rename(temp, link_path))
		return diag_set(d, -errno, link_path, 0, NULL, "cannot be replaced: %s",
				strerror(errno));
	return 0;
}

/* A shard locks its own byte of the file, a whole run all of them. */
int run_folder_lock(const char *run, unsigned shard, unsigned shards, struct diag *d)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
	struct flock part = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = shard, .l_len = 1};
	char path[PATH_LEN];
	int fd, rc = path_format(path, d, "%s/lock", run);

	if (!rc)
		rc = run_folder_seen(run, d);
	if (rc)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return file_error(d, -errno, path, "write");
	if (!fcntl(fd, F_OFD_SETLK, shards == 1 ? &whole : &part))
		return fd;
	rc = errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
	close(fd);
	if (rc != -EBUSY)
		return file_error(d, rc, path, "lock");
	return diag_set(d, rc, path, 0, "wait for it, or make another shard",
			"another assay makes cells of this run");
}

int run_folder_edit(const char *run, struct diag *d)
{
	int rc, fd = open(run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return file_error(d, -errno, run, "open");
	while (flock(fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		rc = -errno;
		close(fd);
		return file_error(d, rc, run, "lock");
	}
	return fd;
}

/* Who prunes may remove the folder above between its making and the making of the one below. */
static int dir_make_among_others(const char *path)
{
	int rc = -ENOENT;

	for (unsigned i = 0; rc == -ENOENT && i < 100; i++)
		rc = dir_make(path, NULL);
	return rc;
}

int work_folder_new(const char *run, char ret[PATH_LEN], struct diag *d)
{
	char stem[OWNED_STEM];
	uint64_t name;
	int rc;

	/* a number that counts would say which cell of the plan it is, mutant or twin */
	while (getrandom(&name, sizeof(name), 0) != (ssize_t)sizeof(name))
		;
	owned_stem("", stem);
	rc = path_format(ret, d, "%s/work/%s-%016" PRIx64, run, stem, name);
	if (!rc)
		rc = folder_remove(ret, d);
	if (!rc && dir_make_among_others(ret))
		rc = dir_make(ret, d);
	return rc;
}

int temp_path(const char *name, char ret[PATH_LEN], struct diag *d)
{
	const char *set = getenv("TMPDIR"), *tmp = set && set[0] ? set : "/tmp";

	if (access(tmp, W_OK | X_OK))
		return diag_set(d, -errno, tmp, 0, "set TMPDIR to a folder in which you may write",
				"cannot write in: %s", strerror(errno));
	return path_format(ret, d, "%s/%s", tmp, name);
}

void work_folder_prune(const char *run)
{
	char path[PATH_LEN];

	if (path_format(path, NULL, "%s/work", run))
		return;
	owned_prune(path, "");
	rmdir(path); /* fails while somebody works there */
}

int output_check(const char *path, struct diag *d)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	return diag_set(d, -EINVAL, path, 0, "name a file", "this is no plain file");
}

int space_check(const char *path, uint64_t bytes, struct diag *d)
{
	struct statvfs fs;
	uint64_t left;

	if (statvfs(path, &fs))
		return 0;
	left = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (left >= bytes)
		return 0;
	return diag_set(d, -ENOSPC, path, 0,
			"free some space, or choose another disk with --results",
			"the disk is full: %llu KiB are left, %llu KiB are needed",
			(unsigned long long)(left / 1024), (unsigned long long)(bytes / 1024));
}
