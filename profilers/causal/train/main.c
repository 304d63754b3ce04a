/* SPDX-License-Identifier: BSD-2-Clause */
/* Trains the thresholds of the embedded profiler, and joins with a table of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "profilers/adapter/adapter.h"
#include "profilers/adapter/joiners.h"
#include "profilers/causal/train/ablate.h"
#include "profilers/causal/train/fit.h"
#include "profilers/causal/train/table.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, CLASSES_MAX = 64, NOTE = 8192 };

static int usage(FILE *out, int rc)
{
	fputs("usage: train fit INDEX FOLDER | train ablate INDEX FOLDER | train join TABLE "
	      "OPTIONS\n"
	      "    fit   thresholds from the runs of an index: FOLDER/all.def, and\n"
	      "          FOLDER/CLASS.def without the runs of that class\n"
	      "    ablate  what each kind of test is worth: FOLDER/ablation.tsv, by those tables\n"
	      "    join  what causal join does, with the thresholds of a table\n",
	      out);
	return rc;
}

/* ---- fit ---- */

static unsigned classes_of(const struct corpus *c, const char *ret[CLASSES_MAX])
{
	unsigned cnt = 0;

	for (size_t i = 0; i < c->runs_cnt; i++) {
		unsigned k = 0;

		while (k < cnt && strcmp(ret[k], c->runs[i].class))
			k++;
		if (k == cnt && cnt < CLASSES_MAX)
			ret[cnt++] = c->runs[i].class;
	}
	return cnt;
}

/* Where a table comes from. */
static void describe(const struct corpus *c, const char *without, const struct fitted *about,
		     char note[NOTE])
{
	size_t runs = 0, mutants = 0;
	int n;

	for (size_t i = 0; i < c->runs_cnt; i++) {
		if (without && !strcmp(c->runs[i].class, without))
			continue;
		runs++;
		mutants += c->runs[i].invalid_cnt > 0;
	}
	n = snprintf(note, NOTE,
		     " * Trained by `assay mutate train` on %zu runs%s%s, in %zu of which a "
		     "descriptor is invalid.\n"
		     " * A row rests on (valid rules and their violations of checks, highest sum; "
		     "rules that told):\n",
		     runs, without ? " without those of " : "", without ? without : "", mutants);
	for (unsigned i = 0; i < TEST_CNT && n < NOTE; i++) {
		const struct fitted *f = &about[i];

		if (f->valid_runs)
			n += snprintf(note + n, NOTE - (size_t)n,
				      " *   %-13s %5zu  %llu of %llu, %.2f; %zu\n", test_name(i),
				      f->valid_runs, (unsigned long long)f->violations,
				      (unsigned long long)f->checks, f->top, f->stale_runs);
		else
			n += snprintf(note + n, NOTE - (size_t)n,
				      " *   %-13s in no manifest: as it was chosen by hand\n",
				      test_name(i));
	}
}

static int fit_one(const struct corpus *c, const char *without, const char *folder, struct diag *d)
{
	struct fitted about[TEST_CNT];
	struct thresholds t;
	char path[4096], note[NOTE];
	int rc = fit_tests(c, without, &t, about);

	if (rc)
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	rc = fit_beliefs(c, without, &t, d);
	if (rc)
		return rc;
	describe(c, without, about, note);
	snprintf(path, sizeof(path), "%s/%s.def", folder, without ? without : "all");
	return table_save(path, &t, note, d);
}

static int fit(const char *index, const char *folder)
{
	const char *classes[CLASSES_MAX];
	struct corpus c;
	struct diag d = {0};
	unsigned cnt;
	int rc = corpus_load(index, &c, &d);

	if (!rc)
		rc = dir_make(folder, &d);
	if (!rc) {
		cnt = classes_of(&c, classes);
		rc = fit_one(&c, NULL, folder, &d);
		for (unsigned i = 0; !rc && i < cnt; i++)
			rc = fit_one(&c, classes[i], folder, &d);
		corpus_free(&c);
	}
	if (rc)
		diag_print(&d, stderr);
	return rc ? EXIT_FAILED : 0;
}

/* ---- ablate ---- */

static int ablation(const char *index, const char *folder)
{
	struct corpus c;
	struct diag d = {0};
	int rc = corpus_read(index, &c, &d);

	if (!rc) {
		rc = ablate(&c, folder, &d);
		corpus_free(&c);
	}
	if (rc)
		diag_print(&d, stderr);
	return rc ? EXIT_FAILED : 0;
}

/* ---- join ---- */

static int join(int argc, char **argv)
{
	struct thresholds t;
	struct causal_tuning tuning = {&t, NULL};
	struct joiner j = joiner_causal;
	struct diag d = {0};

	if (table_load(argv[2], &t, &d)) {
		diag_print(&d, stderr);
		return EXIT_FAILED;
	}
	j.arg = &tuning;
	argv[2] = argv[1];
	return adapter_main(argc - 1, argv + 1, &j, NULL);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout, 0);
	if (argc == 4 && !strcmp(argv[1], "fit"))
		return fit(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "ablate"))
		return ablation(argv[2], argv[3]);
	if (argc > 3 && !strcmp(argv[1], "join"))
		return join(argc, argv);
	return usage(stderr, EXIT_USAGE);
}
