/* SPDX-License-Identifier: BSD-2-Clause */
/* Station io: whoever sends submits a read to the one ring, its thread takes completions. */
#include <errno.h>
#include <fcntl.h>

#include "workloads/driver/datafile.h"
#include "workloads/pipeline/pipeline.h"

enum { ENTRIES = 256, COMPLETIONS = 2 * OPS_MOST * TOKENS, SCOPE = 1 };

void ring_open(struct pipeline *pl)
{
	struct io_uring_params p = {.flags = IORING_SETUP_CQSIZE, .cq_entries = COMPLETIONS};
	int err = io_uring_queue_init_params(ENTRIES, &pl->ring, &p);

	if (err)
		run_lacks(err, "io_uring: cannot make a ring");
	pl->file = datafile_open(pl->run->options->data);
}

/* ---- sending ---- */

OPERATOR static void submit(struct io_uring *ring, int cnt)
{
	int n = io_uring_submit(ring);

	if (n != cnt)
		run_fail(n < 0 ? n : 0, "%d of %d entries submitted", n, cnt);
}

static struct io_uring_sqe *entry(struct pipeline *pl)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&pl->ring);

	if (!sqe)
		run_fail(0, "no room in the submission queue");
	return sqe;
}

static struct sent io_sent(struct place *x, const void *user_data, uint64_t op, uint16_t marks,
			   uint64_t t0)
{
	struct rec_key key = {
		.v = (uintptr_t)user_data, .scope = SCOPE, .ns = KEY_USER_DATA, .has_scope = true};
	struct sent sent;

	sent_begin(x->w, &sent, HANDOFF_IO, op, key, x->seq++, marks, t0);
	return sent;
}

/* Says how the file is going to be read, and does not want to hear of it (Linux 5.17). */
static struct sent add_hint(struct place *x, struct request *q, uint64_t t0)
{
	struct io_uring_sqe *sqe = entry(x->pl);

	io_uring_prep_fadvise(sqe, x->pl->file, 0, 0, POSIX_FADV_RANDOM);
	sqe->user_data = (uintptr_t)q;
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	return io_sent(x, q, q->op.id, 1u << MARK_LOST | 1u << MARK_REUSED_KEY, t0);
}

/* All reads of a request share one user_data, and are told apart by their length. They go through
 * io-wq. */
static struct sent add_read(struct place *x, struct token *t, uint64_t t0)
{
	struct request *q = t->request;
	uint64_t at = rng_below(&x->w->rng, DATAFILE_BYTES / READ_UNIT - TOKENS) * READ_UNIT;
	struct io_uring_sqe *sqe = entry(x->pl);
	bool used = atomic_exchange(&q->has_read, true);

	io_uring_prep_read(sqe, x->pl->file, t->buffer, (t->index + 1) * READ_UNIT, at);
	sqe->user_data = (uintptr_t)q;
	sqe->flags |= IOSQE_ASYNC;
	return io_sent(x, q, q->op.id,
		       (uint16_t)(1u << MARK_PUNTED | (used ? 1u << MARK_REUSED_KEY : 0)), t0);
}

static void post(struct token *t, const struct sent *sent)
{
	t->sent = *sent;
	atomic_store_explicit(&t->posted, true, memory_order_release);
}

/* One call for all reads of a burst. The tokens are others' as soon as it is made. */
void ring_flush(struct place *x)
{
	struct pipeline *pl = x->pl;
	unsigned n = x->reads_cnt;
	struct sent sent[BATCH + 1];
	uint64_t t0, t1;

	if (!n)
		return;
	spin_lock(&pl->ring_lock);
	t0 = act_now(x->w);
	for (unsigned i = 0; i < n; i++)
		sent[i] = add_read(x, x->reads[i], t0);
	sent[n] = add_hint(x, x->reads[n - 1]->request, t0);
	for (unsigned i = 0; i < n; i++)
		post(x->reads[i], &sent[i]);
	submit(&pl->ring, (int)n + 1);
	t1 = act_now(x->w);
	spin_unlock(&pl->ring_lock);
	for (unsigned i = 0; i <= n; i++)
		sent_end(x->w, &sent[i], t1);
	act_count_marks(x->w, sent[n].marks);
	x->reads_cnt = 0;
}

/* At the end of the burst. */
void ring_send(struct place *x, struct token *t)
{
	if (x->reads_cnt == BATCH)
		ring_flush(x);
	x->reads[x->reads_cnt++] = t;
}

void ring_stop(struct place *x, uint64_t op)
{
	struct token *t = &x->pl->ring_stop;
	struct io_uring_sqe *sqe;
	struct sent sent;

	spin_lock(&x->pl->ring_lock);
	sqe = entry(x->pl);
	io_uring_prep_nop(sqe);
	sqe->user_data = (uintptr_t)t;
	sent = io_sent(x, t, op, 0, act_now(x->w));
	post(t, &sent);
	submit(&x->pl->ring, 1);
	sent_end(x->w, &sent, act_now(x->w));
	spin_unlock(&x->pl->ring_lock);
}

/* ---- taking ---- */

static struct token *token_of(struct pipeline *pl, uint64_t key, int32_t res)
{
	struct request *q = (struct request *)(uintptr_t)key;
	struct token *t = &pl->ring_stop;

	if (key != (uintptr_t)t) {
		if (q < pl->requests || q >= pl->requests + pl->requests_cnt || res <= 0 ||
		    res % READ_UNIT || res > READ_UNIT * TOKENS)
			run_fail(res < 0 ? res : 0, "result %d fits no read", res);
		t = &q->tokens[res / READ_UNIT - 1];
	}
	if (!atomic_exchange_explicit(&t->posted, false, memory_order_acquire))
		run_fail(0, "a completion that nobody asked for");
	return t;
}

OPERATOR static unsigned look(struct io_uring *ring)
{
	return io_uring_cq_ready(ring);
}

static struct token *next(struct pipeline *pl)
{
	struct io_uring_cqe *cqe;
	struct token *t;
	unsigned head;

	io_uring_for_each_cqe(&pl->ring, head, cqe) break;
	t = token_of(pl, cqe->user_data, cqe->res);
	io_uring_cq_advance(&pl->ring, 1);
	return t;
}

/* The kernel traces a completion a moment before it shows it, and other threads post here: what
 * counts is the look before the last. False: it was the last. */
static bool take_found(struct place *x, unsigned *ret_cnt)
{
	struct pipeline *pl = x->pl;
	uint64_t before = pl->look_before, now = act_now(x->w), after, from;
	unsigned n = *ret_cnt = look(&pl->ring);

	pl->look_before = pl->look;
	pl->look = now;
	after = from = n ? act_now(x->w) : 0;
	for (; n; n--) {
		struct token *t = next(pl);

		if (t == &pl->ring_stop) {
			take_only(x->w, &t->sent, x->takes++, 0, before, after, from);
			return false;
		}
		take(x->w, &t->sent, x->takes++, 1u << MARK_CROSS, before, after, from);
		from = hop_received(x, t);
	}
	hop_flush(x);
	return true;
}

void ring_body(struct place *x)
{
	struct io_uring_cqe *cqe;
	unsigned cnt;

	while (take_found(x, &cnt)) {
		int err = cnt ? 0 : io_uring_wait_cqe(&x->pl->ring, &cqe);

		if (err && err != -EINTR && err != -EAGAIN)
			run_fail(err, "cannot wait for completions");
	}
}
