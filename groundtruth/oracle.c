/* SPDX-License-Identifier: BSD-2-Clause */
/* The ceiling: truth itself, in the words of a claim. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "groundtruth/claimant.h"
#include "groundtruth/idmap.h"

struct oracle {
	const struct truth *t;
	struct claims_writer *w;
	struct claim_times times;
	struct idmap handoffs; /* id: index */
	struct idmap lives;    /* id: index of the life's first event */
	struct idmap gens;     /* life: its number */
	struct idmap ops;      /* id: index */
};

/* ---- what is known by id ---- */

static int learn(struct oracle *x)
{
	const struct truth *t = x->t;
	uint32_t was;
	int err = 0;

	for (size_t i = 0; err >= 0 && i < t->handoffs_cnt; i++)
		err = idmap_put(&x->handoffs, t->handoffs[i].id, (uint32_t)i, &was);
	for (size_t i = 0; err >= 0 && i < t->ops_cnt; i++)
		err = idmap_put(&x->ops, t->ops[i].id, (uint32_t)i, &was);
	for (size_t i = 0; err >= 0 && i < t->events_cnt; i++) {
		err = idmap_put(&x->lives, t->events[i].life, (uint32_t)i, &was);
		if (err >= 0)
			err = idmap_put(&x->gens, t->events[i].life, (uint32_t)x->gens.cnt + 1,
					&was);
	}
	return err < 0 ? err : claim_times_make(t, &x->times);
}

/* ---- one claim a record ---- */

static int put_handoff(struct oracle *x, size_t i)
{
	const struct truth_handoff *h = &x->t->handoffs[i];
	struct claim c = {.kind = CLAIM_HANDOFF,
			  .type = h->type,
			  .how = HOW_OBSERVED,
			  .has = HAS_CONF,
			  .handoff.conf = 1};

	claim_set_key(&c, &h->key);
	if (h->has & TH_SRC) {
		c.has |= HAS_SRC;
		c.handoff.src_tid = h->src_tid;
		c.handoff.src_t = x->times.src[i];
	}
	if (h->has & TH_DST) {
		c.has |= HAS_DST;
		c.handoff.dst_tid = h->dst_tid;
		c.handoff.dst_t = x->times.dst[i];
	}
	return claims_writer_put(x->w, &c);
}

static int put_event(struct oracle *x, size_t i)
{
	const struct truth_event *e = &x->t->events[i];
	int64_t class = claim_word(x->w, x->t, e->class_str);
	uint32_t gen = 0;
	struct claim c = {.kind = CLAIM_EVENT,
			  .type = e->kind,
			  .has = HAS_INSTANCE | HAS_GEN | HAS_UNITS | HAS_CONF,
			  .event = {.t = x->times.event[i],
				    .instance = e->instance,
				    .units = e->units,
				    .tid = e->tid,
				    .class_str = (uint32_t) class,
				    .conf = 1}};

	if (class < 0)
		return (int)class;
	idmap_get(&x->gens, e->life, &gen);
	c.event.gen = gen;
	if (e->has & TE_DESC) {
		c.has |= HAS_DESC;
		c.event.desc = e->desc;
	}
	return claims_writer_put(x->w, &c);
}

/* A cause is a handoff at its src, or a life at its first event. */
static bool find_cause(const struct oracle *x, uint64_t id, uint32_t *ret_tid, uint64_t *ret_t)
{
	uint32_t i;

	if (idmap_get(&x->handoffs, id, &i)) {
		*ret_tid = x->t->handoffs[i].src_tid;
		*ret_t = x->times.src[i];
		return x->t->handoffs[i].has & TH_SRC;
	}
	if (!idmap_get(&x->lives, id, &i))
		return false;
	*ret_tid = x->t->events[i].tid;
	*ret_t = x->times.event[i];
	return true;
}

static int put_effect(struct oracle *x, size_t i)
{
	const struct truth_effect *e = &x->t->effects[i];
	struct claim c = {.kind = CLAIM_EFFECT,
			  .type = e->kind,
			  .has = HAS_SRC | HAS_V | HAS_CONF,
			  .effect = {.t = e->t.t0, .v = e->v, .tid = e->tid, .conf = 1}};

	if (!find_cause(x, e->cause, &c.effect.cause_tid, &c.effect.cause_t))
		return 0;
	return claims_writer_put(x->w, &c);
}

/*
 * The root is said at the end of the begin window: where operations begin back to back and share
 * that moment, the earlier one is meant, which is the first of truth that holds it.
 */
static int put_cost_of(struct oracle *x, const struct truth_op *o, int64_t kind, uint64_t v)
{
	struct claim c = {.kind = CLAIM_COST,
			  .has = HAS_SRC,
			  .cost = {.root_t = o->begin.t1,
				   .root_tid = o->begin_tid,
				   .kind_str = (uint32_t)kind,
				   .v = v}};

	return kind < 0 ? (int)kind : claims_writer_put(x->w, &c);
}

static int put_cost(struct oracle *x, size_t i)
{
	const struct truth_cost *k = &x->t->costs[i];
	uint32_t op;

	if (k->of != COST_OF_OP || !idmap_get(&x->ops, k->op, &op))
		return 0;
	return put_cost_of(x, &x->t->ops[op], claim_word(x->w, x->t, k->kind_str), k->v);
}

/* The shortest time that the windows allow, which is exact by contracts §5.3. */
static int put_wall(struct oracle *x, size_t i)
{
	const struct truth_op *o = &x->t->ops[i];

	if (!o->has_begin || !o->has_end || o->open)
		return 0;
	return put_cost_of(x, o, claims_writer_str(x->w, "wall"),
			   o->end.t0 > o->begin.t1 ? o->end.t0 - o->begin.t1 : 0);
}

static int put_gap(struct oracle *x, size_t i)
{
	const struct truth_loss *l = &x->t->losses[i];
	struct claim c = {.kind = CLAIM_GAP, .gap = {.from = l->from, .to = l->to}};

	if (l->has_lost) {
		c.has |= HAS_LOST;
		c.gap.lost = l->lost;
	}
	return claims_writer_put(x->w, &c);
}

static int put_diagnosis(struct oracle *x, size_t i)
{
	const struct truth_diagnosis *g = &x->t->diagnoses[i];
	int64_t label = claim_word(x->w, x->t, g->label_str);
	int64_t subject = claim_word(x->w, x->t, g->subject_str);
	struct claim c = {.kind = CLAIM_DIAGNOSIS,
			  .has = HAS_CONF,
			  .diagnosis = {.t = g->t.t0,
					.conf = 1,
					.label_str = (uint32_t)label,
					.subject_str = (uint32_t)subject}};

	if (label < 0 || subject < 0)
		return -ENOMEM;
	return claims_writer_put(x->w, &c);
}

static int put_state(struct oracle *x, uint32_t desc, unsigned state, uint64_t t, double p_stale)
{
	int64_t why = claims_writer_str(x->w, state == HEALTH_STALE ? "truth" : "");
	struct claim c = {
		.kind = CLAIM_HEALTH,
		.type = (uint8_t)state,
		.has = HAS_P_STALE,
		.health = {.t = t, .p_stale = p_stale, .desc = desc, .why_str = (uint32_t)why}};

	return why < 0 ? (int)why : claims_writer_put(x->w, &c);
}

/* Sure of all at attach; a wrong one falls at the first act that shows it, and not before attach.
 */
static int put_health(struct oracle *x, size_t i)
{
	const struct truth_descriptor *v = &x->t->descriptors[i];
	uint64_t attach = x->t->scored.t0;
	uint64_t shown = v->has_contradicted ? v->contradicted : v->since;
	int err = put_state(x, v->id, HEALTH_VALIDATED, attach, 0);

	if (err || v->valid)
		return err;
	return put_state(x, v->id, HEALTH_STALE, shown > attach ? shown : attach + 1, 1);
}

static int put_all(struct oracle *x, int (*put)(struct oracle *, size_t), size_t cnt)
{
	int err = 0;

	for (size_t i = 0; !err && i < cnt; i++)
		err = put(x, i);
	return err;
}

static int put_records(struct oracle *x)
{
	const struct {
		int (*put)(struct oracle *, size_t);
		size_t cnt;
	} parts[] = {
		{put_health, x->t->descriptors_cnt}, {put_handoff, x->t->handoffs_cnt},
		{put_event, x->t->events_cnt},	     {put_effect, x->t->effects_cnt},
		{put_cost, x->t->costs_cnt},	     {put_wall, x->t->ops_cnt},
		{put_gap, x->t->losses_cnt},	     {put_diagnosis, x->t->diagnoses_cnt},
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(parts) / sizeof(parts[0]); i++)
		err = put_all(x, parts[i].put, parts[i].cnt);
	return err ? err : claim_profiles(x->t, x->w);
}

int claim_oracle(const struct truth *t, struct claims_writer *w)
{
	struct oracle x = {.t = t, .w = w};
	int err = learn(&x);

	if (!err)
		err = put_records(&x);
	idmap_free(&x.handoffs);
	idmap_free(&x.lives);
	idmap_free(&x.gens);
	idmap_free(&x.ops);
	claim_times_free(&x.times);
	return err;
}
