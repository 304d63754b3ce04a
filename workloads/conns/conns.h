/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clients with a pool of connections each, and backends: what they share.
 *
 * A client leases a connection for an operation, sends its statements and waits for the answers. A
 * backend serves many connections; it answers when the last statement of a batch is done, so that
 * whoever has an answer knows that nothing of its operation runs any more. A slow statement is
 * noted at once and answered when it is cancelled: then its operation is over and its connection
 * drains.
 *
 * A slot belongs to its client. A post belongs to who sends it until it is written and to who
 * receives it from then on. Backends read what does not change while statements are under way.
 */
#ifndef ASSAY_WORKLOADS_CONNS_CONNS_H
#define ASSAY_WORKLOADS_CONNS_CONNS_H

#include "workloads/conns/pool.h"

enum conns_kind { KIND_QUERY, KIND_UPDATE, KIND_BROKEN, KIND_SLOW, KIND_STOP };
enum conns_class { CLASS_LEASE, CLASS_SOCKET, CLASS_WAITER };
enum conns_verb {
	VERB_MORE, /* a statement, and others follow */
	VERB_LAST,
	VERB_BROKEN,
	VERB_SLOW,
	VERB_CANCEL,
	VERB_ANSWER,
	VERB_ERROR,
	VERB_NOTICE,
	VERB_STOP,
};
enum conns_outcome {
	OUTCOME_GROWN,
	OUTCOME_REUSED,
	OUTCOME_BROKEN,
	OUTCOME_TIMED_OUT,
	OUTCOME_WAITED,
	OUTCOME_WORN_OUT,
};

/* Ids of the descriptors in manifest.yaml. */
enum conns_desc {
	DESC_LEASE = 1,
	DESC_USE = 2,
	DESC_RETURN = 3,
	DESC_DISCARD = 4,
	DESC_DRAIN = 5,
	DESC_WAIT = 6,
	DESC_OPEN = 7,
	DESC_CLOSE = 8,
	DESC_GRANT = 9,
	DESC_TRY = 10,
};

enum {
	CONNS_MOST = 32, /* operations that a client has in flight */
	CONNS_SPARES = 4,
};

struct slot {
	struct slot *next; /* free, or waiting for its deadline, or granted */
	uint32_t index;
	struct op op;
	bool live, draining;
	unsigned statements; /* to be made; a broken one is made once more */
	unsigned made, waiting;
	bool broken; /* what broke is being made again */
	struct conn *conn;
	struct waiter waiter;
	uint64_t due;
	struct post down[CONNS_STATEMENTS], up[CONNS_STATEMENTS], cancel, late;
} __attribute__((aligned(64)));

/* What truth knows of an entry: the last look at it. */
struct known {
	uint32_t opens, closes, leases, returns;
	uint64_t lease, socket; /* lives */
};

struct queue {
	struct slot *first, *last;
};

struct client {
	struct worker *w;
	struct service *service;
	struct poller poller;
	struct pool pool;
	struct known known[CONNS_ENTRIES];
	uint32_t changes; /* of the pool, as far as known */
	struct slot *free;
	unsigned most, draining;
	struct queue due, granted;
	uint64_t granted_look; /* the last moment at which nobody was granted anything */
	uint64_t sends, takes;
} __attribute__((aligned(64)));

struct backend {
	struct worker *w;
	struct service *service;
	struct poller poller;
	int control[ENDS]; /* a pipe: to read, to write */
	struct stream told;
	struct post stop;
	uint64_t sends, takes;
	bool stopped;
} __attribute__((aligned(64)));

struct service {
	struct client *clients;
	struct backend *backends;
	unsigned backends_cnt;
	struct slot *slots;
	struct conn spares[CONNS_SPARES];
	int spare_pipes[CONNS_SPARES][ENDS];
};

static inline void queue_add(struct queue *q, struct slot *sl)
{
	sl->next = NULL;
	if (q->first)
		q->last->next = sl;
	else
		q->first = sl;
	q->last = sl;
}

static inline struct slot *queue_take(struct queue *q)
{
	struct slot *sl = q->first;

	if (sl)
		q->first = sl->next;
	return sl;
}

/* ---- watch.c: calls of operators, and what they did to whom ---- */
struct conn *watch_lease(struct client *s, uint64_t op);
void watch_use(struct client *s, struct conn *c, unsigned statement, uint64_t op);
void watch_return(struct client *s, struct conn *c, uint64_t op);
void watch_discard(struct client *s, struct conn *c, uint64_t op);
void watch_drain(struct client *s, struct conn *c, uint64_t op);
void watch_drained(struct client *s, struct conn *c, uint64_t op);
void watch_wait(struct client *s, struct slot *sl, uint64_t op);
void watch_grant(struct client *s, uint64_t op); /* whoever may go on is queued */
void watch_end(struct client *s);

/* ---- client.c, backend.c ---- */
void client_body(struct client *s);
void backend_body(struct backend *b);
void backend_tell(struct worker *w, struct backend *b, uint64_t op, uint64_t seq);

#endif
