/* SPDX-License-Identifier: BSD-2-Clause */
/* Regimes: their words, what they take, what they tell, and to whom. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/regime.h"
#include "lib/formats/evidence.h"

enum { RECORDS = 20000, CPUS = 2 };

static char from[64], to[64], truth[64], told[64];

static void name_files(void)
{
	snprintf(from, sizeof(from), "/tmp/assay-regime-%d.from", getpid());
	snprintf(to, sizeof(to), "/tmp/assay-regime-%d.to", getpid());
	snprintf(truth, sizeof(truth), "/tmp/assay-regime-%d.truth", getpid());
	snprintf(told, sizeof(told), "/tmp/assay-regime-%d.told", getpid());
}

static void remove_files(void)
{
	unlink(from);
	unlink(to);
	unlink(truth);
	unlink(told);
}

/* Alternately a submission and a CQE on one of two CPUs, numbered as the collector numbers. */
static struct ev_rec record_of(unsigned i)
{
	return (struct ev_rec){.t = 1000 + i * 10,
			       .tid = 7,
			       .tgid = 7,
			       .kind = i & 1 ? EV_IO_COMPLETE : EV_IO_SUBMIT,
			       .cpu = (uint16_t)(i / 2 % CPUS),
			       .seq = (uint16_t)(1 + i),
			       .a = i,
			       .b = 1,
			       .c = 2,
			       .e = UINT64_C(9) << EV_IO_STAMP};
}

static void write_evidence(void)
{
	struct evidence_header h = {.pid = 7, .attached = 1, .drained = 1 << 30};
	struct evidence_writer *w;
	struct diag d = {0};

	name_files();
	w = evidence_writer_open(from, &h, &d);
	cr_assert_not_null(w);
	for (unsigned i = 0; i < RECORDS; i++) {
		struct ev_rec r = record_of(i);

		cr_assert_eq(evidence_writer_put(w, &r, 1), 0);
	}
	cr_assert_eq(evidence_writer_close(w, NULL, &d), 0);
}

static struct regime parsed(const char *word)
{
	struct regime r = {0};
	struct diag d = {0};

	cr_assert_eq(regime_parse(word, &r, &d), 0, "%s", word);
	return r;
}

static struct regime_tally apply(const char *word, uint64_t seed, struct evidence *ret)
{
	struct regime r = parsed(word);
	struct regime_tally t = {0};
	struct diag d = {0};

	cr_assert_eq(regime_apply(&r, seed, from, to, &t, &d), 0, "%s", d.reason);
	cr_assert_eq(evidence_load(to, ret, &d), 0, "%s", d.reason);
	return t;
}

static size_t count(const struct evidence *e, unsigned kind)
{
	size_t n = 0;

	for (size_t i = 0; i < e->cnt; i++)
		n += e->v[i].kind == kind;
	return n;
}

Test(regime, knows_its_words_and_refuses_others)
{
	static const char *const bad[] = {"",	      "drop",	     "drop:",	       "drop:0",
					  "drop:101", "drop:-1",     "drop:nan",       "drop:5x",
					  "drops:5",  "drop:5:loud", "evict:5:silent", "clean:1"};
	struct regime r = {0};
	struct diag d = {0};

	cr_expect_eq(parsed("clean").kind, REGIME_CLEAN);
	cr_expect_eq(parsed("drop:100").share, UINT64_C(1) << 32);
	cr_expect_eq(parsed("pair-drop:50").share, UINT64_C(1) << 31);
	cr_expect_eq(parsed("truncate:0.1").kind, REGIME_TRUNCATE);
	cr_expect(parsed("drop:5:silent").silent);
	cr_expect_not(parsed("evict:5").silent);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(regime_parse(bad[i], &r, &d), -EINVAL, "%s", bad[i]);
}

Test(regime, drops_about_what_it_says_and_tells_every_loss, .init = write_evidence,
     .fini = remove_files)
{
	struct evidence e;
	struct regime_tally t = apply("drop:5", 3, &e);
	uint64_t by_tally = 0, by_record = 0;

	cr_expect(t.lost > RECORDS / 25 && t.lost < RECORDS / 16, "%lu lost", t.lost);
	for (size_t i = 0; i < t.losses_cnt; i++)
		by_tally += t.losses[i].lost;
	for (size_t i = 0; i < e.cnt; i++)
		by_record += e.v[i].kind == EV_LOST ? e.v[i].a : 0;
	cr_expect_eq(by_tally, t.lost);
	cr_expect_eq(by_record, t.lost);
	cr_expect_eq(count(&e, EV_LOST), t.losses_cnt);
	cr_expect_eq(e.cnt, RECORDS - t.lost + t.losses_cnt);
	cr_expect_eq(e.header.lost, t.lost);
	regime_tally_free(&t);
	evidence_free(&e);
}

Test(regime, tells_a_loss_before_the_cpu_goes_on, .init = write_evidence, .fini = remove_files)
{
	struct evidence e;
	struct regime_tally t = apply("drop:20", 3, &e);
	uint64_t told_until[CPUS] = {0};

	for (size_t i = 0; i < e.cnt; i++) {
		const struct ev_rec *v = &e.v[i];

		if (v->kind == EV_LOST) {
			cr_expect_leq(v->b, v->t);
			told_until[v->cpu] = v->t;
			continue;
		}
		cr_expect_gt(v->t, told_until[v->cpu]);
	}
	regime_tally_free(&t);
	evidence_free(&e);
}

Test(regime, says_nothing_where_it_is_silent, .init = write_evidence, .fini = remove_files)
{
	struct evidence loud, quiet;
	struct regime_tally a = apply("drop:5", 3, &loud), b = apply("drop:5:silent", 3, &quiet);

	cr_expect_eq(a.lost, b.lost);
	cr_expect_eq(b.losses_cnt, a.losses_cnt, "truth is told all the same");
	cr_expect_eq(count(&quiet, EV_LOST), 0);
	cr_expect_eq(quiet.header.lost, 0);
	regime_tally_free(&a);
	regime_tally_free(&b);
	evidence_free(&loud);
	evidence_free(&quiet);
}

/* Which records are left, by their number. */
static void mark_left(const struct evidence *e, bool *left)
{
	for (size_t i = 0; i < e->cnt; i++)
		if (e->v[i].kind != EV_LOST)
			left[e->v[i].a] = true;
}

Test(regime, loses_nothing_that_user_space_tells, .init = name_files, .fini = remove_files)
{
	const struct ev_rec v[] = {{.t = 10, .kind = EV_PROC_FORK, .a = 7, .b = 7},
				   {.t = 10, .kind = EV_PROC_CPU, .tid = 7, .tgid = 7, .a = 5},
				   {.t = 10, .kind = EV_APP_SITE, .a = 1},
				   {.t = 20, .kind = EV_PROC_FORK, .tid = 7, .tgid = 7, .seq = 1},
				   {.t = 30, .kind = EV_PROC_EXIT, .tid = 8, .tgid = 7, .seq = 2},
				   {.t = 40, .kind = EV_APP_HITS, .a = 1}};
	struct evidence_header h = {.pid = 7, .attached = 1, .drained = 100};
	struct evidence_writer *w;
	struct diag d = {0};
	struct regime_tally t;
	struct evidence e;

	w = evidence_writer_open(from, &h, &d);
	cr_assert_not_null(w);
	cr_assert_eq(evidence_writer_put(w, v, sizeof(v) / sizeof(v[0])), 0);
	cr_assert_eq(evidence_writer_close(w, NULL, &d), 0);
	t = apply("drop:100:silent", 1, &e);
	regime_tally_free(&t);
	cr_assert_eq(e.cnt, 4);
	cr_expect_eq(count(&e, EV_PROC_FORK), 1);
	cr_expect_eq(count(&e, EV_PROC_CPU), 1);
	cr_expect_eq(count(&e, EV_APP_SITE), 1);
	cr_expect_eq(count(&e, EV_APP_HITS), 1);
	evidence_free(&e);
}

Test(regime, takes_the_same_again_and_more_at_a_higher_rate, .init = write_evidence,
     .fini = remove_files)
{
	static bool few[RECORDS], again[RECORDS], many[RECORDS], other[RECORDS];
	static const char *const word[] = {"drop:5", "drop:5", "drop:20", "drop:5"};
	bool *left[] = {few, again, many, other};

	for (unsigned i = 0; i < 4; i++) {
		struct evidence e;
		struct regime_tally t = apply(word[i], i == 3 ? 4 : 3, &e);

		mark_left(&e, left[i]);
		regime_tally_free(&t);
		evidence_free(&e);
	}
	cr_expect_arr_eq(few, again, sizeof(few));
	cr_expect_arr_neq(few, other, sizeof(few));
	for (unsigned i = 0; i < RECORDS; i++)
		cr_expect(few[i] || !many[i], "record %u", i);
}

Test(regime, drops_an_end_with_the_next_beginning, .init = write_evidence, .fini = remove_files)
{
	struct evidence e;
	struct regime_tally t = apply("pair-drop:10", 3, &e);
	static bool left[RECORDS];

	mark_left(&e, left);
	cr_expect(t.lost > RECORDS / 13 && t.lost < RECORDS / 8, "%lu lost", t.lost);
	for (unsigned i = 0; i < RECORDS - 1; i += 2) {
		if (i)
			cr_expect_eq(left[i], left[i - 1], "a submission goes with the CQE before");
	}
	regime_tally_free(&t);
	evidence_free(&e);
}

Test(regime, cuts_records_and_says_so, .init = write_evidence, .fini = remove_files)
{
	struct evidence e;
	struct regime_tally t = apply("truncate:10", 3, &e);
	uint64_t cut = 0;

	cr_expect_eq(e.cnt, RECORDS);
	for (size_t i = 0; i < e.cnt; i++) {
		if (!(e.v[i].flags & EV_F_CUT))
			continue;
		cut++;
		cr_expect(e.v[i].a == i && !e.v[i].b && !e.v[i].c && !e.v[i].e);
	}
	cr_expect_eq(cut, t.cut);
	cr_expect_eq(cut, t.losses_cnt);
	regime_tally_free(&t);
	evidence_free(&e);
}

Test(regime, forgets_stamps, .init = write_evidence, .fini = remove_files)
{
	struct evidence e;
	struct regime_tally t = apply("evict:10", 3, &e);
	uint64_t gone = 0;

	cr_expect_eq(e.cnt, RECORDS);
	for (size_t i = 0; i < e.cnt; i++)
		gone += !(e.v[i].e >> EV_IO_STAMP);
	cr_expect_eq(gone, t.evicted);
	cr_expect_gt(gone, RECORDS / 13);
	cr_expect_eq(t.losses_cnt, 0);
	regime_tally_free(&t);
	evidence_free(&e);
}

static void write_truth(void)
{
	FILE *f = fopen(truth, "we");

	cr_assert_not_null(f);
	fputs("{\"truth\":1,\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,"
	      "\"clock\":\"monotonic\",\"scored\":[1,9],\"threads\":[7],\"keys\":[],"
	      "\"descriptors\":[]}\n"
	      "{\"r\":\"loss\",\"from\":2,\"to\":3,\"lost\":1}\n"
	      "{\"r\":\"close\",\"counts\":{\"begin\":0,\"end\":0,\"segment\":0,\"handoff\":0,"
	      "\"event\":0},\"full\":false}\n",
	      f);
	cr_assert_eq(fclose(f), 0);
}

Test(regime, tells_truth_what_was_lost, .init = name_files, .fini = remove_files)
{
	struct truth_loss loss = {.from = 4, .to = 6, .lost = 2, .has_lost = 1};
	struct regime_tally t = {.losses = &loss, .losses_cnt = 1};
	struct diag d = {0};
	struct truth got;

	write_truth();
	cr_assert_eq(regime_tell_truth(&t, truth, told, &d), 0, "%s", d.reason);
	cr_assert_eq(truth_load(told, &got, &d), 0, "%s", d.reason);
	cr_assert_eq(truth_check(&got, told, &d), 0, "%s", d.reason);
	cr_assert_eq(got.losses_cnt, 2);
	cr_expect_eq(got.losses[1].from, 4);
	cr_expect_eq(got.losses[1].lost, 2);
	truth_free(&got);
}

/* ---- regimes that apply while a cell runs ---- */

static enum regime_kind kind_of(const char *word)
{
	struct regime r = {.kind = REGIME_CLEAN};
	struct diag d = {0};

	return regime_parse(word, &r, &d) ? REGIME_CLEAN : r.kind;
}

Test(regime, knows_those_that_apply_while_a_cell_runs)
{
	static const char *const none[] = {"small-buffers:5", "pressure:silent",
					   "late-attach:",    "candidates",
					   "candidates:0",    "candidates:1",
					   "candidates:1.5",  "candidates:0.5:silent",
					   "candidates:x"};

	cr_expect_eq(kind_of("small-buffers"), REGIME_SMALL_BUFFERS);
	cr_expect_eq(kind_of("late-attach"), REGIME_LATE_ATTACH);
	cr_expect_eq(kind_of("pressure"), REGIME_PRESSURE);
	cr_expect_eq(kind_of("candidates:0.45"), REGIME_CANDIDATES);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		cr_expect_eq(kind_of(none[i]), REGIME_CLEAN, "%s", none[i]);
	cr_expect(!regime_is_live(REGIME_EVICT));
	cr_expect(regime_is_live(REGIME_SMALL_BUFFERS) && regime_is_live(REGIME_CANDIDATES));
}

/* What the collector lost in earnest, and told, becomes truth as it stands. */
Test(regime, truth_is_told_what_the_collector_lost_itself, .init = name_files, .fini = remove_files)
{
	struct evidence_header h = {.pid = 7, .attached = 1, .drained = 1 << 30, .lost = 5};
	const struct ev_rec v[] = {{.t = 10, .kind = EV_IO_ENTER, .seq = 1},
				   {.t = 30, .kind = EV_LOST, .a = 4, .b = 20},
				   {.t = 40, .kind = EV_IO_ENTER, .seq = 6},
				   {.t = 50, .kind = EV_LOST, .a = 1, .b = 50, .cpu = 1}};
	struct evidence_writer *w;
	struct regime_tally t;
	struct diag d = {0};

	w = evidence_writer_open(from, &h, &d);
	cr_assert(w);
	cr_assert_eq(evidence_writer_put(w, v, 4), 0);
	cr_assert_eq(evidence_writer_close(w, &h, &d), 0);
	cr_assert_eq(regime_told(from, &t, &d), 0, "%s", d.reason);
	cr_assert_eq(t.losses_cnt, 2);
	cr_expect_eq(t.lost, 5);
	cr_expect(t.losses[0].from == 20 && t.losses[0].to == 30 && t.losses[0].lost == 4);
	cr_expect(t.losses[1].from == 50 && t.losses[1].to == 50 && t.losses[1].lost == 1);
	regime_tally_free(&t);
}
