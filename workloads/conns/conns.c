/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service, its pools and its threads. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "workloads/conns/conns.h"
#include "workloads/driver/settings.h"

static const char *const kinds[] = {"query", "update", "broken", "slow", "stop", NULL};
static const char *const classes[] = {"conns.lease", "conns.socket", "conns.waiter", NULL};
static const char *const known_settings[] = {"capacity", "keep", NULL};
static const char *const outcomes[] = {"grown",	 "reused",   "broken", "timed_out",
				       "waited", "worn_out", NULL};
static const struct ailment ailments[] = {
	{DIAGNOSIS_CONVOY, CLASS_LEASE}, {DIAGNOSIS_WASTEFUL, CLASS_LEASE}, {0}};

enum { CAPACITY = 3, KEEP = 20 };

static unsigned threads(const struct run_options *o)
{
	return 2 * o->workers;
}

static unsigned most_of(const struct run_options *o)
{
	return o->queue_depth < CONNS_MOST ? o->queue_depth : CONNS_MOST;
}

static void open_client(struct run *r, struct service *sv, unsigned index)
{
	struct client *s = &sv->clients[index];
	unsigned capacity = setting_within("capacity", CAPACITY, 1, CONNS_ENTRIES / 2);

	s->w = &r->workers[index];
	s->service = sv;
	s->most = most_of(r->options);
	poller_open(&s->poller);
	for (unsigned i = s->most; i-- > 0;) {
		struct slot *sl = &sv->slots[index * s->most + i];

		sl->index = index * s->most + i;
		sl->next = s->free;
		s->free = sl;
	}
	s->pool.entries = 2 * capacity; /* beside connections, those that a backend has to close */
	s->pool.conns = run_alloc(s->pool.entries, sizeof(*s->pool.conns));
	s->pool.backends = sv->backends;
	s->pool.backends_cnt = sv->backends_cnt;
	s->pool.next_backend = index;
	conns_init(&s->pool, capacity, (unsigned)setting("keep", KEEP));
}

static void open_backend(struct run *r, struct service *sv, unsigned index)
{
	struct backend *b = &sv->backends[index];

	b->w = &r->workers[r->options->workers + index];
	b->service = sv;
	poller_open(&b->poller);
	if (pipe2(b->control, O_CLOEXEC))
		run_fail(-errno, "cannot make a pipe");
	stream_open(&b->told, b->control[0], stream_fd_key(b->control[0]));
	poller_add(&b->poller, b->control[0], b);
}

static void open_spares(struct run *r, struct service *sv)
{
	for (unsigned i = 0; i < CONNS_SPARES; i++) {
		struct rec_key key;

		if (pipe2(sv->spare_pipes[i], O_CLOEXEC))
			run_fail(-errno, "cannot make a pipe");
		key = stream_fd_key(sv->spare_pipes[i][0]);
		recorder_spare(&r->channel, HANDOFF_MSG, key.ns, true, key.scope, key.v);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&sv->spares[i]);
	}
	recorder_spare(&r->channel, HANDOFF_GRANT, KEY_NONE, false, 0, 0);
}

static void open_service(struct run *r)
{
	const struct run_options *o = r->options;
	struct service *sv = run_alloc(1, sizeof(*sv));

	r->priv = sv;
	sv->backends_cnt = o->workers;
	sv->backends = run_alloc(sv->backends_cnt, sizeof(*sv->backends));
	sv->clients = run_alloc(o->workers, sizeof(*sv->clients));
	sv->slots = run_alloc((size_t)o->workers * most_of(o), sizeof(*sv->slots));
	for (unsigned i = 0; i < sv->backends_cnt; i++)
		open_backend(r, sv, i);
	for (unsigned i = 0; i < o->workers; i++)
		open_client(r, sv, i);
	open_spares(r, sv);
}

static void body(struct worker *w)
{
	struct service *sv = w->run->priv;
	unsigned clients = w->run->options->workers;

	if (w->index < clients)
		client_body(&sv->clients[w->index]);
	else
		backend_body(&sv->backends[w->index - clients]);
}

static void quiesce(struct worker *w)
{
	struct service *sv = w->run->priv;
	struct op op;

	op_begin(w, &op, KIND_STOP, arrivals_clock());
	for (unsigned i = 0; i < sv->backends_cnt; i++)
		backend_tell(w, &sv->backends[i], op.id, i);
	op_end(w, &op);
}

static void close_pool(struct pool *p)
{
	for (unsigned i = 0; i < p->entries; i++) {
		struct conn *c = &p->conns[i];

		if (c->state != CONN_FREE)
			close(c->fd[END_CLIENT]);
		if (atomic_load(&c->served))
			close(c->fd[END_SERVER]);
	}
	free(p->conns);
}

static void close_service(struct run *r)
{
	struct service *sv = r->priv;

	for (unsigned i = 0; i < r->options->workers; i++) {
		close_pool(&sv->clients[i].pool);
		poller_close(&sv->clients[i].poller);
	}
	for (unsigned i = 0; i < sv->backends_cnt; i++) {
		poller_close(&sv->backends[i].poller);
		close(sv->backends[i].control[0]);
		close(sv->backends[i].control[1]);
	}
	for (unsigned i = 0; i < CONNS_SPARES; i++) {
		close(sv->spare_pipes[i][0]);
		close(sv->spare_pipes[i][1]);
	}
	free(sv->slots);
	free(sv->clients);
	free(sv->backends);
	free(sv);
}

const struct workload workload = {
	.name = "conns",
	.models = "a connection pool over socket pairs",
	.kinds = kinds,
	.settings = known_settings,
	.ailments = ailments,
	.keys = 1u << KEY_FD,
	.handoffs = 1u << HANDOFF_MSG | 1u << HANDOFF_GRANT,
	.marks = 1u << MARK_COALESCED | 1u << MARK_REUSED_KEY | 1u << MARK_LATE,
	.outcomes = outcomes,
	.classes = classes,
	.defaults = {.ops = 2000,
		     .rate = 2500,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 16,
		     .fanout = 4,
		     .cost_us = 170,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_service,
	.body = body,
	.quiesce = quiesce,
	.close = close_service,
};
