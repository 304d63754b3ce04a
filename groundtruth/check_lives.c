/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lives: live at start + acquired = released + live at the end, in units, exactly; one class, one
 * instance, at most one live record.
 */
#include "groundtruth/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct life {
	uint64_t id, instance;
	/* Sums of 64-bit units, which a hand-written file can make as large as it likes. */
	unsigned __int128 in, out;
	uint32_t class_str;
	uint8_t has_event, has_live;
	enum truth_record record; /* where it was seen last */
	size_t index;
};

struct lives {
	const struct check *x;
	struct idmap by_id;
	struct life *v;
	size_t cnt, cap;
};

static struct life *life_of(struct lives *l, uint64_t id)
{
	uint32_t i;
	int known = idmap_put(&l->by_id, id, (uint32_t)l->cnt, &i);

	if (known < 0)
		return NULL;
	if (known)
		return &l->v[i];
	if (l->cnt == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		struct life *v = realloc(l->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		l->v = v;
		l->cap = cap;
	}
	memset(&l->v[l->cnt], 0, sizeof(*l->v));
	l->v[l->cnt].id = id;
	return &l->v[l->cnt++];
}

static int take_event(struct lives *l, size_t i)
{
	const struct truth_event *e = &l->x->t->events[i];
	struct life *life = life_of(l, e->life);

	if (!life)
		return check_memory(l->x);
	if (life->has_event && life->class_str != e->class_str)
		return check_fault(l->x, REC_EVENT, i,
				   "life 0x%" PRIx64 " has two classes, %s and %s", e->life,
				   strtab_get(l->x->t->strings, life->class_str),
				   strtab_get(l->x->t->strings, e->class_str));
	if (life->has_event && life->instance != e->instance)
		return check_fault(l->x, REC_EVENT, i,
				   "life 0x%" PRIx64 " has two instances, 0x%" PRIx64
				   " and 0x%" PRIx64,
				   e->life, life->instance, e->instance);
	life->has_event = 1;
	life->class_str = e->class_str;
	life->instance = e->instance;
	life->in += e->kind == EVENT_ACQUIRE ? e->units : 0;
	life->out += e->kind == EVENT_RELEASE ? e->units : 0;
	life->record = REC_EVENT;
	life->index = i;
	return 0;
}

static int take_live(struct lives *l, size_t i)
{
	const struct truth_live *v = &l->x->t->lives[i];
	struct life *life = life_of(l, v->life);

	if (!life)
		return check_memory(l->x);
	if (life->has_live)
		return check_fault(l->x, REC_LIVE, i, "life 0x%" PRIx64 " has two live records",
				   v->life);
	life->has_live = 1;
	if (v->at_start)
		life->in += v->units;
	else
		life->out += v->units;
	life->record = REC_LIVE;
	life->index = i;
	return 0;
}

static int check_balance(const struct lives *l, const struct life *life)
{
	bool more_in = life->in > life->out;

	if (life->in == life->out)
		return 0;
	return check_fault(l->x, life->record, life->index,
			   "life 0x%" PRIx64 " does not balance: %" PRIu64 " units %s", life->id,
			   (uint64_t)(more_in ? life->in - life->out : life->out - life->in),
			   more_in ? "were neither released nor live at the end"
				   : "were released or live at the end and never acquired");
}

int check_lives(const struct check *x)
{
	struct lives l = {.x = x};
	int err = 0;

	for (size_t i = 0; !err && i < x->t->events_cnt; i++)
		err = take_event(&l, i);
	for (size_t i = 0; !err && i < x->t->lives_cnt; i++)
		err = take_live(&l, i);
	for (size_t i = 0; !err && i < l.cnt; i++)
		err = check_balance(&l, &l.v[i]);
	idmap_free(&l.by_id);
	free(l.v);
	return err;
}
