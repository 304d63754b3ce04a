/* SPDX-License-Identifier: BSD-2-Clause */
/* The invariants of a manifest: which rules there are, and who looks at what. */
#include "profilers/causal/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	return v->kind == INV_SYSTEM_EFFECT || v->kind == INV_MONOTONE || v->kind == INV_MEMBERSHIP;
}

bool rules_off(const struct rules *rs, enum test test)
{
	return rs->th->off & 1u << test;
}

static int open_one(struct rules *rs, struct rule *r, const struct manifest_invariant *v,
		    rule_fn *look_at, struct outlet *out)
{
	int64_t why = out->str(out->arg, v->id);

	if (why < 0)
		return (int)why;
	r->inv = v;
	r->look_at = look_at;
	r->why_str = (uint32_t)why;
	for (uint32_t i = 0; i < v->of_cnt; i++)
		r->of[i] = index_of(rs->m, v->of[i]);
	r->resource = rs->m->descriptors[r->of[0]].resource;
	if (keeps_threads(v)) {
		r->by_tid = calloc(TID_STATES, sizeof(*r->by_tid));
		if (!r->by_tid)
			return -ENOMEM;
	}
	if (v->kind == INV_COUNT) {
		r->readings = calloc(READINGS, sizeof(*r->readings));
		if (!r->readings)
			return -ENOMEM;
	}
	return 0;
}

/* A descriptor is of the file that it was found in, as no manifest need say. */
static void state_image(const struct manifest *m, uint32_t resource, struct manifest_invariant *ret)
{
	*ret = (struct manifest_invariant){.id = "image",
					   .kind = INV_SILENCE,
					   .evidence = EVIDENCE_WARNING,
					   .effect = EFFECT_KIND_CNT};
	for (uint32_t i = 0; i < m->descriptors_cnt && ret->of_cnt < MANIFEST_OF_MAX; i++)
		if (m->descriptors[i].resource == resource)
			ret->of[ret->of_cnt++] = m->descriptors[i].id;
}

static int open_image(struct rules *rs, const struct manifest_invariant *v, struct outlet *out)
{
	struct rule *r = &rs->v[rs->cnt++];

	r->processes = calloc(PROCESS_STATES, sizeof(*r->processes));
	return r->processes ? open_one(rs, r, v, NULL, out) : -ENOMEM;
}

static int open_images(struct rules *r, struct outlet *out)
{
	int err = 0;

	r->images = r->cnt;
	for (uint32_t i = 0; i < r->m->resources_cnt && !err; i++) {
		state_image(r->m, i, &r->image[i]);
		if (r->image[i].of_cnt)
			err = open_image(r, &r->image[i], out);
	}
	return err;
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

/* A resource has room for the marks of seven uses; those beyond count as one. */
static void deal_use_bits(struct rules *rs)
{
	const struct manifest *m = rs->m;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++) {
		unsigned before = 0;

		if (role_of(m, i) != ROLE_USE)
			continue;
		for (uint32_t k = 0; k < i; k++)
			before += rs->use_bit[k] &&
				  m->descriptors[k].resource == m->descriptors[i].resource;
		rs->use_bit[i] = (uint8_t)(1u << (before < 7 ? before : 7));
	}
}

bool rule_concerns(const struct rule *r, uint32_t desc)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (r->of[i] == desc)
			return true;
	return false;
}

/* Those of images look at whole resources, of which they cannot name all descriptors. */
static int list_by_descriptor(struct rules *rs)
{
	uint32_t n = 0, total = 0;

	for (uint32_t i = 0; i < rs->images; i++)
		total += rs->v[i].inv->of_cnt;
	rs->first = calloc(rs->m->descriptors_cnt + 1, sizeof(*rs->first));
	rs->list = calloc(total + 1, sizeof(*rs->list));
	if (!rs->first || !rs->list)
		return -ENOMEM;
	for (uint32_t d = 0; d < rs->m->descriptors_cnt; d++) {
		for (uint32_t i = 0; i < rs->images; i++)
			if (rule_concerns(&rs->v[i], d))
				rs->list[n++] = i;
		rs->first[d + 1] = n;
	}
	return 0;
}

static int open_tables(struct rules *r)
{
	size_t resources = r->m->resources_cnt + 1, descs = r->m->descriptors_cnt + 1;

	r->v = calloc(r->m->invariants_cnt + resources, sizeof(*r->v));
	r->image = calloc(resources, sizeof(*r->image));
	r->capacity = calloc(resources, sizeof(*r->capacity));
	r->set_up = calloc(resources, sizeof(*r->set_up));
	r->processes.resources = r->m->resources_cnt;
	r->by_units = calloc(resources, sizeof(*r->by_units));
	r->exclusive = calloc(resources, sizeof(*r->exclusive));
	r->use_bit = calloc(descs, sizeof(*r->use_bit));
	r->idle = calloc(descs, sizeof(*r->idle));
	r->ended = calloc(resources, sizeof(*r->ended));
	r->holders = calloc(resources, sizeof(*r->holders));
	r->culprit = calloc(resources, sizeof(*r->culprit));
	r->absent = calloc(descs, sizeof(*r->absent));
	r->last = calloc(THREADS_LAST, sizeof(*r->last));
	r->echoes = calloc(descs, sizeof(*r->echoes));
	if (!r->v || !r->image || !r->capacity || !r->by_units || !r->exclusive || !r->use_bit ||
	    !r->set_up || !r->idle || !r->ended || !r->holders || !r->culprit || !r->absent ||
	    !r->last || !r->echoes)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->m->resources_cnt; i++) {
		r->by_units[i] = has_units(r->m, i, ROLE_OPEN) && has_units(r->m, i, ROLE_CLOSE);
		r->exclusive[i] = rules_exclusive(r->m, i);
	}
	return 0;
}

int rules_open(struct rules *r, const struct manifest *m, const struct lives *lives,
	       struct outlet *out, const struct causal_tuning *tuning)
{
	int err;

	r->m = m;
	r->lives = lives;
	r->th = tuning->thresholds;
	r->trace = tuning->trace;
	err = open_tables(r);
	for (uint32_t i = 0; i < m->invariants_cnt && !err; i++)
		if (!rules_off(r, (enum test)m->invariants[i].kind))
			err = open_one(r, &r->v[r->cnt++], &m->invariants[i],
				       rule_of[m->invariants[i].kind], out);
	if (!err)
		err = open_images(r, out);
	if (err)
		return err;
	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		r->echoes[i] = rules_echo(r, i);
	r->moves = operations_move(m);
	deal_order_bits(r);
	deal_use_bits(r);
	return list_by_descriptor(r);
}

void rules_close(struct rules *r)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		free(r->v[i].by_tid);
		free(r->v[i].readings);
		free(r->v[i].processes);
	}
	free(r->image);
	free(r->exclusive);
	free(r->ended);
	free(r->holders);
	free(r->last);
	free(r->echoes);
	free(r->v);
	free(r->first);
	free(r->list);
	free(r->capacity);
	free(r->set_up);
	processes_free(&r->processes);
	free(r->by_units);
	free(r->use_bit);
	free(r->idle);
	free(r->culprit);
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
					  rule->resource == resource &&
						  !rule_concerns(rule, o->desc));
	}
}

static void note_idle(struct rules *r, uint32_t desc, const struct occurrence *o)
{
	r->idle[desc]++;
	for (uint32_t i = r->first[desc]; i < r->first[desc + 1]; i++)
		if (r->v[r->list[i]].inv->kind == INV_MEMBERSHIP)
			rule_life_idle(&r->v[r->list[i]], desc, o);
}

/* A life has ended: these are the uses that it has not had; of what is no use, any. */
static void count_idle(struct rules *r, const struct occurrence *o)
{
	const struct manifest_descriptor *d = r->m->descriptors;

	if (o->role != ROLE_CLOSE || !o->life || o->unsure || !o->was_live || life_is_live(o->life))
		return;
	r->ended[d[o->desc].resource]++;
	for (uint32_t i = 0; i < r->m->descriptors_cnt; i++)
		if (d[i].resource == d[o->desc].resource &&
		    !(o->life->uses & (r->use_bit[i] ? r->use_bit[i] : 0xff)))
			note_idle(r, i, o);
}

int rules_event(struct rules *r, const struct occurrence *o, enum look *ret)
{
	enum look all = LOOK_NONE;
	int err = rules_holders(r, o);

	if (err)
		return err;
	show_around(r, o);
	count_idle(r, o);
	rules_image(r, o);
	for (uint32_t i = r->first[o->desc]; i < r->first[o->desc + 1]; i++) {
		struct rule *rule = &r->v[r->list[i]];
		enum look found = rule->look_at(r, rule, o);

		if (found != LOOK_NONE)
			suspicion_add(&rule->test, found == LOOK_WRONG);
		if (found > all)
			all = found;
	}
	rules_thread(r, o);
	*ret = all;
	return 0;
}

/* A helper of the program, which never was at a site, may do what it likes. */
static bool is_the_program(const struct rules *r, uint32_t tgid)
{
	const struct process *p = processes_find(&r->processes, tgid);

	return p && p->hits;
}

void rules_effect(struct rules *r, const struct ev_rec *v, unsigned stream)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		struct rule *rule = &r->v[i];

		if (rule->inv->effect != EFFECT_BLOCK_IO)
			continue;
		if (rule->inv->kind == INV_SILENCE && is_the_program(r, v->tgid))
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

void rules_lost(struct rules *r, uint64_t cnt, uint32_t resource)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		struct rule *rule = &r->v[i];
		bool of_it = resource == rule->resource || resource == RESOURCE_ANY;

		if (rule->processes && of_it)
			rule_image_lost(rule, cnt);
		if (rule->inv->kind == INV_BALANCE)
			rule_balance_lost(rule, cnt);
		rule->run[0] = rule->run[1] = 0;
		rule_ratio_lost(rule, cnt);
		if (rule->by_tid)
			rule_threads_lost(rule, cnt, of_it);
		if (rule->readings)
			memset(rule->readings, 0, READINGS * sizeof(*rule->readings));
	}
}

void rules_absent(struct rules *r, uint32_t desc)
{
	r->absent[desc] = true;
}
