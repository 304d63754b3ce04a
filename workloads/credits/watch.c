/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom. What happened is
 * read from the account's counts before and after, not from what the operator returned.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/timerfd.h>

#include "workloads/credits/service.h"

_Static_assert(offsetof(struct part, slot) == 8 && offsetof(struct slot, front) == 8,
	       "manifest.yaml reads the front of a part");

/* ---- tokens ---- */

/* A life begins with the first token that an account holds, and ends with the last. */
static void got(struct worker *w, struct account *a, uint32_t before, uint64_t op, uint32_t desc,
		uint64_t t0, uint64_t t1)
{
	uint32_t n = a->got - before;

	if (!n)
		return;
	if (a->held == n)
		a->life = recorder_token(&w->rec);
	happened(w, EVENT_ACQUIRE, CLASS_TOKEN, (uintptr_t)a, a->life, n, op, desc, t0, t1);
}

static void gave(struct worker *w, struct account *a, uint32_t before, uint64_t op, uint32_t desc,
		 uint64_t t0, uint64_t t1)
{
	if (a->gave != before)
		happened(w, EVENT_RELEASE, CLASS_TOKEN, (uintptr_t)a, a->life, a->gave - before, op,
			 desc, t0, t1);
}

void watch_take(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op)
{
	uint32_t before = a->got;
	uint64_t t0 = act_now(w), t1;

	credits_take(b, a, n);
	t1 = act_now(w);
	got(w, a, before, op, DESC_TAKE, t0, t1);
	if (a->got != before && a->got - before != n)
		act_outcome(w, OUTCOME_PARTIAL);
}

bool watch_wait(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op)
{
	uint32_t waiting = b->waiting;
	uint64_t t0 = act_now(w), t1;

	credits_wait(b, a, n);
	t1 = act_now(w);
	if (b->waiting == waiting)
		return false;
	happened(w, EVENT_WAIT, CLASS_TOKEN, (uintptr_t)a, recorder_token(&w->rec), n, op,
		 DESC_WAIT, t0, t1);
	act_outcome(w, OUTCOME_WAITED);
	return true;
}

void watch_use(struct worker *w, struct account *a, unsigned n, uint64_t op)
{
	uint64_t life = a->held ? a->life : recorder_token(&w->rec);
	uint64_t t0 = act_now(w);

	credits_use(a, n);
	happened(w, EVENT_USE, CLASS_TOKEN, (uintptr_t)a, life, n, op, DESC_USE, t0, act_now(w));
}

void watch_spend(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op)
{
	uint32_t before = a->gave;
	uint64_t t0 = act_now(w);

	credits_spend(b, a, n);
	gave(w, a, before, op, DESC_SPEND, t0, act_now(w));
}

void watch_return(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op)
{
	uint32_t before = a->gave;
	uint64_t t0 = act_now(w);

	credits_return(b, a, n);
	gave(w, a, before, op, DESC_RETURN, t0, act_now(w));
	act_outcome(w, OUTCOME_RETURNED);
}

/* ---- those who wait ---- */

static void grant(struct worker *w, struct bucket *b, struct account *a, uint64_t op)
{
	uint32_t before = a->got;
	uint64_t t0 = act_now(w), t1;

	credits_grant(b, a);
	t1 = act_now(w);
	got(w, a, before, op, DESC_GRANT, t0, t1);
	if (a->missing && a->got != before)
		act_outcome(w, OUTCOME_PARTIAL);
}

/* Once it is admitted, the account is its sender's again. */
static void admit(struct worker *w, struct bucket *b, struct account *a, uint64_t op,
		  struct woken *k)
{
	struct sent sent;

	sent_begin(w, &sent, HANDOFF_GRANT, op, (struct rec_key){.ns = KEY_NONE}, RECORDER_NO_SEQ,
		   0, act_now(w));
	a->sent = sent;
	k->sender[k->cnt++] = a->sender;
	credits_admit(b, a);
	sent_end(w, &sent, act_now(w));
}

void watch_grants(struct worker *w, struct bucket *b, uint64_t op, struct woken *ret)
{
	ret->cnt = 0;
	while (b->first && b->level) {
		struct account *a = b->first;

		grant(w, b, a, op);
		if (a->missing)
			return;
		admit(w, b, a, op, ret);
	}
}

bool watch_collect(struct worker *w, struct bucket *b, struct account *a, uint64_t *look,
		   uint64_t *ret_after)
{
	uint64_t now = act_now(w);
	bool was = credits_collect(b, a);

	*ret_after = act_now(w);
	if (!was)
		*look = now;
	return was;
}

/* ---- the timer ---- */

OPERATOR static int timer_arm(int fd, const struct itimerspec *to)
{
	return timerfd_settime(fd, 0, to, NULL);
}

/* The next refill, unless there is one to come. */
void watch_arm(struct worker *w, struct service *s, uint64_t op)
{
	struct bucket *b = &s->bucket;
	struct itimerspec to = {.it_value.tv_nsec = s->tick_us * 1000L};
	struct rec_key key = {.v = (uint64_t)b->fd, .ns = KEY_TIMERFD};

	if (b->armed)
		return;
	sent_begin(w, &b->sent, HANDOFF_TIMER, op, key, RECORDER_NO_SEQ,
		   b->used ? 1u << MARK_REUSED_KEY : 0, act_now(w));
	b->armed = b->used = true;
	if (timer_arm(b->fd, &to))
		run_fail(-errno, "cannot set a timer");
	sent_end(w, &b->sent, act_now(w));
}

/* ---- parts ---- */

void watch_push(struct worker *w, struct service *s, struct part *p, uint64_t op)
{
	struct front *f = p->slot->front;
	struct rec_key key = {.v = (uintptr_t)f, .ns = KEY_TASK};
	struct sent sent;

	sent_begin(w, &sent, HANDOFF_QUEUE, op, key, RECORDER_NO_SEQ,
		   f->pushed ? 1u << MARK_REUSED_KEY : 0, act_now(w));
	f->pushed = true;
	p->sent = sent;
	credits_push(p, &s->parts);
	sent_end(w, &sent, act_now(w));
}

struct part *watch_pop(struct sender *x, uint64_t *ret_before, uint64_t *ret_after)
{
	uint64_t now = act_now(x->w);
	struct part *p = credits_pop(&x->service->parts);

	*ret_before = x->look;
	*ret_after = act_now(x->w);
	if (!p)
		x->look = now;
	return p;
}
