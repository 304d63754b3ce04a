/* SPDX-License-Identifier: BSD-2-Clause */
/* Loss honesty (contracts §5.5) and diagnosis (§5.7), every clause by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "scoring/diagnosis.h"
#include "scoring/loss.h"
#include "scoring/parts.h"
#include "scoring/score.h"
#include "tests/units/score_world.h"

/* One handoff, src.t [200, 230], dst.t [560, 700]. */
static struct world *loss_world(void)
{
	struct world *w = world_new();

	add_handoff(w, (struct truth_handoff){.src_t = {200, 230}, .dst_t = {560, 700}});
	return w;
}

static void gap(struct world *w, uint64_t from, uint64_t to, uint64_t lost)
{
	add_claim(w, (struct claim){.kind = CLAIM_GAP,
				    .has = HAS_LOST,
				    .gap = {.from = from, .to = to, .lost = lost}});
}

static struct loss_score loss(struct world *w, uint8_t spoken)
{
	struct sealed x = seal(w);
	uint8_t all[WORLD_MAX];
	struct loss_score s;

	memset(all, spoken, sizeof(all));
	cr_assert_eq(score_loss(&x.t, &x.c, all, &s), 0);
	unseal(&x);
	return s;
}

Test(score_loss, is_intact_where_nothing_was_lost)
{
	struct world *w = loss_world();
	struct loss_score s = loss(w, 0);

	cr_assert_eq(s.intact, 1);
	cr_assert_eq(s.missing, 0);
	cr_assert_eq(s.in_gap, 0);
	world_free(w);
}

Test(score_loss, hits_what_a_loss_meets_to_the_nanosecond)
{
	static const struct {
		uint64_t from, to;
		uint64_t hit;
	} rows[] = {
		{190, 199, 0}, {190, 200, 1}, {210, 220, 1}, {230, 240, 1}, {231, 559, 0},
		{231, 560, 1}, {700, 900, 1}, {701, 900, 0}, {0, 10000, 1},
	};

	for (size_t i = 0; i < 9; i++) {
		struct world *w = loss_world();

		add_loss(w, rows[i].from, rows[i].to, 1);
		cr_assert_eq(loss(w, 0).missing, rows[i].hit, "row %zu", i);
		cr_assert_eq(loss(w, 0).intact, 1 - rows[i].hit, "row %zu", i);
		world_free(w);
	}
}

Test(score_loss, finds_a_long_loss_behind_short_ones)
{
	struct world *w = loss_world();

	add_loss(w, 10, 650, 1);
	add_loss(w, 20, 21, 1);
	add_loss(w, 30, 31, 1);
	cr_assert_eq(loss(w, 0).missing, 1);
	world_free(w);
}

Test(score_loss, does_not_miss_what_was_credited)
{
	struct world *w = loss_world();

	add_loss(w, 210, 220, 1);
	cr_assert_eq(loss(w, SPOKEN_CREDITED | SPOKEN_TWO_ENDED).missing, 0);
	cr_assert_eq(loss(w, SPOKEN_CREDITED).intact, 0);
	cr_assert_eq(loss(w, SPOKEN_TWO_ENDED).missing, 1, "a duplicate's handoff is not credited");
	cr_assert_eq(loss(w, SPOKEN_TWO_ENDED).explained, 0);
	world_free(w);
}

Test(score_loss, is_explained_by_an_orphan_or_a_gap_that_meets_it)
{
	static const struct {
		uint64_t from, to;
		uint64_t explained;
	} rows[] = {{150, 199, 0}, {150, 200, 1}, {230, 231, 1}, {231, 559, 0}, {700, 701, 1}};
	struct world *w = loss_world();

	add_loss(w, 210, 220, 1);
	cr_assert_eq(loss(w, 0).explained, 0);
	cr_assert_eq(loss(w, SPOKEN_ORPHAN).explained, 1);
	cr_assert_eq(loss(w, SPOKEN_ORPHAN).missing, 1);
	for (size_t i = 0; i < 5; i++) {
		w->c.cnt = 0;
		gap(w, rows[i].from, rows[i].to, 1);
		cr_assert_eq(loss(w, 0).explained, rows[i].explained, "row %zu", i);
	}
	world_free(w);
}

Test(score_loss, is_in_a_gap_if_one_end_lies_wholly_in_one)
{
	static const struct {
		uint64_t from, to;
		uint64_t in_gap;
	} rows[] = {{200, 230, 1}, {201, 230, 0}, {200, 229, 0},
		    {560, 700, 1}, {561, 700, 0}, {560, 699, 0}};
	struct world *w = loss_world();

	for (size_t i = 0; i < 6; i++) {
		w->c.cnt = 0;
		gap(w, rows[i].from, rows[i].to, 1);
		cr_assert_eq(loss(w, 0).in_gap, rows[i].in_gap, "row %zu", i);
		cr_assert_eq(loss(w, 0).intact, 1);
	}
	/* two gaps that cover it together are not one */
	w->c.cnt = 0;
	gap(w, 190, 215, 1);
	gap(w, 216, 240, 1);
	cr_assert_eq(loss(w, 0).in_gap, 0);
	world_free(w);
}

Test(score_loss, asks_only_handoffs_with_two_scored_ends)
{
	struct world *w = loss_world();

	w->t.scored = (struct window){200, 700};
	cr_assert_eq(loss(w, 0).intact, 1);
	w->t.scored = (struct window){201, 700};
	cr_assert_eq(loss(w, 0).intact, 0);
	w->t.scored = (struct window){200, 699};
	cr_assert_eq(loss(w, 0).intact, 0);
	w->t.scored = (struct window){0, 10000};
	w->handoffs[0].has = TH_SRC;
	cr_assert_eq(loss(w, 0).intact, 0);
	world_free(w);
}

Test(score_loss, sums_lost_records_of_what_lies_in_scored)
{
	struct world *w = loss_world();

	w->t.scored = (struct window){100, 1000};
	add_loss(w, 100, 110, 12);
	add_loss(w, 990, 1000, 5);
	add_loss(w, 99, 110, 1000);
	add_loss(w, 990, 1001, 1000);
	gap(w, 100, 110, 10);
	gap(w, 300, 1000, 1);
	gap(w, 300, 1001, 100);
	cr_assert_eq(loss(w, 0).lost_true, 17);
	cr_assert_eq(loss(w, 0).lost_claimed, 11);
	world_free(w);
}

Test(score_loss, hits_and_explains_from_partly_outside_of_scored)
{
	struct world *w = loss_world();

	w->t.scored = (struct window){100, 1000};
	add_loss(w, 50, 210, 5);
	gap(w, 50, 240, 5);
	cr_assert_eq(loss(w, 0).missing, 1);
	cr_assert_eq(loss(w, 0).explained, 1);
	cr_assert_eq(loss(w, 0).lost_true, 0);
	cr_assert_eq(loss(w, 0).lost_claimed, 0);
	w->t.losses_cnt = 0;
	cr_assert_eq(loss(w, 0).in_gap, 1);
	world_free(w);
}

Test(score_loss, informs_by_what_it_explains_less_what_it_excuses_for_nothing)
{
	/* 3/4 told, and 1/5 of the intact given up, over 9 handoffs */
	struct loss_score s = {.missing = 4, .told = 3, .intact = 5, .given_up = 1};
	struct value v[VALUES_MAX];
	size_t cnt = loss_values(&s, v), i = 0;

	cr_assert(fabs(loss_informedness(&s).v - 0.55) < 1e-12);
	while (i < cnt && strcmp(v[i].name, "informedness"))
		i++;
	cr_assert(i < cnt && v[i].r.has && v[i].n == 9);
	s.missing = 0;
	cr_assert_not(loss_informedness(&s).has, "nothing is missing");
	s.missing = 1;
	cr_assert(loss_informedness(&s).has);
	s.intact = 0;
	cr_assert_not(loss_informedness(&s).has, "nothing is intact");
}

Test(score_loss, keeps_sums_at_the_greatest_number)
{
	struct world *w = loss_world();

	add_loss(w, 1, 2, UINT64_MAX);
	cr_assert_eq(loss(w, 0).lost_true, UINT64_MAX);
	add_loss(w, 3, 4, 2);
	gap(w, 1, 2, UINT64_MAX - 1);
	gap(w, 3, 4, 1);
	cr_assert_eq(loss(w, 0).lost_claimed, UINT64_MAX);
	gap(w, 5, 6, 7);
	cr_assert_eq(loss(w, 0).lost_true, UINT64_MAX);
	cr_assert_eq(loss(w, 0).lost_claimed, UINT64_MAX);
	world_free(w);
}

static void diagnosed(struct world *w, const char *label, const char *subject, uint64_t t)
{
	add_claim(w,
		  (struct claim){.kind = CLAIM_DIAGNOSIS,
				 .diagnosis = {.t = t,
					       .label_str = claimed(w, label),
					       .subject_str = *subject ? claimed(w, subject) : 0}});
}

static struct diagnosis_score diagnoses(struct world *w)
{
	struct sealed x = seal(w);
	struct diagnosis_score s;

	cr_assert_eq(score_diagnoses(&x.t, &x.c, &s), 0);
	unseal(&x);
	return s;
}

Test(score_diagnosis, is_right_by_label_subject_and_time)
{
	static const struct {
		const char *label, *subject;
		uint64_t t, right;
	} rows[] = {
		{"thrash", "pool.frame", 1199, 0}, {"thrash", "pool.frame", 1200, 1},
		{"thrash", "pool.frame", 5000, 1}, {"thrash", "pool.frame", 5001, 0},
		{"thrash", "pool.page", 2000, 0},  {"leak", "pool.frame", 2000, 0},
		{"thrash", "", 2000, 0},
	};

	for (size_t i = 0; i < 7; i++) {
		struct world *w = world_new();
		struct diagnosis_score s;

		add_diagnosis(w, "thrash", "pool.frame", 1200, 5000);
		diagnosed(w, rows[i].label, rows[i].subject, rows[i].t);
		s = diagnoses(w);
		cr_assert_eq(s.right, rows[i].right, "row %zu", i);
		cr_assert_eq(s.found, rows[i].right);
		cr_assert_eq(s.claims, 1);
		cr_assert_eq(s.truth, 1);
		diagnosis_score_free(&s);
		world_free(w);
	}
}

Test(score_diagnosis, times_the_earliest_right_label)
{
	struct world *w = world_new();
	struct diagnosis_score s;

	add_diagnosis(w, "thrash", "pool.frame", 1200, 5000);
	diagnosed(w, "thrash", "pool.frame", 2000);
	diagnosed(w, "thrash", "pool.frame", 1700);
	diagnosed(w, "thrash", "pool.frame", 1900);
	s = diagnoses(w);
	cr_assert_eq(s.found, 1);
	cr_assert_eq(s.right, 3);
	cr_assert_eq(s.time_to_label.v, 500);
	diagnosis_score_free(&s);
	w->c.cnt = 0;
	s = diagnoses(w);
	cr_assert_not(s.time_to_label.has);
	diagnosis_score_free(&s);
	world_free(w);
}

/* Diagnosis i of label i holds from 100·i on and is named i ns later: the waits are 1 … cnt. */
static struct ratio median_wait(unsigned cnt)
{
	struct world *w = world_new();
	struct diagnosis_score s;
	struct ratio median;

	for (unsigned i = 1; i <= cnt; i++) {
		char label[16];

		snprintf(label, sizeof(label), "label%u", i);
		add_diagnosis(w, label, "", 100 * i, 100 * i + 99);
		diagnosed(w, label, "", 100 * i + i);
	}
	s = diagnoses(w);
	cr_assert_eq(s.found, cnt);
	median = s.time_to_label;
	diagnosis_score_free(&s);
	world_free(w);
	return median;
}

Test(score_diagnosis, takes_the_median_wait_by_nearest_rank)
{
	cr_assert_not(median_wait(0).has);
	cr_assert_eq(median_wait(1).v, 1);
	cr_assert_eq(median_wait(2).v, 1);
	cr_assert_eq(median_wait(3).v, 2);
	cr_assert_eq(median_wait(51).v, 26);
}

Test(score_diagnosis, tabulates_what_was_said_while_what_held)
{
	struct world *w = world_new();
	struct diagnosis_score s;

	add_diagnosis(w, "thrash", "pool.frame", 1200, 5000);
	add_diagnosis(w, "leak", "queue.slot", 3000, 5000);
	diagnosed(w, "leak", "queue.slot", 4000); /* both hold: under the one it names */
	diagnosed(w, "leak", "pool.frame", 4000); /* neither: under the first */
	diagnosed(w, "leak", "pool.frame", 4100);
	diagnosed(w, "leak", "queue.slot", 100); /* nothing holds */
	s = diagnoses(w);
	cr_assert_eq(s.confusion_cnt, 3);
	cr_assert_str_eq(s.confusion[0].true_label, "");
	cr_assert_str_eq(s.confusion[0].label, "leak");
	cr_assert_eq(s.confusion[0].claims, 1);
	cr_assert_str_eq(s.confusion[1].true_label, "leak");
	cr_assert_str_eq(s.confusion[1].subject, "queue.slot");
	cr_assert_eq(s.confusion[1].claims, 1);
	cr_assert_str_eq(s.confusion[2].true_label, "thrash");
	cr_assert_str_eq(s.confusion[2].true_subject, "pool.frame");
	cr_assert_eq(s.confusion[2].claims, 2);
	cr_assert_eq(s.right, 1);
	cr_assert_eq(s.found, 1);
	diagnosis_score_free(&s);
	world_free(w);
}

Test(score_diagnosis, keeps_to_what_is_scored)
{
	struct world *w = world_new();
	struct diagnosis_score s;

	w->t.scored = (struct window){1000, 5000};
	add_diagnosis(w, "thrash", "pool.frame", 1000, 5000);
	add_diagnosis(w, "thrash", "pool.frame", 1000, 5001);
	diagnosed(w, "thrash", "pool.frame", 999);
	diagnosed(w, "thrash", "pool.frame", 5000);
	s = diagnoses(w);
	cr_assert_eq(s.truth, 1);
	cr_assert_eq(s.found, 1);
	cr_assert_eq(s.claims, 1);
	diagnosis_score_free(&s);
	world_free(w);
}

static struct diagnosis_score diagnosed_with(struct world *w, const double *conf, size_t cnt)
{
	add_diagnosis(w, "thrash", "pool.frame", 1200, 5000);
	for (size_t i = 0; i < cnt; i++) {
		diagnosed(w, i % 4 < 2 ? "leak" : "thrash", "pool.frame", 2000);
		w->claims[i].has |= HAS_CONF;
		w->claims[i].diagnosis.conf = conf[i];
	}
	return diagnoses(w);
}

/* As sure: one line; the surest first, whatever the order of claims. */
Test(score_diagnosis, counts_claims_by_how_sure_they_are)
{
	static const double conf[] = {0.5, 0.9, 0, 0.7, 0.9, 0.5, 0.6, 0.9, 0};
	static const struct sureness expected[] = {
		{0.9, 3, 1}, {0.7, 1, 1}, {0.6, 1, 1}, {0.5, 2, 0}, {0, 2, 1}};
	struct world *w = world_new();
	struct diagnosis_score s = diagnosed_with(w, conf, 9);

	cr_assert_eq(s.sureness_cnt, 5);
	for (size_t i = 0; i < 5; i++) {
		cr_expect_eq(s.sureness[i].conf, expected[i].conf);
		cr_expect_eq(s.sureness[i].claims, expected[i].claims);
		cr_expect_eq(s.sureness[i].right, expected[i].right);
	}
	diagnosis_score_free(&s);
	world_free(w);
}

/* None twice, the last of them in the midst of all others: there is room for these and no more. */
Test(score_diagnosis, has_room_for_as_many_as_there_are_claims)
{
	static const double conf[] = {0.5, 0.9, 0, 0.7, 0.6};
	struct world *w = world_new();
	struct diagnosis_score s = diagnosed_with(w, conf, 5);

	cr_assert_eq(s.sureness_cnt, 5);
	cr_expect_eq(s.sureness[2].conf, 0.6);
	cr_expect_eq(s.sureness[4].conf, 0);
	diagnosis_score_free(&s);
	world_free(w);
}

Test(score_diagnosis, counts_label_by_label_and_by_how_sure_one_is)
{
	struct world *w = world_new();
	struct diagnosis_score s;

	add_diagnosis(w, "thrash", "pool.frame", 1200, 5000);
	add_diagnosis(w, "healthy", "", 100, 1200);
	add_diagnosis(w, "healthy", "", 6000, 7000);
	add_diagnosis(w, "healthy", "", 8000, 9000);
	diagnosed(w, "healthy", "", 160);
	diagnosed(w, "healthy", "", 6500);
	diagnosed(w, "thrash", "pool.page", 2000);
	for (size_t i = 0; i < w->c.cnt - 1; i++) {
		w->claims[i].has |= HAS_CONF;
		w->claims[i].diagnosis.conf = i ? 0.9 : 0.8;
	}
	s = diagnoses(w);
	cr_assert_eq(s.label_cnt, 2);
	cr_assert_str_eq(s.labels[0].label, "healthy");
	cr_assert_eq(s.labels[0].truth, 3);
	cr_assert_eq(s.labels[0].found, 2);
	cr_assert(s.labels[0].time_to_label.has);
	cr_assert_eq(s.labels[0].time_to_label.v, 500);
	cr_assert_eq(s.labels[1].truth, 1);
	cr_assert_eq(s.labels[1].found, 0);
	cr_assert_not(s.labels[1].time_to_label.has);
	cr_assert_eq(s.sureness_cnt, 3);
	cr_assert_eq(s.sureness[0].conf, 1); /* it did not say */
	cr_assert_eq(s.sureness[0].right, 0);
	cr_assert_eq(s.sureness[1].conf, 0.9);
	cr_assert_eq(s.sureness[2].right, 1);
	diagnosis_score_free(&s);
	world_free(w);
}
