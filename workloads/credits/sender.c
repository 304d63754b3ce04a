/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that send parts, each for as many tokens as it is long. */
#include <errno.h>
#include <time.h>

#include "workloads/credits/service.h"

enum { SHARE_SEND = 80, SHARES = 100 };

/* Nanoseconds until who was refused tries again, and how often it does before it waits. */
enum { BACKOFF_MIN = 100000, BACKOFF_SPREAD = 400000, TRIES = 3 };

enum verdict { HELD, WAITING, REFUSED };

void wake_senders(struct worker *w, struct service *s, const struct woken *k, uint64_t op)
{
	for (unsigned i = 0; i < k->cnt; i++)
		seat_wake(w, &s->seats, token_seat(s, k->sender[i]), op);
}

/* What was got is given back by those who do not wait. */
static enum verdict ask(struct sender *x, struct part *p, bool waits, uint64_t op)
{
	struct bucket *b = &x->service->bucket;
	struct account *a = &p->account;
	enum verdict v = HELD;

	spin_lock(&b->lock);
	watch_take(x->w, b, a, p->tokens, op);
	if (a->held < p->tokens) {
		v = waits && watch_wait(x->w, b, a, p->tokens - a->held, op) ? WAITING : REFUSED;
		if (v == WAITING)
			watch_arm(x->w, x->service, op);
		else if (a->held)
			watch_return(x->w, b, a, a->held, op);
	}
	spin_unlock(&b->lock);
	return v;
}

/* Until it has been admitted; a segment is open before and after. */
static void await(struct sender *x, struct part *p, uint64_t op)
{
	struct parking *seats = &x->service->seats;
	unsigned seat = token_seat(x->service, x->index);
	uint64_t look = segment_close(x->w), after;
	struct sent sent;

	for (;;) {
		seat_arm(seats, seat);
		if (watch_collect(x->w, &x->service->bucket, &p->account, &look, &after))
			break;
		seat_sleep(x->w, seats, seat, UINT64_MAX);
	}
	seat_leave(seats, seat);
	sent = p->account.sent;
	sent.op = op;
	take(x->w, &sent, RECORDER_NO_SEQ, 0, look, after, after);
}

static void back_off(struct sender *x, uint64_t op)
{
	struct timespec ts = {.tv_nsec = BACKOFF_MIN + rng_below(&x->w->rng, BACKOFF_SPREAD)};

	act_outcome(x->w, OUTCOME_REFUSED);
	segment_close(x->w);
	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		continue;
	segment_open(x->w, op, act_now(x->w));
}

/* Who is in a burst waits only when it was refused too often; serially, after the first time and
 * at once: how much there is later depends on time. */
static void acquire(struct sender *x, struct part *p, uint64_t op)
{
	bool serial = x->w->run->options->serial;
	unsigned tries = p->slot->op.kind == KIND_BURST ? serial ? 1 : TRIES : 0;

	for (unsigned n = 0;; n++) {
		enum verdict v = ask(x, p, n >= tries, op);

		if (v == WAITING)
			await(x, p, op);
		if (v != REFUSED) {
			if (n)
				act_outcome(x->w, OUTCOME_RETRIED);
			return;
		}
		if (serial)
			act_outcome(x->w, OUTCOME_REFUSED);
		else
			back_off(x, op);
	}
}

static void settle(struct sender *x, struct part *p, uint64_t op)
{
	struct service *s = x->service;
	struct bucket *b = &s->bucket;
	struct woken k;

	spin_lock(&b->lock);
	watch_spend(x->w, b, &p->account, p->tokens - p->surplus, op);
	if (p->surplus)
		watch_return(x->w, b, &p->account, p->surplus, op);
	watch_grants(x->w, b, op, &k);
	spin_unlock(&b->lock);
	wake_senders(x->w, s, &k, op);
}

static void send(struct sender *x, struct part *p, uint64_t before, uint64_t after)
{
	struct slot *sl = p->slot;
	struct sent sent = p->sent;
	uint64_t op = sl->op.id;

	take(x->w, &sent, RECORDER_NO_SEQ, 0, before, after, after);
	p->account.sender = x->index;
	acquire(x, p, op);
	watch_use(x->w, &p->account, p->tokens - p->surplus, op);
	act_burn(x->w, SHARE_SEND, SHARES * sl->parts);
	settle(x, p, op);
	segment_close(x->w);
	slot_part_done(x->w, sl);
}

/* False: it is time to stop. */
static bool rest(struct sender *x)
{
	struct service *s = x->service;

	seat_arm(&s->seats, x->index);
	if (!atomic_load(&s->parts.cnt) && !atomic_load(&s->stop)) {
		seat_sleep(x->w, &s->seats, x->index, UINT64_MAX);
		return true;
	}
	seat_leave(&s->seats, x->index);
	return atomic_load(&s->parts.cnt) || !atomic_load(&s->stop);
}

void sender_body(struct sender *x)
{
	do {
		uint64_t before, after;
		struct part *p;

		while ((p = watch_pop(x, &before, &after)))
			send(x, p, before, after);
	} while (rest(x));
}
