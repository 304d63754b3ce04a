/* SPDX-License-Identifier: BSD-2-Clause */
/* The training over recorded runs: what is lost without a test, what is believed of the quiet. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/evidence.h"
#include "profilers/causal/train/ablate.h"
#include "profilers/causal/train/fit.h"
#include "profilers/causal/train/table.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000 };

/* What a run does, and what a changed one does instead. */
enum conduct { AS_EVER = 0, RELEASED_TWICE = 1, JOBS_UNSEEN = 2 };

static const char of_slots[] = "  - {id: pair, kind: pairing, of: [1, 3], evidence: proof}\n"
			       "  - {id: member, kind: membership, of: [2], evidence: proof}\n"
			       "  - {id: range, kind: range, of: [1], min: 1, max: 4}\n";
static const char of_both[] =
	"  - {id: together, kind: ratio, of: [1, 4], at_least: 0.9, at_most: 1.1}\n";
static const char *rules = of_slots;

/* ---- recorded runs ---- */

static void *rec_open(const struct joiner *j, const struct join_setup *s, struct outlet *out)
{
	(void)s, (void)out;
	return (void *)j->arg;
}

static int rec_record(void *state, const struct ev_rec *r)
{
	return evidence_writer_put(state, r, 1);
}

static int rec_finish(void *state)
{
	(void)state;
	return 0;
}

/* Every tenth life is released twice, or jobs are not seen. Returns the time of the last record. */
static uint64_t record(const char *path, enum conduct how)
{
	struct evidence_header h = {.pid = PID};
	struct diag d = {0};
	struct evidence_writer *w = evidence_writer_open(path, &h, &d);
	struct joiner j = {.open = rec_open, .record = rec_record, .finish = rec_finish, .arg = w};
	struct app a;

	cr_assert_not_null(w, "%s", d.reason);
	app_open_as(&a, &j, HEALTH_VALIDATED, "operation", rules);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_life(&a, i);
		if (how != JOBS_UNSEEN)
			app_hit(&a, JOB, APP, 7, 0);
		app_hit(&a, JOB_END, APP, 7, 0);
		if (how == RELEASED_TWICE && i % 10 == 0)
			app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	cr_assert_eq(evidence_writer_close(w, &h, &d), 0, "%s", d.reason);
	return a.now;
}

struct folder {
	char path[64], index[96], manifest[96];
	FILE *f;
	unsigned runs;
};

static void folder_make(struct folder *x)
{
	FILE *m;

	strcpy(x->path, "/tmp/assay-ablate-XXXXXX");
	cr_assert_not_null(mkdtemp(x->path));
	snprintf(x->index, sizeof(x->index), "%s/index.tsv", x->path);
	snprintf(x->manifest, sizeof(x->manifest), "%s/m.yaml", x->path);
	m = fopen(x->manifest, "w");
	cr_assert_not_null(m);
	fprintf(m, app_head, "operation", app_put_site, app_job_event, "");
	fputs(rules, m);
	fclose(m);
	x->f = fopen(x->index, "w");
	cr_assert_not_null(x->f);
	fputs(INDEX_HEADER "\n", x->f);
	x->runs = 0;
}

static void add(struct folder *x, const char *id, const char *class, const char *form,
		enum conduct how, const char *invalid)
{
	char path[96];
	uint64_t to;

	snprintf(path, sizeof(path), "%s/%u.bin", x->path, x->runs++);
	to = record(path, how);
	fprintf(x->f, "%s\t%s\t%s\t%s\t%s\t1000001\t%llu\t%d\t%s\t%d\n", id, class, form, path,
		x->manifest, (unsigned long long)to, *invalid != '-', invalid, *invalid != '-');
}

/* Class A releases twice; B does what it always did, and is none the less invalid. */
static void fill(struct folder *x, bool with_b)
{
	folder_make(x);
	add(x, "a-1", "A", "base", AS_EVER, "-");
	add(x, "a-1", "A", "mutant", RELEASED_TWICE, "3");
	if (with_b)
		add(x, "b-1", "B", "base", AS_EVER, "-");
	if (with_b)
		add(x, "b-1", "B", "mutant", AS_EVER, "2");
	fclose(x->f);
}

static void folder_remove(const struct folder *x)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", x->path);
	cr_expect_eq(system(command), 0);
}

/* ---- who is valid ---- */

/* Of two resources in a ratio the second is invalid: none of its violations is of a valid rule. */
Test(profilers_ablate, takes_no_rule_for_valid_that_looks_at_what_is_not)
{
	struct fitted about[TEST_CNT];
	struct thresholds t;
	struct folder x;
	struct corpus c;
	struct diag d = {0};

	rules = of_both;
	folder_make(&x);
	add(&x, "a-1", "A", "base", AS_EVER, "-");
	add(&x, "a-1", "A", "mutant", JOBS_UNSEEN, "4");
	fclose(x.f);
	rules = of_slots;
	cr_assert_eq(corpus_load(x.index, &c, &d), 0, "%s", d.reason);
	cr_assert_eq(fit_tests(&c, NULL, &t, about), 0);
	cr_expect_eq(about[TEST_RATIO].valid_runs, 1);
	cr_expect_eq(about[TEST_RATIO].violations, 0);
	cr_expect_float_eq(about[TEST_RATIO].top, 0, 1e-12);
	cr_expect_eq(about[TEST_RATIO].stale_runs, 1);
	corpus_free(&c);
	folder_remove(&x);
}

/* ---- ablation ---- */

/* The row of a test, or of all tests: "-". */
static void row_of(const char *text, const char *test, char ret[256])
{
	char start[32];
	const char *at;

	snprintf(start, sizeof(start), "\n%s\t", test);
	at = strstr(text, start);
	cr_assert_not_null(at, "%s in %s", test, text);
	snprintf(ret, 256, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
}

#define EXPECT_ROW(text, test, row)                                                                \
	do {                                                                                       \
		char got[256];                                                                     \
                                                                                                   \
		row_of(text, test, got);                                                           \
		cr_expect_str_eq(got, test "\t" row);                                              \
	} while (0)

Test(profilers_ablate, tells_which_test_finds_what)
{
	struct folder x;
	struct corpus c;
	struct diag d = {0};
	char path[96], *text;

	fill(&x, true);
	snprintf(path, sizeof(path), "%s/A.def", x.path);
	cr_assert_eq(table_save(path, &thresholds_shipped, " * A.\n", &d), 0);
	snprintf(path, sizeof(path), "%s/B.def", x.path);
	cr_assert_eq(table_save(path, &thresholds_shipped, " * B.\n", &d), 0);
	cr_assert_eq(corpus_read(x.index, &c, &d), 0, "%s", d.reason);
	cr_assert_eq(ablate(&c, x.path, &d), 0, "%s", d.reason);
	corpus_free(&c);
	snprintf(path, sizeof(path), "%s/ablation.tsv", x.path);
	cr_assert_eq(file_read(path, 1 << 16, &text, NULL, &d), 0);
	/* four runs of two resources, two of which are stale; b-1 shows nothing */
	EXPECT_ROW(text, "-", "4\t2\t1\t0\t0\t6\t0\t-\t-");
	EXPECT_ROW(text, "PAIRING", "4\t2\t0\t0\t0\t6\t0\ta-1\t-");
	EXPECT_ROW(text, "RANGE", "4\t2\t1\t0\t0\t6\t0\t-\t-");
	EXPECT_ROW(text, "SILENCE", "0\t2\t1\t0\t0\t6\t0\t-\t-");
	free(text);
	folder_remove(&x);
}

Test(profilers_ablate, reads_a_table_in_which_a_test_is_off)
{
	char path[] = "/tmp/assay-off-XXXXXX";
	struct thresholds t;
	struct diag d = {0};
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_gt(dprintf(fd, "OFF(RANGE)\nOFF(ENDS)\n"), 0);
	close(fd);
	cr_assert_eq(table_load(path, &t, &d), 0);
	cr_expect_eq(t.off, 1u << TEST_RANGE | 1u << TEST_ENDS);
	cr_expect_eq(thresholds_shipped.off, 0);
	unlink(path);
}

/* ---- beliefs ---- */

static struct thresholds believed(const struct folder *x, const char *without)
{
	struct thresholds t = thresholds_shipped;
	struct corpus c;
	struct diag d = {0};

	cr_assert_eq(corpus_read(x->index, &c, &d), 0, "%s", d.reason);
	cr_assert_eq(fit_beliefs(&c, without, &t, &d), 0, "%s", d.reason);
	corpus_free(&c);
	return t;
}

Test(profilers_ablate, believes_nothing_to_be_sure_where_nothing_can_speak)
{
	struct thresholds both, a;
	struct folder x;

	fill(&x, true);
	both = believed(&x, NULL);
	a = believed(&x, "B");
	/* two invalid descriptors; of the four runs' five descriptors nobody watches two. Neither
	 * class has an invalid one among them: 2/8 · (0 + 1) / (2 + 3) = 0.05 */
	cr_expect_float_eq(both.p_stale[BELIEF_UNSEEN], 0.03, 1e-12);
	/* without B: 1/4 · 1 / (1 + 3) = 0.0625 */
	cr_expect_float_eq(a.p_stale[BELIEF_UNSEEN], 0.1, 1e-12);
	/* what B is believed to be, when it shows nothing: (1 + 1) of 5 classes */
	cr_expect_geq(both.p_stale[BELIEF_CLEAN], 0.03);
	/* A is found out: that it was all there is does not make the next class so */
	cr_expect_geq(a.p_stale[BELIEF_CLEAN], 0.01);
	folder_remove(&x);
}
