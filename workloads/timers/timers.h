/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A service that tries again later: what its parts share.
 *
 * Each worker has an event loop, timerfds, POSIX timers and a ring of its own. An operation makes
 * several attempts with a delay between them (its retry) under a deadline (its guard), each by one
 * of three means. Timerfds and POSIX timers lie in stacks and are recycled last in, first out; all
 * requests for one role of a slot share one user_data.
 *
 * Which arming an expiry belongs to is never guessed. A timerfd that is set again, or to nothing,
 * has forgotten that it expired. A POSIX timer is disarmed before it is armed anew; if it had
 * expired by then it is parked, and another one takes its place, until all signals that there are
 * have been taken: its own came among them, or never comes (Linux drops it from 6.13 on). A
 * timeout is set anew by its removal and another one, in one batch: by then the first is off or has
 * expired, so it is heard of before the second. Removals are told by their results. A slot is not
 * used again before all of its requests have come back. Everything belongs to one thread.
 */
#ifndef ASSAY_WORKLOADS_TIMERS_TIMERS_H
#define ASSAY_WORKLOADS_TIMERS_TIMERS_H

#include <liburing.h>
#include <time.h>

#include "workloads/driver/act.h"
#include "workloads/driver/poller.h"

enum timers_kind { KIND_DESCRIPTOR, KIND_SIGNAL, KIND_RING };
enum timers_means { MEANS_DESCRIPTOR, MEANS_SIGNAL, MEANS_RING };
enum timers_role { ROLE_RETRY, ROLE_GUARD, ROLES };
enum timers_outcome { OUTCOME_REARMED, OUTCOME_GAVE_UP, OUTCOME_IN_TIME, OUTCOME_TOO_LATE };

enum {
	TIMERS_MOST = 64, /* operations that a worker has in flight */
	TIMERS_TURNS = 4,
	TIMERS_SPARES = 8,
	TIMERS_APART = 8, /* between the keys of a slot's two roles */
};

struct slot;

/* A timerfd or a POSIX timer. */
struct timer {
	struct timer *next;
	enum timers_means means;
	int fd;
	timer_t id;
	struct slot *slot;
	enum timers_role role;
	struct sent sent; /* of the last arming */
	bool used;
	bool armed;
	bool parked; /* disarmed too late, and its signal may still come */
};

/* The requests of one role: timeouts and removals, each in the order in which they were sent. */
struct requests {
	struct sent timeout[TIMERS_TURNS], removal[TIMERS_TURNS];
	unsigned set, heard;	    /* timeouts */
	unsigned removed, answered; /* removals */
	unsigned grouped;	    /* timeouts up to this one are in groups, the last in: */
	uint64_t group;
	bool used;
	bool off; /* the last timeout is not waited for */
	struct __kernel_timespec delay;
};

struct slot {
	struct slot *next;
	struct op op;
	bool live;
	unsigned attempts, made;
	struct timer *timer[ROLES]; /* NULL: by the ring, or none is armed */
	struct requests requests[ROLES];
	unsigned flying;
} __attribute__((aligned(64)));

struct stack {
	struct timer *free, *all;
};

struct service {
	struct worker *w;
	struct poller poller;
	struct io_uring ring;
	unsigned scope;
	int signals; /* a signalfd: only tells that there are some */
	struct stack stacks[MEANS_RING];
	struct slot *slots, *free;
	unsigned most, flying; /* operations; requests */
	struct timer *parked;
	uint64_t sends, takes;
	struct slot *spares;
	int spare_fds[TIMERS_SPARES];
} __attribute__((aligned(64)));

/* ---- clocks.c: timerfds and POSIX timers ---- */
void clocks_block(void);	      /* their signal, before there are threads */
void clocks_open(struct service *s);  /* timerfds, by the main thread */
void clocks_start(struct service *s); /* POSIX timers, by the thread that gets their signals */
void clocks_close(struct service *s);
struct timer *clocks_get(struct service *s, enum timers_means means);
void clock_put(struct service *s, struct timer *t);
void clock_arm(struct service *s, struct timer *t, uint64_t ns);
void clock_disarm(struct service *s,
		  struct timer *t); /* what it was armed for is off; may park it */
bool clock_expired(struct service *s, struct timer *t); /* read: a timerfd had expired */
struct timer *clocks_take(struct service *s); /* whose signal was taken; NULL: there is none */
void clocks_settle(struct service *s); /* no signal is left: what is parked was not heard of */

/* ---- ring.c ---- */
void ring_open(struct service *s);
void ring_arm(struct service *s, struct slot *sl, enum timers_role role, uint64_t ns);
void ring_rearm(struct service *s, struct slot *sl, enum timers_role role, uint64_t ns);
void ring_disarm(struct service *s, struct slot *sl, enum timers_role role);
void ring_take(struct service *s);

/* ---- service.c ---- */
void service_body(struct service *s);
/* An expiry that its operation waits for: taken, its segment open. Closes it; returns when the
 * thread was free again. */
uint64_t service_expired(struct service *s, struct slot *sl, enum timers_role role);
void slot_put(struct service *s, struct slot *sl);

#endif
