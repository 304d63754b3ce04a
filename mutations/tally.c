/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of a run, and the declared difference between two. */
#include "mutations/tally.h"

#include <errno.h>
#include <string.h>

static struct tally_class *class_of(struct run_tally *t, const char *name)
{
	struct tally_class *c;

	for (unsigned i = 0; i < t->classes_cnt; i++)
		if (!strcmp(t->classes[i].name, name))
			return &t->classes[i];
	if (t->classes_cnt == TALLY_CLASSES_MAX || strlen(name) >= RECORD_WORD)
		return NULL;
	c = &t->classes[t->classes_cnt++];
	strcpy(c->name, name);
	return c;
}

int tally_truth(const struct truth *t, struct run_tally *ret, struct diag *d)
{
	struct run_tally v = {.ops = t->ops_cnt};

	for (size_t i = 0; i < t->events_cnt; i++) {
		const struct truth_event *e = &t->events[i];
		struct tally_class *c = class_of(&v, strtab_get(t->strings, e->class_str));

		if (!c)
			return diag_set(d, -E2BIG, NULL, 0, NULL,
					"more than %d resource classes in one run",
					TALLY_CLASSES_MAX);
		c->events[e->kind]++;
		c->units[e->kind] += e->units;
	}
	for (size_t i = 0; i < t->handoffs_cnt; i++)
		v.handoffs[t->handoffs[i].type]++;
	*ret = v;
	return 0;
}

static const struct tally_class *find(const struct run_tally *t, const char *name)
{
	static const struct tally_class none;

	for (unsigned i = 0; i < t->classes_cnt; i++)
		if (!strcmp(t->classes[i].name, name))
			return &t->classes[i];
	return &none;
}

uint64_t tally_reached(const struct run_tally *t, const struct act_spec *r)
{
	return r->is_handoff ? t->handoffs[r->handoff] : find(t, r->class)->events[r->event];
}

/* ---- comparing ---- */

static const struct change_spec *declared(const struct mutation *m, bool handoff, unsigned kind,
					  const char *class, bool units)
{
	for (uint32_t i = 0; i < m->changes_cnt; i++) {
		const struct change_spec *c = &m->changes[i];

		if (c->is_handoff != handoff || c->units != units)
			continue;
		if (handoff ? c->handoff == kind : c->event == kind && !strcmp(c->class, class))
			return c;
	}
	return NULL;
}

static int check_figure(const struct change_spec *c, const char *name, const char *class,
			const char *unit, uint64_t base, uint64_t mutant, struct diag *d)
{
	static const char *const must[] = {"be fewer", "be more", "stay"};
	unsigned way = c ? c->way : WAY_CNT;
	bool fits = way == WAY_FEWER  ? mutant < base
		    : way == WAY_MORE ? mutant > base
				      : mutant == base;

	if (fits)
		return 0;
	return diag_set(d, -EINVAL, NULL, 0, "declare what it does under changes:",
			"%s%s%s%s: %llu in the base, %llu in the mutant; they should %s", name,
			class[0] ? " " : "", class, unit, (unsigned long long)base,
			(unsigned long long)mutant, must[way]);
}

static int check_class(const struct mutation *m, const struct run_tally *base,
		       const struct run_tally *mutant, const char *name, struct diag *d)
{
	const struct tally_class *a = find(base, name), *b = find(mutant, name);
	int rc = 0;

	for (unsigned k = 0; !rc && k < EVENT_KIND_CNT; k++) {
		const struct change_spec *c = declared(m, false, k, name, false);
		const struct change_spec *u = declared(m, false, k, name, true);

		rc = check_figure(c, event_kind_name(k), name, "", a->events[k], b->events[k], d);
		/* Where the count moves, the units move with it: only a declared sum is asked. */
		if (!rc && (u || !c))
			rc = check_figure(u, event_kind_name(k), name, " units", a->units[k],
					  b->units[k], d);
	}
	return rc;
}

int tally_check(const struct mutation *m, const struct run_tally *base,
		const struct run_tally *mutant, struct diag *d)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < base->classes_cnt; i++)
		rc = check_class(m, base, mutant, base->classes[i].name, d);
	for (unsigned i = 0; !rc && i < mutant->classes_cnt; i++)
		rc = check_class(m, base, mutant, mutant->classes[i].name, d);
	for (unsigned t = 0; !rc && t < HANDOFF_TYPE_CNT; t++) {
		if (t == HANDOFF_WAKE || t == HANDOFF_GRANT)
			continue;
		rc = check_figure(declared(m, true, t, "", false), handoff_type_name(t), "",
				  " handoffs", base->handoffs[t], mutant->handoffs[t], d);
	}
	return rc;
}
