/* SPDX-License-Identifier: BSD-2-Clause */
/* Effects: which submission the block I/O comes from that a thread starts. */
#include "profilers/causal/effects.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

#include "profilers/causal/confidence.h"

struct submitter { /* a thread in io_uring_enter that has submitted something */
	uint32_t tid;
	uint64_t t;
	UT_hash_handle hh;
};

struct effects {
	struct outlet *out;
	struct submitter *submitters;
};

struct effects *effects_new(struct outlet *out)
{
	struct effects *e = calloc(1, sizeof(*e));

	if (e)
		e->out = out;
	return e;
}

static void forget(struct effects *e, struct submitter *s)
{
	HASH_DEL(e->submitters, s);
	free(s);
}

void effects_free(struct effects *e)
{
	if (!e)
		return;
	while (e->submitters)
		forget(e, e->submitters);
	free(e);
}

static struct submitter *find(struct effects *e, uint32_t tid)
{
	struct submitter *s;

	HASH_FIND(hh, e->submitters, &tid, sizeof(tid), s);
	return s;
}

static int submitted(struct effects *e, const struct ev_rec *r)
{
	struct submitter *s = find(e, r->tid);

	if (!s) {
		if (HASH_COUNT(e->submitters) >= CAUSAL_SUBMITTERS_MAX)
			forget(e, e->submitters); /* uthash keeps order: the oldest */
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->tid = r->tid;
		HASH_ADD(hh, e->submitters, tid, sizeof(s->tid), s);
	}
	s->t = r->t;
	return 0;
}

static int started(struct effects *e, const struct ev_rec *r)
{
	const struct submitter *s = find(e, r->tid);
	struct claim c = {.kind = CLAIM_EFFECT, .type = EFFECT_BLOCK_IO, .has = HAS_V | HAS_CONF};

	if (!s)
		return 0;
	c.effect.cause_tid = r->tid;
	c.effect.cause_t = s->t;
	c.effect.tid = r->tid;
	c.effect.t = r->t;
	c.effect.v = r->c;
	c.effect.conf = CONFIDENCE_ONLY;
	return e->out->put(e->out->arg, &c);
}

int effects_record(struct effects *e, const struct ev_rec *r)
{
	struct submitter *s;

	if (r->flags & (EV_F_KERNEL | EV_F_CUT))
		return 0;
	switch (r->kind) {
	case EV_IO_SUBMIT:
		return submitted(e, r);
	case EV_BLOCK_ISSUE:
		return started(e, r);
	case EV_IO_ENTER:
	case EV_IO_EXIT:
	case EV_PROC_EXIT:
		s = find(e, r->tid);
		if (s)
			forget(e, s);
		return 0;
	default:
		return 0;
	}
}
