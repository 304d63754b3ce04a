/* SPDX-License-Identifier: BSD-2-Clause */
/* io handoffs: which submission a CQE answers. */
#include "profilers/causal/io.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>
#include <utlist.h>

#include "profilers/causal/confidence.h"

struct name;

struct request { /* one address, in whatever generation it is */
	uint64_t address;
	struct observation src;
	uint64_t generation;
	uint64_t joined; /* CQEs of this generation */
	bool live;
	struct name *name;	 /* while live */
	struct message *message; /* that it carries, until its CQE is seen */
	struct request *prev, *next;
	UT_hash_handle hh;
};

struct message { /* of a MSG_RING request, until its CQE on the target ring */
	struct observation src;
	struct request *sender; /* NULL: forgotten, or submitted anew */
	struct name *name;
	struct message *prev, *next;	 /* of the same name, oldest first */
	struct message *older, *younger; /* of all */
};

struct name_key {
	const struct ring *ring;
	uint64_t v;
};

struct name { /* what is in flight under one key of one ring */
	struct name_key key;
	struct request *requests;
	struct message *messages;
	UT_hash_handle hh;
};

struct causal_io {
	struct observer *out;
	struct request *requests;
	struct name *names;
	struct message *messages;
	size_t messages_cnt;
	struct loss loss;
};

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

/* ---- names ---- */

static struct name *name_find(struct causal_io *io, const struct observation *o)
{
	struct name_key key;
	struct name *n;

	memset(&key, 0, sizeof(key));
	key.ring = o->ring;
	key.v = o->v;
	HASH_FIND(hh, io->names, &key, sizeof(key), n);
	return n;
}

static struct name *name_get(struct causal_io *io, const struct observation *o)
{
	struct name *n = name_find(io, o);

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->key.ring = o->ring;
	n->key.v = o->v;
	HASH_ADD(hh, io->names, key, sizeof(n->key), n);
	return n;
}

static void name_put(struct causal_io *io, struct name *n)
{
	if (n->requests || n->messages)
		return;
	HASH_DEL(io->names, n);
	free(n);
}

/* ---- messages ---- */

static int orphan(struct causal_io *io, const struct observation *src,
		  const struct observation *dst)
{
	return observer_claim(io->out, src, dst, HOW_UNKNOWN, CONFIDENCE_ORPHAN, 0);
}

static void message_end(struct causal_io *io, struct message *m)
{
	if (m->sender)
		m->sender->message = NULL;
	DL_DELETE(m->name->messages, m);
	DL_DELETE2(io->messages, m, older, younger);
	io->messages_cnt--;
	name_put(io, m->name);
	free(m);
}

static int message_send(struct causal_io *io, const struct observation *o)
{
	struct message *m;
	int err = 0;

	if (io->messages_cnt >= CAUSAL_MESSAGES_MAX) {
		err = orphan(io, &io->messages->src, NULL);
		message_end(io, io->messages);
	}
	m = err ? NULL : calloc(1, sizeof(*m));
	if (!m)
		return err ? err : -ENOMEM;
	m->src = *o;
	HASH_FIND(hh, io->requests, &o->object, sizeof(o->object), m->sender);
	m->name = name_get(io, o);
	if (!m->name) {
		free(m);
		return -ENOMEM;
	}
	if (m->sender)
		m->sender->message = m;
	DL_APPEND(m->name->messages, m);
	DL_APPEND2(io->messages, m, older, younger);
	io->messages_cnt++;
	return 0;
}

/* The address stands for another request from now on; the message may still come. */
static void message_detach(struct request *sender)
{
	if (sender->message)
		sender->message->sender = NULL;
	sender->message = NULL;
}

/* The sender is through: a message that must have been there by then was lost from the records. */
static int message_overdue(struct causal_io *io, struct request *sender)
{
	struct message *m = sender->message;
	int err;

	if (!m || !ring_takes_at_once(m->src.ring))
		return 0;
	err = orphan(io, &m->src, NULL);
	message_end(io, m);
	return err;
}

/*
 * Which message of this name the CQE carries. Usually the sender's own thread posts it during the
 * submission; if another does, the order of one sender's messages is kept, that of several is not.
 * After a loss the order says nothing, since one of them may have come unseen.
 */
static struct message *message_for(const struct causal_io *io, const struct name *n,
				   const struct observation *dst)
{
	struct message *m;

	struct message *found = NULL;

	for (m = n->messages; m; m = m->next)
		if (m->src.tid == dst->tid && m->src.res == dst->res)
			return m;
	for (m = n->messages; m; m = m->next) {
		if (m->src.res != dst->res)
			continue;
		if (found && (found->src.tid != m->src.tid || loss_since(&io->loss, found->src.t)))
			return NULL;
		if (!found)
			found = m;
	}
	return found;
}

/* ---- requests ---- */

static void request_end(struct causal_io *io, struct request *r)
{
	DL_DELETE(r->name->requests, r);
	name_put(io, r->name);
	r->name = NULL;
	r->live = false;
}

/* The address is in use anew, or forgotten, and nothing has answered its last submission. */
static int request_abandon(struct causal_io *io, struct request *r)
{
	bool silent = r->joined || r->src.bits & OBS_SKIP;
	int err = message_overdue(io, r);

	request_end(io, r);
	return silent || err ? err : orphan(io, &r->src, NULL);
}

static int request_evict(struct causal_io *io)
{
	struct request *r = io->requests; /* uthash keeps order: the address seen first */
	int err = r->live ? request_abandon(io, r) : 0;

	message_detach(r);
	HASH_DEL(io->requests, r);
	free(r);
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
	message_detach(r);
	r->src = *o;
	r->generation++;
	r->joined = 0;
	r->live = true;
	r->name = name_get(io, o);
	if (!r->name)
		return -ENOMEM;
	DL_APPEND(r->name->requests, r);
	return 0;
}

int causal_io_src(struct causal_io *io, const struct observation *o)
{
	return o->bits & OBS_MESSAGE ? message_send(io, o) : request_submit(io, o);
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

static double confidence(const struct causal_io *io, const struct observation *src, double clean)
{
	return loss_since(&io->loss, src->t) ? loss_confidence(&io->loss) : clean;
}

/* A CQE that nobody will take ends its request, but no work goes on anywhere. */
static int claim_taken(struct causal_io *io, const struct observation *src,
		       const struct observation *dst, enum how how, double conf, uint64_t gen)
{
	return observer_claim(io->out, src, dst->bits & OBS_UNTAKEN ? NULL : dst, how, conf, gen);
}

static int unclaimed(struct causal_io *io, const struct observation *dst)
{
	return dst->bits & OBS_UNTAKEN ? 0 : orphan(io, NULL, dst);
}

static int join_request(struct causal_io *io, struct request *r, const struct observation *dst,
			enum how how, double conf)
{
	int err = claim_taken(io, &r->src, dst, how, confidence(io, &r->src, conf), r->generation);

	r->joined++;
	if (!(dst->bits & OBS_MORE))
		request_end(io, r);
	return err;
}

/* A MSG_RING request that failed has sent nothing. */
static int sender_completed(struct causal_io *io, struct request *r, const struct observation *dst)
{
	if (r->message && dst->res < 0) {
		message_end(io, r->message);
		return 0;
	}
	return message_overdue(io, r);
}

static int join_named(struct causal_io *io, const struct observation *dst)
{
	struct request *r;
	struct name *n;
	int err;

	HASH_FIND(hh, io->requests, &dst->object, sizeof(dst->object), r);
	if (r && r->live && r->src.v == dst->v && r->src.ring == dst->ring) {
		err = sender_completed(io, r, dst);
		return err ? err : join_request(io, r, dst, HOW_OBSERVED, CONFIDENCE_OBSERVED);
	}
	/* a zero-copy notification has an address of its own */
	n = dst->bits & OBS_NOTIF ? name_find(io, dst) : NULL;
	r = n ? only_repeating(n, dst) : NULL;
	if (r)
		return join_request(io, r, dst, HOW_RECONSTRUCTED, CONFIDENCE_ONLY);
	return unclaimed(io, dst);
}

static int join_message(struct causal_io *io, struct message *m, const struct observation *dst)
{
	double conf = confidence(io, &m->src, CONFIDENCE_ONLY);
	int err = claim_taken(io, &m->src, dst, HOW_RECONSTRUCTED, conf, 0);

	message_end(io, m);
	return err;
}

/* A CQE without F_MORE that names no request is a message, or a multishot request's last. */
static int join_unnamed(struct causal_io *io, const struct observation *dst)
{
	struct name *n = name_find(io, dst);
	struct message *m;
	struct request *r;

	if (!n)
		return unclaimed(io, dst);
	if (!(dst->bits & OBS_MORE) && n->messages) {
		m = message_for(io, n, dst);
		return m ? join_message(io, m, dst) : unclaimed(io, dst);
	}
	r = only_repeating(n, dst);
	if (r)
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
		err = orphan(io, &io->messages->src, NULL);
		message_end(io, io->messages);
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
		message_end(io, io->messages);
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
