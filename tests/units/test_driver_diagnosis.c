/* SPDX-License-Identifier: BSD-2-Clause */
/* What a workload can be asked to suffer from. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "workloads/driver/diagnosis.h"
#include "workloads/driver/settings.h"

static const struct ailment list[] = {{DIAGNOSIS_LEAK, 0}, {DIAGNOSIS_CONVOY, 1}, {0}};
static const struct workload frail = {.name = "frail", .ailments = list};
static const struct workload tough = {.name = "tough"};

Test(driver_diagnosis, lists_what_the_workload_has)
{
	cr_expect_eq(diagnosis_ailments(&frail), 1u << DIAGNOSIS_LEAK | 1u << DIAGNOSIS_CONVOY);
	cr_expect_eq(diagnosis_ailments(&tough), 0);
}

Test(driver_diagnosis, refuses_what_it_has_not_and_what_has_no_moment)
{
	struct diag d;

	cr_expect_eq(diagnosis_check(&tough, "f", &d), 0);
	settings.ail = DIAGNOSIS_LEAK;
	cr_expect_eq(diagnosis_check(&frail, "f", &d), -EINVAL);
	cr_expect(strstr(d.reason, "without turn"));
	settings.turn = 3;
	cr_expect_eq(diagnosis_check(&frail, "f", &d), 0);
	cr_expect_eq(diagnosis_check(&tough, "f", &d), -EINVAL);
	settings.ail = DIAGNOSIS_OVERLOAD;
	cr_expect_eq(diagnosis_check(&frail, "f", &d), -EINVAL);
}

Test(driver_diagnosis, ails_from_the_turn_on_and_remembers_the_moment_before)
{
	settings.ail = DIAGNOSIS_LEAK;
	settings.turn = 2;
	settings_begun(100);
	cr_expect(!settings_ail(DIAGNOSIS_LEAK));
	cr_expect_eq(settings.turned, 0);
	settings_begun(200);
	cr_expect(settings_ail(DIAGNOSIS_LEAK));
	cr_expect(!settings_ail(DIAGNOSIS_CONVOY));
	settings_begun(300);
	cr_expect_eq(settings.turned, 200);
}
