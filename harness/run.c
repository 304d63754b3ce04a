/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop over the cells of a run. */
#include "harness/run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/crew.h"
#include "harness/folder.h"
#include "harness/process.h"
#include "harness/provenance.h"
#include "harness/runner.h"
#include "harness/stock.h"
#include "harness/variant.h"
#include "lib/vocab.h"
#include "mutations/house.h"

int run_find(const char *path, char ret[PATH_LEN], struct diag *d)
{
	char real[PATH_MAX], plan[PATH_LEN], *slash;
	struct stat st;

	if (!realpath(path, real) || stat(real, &st))
		return diag_set(d, -errno, path, 0, "assay plan SUITE makes a run",
				"there is no such run: %s", strerror(errno));
	slash = strrchr(real, '/');
	if (!S_ISDIR(st.st_mode)) {
		if (strcmp(slash, "/plan.tsv"))
			return diag_set(d, -EINVAL, path, 0, "name a plan.tsv or its folder",
					"this is no plan.tsv");
		*slash = '\0';
	} else if (path_format(plan, d, "%s/plan.tsv", real) || access(plan, F_OK)) {
		return diag_set(d, -ENOENT, path, 0, "assay plan SUITE makes a run",
				"this is no run: there is no plan.tsv in it");
	}
	return path_format(ret, d, "%s", real);
}

static bool mine(const struct plan *p, size_t i, const struct run_options *o)
{
	return plan_shard(p, i, o->shards) == o->shard - 1;
}

static bool ended(const char *run, const struct cell *c)
{
	struct cell_status s;

	return !status_read(run, c->name, &s, NULL);
}

/* Cells that another shard has yet to make, too. */
static bool open_cells(const char *run, const struct plan *p)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (!ended(run, &p->v[i]))
			return true;
	return false;
}

/* Marks the cells to make; returns their number, or -EEXIST. */
static int select_cells(const char *run, const struct plan *p, const struct run_options *o,
			bool *ret, double *ret_seconds, struct diag *d)
{
	int cnt = 0, before = 0;
	double seconds = 0;

	for (size_t i = 0; i < p->cnt; i++) {
		bool done = ended(run, &p->v[i]);

		ret[i] = mine(p, i, o) && !done;
		before += mine(p, i, o) && done;
		cnt += ret[i];
		seconds += ret[i] ? cell_estimate(&p->v[i]) : 0;
	}
	if (before && !o->resume)
		return diag_set(d, -EEXIST, run, 0,
				"--resume makes the rest; a new plan starts anew",
				"%d cells of this run have ended already", before);
	*ret_seconds = seconds;
	return cnt;
}

/* Whether it only reads what another cell left. */
static bool is_derived(const struct cell *c)
{
	return c->kind == KIND_JOIN || c->kind == KIND_TRUTH;
}

/* The wanted cells in the order in which they are made. */
struct turns {
	const struct programs *programs;
	const struct cell **v;
	size_t patient, runs, cnt; /* runs: all but the derived; the patient come first */
};

/* What builds writes to storage, whose queue knows no idle priority. */
static bool waits_for_storage(const struct programs *t, const struct cell *c)
{
	const struct workload *w;

	return programs_workload(t, c->workload, &w, NULL) || w->ailments & 1u << DIAGNOSIS_SLOW_IO;
}

/*
 * Whether programs may be built beside it. A recording's truth, evidence and claims stand on who
 * did what and in which order; what builds has idle priority and gives way. What is timed, waits
 * for storage, or is made hard, runs alone, and whoever is not our own collector: it would see
 * whose programs are built.
 */
static bool is_patient(const struct programs *t, const struct cell *c)
{
	return c->kind == KIND_RECORD && !strcmp(c->regime, "clean") &&
	       !variant_ailment(c->variant) && !waits_for_storage(t, c);
}

/* The first of a workload compiles its objects, which the others take: two that are built at once
 * should be of two workloads. */
static bool is_first(const struct turns *t, const struct cell *c)
{
	for (size_t i = 0; i < t->cnt; i++)
		if (!strcmp(t->v[i]->workload, c->workload))
			return false;
	return true;
}

enum turn { TURN_FIRST, TURN_PATIENT, TURN_ALONE, TURN_DERIVED, TURN_CNT };

static enum turn turn_of(const struct turns *t, const struct cell *c, bool first)
{
	if (is_derived(c))
		return TURN_DERIVED;
	if (!is_patient(t->programs, c))
		return TURN_ALONE;
	return first && is_first(t, c) ? TURN_FIRST : TURN_PATIENT;
}

static int take_turns(const struct plan *p, const struct programs *programs, const bool *wanted,
		      struct turns *ret, struct diag *d)
{
	bool *taken = calloc(p->cnt + 1, sizeof(*taken));

	*ret = (struct turns){.programs = programs, .v = calloc(p->cnt + 1, sizeof(*ret->v))};
	if (!taken || !ret->v) {
		free(taken);
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	}
	for (enum turn t = TURN_FIRST; t < TURN_CNT; t++) {
		for (size_t i = 0; i < p->cnt; i++) {
			if (!wanted[i] || taken[i] || turn_of(ret, &p->v[i], t == TURN_FIRST) != t)
				continue;
			taken[i] = true;
			ret->v[ret->cnt++] = &p->v[i];
		}
		if (t == TURN_PATIENT)
			ret->patient = ret->cnt;
		if (t == TURN_ALONE)
			ret->runs = ret->cnt;
	}
	free(taken);
	return 0;
}

struct derived {
	struct runner *r;
	const struct cell *const *v;
};

static void make_derived(void *arg, size_t i)
{
	const struct derived *v = arg;
	struct cell_status s;

	runner_cell(v->r, v->v[i], &s, NULL);
}

/* As many as can be made so; what has no status afterwards is made again by who can tell why. */
static int make_ahead(struct runner *r, const struct turns *t, struct diag *d)
{
	struct derived v = {.r = r, .v = t->v + t->runs};

	return crew_run("joins", 1, t->cnt - t->runs, make_derived, &v, 0, d);
}

struct left {
	size_t done, of;
	double seconds;
};

/* Those wanted and not yet made, in turn. */
static int make_cells(struct runner *r, const struct run_options *o, const struct cell *const *v,
		      size_t cnt, struct left *left, struct diag *d)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < cnt; i++) {
		struct cell_status s;

		if (o->step)
			o->step(o->arg, v[i], left->done, left->of, left->seconds);
		if (!is_derived(v[i]) || !ended(r->run, v[i]))
			rc = runner_cell(r, v[i], &s, d);
		left->seconds -= cell_estimate(v[i]);
		left->done++;
	}
	return rc;
}

static void end_step(const struct run_options *o, const struct left *left)
{
	if (o->step)
		o->step(o->arg, NULL, left->done, left->of, 0);
}

/* Cells that run a workload: those beside which programs may be built, then the others. */
static int make_runs(struct runner *r, const struct run_options *o, const struct turns *t,
		     struct left *left, struct diag *d)
{
	int rc = make_cells(r, o, t->v, t->patient, left, d);

	if (!rc && r->stock)
		rc = stock_finish(r->stock, d);
	if (!rc)
		rc = make_cells(r, o, t->v + t->patient, t->runs - t->patient, left, d);
	end_step(o, left);
	return rc;
}

static int make_joins(struct runner *r, const struct run_options *o, const struct turns *t,
		      struct left *left, struct diag *d)
{
	int rc = make_ahead(r, t, d);

	if (!rc)
		rc = make_cells(r, o, t->v + t->runs, t->cnt - t->runs, left, d);
	end_step(o, left);
	return rc;
}

/* Without sources there are no programs to be made, and where nothing can be recorded none is
 * wanted. That they cannot be kept anywhere is no error: each cell makes its own then. */
static int open_stock(struct runner *r, const struct turns *t, struct diag *d)
{
	struct house h;

	if (!machine_can_record(r->machine, NULL) ||
	    house_open(&h, r->programs->folder, NULL, r->programs->records, NULL))
		return 0;
	r->stock = stock_open(r, &h, t->v, t->runs, d);
	if (r->stock || d->err == -EACCES || d->err == -EROFS || d->err == -EPERM)
		return 0;
	return d->err;
}

static double since(uint64_t start)
{
	return (double)(now_ns() - start) / NS_PER_S;
}

static int make_all(struct runner *r, const struct run_options *o, const struct turns *t,
		    struct left left, struct run_seconds *ret, struct diag *d)
{
	uint64_t start = now_ns();
	int rc = open_stock(r, t, d);

	if (!rc)
		rc = make_runs(r, o, t, &left, d);
	if (r->stock)
		ret->programs = stock_waited(r->stock);
	stock_close(r->stock);
	r->stock = NULL;
	ret->runs = since(start) - ret->programs - *r->waited;
	start = now_ns();
	if (!rc)
		rc = make_joins(r, o, t, &left, d);
	ret->joins = since(start);
	return rc;
}

int run_make(const char *run, const struct plan *p, struct programs *programs,
	     const struct machine *m, const struct run_options *o, struct diag *d)
{
	double waited = 0;
	struct runner r = {.run = run,
			   .programs = programs,
			   .machine = m,
			   .plan = p,
			   .reference = o->reference,
			   .limits = o->limits,
			   .waited = &waited};
	struct provenance prov = {.run = run,
				  .suite = o->suite,
				  .plan = p,
				  .programs = programs,
				  .machine = m,
				  .limits = &o->limits,
				  .started = true};
	bool *wanted = calloc(p->cnt + 1, sizeof(*wanted));
	struct turns turns = {0};
	struct run_seconds seconds = {0};
	struct left left = {0};
	int rc, cnt, lock;

	if (!wanted)
		return diag_set(d, -ENOMEM, run, 0, NULL, "out of memory");
	lock = run_folder_lock(run, o->shard, o->shards, d);
	if (lock < 0) {
		free(wanted);
		return lock;
	}
	cnt = rc = select_cells(run, p, o, wanted, &left.seconds, d);
	if (rc >= 0)
		rc = provenance_write(&prov, d);
	if (!rc)
		rc = take_turns(p, programs, wanted, &turns, d);
	if (!rc) {
		work_folder_prune(run);
		left.of = (size_t)cnt;
		rc = make_all(&r, o, &turns, left, &seconds, d);
		work_folder_prune(run);
	}
	free(turns.v);
	free(wanted);
	prov.seconds = &seconds;
	prov.finished = !rc && !o->goes_on && !open_cells(run, p);
	if (!rc || rc == -EINTR) {
		int err = provenance_write(&prov, rc ? NULL : d);

		rc = rc ? rc : err;
	}
	if (o->seconds)
		*o->seconds = seconds;
	close(lock);
	return rc;
}
