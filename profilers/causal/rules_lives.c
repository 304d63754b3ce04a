/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of lives: pairing, membership, generation, order, exclusion, balance. */
#include "profilers/causal/rules.h"

/*
 * What an operation or a thread owns is used and given up where it was acquired; an operation that
 * the manifest shows to move may do that elsewhere.
 */
static void watch_thread(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	uint8_t owner = rs->m->resources[r->resource].owner;

	if (o->foreign) /* acquired by a thread of another process */
		return;
	if (rule_side(rs, r) == TEST_STRANGER)
		rules_watch_user(rs, r, o);
	if (owner != OWNER_THREAD && (owner != OWNER_OPERATION || rs->moves))
		return;
	if (o->was_tid != o->r->tid)
		rule_blame(r, o->desc);
	suspicion_add(&r->side, o->was_tid != o->r->tid);
}

/*
 * A release of what is not live: the acquire was missed, or it is released twice. It was missed if
 * the instance was never acquired as far as is known, or was used since it was last released.
 */
static void blame_unpaired(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	if (!o->known || o->was_misused)
		rule_blame_role(rs, r, ROLE_OPEN);
	else
		rule_blame(r, o->desc);
}

/* Units that are given back are those that were taken: now and then none are left. */
static void watch_ends(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	if (!rs->by_units[r->resource])
		return;
	r->closed++;
	r->ended += !life_is_live(o->life);
	if (r->closed < ENDS_WINDOW)
		return;
	suspicion_add(&r->ends, r->ended == 0);
	r->closed = r->ended = 0;
}

enum look rule_pairing(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	if (o->role == ROLE_OPEN && rs->returned != LOOK_NONE)
		suspicion_add(&r->returns, rs->returned == LOOK_WRONG);
	if (o->role != ROLE_CLOSE || !o->life || o->unsure)
		return LOOK_NONE;
	if (!o->was_live) {
		blame_unpaired(rs, r, o);
		return LOOK_WRONG;
	}
	watch_thread(rs, r, o);
	watch_ends(rs, r, o);
	return LOOK_RIGHT;
}

/* Nobody uses more than is there. An acquire that was lost sets off all uses of its life. */
static void watch_units(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	const struct manifest_descriptor *d = &rs->m->descriptors[o->desc];

	if (!rs->by_units[r->resource] || o->role != ROLE_USE || d->unit_key.kind == EXPR_NONE ||
	    o->life->exceeded)
		return;
	o->life->exceeded = o->units > o->life->units;
	suspicion_add(&r->ends, o->life->exceeded);
}

static struct tid_state *user_of(struct rule *r, uint32_t desc, uint32_t tid)
{
	struct tid_state *s = rule_tid(r, tid);

	if (s->desc != desc + 1) {
		s->desc = desc + 1;
		s->strayed = s->idle = 0;
	}
	return s;
}

static void note_moved(struct rule *r, uint32_t desc)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		r->moved[i] += r->of[i] == desc;
}

/* A use of none has moved where the life lacks it that its thread began before and ended behind it,
 * or whose instance it is, which its thread ended before. */
void rule_life_idle(struct rule *r, uint32_t desc, const struct occurrence *o)
{
	struct tid_state *s = user_of(r, desc, o->r->tid);

	if (o->was_tid != o->r->tid)
		return;
	s->idle = o->life->generation;
	if (s->strayed >= o->life->generation)
		note_moved(r, desc);
	s->strayed = 0;
}

static void note_stray(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct tid_state *s = user_of(r, o->desc, o->r->tid);

	if (s->idle && s->idle == o->life->generation)
		note_moved(r, o->desc);
	else
		s->strayed = rs->lives->generation;
}

/* Only the first use of a dead instance counts: those that follow say nothing new. */
enum look rule_membership(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	if (!o->life || o->unsure || o->role == ROLE_OPEN ||
	    rs->m->resources[r->resource].owner == OWNER_EXTERNAL)
		return LOOK_NONE;
	if (!o->was_live && o->was_misused)
		return LOOK_NONE;
	if (o->was_live) {
		watch_thread(rs, r, o);
		watch_units(rs, r, o);
		return LOOK_RIGHT;
	}
	for (uint32_t i = 0; i < r->inv->of_cnt; i++) {
		if (r->blame[i])
			continue;
		r->idle_before[i] = rs->idle[r->of[i]];
		r->ended_before[i] = rs->ended[rs->m->descriptors[r->of[i]].resource];
	}
	note_stray(rs, r, o);
	rule_blame(r, o->desc);
	return LOOK_WRONG;
}

enum look rule_generation(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	(void)rs;
	if (o->role != ROLE_OPEN || !o->life || o->unsure)
		return LOOK_NONE;
	if (o->was_live)
		rule_blame(r, o->desc);
	return look(o->was_live);
}

/* The first event leaves a mark in the life, the second looks for it. */
enum look rule_order(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	(void)rs;
	if (!o->life || !r->order_bit)
		return LOOK_NONE;
	if (o->desc == r->of[0]) {
		o->life->seen |= r->order_bit;
		return LOOK_NONE;
	}
	if (o->unsure || !o->was_live)
		return LOOK_NONE;
	if (!(o->life->seen & r->order_bit))
		rule_blame(r, o->desc);
	return look(!(o->life->seen & r->order_bit));
}

/* ---- two resources of one instance ---- */

struct life *rule_life_beside(const struct rules *rs, const struct occurrence *o, uint32_t desc)
{
	struct life_key key = o->life->key;

	key.resource = rs->m->descriptors[desc].resource;
	return lives_find(rs->lives, &key);
}

/*
 * A use leaves a mark in the life that it falls into, and the end of that life looks for it: an end
 * that was missed, as of a life that seems to go on for ever, accuses nobody.
 */
enum look rule_exclusion(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct life *l = o->life;

	if (!l || !r->order_bit)
		return LOOK_NONE;
	if (o->desc == r->of[0]) {
		l = rule_life_beside(rs, o, r->of[1]);
		if (l && life_is_live(l))
			l->seen |= r->order_bit;
		return LOOK_NONE;
	}
	if (o->desc != r->of[2] || o->unsure || !o->was_live)
		return LOOK_NONE;
	if (l->seen & r->order_bit)
		rule_blame(r, r->of[0]);
	return look(l->seen & r->order_bit);
}

/* ---- balance ---- */

static double at_least(double v, double least)
{
	return v < least ? least : v;
}

/* Hits, where not both ends give units: what is acquired with a size may be given up without. */
static double units_of(const struct rules *rs, const struct occurrence *o)
{
	return rs->by_units[rs->m->descriptors[o->desc].resource] ? (double)o->units : 1;
}

static bool mixes_units(const struct rules *rs, uint32_t resource)
{
	for (uint32_t i = 0; i < rs->m->descriptors_cnt && !rs->by_units[resource]; i++) {
		const struct manifest_descriptor *d = &rs->m->descriptors[i];

		if (d->resource == resource && d->unit_key.kind != EXPR_NONE &&
		    (role_of(rs->m, i) == ROLE_OPEN || role_of(rs->m, i) == ROLE_CLOSE))
			return true;
	}
	return false;
}

/* The lowest level in each window of `within`: it must be nought once. */
static void watch_window(struct rule *r, const struct occurrence *o)
{
	struct flow *f = &r->flow;

	if (!r->inv->has_within)
		return;
	if (!f->from || o->r->t >= f->from + r->inv->within_ns) {
		if (f->from && f->moved)
			suspicion_add(&r->side, f->least > 0);
		f->from = o->r->t;
		f->least = at_least(f->low, 0);
		f->moved = false;
	}
	f->moved |= o->role == ROLE_OPEN;
	if (at_least(f->low, 0) < f->least)
		f->least = at_least(f->low, 0);
}

/* Where most ends never came they were missed: that most begins are none is no contract at all. */
static bool mostly_missed(const struct flow *f)
{
	return f->opened >= MISSED_LEAST && 2 * f->closed < f->opened;
}

/* More units than there are: a unit that is no unit; or releases that are missed, or acquires that
 * are only borrowed: of a count of holders nothing tells which. */
static bool above_capacity(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	double capacity = (double)rs->capacity[r->resource];
	struct flow *f = &r->flow;

	if (capacity == 0 || f->low <= capacity)
		return false;
	if (units_of(rs, o) > capacity / 2)
		rule_blame(r, o->desc);
	else if (mostly_missed(f))
		rule_blame_role(rs, r, ROLE_CLOSE);
	f->low = capacity;
	f->high = at_least(f->high, capacity);
	return true;
}

/* A capacity of which too little is ever in use is counted in another unit. How much is, the
 * manifest knows or nobody does: a service with little to do needs little of what it has. */
static bool far_below_capacity(const struct rules *rs, const struct rule *r)
{
	double capacity = (double)rs->set_up[r->resource];
	const struct flow *f = &r->flow;

	return r->inv->has_at_least && f->opened >= CAPACITY_LEAST &&
	       f->most < capacity * r->inv->at_least && !mixes_units(rs, r->resource);
}

static enum look opened(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct flow *f = &r->flow;
	double units = units_of(rs, o);
	bool bad;

	f->opened++;
	if (o->known && !o->unsure && !o->was_live)
		*(o->was_tid == o->r->tid ? &r->clean.same : &r->clean.other) += 1;
	f->low += units;
	f->high += units;
	f->unit_most = at_least(f->unit_most, units);
	bad = above_capacity(rs, r, o);
	f->most = at_least(f->most, f->low);
	return look(bad || far_below_capacity(rs, r));
}

/*
 * An exclusive instance was acquired twice before this release. If the first acquirer releases it,
 * the second got something borrowed; if another thread than the first does, a release was missed.
 * If all three are one thread it may be either: of a release that was missed the next acquirer is
 * whoever comes, as it is after one that was seen; what is borrowed stays with the thread.
 */
static void blame_overlap(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	double clean = (double)(r->clean.same + r->clean.other), expected;

	if (o->was_first_tid != o->was_tid) {
		r->overlap.other++;
		rule_blame_role(rs, r, o->r->tid == o->was_first_tid ? ROLE_OPEN : ROLE_CLOSE);
		return;
	}
	r->overlap.same++;
	expected = (double)(r->overlap.same + r->overlap.other) * (double)r->clean.other /
		   at_least(clean, 1);
	if (mostly_missed(&r->flow))
		rule_blame_role(rs, r, ROLE_CLOSE);
	else if (expected >= BORROWED_LEAST && (double)r->overlap.other * BORROWED_LEAST < expected)
		rule_blame_role(rs, r, ROLE_OPEN);
}

/*
 * What is released was acquired before. An exclusive instance that was acquired twice before this
 * release shows units that did not come back: if some of them did, the two ends count in different
 * units, and nothing tells which is right.
 */
static enum look closed(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct flow *f = &r->flow;
	double units = units_of(rs, o);
	bool bad;

	f->closed++;
	f->low -= units;
	f->high -= units;
	bad = f->high < 0 && !o->unsure;
	if (bad && units > f->unit_most)
		rule_blame(r, o->desc);
	else if (bad && o->life && !o->was_live)
		blame_unpaired(rs, r, o);
	f->low = at_least(f->low, 0);
	f->high = at_least(f->high, f->low);
	if (o->unsure || !o->was_live)
		return look(bad);
	if (o->beyond) {
		rule_blame(r, o->desc);
		return LOOK_WRONG;
	}
	if (!o->was_overlapped || !rs->exclusive[r->resource])
		return look(bad);
	if (o->was_partial)
		return LOOK_WRONG;
	blame_overlap(rs, r, o);
	return LOOK_WRONG;
}

enum look rule_balance(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	enum look found;

	if ((o->role != ROLE_OPEN && o->role != ROLE_CLOSE) || o->foreign)
		return LOOK_NONE;
	found = o->role == ROLE_OPEN ? opened(rs, r, o) : closed(rs, r, o);
	watch_window(r, o);
	return found;
}

/* What a process holds when it ends nobody gives up; some of it may be gone already, unseen. What
 * it has as a copy was never counted. */
void rule_balance_gone(struct rule *r, const struct life *l)
{
	if (!l->copied)
		r->flow.low = at_least(r->flow.low - (double)l->units, 0);
}

/* Each of the lost records may have been of either kind. */
void rule_balance_lost(struct rule *r, uint64_t cnt)
{
	double slack = (double)cnt * at_least(r->flow.unit_most, 1);

	r->flow.low = at_least(r->flow.low - slack, 0);
	r->flow.high += slack;
}
