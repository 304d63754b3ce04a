/* SPDX-License-Identifier: BSD-2-Clause */
/* Work and workers: who is free takes the next number. */
#include "harness/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process.h"
#include "lib/clock.h"
#include "lib/progress.h"

enum { WORKERS_MAX = 64 };

struct crew {
	const char *title;
	unsigned workers;
	size_t cnt;
	crew_make *make;
	void *arg;
	atomic_size_t *next; /* shared by the workers */
	int done_fd;	     /* gets a byte for each thing */
	uint64_t deadline;
};

static void work(const struct crew *c)
{
	size_t i;

	while ((i = atomic_fetch_add(c->next, 1)) < c->cnt) {
		if (c->deadline && now_ns() >= c->deadline)
			return;
		c->make(c->arg, i);
		if (write(c->done_fd, "x", 1) != 1)
			return;
	}
}

static unsigned workers_for(unsigned a_processor, size_t cnt)
{
	cpu_set_t set;
	size_t n = sched_getaffinity(0, sizeof(set), &set) ? 1 : (size_t)CPU_COUNT(&set);

	n *= a_processor;
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

/* Has no children but workers, which have none but what they start; all are of one group and end
 * with it. */
static _Noreturn void leader_main(const struct crew *c, pid_t parent)
{
	pid_t me = getpid();

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (unsigned i = 0; i < c->workers; i++)
		if (!fork())
			worker_main(c, me);
	close(c->done_fd);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* A byte a thing, until all have closed their end. */
static int watch(const struct crew *c, struct process *leader, int fd, struct diag *d)
{
	struct progress p;
	size_t done = 0;
	char bytes[64];
	ssize_t n = 1;
	int rc = 0;

	progress_start(&p, c->title, c->cnt);
	while (!rc && n > 0) {
		if (process_wait_readable(leader, fd, UINT64_MAX) == PROCESS_INTERRUPTED)
			rc = diag_set(d, -EINTR, NULL, 0, NULL, "interrupted");
		else
			n = read(fd, bytes, sizeof(bytes));
		done += n > 0 ? (size_t)n : 0;
		progress_update(&p, done, NULL);
	}
	progress_end(&p);
	return rc;
}

static int start(struct crew *c, struct diag *d)
{
	struct process leader = {.pid = 0};
	pid_t parent = getpid();
	int fd[2], rc;

	if (pipe2(fd, O_CLOEXEC))
		return diag_set(d, -errno, NULL, 0, NULL, "no pipe: %s", strerror(errno));
	c->done_fd = fd[1];
	leader.pid = fork();
	if (leader.pid == 0)
		leader_main(c, parent);
	close(fd[1]);
	if (leader.pid < 0) {
		close(fd[0]);
		return diag_set(d, -errno, NULL, 0, NULL, "cannot fork: %s", strerror(errno));
	}
	setpgid(leader.pid, leader.pid);
	rc = watch(c, &leader, fd[0], d);
	close(fd[0]);
	process_kill(&leader);
	if (rc)
		process_sweep(); /* what workers had started */
	return rc;
}

int crew_run(const char *title, unsigned a_processor, size_t cnt, crew_make *make, void *arg,
	     uint64_t deadline, struct diag *d)
{
	struct crew c = {.title = title,
			 .workers = workers_for(a_processor, cnt),
			 .cnt = cnt,
			 .make = make,
			 .arg = arg,
			 .deadline = deadline};
	int rc;

	if (!cnt)
		return 0;
	c.next = mmap(NULL, sizeof(*c.next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (c.next == MAP_FAILED)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	rc = start(&c, d);
	munmap(c.next, sizeof(*c.next));
	return rc;
}
