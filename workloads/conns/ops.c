/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the pool, named by manifest.yaml. */
#include "workloads/conns/conns.h"

OPERATOR void conns_init(struct pool *p, unsigned capacity, unsigned keep)
{
	p->capacity = capacity;
	p->keep = keep;
}

OPERATOR struct conn *conns_open(struct pool *p)
{
	struct conn *c;

	if (p->open >= p->capacity)
		return NULL;
	c = conn_find(p);
	conn_connect(c, p);
	return c;
}

OPERATOR void conns_close(struct conn *c, struct pool *p)
{
	conn_disconnect(c, p);
}

OPERATOR struct conn *conns_lease(struct pool *p)
{
	struct conn *c = p->idle;

	if (c)
		p->idle = c->next;
	else
		c = conns_open(p);
	if (c)
		conn_leased(c, p);
	return c;
}

OPERATOR void conns_use(struct conn *c, unsigned statement)
{
	c->uses++;
}

OPERATOR void conns_return(struct conn *c, struct pool *p)
{
	conn_returned(c, p);
	if (c->worn >= p->keep)
		conns_close(c, p);
	else
		conn_to_idle(c, p);
}

OPERATOR void conns_discard(struct conn *c, struct pool *p)
{
	conn_returned(c, p);
	conns_close(c, p);
}

OPERATOR void conns_drain(struct conn *c, struct pool *p)
{
	conn_returned(c, p);
	c->state = CONN_DRAINING;
}

OPERATOR void conns_drained(struct conn *c, struct pool *p)
{
	if (c->worn >= p->keep)
		conns_close(c, p);
	else
		conn_to_idle(c, p);
}

OPERATOR void conns_wait(struct pool *p, struct waiter *w)
{
	w->next = NULL;
	if (p->first)
		p->last->next = w;
	else
		p->first = w;
	p->last = w;
}

OPERATOR struct waiter *conns_grant(struct pool *p)
{
	struct waiter *w = p->first;

	if (!w || (!p->idle && p->open >= p->capacity))
		return NULL;
	p->first = w->next;
	return w;
}
