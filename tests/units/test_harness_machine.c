/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine has of what is needed: words that are probed for, and programs. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/machine.h"

static struct machine without_perf(void)
{
	struct machine m = {0};

	for (unsigned i = 0; i < PROBE_CNT; i++)
		m.probes[i].name = "-";
	probe_set(&m, PROBE_PERF, false, NULL, "not allowed");
	m.probes[PROBE_PERF].name = "sh"; /* a word, and a program that is everywhere */
	return m;
}

static bool has(const char *word, struct diag *d)
{
	const struct machine m = without_perf();
	char needs[1][NAME_LEN];

	*d = (struct diag){0};
	snprintf(needs[0], NAME_LEN, "%s", word);
	return machine_has(&m, needs, 1, d);
}

Test(harness_machine, knows_a_program_from_the_word_of_its_name)
{
	struct diag d;

	cr_expect(!has("sh", &d));
	cr_expect_str_eq(d.reason, "needs sh: not allowed");
	cr_expect(has("program:sh", &d), "%s", d.reason);
	cr_expect(has("cat", &d), "%s", d.reason);
	cr_expect(!has("program:no-such", &d));
	cr_expect_eq(d.err, -ENOTSUP);
	cr_expect_str_eq(d.reason, "needs the program no-such, which is not on PATH");
}

Test(harness_machine, looks_for_programs_alone_where_rights_are_not_asked_for)
{
	const struct machine m = without_perf();
	const char needs[2][NAME_LEN] = {"sh", "cat"}, missing[2][NAME_LEN] = {"sh", "no-such"};
	struct diag d = {0};

	cr_expect(!machine_has(&m, needs, 2, &d));
	d = (struct diag){0};
	cr_expect(machine_has_programs(&m, needs, 2, &d), "%s", d.reason);
	cr_expect(!machine_has_programs(&m, missing, 2, &d));
	cr_expect_str_eq(d.reason, "needs the program no-such, which is not on PATH");
}
