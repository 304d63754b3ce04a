/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that appear whole or not at all. */
#include "results/part_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void release(struct part_file *p)
{
	free(p->path);
	free(p->part);
	memset(p, 0, sizeof(*p));
}

static int failed(const char *path, int err, struct diag *d)
{
	const char *cure = err == ENOSPC || err == EDQUOT
				   ? "free some disk space and run the same command again"
				   : "check the folder's rights and that it exists";

	return diag_set(d, -err, path, 0, cure, "cannot be written: %s", strerror(err));
}

int part_file_open(struct part_file *p, const char *path, struct diag *d)
{
	struct part_file n = {.path = strdup(path)};

	if (!n.path || asprintf(&n.part, "%s.part", path) < 0) {
		free(n.path);
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	}
	n.f = fopen(n.part, "we");
	if (!n.f) {
		int err = failed(n.part, errno, d);

		release(&n);
		return err;
	}
	*p = n;
	return 0;
}

/* First error of the stream's life, as a positive errno; the stream is closed in any case. */
static int close_stream(FILE *f)
{
	int err = 0;

	errno = 0;
	if (ferror(f))
		err = EIO;
	if (fflush(f))
		err = errno;
	/* Some file systems (pipes in tests, old tmpfs) cannot sync; that is no loss of data. */
	if (!err && fsync(fileno(f)) && errno != EINVAL && errno != EROFS)
		err = errno;
	if (fclose(f) && !err)
		err = errno;
	return err;
}

int part_file_commit(struct part_file *p, struct diag *d)
{
	int err = close_stream(p->f);

	p->f = NULL;
	if (!err && rename(p->part, p->path))
		err = errno;
	if (err) {
		unlink(p->part);
		err = failed(p->path, err, d);
	}
	release(p);
	return err;
}

void part_file_abort(struct part_file *p)
{
	if (!p->f)
		return;
	fclose(p->f);
	unlink(p->part);
	release(p);
}
