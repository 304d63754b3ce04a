/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of the watched processes. */
#include "profilers/adapter/rings.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

struct ring {
	uint64_t ctx; /* key of by_ctx while it is the newest at this address */
	uint64_t number;
	uint32_t tgid, fd;
	uint32_t flags;		 /* IORING_SETUP_* */
	uint32_t consumer;	 /* who waits for completions */
	uint32_t user;		 /* who enters the ring for whatever reason */
	bool known;		 /* its creation was seen */
	bool numbered;		 /* its number was told */
	bool many, used_by_many; /* more than one thread waits, enters */
	bool deserted;		 /* its reader has ended */
	bool unawaited;		 /* claims do not wait for its consumer any longer */
	struct claim *pending;
	size_t pending_cnt, pending_cap;
	struct ring *next; /* all rings ever */
	UT_hash_handle hh;
};

/* A process: how many rings it has created. */
struct process {
	uint32_t tgid;
	bool uncertain; /* it had rings before the collector came */
	uint64_t created;
	UT_hash_handle hh;
};

struct rings {
	struct outlet *out;
	struct ring *by_ctx, *all;
	struct process *processes;
	size_t cnt, pending;
	bool lossy; /* a creation may be among what was lost */
};

struct rings *rings_new(struct outlet *out)
{
	struct rings *r = calloc(1, sizeof(*r));

	if (r)
		r->out = out;
	return r;
}

void rings_free(struct rings *r)
{
	struct process *p, *p_next;
	struct ring *ring, *next;

	if (!r)
		return;
	HASH_CLEAR(hh, r->by_ctx);
	for (ring = r->all; ring; ring = next) {
		next = ring->next;
		free(ring->pending);
		free(ring);
	}
	HASH_ITER(hh, r->processes, p, p_next)
	{
		HASH_DEL(r->processes, p);
		free(p);
	}
	free(r);
}

static struct process *process_get(struct rings *r, uint32_t tgid)
{
	struct process *p;

	HASH_FIND(hh, r->processes, &tgid, sizeof(tgid), p);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->tgid = tgid;
	HASH_ADD(hh, r->processes, tgid, sizeof(p->tgid), p);
	return p;
}

/* Which of its rings came before the one that was missed cannot be told. */
static int distrust(struct rings *r, uint32_t tgid)
{
	struct process *p = process_get(r, tgid);

	if (!p)
		return -ENOMEM;
	p->uncertain = true;
	for (struct ring *ring = r->all; ring; ring = ring->next)
		if (ring->tgid == tgid && !ring->numbered)
			ring->number = 0;
	return 0;
}

static struct ring *ring_add(struct rings *r, uint64_t ctx, uint32_t tgid)
{
	struct ring *ring = r->cnt < RINGS_MAX ? calloc(1, sizeof(*ring)) : NULL;

	if (!ring)
		return NULL;
	ring->ctx = ctx;
	ring->tgid = tgid;
	ring->next = r->all;
	r->all = ring;
	r->cnt++;
	HASH_ADD(hh, r->by_ctx, ctx, sizeof(ring->ctx), ring);
	return ring;
}

struct ring *rings_get(struct rings *r, uint64_t ctx, uint32_t tgid)
{
	struct ring *ring;

	if (!ctx)
		return NULL;
	HASH_FIND(hh, r->by_ctx, &ctx, sizeof(ctx), ring);
	if (ring)
		return ring;
	return distrust(r, tgid) ? NULL : ring_add(r, ctx, tgid);
}

struct ring *rings_by_fd(struct rings *r, uint32_t tgid, uint32_t fd)
{
	/* newest first, so a descriptor that was given again means the newer ring */
	for (struct ring *ring = r->all; ring; ring = ring->next)
		if (ring->tgid == tgid && ring->fd == fd && ring->known)
			return ring;
	return NULL;
}

void ring_learn(struct ring *ring, uint64_t number)
{
	if (!ring || !number)
		return;
	ring->number = number;
	ring->numbered = true;
}

uint64_t ring_number(const struct ring *ring)
{
	return ring ? ring->number : 0;
}

uint32_t ring_consumer(const struct ring *ring)
{
	return ring && !ring->many ? ring->consumer : 0;
}

uint32_t ring_reader(const struct ring *ring)
{
	if (!ring || ring->many)
		return 0;
	if (ring->consumer)
		return ring->consumer;
	return ring->used_by_many ? 0 : ring->user;
}

/* io_msg_need_remote: a ring that runs its task work on its own thread takes messages there. */
bool ring_takes_at_once(const struct ring *ring)
{
	return ring && ring->known && !(ring->flags & IORING_SETUP_DEFER_TASKRUN);
}

bool ring_deserted(const struct ring *ring)
{
	return ring && ring->deserted;
}

/* ---- claims that wait for their receiver ---- */

/* Share of rings that nobody waits on whose only user reaps them: an estimate, not measured. */
#define CONFIDENCE_USER 0.9

static int put_resolved(struct rings *r, uint32_t tid, double conf, const struct claim *c)
{
	struct claim out = *c;

	if (tid && tid != out.handoff.dst_tid) {
		out.handoff.dst_tid = tid;
		out.has &= (uint16_t)~HAS_DST_KERNEL;
		if (out.how == HOW_OBSERVED)
			out.how = HOW_RECONSTRUCTED;
		if (out.handoff.conf > conf)
			out.handoff.conf = conf;
	}
	return r->out->put(r->out->arg, &out);
}

static int flush(struct rings *r, struct ring *ring, uint32_t tid, double conf)
{
	int err = 0;

	for (size_t i = 0; i < ring->pending_cnt && !err; i++)
		err = put_resolved(r, tid, conf, &ring->pending[i]);
	r->pending -= ring->pending_cnt;
	free(ring->pending);
	ring->pending = NULL;
	ring->pending_cnt = ring->pending_cap = 0;
	return err;
}

/* Nobody is known to wait: the one that alone uses the ring, if there is one. */
static int flush_unknown(struct rings *r, struct ring *ring)
{
	return flush(r, ring, ring_reader(ring), CONFIDENCE_USER);
}

static int keep(struct rings *r, struct ring *ring, const struct claim *c)
{
	struct claim *grown;

	if (ring->pending_cnt == ring->pending_cap) {
		ring->pending_cap = ring->pending_cap ? ring->pending_cap * 2 : 64;
		grown = realloc(ring->pending, ring->pending_cap * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		ring->pending = grown;
	}
	ring->pending[ring->pending_cnt++] = *c;
	r->pending++;
	return 0;
}

/* The ring on which the most waits has had its time: room is made, and stays. */
static int give_up_one(struct rings *r)
{
	struct ring *most = r->all;

	for (struct ring *ring = r->all; ring; ring = ring->next)
		if (ring->pending_cnt > most->pending_cnt)
			most = ring;
	most->unawaited = true;
	return flush_unknown(r, most);
}

int rings_put(struct rings *r, struct ring *ring, const struct claim *c)
{
	int err;

	if (!ring || ring->many)
		return put_resolved(r, 0, 1, c);
	if (ring->consumer)
		return put_resolved(r, ring->consumer, 1, c);
	err = r->pending >= RINGS_PENDING_MAX ? give_up_one(r) : 0;
	if (err)
		return err;
	if (ring->unawaited)
		return put_resolved(r, ring_reader(ring), CONFIDENCE_USER, c);
	return keep(r, ring, c);
}

int rings_finish(struct rings *r)
{
	int err = 0;

	for (struct ring *ring = r->all; ring && !err; ring = ring->next)
		err = flush_unknown(r, ring);
	return err;
}

/* ---- records ---- */

static int on_create(struct rings *r, const struct ev_rec *v)
{
	struct process *p = process_get(r, v->tgid);
	struct ring *ring;

	if (!p)
		return -ENOMEM;
	HASH_FIND(hh, r->by_ctx, &v->a, sizeof(v->a), ring);
	if (ring)
		HASH_DEL(r->by_ctx, ring); /* the old ring at this address is gone */
	ring = ring_add(r, v->a, v->tgid);
	if (!ring)
		return r->cnt < RINGS_MAX ? -ENOMEM : 0;
	p->created++;
	ring->number = p->uncertain || r->lossy ? 0 : p->created;
	ring->known = true;
	ring->fd = (uint32_t)v->b;
	ring->flags = (uint32_t)v->e;
	ring_learn(ring, v->e >> 32);
	return 0;
}

/* On such rings even a look that does not wait has to enter the kernel. */
static bool must_enter(const struct ring *ring)
{
	return ring->flags & (IORING_SETUP_IOPOLL | IORING_SETUP_DEFER_TASKRUN);
}

static int on_wait(struct rings *r, struct ring *ring, uint32_t tid)
{
	if (ring->consumer == tid)
		return 0;
	ring->many = ring->consumer != 0;
	ring->consumer = tid;
	ring->deserted = false;
	return flush(r, ring, ring->many ? 0 : tid, 1);
}

static int on_enter(struct rings *r, const struct ev_rec *v)
{
	struct ring *ring =
		v->e ? rings_get(r, v->e, v->tgid) : rings_by_fd(r, v->tgid, (uint32_t)v->a);

	if (!ring)
		return 0;
	if (ring->user && ring->user != v->tid)
		ring->used_by_many = true;
	ring->user = v->tid;
	if (v->d & IORING_ENTER_GETEVENTS && (v->c || must_enter(ring)))
		return on_wait(r, ring, v->tid);
	return 0;
}

/* A process that was there before: its rings of that time count in the order, but how many did? */
static int on_fork(struct rings *r, const struct ev_rec *v)
{
	struct process *p;

	if (v->tid || !v->d)
		return 0;
	p = process_get(r, (uint32_t)v->b);
	if (!p)
		return -ENOMEM;
	p->uncertain = true;
	return 0;
}

/* A new program counts its rings from the beginning. */
static void on_exec(struct rings *r, const struct ev_rec *v)
{
	struct process *p;

	HASH_FIND(hh, r->processes, &v->tgid, sizeof(v->tgid), p);
	if (p) {
		p->created = 0;
		p->uncertain = false;
	}
}

static void on_exit_of(struct rings *r, uint32_t tid)
{
	struct ring *ring;

	for (ring = r->by_ctx; ring; ring = ring->hh.next)
		if (ring_reader(ring) == tid)
			ring->deserted = true;
}

int rings_record(struct rings *r, const struct ev_rec *v)
{
	switch (v->kind) {
	case EV_LOST:
		r->lossy = true;
		return 0;
	case EV_IO_CREATE:
		return on_create(r, v);
	case EV_IO_ENTER:
		return on_enter(r, v);
	case EV_PROC_FORK:
		return on_fork(r, v);
	case EV_PROC_EXEC:
		on_exec(r, v);
		return 0;
	case EV_PROC_EXIT:
		on_exit_of(r, v->tid);
		return 0;
	default:
		return 0;
	}
}
