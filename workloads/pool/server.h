/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server around the pool: sessions that take requests, and a writer. What its parts share.
 *
 * Each thread has a ring, of which it is the one consumer. A session works on several operations at
 * a time, each in a slot; all reads of an operation have the slot's address as user_data and are
 * told apart by their length (no two pages of one operation are equally long). Slots are recycled
 * last in, first out. The writer's writes share the address of their batch in the same way.
 *
 * Threads tell each other through inboxes. Who told one that was about to sleep rings its bell: a
 * message to its ring (MSG_RING). At most one bell is on its way to a thread.
 *
 * A session belongs to one thread, but for its inbox and bell.
 */
#ifndef ASSAY_WORKLOADS_POOL_SERVER_H
#define ASSAY_WORKLOADS_POOL_SERVER_H

#include <liburing.h>

#include "workloads/driver/settings.h"
#include "workloads/pool/pool.h"

enum pool_kind { KIND_POINT, KIND_SCAN, KIND_JOIN, KIND_UPDATE, KIND_WRITEBACK, KIND_STOP };
enum pool_class { CLASS_FRAME, CLASS_READ, CLASS_DIRTY };

/* Ids of the descriptors in manifest.yaml. */
enum pool_desc {
	DESC_ACQUIRE = 1,
	DESC_USE = 2,
	DESC_RELEASE = 3,
	DESC_WAIT = 4,
	DESC_LOAD = 5,
	DESC_LOADED = 6,
	DESC_SOIL = 7,
	DESC_WRITE = 8,
	DESC_CLEAN = 9,
};

enum {
	POOL_MOST = POOL_LENGTHS,     /* pages of one operation, and writes of one batch */
	POOL_NOTES = 64,	      /* bells that one thread may have sent and not heard of */
	POOL_INLINE = 4 * POOL_BLOCK, /* larger reads go through io-wq */
	POOL_ENTRIES = 256,
	POOL_SYNCS = 5, /* before a write, should it ail */
	POOL_SPARES = 8,
};

/* A read or write under way. */
struct transfer {
	struct sent sent;
	struct frame *frame;
	uint64_t t0; /* of the call that submitted it */
	bool used;
};

/* What shares one user_data: a slot's reads or a batch's writes. */
struct group {
	struct transfer transfer[POOL_MOST]; /* by length */
	unsigned flying;
	bool used; /* this key was used before */
};

struct slot {
	struct group group; /* its address is the key: first */
	struct slot *next;
	struct op op;
	uint64_t pages[POOL_MOST + 1];
	struct frame *frames[POOL_MOST + 1];
	unsigned cnt, got;
	unsigned waiting; /* loads, own and others', until all pages can be used */
	unsigned pieces;
	struct waiter place;		     /* in the line for a frame */
	struct waiter parked[POOL_MOST + 1]; /* one a page */
} __attribute__((aligned(64)));

struct batch {
	struct group group; /* first */
	struct op op[POOL_MOST];
} __attribute__((aligned(64)));

/* The sender's own end of a bell. */
struct note {
	struct sent sent;
	struct note *next;
	bool used;
} __attribute__((aligned(64)));

enum bell_state { BELL_NONE, BELL_ARMED, BELL_COMING };

struct bell {
	_Atomic bool posted; /* released after `sent` is written */
	struct sent sent;
	bool used;
} __attribute__((aligned(64)));

/* What truth knows of a thread's ledger: the last look at it. */
struct known {
	int32_t held[POOL_FRAMES];
	uint64_t soiled[POOL_FRAMES];
	uint64_t life[POOL_FRAMES]; /* of the frames that it holds */
};

struct session {
	struct worker *w;
	struct server *server;
	struct io_uring ring;
	unsigned scope;
	uint64_t seq, takes;
	uint64_t look, look_before; /* the last two moments at which the queue was looked at */
	struct bell bell;
	struct {
		_Atomic bool lock;
		struct line line;
		enum bell_state bell;
	} inbox;
	_Atomic bool bell_due; /* somebody has to ring */
	uint64_t inbox_look;   /* the last moment at which the inbox was looked at */
	struct note notes[POOL_NOTES];
	struct note *notes_free;
	unsigned notes_out;
	struct group *added; /* what the entries of the next submit call belong to */
	struct sent syncs[POOL_MOST * POOL_SYNCS]; /* of them those that nobody waits for */
	unsigned syncs_cnt;
	struct slot *slots, *free;
	unsigned slots_cnt;
	struct ledger ledger;
	struct known known;
	struct victims victims;
} __attribute__((aligned(64)));

/* The current life of a frame's being held, read into, or dirty. */
struct life {
	_Atomic bool lock;
	uint32_t epoch; /* frame->holds, ->reads or ->soils that it belongs to */
	uint64_t token;
};

struct writer {
	_Atomic bool stop;
	_Atomic bool called; /* the last call that may wake it has returned */
	_Atomic bool posted; /* released after `sent` is written */
	struct sent sent;
	bool used;
	struct batch batch;
};

struct server {
	struct pool pool;
	int file;
	bool direct; /* reads and writes go to the device */
	uint8_t *memory;
	struct session *sessions; /* the last is the writer's */
	unsigned sessions_cnt;
	unsigned capacity;	/* frames that there is memory for */
	_Atomic uint32_t round; /* see next_page */
	unsigned most;		/* operations that a session works on at a time */
	struct writer writer;
	struct life holding[POOL_FRAMES], reading[POOL_FRAMES], soiling[POOL_FRAMES];
	struct bell spares[POOL_SPARES];
	struct frame spare_frames[POOL_SPARES];
};

/* What one look at the queue found. */
struct found {
	uint64_t key;
	int32_t res;
	uint64_t before, after, from;
};

/* ---- ring.c ---- */
void ring_open(struct session *s);
struct io_uring_sqe *ring_entry(struct session *s);
/* A transfer of a frame's page, to be sent by the next ring_submit. */
struct transfer *ring_add(struct session *s, struct group *g, struct frame *f, bool write,
			  uint64_t op);
void ring_submit(struct session *s);
void ring_bell(struct session *s, struct session *to, uint64_t op);
/* Calls `other` for each completion that is no bell's; it returns when the thread was free again.
 */
unsigned ring_take(struct session *s, uint64_t (*other)(struct session *, const struct found *));
void ring_wait(struct session *s, uint64_t ns); /* at most; UINT64_MAX: for ever */
/* The transfer that has come back, no longer under way, and its effect. */
struct transfer *ring_found(struct session *s, struct group *g, const struct found *f);

/* ---- inbox.c ---- */
struct waiter *inbox_take(struct session *s, uint64_t *ret_before, uint64_t *ret_after);
bool inbox_may_sleep(struct session *s); /* arms the bell */
void inbox_awake(struct session *s);
bool inbox_quiet(struct session *s); /* nothing in it, and no bell on its way */

/* ---- watch.c: calls of operators, and what they did to whom ---- */
struct frame *watch_get(struct session *s, uint64_t page, uint64_t op);
void watch_put(struct session *s, struct frame *f, uint64_t op);
void watch_touch(struct session *s, struct frame *f, uint32_t from, uint32_t cnt, uint64_t op);
void watch_dirty(struct session *s, struct frame *f, uint32_t bytes, uint64_t op);
void watch_load(struct session *s, struct frame *f, uint64_t page, uint64_t op);
void watch_loaded(struct session *s, struct frame *f, uint64_t op);
void watch_wait(struct session *s, struct waiter *w, uint64_t op);
void watch_clean(struct session *s, struct frame *f, uint64_t op);
void watch_end(struct session *s); /* what is alive at the end */
/* Everybody who can go on is told: the line, as far as there are frames for it, or those parked. */
void watch_grant(struct session *s, uint64_t op);
void watch_pass(struct session *s, struct frame *f, uint64_t op);
/* Hands the session's victims to the writer and wakes it if it sleeps. */
void watch_victims(struct session *s, uint64_t op);
void watch_wake(struct session *s, uint64_t op);

/* ---- session.c, writer.c: threads ---- */
void session_body(struct session *s);
void writer_body(struct session *s);
void writer_stop(struct session *s);

#endif
