/* SPDX-License-Identifier: BSD-2-Clause */
/* Timeouts on a ring: sent, changed, removed, taken. */
#include <errno.h>

#include "workloads/timers/timers.h"

enum { ENTRIES = 64, COMPLETIONS = 1024 };

void ring_open(struct service *s)
{
	struct io_uring_params p = {.flags = IORING_SETUP_CQSIZE, .cq_entries = COMPLETIONS};
	int err = io_uring_queue_init_params(ENTRIES, &s->ring, &p);

	if (err)
		run_lacks(err, "io_uring: cannot make a ring");
	poller_add(&s->poller, s->ring.ring_fd, &s->ring);
}

static uint64_t user_data(const struct slot *sl, enum timers_role role)
{
	return (uintptr_t)sl + role * TIMERS_APART;
}

static struct io_uring_sqe *entry(struct service *s)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);

	if (!sqe)
		run_fail(0, "no room in a submission queue");
	return sqe;
}

OPERATOR static void submit(struct service *s, unsigned cnt)
{
	int n = io_uring_submit(&s->ring);

	if (n != (int)cnt)
		run_fail(n < 0 ? n : 0, "%d of %u entries submitted", n, cnt);
}

/* ---- sending ---- */

static void begin(struct service *s, struct slot *sl, enum timers_role role, struct sent *sent,
		  uint64_t t0)
{
	struct rec_key key = {.v = user_data(sl, role),
			      .scope = s->scope,
			      .ns = KEY_USER_DATA,
			      .has_scope = true};
	struct requests *q = &sl->requests[role];

	sent_begin(s->w, sent, HANDOFF_IO, sl->op.id, key, s->sends++,
		   q->used ? 1u << MARK_REUSED_KEY : 0, t0);
	q->used = true;
	sl->flying++;
	s->flying++;
}

static struct sent *add_timeout(struct service *s, struct slot *sl, enum timers_role role,
				uint64_t ns, uint64_t t0)
{
	struct requests *q = &sl->requests[role];
	struct io_uring_sqe *sqe = entry(s);
	struct sent *sent;

	if (q->set - q->heard == TIMERS_TURNS)
		run_fail(0, "too many timeouts of one role");
	sent = &q->timeout[q->set++ % TIMERS_TURNS];
	q->delay = (struct __kernel_timespec){.tv_sec = (long long)(ns / 1000000000),
					      .tv_nsec = (long long)(ns % 1000000000)};
	q->off = false;
	io_uring_prep_timeout(sqe, &q->delay, 0, 0);
	sqe->user_data = user_data(sl, role);
	begin(s, sl, role, sent, t0);
	return sent;
}

static struct sent *add_removal(struct service *s, struct slot *sl, enum timers_role role,
				uint64_t t0)
{
	struct requests *q = &sl->requests[role];
	struct io_uring_sqe *sqe = entry(s);
	struct sent *sent;

	if (q->removed - q->answered == TIMERS_TURNS)
		run_fail(0, "too many removals of one role");
	sent = &q->removal[q->removed++ % TIMERS_TURNS];
	q->off = true;
	io_uring_prep_timeout_remove(sqe, user_data(sl, role), 0);
	sqe->user_data = user_data(sl, role);
	begin(s, sl, role, sent, t0);
	return sent;
}

void ring_arm(struct service *s, struct slot *sl, enum timers_role role, uint64_t ns)
{
	struct sent *sent = add_timeout(s, sl, role, ns, act_now(s->w));

	submit(s, 1);
	sent_end(s->w, sent, act_now(s->w));
}

void ring_rearm(struct service *s, struct slot *sl, enum timers_role role, uint64_t ns)
{
	uint64_t t0 = act_now(s->w), t1;
	struct sent *removal = add_removal(s, sl, role, t0);
	struct sent *timeout = add_timeout(s, sl, role, ns, t0);

	submit(s, 2);
	t1 = act_now(s->w);
	sent_end(s->w, removal, t1);
	sent_end(s->w, timeout, t1);
}

void ring_disarm(struct service *s, struct slot *sl, enum timers_role role)
{
	struct sent *sent = add_removal(s, sl, role, act_now(s->w));

	submit(s, 1);
	sent_end(s->w, sent, act_now(s->w));
}

/* ---- taking ---- */

struct found {
	struct slot *slot;
	enum timers_role role;
	int32_t res;
	uint64_t before, after, from;
};

/* Nobody waits for it: no segment. */
static uint64_t aside(struct service *s, const struct sent *sent, uint16_t marks,
		      const struct found *f)
{
	uint64_t now = act_now(s->w);

	if (!f->slot->live)
		marks |= 1u << MARK_LATE;
	take_only(s->w, sent, s->takes++, marks, f->before, f->after, now);
	return now;
}

/*
 * A removal came too late, and yet what it was to remove has not been taken: its expiry and that of
 * the next may stand in the ring in any order, and read alike. Seen on 6.1, where the kernel posts
 * the expiry of the first after all; nobody in user space can tell them apart.
 */
static void mix_up(struct service *s, struct requests *q)
{
	bool joins = (int)(q->grouped - q->heard) > 0;
	unsigned from = joins ? q->grouped : q->heard;

	if (q->set - q->heard < 2)
		return;
	if (!joins)
		q->group = recorder_token(&s->w->rec);
	for (unsigned i = from; i != q->set; i++)
		recorder_amb(&s->w->rec, q->timeout[i % TIMERS_TURNS].id, q->group);
	q->grouped = q->set;
}

/* In the order in which they were sent: each within its submit call. */
static uint64_t answered(struct service *s, const struct found *f)
{
	struct requests *q = &f->slot->requests[f->role];

	if (q->answered == q->removed)
		run_fail(0, "result %d fits no request", f->res);
	act_outcome(s->w, f->res == 0 ? OUTCOME_IN_TIME : OUTCOME_TOO_LATE);
	if (f->res)
		mix_up(s, q);
	return aside(s, &q->removal[q->answered++ % TIMERS_TURNS], 0, f);
}

static uint64_t timed_out(struct service *s, const struct found *f)
{
	struct requests *q = &f->slot->requests[f->role];
	const struct sent *sent = &q->timeout[q->heard % TIMERS_TURNS];

	if (q->heard == q->set)
		run_fail(0, "a timeout that nobody set");
	q->heard++;
	if (f->res == -ECANCELED)
		return aside(s, sent, 1u << MARK_CANCELLED, f);
	if (q->heard != q->set || q->off || !f->slot->live)
		return aside(s, sent, 0, f);
	q->off = true;
	take(s->w, sent, s->takes++, 0, f->before, f->after, f->from);
	return service_expired(s, f->slot, f->role);
}

static uint64_t completed(struct service *s, const struct found *f)
{
	bool live = f->slot->live;
	uint64_t t;

	f->slot->flying--;
	s->flying--;
	switch (f->res) {
	case -ETIME:
	case -ECANCELED:
		t = timed_out(s, f);
		break;
	case 0:
	case -ENOENT:
	case -EALREADY:
		t = answered(s, f);
		break;
	default:
		run_fail(f->res, "a timeout failed");
	}
	if (!live) /* who ends an operation puts its slot back, if nothing of it flies */
		slot_put(s, f->slot);
	return t;
}

OPERATOR static unsigned look(struct service *s)
{
	return io_uring_cq_ready(&s->ring);
}

void ring_take(struct service *s)
{
	unsigned n = look(s);
	uint64_t after = act_now(s->w), from = after;

	for (unsigned i = 0; i < n; i++) {
		struct found f = {.before = s->poller.before, .after = after, .from = from};
		struct io_uring_cqe *cqe;
		unsigned head;

		io_uring_for_each_cqe(&s->ring, head, cqe) break;
		f.slot = (struct slot *)(uintptr_t)(cqe->user_data & ~(uint64_t)TIMERS_APART);
		f.role = cqe->user_data & TIMERS_APART ? ROLE_GUARD : ROLE_RETRY;
		f.res = cqe->res;
		io_uring_cq_advance(&s->ring, 1);
		from = completed(s, &f);
	}
}
