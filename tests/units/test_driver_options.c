/* SPDX-License-Identifier: BSD-2-Clause */
/* The strict command line of workload programs. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "workloads/driver/options.h"

static const struct run_options defaults = {
	.ops = 100, .rate = 50, .depth = 4, .workers = 2, .queue_depth = 8, .fanout = 4, .seed = 1};

static int parse(struct run_options *o, struct diag *d, const char *line)
{
	static char words[256];
	char *argv[32], *save = NULL;
	int argc = 0;

	*o = defaults;
	memset(d, 0, sizeof(*d));
	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	return run_options_parse(o, argc, argv, d);
}

Test(driver_options, keeps_defaults_and_takes_every_knob)
{
	struct run_options o;
	struct diag d;

	cr_assert_eq(parse(&o, &d, ""), 0);
	cr_assert_eq(o.rate, 50u);
	cr_assert_geq(o.cpus_cnt, 1u);
	cr_assert_eq(parse(&o, &d,
			   "--ops 7 --rate 9 --workers 3 --queue-depth 5 --fanout 2 --cost 0 "
			   "--seed 18446744073709551615 --cpus 0 --data /x --stop"),
		     0);
	cr_assert(o.ops == 7 && o.rate == 9 && o.workers == 3 && o.queue_depth == 5);
	cr_assert(o.fanout == 2 && o.cost_us == 0 && o.seed == UINT64_MAX && o.stop);
	cr_assert(o.cpus_cnt == 1 && o.cpus[0] == 0 && strcmp(o.data, "/x") == 0);
}

Test(driver_options, closes_the_loop_when_given_a_depth)
{
	struct run_options o;
	struct diag d;

	cr_assert_eq(parse(&o, &d, "--depth 3"), 0);
	cr_assert(o.rate == 0 && o.depth == 3);
	cr_assert_eq(parse(&o, &d, "--serial"), 0);
	cr_assert(o.rate == 0 && o.depth == 1 && o.workers == 1);
}

Test(driver_options, refuses_what_is_not_a_number_in_range)
{
	static const char bad[][40] = {"--ops 0",
				       "--ops -1",
				       "--ops 5x",
				       "--ops 0x5",
				       "--ops 1e3",
				       "--ops",
				       "--fanout 9",
				       "--workers 17",
				       "--rate 1.5",
				       "--ops +5",
				       "--cpus",
				       "--cpus 0,",
				       "--cpus 3-1",
				       "--cpus a",
				       "--cpus 0-",
				       "--bogus 1",
				       "--seed 18446744073709551616",
				       "ops 5",
				       "--cpus 0-4096"};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run_options o;
		struct diag d;

		cr_expect_eq(parse(&o, &d, bad[i]), -EINVAL, "%s", bad[i]);
		cr_expect(d.reason[0] && d.cure[0], "%s", bad[i]);
	}
}

Test(driver_options, names_the_option_in_its_error)
{
	struct run_options o;
	struct diag d;

	parse(&o, &d, "--fanout 99");
	cr_assert(strstr(d.reason, "--fanout") && strstr(d.reason, "99"), "%s", d.reason);
	parse(&o, &d, "--rate 5 --depth 2");
	cr_assert(strstr(d.reason, "exclude"), "%s", d.reason);
}
