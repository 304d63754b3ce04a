/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of leases: taken by who wants to hand something over, given up for a keeper,
 * claimed by one, put back. `held` is the caller's own count of those that it holds. */
#include "workloads/pipeline/pipeline.h"

OPERATOR void leases_init(struct desk *d, unsigned cnt)
{
	for (unsigned i = cnt; i-- > 0;) {
		d->lease[i].next = d->free;
		d->free = &d->lease[i];
	}
}

OPERATOR struct lease *lease_take(struct desk *d, unsigned *held)
{
	struct lease *l;

	spin_lock(&d->lock);
	l = d->free;
	if (l) {
		d->free = l->next;
		l->epoch++;
		++*held;
	}
	spin_unlock(&d->lock);
	return l;
}

OPERATOR void lease_give(struct lease *l, struct desk *d, struct token *t, unsigned *held)
{
	spin_lock(&d->lock);
	l->token = t;
	l->next = d->given; /* the newest first */
	d->given = l;
	--*held;
	atomic_fetch_add(&d->waiting, 1);
	spin_unlock(&d->lock);
}

OPERATOR struct lease *lease_claim(struct desk *d, unsigned *held)
{
	struct lease *l;

	spin_lock(&d->lock);
	l = d->given;
	if (l) {
		d->given = l->next;
		l->epoch++;
		++*held;
		atomic_fetch_sub(&d->waiting, 1);
	}
	spin_unlock(&d->lock);
	return l;
}

OPERATOR void lease_put(struct lease *l, struct desk *d, unsigned *held)
{
	spin_lock(&d->lock);
	l->token = NULL;
	l->next = d->free;
	d->free = l;
	--*held;
	spin_unlock(&d->lock);
}
