/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the collector saw of a workload lies in the windows of truth: requests of io_uring in src.t,
 * their completions, and expiries of timers in their interrupt, in dst.ready of their handoffs. And
 * what truth says by itself: nothing that had been sent was found not there afterwards.
 */
#include "lib/formats/evidence.h"
#include "tests/live/calibrate.h"

/* An interrupt, or another thread's completion, is traced a moment before user space can see it:
 * whatever comes between the two may last longer than anybody looks back. One in so many. */
enum { RARE = 200 };

struct seen {
	uint64_t inside, outside;
};

static bool holds(const struct window *w, uint64_t t)
{
	return w->t0 <= t && t <= w->t1;
}

/* ---- timers ---- */

/* The descriptor by which a timer was set last before `upto`; 0: it was not seen. */
static uint64_t descriptor_of(const struct evidence *e, size_t upto, uint64_t timer)
{
	while (upto--)
		if (e->v[upto].kind == EV_TIMER_SET && e->v[upto].a == timer)
			return e->v[upto].b;
	return 0;
}

/* The handoff that was under way then, by the descriptor's timer. */
static const struct truth_handoff *timer_at(const struct truth *t, uint64_t fd, uint64_t at)
{
	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];

		if (h->type == HANDOFF_TIMER && h->has & TH_SRC && h->has & TH_DST &&
		    h->key.ns == KEY_TIMERFD && h->key.v == fd && h->src_t.t0 <= at &&
		    at <= h->dst_ready.t1)
			return h;
	}
	return NULL;
}

static struct seen expiries(const struct truth *t, const struct evidence *e)
{
	struct seen n = {0};

	for (size_t i = 0; i < e->cnt; i++) {
		const struct ev_rec *r = &e->v[i];
		const struct truth_handoff *h;

		if (r->kind != EV_TIMER_EXPIRE)
			continue;
		h = timer_at(t, descriptor_of(e, i, r->a), r->t);
		if (!h)
			continue;
		n.inside += holds(&h->dst_ready, r->t);
		n.outside += !holds(&h->dst_ready, r->t);
	}
	return n;
}

/* ---- completions ---- */

static bool completed(const struct evidence *e, const struct truth_handoff *h)
{
	for (size_t i = 0; i < e->cnt; i++)
		if (e->v[i].kind == EV_IO_COMPLETE && e->v[i].c == h->key.v &&
		    holds(&h->dst_ready, e->v[i].t))
			return true;
	return false;
}

static struct seen completions(const struct truth *t, const struct evidence *e)
{
	struct seen n = {0};

	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];
		bool in;

		if (h->type != HANDOFF_IO || !(h->has & TH_DST))
			continue;
		in = completed(e, h);
		n.inside += in;
		n.outside += !in;
	}
	return n;
}

/* Each is the src of a handoff, also where nobody waits for its completion. */
static bool submitted(const struct truth *t, const struct ev_rec *r)
{
	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];

		if (h->type == HANDOFF_IO && h->has & TH_SRC && h->key.v == r->c &&
		    h->src_tid == r->tid && holds(&h->src_t, r->t))
			return true;
	}
	return false;
}

static struct seen submissions(const struct truth *t, const struct evidence *e)
{
	struct seen n = {0};

	for (size_t i = 0; i < e->cnt; i++) {
		bool in;

		if (e->v[i].kind != EV_IO_SUBMIT)
			continue;
		in = submitted(t, &e->v[i]);
		n.inside += in;
		n.outside += !in;
	}
	return n;
}

/* ---- truth alone ---- */

/* It was there when its call had returned; a suspended task is not before somebody says so. */
static struct seen sent(const struct truth *t)
{
	struct seen n = {0};

	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];
		bool there = h->type == HANDOFF_QUEUE || h->type == HANDOFF_GRANT ||
			     h->type == HANDOFF_MSG;

		if (!there || !(h->has & TH_SRC) || !(h->has & TH_DST))
			continue;
		n.inside += h->dst_ready.t0 <= h->src_t.t1;
		n.outside += h->dst_ready.t0 > h->src_t.t1;
	}
	return n;
}

/* ---- */

static int judge(const char *workload, const char *what, struct seen n, bool rare)
{
	printf("%s: %" PRIu64 " %s in their windows, %" PRIu64 " not\n", workload, n.inside, what,
	       n.outside);
	if (n.outside <= (rare ? (n.inside + RARE - 1) / RARE : 0))
		return PASS;
	fprintf(stderr, "%s: %s of an observer lie outside their windows\n", workload, what);
	return FAIL;
}

static int check(const char *workload, const char *folder)
{
	char path[2][PATH_MAX];
	struct evidence e;
	struct truth t;
	struct diag d;
	int rc;

	snprintf(path[0], PATH_MAX, "%s/truth", folder);
	snprintf(path[1], PATH_MAX, "%s/evidence", folder);
	if (truth_load(path[0], &t, &d)) {
		diag_print(&d, stderr);
		return FAIL;
	}
	if (evidence_load(path[1], &e, &d)) {
		diag_print(&d, stderr);
		truth_free(&t);
		return FAIL;
	}
	rc = judge(workload, "expiries", expiries(&t, &e), true);
	rc |= judge(workload, "submissions", submissions(&t, &e), false);
	rc |= judge(workload, "completions", completions(&t, &e), true);
	rc |= judge(workload, "handoffs", sent(&t), false);
	evidence_free(&e);
	truth_free(&t);
	return rc;
}

/* 0, 77 or what else `assay record` exits with. */
static int record(const char *workload, const char *folder)
{
	char command[3 * PATH_MAX], programs[PROGRAM_LEN];
	int status;

	workloads_folder(programs, sizeof(programs));
	snprintf(command, sizeof(command),
		 "%s/../assay record %s --truth %s/truth --evidence %s/evidence >&2", programs,
		 workload, folder, folder);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : FAIL;
}

static int observe(const char *workload, const char *folder)
{
	int rc = record(workload, folder);

	if (rc == UNSUPPORTED)
		return rc;
	if (rc)
		fprintf(stderr, "%s: cannot be recorded\n", workload);
	return rc ? FAIL : check(workload, folder);
}

/* More messages in a pipe than one read takes. */
static int check_full(struct trial *tr, const struct truth *t, void *unused)
{
	(void)unused;
	return judge(tr->workload, "handoffs of full pipes", sent(t), false);
}

static int fill_pipes(void)
{
	static char *const args[] = {
		"--ops",	 "200", "--data",   "/tmp", "--workers", "1",
		"--depth",	 "64",	"--fanout", "8",    "--path",	 "msg,msg,msg,msg,msg,msg",
		"--queue-depth", "64",	"--cost",   "20",   NULL};
	struct trial tr = {.workload = "pipeline", .args = args, .records = 1 << 16};

	return with_truth(&tr, check_full, NULL);
}

int main(void)
{
	static const char *const workloads[] = {
		"tasks --ops 600", "pipeline --ops 600", "loop --ops 600",
		"conns --ops 600", "credits --ops 600",	 "pool --ops 400 --ail slow-io@200"};
	char folder[] = "/tmp/assay-windows-XXXXXX", path[PATH_MAX];
	int rc = PASS;

	if (!mkdtemp(folder))
		return FAIL;
	for (unsigned i = 0; rc == PASS && i < sizeof(workloads) / sizeof(workloads[0]); i++)
		rc = observe(workloads[i], folder);
	if (rc == PASS)
		rc = fill_pipes();
	snprintf(path, sizeof(path), "%s/truth", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/evidence", folder);
	unlink(path);
	rmdir(folder);
	return rc;
}
