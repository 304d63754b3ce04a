/* SPDX-License-Identifier: BSD-2-Clause */
/* The training of causal's thresholds: what it fits, what it leaves out, how tables are read. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "profilers/causal/train/fit.h"
#include "profilers/causal/train/table.h"

/* ---- fit ---- */

enum { VALID_RUNS = 20, CHECKS = 1000 };

/* A corpus of runs of two classes, A and B, whose mutants break the same rule at two rates. */
struct made {
	struct corpus_run runs[2 * VALID_RUNS + 2];
	struct series series[2 * VALID_RUNS + 2];
	struct step steps[2 * VALID_RUNS + 2];
	struct corpus c;
};

static void add(struct made *m, const char *class, bool mutant, uint32_t bad)
{
	size_t i = m->c.runs_cnt++;

	strcpy(m->runs[i].class, class);
	m->steps[i] = (struct step){.run = {.held = CHECKS - bad, .bad = bad}};
	m->series[m->c.series_cnt++] = (struct series){.run = i,
						       .test = TEST_PAIRING,
						       .names = mutant,
						       .untouched = !mutant,
						       .v = &m->steps[i],
						       .cnt = 1,
						       .held = CHECKS - bad,
						       .bad = bad};
}

static void make(struct made *m, uint32_t bad_when_valid)
{
	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < VALID_RUNS; i++) {
		add(m, "A", false, bad_when_valid);
		add(m, "B", false, bad_when_valid);
	}
	add(m, "A", true, 5);
	add(m, "B", true, 900);
	m->c.runs = m->runs;
	m->c.series = m->series;
}

static struct threshold fitted(const struct made *m, const char *without)
{
	struct fitted about[TEST_CNT];
	struct thresholds t;

	cr_assert_eq(fit_tests(&m->c, without, &t, about), 0);
	return t.test[TEST_PAIRING];
}

Test(profilers_train, fits_the_rates_that_its_header_says)
{
	struct made m;
	struct threshold t;

	make(&m, 0);
	t = fitted(&m, NULL);
	/* 40 runs of 1000 checks, none violated: 0.1 · 40 / (40000 + 4) */
	cr_expect_float_eq(t.valid, 4.0 / 40004, 1e-12);
	cr_expect_float_eq(t.stale, 0.005, 1e-12, "the lower of the mutants' rates");
	/* one test a resource: ln(1000 / (0.01 / 2)) */
	cr_expect_float_eq(t.at_suspect, log(1000 / 0.005), 1e-9);
	cr_expect_float_eq(t.at_stale, t.at_suspect + log(10), 1e-9);
}

Test(profilers_train, learns_nothing_from_the_class_that_is_left_out)
{
	struct threshold a, b;
	struct made m;

	make(&m, 0);
	a = fitted(&m, "A");
	cr_expect_float_eq(a.stale, sqrt(a.valid), 1e-12, "0.9 is above the middle");
	cr_expect_float_eq(fitted(&m, "B").stale, 0.005, 1e-12);
	m.series[2 * VALID_RUNS].bad = 700;
	m.series[0].bad = 300;
	b = fitted(&m, "A");
	cr_expect_eq(memcmp(&a, &b, sizeof(a)), 0);
}

Test(profilers_train, puts_the_levels_above_whatever_a_valid_run_came_to)
{
	struct made m;
	struct threshold t;
	double one;

	make(&m, 0);
	m.series[0].bad = m.steps[0].run.bad = 30; /* one ugly run */
	m.series[0].held = m.steps[0].run.held = CHECKS - 30;
	t = fitted(&m, NULL);
	one = log(t.stale / t.valid);
	cr_expect_float_eq(t.at_suspect, 30 * one + FIT_MARGIN, 1e-6);
}

Test(profilers_train, keeps_what_was_chosen_by_hand_where_a_test_was_never_made)
{
	struct made m;
	struct fitted about[TEST_CNT];
	struct thresholds t;

	make(&m, 0);
	cr_assert_eq(fit_tests(&m.c, NULL, &t, about), 0);
	cr_expect_eq(memcmp(&t.test[TEST_ACTOR], &thresholds_shipped.test[TEST_ACTOR],
			    sizeof(t.test[0])),
		     0);
	cr_expect_eq(about[TEST_ACTOR].valid_runs, 0);
	cr_expect_eq(about[TEST_PAIRING].valid_runs, 2 * VALID_RUNS);
	cr_expect_eq(about[TEST_PAIRING].stale_runs, 2);
}

/* ---- files ---- */

static void write_text(char path[64], const char *text)
{
	int fd;

	strcpy(path, "/tmp/assay-train-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

Test(profilers_train, reads_the_table_that_it_wrote)
{
	struct thresholds t = thresholds_shipped, back;
	struct diag d = {0};
	char path[64];

	write_text(path, "");
	t.test[TEST_ENDS] = (struct threshold){0.25, 0.5, 3.5, 7};
	t.p_stale[BELIEF_TIED] = 0.375;
	cr_assert_eq(table_save(path, &t, " * From a test.\n", &d), 0, "%s", d.reason);
	cr_assert_eq(table_load(path, &back, &d), 0, "%lu: %s", d.line, d.reason);
	cr_expect_float_eq(back.test[TEST_ENDS].at_suspect, 3.5, 1e-9);
	cr_expect_float_eq(back.p_stale[BELIEF_TIED], 0.375, 1e-9);
	cr_expect_float_eq(back.test[TEST_PAIRING].valid, t.test[TEST_PAIRING].valid,
			   1e-2 * t.test[TEST_PAIRING].valid);
	unlink(path);
}

Test(profilers_train, says_which_line_of_a_table_is_none)
{
	static const char *const bad[] = {
		"TEST(PAIRING, 0.1, 0.2, 3)",
		"TEST(PAIRNG, 0.1, 0.2, 3, 4)",
		"TEST(PAIRING, 0.2, 0.1, 3, 4)",
		"TEST(PAIRING, 0, 0.1, 3, 4)",
		"TEST(PAIRING, 0.1, 0.2, 5, 4)",
		"TEST(PAIRING, nan, 0.2, 3, 4)",
		"TEST(PAIRING, 0.1, 0.2, 3, inf)",
		"BELIEF(TIED, 1.5)",
		"BELIEF(UNKNOWN, 0.5)",
		"anything else",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct thresholds t;
		struct diag d = {0};
		char text[128], path[64];

		snprintf(text, sizeof(text), "/* one */\n%s\n", bad[i]);
		write_text(path, text);
		cr_expect_eq(table_load(path, &t, &d), -EINVAL, "%s", bad[i]);
		cr_expect_eq(d.line, 2, "%s", bad[i]);
		unlink(path);
	}
}

Test(profilers_train, says_which_line_of_an_index_is_none)
{
	static const char *const bad[] = {
		"m\tA\tbase\te.bin\tm.yaml\t1\t2\t0\t-",	  /* a column short */
		"m\tA\tbase\te.bin\tm.yaml\t1\t2\t0\t-\t0\tmore", /* one too many */
		"m\tA\tbase\te.bin\tm.yaml\tx\t2\t0\t-\t0",	  /* no number */
		"m\tA\tbase\te.bin\tm.yaml\t1\t2\t0\t1,,x\t0",	  /* no id */
		"m\t\tbase\te.bin\tm.yaml\t1\t2\t0\t-\t0",	  /* no class */
		"m\tA\tbase\te.bin\tm.yaml\t1\t2\t0\t-\tyes",	  /* no 0 and no 1 */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct corpus c;
		struct diag d = {0};
		char text[256], path[64];

		snprintf(text, sizeof(text), "%s\n%s\n", INDEX_HEADER, bad[i]);
		write_text(path, text);
		cr_expect_eq(corpus_load(path, &c, &d), -EINVAL, "%s", bad[i]);
		cr_expect_eq(d.line, 2, "%s: %s", bad[i], d.reason);
		unlink(path);
	}
}
