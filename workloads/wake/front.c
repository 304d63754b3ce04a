/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take requests, split them over the pool and wait on their own stacks. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

#include "workloads/wake/futex.h"
#include "workloads/wake/wake.h"

/* Shares of what an operation costs, in hundredths: before, split over the parts, beside them,
 * after. */
enum { SHARE_BEFORE = 15, SHARE_PARTS = 60, SHARE_BESIDE = 15, SHARE_AFTER = 10, SHARES = 100 };

/* Mailboxes that one request has claimed, in the order in which it will post. */
struct claimed {
	struct box *box[WAKE_PARTS];
	unsigned cnt;
};

/* Words of one request, in the frame of the function that serves it. */
struct frame {
	struct join join, gather;
	struct ticket *seat, *gather_seat;
	uint16_t marks;
};

static struct pool *pool_of(const struct front *f)
{
	return f->w->run->priv;
}

/* Free mailboxes from a random one on, at most `want`. */
static void claim(struct front *f, struct claimed *c, unsigned want, unsigned also)
{
	struct pool *p = pool_of(f);
	unsigned first = rng_below(&f->w->rng, p->helpers);

	c->cnt = 0;
	for (unsigned i = 0; i < p->helpers && c->cnt < want; i++) {
		struct box *b = &p->box[(first + i) % p->helpers];

		if (ticket_claim(&b->ticket, also))
			c->box[c->cnt++] = b;
	}
}

/* Serially each request finds the whole pool free, so that every run splits alike. */
static void claim_all_free(struct pool *p)
{
	for (unsigned i = 0; i < p->helpers; i++) {
		while (atomic_load(&p->box[i].ticket.flags))
			sched_yield();
	}
}

/* Alternates between helpers of this CPU, which cannot run before the front sleeps, and others,
 * which run at once: the order of return is not the order of the wakes. */
static void interleave(const struct front *f, struct claimed *c)
{
	struct box *sorted[WAKE_PARTS];
	unsigned n = 0;

	for (unsigned turn = 0; n < c->cnt; turn++) {
		bool near = turn % 2 == 0;

		for (unsigned i = 0; i < c->cnt; i++) {
			struct box *b = c->box[i];

			if (b && ((b->cpu == f->w->cpu) == near)) {
				sorted[n++] = b;
				c->box[i] = NULL;
				break;
			}
		}
	}
	memcpy(c->box, sorted, n * sizeof(sorted[0]));
}

static uint16_t word_marks(struct pool *p)
{
	return atomic_load_explicit(&p->word_used, memory_order_relaxed) ? 1u << MARK_REUSED_KEY
									 : 0;
}

/* ---- posting ---- */

static void fill(struct front *f, struct frame *fr, struct box *b, unsigned place)
{
	b->item = (struct item){
		.op = f->op.id,
		.kind = f->op.kind,
		.part = SHARE_PARTS,
		.parts = SHARES * f->w->run->options->fanout,
		.join = &fr->join,
		.gather = &fr->gather,
		.seat = fr->seat,
		.gather_seat = fr->gather_seat,
		.join_marks = fr->marks,
		.front_cpu = f->w->cpu,
		.convoy = &f->convoy,
		.place = place,
		.generation = atomic_load_explicit(&f->convoy.cond, memory_order_relaxed),
	};
	atomic_store_explicit(&b->full, true, memory_order_release);
}

/* In which order one call wakes its waiters is the kernel's affair: those sends have no order. */
static void prepare(struct front *f, struct box *b, struct sent *s, uint16_t marks, uint64_t t0)
{
	struct pool *p = pool_of(f);
	uint64_t seq = marks & 1u << MARK_FANOUT ? RECORDER_NO_SEQ : f->sends++;

	sent_begin(f->w, s, HANDOFF_WAKE, f->op.id, wake_key(&p->word), seq,
		   marks | word_marks(p) | wake_cross(f->w->cpu, b->cpu), t0);
	ticket_post(&b->ticket, s);
}

/* Wakes one helper by its bit. */
static void wake_one(struct front *f, struct box *b)
{
	struct pool *p = pool_of(f);
	struct sent s;
	int woken;

	prepare(f, b, &s, 0, act_now(f->w));
	atomic_fetch_add(&p->word, 1);
	woken = futex_wake_bits(&p->word, 1, b->bit);
	if (woken < 0)
		run_fail(woken, "cannot wake a helper");
	if (woken) {
		sent_end(f->w, &s, act_now(f->w));
		atomic_store_explicit(&p->word_used, true, memory_order_relaxed);
	}
	ticket_settle(&b->ticket, TICKET_CALLED | (woken ? TICKET_WOKE : 0));
}

/* ---- one call for several: those that slept will say so ---- */

static unsigned slept(const struct unsettled *u)
{
	unsigned n = 0;

	for (unsigned i = 0; i < u->cnt; i++)
		n += (atomic_load(&u->box[i]->ticket.flags) & TICKET_SLEPT) != 0;
	return n;
}

/* False: some that the call woke have not run yet, so it is not known which they are. */
static bool settle(struct front *f)
{
	struct unsettled *u = &f->unsettled;

	if (u->woken != u->cnt && slept(u) != u->woken)
		return false;
	for (unsigned i = 0; i < u->cnt; i++) {
		struct ticket *t = &u->box[i]->ticket;
		bool woke = u->woken == u->cnt || (atomic_load(&t->flags) & TICKET_SLEPT);

		if (woke)
			sent_end(f->w, &u->sent[i], u->t1);
		ticket_settle(t, TICKET_CALLED | (woke ? TICKET_WOKE : 0));
	}
	u->cnt = u->woken = 0;
	return true;
}

static void settle_wait(struct front *f)
{
	while (!settle(f))
		sched_yield();
}

static void wake_many(struct front *f, const struct claimed *c)
{
	struct pool *p = pool_of(f);
	struct unsettled *u = &f->unsettled;
	uint64_t t0 = act_now(f->w);
	uint32_t bits = 0;
	int woken;

	for (unsigned i = 0; i < c->cnt; i++) {
		u->box[i] = c->box[i];
		prepare(f, c->box[i], &u->sent[i], c->cnt > 1 ? 1u << MARK_FANOUT : 0, t0);
		bits |= c->box[i]->bit;
	}
	atomic_fetch_add(&p->word, 1);
	woken = futex_wake_bits(&p->word, INT_MAX, bits);
	if (woken < 0)
		run_fail(woken, "cannot wake helpers");
	u->t1 = act_now(f->w);
	u->cnt = c->cnt;
	u->woken = (unsigned)woken;
	settle(f);
}

/* ---- waiting ---- */

/* Until all parts of the join are done. No segment is open before, one is after. */
static void join_wait(struct front *f, struct join *j, struct ticket *seat)
{
	uint32_t left;

	while ((left = atomic_load(&j->left)) != 0) {
		uint64_t before = act_now(f->w), after;
		int err = futex_wait(&j->left, left);
		struct sent s;

		if (err && err != -EAGAIN && err != -EINTR)
			run_fail(err, "a front cannot wait");
		if (err)
			continue;
		after = act_now(f->w);
		s = ticket_sent(seat);
		take(f->w, &s, f->takes++, 0, before, after, after);
		ticket_settle(seat, TICKET_SLEPT);
		return;
	}
	segment_open(f->w, f->op.id, act_now(f->w));
}

static void join_init(struct join *j, struct ticket *seat, unsigned cnt)
{
	atomic_store_explicit(&j->left, cnt, memory_order_relaxed);
	if (cnt == 0)
		ticket_settle(seat, TICKET_CALLED); /* nobody will call */
}

/* ---- the kinds of requests ---- */

static void burn_parts(struct front *f, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		act_burn(f->w, SHARE_PARTS, SHARES * f->w->run->options->fanout);
}

static void convoy_init(struct convoy *v, const struct claimed *c)
{
	atomic_store_explicit(&v->started, 0, memory_order_relaxed);
	ticket_reset(&v->start);
	v->cnt = c->cnt;
	for (unsigned i = 0; i < c->cnt; i++) {
		ticket_reset(&v->each[i]);
		v->cpus[i] = c->box[i]->cpu;
	}
}

/* One of those who wait is woken, the others are moved to the lock word: that one wakes them. */
static void convoy_start(struct front *f)
{
	struct convoy *v = &f->convoy;
	uint32_t next = atomic_load_explicit(&v->cond, memory_order_relaxed) + 1;
	struct sent s;
	int moved;

	sent_begin(f->w, &s, HANDOFF_WAKE, f->op.id, wake_key(&v->cond), f->sends++,
		   v->used ? 1u << MARK_REUSED_KEY : 0, act_now(f->w));
	ticket_post(&v->start, &s);
	atomic_store(&v->cond, next);
	moved = futex_requeue(&v->cond, &v->lock, next);
	if (moved < 0)
		run_fail(moved, "cannot start the convoy");
	if (moved) {
		sent_end(f->w, &s, act_now(f->w));
		v->used = true;
	}
}

static void post_each(struct front *f, struct frame *fr, const struct claimed *c)
{
	for (unsigned i = 0; i < c->cnt; i++) {
		fill(f, fr, c->box[i], i);
		wake_one(f, c->box[i]);
	}
}

static void post_many(struct front *f, struct frame *fr, const struct claimed *c)
{
	for (unsigned i = 0; i < c->cnt; i++)
		fill(f, fr, c->box[i], i);
	if (f->unsettled.cnt == 0 && c->cnt)
		wake_many(f, c);
	else
		for (unsigned i = 0; i < c->cnt; i++)
			wake_one(f, c->box[i]);
}

/* Wakes without work between those with work: their waiters look, find nothing, sleep again. */
static void post_nudged(struct front *f, struct frame *fr, const struct claimed *c)
{
	struct claimed idle;

	claim(f, &idle, c->cnt, TICKET_TAKEN);
	for (unsigned i = 0; i < c->cnt || i < idle.cnt; i++) {
		if (i < idle.cnt)
			wake_one(f, idle.box[i]);
		if (i < c->cnt) {
			fill(f, fr, c->box[i], i);
			wake_one(f, c->box[i]);
		}
	}
}

static void post(struct front *f, struct frame *fr, const struct claimed *c)
{
	switch (f->op.kind) {
	case KIND_BROADCAST:
		post_many(f, fr, c);
		break;
	case KIND_NUDGE:
		post_nudged(f, fr, c);
		break;
	default:
		post_each(f, fr, c);
		break;
	}
}

/* One request, with its words in this frame. Its first segment is open, and its last on return. */
OPERATOR static void serve(struct front *f, unsigned depth)
{
	unsigned want = f->w->run->options->fanout;
	unsigned asked = f->op.kind == KIND_NUDGE ? (want + 1) / 2 : want;
	bool convoy = f->op.kind == KIND_CONVOY;
	struct frame fr = {.seat = &f->seats[depth][0],
			   .gather_seat = &f->seats[depth][1],
			   .marks = f->used[depth] ? 1u << MARK_REUSED_KEY : 0};
	struct claimed c;

	f->used[depth] = true;
	act_burn(f->w, SHARE_BEFORE, SHARES);
	claim(f, &c, asked, 0);
	interleave(f, &c);
	join_init(&fr.join, fr.seat, c.cnt);
	join_init(&fr.gather, fr.gather_seat, convoy ? c.cnt : 0);
	if (convoy)
		convoy_init(&f->convoy, &c);
	post(f, &fr, &c);
	act_burn(f->w, SHARE_BESIDE, SHARES);
	burn_parts(f, want - c.cnt);
	segment_close(f->w);
	if (convoy) {
		join_wait(f, &fr.gather, fr.gather_seat);
		convoy_start(f);
		segment_close(f->w);
	}
	join_wait(f, &fr.join, fr.seat);
	act_burn(f->w, SHARE_AFTER, SHARES);
}

/* Serves `down` calls further down the stack, as a request of another path would. */
OPERATOR static void descend(struct front *f, unsigned depth, unsigned down)
{
	volatile unsigned char room[160];

	room[0] = (unsigned char)down;
	if (down)
		descend(f, depth, down - 1);
	else
		serve(f, depth);
	room[0]++; /* no tail call: the frame stays */
}

/* A depth whose last wakers have all returned: a late one would wake whoever waits there next. */
static unsigned depth_claim(struct front *f)
{
	for (unsigned d = rng_below(&f->w->rng, WAKE_DEPTHS);; d = (d + 1) % WAKE_DEPTHS) {
		struct ticket *s = f->seats[d];

		if (ticket_claim(&s[0], TICKET_TAKEN)) {
			if (ticket_claim(&s[1], TICKET_TAKEN))
				return d;
			ticket_reset(&s[0]);
		}
		sched_yield();
	}
}

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 45 ? KIND_SCATTER : x < 60 ? KIND_BROADCAST : x < 85 ? KIND_CONVOY : KIND_NUDGE;
}

static void request(struct front *f, uint64_t arrival)
{
	unsigned kind = draw_kind(&f->w->rng), depth = depth_claim(f);

	if (f->w->run->options->serial) {
		settle_wait(f);
		claim_all_free(pool_of(f));
	}
	settle(f);
	op_begin(f->w, &f->op, kind, arrival);
	descend(f, depth, depth);
	op_end(f->w, &f->op);
	histogram_add(&f->w->latency, arrivals_clock() - arrival);
	arrivals_done(&f->w->arrivals);
}

void front_body(struct front *f)
{
	uint64_t arrival;

	while (arrivals_next(&f->w->arrivals, &arrival))
		request(f, arrival);
	settle_wait(f);
}

void front_stop_helpers(struct front *f)
{
	struct pool *p = pool_of(f);

	op_begin(f->w, &f->op, KIND_STOP, arrivals_clock());
	for (unsigned i = 0; i < p->helpers; i++) {
		struct box *b = &p->box[i];

		while (!ticket_claim(&b->ticket, 0))
			sched_yield();
		b->item = (struct item){.op = f->op.id, .kind = KIND_STOP};
		atomic_store_explicit(&b->full, true, memory_order_release);
		wake_one(f, b);
	}
	op_end(f->w, &f->op);
}
