/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleeping strands: each has a timerfd from a table that is recycled last in, first out. One thread
 * waits for all of them and reads what has expired.
 *
 * A timer's lock says who was first: the read that finds it armed and expired, or the cancellation
 * that disarms it.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "workloads/tasks/crew.h"

/* ---- the table ---- */

static void timer_open(struct crew *c, struct timer *t)
{
	t->fd = poller_timerfd();
	poller_add(&c->clock, t->fd, t);
}

void clock_open(struct crew *c, unsigned cnt)
{
	poller_open(&c->clock);
	c->timers = calloc(cnt, sizeof(*c->timers));
	if (!c->timers)
		run_fail(-ENOMEM, "timers");
	c->timers_cnt = cnt;
	for (unsigned i = 0; i < cnt; i++) {
		timer_open(c, &c->timers[i]);
		c->timers[i].next = c->timers_free;
		c->timers_free = &c->timers[i];
	}
	timer_open(c, &c->stop_timer);
}

void clock_close(struct crew *c)
{
	for (unsigned i = 0; i < c->timers_cnt; i++)
		close(c->timers[i].fd);
	close(c->stop_timer.fd);
	poller_close(&c->clock);
	free(c->timers);
}

static struct timer *timer_get(struct crew *c)
{
	struct timer *t;

	spin_lock(&c->timers_lock);
	t = c->timers_free;
	if (t)
		c->timers_free = t->next;
	spin_unlock(&c->timers_lock);
	if (!t)
		run_fail(0, "no timer for a strand");
	return t;
}

static void timer_put(struct crew *c, struct timer *t)
{
	spin_lock(&c->timers_lock);
	t->next = c->timers_free;
	c->timers_free = t;
	spin_unlock(&c->timers_lock);
}

/* ---- arming ---- */

/* 0 disarms. */
OPERATOR static void timer_set(int fd, uint64_t ns)
{
	struct itimerspec its = {.it_value = {.tv_sec = (time_t)(ns / 1000000000),
					      .tv_nsec = (long)(ns % 1000000000)}};

	if (timerfd_settime(fd, 0, &its, NULL) < 0)
		run_fail(-errno, "cannot set a timer");
}

static void arm(struct runner *x, struct timer *t, struct strand *s, uint64_t op, uint64_t ns)
{
	struct rec_key key = {.v = (uint64_t)t->fd, .ns = KEY_TIMERFD};

	spin_lock(&t->lock);
	t->strand = s;
	sent_begin(x->w, &t->sent, HANDOFF_TIMER, op, key, x->seq++,
		   t->used ? 1u << MARK_REUSED_KEY : 0, act_now(x->w));
	t->armed = t->used = true;
	timer_set(t->fd, ns);
	sent_end(x->w, &t->sent, act_now(x->w));
	spin_unlock(&t->lock);
}

void clock_arm(struct runner *x, struct strand *s)
{
	struct timer *t = timer_get(x->crew);

	s->timer = t;
	arm(x, t, s, op_of(s->task), s->ns);
}

/* The task is locked. False: it has expired. */
bool clock_cancel(struct runner *x, struct strand *s)
{
	struct timer *t = s->timer;
	bool was;

	spin_lock(&t->lock);
	was = t->armed;
	t->armed = false;
	if (was) {
		timer_set(t->fd, 0);
		sent_lost(x->w, &t->sent, 1u << MARK_CANCELLED);
	}
	spin_unlock(&t->lock);
	if (!was)
		return false;
	s->timer = NULL;
	timer_put(x->crew, t);
	return true;
}

void clock_stop(struct runner *x, uint64_t op)
{
	arm(x, &x->crew->stop_timer, NULL, op, 1);
}

/* ---- expiry ---- */

OPERATOR static bool timer_read(int fd)
{
	uint64_t n;
	ssize_t r = read(fd, &n, sizeof(n));

	if (r < 0 && errno != EAGAIN)
		run_fail(-errno, "cannot read a timer");
	return r == sizeof(n);
}

/* True: it was armed and has expired; *ret_sent goes with it. */
static bool expired(struct timer *t, struct sent *ret_sent)
{
	bool is;

	spin_lock(&t->lock);
	is = t->armed && timer_read(t->fd);
	if (is) {
		t->armed = false;
		*ret_sent = t->sent;
	}
	spin_unlock(&t->lock);
	return is;
}

static void wake_sleeper(struct runner *x, struct timer *t)
{
	struct strand *s = t->strand;

	spin_lock(&s->task->lock);
	s->wait = AWAIT_NOTHING;
	s->timer = NULL;
	spin_unlock(&s->task->lock);
	timer_put(x->crew, t);
	watch_ready(x, s);
}

/* False: it was the last. */
static bool handle(struct runner *x, struct timer *t)
{
	uint64_t before = x->crew->clock.before, after;
	struct sent sent;

	if (!expired(t, &sent))
		return true;
	after = act_now(x->w);
	if (t == &x->crew->stop_timer) {
		take_only(x->w, &sent, x->takes++, 0, before, after, after);
		return false;
	}
	take(x->w, &sent, x->takes++, 0, before, after, after);
	segment_close(x->w);
	wake_sleeper(x, t);
	return true;
}

void clock_body(struct runner *x)
{
	struct poller *p = &x->crew->clock;
	bool on = true;

	while (on) {
		poller_wait(p, x->w, UINT64_MAX);
		for (unsigned i = 0; i < p->cnt; i++)
			on &= handle(x, poller_found(p, i));
	}
}
