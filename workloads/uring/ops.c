/* SPDX-License-Identifier: BSD-2-Clause */
/* What the storage server does for a request, step by step. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "workloads/uring/uring.h"

/* Shares of what an operation costs, in hundredths: at its arrival, split over its completions. */
enum { SHARE_BEGIN = 20, SHARE_PIECES = 80, SHARES = 100 };

static unsigned fanout(const struct server *sv)
{
	return sv->w->run->options->fanout;
}

static bool serial(const struct server *sv)
{
	return sv->w->run->options->serial;
}

static struct server *log_writer(const struct server *sv)
{
	return &sv->store->servers[sv->store->servers_cnt - 1];
}

static struct server *peer_of(const struct server *sv)
{
	unsigned workers = sv->store->servers_cnt - 1;

	return workers > 1 ? &sv->store->servers[(sv->w->index + 1) % workers] : log_writer(sv);
}

/* ---- entries ---- */

static uint64_t draw_offset(struct server *sv)
{
	return (uint64_t)rng_below(&sv->w->rng, URING_FILE / 512 - 2) * 512;
}

static void add_read(struct server *sv, struct slot *s, uint8_t flags, uint16_t marks)
{
	struct request *q = request_new(s, EXPECT_BYTES, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_read(sqe, sv->store->file, request_buffer(s, q), request_bytes(s, q),
			   draw_offset(sv));
	sqe->flags |= flags;
	server_add(sv, sqe, s, q, marks);
	s->waiting++;
}

static void add_write(struct server *sv, struct slot *s)
{
	struct request *q = request_new(s, EXPECT_BYTES, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	memset(request_buffer(s, q), (int)request_bytes(s, q), request_bytes(s, q));
	io_uring_prep_write(sqe, sv->store->file, request_buffer(s, q), request_bytes(s, q),
			    draw_offset(sv));
	sqe->flags |= IOSQE_IO_LINK;
	server_add(sv, sqe, s, q, 1u << MARK_LINKED);
	s->waiting++;
}

/* The first goes through io-wq and so comes late; of the others about half. */
static void add_reads(struct server *sv, struct slot *s, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		add_read(sv, s, i == 0 || rng_next(&sv->w->rng) & 1 ? IOSQE_ASYNC : 0, 0);
}

static long long draw_ns(struct server *sv, unsigned from_us, unsigned to_us)
{
	return 1000ll * (from_us + rng_below(&sv->w->rng, to_us - from_us));
}

/* A deadline that its operation does not wait for: it may outlive it. */
static void add_deadline(struct server *sv, struct slot *s)
{
	struct request *q;
	struct io_uring_sqe *sqe;

	if (serial(sv) || slot_expects(s, EXPECT_TIMER, 0))
		return;
	q = request_new(s, EXPECT_TIMER, 0);
	q->awaited = false;
	sqe = server_entry(sv);
	s->deadline.tv_nsec = draw_ns(sv, 200, 1200);
	io_uring_prep_timeout(sqe, &s->deadline, 0, 0);
	server_add(sv, sqe, s, q, 0);
}

/* A read of an empty pipe, to be cancelled. */
static void add_hanging(struct server *sv, struct slot *s, unsigned apart, uint16_t marks,
			uint8_t flags)
{
	struct request *q = request_new(s, EXPECT_CANCELLED, apart);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_read(sqe, s->pipe[0], request_buffer(s, q), 1, 0);
	sqe->flags |= flags;
	server_add(sv, sqe, s, q, marks | 1u << MARK_CANCELLED);
	s->waiting++;
}

/* The same with a timeout linked to it. */
static void add_limited(struct server *sv, struct slot *s)
{
	struct request *q;
	struct io_uring_sqe *sqe;

	add_hanging(sv, s, URING_APART, 1u << MARK_LINKED, IOSQE_IO_LINK);
	q = request_new(s, EXPECT_TIMER, URING_APART);
	sqe = server_entry(sv);
	s->limit.tv_nsec = draw_ns(sv, 80, 300);
	io_uring_prep_link_timeout(sqe, &s->limit, 0);
	server_add(sv, sqe, s, q, 1u << MARK_LINKED);
	s->waiting++;
}

static void add_cancel(struct server *sv, struct slot *s)
{
	struct request *q = request_new(s, EXPECT_CANCEL, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_rw(IORING_OP_ASYNC_CANCEL, sqe, s->pipe[0], NULL, 0, 0);
	sqe->cancel_flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL;
	server_add(sv, sqe, s, q, 0);
	s->waiting++;
}

static void add_poll(struct server *sv, struct slot *s)
{
	struct request *q = request_new(s, EXPECT_POLL, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_poll_multishot(sqe, s->pipe[0], POLLIN);
	server_add(sv, sqe, s, q, 1u << MARK_MULTISHOT);
	s->waiting++; /* for its end */
}

/* Asks another server to work for this operation: its answer and our own entry are awaited. */
static void add_ask(struct server *sv, struct slot *s, struct server *target)
{
	server_message(sv, s, target, s, VERB_WORK, rng_next(&sv->w->rng) & 1 ? IOSQE_ASYNC : 0);
	s->waiting += 2;
}

static void note(struct slot *s)
{
	if (write(s->pipe[1], "", 1) != 1)
		run_fail(-errno, "cannot write a notification");
}

static void read_note(struct slot *s)
{
	char byte;

	if (read(s->pipe[0], &byte, 1) != 1)
		run_fail(-errno, "cannot read a notification");
}

/* ---- the first step of each kind ---- */

static void first_get(struct server *sv, struct slot *s)
{
	s->pieces = fanout(sv);
	add_reads(sv, s, fanout(sv));
	if (rng_below(&sv->w->rng, 3) == 0)
		add_deadline(sv, s);
}

static void first_scan(struct server *sv, struct slot *s)
{
	s->pieces = fanout(sv);
	for (unsigned i = 0; i < fanout(sv); i++) {
		add_read(sv, s, IOSQE_ASYNC, 0);
		if (i + 1 < fanout(sv))
			server_submit(sv, s->op.id);
	}
}

/* Linked writes and a read that ends their chain, between two other reads. */
static void add_chain(struct server *sv, struct slot *s)
{
	unsigned writes = (fanout(sv) + 1) / 2;

	add_read(sv, s, IOSQE_ASYNC, 0);
	for (unsigned i = 0; i < writes; i++)
		add_write(sv, s);
	add_read(sv, s, 0, 1u << MARK_LINKED);
	add_read(sv, s, 0, 0);
}

static void first_put(struct server *sv, struct slot *s)
{
	add_chain(sv, s);
	s->pieces = s->waiting;
}

static void first_ask(struct server *sv, struct slot *s, struct server *target)
{
	unsigned reads = fanout(sv) / 2 + 1;

	s->pieces = reads + 1 + fanout(sv); /* ours, the answer, those at the other end */
	add_reads(sv, s, reads);
	add_ask(sv, s, target);
}

static void first_follow(struct server *sv, struct slot *s)
{
	s->notes = fanout(sv) / 2 + 1;
	s->pieces = fanout(sv) + s->notes + 1;
	add_poll(sv, s);
	server_submit(sv, s->op.id);
	add_reads(sv, s, fanout(sv));
	server_submit(sv, s->op.id);
	note(s);
}

static void first_probe(struct server *sv, struct slot *s)
{
	bool by_hand = rng_next(&sv->w->rng) & 1;

	s->pieces = fanout(sv) + 1;
	add_reads(sv, s, fanout(sv));
	if (!by_hand) {
		add_limited(sv, s);
		return;
	}
	add_hanging(sv, s, 0, 0, 0);
	server_submit(sv, s->op.id);
	add_cancel(sv, s);
}

static void first_step(struct server *sv, struct slot *s)
{
	switch (s->op.kind) {
	case KIND_GET:
		first_get(sv, s);
		break;
	case KIND_SCAN:
		first_scan(sv, s);
		break;
	case KIND_PUT:
		first_put(sv, s);
		break;
	case KIND_REPLICATE:
		first_ask(sv, s, peer_of(sv));
		break;
	case KIND_APPEND:
		first_ask(sv, s, log_writer(sv));
		break;
	case KIND_FOLLOW:
		first_follow(sv, s);
		break;
	default:
		first_probe(sv, s);
		break;
	}
	if (sv->batch_cnt)
		server_submit(sv, s->op.id);
}

static unsigned draw_kind(struct rng *r)
{
	static const uint8_t below[] = {30, 45, 60, 72, 82, 90, 100};
	unsigned x = rng_below(r, 100), kind = 0;

	while (x >= below[kind])
		kind++;
	return kind;
}

void operation_begin(struct server *sv, uint64_t arrival)
{
	struct slot *s = slot_get(sv);

	if (!s)
		run_fail(0, "no slot for an operation");
	op_begin(sv->w, &s->op, draw_kind(&sv->w->rng), arrival);
	act_burn(sv->w, SHARE_BEGIN, SHARES);
	first_step(sv, s);
	segment_close(sv->w);
}

/* ---- work for others ---- */

/* Message taken: a slot of our own stands for the asker's operation here. */
static uint64_t work_begin(struct server *sv, struct slot *home, const struct sent *sent,
			   const struct completion *c)
{
	struct slot *s = slot_get(sv);

	if (!s)
		run_fail(0, "no slot for another's operation");
	take(sv->w, sent, sv->takes++, 0, c->before, c->after, c->from);
	s->op = home->op;
	s->home = home;
	s->asker = home->owner;
	s->pieces = home->pieces;
	if (sv->sqpoll)
		add_chain(sv, s);
	else
		add_reads(sv, s, fanout(sv));
	server_submit(sv, s->op.id);
	return segment_close(sv->w);
}

/* All done here: answer. No segment is open: the operation may end before we are back. */
static void work_end(struct server *sv, struct slot *s)
{
	s->waiting = 1; /* our own end of the message */
	s->stage++;
	server_message(sv, s, s->asker, s->home, VERB_REPLY, 0);
	server_submit(sv, s->op.id);
}

/* ---- completions ---- */

static bool matches(const struct slot *s, const struct request *q, const struct completion *c)
{
	if (!q->used || q->apart != c->apart)
		return false;
	switch (q->expect) {
	case EXPECT_BYTES:
		return c->res == (int32_t)request_bytes(s, q);
	case EXPECT_TIMER:
		return c->res == -ETIME;
	case EXPECT_CANCELLED:
		return c->res == -ECANCELED;
	case EXPECT_CANCEL:
		return c->res == 1 && !(c->flags & IORING_CQE_F_MORE);
	case EXPECT_POLL:
		return (c->res > 0 && c->flags & IORING_CQE_F_MORE) || c->res == -ECANCELED;
	default:
		return c->res == 0;
	}
}

/* The one request that can have returned this. */
static struct request *find_request(struct slot *s, const struct completion *c)
{
	struct request *found = NULL;

	for (unsigned i = 0; i < URING_REQUESTS; i++) {
		struct request *q = &s->request[i];

		if (!matches(s, q, c))
			continue;
		if (found)
			run_fail(0, "result %d fits two requests", c->res);
		found = q;
	}
	if (!found)
		run_fail(0, "result %d (flags %x) fits no request", c->res, c->flags);
	return found;
}

/* An operation has nothing left to wait for; its last segment is open, and closed on return. */
static uint64_t operation_end(struct server *sv, struct slot *s)
{
	uint64_t now;

	op_end(sv->w, &s->op);
	now = arrivals_clock();
	histogram_add(&sv->w->latency, now - s->op.arrival);
	arrivals_done(&sv->w->arrivals);
	slot_put(s);
	return act_now(sv->w);
}

static uint64_t step_end(struct server *sv, struct slot *s)
{
	uint64_t t;

	if (!s->home)
		return operation_end(sv, s);
	t = segment_close(sv->w);
	work_end(sv, s);
	return t;
}

static void burn_piece(struct server *sv, const struct slot *s)
{
	act_burn(sv->w, SHARE_PIECES, SHARES * s->pieces);
}

/* One shot of many: the next notification, or enough of them. */
static void followed(struct server *sv, struct slot *s)
{
	read_note(s);
	if (--s->notes) {
		note(s);
		return;
	}
	add_cancel(sv, s);
	server_submit(sv, s->op.id);
}

/* A multishot request's sending end is written with each of its shots. */
static struct sent shot(struct server *sv, struct request *q, bool more)
{
	struct sent s = q->sent;

	if (q->expect != EXPECT_POLL)
		return s;
	if (more) {
		uint64_t t0 = q->sent.t0;

		sent_begin(sv->w, &q->sent, HANDOFF_IO, s.op, s.key, s.seq, s.marks, t0);
	} else {
		s.marks |= 1u << MARK_CANCELLED;
	}
	sent_end(sv->w, &s, q->t1);
	return s;
}

/* Taken after its operation, or of no consequence to it: no segment. */
static uint64_t completed_aside(struct server *sv, const struct sent *sent, uint16_t marks,
				const struct completion *c)
{
	uint64_t now = act_now(sv->w);

	take_only(sv->w, sent, sv->takes++, marks, c->before, c->after, now);
	return now;
}

/* The answer's own end: nobody waits for it, the operation may be over. */
static uint64_t answered(struct server *sv, struct slot *s, const struct sent *sent,
			 const struct completion *c)
{
	slot_put(s);
	return completed_aside(sv, sent, 0, c);
}

static uint64_t request_completed(struct server *sv, struct slot *s, const struct completion *c)
{
	struct request *q = find_request(s, c);
	bool more = c->flags & IORING_CQE_F_MORE, late = !s->busy || q->serial != s->serial;
	bool awaited = q->awaited && !more, poll = q->expect == EXPECT_POLL && more;
	struct sent sent = shot(sv, q, more);

	if (!more) {
		q->used = false;
		sv->outstanding--;
	}
	if (late || !(awaited || poll))
		return completed_aside(sv, &sent, late ? 1u << MARK_LATE : 0, c);
	if (s->home && s->stage)
		return answered(sv, s, &sent, c);
	take(sv->w, &sent, sv->takes++, 0, c->before, c->after, c->from);
	if (q->expect != EXPECT_SENT && q->expect != EXPECT_CANCEL)
		burn_piece(sv, s);
	if (poll)
		followed(sv, s);
	else if (--s->waiting == 0)
		return step_end(sv, s);
	return segment_close(sv->w);
}

static struct sent mail_open(struct slot *s)
{
	if (!atomic_load_explicit(&s->mail.posted, memory_order_acquire))
		run_fail(0, "a message without a sender");
	atomic_store_explicit(&s->mail.posted, false, memory_order_relaxed);
	return s->mail.sent;
}

static uint64_t message_completed(struct server *sv, struct slot *s, enum verb verb,
				  const struct completion *c)
{
	struct sent sent = mail_open(s);

	switch (verb) {
	case VERB_WORK:
		return work_begin(sv, s, &sent, c);
	case VERB_REPLY:
		take(sv->w, &sent, sv->takes++, 0, c->before, c->after, c->from);
		burn_piece(sv, s);
		if (--s->waiting == 0)
			return step_end(sv, s);
		return segment_close(sv->w);
	default:
		sv->stopping = true;
		sv->last_op = sent.op;
		return completed_aside(sv, &sent, 0, c);
	}
}

uint64_t operation_completed(struct server *sv, const struct completion *c)
{
	if (c->res >= URING_MESSAGE)
		return message_completed(sv, c->slot, (enum verb)(c->res - URING_MESSAGE), c);
	return request_completed(sv, c->slot, c);
}

/* ---- the end ---- */

void operation_stop(struct server *sv)
{
	struct op op;

	op_begin(sv->w, &op, KIND_STOP, arrivals_clock());
	for (unsigned i = 0; i < sv->store->servers_cnt; i++) {
		struct server *other = &sv->store->servers[i];
		struct slot *s;

		if (other == sv)
			continue;
		s = slot_get(sv);
		s->op = op;
		s->home = s;
		s->stage = 1; /* what is left of it is its own end of the message */
		server_message(sv, s, other, s, VERB_STOP, 0);
	}
	server_submit(sv, op.id);
	op_end(sv->w, &op);
	sv->stopping = true;
	sv->last_op = op.id;
}

void operation_leave(struct server *sv)
{
	struct slot *s = slot_get(sv);
	struct request *q = request_new(s, EXPECT_CANCELLED, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	s->deadline = (struct __kernel_timespec){.tv_sec = 3600};
	io_uring_prep_timeout(sqe, &s->deadline, 0, 0);
	server_add(sv, sqe, s, q, 1u << MARK_CANCELLED);
	server_submit(sv, sv->last_op);
	sent_lost(sv->w, &q->sent, 1u << MARK_LOST);
}
