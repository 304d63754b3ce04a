/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom.
 * What happened is read from the ledger and the objects before and after, not
 * from what the operator returned.
 */
#include <string.h>

#include "workloads/calls/calls.h"

/* The life of this epoch: the first who asks for it names it. Whoever asks has
 * the object. */
static uint64_t life_of(struct client *c, struct life *l, uint32_t epoch)
{
	uint64_t token;

	library_lock(&l->lock);
	if (l->epoch != epoch) {
		l->epoch = epoch;
		l->token = recorder_token(&c->w->rec);
	}
	token = l->token;
	library_unlock(&l->lock);
	return token;
}

/* ---- what a call has done to the ledger ---- */

static void open_changed(struct client *c, unsigned i, uint64_t t0, uint64_t t1)
{
	struct handle *h = &c->service->library.handles[i];
	int32_t change = c->ledger.open[i] - c->known.open[i];

	c->known.open[i] = c->ledger.open[i];
	if (change > 0) {
		c->opened[i] = life_of(c, &c->service->opened[i], h->opens);
		happened(c->w, EVENT_ACQUIRE, CLASS_HANDLE, (uintptr_t)h, c->opened[i],
			 (uint64_t)change, c->op.id, DESC_OPEN, t0, t1);
	} else {
		happened(c->w, EVENT_RELEASE, CLASS_HANDLE, (uintptr_t)h, c->opened[i],
			 (uint64_t)-change, c->op.id, DESC_CLOSE, t0, t1);
	}
}

static void bytes_changed(struct client *c, unsigned i, uint64_t t0, uint64_t t1)
{
	struct buffer *b = &c->service->library.buffers[i];
	int64_t change = c->ledger.bytes[i] - c->known.bytes[i];

	c->known.bytes[i] = c->ledger.bytes[i];
	if (change > 0) {
		c->dealt[i] = life_of(c, &c->service->dealt[i], b->deals);
		happened(c->w, EVENT_ACQUIRE, CLASS_BUFFER, (uintptr_t)b, c->dealt[i],
			 (uint64_t)change, c->op.id, DESC_ALLOC, t0, t1);
	} else {
		happened(c->w, EVENT_RELEASE, CLASS_BUFFER, (uintptr_t)b, c->dealt[i],
			 (uint64_t)-change, c->op.id, DESC_FREE, t0, t1);
	}
}

static void ledger_changed(struct client *c, uint64_t t0)
{
	unsigned n = c->service->library.handles_cnt;
	uint64_t t1 = act_now(c->w);

	if (memcmp(c->ledger.open, c->known.open, n * sizeof(c->known.open[0])) == 0 &&
	    memcmp(c->ledger.bytes, c->known.bytes, sizeof(c->known.bytes)) == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		if (c->ledger.open[i] != c->known.open[i])
			open_changed(c, i, t0, t1);
	}
	for (unsigned i = 0; i < CALLS_BUFFERS; i++) {
		if (c->ledger.bytes[i] != c->known.bytes[i])
			bytes_changed(c, i, t0, t1);
	}
}

/* ---- handles and buffers ---- */

struct handle *watch_open(struct client *c, uint32_t name)
{
	uint64_t t0 = act_now(c->w);
	struct handle *h = calls_open(&c->service->library, name, &c->ledger);

	ledger_changed(c, t0);
	return h;
}

void watch_close(struct client *c, struct handle *h)
{
	uint64_t t0 = act_now(c->w);

	calls_close(h, &c->service->library, &c->ledger);
	ledger_changed(c, t0);
}

/* The life of a handle that this thread reads: its own, or nobody's. */
void watch_read(struct client *c, struct handle *h, uint32_t cnt)
{
	unsigned i = (unsigned)(h - c->service->library.handles);
	uint64_t life = c->known.open[i] > 0 ? c->opened[i] : recorder_token(&c->w->rec);
	uint64_t t0 = act_now(c->w);

	c->w->sink += calls_read(h, cnt, &c->service->library);
	happened(c->w, EVENT_USE, CLASS_HANDLE, (uintptr_t)h, life, 1, c->op.id, DESC_READ, t0,
		 act_now(c->w));
}

struct buffer *watch_alloc(struct client *c, uint32_t bytes)
{
	uint64_t t0 = act_now(c->w);
	struct buffer *b = calls_alloc(&c->service->library, bytes, &c->ledger);

	ledger_changed(c, t0);
	return b;
}

void watch_free(struct client *c, struct buffer *b)
{
	uint64_t t0 = act_now(c->w);

	calls_free(b, &c->service->library, &c->ledger);
	ledger_changed(c, t0);
}

/* Nothing changes any more: what this thread still has. */
void watch_end(struct client *c)
{
	for (unsigned i = 0; i < c->service->library.handles_cnt; i++)
		if (c->known.open[i] > 0)
			recorder_live(&c->w->rec, c->opened[i], (uint64_t)c->known.open[i], false);
}

/* ---- calls ---- */

static void called(struct request *r, unsigned event, uint32_t desc, uint64_t t0, uint64_t t1)
{
	struct client *c = r->client;

	happened(c->w, event, CLASS_CALL, (uintptr_t)r, r->life, 1, c->op.id, desc, t0, t1);
}

int watch_call(struct client *c, struct request *r)
{
	uint32_t runs = r->runs, dones = r->dones;
	uint64_t t1;
	int err;

	r->life = recorder_token(&c->w->rec);
	r->entered = segment_close(c->w);
	sent_begin(c->w, &r->sent, HANDOFF_CALL, c->op.id, (struct rec_key){.ns = KEY_NONE},
		   RECORDER_NO_SEQ, r->depth ? 1u << MARK_NESTED : 0, r->entered);
	err = calls_call(r, &c->service->library);
	t1 = act_now(c->w);
	if (r->runs == runs)
		called(r, EVENT_BEGIN, DESC_CALL, r->entered, t1);
	if (r->dones != dones)
		called(r, EVENT_END, DESC_DONE, r->left, t1);
	segment_open(c->w, c->op.id, t1);
	return err;
}

void watch_enter(struct request *r)
{
	struct client *c = r->client;
	uint64_t t0 = r->sent.t0, now = act_now(c->w);

	called(r, EVENT_BEGIN, DESC_CALL, t0, now);
	called(r, EVENT_RUN, DESC_RUN, t0, now);
	sent_end(c->w, &r->sent, now);
	take(c->w, &r->sent, RECORDER_NO_SEQ, 0, t0, now, now);
}

void watch_leave(struct request *r)
{
	r->left = segment_close(r->client->w);
}
