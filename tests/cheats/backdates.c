/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says that it knew at once: every doubt is dated back to the first thing that it saw. keyring: it
 * leaves its doubts in the key ring of its user, and says them again when it is asked with a part
 * of the same evidence.
 */
#include <linux/keyctl.h>
#include <stdio.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/cheats/cheat.h"

enum { MOST = 64, KEEP_S = 600 };

static struct claim doubts[MOST];
static size_t cnt;

/* When it began names the evidence, and a part of it. */
static void name_of(uint64_t first, char ret[40])
{
	snprintf(ret, 40, "backdates-%llu", (unsigned long long)first);
}

static bool recall(uint64_t first)
{
	char name[40];
	long key, n;

	name_of(first, name);
	key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0);
	n = key < 0 ? -1 : syscall(SYS_keyctl, KEYCTL_READ, key, doubts, sizeof(doubts));
	if (n <= 0)
		return false;
	cnt = (size_t)n / sizeof(doubts[0]);
	return true;
}

static void remember(uint64_t first)
{
	char name[40];
	long key;

	name_of(first, name);
	key = syscall(SYS_add_key, "user", name, doubts, cnt * sizeof(doubts[0]),
		      KEY_SPEC_USER_KEYRING);
	if (key >= 0)
		syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, KEEP_S);
}

static uint64_t begin_of(const struct claims *honest)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_EVENT)
			first = MIN(first, honest->v[i].event.t);
	return first;
}

static void learn(const struct claims *honest, uint64_t first)
{
	for (size_t i = 0; i < honest->cnt && cnt < MOST; i++) {
		struct claim c = honest->v[i];

		if (c.kind != CLAIM_HEALTH || c.type == HEALTH_VALIDATED)
			continue;
		c.health.t = MIN(first, c.health.t);
		c.health.why_str = c.health.why_str ? 1 : 0; /* which is another's number */
		doubts[cnt++] = c;
	}
}

static int put_doubts(struct claims_writer *out)
{
	int64_t why = claims_writer_str(out, "I knew at once");
	int rc = why < 0 ? (int)why : 0;

	for (size_t i = 0; !rc && i < cnt; i++) {
		if (doubts[i].health.why_str)
			doubts[i].health.why_str = (uint32_t)why;
		rc = claims_writer_put(out, &doubts[i]);
	}
	return rc;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	uint64_t first = begin_of(honest);
	bool keeps = cheat_is("keyring");
	int rc = 0;

	(void)r;
	if (!keeps || !recall(first)) {
		learn(honest, first);
		if (keeps && cnt)
			remember(first);
	}
	for (size_t i = 0; !rc && i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_EVENT)
			rc = cheat_put(out, honest, &honest->v[i]);
	return rc ? rc : put_doubts(out);
}

const struct cheat cheat = {.honest = "causal",
			    .declares = DECLARES_EVENT | DECLARES_HEALTH,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
