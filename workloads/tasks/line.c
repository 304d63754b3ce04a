/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of strands. */
#include "workloads/tasks/rt.h"

void line_add(struct line *l, struct strand *s)
{
	s->next = NULL;
	if (l->first)
		l->last->next = s;
	else
		l->first = s;
	l->last = s;
	/* seq_cst: who looks for sleepers next and who looks here before it sleeps meet */
	atomic_fetch_add(&l->cnt, 1);
}

struct strand *line_take(struct line *l)
{
	struct strand *s = l->first;

	if (!s)
		return NULL;
	l->first = s->next;
	atomic_fetch_sub(&l->cnt, 1);
	return s;
}

bool line_remove(struct line *l, struct strand *s)
{
	struct strand *before = NULL;

	for (struct strand *i = l->first; i; before = i, i = i->next) {
		if (i != s)
			continue;
		if (before)
			before->next = s->next;
		else
			l->first = s->next;
		if (l->last == s)
			l->last = before;
		atomic_fetch_sub(&l->cnt, 1);
		return true;
	}
	return false;
}
