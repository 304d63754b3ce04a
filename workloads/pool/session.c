/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take requests: each works on several operations at a time. */
#include <sched.h>

#include "workloads/pool/server.h"

/* Shares of what an operation costs, in hundredths: at its arrival, over its loads, at its use. */
enum { SHARE_BEGIN = 30, SHARE_LOADS = 30, SHARE_USE = 40, SHARES = 100 };

static unsigned fanout(const struct session *s)
{
	return s->w->run->options->fanout;
}

static bool serial(const struct session *s)
{
	return s->w->run->options->serial;
}

static struct slot *slot_get(struct session *s)
{
	struct slot *sl = s->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	s->free = sl->next;
	sl->cnt = sl->got = sl->waiting = 0;
	return sl;
}

static void slot_put(struct session *s, struct slot *sl)
{
	sl->next = s->free;
	s->free = sl;
}

/* ---- which pages ---- */

/* The low pages are asked for more often: half of all draws fall on a quarter of them. */
static uint64_t draw_page(struct rng *r)
{
	uint32_t a = rng_below(r, POOL_PAGES), b = rng_below(r, POOL_PAGES);

	return (uint64_t)a * b / POOL_PAGES;
}

/* One page after the other, and again: should it ail, seven of eight draws. There are more pages
 * than frames, so that each is gone when it comes round again. */
static uint64_t next_page(struct session *s)
{
	if (settings_ail(DIAGNOSIS_POOL_THRASH) && rng_below(&s->w->rng, 8))
		return atomic_fetch_add_explicit(&s->server->round, 1, memory_order_relaxed) %
		       POOL_PAGES;
	return draw_page(&s->w->rng);
}

static bool same_length(const struct slot *sl, uint64_t page)
{
	for (unsigned i = 0; i < sl->cnt; i++) {
		if (page_bytes(sl->pages[i]) == page_bytes(page))
			return true;
	}
	return false;
}

/* The largest first: its read takes longest. */
static void add_page(struct slot *sl, uint64_t page)
{
	unsigned at = sl->cnt++;

	for (; at && page_bytes(sl->pages[at - 1]) < page_bytes(page); at--)
		sl->pages[at] = sl->pages[at - 1];
	sl->pages[at] = page;
}

/* Pages of one operation have different lengths, so that their reads can be told apart. */
static void draw_pages(struct session *s, struct slot *sl, unsigned cnt)
{
	uint64_t page = next_page(s);

	while (sl->cnt < cnt) {
		if (sl->op.kind == KIND_SCAN && !settings_ail(DIAGNOSIS_POOL_THRASH))
			page = (page + 1) % POOL_PAGES;
		else
			page = next_page(s);
		if (!same_length(sl, page))
			add_page(sl, page);
	}
	if (sl->op.kind == KIND_JOIN) { /* comes back to its first page while it has it */
		sl->pages[sl->cnt] = sl->pages[0];
		sl->cnt++;
	}
}

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 20 ? KIND_POINT : x < 45 ? KIND_SCAN : x < 65 ? KIND_JOIN : KIND_UPDATE;
}

static unsigned pages_of(const struct session *s, unsigned kind)
{
	switch (kind) {
	case KIND_POINT:
		return (fanout(s) + 1) / 2;
	case KIND_UPDATE:
		return (fanout(s) + 2) / 2;
	default:
		return fanout(s);
	}
}

/* ---- use: all pages are there ---- */

static void use(struct session *s, struct slot *sl)
{
	uint64_t op = sl->op.id;

	for (unsigned i = 0; i < sl->cnt; i++) {
		watch_touch(s, sl->frames[i], rng_below(&s->w->rng, POOL_BLOCK), 512, op);
		act_burn(s->w, SHARE_USE, SHARES * sl->cnt);
		if (sl->op.kind == KIND_UPDATE)
			watch_dirty(s, sl->frames[i], 16 + rng_below(&s->w->rng, 112), op);
	}
	for (unsigned i = 0; i < sl->cnt; i++)
		watch_put(s, sl->frames[i], op);
	watch_grant(s, op);
}

/* The operation's last segment is open; returns the moment at which the thread was free again. */
static uint64_t finish(struct session *s, struct slot *sl)
{
	use(s, sl);
	op_end(s->w, &sl->op);
	histogram_add(&s->w->latency, arrivals_clock() - sl->op.arrival);
	arrivals_done(&s->w->arrivals);
	slot_put(s, sl);
	return act_now(s->w);
}

/* ---- getting the pages ---- */

/* Has page i in a frame: reads it, waits for who does, or finds it ready. */
static void have(struct session *s, struct slot *sl, unsigned i)
{
	struct frame *f = sl->frames[i];
	struct waiter *w = &sl->parked[i];

	if (frame_claim(&s->server->pool, f)) {
		watch_load(s, f, sl->pages[i], sl->op.id);
		ring_add(s, &sl->group, f, false, sl->op.id);
		sl->waiting++;
		return;
	}
	*w = (struct waiter){.session = s, .slot = sl, .page = sl->pages[i]};
	if (i + 1 == sl->cnt && sl->op.kind == KIND_JOIN)
		return; /* what it waits for is its own first page */
	if (frame_park(&s->server->pool, f, w, sl->op.kind == KIND_UPDATE))
		sl->waiting++;
}

/* Serially each look at the pool finds the writer idle, so that every run sees the same. */
static void settle(struct session *s)
{
	while (serial(s) && atomic_load(&s->server->pool.unclean))
		sched_yield();
}

/* Goes through the pages until all are there or there is no frame for one. Serially what is under
 * way comes first: whether it does or a frame is not for chance to say. A segment is open; it is
 * closed on return. */
static uint64_t gather(struct session *s, struct slot *sl)
{
	uint64_t op = sl->op.id;

	while (sl->got < sl->cnt) {
		struct frame *f;

		settle(s);
		f = watch_get(s, sl->pages[sl->got], op);
		watch_victims(s, op);
		if (!f && serial(s) && sl->waiting)
			break;
		if (!f) {
			sl->place = (struct waiter){
				.session = s, .slot = sl, .page = sl->pages[sl->got]};
			ring_submit(s);
			watch_wait(s, &sl->place, op);
			watch_grant(s, op);
			return segment_close(s->w);
		}
		sl->frames[sl->got] = f;
		have(s, sl, sl->got++);
	}
	ring_submit(s);
	return sl->waiting ? segment_close(s->w) : finish(s, sl);
}

/* One thing less to wait for. */
static uint64_t went_on(struct session *s, struct slot *sl)
{
	if (--sl->waiting)
		return segment_close(s->w);
	if (sl->got == sl->cnt)
		return finish(s, sl);
	return serial(s) ? gather(s, sl) : segment_close(s->w);
}

static void begin(struct session *s, uint64_t arrival)
{
	struct slot *sl = slot_get(s);

	op_begin(s->w, &sl->op, draw_kind(&s->w->rng), arrival);
	draw_pages(s, sl, pages_of(s, sl->op.kind));
	sl->pieces = sl->cnt;
	act_burn(s->w, SHARE_BEGIN, SHARES);
	gather(s, sl);
}

/* ---- what comes in ---- */

/* One of the operation's own reads is done. */
static uint64_t loaded(struct session *s, const struct found *found)
{
	struct slot *sl = (struct slot *)(uintptr_t)found->key;
	struct transfer *t = ring_found(s, &sl->group, found);

	take(s->w, &t->sent, s->takes++, 0, found->before, found->after, found->from);
	watch_loaded(s, t->frame, sl->op.id);
	watch_pass(s, t->frame, sl->op.id);
	act_burn(s->w, SHARE_LOADS, SHARES * sl->pieces);
	return went_on(s, sl);
}

/* A waiter may go on: it has a frame, or what it waited for in one is over. */
static uint64_t told(struct session *s, struct waiter *w, uint64_t before, uint64_t after)
{
	struct slot *sl = w->slot;
	struct sent sent = w->sent;

	sent.op = sl->op.id;
	take(s->w, &sent, RECORDER_NO_SEQ, 0, before, after, after);
	return w == &sl->place ? gather(s, sl) : went_on(s, sl);
}

static unsigned take_inbox(struct session *s)
{
	uint64_t before, after;
	unsigned n = 0;

	for (struct waiter *w = inbox_take(s, &before, &after); w;
	     w = inbox_take(s, &before, &after)) {
		told(s, w, before, after);
		n++;
	}
	return n;
}

static unsigned admit(struct session *s)
{
	struct arrivals *a = &s->w->arrivals;
	unsigned n = 0;
	uint64_t arrival;

	while (a->inflight < s->server->most && arrivals_take(a, arrivals_clock(), &arrival)) {
		begin(s, arrival);
		n++;
	}
	return n;
}

static uint64_t patience(const struct session *s)
{
	const struct arrivals *a = &s->w->arrivals;

	return a->inflight < s->server->most ? arrivals_wait(a, arrivals_clock()) : UINT64_MAX;
}

/* All that it was to do is done, and nobody is about to tell it anything. */
static bool over(struct session *s)
{
	const struct arrivals *a = &s->w->arrivals;

	return !a->inflight && !(a->left && a->limit) && !s->notes_out && inbox_quiet(s);
}

void session_body(struct session *s)
{
	while (!over(s)) {
		unsigned n = ring_take(s, loaded);

		n += take_inbox(s);
		n += admit(s);
		if (n || over(s))
			continue;
		if (serial(s)) /* whether a bell were rung would be chance */
			sched_yield();
		else if (inbox_may_sleep(s))
			ring_wait(s, patience(s));
		inbox_awake(s);
	}
}
