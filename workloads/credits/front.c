/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take uploads and make parts of them. */
#include "workloads/credits/service.h"

/* Shares of what an operation costs, in hundredths; the rest is the senders'. */
enum { SHARE_BEGIN = 15, SHARE_REPLY = 5, SHARES = 100 };

/* ---- slots ---- */

static struct slot *slot_get(struct front *f)
{
	struct slot *sl = f->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	f->free = sl->next;
	return sl;
}

/* The front looks at `back` after it has armed its seat. */
static void slot_give_back(struct worker *w, struct slot *sl, uint64_t op)
{
	struct front *f = sl->front;
	struct slot *head = atomic_load(&f->back);

	do
		sl->next = head;
	while (!atomic_compare_exchange_weak(&f->back, &head, sl));
	seat_wake(w, &f->service->ends, f->w->index, op);
}

static void slots_collect(struct front *f)
{
	struct slot *sl = atomic_exchange(&f->back, NULL);

	while (sl) {
		struct slot *next = sl->next;

		sl->next = f->free;
		f->free = sl;
		arrivals_done(&f->w->arrivals);
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

/* ---- uploads ---- */

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 20 ? KIND_SMALL : x < 60 ? KIND_BULK : x < 80 ? KIND_BURST : KIND_ESTIMATE;
}

static unsigned parts_of(unsigned kind, unsigned fanout)
{
	return kind == KIND_SMALL ? 1 : kind == KIND_BULK ? fanout : fanout / 2 + 1;
}

static void part_draw(struct rng *r, struct part *p, unsigned kind)
{
	p->tokens = 1 + rng_below(r, kind == KIND_SMALL ? 4 : 8);
	p->surplus = kind == KIND_ESTIMATE ? rng_below(r, p->tokens) : 0;
}

static void wake_for_parts(struct front *f, unsigned n, uint64_t op)
{
	struct service *s = f->service;

	while (n-- && parking_wake(f->w, &s->seats, 0, s->senders_cnt, op))
		continue;
}

/* A sender for each part, once all have been pushed. */
static void upload(struct front *f, uint64_t arrival)
{
	struct slot *sl = slot_get(f);
	uint64_t id;
	unsigned n;

	op_begin(f->w, &sl->op, draw_kind(&f->w->rng), arrival);
	id = sl->op.id;
	sl->parts = n = parts_of(sl->op.kind, f->w->run->options->fanout);
	atomic_store_explicit(&sl->left, n + 1, memory_order_relaxed);
	act_burn(f->w, SHARE_BEGIN, SHARES);
	for (unsigned i = 0; i < n; i++)
		part_draw(&f->w->rng, &sl->part[i], sl->op.kind);
	for (unsigned i = 0; i < n; i++)
		watch_push(f->w, f->service, &sl->part[i], id);
	wake_for_parts(f, n, id);
	segment_close(f->w);
	slot_part_done(f->w, sl);
}

static void wait_for_ends(struct front *f)
{
	struct parking *ends = &f->service->ends;

	seat_arm(ends, f->w->index);
	if (atomic_load(&f->back))
		seat_leave(ends, f->w->index);
	else
		seat_sleep(f->w, ends, f->w->index, UINT64_MAX);
}

void front_body(struct front *f)
{
	struct arrivals *a = &f->w->arrivals;
	uint64_t arrival;

	for (;;) {
		slots_collect(f);
		if (arrivals_finished(a))
			return;
		if (arrivals_take(a, arrivals_clock(), &arrival))
			upload(f, arrival);
		else if (arrivals_wait(a, arrivals_clock()) == UINT64_MAX)
			wait_for_ends(f);
		else
			arrivals_sleep(a);
	}
}
