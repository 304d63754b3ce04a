/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that writes frames back: each is an operation of its own, several fly at a time. */
#include <errno.h>
#include <sched.h>

#include "workloads/pool/futex.h"
#include "workloads/pool/server.h"

/* A write-back burns this part of an operation's cost twice. */
enum { WRITER_PARTS = 40 };

/* One frame was taken from the queue: its operation begins, and the handoff that brought it. */
static void begin(struct session *s, struct frame *f, struct op *op, uint64_t before,
		  uint64_t after)
{
	struct sent sent = f->sent;

	op_begin(s->w, op, KIND_WRITEBACK, arrivals_clock());
	sent.op = op->id;
	take(s->w, &sent, RECORDER_NO_SEQ, 0, before, after, s->w->segment_t0);
}

static bool fits(const struct batch *b, const struct frame *f)
{
	return !b->group.transfer[page_bytes(f->page) / POOL_BLOCK - 1].used;
}

static bool flying(const struct session *s)
{
	return s->server->writer.batch.group.flying;
}

/* Taken from the queue, and the windows of the look that found it. */
struct taken {
	struct frame *frame;
	uint64_t before, after;
};

static struct taken next_frame(struct session *s)
{
	uint64_t now = act_now(s->w);
	struct taken t = {.frame = pool_next(&s->server->pool), .before = s->inbox_look};

	t.after = act_now(s->w);
	if (!t.frame)
		s->inbox_look = now;
	return t;
}

static void prepare(struct session *s, struct batch *b, const struct taken *t)
{
	struct op *op = &b->op[page_bytes(t->frame->page) / POOL_BLOCK - 1];

	begin(s, t->frame, op, t->before, t->after);
	ring_add(s, &b->group, t->frame, true, op->id);
	act_burn(s->w, 1, WRITER_PARTS);
	segment_close(s->w);
}

/* Sends what the queue holds, as far as its writes can be told apart from those under way; the
 * first that cannot is kept. Serially one at a time, so that frames become clean in the order in
 * which they were chosen. */
static unsigned send_queued(struct session *s, struct taken *kept)
{
	struct batch *b = &s->server->writer.batch;
	unsigned most = s->w->run->options->serial ? 1 : POOL_MOST, n = 0;

	while (b->group.flying + n < most) {
		if (!kept->frame)
			*kept = next_frame(s);
		if (!kept->frame || !fits(b, kept->frame))
			break;
		prepare(s, b, kept);
		kept->frame = NULL;
		n++;
	}
	if (n)
		ring_submit(s);
	return n;
}

/* One write has come back: the frame is clean, and whoever waited for that goes on. */
static uint64_t written(struct session *s, const struct found *found)
{
	struct batch *b = (struct batch *)(uintptr_t)found->key;
	struct transfer *t = ring_found(s, &b->group, found);
	struct op *op = &b->op[t - b->group.transfer];

	take(s->w, &t->sent, s->takes++, 0, found->before, found->after, found->from);
	watch_clean(s, t->frame, op->id);
	watch_pass(s, t->frame, op->id);
	watch_grant(s, op->id);
	act_burn(s->w, 1, WRITER_PARTS);
	op_end(s->w, op);
	return act_now(s->w);
}

/* Woken, by whoever found the word set. */
static void woken(struct session *s, uint64_t before, uint64_t after)
{
	struct writer *wr = &s->server->writer;

	if (!atomic_load_explicit(&wr->posted, memory_order_acquire))
		run_fail(0, "the writer was woken by nobody");
	take_only(s->w, &wr->sent, RECORDER_NO_SEQ, 0, before, after, after);
}

/* Until there is something in the queue, or it is time to stop. */
static void wait_for_work(struct session *s)
{
	struct pool *p = &s->server->pool;
	struct writer *wr = &s->server->writer;
	bool work;

	while (!atomic_load_explicit(&wr->called, memory_order_acquire))
		sched_yield();
	atomic_store_explicit(&wr->called, false, memory_order_relaxed);
	atomic_store_explicit(&wr->posted, false, memory_order_relaxed);
	atomic_store(&p->asleep, 1);
	pool_lock(&p->lock);
	work = p->queue || atomic_load(&wr->stop);
	pool_unlock(&p->lock);
	if (work && atomic_exchange(&p->asleep, 0)) {
		atomic_store_explicit(&wr->called, true, memory_order_relaxed); /* nobody will */
		return;
	}
	while (atomic_load(&p->asleep)) {
		uint64_t before = act_now(s->w);
		int err = pool_sleep(&p->asleep, 1);

		if (err && err != -EAGAIN && err != -EINTR)
			run_fail(err, "the writer cannot sleep");
		if (err == 0)
			woken(s, before, act_now(s->w));
	}
}

void writer_body(struct session *s)
{
	struct writer *wr = &s->server->writer;
	struct taken kept = {0};

	for (;;) {
		unsigned n = ring_take(s, written);

		n += send_queued(s, &kept);
		if (n)
			continue;
		if (flying(s) || s->notes_out)
			ring_wait(s, UINT64_MAX);
		else if (atomic_load(&wr->stop) && !kept.frame &&
			 !atomic_load(&s->server->pool.unclean))
			break;
		else
			wait_for_work(s);
	}
	watch_end(s);
}

void writer_stop(struct session *s)
{
	struct op op;

	op_begin(s->w, &op, KIND_STOP, arrivals_clock());
	atomic_store(&s->server->writer.stop, true);
	watch_wake(s, op.id);
	op_end(s->w, &op);
}
