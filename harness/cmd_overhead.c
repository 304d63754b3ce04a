/* SPDX-License-Identifier: BSD-2-Clause */
/* assay overhead: what watching costs, beside what it sees. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command.h"
#include "harness/folder.h"
#include "harness/overhead_file.h"
#include "harness/overhead_print.h"
#include "harness/runner.h"
#include "harness/single.h"
#include "lib/numbers.h"
#include "lib/opts.h"
#include "scoring/score.h"

enum { OPEN_PAIRS = 8, CLOSED_PAIRS = 4, PAIRS_MOST = 40, CPUS_MOST = 58 };

static struct {
	const char *workload, *cpus, *watcher_cpus;
	uint64_t pairs, closed, arms, ms, seed;
	bool json;
} args = {.pairs = OPEN_PAIRS, .closed = CLOSED_PAIRS, .arms = 3, .ms = 2000, .seed = 1};

static const struct opt table[] = {
	{"workload", 0, OPT_STR, "NAME", "which workload (wake)", &args.workload, 0, 0, NULL},
	{"pairs", 0, OPT_COUNT, "N", "pairs of runs at the default rate (8)", &args.pairs, 2,
	 PAIRS_MOST, NULL},
	{"closed", 0, OPT_U64, "N", "pairs of runs as fast as it can, for capacity (4)",
	 &args.closed, 0, PAIRS_MOST, NULL},
	{"arms", 0, OPT_COUNT, "N", "3: one without the truth channel as well; 2 (3)", &args.arms,
	 2, 3, NULL},
	{"ms", 0, OPT_COUNT, "N", "milliseconds that a run takes (2000)", &args.ms, 100, 600000,
	 NULL},
	{"cpus", 0, OPT_STR, "LIST", "processors of the workload, such as 0,2 (all)", &args.cpus, 0,
	 0, NULL},
	{"watcher-cpus", 0, OPT_STR, "LIST", "processors of the profiler (all)", &args.watcher_cpus,
	 0, 0, NULL},
	{"seed", 0, OPT_U64, "N", "(1)", &args.seed, 0, 0, NULL},
	{"json", 0, OPT_FLAG, NULL, "figures as JSON Lines", &args.json, 0, 0, NULL},
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay overhead",
	.usage = "PROFILER [--workload NAME]",
	.purpose = "Measures what a profiler costs a workload ('none': nobody)",
	.table = table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay overhead causal --workload pool",
		     "assay overhead ./mine --pairs 20 --cpus 0 --watcher-cpus 1",
		     "assay overhead none --workload wake"},
};

/* ---- what is asked for ---- */

/* "0,2" as a bit set; NULL: 0. */
static int cpus_of(const char *option, const char *list, uint64_t *ret, struct diag *d)
{
	uint64_t set = 0;

	for (const char *s = list; s && *s; s += strspn(s, ",")) {
		size_t len = strcspn(s, ",");
		char word[8];
		uint64_t n;

		if (snprintf(word, sizeof(word), "%.*s", (int)len, s) >= (int)sizeof(word) ||
		    parse_u64(word, &n) || n > CPUS_MOST)
			return diag_set(d, -EINVAL, option, 0, "such as 0,2",
					"%.40s is no list of processors from 0 to %d", list,
					CPUS_MOST);
		set |= UINT64_C(1) << n;
		s += len;
	}
	*ret = set;
	return 0;
}

static int plan_cell(const struct workload *w, const struct profiler *p, struct single *s,
		     struct diag *d)
{
	uint64_t load_cpus = 0, watcher_cpus = 0;
	struct cell c;
	int rc = cpus_of("--cpus", args.cpus, &load_cpus, d);

	if (!rc)
		rc = cpus_of("--watcher-cpus", args.watcher_cpus, &watcher_cpus, d);
	if (rc)
		return rc;
	single_recording(w->name, args.seed, &c);
	c.kind = KIND_OVERHEAD;
	snprintf(c.profiler, sizeof(c.profiler), "%s", p ? p->name : OVERHEAD_NOBODY);
	snprintf(c.division, sizeof(c.division), "%s", p ? p->division : "none");
	strcpy(c.binding, "stamped");
	snprintf(c.params, sizeof(c.params),
		 "pairs=%llu closed=%llu bare=%d ms=%llu load_cpus=%llu watcher_cpus=%llu",
		 (unsigned long long)args.pairs, (unsigned long long)args.closed, args.arms == 3,
		 (unsigned long long)args.ms, (unsigned long long)load_cpus,
		 (unsigned long long)watcher_cpus);
	return plan_add(&s->plan, &c, d);
}

/* ---- what is said ---- */

static int print_json(const struct overhead_figure *f, void *arg)
{
	(void)arg;
	overhead_file_put(f, stdout);
	return 0;
}

static int print_accuracy(const struct score_figure *f, void *arg)
{
	(void)arg;
	if (!f->has)
		return 0;
	if (!strcmp(f->metric, "handoff.context.f1") && !strcmp(f->scope, "declared"))
		printf("  F1 on declared types       %.4f\n", f->value);
	if (!strcmp(f->metric, "coverage") && !strcmp(f->scope, "all"))
		printf("  they are of all handoffs   %.4f\n", f->value);
	if (!strcmp(f->metric, "profile.tv_distance"))
		printf("  profile, %-17s distance %.4f\n", f->scope, f->value);
	return 0;
}

static int say_accuracy(const struct single *s, struct diag *d)
{
	const struct score_options o = {.start = HEALTH_VALIDATED};
	char truth[PATH_LEN], claims[PATH_LEN];
	struct score *score;
	int rc = single_path(s, "truth.bin", truth, d);

	if (!rc)
		rc = single_path(s, "claims.bin", claims, d);
	if (rc)
		return rc;
	score = score_files(truth, claims, &o, d);
	if (!score)
		return d->err;
	puts("accuracy, of the first watched run");
	if (score_status(score) == SCORE_OK)
		rc = score_each_figure(score, print_accuracy, NULL);
	score_free(score);
	puts("");
	return rc;
}

static int say(const struct single *s, const struct workload *w, const struct profiler *p,
	       struct diag *d)
{
	char path[PATH_LEN];
	int rc = single_path(s, OVERHEAD_FILE, path, d);

	if (rc)
		return rc;
	if (args.json)
		return overhead_file_read(path, print_json, NULL, d);
	printf("%s on %s: %llu pairs of %.1f s at its default rate\n\n", p ? p->name : "nobody",
	       w->name, (unsigned long long)args.pairs, (double)args.ms / 1000);
	rc = p ? say_accuracy(s, d) : 0;
	return rc ? rc : overhead_print(path, stdout, d);
}

/* ---- the command ---- */

static int find(struct workshop *w, const char *name, const struct workload **ret_w,
		const struct profiler **ret_p, struct diag *d)
{
	const char *workload = args.workload ? args.workload : "wake";
	int rc = programs_workload(&w->programs, workload, ret_w, d);

	if (!rc && strcmp(name, OVERHEAD_NOBODY))
		rc = programs_profiler(&w->programs, name, ret_p, d);
	if (!rc && *ret_p && (*ret_p)->trouble.err) {
		*d = (*ret_p)->trouble;
		rc = d->err;
	}
	if (!rc && *ret_p && !((*ret_p)->launch & (LAUNCH_ATTACH | LAUNCH_ENV)))
		rc = diag_set(d, -ENOTSUP, name, 0, "one that attaches: assay list profilers",
			      "it is not there while the workload runs, so it costs it nothing");
	return rc;
}

/* -ECANCELED where the cell is not ok, which it says itself. */
static int measure(struct workshop *w, const char *name, struct diag *d)
{
	const struct workload *workload = NULL;
	const struct profiler *p = NULL;
	struct trial_limits limits = make_limits();
	struct single s = {.run = ""};
	char near[PATH_LEN];
	int rc = find(w, name, &workload, &p, d);

	if (!rc)
		rc = temp_path("run", near, d);
	if (!rc)
		rc = single_open(&s, near, d);
	if (!rc)
		rc = plan_cell(workload, p, &s, d);
	if (!rc)
		rc = single_make(&s, &w->programs, &w->machine, &limits, d);
	if (!rc && s.status.state != CELL_OK) {
		single_report(&s, stderr);
		rc = s.status.state == CELL_UNSUPPORTED ? -ENOTSUP : -ECANCELED;
	}
	if (!rc)
		rc = say(&s, workload, p, d);
	single_close(&s);
	return rc;
}

static int overhead(const char *name)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	struct diag d = {0};
	int code, rc = workshop_open(&w, &d);

	if (!rc)
		rc = measure(&w, name, &d);
	workshop_close(&w);
	switch (rc) {
	case -ECANCELED: /* it was said */
		return EXIT_BROKEN;
	case -ENOTSUP: /* a cell has said why */
		if (d.err)
			diag_print(&d, stderr);
		return EXIT_MISSING;
	default:
		break;
	}
	if (!rc)
		return EXIT_GOOD;
	code = command_error(&d);
	return rc == -ENOENT ? EXIT_USAGE : code;
}

int cmd_overhead(int argc, char **argv)
{
	int first, rc = opts_start(&opts, argc, argv, &first);

	return rc >= 0 ? rc : overhead(argv[first]);
}
