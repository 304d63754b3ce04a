/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take requests: each is begun, sent on its way, and heard of again at its end. */
#include "workloads/pipeline/pipeline.h"

static struct request *request_get(struct pipeline *pl)
{
	struct request *q;

	spin_lock(&pl->requests_lock);
	q = pl->free;
	if (q)
		pl->free = q->next;
	spin_unlock(&pl->requests_lock);
	if (!q)
		run_fail(0, "no slot for a request");
	return q;
}

static void request_put(struct pipeline *pl, struct request *q)
{
	spin_lock(&pl->requests_lock);
	q->next = pl->free;
	pl->free = q;
	spin_unlock(&pl->requests_lock);
}

static void begin(struct place *x, uint64_t arrival)
{
	struct request *q = request_get(x->pl);
	unsigned kind = way_kind(x);
	uint64_t t0;

	q->home = x->w->index;
	t0 = op_open(x->w, &q->op, kind, arrival);
	request_begin(q);
	op_opened(x->w, &q->op, t0);
	way_draw(x, q, kind);
	hop_received(x, &q->tokens[0]);
	hop_flush(x);
}

void front_ended(struct place *x, struct request *q)
{
	struct pipeline *pl = x->pl;
	struct place *home = &pl->places[q->home];
	uint64_t op = q->op.id;

	op_end(x->w, &q->op);
	histogram_add(&x->w->latency, arrivals_clock() - q->op.arrival);
	request_end(q);
	request_put(pl, q);
	if (home == x) {
		arrivals_done(&x->w->arrivals);
		return;
	}
	/* both seq_cst, pair with those in idle() */
	atomic_fetch_add(&home->ended, 1);
	if (atomic_load(&home->wants))
		seat_wake(x->w, &pl->seats, home->seat, op);
}

static bool over(const struct place *x)
{
	const struct arrivals *a = &x->w->arrivals;

	return !a->inflight && !(a->left && a->limit);
}

static uint64_t next_arrival(const struct place *x)
{
	const struct arrivals *a = &x->w->arrivals;
	uint64_t now = arrivals_clock();
	uint64_t ns = a->inflight < x->pl->most ? arrivals_wait(a, now) : UINT64_MAX;

	return ns == UINT64_MAX ? ns : now + ns;
}

/* Whoever ends an operation wakes its front only where nothing else will. */
static void idle(struct place *x)
{
	struct parking *p = &x->pl->seats;
	uint64_t until = next_arrival(x);

	atomic_store(&x->wants, until == UINT64_MAX);
	seat_arm(p, x->seat);
	if (atomic_load(&x->ended))
		seat_leave(p, x->seat);
	else
		seat_sleep(x->w, p, x->seat, until);
}

void front_body(struct place *x)
{
	struct arrivals *a = &x->w->arrivals;
	uint64_t arrival;

	for (;;) {
		for (unsigned n = atomic_exchange(&x->ended, 0); n; n--)
			arrivals_done(a);
		if (over(x))
			return;
		if (a->inflight < x->pl->most && arrivals_take(a, arrivals_clock(), &arrival))
			begin(x, arrival);
		else
			idle(x);
	}
}
