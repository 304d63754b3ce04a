/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that run a workload: recordings and live profilers. */
#include "harness/runner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/beside.h"
#include "harness/regime_live.h"
#include "harness/stage.h"
#include "harness/stock.h"
#include "harness/veil.h"
#include "lib/files.h"
#include "lib/formats/claims.h"
#include "lib/formats/evidence.h"

enum { TRIES = 3 }; /* k of contracts §5.8 */

/* Arguments of a watcher, and the text behind them. */
struct watcher {
	const char *program, *binding;
	bool reads_binary; /* may be shown an earlier build */
	struct stage stage;
	char output[PATH_LEN]; /* evidence or claims, in the working folder */
	char pid[16], fd[16], control[16], budget[16];
	uint32_t accepts;	   /* enum accepts */
	uint64_t permille;	   /* of a processor that it may use; 0: no budget */
	struct watcher *collector; /* that works beside it; NULL: none does */
	struct beside beside;
};

static void collector_argv(void *arg, pid_t pid, char *argv[32])
{
	struct watcher *w = arg;
	const char *const v[] = {w->program,   "record",  "--pid",	w->pid,
				 "--evidence", w->output, "--ready-fd", w->fd};

	snprintf(w->pid, sizeof(w->pid), "%d", pid);
	memcpy(argv, v, sizeof(v));
	argv[8] = NULL;
	if (w->stage.manifest[0]) /* nothing to probe otherwise */
		stage_arguments(&w->stage, w->binding, false, argv, 8);
}

static unsigned add_pair(char *argv[32], unsigned at, const char *option, const char *value)
{
	argv[at] = (char *)option;
	argv[at + 1] = (char *)value;
	return at + 2;
}

/* What every form gets; of one that attaches, a process to attach to as well. */
static void say(struct watcher *w, const char *word, pid_t pid, char *argv[32])
{
	unsigned at = add_pair(argv, 0, w->program, word);

	snprintf(w->pid, sizeof(w->pid), "%d", pid);
	if (pid) {
		at = add_pair(argv, at, "--pid", w->pid);
		at = add_pair(argv, at, "--ready-fd", w->fd);
	}
	at = add_pair(argv, at, "--claims", w->output);
	if (w->accepts & ACCEPTS_CONTROL)
		at = add_pair(argv, at, "--control-fd", w->control);
	if (w->permille)
		at = add_pair(argv, at, "--budget", w->budget);
	stage_arguments(&w->stage, w->binding, w->reads_binary, argv, at);
}

static void profiler_argv(void *arg, pid_t pid, char *argv[32])
{
	say(arg, pid ? "run" : "wrap", pid, argv);
}

static void environment_argv(void *arg, char *argv[32])
{
	say(arg, "env", 0, argv);
}

/* It comes before the profiler and goes before it. */
static int look_beside(void *arg, pid_t pid, struct diag *d)
{
	struct watcher *w = arg;
	char *argv[32];

	if (w->beside.runs)
		return beside_end(&w->beside, w->collector->output, d);
	collector_argv(w->collector, pid, argv);
	return beside_start(&w->beside, argv, d);
}

struct attempt {
	char truth[PATH_LEN], load[PATH_LEN];
	struct regime_live live;
	struct veil veil;
	char next[PATH_LEN]; /* another build of the program, where it has one */
	struct trial_spec spec;
	struct trial_result result;
};

/* The two see what they are given and nothing else of the run. */
static int draw_veil(struct making *m, struct attempt *a, const struct watcher *w, struct diag *d)
{
	int rc = making_veil(m, &w->stage, w->reads_binary, &a->veil, d);

	if (!rc)
		rc = path_format(a->next, d, "%s/next", m->bin);
	if (rc)
		return rc;
	veil_show(&a->veil, m->data);
	veil_show(&a->veil, a->next);
	return 0;
}

static int attempt_init(struct making *m, struct attempt *a, struct watcher *w,
			void (*argv)(void *, pid_t, char *[32]), struct diag *d)
{
	const struct workload *workload;
	struct regime regime = {0};
	int rc = programs_workload(m->r->programs, m->c->workload, &workload, d);

	if (!rc)
		rc = regime_parse(m->c->regime, &regime, d);
	if (!rc)
		rc = path_format(a->truth, d, "%s/truth.bin", m->folder);
	if (!rc)
		rc = path_format(a->load, d, "%s/load.json", m->folder);
	if (!rc)
		rc = stage_open(m, m->bin, &w->stage, d);
	if (!rc)
		rc = draw_veil(m, a, w, d);
	if (rc)
		return rc;
	snprintf(w->fd, sizeof(w->fd), "%d", READY_FD);
	a->live = regime_live(&regime, m->c);
	a->spec = (struct trial_spec){
		.workload = workload,
		.cell = m->c,
		.exe = w->stage.exe,
		.config = w->stage.variant.config[0] ? w->stage.variant.config : NULL,
		.ail = variant_ailment(m->c->variant),
		.turn = cell_param(m->c, "turn", 1),
		/* under pressure a service is not well, and of what is for nobody to say */
		.undiagnosed = w->stage.variant.undiagnosed || a->live.pressure,
		.descriptors = w->stage.variant.descriptors,
		.descriptors_cnt = w->stage.variant.descriptors_cnt,
		.onset = w->stage.variant.mutation.onset,
		.watcher = argv,
		.arg = w,
		.live = &a->live,
		.meter = m->r->meter,
		.truth = m->r->truth,
		.work = m->work,
		.data = m->data,
		.veil = &a->veil,
		.truth_path = a->truth,
		.load_path = a->load,
		.log_fd = m->log_fd,
		.limits = m->r->limits,
	};
	return 0;
}

/* A fresh pair of folders for another run of the same cell. */
static int attempt_again(struct making *m, struct diag *d)
{
	int rc = folder_remove(m->work, d);

	if (!rc)
		rc = folder_remove(m->data, d);
	if (!rc)
		rc = dir_make(m->work, d);
	return rc ? rc : dir_make(m->data, d);
}

static int run_once(struct making *m, struct attempt *a, bool watched, struct diag *d)
{
	struct trial_spec spec = a->spec;
	int rc;

	if (!watched) {
		spec.watcher = NULL;
		spec.look = NULL;
	}
	dprintf(m->log_fd, "-- %s, %s\n", m->c->name, watched ? "watched" : "without a watcher");
	m->status.beside_builds |= m->r->stock && stock_is_busy(m->r->stock);
	rc = trial_run(&spec, &a->result, d);
	if (rc)
		return rc;
	m->status.idle = a->result.idle;
	*m->r->waited += (double)a->result.waited_ns / NS_PER_S;
	return 0;
}

/* True if the session ended well; else the state is set. */
static bool trial_fine(struct making *m, const struct trial_result *r)
{
	if (r->unsupported)
		making_end(m, CELL_UNSUPPORTED, &r->trouble);
	else if (!r->sound)
		making_end(m, CELL_BROKEN, &r->trouble);
	else if (r->watcher != CELL_OK)
		making_end(m, r->watcher, &r->complaint);
	else
		return true;
	return false;
}

/* What the collector lost in earnest is truth as well: its own counters say how much and when. */
static int tell_losses(const struct making *m, const char *evidence, struct diag *d)
{
	char truth[PATH_LEN], told[PATH_LEN];
	struct regime_tally tally = {0};
	int rc = path_format(truth, d, "%s/truth.bin", m->folder);

	if (!rc)
		rc = path_format(told, d, "%s/told.bin", m->data);
	if (!rc)
		rc = regime_told(evidence, &tally, d);
	if (!rc)
		rc = regime_tell_truth(&tally, truth, told, d);
	regime_tally_free(&tally);
	if (!rc && rename(told, truth))
		rc = file_error(d, -errno, truth, "write");
	return rc;
}

static int keep_evidence(struct making *m, const struct watcher *w, struct diag *d)
{
	char path[PATH_LEN];
	struct evidence e;
	struct diag bad = {0};
	int rc = path_format(path, d, "%s/evidence.bin", m->folder);

	if (rc)
		return rc;
	if (evidence_load(w->output, &e, &bad)) {
		snprintf(bad.file, sizeof(bad.file), "evidence.bin");
		making_end(m, CELL_INVALID, &bad);
		return 0;
	}
	if (e.header.lost) {
		diag_set(&bad, 0, NULL, 0, NULL, "%llu of %llu records were lost",
			 (unsigned long long)e.header.lost,
			 (unsigned long long)(e.header.lost + e.header.records));
		making_end(m, CELL_OK, &bad);
		rc = tell_losses(m, w->output, d);
	}
	evidence_free(&e);
	if (rc)
		return rc;
	return rename(w->output, path) ? file_error(d, -errno, path, "write") : 0;
}

/* What cannot be built here breaks the cell, not the run. */
static int not_staged(struct making *m, int err, struct diag *d)
{
	struct diag why = *d;

	if (err == -ENOMEM || err == -ENOSPC || err == -EINTR)
		return err;
	making_end(m, err == -ENOENT || err == -ENOPKG ? CELL_UNSUPPORTED : CELL_BROKEN, &why);
	return 0;
}

static int record_staged(struct making *m, struct attempt *a, struct watcher *w, struct diag *d)
{
	int rc = run_once(m, a, true, d);

	if (rc || !trial_fine(m, &a->result))
		return rc;
	rc = stage_keep(&w->stage, m->folder, d);
	return rc ? rc : keep_evidence(m, w, d);
}

int cell_make_record(struct making *m, struct diag *d)
{
	struct watcher w = {.program = m->r->programs->collector, .binding = m->c->binding};
	struct attempt a;
	int rc = path_format(w.output, d, "%s/evidence.bin", m->work);

	if (!rc)
		rc = attempt_init(m, &a, &w, collector_argv, d);
	if (rc)
		return not_staged(m, rc, d);
	a.spec.wakes = m->r->wakes;
	rc = record_staged(m, &a, &w, d);
	stage_free(&w.stage);
	return rc;
}

static int run_again(struct making *m, struct attempt *a, bool watched, struct diag *d)
{
	struct watcher *w = a->spec.arg;
	int rc = attempt_again(m, d);

	w->beside.runs = false; /* that of the run before was swept with it */
	return rc ? rc : run_once(m, a, watched, d);
}

static void say_broken(struct making *m, const struct diag *first, unsigned broken)
{
	struct diag why = *first;

	m->status.broken_tries = broken;
	if (broken == TRIES)
		snprintf(why.reason, sizeof(why.reason),
			 "it breaks the workload in %u of %u runs, which is sound without it: "
			 "%.300s",
			 broken, TRIES, first->reason);
	else
		snprintf(why.reason, sizeof(why.reason),
			 "this is run %u with it, those before were broken: %.300s", broken + 1,
			 first->reason);
	making_end(m, broken == TRIES ? CELL_CRASHED : CELL_OK, &why);
}

/*
 * The run was broken, or the workload said that it cannot run here. If it does so without the
 * profiler as well, it is the workload's fault and nothing is scored. Else it is tried again with
 * it, and the first sound run is the cell's: who breaks a run that it would lose has not taken it
 * out of the mean. k of k are broken: the profiler is charged, and what it has missed is the truth
 * of the run without it.
 */
static int charge(struct making *m, struct attempt *a, struct diag *d)
{
	struct diag first = a->result.trouble;
	unsigned broken = 1;
	int rc = run_again(m, a, false, d);

	if (rc)
		return rc;
	if (!a->result.sound) {
		trial_fine(m, &a->result);
		return 0;
	}
	for (; broken < TRIES; broken++) {
		rc = run_again(m, a, true, d);
		if (rc || a->result.sound)
			break;
	}
	if (!rc)
		say_broken(m, &first, broken);
	return rc;
}

/* What it claims nothing of, where its failure left nothing: one that never started the workload
 * would be out of the mean. */
static int truth_without(struct making *m, struct attempt *a, struct diag *d)
{
	return access(a->truth, F_OK) ? run_again(m, a, false, d) : 0;
}

/* No fault of its claims, so the cell is as good as it was; its author wants to know. */
static void say_left(struct making *m, const struct trial_result *r)
{
	struct diag why = {0};

	if (!r->left[0])
		return;
	diag_set(&why, 0, NULL, 0, "end what you started before you exit",
		 "it left behind, and that was removed: %s", r->left);
	making_end(m, CELL_OK, &why);
}

static int live_staged(struct making *m, struct attempt *a, struct watcher *w, struct diag *d)
{
	bool watched = !m->r->unwatched;
	int rc = run_once(m, a, watched, d);

	if (!rc && !watched) {
		trial_fine(m, &a->result);
		return 0;
	}
	if (!rc && w->stage.manifest[0])
		rc = stage_keep(&w->stage, m->folder, d);
	if (!rc && !a->result.sound)
		rc = charge(m, a, d);
	if (rc || m->status.state != CELL_OK)
		return rc;
	if (!trial_fine(m, &a->result))
		return truth_without(m, a, d);
	say_left(m, &a->result);
	return making_take_claims(m, w->output, d);
}

static void watcher_of(const struct profiler *p, const struct cell *c, struct watcher *w)
{
	w->program = p->path;
	w->reads_binary = !strcmp(p->division, "binary");
	w->accepts = p->accepts;
	w->permille = cell_param(c, "budget_permille", 0);
	snprintf(w->control, sizeof(w->control), "%d", CONTROL_FD_OF_WATCHER);
	snprintf(w->budget, sizeof(w->budget), "%g", (double)w->permille / 10);
}

/* What it asks for. One that starts the workload is handed descriptors by way of /proc. */
static enum process_rights rights_of(const struct profiler *p, enum launch how)
{
	if (profiler_needs(p, "ptrace") || how == LAUNCH_WRAP)
		return RIGHTS_ALL;
	return profiler_needs(p, "admin") ? RIGHTS_ADMIN : RIGHTS_WATCH;
}

/* Its evidence lies where the profiler does not see it. */
static int set_beside(struct making *m, struct attempt *a, struct watcher *w,
		      struct watcher *collector, struct diag *d)
{
	*collector = *w;
	collector->program = m->r->programs->collector;
	w->collector = collector;
	w->beside = (struct beside){.folder = m->bin, .limits = &m->r->limits, .log_fd = m->log_fd};
	a->spec.look = look_beside;
	return path_format(collector->output, d, "%s/beside.bin", m->bin);
}

/* Of a run in which it came to grief there is none. */
static int keep_beside(const struct making *m, const struct watcher *w, struct diag *d)
{
	char path[PATH_LEN];
	int rc = path_format(path, d, "%s/evidence.bin", m->folder);

	if (!rc && rename(w->collector->output, path) && errno != ENOENT)
		rc = file_error(d, -errno, path, "write");
	return rc;
}

int cell_make_live(struct making *m, struct diag *d)
{
	const struct profiler *p;
	struct watcher w = {.binding = m->c->binding}, collector;
	struct attempt a;
	int rc = programs_profiler(m->r->programs, m->c->profiler, &p, d);

	if (!rc)
		rc = path_format(w.output, d, "%s/%s", m->work, profiler_claims_name(p));
	if (rc)
		return rc;
	watcher_of(p, m->c, &w);
	rc = attempt_init(m, &a, &w, profiler_argv, d);
	if (rc)
		return not_staged(m, rc, d);
	/* where costs are compared truth is to cost as little as it can */
	a.spec.wakes = p->declares & DECLARES_PROFILE && !m->r->meter;
	a.spec.launch = (struct trial_launch){
		.how = cell_launch(m->c, p),
		.environment = environment_argv,
		.rights = rights_of(p, cell_launch(m->c, p)),
		.secret = profiler_needs(p, "ptrace") && cell_launch(m->c, p) != LAUNCH_WRAP,
		.litters = true,
		.control = p->accepts & ACCEPTS_CONTROL,
		.reload = cell_param(m->c, "reload", 0) && w.stage.manifest[0] ? w.stage.manifest
									       : NULL,
	};
	if (m->r->beside)
		rc = set_beside(m, &a, &w, &collector, d);
	rc = rc ? rc : live_staged(m, &a, &w, d);
	if (!rc && m->r->beside)
		rc = keep_beside(m, &w, d);
	stage_free(&w.stage);
	return rc;
}
