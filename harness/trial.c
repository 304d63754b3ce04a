/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol of one run: stop, attach, ready, go, quiet, drain, end (contracts §3). */
#include "harness/trial.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/leftovers.h"
#include "harness/trial_session.h"
#include "lib/files.h"

/* The workload's own time, four times over for a busy machine. */
static uint64_t load_ns(const struct cell *c)
{
	uint64_t ops = cell_param(c, "ops", 1), rate = cell_param(c, "rate", 1000);

	return rate ? (uint64_t)(4e9 * (double)ops / (double)rate) : UINT64_C(60000000000);
}

static bool is_bare(const struct trial_spec *s)
{
	return s->truth && s->truth->off;
}

/* While the workload stands still, and once. */
static void watch_costs(struct trial *x)
{
	if (!is_bare(x->s) && !x->s->uncosted && !x->costed)
		cost_watch_start(&x->cost, x->load.pid, x->s->wakes, x->s->log_fd);
	x->costed = true;
}

static void moment(const struct trial *x, enum trial_moment m)
{
	if (x->s->meter)
		x->s->meter->at(x->s->meter->arg, m);
}

static int look(const struct trial *x, struct diag *d)
{
	return x->s->look ? x->s->look(x->s->arg, x->load.pid, d) : 0;
}

static bool is_late(const struct trial *x)
{
	return x->s->live && x->s->live->late_ns && x->s->watcher;
}

static bool go_ahead(struct trial *x)
{
	process_continue(&x->load);
	return trial_goes_on(x, x->s->live->late_ns, "anybody watched");
}

/* The one ailment that comes from outside the application: when the operations before the turn
 * have arrived, hogs take their share of every processor. */
static bool contend(struct trial *x, struct diag *d, int *ret_err)
{
	uint64_t rate = cell_param(x->s->cell, "rate", 0);

	if (x->s->ail != DIAGNOSIS_CPU_CONTENTION)
		return true;
	if (!trial_goes_on(x, rate ? (uint64_t)(NS_PER_S * (double)x->s->turn / (double)rate) : 0,
			   "its turn"))
		return false;
	x->contended = now_ns();
	x->pressure = hogs_start(x->s->data, d);
	*ret_err = x->pressure ? 0 : d->err;
	return !*ret_err;
}

/* From the first stop to the moment from which on is scored. */
static bool begin(struct trial *x, struct diag *d, int *ret_err)
{
	bool late = is_late(x);

	if (late)
		watch_costs(x);
	if (late && !go_ahead(x))
		return false;
	if (x->s->watcher && !trial_wraps(x)) /* that it takes time is measured alone */
		*ret_err = trial_watcher_start(x, late || x->s->meter ? NULL : watch_costs, d);
	if (!*ret_err && x->s->live && x->s->live->pressure)
		x->pressure = pressure_start(x->s->data, d);
	if (!*ret_err && x->s->live && x->s->live->pressure && !x->pressure)
		*ret_err = d->err;
	if (*ret_err || x->gone)
		return false;
	moment(x, TRIAL_READY);
	if (!late)
		watch_costs(x);
	x->went = machine_ticks();
	moment(x, TRIAL_GOES);
	x->r->scored[0] = now_ns();
	if (!late)
		process_continue(&x->load);
	else if (process_wait(&x->load, 0) == PROCESS_STOPPED) {
		trial_broken(x, "give it more operations",
			     "the run was over before the watcher was ready");
		return false;
	}
	return true;
}

/* Half of the time that the operations take as they arrive, then the word; the end of it all is for
 * load_stops to see. */
static void reload(struct trial *x)
{
	char words[PATH_LEN + 16];
	int n = snprintf(words, sizeof(words), "reload %s\n", x->s->launch.reload);

	if (process_wait(&x->load, now_ns() + load_ns(x->s->cell) / 8) == PROCESS_TIMEOUT &&
	    write(x->control, words, (size_t)n) != n)
		dprintf(x->s->log_fd, "it has closed the control descriptor\n");
}

static void finish(struct trial *x)
{
	bool wrapped = trial_wraps(x);

	if (x->watched && !wrapped)
		trial_watcher_drain(x);
	moment(x, TRIAL_OVER);
	if (!x->gone && trial_load_ends(x) && x->watched && wrapped)
		trial_watcher_drain(x);
}

static void perform(struct trial *x, struct diag *d, int *ret_err)
{
	*ret_err = trial_learn_environment(x, d);
	if (!*ret_err && !x->absent)
		*ret_err = trial_start_load(x, d);
	if (*ret_err || !x->r->sound || x->gone || x->absent)
		return;
	if (load_is_calibrated(x->s) ? !trial_calibrate(x)
				     : !trial_load_stops(x, trial_deadline(x, 0), "at its start"))
		return;
	unlink(x->settings);
	if (x->channel)
		channel_let_go(x->channel);
	*ret_err = look(x, d);
	moment(x, TRIAL_ALONE);
	if (*ret_err || !begin(x, d, ret_err))
		return;
	if (x->watched && x->control >= 0 && x->s->launch.reload)
		reload(x);
	if (!contend(x, d, ret_err) ||
	    !trial_load_stops(x, trial_deadline(x, load_ns(x->s->cell)), "in its run"))
		return;
	x->r->scored[1] = now_ns();
	moment(x, TRIAL_QUIET);
	x->r->idle = machine_idle_since(&x->went);
	pressure_stop(x->pressure);
	x->pressure = NULL;
	cost_watch_stop(&x->cost, x->s->log_fd);
	*ret_err = look(x, d);
	if (*ret_err)
		return;
	finish(x);
}

/* Ends everything that was started; says what a watcher left behind, if both ended well: else it
 * may be the workload's. */
static void clean_up(struct trial *x, struct leftovers *before)
{
	char names[96];
	unsigned processes;

	process_kill(&x->watcher);
	process_kill(&x->load);
	processes = x->swept + process_sweep();
	leftovers_remove(before, names, sizeof(names));
	if (!x->watched || !x->r->sound || (!processes && !names[0]))
		return;
	if (processes)
		snprintf(x->r->left, sizeof(x->r->left), "%u process%s (%s)%s%s", processes,
			 processes == 1 ? "" : "es, one of them", process_swept(),
			 names[0] ? ", " : "", names);
	else
		snprintf(x->r->left, sizeof(x->r->left), "%s", names);
	dprintf(x->s->log_fd, "-- it left behind, and that was removed: %s\n", x->r->left);
}

int trial_run(const struct trial_spec *s, struct trial_result *ret, struct diag *d)
{
	struct trial_result result = {.sound = true, .watcher = CELL_OK, .idle = -1};
	struct trial x = {.s = s, .r = &result, .load_out = -1, .control = -1};
	struct leftovers before = {.lock = -1};
	uint64_t start;
	int rc;

	if (s->watcher && s->launch.litters)
		leftovers_take(&before, s->log_fd);
	result.waited_ns = before.waited_ns;
	start = now_ns();
	rc = is_bare(s) ? 0 : trial_make_channel(&x, d);
	if (!rc)
		perform(&x, d, &rc);
	pressure_stop(x.pressure);
	clean_up(&x, &before);
	cost_watch_stop(&x.cost, s->log_fd);
	if (!rc && x.gone)
		rc = diag_set(d, -EINTR, NULL, 0, "assay run --resume goes on", "interrupted");
	if (!rc && result.sound && !x.absent)
		rc = trial_write_load(&x, d);
	if (!rc && result.sound && !x.absent && x.channel)
		rc = trial_collect(&x, d);
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
