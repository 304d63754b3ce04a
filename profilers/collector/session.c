/* SPDX-License-Identifier: BSD-2-Clause */
/* One attachment from start to SIGINT. */
#include "profilers/collector/session.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "profilers/adapter/attach.h"

/* Polls on a clock: cheaper than being woken for records, which only happens when behind. */
static int pump(struct collect *c, int stop_fd, collect_fn *fn, void *arg)
{
	struct pollfd fds[2] = {{.fd = stop_fd, .events = POLLIN},
				{.fd = collect_fd(c), .events = POLLIN}};
	int err;

	for (;;) {
		err = poll(fds, 2, COLLECT_POLL_MS);
		if (err < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			return 0;
		err = collect_drain(c, fn, arg);
		if (err < 0)
			return err;
	}
}

int session_run(struct collect *c, int stop_fd, int ready_fd, collect_fn *fn, void *arg,
		struct collect_stats *ret, struct diag *d)
{
	int err = attach_ready(ready_fd, d);

	if (err)
		return err;
	err = pump(c, stop_fd, fn, arg);
	if (!err)
		err = collect_finish(c, fn, arg, ret);
	if (err)
		diag_set(d, err, "collector", 0, NULL, "recording broke off: %s", strerror(-err));
	return err;
}
