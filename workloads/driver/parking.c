/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeping and waking on a shared futex word, each under its own bit. */
#include "workloads/driver/parking.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the two calls (futex(2)) ---- */

/* 0: woken; -EAGAIN: the word had changed; -EINTR; -ETIMEDOUT. The time is absolute. */
OPERATOR static int parking_futex_wait(_Atomic uint32_t *word, int private_flag, uint32_t seen,
				       uint32_t bit, const struct timespec *until)
{
	long r = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | private_flag, seen, until, NULL, bit);

	return r < 0 ? -errno : (int)r;
}

OPERATOR static int parking_futex_wake(_Atomic uint32_t *word, int private_flag, uint32_t bit)
{
	long r = syscall(SYS_futex, word, FUTEX_WAKE_BITSET | private_flag, 1, NULL, NULL, bit);

	return r < 0 ? -errno : (int)r;
}

static int private_flag(const struct parking *p)
{
	return p->shared ? 0 : FUTEX_PRIVATE_FLAG;
}

/* What names a word of it to all who can wait there. */
static struct rec_key key_of(const struct parking *p, const _Atomic uint32_t *word)
{
	uint64_t offset = p->offset + (uint64_t)((const char *)word - (const char *)p);

	if (!p->shared)
		return (struct rec_key){.v = (uintptr_t)word, .ns = KEY_UADDR};
	return (struct rec_key){.v = offset, .scope = p->inode, .ns = KEY_UADDR, .has_scope = true};
}

/* ---- sleeping ---- */

void parking_open(struct parking *p, struct run *r, unsigned cnt)
{
	if (cnt > PARKING_SEATS)
		run_fail(0, "more than %d threads cannot sleep on one word", PARKING_SEATS);
	for (unsigned i = 0; i < PARKING_SPARES; i++) {
		struct rec_key key = key_of(p, &p->spares[i]);

		recorder_spare(&r->channel, HANDOFF_WAKE, key.ns, key.has_scope, key.scope, key.v);
	}
}

void parking_share(struct parking *p, uint64_t inode, uint64_t offset)
{
	p->shared = true;
	p->inode = inode;
	p->offset = offset;
}

void seat_arm(struct parking *p, unsigned seat)
{
	struct seat *s = &p->seats[seat];

	while (atomic_load(&s->state) ==
	       SEAT_CLAIMED) /* its call would wake us out of this sleep */
		sched_yield();
	/* Counted first: a claim takes one off, and those that sleep must never be more than the
	 * count. All seq_cst, they pair with the load in parking_wake and the claim: what comes
	 * after is the last look. */
	atomic_fetch_add(&p->armed, 1);
	atomic_store(&s->state, SEAT_ARMED);
}

/* True: the seat was armed and is no more, by us. */
static bool disarm(struct parking *p, struct seat *s, unsigned to)
{
	unsigned was = SEAT_ARMED;

	if (!atomic_compare_exchange_strong(&s->state, &was, to))
		return false;
	atomic_fetch_sub(&p->armed, 1);
	return true;
}

void seat_leave(struct parking *p, unsigned seat)
{
	disarm(p, &p->seats[seat], SEAT_AWAKE); /* else its claimant will find nobody */
}

static void woken(struct worker *w, struct seat *s, uint64_t before, uint64_t after)
{
	if (!atomic_load_explicit(&s->posted, memory_order_acquire))
		run_fail(0, "a thread was woken by nobody");
	take_only(w, &s->sent, RECORDER_NO_SEQ, 0, before, after, after);
	atomic_store_explicit(&s->posted, false, memory_order_relaxed);
}

void seat_sleep(struct worker *w, struct parking *p, unsigned seat, uint64_t until)
{
	struct timespec ts = {.tv_sec = (time_t)(until / 1000000000),
			      .tv_nsec = (long)(until % 1000000000)};
	struct seat *s = &p->seats[seat];

	for (;;) {
		uint32_t seen = atomic_load(&p->word);
		uint64_t before = act_now(w);
		int err;

		if (atomic_load(&s->state) != SEAT_ARMED) /* a claim after this changes the word */
			return;
		err = parking_futex_wait(&p->word, private_flag(p), seen, 1u << seat,
					 until == UINT64_MAX ? NULL : &ts);
		if (err == 0) {
			woken(w, s, before, act_now(w));
			return;
		}
		if (err == -ETIMEDOUT) {
			seat_leave(p, seat);
			return;
		}
		if (err != -EAGAIN && err != -EINTR)
			run_fail(err, "a thread cannot sleep");
	}
}

/* ---- waking ---- */

static uint16_t marks_of(struct parking *p, const struct worker *w, const struct seat *s)
{
	bool used = atomic_load_explicit(&p->used, memory_order_relaxed);

	return (uint16_t)((used ? 1u << MARK_REUSED_KEY : 0) |
			  (s->cpu != w->cpu ? 1u << MARK_CROSS : 0));
}

bool seat_wake(struct worker *w, struct parking *p, unsigned seat, uint64_t op)
{
	struct rec_key key = key_of(p, &p->word);
	struct seat *s = &p->seats[seat];
	struct sent sent;
	int woke;

	if (!disarm(p, s, SEAT_CLAIMED))
		return false;
	sent_begin(w, &sent, HANDOFF_WAKE, op, key, RECORDER_NO_SEQ, marks_of(p, w, s), act_now(w));
	s->sent = sent;
	/* pairs with the acquire in woken(); the kernel's hand-over in between orders as well, but
	 * no checker knows that */
	atomic_store_explicit(&s->posted, true, memory_order_release);
	atomic_fetch_add(&p->word, 1);
	woke = parking_futex_wake(&p->word, private_flag(p), 1u << seat);
	if (woke < 0)
		run_fail(woke, "cannot wake a thread");
	if (woke) {
		sent_end(w, &sent, act_now(w));
		atomic_store_explicit(&p->used, true, memory_order_relaxed);
	}
	atomic_store(&s->state, SEAT_CALLED);
	return true;
}

bool parking_wake(struct worker *w, struct parking *p, unsigned first, unsigned cnt, uint64_t op)
{
	/* seq_cst, pairs with seat_arm */
	if (atomic_load(&p->armed) == 0)
		return false;
	for (unsigned i = first; i < first + cnt; i++) {
		if (seat_wake(w, p, i, op))
			return true;
	}
	return false;
}
