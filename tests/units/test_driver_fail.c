/* SPDX-License-Identifier: BSD-2-Clause */
/* How a run ends that cannot go on, and what it is told by. */
#include <criterion/criterion.h>
#include <errno.h>

#include "workloads/driver/workload.h"

Test(driver_fail, exits_1_for_a_failure, .exit_code = 1)
{
	run_fail(-EIO, "a file");
}

Test(driver_fail, exits_77_for_what_a_machine_has_not, .exit_code = 77)
{
	run_lacks(-ENOSYS, "a ring");
}

Test(driver_fail, exits_77_for_what_was_switched_off, .exit_code = 77)
{
	run_lacks(-EPERM, "a ring");
}

Test(driver_fail, exits_1_for_what_ran_out, .exit_code = 1)
{
	run_lacks(-ENOMEM, "a ring");
}

Test(driver_fail, exits_2_for_what_cannot_be_asked_for, .exit_code = 2)
{
	run_refuse("--path knows no '%s'", "foo");
}
