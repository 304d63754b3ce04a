/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU time by thread: what the kernel says at attach, at an exit and at the end. */
#include "profilers/causal/threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <uthash.h>

struct account {
	uint32_t tid;
	uint64_t told; /* ns of its life that are claimed, or were before it was watched */
	UT_hash_handle hh;
};

/* Of threads that were there at attach or at the end. All others have nothing told, unless there
 * was no room. */
struct threads {
	struct outlet *out;
	struct account *accounts;
	bool full;
};

struct threads *threads_new(struct outlet *out)
{
	struct threads *x = calloc(1, sizeof(*x));

	if (x)
		x->out = out;
	return x;
}

static void forget(struct threads *x, struct account *a)
{
	if (!a)
		return;
	HASH_DEL(x->accounts, a);
	free(a);
}

void threads_free(struct threads *x)
{
	if (!x)
		return;
	while (x->accounts)
		forget(x, x->accounts);
	free(x);
}

static struct account *find(const struct threads *x, uint32_t tid)
{
	struct account *a;

	HASH_FIND(hh, x->accounts, &tid, sizeof(tid), a);
	return a;
}

static int tell(struct threads *x, uint32_t tid, uint64_t ns)
{
	struct account *a = find(x, tid);

	if (!a && HASH_COUNT(x->accounts) >= CAUSAL_THREADS_MAX) {
		x->full = true;
		return 0;
	}
	if (!a) {
		a = calloc(1, sizeof(*a));
		if (!a)
			return -ENOMEM;
		a->tid = tid;
		HASH_ADD(hh, x->accounts, tid, sizeof(a->tid), a);
	}
	a->told = ns;
	return 0;
}

static int claim(struct threads *x, uint32_t tid, uint64_t ns)
{
	const struct account *a = find(x, tid);
	uint64_t before = a ? a->told : 0;
	struct claim c = {.kind = CLAIM_PROFILE, .type = BY_THREAD};
	int64_t key, kind;
	char word[16];
	int err;

	if (ns <= before || (!a && x->full))
		return 0;
	snprintf(word, sizeof(word), "%u", tid);
	key = x->out->str(x->out->arg, word);
	kind = x->out->str(x->out->arg, "cpu");
	if (key < 0 || kind < 0)
		return (int)(key < 0 ? key : kind);
	c.profile.key_str = (uint32_t)key;
	c.profile.kind_str = (uint32_t)kind;
	c.profile.v = ns - before;
	err = x->out->put(x->out->arg, &c);
	if (x->out->forget)
		x->out->forget(x->out->arg, c.profile.key_str);
	return err;
}

/* The thread that execs goes on under the leader's number, and the leader is no more. */
static int exec(struct threads *x, uint32_t leader, uint32_t before)
{
	struct account *a = find(x, before);
	uint64_t told = a ? a->told : 0;

	if (leader == before)
		return 0;
	forget(x, a);
	forget(x, find(x, leader));
	return told ? tell(x, leader, told) : 0;
}

static int exits(struct threads *x, const struct ev_rec *r)
{
	int err = claim(x, r->tid, r->b);

	forget(x, find(x, r->tid));
	return err;
}

static int look(struct threads *x, const struct ev_rec *r)
{
	int err = r->b ? claim(x, r->tid, r->a) : 0;

	return err ? err : tell(x, r->tid, r->a);
}

int threads_record(struct threads *x, const struct ev_rec *r)
{
	if (r->flags & (EV_F_CUT | EV_F_KERNEL))
		return 0;
	switch (r->kind) {
	case EV_PROC_EXEC:
		return exec(x, r->tid, (uint32_t)r->a);
	case EV_PROC_EXIT:
		return exits(x, r);
	case EV_PROC_CPU:
		return look(x, r);
	default:
		return 0;
	}
}
