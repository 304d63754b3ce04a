/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serial runs of one seed mean the same: their canon is equal in 20 runs, and another seed's is
 * not (else equality would prove nothing).
 */
#include "tests/live/calibrate.h"

enum { RUNS = 20 };

struct text {
	char *s;
	size_t len;
};

static int canon(struct trial *tr, const struct truth *t, void *arg)
{
	struct text *ret = arg;
	FILE *f = open_memstream(&ret->s, &ret->len);
	int err = f ? truth_canon(t, f) : -ENOMEM;

	if (f && fclose(f) != 0)
		err = -ENOMEM;
	if (err)
		fprintf(stderr, "%s: no canon: %s\n", tr->workload, strerror(-err));
	return err ? FAIL : PASS;
}

static int run_serial(const char *workload, char *seed, struct text *ret)
{
	char *args[] = {"--serial", "--ops", "100", "--data", "/tmp", "--seed", seed, NULL};
	struct trial tr = {.workload = workload, .args = args, .records = 1 << 13};

	return with_truth(&tr, canon, ret);
}

static bool same(const struct text *a, const struct text *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

/* How many of RUNS runs with that seed equal the first. */
static int check(const char *workload, void *unused)
{
	struct text first = {0}, other = {0};
	unsigned equal = 0;
	int rc = run_serial(workload, "11", &first);

	for (unsigned i = 1; rc == PASS && i < RUNS; i++) {
		struct text next = {0};

		rc = run_serial(workload, "11", &next);
		equal += rc == PASS && same(&first, &next);
		free(next.s);
	}
	if (rc == PASS)
		rc = run_serial(workload, "12", &other);
	if (rc == PASS && (equal != RUNS - 1 || same(&first, &other))) {
		fprintf(stderr, "%s: %u of %d serial runs equal the first; another seed %s\n",
			workload, equal, RUNS - 1, same(&first, &other) ? "does too" : "differs");
		rc = FAIL;
	}
	if (rc == PASS)
		printf("%s: %d serial runs have one canon of %zu bytes\n", workload, RUNS,
		       first.len);
	free(first.s);
	free(other.s);
	return rc;
}

int main(void)
{
	return workloads_by_two(check);
}
