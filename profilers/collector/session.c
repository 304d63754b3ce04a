/* SPDX-License-Identifier: BSD-2-Clause */
/* One attachment from start to SIGINT. */
#include "profilers/collector/session.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "profilers/adapter/attach.h"

enum { LINE_MAX_LEN = 4200 };

struct lines {
	const struct session_control *control;
	int fd; /* -1 once it is at its end */
	char text[LINE_MAX_LEN];
	size_t len;
};

/* Hands on the whole lines that are there. One that is too long is dropped. */
static int take_lines(struct lines *l)
{
	ssize_t n = read(l->fd, l->text + l->len, sizeof(l->text) - l->len);
	char *end;
	int err = 0;

	if (n <= 0) {
		l->fd = -1;
		return 0;
	}
	l->len += (size_t)n;
	while (!err && (end = memchr(l->text, '\n', l->len))) {
		size_t used = (size_t)(end - l->text) + 1;

		*end = '\0';
		err = l->control->line(l->control->arg, l->text);
		memmove(l->text, l->text + used, l->len - used);
		l->len -= used;
	}
	if (l->len == sizeof(l->text))
		l->len = 0;
	return err;
}

/* Polls on a clock: cheaper than being woken for records, which only happens when behind. */
static int pump(struct collect *c, int stop_fd, struct lines *lines, collect_fn *fn, void *arg)
{
	struct pollfd fds[3] = {{.fd = stop_fd, .events = POLLIN},
				{.fd = collect_fd(c), .events = POLLIN},
				{.fd = lines->fd, .events = POLLIN}};
	int err;

	for (;;) {
		err = poll(fds, 3, COLLECT_POLL_MS);
		if (err < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			return 0;
		err = err > 0 && fds[2].revents ? take_lines(lines) : 0;
		fds[2].fd = lines->fd;
		if (err < 0)
			return err;
		err = collect_drain(c, fn, arg);
		if (err < 0)
			return err;
	}
}

int session_run(struct collect *c, int stop_fd, int ready_fd, const struct session_control *control,
		collect_fn *fn, void *arg, struct collect_stats *ret, struct diag *d)
{
	struct lines lines = {.control = control, .fd = control ? control->fd : -1};
	int err = attach_ready(ready_fd, d);

	if (err)
		return err;
	err = pump(c, stop_fd, &lines, fn, arg);
	if (!err)
		err = collect_finish(c, fn, arg, ret);
	if (err)
		diag_set(d, err, "collector", 0, NULL, "recording broke off: %s", strerror(-err));
	return err;
}
