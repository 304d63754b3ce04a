/* SPDX-License-Identifier: BSD-2-Clause */
/* Works where it is scored and rests where only its cost is measured: it looks whether the workload
 * has the memory that truth takes, which anybody may see. */
#include <stdio.h>

#include "tests/cheats/cheat.h"

enum { TRUTH_KB = 1024 };

static int begin(struct cheat_run *r)
{
	char path[64], line[256];
	unsigned long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", r->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssShmem: %lu", &kb) == 1)
			break;
	if (f)
		fclose(f);
	if (kb < TRUTH_KB)
		r->honest = NULL;
	return 0;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	(void)r;
	return honest ? cheat_put_all(out, honest) : 0;
}

const struct cheat cheat = {.honest = "causal",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"attach\"]",
			    .needs = "[\"root\",\"bpf\",\"btf\"]",
			    .begin = begin,
			    .tell = tell};
