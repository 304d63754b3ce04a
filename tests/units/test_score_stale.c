/* SPDX-License-Identifier: BSD-2-Clause */
/* Stale contracts (contracts §5.4), every clause by hand. */
#include "tests/units/score_health.h"

static struct stale_score score_with(struct world *w, uint8_t start,
				     const struct stale_rules *rules)
{
	struct sealed x = seal(w);
	struct stale_score s;

	cr_assert_eq(score_stale(&x.t, &x.c, start, rules, &s), 0);
	unseal(&x);
	return s;
}

/* The one resource of the world. */
static struct resource_score frame(struct world *w)
{
	struct stale_score s = score_with(w, HEALTH_VALIDATED, NULL);
	struct resource_score r;

	cr_assert_eq(s.resource_cnt, 1);
	r = s.resource[0];
	stale_score_free(&s);
	return r;
}

static struct stale_score totals(struct world *w)
{
	struct stale_score s = score_with(w, HEALTH_VALIDATED, NULL);

	free(s.resource);
	s.resource = NULL;
	return s;
}

Test(score_stale, keeps_what_nobody_speaks_of)
{
	struct world *w = stale_world();
	struct resource_score r = frame(w);
	struct stale_score s = totals(w);

	cr_assert_not(r.valid);
	cr_assert_eq(r.worst, KEPT);
	cr_assert_not(r.detected);
	cr_assert(r.censored);
	cr_assert_eq(r.latency_ns, 500, "to the end of what is scored");
	cr_assert_eq(s.matrix[1][KEPT], 1);
	cr_assert_eq(s.stale, 1);
	cr_assert_eq(s.detected, 0);
	cr_assert_eq(s.was_valid, 1, "until 1200");
	world_free(w);
}

Test(score_stale, detects_a_fall_that_names_an_invariant)
{
	struct world *w = stale_world();
	struct resource_score r;

	health(w, 2, HEALTH_SUSPECT, 1700, "balance");
	r = frame(w);
	cr_assert(r.detected);
	cr_assert(r.has_latency);
	cr_assert_eq(r.latency_ns, 200);
	cr_assert_eq(r.worst, SUSPECT);
	cr_assert_not(r.early);
	cr_assert_not(r.censored);
	cr_assert_not(r.false_alarm);
	cr_assert(r.localised);
	cr_assert_eq(totals(w).matrix[1][SUSPECT], 1);
	world_free(w);
}

Test(score_stale, detects_nothing_without_an_invariant)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_STALE, 1700, NULL);
	health(w, 2, HEALTH_STALE, 1800, ""); /* empty: as good as none */
	cr_assert_not(frame(w).detected);
	cr_assert_eq(frame(w).worst, STALE);
	/* naming it later is no fall any more */
	health(w, 2, HEALTH_STALE, 1900, "balance");
	cr_assert_not(frame(w).detected);
	world_free(w);
}

Test(score_stale, takes_refused_for_stale)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_REFUSED, 1700, "balance");
	cr_assert_eq(frame(w).worst, STALE);
	cr_assert(frame(w).detected);
	world_free(w);
}

Test(score_stale, takes_start_from_the_last_claim_at_or_before_scored)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_STALE, 500, "order");
	health(w, 2, HEALTH_SUSPECT, 1000, "order"); /* at scored[0]: still start */
	cr_assert_eq(frame(w).worst, SUSPECT);
	cr_assert_eq(frame(w).raised, 0);
	health(w, 2, HEALTH_SUSPECT, 1600, "balance");
	cr_assert_not(frame(w).detected, "no fall below start");
	health(w, 2, HEALTH_STALE, 1700, "balance");
	cr_assert(frame(w).detected);
	cr_assert_eq(frame(w).latency_ns, 200);
	world_free(w);
}

Test(score_stale, cannot_fall_below_a_refusal_at_attach)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_REFUSED, 900, "build-id");
	health(w, 2, HEALTH_STALE, 1700, "balance");
	cr_assert_not(frame(w).detected);
	cr_assert_eq(frame(w).worst, STALE);
	world_free(w);
}

Test(score_stale, begins_one_nanosecond_after_scored_begins)
{
	struct world *w = valid_world();

	health(w, 2, HEALTH_STALE, 1000, "balance");
	cr_assert_not(frame(w).false_alarm);
	w->claims[0].health.t = 1001;
	cr_assert(frame(w).false_alarm);
	w->claims[0].health.t = 2000;
	cr_assert(frame(w).false_alarm);
	w->claims[0].health.t = 2001; /* not scored */
	cr_assert_not(frame(w).false_alarm);
	cr_assert_eq(frame(w).worst, KEPT);
	world_free(w);
}

Test(score_stale, begins_suspect_under_best_effort)
{
	struct world *w = stale_world();
	struct stale_score s;

	health(w, 2, HEALTH_SUSPECT, 1600, "balance");
	s = score_with(w, HEALTH_SUSPECT, NULL);
	cr_assert_not(s.resource[0].detected);
	stale_score_free(&s);
	health(w, 2, HEALTH_STALE, 1700, "balance");
	s = score_with(w, HEALTH_SUSPECT, NULL);
	cr_assert(s.resource[0].detected);
	cr_assert_eq(s.resource[0].latency_ns, 200);
	stale_score_free(&s);
	world_free(w);
}

Test(score_stale, ignores_and_counts_raises)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_STALE, 1600, "balance");
	health(w, 2, HEALTH_SUSPECT, 1700, "balance");
	health(w, 2, HEALTH_VALIDATED, 1800, "balance");
	health(w, 2, HEALTH_STALE, 1900, "balance"); /* never raised, so no fall */
	cr_assert_eq(frame(w).worst, STALE);
	cr_assert_eq(frame(w).raised, 2);
	cr_assert_eq(frame(w).latency_ns, 100);
	world_free(w);
}

Test(score_stale, counts_claims_of_one_moment_as_the_worst_of_them)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_STALE, 1600, "balance");
	health(w, 2, HEALTH_VALIDATED, 1600, "balance");
	cr_assert_eq(frame(w).raised, 0);
	cr_assert_eq(frame(w).worst, STALE);
	health(w, 1, HEALTH_SUSPECT, 1300, "balance");
	health(w, 1, HEALTH_STALE, 1400, "balance");
	health(w, 1, HEALTH_VALIDATED, 1400, "balance");
	cr_assert_eq(frame(w).raised, 0, "the better claim of a moment is no raise");
	/* named and unnamed at once: named */
	health(w, 2, HEALTH_STALE, 1600, NULL);
	cr_assert(frame(w).detected);
	world_shuffle(w, 3);
	cr_assert(frame(w).detected);
	world_free(w);
}

Test(score_stale, alarms_falsely_on_a_valid_resource)
{
	struct world *w = valid_world();
	struct resource_score r;

	health(w, 1, HEALTH_SUSPECT, 1600, NULL); /* an invariant need not be named */
	r = frame(w);
	cr_assert(r.valid);
	cr_assert(r.false_alarm);
	cr_assert_not(r.has_latency);
	cr_assert_eq(totals(w).false_alarms, 1);
	cr_assert_eq(totals(w).was_valid, 1);
	cr_assert_eq(totals(w).stale, 0);
	cr_assert_eq(totals(w).matrix[0][SUSPECT], 1);
	world_free(w);
}

Test(score_stale, alarms_falsely_before_since_to_the_nanosecond)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_STALE, 1199, "balance");
	cr_assert(frame(w).false_alarm);
	cr_assert_not(frame(w).detected);
	cr_assert(frame(w).censored);
	w->claims[0].health.t = 1200;
	cr_assert_not(frame(w).false_alarm);
	cr_assert(frame(w).detected);
	world_free(w);
}

Test(score_stale, detects_after_an_early_false_alarm_only_if_it_falls_further)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_SUSPECT, 1100, "balance");
	cr_assert_not(frame(w).detected);
	/* another descriptor of the resource falls no lower than the alarm did */
	health(w, 1, HEALTH_SUSPECT, 1600, "balance");
	cr_assert_not(frame(w).detected);
	health(w, 2, HEALTH_STALE, 1700, "balance");
	cr_assert(frame(w).detected);
	cr_assert(frame(w).false_alarm);
	cr_assert_eq(frame(w).latency_ns, 200);
	world_free(w);
}

Test(score_stale, is_early_between_since_and_contradicted)
{
	static const struct {
		uint64_t t, latency;
		bool early;
	} rows[] = {{1200, 0, true}, {1499, 0, true}, {1500, 0, true}, {1501, 1, false}};

	for (size_t i = 0; i < 4; i++) {
		struct world *w = stale_world();

		health(w, 2, HEALTH_STALE, rows[i].t, "balance");
		cr_assert_eq(frame(w).early, rows[i].early, "at %lu", rows[i].t);
		cr_assert_eq(frame(w).latency_ns, rows[i].latency);
		cr_assert_eq(frame(w).latency_events, 0);
		world_free(w);
	}
}

Test(score_stale, counts_latency_in_events_of_the_resource)
{
	static const uint64_t begins[] = {1700, 1500, 1501, 1800, 1801};
	struct world *w = stale_world();

	for (size_t i = 0; i < 5; i++)
		add_event(w, (struct truth_event){.class_str = said(w, FRAME),
						  .t = {begins[i], begins[i] + 50}});
	add_event(w, (struct truth_event){.class_str = said(w, "pool.page"), .t = {1600, 1601}});
	health(w, 2, HEALTH_STALE, 1800, "balance");
	cr_assert_eq(frame(w).latency_events, 3); /* 1500 < t0 ≤ 1800 */
	w->c.cnt = 0;
	cr_assert_eq(frame(w).latency_events, 4, "censored: to the end");
	world_free(w);
}

Test(score_stale, has_no_latency_where_nothing_contradicted_it)
{
	struct world *w = stale_world();

	w->descriptors[1].has_contradicted = 0;
	cr_assert_not(frame(w).has_latency);
	cr_assert(frame(w).censored);
	health(w, 2, HEALTH_STALE, 1800, "balance");
	cr_assert(frame(w).early);
	cr_assert(frame(w).has_latency);
	cr_assert_eq(frame(w).latency_ns, 0);
	world_free(w);
}

Test(score_stale, does_not_wrap_when_it_was_contradicted_after_scored)
{
	struct world *w = stale_world();

	w->descriptors[1].contradicted = 3000;
	cr_assert_eq(frame(w).latency_ns, 0);
	cr_assert(frame(w).censored);
	world_free(w);
}

Test(score_stale, dates_a_resource_by_its_earliest_invalid_descriptor)
{
	struct world *w = stale_world();

	add_descriptor(w, (struct truth_descriptor){.id = 3, .since = 1300, .contradicted = 1400},
		       FRAME);
	health(w, 3, HEALTH_STALE, 1250, "balance");
	cr_assert_not(frame(w).false_alarm, "the resource is stale since 1200");
	cr_assert(frame(w).detected);
	cr_assert(frame(w).early);
	cr_assert_not(frame(w).localised, "3 was still valid then");
	w->claims[0].health.t = 1300;
	cr_assert(frame(w).localised);
	w->claims[0].health.t = 1450;
	cr_assert_eq(frame(w).latency_ns, 50);
	cr_assert(frame(w).localised);
	world_free(w);
}

Test(score_stale, takes_a_claim_of_the_state_in_force_for_claimed)
{
	struct world *w = valid_world();
	struct stale_score s = score_with(w, HEALTH_SUSPECT, NULL);

	cr_assert_eq(s.resource[0].worst, KEPT, "nobody claimed anything");
	stale_score_free(&s);
	health(w, 2, HEALTH_SUSPECT, 1600, "balance");
	s = score_with(w, HEALTH_SUSPECT, NULL);
	cr_assert_eq(s.resource[0].worst, SUSPECT);
	cr_assert_eq(s.matrix[0][SUSPECT], 1);
	cr_assert_not(s.resource[0].false_alarm, "it is no fall");
	cr_assert_eq(s.resource[0].raised, 0);
	stale_score_free(&s);
	world_free(w);
}

Test(score_stale, counts_nothing_on_unlisted_descriptors)
{
	struct world *w = valid_world();
	struct stale_score s;

	health(w, 9, HEALTH_STALE, 1600, "balance");
	s = totals(w);
	cr_assert_eq(s.false_alarms, 0);
	cr_assert_eq(s.matrix[0][KEPT], 1);
	world_free(w);
}

Test(score_stale, knows_which_resources_were_valid_at_some_time)
{
	struct world *w = stale_world();

	w->descriptors[1].since = 1000; /* from the first moment that is scored */
	cr_assert_eq(totals(w).was_valid, 0);
	w->descriptors[1].since = 1001;
	cr_assert_eq(totals(w).was_valid, 1);
	world_free(w);
}

Test(score_stale, judges_each_resource_and_sorts_them)
{
	struct world *w = stale_world();
	struct stale_score s;

	add_descriptor(w, (struct truth_descriptor){.id = 4, .valid = 1}, "cache.entry");
	add_descriptor(w, (struct truth_descriptor){.id = 5, .since = 1200, .contradicted = 1300},
		       "queue.slot");
	health(w, 4, HEALTH_STALE, 1600, "balance");
	health(w, 2, HEALTH_SUSPECT, 1600, "balance");
	s = score_with(w, HEALTH_VALIDATED, NULL);
	cr_assert_eq(s.resource_cnt, 3);
	cr_assert_str_eq(s.resource[0].name, "cache.entry");
	cr_assert_str_eq(s.resource[1].name, FRAME);
	cr_assert_str_eq(s.resource[2].name, "queue.slot");
	cr_assert(s.resource[0].false_alarm);
	cr_assert(s.resource[1].detected);
	cr_assert(s.resource[2].censored);
	cr_assert_eq(s.matrix[0][STALE], 1);
	cr_assert_eq(s.matrix[1][SUSPECT], 1);
	cr_assert_eq(s.matrix[1][KEPT], 1);
	cr_assert_eq(s.stale, 2);
	cr_assert_eq(s.detected, 1);
	cr_assert_eq(s.false_alarms, 1);
	cr_assert_eq(s.was_valid, 3);
	stale_score_free(&s);
	world_free(w);
}

Test(score_stale, is_localised_when_the_right_descriptor_is_named)
{
	struct world *w = stale_world();

	health(w, 1, HEALTH_SUSPECT, 1550, "balance"); /* shares the invariant: not counted */
	cr_assert(frame(w).detected);
	cr_assert_not(frame(w).localised);
	health(w, 2, HEALTH_STALE, 1560, "balance");
	cr_assert(frame(w).localised);
	cr_assert_eq(frame(w).latency_ns, 50);
	cr_assert_eq(totals(w).localised, 1);
	health(w, 2, HEALTH_SUSPECT, 1555, "balance"); /* a second fall of the same */
	cr_assert_eq(totals(w).doubted, 2, "and its neighbour");
	cr_assert_eq(totals(w).doubted_invalid, 1);
	world_free(w);
}

Test(score_stale, is_not_localised_when_a_valid_descriptor_is_called_stale)
{
	struct world *w = stale_world();

	health(w, 2, HEALTH_STALE, 1560, "balance");
	health(w, 1, HEALTH_STALE, 1570, "balance");
	cr_assert(frame(w).detected);
	cr_assert_not(frame(w).localised);
	cr_assert_not(frame(w).false_alarm, "the headline is per resource");
	world_free(w);
}

static bool share_balance(void *arg, const char *why, uint32_t a, uint32_t b)
{
	return !strcmp(why, "balance");
}

Test(score_stale, counts_suspicion_of_a_neighbour_unless_they_share_the_invariant)
{
	const struct stale_rules rules = {.shares = share_balance};
	struct world *w = stale_world();
	struct stale_score s;

	health(w, 2, HEALTH_STALE, 1560, "order");
	health(w, 1, HEALTH_SUSPECT, 1570, "balance");
	s = score_with(w, HEALTH_VALIDATED, &rules);
	cr_assert(s.resource[0].localised);
	stale_score_free(&s);
	w->claims[1].health.why_str = claimed(w, "order");
	s = score_with(w, HEALTH_VALIDATED, &rules);
	cr_assert_not(s.resource[0].localised);
	stale_score_free(&s);
	world_free(w);
}

/* Of several invariants named at one moment the first by name counts, in any order of claims. */
Test(score_stale, takes_the_first_of_several_invariants_of_one_moment)
{
	const struct stale_rules rules = {.shares = share_balance};
	struct world *w = stale_world();

	claimed(w, "order"); /* so that ids run against names */
	health(w, 2, HEALTH_STALE, 1560, "order");
	health(w, 1, HEALTH_SUSPECT, 1570, "balance");
	health(w, 1, HEALTH_SUSPECT, 1570, "order");
	for (unsigned i = 0; i < 2; i++) {
		struct stale_score s = score_with(w, HEALTH_VALIDATED, &rules);
		struct claim x = w->claims[1];

		cr_assert(s.resource[0].localised);
		stale_score_free(&s);
		w->claims[1] = w->claims[2];
		w->claims[2] = x;
	}
	world_free(w);
}

/* Resources are listed by name, descriptors in truth's order: the first may be of the last. */
Test(score_stale, finds_the_resource_of_the_first_descriptor)
{
	struct world *w = world_new();
	struct stale_score s;

	add_descriptor(w, (struct truth_descriptor){.id = 1, .since = 100, .contradicted = 200},
		       "z.last");
	add_descriptor(w, (struct truth_descriptor){.id = 2, .valid = 1}, "a.first");
	health(w, 1, HEALTH_STALE, 300, "balance");
	s = score_with(w, HEALTH_VALIDATED, NULL);
	cr_assert_eq(s.resource_cnt, 2);
	cr_assert(s.resource[0].valid);
	cr_assert_not(s.resource[0].false_alarm);
	cr_assert_not(s.resource[1].valid);
	cr_assert(s.resource[1].detected);
	free(s.resource);
	world_free(w);
}

/* The last word of each before `scored` is its state at attach, whoever's words come next. */
Test(score_stale, keeps_the_last_word_before_scored_of_each_descriptor)
{
	struct world *w = valid_world();
	struct stale_score s;

	w->descriptors[1].resource_str = said(w, "pool.page");
	health(w, 1, HEALTH_STALE, 900, NULL);
	health(w, 1, HEALTH_VALIDATED, 1500, NULL); /* a raise comes too late */
	health(w, 2, HEALTH_SUSPECT, 950, NULL);
	s = score_with(w, HEALTH_VALIDATED, NULL);
	cr_assert_eq(s.resource[0].worst, STALE);
	cr_assert_eq(s.resource[1].worst, SUSPECT);
	cr_assert_eq(s.false_alarms, 0);
	free(s.resource);
	world_free(w);
}
