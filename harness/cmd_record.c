/* SPDX-License-Identifier: BSD-2-Clause */
/* assay record: truth and evidence of one run of one workload. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/command.h"
#include "harness/provenance.h"
#include "harness/reference.h"
#include "harness/runner.h"
#include "harness/single.h"
#include "harness/version.h"
#include "lib/files.h"
#include "lib/numbers.h"
#include "lib/opts.h"
#include "lib/vocab.h"

static struct {
	const char *evidence, *truth, *store, *ail;
	uint64_t ops, rate, depth, seed;
	bool serial;
} args = {.seed = 1};

static const struct opt table[] = {
	{"evidence", 0, OPT_STR, "FILE", "where evidence goes (WORKLOAD.evidence.bin)",
	 &args.evidence, 0, 0, NULL},
	{"truth", 0, OPT_STR, "FILE", "where truth goes (WORKLOAD.truth.bin)", &args.truth, 0, 0,
	 NULL},
	{"store", 0, OPT_STR, "DIR", "a stored run instead: DIR/WORKLOAD/*.bin.zst", &args.store, 0,
	 0, NULL},
	{"ops", 0, OPT_COUNT, "N", "operations (the workload's default)", &args.ops, 1, 100000000,
	 NULL},
	{"rate", 0, OPT_COUNT, "N", "arrivals a second (the workload's default)", &args.rate, 1,
	 10000000, NULL},
	{"depth", 0, OPT_COUNT, "N", "closed loop instead, N in flight", &args.depth, 1, 4096,
	 NULL},
	{"seed", 0, OPT_U64, "N", "(1)", &args.seed, 0, 0, NULL},
	{"ail", 0, OPT_STR, "LABEL@N", "what it suffers from as of operation N", &args.ail, 0, 0,
	 NULL},
	{"serial", 0, OPT_FLAG, NULL, "one worker, one operation at a time", &args.serial, 0, 0,
	 NULL},
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay record",
	.usage = "WORKLOAD [--evidence FILE] [--truth FILE]",
	.purpose = "Runs a workload under the collector and keeps truth and evidence",
	.table = table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay record uring", "assay record calls --ail leak@800",
		     "assay record uring --ops 400 --store results/reference"},
};

/* The variant and the parameter that a plan would have. */
static int add_ailment(struct cell *c, const struct workload *w, uint64_t ops, struct diag *d)
{
	const char *at = args.ail ? strchr(args.ail, '@') : NULL;
	int label = at ? diagnosis_parse(args.ail, (size_t)(at - args.ail)) : -1;
	size_t len = strlen(c->params);
	uint64_t turn;

	if (!args.ail)
		return 0;
	if (label <= 0 || parse_u64(at + 1, &turn) || !turn)
		return diag_set(d, -EINVAL, NULL, 0, "such as --ail leak@800",
				"--ail %.40s is no label and number of an operation", args.ail);
	if (!(w->ailments & 1u << label))
		return diag_set(d, -EINVAL, NULL, 0, "assay list workloads says what it can have",
				"%.64s cannot be made to have %s", w->name,
				diagnosis_name((unsigned)label));
	if (turn >= ops)
		return diag_set(d, -EINVAL, NULL, 0,
				"an earlier operation, or more of them by --ops",
				"--ail %.40s: the run ends with operation %llu, before it shows",
				args.ail, (unsigned long long)ops);
	snprintf(c->variant, sizeof(c->variant), "base+%s", diagnosis_name((unsigned)label));
	snprintf(c->params + len, sizeof(c->params) - len, " turn=%llu", (unsigned long long)turn);
	return 0;
}

static int plan_cell(struct single *s, const struct workload *w, struct diag *d)
{
	struct cell c;
	uint64_t rate = args.rate ? args.rate : w->rate, ops = args.ops ? args.ops : w->ops;
	int rc;

	single_recording(w->name, args.seed, &c);
	strcpy(c.binding, "stamped"); /* where there is a manifest, its sites are watched, too */
	snprintf(c.params, sizeof(c.params),
		 "ops=%llu %s=%llu workers=%llu queue_depth=%llu fanout=%llu serial=%d",
		 (unsigned long long)ops, args.depth ? "depth" : "rate",
		 (unsigned long long)(args.depth ? args.depth : rate),
		 (unsigned long long)w->workers, (unsigned long long)w->queue_depth,
		 (unsigned long long)w->fanout, args.serial);
	rc = add_ailment(&c, w, ops, d);
	return rc ? rc : plan_add(&s->plan, &c, d);
}

static int take_one(const struct single *s, const char *workload, const char *name,
		    const char *given, struct diag *d)
{
	char to[PATH_LEN];
	int rc = given ? path_format(to, d, "%s", given)
		       : path_format(to, d, "%s.%s", workload, name);

	if (!rc)
		rc = single_take(s, name, to, d);
	if (!rc)
		puts(to);
	return rc;
}

static int store_one(const struct single *s, const char *workload, const char *name, struct diag *d)
{
	char plain[PATH_LEN], packed[PATH_LEN], to[PATH_LEN];
	int rc = path_format(plain, d, "%s/cells/%s/%s", s->run, s->plan.v[0].name, name);

	if (!rc)
		rc = reference_pack(plain, d);
	if (!rc)
		rc = path_format(to, d, "%s/%s", args.store, workload);
	if (!rc)
		rc = dir_make(to, d);
	if (!rc)
		rc = path_format(packed, d, "%s.zst", name);
	if (!rc)
		rc = path_format(to, d, "%s/%s/%s.zst", args.store, workload, name);
	if (!rc)
		rc = single_take(s, packed, to, d);
	if (!rc)
		puts(to);
	return rc;
}

static int store_origin(const struct single *s, const char *workload, struct diag *d)
{
	struct reference_origin o = {.seed = args.seed, .assay = ASSAY_VERSION};
	struct utsname u;
	char path[PATH_LEN];
	int rc = path_format(path, d, "%s/%s/provenance.json", args.store, workload);

	uname(&u);
	snprintf(o.workload, sizeof(o.workload), "%s", workload);
	snprintf(o.kernel, sizeof(o.kernel), "%s", u.release);
	snprintf(o.params, sizeof(o.params), "%s", s->plan.v[0].params);
	provenance_stamp(o.recorded);
	provenance_cpu(o.cpu, sizeof(o.cpu));
	return rc ? rc : reference_origin_write(path, &o, d);
}

/* Without it nobody could say what the events of the evidence mean. */
static int store_manifest(const struct single *s, const char *workload, struct diag *d)
{
	char kept[PATH_LEN], to[PATH_LEN];
	int rc = single_path(s, "manifest.yaml", kept, d);

	if (!rc)
		rc = path_format(to, d, "%s/%s/manifest.yaml", args.store, workload);
	if (rc || !access(kept, F_OK))
		return rc ? rc : single_take(s, "manifest.yaml", to, d);
	if (unlink(to) && errno != ENOENT) /* an earlier one's */
		return file_error(d, -errno, to, "remove");
	return 0;
}

static int store(const struct single *s, const char *workload, struct diag *d)
{
	int rc = store_one(s, workload, "truth.bin", d);

	if (!rc)
		rc = store_one(s, workload, "evidence.bin", d);
	if (!rc)
		rc = store_manifest(s, workload, d);
	return rc ? rc : store_origin(s, workload, d);
}

static int keep(const struct single *s, const char *workload, struct diag *d)
{
	int rc;

	if (args.store)
		return store(s, workload, d);
	rc = take_one(s, workload, "truth.bin", args.truth, d);
	return rc ? rc : take_one(s, workload, "evidence.bin", args.evidence, d);
}

static int record(struct workshop *w, const char *name)
{
	const char *near = args.store ? args.store : args.evidence ? args.evidence : "./";
	const struct runner how = {.wakes = true};
	struct trial_limits limits = make_limits();
	const struct workload *load;
	struct single s = {.run = ""};
	struct diag d = {0};
	int rc;

	if (programs_workload(&w->programs, name, &load, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	rc = single_open(&s, near, &d);
	if (!rc && plan_cell(&s, load, &d)) {
		diag_print(&d, stderr);
		single_close(&s);
		return d.err == -EINVAL ? EXIT_USAGE : EXIT_BROKEN;
	}
	if (!rc)
		rc = single_make_with(&s, &w->programs, &w->machine, &limits, &how, &d);
	if (!rc && s.status.state == CELL_OK)
		rc = keep(&s, name, &d);
	if (!rc && s.status.reason[0])
		single_report(&s, stderr);
	single_close(&s);
	if (rc == -EINTR) /* nothing is kept that could be resumed */
		diag_set(&d, rc, NULL, 0, "record it again", "interrupted; nothing was recorded");
	else if (rc == -ENOSPC)
		snprintf(d.cure, sizeof(d.cure),
			 "free some space, or choose another disk with --%s",
			 args.store ? "store" : "truth and --evidence");
	return rc ? command_error(&d) : state_exit_code(s.status.state);
}

int cmd_record(int argc, char **argv)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (args.depth && args.rate) {
		diag_set(&d, -EINVAL, opts.command, 0, "one of them",
			 "--rate has no effect on the closed loop that --depth asks for");
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (make_engine_check(&d) || workshop_open(&w, &d))
		return command_error(&d);
	rc = record(&w, argv[first]);
	workshop_close(&w);
	return rc;
}
