/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fronts that take uploads, senders that send their parts for tokens, and the keeper who refills:
 * what they share.
 *
 * A slot belongs to its front while it is free; while its operation runs, `left` counts who still
 * works for it, the front among them. Whoever takes it to 0 ends the operation and gives the slot
 * back. A part and its account belong to the sender who took it; while the account waits in the
 * bucket's line it belongs to whoever holds the bucket's lock.
 */
#ifndef ASSAY_WORKLOADS_CREDITS_SERVICE_H
#define ASSAY_WORKLOADS_CREDITS_SERVICE_H

#include "workloads/credits/bucket.h"
#include "workloads/driver/parking.h"
#include "workloads/driver/poller.h"

enum credits_kind { KIND_SMALL, KIND_BULK, KIND_BURST, KIND_ESTIMATE, KIND_REFILL, KIND_STOP };
enum credits_class { CLASS_TOKEN };
enum credits_outcome {
	OUTCOME_PARTIAL,
	OUTCOME_WAITED,
	OUTCOME_REFUSED,
	OUTCOME_RETRIED,
	OUTCOME_RETURNED,
	OUTCOME_REFILLED,
};

/* Ids of the descriptors in manifest.yaml. */
enum credits_desc {
	DESC_TAKE = 1,
	DESC_GRANT = 2,
	DESC_WAIT = 3,
	DESC_USE = 4,
	DESC_SPEND = 5,
	DESC_RETURN = 6,
};

enum { CREDITS_PARTS = 8, CREDITS_SPARES = 4 };

struct front;

struct slot {
	struct slot *next;
	struct front *front;
	struct op op;
	unsigned parts;
	_Atomic unsigned left; /* parts not sent yet, and the front until it has pushed them */
	struct part part[CREDITS_PARTS];
} __attribute__((aligned(64)));

struct front {
	struct worker *w;
	struct service *service;
	struct slot *free;
	bool pushed;		     /* a part, before */
	_Atomic(struct slot *) back; /* slots whose operations have ended */
} __attribute__((aligned(64)));

struct sender {
	struct worker *w;
	struct service *service;
	unsigned index;
	uint64_t look; /* the last moment at which the line of parts was empty */
} __attribute__((aligned(64)));

/* Senders who have to be woken, once the bucket's lock is free. */
struct woken {
	unsigned cnt;
	unsigned sender[CREDITS_SENDERS];
};

struct service {
	struct bucket bucket;
	struct line parts;
	struct parking seats; /* senders without a part, then senders without tokens */
	struct parking ends;  /* fronts, until one of their operations ends */
	struct poller poller; /* the keeper's */
	unsigned tick_us, refill;
	_Atomic bool stop;
	unsigned workers, senders_cnt;
	struct front *fronts;
	struct sender *senders;
	struct slot *slots;
	struct part spares[CREDITS_SPARES];
	struct front spare_fronts[CREDITS_SPARES];
	int spare_fds[CREDITS_SPARES];
};

static inline unsigned token_seat(const struct service *s, unsigned sender)
{
	return s->senders_cnt + sender;
}

/* ---- watch.c: calls of operators, and what they did to whom; under the bucket's lock, but for
 * those of parts and for watch_use and watch_collect ---- */
void watch_take(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op);
bool watch_wait(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op);
void watch_use(struct worker *w, struct account *a, unsigned n, uint64_t op);
void watch_spend(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op);
void watch_return(struct worker *w, struct bucket *b, struct account *a, unsigned n, uint64_t op);
void watch_grants(struct worker *w, struct bucket *b, uint64_t op, struct woken *ret);
void watch_arm(struct worker *w, struct service *s, uint64_t op);
/* False: not yet, and *look is when. */
bool watch_collect(struct worker *w, struct bucket *b, struct account *a, uint64_t *look,
		   uint64_t *ret_after);
void watch_push(struct worker *w, struct service *s, struct part *p, uint64_t op);
struct part *watch_pop(struct sender *x, uint64_t *ret_before, uint64_t *ret_after);

/* ---- front.c, sender.c, keeper.c ---- */
void front_body(struct front *f);
/* Somebody is through with its part, and its segment is closed. */
void slot_part_done(struct worker *w, struct slot *sl);
void sender_body(struct sender *x);
void wake_senders(struct worker *w, struct service *s, const struct woken *k, uint64_t op);
void keeper_body(struct worker *w, struct service *s);

#endif
