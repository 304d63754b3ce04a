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
#include "harness/stage.h"

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

struct derived {
	struct runner *r;
	const struct cell **v;
	size_t cnt;
};

static void make_derived(void *arg, size_t i)
{
	const struct derived *v = arg;
	struct cell_status s;

	runner_cell(v->r, v->v[i], &s, NULL);
}

/* As many as can be made so; what has no status afterwards is made again by who can tell why. */
static int make_ahead(struct runner *r, const bool *wanted, struct diag *d)
{
	struct derived v = {.r = r, .v = calloc(r->plan->cnt + 1, sizeof(*v.v))};
	int rc;

	if (!v.v)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (size_t i = 0; i < r->plan->cnt; i++)
		if (wanted[i] && is_derived(&r->plan->v[i]))
			v.v[v.cnt++] = &r->plan->v[i];
	rc = crew_run("joins", 1, v.cnt, make_derived, &v, 0, d);
	free(v.v);
	return rc;
}

struct left {
	size_t done, of;
	double seconds;
};

/* Those wanted and not yet made that are, or are not, derived. */
static int make_cells(struct runner *r, const struct run_options *o, const bool *wanted,
		      bool derived, struct left *left, struct diag *d)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->plan->cnt; i++) {
		const struct cell *c = &r->plan->v[i];
		struct cell_status s;

		if (!wanted[i] || is_derived(c) != derived)
			continue;
		if (o->step)
			o->step(o->arg, c, left->done, left->of, left->seconds);
		if (!derived || !ended(r->run, c))
			rc = runner_cell(r, c, &s, d);
		left->seconds -= cell_estimate(c);
		left->done++;
	}
	return rc;
}

static int make_all(struct runner *r, const struct run_options *o, const bool *wanted,
		    struct left left, struct run_seconds *t, struct diag *d)
{
	uint64_t start = now_ns();
	int rc = make_cells(r, o, wanted, false, &left, d);

	if (o->step)
		o->step(o->arg, NULL, left.done, left.of, 0);
	t->runs = (double)(now_ns() - start) / 1e9;
	start = now_ns();
	if (!rc)
		rc = make_ahead(r, wanted, d);
	if (!rc)
		rc = make_cells(r, o, wanted, true, &left, d);
	if (o->step)
		o->step(o->arg, NULL, left.done, left.of, 0);
	t->joins = (double)(now_ns() - start) / 1e9;
	return rc;
}

/* Programs first: without sources there are none to be made, and where nothing can be recorded
 * none is wanted. That they cannot be kept anywhere is no error: each cell makes its own then, and
 * says itself why it cannot. */
static int make_programs(struct runner *r, const bool *wanted, char stock[PATH_LEN], struct diag *d)
{
	struct house h;
	int rc;

	stock[0] = '\0';
	if (!machine_can_record(r->machine, NULL) ||
	    house_open(&h, r->programs->folder, NULL, r->programs->records, NULL))
		return 0;
	rc = house_scratch(&h, stock, d);
	if (rc)
		return rc == -EACCES || rc == -EROFS || rc == -EPERM ? 0 : rc;
	r->stock = stock;
	return stage_ahead(r, wanted, d);
}

int run_make(const char *run, const struct plan *p, struct programs *programs,
	     const struct machine *m, const struct run_options *o, struct diag *d)
{
	struct runner r = {.run = run,
			   .programs = programs,
			   .machine = m,
			   .plan = p,
			   .reference = o->reference,
			   .limits = o->limits};
	struct provenance prov = {.run = run,
				  .suite = o->suite,
				  .plan = p,
				  .programs = programs,
				  .machine = m,
				  .limits = &o->limits,
				  .started = true};
	bool *wanted = calloc(p->cnt + 1, sizeof(*wanted));
	char stock[PATH_LEN] = "";
	struct run_seconds seconds = {0};
	struct left left = {0};
	uint64_t start = now_ns();
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
	if (!rc) {
		work_folder_prune(run);
		left.of = (size_t)cnt;
		rc = make_programs(&r, wanted, stock, d);
		seconds.programs = (double)(now_ns() - start) / 1e9;
		if (!rc)
			rc = make_all(&r, o, wanted, left, &seconds, d);
		if (stock[0])
			house_remove(stock, NULL);
		work_folder_prune(run);
	}
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
