/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole workloads, built like this program (under TSan: make race), with truth on. A race makes
 * the workload exit with TSan's own code; a hand-over that went to the wrong one breaks the truth.
 */
#include "tests/live/calibrate.h"

static int accept(struct trial *tr, const struct truth *t, void *handoffs)
{
	*(size_t *)handoffs += t->handoffs_cnt;
	return PASS;
}

static int run_all(const char *workload, void *handoffs)
{
	static char *const args[][16] = {
		{"--ops", "600", "--rate", "1500", "--data", "/tmp", NULL},
		{"--ops", "1500", "--depth", "32", "--data", "/tmp", NULL},
		{"--ops", "600", "--depth", "6", "--workers", "3", "--fanout", "8", "--data",
		 "/tmp", NULL},
		{"--ops", "300", "--depth", "2", "--cost", "0", "--fanout", "3", "--data", "/tmp",
		 NULL},
		{"--ops", "200", "--serial", "--data", "/tmp", NULL},
	};

	for (unsigned i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		struct trial tr = {.workload = workload, .args = args[i], .records = 1 << 16};
		int rc = with_truth(&tr, accept, handoffs);

		if (rc != PASS)
			return rc;
	}
	return PASS;
}

int main(void)
{
	size_t handoffs = 0;
	int rc = workloads_each(run_all, &handoffs);

	if (rc != PASS)
		return rc;
	printf("%zu handoffs, each to the right one\n", handoffs);
	return handoffs > 10000 ? PASS : FAIL;
}
