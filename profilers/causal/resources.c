/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource events, and whether their descriptors still hold. */
#include "profilers/causal/resources.h"

#include <errno.h>
#include <stdlib.h>

#include "profilers/adapter/events.h"
#include "profilers/causal/diagnoses.h"
#include "profilers/causal/losses.h"
#include "profilers/causal/rules.h"

/* Verdicts wait for the tallies, which tell what was lost; but no longer. */
#define JUDGE_NS UINT64_C(1000000000)

enum { LATE_FORGIVES = 4096 };

struct resources {
	struct outlet *out;
	const struct manifest *m;
	struct events events;
	struct health health;
	struct rules rules;
	struct lives lives;
	struct gone gone;
	struct diagnoses *diagnoses;
	uint8_t *role;		    /* enum role, one a descriptor */
	bool *exclusive, *numbered; /* one a resource; numbered: lives have generations */
	bool begun, refused, late;
	uint64_t now;	   /* the latest time of a record */
	uint64_t judged;   /* when rules were last judged */
	bool tallied;	   /* tallies have come since, */
	uint64_t told;	   /* at that time */
	bool tallies;	   /* and do come, where there are sites */
	uint32_t epoch;	   /* losses so far */
	uint64_t forgives; /* misfits of unknown instances that what was missed may explain */
	struct losses losses;
	uint64_t *seen, *missing, *passed; /* one a descriptor: hits that came, that did not */
};

/* ---- open ---- */

static int open_tables(struct resources *x)
{
	size_t descs = x->m->descriptors_cnt + 1, resources = x->m->resources_cnt + 1;

	x->role = calloc(descs, sizeof(*x->role));
	x->seen = calloc(descs, sizeof(*x->seen));
	x->missing = calloc(descs, sizeof(*x->missing));
	x->passed = calloc(descs, sizeof(*x->passed));
	x->exclusive = calloc(resources, sizeof(*x->exclusive));
	x->numbered = calloc(resources, sizeof(*x->numbered));
	if (!x->numbered || !x->role || !x->seen || !x->missing || !x->passed || !x->exclusive)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->m->descriptors_cnt; i++) {
		const struct manifest_descriptor *d = &x->m->descriptors[i];

		x->role[i] = (uint8_t)role_of(x->m, i);
		x->numbered[d->resource] |= d->generation != GENERATION_NONE;
	}
	for (uint32_t i = 0; i < x->m->resources_cnt; i++)
		x->exclusive[i] = rules_exclusive(x->m, i);
	return 0;
}

struct resources *resources_new(const struct join_setup *s, struct outlet *out,
				const struct causal_tuning *tuning)
{
	struct causal_tuning with = tuning ? *tuning : (struct causal_tuning){NULL, NULL};
	struct resources *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	if (!with.thresholds)
		with.thresholds = &thresholds_shipped;
	x->out = out;
	x->m = s->manifest;
	x->refused = s->start == HEALTH_REFUSED;
	x->diagnoses = diagnoses_new(x->m, &x->health, &x->rules, out);
	if (x->diagnoses && !open_tables(x) && !events_open(&x->events, x->m, out) &&
	    !health_open(&x->health, s, out, &with) &&
	    !rules_open(&x->rules, x->m, &x->lives, out, &with))
		return x;
	resources_free(x);
	return NULL;
}

void resources_follow(struct resources *x, const struct resources *old, uint64_t now)
{
	x->lives.generation = old ? old->lives.generation : 0;
	x->late = true;
	x->forgives += LATE_FORGIVES;
	x->now = now;
	if (old)
		rules_follow(&x->rules, &old->rules);
}

void resources_free(struct resources *x)
{
	if (!x)
		return;
	lives_free(&x->lives);
	diagnoses_free(x->diagnoses);
	rules_close(&x->rules);
	health_close(&x->health);
	events_close(&x->events);
	free(x->role);
	free(x->seen);
	free(x->missing);
	free(x->passed);
	free(x->numbered);
	free(x->exclusive);
	free(x);
}

/* ---- loss ---- */

static void missed(struct resources *x, uint64_t cnt, uint32_t resource)
{
	x->epoch++;
	x->forgives += 2 * cnt;
	diagnoses_lost(x->diagnoses);
	rules_lost(&x->rules, cnt, resource);
}

static int judge(struct resources *x)
{
	int err;

	x->judged = x->now;
	x->tallied = false;
	err = rules_judge(&x->rules, &x->health, x->now, losses_share(&x->losses));
	return err ? err : diagnoses_settle(x->diagnoses);
}

static void on_hits(struct resources *x, const struct ev_rec *r)
{
	uint32_t desc = events_find(&x->events, (uint32_t)r->a);
	uint64_t missing;

	if (desc == EVENTS_NONE || r->c < x->passed[desc])
		return;
	x->tallied = x->tallies = true; /* sites may not be told of */
	x->told = r->t;
	missing = r->c > x->seen[desc] ? r->c - x->seen[desc] : 0;
	if (missing > x->missing[desc]) {
		x->losses.missing += missing - x->missing[desc];
		missed(x, missing - x->missing[desc], x->m->descriptors[desc].resource);
		x->missing[desc] = missing;
	}
	x->losses.passed += r->c - x->passed[desc];
	x->passed[desc] = r->c;
	rules_hits(&x->rules, desc, r->b, r->c);
}

static bool is_lost(const struct ev_rec *r)
{
	return r->kind == EV_LOST || r->flags & EV_F_CUT;
}

static void on_lost(struct resources *x, const struct ev_rec *r)
{
	uint64_t cnt = r->kind == EV_LOST ? r->a : 1;

	x->losses.lost += cnt;
	missed(x, cnt, RESOURCE_ANY);
}

/* ---- events ---- */

static bool is_unsure(struct resources *x, const struct life *l, bool known)
{
	if (known && l->epoch != x->epoch)
		return true;
	return !known && x->lives.evicted;
}

/* A child that acquires what it holds as a copy begins anew. */
static void meet_copy(struct occurrence *o, bool exclusive)
{
	struct life *l = o->life;

	if (!l->copied)
		return;
	o->foreign = o->role != ROLE_OPEN || !exclusive;
	if (o->foreign)
		return;
	l->copied = false;
	l->units = 0;
}

/* What another process holds may be shared with it. Which of the two holds it once it is given up
 * is not known: what comes next says nothing either. */
static void meet_elsewhere(struct resources *x, struct occurrence *o)
{
	struct life *l = o->life;

	if (o->unsure || life_is_live(l) || o->role == ROLE_OPEN)
		return;
	l = rules_held_elsewhere(&x->rules, &l->key);
	if (!l)
		return;
	o->unsure = true;
	if (o->role != ROLE_CLOSE)
		return;
	o->life = l;
	o->elsewhere = true;
}

static void apply(struct resources *x, struct occurrence *o, bool exclusive, bool by_units)
{
	uint64_t units = by_units ? o->units : 1;

	switch (o->role) {
	case ROLE_OPEN:
		life_open(&x->lives, o->life, units, o->r->tid, exclusive);
		break;
	case ROLE_CLOSE:
		o->beyond = life_close(o->life, units);
		break;
	default:
		life_use(o->life, x->rules.use_bit[o->desc]);
		break;
	}
	o->life->copied &= life_is_live(o->life);
	o->life->epoch = x->epoch - o->elsewhere;
}

/*
 * A misfit of an instance whose beginning was not seen, until one is: as many are forgiven as were
 * missed.
 */
static void forgive(struct resources *x, struct occurrence *o)
{
	struct life *l = o->life;

	if ((o->known && !l->foreign) || o->unsure || o->role == ROLE_OPEN || !x->forgives)
		return;
	x->forgives--;
	l->foreign = true;
	o->unsure = o->foreign = true;
}

static int meet_instance(struct resources *x, struct occurrence *o, const struct claim *c)
{
	uint32_t resource = x->m->descriptors[o->desc].resource;
	struct life_key key = {
		.instance = c->event.instance, .tgid = o->r->tgid, .resource = resource};
	struct life *l = lives_find(&x->lives, &key);

	o->known = l != NULL;
	if (!l)
		l = lives_add(&x->lives, &key);
	if (!l)
		return -ENOMEM;
	l->foreign |= !o->known && x->late && !x->exclusive[resource];
	o->life = l;
	meet_copy(o, x->exclusive[resource]);
	o->unsure = is_unsure(x, l, o->known);
	meet_elsewhere(x, o);
	l = o->life;
	o->was_live = life_is_live(l);
	o->was_misused = l->misused;
	o->was_tid = l->tid;
	o->was_first_tid = l->first_tid;
	o->was_overlapped = l->overlaps;
	o->was_partial = l->overlaps_part;
	forgive(x, o);
	apply(x, o, x->exclusive[resource], x->rules.by_units[resource]);
	return 0;
}

/* A wait is no part of a life: a generation of its own keeps it apart. */
static void set_generation(struct resources *x, const struct occurrence *o, struct claim *c)
{
	uint64_t generation = 0;

	if (!(c->has & HAS_INSTANCE) || !x->numbered[x->m->descriptors[o->desc].resource])
		return;
	if (o->role == ROLE_OTHER)
		generation = ++x->lives.generation;
	else if (o->role == ROLE_OPEN || o->was_live)
		generation = o->life->generation;
	if (!generation)
		return;
	c->has |= HAS_GEN;
	c->event.gen = generation;
}

static int on_app(struct resources *x, const struct ev_rec *r)
{
	uint32_t desc = events_of(&x->events, r);
	struct occurrence o = {.r = r, .desc = desc};
	enum look found;
	struct claim c;
	int err = 0;

	if (desc == EVENTS_NONE)
		return 0;
	x->seen[desc]++;
	c = events_claim(&x->events, desc, r);
	o.role = (enum role)x->role[desc];
	o.units = c.has & HAS_UNITS && c.event.units ? c.event.units : 1;
	if (c.has & HAS_INSTANCE && o.role != ROLE_OTHER)
		err = meet_instance(x, &o, &c);
	if (err)
		return err;
	err = rules_event(&x->rules, &o, &found);
	if (!err && found == LOOK_RIGHT)
		err = health_right(&x->health, desc, r->t);
	if (err || r->e >> 48 & EV_APP_FAULT_WHEN)
		return err;
	diagnoses_event(x->diagnoses, desc, r);
	if (!events_of_a_life(&x->events, desc))
		return 0;
	set_generation(x, &o, &c);
	c.has |= HAS_CONF;
	c.event.conf = health_confidence(&x->health, desc) * (found == LOOK_WRONG ? 0.5 : 1);
	return x->out->put(x->out->arg, &c);
}

static int on_capacity(struct resources *x, const struct ev_rec *r)
{
	uint32_t resource = (uint32_t)r->e;

	if (resource >= x->m->resources_cnt || r->flags & EV_F_FAULT)
		return 0;
	return rules_capacity(&x->rules, r->tgid, resource, r->a);
}

/* ---- processes ---- */

static void on_gone(void *arg, const struct life *l)
{
	struct resources *x = arg;

	rules_life_gone(&x->rules, l);
}

/* What it held went with its memory. */
static void end_program(struct resources *x, uint32_t tgid)
{
	lives_end(&x->lives, tgid, on_gone, x);
	processes_forget(&x->rules.processes, tgid);
}

/* What was acquired before the collector came is not known. */
static int on_process(struct resources *x, const struct ev_rec *r)
{
	if (r->c <= 1)
		return 0;
	x->late = true;
	x->forgives += LATE_FORGIVES;
	return 0;
}

/* The end of one that had the child's number may have been lost. */
static int on_forked(struct resources *x, const struct ev_rec *r)
{
	uint32_t child = (uint32_t)r->b;
	int err;

	if (!r->tid)
		return on_process(x, r);
	if (child == r->tgid) /* a thread */
		return 0;
	end_program(x, child);
	rules_exit(&x->rules, child);
	err = lives_copy(&x->lives, r->tgid, child);
	return err ? err : processes_fork(&x->rules.processes, r->tgid, child);
}

static void on_executed(struct resources *x, const struct ev_rec *r)
{
	end_program(x, r->tgid);
	rules_exec(&x->rules, r->tgid);
}

static void on_exited(struct resources *x, const struct ev_rec *r)
{
	if (!r->a)
		return;
	end_program(x, r->tgid);
	rules_exit(&x->rules, r->tgid);
}

/* A descriptor without a site says nothing, and nothing can be said of it. */
static int on_site(struct resources *x, const struct ev_rec *r)
{
	const struct verdict v = {.state = HEALTH_REFUSED, .belief = BELIEF_REFUSED};
	uint32_t desc = events_find(&x->events, (uint32_t)r->a);

	x->tallies |= r->c != 0;
	if (desc == EVENTS_NONE || r->c)
		return 0;
	rules_absent(&x->rules, desc);
	return health_lower(&x->health, desc, &v, r->t);
}

static int take(struct resources *x, const struct ev_rec *r)
{
	switch (r->kind) {
	case EV_APP:
		return on_app(x, r);
	case EV_APP_HITS:
		on_hits(x, r);
		return 0;
	case EV_APP_SITE:
		return on_site(x, r);
	case EV_APP_CAPACITY:
		return on_capacity(x, r);
	case EV_IO_SUBMIT:
		if (events_moves_data(r))
			rules_effect(&x->rules, r, 0);
		rules_call(&x->rules, r->tgid);
		return 0;
	case EV_BLOCK_ISSUE:
		rules_effect(&x->rules, r, 1);
		return 0;
	case EV_PROC_FORK:
		return on_forked(x, r);
	case EV_PROC_EXEC:
		on_executed(x, r);
		return 0;
	case EV_PROC_EXIT:
		on_exited(x, r);
		return 0;
	case EV_FUTEX_ENTER:
	case EV_STREAM_WRITE:
	case EV_STREAM_READ:
		rules_call(&x->rules, r->tgid);
		return 0;
	default:
		return 0;
	}
}

/* What was lost before the tallies is told behind them where its CPU was idle meanwhile: it may
 * explain what is to be judged. */
static bool explains(const struct resources *x, const struct ev_rec *r)
{
	return is_lost(r) && (r->kind == EV_LOST ? r->b : r->t) <= x->told;
}

static bool judge_is_due(const struct resources *x, const struct ev_rec *r)
{
	if (x->now >= x->judged + JUDGE_NS)
		return true;
	return x->tallied && r->kind != EV_APP_HITS && !explains(x, r);
}

int resources_record(struct resources *x, const struct ev_rec *r)
{
	int err = 0;

	if (r->t > x->now)
		x->now = r->t;
	if (!x->begun) {
		x->begun = true;
		x->judged = x->now;
		err = health_begin(&x->health, r->t);
	}
	if (err || x->refused)
		return err;
	if (judge_is_due(x, r))
		err = judge(x);
	if (err)
		return err;
	if (is_lost(r)) {
		on_lost(x, r);
		return 0;
	}
	x->losses.records++;
	if (r->kind != EV_APP)
		diagnoses_record(x->diagnoses, r);
	if (gone_record(&x->gone, r)) {
		lives_forget(&x->lives, &x->gone);
		gone_clear(&x->gone);
	}
	return take(x, r);
}

/* Evidence that ends before the tallies of its last records does not tell what of them was lost: no
 * verdict is to be had from these, as it would not have been had then. */
static int end(struct resources *x, bool known)
{
	int err = x->begun && !x->refused && known ? judge(x) : 0;

	return err ? err : diagnoses_finish(x->diagnoses, x->now);
}

int resources_leave(struct resources *x)
{
	return end(x, x->tallied);
}

int resources_finish(struct resources *x)
{
	return end(x, x->tallied || !x->tallies);
}
