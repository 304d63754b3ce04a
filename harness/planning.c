/* SPDX-License-Identifier: BSD-2-Clause */
/* From a suite's name to a plan in a folder. */
#include "harness/planning.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/provenance.h"
#include "lib/files.h"
#include "mutations/house.h"
#include "mutations/record.h"

int planning_make(struct workshop *w, const char *suite, const struct planning_args *a,
		  struct plan *ret, struct diag *d)
{
	const struct suite *s = suite_find(suite, d);
	struct suite_options o = {.seeds = a->seeds, .ops = a->ops, .reference = a->stored};
	const struct profiler *p;
	struct mutation_list list = {0};
	struct house house;
	int rc;

	if (!s)
		return d->err;
	if (!machine_can_record(&w->machine, NULL))
		o.reference = true;
	if (a->profiler) {
		if (!strchr(a->profiler, '/') || access(a->profiler, F_OK))
			return diag_set(d, -ENOENT, a->profiler, 0,
					"a path with a slash, such as ./mine",
					"there is no such program");
		rc = programs_profiler(&w->programs, a->profiler, &p, d);
		if (rc)
			return rc;
		o.stranger = p->path;
	}
	if (!house_open(&house, w->programs.folder, NULL, NULL)) {
		o.house = &house;
		rc = mutation_scan(house.records, &list, d);
		if (rc)
			return rc;
		o.mutations = &list;
	}
	rc = suite_plan(s, &w->programs, &o, ret, d);
	mutation_list_free(&list);
	return rc;
}

int planning_folder(const char *out, const char *suite, char ret[PATH_LEN], struct diag *d)
{
	char made[PATH_LEN], real[PATH_MAX];
	int rc;

	if (out) {
		rc = path_format(made, d, "%s", out);
		if (!rc)
			rc = dir_make(made, d);
	} else {
		rc = run_folder_new(make_args.results, suite, made, d);
	}
	if (rc)
		return rc;
	if (!realpath(made, real))
		return file_error(d, -errno, made, "read");
	return path_format(ret, d, "%s", real);
}

int planning_write(struct workshop *w, const char *run, const char *suite, const struct plan *p,
		   struct diag *d)
{
	struct trial_limits limits = make_limits();
	struct provenance prov = {.run = run,
				  .suite = suite,
				  .plan = p,
				  .programs = &w->programs,
				  .machine = &w->machine,
				  .limits = &limits};
	char path[PATH_LEN];
	int rc = path_format(path, d, "%s/plan.tsv", run);

	if (!rc && !access(path, F_OK))
		return diag_set(d, -EEXIST, path, 0, "name another folder, or remove the run",
				"there is a plan already");
	if (!rc)
		rc = plan_save(p, path, d);
	if (!rc)
		rc = provenance_write(&prov, d);
	return rc ? rc : run_folder_latest(run, d);
}

int planning_error(const struct diag *d)
{
	if (d->err != -ENOENT)
		return command_error(d);
	diag_print(d, stderr);
	return EXIT_USAGE;
}
