/* SPDX-License-Identifier: BSD-2-Clause */
/* Station timer: each token has a timerfd of its own, one thread reads what has expired. */
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "workloads/pipeline/pipeline.h"

enum { LEAST_NS = 5000, RANGE_NS = 60000 };
#define NEVER_NS UINT64_C(600000000000)

OPERATOR static void timer_set(int fd, uint64_t ns)
{
	struct itimerspec its = {.it_value = {.tv_sec = (time_t)(ns / 1000000000),
					      .tv_nsec = (long)(ns % 1000000000)}};

	if (timerfd_settime(fd, 0, &its, NULL) < 0)
		run_fail(-errno, "cannot set a timer");
}

OPERATOR static void timer_take(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) != sizeof(n))
		run_fail(-errno, "cannot read a timer");
}

static struct sent timer_sent(struct place *x, struct token *t, uint64_t op)
{
	struct rec_key key = {.v = (uint64_t)t->timer, .ns = KEY_TIMERFD};
	struct sent sent;

	sent_begin(x->w, &sent, HANDOFF_TIMER, op, key, x->seq++,
		   t->timer_used ? 1u << MARK_REUSED_KEY : 0, act_now(x->w));
	t->timer_used = true;
	return sent;
}

/* Set for a time that does not come: it is set anew before. */
static void arm_in_vain(struct place *x, struct token *t, uint64_t op)
{
	struct sent sent = timer_sent(x, t, op);

	timer_set(t->timer, NEVER_NS);
	sent_end(x->w, &sent, act_now(x->w));
	sent_lost(x->w, &sent, 1u << MARK_CANCELLED);
}

static void arm(struct place *x, struct token *t, uint64_t op, uint64_t ns)
{
	struct sent sent = timer_sent(x, t, op);
	int fd = t->timer;

	t->sent = sent;
	atomic_store_explicit(&t->posted, true, memory_order_release);
	timer_set(fd, ns);
	sent_end(x->w, &sent, act_now(x->w));
}

void clock_send(struct place *x, struct token *t)
{
	if (token_draw(t))
		arm_in_vain(x, t, t->request->op.id);
	arm(x, t, t->request->op.id, LEAST_NS + rng_below(&x->w->rng, RANGE_NS));
}

void clock_stop(struct place *x, uint64_t op)
{
	arm(x, &x->pl->clock_stop, op, 1);
}

/* False: it was the last. */
static bool expired(struct place *x, struct token *t)
{
	uint64_t after;

	timer_take(t->timer);
	after = act_now(x->w);
	if (!atomic_exchange_explicit(&t->posted, false, memory_order_acquire))
		run_fail(0, "a timer that nobody armed");
	if (t == &x->pl->clock_stop) {
		take_only(x->w, &t->sent, x->takes++, 0, x->poller.before, after, after);
		return false;
	}
	take(x->w, &t->sent, x->takes++, 1u << MARK_CROSS, x->poller.before, after, after);
	hop_received(x, t);
	return true;
}

void clock_body(struct place *x)
{
	bool on = true;

	while (on) {
		poller_wait(&x->poller, x->w, UINT64_MAX);
		for (unsigned i = 0; i < x->poller.cnt; i++)
			on &= expired(x, poller_found(&x->poller, i));
		hop_flush(x);
	}
}
