/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each workload, run with its defaults, exercises what its describe says: every mark stands on a
 * handoff of truth, every outcome was counted, every type of handoff and every key space was used.
 */
#include <sys/mman.h>

#include "harness/programs.h"
#include "lib/formats/json.h"
#include "tests/live/calibrate.h"

enum { TEXT = 1 << 16 };

struct exercise {
	struct workload described;
	int out;
};

static int complain(const char *workload, const char *what, const char *name)
{
	fprintf(stderr, "%s: %s %s did not happen in a default run\n", workload, what, name);
	return FAIL;
}

static int check_bits(const char *workload, const char *what, uint32_t said, uint32_t seen,
		      const char *(*name)(unsigned))
{
	uint32_t missing = said & ~seen;

	return missing ? complain(workload, what, name((unsigned)__builtin_ctz(missing))) : PASS;
}

static int check_outcome(const struct exercise *x, const char *workload, unsigned i,
			 const struct json_value *counts)
{
	struct json_value v;
	uint64_t n = 0;

	if (json_get(counts, x->described.outcomes[i], &v) && json_u64(&v, &n) == 0 && n)
		return PASS;
	return complain(workload, "outcome", x->described.outcomes[i]);
}

static int check_outcomes(const struct exercise *x, const char *workload)
{
	static char text[TEXT];
	ssize_t len = pread(x->out, text, sizeof(text), 0);
	struct json_parser *parser = json_parser_new();
	struct json_value all, counts;
	const char *why;
	int rc = PASS;

	if (!parser || len <= 0 || json_parse(parser, text, (size_t)len, &all, &why) ||
	    !json_get(&all, "outcomes", &counts))
		rc = complain(workload, "a summary with", "outcomes");
	for (unsigned i = 0; rc == PASS && i < x->described.outcomes_cnt; i++)
		rc = check_outcome(x, workload, i, &counts);
	json_parser_free(parser);
	return rc;
}

static int check(struct trial *tr, const struct truth *t, void *arg)
{
	const struct exercise *x = arg;
	uint32_t marks = 0, types = 0, keys = 0;
	int rc;

	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		marks |= t->handoffs[i].marks;
		types |= 1u << t->handoffs[i].type;
		keys |= 1u << t->handoffs[i].key.ns;
	}
	rc = check_bits(tr->workload, "mark", x->described.marks, marks, mark_name);
	if (rc == PASS)
		rc = check_bits(tr->workload, "handoff", x->described.handoffs, types,
				handoff_type_name);
	if (rc == PASS)
		rc = check_bits(tr->workload, "key", t->keys, keys, key_ns_name);
	return rc == PASS ? check_outcomes(x, tr->workload) : rc;
}

static int describe(const char *workload, struct workload *ret)
{
	static char text[TEXT];
	char command[PROGRAM_LEN + 16], path[PROGRAM_LEN];
	struct diag d = {0};
	size_t len;
	FILE *f;

	program_path(workload, path, sizeof(path));
	snprintf(command, sizeof(command), "'%s' describe", path);
	f = popen(command, "r");
	if (!f)
		return FAIL;
	len = fread(text, 1, sizeof(text), f);
	if (pclose(f) == 0 && describe_workload(text, len, ret, &d) == 0)
		return PASS;
	fprintf(stderr, "%s: %s\n", workload, d.reason);
	return FAIL;
}

static int exercise(const char *workload, void *unused)
{
	static char *const args[] = {"--data", "/tmp", NULL};
	struct trial tr = {.workload = workload, .args = args, .records = 1 << 17};
	struct exercise x = {.out = memfd_create("out", MFD_CLOEXEC)};
	int rc = describe(workload, &x.described);

	tr.out = x.out;
	if (rc == PASS)
		rc = with_truth(&tr, check, &x);
	close(x.out);
	if (rc == PASS)
		printf("%s: all that it is there to exercise happened\n", workload);
	return rc;
}

int main(void)
{
	return workloads_by_two(exercise);
}
