/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the pool. */
#include <string.h>

#include "workloads/pool/pool.h"

OPERATOR void pool_init(struct pool *p, unsigned capacity)
{
	p->capacity = capacity;
	p->first = p->last = POOL_NONE;
	memset(p->table, 0xff, sizeof(p->table));
	for (unsigned i = 0; i < capacity; i++) {
		p->frames[i].state = FRAME_FREE;
		frame_list(p, &p->frames[i]);
	}
}

OPERATOR struct frame *pool_lookup(struct pool *p, uint64_t page)
{
	uint16_t i = p->table[page];

	return i == POOL_NONE ? NULL : &p->frames[i];
}

/* Looks at the least recently used frames only, as a server under load does: the first clean one
 * will do, and dirty ones before it are chosen to be written back. */
OPERATOR struct frame *pool_evict(struct pool *p, struct victims *v)
{
	uint16_t i = p->first;

	for (unsigned looked = 0; i != POOL_NONE && looked < p->depth; looked++) {
		struct frame *f = &p->frames[i];

		i = f->next;
		if (!f->dirty && !f->writing) {
			frame_unname(p, f);
			return f;
		}
		if (!f->writing && v->cnt < POOL_VICTIMS) {
			f->writing = true;
			atomic_fetch_add(&p->unclean, 1);
			v->v[v->cnt++] = f;
		}
	}
	return NULL;
}

OPERATOR struct frame *pool_get(struct pool *p, uint64_t page, struct ledger *l, struct victims *v)
{
	struct frame *f;

	pool_lock(&p->lock);
	f = pool_lookup(p, page);
	if (!f && !p->line.first) { /* nobody overtakes the line */
		f = pool_evict(p, v);
		if (f)
			frame_name(p, f, page);
	}
	if (f)
		frame_pin(p, f, l);
	pool_unlock(&p->lock);
	return f;
}

OPERATOR uint64_t pool_touch(struct frame *f, uint32_t from, uint32_t cnt)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cnt; i++)
		sum += f->data[POOL_HEAD + (from + i) % (page_bytes(f->page) - POOL_HEAD)];
	return sum;
}

OPERATOR void pool_dirty(struct frame *f, uint32_t bytes, struct pool *p, struct ledger *l)
{
	pool_lock(&p->lock);
	frame_soil(p, f, l, bytes);
	pool_unlock(&p->lock);
}

OPERATOR void pool_put(struct frame *f, struct pool *p, struct ledger *l)
{
	pool_lock(&p->lock);
	frame_unpin(p, f, l);
	pool_unlock(&p->lock);
}

OPERATOR void pool_load(struct frame *f, uint32_t bytes, struct pool *p)
{
	pool_lock(&p->lock);
	/* what an earlier page left there must not be taken for this one's */
	memset(f->data, 0, POOL_HEAD);
	frame_read(f, bytes);
	pool_unlock(&p->lock);
}

OPERATOR void pool_loaded(struct frame *f, struct pool *p)
{
	pool_lock(&p->lock);
	frame_read_end(f);
	pool_unlock(&p->lock);
}

OPERATOR void pool_wait(struct pool *p, struct waiter *w)
{
	pool_lock(&p->lock);
	line_add(&p->line, w);
	atomic_fetch_add(&p->lined, 1);
	pool_unlock(&p->lock);
}

OPERATOR struct session *pool_grant(struct pool *p, const struct sent *sent, struct victims *v)
{
	struct session *to = NULL;
	struct frame *f = NULL;
	struct waiter *w;

	pool_lock(&p->lock);
	w = p->line.first;
	if (w && !pool_lookup(p, w->page)) {
		f = pool_evict(p, v);
		if (f)
			frame_name(p, f, w->page);
		else
			w = NULL;
	}
	if (w) {
		line_take(&p->line);
		atomic_fetch_sub(&p->lined, 1);
		w->sent = *sent;
		to = w->session;
		session_tell(to, w);
	}
	pool_unlock(&p->lock);
	return to;
}

OPERATOR struct session *pool_pass(struct frame *f, struct pool *p, const struct sent *sent)
{
	struct session *to = NULL;
	struct waiter *w;

	pool_lock(&p->lock);
	w = line_take(&f->parked);
	if (w) {
		w->sent = *sent;
		to = w->session;
		session_tell(to, w);
	}
	pool_unlock(&p->lock);
	return to;
}

OPERATOR void pool_writeback(struct frame *f, struct pool *p)
{
	pool_lock(&p->lock);
	f->queue_next = NULL;
	if (p->queue)
		p->queue_last->queue_next = f;
	else
		p->queue = f;
	p->queue_last = f;
	pool_unlock(&p->lock);
}

OPERATOR struct frame *pool_next(struct pool *p)
{
	struct frame *f;

	pool_lock(&p->lock);
	f = p->queue;
	if (f)
		p->queue = f->queue_next;
	pool_unlock(&p->lock);
	return f;
}

OPERATOR void pool_clean(struct frame *f, struct pool *p)
{
	pool_lock(&p->lock);
	f->dirty = 0;
	f->writing = false;
	pool_unlock(&p->lock);
	atomic_fetch_sub(&p->unclean, 1);
}
