/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A buffer pool: frames of memory for the pages of a file, pinned while they are in use.
 *
 * Everything in struct pool is guarded by its lock but where a field says otherwise; the functions
 * of state.c expect it held, the operators of ops.c take it. A frame that is pinned stays what it
 * is. One that is not may be taken for another page if it is clean; if it is dirty it has to be
 * written back first. Who finds no frame waits in one line, and whoever makes a frame free gives it
 * to the first of them.
 *
 * Pins are counted per frame and, as in PostgreSQL's private reference counts, per session; a
 * frame is *held* from its first pin to its last unpin.
 */
#ifndef ASSAY_WORKLOADS_POOL_POOL_H
#define ASSAY_WORKLOADS_POOL_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/act.h"
#include "workloads/driver/workload.h"

enum {
	POOL_PAGES = 256,
	POOL_FRAMES = POOL_PAGES - 1, /* at most; the last of the table names nothing */
	POOL_BLOCK = 4096,
	POOL_LENGTHS = 8, /* page p fills 1 + p % POOL_LENGTHS blocks */
	POOL_SLOT = POOL_BLOCK * POOL_LENGTHS,
	POOL_HEAD = 64, /* bytes of a page that are the pool's */
	POOL_NONE = UINT16_MAX,
	POOL_VICTIMS = 4, /* that one look for a frame may choose to be written back */
};

enum frame_state {
	FRAME_FREE,    /* holds no page */
	FRAME_CLAIMED, /* has a page, and nobody reads it yet */
	FRAME_LOADING,
	FRAME_READY,
};

struct slot;
struct session;

/* One that waits, for a frame or for what happens in a frame. Belongs to a slot. */
struct waiter {
	struct waiter *next;
	struct session *session; /* whom to tell */
	struct slot *slot;
	uint64_t page;
	struct sent sent; /* of who lets it go on; written before it is told */
};

struct line { /* first in, first out */
	struct waiter *first, *last;
};

struct frame {
	uint64_t page;
	uint32_t pins;
	uint32_t dirty;	     /* bytes changed since it was last written back */
	uint32_t holds;	     /* how often it came to be held */
	uint32_t soils;	     /* how often it came to be dirty */
	uint32_t reads;	     /* how often a page was read into it */
	uint32_t reading;    /* bytes of the page that is being read, or 0 */
	uint16_t prev, next; /* of those without pins, least recently used first */
	uint8_t state;	     /* enum frame_state */
	bool listed;
	bool writing;	    /* chosen to be written back, until that is done */
	struct line parked; /* who waits for the end of LOADING or writing */
	uint8_t *data;
	struct frame *queue_next; /* of those chosen, for the writer */
	struct sent sent;	  /* of who gave it to the writer */
} __attribute__((aligned(64)));

/* What one thread has done to each frame. Read by that thread only. */
struct ledger {
	int32_t held[POOL_FRAMES];    /* pins less unpins */
	uint64_t soiled[POOL_FRAMES]; /* bytes */
};

struct pool {
	_Atomic bool lock;
	unsigned capacity, depth; /* frames; how far to look for one */
	struct frame *frames;
	uint16_t table[POOL_PAGES]; /* page to frame, or POOL_NONE */
	uint16_t first, last;	    /* frames without pins */
	struct line line;	    /* who waits for a frame */
	_Atomic unsigned lined;	    /* how many; may be read at any time */
	/* the writer's queue */
	struct frame *queue, *queue_last;
	_Atomic uint32_t asleep;  /* futex word of the writer */
	_Atomic unsigned unclean; /* chosen and not yet written back; may be read at any time */
};

/* Frames chosen to be written back, to be handed to the writer. */
struct victims {
	struct frame *v[POOL_VICTIMS];
	unsigned cnt;
};

static inline uint32_t page_bytes(uint64_t page)
{
	return POOL_BLOCK * (1 + (uint32_t)(page % POOL_LENGTHS));
}

static inline unsigned frame_index(const struct pool *p, const struct frame *f)
{
	return (unsigned)(f - p->frames);
}

/* ---- state.c: what the operators are made of; the lock is held ---- */
void pool_lock(_Atomic bool *lock);
void pool_unlock(_Atomic bool *lock);
void line_add(struct line *l, struct waiter *w);
struct waiter *line_take(struct line *l); /* NULL: empty */
void frame_pin(struct pool *p, struct frame *f, struct ledger *l);
void frame_unpin(struct pool *p, struct frame *f, struct ledger *l); /* nothing if not pinned */
void frame_read(struct frame *f, uint32_t bytes);
void frame_read_end(struct frame *f); /* nothing if none was under way */
void frame_soil(struct pool *p, struct frame *f, struct ledger *l, uint32_t bytes);
void frame_name(struct pool *p, struct frame *f, uint64_t page); /* FREE to CLAIMED */
void frame_unname(struct pool *p, struct frame *f);		 /* unpinned, clean: to FREE */
void frame_list(struct pool *p, struct frame *f);		 /* as the most recently used */

/* True: the frame was claimed by nobody, and the caller has to read the page. Takes the lock. */
bool frame_claim(struct pool *p, struct frame *f);
/* Does any wait for what goes on in it? Takes the lock. */
bool frame_awaited(struct pool *p, const struct frame *f);
/* True: something goes on in the frame that w has to wait for, and it will be told. `quiet`: being
 * written back counts. Takes the lock. */
bool frame_park(struct pool *p, struct frame *f, struct waiter *w, bool quiet);

/* ---- ops.c: the operators ---- */
void pool_init(struct pool *p, unsigned capacity);
/* The frame of a page, if it has one. The lock is held. */
struct frame *pool_lookup(struct pool *p, uint64_t page);
/* A frame that holds no page any more, or NULL; *v gets those that should be written back. The
 * lock is held. */
struct frame *pool_evict(struct pool *p, struct victims *v);
/* The page's frame, pinned once more; NULL: there is none to be had. */
struct frame *pool_get(struct pool *p, uint64_t page, struct ledger *l, struct victims *v);
/* Reads what an operation came for. */
uint64_t pool_touch(struct frame *f, uint32_t from, uint32_t cnt);
/* `bytes` of a pinned frame change. */
void pool_dirty(struct frame *f, uint32_t bytes, struct pool *p, struct ledger *l);
void pool_put(struct frame *f, struct pool *p, struct ledger *l);
/* A page is about to be read into its frame, and has been. */
void pool_load(struct frame *f, uint32_t bytes, struct pool *p);
void pool_loaded(struct frame *f, struct pool *p);
/* Joins the line. */
void pool_wait(struct pool *p, struct waiter *w);
/* Gives a frame to the first in the line, if there is one and a frame for it: *sent goes with it,
 * and it is told. Returns whom, or NULL. */
struct session *pool_grant(struct pool *p, const struct sent *sent, struct victims *v);
/* Lets one that waits for the frame's I/O go on, in the same way. */
struct session *pool_pass(struct frame *f, struct pool *p, const struct sent *sent);
/* Gives a chosen frame to the writer. */
void pool_writeback(struct frame *f, struct pool *p);
/* The writer's: the oldest of the queue, or NULL; and: it has been written. */
struct frame *pool_next(struct pool *p);
void pool_clean(struct frame *f, struct pool *p);

/* A waiter is told: it appears in its session's inbox. (session.c) */
void session_tell(struct session *s, struct waiter *w);

#endif
