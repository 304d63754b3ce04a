/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom. What happened is
 * read from the ledger and the frame before and after, not from what the operator returned.
 */
#include <errno.h>
#include <string.h>

#include "workloads/pool/futex.h"
#include "workloads/pool/server.h"

/* ---- lives ---- */

/* The life of this epoch: the first who asks for it names it. Whoever asks keeps the epoch from
 * ending (by a pin, or as the one who writes the frame back). */
static uint64_t life_of(struct session *s, struct life *l, uint32_t epoch)
{
	uint64_t token;

	pool_lock(&l->lock);
	if (l->epoch != epoch) {
		l->epoch = epoch;
		l->token = recorder_token(&s->w->rec);
	}
	token = l->token;
	pool_unlock(&l->lock);
	return token;
}

static uint64_t soil_life(struct session *s, struct frame *f)
{
	unsigned i = frame_index(&s->server->pool, f);

	return life_of(s, &s->server->soiling[i], f->soils);
}

static uint64_t read_life(struct session *s, struct frame *f)
{
	unsigned i = frame_index(&s->server->pool, f);

	return life_of(s, &s->server->reading[i], f->reads);
}

/* Of a frame that this thread uses: its own, somebody's, or nobody's. */
static uint64_t use_life(struct session *s, struct frame *f)
{
	struct pool *p = &s->server->pool;
	unsigned i = frame_index(p, f);
	uint64_t life = 0;

	if (s->known.held[i] > 0)
		return s->known.life[i];
	pool_lock(&p->lock);
	if (f->pins > 0)
		life = life_of(s, &s->server->holding[i], f->holds);
	pool_unlock(&p->lock);
	return life ? life : recorder_token(&s->w->rec);
}

/* ---- what a call has done to the ledger ---- */

static void held_changed(struct session *s, unsigned i, uint64_t op, uint64_t t0, uint64_t t1)
{
	struct frame *f = &s->server->pool.frames[i];
	int32_t change = s->ledger.held[i] - s->known.held[i];

	if (change > 0) /* our pin keeps the life from ending */
		s->known.life[i] = life_of(s, &s->server->holding[i], f->holds);
	s->known.held[i] = s->ledger.held[i];
	if (change > 0)
		happened(s->w, EVENT_ACQUIRE, CLASS_FRAME, (uintptr_t)f, s->known.life[i],
			 (uint64_t)change, op, DESC_ACQUIRE, t0, t1);
	else
		happened(s->w, EVENT_RELEASE, CLASS_FRAME, (uintptr_t)f, s->known.life[i],
			 (uint64_t)-change, op, DESC_RELEASE, t0, t1);
}

static void soiled_changed(struct session *s, unsigned i, uint64_t op, uint64_t t0, uint64_t t1)
{
	struct frame *f = &s->server->pool.frames[i];
	uint64_t change = s->ledger.soiled[i] - s->known.soiled[i];

	s->known.soiled[i] = s->ledger.soiled[i];
	happened(s->w, EVENT_ACQUIRE, CLASS_DIRTY, (uintptr_t)f, soil_life(s, f), change, op,
		 DESC_SOIL, t0, t1);
}

static void ledger_changed(struct session *s, uint64_t op, uint64_t t0, uint64_t t1)
{
	unsigned n = s->server->pool.capacity;

	if (memcmp(s->ledger.held, s->known.held, n * sizeof(s->known.held[0])) == 0 &&
	    memcmp(s->ledger.soiled, s->known.soiled, n * sizeof(s->known.soiled[0])) == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		if (s->ledger.held[i] != s->known.held[i])
			held_changed(s, i, op, t0, t1);
		if (s->ledger.soiled[i] != s->known.soiled[i])
			soiled_changed(s, i, op, t0, t1);
	}
}

/* ---- operators on frames ---- */

struct frame *watch_get(struct session *s, uint64_t page, uint64_t op)
{
	uint64_t t0 = act_now(s->w);
	struct frame *f = pool_get(&s->server->pool, page, &s->ledger, &s->victims);

	ledger_changed(s, op, t0, act_now(s->w));
	return f;
}

void watch_put(struct session *s, struct frame *f, uint64_t op)
{
	uint64_t t0 = act_now(s->w);

	pool_put(f, &s->server->pool, &s->ledger);
	ledger_changed(s, op, t0, act_now(s->w));
}

void watch_dirty(struct session *s, struct frame *f, uint32_t bytes, uint64_t op)
{
	uint64_t t0 = act_now(s->w);

	pool_dirty(f, bytes, &s->server->pool, &s->ledger);
	ledger_changed(s, op, t0, act_now(s->w));
}

void watch_touch(struct session *s, struct frame *f, uint32_t from, uint32_t cnt, uint64_t op)
{
	uint64_t life = use_life(s, f), t0 = act_now(s->w);

	s->w->sink += pool_touch(f, from, cnt);
	happened(s->w, EVENT_USE, CLASS_FRAME, (uintptr_t)f, life, 1, op, DESC_USE, t0,
		 act_now(s->w));
}

/* One at a time reads into a frame: what it had before and has not after is what this call did. */
static void reading_changed(struct session *s, struct frame *f, uint32_t had, uint64_t life,
			    uint64_t op, uint64_t t0, uint64_t t1)
{
	uint32_t has = f->reading;

	if (has > had)
		happened(s->w, EVENT_ACQUIRE, CLASS_READ, (uintptr_t)f, read_life(s, f), has - had,
			 op, DESC_LOAD, t0, t1);
	else if (has < had)
		happened(s->w, EVENT_RELEASE, CLASS_READ, (uintptr_t)f, life, had - has, op,
			 DESC_LOADED, t0, t1);
}

void watch_load(struct session *s, struct frame *f, uint64_t page, uint64_t op)
{
	uint32_t had = f->reading;
	uint64_t t0 = act_now(s->w);

	pool_load(f, page_bytes(page), &s->server->pool);
	reading_changed(s, f, had, 0, op, t0, act_now(s->w));
}

void watch_loaded(struct session *s, struct frame *f, uint64_t op)
{
	uint64_t life = read_life(s, f), t0 = act_now(s->w);
	uint32_t had = f->reading;

	pool_loaded(f, &s->server->pool);
	reading_changed(s, f, had, life, op, t0, act_now(s->w));
}

void watch_wait(struct session *s, struct waiter *w, uint64_t op)
{
	struct pool *p = &s->server->pool;
	uint64_t t0 = act_now(s->w);

	pool_wait(p, w);
	happened(s->w, EVENT_WAIT, CLASS_FRAME, (uintptr_t)p, recorder_token(&s->w->rec), 1, op,
		 DESC_WAIT, t0, act_now(s->w));
}

/* Nobody changes a frame while it is written back: what it had before, it has no more. */
void watch_clean(struct session *s, struct frame *f, uint64_t op)
{
	uint64_t life = soil_life(s, f), t0 = act_now(s->w);
	uint32_t dirty = f->dirty;

	pool_clean(f, &s->server->pool);
	happened(s->w, EVENT_RELEASE, CLASS_DIRTY, (uintptr_t)f, life, dirty, op, DESC_CLEAN, t0,
		 act_now(s->w));
}

/* Sessions have ended and the queue is empty: nothing changes any more. */
void watch_end(struct session *s)
{
	struct pool *p = &s->server->pool;

	for (unsigned i = 0; i < p->capacity; i++) {
		struct frame *f = &p->frames[i];

		if (f->dirty)
			recorder_live(&s->w->rec, soil_life(s, f), f->dirty, false);
		if (f->pins)
			recorder_live(&s->w->rec, life_of(s, &s->server->holding[i], f->holds),
				      f->pins, false);
	}
}

/* ---- those who wait ---- */

static void ring_if_due(struct session *s, struct session *to, uint64_t op)
{
	if (atomic_exchange(&to->bell_due, false))
		ring_bell(s, to, op);
}

static void grant_begin(struct session *s, struct sent *sent, uint64_t op)
{
	sent_begin(s->w, sent, HANDOFF_GRANT, op, (struct rec_key){.ns = KEY_NONE}, RECORDER_NO_SEQ,
		   0, act_now(s->w));
}

static void granted(struct session *s, const struct sent *sent, struct session *to, uint64_t op)
{
	sent_end(s->w, sent, act_now(s->w));
	ring_if_due(s, to, op);
}

void watch_grant(struct session *s, uint64_t op)
{
	struct pool *p = &s->server->pool;

	while (atomic_load(&p->lined)) {
		struct session *to;
		struct sent sent;

		grant_begin(s, &sent, op);
		to = pool_grant(p, &sent, &s->victims);
		if (!to)
			break;
		granted(s, &sent, to, op);
	}
	watch_victims(s, op);
}

void watch_pass(struct session *s, struct frame *f, uint64_t op)
{
	struct pool *p = &s->server->pool;

	while (frame_awaited(p, f)) {
		struct session *to;
		struct sent sent;

		grant_begin(s, &sent, op);
		to = pool_pass(f, p, &sent);
		if (!to)
			break;
		granted(s, &sent, to, op);
	}
}

/* ---- the writer ---- */

static void write_back(struct session *s, struct frame *f, uint64_t op)
{
	uint64_t life = soil_life(s, f), t0 = act_now(s->w), t1;
	struct sent sent;

	sent_begin(s->w, &sent, HANDOFF_QUEUE, op,
		   (struct rec_key){.v = (uintptr_t)f, .ns = KEY_TASK}, RECORDER_NO_SEQ, 0, t0);
	f->sent = sent;
	pool_writeback(f, &s->server->pool);
	t1 = act_now(s->w);
	sent_end(s->w, &sent, t1);
	happened(s->w, EVENT_USE, CLASS_DIRTY, (uintptr_t)f, life, 1, op, DESC_WRITE, t0, t1);
}

void watch_victims(struct session *s, uint64_t op)
{
	if (!s->victims.cnt)
		return;
	for (unsigned i = 0; i < s->victims.cnt; i++)
		write_back(s, s->victims.v[i], op);
	s->victims.cnt = 0;
	watch_wake(s, op);
}

/* Whoever finds the writer asleep wakes it; it does not sleep again before that call is over. */
void watch_wake(struct session *s, uint64_t op)
{
	struct writer *wr = &s->server->writer;
	_Atomic uint32_t *word = &s->server->pool.asleep;
	struct sent sent;
	int woken;

	if (!atomic_exchange(word, 0))
		return;
	sent_begin(s->w, &sent, HANDOFF_WAKE, op,
		   (struct rec_key){.v = (uintptr_t)word, .ns = KEY_UADDR}, RECORDER_NO_SEQ,
		   wr->used ? 1u << MARK_REUSED_KEY : 0, act_now(s->w));
	wr->sent = sent;
	atomic_store_explicit(&wr->posted, true, memory_order_release);
	woken = pool_wake(word);
	if (woken < 0)
		run_fail(woken, "cannot wake the writer");
	if (woken) {
		sent_end(s->w, &sent, act_now(s->w));
		wr->used = true;
	}
	atomic_store_explicit(&wr->called, true, memory_order_release);
}
