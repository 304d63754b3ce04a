/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the library. */
#include <errno.h>
#include <string.h>

#include "workloads/calls/calls.h"

enum { REFUSE_EVERY = 17 };

OPERATOR void calls_init(struct library *l, unsigned handles, uint32_t bytes)
{
	l->left = bytes;
	l->handles_cnt = handles;
	for (unsigned i = handles; i-- > 0;) {
		l->handles[i].next = l->free_handles;
		l->free_handles = &l->handles[i];
	}
	for (unsigned i = CALLS_BUFFERS; i-- > 0;) {
		l->buffers[i].next = l->free_buffers;
		l->free_buffers = &l->buffers[i];
	}
	for (unsigned i = 0; i < CALLS_NAMES; i++) {
		memset(l->entries[i].data, (int)i, CALLS_BYTES);
		l->entries[i].uses = i % CALLS_WARM;
	}
}

OPERATOR struct handle *calls_open(struct library *l, uint32_t name, struct ledger *g)
{
	struct handle *h = NULL;

	library_lock(&l->lock);
	if (entry_ready(l, name))
		h = handle_take(l, name, g);
	library_unlock(&l->lock);
	return h;
}

OPERATOR uint64_t calls_read(struct handle *h, uint32_t cnt, struct library *l)
{
	const struct entry *e = &l->entries[h->name];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cnt; i++)
		sum += e->data[(h->cursor + i) % CALLS_BYTES];
	h->cursor += cnt;
	return sum;
}

OPERATOR void calls_close(struct handle *h, struct library *l, struct ledger *g)
{
	library_lock(&l->lock);
	handle_drop(l, h, g);
	library_unlock(&l->lock);
}

OPERATOR struct buffer *calls_alloc(struct library *l, uint32_t bytes, struct ledger *g)
{
	struct buffer *b;

	library_lock(&l->lock);
	b = buffer_take(l, bytes, g);
	library_unlock(&l->lock);
	return b;
}

OPERATOR void calls_free(struct buffer *b, struct library *l, struct ledger *g)
{
	library_lock(&l->lock);
	buffer_drop(l, b, g);
	library_unlock(&l->lock);
}

OPERATOR void calls_run(struct request *r)
{
	r->runs++;
	r->run(r);
}

OPERATOR void calls_done(struct request *r)
{
	r->dones++;
}

/* Now and then a request that comes from outside is refused: its caller has to
 * come again. */
OPERATOR int calls_call(struct request *r, struct library *l)
{
	bool refused;

	library_lock(&l->lock);
	refused = r->depth == 0 && ++l->refused % REFUSE_EVERY == 0;
	library_unlock(&l->lock);
	if (refused)
		return -EAGAIN;
	calls_run(r);
	calls_done(r);
	return 0;
}
