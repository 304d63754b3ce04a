/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread's ring: transfers of pages, bells, taking. */
#include <errno.h>
#include <string.h>

#include "workloads/pool/server.h"

void ring_open(struct session *s)
{
	int err = io_uring_queue_init(POOL_ENTRIES, &s->ring, 0);

	if (err)
		run_lacks(err, "io_uring: cannot make a ring");
	for (unsigned i = POOL_NOTES; i-- > 0;) {
		s->notes[i].next = s->notes_free;
		s->notes_free = &s->notes[i];
	}
}

struct io_uring_sqe *ring_entry(struct session *s)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);

	if (!sqe)
		run_fail(0, "no room in a submission queue");
	return sqe;
}

static struct rec_key key_of(const void *p, unsigned scope)
{
	return (struct rec_key){
		.v = (uintptr_t)p, .scope = scope, .ns = KEY_USER_DATA, .has_scope = true};
}

static uint16_t key_marks(bool *used)
{
	bool was = *used;

	*used = true;
	return was ? 1u << MARK_REUSED_KEY : 0;
}

/* Raw: the submit call of a ring. */
OPERATOR static void submit(struct session *s, unsigned cnt)
{
	int n = io_uring_submit(&s->ring);

	if (n != (int)cnt)
		run_fail(n < 0 ? n : 0, "%d of %u entries submitted", n, cnt);
}

/* ---- transfers ---- */

/* Should it ail, a write first waits, again and again, for the device to have for good what was
 * written before; nobody wants to hear of that. */
static void wait_for_device(struct session *s, struct group *g, uint64_t op)
{
	for (unsigned i = 0; settings_ail(DIAGNOSIS_SLOW_IO) && i < POOL_SYNCS; i++) {
		struct io_uring_sqe *sqe = ring_entry(s);

		io_uring_prep_fsync(sqe, s->server->file, IORING_FSYNC_DATASYNC);
		sqe->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
		sqe->user_data = (uintptr_t)g;
		s->syncs[s->syncs_cnt++] = (struct sent){.op = op, .seq = s->seq++};
	}
}

static void syncs_begin(struct session *s, struct group *g, uint64_t t0)
{
	for (unsigned i = 0; i < s->syncs_cnt; i++) {
		struct sent own = s->syncs[i];

		sent_begin(s->w, &s->syncs[i], HANDOFF_IO, own.op, key_of(g, s->scope), own.seq,
			   (uint16_t)(1u << MARK_LOST | 1u << MARK_LINKED | key_marks(&g->used)),
			   t0);
	}
}

static void syncs_end(struct session *s, uint64_t t1)
{
	for (unsigned i = 0; i < s->syncs_cnt; i++) {
		sent_end(s->w, &s->syncs[i], t1);
		act_count_marks(s->w, s->syncs[i].marks);
	}
	s->syncs_cnt = 0;
}

struct transfer *ring_add(struct session *s, struct group *g, struct frame *f, bool write,
			  uint64_t op)
{
	uint32_t bytes = page_bytes(f->page);
	struct transfer *t = &g->transfer[bytes / POOL_BLOCK - 1];
	struct io_uring_sqe *sqe;

	if (write)
		wait_for_device(s, g, op);
	sqe = ring_entry(s);
	if (t->used || (s->added && s->added != g))
		run_fail(0, "two transfers could not be told apart");
	if (write)
		io_uring_prep_write(sqe, s->server->file, f->data, bytes, f->page * POOL_SLOT);
	else
		io_uring_prep_read(sqe, s->server->file, f->data, bytes, f->page * POOL_SLOT);
	sqe->user_data = (uintptr_t)g;
	*t = (struct transfer){.frame = f, .used = true};
	if (!write && bytes > POOL_INLINE) {
		sqe->flags |= IOSQE_ASYNC;
		t->sent.marks = 1u << MARK_PUNTED;
	}
	t->sent.op = op;
	t->sent.seq = s->seq++;
	s->added = g;
	return t;
}

/* Those of a group that have not been sent: no identity yet, in the order of their adding. */
static unsigned unsent(struct group *g, struct transfer **ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i < POOL_MOST; i++) {
		struct transfer *t = &g->transfer[i];
		unsigned at = n;

		if (!t->used || t->t0)
			continue;
		for (; at && ret[at - 1]->sent.seq > t->sent.seq; at--)
			ret[at] = ret[at - 1];
		ret[at] = t;
		n++;
	}
	return n;
}

void ring_submit(struct session *s)
{
	struct transfer *t[POOL_MOST];
	struct group *g = s->added;
	uint64_t t0 = act_now(s->w), t1;
	unsigned n = g ? unsent(g, t) : 0;

	if (!n)
		return;
	syncs_begin(s, g, t0);
	for (unsigned i = 0; i < n; i++) {
		uint64_t op = t[i]->sent.op, seq = t[i]->sent.seq;
		uint16_t marks = (uint16_t)(t[i]->sent.marks | key_marks(&g->used));

		t[i]->t0 = t0 ? t0 : 1; /* sent, with truth on or off */
		sent_begin(s->w, &t[i]->sent, HANDOFF_IO, op, key_of(g, s->scope), seq, marks, t0);
	}
	submit(s, io_uring_sq_ready(&s->ring));
	t1 = act_now(s->w);
	syncs_end(s, t1);
	for (unsigned i = 0; i < n; i++)
		sent_end(s->w, &t[i]->sent, t1);
	g->flying += n;
	s->added = NULL;
}

/* What io-wq was asked to do, it does on a thread of the kernel's: truth has no place for that as
 * an effect, but for the bytes. */
static void transfer_effect(struct session *s, const struct transfer *t, const struct found *f)
{
	recorder_bytes(&s->w->rec, t->sent.op, (uint64_t)f->res);
	if (s->server->direct && !(t->sent.marks & 1u << MARK_PUNTED))
		recorder_effect(&s->w->rec, t->sent.id, EFFECT_BLOCK_IO, (uint64_t)f->res, t->t0,
				f->after);
}

struct transfer *ring_found(struct session *s, struct group *g, const struct found *f)
{
	struct transfer *t = NULL;

	if (f->res > 0 && f->res % POOL_BLOCK == 0 && f->res <= POOL_SLOT)
		t = &g->transfer[f->res / POOL_BLOCK - 1];
	if (!t || !t->used || !t->t0)
		run_fail(f->res < 0 ? f->res : 0, "result %d fits no transfer", f->res);
	t->used = false;
	g->flying--;
	transfer_effect(s, t, f);
	return t;
}

/* ---- bells ---- */

void ring_bell(struct session *s, struct session *to, uint64_t op)
{
	uint16_t bell = (uint16_t)(1u << MARK_MESSAGE | 1u << MARK_CROSS);
	struct note *note = s->notes_free;
	struct io_uring_sqe *sqe;
	struct sent own, other;
	uint64_t t0, t1;

	if (!note)
		run_fail(0, "no place for a bell");
	ring_submit(s);
	sqe = ring_entry(s);
	s->notes_free = note->next;
	s->notes_out++;
	io_uring_prep_msg_ring(sqe, to->ring.ring_fd, 0, (uintptr_t)&to->bell, 0);
	sqe->user_data = (uintptr_t)note;
	t0 = act_now(s->w);
	sent_begin(s->w, &own, HANDOFF_IO, op, key_of(note, s->scope), s->seq,
		   key_marks(&note->used), t0);
	sent_begin(s->w, &other, HANDOFF_IO, op, key_of(&to->bell, to->scope), s->seq++,
		   bell | key_marks(&to->bell.used), t0);
	note->sent = own;
	to->bell.sent = other;
	atomic_store_explicit(&to->bell.posted, true, memory_order_release);
	submit(s, 1);
	t1 = act_now(s->w);
	sent_end(s->w, &own, t1);
	sent_end(s->w, &other, t1);
}

static void heard(struct session *s, const struct sent *sent, const struct found *f)
{
	take_only(s->w, sent, s->takes++, 0, f->before, f->after, f->from);
}

static void bell_heard(struct session *s, const struct found *f)
{
	struct sent sent;

	if (!atomic_load_explicit(&s->bell.posted, memory_order_acquire))
		run_fail(0, "a bell that nobody rang");
	sent = s->bell.sent;
	atomic_store_explicit(&s->bell.posted, false, memory_order_relaxed);
	heard(s, &sent, f);
	pool_lock(&s->inbox.lock);
	s->inbox.bell = BELL_NONE;
	pool_unlock(&s->inbox.lock);
}

static bool note_heard(struct session *s, const struct found *f)
{
	uintptr_t first = (uintptr_t)s->notes, last = (uintptr_t)(s->notes + POOL_NOTES);
	struct note *note;

	if (f->key < first || f->key >= last)
		return false;
	if (f->res)
		run_fail(f->res, "a bell cannot be rung");
	note = &s->notes[(f->key - first) / sizeof(*note)];
	heard(s, &note->sent, f);
	note->next = s->notes_free;
	s->notes_free = note;
	s->notes_out--;
	return true;
}

/* ---- taking ---- */

OPERATOR static unsigned look(struct session *s)
{
	return io_uring_cq_ready(&s->ring);
}

static struct found next(struct session *s, uint64_t before, uint64_t after, uint64_t from)
{
	struct found f = {.before = before, .after = after, .from = from};
	struct io_uring_cqe *cqe;
	unsigned head;

	io_uring_for_each_cqe(&s->ring, head, cqe) break;
	f.key = cqe->user_data;
	f.res = cqe->res;
	io_uring_cq_advance(&s->ring, 1);
	return f;
}

unsigned ring_take(struct session *s, uint64_t (*other)(struct session *, const struct found *))
{
	/* The kernel traces a completion a moment before it shows it, and other threads post here:
	 * what counts is the look before the last. */
	uint64_t before = s->look_before, now = act_now(s->w), after, from;
	unsigned n = look(s);

	s->look_before = s->look;
	s->look = now;
	if (n == 0)
		return 0;
	after = from = act_now(s->w);
	for (unsigned i = 0; i < n; i++) {
		struct found f = next(s, before, after, from);

		if (f.key == (uintptr_t)&s->bell)
			bell_heard(s, &f);
		else if (!note_heard(s, &f))
			from = other(s, &f);
	}
	return n;
}

void ring_wait(struct session *s, uint64_t ns)
{
	struct __kernel_timespec ts = {.tv_sec = (long long)(ns / 1000000000),
				       .tv_nsec = (long long)(ns % 1000000000)};
	struct io_uring_cqe *cqe;
	int err = io_uring_wait_cqe_timeout(&s->ring, &cqe, ns == UINT64_MAX ? NULL : &ts);

	if (err && err != -ETIME && err != -EINTR && err != -EAGAIN)
		run_fail(err, "cannot wait for completions");
}
