/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One request through every kind of handoff: what the parts of the pipeline share.
 *
 * A *token* is what travels: a request has one of its own and one a branch. Its way is a list of
 * handoff types. At each *station* a thread receives it by that type, does a piece of work, and
 * sends it on by the next; so a station's thread receives in one way and sends in all. It takes
 * what is there, does the work, and sends all of that on in one burst, as stages do that are built
 * for throughput (Welsh, Culler, Brewer: SEDA, SOSP 2001). A token belongs to the thread that
 * received it, and from the moment before it is sent to whoever receives it. At the end of its own
 * first part a request may split into branches; the last branch that arrives goes on as the
 * request.
 *
 * What several tokens of a request have in flight shares one key: the request's address is the
 * user_data of its reads and the identity of its tasks and queue items.
 */
#ifndef ASSAY_WORKLOADS_PIPELINE_PIPELINE_H
#define ASSAY_WORKLOADS_PIPELINE_PIPELINE_H

#include <liburing.h>

#include "workloads/driver/line.h"
#include "workloads/driver/parking.h"
#include "workloads/driver/poller.h"
#include "workloads/driver/spin.h"

enum pipeline_kind { KIND_STRAIGHT, KIND_FAN, KIND_STOP };
enum pipeline_class { CLASS_LEASE };
enum pipeline_outcome { OUTCOME_EMPTY, OUTCOME_LONGEST, OUTCOME_JOINED };

/* Ids of the descriptors in manifest.yaml that are of resources. */
enum pipeline_desc { DESC_TAKE = 1, DESC_CLAIM = 2, DESC_GIVE = 3, DESC_PUT = 4 };

enum {
	WAY_MOST = 16,
	BRANCHES = 8,
	TOKENS = 1 + BRANCHES,
	BATCH = 8, /* that a station receives before it sends on */
	OPS_MOST = 64,
	LEASES = OPS_MOST * TOKENS, /* one a token on its way */
	/* threads that serve, by what they receive */
	PIPES = 2,   /* msg */
	BOXES = 2,   /* wake */
	RUNNERS = 2, /* queue, spawn, resume */
	KEEPERS = 2, /* grant */
	LINES = 2,   /* work: one thread, both ends of each */
	SPARES = 4,
	READ_UNIT = 512, /* token i reads i + 1 units */
};

enum { VERB_GO, VERB_STOP };

struct request;

struct token {
	struct request *request; /* first: the manifest reads it */
	struct token *next;	 /* in a list */
	unsigned index;
	uint8_t way[WAY_MOST]; /* enum handoff_type */
	unsigned at, cnt;
	uint32_t
		draws; /* a bit a handoff, drawn by the front: stations draw nothing that matters */
	struct post post;    /* of the stream that it travels in */
	struct sent sent;    /* of any other way of travelling */
	_Atomic bool posted; /* released after `sent` is written, where the kernel hands over */
	int timer;	     /* its own timerfd */
	bool timer_used;
	bool parked;
	uint8_t *buffer;
} __attribute__((aligned(64)));

struct request {
	struct token tokens[TOKENS]; /* the request's own first */
	struct request *next;	     /* free */
	uint32_t index, epoch;
	struct op op;
	unsigned home;		     /* the front that took it */
	unsigned pieces;	     /* that its work is split over */
	unsigned branches, split_at; /* where the first part of its own way ends */
	_Atomic unsigned left;	     /* branches on their way */
	_Atomic bool has_read;	     /* its address was a user_data before */
} __attribute__((aligned(64)));

/* Tokens, the newest first; any thread. */
struct stack {
	_Atomic bool lock;
	_Atomic unsigned cnt;
	struct token *first;
};

/* Leases carry a token from who gives one up to the keeper that gets it. */
struct lease {
	struct lease *next;
	struct token *token; /* for whoever gets it next */
	uint32_t epoch;	     /* how often it was taken or claimed */
} __attribute__((aligned(64)));

struct desk {
	_Atomic bool lock;
	_Atomic unsigned waiting; /* given up for a keeper */
	struct lease *free, *given;
	struct lease lease[LEASES];
};

/* Whom to wake, for whom: one of these seats. */
struct due {
	unsigned first, cnt;
	uint64_t op;
};

/* A thread's place. */
struct place {
	struct worker *w;
	struct pipeline *pl;
	unsigned seat;
	/* the last moment at which nothing was there that it receives; its last look for tasks */
	uint64_t looked, looked_tasks;
	uint64_t seq, takes;
	_Atomic unsigned ended; /* a front's: operations that others have ended */
	_Atomic bool wants;	/* and it waits for one to end */
	unsigned held;		/* leases */
	/* wakes that are due once a burst has been sent */
	bool burst;
	unsigned due_cnt;
	struct due due[BATCH];
	unsigned reads_cnt;
	struct token *reads[BATCH];    /* of the burst, to be submitted at its end */
	struct token *out, **out_last; /* received, to be sent on; the oldest first */
	struct poller poller;
} __attribute__((aligned(64)));

struct pipeline {
	struct run *run;
	struct place *places;  /* as threads, then the main thread's */
	unsigned fronts, most; /* operations in flight a front */
	_Atomic bool requests_lock;
	struct request *requests, *free;
	unsigned requests_cnt;
	unsigned length, fan; /* settings; length WAY_MOST + 1: drawn */
	uint8_t fixed[WAY_MOST];
	unsigned fixed_cnt;
	bool is_fixed;
	_Atomic bool stop;
	struct parking seats; /* of fronts, then boxes, runners, keepers */
	struct stack boxes[BOXES], queue, ready;
	struct desk desk;
	uint64_t lease_life[LEASES]; /* its holder's */
	/* io */
	_Atomic bool ring_lock;
	struct io_uring ring;
	int file;
	uint64_t look, look_before;
	struct token ring_stop;
	/* msg */
	int pipe_in[PIPES];
	struct stream pipes[PIPES];
	struct post pipe_stops[PIPES];
	/* work */
	struct line lines[LINES + 1]; /* the last one nobody uses */
	struct post line_stop;
	/* timer */
	struct token clock_stop;
	struct request spares[SPARES];
	struct lease spare_leases[SPARES];
	uint8_t *buffers;
};

/* Threads that serve, behind the fronts. */
enum station {
	STATION_RING,
	STATION_CLOCK,
	STATION_LINES,
	STATION_PIPES,
	STATION_BOXES = STATION_PIPES + PIPES,
	STATION_RUNNERS = STATION_BOXES + BOXES,
	STATION_KEEPERS = STATION_RUNNERS + RUNNERS, /* the last */
};

/* Seats, behind those of the fronts. */
enum seats {
	SEAT_BOXES = 0,
	SEAT_RUNNERS = SEAT_BOXES + BOXES,
	SEAT_KEEPERS = SEAT_RUNNERS + RUNNERS,
	SEATS = SEAT_KEEPERS + KEEPERS,
};

static inline struct rec_key request_key(const struct request *q)
{
	return (struct rec_key){.v = (uintptr_t)q, .ns = KEY_TASK};
}

static inline uint16_t request_marks(const struct request *q)
{
	return q->epoch > 1 ? 1u << MARK_REUSED_KEY : 0;
}

/* True in half of all cases. */
static inline bool token_draw(const struct token *t)
{
	return t->draws >> t->at & 1;
}

/* ---- way.c: which way requests go ---- */
void way_parse(struct pipeline *pl, const char *list); /* NULL: drawn */
void way_draw(struct place *x, struct request *q, unsigned kind);
unsigned way_kind(struct place *x);

/* ---- hop.c ---- */
/* Received: a piece of work, then into the batch. A segment of its operation is open; none is on
 * return. Returns the moment at which the thread was free again. */
uint64_t hop_received(struct place *x, struct token *t);
/* Sends on what is in the batch, in one burst. */
void hop_flush(struct place *x);

/* ---- ops.c: operators ---- */
void queue_push(struct token *t, struct request *q, struct stack *s);
struct token *queue_pop(struct stack *s); /* NULL: empty */
void task_spawn(struct token *t, struct request *q, struct stack *s);
void task_park(struct token *t, struct request *q);
void task_ready(struct token *t, struct request *q, struct stack *s);
struct token *task_next(struct stack *s);
uint64_t task_run(struct token *t, struct request *q, struct place *x);
uint64_t call_enter(struct token *t, struct request *q, struct place *x);
uint64_t call_service(struct token *t, struct request *q, struct place *x);
void box_put(struct token *t, struct request *q, struct stack *s);
struct token *box_take(struct stack *s);
void request_begin(struct request *q);
void request_end(struct request *q);

/* ---- leases.c: operators ---- */
void leases_init(struct desk *d, unsigned cnt);
struct lease *lease_take(struct desk *d, unsigned *held); /* NULL: none free */
/* For the keeper that comes, with a token on it. */
void lease_give(struct lease *l, struct desk *d, struct token *t, unsigned *held);
struct lease *lease_claim(struct desk *d, unsigned *held); /* a keeper; NULL: none */
void lease_put(struct lease *l, struct desk *d, unsigned *held);

/* ---- stations: sending, and the threads that receive ---- */
void ring_open(struct pipeline *pl);
void ring_send(struct place *x, struct token *t);
void ring_flush(struct place *x); /* at the end of a burst */
void ring_body(struct place *x);
void ring_stop(struct place *x, uint64_t op);
void clock_send(struct place *x, struct token *t);
void clock_body(struct place *x);
void clock_stop(struct place *x, uint64_t op);
void streams_open(struct pipeline *pl);
void pipes_send(struct place *x, struct token *t);
void pipes_body(struct place *x);
void pipes_stop(struct place *x, uint64_t op);
void lines_send(struct place *x, struct token *t);
void lines_body(struct place *x);
void lines_stop(struct place *x, uint64_t op);
void boxes_send(struct place *x, struct token *t);
void boxes_body(struct place *x, unsigned nth);
void queue_send(struct place *x, struct token *t);
void spawn_send(struct place *x, struct token *t);
void resume_send(struct place *x, struct token *t);
void runners_body(struct place *x);
void grant_send(struct place *x, struct token *t);
void keepers_body(struct place *x);
void call_make(struct place *x, struct token *t);
/* Several sends in a row: whom they concern is woken at their end. */
void burst_begin(struct place *x);
void burst_end(struct place *x);

/* ---- front.c ---- */
void front_body(struct place *x);
/* The operation's last segment is open. */
void front_ended(struct place *x, struct request *q);

#endif
