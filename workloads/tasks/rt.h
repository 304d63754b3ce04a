/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A work-stealing task runtime: tasks, strands, and what they wait for.
 *
 * A task is a slot from a table that is recycled last in, first out; its address is its identity as
 * seen from outside. A task has one or more strands, which run independently: a plain task has one,
 * a parallel loop has one a part. What lies in deques, waits in lines and is run is a strand.
 * Strands are stackless: a body is called at each stage, and returns when it is done or what it
 * awaits.
 *
 * A strand is touched by one thread at a time: it runs, or it is *due* (in a deque or in the
 * injector), or it is suspended and belongs to what it waits for. It is armed (handed to what it
 * waits for) by the worker after its body has returned, so nobody can run it while it still runs.
 * What several threads look at is guarded by its task's lock: `wait`, `timer`, `children`,
 * `cancelled`. Locks are taken in the order parent task, child task, timer or line.
 *
 * Operators (ops.c, permits.c) are called from watch.c, which records.
 */
#ifndef ASSAY_WORKLOADS_TASKS_RT_H
#define ASSAY_WORKLOADS_TASKS_RT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/act.h"
#include "workloads/driver/spin.h"
#include "workloads/driver/workload.h"
#include "workloads/tasks/deque.h"

struct runner;
struct strand;
struct task;
struct timer;

enum {
	TASK_STRANDS = 8,
	TASK_READS = 3,	   /* of one strand, in one batch */
	TASK_UNIT = 32,	   /* read i of a task moves i + 1 units */
	TASK_SHORT = 1024, /* and has a place of this size in the task's buffer */
	TASK_BUFFER = TASK_STRANDS * TASK_READS * TASK_SHORT,
	PERMITS_MOST = 32,
};

enum next { NEXT_DONE, NEXT_AWAIT };

/* What a suspended strand waits for. */
enum await {
	AWAIT_NOTHING,
	AWAIT_READ,   /* its parts of the file, by io_uring */
	AWAIT_SLEEP,  /* `ns` */
	AWAIT_PERMIT, /* the resource */
	AWAIT_JOIN,   /* all its child tasks have ended */
	AWAIT_FIRST,  /* or one of their strands has won */
	AWAIT_BLOCK,  /* a blocking call, on a helper thread */
};

enum strand_state { STRAND_NEW, STRAND_DUE, STRAND_RUNNING, STRAND_SUSPENDED, STRAND_DONE };

typedef enum next task_body(struct runner *x, struct strand *s);

struct strand {
	struct task *task; /* first: the manifest reads it */
	unsigned index;
	unsigned state; /* enum strand_state */
	unsigned stage, role;
	uint64_t ns;
	enum await await; /* asked for by the body */
	enum await wait;  /* what it can be taken out of; the task's lock */
	bool ran, won;	  /* `won`: it has a result */
	/* truth that travels with it */
	const struct runner *from; /* who spawned or suspended it */
	struct sent due;	   /* its spawn or resume */
	struct sent queued;	   /* through the injector or to the helpers */
	struct sent granted;	   /* by who gave it a permit */
	bool has_queued, has_granted;
	/* its reads, under way */
	struct sent io[TASK_READS];
	_Atomic bool io_posted; /* released after all of the above are written */
	unsigned io_left;	/* the reactor's, once they are posted */
	_Atomic unsigned owed;	/* runs that are owed to it: 0 or 1 */
	/* what it waits in, has and waits for */
	struct strand *next;
	struct timer *timer;
	unsigned held; /* permits */
	struct permit *permit, *reserved;
	struct task *children; /* the task's lock */
	unsigned children_cnt, wins;
} __attribute__((aligned(64)));

struct task {
	struct strand strands[TASK_STRANDS];
	task_body *body;
	_Atomic bool lock;
	_Atomic bool cancelled; /* written under the lock */
	_Atomic unsigned left;	/* strands that have not ended */
	unsigned width;
	uint32_t epoch; /* how often the slot was dealt */
	struct strand *parent;
	struct task *root, *before, *after; /* among the parent's children */
	struct task *next;		    /* free */
	/* of the root */
	struct op op;
	unsigned home; /* worker that took it */
	/* of the slot */
	uint8_t *buffer;
	_Atomic bool has_read; /* its address was a user_data before */
} __attribute__((aligned(64)));

/* First in, first out; filled and emptied by any thread. */
struct line {
	_Atomic bool lock;
	_Atomic unsigned cnt;
	struct strand *first, *last;
};

/* The resource: so many leases at a time, given to who waits in the order in which they came. */
struct permit {
	struct permit *next;
	struct strand *holder; /* or for whom it is reserved */
	uint32_t leases, uses;
} __attribute__((aligned(64)));

struct permits {
	_Atomic bool lock;
	unsigned cnt;
	struct permit *free;
	struct line line; /* guarded by the lock above */
	struct permit *permit;
};

/* ---- line.c ---- */
void line_add(struct line *l, struct strand *s);
struct strand *line_take(struct line *l); /* NULL: empty */
bool line_remove(struct line *l, struct strand *s);

/* ---- ops.c: operators of the runtime ---- */
/* One run is owed to it from now on; fails where one was owed already. */
void strand_due(struct strand *s);
/* A strand is to run for the first time: into the deque. */
void rt_spawn(struct strand *s, struct task *t, struct deque *d);
/* Again from its beginning, when the runtime comes round. */
void rt_again(struct strand *s, struct task *t, _Atomic(struct strand *) *later);
enum next rt_run(struct strand *s, struct task *t, struct runner *x);
void rt_park(struct strand *s, struct task *t);
/* What it waited for is there: into the deque of the worker that says so. */
void rt_ready(struct strand *s, struct task *t, struct deque *d);
void rt_push(struct strand *s, struct task *t, struct line *l);
struct strand *rt_pop(struct line *l);
/* True: it was the last of its task. */
bool rt_finish(struct strand *s, struct task *t);
void rt_begin(struct task *t); /* an operation, by its root task */
void rt_end(struct task *t);

/* ---- permits.c: operators of the resource ---- */
void permits_init(struct permits *p, unsigned cnt, struct permit *permit);
struct permit *permit_take(struct permits *p, struct strand *s); /* NULL: none free */
void permit_use(struct permit *q);
void permit_give(struct permit *q, struct permits *p, struct strand *s);
/* Joins the line. False: there was one, and it is reserved. */
bool permit_wait(struct permits *p, struct strand *s);
/* Reserves a free one for the first in the line, if there are both: `sent` goes with it. */
struct strand *permit_grant(struct permits *p, const struct sent *sent);
bool permit_leave(struct permits *p, struct strand *s); /* false: not in the line (any more) */

#endif
