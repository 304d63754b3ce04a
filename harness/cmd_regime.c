/* SPDX-License-Identifier: BSD-2-Clause */
/* assay regime: evidence through a regime, with the tally for truth. */
#include <errno.h>
#include <stdio.h>

#include "harness/command.h"
#include "harness/regime.h"
#include "lib/opts.h"

static struct {
	const char *evidence, *out, *truth, *truth_out;
	uint64_t seed;
} args = {.seed = 1};

static const struct opt table[] = {
	{"evidence", 0, OPT_STR, "FILE", "records of a collector", &args.evidence, 0, 0, NULL},
	{"out", 0, OPT_STR, "FILE", "what is left of them", &args.out, 0, 0, NULL},
	{"truth", 0, OPT_STR, "FILE", "truth of that run, either form", &args.truth, 0, 0, NULL},
	{"truth-out", 0, OPT_STR, "FILE", "the same with what was lost", &args.truth_out, 0, 0,
	 NULL},
	{"seed", 0, OPT_U64, "N", "which records (1)", &args.seed, 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay regime",
	.usage = "WORD --evidence FILE --out FILE",
	.purpose = "Loses, cuts or forgets records: drop:P, pair-drop:P, each\n"
		   "perhaps with :silent, truncate:P, evict:P, in percent",
	.table = table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay regime drop:5 --evidence e.bin --out lossy.bin",
		     "assay regime drop:20:silent --evidence e.bin --out l.bin --seed 7",
		     "assay regime evict:1 --evidence e --out l --truth t --truth-out lt"},
};

static int check(struct diag *d)
{
	if (!args.evidence || !args.out)
		return diag_set(d, -EINVAL, "assay regime", 0, "assay regime --help",
				"--evidence and --out are both needed");
	if (!args.truth != !args.truth_out)
		return diag_set(d, -EINVAL, "assay regime", 0, "assay regime --help",
				"--truth and --truth-out go together");
	return 0;
}

static int check_kind(const struct regime *r, const char *word, struct diag *d)
{
	if (!regime_is_live(r->kind))
		return 0;
	return diag_set(d, -EINVAL, "assay regime", 0,
			"a plan with such cells (assay plan default)",
			"%s applies while a cell runs, not to evidence", word);
}

static int apply(const struct regime *r, struct diag *d)
{
	struct regime_tally t = {0};
	int rc = output_check(args.out, d);

	if (!rc && args.truth_out)
		rc = output_check(args.truth_out, d);
	if (!rc)
		rc = regime_apply(r, args.seed, args.evidence, args.out, &t, d);
	if (!rc && args.truth)
		rc = regime_tell_truth(&t, args.truth, args.truth_out, d);
	if (!rc)
		printf("%llu lost, %llu cut, %llu forgotten\n", (unsigned long long)t.lost,
		       (unsigned long long)t.cut, (unsigned long long)t.evicted);
	regime_tally_free(&t);
	return rc;
}

int cmd_regime(int argc, char **argv)
{
	struct diag d = {0};
	struct regime r;
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (check(&d) || regime_parse(argv[first], &r, &d) || check_kind(&r, argv[first], &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	return apply(&r, &d) ? command_error(&d) : EXIT_GOOD;
}
