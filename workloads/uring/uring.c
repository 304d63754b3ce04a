/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the storage server: its file, its rings, its threads. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workloads/driver/stream.h"
#include "workloads/uring/uring.h"

static const char *const kinds[] = {"get",    "scan",  "put",  "replicate", "append",
				    "follow", "probe", "stop", NULL};

enum { RING_ENTRIES = 256, RING_COMPLETIONS = 32768, SQ_IDLE_MS = 1 };

static unsigned threads(const struct run_options *o)
{
	return o->workers + 1;
}

/* ---- the data file: nameless as soon as it is there ---- */

static int open_file(const struct run_options *o)
{
	static uint8_t block[1 << 16];
	char path[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/store-XXXXXX", o->data) >= (int)sizeof(path))
		run_fail(-ENAMETOOLONG, "folder '%s'", o->data);
	fd = mkstemp(path);
	if (fd < 0)
		run_fail(-errno, "cannot make a data file in '%s'", o->data);
	unlink(path);
	for (unsigned at = 0; at < URING_FILE; at += sizeof(block)) {
		for (unsigned i = 0; i < sizeof(block); i++)
			block[i] = (uint8_t)((at + i) >> 9);
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
			run_fail(-errno, "cannot fill the data file in '%s'", o->data);
	}
	return fd;
}

/* ---- rings ---- */

/*
 * The kinds of rings that servers use: a plain one, whose completions any thread may post; one
 * that posts on its consumer only (from Linux 6.1, else plain); and the log writer's.
 */
static void open_ring(struct server *sv, bool deferred)
{
	struct io_uring_params p = {.flags = IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE,
				    .cq_entries = RING_COMPLETIONS};
	int err;

	if (sv->sqpoll) {
		p.flags |= IORING_SETUP_SQPOLL;
		p.sq_thread_idle = SQ_IDLE_MS;
	}
	if (deferred)
		p.flags |= IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
	err = io_uring_queue_init_params(RING_ENTRIES, &sv->ring, &p);
	if (err == -EINVAL && deferred) {
		open_ring(sv, false);
		return;
	}
	if (err)
		run_lacks(err, "io_uring: cannot make a ring");
}

static void open_slots(struct server *sv, unsigned cnt)
{
	sv->slots_cnt = cnt;
	sv->slots = run_alloc(cnt, sizeof(*sv->slots));
	sv->buffers = run_alloc((size_t)cnt * URING_REQUESTS, URING_BUFFER);
	for (unsigned i = cnt; i-- > 0;) {
		struct slot *s = &sv->slots[i];

		s->owner = sv;
		s->buffer = sv->buffers + (size_t)i * URING_REQUESTS;
		s->pipe[0] = s->pipe[1] = -1;
		slot_list(s);
	}
}

/* Only slots of own operations follow or probe, and those are dealt first to last. */
static void open_pipes(struct server *sv)
{
	for (unsigned i = 0; i < sv->slots_cnt; i++) {
		if (pipe2(sv->slots[i].pipe, O_CLOEXEC) < 0)
			run_fail(-errno, "cannot make a pipe; raise the limit of open files");
		sv->slots[i].pipe_key = stream_fd_key(sv->slots[i].pipe[0]);
	}
}

/* A worker's slots: its own operations, one for each that any other may ask for, and those whose
 * last end is not yet taken. */
static unsigned slots_of(const struct run_options *o, bool log)
{
	unsigned asked = 2 * o->queue_depth * (log ? o->workers : 1);

	return (log ? 0 : o->queue_depth) + asked + o->workers + 1;
}

static void open_server(struct run *r, struct store *st, unsigned i)
{
	struct server *sv = &st->servers[i];
	bool log = i + 1 == st->servers_cnt;

	sv->w = &r->workers[i];
	sv->store = st;
	sv->scope = i + 1;
	sv->sqpoll = log;
	open_ring(sv, !log && i % 2 == 1);
	open_slots(sv, slots_of(r->options, log));
	if (!log)
		open_pipes(sv);
}

/* A slot has a pipe; many slots need more descriptors than the usual soft limit. */
static void raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static void open_store(struct run *r)
{
	struct store *st = run_alloc(1, sizeof(*st));

	r->priv = st;
	raise_files();
	st->file = open_file(r->options);
	st->servers_cnt = r->threads_cnt;
	st->servers = run_alloc(st->servers_cnt, sizeof(*st->servers));
	st->taking = r->options->workers;
	for (unsigned i = 0; i < st->servers_cnt; i++)
		open_server(r, st, i);
	for (unsigned i = 0; i < URING_SPARES; i++)
		recorder_spare(&r->channel, HANDOFF_IO, KEY_USER_DATA, true,
			       1 + i % st->servers_cnt, (uintptr_t)&st->spares[i]);
}

static void close_store(struct run *r)
{
	struct store *st = r->priv;

	for (unsigned i = 0; i < st->servers_cnt; i++) {
		struct server *sv = &st->servers[i];

		io_uring_queue_exit(&sv->ring);
		for (unsigned j = 0; j < sv->slots_cnt; j++) {
			if (sv->slots[j].pipe[0] >= 0) {
				close(sv->slots[j].pipe[0]);
				close(sv->slots[j].pipe[1]);
			}
		}
		free(sv->slots);
		free(sv->buffers);
	}
	close(st->file);
	free(st->servers);
	free(st);
}

/* ---- threads ---- */

/* A ring is enabled by the thread that will use it; nobody sends before all are. */
static void enable(struct server *sv)
{
	struct store *st = sv->store;

	/* liburing has a function for it, which not every build of 2.3 exports */
	if (syscall(SYS_io_uring_register, sv->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0))
		run_fail(-errno, "cannot enable a ring");
	atomic_fetch_add(&st->enabled, 1);
	while (atomic_load(&st->enabled) < st->servers_cnt)
		sched_yield();
}

static unsigned admit(struct server *sv)
{
	unsigned n = 0;
	uint64_t arrival;

	while (arrivals_take(&sv->w->arrivals, arrivals_clock(), &arrival)) {
		operation_begin(sv, arrival);
		n++;
	}
	return n;
}

/* Whoever ends last tells the others; until then each may still be asked for work. */
static void say_finished(struct server *sv)
{
	if (sv->counted || sv->w->index >= sv->w->run->options->workers)
		return;
	if (sv->w->arrivals.inflight || (sv->w->arrivals.left && sv->w->arrivals.limit))
		return;
	sv->counted = true;
	if (atomic_fetch_sub(&sv->store->taking, 1) == 1)
		operation_stop(sv);
}

static void body(struct worker *w)
{
	struct store *st = w->run->priv;
	struct server *sv = &st->servers[w->index];

	enable(sv);
	while (!sv->stopping || sv->outstanding) {
		unsigned n = server_take(sv);

		n += admit(sv);
		say_finished(sv);
		if (n == 0 && !(sv->stopping && !sv->outstanding))
			server_wait(sv, arrivals_wait(&w->arrivals, arrivals_clock()));
	}
	operation_leave(sv);
}

const struct workload workload = {
	.name = "uring",
	.models = "a storage server on io_uring",
	.kinds = kinds,
	.keys = 1u << KEY_USER_DATA | 1u << KEY_FD,
	.handoffs = 1u << HANDOFF_IO | 1u << HANDOFF_MSG,
	.marks = 1u << MARK_PUNTED | 1u << MARK_MULTISHOT | 1u << MARK_MESSAGE |
		 1u << MARK_CANCELLED | 1u << MARK_LINKED | 1u << MARK_REUSED_KEY |
		 1u << MARK_LATE | 1u << MARK_CROSS | 1u << MARK_SQPOLL | 1u << MARK_LOST,
	.defaults = {.ops = 2000,
		     .rate = 2200,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 16,
		     .fanout = 4,
		     .cost_us = 150,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_store,
	.body = body,
	.close = close_store,
};
