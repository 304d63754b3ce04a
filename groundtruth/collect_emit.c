/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw records, now in their final order, become records of truth. */
#include "groundtruth/collect_join.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* The raw record of an item, and the thread that wrote it. */
struct raw {
	const struct log_rec *r;
	uint32_t tid;
	struct window t;
};

static struct raw raw_of(const struct collect *x, const struct collect_item *it)
{
	const struct channel_slot *s = &x->c->slots[it->tie >> 40 & 0xffff];
	const struct log_rec *r = &s->recs[it->tie & ((UINT64_C(1) << 40) - 1)];

	return (struct raw){r, s->shared->tid, {r->t0, r->t1}};
}

/* Names were checked when the record was read: they are not empty and end inside their field. */
static int64_t word(struct collect *x, const char *name)
{
	return truth_build_str(&x->b, name, strlen(name));
}

static int emit_begin(struct collect *x, struct raw raw)
{
	int64_t kind = word(x, x->c->map->kinds[raw.r->type]);
	struct truth_op op = {.id = raw.r->id, .begin = raw.t, .begin_tid = raw.tid};

	if (kind < 0)
		return (int)kind;
	op.kind_str = (uint32_t)kind;
	return truth_build_begin(&x->b, &op);
}

static int emit_end(struct collect *x, struct raw raw)
{
	struct truth_op op = {.id = raw.r->id,
			      .end = raw.t,
			      .end_tid = raw.tid,
			      .open = !!(raw.r->flags & LOG_F_OPEN)};

	return truth_build_end(&x->b, &op);
}

static int emit_segment(struct collect *x, struct raw raw)
{
	struct truth_segment s = {.op = raw.r->id, .t = raw.t, .tid = raw.tid};

	return truth_build_record(&x->b, ARRAY_SEGMENTS, REC_SEGMENT, &s);
}

static int emit_event(struct collect *x, struct raw raw)
{
	int64_t class = word(x, x->c->map->classes[raw.r->cls]);
	struct truth_event e = {.instance = raw.r->v,
				.life = raw.r->id,
				.op = raw.r->op,
				.units = raw.r->scope,
				.t = raw.t,
				.tid = raw.tid,
				.desc = raw.r->aux,
				.kind = raw.r->type,
				.has = TE_OP | TE_UNITS};

	if (class < 0)
		return (int)class;
	e.class_str = (uint32_t) class;
	if (e.desc)
		e.has |= TE_DESC;
	return truth_build_record(&x->b, ARRAY_EVENTS, REC_EVENT, &e);
}

static int emit_effect(struct collect *x, struct raw raw)
{
	struct truth_effect e = {
		.cause = raw.r->id, .v = raw.r->v, .t = raw.t, .tid = raw.tid, .kind = raw.r->type};

	return truth_build_record(&x->b, ARRAY_EFFECTS, REC_EFFECT, &e);
}

static int emit_live(struct collect *x, struct raw raw)
{
	struct truth_live l = {.life = raw.r->id,
			       .units = raw.r->v,
			       .at_start = !!(raw.r->flags & LOG_F_AT_START)};

	return truth_build_record(&x->b, ARRAY_LIVES, REC_LIVE, &l);
}

static int emit_label(struct collect *x, const char *label, const char *subject, struct window t)
{
	int64_t l = word(x, label), s = word(x, subject);
	struct truth_diagnosis g = {.t = t};

	if (l < 0 || s < 0)
		return -ENOMEM;
	g.label_str = (uint32_t)l;
	g.subject_str = (uint32_t)s;
	return truth_build_record(&x->b, ARRAY_DIAGNOSES, REC_DIAGNOSIS, &g);
}

/* What others do to a workload it cannot know: its own word holds until then. */
static int emit_diagnosis(struct collect *x, struct raw raw)
{
	const char *label = x->c->map->classes[raw.r->cls];
	const char *subject = raw.r->type == LOG_NAMES ? "" : x->c->map->classes[raw.r->type];
	uint64_t turn = x->info->contended;
	int err;

	if (turn <= raw.t.t0 || turn > raw.t.t1)
		return emit_label(x, label, subject, raw.t);
	err = emit_label(x, label, subject, (struct window){raw.t.t0, turn});
	return err ? err
		   : emit_label(x, diagnosis_name(DIAGNOSIS_CPU_CONTENTION), "",
				(struct window){turn, raw.t.t1});
}

/* The second end of a decoy goes without id: ids are unique within a kind. */
static int emit_decoy(struct collect *x, struct raw raw)
{
	const struct log_rec *r = raw.r;
	struct truth_decoy y = {.t = raw.t, .tid = raw.tid, .type = r->type};

	if (r->kind != LOG_DST) {
		y.has_id = 1;
		y.id = r->id;
	}
	if (r->kind == LOG_EVENT) {
		int64_t class = word(x, x->c->map->classes[r->cls]);

		if (class < 0)
			return (int)class;
		y.as_event = 1;
		y.class_str = (uint32_t) class;
		y.instance = r->v;
	} else if (r->ns != KEY_NONE) {
		y.key = (struct truth_key){.v = r->v,
					   .scope = r->scope,
					   .ns = r->ns,
					   .has_scope = !!(r->flags & LOG_F_SCOPE)};
		if (collect_name_key(x, &y.key))
			return -EINVAL;
	}
	return truth_build_record(&x->b, ARRAY_DECOYS, REC_DECOY, &y);
}

static int emit(struct collect *x, const struct collect_item *it)
{
	struct raw raw = raw_of(x, it);

	switch ((enum collect_rank)(it->tie >> 56)) {
	case RANK_BEGIN:
		return emit_begin(x, raw);
	case RANK_END:
		return emit_end(x, raw);
	case RANK_SEGMENT:
		return emit_segment(x, raw);
	case RANK_HANDOFF:
		return truth_build_record(&x->b, ARRAY_HANDOFFS, REC_HANDOFF,
					  &x->pending[it->index].h);
	case RANK_EVENT:
		return emit_event(x, raw);
	case RANK_EFFECT:
		return emit_effect(x, raw);
	case RANK_DECOY:
		return emit_decoy(x, raw);
	case RANK_DIAGNOSIS:
		return emit_diagnosis(x, raw);
	case RANK_START:
	case RANK_LIVE:
		return emit_live(x, raw);
	}
	assert(!"every item has a rank");
	return -EINVAL;
}

int collect_emit(struct collect *x, const struct collect_item *it)
{
	int err = emit(x, it);

	return err ? collect_fault(x, err) : 0;
}
