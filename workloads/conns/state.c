/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of connections: what operators are made of. */
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "workloads/conns/conns.h"

static bool is_free(struct conn *c)
{
	return c->state == CONN_FREE && !atomic_load_explicit(&c->served, memory_order_acquire);
}

/* There are more entries than connections; at worst a backend has still to close its end. */
struct conn *conn_find(struct pool *p)
{
	for (;;) {
		for (unsigned i = 0; i < p->entries; i++)
			if (is_free(&p->conns[i]))
				return &p->conns[i];
		sched_yield();
	}
}

void conn_connect(struct conn *c, struct pool *p)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, c->fd))
		run_fail(-errno, "cannot make a pair of sockets");
	for (unsigned e = 0; e < ENDS; e++)
		stream_open(&c->in[e], c->fd[e], stream_fd_key(c->fd[e]));
	c->backend = &p->backends[p->next_backend++ % p->backends_cnt];
	c->batch_cnt = 0;
	c->worn = 0;
	c->opens++;
	p->open++;
	p->changes++;
	atomic_store_explicit(&c->served, true, memory_order_release);
	poller_add(&c->backend->poller, c->fd[END_SERVER], c);
}

/* The other side finds the end of the stream and closes its own. */
void conn_disconnect(struct conn *c, struct pool *p)
{
	close(c->fd[END_CLIENT]);
	c->state = CONN_FREE;
	c->closes++;
	p->open--;
	p->changes++;
}

void conn_to_idle(struct conn *c, struct pool *p)
{
	c->state = CONN_IDLE;
	c->slot = NULL;
	c->next = p->idle;
	p->idle = c;
}

void conn_leased(struct conn *c, struct pool *p)
{
	c->state = CONN_LEASED;
	c->uses = 0;
	c->worn++;
	c->leases++;
	p->changes++;
}

void conn_returned(struct conn *c, struct pool *p)
{
	c->returns++;
	p->changes++;
}
