/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 23 operations in, 23 out, on every workload, checked against the kernel's own counts.
 *
 *   calibrate_truth                                    the test: 0, 1, or 77 where not possible
 *   calibrate_truth WORKLOAD EXPORT [OPTION…]          one run; its truth as text to EXPORT
 *
 * The second counter is a perf counter on the kernel's tracepoints, inherited by every thread of
 * the workload: completions that io_uring posted, futex calls that woke somebody. Truth must hold
 * as many handoffs as the kernel saw, no more and no fewer.
 */
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

enum { PASS = 0, FAIL = 1, UNSUPPORTED = 77, SLOTS = 20, OPS = 23 };

struct counter {
	const char *event, *filter;
	uint64_t (*expected)(const struct truth *t);
};

struct trial {
	const char *workload;
	char *const *args; /* after `run --stop` */
	uint64_t records;
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

/* Completions that are no cancellations: those of a ring's end come from a kernel thread. */
static uint64_t completions(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		n += t->handoffs[i].has & TH_DST && !(t->handoffs[i].marks & 1u << MARK_CANCELLED);
	return n;
}

/* Calls that woke somebody: handoffs of one call share thread and window. */
static int by_call(const void *a, const void *b)
{
	const struct truth_handoff *p = *(const struct truth_handoff *const *)a;
	const struct truth_handoff *q = *(const struct truth_handoff *const *)b;

	if (p->src_tid != q->src_tid)
		return p->src_tid < q->src_tid ? -1 : 1;
	return p->src_t.t0 < q->src_t.t0 ? -1 : p->src_t.t0 > q->src_t.t0;
}

static uint64_t sending_calls(const struct truth *t)
{
	const struct truth_handoff **v = malloc((t->handoffs_cnt + 1) * sizeof(*v));
	uint64_t n = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		v[i] = &t->handoffs[i];
	qsort(v, t->handoffs_cnt, sizeof(*v), by_call);
	for (size_t i = 0; i < t->handoffs_cnt; i++)
		n += i == 0 || by_call(&v[i - 1], &v[i]) != 0;
	free(v);
	return n;
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

static int with_truth(struct trial *tr, int (*then)(struct trial *, const struct truth *, void *),
		      void *arg)
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

/* ---- the test ---- */

static uint64_t requests(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->ops_cnt; i++)
		n += strcmp(strtab_get(t->strings, t->ops[i].kind_str), "stop") != 0;
	return n;
}

static int check_counts(struct trial *tr, const struct truth *t, void *arg)
{
	uint64_t expected = tr->counter.expected(t), ops = requests(t);

	printf("%s: %" PRIu64 " operations, %zu handoffs; the kernel counted %" PRIu64
	       " of %" PRIu64 "\n",
	       tr->workload, ops, t->handoffs_cnt, tr->counted, expected);
	if (ops == OPS && t->handoffs_cnt > OPS && tr->counted == expected)
		return PASS;
	fprintf(stderr, "%s: %d operations went in, and the counts must agree\n", tr->workload,
		OPS);
	return FAIL;
}

static int test(void)
{
	static const struct {
		const char *workload;
		struct counter counter;
	} rows[] = {
		{"uring", {"io_uring/io_uring_complete", "res != -125", completions}},
		{"wake", {"syscalls/sys_exit_futex", "ret > 0", sending_calls}},
	};
	static char *const args[][8] = {
		{"--ops", "23", "--seed", "5", "--data", "/tmp", NULL},
		{"--ops", "23", "--seed", "6", "--data", "/tmp", "--serial", NULL},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned j = 0; j < 2; j++) {
			struct trial tr = {.workload = rows[i].workload,
					   .args = args[j],
					   .records = 1 << 14,
					   .counter = rows[i].counter};
			int rc = with_truth(&tr, check_counts, NULL);

			if (rc == UNSUPPORTED)
				fprintf(stderr,
					"%s: no perf counter on %s: mount tracefs, be root\n",
					tr.workload, tr.counter.event);
			if (rc != PASS)
				return rc;
		}
	}
	return PASS;
}

static int export(struct trial *tr, const struct truth *t, void *path)
{
	FILE *f = fopen(path, "w");
	int err = f ? truth_export(t, f) : -errno;

	if (f && fclose(f) != 0 && !err)
		err = -EIO;
	if (err)
		fprintf(stderr, "%s: %s\n", (const char *)path, strerror(-err));
	return err ? FAIL : PASS;
}

int main(int argc, char **argv)
{
	struct trial tr = {.records = 1 << 17};

	if (argc == 1)
		return test();
	if (argc < 3)
		return 2;
	tr.workload = argv[1];
	tr.args = argv + 3;
	return with_truth(&tr, export, argv[2]);
}
