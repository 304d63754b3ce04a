/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of lookalikes. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/vocab.h"
#include "mutations/lookalike.h"

Test(lookalikes, are_found_by_id)
{
	struct lookalikes l;
	struct diag d;

	cr_assert_eq(lookalikes_parse("# note\nleak inline-calls-1\n\noverload unit-calls-1\n", "f",
				      &l, &d),
		     0);
	cr_expect_eq(l.cnt, 2);
	cr_expect_eq(lookalike_label(&l, "inline-calls-1"), DIAGNOSIS_LEAK);
	cr_expect_eq(lookalike_label(&l, "unit-calls-1"), DIAGNOSIS_OVERLOAD);
	cr_expect_eq(lookalike_label(&l, "unit-calls-2"), 0);
	lookalikes_free(&l);
}

Test(lookalikes, that_are_none_are_refused_with_their_line)
{
	static const char *const bad[] = {
		"leak a\nleak",	    "leak a\nlost b",  "leak a\nhealthy b",
		"leak a\nleak b c", "leak a\nleak  b", "leak a\noverload a",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct lookalikes l = {.cnt = 77};
		struct diag d;

		cr_expect_eq(lookalikes_parse(bad[i], "f", &l, &d), -EINVAL, "%s", bad[i]);
		cr_expect_eq(d.line, 2);
		cr_expect_gt(strlen(d.cure), 0);
		cr_expect_eq(l.cnt, 77);
	}
}

Test(lookalikes, of_the_tree_are_mutations_of_it)
{
	struct house h = {.records = "mutations"};
	struct lookalikes l;
	struct diag d;

	cr_assert_eq(lookalikes_load(&h, &l, &d), 0, "%s", d.reason);
	cr_expect_gt(l.cnt, 0);
	for (size_t i = 0; i < l.cnt; i++) {
		char path[256];

		snprintf(path, sizeof(path), "mutations/%s/record.yaml", l.v[i].id);
		cr_expect_eq(access(path, R_OK), 0, "%s", path);
	}
	lookalikes_free(&l);
}
