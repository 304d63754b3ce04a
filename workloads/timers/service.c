/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations: attempts, delays between them, a deadline over all; and the event loop. */
#include "workloads/timers/timers.h"

/* Nanoseconds. A guard is either far away or where the operation may or may not make it. */
enum {
	RETRY_MIN = 150000,
	RETRY_SPREAD = 1350000,
	SOONER = 4, /* a retry that is set anew takes this part of its delay */
	GUARD_FAR = 50000000,
	GUARD_SERIAL = 2000000000,
	GUARD_NEAR = 500000, /* for each attempt */
	GUARD_SPREAD = 600000,
};

/* In hundredths. */
enum { NEAR = 40, RETRY_AGAIN = 50, GUARD_AGAIN = 50 };

static bool serial(const struct service *s)
{
	return s->w->run->options->serial;
}

static bool chance(struct service *s, unsigned hundredths)
{
	return rng_below(&s->w->rng, 100) < hundredths;
}

/* ---- slots: last in, first out ---- */

static struct slot *slot_get(struct service *s)
{
	struct slot *sl = s->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	s->free = sl->next;
	sl->live = true;
	sl->timer[ROLE_RETRY] = sl->timer[ROLE_GUARD] = NULL;
	return sl;
}

/* Free once its operation has ended and all that it has sent has come back. */
void slot_put(struct service *s, struct slot *sl)
{
	if (sl->live || sl->flying)
		return;
	sl->next = s->free;
	s->free = sl;
}

/* ---- timers of an operation ---- */

/* The guard of one that waits for descriptors is a signal, and the other way round. */
static enum timers_means means_of(const struct slot *sl, enum timers_role role)
{
	switch (sl->op.kind) {
	case KIND_DESCRIPTOR:
		return role == ROLE_RETRY ? MEANS_DESCRIPTOR : MEANS_SIGNAL;
	case KIND_SIGNAL:
		return role == ROLE_RETRY ? MEANS_SIGNAL : MEANS_DESCRIPTOR;
	default:
		return MEANS_RING;
	}
}

static void arm(struct service *s, struct slot *sl, enum timers_role role, uint64_t ns)
{
	enum timers_means means = means_of(sl, role);
	struct timer *t;

	if (means == MEANS_RING) {
		ring_arm(s, sl, role, ns);
		return;
	}
	t = clocks_get(s, means);
	t->slot = sl;
	t->role = role;
	sl->timer[role] = t;
	clock_arm(s, t, ns);
}

/* To another moment than it was armed for. */
static void rearm(struct service *s, struct slot *sl, enum timers_role role, uint64_t ns)
{
	struct timer *t = sl->timer[role];

	act_outcome(s->w, OUTCOME_REARMED);
	if (!t) {
		ring_rearm(s, sl, role, ns);
		return;
	}
	if (t->means == MEANS_SIGNAL)
		clock_disarm(s, t);
	if (t->parked)
		arm(s, sl, role, ns);
	else
		clock_arm(s, t, ns);
}

static void disarm(struct service *s, struct slot *sl, enum timers_role role)
{
	struct timer *t = sl->timer[role];

	if (!t) {
		if (!sl->requests[role].off)
			ring_disarm(s, sl, role);
		return;
	}
	clock_disarm(s, t);
	sl->timer[role] = NULL;
	if (!t->parked)
		clock_put(s, t);
}

/* ---- operations ---- */

/* The operation's last segment is open; both its timers are off. */
static uint64_t end(struct service *s, struct slot *sl)
{
	op_end(s->w, &sl->op);
	histogram_add(&s->w->latency, arrivals_clock() - sl->op.arrival);
	arrivals_done(&s->w->arrivals);
	sl->live = false;
	slot_put(s, sl);
	return act_now(s->w);
}

static uint64_t draw_retry(struct service *s)
{
	return RETRY_MIN + rng_below(&s->w->rng, RETRY_SPREAD);
}

static uint64_t draw_guard(struct service *s, const struct slot *sl)
{
	uint64_t near = GUARD_NEAR + rng_below(&s->w->rng, GUARD_SPREAD);
	bool is_near = chance(s, NEAR);

	if (serial(s))
		return GUARD_SERIAL;
	return is_near ? near * (sl->attempts - sl->made) : GUARD_FAR;
}

/* One attempt fails, but for the last. */
static uint64_t attempt(struct service *s, struct slot *sl)
{
	uint64_t delay;
	bool again;

	act_burn(s->w, 1, sl->attempts);
	if (++sl->made == sl->attempts) {
		disarm(s, sl, ROLE_GUARD);
		return end(s, sl);
	}
	delay = draw_retry(s);
	again = chance(s, RETRY_AGAIN);
	/* serially what is set anew has not expired, however long it took to get there */
	arm(s, sl, ROLE_RETRY, again && serial(s) ? GUARD_SERIAL : delay);
	if (chance(s, GUARD_AGAIN))
		rearm(s, sl, ROLE_GUARD, draw_guard(s, sl));
	if (again)
		rearm(s, sl, ROLE_RETRY, delay / SOONER);
	return segment_close(s->w);
}

uint64_t service_expired(struct service *s, struct slot *sl, enum timers_role role)
{
	if (role == ROLE_RETRY)
		return attempt(s, sl);
	act_outcome(s->w, OUTCOME_GAVE_UP);
	disarm(s, sl, ROLE_RETRY);
	return end(s, sl);
}

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 25 ? KIND_DESCRIPTOR : x < 50 ? KIND_SIGNAL : KIND_RING;
}

static void begin(struct service *s, uint64_t arrival)
{
	struct slot *sl = slot_get(s);

	op_begin(s->w, &sl->op, draw_kind(&s->w->rng), arrival);
	sl->attempts = s->w->run->options->fanout + 1;
	sl->made = 0;
	arm(s, sl, ROLE_GUARD, draw_guard(s, sl));
	attempt(s, sl);
}

/* ---- the loop ---- */

/* It has expired and was taken just now. */
static void expired(struct service *s, struct timer *t)
{
	uint64_t before = s->poller.before, now = act_now(s->w);
	struct slot *sl = t->slot;
	enum timers_role role = t->role;

	if (t->parked) {
		take_only(s->w, &t->sent, s->takes++, 1u << MARK_LATE, before, now, now);
		return;
	}
	take(s->w, &t->sent, s->takes++, 0, before, now, now);
	sl->timer[role] = NULL;
	clock_put(s, t);
	service_expired(s, sl, role);
}

/* One after another, each handled before the next is taken. */
static void take_signals(struct service *s)
{
	struct timer *t;

	while ((t = clocks_take(s)))
		expired(s, t);
}

static void ready(struct service *s, void *what)
{
	if (what == &s->ring)
		ring_take(s);
	else if (what == &s->signals)
		take_signals(s);
	else if (clock_expired(s, what))
		expired(s, what);
}

static void admit(struct service *s)
{
	struct arrivals *a = &s->w->arrivals;
	uint64_t arrival;

	while (s->free && a->inflight < s->most && arrivals_take(a, arrivals_clock(), &arrival))
		begin(s, arrival);
}

static uint64_t patience(const struct service *s)
{
	const struct arrivals *a = &s->w->arrivals;

	return s->free ? arrivals_wait(a, arrivals_clock()) : UINT64_MAX;
}

static bool over(const struct service *s)
{
	const struct arrivals *a = &s->w->arrivals;

	return !a->inflight && !(a->left && a->limit) && !s->flying;
}

void service_body(struct service *s)
{
	while (!over(s)) {
		admit(s);
		poller_wait(&s->poller, s->w, patience(s));
		for (unsigned i = 0; i < s->poller.cnt; i++)
			ready(s, poller_found(&s->poller, i));
		if (s->parked)
			take_signals(s);
		clocks_settle(s);
	}
}
