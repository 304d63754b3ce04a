/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the server, its memory, its file, its threads. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workloads/driver/settings.h"
#include "workloads/pool/server.h"

static const char *const kinds[] = {"point", "scan", "join", "update", "writeback", "stop", NULL};
static const char *const classes[] = {"pool.frame", "pool.read", "pool.dirty", NULL};
static const char *const names[] = {"capacity", "depth", "buffered", NULL};
static const struct ailment ailments[] = {
	{DIAGNOSIS_POOL_THRASH, CLASS_FRAME}, {DIAGNOSIS_SLOW_IO, CLASS_DIRTY}, {0}};

enum { FRAMES_LEAST = 16, FRAMES_USUAL = 160, LOOK_DEPTH = 4 };

static unsigned threads(const struct run_options *o)
{
	return o->workers + 1;
}

static void *must_alloc(size_t align, size_t bytes)
{
	void *p = aligned_alloc(align, (bytes + align - 1) / align * align);

	if (!p)
		run_fail(-ENOMEM, "memory of the pool");
	return memset(p, 0, bytes);
}

/* ---- how large ---- */

/* A frame for each pin that the operations in flight can have; where that would be very many, fewer
 * operations fly. */
static unsigned capacity_of(const struct run_options *o)
{
	unsigned all = o->workers * o->queue_depth;
	unsigned flying = o->rate == 0 && o->depth < all ? o->depth : all;
	unsigned n = flying * (o->fanout + 1);

	n = n > FRAMES_USUAL ? FRAMES_USUAL : n;
	return n < FRAMES_LEAST ? FRAMES_LEAST : n;
}

/* With fewer frames those who wait could have them all between them, and none could go on. */
static unsigned least_of(const struct run_options *o)
{
	return o->workers * (o->fanout - 1) + 1;
}

static void choose_sizes(struct server *sv, const struct run_options *o)
{
	uint64_t n = setting("capacity", capacity_of(o)), depth = setting("depth", LOOK_DEPTH);

	if (n > POOL_FRAMES || n < least_of(o))
		run_fail(0, "a capacity of %llu frames is not between %u and %u",
			 (unsigned long long)n, least_of(o), POOL_FRAMES);
	if (depth < 1 || depth > POOL_VICTIMS)
		run_fail(0, "a depth of %llu is not between 1 and %u", (unsigned long long)depth,
			 POOL_VICTIMS);
	sv->pool.depth = (unsigned)depth;
	sv->most = (unsigned)n / (o->fanout + 1) / o->workers;
	sv->most += sv->most == 0; /* only with a capacity that was set */
	sv->capacity = (unsigned)n;
}

/* ---- the data file: nameless as soon as it is there ---- */

static int open_at(const char *path, bool direct)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | (direct ? O_DIRECT : 0));

	if (fd < 0 && errno != EINVAL)
		run_fail(-errno, "cannot open '%s'", path);
	return fd;
}

static void fill_file(struct server *sv, int fd, const char *folder)
{
	for (unsigned page = 0; page < POOL_PAGES; page++) {
		memset(sv->memory, (int)page, POOL_SLOT);
		if (pwrite(fd, sv->memory, POOL_SLOT, (off_t)page * POOL_SLOT) != POOL_SLOT)
			run_fail(-errno, "cannot fill the data file in '%s'", folder);
	}
}

static void open_file(struct server *sv, const struct run_options *o)
{
	char path[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/pages-XXXXXX", o->data) >= (int)sizeof(path))
		run_fail(-ENAMETOOLONG, "folder '%s'", o->data);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		run_fail(-errno, "cannot make a data file in '%s'", o->data);
	fill_file(sv, fd, o->data);
	sv->direct = !setting("buffered", 0);
	sv->file = sv->direct ? open_at(path, true) : -1;
	if (sv->file < 0) {
		sv->direct = false;
		sv->file = open_at(path, false);
	}
	if (sv->direct && fdatasync(fd) < 0)
		run_fail(-errno, "cannot write the data file in '%s'", o->data);
	unlink(path);
	close(fd);
}

/* ---- sessions ---- */

static void open_slots(struct session *s, unsigned cnt)
{
	s->slots_cnt = cnt;
	s->slots = must_alloc(64, cnt * sizeof(*s->slots));
	for (unsigned i = cnt; i-- > 0;) {
		s->slots[i].next = s->free;
		s->free = &s->slots[i];
	}
}

static void open_session(struct run *r, struct server *sv, unsigned i)
{
	struct session *s = &sv->sessions[i];

	s->w = &r->workers[i];
	s->server = sv;
	s->scope = i + 1;
	ring_open(s);
	if (i < r->options->workers)
		open_slots(s, r->options->queue_depth);
}

static void name_spares(struct run *r, struct server *sv)
{
	for (unsigned i = 0; i < POOL_SPARES; i++) {
		recorder_spare(&r->channel, HANDOFF_IO, KEY_USER_DATA, true,
			       1 + i % sv->sessions_cnt, (uintptr_t)&sv->spares[i]);
		recorder_spare(&r->channel, HANDOFF_WAKE, KEY_UADDR, false, 0,
			       (uintptr_t)&sv->spares[i]);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&sv->spare_frames[i]);
		recorder_spare(&r->channel, HANDOFF_QUEUE, KEY_TASK, false, 0,
			       (uintptr_t)&sv->spare_frames[i]);
	}
	recorder_spare(&r->channel, HANDOFF_GRANT, KEY_NONE, false, 0, 0);
}

static void open_server(struct run *r)
{
	struct server *sv = must_alloc(64, sizeof(*sv));
	struct pool *p = &sv->pool;

	r->priv = sv;
	choose_sizes(sv, r->options);
	p->frames = must_alloc(64, sv->capacity * sizeof(*p->frames));
	sv->memory = must_alloc(POOL_BLOCK, (size_t)sv->capacity * POOL_SLOT);
	for (unsigned i = 0; i < sv->capacity; i++)
		p->frames[i].data = sv->memory + (size_t)i * POOL_SLOT;
	open_file(sv, r->options);
	pool_init(p, sv->capacity);
	sv->writer.called = true;
	/* one more than there are threads: who speaks for the main thread */
	sv->sessions_cnt = r->threads_cnt;
	sv->sessions = must_alloc(64, (sv->sessions_cnt + 1) * sizeof(*sv->sessions));
	for (unsigned i = 0; i < sv->sessions_cnt; i++)
		open_session(r, sv, i);
	sv->sessions[sv->sessions_cnt].w = run_main_worker(r);
	sv->sessions[sv->sessions_cnt].server = sv;
	name_spares(r, sv);
}

static void body(struct worker *w)
{
	struct server *sv = w->run->priv;
	struct session *s = &sv->sessions[w->index];

	if (w->index < w->run->options->workers)
		session_body(s);
	else
		writer_body(s);
}

static void quiesce(struct worker *w)
{
	struct server *sv = w->run->priv;

	writer_stop(&sv->sessions[sv->sessions_cnt]);
}

static void close_server(struct run *r)
{
	struct server *sv = r->priv;

	for (unsigned i = 0; i < sv->sessions_cnt; i++) {
		io_uring_queue_exit(&sv->sessions[i].ring);
		free(sv->sessions[i].slots);
	}
	close(sv->file);
	free(sv->sessions);
	free(sv->memory);
	free(sv->pool.frames);
	free(sv);
}

const struct workload workload = {
	.name = "pool",
	.models = "a database buffer pool over a data file",
	.kinds = kinds,
	.classes = classes,
	.settings = names,
	.ailments = ailments,
	.keys = 1u << KEY_USER_DATA | 1u << KEY_UADDR | 1u << KEY_TASK,
	.handoffs =
		1u << HANDOFF_IO | 1u << HANDOFF_WAKE | 1u << HANDOFF_QUEUE | 1u << HANDOFF_GRANT,
	.marks = 1u << MARK_PUNTED | 1u << MARK_MESSAGE | 1u << MARK_REUSED_KEY | 1u << MARK_CROSS,
	.defaults = {.ops = 2000,
		     .rate = 1600,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 4,
		     .fanout = 4,
		     .cost_us = 180,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_server,
	.body = body,
	.quiesce = quiesce,
	.close = close_server,
};
