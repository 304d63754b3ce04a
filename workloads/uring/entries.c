/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries that operations are made of; server_submit sends what has been added. */
#include "workloads/uring/entries.h"

#include <poll.h>
#include <string.h>

static unsigned fanout(const struct server *sv)
{
	return sv->w->run->options->fanout;
}

static bool serial(const struct server *sv)
{
	return sv->w->run->options->serial;
}

static uint64_t draw_offset(struct server *sv)
{
	return (uint64_t)rng_below(&sv->w->rng, URING_FILE / 512 - 2) * 512;
}

void add_read(struct server *sv, struct slot *s, uint8_t flags, uint16_t marks)
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
void add_reads(struct server *sv, struct slot *s, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		add_read(sv, s, i == 0 || rng_next(&sv->w->rng) & 1 ? IOSQE_ASYNC : 0, 0);
}

static long long draw_ns(struct server *sv, unsigned from_us, unsigned to_us)
{
	return 1000ll * (from_us + rng_below(&sv->w->rng, to_us - from_us));
}

/* A deadline that its operation does not wait for: it may outlive it. */
void add_deadline(struct server *sv, struct slot *s)
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
void add_hanging(struct server *sv, struct slot *s, unsigned apart, uint16_t marks, uint8_t flags)
{
	struct request *q = request_new(s, EXPECT_CANCELLED, apart);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_read(sqe, s->pipe[0], request_buffer(s, q), 1, 0);
	sqe->flags |= flags;
	server_add(sv, sqe, s, q, marks | 1u << MARK_CANCELLED);
	s->waiting++;
}

/* The same with a timeout linked to it. */
void add_limited(struct server *sv, struct slot *s)
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

void add_cancel(struct server *sv, struct slot *s)
{
	struct request *q = request_new(s, EXPECT_CANCEL, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_rw(IORING_OP_ASYNC_CANCEL, sqe, s->pipe[0], NULL, 0, 0);
	sqe->cancel_flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL;
	server_add(sv, sqe, s, q, 0);
	s->waiting++;
}

void add_poll(struct server *sv, struct slot *s)
{
	struct request *q = request_new(s, EXPECT_POLL, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	io_uring_prep_poll_multishot(sqe, s->pipe[0], POLLIN);
	server_add(sv, sqe, s, q, 1u << MARK_MULTISHOT);
	s->waiting++; /* for its end */
}

/* Asks another server to work for this operation: its answer and our own entry are awaited. */
void add_ask(struct server *sv, struct slot *s, struct server *target)
{
	server_message(sv, s, target, s, VERB_WORK, rng_next(&sv->w->rng) & 1 ? IOSQE_ASYNC : 0);
	s->waiting += 2;
}

/* Linked writes and a read that ends their chain, between two other reads. */
void add_chain(struct server *sv, struct slot *s)
{
	unsigned writes = (fanout(sv) + 1) / 2;

	add_read(sv, s, IOSQE_ASYNC, 0);
	for (unsigned i = 0; i < writes; i++)
		add_write(sv, s);
	add_read(sv, s, 0, 1u << MARK_LINKED);
	add_read(sv, s, 0, 0);
}
