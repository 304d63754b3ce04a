/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads through one ring: workers submit under a lock, the reactor takes.
 *
 * A strand reads several parts of the file in one batch and goes on when all are there. All reads
 * of a task share one user_data, the task's address, and are told apart by their length: no two are
 * equally long.
 */
#include <errno.h>
#include <fcntl.h>

#include "workloads/driver/datafile.h"
#include "workloads/tasks/crew.h"

enum { SCOPE = 1, COMPLETIONS = 4096, LOOKS_APART = 100000 /* ns */ };

void reactor_open(struct crew *c)
{
	struct io_uring_params p = {.flags = IORING_SETUP_CQSIZE, .cq_entries = COMPLETIONS};
	int err = io_uring_queue_init_params(CREW_ENTRIES, &c->ring, &p);

	if (err)
		run_lacks(err, "io_uring: cannot make a ring");
	c->file = datafile_open(c->run->options->data);
}

/* ---- submitting ---- */

static struct rec_key ring_key(const void *p)
{
	return (struct rec_key){
		.v = (uintptr_t)p, .scope = SCOPE, .ns = KEY_USER_DATA, .has_scope = true};
}

OPERATOR static void submit(struct io_uring *ring, int cnt)
{
	int n = io_uring_submit(ring);

	if (n != cnt)
		run_fail(n < 0 ? n : 0, "%d of %d entries submitted", n, cnt);
}

static struct io_uring_sqe *entry(struct crew *c, const void *user_data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&c->ring);

	if (!sqe)
		run_fail(0, "no room in the submission queue");
	io_uring_prep_nop(sqe);
	sqe->user_data = (uintptr_t)user_data;
	return sqe;
}

/* Half of the reads go through io-wq, the others are done at once, out of the page cache. */
static void prepare(struct runner *x, struct strand *s, unsigned i)
{
	struct crew *c = x->crew;
	unsigned nth = s->index * TASK_READS + i, at = rng_below(&x->w->rng, DATAFILE_BYTES / 2);
	struct io_uring_sqe *sqe = entry(c, s->task);

	io_uring_prep_read(sqe, c->file, s->task->buffer + nth * TASK_SHORT, (nth + 1) * TASK_UNIT,
			   at);
	sqe->user_data = (uintptr_t)s->task;
	if (rng_below(&x->w->rng, 2)) {
		sqe->flags |= IOSQE_ASYNC;
		s->io[i].marks |= 1u << MARK_PUNTED;
	}
}

/* Says beforehand how the file will be read, and does not want to hear of it (Linux 5.17). */
static void prepare_hint(struct runner *x, struct strand *s)
{
	struct io_uring_sqe *sqe = entry(x->crew, s->task);

	io_uring_prep_fadvise(sqe, x->crew->file, 0, 0, POSIX_FADV_SEQUENTIAL);
	sqe->user_data = (uintptr_t)s->task;
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
}

static void sent_io(struct runner *x, struct strand *s, struct sent *sent, uint16_t marks,
		    uint64_t t0)
{
	if (atomic_exchange(&s->task->has_read, true))
		marks |= 1u << MARK_REUSED_KEY;
	sent_begin(x->w, sent, HANDOFF_IO, op_of(s->task), ring_key(s->task), x->seq++, marks, t0);
}

/* The strand may run again before the call is over: what is needed afterwards is kept. */
void reactor_read(struct runner *x, struct strand *s)
{
	struct crew *c = x->crew;
	struct sent sent[TASK_READS + 1];
	uint64_t t0, t1;

	spin_lock(&c->ring_lock);
	t0 = act_now(x->w);
	prepare_hint(x, s);
	sent_io(x, s, &sent[TASK_READS], 1u << MARK_LOST, t0);
	for (unsigned i = 0; i < TASK_READS; i++) {
		s->io[i].marks = 0;
		prepare(x, s, i);
		sent_io(x, s, &sent[i], s->io[i].marks, t0);
		s->io[i] = sent[i];
	}
	s->io_left = TASK_READS;
	atomic_store_explicit(&s->io_posted, true, memory_order_release);
	submit(&c->ring, TASK_READS + 1);
	t1 = act_now(x->w);
	spin_unlock(&c->ring_lock);
	for (unsigned i = 0; i <= TASK_READS; i++)
		sent_end(x->w, &sent[i], t1);
	act_count_marks(x->w, sent[TASK_READS].marks);
}

void reactor_stop(struct runner *x, uint64_t op)
{
	struct crew *c = x->crew;
	struct sent sent;

	spin_lock(&c->ring_lock);
	entry(c, &c->stop_sent);
	sent_begin(x->w, &sent, HANDOFF_IO, op, ring_key(&c->stop_sent), x->seq++, 0,
		   act_now(x->w));
	c->stop_sent = sent;
	atomic_store_explicit(&c->stop_posted, true, memory_order_release);
	submit(&c->ring, 1);
	sent_end(x->w, &sent, act_now(x->w));
	spin_unlock(&c->ring_lock);
}

/* ---- taking ---- */

struct found {
	uint64_t key;
	int32_t res;
	uint64_t before, after, from;
};

static void must_be_posted(_Atomic bool *posted)
{
	if (!atomic_load_explicit(posted, memory_order_acquire))
		run_fail(0, "a completion that nobody asked for");
}

static struct task *task_of(struct crew *c, const struct found *f)
{
	struct task *t = (struct task *)(uintptr_t)f->key;

	if (t < c->slots || t >= c->slots + c->slots_cnt || f->res <= 0)
		run_fail(f->res < 0 ? f->res : 0, "result %d fits no read", f->res);
	return t;
}

static unsigned read_of(const struct found *f)
{
	unsigned units = (unsigned)f->res / TASK_UNIT;

	if (f->res % TASK_UNIT || !units || units > TASK_READS * TASK_STRANDS)
		run_fail(0, "result %d fits no read", f->res);
	return units - 1;
}

/* Returns the moment at which the thread was free again. */
static uint64_t read_done(struct runner *x, const struct found *f)
{
	struct task *task = task_of(x->crew, f);
	unsigned nth = read_of(f);
	struct strand *s = &task->strands[nth / TASK_READS];
	uint64_t t;

	must_be_posted(&s->io_posted);
	take(x->w, &s->io[nth % TASK_READS], x->takes++, 0, f->before, f->after, f->from);
	t = segment_close(x->w);
	if (--s->io_left)
		return t;
	atomic_store_explicit(&s->io_posted, false, memory_order_relaxed);
	watch_ready(x, s);
	return t;
}

static void stop_done(struct runner *x, const struct found *f)
{
	struct crew *c = x->crew;

	must_be_posted(&c->stop_posted);
	take_only(x->w, &c->stop_sent, x->takes++, 0, f->before, f->after, f->from);
	c->ring_over = true;
}

OPERATOR static unsigned look(struct io_uring *ring)
{
	return io_uring_cq_ready(ring);
}

static struct found next(struct crew *c, uint64_t before, uint64_t after, uint64_t from)
{
	struct found f = {.before = before, .after = after, .from = from};
	struct io_uring_cqe *cqe;
	unsigned head;

	io_uring_for_each_cqe(&c->ring, head, cqe) break;
	f.key = cqe->user_data;
	f.res = cqe->res;
	io_uring_cq_advance(&c->ring, 1);
	return f;
}

/* The kernel traces a completion a moment before it shows it, a batch of them one by one, and other
 * threads post here: what counts is a look that is at least so much older. */
static void looked(struct crew *c, uint64_t now)
{
	if (now - c->look < LOOKS_APART)
		return;
	c->look_before = c->look;
	c->look = now;
}

static unsigned take_found(struct runner *x)
{
	struct crew *c = x->crew;
	uint64_t before = c->look_before, now = act_now(x->w), after, from;
	unsigned n = look(&c->ring);

	looked(c, now);
	if (n == 0)
		return 0;
	after = from = act_now(x->w);
	for (unsigned i = 0; i < n; i++) {
		struct found f = next(c, before, after, from);

		if (f.key == (uintptr_t)&c->stop_sent)
			stop_done(x, &f);
		else
			from = read_done(x, &f);
	}
	return n;
}

void reactor_body(struct runner *x)
{
	struct crew *c = x->crew;

	while (!c->ring_over) {
		struct io_uring_cqe *cqe;
		int err;

		if (take_found(x))
			continue;
		err = io_uring_wait_cqe(&c->ring, &cqe);
		if (err && err != -EINTR && err != -EAGAIN)
			run_fail(err, "cannot wait for completions");
	}
}
