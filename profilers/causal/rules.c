/* SPDX-License-Identifier: BSD-2-Clause */
/* The invariants of a manifest: which rules there are, who looks at what, what follows. */
#include "profilers/causal/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profilers/causal/trace.h"

static rule_fn *const rule_of[INV_KIND_CNT] = {
	[INV_PAIRING] = rule_pairing,	    [INV_MEMBERSHIP] = rule_membership,
	[INV_GENERATION] = rule_generation, [INV_BALANCE] = rule_balance,
	[INV_RATIO] = rule_ratio,	    [INV_ORDER] = rule_order,
	[INV_RANGE] = rule_range,	    [INV_MONOTONE] = rule_monotone,
	[INV_SILENCE] = rule_silence,	    [INV_EMIT_RATE] = rule_emit,
	[INV_ACTOR] = rule_actor,	    [INV_SYSTEM_EFFECT] = rule_effect,
	[INV_KNOWN_VALUE] = rule_value,	    [INV_EXCLUSION] = rule_exclusion,
	[INV_COUNT] = rule_count,
};

/* ---- what a descriptor is ---- */

/* The word without its mark; false if the mark says that the event may be missing. */
static bool certain(const char *word, size_t *ret_len)
{
	*ret_len = strcspn(word, "*?+");
	return word[*ret_len] != '*' && word[*ret_len] != '?';
}

/* -1: the lifetime does not say. */
static int end_of(const struct manifest_resource *r, bool last)
{
	for (uint32_t i = 0; i < r->lifetime_cnt; i++) {
		const char *word = r->lifetime[last ? r->lifetime_cnt - 1 - i : i];
		size_t len;

		if (certain(word, &len))
			return event_kind_parse(word, len);
	}
	return -1;
}

/* What a resource without a lifetime is begun and ended by speaks for itself. */
static enum role role_of_itself(uint8_t event)
{
	switch (event) {
	case EVENT_ACQUIRE:
	case EVENT_BEGIN:
		return ROLE_OPEN;
	case EVENT_RELEASE:
	case EVENT_END:
		return ROLE_CLOSE;
	default:
		return event == EVENT_WAIT ? ROLE_OTHER : ROLE_USE;
	}
}

enum role role_of(const struct manifest *m, uint32_t desc)
{
	const struct manifest_descriptor *d = &m->descriptors[desc];
	int open = end_of(&m->resources[d->resource], false);
	int close = end_of(&m->resources[d->resource], true);

	if (!m->resources[d->resource].lifetime_cnt)
		return role_of_itself(d->event);
	if (open < 0 || open == close) {
		open = EVENT_ACQUIRE;
		close = EVENT_RELEASE;
	}
	if (d->event == open)
		return ROLE_OPEN;
	if (d->event == close)
		return ROLE_CLOSE;
	return d->event == EVENT_WAIT ? ROLE_OTHER : ROLE_USE;
}

static bool begins(uint8_t event)
{
	return event == EVENT_BEGIN || event == EVENT_SPAWN || event == EVENT_SUBMIT;
}

static bool has_generation_rule(const struct manifest *m, uint32_t resource)
{
	for (uint32_t i = 0; i < m->invariants_cnt; i++) {
		const struct manifest_invariant *v = &m->invariants[i];

		for (uint32_t k = 0; k < v->of_cnt && v->kind == INV_GENERATION; k++)
			if (manifest_descriptor_by_id(m, v->of[k])->resource == resource)
				return true;
	}
	return false;
}

/* The manifest says that lives of one key do not overlap, or the event itself is a beginning. */
bool rules_exclusive(const struct manifest *m, uint32_t resource)
{
	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		if (m->descriptors[i].resource == resource && role_of(m, i) == ROLE_OPEN &&
		    begins(m->descriptors[i].event))
			return true;
	return has_generation_rule(m, resource);
}

/* Events of a runtime that takes an operation off one thread and puts it on another. */
static bool operations_move(const struct manifest *m)
{
	const uint32_t of_runtimes = 1u << EVENT_SPAWN | 1u << EVENT_PARK | 1u << EVENT_PUSH |
				     1u << EVENT_POP | 1u << EVENT_SUBMIT | 1u << EVENT_HANDLE;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		if (of_runtimes & 1u << m->descriptors[i].event)
			return true;
	return false;
}

static bool has_units(const struct manifest *m, uint32_t resource, enum role role)
{
	bool any = false;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++) {
		const struct manifest_descriptor *d = &m->descriptors[i];

		if (d->resource != resource || role_of(m, i) != role)
			continue;
		if (d->unit_key.kind == EXPR_NONE)
			return false;
		any = true;
	}
	return any;
}

/* ---- open ---- */

static uint32_t index_of(const struct manifest *m, uint32_t id)
{
	return (uint32_t)(manifest_descriptor_by_id(m, id) - m->descriptors);
}

static bool keeps_threads(const struct manifest_invariant *v)
{
	return v->kind == INV_SYSTEM_EFFECT || v->kind == INV_MONOTONE;
}

static bool is_off(const struct rules *rs, enum test test)
{
	return rs->th->off & 1u << test;
}

static int open_one(struct rules *rs, struct rule *r, const struct manifest_invariant *v,
		    struct outlet *out)
{
	int64_t why = out->str(out->arg, v->id);

	if (why < 0)
		return (int)why;
	r->inv = v;
	r->why_str = (uint32_t)why;
	for (uint32_t i = 0; i < v->of_cnt; i++)
		r->of[i] = index_of(rs->m, v->of[i]);
	r->resource = rs->m->descriptors[r->of[0]].resource;
	if (keeps_threads(v)) {
		r->by_tid = calloc(TID_STATES, sizeof(*r->by_tid));
		if (!r->by_tid)
			return -ENOMEM;
	}
	return 0;
}

/* A life has room for the marks of 64 such rules. */
static bool leaves_marks(const struct rule *r)
{
	return r->inv->kind == INV_ORDER || r->inv->kind == INV_EXCLUSION ||
	       r->inv->kind == INV_COUNT;
}

static void deal_order_bits(struct rules *rs)
{
	uint64_t bit = 1;

	for (uint32_t i = 0; i < rs->cnt; i++)
		if (leaves_marks(&rs->v[i])) {
			rs->v[i].order_bit = bit;
			bit <<= 1;
		}
}

static bool concerns(const struct rule *r, uint32_t desc)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (r->of[i] == desc)
			return true;
	return false;
}

static int list_by_descriptor(struct rules *rs)
{
	uint32_t n = 0, total = 0;

	for (uint32_t i = 0; i < rs->cnt; i++)
		total += rs->v[i].inv->of_cnt;
	rs->first = calloc(rs->m->descriptors_cnt + 1, sizeof(*rs->first));
	rs->list = calloc(total + 1, sizeof(*rs->list));
	if (!rs->first || !rs->list)
		return -ENOMEM;
	for (uint32_t d = 0; d < rs->m->descriptors_cnt; d++) {
		for (uint32_t i = 0; i < rs->cnt; i++)
			if (concerns(&rs->v[i], d))
				rs->list[n++] = i;
		rs->first[d + 1] = n;
	}
	return 0;
}

int rules_open(struct rules *r, const struct manifest *m, const struct lives *lives,
	       struct outlet *out, const struct causal_tuning *tuning)
{
	int err = 0;

	r->m = m;
	r->lives = lives;
	r->th = tuning->thresholds;
	r->trace = tuning->trace;
	r->v = calloc(m->invariants_cnt + 1, sizeof(*r->v));
	r->capacity = calloc(m->resources_cnt + 1, sizeof(*r->capacity));
	r->by_units = calloc(m->resources_cnt + 1, sizeof(*r->by_units));
	r->absent = calloc(m->descriptors_cnt + 1, sizeof(*r->absent));
	if (!r->v || !r->capacity || !r->by_units || !r->absent)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->resources_cnt; i++)
		r->by_units[i] = has_units(m, i, ROLE_OPEN) && has_units(m, i, ROLE_CLOSE);
	for (uint32_t i = 0; i < m->invariants_cnt && !err; i++)
		if (!is_off(r, (enum test)m->invariants[i].kind))
			err = open_one(r, &r->v[r->cnt++], &m->invariants[i], out);
	if (err)
		return err;
	r->moves = operations_move(m);
	deal_order_bits(r);
	return list_by_descriptor(r);
}

void rules_close(struct rules *r)
{
	for (uint32_t i = 0; i < r->cnt; i++)
		free(r->v[i].by_tid);
	free(r->v);
	free(r->first);
	free(r->list);
	free(r->capacity);
	free(r->by_units);
	free(r->absent);
	*r = (struct rules){0};
}

/* ---- what rules share ---- */

void rule_blame(struct rule *r, uint32_t desc)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		r->blame[i] += r->of[i] == desc;
}

void rule_blame_role(const struct rules *rs, struct rule *r, enum role role)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		r->blame[i] += role_of(rs->m, r->of[i]) == role;
}

/* Threads that meet in one place displace each other; that costs checks, never makes one fail. */
struct tid_state *rule_tid(struct rule *r, uint32_t tid)
{
	struct tid_state *s = r->by_tid ? &r->by_tid[tid % TID_STATES] : NULL;

	if (s && s->tid != tid)
		*s = (struct tid_state){.tid = tid};
	return s;
}

/* ---- records ---- */

/* Who does the resource's other work says how many there are. */
static void show_around(struct rules *r, const struct occurrence *o)
{
	uint32_t resource = r->m->descriptors[o->desc].resource;

	for (uint32_t i = 0; i < r->cnt; i++) {
		struct rule *rule = &r->v[i];

		if (rule->inv->kind == INV_ACTOR)
			rule_actor_around(rule, o,
					  rule->resource == resource && !concerns(rule, o->desc));
	}
}

enum look rules_event(struct rules *r, const struct occurrence *o)
{
	enum look all = LOOK_NONE;

	show_around(r, o);

	for (uint32_t i = r->first[o->desc]; i < r->first[o->desc + 1]; i++) {
		struct rule *rule = &r->v[r->list[i]];
		enum look found = rule_of[rule->inv->kind](r, rule, o);

		if (found != LOOK_NONE)
			suspicion_add(&rule->test, found == LOOK_WRONG);
		if (found > all)
			all = found;
	}
	return all;
}

void rules_effect(struct rules *r, const struct ev_rec *v, unsigned stream)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		struct rule *rule = &r->v[i];

		if (rule->inv->effect != EFFECT_BLOCK_IO)
			continue;
		if (rule->inv->kind == INV_SILENCE)
			rule_silence_effect(rule, stream);
		else if (rule->inv->kind == INV_SYSTEM_EFFECT)
			rule_effect_came(rule, v);
	}
}

void rules_hits(struct rules *r, uint32_t desc, uint64_t hits, uint64_t passed)
{
	for (uint32_t i = r->first[desc]; i < r->first[desc + 1]; i++)
		if (r->v[r->list[i]].inv->kind == INV_EMIT_RATE)
			rule_emit_hits(&r->v[r->list[i]], desc, hits, passed);
}

void rules_lost(struct rules *r, uint64_t cnt)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		struct rule *rule = &r->v[i];

		if (rule->inv->kind == INV_BALANCE)
			rule_balance_lost(rule, cnt);
		rule->run[0] = rule->run[1] = 0;
		rule->hits[0] = rule->hits[1] = 0;
		if (rule->by_tid)
			memset(rule->by_tid, 0, TID_STATES * sizeof(*rule->by_tid));
	}
}

void rules_absent(struct rules *r, uint32_t desc)
{
	r->absent[desc] = true;
}

/* ---- verdicts ---- */

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
			*(concerns(r, other->of[k]) ? &s.here : &s.there) += blame_of(rs, other, k);
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

	if (ends > side)
		side = ends;
	return r->test.level > side ? r->test.level : side;
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
	if (leaves_open(rs, r))
		return BELIEF_TIED;
	return blame_of(rs, r, i) == most ? BELIEF_BLAMED : BELIEF_PARTNER;
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
			    .evidence =
				    r->test.violations + r->side.violations + r->ends.violations,
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

static void judge_test(const struct rules *rs, const struct rule *r, enum test test,
		       struct suspicion *s, double loss)
{
	if (is_off(rs, test)) {
		s->runs = 0;
		return;
	}
	if (rs->trace)
		rs->trace->checks(rs->trace->arg, r, test, s, loss);
	suspicion_judge(s, &rs->th->test[test], loss);
}

static int judge_one(const struct rules *rs, struct rule *r, struct health *h, uint64_t t,
		     double loss)
{
	enum suspicion_level level;
	int err = 0;

	judge_test(rs, r, (enum test)r->inv->kind, &r->test, loss);
	judge_test(rs, r, r->inv->kind == INV_BALANCE ? TEST_WITHIN : TEST_MOVED, &r->side, loss);
	judge_test(rs, r, TEST_ENDS, &r->ends, loss);
	level = level_of(rs, r);
	if (must_wait(rs, r) || (level <= r->announced && !is_news(rs, r)))
		return 0;
	r->announced = level;
	r->named = level == LEVEL_STALE && names_one(rs, r);
	for (uint32_t i = 0; i < r->inv->of_cnt && !err; i++) {
		struct verdict v = verdict_of(rs, r, i);

		if (!manifest_invariant_judges(r->inv->kind, r->inv->of_cnt, i))
			continue;
		err = health_lower(h, r->of[i], &v, t);
	}
	return err;
}

int rules_judge(struct rules *r, struct health *h, uint64_t t, double loss)
{
	int err = 0;

	for (uint32_t i = 0; i < r->cnt && !err; i++) {
		if (r->v[i].inv->kind == INV_SYSTEM_EFFECT)
			rule_effect_overdue(&r->v[i], t);
		err = judge_one(r, &r->v[i], h, t, loss);
	}
	return err;
}

/* A sum that has fallen back to 0 was chance, or what lost records explain. */
bool rules_doubt(const struct rules *r, uint32_t resource)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct rule *x = &r->v[i];

		if (x->resource == resource &&
		    (x->test.score > 0 || x->side.score > 0 || x->ends.score > 0))
			return true;
	}
	return false;
}

void rules_end(const struct rules *r)
{
	for (uint32_t i = 0; r->trace && i < r->cnt; i++) {
		const struct rule *x = &r->v[i];
		double capacity = (double)r->capacity[x->resource];

		if (x->inv->kind == INV_BALANCE && capacity > 0 && !x->inv->has_at_least)
			r->trace->used(r->trace->arg, x, x->flow.most / capacity, x->flow.opened);
	}
}
