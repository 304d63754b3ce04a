/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows from rules that are violated: who is to blame, and what is said of it. */
#include "profilers/causal/rules.h"

#include <math.h>

#include "profilers/causal/trace.h"

static bool is_pair(const struct rule *r)
{
	return r->inv->kind == INV_PAIRING || r->inv->kind == INV_BALANCE;
}

/* More than any rule can blame. */
#define BLAME_ABSENT (UINT64_C(1) << 48)

static uint64_t blame_of(const struct rules *rs, const struct rule *r, uint32_t i)
{
	return rs->absent[r->of[i]] ? BLAME_ABSENT : r->blame[i];
}

uint64_t rule_blamed(const struct rule *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		sum += r->blame[i];
	return sum;
}

static uint64_t blame_most(const struct rules *rs, const struct rule *r)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (blame_of(rs, r, i) > most)
			most = blame_of(rs, r, i);
	return most;
}

/* What rules that see both sides of the resource blame of what r looks at, and of the rest. */
struct shares {
	uint64_t here, there;
	bool any;  /* there is such a rule */
	bool open; /* and it is violated */
};

static struct shares pairs_blame(const struct rules *rs, const struct rule *r)
{
	struct shares s = {.any = false};

	for (uint32_t i = 0; i < rs->cnt; i++) {
		const struct rule *other = &rs->v[i];

		if (!is_pair(other) || other->resource != r->resource)
			continue;
		s.any = true;
		s.open |= other->test.violations || suspicion_waits(&other->test);
		for (uint32_t k = 0; k < other->inv->of_cnt; k++)
			*(rule_concerns(r, other->of[k]) ? &s.here : &s.there) +=
				blame_of(rs, other, k);
	}
	return s;
}

/* A rule that sees one side only is overruled by one that saw that the other is to blame. */
static bool blamed_elsewhere(const struct rules *rs, const struct rule *r)
{
	struct shares s = pairs_blame(rs, r);

	return !is_pair(r) && s.there > s.here;
}

/* Lives that overlap show that something is wrong; of an end that was missed as of a begin that was
 * none. Only who sees both can tell. */
static bool leaves_open(const struct rules *rs, const struct rule *r)
{
	struct shares s = pairs_blame(rs, r);

	return r->inv->kind == INV_GENERATION && s.any && s.here <= s.there;
}

/* Lives that ended without a use of this descriptor since it was first blamed, beyond the share
 * that always did and what chance adds to it. One ended so just before the blame. Where it was
 * blamed from the start it is not known how many always did: those count that lack a use which
 * their thread made of none, twice, since a use that moves may hide that the life it falls into
 * lacks one. */
static double newly_idle(const struct rules *rs, const struct rule *r, uint32_t i)
{
	uint32_t resource = rs->m->descriptors[r->of[i]].resource;
	double before = (double)r->ended_before[i], usual = 0;
	double ended = (double)(rs->ended[resource] - r->ended_before[i]);
	double idle = (double)(rs->idle[r->of[i]] - r->idle_before[i]);

	if (r->ended_before[i] < IDLE_LEAST)
		return 2 * (double)r->moved[i];
	if (r->idle_before[i])
		usual = (double)(r->idle_before[i] - 1) / before;
	return idle - usual * ended -
	       sqrt(usual * (1 - usual) * ended * (1 + ended / (before + 1)));
}

/* Uses of what is not live: those of a descriptor have moved, if there are lives that ended without
 * one of its. If there are not, whole lives may have passed elsewhere, with both their ends. */
static bool misses_lives(const struct rules *rs, const struct rule *r)
{
	uint64_t most = blame_most(rs, r);

	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (blame_of(rs, r, i) == most &&
		    2 * newly_idle(rs, r, i) >= (double)rule_blamed(r))
			return false;
	return r->inv->kind == INV_MEMBERSHIP;
}

static enum suspicion_level capped(enum suspicion_level level, bool cap)
{
	return cap && level > LEVEL_SUSPECT ? LEVEL_SUSPECT : level;
}

/* What looks like a stale contract may be an operation that moves, or units that are given back in
 * parts. */
static enum suspicion_level level_of(const struct rules *rs, const struct rule *r)
{
	bool may_move = r->inv->kind != INV_BALANCE &&
			rs->m->resources[r->resource].owner == OWNER_OPERATION;
	enum suspicion_level side = capped(r->side.level, may_move);
	enum suspicion_level ends = capped(r->ends.level, true);
	enum suspicion_level returns = capped(r->returns.level, true);

	if (ends > side)
		side = ends;
	if (returns > side)
		side = returns;
	return r->test.level > side ? r->test.level : side;
}

/* One that is known to be wrong spoils the lives that others are judged by; not what a rule sees of
 * one descriptor alone, as of its values. */
static bool is_explained(const struct rules *rs, const struct rule *r, uint32_t i)
{
	uint32_t culprit = rs->culprit[r->resource];
	bool of_lives = r->inv->of_cnt > 1 || r->inv->kind == INV_MEMBERSHIP ||
			r->inv->kind == INV_GENERATION;

	return of_lives && culprit && culprit != r->of[i] + 1;
}

/* One is to blame if it is so clearly: what is said once is not taken back. */
static enum belief belief_if_stale(const struct rules *rs, const struct rule *r, uint32_t i)
{
	uint64_t most = blame_most(rs, r), rest = 0;

	if (blamed_elsewhere(rs, r))
		return BELIEF_PARTNER;
	for (uint32_t k = 0; k < r->inv->of_cnt; k++)
		rest += blame_of(rs, r, k);
	rest -= most;
	if (r->inv->of_cnt > 1 && (most < BLAME_LEAST || most < 2 * rest))
		return BELIEF_TIED;
	if (leaves_open(rs, r) || misses_lives(rs, r))
		return BELIEF_TIED;
	if (blame_of(rs, r, i) != most)
		return BELIEF_PARTNER;
	return is_explained(rs, r, i) ? BELIEF_TIED : BELIEF_BLAMED;
}

static bool names_one(const struct rules *rs, const struct rule *r)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (belief_if_stale(rs, r, i) == BELIEF_BLAMED)
			return true;
	return false;
}

static struct verdict verdict_of(const struct rules *rs, const struct rule *r, uint32_t i)
{
	struct verdict v = {.state = HEALTH_SUSPECT,
			    .why_str = r->why_str,
			    .evidence = r->test.violations + r->side.violations +
					r->ends.violations + r->returns.violations,
			    .belief = BELIEF_SUSPECT};

	if (r->inv->evidence == EVIDENCE_WARNING)
		v.belief = BELIEF_WARNED;
	else if (level_of(rs, r) == LEVEL_STALE)
		v.belief = belief_if_stale(rs, r, i);
	if (v.belief == BELIEF_BLAMED)
		v.state = HEALTH_STALE;
	return v;
}

/* What a rule that sees one side says waits while a rule that sees both blames the other side, or
 * says itself that it cannot tell. */
static bool must_wait(const struct rules *rs, const struct rule *r)
{
	if (r->inv->kind != INV_GENERATION && r->inv->kind != INV_MEMBERSHIP)
		return false;
	return blamed_elsewhere(rs, r) || (leaves_open(rs, r) && pairs_blame(rs, r).open);
}

/* Of a rule that was stale and named nobody: now it does. */
static bool is_news(const struct rules *rs, const struct rule *r)
{
	return r->announced == LEVEL_STALE && !r->named && names_one(rs, r);
}

enum test rule_side(const struct rules *rs, const struct rule *r)
{
	if (r->processes)
		return TEST_IMAGE;
	if (r->inv->kind == INV_BALANCE)
		return TEST_WITHIN;
	return r->inv->kind == INV_MEMBERSHIP && rs->moves &&
			       rs->m->resources[r->resource].owner == OWNER_OPERATION
		       ? TEST_STRANGER
		       : TEST_MOVED;
}

enum test rule_ends(const struct rule *r)
{
	return r->inv->kind == INV_MEMBERSHIP ? TEST_BEYOND : TEST_ENDS;
}

static void judge_test(const struct rules *rs, const struct rule *r, enum test test,
		       struct suspicion *s, double loss)
{
	if (rules_off(rs, test)) {
		s->runs = 0;
		return;
	}
	if (rs->trace)
		rs->trace->checks(rs->trace->arg, r, test, s, loss);
	suspicion_judge(s, &rs->th->test[test], loss);
}

/* Who begins lives is as suspect as a use of what no life is known of. */
static int doubt_beginnings(const struct rules *rs, const struct rule *r, struct health *h,
			    uint64_t t)
{
	int err = 0;

	for (uint32_t i = 0; i < rs->m->descriptors_cnt && !err; i++) {
		struct verdict v = {.state = HEALTH_SUSPECT,
				    .why_str = r->why_str,
				    .evidence = r->test.violations,
				    .belief = BELIEF_TIED};

		if (rs->m->descriptors[i].resource == r->resource && role_of(rs->m, i) == ROLE_OPEN)
			err = health_lower(h, i, &v, t);
	}
	return err;
}

/* A resource may have more descriptors than an invariant can name. */
static int doubt_image(const struct rules *rs, const struct rule *r, struct health *h, uint64_t t)
{
	const struct verdict v = verdict_of(rs, r, 0);
	int err = 0;

	for (uint32_t i = 0; i < rs->m->descriptors_cnt && !err; i++)
		if (rs->m->descriptors[i].resource == r->resource)
			err = health_lower(h, i, &v, t);
	return err;
}

/* By evidence, not from the start. */
static bool doubted_by_another(const struct rules *rs, const struct rule *r, const struct health *h,
			       uint32_t resource)
{
	for (uint32_t i = 0; i < rs->m->descriptors_cnt; i++) {
		const struct health_of *x = &h->of[i];

		if (rs->m->descriptors[i].resource == resource &&
		    (x->state == HEALTH_REFUSED || (x->why_str && x->why_str != r->why_str)))
			return true;
	}
	return false;
}

/* Of two resources in a ratio one is wrong: where other rules doubt one alone, it is that. */
static bool is_the_other(const struct rules *rs, const struct rule *r, const struct health *h,
			 uint32_t i)
{
	uint32_t own = rs->m->descriptors[r->of[i]].resource;
	bool other = false;

	for (uint32_t k = 0; k < r->inv->of_cnt; k++) {
		uint32_t resource = rs->m->descriptors[r->of[k]].resource;

		other |= resource != own && doubted_by_another(rs, r, h, resource);
	}
	return r->inv->kind == INV_RATIO && other && !doubted_by_another(rs, r, h, own);
}

static int judge_one(const struct rules *rs, struct rule *r, struct health *h, uint64_t t,
		     double loss)
{
	enum suspicion_level level;
	int err = 0;

	judge_test(rs, r, (enum test)r->inv->kind, &r->test, loss);
	judge_test(rs, r, rule_side(rs, r), &r->side, loss);
	judge_test(rs, r, rule_ends(r), &r->ends, loss);
	judge_test(rs, r, TEST_RETURN, &r->returns, loss);
	level = level_of(rs, r);
	if (must_wait(rs, r) || (level <= r->announced && !is_news(rs, r)))
		return 0;
	r->announced = level;
	if (r->processes)
		return doubt_image(rs, r, h, t);
	r->named = level == LEVEL_STALE && names_one(rs, r);
	for (uint32_t i = 0; i < r->inv->of_cnt && !err; i++) {
		struct verdict v = verdict_of(rs, r, i);

		if (!manifest_invariant_judges(r->inv->kind, r->inv->of_cnt, i) ||
		    is_the_other(rs, r, h, i))
			continue;
		err = health_lower(h, r->of[i], &v, t);
		if (v.belief == BELIEF_BLAMED)
			rs->culprit[r->resource] = r->of[i] + 1;
	}
	if (err || level != LEVEL_STALE || !misses_lives(rs, r))
		return err;
	return doubt_beginnings(rs, r, h, t);
}

int rules_judge(struct rules *r, struct health *h, uint64_t t, double loss)
{
	int err = 0;

	for (uint32_t i = 0; i < r->cnt && !err; i++) {
		if (r->v[i].inv->kind == INV_SYSTEM_EFFECT)
			rule_effect_overdue(&r->v[i], t);
		if (r->v[i].inv->kind == INV_COUNT)
			rule_count_settle(r, &r->v[i]);
		if (r->v[i].inv->kind != INV_RATIO)
			err = judge_one(r, &r->v[i], h, t, loss);
	}
	/* which ask what others say */
	for (uint32_t i = 0; i < r->cnt && !err; i++)
		if (r->v[i].inv->kind == INV_RATIO)
			err = judge_one(r, &r->v[i], h, t, loss);
	return err;
}

/* A sum that has fallen back to 0 was chance, or what lost records explain. */
bool rules_doubt(const struct rules *r, uint32_t resource)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct rule *x = &r->v[i];

		if (x->resource == resource && (x->test.score > 0 || x->side.score > 0 ||
						x->ends.score > 0 || x->returns.score > 0))
			return true;
	}
	return false;
}
