/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the resource: a bounded number of permits, and a line. */
#include "workloads/tasks/rt.h"

OPERATOR void permits_init(struct permits *p, unsigned cnt, struct permit *permit)
{
	p->cnt = cnt;
	p->permit = permit;
	for (unsigned i = cnt; i-- > 0;) {
		permit[i].next = p->free;
		p->free = &permit[i];
	}
}

static struct permit *take_free(struct permits *p)
{
	struct permit *q = p->free;

	if (q)
		p->free = q->next;
	return q;
}

/* Who finds others waiting waits as well, unless it has been given one already. */
OPERATOR struct permit *permit_take(struct permits *p, struct strand *s)
{
	struct permit *q;

	spin_lock(&p->lock);
	q = s->reserved;
	s->reserved = NULL;
	if (!q && !p->line.first)
		q = take_free(p);
	if (q) {
		q->holder = s;
		q->leases++;
		s->permit = q;
		s->held++;
	}
	spin_unlock(&p->lock);
	return q;
}

OPERATOR void permit_use(struct permit *q)
{
	q->uses++;
}

OPERATOR void permit_give(struct permit *q, struct permits *p, struct strand *s)
{
	spin_lock(&p->lock);
	q->holder = NULL;
	q->next = p->free;
	p->free = q;
	s->permit = NULL;
	s->held--;
	spin_unlock(&p->lock);
}

OPERATOR bool permit_wait(struct permits *p, struct strand *s)
{
	struct permit *q = NULL;

	spin_lock(&p->lock);
	if (!p->line.first)
		q = take_free(p);
	if (q)
		s->reserved = q;
	else
		line_add(&p->line, s);
	spin_unlock(&p->lock);
	return !q;
}

OPERATOR struct strand *permit_grant(struct permits *p, const struct sent *sent)
{
	struct strand *s = NULL;

	spin_lock(&p->lock);
	if (p->free && p->line.first) {
		s = line_take(&p->line);
		s->reserved = take_free(p);
		s->granted = *sent;
		s->has_granted = true;
	}
	spin_unlock(&p->lock);
	return s;
}

OPERATOR bool permit_leave(struct permits *p, struct strand *s)
{
	bool was;

	spin_lock(&p->lock);
	was = line_remove(&p->line, s);
	spin_unlock(&p->lock);
	return was;
}
