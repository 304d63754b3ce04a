/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the collector costs: CPU that it adds to an operation, and what it loses at 200,000 records
 * a second.
 *
 * The child's own CPU time, collector off and on in ABBA order, the least of each; the drain runs
 * in the parent and is shown apart. Where there are fewer records than operations ns are an
 * operation. Exit 77 where BPF cannot be had, 1 if records are lost at the rate that must be held.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/rig/collector_rig.h"

enum { OPS = 200000, BLOCKS = 4, BATCH = 8, RATE = 200000, RATE_SECONDS = 2 };

static uint64_t *child_ns; /* shared with the child: CPU of its OPS */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void wakes(unsigned cnt)
{
	static uint32_t word;

	for (unsigned i = 0; i < cnt; i++)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void child_wakes(void)
{
	uint64_t t = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	wakes(OPS);
	*child_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t;
}

static void nop_batch(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	for (unsigned k = 0; k < BATCH; k++)
		io_uring_prep_nop(io_uring_get_sqe(ring));
	if (io_uring_submit(ring) != BATCH)
		_exit(5);
	for (unsigned k = 0; k < BATCH; k++) {
		if (io_uring_peek_cqe(ring, &cqe))
			_exit(6);
		io_uring_cqe_seen(ring, cqe);
	}
}

static void child_nop_batches(void)
{
	struct io_uring ring;
	uint64_t t;

	if (io_uring_queue_init(BATCH, &ring, 0))
		_exit(4);
	t = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned i = 0; i < OPS / BATCH; i++)
		nop_batch(&ring);
	*child_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t;
	io_uring_queue_exit(&ring);
}

static void must(bool good)
{
	if (!good)
		_exit(7);
}

/* A call that nobody looks at: what the hooks of all system calls cost by themselves. */
static void child_calls(void)
{
	uint64_t t = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (unsigned i = 0; i < OPS; i++)
		syscall(SYS_getppid);
	*child_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t;
}

/* A message into one end and out of the other, OPS times. */
static void pass(int out, int in)
{
	uint64_t t = clock_ns(CLOCK_PROCESS_CPUTIME_ID), v = 1;

	for (unsigned i = 0; i < OPS; i++)
		must(write(out, &v, sizeof(v)) == sizeof(v) &&
		     read(in, &v, sizeof(v)) == sizeof(v));
	*child_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t;
}

/* Files that are none of the collector's business. */
static void child_files(void)
{
	int null = open("/dev/null", O_WRONLY), zero = open("/dev/zero", O_RDONLY);

	must(null >= 0 && zero >= 0);
	pass(null, zero);
}

static void child_pipe(void)
{
	int fd[2];

	must(!pipe(fd));
	pass(fd[1], fd[0]);
}

static void child_socket(void)
{
	int fd[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	pass(fd[0], fd[1]);
}

static void child_eventfd(void)
{
	int fd = eventfd(0, 0);

	must(fd >= 0);
	pass(fd, fd);
}

static void child_timers(void)
{
	struct itimerspec its = {.it_value.tv_sec = 1000};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t t = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (unsigned i = 0; i < OPS; i++)
		must(!timerfd_settime(fd, 0, &its, NULL));
	*child_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t;
}

static void child_faults(void)
{
	long page = sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)page * OPS;
	volatile char *p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t t;

	must(p != MAP_FAILED && !madvise((void *)p, bytes, MADV_NOHUGEPAGE));
	t = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (size_t i = 0; i < OPS; i++)
		p[i * (size_t)page] = 1;
	*child_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t;
}

/* Two records a call, at a steady pace. */
static void child_paced(void)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), done = 0, due;

	while (done < (uint64_t)RATE / 2 * RATE_SECONDS) {
		due = (clock_ns(CLOCK_MONOTONIC) - begin) * (RATE / 2) / 1000000000u;
		if (due > done)
			wakes((unsigned)(due - done));
		done = due > done ? due : done;
	}
}

static void run_alone(void (*child)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		child();
		_exit(0);
	}
	RIG_CHECK(waitpid(pid, &status, 0) == pid && !status, "status %#x", status);
}

struct figures {
	uint64_t off, on, records, lost;
};

/* A run with the collector; the parent's CPU is that of the drain. */
static struct collect_stats run_watched(void (*child)(void), uint64_t *ret_drain_ns)
{
	struct collect_options o = {.want = COLLECT_ALL};
	uint64_t t = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct rig r;

	rig_record(&r, child, &o, false);
	*ret_drain_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t;
	rig_free(&r);
	return r.stats;
}

static void keep_least(uint64_t *least, uint64_t v)
{
	if (!*least || v < *least)
		*least = v;
}

static void measure(const char *what, void (*child)(void))
{
	struct figures f = {0};
	uint64_t drain;

	for (unsigned i = 0; i < BLOCKS; i++) {
		for (unsigned k = 0; k < 4; k++) {
			bool on = k == 1 || k == 2;

			if (on) {
				struct collect_stats s = run_watched(child, &drain);

				f.records = s.records;
				f.lost += s.lost;
			} else {
				run_alone(child);
			}
			keep_least(on ? &f.on : &f.off, *child_ns);
		}
	}
	printf("%-28s %8.1f %8.1f %8.2f %10.1f %8" PRIu64 "\n", what, (double)f.off / OPS,
	       (double)f.on / OPS, (double)f.records / OPS,
	       ((double)f.on - (double)f.off) / (f.records < OPS ? OPS : (double)f.records),
	       f.lost);
}

static void child_idle(void)
{
}

int main(void)
{
	struct collect_stats s;
	uint64_t drain, attach;

	child_ns = mmap(NULL, sizeof(*child_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	RIG_CHECK(child_ns != MAP_FAILED, "mmap");
	printf("%-28s %8s %8s %8s %10s %8s\n", "operation", "off ns", "on ns", "records",
	       "ns/record", "lost");
	measure("futex wake, nobody waits", child_wakes);
	measure("io_uring no-op, batch of 8", child_nop_batches);
	measure("another system call", child_calls);
	measure("write and read, other files", child_files);
	measure("write and read, pipe", child_pipe);
	measure("write and read, socket pair", child_socket);
	measure("write and read, eventfd", child_eventfd);
	measure("timerfd_settime", child_timers);
	measure("page fault", child_faults);
	run_watched(child_idle, &attach);
	s = run_watched(child_paced, &drain);
	printf("at %d records a second: %" PRIu64 " records, %" PRIu64
	       " lost, drain %.0f ns a record\n",
	       RATE, s.records, s.lost, ((double)drain - (double)attach) / (double)s.records);
	printf("load and attach: %.1f ms of CPU\n", (double)attach / 1e6);
	return s.lost ? 1 : 0;
}
