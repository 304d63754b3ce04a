/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of acceptance cases: both versions of each, read by the reference and by who is asked. */
#include <stdio.h>
#include <string.h>

#include "harness/acceptance.h"
#include "harness/suite_parts.h"

/* Of handoffs those who join them have something to say. */
static const char *const joiners[] = {"causal", NULL};

/* Cases share recordings: a version may be there already. "" in ret where it is not. */
static void find_recording(const struct filling *f, const struct cell *like,
			   char ret[CELL_NAME_LEN])
{
	ret[0] = '\0';
	for (size_t i = 0; i < f->plan->cnt; i++) {
		const struct cell *c = &f->plan->v[i];

		if (c->kind == KIND_RECORD && !strcmp(c->workload, like->workload) &&
		    !strcmp(c->variant, like->variant) && c->seed == like->seed)
			memcpy(ret, c->name, CELL_NAME_LEN);
	}
}

static bool has_cell(const struct filling *f, const struct cell *like, const char *profiler)
{
	for (size_t i = 0; i < f->plan->cnt; i++) {
		const struct cell *c = &f->plan->v[i];

		if (!strcmp(c->profiler, profiler) && !strcmp(c->workload, like->workload) &&
		    !strcmp(c->variant, like->variant) && !strcmp(c->regime, like->regime) &&
		    c->seed == like->seed)
			return true;
	}
	return false;
}

static int record(struct filling *f, const struct cell *like, char ret[CELL_NAME_LEN])
{
	struct cell c = *like;
	int rc;

	find_recording(f, like, ret);
	if (ret[0])
		return 0;
	c.kind = KIND_RECORD;
	strcpy(c.regime, "clean");
	strcpy(c.profiler, "collector");
	rc = plan_add(f->plan, &c, f->d);
	if (!rc)
		memcpy(ret, f->plan->v[f->plan->cnt - 1].name, CELL_NAME_LEN);
	return rc;
}

static int join(struct filling *f, const struct cell *like, const char *profiler, const char *from)
{
	const char *const names[] = {profiler, NULL};

	return has_cell(f, like, profiler) ? 0 : suite_joins(f, like, names, NULL, from);
}

static int watch(struct filling *f, const struct cell *like, const struct profiler *p,
		 const char *name)
{
	struct cell c = *like;

	if (has_cell(f, like, name))
		return 0;
	c.kind = KIND_LIVE;
	snprintf(c.profiler, sizeof(c.profiler), "%s", name);
	memcpy(c.division, p->division, sizeof(c.division));
	return plan_add(f->plan, &c, f->d);
}

/* Who is no joiner has to see the program run; what a regime takes of records he does not. */
static int add_strangers(struct filling *f, const struct cell *like, const char *from)
{
	int rc = 0;

	for (size_t i = 0; !rc && f->o->strangers && f->o->strangers[i]; i++) {
		const char *path = f->o->strangers[i];
		const struct profiler *p;

		rc = programs_profiler(f->programs, path, &p, f->d);
		if (rc)
			break;
		if (p->trouble.err || p->launch & LAUNCH_JOIN) {
			struct cell c = *like;

			c.kind = KIND_JOIN;
			if (!has_cell(f, like, path))
				rc = suite_join(f, &c, p, path, from);
		} else if (!strcmp(like->regime, "clean")) {
			rc = watch(f, like, p, path);
		}
	}
	return rc;
}

static int add_reference(struct filling *f, const struct acceptance_case *a,
			 const struct cell *like, const char *from)
{
	const struct profiler *p;

	if (!a->live)
		return join(f, like, a->naive, from);
	/* a tree without it, as without any other that a table names, goes without the row */
	return programs_profiler(f->programs, a->naive, &p, NULL) ? 0 : watch(f, like, p, a->naive);
}

static int add_side(struct filling *f, const struct acceptance_case *a, const struct workload *w,
		    const struct acceptance_side *s, uint64_t seed)
{
	const char *more = acceptance_params(s->setting);
	char from[CELL_NAME_LEN], params[PARAMS_LEN];
	struct cell c;
	int rc;

	suite_cell(f, w, KIND_RECORD, seed, &c);
	acceptance_variant(s->setting, c.variant);
	snprintf(c.regime, sizeof(c.regime), "%s", s->regime);
	memcpy(params, c.params, PARAMS_LEN); /* of two of one name the first counts */
	snprintf(c.params, sizeof(c.params), "%s%s%.400s", more ? more : "", more ? " " : "",
		 params);
	rc = record(f, &c, from);
	if (!rc)
		rc = add_reference(f, a, &c, from);
	for (size_t i = 0; !rc && joiners[i]; i++)
		rc = join(f, &c, joiners[i], from);
	return rc ? rc : add_strangers(f, &c, from);
}

static int add_handoffs(struct filling *f, const struct acceptance_case *a, uint64_t seed)
{
	const struct workload *control, *w;
	int rc = 0;

	if (programs_workload(f->programs, a->workload, &w, NULL) || w->trouble.err)
		return 0;
	control = w;
	if (a->control &&
	    (programs_workload(f->programs, a->control, &control, NULL) || control->trouble.err))
		return 0;
	rc = add_side(f, a, control, &a->before, seed);
	for (size_t i = 0; !rc && i < ACCEPTANCE_PARTS && a->after[i].side.scope; i++)
		rc = add_side(f, a, w, &a->after[i].side, seed);
	return rc;
}

static int add_form(struct filling *f, const struct workload *w, const struct mutation *m,
		    enum form form, uint64_t seed)
{
	size_t first = f->plan->cnt;
	int rc = suite_variant(f, w, m, form, seed);
	struct cell c;

	if (rc)
		return rc;
	c = f->plan->v[first];
	return add_strangers(f, &c, c.name);
}

static int add_quads(struct filling *f, const struct acceptance_case *a, uint64_t seed)
{
	const struct mutation_list *l = f->o->mutations;
	int rc = 0;

	for (size_t i = 0; !rc && l && i < l->cnt; i++) {
		const struct workload *w;

		if (!acceptance_is_of(&l->v[i], a) ||
		    programs_workload(f->programs, l->v[i].workloads[0], &w, NULL) ||
		    w->trouble.err)
			continue;
		rc = add_form(f, w, &l->v[i], FORM_BASE, seed);
		if (!rc)
			rc = add_form(f, w, &l->v[i], FORM_MUTANT, seed);
	}
	return rc;
}

int suite_acceptance(struct filling *f, uint64_t seed)
{
	int rc = 0;

	if (!f->suite->acceptance || f->o->reference)
		return 0;
	for (const struct acceptance_case *a = acceptance_cases; !rc && a->id; a++)
		rc = a->workload ? add_handoffs(f, a, seed) : add_quads(f, a, seed);
	return rc;
}
