/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profiler's author is told of a run: every usual mistake by its name, and no false alarm.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/conform.h"
#include "tests/units/score_world.h"

enum { HANDOFFS = 60, WAKER = 101, SLEEPER = 102, STEP_NS = 1000037, CALL_NS = 700 };

static struct world *w;
static char told[8192];
static struct conform conform;

static void hear(const struct finding *f, void *arg)
{
	static const char *const words[VERDICT_CNT] = {"ok", "note", "skipped", "WRONG"};
	size_t at = strlen(told);

	(void)arg;
	snprintf(told + at, sizeof(told) - at, "%s %s | %s\n", words[f->verdict], f->what, f->cure);
}

static struct claim *claim_of(size_t i)
{
	return &w->claims[i];
}

/* A waker and a sleeper, and claims that are right. */
static void setup(void)
{
	static const uint32_t threads[] = {WAKER, SLEEPER};

	w = world_new();
	w->t.threads = threads;
	w->t.threads_cnt = 2;
	w->t.keys = 1u << KEY_UADDR;
	w->t.scored = (struct window){0, (HANDOFFS + 2) * (uint64_t)STEP_NS};
	for (uint64_t i = 0; i < HANDOFFS; i++) {
		uint64_t t = (i + 1) * STEP_NS + i * i * 7919 % 400000;
		struct truth_handoff h = {.id = i + 1,
					  .type = HANDOFF_WAKE,
					  .key = {.ns = KEY_UADDR, .v = 0x1000 + 8 * (i % 3)},
					  .src_tid = WAKER,
					  .dst_tid = SLEEPER,
					  .src_t = {t, t + CALL_NS},
					  .dst_ready = {t + 50000, t + 90000},
					  .dst_t = {t + 60000, t + 300000}};
		struct claim c = {.kind = CLAIM_HANDOFF,
				  .type = HANDOFF_WAKE,
				  .ns = KEY_UADDR,
				  .has = HAS_SRC | HAS_DST | HAS_KEY};

		c.handoff.src_tid = WAKER;
		c.handoff.dst_tid = SLEEPER;
		c.handoff.src_t = t + 311;
		c.handoff.dst_t = t + 70123;
		c.handoff.key_v = h.key.v;
		add_handoff(w, h);
		add_claim(w, c);
	}
	told[0] = '\0';
	conform = (struct conform){.tell = hear};
}

static void teardown(void)
{
	world_free(w);
}

TestSuite(conform, .init = setup, .fini = teardown);

static void judge_as(uint32_t described, uint32_t declared)
{
	struct profiler p = {.declares = described};
	struct diag d = {0};

	w->c.header.declares = declared;
	cr_assert(!conform_claims(&conform, &p, &w->c, &w->t, "run", false, &d));
}

static void judge(void)
{
	judge_as(1u << HANDOFF_WAKE, 1u << HANDOFF_WAKE);
}

static void expect(const char *words)
{
	cr_expect(strstr(told, words), "\"%s\" is not in:\n%s", words, told);
}

static void refuse(const char *words)
{
	cr_expect(!strstr(told, words), "\"%s\" is in:\n%s", words, told);
}

Test(conform, has_nothing_to_say_against_what_is_right)
{
	judge();
	expect("ok run: the times are CLOCK_MONOTONIC");
	expect("ok run: handoff:wake: 60 of 60 found, 0 of 60 joins wrong, 0 with one end |");
	refuse("note");
	refuse("WRONG");
}

Test(conform, lets_a_run_declare_less_than_describe_and_not_more)
{
	judge_as(1u << HANDOFF_WAKE | 1u << HANDOFF_IO, 1u << HANDOFF_WAKE);
	expect("note run: the header of the claims leaves out what describe declares: handoff:io");
	refuse("WRONG");
	told[0] = '\0';
	judge_as(1u << HANDOFF_WAKE, 1u << HANDOFF_WAKE | 1u << HANDOFF_IO);
	expect("WRONG run: the header of the claims declares what describe does not: handoff:io");
	refuse("leaves out");
}

Test(conform, names_keys_that_no_handoff_uses_beside_the_true_one)
{
	for (size_t i = 0; i < HANDOFFS; i++)
		claim_of(i)->handoff.key_v += 4;
	judge();
	expect("WRONG run: handoff:wake: the keys of 60 of 60 claims are used by no handoff");
	expect("claim 1 has uaddr 0x1004, what its threads and times meet has uaddr 0x1000");
	refuse("claimed none");
}

Test(conform, tells_of_some_wrong_keys_and_is_silent_about_few)
{
	for (size_t i = 0; i < HANDOFFS / 4; i++)
		claim_of(i)->handoff.key_v += 4;
	judge();
	expect("note run: handoff:wake: the keys of 15 of 60 claims are used by no handoff");
	expect("45 of 60 found, 0 of 45 joins wrong, 0 with one end, 15 outside");
	told[0] = '\0';
	for (size_t i = 3; i < HANDOFFS / 4; i++)
		claim_of(i)->handoff.key_v -= 4;
	judge();
	refuse("used by no handoff");
	expect("3 outside");
}

Test(conform, names_a_space_that_nobody_knows)
{
	for (size_t i = 2; i < HANDOFFS; i++)
		claim_of(i)->ns = KEY_OTHER;
	judge();
	expect("note run: handoff:wake: the keys of 58 of 60 claims are ignored");
	expect("a word that nobody knows, the key of this type is uaddr");
	expect("the first is claim 3");
}

Test(conform, names_a_space_of_another_type)
{
	for (size_t i = 0; i < HANDOFFS; i++)
		claim_of(i)->ns = KEY_FD;
	judge();
	expect("their \"ns\" is fd, which this workload does not list");
}

Test(conform, says_that_none_was_claimed_only_where_none_was)
{
	w->c.cnt = 0;
	judge();
	expect("it declares handoff:wake and claimed none of 60");
}

Test(conform, names_times_in_whole_microseconds)
{
	for (size_t i = 0; i < HANDOFFS; i++) {
		claim_of(i)->handoff.src_t -= claim_of(i)->handoff.src_t % 1000;
		claim_of(i)->handoff.dst_t -= claim_of(i)->handoff.dst_t % 1000;
	}
	judge();
	expect("note run: all times are whole microseconds");
	refuse("ok run: the times");
	claim_of(7)->handoff.dst_t++; /* one that is not */
	told[0] = '\0';
	judge();
	refuse("microseconds:");
}

Test(conform, names_ends_that_are_late_or_early)
{
	for (size_t i = 0; i < HANDOFFS; i++)
		claim_of(i)->handoff.src_t += 4000; /* at the end of what follows the call */
	judge();
	expect("handoff:wake: src: 60 of 60 lie in no act of their thread, and 60 of these are too "
	       "late, half of them by 3.6 us or more");
	refuse("dst: ");
	told[0] = '\0';
	for (size_t i = 0; i < HANDOFFS; i++) {
		claim_of(i)->handoff.src_t -= 4000;
		claim_of(i)->handoff.dst_t -= 70123 - 30000;
	}
	judge();
	expect("handoff:wake: dst: 60 of 60 lie in no act of their thread, and 60 of these are too "
	       "early, half of them by 20.0 us or more");
	refuse("src: ");
}

Test(conform, does_not_take_ends_that_are_off_both_ways_for_a_clock)
{
	for (size_t i = 0; i < HANDOFFS; i++)
		claim_of(i)->handoff.src_t += i % 2 ? 4000 : (uint64_t)-4000;
	judge();
	refuse("lie in no act");
}

Test(conform, names_the_process_where_threads_are_meant)
{
	for (size_t i = 0; i < HANDOFFS; i++)
		claim_of(i)->handoff.dst_tid = WAKER;
	judge();
	expect("WRONG run: all 120 ends are on one thread, 101, the application's first");
	refuse("the kernel's");
}

Test(conform, names_ends_that_are_the_wrong_way_round)
{
	for (size_t i = 0; i < HANDOFFS; i++) {
		struct claim *c = claim_of(i);
		uint64_t t = c->handoff.src_t;

		c->handoff.src_t = c->handoff.dst_t;
		c->handoff.dst_t = t;
		c->handoff.src_tid = SLEEPER;
		c->handoff.dst_tid = WAKER;
	}
	judge();
	expect("WRONG run: dst is before src in 60 of 60 claims | src is the thread that hands "
	       "over");
}

/* Who hands over to itself is told on one thread. */
Test(conform, takes_one_thread_where_only_one_acts)
{
	for (size_t i = 0; i < HANDOFFS; i++) {
		w->handoffs[i].dst_tid = WAKER;
		claim_of(i)->handoff.dst_tid = WAKER;
	}
	judge();
	refuse("WRONG");
	expect("60 of 60 found");
}
