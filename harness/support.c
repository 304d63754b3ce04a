/* SPDX-License-Identifier: BSD-2-Clause */
/* Support is decided once, from describe and the machine, before anything is started. */
#include "harness/regime.h"
#include "harness/runner.h"
#include "harness/stage.h"

#include <errno.h>
#include <string.h>

static bool unsupported(struct making *m, const struct diag *why)
{
	making_end(m, CELL_UNSUPPORTED, why);
	return false;
}

static bool source_supported(struct making *m)
{
	struct cell_status s;
	struct diag d = {0};

	if (!strcmp(m->c->from, "-"))
		return true;
	if (status_read(m->r->run, m->c->from, &s, &d)) {
		diag_set(&d, -ENOENT, NULL, 0, "assay run --resume", "%.200s has not been made",
			 m->c->from);
		making_end(m, CELL_BROKEN, &d);
		return false;
	}
	if (s.state == CELL_OK)
		return true;
	diag_set(&d, -EINVAL, NULL, 0, s.cure, "%.200s is %s: %.200s", m->c->from,
		 cell_state_name(s.state), s.reason);
	making_end(m, s.state == CELL_UNSUPPORTED ? CELL_UNSUPPORTED : CELL_BROKEN, &d);
	return false;
}

static bool workload_supported(struct making *m)
{
	const struct workload *w;
	struct diag d = {0};

	if (programs_workload(m->r->programs, m->c->workload, &w, &d))
		return unsupported(m, &d);
	if (w->trouble.err) {
		making_end(m, CELL_BROKEN, &w->trouble);
		return false;
	}
	if (stage_check(m, &d))
		return unsupported(m, &d);
	return machine_has(m->r->machine, w->needs, w->needs_cnt, &d) || unsupported(m, &d);
}

enum launch cell_launch(const struct cell *c, const struct profiler *p)
{
	return cell_param(c, "launch", profiler_launch(p));
}

/* What a live cell asks for beside being watched. */
static bool wishes_supported(struct making *m, const struct profiler *p)
{
	struct regime regime = {0};
	struct diag d = {0};

	if (cell_launch(m->c, p) == LAUNCH_WRAP && !regime_parse(m->c->regime, &regime, NULL) &&
	    regime.kind == REGIME_LATE_ATTACH)
		diag_set(&d, -ENOTSUP, NULL, 0, NULL,
			 "it starts the workload, so it cannot be late");
	else if (cell_param(m->c, "budget_permille", 0) && !(p->accepts & ACCEPTS_BUDGET))
		diag_set(&d, -ENOTSUP, NULL, 0, "name \"budget\" in \"accepts\" if it keeps one",
			 "it takes no budget");
	else if (cell_param(m->c, "reload", 0) && !(p->accepts & ACCEPTS_CONTROL))
		diag_set(&d, -ENOTSUP, NULL, 0, "name \"control\" in \"accepts\" if it does",
			 "it takes no other manifest while it runs");
	return !d.err || unsupported(m, &d);
}

static bool profiler_supported(struct making *m, enum launch launch)
{
	static const char pidns[1][NAME_LEN] = {"pidns"};
	const struct profiler *p;
	struct diag d = {0};

	if (programs_profiler(m->r->programs, m->c->profiler, &p, &d))
		return unsupported(m, &d);
	if (p->trouble.err) {
		making_end(m, CELL_CRASHED, &p->trouble);
		return false;
	}
	if (launch == LAUNCH_LIVE)
		launch = cell_launch(m->c, p);
	if (launch == LAUNCH_BUILD) {
		diag_set(&d, -ENOTSUP, NULL, 0, "give it another form, too",
			 "workloads are not built by profilers yet");
		return unsupported(m, &d);
	}
	if (!(p->launch & launch)) {
		diag_set(&d, -ENOTSUP, NULL, 0, NULL, "it does not %s",
			 launch == LAUNCH_JOIN ? "join evidence" : "watch a run in that form");
		return unsupported(m, &d);
	}
	if (launch == LAUNCH_JOIN) /* needs no rights (contracts §3), but what it runs */
		return machine_has_programs(m->r->machine, p->needs, p->needs_cnt, &d) ||
		       unsupported(m, &d);
	if (!machine_has(m->r->machine, p->needs, p->needs_cnt, &d))
		return unsupported(m, &d);
	if (!wishes_supported(m, p))
		return false;
	/* What BPF sees are ids of the initial pid namespace (contracts, top). */
	if (profiler_needs(p, "bpf") && !machine_has(m->r->machine, pidns, 1, &d))
		return unsupported(m, &d);
	return true;
}

static bool recording_supported(struct making *m)
{
	struct diag d = {0};

	if (!m->r->programs->collector[0]) {
		diag_set(&d, -ENOENT, m->r->programs->folder, 0, "make",
			 "the collector has not been built");
		return unsupported(m, &d);
	}
	return machine_can_record(m->r->machine, &d) || unsupported(m, &d);
}

bool making_supported(struct making *m)
{
	switch (m->c->kind) {
	case KIND_RECORD:
		return workload_supported(m) && recording_supported(m);
	case KIND_LIVE:
		return (m->r->unwatched || profiler_supported(m, LAUNCH_LIVE)) &&
		       workload_supported(m);
	case KIND_JOIN:
		return source_supported(m) && profiler_supported(m, LAUNCH_JOIN);
	case KIND_OVERHEAD:
		return (!strcmp(m->c->profiler, OVERHEAD_NOBODY) ||
			profiler_supported(m, LAUNCH_ATTACH | LAUNCH_ENV)) &&
		       workload_supported(m);
	case KIND_TRUTH:
		return source_supported(m);
	default:
		return true;
	}
}
