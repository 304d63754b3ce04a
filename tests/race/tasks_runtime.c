/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The task runtime with more workers than CPUs, operations that cost nothing, deques that begin
 * with room for one and a single permit, built like this program (under TSan: make race). Each
 * strand runs once for each time that it was made due, and none is lost: the workload exits with
 * an error where its own counts disagree, a race makes it exit with TSan's code, and a hand-over
 * that went to the wrong one breaks the truth.
 */
#include "tests/live/calibrate.h"

struct seen {
	size_t spawns, stolen, resumes;
};

static int count(struct trial *tr, const struct truth *t, void *arg)
{
	struct seen *seen = arg;

	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];

		seen->spawns += h->type == HANDOFF_SPAWN;
		seen->resumes += h->type == HANDOFF_RESUME;
		seen->stolen += (h->marks & 1u << MARK_STOLEN) != 0;
	}
	return PASS;
}

static bool write_settings(char *path)
{
	static const char text[] = "deque=1\npermits=1\n";
	int fd = mkstemp(path);
	bool good = fd >= 0 && write(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1;

	if (fd >= 0)
		close(fd);
	return good;
}

int main(void)
{
	static char config[] = "/tmp/tasks-settings-XXXXXX";
	static char *const args[][20] = {
		{"--ops", "1500", "--depth", "48", "--workers", "4", "--queue-depth", "16",
		 "--fanout", "8", "--cost", "0", "--config", config, "--data", "/tmp", NULL},
		{"--ops", "1500", "--rate", "6000", "--workers", "3", "--fanout", "2", "--cost",
		 "0", "--config", config, "--data", "/tmp", NULL},
	};
	struct seen seen = {0};
	int rc = write_settings(config) ? PASS : FAIL;

	for (unsigned i = 0; rc == PASS && i < sizeof(args) / sizeof(args[0]); i++) {
		struct trial tr = {.workload = "tasks", .args = args[i], .records = 1 << 17};

		rc = with_truth(&tr, count, &seen);
	}
	unlink(config);
	if (rc != PASS)
		return rc;
	printf("%zu spawns, %zu resumes, %zu stolen\n", seen.spawns, seen.resumes, seen.stolen);
	return seen.stolen > 500 && seen.resumes > 5000 ? PASS : FAIL;
}
