/* SPDX-License-Identifier: BSD-2-Clause */
/* Futex calls in flight, and which thread woke which. */
#include "profilers/adapter/futexes.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>

#include <uthash.h>

#include "profilers/adapter/words.h"

enum phase { PHASE_NONE = 0, PHASE_WAIT = 1, PHASE_WAKE = 2 };

/* include/linux/errno.h: the wait will be gone on with by restart_syscall */
enum { ERESTART_RESTARTBLOCK = 516 };

struct thread {
	uint32_t tid, tgid;
	enum phase phase, resumes; /* resumes: PHASE_WAIT if a wait was interrupted */
	uint32_t op, bits;	   /* bits: who of the waiters is meant */
	uint64_t uaddr, uaddr2;
	uint64_t begin;
	uint64_t limit;	   /* wakers: at most so many are woken */
	uint64_t woken;	   /* wakers: sched_waking seen so far */
	uint64_t requeued; /* waiters: word that a requeue may have moved them to */
	UT_hash_handle hh;
};

struct futexes {
	const struct observer_ops *ops;
	void *arg;
	struct thread *threads;
	struct words *words;
};

struct futexes *futexes_new(const struct observer_ops *ops, void *arg)
{
	struct futexes *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->ops = ops;
	f->arg = arg;
	f->words = words_new();
	if (f->words)
		return f;
	free(f);
	return NULL;
}

static void forget(struct futexes *f, struct thread *t)
{
	HASH_DEL(f->threads, t);
	free(t);
}

void futexes_free(struct futexes *f)
{
	struct thread *t, *next;

	if (!f)
		return;
	HASH_ITER(hh, f->threads, t, next)
	forget(f, t);
	words_free(f->words);
	free(f);
}

static struct thread *find(struct futexes *f, uint32_t tid)
{
	struct thread *t;

	HASH_FIND(hh, f->threads, &tid, sizeof(tid), t);
	return t;
}

static struct thread *get(struct futexes *f, uint32_t tid, uint32_t tgid)
{
	struct thread *t = find(f, tid);

	if (t)
		return t;
	if (HASH_COUNT(f->threads) >= FUTEXES_MAX)
		forget(f, f->threads); /* uthash keeps order: the oldest */
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = tid;
	t->tgid = tgid;
	HASH_ADD(hh, f->threads, tid, sizeof(t->tid), t);
	return t;
}

/* ---- what an op is ---- */

static enum phase phase_of(uint32_t op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case EV_FUTEX_WAITV:
		return PHASE_WAIT;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
	case FUTEX_UNLOCK_PI:
		return PHASE_WAKE;
	default:
		return PHASE_NONE;
	}
}

static bool is_requeue(uint32_t op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

/* futex(2): all, of a call that names none; nobody waits for none, nor wakes. */
static uint32_t bits_of(uint32_t op, uint64_t bitset)
{
	uint32_t cmd = op & FUTEX_CMD_MASK;
	bool names = cmd == FUTEX_WAIT_BITSET || cmd == FUTEX_WAKE_BITSET;

	return names && (uint32_t)bitset ? (uint32_t)bitset : FUTEX_BITSET_MATCH_ANY;
}

/* A lock that was free is no wait, and its success no wake. */
static bool is_lock(uint32_t op)
{
	uint32_t cmd = op & FUTEX_CMD_MASK;

	return cmd == FUTEX_LOCK_PI || cmd == FUTEX_LOCK_PI2;
}

/* ---- enter ---- */

static bool private_word(uint32_t op)
{
	return op & FUTEX_PRIVATE_FLAG;
}

/* What names the word of a call to all who share it: of a call that is not private the word's place
 * in its file, and nothing where that is not known. */
static void name_word(const struct futexes *f, uint32_t tgid, bool shared, struct observation *o)
{
	uint64_t inode, offset;

	if (!shared)
		return;
	if (!words_find(f->words, tgid, o->v, &inode, &offset)) {
		o->ns = KEY_NONE;
	} else if (inode) {
		o->v = offset;
		o->scope = inode;
		o->has_scope = true;
	}
}

/* Which of the waiters a requeue moves is not seen; each may from now on be woken through either.
 */
static void requeue_waiters(struct futexes *f, const struct thread *by)
{
	for (struct thread *t = f->threads; t; t = t->hh.next)
		if (t->phase == PHASE_WAIT && t->tgid == by->tgid &&
		    (t->uaddr == by->uaddr || t->requeued == by->uaddr))
			t->requeued = by->uaddr2;
}

static int on_call_begin(struct futexes *f, const struct ev_rec *r)
{
	struct thread *t = get(f, r->tid, r->tgid);

	if (!t)
		return -ENOMEM;
	if ((uint32_t)r->b == EV_FUTEX_RESTART) {
		t->phase = t->resumes; /* all else is as the interrupted wait left it */
		t->resumes = PHASE_NONE;
		return 0;
	}
	t->phase = phase_of((uint32_t)r->b);
	t->resumes = PHASE_NONE;
	t->op = (uint32_t)r->b;
	t->uaddr = r->a;
	t->bits = bits_of(t->op, r->d);
	t->uaddr2 = r->e;
	t->begin = r->t;
	t->limit = r->c;
	t->woken = 0;
	t->requeued = (t->op & FUTEX_CMD_MASK) == FUTEX_WAIT_REQUEUE_PI ? r->e : 0;
	if (is_requeue(t->op))
		requeue_waiters(f, t);
	return 0;
}

/* ---- wakes ---- */

/* The word through which waker woke wakee, or 0 if its call cannot have done that: an interrupt
 * that hits a waker may wake others. */
static uint64_t word_between(const struct thread *waker, const struct thread *wakee)
{
	bool either = (waker->op & FUTEX_CMD_MASK) == FUTEX_WAKE_OP;
	bool apart = private_word(waker->op) || private_word(wakee->op);

	if (!(waker->bits & wakee->bits) || (apart && waker->tgid != wakee->tgid))
		return 0;
	if (wakee->uaddr == waker->uaddr || wakee->requeued == waker->uaddr)
		return waker->uaddr;
	if (either && (wakee->uaddr == waker->uaddr2 || wakee->requeued == waker->uaddr2))
		return waker->uaddr2;
	if ((wakee->op & FUTEX_CMD_MASK) == EV_FUTEX_WAITV) /* its words are known on exit only */
		return waker->uaddr;
	if (!apart)
		return waker->uaddr; /* shared memory may be mapped at two addresses */
	return 0;
}

/* The thread as its records show it, if it is in the call that was entered then. */
static struct thread *in_call(struct futexes *f, uint32_t tid, uint64_t begin)
{
	struct thread *t = find(f, tid);

	return t && t->phase != PHASE_NONE && t->begin == begin ? t : NULL;
}

/* Of a call of which only the waking is known: who wakes another process does it through what they
 * share, and words of one page are mostly alike. */
static bool may_be_shared(const struct futexes *f, const struct ev_rec *r, uint64_t word)
{
	uint64_t inode = 0, offset;

	return r->tgid != (uint32_t)r->b ||
	       (words_find(f->words, r->tgid, word, &inode, &offset) && inode);
}

static int put_woken(struct futexes *f, const struct ev_rec *r, uint64_t begin, uint64_t word,
		     uint64_t since)
{
	const struct thread *waker = in_call(f, r->tid, begin);
	struct observation o = {
		.type = HANDOFF_WAKE,
		.ns = KEY_UADDR,
		.stamp = r->d != 0,
		.tid = r->tid,
		.tgid = r->tgid,
		.t = begin,
		.v = word,
		.object = (uint32_t)r->a,
		.since = since,
	};

	name_word(f, r->tgid, waker ? !private_word(waker->op) : may_be_shared(f, r, word), &o);
	return f->ops->src(f->arg, &o);
}

/*
 * The record says itself in which calls the two are; what is known of those calls besides, since
 * their records came, must not speak against it.
 */
static int on_stamped_waking(struct futexes *f, const struct ev_rec *r)
{
	struct thread *waker = in_call(f, r->tid, r->c), *wakee = in_call(f, (uint32_t)r->a, r->d);
	uint64_t word = r->e;

	if (!r->c || !r->d)
		return 0;
	if (waker && wakee)
		word = word_between(waker, wakee);
	return word ? put_woken(f, r, r->c, word, r->d) : 0;
}

static int on_waking(struct futexes *f, const struct ev_rec *r)
{
	struct thread *waker = find(f, r->tid), *wakee = find(f, (uint32_t)r->a);
	uint64_t word;

	if (r->seq)
		return on_stamped_waking(f, r);
	if (!waker || waker->phase != PHASE_WAKE || !wakee || wakee->phase != PHASE_WAIT)
		return 0;
	word = word_between(waker, wakee);
	if (!word)
		return 0;
	waker->woken++;
	return put_woken(f, r, waker->begin, word, wakee->begin);
}

/*
 * A waiter that had queued itself but not yet slept is taken off the queue without any
 * sched_waking; the call still counts it.
 */
static int put_unseen(struct futexes *f, const struct thread *t, const struct ev_rec *r)
{
	struct observation o = {
		.type = HANDOFF_WAKE,
		.ns = KEY_UADDR,
		.bits = OBS_UNSEEN,
		.tid = t->tid,
		.tgid = t->tgid,
		.t = t->begin,
		.until = r->t,
		.v = t->uaddr,
	};
	int64_t ret = (int64_t)r->c;
	uint64_t reported;
	int err = 0;

	if (ret <= 0 || (t->op & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI)
		return 0;
	reported = (uint64_t)ret;
	if (is_requeue(t->op) && reported > t->limit)
		reported = t->limit; /* the rest was moved */
	name_word(f, t->tgid, !private_word(t->op), &o);
	for (uint64_t i = t->woken; i < reported && !err; i++)
		err = f->ops->src(f->arg, &o);
	return err;
}

/* ---- exit ---- */

static int put_waited(struct futexes *f, const struct thread *t, const struct ev_rec *r, bool blind)
{
	bool waitv = (t->op & FUTEX_CMD_MASK) == EV_FUTEX_WAITV;
	struct observation o = {
		.type = HANDOFF_WAKE,
		.ns = KEY_UADDR,
		.bits = (blind ? OBS_BLIND : 0) | (r->b >> 32 ? OBS_WOKEN : 0),
		.stamp = r->seq && !blind,
		.tid = t->tid,
		.tgid = t->tgid,
		.t = r->t,
		.v = waitv ? r->a : t->uaddr,
		.since = t->begin,
		.word = t->requeued,
	};

	name_word(f, t->tgid, !waitv && !private_word(t->op), &o);
	return f->ops->dst(f->arg, &o);
}

static int on_wait_exit(struct futexes *f, struct thread *t, const struct ev_rec *r, bool blind)
{
	int64_t ret = (int64_t)r->c;
	bool success = ret == 0 || ((t->op & FUTEX_CMD_MASK) == EV_FUTEX_WAITV && ret > 0);

	if (ret == -ERESTART_RESTARTBLOCK)
		t->resumes = PHASE_WAIT;
	if (!success || is_lock(t->op))
		return 0;
	return put_waited(f, t, r, blind);
}

/* When the call was entered, of which the exit keeps the low half. */
static uint64_t entered(const struct ev_rec *r)
{
	uint64_t t = (r->t & ~(uint64_t)UINT32_MAX) | r->d >> 32;

	return t > r->t ? t - (UINT64_C(1) << 32) : t;
}

/* Whether the enter that is known is not that of the call which ends. */
static bool is_other_call(const struct thread *t, const struct ev_rec *r)
{
	return r->seq && r->d >> 32 && (uint32_t)t->begin != r->d >> 32;
}

/* The exit tells enough to go on with when the enter was lost. */
static void assume_enter(struct thread *t, const struct ev_rec *r)
{
	t->op = (uint32_t)r->b;
	t->phase = phase_of(t->op);
	t->uaddr = r->a;
	t->bits = bits_of(t->op, r->d);
	t->uaddr2 = r->e;
	t->begin = r->d >> 32 ? entered(r) : 0;
	t->requeued = 0;
	t->limit = 0; /* of a requeue: how many it may wake is not known */
}

static int on_call_end(struct futexes *f, const struct ev_rec *r)
{
	struct thread *t = get(f, r->tid, r->tgid);
	enum phase phase;
	bool blind;

	if (!t)
		return -ENOMEM;
	blind = (t->phase == PHASE_NONE || is_other_call(t, r)) &&
		(uint32_t)r->b != EV_FUTEX_RESTART;
	if (blind)
		assume_enter(t, r);
	blind = blind && !t->begin;
	if (r->seq)
		t->woken = r->b >> 32;
	phase = t->phase;
	t->phase = PHASE_NONE;
	if (phase == PHASE_WAIT)
		return on_wait_exit(f, t, r, blind);
	if (phase == PHASE_WAKE && !blind)
		return put_unseen(f, t, r);
	return 0;
}

int futexes_record(struct futexes *f, const struct ev_rec *r)
{
	struct thread *t;

	switch (r->kind) {
	case EV_FUTEX_PAGE:
		return words_record(f->words, r);
	case EV_FUTEX_ENTER:
		return on_call_begin(f, r);
	case EV_FUTEX_EXIT:
		return on_call_end(f, r);
	case EV_SCHED_WAKING:
		return on_waking(f, r);
	case EV_PROC_EXIT:
		t = find(f, r->tid);
		if (t)
			forget(f, t);
		return 0;
	default:
		return 0;
	}
}
