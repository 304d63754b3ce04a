/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of connections: its state and its operators.
 *
 * An entry is free, or a connection that is idle, leased, or draining: its lease has ended and an
 * answer is still to come. It is closed when it broke or is worn out; its entry can be used again
 * once the other side has closed as well. The pool belongs to one thread, but for `served`. Entries
 * count what happens to them; whoever calls an operator can see from that what it did.
 */
#ifndef ASSAY_WORKLOADS_CONNS_POOL_H
#define ASSAY_WORKLOADS_CONNS_POOL_H

#include "workloads/driver/poller.h"
#include "workloads/driver/stream.h"

enum { CONNS_ENTRIES = 64, CONNS_STATEMENTS = 10 };
enum conn_end { END_CLIENT, END_SERVER, ENDS };
enum conn_state { CONN_FREE, CONN_IDLE, CONN_LEASED, CONN_DRAINING };

struct slot;
struct backend;

struct conn {
	struct conn *next; /* of those that are idle */
	uint32_t state;
	uint32_t opens, closes, leases, returns;
	uint32_t uses; /* of this lease */
	uint32_t worn; /* leases since it was opened */
	int fd[ENDS];
	struct slot *slot; /* who has it, or waits for its last answer */
	struct backend *backend;
	_Atomic bool served; /* the server's end is open */
	struct stream in[ENDS];
	struct frame batch[CONNS_STATEMENTS]; /* the backend's: statements without an answer yet */
	unsigned batch_cnt;
} __attribute__((aligned(64)));

struct waiter {
	struct waiter *next;
	struct slot *slot;
	struct sent sent; /* of the grant */
};

struct pool {
	uint32_t capacity, keep; /* connections at most, leases of one connection at most */
	uint32_t open, changes;
	struct conn *idle; /* last in, first out */
	struct waiter *first, *last;
	unsigned entries;
	struct conn *conns;
	struct backend *backends;
	unsigned backends_cnt, next_backend;
};

/* ---- ops.c: operators, named by manifest.yaml ---- */
void conns_init(struct pool *p, unsigned capacity, unsigned keep);
struct conn *conns_open(struct pool *p); /* NULL: there are as many as may be */
void conns_close(struct conn *c, struct pool *p);
struct conn *conns_lease(struct pool *p);	    /* NULL: all are in use */
void conns_use(struct conn *c, unsigned statement); /* for one statement */
void conns_return(struct conn *c, struct pool *p);  /* the lease ends well */
void conns_discard(struct conn *c, struct pool *p); /* it ends, and the connection with it */
void conns_drain(struct conn *c, struct pool *p);   /* it ends before its last answer */
void conns_drained(struct conn *c, struct pool *p); /* which has come now */
void conns_wait(struct pool *p, struct waiter *w);
struct waiter *conns_grant(struct pool *p); /* who may go on; NULL: nobody, or with nothing */

/* ---- state.c ---- */
struct conn *conn_find(struct pool *p); /* a free entry */
void conn_connect(struct conn *c, struct pool *p);
void conn_disconnect(struct conn *c, struct pool *p);
void conn_to_idle(struct conn *c, struct pool *p);
void conn_leased(struct conn *c, struct pool *p);
void conn_returned(struct conn *c, struct pool *p);

#endif
