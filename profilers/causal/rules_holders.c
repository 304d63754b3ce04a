/* SPDX-License-Identifier: BSD-2-Clause */
/* What no invariant of a manifest names: who holds a resource, and in which process. */
#include "profilers/causal/rules.h"

/* ---- threads ---- */

static uint64_t *word_of(struct tid_set *s, uint32_t tid)
{
	return &s->bits[tid / 64 % 16];
}

static bool holds(const struct rules *rs, uint32_t resource, uint32_t tid)
{
	return *word_of(&rs->holders[resource], tid) & UINT64_C(1) << tid % 64;
}

/*
 * An operation that moves may use what it holds on any thread that operations run on; those acquire
 * and give up, too. One that never does runs none: what it uses is somebody else's. Its first lives
 * say nothing: it may be about to give up what it was handed; nor do more uses of the same life.
 */
void rules_watch_user(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct tid_state *s = rule_tid(r, o->r->tid);
	bool stranger = !holds(rs, r->resource, o->r->tid);

	if (!s || (stranger && s->v == o->life->generation))
		return;
	s->v = o->life->generation;
	if (stranger && ++s->cnt <= STRANGER_LEAST)
		return;
	suspicion_add(&r->side, stranger);
}

/* ---- instances ---- */

/* A window begins with the instance's next acquire. */
static enum look window_over(struct life *l, bool wrong)
{
	l->opened = 0;
	return look(wrong);
}

/*
 * Whether acquires of an instance come back: of RETURN_WINDOW in a row none was given up, while
 * others were. The window goes on where others were not: then all are held by many. It begins anew
 * where releases may have been lost.
 */
static enum look look_at_returns(const struct rules *rs, const struct occurrence *o,
				 uint32_t resource)
{
	struct life *l = o->life;

	if (o->unsure)
		l->opened = 0;
	if (!l->opened++) {
		l->closed_then = rs->closed[resource];
		l->returned = false;
	}
	if (l->opened < RETURN_WINDOW)
		return LOOK_NONE;
	if (l->returned || l->foreign)
		return window_over(l, false);
	if (rs->closed[resource] - l->closed_then < RETURN_WINDOW) {
		l->opened--;
		return LOOK_NONE;
	}
	return window_over(l, true);
}

void rules_holders(struct rules *rs, const struct occurrence *o)
{
	uint32_t resource = rs->m->descriptors[o->desc].resource;

	rs->returned = LOOK_NONE;
	if (o->role != ROLE_OPEN && o->role != ROLE_CLOSE)
		return;
	*word_of(&rs->holders[resource], o->r->tid) |= UINT64_C(1) << o->r->tid % 64;
	rs->closed[resource] += o->role == ROLE_CLOSE;
	if (!o->life || rs->exclusive[resource])
		return;
	if (o->role == ROLE_OPEN)
		rs->returned = look_at_returns(rs, o, resource);
	else
		o->life->returned = true;
}

/* ---- processes ---- */

/* Processes that meet in one place displace each other; that costs checks, never makes one fail. */
static struct process_state *process_of(struct rule *r, uint32_t tgid)
{
	struct process_state *s = &r->processes[tgid % PROCESS_STATES];

	if (s->tgid != tgid)
		*s = (struct process_state){.tgid = tgid};
	return s;
}

static void note_hit(struct process_state *s)
{
	s->hits += s->hits < IMAGE_LEAST;
	s->goes_on = true;
	if (s->since > s->longest)
		s->longest = s->since;
	s->since = 0;
}

void rules_image(struct rules *rs, const struct occurrence *o)
{
	uint32_t resource = rs->m->descriptors[o->desc].resource;

	for (uint32_t i = rs->images; i < rs->cnt; i++)
		if (rs->v[i].resource == resource)
			note_hit(process_of(&rs->v[i], o->r->tgid));
}

/* Who has not shown to be the program described may become whatever it likes. */
void rules_exec(struct rules *r, uint32_t tgid)
{
	for (uint32_t i = r->images; i < r->cnt; i++) {
		struct process_state *s = process_of(&r->v[i], tgid);

		s->replaced |= s->hits == IMAGE_LEAST;
		if (s->since > s->longest)
			s->longest = s->since;
		s->hits = s->calls = s->since = 0;
		s->goes_on = false;
	}
}

/* What was rare before may be as rare now. */
static uint64_t window_of(const struct process_state *s)
{
	uint64_t usual = IMAGE_FACTOR * (uint64_t)s->longest;

	return usual > IMAGE_WINDOW ? usual : IMAGE_WINDOW;
}

/* A program that was executed has to start up first. */
static bool starts_up(const struct process_state *s)
{
	return !s->hits && s->since <= IMAGE_START;
}

/* It goes on, as its system calls show, and is the program described, or is it no more? */
static void note_call(struct rule *r, struct process_state *s)
{
	s->since++;
	if (!s->replaced || starts_up(s) || ++s->calls < window_of(s))
		return;
	suspicion_add(&r->side, !s->goes_on);
	s->calls = 0;
	s->goes_on = false;
}

void rules_call(struct rules *r, uint32_t tgid)
{
	for (uint32_t i = r->images; i < r->cnt; i++) {
		struct process_state *s = &r->v[i].processes[tgid % PROCESS_STATES];

		if (s->tgid == tgid)
			note_call(&r->v[i], s);
	}
}

void rules_exit(struct rules *r, uint32_t tgid)
{
	for (uint32_t i = r->images; i < r->cnt; i++) {
		struct process_state *s = &r->v[i].processes[tgid % PROCESS_STATES];

		if (s->tgid == tgid)
			*s = (struct process_state){.tgid = 0};
	}
}
