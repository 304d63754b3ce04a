/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the pool, named by manifest.yaml. */
#include "workloads/prefork/pool.h"

OPERATOR void prefork_init(struct pool *p, unsigned cnt)
{
	p->cnt = cnt;
	for (unsigned i = cnt; i-- > 0;) {
		p->buffer[i].next = p->free;
		p->free = i + 1;
	}
}

OPERATOR struct buffer *prefork_get(struct pool *p, unsigned server)
{
	struct buffer *b = NULL;

	spin_lock(&p->lock);
	if (p->free) {
		b = &p->buffer[p->free - 1];
		p->free = b->next;
		b->uses = 0;
		atomic_store_explicit(&b->holder, server, memory_order_relaxed);
	}
	spin_unlock(&p->lock);
	return b;
}

OPERATOR void prefork_use(struct buffer *b)
{
	b->uses++;
}

OPERATOR void prefork_put(struct buffer *b, struct pool *p)
{
	spin_lock(&p->lock);
	atomic_store_explicit(&b->holder, 0, memory_order_relaxed);
	b->next = p->free;
	p->free = (uint32_t)(b - p->buffer) + 1;
	spin_unlock(&p->lock);
}

OPERATOR void prefork_wait(struct pool *p)
{
	spin_lock(&p->lock);
	p->waits++;
	spin_unlock(&p->lock);
}
