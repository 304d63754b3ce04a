/* SPDX-License-Identifier: BSD-2-Clause */
/* The forecasts of p_stale (contracts §5.5), every clause by hand. */
#include "tests/units/score_health.h"

struct moments {
	size_t cnt;
	struct stale_moment v[64 * STALE_MOMENTS];
};

static struct moments moments(struct world *w, uint8_t start)
{
	struct sealed x = seal(w);
	struct moments m = {.cnt = w->t.descriptors_cnt * STALE_MOMENTS};
	struct stale_moment *exact = malloc(m.cnt * sizeof(*exact));

	cr_assert_eq(stale_moments(&x.t, &x.c, start, exact), 0);
	memcpy(m.v, exact, m.cnt * sizeof(*exact));
	free(exact);
	unseal(&x);
	return m;
}

/* Moments 1100, 1200 … 2000; descriptor 2 is invalid from 1200 on: 9 of its 10. */
Test(p_stale, is_asked_at_ten_moments_of_each_descriptor)
{
	struct world *w = stale_world();
	struct moments f = moments(w, HEALTH_VALIDATED);
	uint64_t invalid = 0;

	cr_assert_eq(f.cnt, 20);
	for (size_t i = 0; i < 20; i++) {
		cr_assert_eq(f.v[i].p_stale, 0.05);
		invalid += f.v[i].invalid;
	}
	cr_assert_eq(invalid, 9);
	w->descriptors[1].since = 1201;
	f = moments(w, HEALTH_VALIDATED);
	invalid = 0;
	for (size_t i = 0; i < 20; i++)
		invalid += f.v[i].invalid;
	cr_assert_eq(invalid, 8);
	world_free(w);
}

Test(p_stale, goes_by_the_state_until_a_value_is_claimed)
{
	static const double want[10] = {0.05, 0.5, 0.5, 0.9, 0.9, 0.9, 0.9, 0.9, 0.2, 0.2};
	struct world *w = stale_world();
	struct moments f;
	struct claim *x;

	health(w, 2, HEALTH_SUSPECT, 1200, "balance"); /* at a moment: in force */
	x = health(w, 2, HEALTH_STALE, 1301, "balance");
	x->has |= HAS_P_STALE;
	x->health.p_stale = 0.9;
	health(w, 2, HEALTH_STALE, 1500, "balance"); /* without a value: 0.9 stays */
	x = health(w, 2, HEALTH_STALE, 1850, "balance");
	x->has |= HAS_P_STALE;
	x->health.p_stale = 0.2;
	f = moments(w, HEALTH_VALIDATED);
	for (size_t i = 0; i < 10; i++)
		cr_assert_eq(f.v[10 + i].p_stale, want[i], "moment %zu", i + 1);
	world_free(w);
}

/* A claim of the very moment at which scored begins is one at attach: it replaces the start. */
Test(p_stale, begins_with_what_was_claimed_by_the_first_moment)
{
	struct world *w = valid_world();
	struct moments f;

	health(w, 1, HEALTH_VALIDATED, 1000, NULL);
	health(w, 2, HEALTH_VALIDATED, 1001, NULL); /* later: no fall, and none is raised */
	f = moments(w, HEALTH_SUSPECT);
	cr_assert_eq(f.v[0].p_stale, 0.05);
	cr_assert_eq(f.v[10].p_stale, 0.5);
	world_free(w);
}

Test(p_stale, knows_all_states_and_what_was_claimed_at_attach)
{
	struct world *w = valid_world();
	struct moments f;

	f = moments(w, HEALTH_SUSPECT);
	cr_assert_eq(f.v[0].p_stale, 0.5);
	health(w, 1, HEALTH_REFUSED, 900, NULL);
	f = moments(w, HEALTH_SUSPECT);
	cr_assert_eq(f.v[0].p_stale, 0.95);
	cr_assert_eq(f.v[10].p_stale, 0.5);
	health(w, 1, HEALTH_VALIDATED, 950, NULL); /* the last before scored is the start */
	f = moments(w, HEALTH_SUSPECT);
	cr_assert_eq(f.v[0].p_stale, 0.05);
	world_free(w);
}

Test(p_stale, ignores_raises_and_takes_the_greatest_value_of_a_moment)
{
	struct world *w = valid_world();
	struct moments f;

	health(w, 1, HEALTH_STALE, 1050, NULL);
	health(w, 1, HEALTH_VALIDATED, 1060, NULL);
	f = moments(w, HEALTH_VALIDATED);
	cr_assert_eq(f.v[0].p_stale, 0.95);
	for (unsigned i = 0; i < 3; i++) {
		struct claim *x = health(w, 1, HEALTH_STALE, 1070, NULL);

		x->has |= HAS_P_STALE;
		x->health.p_stale = i == 1 ? 0.8 : 0.3;
	}
	f = moments(w, HEALTH_VALIDATED);
	cr_assert_eq(f.v[0].p_stale, 0.8);
	world_free(w);
}

Test(p_stale, adds_its_moments_to_the_forecasts)
{
	struct world *w = stale_world();
	struct sealed x = seal(w);
	struct forecasts f = {0};

	cr_assert_eq(stale_forecasts(&x.t, &x.c, HEALTH_VALIDATED, &f), 0);
	forecasts_merge(&f);
	cr_assert_eq(f.cnt, 1);
	cr_assert_eq(f.v[0].f, 0.05);
	cr_assert_eq(f.v[0].n, 20);
	cr_assert_eq(f.v[0].came_true, 9);
	forecasts_free(&f);
	unseal(&x);
	world_free(w);
}

/* scored [0, 15]: moments 1.5, 3, 4.5 …; a claim at 2 is in force from the second on. */
Test(p_stale, compares_moments_exactly)
{
	struct world *w = valid_world();
	struct moments f;

	w->t.scored = (struct window){0, 15};
	health(w, 1, HEALTH_STALE, 2, NULL);
	f = moments(w, HEALTH_VALIDATED);
	cr_assert_eq(f.v[0].p_stale, 0.05);
	cr_assert_eq(f.v[1].p_stale, 0.95);
	w->claims[0].health.t = 3;
	f = moments(w, HEALTH_VALIDATED);
	cr_assert_eq(f.v[1].p_stale, 0.95);
	w->claims[0].health.t = 4;
	f = moments(w, HEALTH_VALIDATED);
	cr_assert_eq(f.v[1].p_stale, 0.05);
	/* no wrap at the far end of time */
	w->t.scored = (struct window){UINT64_MAX - 100, UINT64_MAX};
	w->claims[0].health.t = UINT64_MAX - 50;
	f = moments(w, HEALTH_VALIDATED);
	cr_assert_eq(f.v[3].p_stale, 0.05);
	cr_assert_eq(f.v[4].p_stale, 0.95);
	world_free(w);
}
