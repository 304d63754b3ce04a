/* SPDX-License-Identifier: BSD-2-Clause */
/* Stations whose threads sleep in seats: boxes, runners, keepers; and the call, which has none. */
#include "workloads/pipeline/pipeline.h"

static const struct rec_key no_key = {.ns = KEY_NONE};

static bool sleep_unless(struct place *x, bool (*work)(const struct place *))
{
	struct parking *p = &x->pl->seats;

	if (atomic_load(&x->pl->stop))
		return false;
	seat_arm(p, x->seat);
	if (work(x) || atomic_load(&x->pl->stop))
		seat_leave(p, x->seat);
	else
		seat_sleep(x->w, p, x->seat, UINT64_MAX);
	return true;
}

/* ---- telling those that sleep ---- */

static void tell(struct place *x, unsigned first, unsigned cnt, uint64_t op)
{
	first += x->pl->fronts;
	if (x->burst && x->due_cnt < BATCH)
		x->due[x->due_cnt++] = (struct due){first, cnt, op};
	else
		parking_wake(x->w, &x->pl->seats, first, cnt, op);
}

void burst_begin(struct place *x)
{
	x->burst = true;
	x->due_cnt = 0;
}

void burst_end(struct place *x)
{
	x->burst = false;
	ring_flush(x);
	for (unsigned i = 0; i < x->due_cnt; i++)
		parking_wake(x->w, &x->pl->seats, x->due[i].first, x->due[i].cnt, x->due[i].op);
}

/* ---- wake: a box each, and its thread's seat ---- */

/* What lies in the box is no handoff of its own: the wake is, where there is one. */
void boxes_send(struct place *x, struct token *t)
{
	struct pipeline *pl = x->pl;
	unsigned nth = (t->request->index + t->at) % BOXES;
	uint64_t op = t->request->op.id;

	box_put(t, t->request, &pl->boxes[nth]);
	tell(x, SEAT_BOXES + nth, 1, op);
}

static bool box_full(const struct place *x)
{
	return atomic_load(&x->pl->boxes[x->seat - x->pl->fronts - SEAT_BOXES].cnt);
}

void boxes_body(struct place *x, unsigned nth)
{
	struct pipeline *pl = x->pl;

	do {
		for (unsigned n = 0; n < BATCH && box_full(x); n++) {
			struct token *t = box_take(&pl->boxes[nth]);

			segment_open(x->w, t->request->op.id, act_now(x->w));
			hop_received(x, t);
		}
		hop_flush(x);
	} while (box_full(x) || sleep_unless(x, box_full));
}

/* ---- queue, spawn, resume ---- */

static struct sent token_sent(struct place *x, struct token *t, unsigned type)
{
	struct request *q = t->request;

	sent_begin(x->w, &t->sent, type, q->op.id, request_key(q), x->seq++, request_marks(q),
		   act_now(x->w));
	return t->sent; /* the token is somebody else's as soon as it is sent */
}

void queue_send(struct place *x, struct token *t)
{
	struct sent sent = token_sent(x, t, HANDOFF_QUEUE);

	queue_push(t, t->request, &x->pl->queue);
	sent_end(x->w, &sent, act_now(x->w));
	tell(x, SEAT_RUNNERS, RUNNERS, sent.op);
}

void spawn_send(struct place *x, struct token *t)
{
	struct sent sent = token_sent(x, t, HANDOFF_SPAWN);

	task_spawn(t, t->request, &x->pl->ready);
	sent_end(x->w, &sent, act_now(x->w));
	tell(x, SEAT_RUNNERS, RUNNERS, sent.op);
}

void resume_send(struct place *x, struct token *t)
{
	struct sent sent = token_sent(x, t, HANDOFF_RESUME);

	task_park(t, t->request);
	if (!t->parked)
		run_fail(0, "a task does not suspend");
	sent_end(x->w, &sent, act_now(x->w));
	task_ready(t, t->request, &x->pl->ready);
	tell(x, SEAT_RUNNERS, RUNNERS, sent.op);
}

static bool runners_due(const struct place *x)
{
	return atomic_load(&x->pl->queue.cnt) || atomic_load(&x->pl->ready.cnt);
}

static uint64_t received(struct place *x, struct token *t, uint64_t looked)
{
	uint64_t after = act_now(x->w);

	take(x->w, &t->sent, x->takes++, 1u << MARK_CROSS, looked, after, after);
	return after;
}

/* One of the queue and one task, as far as there are; false: neither. Where the queue's look takes
 * one, it says nothing of those behind it. A task's run is seen after the look: those that it
 * leaves behind come to be the next by it, else the time of one run would lie in the windows of
 * others. */
static bool runner_step(struct place *x)
{
	struct pipeline *pl = x->pl;
	uint64_t now = act_now(x->w);
	struct token *t = atomic_load(&pl->queue.cnt) ? queue_pop(&pl->queue) : NULL;
	struct token *task;

	if (t) {
		received(x, t, x->looked);
		hop_received(x, t);
		now = act_now(x->w);
	} else {
		x->looked = now;
	}
	task = atomic_load(&pl->ready.cnt) ? task_next(&pl->ready) : NULL;
	if (task) {
		x->looked_tasks = received(x, task, x->looked_tasks);
		task_run(task, task->request, x);
	} else {
		x->looked_tasks = now;
	}
	return t || task;
}

void runners_body(struct place *x)
{
	do {
		for (unsigned n = 0; n < BATCH / 2 && runner_step(x); n++)
			continue;
		hop_flush(x);
	} while (runners_due(x) || sleep_unless(x, runners_due));
}

/* ---- grant: a lease is given up, and a keeper gets it, with what lies on it ---- */

static uint64_t *life_of(struct pipeline *pl, const struct lease *l)
{
	return &pl->lease_life[l - pl->desk.lease];
}

static void held_changed(struct place *x, struct lease *l, uint64_t op, unsigned was, uint32_t desc,
			 uint64_t t0)
{
	uint64_t t1 = act_now(x->w);

	if (x->held > was) {
		*life_of(x->pl, l) = recorder_token(&x->w->rec);
		happened(x->w, EVENT_ACQUIRE, CLASS_LEASE, (uintptr_t)l, *life_of(x->pl, l),
			 x->held - was, op, desc, t0, t1);
	}
}

void grant_send(struct place *x, struct token *t)
{
	struct pipeline *pl = x->pl;
	uint64_t op = t->request->op.id, t0 = act_now(x->w), life, t1;
	unsigned was = x->held;
	struct lease *l = lease_take(&pl->desk, &x->held);
	struct sent sent;

	if (!l)
		run_fail(0, "no lease is free");
	held_changed(x, l, op, was, DESC_TAKE, t0);
	life = *life_of(pl, l);
	was = x->held;
	t0 = act_now(x->w);
	sent_begin(x->w, &sent, HANDOFF_GRANT, op, no_key, RECORDER_NO_SEQ, 0, t0);
	t->sent = sent;
	lease_give(l, &pl->desk, t, &x->held);
	t1 = act_now(x->w);
	if (x->held < was)
		happened(x->w, EVENT_RELEASE, CLASS_LEASE, (uintptr_t)l, life, was - x->held, op,
			 DESC_GIVE, t0, t1);
	sent_end(x->w, &sent, t1);
	tell(x, SEAT_KEEPERS, KEEPERS, op);
}

static void put_back(struct place *x, struct lease *l, uint64_t op)
{
	uint64_t life = *life_of(x->pl, l), t0 = act_now(x->w);
	unsigned was = x->held;

	lease_put(l, &x->pl->desk, &x->held);
	if (x->held < was)
		happened(x->w, EVENT_RELEASE, CLASS_LEASE, (uintptr_t)l, life, was - x->held, op,
			 DESC_PUT, t0, act_now(x->w));
}

static bool lease_given(const struct place *x)
{
	return atomic_load(&x->pl->desk.waiting);
}

static bool keeper_step(struct place *x)
{
	struct pipeline *pl = x->pl;
	uint64_t t0 = act_now(x->w), after;
	unsigned was = x->held;
	struct lease *l = lease_given(x) ? lease_claim(&pl->desk, &x->held) : NULL;
	struct token *t = l ? l->token : NULL;

	if (!l) {
		x->looked = t0;
		return false;
	}
	after = act_now(x->w);
	take(x->w, &t->sent, RECORDER_NO_SEQ, 1u << MARK_CROSS, x->looked, after, after);
	held_changed(x, l, t->request->op.id, was, DESC_CLAIM, t0);
	put_back(x, l, t->request->op.id);
	hop_received(x, t);
	return true;
}

void keepers_body(struct place *x)
{
	do {
		for (unsigned n = 0; n < BATCH && keeper_step(x); n++)
			continue;
		hop_flush(x);
	} while (lease_given(x) || sleep_unless(x, lease_given));
}

/* ---- call: on the same thread ---- */

OPERATOR uint64_t call_service(struct token *t, struct request *q, struct place *x)
{
	uint64_t now = act_now(x->w), t0 = t->sent.t0;

	sent_end(x->w, &t->sent, now);
	take(x->w, &t->sent, RECORDER_NO_SEQ, 0, t0, now, now);
	act_burn(x->w, 1, q->pieces);
	return segment_close(x->w);
}

OPERATOR uint64_t call_enter(struct token *t, struct request *q, struct place *x)
{
	return call_service(t, q, x);
}

void call_make(struct place *x, struct token *t)
{
	sent_begin(x->w, &t->sent, HANDOFF_CALL, t->request->op.id, no_key, RECORDER_NO_SEQ, 0,
		   act_now(x->w));
	call_enter(t, t->request, x);
}
