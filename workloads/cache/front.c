/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take requests, each with a cache. */
#include "workloads/cache/service.h"
#include "workloads/driver/settings.h"

/* Shares of what an operation costs, in hundredths; the rest is the loaders'. */
enum { SHARE_BEGIN = 25, SHARE_KEYS = 35, SHARES = 100 };

enum { POPULAR = 24, KEYS = 96, SIZE_LEAST = 256, SIZE_RANGE = 1792 };

/* ---- slots: last in, first out ---- */

static struct slot *slot_get(struct front *f)
{
	struct slot *sl = f->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	f->free = sl->next;
	return sl;
}

static void slot_put(struct front *f, struct slot *sl)
{
	sl->next = f->free;
	f->free = sl;
}

/* ---- queries ---- */

/* A result is as long as its query says. */
static unsigned bytes_of(unsigned key)
{
	return SIZE_LEAST + key * 797u % SIZE_RANGE;
}

/* The smaller of two draws: some queries are asked often. */
static unsigned draw_key(struct rng *r, unsigned kind)
{
	unsigned a = rng_below(r, POPULAR), b = rng_below(r, POPULAR);

	if (kind == KIND_SCAN)
		return POPULAR + rng_below(r, KEYS - POPULAR);
	return a < b ? a : b;
}

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 22 ? KIND_GET : x < 57 ? KIND_REPORT : x < 77 ? KIND_UPDATE : KIND_SCAN;
}

static unsigned wants_of(unsigned kind, unsigned fanout)
{
	return kind == KIND_REPORT ? fanout : kind == KIND_SCAN ? fanout / 2 + 1 : 1;
}

/* Asked for, and not looked at, should it ail: all but the first of a report, all of a scan. */
static bool needless(const struct slot *sl, const struct want *n)
{
	return settings_ail(DIAGNOSIS_WASTEFUL) && (sl->op.kind == KIND_SCAN || n != &sl->want[0]);
}

/* The operation has its answer, from an entry or not. */
static void got(struct front *f, struct want *n, struct entry *e)
{
	struct slot *sl = n->slot;

	act_burn(f->w, SHARE_KEYS, SHARES * sl->wants);
	if (e && !needless(sl, n))
		watch_use(f, e, sl->op.id);
	n->held = e;
	sl->left--;
}

/* ---- loads ---- */

/* What was overtaken is of no use to who comes later. */
static struct load *find_load(struct front *f, unsigned key)
{
	struct load *l = f->loads;

	while (l && (l->key != key || l->overtaken))
		l = l->following;
	return l;
}

static void wants_add(struct want **first, struct want **last, struct want *n)
{
	n->next = NULL;
	if (*first)
		(*last)->next = n;
	else
		*first = n;
	*last = n;
}

static void load_begin(struct front *f, struct want *n)
{
	struct load *l = &n->load;

	l->used = f->pushes++ != 0;
	l->key = n->key;
	l->overtaken = false;
	l->first = l->last = NULL;
	l->following = f->loads;
	f->loads = l;
	watch_push(f->w, l, &f->service->loads, n->slot->op.id);
	f->pushed++;
}

/* A loader for each, once all have been pushed. */
static void loaders_wake(struct front *f, uint64_t op)
{
	struct service *s = f->service;

	for (; f->pushed; f->pushed--)
		parking_wake(f->w, &s->seats, 0, s->loaders_cnt, op);
}

static void load_end(struct front *f, struct load *l)
{
	struct load **p = &f->loads;

	while (*p != l)
		p = &(*p)->following;
	*p = l->following;
}

/* Into the cache, for as much as there is room for. */
static struct entry *keep(struct front *f, unsigned key, uint64_t op)
{
	struct entry *e;

	while (!(e = watch_insert(f, key, bytes_of(key), op))) {
		if (!watch_evict(f, op))
			break;
	}
	return e;
}

/* ---- operations ---- */

static void ask(struct front *f, struct want *n)
{
	struct entry *e = watch_lookup(f, n->key, n->slot->op.id);
	struct load *l = e ? NULL : find_load(f, n->key);

	if (e) {
		got(f, n, e);
	} else if (l) {
		wants_add(&l->first, &l->last, n);
		act_outcome(f->w, OUTCOME_JOINED);
	} else {
		load_begin(f, n);
	}
}

static void end(struct front *f, struct slot *sl)
{
	for (unsigned i = sl->wants; i-- > 0;)
		if (sl->want[i].held)
			watch_put(f, sl->want[i].held, sl->op.id);
	op_end(f->w, &sl->op);
	histogram_add(&f->w->latency, arrivals_clock() - sl->op.arrival);
	arrivals_done(&f->w->arrivals);
	slot_put(f, sl);
}

/* A segment is open. */
static void end_or_wait(struct front *f, struct slot *sl)
{
	loaders_wake(f, sl->op.id);
	if (sl->left)
		segment_close(f->w);
	else
		end(f, sl);
}

/* Half of them look at the old result first, and hold it until they are through. */
static void update(struct front *f, struct slot *sl, unsigned key)
{
	struct load *l = find_load(f, key);
	struct entry *e = rng_below(&f->w->rng, 2) ? watch_lookup(f, key, sl->op.id) : NULL;

	if (e)
		watch_use(f, e, sl->op.id);
	act_burn(f->w, SHARES - SHARE_BEGIN, SHARES);
	watch_invalidate(f, key, sl->op.id);
	if (e)
		watch_put(f, e, sl->op.id);
	if (l) {
		l->overtaken = true;
		act_outcome(f->w, OUTCOME_OVERTAKEN);
	}
}

/* All at once: what is not there is loaded side by side. */
static void ask_all(struct front *f, struct slot *sl)
{
	unsigned n = wants_of(sl->op.kind, f->w->run->options->fanout);

	sl->wants = sl->left = n;
	for (unsigned i = 0; i < n; i++) {
		sl->want[i].key = draw_key(&f->w->rng, sl->op.kind);
		sl->want[i].held = NULL;
	}
	for (unsigned i = 0; i < n; i++)
		ask(f, &sl->want[i]);
}

static void begin(struct front *f, uint64_t arrival)
{
	struct slot *sl = slot_get(f);

	op_begin(f->w, &sl->op, draw_kind(&f->w->rng), arrival);
	act_burn(f->w, SHARE_BEGIN, SHARES);
	sl->wants = sl->left = 0;
	if (sl->op.kind == KIND_UPDATE)
		update(f, sl, draw_key(&f->w->rng, KIND_UPDATE));
	else
		ask_all(f, sl);
	end_or_wait(f, sl);
}

/* ---- what comes in ---- */

/* Whoever waited for the same query looks again. */
static void grant_all(struct front *f, struct load *l, uint64_t op)
{
	while (l->first) {
		struct want *n = l->first;
		struct sent sent;

		sent_begin(f->w, &sent, HANDOFF_GRANT, op, (struct rec_key){.ns = KEY_NONE},
			   RECORDER_NO_SEQ, 0, act_now(f->w));
		l->first = n->next;
		n->granted = sent;
		wants_add(&f->first, &f->last, n);
		sent_end(f->w, &sent, act_now(f->w));
	}
}

static bool take_loaded(struct front *f)
{
	uint64_t before, after;
	struct load *l = watch_pop(f->w, &f->inbox, &f->inbox_look, &before, &after);
	struct slot *sl;

	if (!l)
		return false;
	sl = l->want->slot;
	take(f->w, &l->sent, RECORDER_NO_SEQ, 0, before, after, after);
	load_end(f, l);
	got(f, l->want, l->overtaken ? NULL : keep(f, l->key, sl->op.id));
	grant_all(f, l, sl->op.id);
	end_or_wait(f, sl);
	return true;
}

static bool take_granted(struct front *f)
{
	uint64_t now = act_now(f->w);
	struct want *n = f->first;
	struct sent sent;

	if (!n) {
		f->granted_look = now;
		return false;
	}
	f->first = n->next;
	sent = n->granted;
	sent.op = n->slot->op.id;
	now = act_now(f->w);
	take(f->w, &sent, RECORDER_NO_SEQ, 0, f->granted_look, now, now);
	ask(f, n);
	end_or_wait(f, n->slot);
	return true;
}

static bool admit(struct front *f)
{
	uint64_t arrival;

	if (!f->free || !arrivals_take(&f->w->arrivals, arrivals_clock(), &arrival))
		return false;
	begin(f, arrival);
	return true;
}

/* Until something has been loaded, or the next arrival. */
static void rest(struct front *f)
{
	struct parking *seats = &f->service->seats;
	uint64_t now = arrivals_clock(), ns = arrivals_wait(&f->w->arrivals, now);

	seat_arm(seats, front_seat(f));
	if (atomic_load(&f->inbox.cnt))
		seat_leave(seats, front_seat(f));
	else
		seat_sleep(f->w, seats, front_seat(f), ns == UINT64_MAX ? UINT64_MAX : now + ns);
}

void front_body(struct front *f)
{
	while (!arrivals_finished(&f->w->arrivals)) {
		bool did = take_granted(f);

		did |= take_loaded(f);
		did |= admit(f);
		if (!did)
			rest(f);
	}
	watch_end(f);
}
