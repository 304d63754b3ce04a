/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds in child processes, one a processor. */
#include "harness/certify_build.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process.h"
#include "lib/hash.h"
#include "lib/progress.h"

enum { WORKERS_MAX = 64 };

const struct certify_build certify_builds[CERTIFY_BUILDS] = {
	{COMPILER_GCC, 2}, {COMPILER_GCC, 0}, {COMPILER_CLANG, 2}, {COMPILER_CLANG, 0}};

bool certify_wants(const struct mutation *m, unsigned build)
{
	const struct certify_build *b = &certify_builds[build];

	return (b->compiler == COMPILER_GCC ? m->gcc : m->clang) && (b->level ? m->o2 : m->o0);
}

unsigned certify_first(const struct mutation *m)
{
	unsigned b = 0;

	while (b < CERTIFY_BUILDS - 1 && !certify_wants(m, b))
		b++;
	return b;
}

uint64_t certify_salt(const char *workload)
{
	return hash_bytes(workload, strlen(workload), 1);
}

/* ---- work and workers ---- */

struct task {
	const struct mutation *m;
	const char *workload;
	unsigned build;
};

struct crew {
	const struct house *h;
	struct task *v;
	size_t cnt;
	atomic_size_t *next; /* shared by the workers */
	int done_fd;	     /* gets a byte for each task */
	uint64_t deadline;   /* no task is begun later; 0: none */
};

static void make_task(const struct house *h, const struct task *t)
{
	for (unsigned f = 0; f < FORM_CNT; f++) {
		char path[RECORD_PATH];
		struct build_spec s = {.mutation = t->m,
				       .workload = t->workload,
				       .form = (enum form)f,
				       .compiler = certify_builds[t->build].compiler,
				       .level = certify_builds[t->build].level,
				       .salt = certify_salt(t->workload)};

		if (build_variant(h, &s, path, NULL))
			return;
		s.debug = t->build == certify_first(t->m);
		if (s.debug && build_variant(h, &s, path, NULL))
			return;
	}
}

static void work(const struct crew *c)
{
	size_t i;

	while ((i = atomic_fetch_add(c->next, 1)) < c->cnt) {
		if (c->deadline && now_ns() >= c->deadline)
			return;
		make_task(c->h, &c->v[i]);
		if (write(c->done_fd, "x", 1) != 1)
			return;
	}
}

static unsigned processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

/* Works with its children; all are of one group and end with it. */
static _Noreturn void leader_main(const struct crew *c, pid_t parent)
{
	unsigned more = processors() - 1;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	parent = getpid();
	while (more && fork())
		more--;
	if (getpid() != parent)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	work(c);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* A byte a task, until all have closed their end. */
static int watch(struct process *leader, int fd, size_t total, struct diag *d)
{
	struct progress p;
	size_t done = 0;
	char bytes[64];
	ssize_t n = 1;
	int rc = 0;

	progress_start(&p, "builds", total);
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

static int run_crew(struct crew *c, struct diag *d)
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
	rc = watch(&leader, fd[0], c->cnt, d);
	close(fd[0]);
	process_kill(&leader);
	return rc;
}

static int list_tasks(struct crew *c, const struct mutation_list *l, const bool *which)
{
	c->v = calloc(l->cnt * RECORD_WORKLOADS_MAX * CERTIFY_BUILDS + 1, sizeof(*c->v));
	if (!c->v)
		return -ENOMEM;
	for (size_t i = 0; i < l->cnt; i++)
		for (uint32_t w = 0; which[i] && w < l->v[i].workloads_cnt; w++)
			for (unsigned b = 0; b < CERTIFY_BUILDS; b++)
				if (certify_wants(&l->v[i], b))
					c->v[c->cnt++] =
						(struct task){&l->v[i], l->v[i].workloads[w], b};
	return 0;
}

int certify_prebuild(const struct house *h, const struct mutation_list *l, const bool *which,
		     uint64_t deadline, struct diag *d)
{
	struct crew c = {.h = h, .deadline = deadline};
	int rc = list_tasks(&c, l, which);

	c.next = mmap(NULL, sizeof(*c.next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (c.next == MAP_FAILED)
		rc = -ENOMEM;
	if (rc)
		diag_set(d, rc, NULL, 0, NULL, "out of memory");
	else if (c.cnt)
		rc = run_crew(&c, d);
	if (c.next != MAP_FAILED)
		munmap(c.next, sizeof(*c.next));
	free(c.v);
	return rc;
}
