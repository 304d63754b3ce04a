/* SPDX-License-Identifier: BSD-2-Clause */
/* io handoffs: messages of MSG_RING requests, and the names under which CQEs are awaited. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "profilers/causal/io_state.h"

/* ---- names ---- */

struct name *io_name_find(struct causal_io *io, const struct observation *o)
{
	struct name_key key;
	struct name *n;

	memset(&key, 0, sizeof(key));
	key.ring = o->ring_id;
	key.v = o->v;
	HASH_FIND(hh, io->names, &key, sizeof(key), n);
	return n;
}

struct name *io_name_get(struct causal_io *io, const struct observation *o)
{
	struct name *n = io_name_find(io, o);

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->key.ring = o->ring_id;
	n->key.v = o->v;
	HASH_ADD(hh, io->names, key, sizeof(n->key), n);
	return n;
}

void io_name_put(struct causal_io *io, struct name *n)
{
	if (n->requests || n->messages)
		return;
	HASH_DEL(io->names, n);
	free(n);
}

/* ---- messages ---- */

int io_orphan(struct causal_io *io, const struct observation *src, const struct observation *dst)
{
	return observer_claim(io->out, src, dst, HOW_UNKNOWN, CONFIDENCE_ORPHAN, 0);
}

void io_message_end(struct causal_io *io, struct message *m)
{
	if (m->sender)
		m->sender->message = NULL;
	DL_DELETE(m->name->messages, m);
	DL_DELETE2(io->messages, m, older, younger);
	io->messages_cnt--;
	io_name_put(io, m->name);
	free(m);
}

/*
 * One thread's messages are there before it goes on, where the ring takes them at once: those that
 * still wait came unseen.
 */
static int messages_overdue(struct causal_io *io, struct name *n, const struct observation *o)
{
	struct message *m = n->messages, *next;
	int err = 0;

	if (!(o->bits & OBS_AT_ONCE))
		return 0;
	for (; m && !err; m = next) {
		bool only = !m->next;

		next = m->next;
		if (m->src.tid != o->tid)
			continue;
		err = io_orphan(io, &m->src, NULL);
		io_message_end(io, m);
		if (only)
			break; /* with the last the name may be gone */
	}
	return err;
}

int io_message_send(struct causal_io *io, const struct observation *o)
{
	struct message *m;
	struct name *n = io_name_find(io, o);
	int err = n ? messages_overdue(io, n, o) : 0;

	if (!err && io->messages_cnt >= CAUSAL_MESSAGES_MAX) {
		err = io_orphan(io, &io->messages->src, NULL);
		io_message_end(io, io->messages);
	}
	m = err ? NULL : calloc(1, sizeof(*m));
	if (!m)
		return err ? err : -ENOMEM;
	m->src = *o;
	m->src.ring = NULL;
	HASH_FIND(hh, io->requests, &o->object, sizeof(o->object), m->sender);
	m->name = io_name_get(io, o);
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

void io_message_detach(struct request *sender)
{
	if (sender->message)
		sender->message->sender = NULL;
	sender->message = NULL;
}

int io_message_overdue(struct causal_io *io, struct request *sender)
{
	struct message *m = sender->message;
	int err;

	if (!m || !(m->src.bits & OBS_AT_ONCE))
		return 0;
	err = io_orphan(io, &m->src, NULL);
	io_message_end(io, m);
	return err;
}

/*
 * Which message of this name the CQE carries. Usually the sender's own thread posts it during the
 * submission; if another does, the order of one sender's messages is kept, that of several is not.
 * After a loss the order says nothing, since one of them may have come unseen.
 */
struct message *io_message_for(const struct causal_io *io, const struct name *n,
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
