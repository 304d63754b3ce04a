/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of frames: pins, names, the list of those not in use, who waits. */
#include <sched.h>

#include "workloads/pool/pool.h"

/* No futex: the pool's own words are the only ones that sleep and wake here. */
void pool_lock(_Atomic bool *lock)
{
	while (atomic_exchange_explicit(lock, true, memory_order_acquire))
		sched_yield();
}

void pool_unlock(_Atomic bool *lock)
{
	atomic_store_explicit(lock, false, memory_order_release);
}

void line_add(struct line *l, struct waiter *w)
{
	w->next = NULL;
	if (l->first)
		l->last->next = w;
	else
		l->first = w;
	l->last = w;
}

struct waiter *line_take(struct line *l)
{
	struct waiter *w = l->first;

	if (w)
		l->first = w->next;
	return w;
}

/* ---- the list of frames without pins ---- */

void frame_list(struct pool *p, struct frame *f)
{
	uint16_t i = (uint16_t)frame_index(p, f);

	f->prev = p->last;
	f->next = POOL_NONE;
	if (p->last == POOL_NONE)
		p->first = i;
	else
		p->frames[p->last].next = i;
	p->last = i;
	f->listed = true;
}

static void frame_unlist(struct pool *p, struct frame *f)
{
	if (!f->listed)
		return;
	if (f->prev == POOL_NONE)
		p->first = f->next;
	else
		p->frames[f->prev].next = f->next;
	if (f->next == POOL_NONE)
		p->last = f->prev;
	else
		p->frames[f->next].prev = f->prev;
	f->listed = false;
}

/* ---- pins ---- */

void frame_pin(struct pool *p, struct frame *f, struct ledger *l)
{
	if (f->pins++ == 0) {
		f->holds++;
		frame_unlist(p, f);
	}
	l->held[frame_index(p, f)]++;
}

void frame_unpin(struct pool *p, struct frame *f, struct ledger *l)
{
	if (f->pins == 0)
		return;
	l->held[frame_index(p, f)]--;
	if (--f->pins == 0)
		frame_list(p, f);
}

/* ---- contents ---- */

void frame_soil(struct pool *p, struct frame *f, struct ledger *l, uint32_t bytes)
{
	if (bytes && f->dirty == 0)
		f->soils++;
	f->dirty += bytes;
	f->data[0]++; /* the page's own count of changes */
	l->soiled[frame_index(p, f)] += bytes;
}

void frame_read(struct frame *f, uint32_t bytes)
{
	if (f->reading == 0)
		f->reads++;
	f->reading = bytes;
}

void frame_read_end(struct frame *f)
{
	f->reading = 0;
	f->state = FRAME_READY;
}

void frame_name(struct pool *p, struct frame *f, uint64_t page)
{
	f->page = page;
	f->state = FRAME_CLAIMED;
	p->table[page] = (uint16_t)frame_index(p, f);
}

void frame_unname(struct pool *p, struct frame *f)
{
	frame_unlist(p, f);
	if (f->state != FRAME_FREE)
		p->table[f->page] = POOL_NONE;
	f->state = FRAME_FREE;
}

/* ---- who waits for what goes on in a frame ---- */

bool frame_claim(struct pool *p, struct frame *f)
{
	bool first;

	pool_lock(&p->lock);
	first = f->state == FRAME_CLAIMED;
	if (first)
		f->state = FRAME_LOADING;
	pool_unlock(&p->lock);
	return first;
}

bool frame_awaited(struct pool *p, const struct frame *f)
{
	bool some;

	pool_lock(&p->lock);
	some = f->parked.first != NULL;
	pool_unlock(&p->lock);
	return some;
}

bool frame_park(struct pool *p, struct frame *f, struct waiter *w, bool quiet)
{
	bool busy;

	pool_lock(&p->lock);
	busy = f->state != FRAME_READY || (quiet && f->writing);
	if (busy)
		line_add(&f->parked, w);
	pool_unlock(&p->lock);
	return busy;
}
