/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a workload with a truth channel and, if asked for, a kernel counter beside it: what the
 * calibration programs share. One run at a time. Results are exit codes: 0, 1, 77.
 */
#ifndef ASSAY_TESTS_LIVE_CALIBRATE_H
#define ASSAY_TESTS_LIVE_CALIBRATE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "groundtruth/collect.h"
#include "groundtruth/log.h"
#include "harness/cost_watch.h"
#include "lib/diag.h"

enum { PASS = 0, FAIL = 1, UNSUPPORTED = 77, SLOTS = 36, CPUS_MAX = 512 };

enum { PROGRAM_LEN = PATH_MAX + 640 };

/* A tracepoint and perhaps a filter, or a function of the workload. */
struct counter {
	const char *event, *filter, *function;
	uint64_t (*expected)(const struct truth *t);
};

struct counting {
	int fd[CPUS_MAX];
	unsigned cnt;
};

struct trial {
	const char *workload;
	char *const *args; /* after `run --stop` */
	uint64_t records;
	bool show;		/* the workload's summary */
	int out;		/* or where it goes instead; 0: nowhere */
	bool fewer;		/* the kernel must count fewer than truth, not as many */
	struct counter counter; /* event and function NULL: none */
	uint64_t counted;
	bool costs;	     /* watch when threads run, and what is read from disks */
	uint64_t read_bytes; /* by /proc/PID/io */
	struct cost_watch cost;
};

static int fail(const struct trial *tr, const struct diag *d)
{
	fprintf(stderr, "%s: ", tr->workload);
	diag_print(d, stderr);
	return FAIL;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- the kernel's count ---- */

static long tracepoint_id(const char *event)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (unsigned i = 0; i < 2; i++) {
		char path[256], text[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "%s/events/%s/id", roots[i], event);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
		return atol(text);
	}
	return -1;
}

static long uprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	long type = -1;

	if (f && fscanf(f, "%ld", &type) != 1)
		type = -1;
	if (f)
		fclose(f);
	return type;
}

/* Offset in the file of a function's entry; 0: it is not there. */
static uint64_t entry_in(Elf *elf, const char *function)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh, text;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data = elf_getdata(scn, NULL);
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB || !data)
			continue;
		for (int i = 0; gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);

			if (name && strcmp(name, function) == 0 &&
			    gelf_getshdr(elf_getscn(elf, sym.st_shndx), &text))
				return sym.st_value - text.sh_addr + text.sh_offset;
		}
	}
	return 0;
}

static uint64_t entry_of(const char *path, const char *function)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t at = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		at = entry_in(elf, function);
	elf_end(elf);
	close(fd);
	return at;
}

static bool counter_attr(const struct counter *c, const char *path, struct perf_event_attr *a)
{
	long id = c->function ? uprobe_type() : tracepoint_id(c->event);

	*a = (struct perf_event_attr){.size = sizeof(*a)};
	if (id <= 0)
		return false;
	if (!c->function) {
		a->type = PERF_TYPE_TRACEPOINT;
		a->config = (uint64_t)id;
		a->inherit = 1;
		return true;
	}
	a->type = (uint32_t)id;
	a->uprobe_path = (uintptr_t)path;
	a->probe_offset = entry_of(path, c->function);
	return a->probe_offset != 0;
}

/*
 * False where the kernel or our rights do not allow it. A tracepoint is counted in the process and
 * all that it starts; a probe on each CPU, since the kernel cannot hand one on to a new thread of
 * another address space than the one in which its path was named (the thread fails with EFAULT).
 */
static bool counter_open(const struct counter *c, const char *path, pid_t pid, struct counting *n)
{
	unsigned cpus = c->function ? (unsigned)sysconf(_SC_NPROCESSORS_CONF) : 1;
	struct perf_event_attr attr;

	n->cnt = 0;
	if (cpus > CPUS_MAX || !counter_attr(c, path, &attr))
		return false;
	for (unsigned i = 0; i < cpus; i++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, c->function ? -1 : pid,
				      c->function ? (int)i : -1, -1, 0);

		if (fd < 0 || (c->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, c->filter) < 0))
			return false;
		n->fd[n->cnt++] = fd;
	}
	return true;
}

static bool counter_read(struct counting *n, uint64_t *ret)
{
	bool good = true;

	*ret = 0;
	for (unsigned i = 0; i < n->cnt; i++) {
		uint64_t some = 0;

		good &= read(n->fd[i], &some, sizeof(some)) == sizeof(some);
		*ret += some;
		close(n->fd[i]);
	}
	return good;
}

/* ---- one run ---- */

/* The folder of the workloads that were built like this program. */
static void workloads_folder(char *ret, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = '\0';
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(self, '/');

		if (slash)
			*slash = '\0';
	}
	snprintf(ret, size, "%s/workloads", self);
}

static void program_path(const char *workload, char *ret, size_t size)
{
	char folder[PATH_MAX + 16];

	workloads_folder(folder, sizeof(folder));
	snprintf(ret, size, "%s/%s/%s", folder, workload, workload);
}

static int is_program(const struct dirent *e)
{
	char path[PROGRAM_LEN];

	program_path(e->d_name, path, sizeof(path));
	return e->d_name[0] != '.' && access(path, X_OK) == 0;
}

/* By name; how many, or 0 where it has been said that there is none. */
static inline int workloads_list(struct dirent ***ret)
{
	char folder[PATH_MAX + 16];
	int cnt;

	workloads_folder(folder, sizeof(folder));
	cnt = scandir(folder, ret, is_program, alphasort);
	if (cnt > 0)
		return cnt;
	fprintf(stderr, "%s: no workload has been built\n", folder);
	return 0;
}

static inline void workloads_unlist(struct dirent **v, int cnt)
{
	for (int i = 0; i < cnt; i++)
		free(v[i]);
	free(v);
}

/* Calls `each` for every workload, by name, until one returns something else than PASS. */
static inline int workloads_each(int (*each)(const char *workload, void *arg), void *arg)
{
	struct dirent **v;
	int cnt = workloads_list(&v), rc = cnt ? PASS : FAIL;

	for (int i = 0; i < cnt && rc == PASS; i++)
		rc = each(v[i]->d_name, arg);
	if (cnt)
		workloads_unlist(v, cnt);
	return rc;
}

/* The verdict of the child that ends next; a failure counts before what is not supported. */
static inline int verdict(int rc)
{
	int status, one = FAIL;

	if (wait(&status) > 0 && WIFEXITED(status))
		one = WEXITSTATUS(status);
	return rc == FAIL || one == PASS ? rc : one;
}

/*
 * The same in processes of their own, two at once: most of its time a workload waits for the next
 * arrival. After the first that does not pass none is begun.
 */
static inline int workloads_by_two(int (*each)(const char *workload, void *arg))
{
	struct dirent **v;
	int cnt = workloads_list(&v), rc = cnt ? PASS : FAIL;
	bool running = false;

	for (int i = 0; i < cnt && rc == PASS; i++) {
		pid_t pid = fork();

		if (!pid)
			exit(each(v[i]->d_name, NULL));
		if (pid < 0)
			rc = FAIL;
		else if (running)
			rc = verdict(rc); /* the one before, or this one */
		else
			running = true;
	}
	if (running)
		rc = verdict(rc);
	if (cnt)
		workloads_unlist(v, cnt);
	return rc;
}

static pid_t start(const struct trial *tr, int channel)
{
	char path[PROGRAM_LEN];
	char *argv[64] = {path, "run", "--stop"};
	unsigned n = 3;
	pid_t pid;

	program_path(tr->workload, path, sizeof(path));
	for (char *const *a = tr->args; *a && n < 63; a++)
		argv[n++] = *a;
	pid = fork();
	if (pid != 0)
		return pid;
	if (!tr->show) {
		int to = tr->out ? tr->out : open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (to < 0 || dup2(to, STDOUT_FILENO) < 0)
			_exit(126);
	}
	if (channel == LOG_FD)
		fcntl(LOG_FD, F_SETFD, 0);
	else if (dup2(channel, LOG_FD) < 0)
		_exit(126);
	execv(path, argv);
	perror(path);
	_exit(127);
}

static bool stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status);
}

static bool finished(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool counter_start(const struct trial *tr, pid_t pid, struct counting *n)
{
	char path[PROGRAM_LEN];

	n->cnt = 0;
	if (!tr->counter.event && !tr->counter.function)
		return true;
	program_path(tr->workload, path, sizeof(path));
	return counter_open(&tr->counter, path, pid, n);
}

static uint64_t read_bytes(pid_t pid)
{
	char path[64], line[128];
	uint64_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "read_bytes: %" SCNu64, &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

static void costs_start(struct trial *tr, pid_t pid)
{
	if (!tr->costs)
		return;
	tr->read_bytes = read_bytes(pid);
	cost_watch_start(&tr->cost, pid, true, STDERR_FILENO);
}

static void costs_stop(struct trial *tr, pid_t pid)
{
	if (!tr->costs)
		return;
	cost_watch_stop(&tr->cost, STDERR_FILENO);
	tr->read_bytes = read_bytes(pid) - tr->read_bytes;
}

/* Runs to the end; the window that is scored and, if asked for, the kernel's count. */
static int run(struct trial *tr, int channel, struct window *scored)
{
	pid_t pid = start(tr, channel);
	struct counting counting;
	int rc = FAIL;

	if (pid < 0 || !stopped(pid))
		return FAIL;
	if (!counter_start(tr, pid, &counting)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return UNSUPPORTED;
	}
	costs_start(tr, pid);
	scored->t0 = now_ns();
	kill(pid, SIGCONT);
	if (stopped(pid)) {
		scored->t1 = now_ns();
		costs_stop(tr, pid);
		kill(pid, SIGCONT);
		rc = finished(pid) ? PASS : FAIL;
	}
	return counter_read(&counting, &tr->counted) ? rc : FAIL;
}

static inline int with_truth(struct trial *tr,
			     int (*then)(struct trial *, const struct truth *, void *), void *arg)
{
	struct channel_options o = {.slots = SLOTS, .records = tr->records, .decoy_ppm = 20000};
	struct collect_info info = {.workload = tr->workload, .variant = "base", .seed = 1};
	struct diag d;
	struct channel *c = channel_new(&o, &d);
	char path[PROGRAM_LEN];
	struct truth t;
	int rc;

	if (!c)
		return fail(tr, &d);
	rc = run(tr, channel_fd(c), &info.scored);
	program_path(tr->workload, path, sizeof(path));
	if (tr->costs)
		cost_watch_lend(&tr->cost, path, &info);
	if (rc == PASS && channel_collect(c, &info, &t, &d))
		rc = fail(tr, &d);
	else if (rc == PASS) {
		rc = truth_check(&t, tr->workload, &d) ? fail(tr, &d) : then(tr, &t, arg);
		truth_free(&t);
	}
	cost_watch_end(&tr->cost, STDERR_FILENO);
	channel_free(c);
	return rc;
}

#endif
