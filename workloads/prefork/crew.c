/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes beside the one that was started. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/prefork/service.h"

/* Says that a process is there; no futex and no stream, which somebody would take for requests. */
enum { READY_SIGNAL = SIGUSR2 };

static const char next_build[] = "next";

static volatile sig_atomic_t may_end;

static void on_child(int sig)
{
	static const char text[] = "error: a process of the server has ended before its time\n";

	if (may_end)
		return;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

void crew_expect_end(void)
{
	may_end = 1;
}

/* ---- in the other processes ---- */

static void say_ready(struct shared *sh)
{
	atomic_fetch_add(&sh->ready, 1);
	if (kill(getppid(), READY_SIGNAL))
		run_fail(-errno, "cannot say that this process is there");
}

/* Until the servers of this process have left. */
static void work(struct shared *sh, const struct recorder_channel *c, enum prefork_process process)
{
	struct run_options o = sh->options;
	struct service s = {.shared = sh, .process = process};
	struct run r = {.options = &o, .rounds_us = sh->rounds_us, .channel = *c, .priv = &s};
	struct member *m = &sh->member[process];

	o.workers = 0; /* nobody here takes arrivals */
	run_crew(&r, PREFORK_SERVERS);
	for (unsigned i = 0; i < PREFORK_SERVERS; i++) {
		counters_add(&m->counts, &r.workers[i].counts);
		histogram_merge(&m->latency, &r.workers[i].latency);
	}
	free(r.workers);
}

int crew_exec(const char *word)
{
	int fd = atoi(word), err;
	struct run r = {.options = NULL};
	struct service s = {.process = BY_EXEC};
	struct shared *sh;
	struct stat st;

	if (fd <= STDERR_FILENO || fstat(fd, &st) || st.st_size < (off_t)sizeof(*sh))
		run_fail(0, "crew is for the server's own use");
	sh = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sh == MAP_FAILED)
		run_fail(-errno, "memory of the server");
	err = recorder_map(&r.channel);
	if (err)
		run_fail(err, "descriptor %d cannot be used", LOG_FD);
	s.shared = sh;
	s.memory = fd;
	if (sh->renewed == getpid())
		s.process = BY_FORK;
	name_spares(&r, &s);
	if (s.process == BY_EXEC)
		say_ready(sh);
	work(sh, &r.channel, s.process);
	return 0;
}

/* ---- in the first ---- */

/* Beside the program that runs. */
static void next_path(char *ret, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", ret, size - sizeof(next_build));
	char *slash;

	ret[n < 0 ? 0 : n] = '\0';
	slash = strrchr(ret, '/');
	if (!slash)
		run_fail(-errno, "cannot tell where this program lies");
	memcpy(slash + 1, next_build, sizeof(next_build));
}

static _Noreturn void become(const char *path, int memory)
{
	char name[16], *argv[] = {(char *)path, (char *)"crew", name, NULL};

	snprintf(name, sizeof(name), "%d", memory);
	execv(path, argv);
	run_fail(-errno, "%s, the next build of this program, cannot be started", path);
}

/* Its servers leave when the service stops, or before, when it is to be renewed. */
static _Noreturn void be_fork(const struct run *r, struct service *s, const char *next)
{
	struct shared *sh = s->shared;

	recorder_populate(&r->channel);
	say_ready(sh);
	work(sh, &r->channel, BY_FORK);
	if (atomic_load(&sh->stop))
		_exit(0);
	sh->renewed = getpid();
	become(sh->as == RENEW_NEXT ? next : "/proc/self/exe", s->memory);
}

static pid_t start(struct run *r, struct service *s, enum prefork_process process)
{
	pid_t parent = getpid(), pid;
	char path[4096];

	next_path(path, sizeof(path));
	pid = fork();
	if (pid < 0)
		run_fail(-errno, "cannot fork");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before the line above */
		_exit(1);
	if (process == BY_EXEC)
		become(path, s->memory);
	be_fork(r, s, path);
}

static void signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, READY_SIGNAL);
	sigaddset(ret, SIGCHLD);
}

/* No thread is there yet: what is blocked here is blocked in all. */
void crew_start(struct run *r, struct service *s)
{
	struct sigaction a = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
	sigset_t set;

	signals(&set);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || sigaction(SIGCHLD, &a, NULL))
		run_fail(-errno, "cannot block a signal");
	fflush(NULL);
	for (unsigned i = BY_FORK; i < PROCESSES; i++)
		s->pid[i] = start(r, s, i);
	while (atomic_load(&s->shared->ready) < PROCESSES - BY_FORK) {
		int sig = sigwaitinfo(&set, NULL);

		if (sig == SIGCHLD)
			run_fail(0, "a process of the server has ended at its start");
	}
	sigdelset(&set, READY_SIGNAL);
	if (sigprocmask(SIG_UNBLOCK, &set, NULL))
		run_fail(-errno, "cannot take a signal");
}

void crew_wait(struct run *r, struct service *s)
{
	struct worker *main_worker = run_main_worker(r);

	for (unsigned i = BY_FORK; i < PROCESSES; i++) {
		const struct member *m = &s->shared->member[i];
		int status;

		while (waitpid(s->pid[i], &status, 0) < 0)
			if (errno != EINTR)
				run_fail(-errno, "cannot wait for a process");
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			run_fail(0, "a process of the server has failed");
		counters_add(&main_worker->counts, &m->counts);
		histogram_merge(&main_worker->latency, &m->latency);
	}
}
