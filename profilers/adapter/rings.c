/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of the watched processes. */
#include "profilers/adapter/rings.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>
#include <utlist.h>

struct ring {
	uint64_t ctx;
	uint64_t id;
	uint64_t number;
	uint32_t fd;
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
	struct process *process;    /* NULL: it has ended */
	struct ring *newer, *older; /* of the process, or of those whose process has ended */
	UT_hash_handle hh;
};

/* A process, and how many rings it has created. */
struct process {
	uint32_t tgid;
	bool uncertain; /* it had rings before the collector came */
	uint64_t created;
	struct ring *rings; /* the newest first */
	UT_hash_handle hh;
};

struct rings {
	struct outlet *out;
	struct ring *by_ctx; /* uthash keeps order: the oldest first */
	struct ring *ended;  /* those whose process has, the latest first */
	struct process *processes;
	size_t ended_cnt, pending;
	uint64_t ids;
	bool lossy; /* a creation may be among what was lost */
};

struct rings *rings_new(struct outlet *out)
{
	struct rings *r = calloc(1, sizeof(*r));

	if (r)
		r->out = out;
	return r;
}

static void ring_drop(struct rings *r, struct ring *ring)
{
	if (ring->process)
		DL_DELETE2(ring->process->rings, ring, newer, older);
	else
		DL_DELETE2(r->ended, ring, newer, older);
	r->ended_cnt -= !ring->process;
	r->pending -= ring->pending_cnt;
	HASH_DEL(r->by_ctx, ring);
	free(ring->pending);
	free(ring);
}

static void process_drop(struct rings *r, struct process *p)
{
	HASH_DEL(r->processes, p);
	free(p);
}

void rings_free(struct rings *r)
{
	if (!r)
		return;
	while (r->by_ctx)
		ring_drop(r, r->by_ctx);
	while (r->processes)
		process_drop(r, r->processes);
	free(r);
}

/* ---- processes ---- */

static struct process *process_find(const struct rings *r, uint32_t tgid)
{
	struct process *p;

	HASH_FIND(hh, r->processes, &tgid, sizeof(tgid), p);
	return p;
}

/* Late completions may still come to its rings. */
static void process_leave(struct rings *r, struct process *p)
{
	struct ring *ring;

	while ((ring = p->rings)) {
		DL_DELETE2(p->rings, ring, newer, older);
		ring->process = NULL;
		DL_PREPEND2(r->ended, ring, newer, older);
		r->ended_cnt++;
	}
}

static void process_end(struct rings *r, struct process *p)
{
	process_leave(r, p);
	process_drop(r, p);
}

static struct process *process_get(struct rings *r, uint32_t tgid)
{
	struct process *p = process_find(r, tgid);

	if (p)
		return p;
	if (HASH_COUNT(r->processes) >= RINGS_MAX) {
		process_end(r, r->processes); /* uthash keeps order: its end was not seen */
		r->lossy = true;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->tgid = tgid;
	HASH_ADD(hh, r->processes, tgid, sizeof(p->tgid), p);
	return p;
}

/* ---- rings ---- */

static int flush_unknown(struct rings *r, struct ring *ring);

/* Nobody comes to it any more. */
static int ring_end(struct rings *r, struct ring *ring)
{
	int err = flush_unknown(r, ring);

	ring_drop(r, ring);
	return err;
}

static int make_room(struct rings *r)
{
	int err = 0;

	while (!err && r->ended_cnt > RINGS_ENDED_MAX)
		err = ring_end(r, r->ended->newer); /* the list's head has its tail there */
	if (!err && HASH_COUNT(r->by_ctx) >= RINGS_MAX)
		err = ring_end(r, r->by_ctx);
	return err;
}

static int ring_add(struct rings *r, uint64_t ctx, struct process *p, struct ring **ret)
{
	int err = make_room(r);
	struct ring *ring = err ? NULL : calloc(1, sizeof(*ring));

	if (!ring)
		return err ? err : -ENOMEM;
	ring->ctx = ctx;
	ring->id = ++r->ids;
	ring->process = p;
	DL_PREPEND2(p->rings, ring, newer, older);
	HASH_ADD(hh, r->by_ctx, ctx, sizeof(ring->ctx), ring);
	*ret = ring;
	return 0;
}

static struct ring *ring_find(const struct rings *r, uint64_t ctx)
{
	struct ring *ring;

	HASH_FIND(hh, r->by_ctx, &ctx, sizeof(ctx), ring);
	return ring;
}

/* Which of its rings came before the one that was missed cannot be told. */
static void distrust(struct process *p)
{
	struct ring *ring;

	p->uncertain = true;
	DL_FOREACH2(p->rings, ring, older)
	if (!ring->numbered)
		ring->number = 0;
}

int rings_get(struct rings *r, uint64_t ctx, uint32_t tgid, struct ring **ret)
{
	struct process *p;

	*ret = ctx ? ring_find(r, ctx) : NULL;
	if (!ctx || *ret)
		return 0;
	p = process_get(r, tgid);
	if (!p)
		return -ENOMEM;
	distrust(p);
	return ring_add(r, ctx, p, ret);
}

struct ring *rings_by_fd(const struct rings *r, uint32_t tgid, uint32_t fd)
{
	const struct process *p = process_find(r, tgid);
	struct ring *ring = p ? p->rings : NULL;

	/* newest first, so a descriptor that was given again means the newer ring */
	while (ring && !(ring->fd == fd && ring->known))
		ring = ring->older;
	return ring;
}

uint64_t ring_id(const struct ring *ring)
{
	return ring ? ring->id : 0;
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
		ring->pending_cap = ring->pending_cap ? ring->pending_cap * 2 : 4;
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
	struct ring *most = r->by_ctx;

	for (struct ring *ring = r->by_ctx; ring; ring = ring->hh.next)
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

	for (struct ring *ring = r->by_ctx; ring && !err; ring = ring->hh.next)
		err = flush_unknown(r, ring);
	return err;
}

/* ---- records ---- */

static int on_create(struct rings *r, const struct ev_rec *v)
{
	struct ring *ring = ring_find(r, v->a);
	int err = ring ? ring_end(r, ring) : 0; /* the old ring at this address is gone */
	struct process *p = err ? NULL : process_get(r, v->tgid);

	if (!p)
		return err ? err : -ENOMEM;
	err = ring_add(r, v->a, p, &ring);
	if (err)
		return err;
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

/* A child goes on with what its parent, which is no more, has made; or a new program. */
static int inherit(struct rings *r, struct ring *ring, uint32_t tgid)
{
	struct process *p = process_get(r, tgid);

	if (!p)
		return -ENOMEM;
	DL_DELETE2(r->ended, ring, newer, older);
	r->ended_cnt--;
	ring->process = p;
	DL_PREPEND2(p->rings, ring, newer, older);
	return 0;
}

static int on_enter(struct rings *r, const struct ev_rec *v)
{
	struct ring *ring;
	int err = 0;

	if (v->e)
		err = rings_get(r, v->e, v->tgid, &ring);
	else
		ring = rings_by_fd(r, v->tgid, (uint32_t)v->a);
	if (!err && ring && !ring->process)
		err = inherit(r, ring, v->tgid);
	if (err || !ring)
		return err;
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

/* A new program counts its rings from the beginning; those of the old are closed (O_CLOEXEC), for
 * the most part. */
static void on_exec(struct rings *r, const struct ev_rec *v)
{
	struct process *p = process_find(r, v->tgid);

	if (p) {
		process_leave(r, p);
		p->created = 0;
		p->uncertain = false;
	}
}

static void on_exit_of(struct rings *r, const struct ev_rec *v)
{
	struct process *p = v->a ? process_find(r, v->tgid) : NULL;

	for (struct ring *ring = r->by_ctx; ring; ring = ring->hh.next)
		if (ring_reader(ring) == v->tid)
			ring->deserted = true;
	if (p)
		process_end(r, p);
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
		on_exit_of(r, v);
		return 0;
	default:
		return 0;
	}
}
