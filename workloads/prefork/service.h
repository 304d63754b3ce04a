/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pre-forking server: what its processes share, and what each knows for itself.
 *
 * Three processes serve: the one that was started, its fork, and a fork of it that went on as
 * another build of the program. All read requests from one pipe, under one lock (an accept mutex),
 * and need a buffer of one pool for each. The first process has the fronts, too, who take
 * operations and send the requests. With the setting `renew` the fork is renewed when the service
 * turns: its servers leave, and it goes on under its pid as another program.
 *
 * struct shared lies in a memory file that each maps where it likes: slots and buffers are named by
 * numbers. A slot belongs to its front while it is free; while its operation runs, `left` counts
 * who still works for it, the front among them. Whoever takes it to 0 ends the operation and gives
 * the slot back.
 */
#ifndef ASSAY_WORKLOADS_PREFORK_SERVICE_H
#define ASSAY_WORKLOADS_PREFORK_SERVICE_H

#include "workloads/driver/parking.h"
#include "workloads/driver/stream.h"
#include "workloads/prefork/pool.h"

enum prefork_kind { KIND_ASSET, KIND_PAGE, KIND_REPORT, KIND_STOP };
enum prefork_class { CLASS_BUFFER };
enum prefork_verb { VERB_SERVE, VERB_STOP };
enum prefork_outcome {
	OUTCOME_BY_PARENT,
	OUTCOME_BY_FORK,
	OUTCOME_BY_EXEC,
	OUTCOME_TURN,
	OUTCOME_WAITED,
	OUTCOME_BATCHED,
};

/* Ids of the descriptors in manifest.yaml. */
enum prefork_desc { DESC_GET = 1, DESC_USE = 2, DESC_PUT = 3, DESC_WAIT = 4 };

enum prefork_process { BY_PARENT, BY_FORK, BY_EXEC, PROCESSES };

/* As what the fork is renewed when the service turns. */
enum prefork_renewal { RENEW_NEVER, RENEW_NEXT, RENEW_SAME };

enum {
	PREFORK_SERVERS = 2, /* threads of each process */
	PREFORK_ALL = PROCESSES * PREFORK_SERVERS,
	PREFORK_FRONTS = 16,
	PREFORK_PARTS = 8, /* an operation has at most */
	PREFORK_BATCH = 8, /* requests that one read takes at most */
	PREFORK_MESSAGE = 48,
	PREFORK_SPARES = 4,
};

/* A request's number: turn of the slot, slot, part. */
enum { PREFORK_PART_BITS = 3, PREFORK_SLOT_BITS = 12 };

_Static_assert(PREFORK_PARTS == 1 << PREFORK_PART_BITS, "parts fit");

struct slot {
	uint32_t next;	/* number of the next, from 1 on */
	uint32_t turns; /* operations that it has had */
	unsigned front;
	struct op op;
	unsigned parts;
	_Atomic unsigned left; /* parts not served yet, and the front until it has sent them */
	struct post post[PREFORK_PARTS];
} __attribute__((aligned(64)));

/* What the threads of a process that ended have done. */
struct member {
	struct counters counts;
	struct histogram latency;
};

struct shared {
	/* fixed before there is more than one process */
	uint64_t bytes;
	struct run_options options;
	uint64_t rounds_us;
	enum prefork_renewal as;
	int pipe[2];	/* the same numbers in all processes */
	unsigned batch; /* requests that one read takes */
	/* the rest by everybody */
	_Atomic unsigned ready; /* processes */
	struct stream requests; /* what the pipe is called; its buffer is nobody's */
	_Atomic bool sending;	/* a lock: requests go in one after another */
	_Atomic bool accepting; /* somebody reads, or is about to */
	_Atomic bool stop;
	_Atomic bool renew; /* the fork's servers are to leave */
	pid_t renewed;	    /* the fork, once it is about to be another program; 0: it is not */
	uint64_t stop_op;   /* released by `stop` */
	struct post last;
	struct parking seats; /* servers who want to read, servers without a buffer, fronts */
	struct pool pool;
	_Atomic uint32_t back[PREFORK_FRONTS]; /* slots whose operations have ended, by front */
	struct member member[PROCESSES];
	struct buffer spares[PREFORK_SPARES];
	struct slot slot[];
};

struct front {
	struct worker *w;
	uint32_t free; /* number of a slot, from 1 on */
	uint64_t sends;
};

/* Of one process. */
struct service {
	struct shared *shared;
	enum prefork_process process;
	int memory;	      /* the file of shared */
	struct front *fronts; /* BY_PARENT */
	pid_t pid[PROCESSES]; /* BY_PARENT: of the others */
	int spare[PREFORK_SPARES][2];
};

static inline unsigned buffer_seat(unsigned server)
{
	return PREFORK_ALL + server;
}

static inline unsigned front_seat(unsigned front)
{
	return 2 * PREFORK_ALL + front;
}

/* ---- watch.c: calls of operators, and what they did to whom ---- */
struct buffer *watch_get(struct worker *w, struct service *s, unsigned server, uint64_t op);
void watch_use(struct worker *w, struct service *s, struct buffer *b, uint64_t op);
void watch_put(struct worker *w, struct service *s, struct buffer *b, unsigned server, uint64_t op);
void watch_wait(struct worker *w, struct service *s, uint64_t op);
void send_request(struct worker *w, struct shared *sh, struct frame f, struct post *p, uint64_t op,
		  uint64_t seq);

/* ---- front.c, server.c ---- */
void front_body(struct front *f, struct shared *sh);
void slot_part_done(struct worker *w, struct shared *sh, struct slot *sl);
void server_body(struct worker *w, struct service *s, unsigned server);

/* ---- crew.c: the other processes ---- */
void crew_start(struct run *r, struct service *s); /* both, and waits until they are there */
void crew_expect_end(void);			   /* from now on they may go */
void crew_wait(struct run *r, struct service *s);
int crew_exec(const char *word);
/* The names that decoys may bear. */
void name_spares(struct run *r, struct service *s);

#endif
