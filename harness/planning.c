/* SPDX-License-Identifier: BSD-2-Clause */
/* From a suite's name to a plan in a folder. */
#include "harness/planning.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/acceptance.h"
#include "harness/provenance.h"
#include "lib/files.h"
#include "mutations/frozen.h"
#include "mutations/funnel.h"
#include "mutations/house.h"
#include "mutations/record.h"

int planning_suite(int argc, int first, struct diag *d)
{
	char names[200] = "";
	size_t len = 0;

	if (first < argc)
		return 0;
	for (size_t i = 0; suites[i] && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, " %s", suites[i]->name);
	return diag_set(d, -EINVAL, NULL, 0, "assay list suites", "there is no suite:%s", names);
}

int planning_check(const struct planning_args *a, struct diag *d)
{
	if (a->alone && !a->profilers.cnt)
		return diag_set(d, -EINVAL, NULL, 0, "--profiler ./mine --alone",
				"--alone leaves nothing without --profiler");
	if (!a->stored || (!a->seeds && !a->ops))
		return 0;
	return diag_set(d, -EINVAL, NULL, 0,
			"--stored alone, or, as root, without it: every seed is a recording then",
			"--%s has no effect on stored runs: each is one recording, made once",
			a->seeds ? "seeds" : "ops");
}

void planning_note(const struct workshop *w, const struct planning_args *a, FILE *out)
{
	if (a->stored || (!a->seeds && !a->ops) || machine_can_record(&w->machine, NULL))
		return;
	fprintf(out, "assay: stored runs stand in for recordings here, one a workload: --seeds and "
		     "--ops\n       change live cells only\n");
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* The last part of a path names its cells, and what describe says is its name. */
static bool is_called(const struct profiler *p, const char *base, const char *name)
{
	return !strcmp(p->name, base) || !strcmp(p->name, name);
}

/* Two profilers of one name could not be told apart in any table. */
static int check_name(const struct programs *t, const struct profiler *p, struct diag *d)
{
	static const char *const kept[] = {"oracle", "liar", "collector"};
	const char *base = strrchr(p->path, '/') + 1;
	bool clash = false;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		clash |= !strcmp(kept[i], base) || !strcmp(kept[i], p->name);
	for (size_t i = 0; !clash && i < t->profilers_cnt && &t->profilers[i] != p; i++)
		clash = is_called(&t->profilers[i], base, p->name);
	if (!clash)
		return 0;
	return diag_set(d, -ENOENT, p->path, 0, "another name for the file and in its describe",
			"a profiler is called %.64s already (assay list profilers)",
			strcmp(p->name, base) ? p->name : base);
}

static int add_stranger(struct programs *t, const char *path, char ret[PATH_LEN], struct diag *d)
{
	size_t before = t->profilers_cnt;
	const struct profiler *p;
	int rc;

	for (size_t i = 0; i < before; i++)
		if (!strcmp(t->profilers[i].name, path))
			return diag_set(d, -ENOENT, path, 0, "leave it out; a path adds others",
					"this profiler is in the suite already");
	if (!strchr(path, '/') || access(path, F_OK))
		return diag_set(d, -ENOENT, path, 0,
				strchr(path, '/') ? "check the spelling of the path"
						  : "a path with a slash, such as ./mine",
				"there is no such program");
	if (!is_program(path))
		return diag_set(d, -ENOENT, path, 0,
				"chmod +x, if it is a profiler: a file that you may execute",
				"it is no program");
	rc = programs_profiler(t, path, &p, d);
	if (!rc && t->profilers_cnt == before)
		rc = diag_set(d, -ENOENT, path, 0, "leave it out",
			      "this profiler is in the suite already");
	if (!rc)
		rc = check_name(t, p, d);
	if (!rc)
		strcpy(ret, p->path);
	return rc;
}

/* What somebody asked to see. */
struct asked {
	const struct planning_args *args;
	const char *const *paths; /* of the strangers */
};

static bool is_asked(const struct cell *c, void *arg)
{
	const struct asked *x = arg;
	bool place = !x->args->workloads.cnt, who = !x->args->alone;

	for (size_t i = 0; !place && i < x->args->workloads.cnt; i++)
		place = !strcmp(c->workload, x->args->workloads.v[i]);
	for (size_t i = 0; !who && i < x->args->profilers.cnt; i++)
		who = !strcmp(c->profiler, x->paths[i]);
	return place && who;
}

static int narrow(const struct programs *t, const struct asked *x, const char *suite,
		  struct plan *p, struct diag *d)
{
	const struct workload *found;

	for (size_t i = 0; i < x->args->workloads.cnt; i++)
		if (programs_workload(t, x->args->workloads.v[i], &found, d))
			return d->err;
	plan_narrow(p, is_asked, (void *)x);
	if (p->cnt)
		return 0;
	return diag_set(d, -EINVAL, NULL, 0, "another suite: assay list suites",
			"nothing of suite %s is left", suite);
}

int planning_make(struct workshop *w, const char *suite, const struct planning_args *a,
		  struct plan *ret, struct diag *d)
{
	const struct suite *s = suite_find(suite, d);
	const char *strangers[OPT_LIST_MAX + 1] = {NULL};
	static char paths[OPT_LIST_MAX][PATH_LEN];
	struct suite_options o = {.seeds = a->seeds ? a->seeds : 1,
				  .ops = a->ops,
				  .reference = a->stored,
				  .strangers = strangers};
	struct mutation_list list = {0};
	struct house house;
	int rc;

	if (!s)
		return d->err;
	if (!machine_can_record(&w->machine, NULL))
		o.reference = true;
	for (size_t i = 0; i < a->profilers.cnt; i++) {
		rc = add_stranger(&w->programs, a->profilers.v[i], paths[i], d);
		if (rc)
			return rc;
		strangers[i] = paths[i];
	}
	if (!house_open(&house, w->programs.folder, NULL, w->programs.records, NULL)) {
		o.house = &house;
		rc = mutation_scan(house.records, &list, d);
		if (rc)
			return rc;
		o.mutations = &list;
	}
	rc = suite_plan(s, &w->programs, &o, ret, d);
	mutation_list_free(&list);
	if (rc)
		return rc;
	return narrow(&w->programs, &(struct asked){.args = a, .paths = strangers}, suite, ret, d);
}

int planning_folder(const char *out, const char *suite, char ret[PATH_LEN], struct diag *d)
{
	char made[PATH_LEN], real[PATH_MAX];
	bool ours = !out || access(out, F_OK);
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
	rc = run_folder_seen(real, d);
	if (rc && ours)
		rmdir(real);
	return rc ? rc : path_format(ret, d, "%s", real);
}

static int tell(struct workshop *w, const char *run, const char *suite, const struct plan *p,
		bool finished, struct diag *d)
{
	struct trial_limits limits = make_limits();
	struct provenance prov = {.run = run,
				  .suite = suite,
				  .plan = p,
				  .programs = &w->programs,
				  .machine = &w->machine,
				  .limits = &limits,
				  .finished = finished};

	return provenance_write(&prov, d);
}

int planning_finish(struct workshop *w, const char *run, const struct plan *p, struct diag *d)
{
	return tell(w, run, NULL, p, true, d);
}

/* What is known of each mutation now; what a run says of them later must not change with the tree.
 */
static int write_quads(const struct workshop *w, const char *run, struct diag *d)
{
	struct mutation_list list = {0};
	struct frozen_list frozen = {0};
	struct file_out out = {0};
	char path[PATH_LEN];
	struct house house;
	int rc;

	if (house_open(&house, w->programs.folder, NULL, w->programs.records, NULL))
		return 0; /* installed: there are no variants */
	rc = path_format(path, d, "%s/quads.json", run);
	if (!rc)
		rc = mutation_scan(house.records, &list, d);
	if (!rc)
		rc = frozen_load(&house, &frozen, d);
	if (!rc)
		rc = file_out_open(&out, path, d);
	if (!rc) {
		rc = funnel_json(&house, &list, &frozen, out.f, d);
		if (rc && ferror(out.f)) /* of the stream, which has no name */
			rc = file_error(d, rc, path, "write");
		if (rc)
			file_out_abort(&out);
		else
			rc = file_out_commit(&out, d);
	}
	frozen_free(&frozen);
	mutation_list_free(&list);
	/* Who may not write in the build has no variants either; of the run's folder the plan
	 * tells. */
	return rc == -EACCES || rc == -EROFS ? 0 : rc;
}

/* Only a suite of acceptance cases has versions of them to compare. */
static int write_cases(const struct workshop *w, const char *run, const char *suite,
		       const struct plan *p, struct diag *d)
{
	const struct suite *s = suite_find(suite, NULL);
	struct mutation_list list = {0};
	struct file_out out;
	struct house house;
	char path[PATH_LEN];
	int rc = s && s->acceptance ? path_format(path, d, "%s/cases.json", run) : 1;

	if (rc)
		return rc < 0 ? rc : 0;
	if (!house_open(&house, w->programs.folder, NULL, w->programs.records, NULL))
		rc = mutation_scan(house.records, &list, d);
	if (!rc)
		rc = file_out_open(&out, path, d);
	if (!rc) {
		rc = acceptance_write(&list, p, out.f);
		if (rc) {
			file_out_abort(&out);
			rc = file_error(d, rc, path, "write");
		} else {
			rc = file_out_commit(&out, d);
		}
	}
	mutation_list_free(&list);
	return rc;
}

int planning_write(struct workshop *w, const char *run, const char *suite, const struct plan *p,
		   struct diag *d)
{
	char path[PATH_LEN];
	int rc = path_format(path, d, "%s/plan.tsv", run);

	if (!rc && !access(path, F_OK))
		return diag_set(d, -EEXIST, path, 0, "name another folder, or remove the run",
				"there is a plan already");
	if (!rc)
		rc = write_quads(w, run, d);
	if (!rc)
		rc = write_cases(w, run, suite, p, d);
	if (!rc)
		rc = plan_save(p, path, d);
	if (!rc)
		rc = tell(w, run, suite, p, false, d);
	return rc ? rc : run_folder_latest(run, d);
}

int planning_error(const struct diag *d)
{
	if (d->err != -ENOENT && d->err != -EEXIST)
		return command_error(d);
	diag_print(d, stderr);
	return EXIT_USAGE;
}
