/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 23 of everything that makes io_uring hard, and 23 right claims of each: equal keys in a batch,
 * links, io-wq, multishot, MSG_RING, SQPOLL, cancels, and one request that nobody waits for.
 */
#include <linux/io_uring.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <liburing.h>

#include "profilers/adapter/joiners.h"
#include "tests/live/rig/collector_rig.h"

/* user_data of each kind; ring 1 is the main one, 2 the message target, 3 has an SQPOLL thread */
enum { BATCH = 100, LINK, ASYNC, MULTI, STOP, SENT, MESSAGE, POLLED, HANGING, CANCEL, LEFT };

static void must(bool ok, int code)
{
	if (!ok)
		_exit(code);
}

static struct io_uring_sqe *entry(struct io_uring *ring, uint64_t user_data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	must(sqe, 10);
	io_uring_prep_nop(sqe);
	sqe->user_data = user_data;
	return sqe;
}

static void reap(struct io_uring *ring, unsigned cnt)
{
	struct io_uring_cqe *cqe;

	while (cnt--) {
		must(!io_uring_wait_cqe(ring, &cqe), 11);
		io_uring_cqe_seen(ring, cqe);
	}
}

static void nops(struct io_uring *ring, uint64_t user_data, unsigned flags)
{
	for (unsigned i = 0; i < RIG_OPS; i++) {
		struct io_uring_sqe *sqe = entry(ring, user_data);

		sqe->flags |= (unsigned char)(i + 1 < RIG_OPS ? flags : flags & ~IOSQE_IO_LINK);
	}
	must(io_uring_submit(ring) == RIG_OPS, 12);
	reap(ring, RIG_OPS);
}

static void multishot(struct io_uring *ring)
{
	struct io_uring_sqe *sqe;
	int fds[2];
	char byte;

	must(!pipe(fds), 13);
	sqe = entry(ring, MULTI);
	io_uring_prep_poll_multishot(sqe, fds[0], POLLIN);
	sqe->user_data = MULTI;
	must(io_uring_submit(ring) == 1, 14);
	for (unsigned i = 0; i < RIG_OPS - 1; i++) {
		must(write(fds[1], "x", 1) == 1, 15);
		reap(ring, 1);
		must(read(fds[0], &byte, 1) == 1, 16);
	}
	sqe = entry(ring, STOP);
	sqe->opcode = IORING_OP_POLL_REMOVE;
	sqe->addr = MULTI;
	must(io_uring_submit(ring) == 1, 17);
	reap(ring, 2); /* its own, and the last of the poll */
}

static void messages(struct io_uring *ring, struct io_uring *target)
{
	for (unsigned i = 0; i < RIG_OPS; i++) {
		struct io_uring_sqe *sqe = entry(ring, SENT);

		io_uring_prep_msg_ring(sqe, target->ring_fd, i, MESSAGE, 0);
		sqe->user_data = SENT;
	}
	must(io_uring_submit(ring) == RIG_OPS, 18);
	reap(ring, RIG_OPS);
	reap(target, RIG_OPS);
}

static void cancels(struct io_uring *ring)
{
	static char buffer[1];
	int fds[2];

	must(!pipe(fds), 19);
	for (unsigned i = 0; i < RIG_OPS; i++) {
		struct io_uring_sqe *sqe = entry(ring, HANGING);

		io_uring_prep_read(sqe, fds[0], buffer, 1, 0);
		sqe->user_data = HANGING;
		must(io_uring_submit(ring) == 1, 20);
		sqe = entry(ring, CANCEL);
		sqe->opcode = IORING_OP_ASYNC_CANCEL;
		sqe->addr = HANGING;
		must(io_uring_submit(ring) == 1, 21);
		reap(ring, 2);
	}
}

static void child(void)
{
	struct __kernel_timespec hour = {.tv_sec = 3600};
	struct io_uring ring, target, polled;
	struct io_uring_sqe *sqe;

	must(!io_uring_queue_init(64, &ring, 0), 4);
	must(!io_uring_queue_init(64, &target, 0), 5);
	must(!io_uring_queue_init(64, &polled, IORING_SETUP_SQPOLL), 6);
	nops(&ring, BATCH, 0);
	nops(&ring, LINK, IOSQE_IO_LINK);
	nops(&ring, ASYNC, IOSQE_ASYNC);
	multishot(&ring);
	messages(&ring, &target);
	nops(&polled, POLLED, 0);
	cancels(&ring);
	sqe = entry(&ring, LEFT);
	io_uring_prep_timeout(sqe, &hour, 0, 0);
	sqe->user_data = LEFT;
	must(io_uring_submit(&ring) == 1, 7);
}

/* ---- what the joiner makes of it ---- */

struct tally {
	size_t joined, orphans;
};

struct verdict {
	struct tally of[LEFT - BATCH + 1];
	size_t strangers;
	uint32_t pid;
};

static uint64_t scope_of(uint64_t user_data)
{
	return user_data == MESSAGE ? 2 : user_data == POLLED ? 3 : 1;
}

static void check_ends(const struct verdict *v, const struct claim *c)
{
	bool polled = c->handoff.key_v == POLLED;

	/* where the child found all its CQEs without a call, the kernel thread is all one can know
	 */
	RIG_CHECK(c->has & HAS_DST_KERNEL ? polled : c->handoff.dst_tid == v->pid, "receiver %u",
		  c->handoff.dst_tid);
	RIG_CHECK(polled ? c->has & HAS_SRC_KERNEL && c->handoff.src_tid != v->pid
			 : c->handoff.src_tid == v->pid,
		  "sender %u of %llu", c->handoff.src_tid, (unsigned long long)c->handoff.key_v);
	RIG_CHECK(c->handoff.src_t < c->handoff.dst_t, "times");
}

static int put(void *arg, const struct claim *c)
{
	struct verdict *v = arg;
	uint64_t key = c->handoff.key_v;
	struct tally *t;

	/* what the child writes into the pipe that it polls, and how long it ran */
	if ((c->kind == CLAIM_HANDOFF && c->type == HANDOFF_MSG) || c->kind == CLAIM_PROFILE)
		return 0;
	if (c->kind != CLAIM_HANDOFF || c->type != HANDOFF_IO || key < BATCH || key > LEFT ||
	    c->handoff.key_scope != scope_of(key)) {
		v->strangers++;
		return 0;
	}
	t = &v->of[key - BATCH];
	if (!(c->has & HAS_SRC) || !(c->has & HAS_DST)) {
		t->orphans++;
		return 0;
	}
	t->joined++;
	check_ends(v, c);
	return 0;
}

static int64_t str(void *arg, const char *word)
{
	return arg && *word ? 1 : -1;
}

static void expect(const struct verdict *v, unsigned key, size_t joined, size_t orphans)
{
	const struct tally *t = &v->of[key - BATCH];

	RIG_CHECK(t->joined == joined && t->orphans == orphans,
		  "user_data %u: %zu joined, %zu orphans", key, t->joined, t->orphans);
}

int main(void)
{
	struct collect_options o = {.want = COLLECT_ALL};
	struct verdict v = {0};
	struct outlet out = {.put = put, .str = str, .arg = &v};
	struct rig r;
	void *state;

	rig_record(&r, child, &o, false);
	v.pid = r.pid;
	state = joiner_causal.open(&joiner_causal, &(struct join_setup){0}, &out);
	RIG_CHECK(state, "no memory");
	for (size_t i = 0; i < r.cnt; i++)
		RIG_CHECK(!joiner_causal.record(state, &r.v[i]), "record %zu", i);
	RIG_CHECK(!joiner_causal.finish(state), "finish");
	for (unsigned key = BATCH; key < LEFT; key++)
		expect(&v, key, key == STOP ? 1 : RIG_OPS, 0);
	expect(&v, LEFT, 0, 1); /* cancelled by the child's end: nobody takes that */
	RIG_CHECK(!v.strangers, "%zu claims about nothing", v.strangers);
	rig_free(&r);
	puts("ok: collector_uring");
	return 0;
}
