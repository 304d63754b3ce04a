/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event loops, one a thread: what the parts of one share.
 *
 * An operation is a chain of callbacks: parts that lie in pipes or behind an eventfd until the loop
 * finds them, a delay on a timerfd, a last call through the other eventfd. All ends of all its
 * handoffs are on one thread, and many operations are alive at once. Slots and timerfds are
 * recycled last in, first out. Everything belongs to the loop's thread.
 */
#ifndef ASSAY_WORKLOADS_LOOP_LOOP_H
#define ASSAY_WORKLOADS_LOOP_LOOP_H

#include "workloads/driver/act.h"
#include "workloads/driver/poller.h"
#include "workloads/driver/stream.h"

enum loop_kind { KIND_PIPE, KIND_SPREAD, KIND_POST };
enum loop_outcome { OUTCOME_INTERLEAVED, OUTCOME_ALIVE };

enum {
	LOOP_MOST = 64, /* operations alive */
	LOOP_PARTS = 8,
	LOOP_PIPES = 4,
	LOOP_BELLS = 2, /* eventfds: of parts, of last calls */
	LOOP_SPARES = 4,
	LOOP_MANY = 4, /* alive at once: what a run is there for */
};

enum bell_use { BELL_PARTS, BELL_LAST };

/* What a descriptor that is ready means. */
enum waitable_kind { WAIT_PIPE, WAIT_BELL, WAIT_TIMER };

struct waitable {
	enum waitable_kind kind;
};

struct pipe_line {
	struct waitable waitable; /* first */
	int write_fd;
	struct stream in;
};

/* One count behind an eventfd, in the order of the writes. */
struct posted {
	struct posted *next;
	struct slot *slot;
	struct sent sent;
};

struct bell {
	struct waitable waitable; /* first */
	int fd;
	struct rec_key key;
	bool used;
	struct posted *first, *last;
};

struct timer {
	struct waitable waitable; /* first */
	struct timer *next;
	int fd;
	bool used;
	struct slot *slot;
	struct sent sent;
};

struct slot {
	struct slot *next;
	uint32_t index;
	bool live;
	struct op op;
	unsigned parts, sent, waiting;
	unsigned pipe; /* of its parts, or the first of them */
	struct post post[LOOP_PARTS];
	struct posted posted[LOOP_PARTS + 1]; /* one a part, and the last call */
	struct timer *timer;
} __attribute__((aligned(64)));

struct loop {
	struct worker *w;
	struct poller poller;
	struct pipe_line pipes[LOOP_PIPES];
	struct bell bells[LOOP_BELLS];
	struct timer *timers, *timers_free;
	struct slot *slots, *free;
	unsigned most;
	const struct slot *last; /* whose callback ran last */
	uint64_t sends, takes;
	int spare_pipes[LOOP_SPARES][2], spare_timers[LOOP_SPARES];
} __attribute__((aligned(64)));

/* ---- sources.c: what callbacks wait for ---- */
void sources_open(struct loop *l);
void sources_close(struct loop *l);
void sources_spare(struct loop *l, struct recorder_channel *c);
void pipe_send(struct loop *l, unsigned pipe, struct slot *sl, unsigned part);
void bell_post(struct loop *l, enum bell_use use, struct slot *sl, unsigned part);
/* One read: how many were posted. */
unsigned bell_read(struct loop *l, struct bell *b);
struct posted *bell_next(struct bell *b); /* once for each */
void timer_arm(struct loop *l, struct slot *sl, uint64_t ns);
bool timer_read(struct timer *t); /* false: it has not expired */
void timer_put(struct loop *l, struct timer *t);

/* ---- service.c ---- */
struct slot *slot_get(struct loop *l);
void slot_put(struct loop *l, struct slot *sl);
void loop_body(struct loop *l);

#endif
