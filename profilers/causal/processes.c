/* SPDX-License-Identifier: BSD-2-Clause */
/* What each process of the tree has done to each resource. */
#include "profilers/causal/processes.h"

#include <errno.h>
#include <stdlib.h>

struct process *processes_find(const struct processes *p, uint32_t tgid)
{
	struct process *x;

	HASH_FIND(hh, p->v, &tgid, sizeof(tgid), x);
	return x;
}

static void forget(struct processes *p, struct process *x)
{
	HASH_DEL(p->v, x);
	free(x);
}

struct process *processes_get(struct processes *p, uint32_t tgid)
{
	struct process *x = processes_find(p, tgid);

	if (x)
		return x;
	if (HASH_COUNT(p->v) >= PROCESSES_MAX)
		forget(p, p->v); /* uthash keeps order */
	x = calloc(1, sizeof(*x) + p->resources * sizeof(x->of[0]));
	if (!x)
		return NULL;
	x->tgid = tgid;
	HASH_ADD(hh, p->v, tgid, sizeof(x->tgid), x);
	return x;
}

int processes_fork(struct processes *p, uint32_t parent, uint32_t child)
{
	struct process *c, *from;

	processes_forget(p, child);
	if (!processes_find(p, parent))
		return 0;
	c = processes_get(p, child);
	if (!c)
		return -ENOMEM;
	from = processes_find(p, parent); /* a full table may have forgotten it */
	for (uint32_t i = 0; from && i < p->resources; i++)
		c->of[i].capacity = c->of[i].uncounted = from->of[i].capacity;
	return 0;
}

void processes_forget(struct processes *p, uint32_t tgid)
{
	struct process *x = processes_find(p, tgid);

	if (x)
		forget(p, x);
}

void processes_free(struct processes *p)
{
	while (p->v)
		forget(p, p->v);
}
