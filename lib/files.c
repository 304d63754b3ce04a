/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are whole or not there. */
#include "lib/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *cure_of(int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		return "free some space on that disk, or write elsewhere";
	case EACCES:
	case EPERM:
	case EROFS:
		return "choose a path that you may use, or run as its owner";
	case ENOENT:
		return "check the spelling of the path";
	case EISDIR:
		return "name a file, not a folder";
	case ENOTDIR:
		return "a part of the path is a file where a folder is needed";
	case ENOMEM:
		return "free some memory";
	case EMFILE:
	case ENFILE:
		return "raise the limit on open files (ulimit -n)";
	default:
		return NULL;
	}
}

int file_error(struct diag *d, int err, const char *path, const char *verb)
{
	return diag_set(d, err, path, 0, cure_of(err), "cannot %s: %s", verb, strerror(-err));
}

int path_join(char *buf, size_t cap, const char *a, const char *b)
{
	size_t len = strlen(a);
	const char *slash = len && a[len - 1] != '/' && *b ? "/" : "";

	if (*b == '/') {
		a = "";
		len = 0;
		slash = "";
	}
	if (len + strlen(slash) + strlen(b) >= cap)
		return -ENAMETOOLONG;
	snprintf(buf, cap, "%s%s%s", a, slash, b);
	return 0;
}

static int dir_make_one(const char *path)
{
	struct stat st;

	if (!mkdir(path, 0777))
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int dir_make(const char *path, struct diag *d)
{
	char buf[PATH_MAX];
	int err;

	if (strlen(path) >= sizeof(buf))
		return file_error(d, -ENAMETOOLONG, path, "make the folder");
	strcpy(buf, path);
	for (char *p = buf + 1; *p; p++) {
		if (*p != '/' || p[-1] == '/')
			continue;
		*p = 0;
		err = dir_make_one(buf);
		if (err)
			return file_error(d, err, buf, "make the folder");
		*p = '/';
	}
	err = dir_make_one(buf);
	return err ? file_error(d, err, path, "make the folder") : 0;
}

/* Reads to the end; the buffer always has room for one more byte than was read. */
static int read_all(int fd, size_t max, char **buf, size_t *len)
{
	size_t cap = 0;

	*buf = NULL;
	*len = 0;
	for (;;) {
		ssize_t n;

		if (*len + 1 >= cap) {
			char *more = realloc(*buf, cap ? cap * 2 : 4096);

			if (!more)
				return -ENOMEM;
			*buf = more;
			cap = cap ? cap * 2 : 4096;
		}
		n = read(fd, *buf + *len, cap - *len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		*len += (size_t)n;
		if (*len > max)
			return -EFBIG;
	}
}

int file_read(const char *path, size_t max, char **ret, size_t *ret_len, struct diag *d)
{
	char *buf;
	size_t len;
	int fd, err;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return file_error(d, -errno, path, "open");
	err = read_all(fd, max, &buf, &len);
	close(fd);
	if (!err && !ret_len && memchr(buf, 0, len))
		err = diag_set(d, -EINVAL, path, 0, "check that it is the right file",
			       "a text file with NUL bytes in it");
	else if (err)
		file_error(d, err, path, "read");
	if (err) {
		free(buf);
		return err;
	}
	buf[len] = 0;
	*ret = buf;
	if (ret_len)
		*ret_len = len;
	return 0;
}

bool file_is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

int file_out_open(struct file_out *o, const char *path, struct diag *d)
{
	int n = snprintf(o->part, sizeof(o->part), "%s.part", path);
	int err;

	o->f = NULL;
	if (n < 0 || (size_t)n >= sizeof(o->part))
		return file_error(d, -ENAMETOOLONG, path, "write");
	if (file_is_special(path))
		return diag_set(d, -EINVAL, path, 0, "name a file",
				"a folder, device or pipe, which cannot become a result");
	strcpy(o->path, path);
	o->f = fopen(o->part, "we");
	if (!o->f) {
		err = -errno;
		return file_error(d, err, path, "write");
	}
	return 0;
}

/* stdio remembers that a write failed, but not why: so the disk is asked again, with bytes of a
 * file that is to be removed. */
static int why_write_failed(FILE *f)
{
	static const char bytes[4096];

	return write(fileno(f), bytes, sizeof(bytes)) < 0 ? -errno : -EIO;
}

static int flush_and_close(FILE *f)
{
	int err = 0;

	if (fflush(f))
		err = -errno;
	else if (ferror(f))
		err = why_write_failed(f);
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

int file_out_commit(struct file_out *o, struct diag *d)
{
	int err = flush_and_close(o->f);

	o->f = NULL;
	if (!err && rename(o->part, o->path))
		err = -errno;
	if (!err)
		return 0;
	unlink(o->part);
	return file_error(d, err, o->path, "write");
}

void file_out_abort(struct file_out *o)
{
	if (!o->f)
		return;
	fclose(o->f);
	o->f = NULL;
	unlink(o->part);
}

int file_write(const char *path, const void *bytes, size_t len, struct diag *d)
{
	struct file_out o;
	int err;

	err = file_out_open(&o, path, d);
	if (err)
		return err;
	if (fwrite(bytes, 1, len, o.f) != len) {
		err = errno ? -errno : -EIO;
		file_out_abort(&o);
		return file_error(d, err, path, "write");
	}
	return file_out_commit(&o, d);
}
