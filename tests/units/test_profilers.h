/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records by hand into a joiner, its claims into an array: what the joiner tests share.
 *
 * Times are given by the order: every record is 1,000 ns after the one before.
 */
#ifndef ASSAY_TESTS_UNITS_TEST_PROFILERS_H
#define ASSAY_TESTS_UNITS_TEST_PROFILERS_H

#include <criterion/criterion.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <string.h>

#include "profilers/adapter/joiners.h"

enum { STREAM_MAX = 256, PID = 100, APP = 101, REAPER = 102, OTHER = 103, SQP = 190, WORKER = 191 };

#define RING_A	 UINT64_C(0xffff888100000000)
#define RING_B	 UINT64_C(0xffff888100010000)
#define REQ(n)	 (UINT64_C(0xffff888200000000) + (n)*256u)
#define WORD	 UINT64_C(0x7f0000001000)
#define WORD_TWO UINT64_C(0x7f0000001004)
#define CQE_MORE 2u

struct stream {
	const struct joiner *joiner;
	struct outlet outlet;
	void *state;
	uint64_t now;
	struct claim claims[STREAM_MAX];
	size_t cnt;
};

static int stream_put(void *arg, const struct claim *c)
{
	struct stream *s = arg;

	cr_assert_lt(s->cnt, STREAM_MAX);
	s->claims[s->cnt++] = *c;
	return 0;
}

static int64_t stream_str(void *arg, const char *word)
{
	return arg && *word ? 1 : -1;
}

static inline void stream_open_with(struct stream *s, const struct joiner *j,
				    const struct join_setup *setup)
{
	memset(s, 0, sizeof(*s));
	s->joiner = j;
	s->outlet = (struct outlet){.put = stream_put, .str = stream_str, .arg = s};
	s->state = j->open(j, setup, &s->outlet);
	cr_assert_not_null(s->state);
}

/* Without a manifest. */
static inline void stream_open(struct stream *s, const struct joiner *j)
{
	static const struct join_setup nothing;

	stream_open_with(s, j, &nothing);
}

static inline void stream_finish(struct stream *s)
{
	cr_assert_eq(s->joiner->finish(s->state), 0);
}

/* Returns its time. */
static inline uint64_t feed(struct stream *s, struct ev_rec r)
{
	s->now += 1000;
	r.t = s->now;
	if (!r.tgid)
		r.tgid = PID;
	cr_assert_eq(s->joiner->record(s->state, &r), 0);
	return r.t;
}

static inline uint64_t create(struct stream *s, uint64_t ring, unsigned fd, unsigned flags)
{
	return feed(s, (struct ev_rec){
			       .kind = EV_IO_CREATE, .tid = APP, .a = ring, .b = fd, .e = flags});
}

static inline uint64_t submit_op(struct stream *s, uint32_t tid, uint64_t ring, uint64_t req,
				 uint64_t v, uint8_t opcode)
{
	return feed(s, (struct ev_rec){.kind = EV_IO_SUBMIT,
				       .tid = tid,
				       .flags = tid >= SQP ? EV_F_KERNEL : 0,
				       .a = ring,
				       .b = req,
				       .c = v,
				       .d = opcode});
}

static inline uint64_t submit(struct stream *s, uint32_t tid, uint64_t ring, uint64_t req,
			      uint64_t v)
{
	return submit_op(s, tid, ring, req, v, IORING_OP_READ);
}

static inline uint64_t message(struct stream *s, uint32_t tid, uint64_t ring, uint64_t req,
			       uint64_t target, uint64_t v)
{
	return feed(s, (struct ev_rec){.kind = EV_IO_MSG,
				       .tid = tid,
				       .a = ring,
				       .b = req,
				       .c = v,
				       .d = 9 | UINT64_C(77) << 32,
				       .e = target});
}

static inline uint64_t complete_with(struct stream *s, uint32_t tid, uint64_t ring, uint64_t req,
				     uint64_t v, int64_t res, uint32_t cflags)
{
	return feed(s, (struct ev_rec){.kind = EV_IO_COMPLETE,
				       .tid = tid,
				       .flags = tid >= SQP ? EV_F_KERNEL : 0,
				       .a = ring,
				       .b = req,
				       .c = v,
				       .d = (uint64_t)res,
				       .e = cflags});
}

static inline uint64_t complete(struct stream *s, uint32_t tid, uint64_t ring, uint64_t req,
				uint64_t v)
{
	return complete_with(s, tid, ring, req, v, 0, 0);
}

static inline uint64_t wait_for_cqe(struct stream *s, uint32_t tid, uint64_t ring)
{
	return feed(s, (struct ev_rec){.kind = EV_IO_ENTER,
				       .tid = tid,
				       .c = 1,
				       .d = IORING_ENTER_GETEVENTS,
				       .e = ring});
}

static inline uint64_t futex(struct stream *s, uint32_t tid, uint64_t word, int op, uint64_t cnt,
			     uint64_t word2)
{
	return feed(s, (struct ev_rec){.kind = EV_FUTEX_ENTER,
				       .tid = tid,
				       .a = word,
				       .b = (uint64_t)(op | FUTEX_PRIVATE_FLAG),
				       .c = cnt,
				       .e = word2});
}

static inline uint64_t futex_end(struct stream *s, uint32_t tid, uint64_t word, int op, int64_t ret)
{
	return feed(s, (struct ev_rec){.kind = EV_FUTEX_EXIT,
				       .tid = tid,
				       .a = word,
				       .b = (uint64_t)(op | FUTEX_PRIVATE_FLAG),
				       .c = (uint64_t)ret});
}

static inline uint64_t waking(struct stream *s, uint32_t tid, uint32_t wakee)
{
	return feed(s, (struct ev_rec){.kind = EV_SCHED_WAKING, .tid = tid, .a = wakee, .b = PID});
}

static inline uint64_t lost(struct stream *s, uint64_t cnt)
{
	return feed(s, (struct ev_rec){.kind = EV_LOST, .tid = 0, .a = cnt, .b = s->now + 500});
}

/* ---- what came out ---- */

static inline void expect_ends(const struct claim *c, uint32_t src_tid, uint64_t src_t,
			       uint32_t dst_tid, uint64_t dst_t)
{
	cr_expect_eq(c->kind, CLAIM_HANDOFF);
	cr_expect_eq(!!(c->has & HAS_SRC), src_tid != 0, "has src");
	cr_expect_eq(!!(c->has & HAS_DST), dst_tid != 0, "has dst");
	cr_expect_eq(c->handoff.src_tid, src_tid, "src tid %u", c->handoff.src_tid);
	cr_expect_eq(c->handoff.src_t, src_t, "src t %lu", c->handoff.src_t);
	cr_expect_eq(c->handoff.dst_tid, dst_tid, "dst tid %u", c->handoff.dst_tid);
	cr_expect_eq(c->handoff.dst_t, dst_t, "dst t %lu", c->handoff.dst_t);
}

static inline void expect_key(const struct claim *c, unsigned ns, uint64_t v, uint64_t scope)
{
	cr_expect_eq(c->ns, ns);
	cr_expect_eq(c->handoff.key_v, v, "key %#lx", c->handoff.key_v);
	cr_expect_eq(!!(c->has & HAS_SCOPE), scope != 0);
	cr_expect_eq(c->handoff.key_scope, scope);
}

#endif
