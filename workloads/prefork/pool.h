/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of buffers in memory that processes share: its state and its operators.
 *
 * No pointer lies in it, since each process may have it at another address. Operators lock it. A
 * buffer says who holds it and counts what happens to it; whoever calls an operator can see from
 * that what it did.
 */
#ifndef ASSAY_WORKLOADS_PREFORK_POOL_H
#define ASSAY_WORKLOADS_PREFORK_POOL_H

#include "workloads/driver/act.h"
#include "workloads/driver/spin.h"

enum { PREFORK_BUFFERS = 32 };

struct buffer {
	uint32_t next;		 /* free: number of the next, from 1 on */
	_Atomic uint32_t holder; /* number of the server, from 1 on */
	uint32_t uses;		 /* of this lease */
	uint64_t life;		 /* of this lease: for truth */
} __attribute__((aligned(64)));

struct pool {
	_Atomic bool lock;
	uint32_t cnt;
	uint32_t free; /* number of the first, from 1 on: last in, first out */
	uint32_t waits;
	struct buffer buffer[PREFORK_BUFFERS];
};

/* ---- ops.c: operators, named by manifest.yaml ---- */
void prefork_init(struct pool *p, unsigned cnt);
struct buffer *prefork_get(struct pool *p, unsigned server); /* NULL: all are held */
void prefork_use(struct buffer *b);
void prefork_put(struct buffer *b, struct pool *p);
void prefork_wait(struct pool *p);

#endif
