/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of an instance's events, by their numbers. */
#include <errno.h>
#include <stdlib.h>

#include <utlist.h>

#include "profilers/causal/runtime_state.h"

enum { SEQUENCE = 255 }; /* numbers go round from 1 to this */

/* How far b comes after a: 1 is the next, SEQUENCE the same again. */
static unsigned distance(uint8_t a, uint8_t b)
{
	unsigned d = (b + SEQUENCE - a) % SEQUENCE;

	return d ? d : SEQUENCE;
}

static bool in_turn(const struct node *n, const struct hit *h)
{
	return !n->last || distance(n->last, h->seq) == 1;
}

static int take_next(struct runtime *r, struct node *n, const struct hit *h)
{
	n->broken |= !n->last && h->seq != 1; /* its first events were not seen */
	n->last = h->seq;
	return runtime_take(r, n, h);
}

/* An event of this instance is missing: whatever is open may have ended with it. */
static int abandon(struct runtime *r, struct node *n)
{
	int err = 0;

	n->broken = true;
	while (n->open && !err)
		err = runtime_orphan(r, n, n->open);
	return err;
}

static struct late *earliest(const struct node *n)
{
	struct late *l, *best = n->late;

	DL_FOREACH(n->late, l)
	{
		if (distance(n->last, l->hit.seq) < distance(n->last, best->hit.seq))
			best = l;
	}
	return best;
}

void runtime_late_drop(struct node *n, struct late *l)
{
	DL_DELETE(n->late, l);
	n->late_cnt--;
	free(l);
}

static int late_add(struct node *n, const struct hit *h)
{
	struct late *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->hit = *h;
	DL_APPEND(n->late, l);
	n->late_cnt++;
	return 0;
}

int runtime_settle(struct runtime *r, struct node *n, uint64_t now)
{
	int err = 0;

	while (n->late && !err) {
		struct late *l = earliest(n);
		bool turn = in_turn(n, &l->hit);

		if (!turn && l->hit.t + CAUSAL_RUNTIME_NS > now && n->late_cnt < CAUSAL_LATE_MAX)
			break;
		if (!turn)
			err = abandon(r, n);
		if (!err)
			err = take_next(r, n, &l->hit);
		runtime_late_drop(n, l);
	}
	return err;
}

/* Its number is forgotten: how many events of the instance are missing before it and behind it
 * cannot be told, so it ends nothing and nothing ends it. */
static int happen_unnumbered(struct runtime *r, struct node *n, const struct hit *h)
{
	int err = runtime_settle(r, n, UINT64_MAX);

	if (!err)
		err = abandon(r, n);
	n->last = 0;
	if (!err)
		err = runtime_take(r, n, h);
	return err ? err : abandon(r, n);
}

/* Numbers go round: where as many are missing as there are, the next one may be any. */
static int forget_count(struct runtime *r, struct node *n)
{
	uint64_t lost = r->lost_cnt - n->lost_cnt;
	int err;

	n->lost_cnt = r->lost_cnt;
	if (!n->last || lost < SEQUENCE)
		return 0;
	err = runtime_settle(r, n, UINT64_MAX);
	if (!err)
		err = abandon(r, n);
	n->last = 0;
	return err;
}

int runtime_happen(struct runtime *r, struct node *n, const struct hit *h)
{
	int err = forget_count(r, n);

	if (err)
		return err;
	r->numbered |= h->seq != 0;
	if (!h->seq)
		return r->numbered ? happen_unnumbered(r, n, h) : runtime_take(r, n, h);
	if (in_turn(n, h))
		err = take_next(r, n, h);
	else
		err = late_add(n, h);
	return err ? err : runtime_settle(r, n, h->t);
}
