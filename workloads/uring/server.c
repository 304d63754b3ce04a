/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread's ring: slots, entries, submitting and taking. */
#include <errno.h>
#include <string.h>

#include "workloads/uring/uring.h"

/* ---- slots ---- */

/* Last in, first out: an address is in use again as soon as it can be. */
OPERATOR struct slot *slot_get(struct server *sv)
{
	struct slot *s = sv->free;

	if (!s)
		return NULL;
	sv->free = s->next;
	s->busy = true;
	s->serial++;
	s->home = NULL;
	s->stage = s->waiting = s->notes = 0;
	return s;
}

void slot_list(struct slot *s)
{
	s->next = s->owner->free;
	s->owner->free = s;
}

OPERATOR void slot_put(struct slot *s)
{
	s->busy = false;
	slot_list(s);
}

/* ---- requests ---- */

bool slot_expects(const struct slot *s, enum expect expect, unsigned apart)
{
	for (unsigned i = 0; i < URING_REQUESTS; i++) {
		const struct request *q = &s->request[i];

		if (q->used && q->expect == expect && q->apart == apart)
			return true;
	}
	return false;
}

struct request *request_new(struct slot *s, enum expect expect, unsigned apart)
{
	if (expect != EXPECT_BYTES && slot_expects(s, expect, apart))
		run_fail(0, "two requests of one slot could not be told apart");
	for (unsigned i = 0; i < URING_REQUESTS; i++) {
		struct request *q = &s->request[i];

		if (q->used)
			continue;
		*q = (struct request){.used = true,
				      .awaited = true,
				      .serial = s->serial,
				      .apart = (uint8_t)apart,
				      .expect = (uint8_t)expect};
		return q;
	}
	run_fail(0, "a slot has too many requests in flight");
}

static unsigned request_index(const struct slot *s, const struct request *q)
{
	return (unsigned)(q - s->request);
}

uint32_t request_bytes(const struct slot *s, const struct request *q)
{
	return URING_BYTES + request_index(s, q) * URING_STEP;
}

uint8_t *request_buffer(const struct slot *s, const struct request *q)
{
	return s->buffer[request_index(s, q)];
}

/* ---- sending ---- */

struct io_uring_sqe *server_entry(struct server *sv)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&sv->ring);

	while (!sqe && sv->sqpoll) { /* its thread is behind */
		io_uring_sqring_wait(&sv->ring);
		sqe = io_uring_get_sqe(&sv->ring);
	}
	if (!sqe || sv->batch_cnt == URING_BATCH)
		run_fail(0, "no room in a submission queue");
	return sqe;
}

void server_add(struct server *sv, struct io_uring_sqe *sqe, struct slot *s, struct request *q,
		uint16_t marks)
{
	sqe->user_data = (uintptr_t)s + q->apart;
	if (sqe->flags & IOSQE_ASYNC)
		marks |= 1u << MARK_PUNTED;
	if (sv->sqpoll)
		marks |= 1u << MARK_SQPOLL;
	sv->batch[sv->batch_cnt++] = (struct batch_entry){.request = q, .slot = s, .marks = marks};
}

void server_message(struct server *sv, struct slot *s, struct server *target, struct slot *to,
		    enum verb verb, uint8_t sqe_flags)
{
	struct request *q = request_new(s, EXPECT_SENT, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_msg_ring(sqe, target->ring.ring_fd, URING_MESSAGE + verb, (uintptr_t)to, 0);
	sqe->flags |= sqe_flags;
	server_add(sv, sqe, s, q, 0);
	sv->batch[sv->batch_cnt - 1].to = to;
	sv->batch[sv->batch_cnt - 1].server = target;
}

static struct rec_key key_of(const struct server *sv, const struct slot *s, unsigned apart)
{
	return (struct rec_key){.v = (uintptr_t)s + apart,
				.scope = sv->scope,
				.ns = KEY_USER_DATA,
				.has_scope = true};
}

static uint16_t key_marks(struct slot *s, unsigned apart, unsigned scope)
{
	uint32_t *used_at = &s->used[apart != 0];
	bool used = *used_at & (1u << scope);

	*used_at |= 1u << scope;
	return used ? 1u << MARK_REUSED_KEY : 0;
}

/* Posted before the call: the receiver may have it before the sender is back. */
static struct sent post_message(struct server *sv, const struct batch_entry *e, uint64_t op,
				uint64_t t0)
{
	uint16_t marks = (uint16_t)(e->marks | 1u << MARK_MESSAGE | 1u << MARK_CROSS);
	struct sent s;

	/* who answers names the asker's slot, whose key the asker's own entry has used by then */
	marks |= e->to->owner == sv ? key_marks(e->to, 0, e->server->scope) : 1u << MARK_REUSED_KEY;
	sent_begin(sv->w, &s, HANDOFF_IO, op, key_of(e->server, e->to, 0), sv->seq, marks, t0);
	e->to->mail.sent = s;
	atomic_store_explicit(&e->to->mail.posted, true, memory_order_release);
	return s;
}

OPERATOR static void submit(struct server *sv)
{
	int n = io_uring_submit(&sv->ring);

	/* with a submission thread n counts what it has not yet fetched, earlier entries too */
	if (n < 0 || (!sv->sqpoll && n != (int)sv->batch_cnt))
		run_fail(n < 0 ? n : 0, "%d of %u entries submitted", n, sv->batch_cnt);
}

void server_submit(struct server *sv, uint64_t op)
{
	struct sent message[URING_BATCH];
	uint64_t t0 = act_now(sv->w), t1;

	for (unsigned i = 0; i < sv->batch_cnt; i++) {
		struct batch_entry *e = &sv->batch[i];
		unsigned apart = e->request->apart;

		sent_begin(sv->w, &e->request->sent, HANDOFF_IO, op, key_of(sv, e->slot, apart),
			   sv->seq++, e->marks | key_marks(e->slot, apart, sv->scope), t0);
		if (e->to)
			message[i] = post_message(sv, e, op, t0);
	}
	submit(sv);
	t1 = act_now(sv->w);
	for (unsigned i = 0; i < sv->batch_cnt; i++) {
		struct batch_entry *e = &sv->batch[i];

		e->request->t1 = t1;
		if (e->request->expect != EXPECT_POLL)
			sent_end(sv->w, &e->request->sent, t1);
		if (e->to)
			sent_end(sv->w, &message[i], t1);
	}
	sv->outstanding += sv->batch_cnt;
	sv->batch_cnt = 0;
}

/* ---- taking ---- */

OPERATOR static unsigned look(struct server *sv)
{
	return io_uring_cq_ready(&sv->ring);
}

unsigned server_take(struct server *sv)
{
	/*
	 * The kernel traces a completion a moment before it shows it, and where another thread
	 * posts the last look can fall into that moment: what counts is the look before. A ring
	 * with DEFER_TASKRUN is none without others: on Linux 6.1 io-wq posts there as well.
	 */
	uint64_t before = sv->look_before;
	uint64_t now = act_now(sv->w), after, from;
	unsigned n = look(sv);

	sv->look_before = sv->look;
	sv->look = now;
	if (n == 0)
		return 0;
	after = from = act_now(sv->w);
	for (unsigned i = 0; i < n; i++) {
		struct completion c = {.before = before, .after = after, .from = from};
		struct io_uring_cqe *cqe;
		unsigned head;

		io_uring_for_each_cqe(&sv->ring, head, cqe) break;
		c.slot = (struct slot *)(uintptr_t)(cqe->user_data & ~(uint64_t)URING_APART);
		c.apart = cqe->user_data & URING_APART;
		c.res = cqe->res;
		c.flags = cqe->flags;
		io_uring_cq_advance(&sv->ring, 1);
		from = operation_completed(sv, &c);
	}
	return n;
}

void server_wait(struct server *sv, uint64_t ns)
{
	struct __kernel_timespec ts = {.tv_sec = (long long)(ns / 1000000000),
				       .tv_nsec = (long long)(ns % 1000000000)};
	struct io_uring_cqe *cqe;
	int err = io_uring_wait_cqe_timeout(&sv->ring, &cqe, ns == UINT64_MAX ? NULL : &ts);

	if (err && err != -ETIME && err != -EINTR && err != -EAGAIN)
		run_fail(err, "cannot wait for completions");
}
