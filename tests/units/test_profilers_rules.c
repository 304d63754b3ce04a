/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: a program that keeps all of its invariants, and what comes of resources beside the rules.
 */
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000 };

static const char all[] =
	"  - {id: pair, kind: pairing, of: [1, 3], evidence: proof}\n"
	"  - {id: member, kind: membership, of: [2], evidence: proof}\n"
	"  - {id: generation, kind: generation, of: [1], evidence: proof}\n"
	"  - {id: balance, kind: balance, of: [1, 3], evidence: proof, within: 100ms}\n"
	"  - {id: ratio, kind: ratio, of: [2, 1], at_least: 0.8, at_most: 1.2}\n"
	"  - {id: order, kind: order, of: [1, 3], evidence: proof}\n"
	"  - {id: range, kind: range, of: [1], min: 1, max: 4}\n"
	"  - {id: silence, kind: silence, of: [1], effect: block-io}\n"
	"  - {id: emit, kind: emit-rate, of: [2]}\n"
	"  - {id: value, kind: known-value, of: [2], value: 1}\n"
	"  - {id: job-pair, kind: pairing, of: [4, 5], evidence: proof}\n";

Test(profilers_rules, believe_a_program_that_keeps_its_contract)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 16);
	app_unchanged(&a, 5 * LIVES);
	app_finish(&a);
	app_expect_kept(&a);
	cr_expect_float_eq(a.p[ACQ], thresholds_shipped.p_stale[BELIEF_CLEAN], 1e-9);
}

Test(profilers_rules, believe_it_when_records_are_lost_and_nobody_says_so)
{
	static const double drops[] = {0.001, 0.01, 0.05, 0.2, 0.5};

	for (unsigned seed = 0; seed < 12; seed++)
		for (unsigned i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
			struct app a;

			app_open(&a, all);
			a.drop = drops[i];
			a.random += seed;
			app_capacity(&a, 16);
			app_unchanged(&a, 2 * LIVES);
			app_finish(&a);
			app_expect_kept(&a);
		}
}

Test(profilers_rules, believe_it_when_a_burst_is_lost)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 16);
	for (unsigned burst = 0; burst < 20; burst++) {
		app_unchanged(&a, 100);
		for (uint64_t i = 0; i < 8; i++) /* all slots change hands unseen */
			app_hit(&a, ACQ, APP, 0x1000 + i, 2);
		a.passed[REL] += 8;
		app_record(&a, (struct ev_rec){.kind = EV_LOST, .a = 8, .b = a.now});
	}
	app_finish(&a);
	app_expect_kept(&a);
}

Test(profilers_rules, still_detect_when_records_are_lost)
{
	struct app a;

	app_open(&a, all);
	a.drop = 0.01;
	for (uint64_t i = 0; i < LIVES; i++) {
		if (i % 5)
			app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, a.why[ACQ]);
}

Test(profilers_rules, survive_senseless_records)
{
	static const uint16_t kinds[] = {EV_APP,	  EV_APP,	EV_APP_HITS, EV_APP_SITE,
					 EV_APP_CAPACITY, EV_IO_SUBMIT, EV_LOST,     EV_PROC_FORK};
	struct app a;

	app_open(&a, all);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t event = (uint64_t)(app_draw(&a) * EVENT_KIND_CNT);

		a.now += (uint64_t)(app_draw(&a) * 100000);
		app_record(&a,
			   (struct ev_rec){.tid = (uint32_t)(app_draw(&a) * 5),
					   .kind = kinds[(size_t)(app_draw(&a) * 8)],
					   .flags = (uint8_t)(app_draw(&a) < 0.1 ? EV_F_CUT : 0),
					   .a = (uint64_t)(app_draw(&a) * 8),
					   .b = app_draw(&a) < 0.1 ? UINT64_MAX : i % 7,
					   .c = (uint64_t)(app_draw(&a) * i),
					   .d = IORING_OP_READ,
					   .e = (uint64_t)(app_draw(&a) * 8) | event << 32 |
						(uint64_t)(app_draw(&a) * 40) << 48});
	}
	app_finish(&a);
	cr_expect_gt(a.claims, 100);
}

/* ---- what is not a rule ---- */

Test(profilers_resources, give_all_events_of_a_life_one_generation)
{
	struct app a;
	uint64_t first;

	app_open(&a, ONLY("pairing", "of: [1, 3]"));
	app_hit(&a, ACQ, APP, 0x1000, 1);
	first = a.last.event.gen;
	cr_expect(a.last.has & HAS_GEN);
	app_hit(&a, ACQ, OTHER, 0x1000, 1); /* one more holder of the same life */
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, USE, APP, 0x1000, 1);
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, REL, APP, 0x1000, 1);
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, REL, OTHER, 0x1000, 1);
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, USE, OTHER, 0x1000, 1);
	cr_expect_eq(a.last.has & HAS_GEN, 0, "the dead have no generation");
	app_hit(&a, ACQ, APP, 0x1000, 1);
	cr_expect_gt(a.last.event.gen, first);
	app_hit(&a, JOB, APP, 0x1000, 1);
	cr_expect_eq(a.last.has & HAS_GEN, 0, "jobs are not numbered");
	cr_expect_eq(a.last.has & HAS_UNITS, 0);
	app_finish(&a);
}

Test(profilers_resources, start_as_the_binding_says)
{
	struct app a;

	app_open_as(&a, &joiner_causal, HEALTH_REFUSED, "operation", all);
	for (unsigned i = 1; i < app_descs; i++)
		cr_expect_eq(a.state_of[i], HEALTH_REFUSED);
	app_unchanged(&a, 10);
	app_finish(&a);
	cr_expect_eq(a.last.event.desc, 0, "no event is claimed of a build that is refused");
	app_open_as(&a, &joiner_causal, HEALTH_SUSPECT, "operation", all);
	app_unchanged(&a, 10);
	app_finish(&a);
	for (unsigned i = 1; i < app_descs; i++)
		cr_expect_eq(a.state_of[i], HEALTH_SUSPECT);
}

Test(profilers_resources, refuse_a_descriptor_without_a_site)
{
	struct app a;

	app_open(&a, all);
	app_record(&a, (struct ev_rec){.kind = EV_APP_SITE, .a = USE, .b = 2});
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_REFUSED, "");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

Test(profilers_resources, attach_only_claims_everything_and_doubts_nothing)
{
	struct app a;

	app_open_as(&a, &joiner_attach_only, HEALTH_VALIDATED, "operation", all);
	for (uint64_t i = 0; i < 100; i++)
		app_hit(&a, REL, APP, 0x1000, 5);
	app_finish(&a);
	cr_expect_eq(a.claims, 100);
	cr_expect_eq(a.falls, 0);
	cr_expect_float_eq(a.last.event.conf, 1, 1e-9);
	cr_expect_eq(a.last.event.instance, 0x1000);
	cr_expect_eq(a.last.event.units, 5);
	cr_expect_eq(a.last.has & HAS_GEN, 0);
}
