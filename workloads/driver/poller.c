/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for descriptors. */
#include "workloads/driver/poller.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "workloads/driver/act.h"

void poller_open(struct poller *p)
{
	*p = (struct poller){.fd = epoll_create1(EPOLL_CLOEXEC)};
	if (p->fd < 0)
		run_fail(-errno, "cannot make an epoll descriptor");
}

void poller_close(struct poller *p)
{
	close(p->fd);
}

void poller_add(struct poller *p, int fd, void *what)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = what};

	if (epoll_ctl(p->fd, EPOLL_CTL_ADD, fd, &e))
		run_fail(-errno, "cannot watch descriptor %d", fd);
}

void poller_remove(struct poller *p, int fd)
{
	if (epoll_ctl(p->fd, EPOLL_CTL_DEL, fd, NULL))
		run_fail(-errno, "cannot cease to watch descriptor %d", fd);
}

void poller_wait(struct poller *p, struct worker *w, uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000)};
	int n;

	p->before = p->start;
	p->start = act_now(w);
	n = epoll_pwait2(p->fd, p->found, POLLER_MOST, ns == UINT64_MAX ? NULL : &ts, NULL);
	if (n < 0 && errno != EINTR)
		run_fail(-errno, "cannot wait for descriptors");
	if (n == POLLER_MOST)
		run_fail(0, "too many descriptors are ready at once");
	p->cnt = n < 0 ? 0 : (unsigned)n;
}

int poller_timerfd(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0)
		run_fail(-errno, "cannot make a timerfd");
	return fd;
}
