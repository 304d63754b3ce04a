/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of the pool: sleep, take a part, do it, tell. */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "workloads/wake/futex.h"
#include "workloads/wake/wake.h"

struct helper {
	struct worker *w;
	struct pool *pool;
	struct box *box;
	uint64_t sends, takes;
};

/* True if an item lay in the box; *ret is then the caller's. */
static bool box_take(struct box *b, struct item *ret)
{
	if (!atomic_load_explicit(&b->full, memory_order_acquire))
		return false;
	*ret = b->item;
	atomic_store_explicit(&b->full, false, memory_order_relaxed);
	return true;
}

/* Returned 0 from the wait: woken by the holder of the ticket, with something to do or without. */
static bool box_woken(struct helper *h, struct item *ret, uint64_t before, uint64_t after)
{
	struct sent s = ticket_sent(&h->box->ticket);
	bool got = box_take(h->box, ret);

	if (got && ret->kind != KIND_STOP)
		take(h->w, &s, h->takes++, 0, before, after, after);
	else
		take_only(h->w, &s, h->takes++, got ? 0 : 1u << MARK_SPURIOUS, before, after,
			  after);
	ticket_settle(&h->box->ticket, TICKET_SLEPT | (got ? TICKET_TAKEN : 0));
	return got;
}

/* Blocks until there is an item. A segment is open on return, unless it is the last item. */
static void box_wait(struct helper *h, struct item *ret)
{
	for (;;) {
		/* before looking into the box: a post after the look changes the word */
		uint32_t seen = atomic_load(&h->pool->word);
		uint64_t before;
		int err;

		if (box_take(h->box, ret)) {
			ticket_settle(&h->box->ticket, TICKET_TAKEN);
			if (ret->kind != KIND_STOP)
				segment_open(h->w, ret->op, act_now(h->w));
			return;
		}
		before = act_now(h->w);
		err = futex_wait_bits(&h->pool->word, seen, h->box->bit);
		if (err == 0 && box_woken(h, ret, before, act_now(h->w)))
			return;
		if (err && err != -EAGAIN && err != -EINTR)
			run_fail(err, "a helper cannot wait");
	}
}

void join_finish(struct worker *w, struct join *j, struct ticket *seat, uint64_t op, uint16_t marks,
		 uint64_t seq)
{
	struct rec_key key = wake_key(&j->left);
	struct sent s;
	int woken;

	/* From here on the frame that holds *j may be gone; only its address is used, and the seat
	 * keeps a new wait from that address until this call has returned. */
	if (atomic_fetch_sub(&j->left, 1) != 1)
		return;
	sent_begin(w, &s, HANDOFF_WAKE, op, key, seq, marks, act_now(w));
	ticket_post(seat, &s);
	woken = futex_wake(&j->left, 1);
	if (woken < 0)
		run_fail(woken, "cannot wake a front");
	if (woken)
		sent_end(w, &s, act_now(w));
	ticket_settle(seat, TICKET_CALLED | (woken ? TICKET_WOKE : 0));
}

static void finish(struct helper *h, const struct item *it, struct join *j, struct ticket *seat)
{
	join_finish(h->w, j, seat, it->op, it->join_marks | wake_cross(h->w->cpu, it->front_cpu),
		    h->sends++);
}

/* The one that the start woke lets the others of its convoy go. They wait under their place's bit
 * and at most once, so a call wakes that one or nobody. */
static void convoy_release(struct helper *h, struct convoy *c, unsigned self, uint64_t op)
{
	struct rec_key key = wake_key(&c->lock);

	for (unsigned i = 1; i < c->cnt; i++) {
		unsigned place = (self + i) % c->cnt;
		struct ticket *t = &c->each[place];
		struct sent s;
		int woken;

		sent_begin(h->w, &s, HANDOFF_WAKE, op, key, h->sends++,
			   wake_cross(h->w->cpu, c->cpus[place]) | 1u << MARK_REUSED_KEY,
			   act_now(h->w));
		ticket_post(t, &s);
		woken = futex_wake_bits(&c->lock, 1, 1u << place);
		if (woken < 0)
			run_fail(woken, "cannot wake the convoy");
		if (woken)
			sent_end(h->w, &s, act_now(h->w));
	}
}

/* Waits for the start. True: this is the helper that the start itself woke. */
static bool convoy_wait(struct helper *h, struct convoy *c, const struct item *it)
{
	while (atomic_load(&c->cond) == it->generation) {
		uint64_t before = act_now(h->w), after;
		bool first;
		struct sent s;

		if (futex_wait_bits(&c->cond, it->generation, 1u << it->place))
			continue;
		after = act_now(h->w);
		/* the start wakes one; all others are woken by that one, later */
		first = atomic_exchange(&c->started, 1) == 0;
		s = ticket_sent(first ? &c->start : &c->each[it->place]);
		take(h->w, &s, h->takes++, first ? wake_cross(h->w->cpu, it->front_cpu) : 0, before,
		     after, after);
		return first;
	}
	segment_open(h->w, it->op, act_now(h->w));
	return false;
}

static void run_convoy(struct helper *h, const struct item *it)
{
	act_burn(h->w, it->part, it->parts * 2);
	segment_close(h->w);
	finish(h, it, it->gather, it->gather_seat);
	if (convoy_wait(h, it->convoy, it))
		convoy_release(h, it->convoy, it->place, it->op);
	act_burn(h->w, it->part, it->parts * 2);
	segment_close(h->w);
	finish(h, it, it->join, it->seat);
}

static void run_part(struct helper *h, const struct item *it)
{
	act_burn(h->w, it->part, it->parts);
	segment_close(h->w);
	finish(h, it, it->join, it->seat);
}

void helper_body(struct worker *w, struct pool *p, struct box *b)
{
	struct helper h = {.w = w, .pool = p, .box = b};
	struct sched_param none = {0};
	struct item it;

	/* throughput threads do not preempt the one that wakes them: it finishes its burst first */
	if (sched_setscheduler(0, SCHED_BATCH, &none) < 0)
		run_fail(-errno, "cannot make a helper a batch thread");
	for (;;) {
		box_wait(&h, &it);
		if (it.kind == KIND_STOP)
			return;
		if (it.kind == KIND_CONVOY)
			run_convoy(&h, &it);
		else
			run_part(&h, &it);
	}
}
