/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the server, the memory of its processes, its first process. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/driver/settings.h"
#include "workloads/prefork/service.h"

static const char *const kinds[] = {"asset", "page", "report", "stop", NULL};
static const char *const classes[] = {"prefork.buffer", NULL};
static const char *const known_settings[] = {"buffers", "batch", "renew", NULL};
static const char *const outcomes[] = {"by_parent", "by_fork", "by_exec", "turn",
				       "waited",    "batched", NULL};

enum { BUFFERS = 3, BATCH = 3 };

/* Fronts, and servers of this process. */
static unsigned threads(const struct run_options *o)
{
	return o->workers + PREFORK_SERVERS;
}

static void open_memory(struct service *s, unsigned slots)
{
	size_t bytes = sizeof(struct shared) + slots * sizeof(struct slot);
	void *map;

	s->memory = memfd_create("pool", 0); /* survives exec */
	if (s->memory < 0 || ftruncate(s->memory, (off_t)bytes))
		run_fail(-errno, "memory of the server");
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, s->memory, 0);
	if (map == MAP_FAILED)
		run_fail(-errno, "memory of the server");
	s->shared = map;
	s->shared->bytes = bytes;
}

static void open_seats(struct run *r, struct service *s)
{
	struct shared *sh = s->shared;
	const struct run_options *o = r->options;

	for (unsigned i = 0; i < PREFORK_ALL; i++) {
		/* as run_crew pins them, and the driver those of this process behind the fronts */
		unsigned at =
			i / PREFORK_SERVERS == BY_PARENT ? o->workers + i : i % PREFORK_SERVERS;

		sh->seats.seats[i].cpu = sh->seats.seats[buffer_seat(i)].cpu =
			o->cpus[at % o->cpus_cnt];
	}
	for (unsigned i = 0; i < o->workers; i++)
		sh->seats.seats[front_seat(i)].cpu = o->cpus[i % o->cpus_cnt];
}

/* Serially a read takes one request, and everybody can have a buffer: what else happened would
 * depend on time. */
static void open_shared(struct run *r, struct service *s)
{
	struct shared *sh = s->shared;
	bool serial = r->options->serial;

	sh->options = *r->options;
	sh->options.data = sh->options.path = sh->options.config = NULL; /* addresses of ours */
	sh->rounds_us = r->rounds_us;
	sh->as = setting_within("renew", RENEW_NEVER, RENEW_NEVER, RENEW_SAME);
	sh->batch = setting_within("batch", serial ? 1 : BATCH, 1, PREFORK_BATCH);
	prefork_init(&sh->pool,
		     setting_within("buffers", serial ? PREFORK_ALL : BUFFERS, 1, PREFORK_BUFFERS));
	if (pipe(sh->pipe)) /* survives exec */
		run_fail(-errno, "cannot make a pipe");
	stream_open(&sh->requests, sh->pipe[0], stream_fd_key(sh->pipe[0]));
	parking_share(&sh->seats, stream_fd_key(s->memory).scope, offsetof(struct shared, seats));
	open_seats(r, s);
}

void name_spares(struct run *r, struct service *s)
{
	struct shared *sh = s->shared;

	parking_open(&sh->seats, r, front_seat(sh->options.workers));
	for (unsigned i = 0; i < PREFORK_SPARES; i++) {
		struct rec_key key;

		if (pipe2(s->spare[i], O_CLOEXEC))
			run_fail(-errno, "cannot make a pipe");
		key = stream_fd_key(s->spare[i][0]);
		recorder_spare(&r->channel, HANDOFF_MSG, key.ns, true, key.scope, key.v);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&sh->spares[i]);
	}
}

static void open_front(struct run *r, struct service *s, unsigned index)
{
	struct shared *sh = s->shared;
	struct front *f = &s->fronts[index];
	unsigned most = r->options->queue_depth;

	f->w = &r->workers[index];
	for (unsigned i = most; i-- > 0;) {
		struct slot *sl = &sh->slot[index * most + i];

		sl->front = index;
		sl->next = f->free;
		f->free = index * most + i + 1;
	}
}

static void open_service(struct run *r)
{
	const struct run_options *o = r->options;
	struct service *s = run_alloc(1, sizeof(*s));

	r->priv = s;
	open_memory(s, o->workers * o->queue_depth);
	open_shared(r, s);
	name_spares(r, s);
	s->fronts = run_alloc(o->workers, sizeof(*s->fronts));
	for (unsigned i = 0; i < o->workers; i++)
		open_front(r, s, i);
	crew_start(r, s);
}

static void body(struct worker *w)
{
	struct service *s = w->run->priv;
	unsigned fronts = w->run->options->workers;

	if (w->index < fronts)
		front_body(&s->fronts[w->index], s->shared);
	else
		server_body(w, s, s->process * PREFORK_SERVERS + w->index - fronts);
}

/* All operations have ended: whoever reads next tells the others. */
static void quiesce(struct worker *w)
{
	struct service *s = w->run->priv;
	struct shared *sh = s->shared;
	struct op op;

	crew_expect_end();
	op_begin(w, &op, KIND_STOP, arrivals_clock());
	send_request(w, sh, (struct frame){.bytes = PREFORK_MESSAGE, .verb = VERB_STOP}, &sh->last,
		     op.id, 0);
	op_end(w, &op);
}

static void close_service(struct run *r)
{
	struct service *s = r->priv;

	crew_wait(r, s);
	for (unsigned i = 0; i < PREFORK_SPARES; i++) {
		close(s->spare[i][0]);
		close(s->spare[i][1]);
	}
	close(s->shared->pipe[0]);
	close(s->shared->pipe[1]);
	munmap(s->shared, s->shared->bytes);
	close(s->memory);
	free(s->fronts);
	free(s);
}

const struct workload workload = {
	.name = "prefork",
	.models = "a pre-forking server",
	.kinds = kinds,
	.settings = known_settings,
	.keys = 1u << KEY_FD | 1u << KEY_UADDR,
	.handoffs = 1u << HANDOFF_MSG | 1u << HANDOFF_WAKE,
	.marks = 1u << MARK_COALESCED | 1u << MARK_REUSED_KEY | 1u << MARK_CROSS,
	.outcomes = outcomes,
	.classes = classes,
	.records = 64,
	.defaults = {.ops = 2000,
		     .rate = 1550,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 16,
		     .fanout = 4,
		     .cost_us = 220,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_service,
	.body = body,
	.quiesce = quiesce,
	.close = close_service,
	.crew = crew_exec,
};
