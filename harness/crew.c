/* SPDX-License-Identifier: BSD-2-Clause */
/* Work and workers: who is free takes the next number. */
#include "harness/crew.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/machine.h"
#include "harness/process.h"
#include "lib/clock.h"
#include "lib/progress.h"

enum { WORKERS_MAX = 64 };

/* Shared by the workers and their parent. */
struct board {
	atomic_size_t next, cnt; /* to be begun; made */
	atomic_uchar made[];	 /* by number */
};

struct crew {
	unsigned workers;
	size_t cnt;
	crew_make *make;
	void *arg;
	struct board *board;
	int done_fd; /* of the workers: gets a byte for each thing */
	uint64_t deadline;
	bool idle; /* for who has nothing else to do */
	/* of the parent */
	struct process leader;
	int made_fd; /* the other end of done_fd; -1: none */
};

static void work(const struct crew *c)
{
	size_t i;

	while ((i = atomic_fetch_add(&c->board->next, 1)) < c->cnt) {
		if (c->deadline && now_ns() >= c->deadline)
			return;
		c->make(c->arg, i);
		atomic_fetch_add(&c->board->cnt, 1); /* first: who has met all has them counted */
		atomic_store(&c->board->made[i], 1);
		if (write(c->done_fd, "x", 1) != 1)
			return;
	}
}

static unsigned workers_for(unsigned a_processor, size_t cnt)
{
	size_t n = (size_t)machine_processors() * a_processor;

	n = n > cnt ? cnt : n;
	return n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

static _Noreturn void worker_main(const struct crew *c, pid_t leader)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != leader || prctl(PR_SET_CHILD_SUBREAPER, 1))
		_exit(1);
	work(c);
	_exit(0);
}

/* Where that is refused things are made all the same. */
static void set_policy(pid_t pid, int policy)
{
	const struct sched_param none = {.sched_priority = 0};

	if (sched_setscheduler(pid, policy, &none))
		errno = 0;
}

/* Has no children but workers and what those that died had started, which would otherwise be
 * taken for what a watcher left behind; all end with it. */
static _Noreturn void leader_main(const struct crew *c, pid_t parent)
{
	pid_t me = getpid();

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || prctl(PR_SET_CHILD_SUBREAPER, 1))
		_exit(1);
	if (c->idle)
		set_policy(0, SCHED_IDLE);
	for (unsigned i = 0; i < c->workers; i++)
		if (!fork())
			worker_main(c, me);
	close(c->done_fd);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static size_t board_bytes(size_t cnt)
{
	return sizeof(struct board) + cnt * sizeof(atomic_uchar);
}

static int start(struct crew *c, struct diag *d)
{
	pid_t parent = getpid();
	int fd[2];

	c->board = mmap(NULL, board_bytes(c->cnt), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->board == MAP_FAILED) {
		c->board = NULL;
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	}
	if (pipe2(fd, O_CLOEXEC))
		return diag_set(d, -errno, NULL, 0, NULL, "no pipe: %s", strerror(errno));
	c->made_fd = fd[0];
	c->done_fd = fd[1];
	c->leader.pid = fork();
	if (c->leader.pid == 0)
		leader_main(c, parent);
	close(fd[1]);
	if (c->leader.pid < 0)
		return diag_set(d, -errno, NULL, 0, NULL, "cannot fork: %s", strerror(errno));
	setpgid(c->leader.pid, c->leader.pid);
	process_spare(c->leader.pid);
	return 0;
}

static void stop(struct crew *c)
{
	process_kill(&c->leader);
	process_spare(0);
	if (c->made_fd >= 0)
		close(c->made_fd);
	if (c->board)
		munmap(c->board, board_bytes(c->cnt));
}

/* Reads what has come; false: all have closed their end, or -EINTR in *ret_err. */
static bool hear(struct crew *c, struct diag *d, int *ret_err)
{
	char bytes[64];

	if (process_wait_readable(&c->leader, c->made_fd, UINT64_MAX) != PROCESS_INTERRUPTED)
		return read(c->made_fd, bytes, sizeof(bytes)) > 0;
	*ret_err = diag_set(d, -EINTR, NULL, 0, NULL, "interrupted");
	return false;
}

static int watch(struct crew *c, const char *title, struct diag *d)
{
	struct progress p;
	int rc = 0;

	progress_start(&p, title, c->cnt);
	while (hear(c, d, &rc))
		progress_update(&p, atomic_load(&c->board->cnt), NULL);
	progress_end(&p);
	return rc;
}

int crew_run(const char *title, unsigned a_processor, size_t cnt, crew_make *make, void *arg,
	     uint64_t deadline, struct diag *d)
{
	struct crew c = {.workers = workers_for(a_processor, cnt),
			 .cnt = cnt,
			 .make = make,
			 .arg = arg,
			 .deadline = deadline,
			 .made_fd = -1};
	int rc;

	if (!cnt)
		return 0;
	rc = start(&c, d);
	if (!rc)
		rc = watch(&c, title, d);
	stop(&c);
	if (rc)
		process_sweep(); /* what workers had started */
	return rc;
}

/* ---- beside ---- */

struct crew *crew_begin(size_t cnt, crew_make *make, void *arg, struct diag *d)
{
	struct crew *c = malloc(sizeof(*c));
	int rc;

	if (!c) {
		diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
		return NULL;
	}
	*c = (struct crew){.workers = workers_for(1, cnt),
			   .cnt = cnt,
			   .make = make,
			   .arg = arg,
			   .idle = true,
			   .made_fd = -1};
	rc = start(c, d);
	if (!rc)
		return c;
	crew_end(c);
	return NULL;
}

/* Of all that work for it. Whoever is started meanwhile has its parent's, old or new, and is met by
 * the second look. */
static void set_policies(const struct crew *c, int policy)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	for (unsigned look = 0; proc && look < 2; look++) {
		while ((e = readdir(proc))) {
			pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

			if (pid > 0 && getpgid(pid) == c->leader.pid)
				set_policy(pid, policy);
		}
		rewinddir(proc);
	}
	if (proc)
		closedir(proc);
}

static bool is_made(const struct crew *c, size_t i)
{
	return atomic_load(&c->board->made[i]);
}

int crew_await(struct crew *c, size_t i, struct diag *d)
{
	int rc = 0;

	if (is_made(c, i))
		return 0;
	set_policies(c, SCHED_OTHER);
	while (!is_made(c, i) && hear(c, d, &rc))
		continue;
	set_policies(c, SCHED_IDLE);
	return rc;
}

int crew_finish(struct crew *c, struct diag *d)
{
	int rc = 0;

	if (crew_works(c))
		set_policies(c, SCHED_OTHER);
	while (crew_made(c) < c->cnt && hear(c, d, &rc))
		continue;
	return rc;
}

size_t crew_made(const struct crew *c)
{
	return atomic_load(&c->board->cnt);
}

bool crew_works(const struct crew *c)
{
	struct pollfd end = {.fd = c->made_fd};

	return crew_made(c) < c->cnt && !(poll(&end, 1, 0) > 0 && end.revents & POLLHUP);
}

void crew_end(struct crew *c)
{
	if (!c)
		return;
	stop(c);
	process_sweep(); /* what workers had started */
	free(c);
}
