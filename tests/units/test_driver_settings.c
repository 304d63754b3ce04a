/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of a workload program: strict, by name, and the moment at which a service turns. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "workloads/driver/settings.h"

static int read_text(const char *text, struct diag *d)
{
	char path[] = "/tmp/settings-XXXXXX";
	int fd = mkstemp(path), err;

	memset(d, 0, sizeof(*d));
	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	err = settings_read(path, d);
	unlink(path);
	return err;
}

Test(driver_settings, reads_names_numbers_and_comments)
{
	struct diag d;

	cr_assert_eq(
		read_text("# sizes\n capacity=20 \n\ndepth=18446744073709551615 # deep\nmode=3",
			  &d),
		0);
	cr_assert_eq(setting("capacity", 1), 20u);
	cr_assert_eq(setting("depth", 1), UINT64_MAX);
	cr_assert_eq(setting("other", 7), 7u);
	cr_assert(settings.mode == 3 && settings.turn == 0);
}

Test(driver_settings, gives_a_number_at_its_bounds_and_the_usual_one_where_none_is_given)
{
	struct diag d;

	cr_assert_eq(read_text("least=2\nmost=9", &d), 0);
	cr_assert_eq(setting_within("least", 5, 2, 9), 2u);
	cr_assert_eq(setting_within("most", 5, 2, 9), 9u);
	cr_assert_eq(setting_within("other", 5, 2, 9), 5u);
}

Test(driver_settings, ends_the_run_below_the_least, .exit_code = 2)
{
	struct diag d;

	cr_assert_eq(read_text("size=1", &d), 0);
	setting_within("size", 5, 2, 9);
}

Test(driver_settings, ends_the_run_above_the_most_also_where_32_bits_do_not_hold_it, .exit_code = 2)
{
	struct diag d;

	cr_assert_eq(read_text("size=4294967301", &d), 0); /* 5 in 32 bits */
	setting_within("size", 5, 2, 9);
}

Test(driver_settings, refuses_what_is_no_setting_and_names_the_line)
{
	static const char bad[][32] = {"depth",
				       "=3",
				       "depth=",
				       "depth=3x",
				       "depth=-1",
				       "De=3",
				       "depth=3 4",
				       "depth=1\ndepth=2",
				       "depth=18446744073709551616"};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct diag d;
		char text[300];

		snprintf(text, sizeof(text), "a=1\n%.31s\n", bad[i]);
		cr_assert_eq(read_text(text, &d), -EINVAL, "%s", bad[i]);
		cr_assert(d.line == 2 || d.line == 3, "%s: line %d", bad[i], (int)d.line);
	}
}

Test(driver_settings, forgets_the_last_file)
{
	struct diag d;

	cr_assert_eq(read_text("depth=3", &d), 0);
	cr_assert_eq(read_text("a=1", &d), 0);
	cr_assert_eq(setting("depth", 9), 9u);
	cr_assert_eq(settings_read("/nowhere/at/all", &d), -ENOENT);
}

Test(driver_settings, knows_what_the_workload_lists_and_three_names_more)
{
	static const char *const known[] = {"depth", NULL};
	const char *name = NULL;
	struct diag d;

	cr_assert_eq(read_text("depth=3\nturn=1\nmode=2\nail=1", &d), 0);
	cr_assert(settings_known(known, &name) && !name);
	cr_assert(!settings_known(NULL, &name));
	cr_assert_str_eq(name, "depth");
}

Test(driver_settings, turns_once_so_many_operations_have_begun)
{
	struct diag d;

	cr_assert_eq(read_text("turn=2", &d), 0);
	settings_begun(77);
	cr_assert(!settings_turned());
	settings_begun(77);
	cr_assert(settings_turned());
	cr_assert_eq(read_text("turn=0", &d), 0);
	settings_begun(77);
	cr_assert(!settings_turned());
}
