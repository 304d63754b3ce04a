/* SPDX-License-Identifier: BSD-2-Clause */
/* io handoffs: which submission a CQE answers. */
#include "profilers/causal/io.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "profilers/causal/io_state.h"

struct causal_io *causal_io_new(struct observer *out)
{
	struct causal_io *io = calloc(1, sizeof(*io));

	if (io)
		io->out = out;
	return io;
}

void causal_io_lost(struct causal_io *io, uint64_t t, uint64_t cnt)
{
	loss_add(&io->loss, t, cnt);
}

/* ---- requests ---- */

static void request_end(struct causal_io *io, struct request *r)
{
	DL_DELETE(r->name->requests, r);
	io_name_put(io, r->name);
	r->name = NULL;
	r->live = false;
}

/* The address is in use anew, or forgotten, and nothing has answered its last submission. */
static int request_abandon(struct causal_io *io, struct request *r)
{
	bool silent = r->joined || r->src.bits & OBS_SKIP;
	int err = io_message_overdue(io, r);

	request_end(io, r);
	return silent || err ? err : io_orphan(io, &r->src, NULL);
}

static void request_forget(struct causal_io *io, struct request *r)
{
	if (r->generation > io->generation)
		io->generation = r->generation;
	io_message_detach(r);
	HASH_DEL(io->requests, r);
	free(r);
}

/* It is through. Addresses are used again at once for the most part. */
static void request_rest(struct causal_io *io, struct request *r)
{
	if (!r->live && HASH_COUNT(io->requests) > CAUSAL_REQUESTS_IDLE)
		request_forget(io, r);
}

static int request_evict(struct causal_io *io)
{
	struct request *r = io->requests; /* uthash keeps order: the address seen first */
	int err = r->live ? request_abandon(io, r) : 0;

	request_forget(io, r);
	return err;
}

static int request_add(struct causal_io *io, uint64_t address, struct request **ret)
{
	struct request *r;
	int err = 0;

	if (HASH_COUNT(io->requests) >= CAUSAL_REQUESTS_MAX)
		err = request_evict(io);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->address = address;
	r->generation = io->generation;
	HASH_ADD(hh, io->requests, address, sizeof(r->address), r);
	*ret = r;
	return 0;
}

static int request_submit(struct causal_io *io, const struct observation *o)
{
	struct request *r;
	int err = 0;

	HASH_FIND(hh, io->requests, &o->object, sizeof(o->object), r);
	if (!r)
		err = request_add(io, o->object, &r);
	else if (r->live)
		err = request_abandon(io, r);
	if (err)
		return err;
	io_message_detach(r);
	r->src = *o;
	r->src.ring = NULL;
	r->generation++;
	r->joined = 0;
	r->live = true;
	r->name = io_name_get(io, o);
	if (!r->name)
		return -ENOMEM;
	DL_APPEND(r->name->requests, r);
	return 0;
}

int causal_io_src(struct causal_io *io, const struct observation *o)
{
	return o->bits & OBS_MESSAGE ? io_message_send(io, o) : request_submit(io, o);
}

/* ---- completions ---- */

/*
 * Whether a request of this opcode can post such a CQE without naming itself. Zero-copy sends do so
 * to notify, repeated timeouts to say -ETIME. Some numbers are newer than some headers.
 */
static bool can_post(uint8_t opcode, const struct observation *dst)
{
	switch (opcode) {
	case IORING_OP_SEND_ZC:
	case IORING_OP_SENDMSG_ZC:
		return dst->bits & OBS_NOTIF;
	case IORING_OP_TIMEOUT:
		return dst->res == -ETIME;
	case IORING_OP_POLL_ADD:
	case IORING_OP_RECVMSG:
	case IORING_OP_ACCEPT:
	case IORING_OP_RECV:
	case IORING_OP_URING_CMD:
	case 49: /* IORING_OP_READ_MULTISHOT, 6.7 */
	case 58: /* IORING_OP_RECV_ZC, 6.15 */
		return dst->res != -ETIME && !(dst->bits & OBS_NOTIF);
	default:
		return false;
	}
}

/* The one request in flight under this key that can have posted a CQE without naming itself. */
static struct request *only_repeating(const struct name *n, const struct observation *dst)
{
	struct request *r, *found = NULL;

	DL_FOREACH(n->requests, r)
	{
		if (!can_post(r->src.opcode, dst))
			continue;
		if (found)
			return NULL;
		found = r;
	}
	return found;
}

/* Stamps that agree are proof; without them a loss in between leaves all open. */
static double confidence(const struct causal_io *io, const struct observation *src,
			 const struct observation *dst, double clean)
{
	if ((src->stamp && dst->stamp) || !loss_since(&io->loss, src->t))
		return clean;
	return loss_confidence(&io->loss);
}

/* Whether the CQE answers another submission at this address than the one that is known. */
static bool other_use(const struct request *r, const struct observation *dst)
{
	return r->src.stamp && dst->stamp && r->src.stamp != dst->stamp;
}

/*
 * Whether a CQE that names no request can be that of src. Once something was lost it must be the
 * newest under its name: an older one's own CQE may be among what is missing.
 */
static bool is_current(const struct causal_io *io, const struct observation *src,
		       const struct observation *dst)
{
	return !loss_since(&io->loss, src->t) || (src->stamp && src->stamp == dst->stamp);
}

/* A CQE that nobody will take ends its request, but no work goes on anywhere. */
static int claim_taken(struct causal_io *io, const struct observation *src,
		       const struct observation *dst, enum how how, double conf, uint64_t gen)
{
	return observer_claim(io->out, src, dst->bits & OBS_UNTAKEN ? NULL : dst, how, conf, gen);
}

static int unclaimed(struct causal_io *io, const struct observation *dst)
{
	return dst->bits & OBS_UNTAKEN ? 0 : io_orphan(io, NULL, dst);
}

static int join_request(struct causal_io *io, struct request *r, const struct observation *dst,
			enum how how, double conf)
{
	double sure = confidence(io, &r->src, dst, conf);
	int err = claim_taken(io, &r->src, dst, how, sure, r->generation);

	r->joined++;
	if (!(dst->bits & OBS_MORE))
		request_end(io, r);
	request_rest(io, r);
	return err;
}

/* A MSG_RING request that failed has sent nothing. */
static int sender_completed(struct causal_io *io, struct request *r, const struct observation *dst)
{
	if (r->message && dst->res < 0) {
		io_message_end(io, r->message);
		return 0;
	}
	return io_message_overdue(io, r);
}

static int join_named(struct causal_io *io, const struct observation *dst)
{
	struct request *r;
	struct name *n;
	int err;

	HASH_FIND(hh, io->requests, &dst->object, sizeof(dst->object), r);
	if (r && r->live && other_use(r, dst)) {
		err = request_abandon(io, r);
		request_rest(io, r);
		return err ? err : unclaimed(io, dst);
	}
	if (r && r->live && r->src.v == dst->v && r->src.ring_id == dst->ring_id) {
		err = sender_completed(io, r, dst);
		return err ? err : join_request(io, r, dst, HOW_OBSERVED, CONFIDENCE_OBSERVED);
	}
	/* a zero-copy notification has an address of its own */
	n = dst->bits & OBS_NOTIF ? io_name_find(io, dst) : NULL;
	r = n ? only_repeating(n, dst) : NULL;
	if (r && !loss_since(&io->loss, r->src.t))
		return join_request(io, r, dst, HOW_RECONSTRUCTED, CONFIDENCE_ONLY);
	return unclaimed(io, dst);
}

static int join_message(struct causal_io *io, struct message *m, const struct observation *dst)
{
	double conf = confidence(io, &m->src, dst, CONFIDENCE_ONLY);
	int err = claim_taken(io, &m->src, dst, HOW_RECONSTRUCTED, conf, 0);

	io_message_end(io, m);
	return err;
}

/* A CQE without F_MORE that names no request is a message, or a multishot request's last. */
static int join_unnamed(struct causal_io *io, const struct observation *dst)
{
	struct name *n = io_name_find(io, dst);
	struct message *m;
	struct request *r;

	if (!n)
		return unclaimed(io, dst);
	if (!(dst->bits & OBS_MORE) && n->messages) {
		m = io_message_for(io, n, dst);
		if (m && !is_current(io, &m->src, dst))
			m = NULL;
		return m ? join_message(io, m, dst) : unclaimed(io, dst);
	}
	r = only_repeating(n, dst);
	if (r && is_current(io, &r->src, dst))
		return join_request(io, r, dst, HOW_RECONSTRUCTED, CONFIDENCE_ONLY);
	return unclaimed(io, dst);
}

int causal_io_dst(struct causal_io *io, const struct observation *o)
{
	loss_seen(&io->loss);
	return o->object ? join_named(io, o) : join_unnamed(io, o);
}

/* ---- end ---- */

int causal_io_finish(struct causal_io *io)
{
	struct request *r;
	int err = 0;

	while (io->messages && !err) {
		err = io_orphan(io, &io->messages->src, NULL);
		io_message_end(io, io->messages);
	}
	for (r = io->requests; r && !err; r = r->hh.next)
		if (r->live)
			err = request_abandon(io, r);
	return err;
}

void causal_io_free(struct causal_io *io)
{
	struct request *r, *r_next;
	struct name *n, *n_next;

	if (!io)
		return;
	while (io->messages)
		io_message_end(io, io->messages);
	HASH_ITER(hh, io->names, n, n_next)
	{
		HASH_DEL(io->names, n);
		free(n);
	}
	HASH_ITER(hh, io->requests, r, r_next)
	{
		HASH_DEL(io->requests, r);
		free(r);
	}
	free(io);
}
