/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A synchronous library over a tree of named entries, and the service that uses
 * it.
 *
 * A service asks the library to run a request: the library calls the request's
 * function, which may ask for more, down to any depth. Inside, entries are
 * opened, read and closed through handles, and memory comes from one budget.
 * Every call may fail: an entry is missing, or cold (the next try finds it
 * warm), a handle or memory is not to be had, a request is refused.
 *
 * Everything in struct library is guarded by its lock; the functions of state.c
 * expect it held, the operators of ops.c take it. A handle belongs to who
 * opened it; handles and buffers are recycled last in, first out.
 */
#ifndef ASSAY_WORKLOADS_CALLS_CALLS_H
#define ASSAY_WORKLOADS_CALLS_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/act.h"
#include "workloads/driver/settings.h"
#include "workloads/driver/workload.h"

enum calls_kind { KIND_LOOKUP, KIND_WALK, KIND_BATCH, KIND_REENTER, KIND_MISS };
enum calls_class { CLASS_HANDLE, CLASS_BUFFER, CLASS_CALL };

/* Ids of the descriptors in manifest.yaml. */
enum calls_desc {
	DESC_OPEN = 1,
	DESC_READ = 2,
	DESC_CLOSE = 3,
	DESC_ALLOC = 4,
	DESC_FREE = 5,
	DESC_CALL = 6,
	DESC_RUN = 7,
	DESC_DONE = 8,
};

enum {
	CALLS_NAMES = 127,  /* a full binary tree; names beyond are missing */
	CALLS_BYTES = 1024, /* of an entry */
	CALLS_HANDLES = 192,
	CALLS_BUFFERS = 32,
	CALLS_WARM = 8, /* an entry is cold after so many opens */
	CALLS_SPARES = 8,
};

struct handle {
	uint32_t name;
	uint32_t cursor;
	uint32_t opens; /* how often it was opened */
	bool open;
	struct handle *next; /* free list */
} __attribute__((aligned(64)));

struct buffer {
	uint32_t bytes; /* of the budget, while it is somebody's */
	uint32_t deals; /* how often it was dealt */
	struct buffer *next;
	uint8_t data[48];
} __attribute__((aligned(64)));

struct entry {
	uint32_t uses;
	bool cold;
	uint8_t data[CALLS_BYTES];
};

/* What one thread has done. Read by that thread only. */
struct ledger {
	int32_t open[CALLS_HANDLES];  /* opens less closes */
	int64_t bytes[CALLS_BUFFERS]; /* taken less given back */
};

struct library {
	_Atomic bool lock;
	unsigned handles_cnt;
	uint32_t left;	  /* bytes of the budget */
	uint32_t refused; /* requests, in turn */
	struct handle handles[CALLS_HANDLES], *free_handles;
	struct buffer buffers[CALLS_BUFFERS], *free_buffers;
	struct entry entries[CALLS_NAMES];
};

/* A request: lies in the frame of the function that makes it. */
struct request {
	void (*run)(struct request *r);
	uint32_t runs; /* how often the library has run it, and come to its end */
	uint32_t dones;
	/* the service's */
	struct client *client;
	const struct op *op;
	uint32_t name, depth;
	struct sent sent;
	uint64_t entered, left;
	uint64_t life;
};

/* ---- state.c: the lock is held ---- */
void library_lock(_Atomic bool *lock);
void library_unlock(_Atomic bool *lock);
struct handle *handle_take(struct library *l, uint32_t name, struct ledger *g); /* or NULL */
void handle_drop(struct library *l, struct handle *h, struct ledger *g); /* nothing if not open */
/* True: the entry is there and warm; a cold one is warm the next time. */
bool entry_ready(struct library *l, uint32_t name);
struct buffer *buffer_take(struct library *l, uint32_t bytes, struct ledger *g); /* or NULL */
void buffer_drop(struct library *l, struct buffer *b, struct ledger *g); /* nothing if free */

/* ---- ops.c: the operators ---- */
void calls_init(struct library *l, unsigned handles, uint32_t bytes);
struct handle *calls_open(struct library *l, uint32_t name, struct ledger *g); /* or NULL */
uint64_t calls_read(struct handle *h, uint32_t cnt, struct library *l);
void calls_close(struct handle *h, struct library *l, struct ledger *g);
struct buffer *calls_alloc(struct library *l, uint32_t bytes, struct ledger *g); /* or NULL */
void calls_free(struct buffer *b, struct library *l, struct ledger *g);
/* Runs a request; -EAGAIN: not this time. */
int calls_call(struct request *r, struct library *l);
void calls_run(struct request *r);
void calls_done(struct request *r);

/* ---- the service ---- */

/* The current life of a handle's being open, or of a buffer's being somebody's.
 */
struct life {
	_Atomic bool lock;
	uint32_t epoch; /* handle->opens or buffer->deals that it belongs to */
	uint64_t token;
};

struct service {
	struct library library;
	struct client *clients;
	struct life opened[CALLS_HANDLES], dealt[CALLS_BUFFERS];
	struct handle spares[CALLS_SPARES];
};

/* A thread that takes requests. */
struct client {
	struct worker *w;
	struct service *service;
	struct ledger ledger, known; /* what was done, and what truth knows of it */
	uint64_t opened[CALLS_HANDLES], dealt[CALLS_BUFFERS]; /* lives */
	struct op op;
	unsigned pieces; /* that the operation's burn is split over */
} __attribute__((aligned(64)));

/* ---- watch.c: calls of operators, and what they did to whom ---- */
struct handle *watch_open(struct client *c, uint32_t name);
void watch_read(struct client *c, struct handle *h, uint32_t cnt);
void watch_close(struct client *c, struct handle *h);
struct buffer *watch_alloc(struct client *c, uint32_t bytes);
void watch_free(struct client *c, struct buffer *b);
/* A segment is open before and after, and another one within the request. */
int watch_call(struct client *c, struct request *r);
/* First and last act of a request's function. */
void watch_enter(struct request *r);
void watch_leave(struct request *r);

void watch_end(struct client *c);

/* ---- requests.c ---- */
void client_body(struct client *c);

#endif
