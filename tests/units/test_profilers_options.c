/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the adapter contract: strict values, one clear error. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "profilers/adapter/options.h"

struct got {
	uint32_t pid;
	const char *file;
	int fd;
	uint64_t bytes;
};

static int parse(struct got *g, struct diag *d, int argc, const char *const *words)
{
	const struct option_def defs[] = {
		{"pid", OPTION_PID, true, &g->pid, "PID", ""},
		{"file", OPTION_STRING, false, &g->file, "FILE", ""},
		{"fd", OPTION_FD, false, &g->fd, "N", ""},
		{"bytes", OPTION_BYTES, false, &g->bytes, "SIZE", ""},
	};
	char *argv[10] = {0};

	*g = (struct got){.fd = -1};
	for (int i = 0; i < argc; i++)
		argv[i] = (char *)words[i];
	return options_parse(argc, argv, defs, sizeof(defs) / sizeof(defs[0]), d);
}

Test(profilers_options, takes_all_kinds_of_values)
{
	const char *const words[] = {"run",  "--pid", "42",	 "--file=a b",
				     "--fd", "3",     "--bytes", "16M"};
	struct diag d = {0};
	struct got g;

	cr_assert_eq(parse(&g, &d, 8, words), 0, "%s", d.reason);
	cr_expect_eq(g.pid, 42);
	cr_expect_str_eq(g.file, "a b");
	cr_expect_eq(g.fd, 3);
	cr_expect_eq(g.bytes, UINT64_C(16) << 20);
}

struct refusal {
	char words[3][24];
	char reason[24];
};

static const struct refusal refusals[] = {
	{{"--pid", "0", ""}, "process id"},
	{{"--pid", "12x", ""}, "process id"},
	{{"--pid", "-3", ""}, "process id"},
	{{"--pid", "99999999", ""}, "process id"},
	{{"--pid", "", ""}, "process id"},
	{{"--pid", "7", "stray"}, "stray word"},
	{{"--pid", "7", "--bytes=16Q"}, "bytes"},
	{{"--pid", "7", "--bytes=1MM"}, "bytes"},
	{{"--pid", "7", "--fd=+3"}, "descriptor"},
	{{"--pid", "7", "--file="}, "a word"},
	{{"--pid", "7", "--nope"}, "no such option"},
	{{"--pid", "7", "--fd"}, "needs a value"},
	{{"--fd", "7", ""}, "--pid is missing"},
};

Test(profilers_options, refuses_with_the_specific_problem)
{
	for (unsigned i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		const char *words[4] = {"run", r->words[0], r->words[1], r->words[2]};
		struct diag d = {0};
		struct got g;

		cr_expect_eq(parse(&g, &d, r->words[2][0] ? 4 : 3, words), -EINVAL);
		cr_expect(strstr(d.reason, r->reason), "%u: %s", i, d.reason);
	}
}
