/* SPDX-License-Identifier: BSD-2-Clause */
/* 23 operations in, 23 submits, completions and wakes in the evidence: no more and no less. */
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>

#include "harness/empty_hits.h"
#include "tests/live/rig/collector_rig.h"

static void check_in_step(const struct rig *r)
{
	uint64_t expect = 1000, ctx = 0;

	for (size_t i = 0; i < r->cnt; i++) {
		const struct ev_rec *v = &r->v[i];

		if (v->kind == EV_IO_CREATE)
			ctx = v->a;
		if (v->kind == EV_IO_ENTER)
			RIG_CHECK(v->e == ctx, "record %zu: ring %#llx", i, v->e);
		if (v->kind == EV_IO_SUBMIT)
			RIG_CHECK(v->c == expect && v->a == ctx && !v->d && v->b,
				  "record %zu: user_data %llu", i, v->c);
		if (v->kind == EV_IO_COMPLETE)
			RIG_CHECK(v->c == expect++ && v->a == ctx && v->b && !v->d,
				  "record %zu: user_data %llu", i, v->c);
	}
	RIG_CHECK(ctx, "no ring was created");
}

static void nops(void)
{
	struct collect_options o = {.want = COLLECT_ALL};
	struct rig r;

	rig_record(&r, rig_child_nops, &o, false);
	RIG_CHECK(rig_count(&r, EV_IO_SUBMIT) == RIG_OPS, "%zu", rig_count(&r, EV_IO_SUBMIT));
	RIG_CHECK(rig_count(&r, EV_IO_COMPLETE) == RIG_OPS, "%zu", rig_count(&r, EV_IO_COMPLETE));
	RIG_CHECK(rig_count(&r, EV_IO_ENTER) == rig_count(&r, EV_IO_EXIT), "enter and exit");
	RIG_CHECK(rig_count(&r, EV_IO_CREATE) == 1, "%zu", rig_count(&r, EV_IO_CREATE));
	RIG_CHECK(!rig_count(&r, EV_LOST) && !r.stats.lost, "records were lost");
	check_in_step(&r);
	rig_free(&r);
}

static bool is_wake(const struct ev_rec *v)
{
	return v->kind == EV_FUTEX_EXIT && ((uint32_t)v->b & FUTEX_CMD_MASK) == FUTEX_WAKE;
}

/* Every wake that says it woke one has one sched_waking, or met a waiter that had not slept yet. */
static void pingpong(void)
{
	struct collect_options o = {.want = COLLECT_ALL};
	size_t wakes = 0, woken = 0, waited = 0, forks = 0, seen = 0, ran = 0;
	struct rig r;

	rig_record(&r, rig_child_pingpong, &o, false);
	for (size_t i = 0; i < r.cnt; i++) {
		const struct ev_rec *v = &r.v[i];

		wakes += is_wake(v) && v->e == 0;
		woken += is_wake(v) ? v->c : 0;
		waited += v->kind == EV_FUTEX_EXIT &&
			  ((uint32_t)v->b & FUTEX_CMD_MASK) == FUTEX_WAIT && !v->c;
		forks += v->kind == EV_PROC_FORK && v->tid;
		seen += v->kind == EV_PROC_FORK && !v->tid && v->a == r.pid;
		ran += v->kind == EV_PROC_EXIT && v->b;
	}
	RIG_CHECK(wakes >= 2 * RIG_OPS, "%zu wakes", wakes);
	RIG_CHECK(woken && waited >= woken, "%zu woken, %zu waited", woken, waited);
	RIG_CHECK(rig_count(&r, EV_FUTEX_ENTER) == rig_count(&r, EV_FUTEX_EXIT), "in and out");
	RIG_CHECK(forks == 1 && seen == 1, "%zu forks, %zu processes at attach", forks, seen);
	RIG_CHECK(rig_count(&r, EV_PROC_EXIT) == 2, "%zu", rig_count(&r, EV_PROC_EXIT));
	RIG_CHECK(ran, "nobody's time on a CPU");
	RIG_CHECK(!r.stats.lost, "records were lost");
	rig_free(&r);
}

/* Where a probe stands decides what it costs; a tracepoint costs less than any. */
static void empties(void)
{
	double ns[OVERHEAD_CLASS_CNT];

	empty_hits(ns);
	if (ns[CLASS_NOP] < 0) {
		puts("not tested here, for want of uprobe.multi: what probes cost");
		return;
	}
	for (unsigned i = CLASS_NOP; i <= CLASS_RETURN; i++)
		RIG_CHECK(ns[i] > 50 && ns[i] < 200000, "%s: %g ns", overhead_class_name(i), ns[i]);
	RIG_CHECK(ns[CLASS_STEPPED] > 2 * ns[CLASS_NOP], "%g ns stepped, %g on a nop",
		  ns[CLASS_STEPPED], ns[CLASS_NOP]);
	RIG_CHECK(ns[CLASS_RETURN] > ns[CLASS_NOP], "%g ns at the return", ns[CLASS_RETURN]);
	RIG_CHECK(ns[CLASS_TRACEPOINT] >= 0 && ns[CLASS_TRACEPOINT] < ns[CLASS_NOP],
		  "%g ns at a tracepoint", ns[CLASS_TRACEPOINT]);
}

int main(void)
{
	nops();
	pingpong();
	empties();
	puts("ok: collector_counts");
	return 0;
}
