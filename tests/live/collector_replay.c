/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs themselves: what `causal run` claims live is what `causal join` claims of evidence,
 * in number and kind, and both are what the child did.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/formats/claims.h"
#include "tests/live/rig/collector_rig.h"

static char folder[512]; /* of the programs */
static char work[] = "/tmp/collector_replay.XXXXXX";

static char *in_work(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", work, name);
	return path;
}

static pid_t start(const char *program, const char *const *args)
{
	char path[600];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(path, sizeof(path), "%s/%s", folder, program);
	execv(path, (char *const *)args);
	_exit(127);
}

static void finish(pid_t pid)
{
	int status;

	RIG_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		exit(77);
	RIG_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "status %#x", status);
}

/* Both children's work, between the attach and the drain of a program. */
static void watch(const char *program, const char *verb, const char *option, char *file)
{
	char pid_word[16], ready_word[16], byte;
	int ready[2], go[2];
	pid_t child, watcher;

	RIG_CHECK(!pipe(ready) && !pipe(go), "pipe");
	child = fork();
	if (!child) {
		if (read(go[0], &byte, 1) != 1)
			_exit(3);
		rig_child_nops();
		rig_child_pingpong();
		_exit(0);
	}
	snprintf(pid_word, sizeof(pid_word), "%d", child);
	snprintf(ready_word, sizeof(ready_word), "%d", ready[1]);
	watcher = start(program, (const char *[]){program, verb, "--pid", pid_word, option, file,
						  "--ready-fd", ready_word, NULL});
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		finish(watcher); /* it says why */
	RIG_CHECK(write(go[1], "g", 1) == 1, "go");
	finish(child);
	kill(watcher, SIGINT);
	finish(watcher);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
}

struct counts {
	size_t io, wake, io_joined, wake_joined, others;
};

static struct counts count(const char *path)
{
	struct counts n = {0};
	struct claims c;
	struct diag d;

	if (claims_load(path, &c, &d)) {
		diag_print(&d, stderr);
		exit(1);
	}
	for (size_t i = 0; i < c.cnt; i++) {
		const struct claim *v = &c.v[i];
		bool joined = (v->has & (HAS_SRC | HAS_DST)) == (HAS_SRC | HAS_DST);

		if (v->kind != CLAIM_HANDOFF) {
			n.others++;
			continue;
		}
		*(v->type == HANDOFF_IO ? &n.io : &n.wake) += 1;
		*(v->type == HANDOFF_IO ? &n.io_joined : &n.wake_joined) += joined;
	}
	claims_free(&c);
	return n;
}

static void check(const char *what, struct counts n)
{
	RIG_CHECK(n.io == RIG_OPS && n.io_joined == RIG_OPS, "%s: %zu io, %zu joined", what, n.io,
		  n.io_joined);
	/* the child's two threads wake each other up to 23 times each, and the end of one thread
	 * wakes the other from outside of any futex call */
	RIG_CHECK(n.wake_joined && n.wake_joined <= 2 * RIG_OPS && n.wake - n.wake_joined <= 1,
		  "%s: %zu wake, %zu joined", what, n.wake, n.wake_joined);
	RIG_CHECK(!n.others, "%s: %zu gaps", what, n.others);
}

static void compare_files(const char *a, const char *b)
{
	struct claims x, y;
	struct diag d;

	RIG_CHECK(!claims_load(a, &x, &d) && !claims_load(b, &y, &d), "load");
	RIG_CHECK(x.cnt == y.cnt && !memcmp(x.v, y.v, x.cnt * sizeof(*x.v)), "%s and %s differ", a,
		  b);
	claims_free(&x);
	claims_free(&y);
}

static void find_programs(const char *self)
{
	char buf[512];

	snprintf(buf, sizeof(buf), "%s", self);
	snprintf(folder, sizeof(folder), "%s/../../profilers", dirname(buf));
}

int main(int argc, char **argv)
{
	char *evidence, *live, *json, *packed;

	find_programs(argc ? argv[0] : ".");
	RIG_CHECK(mkdtemp(work), "%s", strerror(errno));
	evidence = in_work("evidence.bin");
	live = in_work("live.jsonl");
	json = in_work("claims.jsonl");
	packed = in_work("claims.bin");
	watch("causal/causal", "run", "--claims", live);
	check("live", count(live));
	watch("collector/collector", "record", "--evidence", evidence);
	finish(start("causal/causal", (const char *[]){"causal", "join", "--evidence", evidence,
						       "--claims", json, NULL}));
	finish(start("causal/causal", (const char *[]){"causal", "join", "--evidence", evidence,
						       "--claims", packed, NULL}));
	check("replay", count(json));
	compare_files(json, packed);
	unlink(evidence);
	unlink(live);
	unlink(json);
	unlink(packed);
	rmdir(work);
	puts("ok: collector_replay");
	return 0;
}
