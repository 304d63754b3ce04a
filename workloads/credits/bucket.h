/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A token bucket: its state and its operators; and the line in which parts travel, the shortest
 * first: more of them fit into what there is.
 *
 * level + what accounts hold + what is spent and not refilled = capacity, always. Who finds less
 * than it asks for gets that, and may wait for the rest; who comes while others wait gets nothing.
 * So of those who wait only the first holds a part of what it needs. All operators of the bucket
 * are called under its lock, by credits_wait, _grant and _admit also those of accounts that wait.
 * Accounts count what they got and gave; whoever calls an operator can see from that what it did.
 */
#ifndef ASSAY_WORKLOADS_CREDITS_BUCKET_H
#define ASSAY_WORKLOADS_CREDITS_BUCKET_H

#include "workloads/driver/act.h"
#include "workloads/driver/spin.h"

enum { CREDITS_SENDERS = 16 };

struct account {
	struct account *next; /* in the line */
	uint32_t held;
	uint32_t got, gave, used; /* counts */
	uint32_t missing;	  /* until it may leave the line */
	_Atomic bool admitted;	  /* it has all that it asked for, and has not looked yet */
	unsigned sender;	  /* who works for it */
	uint64_t life;		  /* of what it holds: for truth */
	struct sent sent;	  /* by which it was admitted */
};

struct bucket {
	_Atomic bool lock;
	uint32_t capacity, most; /* tokens; accounts in the line */
	uint32_t level, spent;
	uint32_t waiting;
	struct account *first, *last;
	int fd; /* timerfd of the next refill */
	bool armed, used;
	struct sent sent; /* of the arming */
} __attribute__((aligned(64)));

/* One stream of an upload, on its way to whoever sends it. */
struct part {
	struct part *next;
	struct slot *slot;
	unsigned tokens, surplus; /* asked for; of them not needed after all */
	struct sent sent;
	struct account account;
} __attribute__((aligned(64)));

struct line {
	_Atomic bool lock;
	bool in_order; /* first in, first out; else the shortest first */
	_Atomic unsigned cnt;
	struct part *first;
} __attribute__((aligned(64)));

/* ---- ops.c: operators, named by manifest.yaml ---- */
void credits_init(struct bucket *b, unsigned capacity, unsigned most);
unsigned credits_take(struct bucket *b, struct account *a, unsigned n); /* how many it got */
bool credits_wait(struct bucket *b, struct account *a, unsigned n);	/* false: refused */
void credits_use(struct account *a, unsigned n);
void credits_spend(struct bucket *b, struct account *a, unsigned n);
void credits_return(struct bucket *b, struct account *a, unsigned n);
void credits_refill(struct bucket *b, unsigned n);
unsigned credits_grant(struct bucket *b, struct account *a); /* to the first in the line */
void credits_admit(struct bucket *b, struct account *a);   /* it misses nothing: out of the line */
bool credits_collect(struct bucket *b, struct account *a); /* it was admitted; once */
void credits_push(struct part *p, struct line *to);
struct part *credits_pop(struct line *from); /* NULL: empty */

#endif
