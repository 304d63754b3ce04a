/* SPDX-License-Identifier: BSD-2-Clause */
/* The suite "floors", judged: what guessing reaches, and how far that is from chance. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/audit.h"
#include "harness/folder.h"
#include "harness/planning.h"
#include "lib/files.h"
#include "results/floors.h"

/* On a busy machine threads take turns, and who guesses by time is right more often: no fault of a
 * workload. So one is run again before it is called guessable, and must be so in every run. */
enum { AGAIN = 2 };

static const char suite[] = "floors";

/* The workloads that were guessed too well. */
struct failing {
	char v[OPT_LIST_MAX][NAME_LEN];
	size_t cnt;
};

static double chance(struct view *v, const struct view_group *g)
{
	for (size_t r = 0; r < g->row_cnt; r++)
		if (!strcmp(view_label(&g->rows[r]), "random"))
			return view_span(v, &g->rows[r], "handoff.context.f1", "declared").max;
	return 0;
}

static void judge(struct view *v, const struct view_group *g, struct failing *ret)
{
	struct floor_best best;
	double random = chance(v, g);
	bool works;

	if (!floors_best(v, g, &best)) {
		printf("%-10s %-8s\n", g->workload, "none");
		return;
	}
	works = best.least > FLOOR_LIMIT && !floors_may_work(g->workload);
	printf("%-10s %-8s %8.4f %8.4f %8.4f  %s\n", g->workload, view_label(best.row), best.least,
	       random, best.least - random,
	       works			      ? "GUESSED"
	       : floors_may_work(g->workload) ? "by design"
	       : best.f1 > FLOOR_LIMIT	      ? "not in every run"
					      : "");
	if (works && ret->cnt < OPT_LIST_MAX)
		snprintf(ret->v[ret->cnt++], NAME_LEN, "%s", g->workload);
}

static int judge_run(const char *run, struct failing *ret, struct diag *d)
{
	struct view *v;
	int rc = view_load(run, &v, d);

	if (rc)
		return rc;
	ret->cnt = 0;
	printf("\n%-10s %-8s %8s %8s %8s\n", "workload", "guess", "F1", "random", "above");
	for (size_t g = 0; g < v->group_cnt; g++)
		judge(v, &v->groups[g], ret);
	view_free(v);
	return 0;
}

/* An exit code; with 0 the judgement is in *ret. */
static int run_suite(struct workshop *w, const char *run, const struct planning_args *a,
		     struct failing *ret)
{
	struct plan p = {0};
	struct diag d = {0};
	int rc = planning_make(w, suite, a, &p, &d), code = EXIT_GOOD;
	bool ended = false;

	if (!rc)
		rc = planning_write(w, run, suite, &p, &d);
	if (!rc)
		code = make_run(w, run, &p, suite, 1, 1, false, &ended);
	if (!rc && ended)
		rc = make_scores(w, run, &p, &d);
	if (!rc && ended)
		rc = planning_finish(w, run, &p, &d);
	if (!rc && ended)
		rc = judge_run(run, ret, &d);
	plan_free(&p);
	return rc ? planning_error(&d) : code;
}

static int run_in(struct workshop *w, const char *folder, const char *name,
		  const struct planning_args *a, struct failing *ret)
{
	char path[PATH_LEN], run[PATH_LEN];
	struct diag d = {0};
	int rc = path_format(path, &d, "%s/%s", folder, name);

	if (!rc)
		rc = planning_folder(path, suite, run, &d);
	return rc ? command_error(&d) : run_suite(w, run, a, ret);
}

static int audit_in(struct workshop *w, const char *folder)
{
	struct planning_args all = {.seeds = 1}, again = {.seeds = AGAIN};
	struct failing failing = {.cnt = 0}, still = {.cnt = 0};
	int code = run_in(w, folder, "once", &all, &failing);

	if (code || !failing.cnt)
		return code;
	for (size_t i = 0; i < failing.cnt; i++)
		again.workloads.v[again.workloads.cnt++] = failing.v[i];
	printf("\nonce more, %d times:\n", AGAIN);
	code = run_in(w, folder, "again", &again, &still);
	if (code || !still.cnt)
		return code;
	printf("\nGUESSING WORKS on %zu workload%s: F1 above %g without looking.\n", still.cnt,
	       still.cnt == 1 ? "" : "s", FLOOR_LIMIT);
	return EXIT_FAILED;
}

int audit_workloads(struct workshop *w, const char *out)
{
	char made[PATH_LEN];
	struct diag d = {0};
	int rc, code;

	if (out)
		return audit_in(w, out);
	rc = temp_path("assay-audit-XXXXXX", made, &d);
	if (!rc && !mkdtemp(made))
		rc = file_error(&d, -errno, made, "make");
	if (rc)
		return command_error(&d);
	code = audit_in(w, made);
	folder_remove(made, NULL);
	return code;
}
