/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a small function in a child process under the collector and keeps what was recorded. */
#include "tests/live/rig/collector_rig.h"

#include <errno.h>
#include <liburing.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void rig_fail(const char *file, int line, const char *condition, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: %s: ", file, line, condition);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static unsigned pause_us;

void rig_pause(unsigned us)
{
	pause_us = us;
}

static int keep(void *arg, const struct ev_rec *record)
{
	struct rig *r = arg;

	if (!(r->cnt & (r->cnt + 1))) {
		r->v = realloc(r->v, (r->cnt + 1) * 2 * sizeof(*r->v));
		if (!r->v)
			return -ENOMEM;
	}
	r->v[r->cnt++] = *record;
	if (pause_us && r->cnt % 512 == 0)
		usleep(pause_us);
	return 0;
}

static void run_child(int go, void (*child)(void))
{
	char byte;

	/* a check that fails ends the parent: nobody would say go any more */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(3);
	child();
	_exit(0);
}

static bool child_runs(pid_t pid)
{
	int status;
	pid_t got = waitpid(pid, &status, WNOHANG);

	if (got == 0)
		return true;
	RIG_CHECK(got == pid && WIFEXITED(status) && !WEXITSTATUS(status),
		  "the child ended with status %#x", status);
	return false;
}

static void drain_until_end(struct rig *r, struct collect *c, bool drain_late)
{
	while (child_runs((pid_t)r->pid)) {
		poll(NULL, 0, COLLECT_POLL_MS);
		if (!drain_late)
			RIG_CHECK(collect_drain(c, keep, r) >= 0, "drain");
	}
	RIG_CHECK(!collect_finish(c, keep, r, &r->stats), "finish");
}

void rig_record(struct rig *r, void (*child)(void), const struct collect_options *o,
		bool drain_late)
{
	struct collect_options options = *o;
	struct diag d = {0};
	struct collect *c;
	int go[2];

	*r = (struct rig){0};
	RIG_CHECK(!pipe(go), "pipe");
	r->pid = (uint32_t)fork();
	if (!r->pid)
		run_child(go[0], child);
	options.pid = r->pid;
	c = collect_open(&options, &d);
	if (!c) {
		diag_print(&d, stderr);
		exit(d.err == -EPERM || d.err == -ENOTSUP ? 77 : 1);
	}
	RIG_CHECK(write(go[1], "g", 1) == 1, "go");
	drain_until_end(r, c, drain_late);
	collect_free(c);
	close(go[0]);
	close(go[1]);
}

void rig_free(struct rig *r)
{
	free(r->v);
}

size_t rig_count(const struct rig *r, unsigned kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cnt; i++)
		n += r->v[i].kind == kind;
	return n;
}

/* ---- children ---- */

void rig_child_nops(void)
{
	struct io_uring ring;
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;

	if (io_uring_queue_init(8, &ring, 0))
		_exit(4);
	for (unsigned i = 0; i < RIG_OPS; i++) {
		sqe = io_uring_get_sqe(&ring);
		io_uring_prep_nop(sqe);
		sqe->user_data = 1000 + i;
		if (io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &cqe))
			_exit(5);
		io_uring_cqe_seen(&ring, cqe);
	}
	io_uring_queue_exit(&ring);
}

/* The word counts up; thread k runs while it is k modulo 2. */
static _Atomic uint32_t ball;

static void play(uint32_t me, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		uint32_t now;

		while (((now = atomic_load(&ball)) & 1) != me)
			syscall(SYS_futex, &ball, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
		atomic_store(&ball, now + 1);
		syscall(SYS_futex, &ball, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

static void *opponent(void *arg)
{
	play(1, RIG_OPS);
	return arg;
}

void rig_child_pingpong(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, opponent, NULL))
		_exit(4);
	play(0, RIG_OPS);
	pthread_join(thread, NULL);
}
