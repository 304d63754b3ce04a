/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol of one run: stop, attach, ready, go, quiet, drain, end (contracts §3). */
#include "harness/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groundtruth/collect.h"
#include "groundtruth/symptoms.h"
#include "harness/calibration.h"
#include "harness/cost_watch.h"
#include "harness/folder.h"
#include "harness/judged.h"
#include "harness/leftovers.h"
#include "harness/regime_live.h"
#include "harness/trial_launch.h"
#include "lib/files.h"

enum { EXIT_UNSUPPORTED = 77, LOAD_LEN = 65536 };

/* What one session holds open. */
struct run {
	const struct trial_spec *s;
	struct trial_result *r;
	struct channel *channel;
	struct process load, watcher;
	struct pressure *pressure; /* NULL: none */
	uint64_t contended;	   /* since when hogs beside it keep it from CPUs; 0: none do */
	int load_out;		   /* memfd: what the workload prints */
	int control;		   /* writing end of the control descriptor; -1: none */
	struct launch_env env;	   /* of the workload, as the watcher wants it */
	char settings[PATH_LEN];
	bool watched; /* the watcher is there and has not failed */
	bool gone;    /* interrupted */
	bool absent;  /* the workload never began, by the watcher's fault */
	uint64_t work_items[CALIBRATION_MOST];
	size_t work_items_cnt; /* 0: not learned */
	struct cost_watch cost;
};

static uint64_t deadline_in(const struct run *x, uint64_t more_ns)
{
	return now_ns() + x->s->limits.patience_ns + more_ns;
}

/* The workload's own time, four times over for a busy machine. */
static uint64_t load_ns(const struct cell *c)
{
	uint64_t ops = cell_param(c, "ops", 1), rate = cell_param(c, "rate", 1000);

	return rate ? (uint64_t)(4e9 * (double)ops / (double)rate) : UINT64_C(60000000000);
}

static bool wraps(const struct run *x)
{
	return x->s->watcher && x->s->launch.how == LAUNCH_WRAP;
}

static bool is_bare(const struct trial_spec *s)
{
	return s->meter && s->meter->bare;
}

static void moment(const struct run *x, enum trial_moment m)
{
	if (x->s->meter)
		x->s->meter->at(x->s->meter->arg, m);
}

static int broken(struct run *x, const char *cure, const char *what)
{
	x->r->sound = false;
	return diag_set(&x->r->trouble, -EINVAL, x->s->workload->path, 0, cure, "%s", what);
}

static void complain(struct run *x, enum cell_state state, const char *cure, const char *what)
{
	x->r->watcher = state;
	diag_set(&x->r->complaint, -EINVAL, NULL, 0, cure, "%s", what);
	x->watched = false;
	process_kill(&x->watcher);
}

/* ---- the truth channel ---- */

/*
 * Two workers share the records. What is said of an operation leaves room for uneven shares: a log
 * that fills makes the run broken, never wrong. The memory is populated, so its size is what a run
 * costs: 1,000 operations take 40 MiB.
 */
static int make_channel(struct run *x, struct diag *d)
{
	const struct cell *c = x->s->cell;
	uint64_t workers = cell_param(c, "serial", 0) ? 1 : cell_param(c, "workers", 1);
	uint64_t records =
		cell_param(c, "ops", 1) * load_records_per_op(x->s) / (workers > 1 ? 2 : 1) + 4096;
	struct channel_options o = {
		.slots = (unsigned)(TRIAL_SLOTS + 2 * workers),
		.records = cell_param(c, "records", records),
		.decoy_ppm = TRIAL_DECOY_PPM,
	};

	x->channel = channel_new(&o, d);
	return x->channel ? 0 : d->err;
}

/* ---- starting ---- */

static void watcher_ended(struct run *x, const char *when)
{
	char how[128], what[256];

	process_describe(&x->watcher, how, sizeof(how));
	snprintf(what, sizeof(what), "it ended before %s: %s", when, how);
	complain(x, CELL_CRASHED, "the cell's log says more", what);
}

/* Starts the watcher with its descriptors; false: it cannot be, which is its fault, or *ret_err. */
static bool launch(struct run *x, char *const argv[], int ready_fd, struct diag *d, int *ret_err)
{
	struct process_spec p;
	int fd[2] = {-1, -1}, rc;

	if (x->s->launch.control && pipe2(fd, O_CLOEXEC)) {
		*ret_err = diag_set(d, -errno, NULL, 0, NULL, "no pipe: %s", strerror(errno));
		return false;
	}
	launch_watcher(x->s, argv, &p);
	p.extra_fd = ready_fd;
	p.control_fd = fd[0] < 0 ? 0 : fd[0];
	rc = process_start(&p, &x->watcher, &x->r->complaint);
	if (fd[0] >= 0)
		close(fd[0]);
	x->control = fd[1];
	x->watched = !rc;
	if (rc)
		x->r->watcher = CELL_CRASHED;
	return !rc;
}

/* The watcher starts the workload. */
static int wrap_load(struct run *x, struct load_arguments *a, struct diag *d)
{
	char *words[WATCHER_ARGS], *argv[WATCHER_ARGS + LOAD_ARGS];
	int rc = 0;

	load_arguments_lend(a, x->channel ? channel_fd(x->channel) : -1, x->load_out);
	x->s->watcher(x->s->arg, 0, words);
	x->absent = true;
	if (!launch_wrap_argv(words, a, argv))
		return diag_set(d, -E2BIG, NULL, 0, NULL, "too many words for wrap");
	if (!launch(x, argv, -1, d, &rc))
		return rc;
	switch (launch_find(&x->watcher, a->v[0], deadline_in(x, 0), &x->load)) {
	case PROCESS_STOPPED:
		x->absent = false;
		break;
	case PROCESS_EXITED:
		watcher_ended(x, "it started what stands behind --");
		break;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		break;
	default:
		complain(x, CELL_TIMEOUT, "start the words behind -- as they are",
			 "it did not start what stands behind -- in time");
	}
	return 0;
}

/* Whatever the watcher wants in the workload's environment. */
static int learn_environment(struct run *x, struct diag *d)
{
	int rc;

	if (!x->s->watcher || x->s->launch.how != LAUNCH_ENV)
		return 0;
	rc = launch_environment(x->s, deadline_in(x, 0), &x->env, &x->r->complaint);
	if (rc == -EINTR)
		x->gone = true;
	else if (rc == -ENOMEM)
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	else if (rc)
		x->r->watcher = rc == -ETIMEDOUT ? CELL_TIMEOUT : CELL_CRASHED;
	x->absent = rc;
	return 0;
}

static int start_load(struct run *x, struct diag *d)
{
	struct load_arguments a = {.cnt = 0};
	struct process_spec p = {.argv = a.v,
				 .cwd = x->s->data,
				 .more = x->env.v,
				 .err_fd = x->s->log_fd,
				 .extra_fd = x->channel ? channel_fd(x->channel) : -1,
				 .group = x->s->meter ? x->s->meter->load_group : NULL};
	int rc = load_settings(x->s, x->settings, d);

	if (rc)
		return rc;
	x->load_out = memfd_create("out", MFD_CLOEXEC);
	if (x->load_out < 0)
		return diag_set(d, -errno, NULL, 0, NULL, "no memory file: %s", strerror(errno));
	p.out_fd = x->load_out;
	load_arguments(x->s, x->settings, &a);
	if (wraps(x))
		return wrap_load(x, &a, d);
	if (process_start(&p, &x->load, &x->r->trouble))
		x->r->sound = false;
	return 0;
}

/* ---- the workload ---- */

/* Waits for one of the two stops; anything else makes the run broken. */
static bool load_stops(struct run *x, uint64_t deadline, const char *when)
{
	char how[128], what[256];

	switch (process_wait(&x->load, deadline)) {
	case PROCESS_STOPPED:
		return true;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return false;
	case PROCESS_EXITED:
		process_describe(&x->load, how, sizeof(how));
		snprintf(what, sizeof(what), "the workload ended %s: %s", when, how);
		x->r->unsupported = WIFEXITED(x->load.status) &&
				    WEXITSTATUS(x->load.status) == EXIT_UNSUPPORTED;
		broken(x, "the cell's log says more", what);
		return false;
	default:
		snprintf(what, sizeof(what), "the workload did not stop in time %s", when);
		broken(x, "give it longer with --time-limit", what);
		return false;
	}
}

static bool load_ends(struct run *x)
{
	char how[128], what[256];

	process_continue(&x->load);
	switch (process_wait_exit(&x->load, deadline_in(x, 0))) {
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return false;
	case PROCESS_EXITED:
		if (WIFEXITED(x->load.status) && !WEXITSTATUS(x->load.status))
			return true;
		process_describe(&x->load, how, sizeof(how));
		snprintf(what, sizeof(what), "the workload failed at its end: %s", how);
		broken(x, "the cell's log says more", what);
		return false;
	default:
		broken(x, "give it longer with --time-limit", "the workload did not end in time");
		return false;
	}
}

/* Where it cannot be done, or fails, truth lacks those keys, and the log says why. */
static bool calibrate(struct run *x)
{
	struct calibration *c = NULL;
	struct diag why = {0};
	bool good = load_stops(x, deadline_in(x, 0), "before its calibration");
	int rc = good ? calibration_open(x->load.pid, &c, &why) : 0;

	if (good) {
		process_continue(&x->load);
		good = load_stops(x, deadline_in(x, 0), "in its calibration");
	}
	if (good && !rc)
		rc = calibration_read(c, x->work_items, &x->work_items_cnt, &why);
	if (rc)
		dprintf(x->s->log_fd, "truth has no key 'work' here: %s\n", why.reason);
	calibration_free(c);
	return good;
}

/* ---- the watcher ---- */

static void watcher_ready(struct run *x, int fd)
{
	char byte;

	switch (process_wait_readable(&x->watcher, fd, deadline_in(x, 0))) {
	case PROCESS_READABLE:
		if (read(fd, &byte, 1) == 1)
			return;
		if (process_wait_exit(&x->watcher, deadline_in(x, 0)) == PROCESS_TIMEOUT) {
			complain(x, CELL_TIMEOUT, "write one byte to the ready descriptor",
				 "it closed the ready descriptor and did not say that it is ready");
			return;
		}
		break;
	case PROCESS_EXITED:
		break;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return;
	default:
		complain(x, CELL_TIMEOUT, "write one byte to the ready descriptor",
			 "it was not ready in time");
		return;
	}
	if (process_interrupted()) {
		x->gone = true;
		return;
	}
	watcher_ended(x, "it was ready");
}

static int start_watcher(struct run *x, struct diag *d)
{
	char *argv[WATCHER_ARGS];
	int fd[2], rc = 0;
	bool started;

	if (pipe2(fd, O_CLOEXEC))
		return diag_set(d, -errno, NULL, 0, NULL, "no pipe: %s", strerror(errno));
	x->s->watcher(x->s->arg, x->load.pid, argv);
	started = launch(x, argv, fd[1], d, &rc);
	close(fd[1]);
	if (started)
		watcher_ready(x, fd[0]);
	close(fd[0]);
	return rc;
}

static void watcher_left(struct run *x, const char *when)
{
	char how[128], what[256];
	bool big = WIFSIGNALED(x->watcher.status) && WTERMSIG(x->watcher.status) == SIGXFSZ;

	process_describe(&x->watcher, how, sizeof(how));
	if (big)
		snprintf(what, sizeof(what), "it wrote a file larger than %llu bytes",
			 (unsigned long long)x->s->limits.file_bytes);
	else
		snprintf(what, sizeof(what), "%s: %s", when, how);
	complain(x, CELL_CRASHED,
		 big ? "write less, or raise --file-limit" : "the cell's log says more", what);
}

/* SIGINT: drain, write the claims, exit 0. Whoever wrapped the workload sees its end instead. */
static void drain_watcher(struct run *x)
{
	if (!wraps(x) && process_wait_exit(&x->watcher, 0) == PROCESS_EXITED) {
		watcher_left(x, "it ended before it was told to drain");
		return;
	}
	if (!wraps(x))
		process_signal(&x->watcher, SIGINT);
	switch (process_wait_exit(&x->watcher, deadline_in(x, 0))) {
	case PROCESS_EXITED:
		if (!WIFEXITED(x->watcher.status) || WEXITSTATUS(x->watcher.status))
			watcher_left(x, "it failed while it drained");
		return;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return;
	default:
		complain(x, CELL_TIMEOUT, "exit within the time limit",
			 wraps(x) ? "it did not end in time after what it had started"
				  : "it did not end in time after SIGINT");
	}
}

/* ---- the whole ---- */

static int look(const struct run *x, struct diag *d)
{
	return x->s->look ? x->s->look(x->s->arg, x->load.pid, d) : 0;
}

static bool is_late(const struct run *x)
{
	return x->s->live && x->s->live->late_ns && x->s->watcher;
}

/* Lets the workload work alone for a while; false where it did not. */
static bool goes_on(struct run *x, uint64_t ns, const char *before)
{
	char how[128], what[256];

	switch (process_wait(&x->load, now_ns() + ns)) {
	case PROCESS_TIMEOUT:
		return true;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return false;
	case PROCESS_EXITED:
		process_describe(&x->load, how, sizeof(how));
		snprintf(what, sizeof(what), "the workload ended before %s: %s", before, how);
		broken(x, "the cell's log says more", what);
		return false;
	default:
		snprintf(what, sizeof(what), "the run was over before %s", before);
		broken(x, "give it more operations", what);
		return false;
	}
}

static bool go_ahead(struct run *x)
{
	process_continue(&x->load);
	return goes_on(x, x->s->live->late_ns, "anybody watched");
}

/* The one ailment that comes from outside the application: when the operations before the turn
 * have arrived, hogs take their share of every processor. */
static bool contend(struct run *x, struct diag *d, int *ret_err)
{
	uint64_t rate = cell_param(x->s->cell, "rate", 0);

	if (x->s->ail != DIAGNOSIS_CPU_CONTENTION)
		return true;
	if (!goes_on(x, rate ? (uint64_t)(NS_PER_S * (double)x->s->turn / (double)rate) : 0,
		     "its turn"))
		return false;
	x->contended = now_ns();
	x->pressure = hogs_start(x->s->data, d);
	*ret_err = x->pressure ? 0 : d->err;
	return !*ret_err;
}

/* From the first stop to the moment from which on is scored. */
static bool begin(struct run *x, struct diag *d, int *ret_err)
{
	bool late = is_late(x);

	if (late)
		cost_watch_start(&x->cost, x->load.pid, x->s->log_fd); /* while it stands still */
	if (late && !go_ahead(x))
		return false;
	if (x->s->watcher && !wraps(x))
		*ret_err = start_watcher(x, d);
	if (!*ret_err && x->s->live && x->s->live->pressure)
		x->pressure = pressure_start(x->s->data, d);
	if (!*ret_err && x->s->live && x->s->live->pressure && !x->pressure)
		*ret_err = d->err;
	if (*ret_err || x->gone)
		return false;
	moment(x, TRIAL_READY);
	if (!late && !is_bare(x->s))
		cost_watch_start(&x->cost, x->load.pid, x->s->log_fd);
	moment(x, TRIAL_GOES);
	x->r->scored[0] = now_ns();
	if (!late)
		process_continue(&x->load);
	else if (process_wait(&x->load, 0) == PROCESS_STOPPED) {
		broken(x, "give it more operations",
		       "the run was over before the watcher was ready");
		return false;
	}
	return true;
}

/* Half of the time that the operations take as they arrive, then the word; the end of it all is for
 * load_stops to see. */
static void reload(struct run *x)
{
	char words[PATH_LEN + 16];
	int n = snprintf(words, sizeof(words), "reload %s\n", x->s->launch.reload);

	if (process_wait(&x->load, now_ns() + load_ns(x->s->cell) / 8) == PROCESS_TIMEOUT &&
	    write(x->control, words, (size_t)n) != n)
		dprintf(x->s->log_fd, "it has closed the control descriptor\n");
}

static void finish(struct run *x)
{
	bool wrapped = wraps(x);

	if (x->watched && !wrapped)
		drain_watcher(x);
	moment(x, TRIAL_OVER);
	if (!x->gone && load_ends(x) && x->watched && wrapped)
		drain_watcher(x);
}

static void perform(struct run *x, struct diag *d, int *ret_err)
{
	*ret_err = learn_environment(x, d);
	if (!*ret_err && !x->absent)
		*ret_err = start_load(x, d);
	if (*ret_err || !x->r->sound || x->gone || x->absent)
		return;
	if (load_is_calibrated(x->s) ? !calibrate(x)
				     : !load_stops(x, deadline_in(x, 0), "at its start"))
		return;
	unlink(x->settings);
	*ret_err = look(x, d);
	moment(x, TRIAL_ALONE);
	if (*ret_err || !begin(x, d, ret_err))
		return;
	if (x->watched && x->control >= 0 && x->s->launch.reload)
		reload(x);
	if (!contend(x, d, ret_err) ||
	    !load_stops(x, deadline_in(x, load_ns(x->s->cell)), "in its run"))
		return;
	x->r->scored[1] = now_ns();
	moment(x, TRIAL_QUIET);
	pressure_stop(x->pressure);
	x->pressure = NULL;
	cost_watch_stop(&x->cost, x->s->log_fd);
	*ret_err = look(x, d);
	if (*ret_err)
		return;
	finish(x);
}

static int write_load(struct run *x, struct diag *d)
{
	char text[LOAD_LEN];
	ssize_t n = pread(x->load_out, text, sizeof(text), 0);
	int rc = 0, fd;

	if (n <= 0 || n == (ssize_t)sizeof(text))
		return broken(x, NULL, "the workload printed no result object"), 0;
	fd = open(x->s->load_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		rc = diag_set(d, errno ? -errno : -ENOSPC, x->s->load_path, 0, NULL,
			      "cannot be written: %s", strerror(errno ? errno : ENOSPC));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int collect(struct run *x, struct diag *d)
{
	struct collect_info info = {.workload = x->s->cell->workload,
				    .variant = x->s->cell->variant,
				    .seed = x->s->cell->seed,
				    .scored = {x->r->scored[0], x->r->scored[1]},
				    .work_items = x->work_items,
				    .work_items_cnt = x->work_items_cnt,
				    .undiagnosed = x->s->undiagnosed,
				    .contended = x->contended};
	struct truth t;
	int rc;

	cost_watch_lend(&x->cost, x->s->exe ? x->s->exe : x->s->workload->path, &info);
	rc = collect_judged(x->channel, x->s, &info, &t, &x->r->trouble);

	if (rc == -EINVAL) {
		x->r->sound = false;
		return 0;
	}
	if (rc)
		return diag_set(d, rc, NULL, 0, NULL, "truth cannot be collected: %s",
				x->r->trouble.reason);
	if (truth_check(&t, x->s->truth_path, &x->r->trouble) ||
	    symptoms_check(&t, x->s->truth_path, &x->r->trouble))
		x->r->sound = false;
	else
		rc = truth_save(&t, x->s->truth_path, d);
	truth_free(&t);
	return rc;
}

/* Ends everything that was started; says what a watcher left behind, if both ended well: else it
 * may be the workload's. */
static void clean_up(struct run *x, struct leftovers *before)
{
	char names[96];
	unsigned processes;

	process_kill(&x->watcher);
	process_kill(&x->load);
	processes = process_sweep();
	leftovers_remove(before, names, sizeof(names));
	if (!x->watched || !x->r->sound || (!processes && !names[0]))
		return;
	if (processes)
		snprintf(x->r->left, sizeof(x->r->left), "%u process%s%s%s", processes,
			 processes == 1 ? "" : "es", names[0] ? ", " : "", names);
	else
		snprintf(x->r->left, sizeof(x->r->left), "%s", names);
	dprintf(x->s->log_fd, "it left behind, and that was removed: %s\n", x->r->left);
}

int trial_run(const struct trial_spec *s, struct trial_result *ret, struct diag *d)
{
	struct trial_result result = {.sound = true, .watcher = CELL_OK};
	struct run x = {.s = s, .r = &result, .load_out = -1, .control = -1};
	struct leftovers before = {0};
	uint64_t start = now_ns();
	int rc = is_bare(s) ? 0 : make_channel(&x, d);

	if (s->watcher)
		leftovers_take(&before);
	if (!rc)
		perform(&x, d, &rc);
	pressure_stop(x.pressure);
	clean_up(&x, &before);
	cost_watch_stop(&x.cost, s->log_fd);
	if (!rc && x.gone)
		rc = diag_set(d, -EINTR, NULL, 0, "assay run --resume goes on", "interrupted");
	if (!rc && result.sound && !x.absent)
		rc = write_load(&x, d);
	if (!rc && result.sound && !x.absent && x.channel)
		rc = collect(&x, d);
	if (x.load_out >= 0)
		close(x.load_out);
	if (x.control >= 0)
		close(x.control);
	launch_env_free(&x.env);
	channel_free(x.channel);
	cost_watch_end(&x.cost, s->log_fd);
	if (rc)
		return rc;
	result.seconds = (double)(now_ns() - start) / 1e9;
	*ret = result;
	return 0;
}
