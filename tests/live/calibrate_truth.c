/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 23 operations in, 23 out, on every workload, checked against the kernel's own counts.
 *
 *   calibrate_truth                                    the test: 0, 1, or 77 where not possible
 *   calibrate_truth WORKLOAD EXPORT [OPTION…]          one run; its truth as text to EXPORT
 *
 * The second counter is a perf counter on the kernel's tracepoints, inherited by every thread of
 * the workload: completions that io_uring posted, futex calls that woke somebody, or on a probe of
 * an operator. Truth must hold as many handoffs, or events, as the kernel saw, no more and no
 * fewer.
 */
#include "tests/live/calibrate.h"

enum { OPS = 23 };

/* Completions that are no cancellations: those of a ring's end come from a kernel thread. */
static uint64_t completions(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		n += t->handoffs[i].type == HANDOFF_IO && t->handoffs[i].has & TH_DST &&
		     !(t->handoffs[i].marks & 1u << MARK_CANCELLED);
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
	size_t cnt = 0;
	uint64_t n = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		if (t->handoffs[i].type == HANDOFF_WAKE)
			v[cnt++] = &t->handoffs[i];
	qsort(v, cnt, sizeof(*v), by_call);
	for (size_t i = 0; i < cnt; i++)
		n += i == 0 || by_call(&v[i - 1], &v[i]) != 0;
	free(v);
	return n;
}

static uint64_t of_type(const struct truth *t, unsigned type)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		n += t->handoffs[i].type == type;
	return n;
}

static uint64_t queued(const struct truth *t)
{
	return of_type(t, HANDOFF_QUEUE);
}

static uint64_t messages(const struct truth *t)
{
	return of_type(t, HANDOFF_MSG);
}

static uint64_t works(const struct truth *t)
{
	return of_type(t, HANDOFF_WORK);
}

/* Timers that expired and were heard of: timerfds have a key, POSIX timers have none. */
static uint64_t expiries(const struct truth *t, unsigned ns)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		n += t->handoffs[i].type == HANDOFF_TIMER && t->handoffs[i].has & TH_DST &&
		     t->handoffs[i].key.ns == ns;
	return n;
}

static uint64_t timerfd_expiries(const struct truth *t)
{
	return expiries(t, KEY_TIMERFD);
}

static uint64_t signal_expiries(const struct truth *t)
{
	return expiries(t, KEY_NONE);
}

/* Through pipes and ptys. */
static uint64_t written(const struct truth *t)
{
	return of_type(t, HANDOFF_MSG) + of_type(t, HANDOFF_WORK);
}

static uint64_t suspensions(const struct truth *t)
{
	return of_type(t, HANDOFF_RESUME);
}

/* First runs and further ones. */
static uint64_t runs(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		n += (t->handoffs[i].type == HANDOFF_SPAWN ||
		      t->handoffs[i].type == HANDOFF_RESUME) &&
		     t->handoffs[i].has & TH_DST;
	return n;
}

static uint64_t calls(const struct truth *t)
{
	return of_type(t, HANDOFF_CALL);
}

/* Events of a class whose sites no failing call reaches. */
static uint64_t of_event(const struct truth *t, unsigned kind, const char *class)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->events_cnt; i++)
		n += t->events[i].kind == kind &&
		     strcmp(strtab_get(t->strings, t->events[i].class_str), class) == 0;
	return n;
}

static uint64_t unpins(const struct truth *t)
{
	return of_event(t, EVENT_RELEASE, "pool.frame");
}

static uint64_t permits_given(const struct truth *t)
{
	return of_event(t, EVENT_RELEASE, "tasks.permit");
}

static uint64_t leases_given(const struct truth *t)
{
	return of_type(t, HANDOFF_GRANT);
}

static uint64_t closes(const struct truth *t)
{
	return of_event(t, EVENT_RELEASE, "calls.handle");
}

static uint64_t uses(const struct truth *t)
{
	return of_event(t, EVENT_USE, "conns.lease");
}

static uint64_t token_uses(const struct truth *t)
{
	return of_event(t, EVENT_USE, "credits.token");
}

/* Of the build that was started: another one has no descriptors. */
static uint64_t buffers_given(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->events_cnt; i++)
		n += t->events[i].kind == EVENT_RELEASE && t->events[i].has & TE_DESC;
	return n;
}

static uint64_t socket_closes(const struct truth *t)
{
	return of_event(t, EVENT_RELEASE, "conns.socket");
}

static uint64_t jobs_done(const struct truth *t)
{
	return of_event(t, EVENT_RELEASE, "queue.space");
}

static uint64_t references_dropped(const struct truth *t)
{
	return of_event(t, EVENT_RELEASE, "cache.ref");
}

static uint64_t entries_freed(const struct truth *t)
{
	return of_event(t, EVENT_RELEASE, "cache.entry");
}

/* ---- the test ---- */

/* What a workload does on its own account was never asked for. */
static bool is_request(const char *kind)
{
	return strcmp(kind, "stop") != 0 && strcmp(kind, "writeback") != 0 &&
	       strcmp(kind, "sweep") != 0 && strcmp(kind, "refill") != 0;
}

static uint64_t requests(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->ops_cnt; i++)
		n += is_request(strtab_get(t->strings, t->ops[i].kind_str));
	return n;
}

static int check_counts(struct trial *tr, const struct truth *t, void *arg)
{
	bool second = tr->counter.expected != NULL, agree;
	uint64_t expected = second ? tr->counter.expected(t) : 0, ops = requests(t);

	printf("%s: %" PRIu64 " operations, %zu handoffs", tr->workload, ops, t->handoffs_cnt);
	if (second)
		printf("; the kernel counted %" PRIu64 " of %" PRIu64, tr->counted, expected);
	puts("");
	agree = tr->fewer ? tr->counted < expected : tr->counted == expected;
	if (ops == OPS && t->handoffs_cnt > OPS && agree)
		return PASS;
	fprintf(stderr, "%s: %d operations went in, and the counts must agree\n", tr->workload,
		OPS);
	return FAIL;
}

struct row {
	const char *workload;
	struct counter counter;
	bool coalesces; /* so that the kernel counts fewer, but serially */
};

static const struct row rows[] = {
	{"uring", {"io_uring/io_uring_complete", "res != -125", NULL, completions}, false},
	{"wake", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"pool", {"io_uring/io_uring_complete", NULL, NULL, completions}, false},
	{"pool", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"pool", {NULL, NULL, "pool_writeback", queued}, false},
	{"pool", {NULL, NULL, "pool_put", unpins}, false},
	{"calls", {NULL, NULL, "calls_run", calls}, false},
	{"calls", {NULL, NULL, "calls_close", closes}, false},
	{"pipeline", {"io_uring/io_uring_complete", NULL, NULL, completions}, false},
	{"pipeline", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"pipeline", {NULL, NULL, "timer_take", timerfd_expiries}, false},
	{"pipeline", {NULL, NULL, "task_run", runs}, false},
	{"pipeline", {NULL, NULL, "queue_push", queued}, false},
	{"pipeline", {NULL, NULL, "lease_give", leases_given}, false},
	{"pipeline", {NULL, NULL, "call_service", calls}, false},
	{"pipeline", {NULL, NULL, "message_write", written}, false},
	{"tasks", {"io_uring/io_uring_complete", NULL, NULL, completions}, false},
	{"tasks", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"tasks", {"syscalls/sys_exit_read", "ret == 8", NULL, timerfd_expiries}, false},
	{"tasks", {NULL, NULL, "rt_run", runs}, false},
	{"tasks", {NULL, NULL, "rt_park", suspensions}, false},
	{"tasks", {NULL, NULL, "rt_push", queued}, false},
	{"tasks", {NULL, NULL, "permit_give", permits_given}, false},
	{"conns", {NULL, NULL, "message_write", messages}, false},
	{"conns", {NULL, NULL, "conns_use", uses}, false},
	{"conns", {NULL, NULL, "conns_close", socket_closes}, false},
	/* frames and counts of eventfds; the summary is longer */
	{"loop", {"syscalls/sys_exit_write", "ret >= 8 && ret < 100", NULL, messages}, false},
	{"loop", {"syscalls/sys_enter_timerfd_settime", NULL, NULL, timerfd_expiries}, false},
	{"timers", {"io_uring/io_uring_complete", "res != -125", NULL, completions}, false},
	{"timers", {"syscalls/sys_exit_read", "ret == 8", NULL, timerfd_expiries}, false},
	/* glibc's SIGRTMIN */
	{"timers",
	 {"syscalls/sys_exit_rt_sigtimedwait", "ret == 34", NULL, signal_expiries},
	 false},
	{"queue", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"queue", {NULL, NULL, "queue_push", queued}, false},
	{"queue", {NULL, NULL, "queue_release", jobs_done}, false},
	{"cache", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"cache", {NULL, NULL, "cache_push", queued}, false},
	{"cache", {NULL, NULL, "cache_put", references_dropped}, false},
	{"cache", {NULL, NULL, "cache_free", entries_freed}, false},
	{"credits", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"credits", {NULL, NULL, "timer_take", timerfd_expiries}, false},
	{"credits", {NULL, NULL, "credits_push", queued}, false},
	{"credits", {NULL, NULL, "credits_admit", leases_given}, false},
	{"credits", {NULL, NULL, "credits_use", token_uses}, false},
	{"prefork", {"syscalls/sys_exit_futex", "ret > 0", NULL, sending_calls}, false},
	{"prefork", {NULL, NULL, "message_write", messages}, false},
	{"prefork", {NULL, NULL, "prefork_put", buffers_given}, false},
	{"work", {NULL, NULL, "message_write", works}, false},
	{"work",
	 {"workqueue/workqueue_queue_work", "workqueue == \"events_unbound\"", NULL, works},
	 true},
};

static int run_row(const char *workload, const struct counter *c, bool serial, bool fewer)
{
	static char *const args[][8] = {
		{"--ops", "23", "--seed", "5", "--data", "/tmp", NULL},
		{"--ops", "23", "--seed", "6", "--data", "/tmp", "--serial", NULL},
	};
	struct trial tr = {.workload = workload,
			   .args = args[serial],
			   .records = 1 << 13,
			   .fewer = fewer,
			   .counter = *c};
	int rc = with_truth(&tr, check_counts, NULL);

	if (rc == UNSUPPORTED)
		fprintf(stderr, "%s: no perf counter on %s: mount tracefs, be root\n", workload,
			c->event ? c->event : c->function);
	return rc;
}

/* Without a row of its own a workload has no second counter, and the first is checked alone. */
static int calibrate(const char *workload, void *unused)
{
	static const struct counter none;
	unsigned own = 0;
	int rc = PASS;

	for (unsigned i = 0; rc == PASS && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].workload, workload) != 0)
			continue;
		own++;
		rc = run_row(workload, &rows[i].counter, true, false);
		if (rc == PASS)
			rc = run_row(workload, &rows[i].counter, false, rows[i].coalesces);
	}
	for (int serial = 0; rc == PASS && !own && serial < 2; serial++)
		rc = run_row(workload, &none, serial, false);
	return rc;
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
	struct trial tr = {.records = 1 << 18, .show = true};

	if (argc == 1)
		return workloads_by_two(calibrate);
	if (argc < 3)
		return 2;
	tr.workload = argv[1];
	tr.args = argv + 3;
	return with_truth(&tr, export, argv[2]);
}
