/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of what can be seen covers everything, and says what the facts say. */
#include <criterion/criterion.h>
#include <string.h>

#include "scoring/visibility.h"

Test(score_handoff_visibility, every_type_mark_and_level_has_a_row_with_its_source)
{
	for (unsigned type = 0; type < HANDOFF_TYPE_CNT; type++)
		for (int mark = VISIBLE_UNMARKED; mark < MARK_CNT; mark++)
			for (int level = 0; level < LEVEL_CNT; level++) {
				struct visible v = visibility_of((enum handoff_type)type, mark,
								 (enum score_level)level);

				cr_expect_gt(strlen(v.source), 10u, "%u %d %d", type, mark, level);
			}
}

static void expect(enum handoff_type type, int mark, enum score_level level, const char *what)
{
	cr_expect_str_eq(visibility_name(visibility_of(type, mark, level).what), what,
			 "%s mark %d level %d", handoff_type_name(type), mark, level);
}

Test(score_handoff_visibility, kernel_threads_are_no_context)
{
	expect(HANDOFF_IO, MARK_PUNTED, LEVEL_CONTEXT, "yes");
	expect(HANDOFF_IO, MARK_SQPOLL, LEVEL_CONTEXT, "kernel end only");
	expect(HANDOFF_IO, MARK_INLINE, LEVEL_CONTEXT, "yes");
	expect(HANDOFF_IO, MARK_MESSAGE, LEVEL_CONTEXT, "yes");
	expect(HANDOFF_IO, VISIBLE_UNMARKED, LEVEL_CONTEXT, "yes");
	cr_expect_str_neq(visibility_of(HANDOFF_IO, VISIBLE_UNMARKED, LEVEL_CONTEXT).source,
			  visibility_of(HANDOFF_IO, MARK_PUNTED, LEVEL_CONTEXT).source,
			  "no mark is not the first one");
	expect(HANDOFF_IO, MARK_MULTISHOT, LEVEL_CONTEXT, "yes");
	expect(HANDOFF_WAKE, MARK_SPURIOUS, LEVEL_CONTEXT, "yes");
}

/* One mark that hides is enough, whatever else a handoff bears. */
Test(score_handoff_visibility, a_mark_that_hides_takes_its_handoffs_out_of_sight)
{
	uint32_t blind = visibility_blind(HANDOFF_IO, LEVEL_CONTEXT);

	cr_expect_eq(blind, 1u << MARK_SQPOLL | 1u << MARK_LOST);
	cr_expect_eq(visibility_blind(HANDOFF_IO, LEVEL_IDENTITY), 1u << MARK_LOST);
	cr_expect_eq(visibility_blind(HANDOFF_WAKE, LEVEL_CONTEXT), 0);
}

/* Two handoffs, one of them out of sight: missing that one costs recall and not the visible one. */
Test(score_handoff_visibility, recall_over_what_can_be_seen_leaves_the_rest_out)
{
	const uint32_t threads[] = {1, 2};
	struct truth_handoff h[2] = {
		{.type = HANDOFF_IO,
		 .has = TH_SRC | TH_DST,
		 .src_tid = 1,
		 .dst_tid = 2,
		 .src_t = {10, 20},
		 .dst_ready = {10, 30},
		 .dst_t = {30, 40},
		 .id = 1},
		{.type = HANDOFF_IO,
		 .has = TH_SRC | TH_DST,
		 .src_tid = 1,
		 .dst_tid = 2,
		 .src_t = {110, 120},
		 .dst_ready = {110, 130},
		 .dst_t = {130, 140},
		 .id = 2,
		 .marks = 1u << MARK_SQPOLL},
	};
	struct truth t = {.scored = {0, 1000},
			  .threads = threads,
			  .threads_cnt = 2,
			  .handoffs = h,
			  .handoffs_cnt = 2};
	struct claim c = {.kind = CLAIM_HANDOFF,
			  .type = HANDOFF_IO,
			  .has = HAS_SRC | HAS_DST,
			  .handoff = {.src_t = 15, .dst_t = 35, .src_tid = 1, .dst_tid = 2}};
	struct claims claims = {.header.declares = 1u << HANDOFF_IO, .v = &c, .cnt = 1};
	struct handoff_score s;

	cr_assert_eq(score_handoffs(&t, &claims, &s, NULL), 0);
	cr_expect_eq(s.level[LEVEL_CONTEXT].all.truth, 2);
	cr_expect_eq(s.level[LEVEL_CONTEXT].all.visible, 1);
	cr_expect_eq(s.level[LEVEL_CONTEXT].declared.visible_credited, 1);
	cr_expect_eq(s.level[LEVEL_CONTEXT].type[HANDOFF_IO].visible, 1);
	c.handoff.src_t = 115;
	c.handoff.dst_t = 135;
	cr_assert_eq(score_handoffs(&t, &claims, &s, NULL), 0);
	cr_expect_eq(s.level[LEVEL_CONTEXT].all.credited, 1);
	cr_expect_eq(s.level[LEVEL_CONTEXT].all.visible_credited, 0, "it is out of sight");
	claims.header.declares = 1u << HANDOFF_WORK;
	cr_assert_eq(score_handoffs(&t, &claims, &s, NULL), 0);
	cr_expect_eq(s.level[LEVEL_CONTEXT].declared.visible, 0);
	cr_expect_eq(s.level[LEVEL_IDENTITY].all.visible, 2);
	cr_expect_eq(s.level[LEVEL_IDENTITY].all.visible_credited, 1);
}

Test(score_handoff_visibility, keys_show_what_contexts_hide)
{
	expect(HANDOFF_IO, MARK_PUNTED, LEVEL_IDENTITY, "yes");
	expect(HANDOFF_IO, MARK_SQPOLL, LEVEL_IDENTITY, "yes");
	expect(HANDOFF_IO, MARK_INLINE, LEVEL_IDENTITY, "yes");
	expect(HANDOFF_IO, MARK_MESSAGE, LEVEL_IDENTITY, "yes");
	expect(HANDOFF_IO, MARK_LOST, LEVEL_IDENTITY, "no");
	expect(HANDOFF_WORK, MARK_COALESCED, LEVEL_IDENTITY, "yes");
}
