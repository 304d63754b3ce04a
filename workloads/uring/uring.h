/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A storage server on io_uring: what its parts share.
 *
 * Each worker has a ring and takes requests; one more thread, the log writer, has a ring with a
 * kernel submission thread (SQPOLL) and serves the others. A ring has one consumer. Threads reach
 * each other by MSG_RING.
 *
 * user_data is the address of the operation's slot; all that an operation has in flight on a ring
 * shares it, and the slot goes to the next operation at once, even while a timer of the last one
 * still runs. The server tells completions apart by what each can return: reads and writes by their
 * length (no two in flight under one slot are equally long), the others by their code, of which a
 * slot has one at most. So truth is exact where user_data is not. One pair has a key of its own,
 * the slot's second word: the kernel finds what a linked timeout has to cut off by its user_data,
 * and would cut off anything else of that name (io_req_task_link_timeout).
 *
 * A slot belongs to one thread; `mail` is the one part that another thread writes or reads, and
 * while a message is under way the rest is left alone by its owner.
 */
#ifndef ASSAY_WORKLOADS_URING_URING_H
#define ASSAY_WORKLOADS_URING_URING_H

#include <liburing.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/act.h"
#include "workloads/driver/workload.h"

enum uring_kind {
	KIND_GET,	/* reads in one batch, some through io-wq */
	KIND_SCAN,	/* reads submitted one by one */
	KIND_PUT,	/* a chain of linked writes and a read of them, beside other reads */
	KIND_REPLICATE, /* a peer reads as well and answers */
	KIND_APPEND,	/* the log writer writes and answers */
	KIND_FOLLOW,	/* multishot poll, notifications, cancel */
	KIND_PROBE,	/* a read that never comes, cut off by a linked timeout or a cancel */
	KIND_STOP,
};

enum {
	URING_REQUESTS = 24, /* in flight under one slot */
	URING_BYTES = 512,   /* request i of a slot moves URING_BYTES + i * URING_STEP */
	URING_STEP = 16,
	URING_BUFFER = 1024,	 /* of one request */
	URING_BATCH = 32,	 /* entries of one submit call */
	URING_FILE = 4 << 20,	 /* bytes of the data file */
	URING_MESSAGE = 1 << 20, /* result of a message: this plus its verb; above any length */
	URING_SPARES = 8,
	URING_APART = 8, /* added to the slot's address: its second key */
};

/* Shares of what an operation costs, in hundredths: at its arrival, split over its completions. */
enum { SHARE_BEGIN = 20, SHARE_PIECES = 80, SHARES = 100 };

enum verb { VERB_WORK, VERB_REPLY, VERB_STOP };

/* What a completion may return, and so how it is recognised. */
enum expect {
	EXPECT_BYTES,	  /* exactly its own length */
	EXPECT_TIMER,	  /* -ETIME */
	EXPECT_CANCELLED, /* -ECANCELED */
	EXPECT_CANCEL,	  /* how many were cancelled: 1 */
	EXPECT_POLL,	  /* events and more to come, or -ECANCELED at last */
	EXPECT_SENT,	  /* 0: a message of ours has gone out */
};

struct request {
	struct sent sent;
	uint64_t t1;	 /* multishot: end of its submit call */
	uint64_t serial; /* slot->serial when it was sent */
	bool used;
	bool awaited;  /* its operation waits for it */
	uint8_t apart; /* 0 or URING_APART */
	uint8_t expect;
};

/* A message under way to or from another thread. */
struct mail {
	_Atomic bool posted; /* released after `sent` is written */
	struct sent sent;
};

struct slot {
	struct server *owner;
	struct slot *next; /* free list */
	uint64_t serial;   /* how often it was dealt */
	bool busy;
	struct op op;
	struct slot *home; /* the slot that asked for this work, NULL: own operation */
	struct server *asker;
	unsigned stage, waiting;
	unsigned pieces;  /* completions that the operation's burn is split over */
	unsigned notes;	  /* notifications still to be sent */
	uint32_t used[2]; /* of each key, bit 1u << scope: it was used there */
	int pipe[2];
	struct rec_key pipe_key; /* of what is read from it */
	struct sent note;	 /* the notification that lies in it */
	bool noted;		 /* one has before */
	struct mail mail;
	struct __kernel_timespec deadline, limit; /* read at submission */
	struct request request[URING_REQUESTS];
	uint8_t (*buffer)[URING_BUFFER];
} __attribute__((aligned(64)));

struct batch_entry {
	struct request *request;
	struct slot *slot;
	struct slot *to;       /* of a message: the slot that it names, else NULL */
	struct server *server; /* of a message: whom it goes to */
	uint16_t marks;
};

struct server {
	struct worker *w;
	struct store *store;
	struct io_uring ring;
	unsigned scope;
	bool sqpoll;
	bool counted; /* its arrivals are over, and that has been said */
	bool stopping;
	uint64_t last_op; /* the operation that stopped it */
	uint64_t seq, takes;
	uint64_t look, look_before; /* the last two moments at which the queue was looked at */
	unsigned outstanding;	    /* entries whose completion has not been taken */
	struct slot *slots, *free;
	unsigned slots_cnt;
	uint8_t (*buffers)[URING_BUFFER];
	struct batch_entry batch[URING_BATCH];
	unsigned batch_cnt;
} __attribute__((aligned(64)));

struct store { /* the whole server */
	int file;
	struct server *servers; /* the last is the log writer */
	unsigned servers_cnt;
	_Atomic unsigned enabled; /* rings that may be used */
	_Atomic unsigned taking;  /* workers with arrivals or operations left */
	struct slot spares[URING_SPARES];
};

/* One taken completion, and the windows of the look that found it. */
struct completion {
	struct slot *slot;
	unsigned apart;
	int32_t res;
	uint32_t flags;
	uint64_t before, after, from;
};

/* ---- server.c: the ring of one thread ---- */
struct slot *slot_get(struct server *sv);
void slot_put(struct slot *s);
void slot_list(struct slot *s); /* a new one, as free */

/* A request of a slot, to be handed to server_add with its filled entry. */
struct request *request_new(struct slot *s, enum expect expect, unsigned apart);
uint32_t request_bytes(const struct slot *s, const struct request *q);
uint8_t *request_buffer(const struct slot *s, const struct request *q);
bool slot_expects(const struct slot *s, enum expect expect, unsigned apart);

struct io_uring_sqe *server_entry(struct server *sv);
void server_add(struct server *sv, struct io_uring_sqe *sqe, struct slot *s, struct request *q,
		uint16_t marks);
/* A message that names slot `to` on the ring of `target`; q is our own end. */
void server_message(struct server *sv, struct slot *s, struct server *target, struct slot *to,
		    enum verb verb, uint8_t sqe_flags);
void server_submit(struct server *sv, uint64_t op);

/* Takes all that one look finds; the end of the last segment is handed from one to the next. */
unsigned server_take(struct server *sv);
void server_wait(struct server *sv, uint64_t ns); /* at most; UINT64_MAX: for ever */

/* ---- complete.c ---- */
void notify(struct slot *s); /* makes the slot's pipe readable */
/* One completion. Returns the moment at which the thread was free again. */
uint64_t operation_completed(struct server *sv, const struct completion *c);

/* ---- ops.c ---- */
void operation_begin(struct server *sv, uint64_t arrival);
void operation_stop(struct server *sv);	 /* tells the others that all is done */
void operation_leave(struct server *sv); /* leaves one entry behind for the ring's end */

#endif
