/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tests that were linked in.
 *
 *   tests            all of them, up to the first failure
 *   tests --list     "SUITE::NAME", a line each
 *   tests --serve    one at a time, as one mutant each time: see tests/mutants/wire.h
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "criterion/criterion.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/wire.h"

enum {
	SUITES_MAX = 64,
	TESTS_MAX = 1024,
	LOOK_MS = 100,
	STILL_LOOKS_MAX = 100,	      /* looks without any CPU used: it waits for ever */
	RESIDENT_PAGES_MAX = 1 << 19, /* 2 GiB: it grows for ever */
};

unsigned mutant_now;
unsigned char mutant_met[MUTANTS_MAX] __attribute__((aligned(4096)));

static const struct shim_test *tests[TESTS_MAX];
static size_t tests_cnt;
static struct {
	const char *name;
	struct shim_data data;
} suites[SUITES_MAX];
static size_t suites_cnt;
static const struct shim_test *running;

void shim_add_test(struct shim_test *t)
{
	if (tests_cnt == TESTS_MAX)
		abort();
	tests[tests_cnt++] = t;
}

void shim_add_suite(const char *suite, struct shim_data data)
{
	if (suites_cnt == SUITES_MAX)
		abort();
	suites[suites_cnt].name = suite;
	suites[suites_cnt++].data = data;
}

void shim_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s::%s: %s:%d: %s\n", running->suite, running->name, file, line, what);
	_exit(1);
}

static struct shim_data suite_of(const struct shim_test *t)
{
	for (size_t i = 0; i < suites_cnt; i++)
		if (!strcmp(suites[i].name, t->suite))
			return suites[i].data;
	return (struct shim_data){NULL, NULL};
}

static void run_once(const struct shim_test *t, void *param)
{
	struct shim_data suite = suite_of(t);

	if (suite.init)
		suite.init();
	if (param)
		t->run_with(param);
	else
		t->run();
	if (suite.fini)
		suite.fini();
}

static void run_test(const struct shim_test *t)
{
	struct shim_params p = {0};

	running = t;
	if (!t->params) {
		run_once(t, NULL);
		return;
	}
	p = t->params();
	for (size_t i = 0; i < p.cnt; i++)
		run_once(t, (char *)p.v + i * p.size);
	free(p.v);
}

/* The child: a group of its own, so that whatever it starts can be ended; its CPU is counted. */
static void become(const struct wire_ask *a)
{
	struct itimerval t = {.it_value = {.tv_sec = (time_t)(a->cpu_us / 1000000),
					   .tv_usec = (suseconds_t)(a->cpu_us % 1000000)}};

	setpgid(0, 0);
	setitimer(ITIMER_PROF, &t, NULL);
	mutant_now = a->mutant;
	run_test(tests[a->test]);
	_exit(0);
}

static long resident_pages(pid_t pid)
{
	char path[64], text[128] = "";
	long size, resident = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "%ld %ld", &size, &resident);
	if (fd >= 0)
		close(fd);
	return resident;
}

static uint64_t cpu_us_of(pid_t pid)
{
	struct timespec t = {0};
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Until the child ends, or has to be ended. True if it had to. */
static bool watch(pid_t pid)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	uint64_t used = 0;
	unsigned still = 0;
	bool end = p.fd < 0;

	while (!end && poll(&p, 1, LOOK_MS) == 0) {
		uint64_t now = cpu_us_of(pid);

		still = now == used ? still + 1 : 0;
		used = now;
		end = still == STILL_LOOKS_MAX || resident_pages(pid) > RESIDENT_PAGES_MAX;
	}
	if (p.fd >= 0)
		close(p.fd);
	return end;
}

static struct wire_answer attempt(const struct wire_ask *a)
{
	struct wire_answer r = {.failed = 1};
	struct rusage u = {0};
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		become(a);
	if (pid < 0)
		return r;
	r.hung = watch(pid);
	if (r.hung)
		kill(pid, SIGKILL);
	while (wait4(pid, &status, 0, &u) < 0 && errno == EINTR)
		;
	kill(-pid, SIGKILL);
	r.failed = status != 0;
	r.hung |= WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
	r.cpu_us = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
		   (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
	return r;
}

/* A descriptor out of the way of tests, which find nothing to read and nobody to tell. */
static int put_away(int fd)
{
	int away = fcntl(fd, F_DUPFD_CLOEXEC, 64);
	int nothing = open("/dev/null", O_RDWR);

	dup2(nothing, fd);
	close(nothing);
	return away;
}

static int serve(void)
{
	int from, to;
	struct wire_ask a;

	if (mmap(mutant_met, MUTANTS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 WIRE_MET_FD, 0) == MAP_FAILED)
		return 2;
	close(WIRE_MET_FD);
	from = put_away(WIRE_ASK_FD);
	to = put_away(WIRE_ANSWER_FD);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	while (read(from, &a, sizeof(a)) == sizeof(a) && a.test < tests_cnt) {
		struct wire_answer r = attempt(&a);

		if (write(to, &r, sizeof(r)) != sizeof(r))
			return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool list = argc > 1 && !strcmp(argv[1], "--list");

	if (argc > 1 && !strcmp(argv[1], "--serve"))
		return serve();
	for (size_t i = 0; i < tests_cnt; i++) {
		if (list)
			printf("%s::%s\n", tests[i]->suite, tests[i]->name);
		else
			run_test(tests[i]);
	}
	if (!list)
		printf("%zu tests\n", tests_cnt);
	return tests_cnt ? 0 : 2;
}
