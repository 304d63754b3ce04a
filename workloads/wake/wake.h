/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread pool whose threads meet on futex words: what its parts share.
 *
 * Fronts take requests, split them and post the parts into mailboxes of helpers. All helpers sleep
 * on one word, each under its own bit (FUTEX_WAIT_BITSET, as a condition variable); a front sleeps
 * on a word in its own stack frame (FUTEX_WAIT) until the last part is done.
 *
 * Who woke whom is never guessed. A ticket stands for one outstanding wake of one waiter: it is
 * claimed before the call and given back when both sides are through with it, the waker's call has
 * returned and the waiter has accounted for it. So a waiter that returns 0 was woken by the holder
 * of its ticket, and by nobody else, however late that call was.
 */
#ifndef ASSAY_WORKLOADS_WAKE_WAKE_H
#define ASSAY_WORKLOADS_WAKE_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/act.h"
#include "workloads/driver/workload.h"

enum wake_kind { KIND_SCATTER, KIND_BROADCAST, KIND_CONVOY, KIND_NUDGE, KIND_STOP };

enum {
	WAKE_HELPERS = 32, /* a bit of the word each */
	WAKE_PARTS = 8,	   /* of one operation */
	WAKE_DEPTHS = 4,   /* stack depths at which a front's words lie */
	WAKE_SPARES = 8,
};

enum ticket_flag {
	TICKET_BUSY = 1u << 0,
	TICKET_CALLED = 1u << 1, /* the waker's call has returned and its result is known */
	TICKET_WOKE = 1u << 2,	 /* it woke the waiter */
	TICKET_TAKEN = 1u << 3,	 /* what was posted with it has been taken (or nothing was) */
	TICKET_SLEPT = 1u << 4,	 /* the waiter has returned 0 and accounted for it */
};

struct ticket {
	_Atomic unsigned flags; /* enum ticket_flag; 0: free */
	_Atomic bool posted;	/* released after `sent` is written, for the waiter's acquire */
	struct sent sent;
};

/* A word on a front's stack at which it waits for `left` to become 0. */
struct join {
	_Atomic uint32_t left;
};

/* Several helpers of one operation that wait for a common start, then go one after another. */
struct convoy {
	_Atomic uint32_t cond;	  /* they sleep here; its value is the generation */
	_Atomic uint32_t lock;	  /* and are moved here */
	_Atomic unsigned started; /* set by the one that the start itself woke */
	struct ticket start;	  /* the start's wake */
	struct ticket each[WAKE_PARTS];
	unsigned cpus[WAKE_PARTS];
	unsigned cnt;
	bool used;
};

/* What a helper is asked to do. */
struct item {
	uint64_t op;
	unsigned kind;
	unsigned part, parts; /* burn */
	struct join *join, *gather;
	struct ticket *seat, *gather_seat;
	uint16_t join_marks;
	unsigned front_cpu;
	struct convoy *convoy;
	unsigned place;	     /* in the convoy */
	uint32_t generation; /* of the convoy */
};

struct box { /* a helper's mailbox */
	struct ticket ticket;
	_Atomic bool full;
	struct item item;
	uint32_t bit;
	unsigned cpu;
} __attribute__((aligned(64)));

/* A call that woke some of several waiters; which, they will tell. */
struct unsettled {
	struct box *box[WAKE_PARTS];
	struct sent sent[WAKE_PARTS];
	unsigned cnt, woken;
	uint64_t t1;
};

struct front {
	struct worker *w;
	struct ticket seats[WAKE_DEPTHS][2];
	struct convoy convoy;
	struct unsettled unsettled;
	struct op op;
	uint64_t sends, takes;
	bool used[WAKE_DEPTHS];
};

struct pool {
	_Atomic uint32_t word __attribute__((aligned(64))); /* where all helpers sleep */
	_Atomic uint32_t spares[WAKE_SPARES];		    /* words that nobody ever names */
	_Atomic bool word_used;
	unsigned helpers;
	struct box box[WAKE_HELPERS];
	struct front *fronts;
};

static inline struct rec_key wake_key(const _Atomic uint32_t *word)
{
	return (struct rec_key){.v = (uintptr_t)word, .ns = KEY_UADDR};
}

static inline uint16_t wake_cross(unsigned a, unsigned b)
{
	return a != b ? 1u << MARK_CROSS : 0;
}

/* ---- ticket.c ---- */
bool ticket_claim(struct ticket *t, unsigned also);
void ticket_settle(struct ticket *t, unsigned add);
void ticket_post(struct ticket *t, const struct sent *s); /* before the call that wakes */
struct sent ticket_sent(struct ticket *t);		  /* by the waiter that was woken */
void ticket_reset(struct ticket *t);			  /* where nothing is outstanding */

/* ---- front.c: the threads that take requests ---- */
void front_body(struct front *f);
void front_stop_helpers(struct front *f);

/* ---- helper.c ---- */
void helper_body(struct worker *w, struct pool *p, struct box *b);
/* A helper's or front's last act for a join: counts down, and wakes the front if it was the last.
 */
void join_finish(struct worker *w, struct join *j, struct ticket *seat, uint64_t op, uint16_t marks,
		 uint64_t seq);

#endif
