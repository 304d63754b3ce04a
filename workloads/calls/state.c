/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the library: handles, entries, the budget. */
#include <sched.h>

#include "workloads/calls/calls.h"

void library_lock(_Atomic bool *lock)
{
	while (atomic_exchange_explicit(lock, true, memory_order_acquire))
		sched_yield();
}

void library_unlock(_Atomic bool *lock)
{
	atomic_store_explicit(lock, false, memory_order_release);
}

bool entry_ready(struct library *l, uint32_t name)
{
	struct entry *e = &l->entries[name];

	if (name >= CALLS_NAMES)
		return false;
	if (e->cold) {
		e->cold = false;
		return false;
	}
	e->cold = ++e->uses % CALLS_WARM == 0;
	return true;
}

struct handle *handle_take(struct library *l, uint32_t name, struct ledger *g)
{
	struct handle *h = l->free_handles;

	if (!h)
		return NULL;
	l->free_handles = h->next;
	h->name = name;
	h->cursor = 0;
	h->opens++;
	h->open = true;
	g->open[h - l->handles]++;
	return h;
}

void handle_drop(struct library *l, struct handle *h, struct ledger *g)
{
	if (!h->open)
		return;
	h->open = false;
	g->open[h - l->handles]--;
	h->next = l->free_handles;
	l->free_handles = h;
}

struct buffer *buffer_take(struct library *l, uint32_t bytes, struct ledger *g)
{
	struct buffer *b = l->free_buffers;

	if (!b || !bytes || bytes > l->left)
		return NULL;
	l->free_buffers = b->next;
	l->left -= bytes;
	b->bytes = bytes;
	b->deals++;
	g->bytes[b - l->buffers] += bytes;
	return b;
}

void buffer_drop(struct library *l, struct buffer *b, struct ledger *g)
{
	if (!b->bytes)
		return;
	g->bytes[b - l->buffers] -= b->bytes;
	l->left += b->bytes;
	b->bytes = 0;
	b->next = l->free_buffers;
	l->free_buffers = b;
}
