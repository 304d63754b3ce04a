/* SPDX-License-Identifier: BSD-2-Clause */
/* Ptys: two ends, each with a work item of the kernel's that hands over what was written. */
#include "workloads/driver/line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static void make_raw(int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t))
		run_fail(-errno, "cannot look at a terminal");
	cfmakeraw(&t);
	if (tcsetattr(fd, TCSANOW, &t))
		run_fail(-errno, "cannot make a terminal raw");
}

/* Blocking: two that write to one end take turns, and whoever may not wait for that is refused. A
 * read is made only where the poller found something. */
static int open_master(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		run_lacks(-errno, "cannot make a pty; is devpts mounted?");
	if (grantpt(fd) || unlockpt(fd))
		run_lacks(-errno, "cannot unlock a pty");
	return fd;
}

/* By the master, so that no path below /dev/pts has to be there. */
static int open_slave(int master)
{
	int fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		run_lacks(-errno, "cannot open the other end of a pty");
	return fd;
}

void line_open(struct line *l, unsigned index)
{
	l->fd[MASTER] = open_master();
	l->fd[SLAVE] = open_slave(l->fd[MASTER]);
	make_raw(l->fd[SLAVE]);
	for (unsigned side = MASTER; side < SIDES; side++) {
		/* whoever calibrates knows the n-th end's work item by its address */
		struct rec_key key = {.v = 1 + SIDES * index + side, .ns = KEY_WORK};

		stream_open(&l->in[side], l->fd[side], key);
	}
}

void line_close(struct line *l)
{
	close(l->fd[SLAVE]);
	close(l->fd[MASTER]);
}

static void show(int to, int from)
{
	struct pollfd p = {.fd = from, .events = POLLIN};
	char text[16], back[16];
	size_t got = 0;

	memset(text, '.', sizeof(text));
	if (write(to, text, sizeof(text)) != sizeof(text))
		run_fail(-errno, "cannot write into a pty");
	while (got < sizeof(text)) {
		ssize_t n;

		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			run_fail(-errno, "cannot wait for a pty");
		n = read(from, back, sizeof(back) - got);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			run_fail(-errno, "cannot read from a pty");
		got += n > 0 ? (size_t)n : 0;
	}
}

void line_show(struct line *l)
{
	for (unsigned side = MASTER; side < SIDES; side++)
		for (unsigned i = 0; i < LINE_SHOWN; i++)
			show(l->fd[other_side(side)], l->fd[side]);
}

void line_send(struct worker *w, struct line *l, enum line_side side, struct frame f,
	       struct post *p, uint64_t op, uint64_t seq)
{
	stream_send(w, l->fd[other_side(side)], &l->in[side], f, p, HANDOFF_WORK, op, seq, 0);
}
