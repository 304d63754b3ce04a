/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads around the runtime, and what they share.
 *
 * Workers take requests, run strands and steal them from each other; they sleep in seats of
 * `workers`. The reactor owns the consuming side of the one ring, the clock thread reads the
 * timers, helpers make blocking calls for strands: none of these runs a strand, they put it into
 * the injector. Helpers are started when there is work for them, inside the request that needs one.
 */
#ifndef ASSAY_WORKLOADS_TASKS_CREW_H
#define ASSAY_WORKLOADS_TASKS_CREW_H

#include <liburing.h>

#include "workloads/driver/parking.h"
#include "workloads/driver/poller.h"
#include "workloads/tasks/rt.h"

enum tasks_kind { KIND_FORK, KIND_GATHER, KIND_BLOCK, KIND_RACE, KIND_SWEEP, KIND_STOP };
enum tasks_class { CLASS_PERMIT };

/* What a default run exercises beyond handoffs and marks; the words are in tasks.c. */
enum tasks_outcome {
	OUTCOME_HELPER_BORN,
	OUTCOME_AGAIN,
	OUTCOME_RESUMED_ELSEWHERE,
	OUTCOME_DEQUE_GROWN,
	OUTCOME_CANCELLED_UNRUN,
	OUTCOME_CANCELLED_IN_LINE,
	OUTCOME_CANCELLED_HOLDING,
	OUTCOME_CANCELLED_READING,
	OUTCOME_CANCELLED_JOINING,
	OUTCOME_CANCELLED_BLOCKING,
};

/* Ids of the descriptors in manifest.yaml that are of resources. */
enum tasks_desc { DESC_ACQUIRE = 1, DESC_USE = 2, DESC_RELEASE = 3, DESC_WAIT = 4 };

enum { CREW_HELPERS = 2, CREW_SPARES = 4, CREW_ENTRIES = 256 };

struct timer {
	int fd;
	_Atomic bool lock;
	bool armed, used;
	struct strand *strand;
	struct sent sent;
	struct timer *next; /* free */
};

/* A worker, the reactor, the clock thread, a helper or the main thread. */
struct runner {
	struct worker *w;
	struct crew *crew;
	bool is_worker;
	unsigned seat;
	struct deque deque; /* workers */
	uint64_t looked;    /* the last moment at which nothing was there that it receives */
	uint64_t look;	    /* the end of a worker's last look */
	uint64_t seq, takes;
	unsigned ticks, looks;
	_Atomic unsigned ended;		/* operations of its own that others have ended */
	uint64_t spawned, ran, dropped; /* strands */
	uint64_t parked, resumed;
} __attribute__((aligned(64)));

struct crew {
	struct run *run;
	struct runner *runners; /* as threads, then the main thread's */
	unsigned workers, most; /* operations in flight a worker */
	struct parking seats;	/* workers, then helpers */
	struct line injector, blocking;
	_Atomic(struct strand *) later; /* re-submitted, not yet in a deque */
	_Atomic unsigned active; /* workers with arrivals to come, and operations in flight */
	_Atomic bool over, stop;
	_Atomic bool swept; /* the task that goes on for ever has begun */
	/* helpers */
	_Atomic bool helpers_lock;
	unsigned helpers_started;
	_Atomic unsigned helpers_busy;
	/* slots */
	_Atomic bool slots_lock;
	struct task *slots, *free;
	unsigned slots_cnt;
	uint8_t *buffers;
	struct task spares[CREW_SPARES];
	/* the resource */
	struct permits permits;
	struct permit permit[PERMITS_MOST], spare_permits[CREW_SPARES];
	uint64_t permit_life[PERMITS_MOST]; /* its holder's */
	/* reading */
	_Atomic bool ring_lock; /* the submitting side */
	struct io_uring ring;
	int file;
	uint64_t look, look_before; /* two of the reactor's looks at the queue */
	struct sent stop_sent;
	_Atomic bool stop_posted;
	bool ring_over; /* the reactor's */
	/* sleeping */
	_Atomic bool timers_lock;
	struct timer *timers, *timers_free, stop_timer;
	unsigned timers_cnt;
	struct poller clock; /* the clock thread's */
};

static inline struct rec_key task_key(const struct task *t)
{
	return (struct rec_key){.v = (uintptr_t)t, .ns = KEY_TASK};
}

static inline uint16_t task_marks(const struct task *t)
{
	return t->epoch > 1 ? 1u << MARK_REUSED_KEY : 0;
}

static inline uint64_t op_of(const struct task *t)
{
	return t->root->op.id;
}

static inline void wake_worker(struct runner *x, uint64_t op)
{
	parking_wake(x->w, &x->crew->seats, 0, x->crew->workers, op);
}

static inline bool wake_helper(struct runner *x, uint64_t op)
{
	return parking_wake(x->w, &x->crew->seats, x->crew->workers, CREW_HELPERS, op);
}

static inline bool serial(const struct crew *c)
{
	return c->run->options->serial;
}

/* ---- slots.c ---- */
void slots_open(struct crew *c, unsigned ops);
/* A task of `width` strands that are yet to be spawned; parent NULL: a root. */
struct task *task_new(struct crew *c, struct strand *parent, task_body *body, unsigned width);
void task_free(struct crew *c, struct task *t);

/* ---- watch.c: calls of operators, and what they did ---- */
void watch_spawn(struct runner *x, struct strand *s, uint16_t marks);
void watch_spawn_root(struct runner *x, struct strand *s); /* closes the segment first */
void watch_again(struct runner *x, struct strand *s, uint64_t op);
void watch_park(struct runner *x, struct strand *s);
/* What it waited for is there. No segment of its operation need be open. */
void watch_ready(struct runner *x, struct strand *s);
void watch_queue(struct runner *x, struct strand *s, struct line *l);
bool watch_take(struct runner *x, struct strand *s); /* a permit */
bool watch_wait(struct runner *x, struct strand *s); /* false: one is reserved for it */
void watch_use(struct runner *x, struct strand *s);
void watch_give(struct runner *x, struct strand *s); /* and lets one that waits go on */

/* ---- sched.c: a worker ---- */
void worker_body(struct runner *x);
void crew_settle(struct runner *x); /* the main thread: what will not be run any more */

/* ---- await.c: suspending, and being told ---- */
void await_arm(struct runner *x, struct strand *s);
/* Cancels a strand's child tasks and all below them. */
void children_cancel(struct runner *x, struct strand *p);
/* A strand of one of p's children has won (`won`), or the child has ended and is unlinked. */
void parent_told(struct runner *x, struct strand *p, bool won, struct task *ended);

/* ---- reactor.c ---- */
void reactor_open(struct crew *c);
void reactor_read(struct runner *x, struct strand *s);
void reactor_body(struct runner *x);
void reactor_stop(struct runner *x, uint64_t op);

/* ---- clock.c ---- */
void clock_open(struct crew *c, unsigned cnt);
void clock_arm(struct runner *x, struct strand *s); /* the task is locked */
bool clock_cancel(struct runner *x, struct strand *s);
void clock_body(struct runner *x);
void clock_stop(struct runner *x, uint64_t op);
void clock_close(struct crew *c);

/* ---- helper.c ---- */
void helper_ready(struct runner *x); /* sees to it that there is one, inside a segment */
void helper_call(struct runner *x, struct strand *s);
void helper_body(struct runner *x);
void helper_stop(struct runner *x, uint64_t op);

/* ---- requests.c ---- */
task_body sweep_body;
/* Takes one request, if one is due: its root task is spawned. */
bool admit(struct runner *x);

#endif
