/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take requests and make jobs of them. */
#include "workloads/queue/service.h"

/* Shares of what an operation costs, in hundredths; the rest is the consumers'. */
enum { SHARE_PARSE = 15, SHARE_REPLY = 5, SHARE_DONE_HERE = 80, SHARES = 100 };

/* ---- slots ---- */

static struct slot *slot_get(struct producer *p)
{
	struct slot *sl = p->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	p->free = sl->next;
	return sl;
}

/* The producer looks at `back` after it has armed its seat. */
static void slot_give_back(struct worker *w, struct slot *sl, uint64_t op)
{
	struct producer *p = sl->producer;
	struct slot *head = atomic_load(&p->back);

	do
		sl->next = head;
	while (!atomic_compare_exchange_weak(&p->back, &head, sl));
	seat_wake(w, &p->service->ends, p->w->index, op);
}

static void slots_collect(struct producer *p)
{
	struct slot *sl = atomic_exchange(&p->back, NULL);

	while (sl) {
		struct slot *next = sl->next;

		sl->next = p->free;
		p->free = sl;
		arrivals_done(&p->w->arrivals);
		sl = next;
	}
}

void slot_part_done(struct worker *w, struct slot *sl)
{
	uint64_t op = sl->op.id; /* read before it may be somebody else's */

	/* the last one sees all that the others did; their segments are closed */
	if (atomic_fetch_sub_explicit(&sl->left, 1, memory_order_acq_rel) != 1)
		return;
	segment_open(w, op, act_now(w));
	act_burn(w, SHARE_REPLY, SHARES);
	op_end(w, &sl->op);
	histogram_add(&w->latency, arrivals_clock() - sl->op.arrival);
	slot_give_back(w, sl, op);
}

/* ---- back-pressure ---- */

/* Until there is room; whoever comes here has an open segment, and has one afterwards. */
static void reserve(struct producer *p, struct job *j)
{
	struct parking *seats = &p->service->seats;
	unsigned seat = room_seat(p);
	uint64_t op = j->slot->op.id;
	bool slept = false;

	while (!watch_reserve(p, j)) {
		if (!slept)
			watch_wait(p, op);
		segment_close(p->w);
		seat_arm(seats, seat);
		segment_open(p->w, op, act_now(p->w));
		if (watch_reserve(p, j)) {
			seat_leave(seats, seat);
			return;
		}
		segment_close(p->w);
		seat_sleep(p->w, seats, seat, UINT64_MAX);
		segment_open(p->w, op, act_now(p->w));
		slept = true;
	}
}

/* Who does not wait does the job itself. */
static void run_here(struct producer *p, struct slot *sl)
{
	act_outcome(p->w, OUTCOME_REFUSED);
	act_burn(p->w, SHARE_DONE_HERE, SHARES * sl->jobs);
	atomic_fetch_sub_explicit(&sl->left, 1, memory_order_acq_rel); /* ours is left */
}

/* ---- requests ---- */

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 25 ? KIND_SINGLE : x < 65 ? KIND_BATCH : x < 85 ? KIND_BULK : KIND_TRY;
}

static unsigned jobs_of(unsigned kind, unsigned fanout)
{
	return kind == KIND_SINGLE ? 1 : kind == KIND_BULK ? fanout / 2 + 1 : fanout;
}

static unsigned draw_bytes(struct rng *r, unsigned kind)
{
	return kind == KIND_BULK ? JOB_LARGE / 2 + rng_below(r, JOB_LARGE / 2 + 1)
				 : JOB_SMALL + rng_below(r, JOB_LARGE / 2 - JOB_SMALL);
}

static void send(struct producer *p, struct job *j)
{
	struct slot *sl = j->slot;

	j->bytes = draw_bytes(&p->w->rng, sl->op.kind);
	if (sl->op.kind != KIND_TRY) {
		reserve(p, j);
	} else if (!watch_reserve(p, j)) {
		run_here(p, sl);
		return;
	}
	watch_push(p, j);
}

static void request(struct producer *p, uint64_t arrival)
{
	struct slot *sl = slot_get(p);

	op_begin(p->w, &sl->op, draw_kind(&p->w->rng), arrival);
	sl->jobs = jobs_of(sl->op.kind, p->w->run->options->fanout);
	atomic_store_explicit(&sl->left, sl->jobs + 1, memory_order_relaxed);
	act_burn(p->w, SHARE_PARSE, SHARES);
	for (unsigned i = 0; i < sl->jobs; i++)
		send(p, &sl->job[i]);
	segment_close(p->w);
	slot_part_done(p->w, sl);
}

static void wait_for_ends(struct producer *p)
{
	struct parking *ends = &p->service->ends;

	seat_arm(ends, p->w->index);
	if (atomic_load(&p->back))
		seat_leave(ends, p->w->index);
	else
		seat_sleep(p->w, ends, p->w->index, UINT64_MAX);
}

void producer_body(struct producer *p)
{
	struct arrivals *a = &p->w->arrivals;
	uint64_t arrival;

	for (;;) {
		slots_collect(p);
		if (arrivals_finished(a))
			return;
		if (arrivals_take(a, arrivals_clock(), &arrival))
			request(p, arrival);
		else if (arrivals_wait(a, arrivals_clock()) == UINT64_MAX)
			wait_for_ends(p);
		else
			arrivals_sleep(a);
	}
}
