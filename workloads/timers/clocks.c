/* SPDX-License-Identifier: BSD-2-Clause */
/* Timerfds and POSIX timers: armed, armed anew, disarmed, and what became of that. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "workloads/timers/timers.h"

/* glibc calls the field of the union by another name. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void signal_set(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGRTMIN);
}

void clocks_block(void)
{
	sigset_t set;

	signal_set(&set);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		run_fail(-errno, "cannot block a signal");
}

/* An operation has one of each means at most, and beside it one that is parked. */
static unsigned stack_size(const struct service *s)
{
	return 2 * s->most;
}

static void stack_open(struct service *s, enum timers_means means)
{
	struct stack *st = &s->stacks[means];

	st->all = calloc(stack_size(s), sizeof(*st->all));
	if (!st->all)
		run_fail(-ENOMEM, "timers");
	for (unsigned i = stack_size(s); i-- > 0;) {
		struct timer *t = &st->all[i];

		t->means = means;
		t->fd = -1;
		t->next = st->free;
		st->free = t;
	}
}

void clocks_open(struct service *s)
{
	sigset_t set;

	signal_set(&set);
	for (unsigned m = 0; m < MEANS_RING; m++)
		stack_open(s, m);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		run_fail(-errno, "cannot make a signalfd");
	poller_add(&s->poller, s->signals, &s->signals);
	for (unsigned i = 0; i < s->most; i++) {
		struct timer *t = &s->stacks[MEANS_DESCRIPTOR].all[i];

		t->fd = poller_timerfd();
		poller_add(&s->poller, t->fd, t);
	}
	for (unsigned i = 0; i < TIMERS_SPARES; i++)
		s->spare_fds[i] = poller_timerfd();
}

void clocks_start(struct service *s)
{
	for (unsigned i = 0; i < stack_size(s); i++) {
		struct timer *t = &s->stacks[MEANS_SIGNAL].all[i];
		struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID,
				     .sigev_signo = SIGRTMIN,
				     .sigev_value.sival_ptr = t};

		e.sigev_notify_thread_id = gettid();
		if (timer_create(CLOCK_MONOTONIC, &e, &t->id))
			run_fail(-errno, "cannot make a timer");
	}
}

void clocks_close(struct service *s)
{
	for (unsigned i = 0; i < stack_size(s); i++)
		timer_delete(s->stacks[MEANS_SIGNAL].all[i].id);
	for (unsigned i = 0; i < s->most; i++)
		close(s->stacks[MEANS_DESCRIPTOR].all[i].fd);
	for (unsigned i = 0; i < TIMERS_SPARES; i++)
		close(s->spare_fds[i]);
	close(s->signals);
	for (unsigned m = 0; m < MEANS_RING; m++)
		free(s->stacks[m].all);
}

OPERATOR struct timer *clocks_get(struct service *s, enum timers_means means)
{
	struct stack *st = &s->stacks[means];
	struct timer *t = st->free;

	if (!t)
		run_fail(0, "no timer is free");
	st->free = t->next;
	return t;
}

OPERATOR void clock_put(struct service *s, struct timer *t)
{
	t->next = s->stacks[t->means].free;
	s->stacks[t->means].free = t;
}

/* ---- setting ---- */

OPERATOR static int set_descriptor(int fd, const struct itimerspec *to, struct itimerspec *was)
{
	return timerfd_settime(fd, 0, to, was);
}

OPERATOR static int set_timer(timer_t id, const struct itimerspec *to, struct itimerspec *was)
{
	return timer_settime(id, 0, to, was);
}

/* Returns true if it was still to expire. */
static bool set(const struct timer *t, uint64_t ns)
{
	struct itimerspec was, to = {.it_value = {.tv_sec = (time_t)(ns / 1000000000),
						  .tv_nsec = (long)(ns % 1000000000)}};
	int err = t->means == MEANS_DESCRIPTOR ? set_descriptor(t->fd, &to, &was)
					       : set_timer(t->id, &to, &was);

	if (err)
		run_fail(-errno, "cannot set a timer");
	return was.it_value.tv_sec || was.it_value.tv_nsec;
}

/* An arming that will not be heard of. */
static void lost(struct service *s, struct timer *t)
{
	t->armed = false;
	sent_lost(s->w, &t->sent, 1u << MARK_CANCELLED);
}

void clock_disarm(struct service *s, struct timer *t)
{
	bool in_time = set(t, 0);

	act_outcome(s->w, in_time ? OUTCOME_IN_TIME : OUTCOME_TOO_LATE);
	if (in_time || t->means == MEANS_DESCRIPTOR) {
		lost(s, t);
		return;
	}
	t->parked = true;
	t->next = s->parked;
	s->parked = t;
}

void clocks_settle(struct service *s)
{
	while (s->parked) {
		struct timer *t = s->parked;

		s->parked = t->next;
		if (t->armed)
			lost(s, t);
		t->parked = false;
		clock_put(s, t);
	}
}

static struct rec_key key_of(const struct timer *t)
{
	if (t->means == MEANS_DESCRIPTOR)
		return (struct rec_key){.v = (uint64_t)t->fd, .ns = KEY_TIMERFD};
	return (struct rec_key){.ns = KEY_NONE};
}

/* A timerfd is set anew by the call that arms it: the arming before is off at that. */
void clock_arm(struct service *s, struct timer *t, uint64_t ns)
{
	bool known = t->used && t->means == MEANS_DESCRIPTOR, was_armed = t->armed, in_time;
	struct sent old = t->sent;

	t->used = true;
	sent_begin(s->w, &t->sent, HANDOFF_TIMER, t->slot->op.id, key_of(t), s->sends++,
		   known ? 1u << MARK_REUSED_KEY : 0, act_now(s->w));
	in_time = set(t, ns);
	sent_end(s->w, &t->sent, act_now(s->w));
	t->armed = true;
	if (!was_armed)
		return;
	act_outcome(s->w, in_time ? OUTCOME_IN_TIME : OUTCOME_TOO_LATE);
	sent_lost(s->w, &old, 1u << MARK_CANCELLED);
}

/* ---- expiring ---- */

OPERATOR static ssize_t read_descriptor(int fd, uint64_t *ret)
{
	return read(fd, ret, sizeof(*ret));
}

bool clock_expired(struct service *s, struct timer *t)
{
	uint64_t times;
	ssize_t n = read_descriptor(t->fd, &times);

	if (n < 0 && errno != EAGAIN)
		run_fail(-errno, "cannot read a timerfd");
	if (n < 0) /* set anew since the poller saw it */
		return false;
	if (!t->armed)
		run_fail(0, "a timerfd expired that nobody armed");
	t->armed = false;
	return true;
}

OPERATOR static int take_signal(const sigset_t *set, siginfo_t *ret)
{
	static const struct timespec none;

	return sigtimedwait(set, ret, &none);
}

struct timer *clocks_take(struct service *s)
{
	siginfo_t info;
	struct timer *t;
	sigset_t set;
	int sig;

	signal_set(&set);
	do
		sig = take_signal(&set, &info);
	while (sig < 0 && errno == EINTR);
	if (sig < 0 && errno != EAGAIN)
		run_fail(-errno, "cannot take a signal");
	if (sig < 0)
		return NULL;
	t = info.si_value.sival_ptr;
	if (!t->armed)
		run_fail(0, "a timer expired that nobody armed");
	t->armed = false;
	return t;
}
