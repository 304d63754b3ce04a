/* SPDX-License-Identifier: BSD-2-Clause */
/* The collector beside a profiler under test: started, waited for, ended. */
#include "harness/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t deadline(const struct beside *b)
{
	return now_ns() + b->limits->patience_ns;
}

static int wait_ready(struct beside *b, int fd, struct diag *d)
{
	char byte;

	switch (process_wait_readable(&b->collector, fd, deadline(b))) {
	case PROCESS_READABLE:
		if (read(fd, &byte, 1) == 1)
			return 0;
		break;
	case PROCESS_INTERRUPTED:
		return diag_set(d, -EINTR, NULL, 0, NULL, "interrupted");
	default:
		break;
	}
	return diag_set(d, -EIO, NULL, 0, "assay doctor",
			"the collector beside the profiler was not ready");
}

int beside_start(struct beside *b, char *const argv[], struct diag *d)
{
	struct process_spec spec = {.argv = argv,
				    .cwd = b->folder,
				    .out_fd = b->log_fd,
				    .err_fd = b->log_fd,
				    .file_bytes = b->limits->file_bytes,
				    .own_mounts = true};
	int fd[2], rc;

	if (pipe2(fd, O_CLOEXEC))
		return diag_set(d, -errno, NULL, 0, NULL, "no pipe: %s", strerror(errno));
	spec.extra_fd = fd[1];
	rc = process_start(&spec, &b->collector, d);
	close(fd[1]);
	b->runs = !rc;
	if (!rc)
		rc = wait_ready(b, fd[0], d);
	close(fd[0]);
	return rc;
}

int beside_end(struct beside *b, const char *path, struct diag *d)
{
	enum process_event e;

	b->runs = false;
	process_signal(&b->collector, SIGINT);
	e = process_wait_exit(&b->collector, deadline(b));
	if (e == PROCESS_EXITED && WIFEXITED(b->collector.status) &&
	    !WEXITSTATUS(b->collector.status))
		return 0;
	process_kill(&b->collector);
	unlink(path);
	if (e == PROCESS_INTERRUPTED)
		return diag_set(d, -EINTR, NULL, 0, NULL, "interrupted");
	dprintf(b->log_fd, "the collector beside it did not end well\n");
	return 0;
}
