/* SPDX-License-Identifier: BSD-2-Clause */
/* What no invariant of a manifest names: who holds a resource, and in which process. */
#include "profilers/causal/rules.h"

#include <errno.h>
#include <string.h>

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

/* Of the lives that a stranger used each lost record may have made it none; what else threads were
 * at begins anew. */
void rule_threads_lost(struct rule *r, uint64_t cnt, bool of_it)
{
	for (uint32_t i = 0; i < TID_STATES; i++) {
		struct tid_state *s = &r->by_tid[i], old = *s;
		uint64_t fewer = of_it ? cnt : 0;

		*s = (struct tid_state){.tid = old.tid};
		if (r->inv->kind != INV_MEMBERSHIP)
			continue;
		s->v = old.v;
		s->cnt = old.cnt > fewer ? old.cnt - (uint32_t)fewer : 0;
	}
}

void rules_follow(struct rules *r, const struct rules *old)
{
	for (uint32_t i = 0; i < r->m->resources_cnt; i++)
		for (uint32_t k = 0; k < old->m->resources_cnt; k++)
			if (!strcmp(r->m->resources[i].name, old->m->resources[k].name))
				r->holders[i] = old->holders[k];
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
 * others of its process were. The window goes on where others were not: then all are held by many.
 * It begins anew where releases may have been lost.
 */
static enum look look_at_returns(const struct occurrence *o, const struct process_of *p)
{
	struct life *l = o->life;

	if (o->unsure)
		l->opened = 0;
	if (!l->opened++) {
		l->closed_then = p->closed;
		l->returned = false;
	}
	if (l->opened < RETURN_WINDOW)
		return LOOK_NONE;
	if (l->returned || l->foreign)
		return window_over(l, false);
	if (p->closed < (uint64_t)l->closed_then + RETURN_WINDOW) {
		l->opened--;
		return LOOK_NONE;
	}
	return window_over(l, true);
}

static void add(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

/* A fork makes use of its copy of what was set up. */
static void count_capacity(struct rules *rs, uint32_t resource, struct process_of *p)
{
	add(&rs->capacity[resource], p->uncounted);
	p->uncounted = 0;
}

static void note_holder(struct rules *rs, const struct occurrence *o, struct process_of *p)
{
	uint32_t resource = rs->m->descriptors[o->desc].resource;

	*word_of(&rs->holders[resource], o->r->tid) |= UINT64_C(1) << o->r->tid % 64;
	p->closed += o->role == ROLE_CLOSE;
	if (o->role == ROLE_OPEN)
		count_capacity(rs, resource, p);
	if (!o->life || rs->exclusive[resource])
		return;
	if (o->role == ROLE_OPEN)
		rs->returned = look_at_returns(o, p);
	else
		o->life->returned = true;
}

int rules_holders(struct rules *rs, const struct occurrence *o)
{
	struct process *p = processes_get(&rs->processes, o->r->tgid);

	if (!p)
		return -ENOMEM;
	p->hits = true;
	rs->returned = LOOK_NONE;
	if (o->role == ROLE_OPEN || o->role == ROLE_CLOSE)
		note_holder(rs, o, &p->of[rs->m->descriptors[o->desc].resource]);
	return 0;
}

/* Each that is set up adds its own: units in use are those of all together. */
int rules_capacity(struct rules *r, uint32_t tgid, uint32_t resource, uint64_t capacity)
{
	struct process *p = processes_get(&r->processes, tgid);

	if (!p)
		return -ENOMEM;
	add(&p->of[resource].capacity, capacity);
	add(&r->capacity[resource], capacity);
	add(&r->set_up[resource], capacity);
	return 0;
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

struct life *rules_held_elsewhere(const struct rules *r, const struct life_key *key)
{
	struct life_key other = *key;

	for (const struct process *p = r->processes.v; p; p = p->hh.next) {
		struct life *l;

		other.tgid = p->tgid;
		l = p->tgid == key->tgid ? NULL : lives_find(r->lives, &other);
		if (l && life_is_live(l) && !l->copied)
			return l;
	}
	return NULL;
}

void rules_life_gone(struct rules *r, const struct life *l)
{
	for (uint32_t i = 0; i < r->cnt; i++)
		if (r->v[i].inv->kind == INV_BALANCE && r->v[i].resource == l->key.resource)
			rule_balance_gone(&r->v[i], l);
}

static void begin_window(struct process_state *s)
{
	s->calls = 0;
	s->lost = 0;
	s->goes_on = false;
}

/* Who has not shown to be the program described may become whatever it likes. */
void rules_exec(struct rules *r, uint32_t tgid)
{
	for (uint32_t i = r->images; i < r->cnt; i++) {
		struct process_state *s = process_of(&r->v[i], tgid);

		s->replaced |= s->hits == IMAGE_LEAST;
		if (s->since > s->longest)
			s->longest = s->since;
		s->hits = s->since = 0;
		begin_window(s);
	}
}

void rule_image_lost(struct rule *r, uint64_t cnt)
{
	for (uint32_t i = 0; i < PROCESS_STATES; i++)
		r->processes[i].lost += cnt;
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

/* It goes on, as its system calls show, and is the program described, or is it no more? A window is
 * so long that IMAGE_FACTOR hits are due: as many that were lost may have been they. */
static void note_call(struct rule *r, struct process_state *s)
{
	s->since++;
	if (!s->replaced || starts_up(s) || ++s->calls < window_of(s))
		return;
	if (s->goes_on || s->lost < IMAGE_FACTOR)
		suspicion_add(&r->side, !s->goes_on);
	begin_window(s);
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
