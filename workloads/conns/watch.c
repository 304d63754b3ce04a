/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom. What happened is
 * read from the counts of all entries before and after, not from what the operator returned.
 */
#include "workloads/conns/conns.h"

static void event(struct client *s, unsigned kind, unsigned cls, const struct conn *c,
		  uint64_t life, uint32_t units, uint64_t op, uint32_t desc, uint64_t t0,
		  uint64_t t1)
{
	happened(s->w, kind, cls, (uintptr_t)c, life, units, op, desc, t0, t1);
}

/* In the order in which one call can have done it: a connection is opened before it is leased. */
static void entry_changed(struct client *s, struct conn *c, struct known *k, uint64_t op,
			  uint32_t desc, uint64_t t0, uint64_t t1)
{
	if (c->opens != k->opens) {
		k->socket = recorder_token(&s->w->rec);
		event(s, EVENT_ACQUIRE, CLASS_SOCKET, c, k->socket, c->opens - k->opens, op,
		      DESC_OPEN, t0, t1);
		poller_add(&s->poller, c->fd[END_CLIENT], c);
		act_outcome(s->w, OUTCOME_GROWN);
	} else if (c->leases != k->leases) {
		act_outcome(s->w, OUTCOME_REUSED);
	}
	if (c->leases != k->leases) {
		k->lease = recorder_token(&s->w->rec);
		event(s, EVENT_ACQUIRE, CLASS_LEASE, c, k->lease, c->leases - k->leases, op,
		      DESC_LEASE, t0, t1);
	}
	if (c->returns != k->returns)
		event(s, EVENT_RELEASE, CLASS_LEASE, c, k->lease, c->returns - k->returns, op, desc,
		      t0, t1);
	if (c->closes != k->closes)
		event(s, EVENT_RELEASE, CLASS_SOCKET, c, k->socket, c->closes - k->closes, op,
		      DESC_CLOSE, t0, t1);
	k->opens = c->opens;
	k->closes = c->closes;
	k->leases = c->leases;
	k->returns = c->returns;
}

static bool same(const struct conn *c, const struct known *k)
{
	return c->opens == k->opens && c->closes == k->closes && c->leases == k->leases &&
	       c->returns == k->returns;
}

static void pool_changed(struct client *s, uint64_t op, uint32_t desc, uint64_t t0, uint64_t t1)
{
	if (s->changes == s->pool.changes)
		return;
	s->changes = s->pool.changes;
	for (unsigned i = 0; i < s->pool.entries; i++) {
		if (!same(&s->pool.conns[i], &s->known[i]))
			entry_changed(s, &s->pool.conns[i], &s->known[i], op, desc, t0, t1);
	}
}

static struct known *known_of(struct client *s, const struct conn *c)
{
	return &s->known[c - s->pool.conns];
}

/* One who waits is let go on, or somebody comes for a connection: of the pool, and no life. */
static void pool_event(struct client *s, unsigned kind, uint64_t op, uint32_t desc, uint64_t t0,
		       uint64_t t1)
{
	happened(s->w, kind, CLASS_WAITER, (uintptr_t)&s->pool, recorder_token(&s->w->rec), 1, op,
		 desc, t0, t1);
}

struct conn *watch_lease(struct client *s, uint64_t op)
{
	uint64_t t0 = act_now(s->w), t1;
	struct conn *c = conns_lease(&s->pool);

	t1 = act_now(s->w);
	pool_event(s, EVENT_HANDLE, op, DESC_TRY, t0, t1);
	pool_changed(s, op, DESC_LEASE, t0, t1);
	return c;
}

void watch_use(struct client *s, struct conn *c, unsigned statement, uint64_t op)
{
	bool held = c->leases != c->returns;
	uint64_t life = held ? known_of(s, c)->lease : recorder_token(&s->w->rec);
	uint64_t t0 = act_now(s->w);

	conns_use(c, statement);
	event(s, EVENT_USE, CLASS_LEASE, c, life, 1, op, DESC_USE, t0, act_now(s->w));
}

void watch_return(struct client *s, struct conn *c, uint64_t op)
{
	uint64_t t0 = act_now(s->w);

	conns_return(c, &s->pool);
	pool_changed(s, op, DESC_RETURN, t0, act_now(s->w));
	if (c->state == CONN_FREE)
		act_outcome(s->w, OUTCOME_WORN_OUT);
}

void watch_discard(struct client *s, struct conn *c, uint64_t op)
{
	uint64_t t0 = act_now(s->w);

	conns_discard(c, &s->pool);
	pool_changed(s, op, DESC_DISCARD, t0, act_now(s->w));
	act_outcome(s->w, OUTCOME_BROKEN);
}

void watch_drain(struct client *s, struct conn *c, uint64_t op)
{
	uint64_t t0 = act_now(s->w);

	conns_drain(c, &s->pool);
	pool_changed(s, op, DESC_DRAIN, t0, act_now(s->w));
	act_outcome(s->w, OUTCOME_TIMED_OUT);
}

void watch_drained(struct client *s, struct conn *c, uint64_t op)
{
	uint64_t t0 = act_now(s->w);

	conns_drained(c, &s->pool);
	pool_changed(s, op, DESC_DRAIN, t0, act_now(s->w));
	if (c->state == CONN_FREE)
		act_outcome(s->w, OUTCOME_WORN_OUT);
}

/* There is no connection yet: its instance is the pool. */
void watch_wait(struct client *s, struct slot *sl, uint64_t op)
{
	uint64_t t0 = act_now(s->w);

	conns_wait(&s->pool, &sl->waiter);
	happened(s->w, EVENT_WAIT, CLASS_LEASE, (uintptr_t)&s->pool, recorder_token(&s->w->rec), 1,
		 op, DESC_WAIT, t0, act_now(s->w));
	act_outcome(s->w, OUTCOME_WAITED);
}

/* One at a time: who was granted a connection takes it before anybody else can. */
void watch_grant(struct client *s, uint64_t op)
{
	const struct waiter *first = s->pool.first;
	struct waiter *w;
	struct sent sent;
	uint64_t t1;

	if (!first || s->granted.first)
		return;
	sent_begin(s->w, &sent, HANDOFF_GRANT, op, (struct rec_key){.ns = KEY_NONE},
		   RECORDER_NO_SEQ, 0, act_now(s->w));
	w = conns_grant(&s->pool);
	t1 = act_now(s->w);
	if (s->pool.first != first)
		pool_event(s, EVENT_SUBMIT, op, DESC_GRANT, sent.t0, t1);
	if (!w)
		return;
	w->sent = sent;
	queue_add(&s->granted, w->slot);
	sent_end(s->w, &sent, t1);
}

/* Nothing changes any more. */
void watch_end(struct client *s)
{
	for (unsigned i = 0; i < s->pool.entries; i++) {
		struct conn *c = &s->pool.conns[i];

		if (c->leases != c->returns)
			recorder_live(&s->w->rec, s->known[i].lease, c->leases - c->returns, false);
		if (c->opens != c->closes)
			recorder_live(&s->w->rec, s->known[i].socket, c->opens - c->closes, false);
	}
}
