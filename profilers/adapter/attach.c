/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals and readiness of an attachment. */
#include "profilers/adapter/attach.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

int attach_signals(void)
{
	sigset_t set;
	int fd;

	/* a reader of the ready descriptor that has gone is an error to be told, not an end */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int attach_ready(int fd, struct diag *d)
{
	ssize_t n = write(fd, "r", 1);

	if (n != 1)
		return diag_set(d, -errno, NULL, 0, "give the writing end of an open pipe",
				"cannot write to the ready descriptor %d: %s", fd, strerror(errno));
	close(fd);
	return 0;
}
