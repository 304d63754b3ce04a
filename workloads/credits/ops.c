/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the bucket and its line, named by manifest.yaml. */
#include "workloads/credits/bucket.h"

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

OPERATOR void credits_init(struct bucket *b, unsigned capacity, unsigned most)
{
	b->capacity = b->level = capacity;
	b->most = most;
}

static unsigned give(struct bucket *b, struct account *a, unsigned n)
{
	b->level -= n;
	a->held += n;
	a->got += n;
	return n;
}

OPERATOR unsigned credits_take(struct bucket *b, struct account *a, unsigned n)
{
	return b->first ? 0 : give(b, a, least(n, b->level));
}

OPERATOR bool credits_wait(struct bucket *b, struct account *a, unsigned n)
{
	if (b->waiting == b->most)
		return false;
	a->missing = n;
	a->next = NULL;
	if (b->first)
		b->last->next = a;
	else
		b->first = a;
	b->last = a;
	b->waiting++;
	return true;
}

OPERATOR void credits_use(struct account *a, unsigned n)
{
	a->used += n;
}

OPERATOR void credits_spend(struct bucket *b, struct account *a, unsigned n)
{
	a->held -= n;
	a->gave += n;
	b->spent += n;
}

OPERATOR void credits_return(struct bucket *b, struct account *a, unsigned n)
{
	a->held -= n;
	a->gave += n;
	b->level += n;
}

OPERATOR void credits_refill(struct bucket *b, unsigned n)
{
	unsigned back = least(n, b->spent);

	b->spent -= back;
	b->level += back;
}

OPERATOR unsigned credits_grant(struct bucket *b, struct account *a)
{
	unsigned n = give(b, a, least(a->missing, b->level));

	a->missing -= n;
	return n;
}

OPERATOR void credits_admit(struct bucket *b, struct account *a)
{
	b->first = a->next;
	b->waiting--;
	/* seq_cst: its sender arms a seat and looks, whoever admits it looks at the seat */
	atomic_store(&a->admitted, true);
}

/* The bucket is for those who watch: what all who were admitted share. */
OPERATOR bool credits_collect(struct bucket *b, struct account *a)
{
	bool was = atomic_load(&a->admitted);

	if (was)
		atomic_store_explicit(&a->admitted, false, memory_order_relaxed);
	return was;
}

/* Before those that are longer, behind all others. */
static struct part **place_of(const struct part *p, struct line *to)
{
	struct part **at = &to->first;

	while (*at && (to->in_order || (*at)->tokens <= p->tokens))
		at = &(*at)->next;
	return at;
}

OPERATOR void credits_push(struct part *p, struct line *to)
{
	struct part **at;

	spin_lock(&to->lock);
	at = place_of(p, to);
	p->next = *at;
	*at = p;
	atomic_fetch_add(&to->cnt, 1);
	spin_unlock(&to->lock);
}

OPERATOR struct part *credits_pop(struct line *from)
{
	struct part *p;

	spin_lock(&from->lock);
	p = from->first;
	if (p) {
		from->first = p->next;
		atomic_fetch_sub(&from->cnt, 1);
	}
	spin_unlock(&from->lock);
	return p;
}
