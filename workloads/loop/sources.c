/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes, eventfds and timerfds of a loop. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "workloads/loop/loop.h"

static void new_pipe(int fd[2])
{
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		run_fail(-errno, "cannot make a pipe");
}

static void open_pipe(struct loop *l, struct pipe_line *p)
{
	int fd[2];

	new_pipe(fd);
	p->waitable.kind = WAIT_PIPE;
	p->write_fd = fd[1];
	stream_open(&p->in, fd[0], stream_fd_key(fd[0]));
	poller_add(&l->poller, fd[0], p);
}

static void open_bell(struct loop *l, struct bell *b)
{
	b->waitable.kind = WAIT_BELL;
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->fd < 0)
		run_fail(-errno, "cannot make an eventfd");
	b->key = stream_fd_key(b->fd);
	poller_add(&l->poller, b->fd, b);
}

static void open_timer(struct loop *l, struct timer *t)
{
	t->waitable.kind = WAIT_TIMER;
	t->fd = poller_timerfd();
	poller_add(&l->poller, t->fd, t);
	timer_put(l, t);
}

void sources_open(struct loop *l)
{
	for (unsigned i = 0; i < LOOP_PIPES; i++)
		open_pipe(l, &l->pipes[i]);
	for (unsigned i = 0; i < LOOP_BELLS; i++)
		open_bell(l, &l->bells[i]);
	l->timers = calloc(l->most, sizeof(*l->timers));
	if (!l->timers)
		run_fail(-ENOMEM, "timers");
	for (unsigned i = l->most; i-- > 0;)
		open_timer(l, &l->timers[i]);
	for (unsigned i = 0; i < LOOP_SPARES; i++) {
		new_pipe(l->spare_pipes[i]);
		l->spare_timers[i] = poller_timerfd();
	}
}

void sources_close(struct loop *l)
{
	for (unsigned i = 0; i < LOOP_PIPES; i++) {
		close(l->pipes[i].write_fd);
		close(l->pipes[i].in.fd);
	}
	for (unsigned i = 0; i < LOOP_BELLS; i++)
		close(l->bells[i].fd);
	for (unsigned i = 0; i < l->most; i++)
		close(l->timers[i].fd);
	for (unsigned i = 0; i < LOOP_SPARES; i++) {
		close(l->spare_pipes[i][0]);
		close(l->spare_pipes[i][1]);
		close(l->spare_timers[i]);
	}
	free(l->timers);
}

void sources_spare(struct loop *l, struct recorder_channel *c)
{
	for (unsigned i = 0; i < LOOP_SPARES; i++) {
		struct rec_key key = stream_fd_key(l->spare_pipes[i][0]);

		recorder_spare(c, HANDOFF_MSG, key.ns, true, key.scope, key.v);
		recorder_spare(c, HANDOFF_TIMER, KEY_TIMERFD, false, 0,
			       (uint64_t)l->spare_timers[i]);
	}
}

/* ---- pipes ---- */

void pipe_send(struct loop *l, unsigned pipe, struct slot *sl, unsigned part)
{
	struct pipe_line *p = &l->pipes[pipe % LOOP_PIPES];

	stream_send(l->w, p->write_fd, &p->in, frame_draw(&l->w->rng, sl->index, part, 0),
		    &sl->post[part], HANDOFF_MSG, sl->op.id, l->sends++, 0);
}

/* ---- eventfds ---- */

OPERATOR static ssize_t count_write(int fd)
{
	uint64_t one = 1;

	return write(fd, &one, sizeof(one));
}

OPERATOR static ssize_t count_read(int fd, uint64_t *ret)
{
	return read(fd, ret, sizeof(*ret));
}

void bell_post(struct loop *l, enum bell_use use, struct slot *sl, unsigned part)
{
	struct bell *b = &l->bells[use];
	struct posted *p = &sl->posted[part];

	p->slot = sl;
	p->next = NULL;
	if (b->first)
		b->last->next = p;
	else
		b->first = p;
	b->last = p;
	sent_begin(l->w, &p->sent, HANDOFF_MSG, sl->op.id, b->key, l->sends++,
		   b->used ? 1u << MARK_REUSED_KEY : 0, act_now(l->w));
	b->used = true;
	if (count_write(b->fd) != sizeof(uint64_t))
		run_fail(-errno, "cannot write to an eventfd");
	sent_end(l->w, &p->sent, act_now(l->w));
}

unsigned bell_read(struct loop *l, struct bell *b)
{
	uint64_t n = 0;

	if (count_read(b->fd, &n) < 0 && errno != EAGAIN)
		run_fail(-errno, "cannot read from an eventfd");
	return (unsigned)n;
}

struct posted *bell_next(struct bell *b)
{
	struct posted *p = b->first;

	if (!p)
		run_fail(0, "an eventfd counted what nobody posted");
	b->first = p->next;
	return p;
}

/* ---- timerfds ---- */

OPERATOR static int timer_set(int fd, const struct itimerspec *to)
{
	return timerfd_settime(fd, 0, to, NULL);
}

void timer_arm(struct loop *l, struct slot *sl, uint64_t ns)
{
	struct itimerspec to = {.it_value = {.tv_sec = (time_t)(ns / 1000000000),
					     .tv_nsec = (long)(ns % 1000000000)}};
	struct timer *t = l->timers_free;
	struct rec_key key;

	if (!t)
		run_fail(0, "no timer is free");
	l->timers_free = t->next;
	t->slot = sl;
	key = (struct rec_key){.v = (uint64_t)t->fd, .ns = KEY_TIMERFD};
	sent_begin(l->w, &t->sent, HANDOFF_TIMER, sl->op.id, key, l->sends++,
		   t->used ? 1u << MARK_REUSED_KEY : 0, act_now(l->w));
	t->used = true;
	if (timer_set(t->fd, &to))
		run_fail(-errno, "cannot set a timerfd");
	sent_end(l->w, &t->sent, act_now(l->w));
}

bool timer_read(struct timer *t)
{
	uint64_t times;

	if (count_read(t->fd, &times) > 0)
		return true;
	if (errno != EAGAIN)
		run_fail(-errno, "cannot read a timerfd");
	return false;
}

void timer_put(struct loop *l, struct timer *t)
{
	t->next = l->timers_free;
	l->timers_free = t;
}
