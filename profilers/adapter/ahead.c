/* SPDX-License-Identifier: BSD-2-Clause */
/* Records wait until what was lost before them is known. */
#include "profilers/adapter/ahead.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "profilers/adapter/sequence.h"

struct loss {
	struct ev_rec r;
	bool found;
};

struct ahead {
	ahead_fn *fn;
	void *arg;
	struct sequence *sequence;
	struct ev_rec *waiting; /* AHEAD_MAX, round */
	size_t first, cnt;
	struct loss *losses; /* not handed on yet, by their beginning */
	size_t losses_first, losses_cnt, losses_cap;
};

struct ahead *ahead_new(ahead_fn *fn, void *arg)
{
	struct ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->fn = fn;
	a->arg = arg;
	a->sequence = sequence_new();
	a->waiting = calloc(AHEAD_MAX, sizeof(*a->waiting));
	if (a->sequence && a->waiting)
		return a;
	ahead_free(a);
	return NULL;
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	sequence_free(a->sequence);
	free(a->waiting);
	free(a->losses);
	free(a);
}

/* ---- losses ---- */

/* Room at the end: what has been handed on makes way first. */
static int losses_room(struct ahead *a)
{
	size_t cap = a->losses_cap ? 2 * a->losses_cap : 64;
	struct loss *grown;

	if (a->losses_first + a->losses_cnt < a->losses_cap)
		return 0;
	if (a->losses_first > a->losses_cap / 2) {
		for (size_t i = 0; i < a->losses_cnt; i++)
			a->losses[i] = a->losses[a->losses_first + i];
		a->losses_first = 0;
		return 0;
	}
	grown = realloc(a->losses, cap * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	a->losses = grown;
	a->losses_cap = cap;
	return 0;
}

static int losses_add(struct ahead *a, const struct ev_rec *r, bool found)
{
	int err = losses_room(a);
	struct loss *v;
	size_t i;

	if (err)
		return err;
	v = a->losses + a->losses_first;
	for (i = a->losses_cnt++; i && v[i - 1].r.b > r->b; i--)
		v[i] = v[i - 1];
	v[i] = (struct loss){*r, found};
	return 0;
}

/* What the numbers show by now. */
static int find(struct ahead *a, bool last)
{
	struct ev_rec r;
	int err = 0;

	while (!err && sequence_take(a->sequence, last, &r))
		err = losses_add(a, &r, true);
	return err;
}

/* Losses that began before t. */
static int tell(struct ahead *a, uint64_t t)
{
	int err = 0;

	while (!err && a->losses_cnt && a->losses[a->losses_first].r.b < t) {
		const struct loss *l = &a->losses[a->losses_first++];

		a->losses_cnt--;
		err = a->fn(a->arg, &l->r, l->found);
	}
	return err;
}

/* ---- records ---- */

static int release(struct ahead *a)
{
	const struct ev_rec *r = &a->waiting[a->first];
	int err = tell(a, r->t);

	a->first = (a->first + 1) % AHEAD_MAX;
	a->cnt--;
	return err ? err : a->fn(a->arg, r, false);
}

int ahead_record(struct ahead *a, const struct ev_rec *r)
{
	int err = sequence_record(a->sequence, r);

	if (!err)
		err = find(a, false);
	if (!err && r->kind == EV_LOST)
		return losses_add(a, r, false);
	if (!err && a->cnt == AHEAD_MAX)
		err = release(a);
	if (err)
		return err;
	a->waiting[(a->first + a->cnt++) % AHEAD_MAX] = *r;
	while (!err && a->cnt && a->waiting[a->first].t <= sequence_certain(a->sequence))
		err = release(a);
	return err;
}

int ahead_finish(struct ahead *a)
{
	int err = find(a, true);

	while (!err && a->cnt)
		err = release(a);
	return err ? err : tell(a, UINT64_MAX);
}
