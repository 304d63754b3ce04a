/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a workload with a truth channel and, if asked for, a kernel counter beside it: what the
 * calibration programs share. One run at a time. Results are exit codes: 0, 1, 77.
 */
#ifndef ASSAY_TESTS_LIVE_CALIBRATE_H
#define ASSAY_TESTS_LIVE_CALIBRATE_H

#include <errno.h>
#include <fcntl.h>
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
#include "lib/diag.h"

enum { PASS = 0, FAIL = 1, UNSUPPORTED = 77, SLOTS = 36 };

struct counter {
	const char *event, *filter;
	uint64_t (*expected)(const struct truth *t);
};

struct trial {
	const char *workload;
	char *const *args; /* after `run --stop` */
	uint64_t records;
	bool show;		/* the workload's summary */
	struct counter counter; /* event NULL: none */
	uint64_t counted;
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

/* -1 where the kernel or our rights do not allow it. */
static int counter_open(const struct counter *c, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .inherit = 1, .disabled = 0};
	long id = tracepoint_id(c->event);
	int fd;

	if (id <= 0)
		return -1;
	attr.config = (uint64_t)id;
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
	if (fd >= 0 && c->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, c->filter) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- one run ---- */

static void program_path(const char *workload, char *ret, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = '\0';
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(self, '/');

		if (slash)
			*slash = '\0';
	}
	snprintf(ret, size, "%s/workloads/%s/%s", self, workload, workload);
}

static pid_t start(const struct trial *tr, int channel)
{
	char path[PATH_MAX + 128];
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
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
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

/* Runs to the end; the window that is scored and, if asked for, the kernel's count. */
static int run(struct trial *tr, int channel, struct window *scored)
{
	pid_t pid = start(tr, channel);
	int counter = -1, rc = FAIL;

	if (pid < 0 || !stopped(pid))
		return FAIL;
	if (tr->counter.event) {
		counter = counter_open(&tr->counter, pid);
		if (counter < 0) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return UNSUPPORTED;
		}
	}
	scored->t0 = now_ns();
	kill(pid, SIGCONT);
	if (stopped(pid)) {
		scored->t1 = now_ns();
		kill(pid, SIGCONT);
		rc = finished(pid) ? PASS : FAIL;
	}
	if (counter >= 0) {
		if (read(counter, &tr->counted, sizeof(tr->counted)) != sizeof(tr->counted))
			rc = FAIL;
		close(counter);
	}
	return rc;
}

static inline int with_truth(struct trial *tr,
			     int (*then)(struct trial *, const struct truth *, void *), void *arg)
{
	struct channel_options o = {.slots = SLOTS, .records = tr->records, .decoy_ppm = 20000};
	struct collect_info info = {.workload = tr->workload, .variant = "base", .seed = 1};
	struct diag d;
	struct channel *c = channel_new(&o, &d);
	struct truth t;
	int rc;

	if (!c)
		return fail(tr, &d);
	rc = run(tr, channel_fd(c), &info.scored);
	if (rc == PASS && channel_collect(c, &info, &t, &d))
		rc = fail(tr, &d);
	else if (rc == PASS) {
		rc = truth_check(&t, tr->workload, &d) ? fail(tr, &d) : then(tr, &t, arg);
		truth_free(&t);
	}
	channel_free(c);
	return rc;
}

#endif
