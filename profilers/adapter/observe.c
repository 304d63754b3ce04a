/* SPDX-License-Identifier: BSD-2-Clause */
/* Observations: the ends of handoffs that the records show, each alone. */
#include "profilers/adapter/observe.h"

#include <stdlib.h>
#include <string.h>

#include "profilers/adapter/futexes.h"

/* uapi linux/io_uring.h; liburing's copy may be older than the kernel */
enum { CQE_F_MORE = 1u << 1, CQE_F_NOTIF = 1u << 3, SQE_CQE_SKIP_SUCCESS = 1u << 6 };

struct observer {
	const struct observer_ops *ops;
	void *arg;
	struct rings *rings;
	struct futexes *futexes;
};

struct observer *observer_new(const struct observer_ops *ops, void *arg, struct outlet *out)
{
	struct observer *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->ops = ops;
	o->arg = arg;
	o->rings = rings_new(out);
	o->futexes = futexes_new(ops, arg);
	if (o->rings && o->futexes)
		return o;
	observer_free(o);
	return NULL;
}

void observer_free(struct observer *o)
{
	if (!o)
		return;
	rings_free(o->rings);
	futexes_free(o->futexes);
	free(o);
}

/* ---- io_uring ---- */

/* What submissions, messages and CQEs have in common; key is (ring, user_data). */
static struct observation io_observation(const struct ev_rec *r, struct ring *ring)
{
	uint64_t number = ring_number(ring);

	return (struct observation){
		.type = HANDOFF_IO,
		.ns = KEY_USER_DATA,
		.has_scope = number != 0,
		.bits = r->flags & EV_F_KERNEL ? OBS_KERNEL : 0,
		.tid = r->tid,
		.tgid = r->tgid,
		.t = r->t,
		.v = r->c,
		.scope = number,
		.ring = ring,
		.ring_id = ring_id(ring),
		.object = r->b,
	};
}

enum { STAMP_MASK = (1u << EV_IO_STAMP_BITS) - 1 };

static int on_submit(struct observer *o, const struct ev_rec *r)
{
	struct observation obs;
	struct ring *ring;
	int err = rings_get(o->rings, r->a, r->tgid, &ring);

	if (err)
		return err;
	ring_learn(ring, r->e >> EV_IO_NUMBER & 0xffff);
	obs = io_observation(r, ring);
	obs.opcode = r->e & EV_SUBMIT_REFUSED ? 0 : (uint8_t)r->d;
	obs.stamp = r->e >> EV_IO_STAMP;
	if (r->e & SQE_CQE_SKIP_SUCCESS)
		obs.bits |= OBS_SKIP;
	return o->ops->src(o->arg, &obs);
}

static int on_message(struct observer *o, const struct ev_rec *r)
{
	struct observation obs;
	struct ring *target;
	int err = 0;

	if (r->e)
		err = rings_get(o->rings, r->e, r->tgid, &target);
	else
		target = rings_by_fd(o->rings, r->tgid, (uint32_t)r->d);
	if (err)
		return err;
	obs = io_observation(r, target);
	obs.bits |= OBS_MESSAGE | (ring_takes_at_once(target) ? OBS_AT_ONCE : 0);
	obs.stamp = r->seq ? r->t & STAMP_MASK : 0;
	obs.res = (int32_t)(r->d >> 32);
	return o->ops->src(o->arg, &obs);
}

/* What a consumer cancels as it ends, or others after its end, stays in a ring without a reader. */
static bool untaken(const struct ev_rec *r, const struct observation *obs)
{
	if (ring_deserted(obs->ring))
		return true;
	return r->e & EV_CQE_DYING && r->tid == ring_reader(obs->ring);
}

static int on_complete(struct observer *o, const struct ev_rec *r)
{
	struct observation obs;
	struct ring *ring;
	int err = rings_get(o->rings, r->a, r->tgid, &ring);

	if (err)
		return err;
	obs = io_observation(r, ring);
	if (r->e & CQE_F_MORE)
		obs.bits |= OBS_MORE;
	if (r->e & CQE_F_NOTIF)
		obs.bits |= OBS_NOTIF;
	obs.res = (int32_t)r->d;
	obs.stamp = r->e >> EV_IO_STAMP;
	if (untaken(r, &obs))
		obs.bits |= OBS_UNTAKEN;
	return o->ops->dst(o->arg, &obs);
}

/* ---- streams and timers ---- */

static int on_stream(struct observer *o, const struct ev_rec *r)
{
	bool writes = r->kind == EV_STREAM_WRITE;
	uint8_t kind = r->e & 0xff;
	struct observation obs = {
		.type = kind == EV_STREAM_PTY ? HANDOFF_WORK : HANDOFF_MSG,
		.bits = (r->e >> 8 & EV_STREAM_BORN ? OBS_BORN : 0) |
			(kind != EV_STREAM_PACKET && kind != EV_STREAM_EVENTFD ? OBS_BYTES : 0),
		.tid = r->tid,
		.tgid = r->tgid,
		.t = r->t,
		.object = r->a,
		.pos = r->b,
		.units = r->c,
		.head = r->e >> 32,
	};

	/* a msg's key is its receiver's descriptor, which the sender does not know */
	if (kind == EV_STREAM_PTY) {
		obs.ns = KEY_WORK;
		obs.v = r->a;
	} else if (!writes) {
		obs.ns = KEY_FD;
		obs.v = (uint32_t)r->d;
		obs.scope = r->d >> 32;
		obs.has_scope = true;
	}
	return writes ? o->ops->src(o->arg, &obs) : o->ops->dst(o->arg, &obs);
}

static int on_timer(struct observer *o, const struct ev_rec *r)
{
	bool is_fd = (r->e & 0xff) == EV_TIMER_FD, sets = r->kind == EV_TIMER_SET;
	struct observation obs = {
		.type = HANDOFF_TIMER,
		.ns = is_fd ? KEY_TIMERFD : KEY_NONE,
		.bits = r->e >> 8 & EV_TIMER_PERIODIC ? OBS_REPEATS : 0,
		.tid = r->tid,
		.tgid = r->tgid,
		.t = sets && r->c ? r->c : r->t,
		.v = r->b,
		.object = r->a,
		.since = r->c,
		.by = r->e >> 32,
	};

	if (!sets)
		return o->ops->dst(o->arg, &obs);
	return r->d ? o->ops->src(o->arg, &obs) : 0; /* what is disarmed goes nowhere */
}

static int on_lost(struct observer *o, const struct ev_rec *r)
{
	int err = rings_record(o->rings, r);

	if (err)
		return err;
	return o->ops->lost ? o->ops->lost(o->arg, r) : 0;
}

int observer_finish(struct observer *o)
{
	return rings_finish(o->rings);
}

int observer_record(struct observer *o, const struct ev_rec *r)
{
	int err;

	if (r->flags & EV_F_CUT) /* its arguments are gone: as good as lost */
		return on_lost(o, &(struct ev_rec){.t = r->t, .kind = EV_LOST, .a = 1, .b = r->t});
	if (r->kind == EV_LOST)
		return on_lost(o, r);
	err = rings_record(o->rings, r);
	if (err)
		return err;
	switch (r->kind) {
	case EV_IO_SUBMIT:
		return on_submit(o, r);
	case EV_IO_MSG:
		return on_message(o, r);
	case EV_IO_COMPLETE:
		return on_complete(o, r);
	case EV_STREAM_WRITE:
	case EV_STREAM_READ:
		return on_stream(o, r);
	case EV_TIMER_SET:
	case EV_TIMER_TAKE:
		return on_timer(o, r);
	default:
		return futexes_record(o->futexes, r);
	}
}

/* ---- claims ---- */

uint32_t observer_receiver(const struct observation *dst)
{
	uint32_t consumer = dst->type == HANDOFF_IO ? ring_consumer(dst->ring) : 0;

	return consumer ? consumer : dst->tid;
}

static void set_src(struct claim *c, const struct observation *src)
{
	c->has |= HAS_SRC | (src->bits & OBS_KERNEL ? HAS_SRC_KERNEL : 0);
	c->handoff.src_tid = src->tid;
	c->handoff.src_t = src->t;
}

static void set_dst(struct claim *c, const struct observation *dst)
{
	c->has |= HAS_DST | (dst->bits & OBS_KERNEL ? HAS_DST_KERNEL : 0);
	c->handoff.dst_tid = dst->tid;
	c->handoff.dst_t = dst->t;
}

/*
 * Whose key the claim has. Of a wake it is the waking call's word; a wait that may have been
 * requeued does not know it, and whether it was is not known where records are lost.
 */
static const struct observation *key_of(const struct observation *src,
					const struct observation *dst)
{
	const struct observation *any = dst ? dst : src;

	if (any->type == HANDOFF_WAKE)
		any = src;
	return any && any->ns != KEY_NONE ? any : NULL;
}

/* What a manifest's sites show is of the application's own runtime. */
static uint8_t source_of(unsigned type)
{
	switch (type) {
	case HANDOFF_QUEUE:
	case HANDOFF_SPAWN:
	case HANDOFF_RESUME:
	case HANDOFF_GRANT:
	case HANDOFF_CALL:
		return SOURCE_RUNTIME;
	default:
		return SOURCE_KERNEL;
	}
}

static void set_key(struct claim *c, const struct observation *o)
{
	c->ns = o->ns;
	c->has |= HAS_KEY | (o->has_scope ? HAS_SCOPE : 0);
	c->handoff.key_v = o->v;
	c->handoff.key_scope = o->scope;
}

int observer_claim(struct observer *o, const struct observation *src, const struct observation *dst,
		   enum how how, double conf, uint64_t gen)
{
	const struct observation *any = dst ? dst : src;
	struct claim c = {
		.kind = CLAIM_HANDOFF,
		.type = any->type,
		.how = (uint8_t)how,
		.source = source_of(any->type),
		.has = (uint16_t)(HAS_CONF | (gen ? HAS_GEN : 0)),
	};

	c.handoff.conf = conf;
	c.handoff.gen = gen;
	if (src)
		set_src(&c, src);
	if (dst)
		set_dst(&c, dst);
	if (key_of(src, dst))
		set_key(&c, key_of(src, dst));
	return rings_put(o->rings, dst ? dst->ring : NULL, &c);
}
