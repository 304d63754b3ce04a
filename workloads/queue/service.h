/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Producers that take requests, consumers that do their jobs: what they share.
 *
 * A slot belongs to its producer while it is free; while its operation runs, `left` counts who
 * still works for it, the producer among them. Whoever takes it to 0 ends the operation and gives
 * the slot back through the producer's `back`.
 */
#ifndef ASSAY_WORKLOADS_QUEUE_SERVICE_H
#define ASSAY_WORKLOADS_QUEUE_SERVICE_H

#include "workloads/driver/parking.h"
#include "workloads/queue/store.h"

enum queue_kind { KIND_SINGLE, KIND_BATCH, KIND_BULK, KIND_TRY, KIND_STOP };
enum queue_class { CLASS_SPACE };
enum queue_outcome { OUTCOME_WAITED, OUTCOME_REFUSED, OUTCOME_BATCHED };

/* Ids of the descriptors in manifest.yaml. */
enum queue_desc { DESC_RESERVE = 1, DESC_LOOK = 2, DESC_RELEASE = 3, DESC_WAIT = 4 };

enum {
	QUEUE_JOBS = 8,	 /* an operation has at most */
	QUEUE_BATCH = 8, /* a consumer takes at once at most */
	QUEUE_SPARES = 4,
	JOB_SMALL = 256, /* bytes */
	JOB_LARGE = 2048,
};

struct producer;

struct slot {
	struct slot *next;
	struct producer *producer;
	struct op op;
	unsigned jobs;
	_Atomic unsigned left; /* jobs not done yet, and the producer until it has sent them */
	struct job job[QUEUE_JOBS];
} __attribute__((aligned(64)));

struct producer {
	struct worker *w;
	struct service *service;
	struct slot *free;
	bool pushed;		     /* a job, before */
	_Atomic(struct slot *) back; /* slots whose operations have ended */
} __attribute__((aligned(64)));

struct consumer {
	struct worker *w;
	struct service *service;
	unsigned seat;
	uint64_t look; /* the last moment at which the queue was empty */
} __attribute__((aligned(64)));

struct service {
	struct queue queue;
	struct parking seats; /* consumers, then producers, until there are jobs or room */
	struct parking ends;  /* producers, until one of their operations ends */
	unsigned batch;
	_Atomic bool stop;
	unsigned workers, consumers_cnt;
	struct producer *producers;
	struct consumer *consumers;
	struct slot *slots;
	struct job spares[QUEUE_SPARES];
	struct producer spare_producers[QUEUE_SPARES];
};

static inline unsigned room_seat(const struct producer *p)
{
	return p->service->consumers_cnt + p->w->index;
}

/* ---- watch.c: calls of operators, and what they did to whom ---- */
bool watch_reserve(struct producer *p, struct job *j);
void watch_wait(struct producer *p, uint64_t op);
void watch_push(struct producer *p, struct job *j);
struct job *watch_pop(struct consumer *c, uint64_t *ret_before, uint64_t *ret_after);
void watch_look(struct worker *w, struct job *j);
void watch_release(struct worker *w, struct service *s, struct job *j);

/* ---- producer.c, consumer.c ---- */
void producer_body(struct producer *p);
void consumer_body(struct consumer *c);
/* Somebody is through with its part, and its segment is closed. */
void slot_part_done(struct worker *w, struct slot *sl);

#endif
