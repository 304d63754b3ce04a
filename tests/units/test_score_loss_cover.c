/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of what was lost was told, and of what was whole given up (scoring/loss.h). */
#include <criterion/criterion.h>
#include <math.h>

#include "scoring/loss.h"
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

/* src.t has 31 ns and dst.t 141: 172 in all. */
Test(score_loss_cover, gives_up_what_share_of_an_intact_one_lies_in_gaps)
{
	static const struct {
		uint64_t from[2], to[2];
		double ns;
	} rows[] = {
		{{100, 240}, {199, 559}, 0},  {{100, 231}, {200, 559}, 1},
		{{230, 700}, {231, 701}, 2},  {{210, 0}, {219, 5}, 10},
		{{210, 212}, {219, 215}, 10}, /* one within the other */
		{{210, 215}, {219, 224}, 15}, /* one reaches into the other */
		{{210, 220}, {219, 229}, 20}, /* they touch */
		{{0, 590}, {9999, 600}, 172}, {{225, 225}, {565, 564}, 12},
	};
	struct world *w = loss_world();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		w->c.cnt = 0;
		gap(w, rows[i].from[0], rows[i].to[0], 1);
		gap(w, rows[i].from[1], rows[i].to[1], 1);
		cr_assert(fabs(loss(w, 0).given_up - rows[i].ns / 172) < 1e-12, "row %zu", i);
		cr_assert_eq(loss(w, 0).told, 0);
	}
	w->c.cnt = 0;
	cr_assert_eq(loss(w, 0).given_up, 0);
	cr_assert_eq(loss(w, SPOKEN_ORPHAN).given_up, 1, "it was whole");
	cr_assert_eq(loss(w, SPOKEN_ORPHAN | SPOKEN_CREDITED).given_up, 1);
	world_free(w);
}

/* Of the loss 10 ns lie in src.t, and 5 of another in dst.t. */
Test(score_loss_cover, tells_what_share_of_the_losses_that_hit_lies_in_gaps)
{
	static const struct {
		uint64_t from[2], to[2];
		double ns;
	} rows[] = {
		{{100, 231}, {209, 559}, 0},  {{100, 300}, {210, 400}, 1},
		{{215, 561}, {700, 800}, 10}, {{0, 0}, {9999, 0}, 15},
		{{219, 220}, {219, 555}, 1},
	};
	struct world *w = loss_world();

	add_loss(w, 210, 219, 1);
	add_loss(w, 550, 564, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		w->c.cnt = 0;
		gap(w, rows[i].from[0], rows[i].to[0], 1);
		gap(w, rows[i].from[1], rows[i].to[1], 1);
		cr_assert(fabs(loss(w, 0).told - rows[i].ns / 15) < 1e-12, "row %zu", i);
		cr_assert_eq(loss(w, 0).given_up, 0);
		cr_assert_eq(loss(w, SPOKEN_CREDITED).told, 0, "nothing is missing");
	}
	w->c.cnt = 0;
	cr_assert_eq(loss(w, SPOKEN_ORPHAN).told, 1);
	world_free(w);
}

/* Two of one moment, one of all times: what is at the end of all time is none, and nothing wraps.
 */
Test(score_loss_cover, tells_of_moments_and_of_all_time)
{
	struct world *w = loss_world();

	add_loss(w, 210, 210, 1);
	gap(w, 210, 210, 1);
	cr_assert_eq(loss(w, 0).told, 1);
	w->c.cnt = 0;
	gap(w, 0, UINT64_MAX, 1);
	cr_assert_eq(loss(w, 0).told, 1);
	w->t.scored = (struct window){0, UINT64_MAX};
	w->handoffs[0].dst_t = (struct window){UINT64_MAX, UINT64_MAX};
	w->handoffs[0].src_t = w->handoffs[0].dst_t;
	w->losses[0].from = w->losses[0].to = UINT64_MAX;
	cr_assert_eq(loss(w, 0).missing, 1);
	cr_assert_eq(loss(w, 0).told, 0);
	world_free(w);
}

/* As many gaps as one likes, of any length, none of which says where anything was lost. */
Test(score_loss_cover, informs_of_nothing_by_a_comb_of_gaps)
{
	static const uint64_t teeth[] = {1, 3, 5, 9};
	struct world *w = loss_world();
	double whole = 0;

	add_handoff(w, (struct truth_handoff){.src_t = {2000, 2049}, .dst_t = {2500, 2599}});
	for (uint64_t t = 2000; t < 2050; t++)
		add_loss(w, t, t, 1);
	for (size_t i = 0; i < sizeof(teeth) / sizeof(teeth[0]); i++) {
		struct loss_score s;

		w->c.cnt = 0;
		for (uint64_t t = 200; t < 700; t += 10)
			gap(w, t, t + teeth[i] - 1, 1);
		for (uint64_t t = 2000; t < 2600; t += 10)
			gap(w, t, t + teeth[i] - 1, 1);
		s = loss(w, 0);
		cr_assert_eq(s.explained, 1, "what there was to win");
		cr_assert_eq(s.in_gap, 0);
		whole = fmax(whole, fabs(loss_informedness(&s).v));
	}
	cr_assert_lt(whole, 0.02);
	world_free(w);
}
