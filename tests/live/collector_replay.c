/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs themselves: what `causal run` claims live is what `causal join` claims of evidence,
 * in number and kind, and both are what the child did.
 */
#include <string.h>

#include "tests/live/rig/collector_programs.h"

static void child(void)
{
	rig_child_nops();
	rig_child_pingpong();
}

struct counts {
	size_t io, wake, io_joined, wake_joined, profile, others;
};

static struct counts count(const char *path)
{
	struct counts n = {0};
	struct claims c = programs_claims(path);

	for (size_t i = 0; i < c.cnt; i++) {
		const struct claim *v = &c.v[i];
		bool joined = (v->has & (HAS_SRC | HAS_DST)) == (HAS_SRC | HAS_DST);

		if (v->kind != CLAIM_HANDOFF) {
			*(v->kind == CLAIM_PROFILE ? &n.profile : &n.others) += 1;
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
	/* its two threads; one that was never switched out has no account yet */
	RIG_CHECK(n.profile && n.profile <= 2, "%s: %zu of the profile", what, n.profile);
	RIG_CHECK(!n.others, "%s: %zu gaps", what, n.others);
}

static void compare_files(const char *a, const char *b)
{
	struct claims x = programs_claims(a), y = programs_claims(b);

	RIG_CHECK(x.cnt == y.cnt && !memcmp(x.v, y.v, x.cnt * sizeof(*x.v)), "%s and %s differ", a,
		  b);
	claims_free(&x);
	claims_free(&y);
}

int main(int argc, char **argv)
{
	char *evidence, *live, *json, *packed;

	programs_begin(argc ? argv[0] : ".");
	evidence = programs_file("evidence.bin");
	live = programs_file("live.jsonl");
	json = programs_file("claims.jsonl");
	packed = programs_file("claims.bin");
	programs_watch("causal/causal", (const char *[PROGRAM_ARGS]){"run", "--claims", live},
		       child);
	check("live", count(live));
	programs_watch("collector/collector",
		       (const char *[PROGRAM_ARGS]){"record", "--evidence", evidence}, child);
	programs_run("causal/causal", (const char *[PROGRAM_ARGS]){"join", "--evidence", evidence,
								   "--claims", json});
	programs_run("causal/causal", (const char *[PROGRAM_ARGS]){"join", "--evidence", evidence,
								   "--claims", packed});
	check("replay", count(json));
	compare_files(json, packed);
	programs_end();
	puts("ok: collector_replay");
	return 0;
}
