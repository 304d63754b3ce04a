/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that serve, in whatever process. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "workloads/prefork/service.h"

enum { SHARE_SERVE = 80, SHARES = 100 };
enum { UPSTREAM_MIN = 150000, UPSTREAM_SPREAD = 250000 }; /* ns */

struct server {
	struct worker *w;
	struct service *s;
	unsigned number;
	uint64_t takes;
};

struct batch {
	unsigned cnt;
	uint64_t after;
	struct frame frame[PREFORK_BATCH];
};

static struct slot *slot_of(struct shared *sh, const struct frame *f)
{
	return &sh->slot[f->slot >> PREFORK_PART_BITS & ((1u << PREFORK_SLOT_BITS) - 1)];
}

/* ---- one reads at a time ---- */

static bool try_accept(struct shared *sh)
{
	/* seq_cst, as parking asks: who has armed a seat looks here, who leaves looks for seats */
	return !atomic_exchange(&sh->accepting, true);
}

/* One of those that sleep in seats `first` on, whoever comes after us in turn. */
static void wake_next(struct server *x, unsigned first, uint64_t op)
{
	struct parking *seats = &x->s->shared->seats;
	unsigned after = x->number + 1;

	if (!parking_wake(x->w, seats, first + after, PREFORK_ALL - after, op))
		parking_wake(x->w, seats, first, after, op);
}

static void await_turn(struct server *x)
{
	struct shared *sh = x->s->shared;

	while (!try_accept(sh)) {
		seat_arm(&sh->seats, x->number);
		if (try_accept(sh)) {
			seat_leave(&sh->seats, x->number);
			return;
		}
		seat_sleep(x->w, &sh->seats, x->number, UINT64_MAX);
		act_outcome(x->w, OUTCOME_TURN);
	}
}

static void leave_turn(struct server *x, uint64_t op)
{
	struct shared *sh = x->s->shared;

	atomic_store(&sh->accepting, false);
	wake_next(x, 0, op);
}

OPERATOR static ssize_t requests_read(int fd, void *to, size_t len)
{
	return read(fd, to, len);
}

/* Whole messages, since each was written by one call. */
static void read_batch(struct server *x, struct batch *b)
{
	struct shared *sh = x->s->shared;
	uint8_t text[PREFORK_BATCH * PREFORK_MESSAGE];
	ssize_t n;

	do
		n = requests_read(sh->pipe[0], text, (size_t)sh->batch * PREFORK_MESSAGE);
	while (n < 0 && errno == EINTR);
	b->after = act_now(x->w);
	if (n <= 0 || n % PREFORK_MESSAGE)
		run_fail(n < 0 ? -errno : 0, "cannot read requests");
	b->cnt = (unsigned)n / PREFORK_MESSAGE;
	for (unsigned i = 0; i < b->cnt; i++)
		memcpy(&b->frame[i], text + i * PREFORK_MESSAGE, sizeof(b->frame[i]));
}

/* The first who hears of the end tells all others. */
static uint64_t op_of(struct shared *sh, const struct frame *f)
{
	if (f->verb != VERB_STOP)
		return post_op(&slot_of(sh, f)->post[f->part]);
	sh->stop_op = post_op(&sh->last);
	atomic_store(&sh->stop, true);
	return sh->stop_op;
}

/* ---- serving ---- */

/* A segment is open before and after. */
static struct buffer *need_buffer(struct server *x, uint64_t op)
{
	struct parking *seats = &x->s->shared->seats;
	unsigned seat = buffer_seat(x->number);
	struct buffer *b = watch_get(x->w, x->s, x->number, op);

	if (!b)
		watch_wait(x->w, x->s, op);
	while (!b) {
		segment_close(x->w);
		seat_arm(seats, seat);
		segment_open(x->w, op, act_now(x->w));
		b = watch_get(x->w, x->s, x->number, op);
		if (b) {
			seat_leave(seats, seat);
			break;
		}
		segment_close(x->w);
		seat_sleep(x->w, seats, seat, UINT64_MAX);
		segment_open(x->w, op, act_now(x->w));
		b = watch_get(x->w, x->s, x->number, op);
	}
	return b;
}

/* What a report has to wait for, with its buffer. */
static void ask_upstream(struct server *x, uint64_t op)
{
	struct timespec ts = {.tv_nsec = UPSTREAM_MIN + rng_below(&x->w->rng, UPSTREAM_SPREAD)};

	segment_close(x->w);
	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		continue;
	segment_open(x->w, op, act_now(x->w));
}

/* Returns when the thread was free again. */
static uint64_t serve(struct server *x, const struct frame *f, const struct batch *batch,
		      uint64_t from)
{
	static const unsigned by[] = {OUTCOME_BY_PARENT, OUTCOME_BY_FORK, OUTCOME_BY_EXEC};
	struct shared *sh = x->s->shared;
	struct slot *sl = slot_of(sh, f);
	struct sent sent = post_open(&sl->post[f->part]);
	struct buffer *b;

	take(x->w, &sent, x->takes++, batch->cnt > 1 ? 1u << MARK_COALESCED : 0, 0, batch->after,
	     from);
	b = need_buffer(x, sent.op);
	watch_use(x->w, x->s, b, sent.op);
	if (sl->op.kind == KIND_REPORT)
		ask_upstream(x, sent.op);
	act_burn(x->w, SHARE_SERVE, SHARES * sl->parts);
	watch_put(x->w, x->s, b, x->number, sent.op);
	wake_next(x, PREFORK_ALL, sent.op);
	act_outcome(x->w, by[x->s->process]);
	segment_close(x->w);
	slot_part_done(x->w, sh, sl);
	return act_now(x->w);
}

static void told_to_stop(struct server *x, const struct batch *batch)
{
	struct sent sent = post_open(&x->s->shared->last);

	take_only(x->w, &sent, x->takes++, batch->cnt > 1 ? 1u << MARK_COALESCED : 0, 0,
		  batch->after, act_now(x->w));
}

/* False: it is time to stop. */
static bool serve_batch(struct server *x)
{
	struct shared *sh = x->s->shared;
	uint64_t op = 0, from;
	struct batch b;

	if (atomic_load(&sh->stop)) {
		leave_turn(x, sh->stop_op);
		return false;
	}
	read_batch(x, &b);
	for (unsigned i = 0; i < b.cnt; i++)
		op = op_of(sh, &b.frame[i]);
	leave_turn(x, op);
	if (b.cnt > 1)
		act_outcome(x->w, OUTCOME_BATCHED);
	from = act_now(x->w);
	for (unsigned i = 0; i < b.cnt; i++) {
		if (b.frame[i].verb == VERB_STOP)
			told_to_stop(x, &b);
		else
			from = serve(x, &b.frame[i], &b, from);
	}
	return true;
}

/* Two programs in one process cannot be: all leave, and those of the other one come. */
static bool leaves(const struct server *x)
{
	struct shared *sh = x->s->shared;

	return x->s->process == BY_FORK && !sh->renewed &&
	       atomic_load_explicit(&sh->renew, memory_order_relaxed);
}

void server_body(struct worker *w, struct service *s, unsigned server)
{
	struct server x = {.w = w, .s = s, .number = server};

	do
		await_turn(&x);
	while (serve_batch(&x) && !leaves(&x));
}
