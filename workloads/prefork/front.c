/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take operations and send their requests. */
#include "workloads/driver/settings.h"
#include "workloads/prefork/service.h"

/* Shares of what an operation costs, in hundredths; the rest is the servers'. */
enum { SHARE_BEGIN = 15, SHARE_REPLY = 5, SHARES = 100 };

/* ---- slots ---- */

static struct slot *slot_get(struct front *f, struct shared *sh)
{
	struct slot *sl;

	if (!f->free)
		run_fail(0, "no slot for an operation");
	sl = &sh->slot[f->free - 1];
	f->free = sl->next;
	sl->turns++;
	return sl;
}

/* The front looks at `back` after it has armed its seat. */
static void slot_give_back(struct worker *w, struct shared *sh, struct slot *sl, uint64_t op)
{
	unsigned front = sl->front;
	uint32_t head = atomic_load(&sh->back[front]);

	do
		sl->next = head;
	while (!atomic_compare_exchange_weak(&sh->back[front], &head,
					     (uint32_t)(sl - sh->slot) + 1));
	seat_wake(w, &sh->seats, front_seat(front), op);
}

static void slots_collect(struct front *f, struct shared *sh)
{
	uint32_t number = atomic_exchange(&sh->back[f->w->index], 0);

	while (number) {
		struct slot *sl = &sh->slot[number - 1];
		uint32_t next = sl->next;

		/* with all that every thread here did for it, whoever gave it back */
		if (atomic_load_explicit(&sl->left, memory_order_acquire))
			run_fail(0, "a slot came back before its time");
		sl->next = f->free;
		f->free = number;
		arrivals_done(&f->w->arrivals);
		number = next;
	}
}

void slot_part_done(struct worker *w, struct shared *sh, struct slot *sl)
{
	uint64_t op = sl->op.id; /* read before it may be somebody else's */

	/* the last one sees all that the others did; their segments are closed */
	if (atomic_fetch_sub_explicit(&sl->left, 1, memory_order_acq_rel) != 1)
		return;
	segment_open(w, op, act_now(w));
	act_burn(w, SHARE_REPLY, SHARES);
	op_end(w, &sl->op);
	histogram_add(&w->latency, arrivals_clock() - sl->op.arrival);
	slot_give_back(w, sh, sl, op);
}

/* ---- operations ---- */

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 20 ? KIND_ASSET : x < 70 ? KIND_PAGE : KIND_REPORT;
}

static unsigned parts_of(unsigned kind, unsigned fanout)
{
	return kind == KIND_ASSET ? 1 : kind == KIND_PAGE ? fanout : fanout / 2 + 1;
}

static struct frame request(const struct shared *sh, const struct slot *sl, unsigned part)
{
	uint32_t number = sl->turns << PREFORK_SLOT_BITS | (uint32_t)(sl - sh->slot);

	return (struct frame){.bytes = PREFORK_MESSAGE,
			      .slot = number << PREFORK_PART_BITS | part,
			      .part = (uint16_t)part,
			      .verb = VERB_SERVE};
}

static void serve_request(struct front *f, struct shared *sh, uint64_t arrival)
{
	struct slot *sl = slot_get(f, sh);
	uint64_t id;
	unsigned n;

	op_begin(f->w, &sl->op, draw_kind(&f->w->rng), arrival);
	if (sh->as != RENEW_NEVER && settings_turned())
		atomic_store_explicit(&sh->renew, true, memory_order_relaxed);
	id = sl->op.id;
	sl->parts = n = parts_of(sl->op.kind, f->w->run->options->fanout);
	atomic_store_explicit(&sl->left, n + 1, memory_order_relaxed);
	act_burn(f->w, SHARE_BEGIN, SHARES);
	for (unsigned i = 0; i < n; i++)
		send_request(f->w, sh, request(sh, sl, i), &sl->post[i], id, f->sends++);
	segment_close(f->w);
	slot_part_done(f->w, sh, sl);
}

static void wait_for_ends(struct front *f, struct shared *sh)
{
	unsigned seat = front_seat(f->w->index);

	seat_arm(&sh->seats, seat);
	if (atomic_load(&sh->back[f->w->index]))
		seat_leave(&sh->seats, seat);
	else
		seat_sleep(f->w, &sh->seats, seat, UINT64_MAX);
}

void front_body(struct front *f, struct shared *sh)
{
	struct arrivals *a = &f->w->arrivals;
	uint64_t arrival;

	for (;;) {
		slots_collect(f, sh);
		if (arrivals_finished(a))
			return;
		if (arrivals_take(a, arrivals_clock(), &arrival))
			serve_request(f, sh, arrival);
		else if (arrivals_wait(a, arrivals_clock()) == UINT64_MAX)
			wait_for_ends(f, sh);
		else
			arrivals_sleep(a);
	}
}
