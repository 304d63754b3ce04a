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
	expect(HANDOFF_IO, MARK_PUNTED, LEVEL_CONTEXT, "kernel end only");
	expect(HANDOFF_IO, MARK_SQPOLL, LEVEL_CONTEXT, "kernel end only");
	expect(HANDOFF_IO, MARK_INLINE, LEVEL_CONTEXT, "no");
	expect(HANDOFF_IO, MARK_MESSAGE, LEVEL_CONTEXT, "no");
	expect(HANDOFF_IO, VISIBLE_UNMARKED, LEVEL_CONTEXT, "yes");
	expect(HANDOFF_IO, MARK_MULTISHOT, LEVEL_CONTEXT, "yes");
	expect(HANDOFF_WAKE, MARK_SPURIOUS, LEVEL_CONTEXT, "no");
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
