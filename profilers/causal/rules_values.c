/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of values: range, known-value, monotone. */
#include "profilers/causal/rules.h"

static bool readable(const struct occurrence *o)
{
	return !(o->r->e >> 48 & EV_APP_FAULT_UNITS);
}

static enum look found(struct rule *r, const struct occurrence *o, bool wrong)
{
	if (wrong)
		rule_blame(r, o->desc);
	return look(wrong);
}

enum look rule_range(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	const struct manifest_invariant *v = r->inv;

	(void)rs;
	if (!readable(o))
		return LOOK_NONE;
	return found(r, o, (v->has_min && o->r->b < v->min) || (v->has_max && o->r->b > v->max));
}

enum look rule_value(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	(void)rs;
	return readable(o) ? found(r, o, o->r->b != r->inv->value) : LOOK_NONE;
}

/* A thread's values that only ever grow, MONOTONE_RUN in a row, are a running total. */
enum look rule_monotone(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct tid_state *s = rule_tid(r, o->r->tid);
	bool grew, total;

	(void)rs;
	if (!s || !readable(o))
		return LOOK_NONE;
	grew = s->cnt && o->r->b > s->v;
	s->v = o->r->b;
	s->cnt = grew || !s->cnt ? s->cnt + 1 : 1;
	if (!grew)
		return LOOK_RIGHT;
	total = s->cnt >= MONOTONE_RUN;
	if (!total)
		return LOOK_NONE;
	s->cnt = 1;
	return found(r, o, true);
}
