/* SPDX-License-Identifier: BSD-2-Clause */
/* assay overhead: what watching costs, beside what it sees. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command.h"
#include "harness/meter.h"
#include "harness/runner.h"
#include "harness/single.h"
#include "lib/files.h"
#include "lib/formats/json.h"
#include "lib/opts.h"
#include "scoring/score.h"

enum { OPEN_PAIRS = 8, CLOSED_PAIRS = 4, CLOSED_DEPTH = 16, PAIRS_MOST = 40 };
enum { LOAD_JSON_MAX = 1 << 20 };

static struct {
	const char *workload;
	uint64_t pairs, closed, ms, seed;
	bool json;
} args = {.pairs = OPEN_PAIRS, .closed = CLOSED_PAIRS, .ms = 2000, .seed = 1};

static const struct opt table[] = {
	{"workload", 0, OPT_STR, "NAME", "which workload (wake)", &args.workload, 0, 0, NULL},
	{"pairs", 0, OPT_COUNT, "N", "pairs of runs at the default rate (8)", &args.pairs, 2,
	 PAIRS_MOST, NULL},
	{"closed", 0, OPT_U64, "N", "pairs of runs as fast as it can, for capacity (4)",
	 &args.closed, 0, PAIRS_MOST, NULL},
	{"ms", 0, OPT_COUNT, "N", "milliseconds that a run takes (2000)", &args.ms, 100, 600000,
	 NULL},
	{"seed", 0, OPT_U64, "N", "(1)", &args.seed, 0, 0, NULL},
	{"json", 0, OPT_FLAG, NULL, "figures as JSON Lines", &args.json, 0, 0, NULL},
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay overhead",
	.usage = "PROFILER [--workload NAME]",
	.purpose = "Measures what a profiler costs a workload, in pairs of runs; 'none' is nobody",
	.table = table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay overhead causal --workload pool", "assay overhead ./mine --pairs 20",
		     "assay overhead none --workload wake"},
};

/* One session: all runs of one profiler on one workload. */
struct session {
	struct workshop w;
	const struct workload *workload;
	const struct profiler *p; /* NULL: nobody */
	struct meter *meter;
	struct overhead o;
	double f1, coverage, distance; /* of the first watched run; NAN: it declares nothing so */
};

static bool is_nobody(const char *name)
{
	return !strcmp(name, "none");
}

/* ---- one run ---- */

static void plan_one(const struct session *x, bool closed, uint64_t ops, struct cell *ret)
{
	const struct workload *w = x->workload;

	single_recording(w->name, args.seed, ret);
	ret->kind = KIND_LIVE;
	snprintf(ret->profiler, sizeof(ret->profiler), "%s", x->p ? x->p->name : "null");
	snprintf(ret->division, sizeof(ret->division), "%s", x->p ? x->p->division : "none");
	strcpy(ret->binding, "stamped");
	snprintf(ret->params, sizeof(ret->params),
		 "ops=%llu %s=%llu workers=%llu queue_depth=%llu fanout=%llu",
		 (unsigned long long)ops, closed ? "depth" : "rate",
		 (unsigned long long)(closed ? CLOSED_DEPTH : w->rate),
		 (unsigned long long)w->workers, (unsigned long long)w->queue_depth,
		 (unsigned long long)w->fanout);
}

static double number_at(const struct json_value *o, const char *name)
{
	struct json_value v;
	double d;

	return json_get(o, name, &v) && !json_f64(&v, &d) ? d : NAN;
}

static int read_load(const struct single *s, struct overhead_run *ret, struct diag *d)
{
	struct json_parser *p = json_parser_new();
	struct json_value o, latency;
	char path[PATH_LEN], *text = NULL;
	const char *why;
	size_t len;
	int rc = p ? single_path(s, "load.json", path, d)
		   : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc)
		rc = file_read(path, LOAD_JSON_MAX, &text, &len, d);
	if (!rc && (json_parse(p, text, len, &o, &why) || !json_get(&o, "latency_ns", &latency)))
		rc = diag_set(d, -EINVAL, path, 1, NULL, "the workload says nothing of latency");
	if (!rc) {
		double ops = number_at(&o, "ops");

		ret->ops = ops > 0 ? (uint64_t)ops : 0;
		ret->p50_ns = number_at(&latency, "p50");
		ret->p99_ns = number_at(&latency, "p99");
	}
	free(text);
	json_parser_free(p);
	return rc;
}

static int keep_figure(const struct score_figure *f, void *arg)
{
	struct session *x = arg;

	if (!f->has)
		return 0;
	if (!strcmp(f->metric, "handoff.context.f1") && !strcmp(f->scope, "declared"))
		x->f1 = f->value;
	if (!strcmp(f->metric, "coverage") && !strcmp(f->scope, "all"))
		x->coverage = f->value;
	if (!strcmp(f->metric, "profile.tv_distance") && !strcmp(f->scope, "thread:cpu"))
		x->distance = f->value;
	return 0;
}

/* Accuracy and cost are of the same run. */
static int score_one(struct session *x, const struct single *s, struct diag *d)
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
	if (score_status(score) == SCORE_OK)
		rc = score_each_figure(score, keep_figure, x);
	score_free(score);
	return rc;
}

static int run_ended(struct session *x, const struct single *s, bool scores, struct overhead_run *r,
		     struct diag *d)
{
	int rc;

	if (s->status.state != CELL_OK) {
		single_report(s, stderr);
		return diag_set(d, -ECANCELED, NULL, 0, NULL, "a run did not end well");
	}
	meter_run(x->meter, r);
	rc = read_load(s, r, d);
	return rc || !scores ? rc : score_one(x, s, d);
}

/* Fills in what r->arm, pair and closed ask for. */
static int run_one(struct session *x, uint64_t ops, bool scores, struct overhead_run *r,
		   struct diag *d)
{
	bool watched = r->arm != ARM_PLAIN && x->p;
	const struct runner how = {.meter = meter_hook(x->meter, r->arm == ARM_BARE),
				   .program = x->workload->path,
				   .unwatched = !watched};
	struct trial_limits limits = make_limits();
	struct single s = {.run = ""};
	struct cell c;
	const char *tmp = getenv("TMPDIR");
	char near[PATH_LEN];
	int rc = path_format(near, d, "%s/run", tmp && tmp[0] ? tmp : "/tmp");

	if (!rc)
		rc = single_open(&s, near, d);
	plan_one(x, r->closed, ops, &c);
	if (!rc)
		rc = plan_add(&s.plan, &c, d);
	if (!rc)
		rc = single_make_with(&s, &x->w.programs, &x->w.machine, &limits, &how, d);
	if (!rc)
		rc = run_ended(x, &s, scores && watched, r, d);
	single_close(&s);
	return rc;
}

/* ---- blocks ---- */

/* The arms of a block, turned round in every other: what drifts falls on all alike. */
static int run_block(struct session *x, uint32_t pair, bool closed, uint64_t ops, struct diag *d)
{
	static const enum overhead_arm open[] = {ARM_PLAIN, ARM_WATCHED, ARM_BARE};
	unsigned arms = closed ? 2 : 3;
	int rc = 0;

	for (unsigned i = 0; !rc && i < arms; i++) {
		unsigned at = pair % 2 ? arms - 1 - i : i;
		struct overhead_run r = {.arm = open[at], .pair = pair, .closed = closed};
		bool first = r.arm == ARM_WATCHED && !pair && !closed;

		rc = run_one(x, ops, first, &r, d);
		if (!rc)
			x->o.runs[x->o.cnt++] = r;
	}
	return rc;
}

/* A run of its own, since counting costs. */
static int run_counted(struct session *x, uint64_t ops, struct diag *d)
{
	struct overhead_run r = {.arm = ARM_WATCHED};
	int rc = x->p ? meter_count(x->meter, true, d) : 0;

	if (rc || !x->p)
		return rc;
	rc = run_one(x, ops, false, &r, d);
	if (!rc) {
		meter_hits(x->meter, x->o.hits);
		x->o.counted = true;
		x->o.counted_ops = r.ops;
	}
	meter_count(x->meter, false, NULL);
	return rc;
}

static int run_all(struct session *x, struct diag *d)
{
	uint64_t ops = x->workload->rate * args.ms / 1000;
	struct overhead_run warm = {.arm = ARM_WATCHED};
	int rc;

	ops = ops ? ops : 1;
	x->o.runs = calloc(3 * args.pairs + 2 * args.closed, sizeof(*x->o.runs));
	if (!x->o.runs)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	x->o.says = (struct overhead_says){-1, -1, -1, -1, -1};
	rc = run_one(x, ops, false, &warm, d);
	for (uint32_t i = 0; !rc && i < args.pairs; i++)
		rc = run_block(x, i, false, ops, d);
	for (uint32_t i = 0; !rc && i < args.closed; i++)
		rc = run_block(x, i, true, ops, d);
	return rc ? rc : run_counted(x, ops, d);
}

/* ---- what is printed ---- */

static int print_json(const struct overhead_figure *f, void *arg)
{
	(void)arg;
	printf("{\"metric\":\"%s\",\"scope\":\"%s\",", f->metric, f->scope);
	if (f->has)
		printf("\"value\":%.9g,", f->value);
	else
		printf("\"value\":null,");
	if (f->has && f->has_interval)
		printf("\"lo\":%.9g,\"hi\":%.9g,", f->lo, f->hi);
	printf("\"n\":%llu}\n", (unsigned long long)f->n);
	return 0;
}

/* How a figure is read, by the beginning of its name; the first that fits. */
static const struct unit {
	const char *name, *unit, *says;
	double times;
} units[] = {
	{"cpu_plain", "µs", "CPU an operation, unwatched", 1e-3},
	{"cpu_added", "µs", "CPU added an operation", 1e-3},
	{"cpu_share", "%", "the same, of the unwatched", 100},
	{"latency_added", "µs", "latency added at the default rate", 1e-3},
	{"capacity_lost", "%", "capacity lost, as fast as it can", 100},
	{"truth_share", "%", "cost of the truth channel", 100},
	{"arms_differ", "%", "CPU of the profiler more with truth than without", 100},
	{"counted_share", "%", "counted, of the unwatched", 100},
	{"counted", "µs", "counted an operation: programs, and with the profiler", 1e-3},
	{"hits", "", "hits of BPF programs an operation", 1},
	{"ns_a_hit", "ns", "a hit takes in its program", 1},
	{"load_ns", "ms", "until it was ready", 1e-6},
	{"attach_cpu_ns", "ms", "CPU until it was ready", 1e-6},
	{"peak_bytes", "MiB", "memory at its most", 1.0 / (1 << 20)},
};

static const struct unit *unit_of(const char *metric)
{
	const char *name = metric + strlen("overhead.");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strncmp(name, units[i].name, strlen(units[i].name)))
			return &units[i];
	return NULL;
}

static bool ends_in(const char *s, const char *end)
{
	size_t len = strlen(s), more = strlen(end);

	return len > more && !strcmp(s + len - more, end);
}

/* An effect and, behind it, what could have been seen; p values are for --json. */
static int print_line(const struct overhead_figure *f, void *arg)
{
	const struct unit *u = unit_of(f->metric);

	(void)arg;
	if (f->has && !strcmp(f->metric, "overhead.flagged") && f->value > 0)
		puts("FLAGGED: it costs more where truth can be read than where it cannot");
	if (f->has && !strcmp(f->metric, "overhead.uncounted") && f->value > 0)
		puts("counted: without the way into and out of programs, and what is no program");
	if (!f->has || !u || ends_in(f->metric, "_p"))
		return 0;
	if (ends_in(f->metric, "_mde")) {
		printf("  least to be seen %.3g\n", f->value * u->times);
		return 0;
	}
	printf("%-50s %-14s %8.3g %-3s", u->says, strcmp(f->scope, "all") ? f->scope : "",
	       f->value * u->times, u->unit);
	if (f->has_interval)
		printf(" [%.3g, %.3g]", f->lo * u->times, f->hi * u->times);
	if (!f->has_interval || !strncmp(u->name, "load", 4) || !strncmp(u->name, "attach", 6) ||
	    !strncmp(u->name, "peak", 4))
		putchar('\n');
	return 0;
}

static void print_accuracy(const struct session *x)
{
	if (!isnan(x->f1))
		printf("F1 on declared types %.4f, which are %.2f of all handoffs\n", x->f1,
		       x->coverage);
	if (!isnan(x->distance))
		printf("profile by thread: distance %.4f\n", x->distance);
}

static int print_all(struct session *x)
{
	if (args.json)
		return overhead_each(&x->o, print_json, NULL);
	printf("%s on %s: %llu pairs of %.1f s at its default rate; mean, 95 %% interval, and the "
	       "least effect\nthat would be found 4 times of 5\n\n",
	       x->p ? x->p->name : "nobody", x->workload->name, (unsigned long long)args.pairs,
	       (double)args.ms / 1000);
	print_accuracy(x);
	return overhead_each(&x->o, print_line, NULL);
}

/* ---- the command ---- */

static int find(struct session *x, const char *name, struct diag *d)
{
	const char *workload = args.workload ? args.workload : "wake";
	int rc = programs_workload(&x->w.programs, workload, &x->workload, d);

	if (!rc && !is_nobody(name))
		rc = programs_profiler(&x->w.programs, name, &x->p, d);
	if (!rc && x->p && x->p->trouble.err) {
		*d = x->p->trouble;
		rc = d->err;
	}
	if (!rc && x->p && !(x->p->launch & (LAUNCH_ATTACH | LAUNCH_ENV)))
		rc = diag_set(d, -ENOTSUP, name, 0, "one that attaches: assay list profilers",
			      "it is not there while the workload runs, so it costs it nothing");
	return rc;
}

static int overhead(const char *name)
{
	struct session x = {.f1 = NAN, .coverage = NAN, .distance = NAN};
	struct diag d = {0};
	int rc = workshop_open(&x.w, &d);

	if (!rc)
		rc = find(&x, name, &d);
	if (!rc)
		rc = meter_open(&x.meter, &d);
	if (!rc)
		rc = run_all(&x, &d);
	if (!rc && print_all(&x))
		rc = diag_set(&d, -ENOMEM, NULL, 0, NULL, "out of memory");
	meter_close(x.meter);
	free(x.o.runs);
	workshop_close(&x.w);
	if (rc == -ECANCELED) /* it was said */
		return EXIT_BROKEN;
	if (rc == -ENOTSUP) {
		diag_print(&d, stderr);
		return EXIT_MISSING;
	}
	return rc ? command_error(&d) : EXIT_GOOD;
}

int cmd_overhead(int argc, char **argv)
{
	int first, rc = opts_start(&opts, argc, argv, &first);

	return rc >= 0 ? rc : overhead(argv[first]);
}
