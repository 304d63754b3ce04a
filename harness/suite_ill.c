/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells for diagnosis: workloads that turn ill, and mutants that only look so. */
#include <stdio.h>
#include <string.h>

#include "harness/suite_parts.h"
#include "mutations/lookalike.h"

/* Of the operations so many, in percent, come before the turn. */
enum { TURN_PERCENT = 40 };

static const char *const truth[] = {"oracle", "liar", NULL};

/* Every workload can be kept from CPUs; it is tried on these. */
static const char *const contended[] = {"calls", "affine", NULL};

static int add_truths(struct filling *f, const struct cell *like, const char *from)
{
	int rc = 0;

	for (size_t i = 0; !rc && truth[i]; i++) {
		struct cell c = *like;

		c.kind = KIND_TRUTH;
		strcpy(c.profiler, truth[i]);
		memcpy(c.from, from, CELL_NAME_LEN);
		rc = plan_add(f->plan, &c, f->d);
	}
	return rc;
}

static int add_ailment(struct filling *f, const struct workload *w, unsigned label, uint64_t seed)
{
	char from[CELL_NAME_LEN];
	struct cell c;
	size_t len;
	int rc;

	suite_cell(f, w, KIND_RECORD, seed, &c);
	snprintf(c.variant, sizeof(c.variant), "base+%s", diagnosis_name(label));
	len = strlen(c.params);
	snprintf(c.params + len, sizeof(c.params) - len, " turn=%llu",
		 (unsigned long long)(cell_param(&c, "ops", 1) * TURN_PERCENT / 100 + 1));
	strcpy(c.profiler, "collector");
	rc = plan_add(f->plan, &c, f->d);
	if (rc)
		return rc;
	memcpy(from, f->plan->v[f->plan->cnt - 1].name, CELL_NAME_LEN);
	rc = add_truths(f, &c, from);
	return rc ? rc : suite_joins(f, &c, f->suite->ill, NULL, from);
}

static const struct mutation *find(const struct filling *f, const char *id)
{
	const struct mutation_list *l = f->o->mutations;

	for (size_t i = 0; i < l->cnt; i++)
		if (!strcmp(l->v[i].id, id) && !l->v[i].deprecated[0])
			return &l->v[i];
	return NULL;
}

/* Another part of the plan may have it already. */
static bool is_planned(const struct filling *f, const struct mutation *m, enum form form,
		       uint64_t seed)
{
	char variant[NAME_LEN];

	snprintf(variant, sizeof(variant), "%.48s-%s", m->id, form_name(form));
	for (size_t i = 0; i < f->plan->cnt; i++)
		if (!strcmp(f->plan->v[i].variant, variant) && f->plan->v[i].seed == seed)
			return true;
	return false;
}

/* Whether one before it in the list looks like the same thing on the same workload. */
static bool is_another(const struct filling *f, const struct lookalikes *l, size_t i)
{
	const struct mutation *m = find(f, l->v[i].id);

	for (size_t k = 0; k < i; k++) {
		const struct mutation *other = find(f, l->v[k].id);

		if (other && l->v[k].label == l->v[i].label &&
		    !strcmp(other->workloads[0], m->workloads[0]))
			return true;
	}
	return false;
}

static int add_pair(struct filling *f, const struct mutation *m, uint64_t seed)
{
	const struct workload *w;
	int rc = programs_workload(f->programs, m->workloads[0], &w, NULL) ? 1 : 0;

	for (unsigned form = FORM_MUTANT; !rc && form <= FORM_TWIN; form++)
		if (!w->trouble.err && !is_planned(f, m, (enum form)form, seed))
			rc = suite_variant(f, w, m, (enum form)form, seed);
	return rc < 0 ? rc : 0;
}

static int add_lookalikes(struct filling *f, uint64_t seed)
{
	struct lookalikes l;
	int rc = lookalikes_load(f->o->house, &l, f->d);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < l.cnt; i++) {
		const struct mutation *m = find(f, l.v[i].id);

		if (m && (f->suite->every_lookalike || !is_another(f, &l, i)))
			rc = add_pair(f, m, seed);
	}
	lookalikes_free(&l);
	return rc;
}

static bool is_tried(const struct workload *w, unsigned label)
{
	if (w->trouble.err || !(w->ailments & 1u << label))
		return false;
	for (size_t i = 0; label == DIAGNOSIS_CPU_CONTENTION && contended[i]; i++)
		if (!strcmp(w->name, contended[i]))
			return true;
	return label != DIAGNOSIS_CPU_CONTENTION;
}

int suite_ill(struct filling *f, uint64_t seed)
{
	int rc = 0;

	if (!f->suite->ill || f->o->reference)
		return 0;
	for (size_t i = 0; !rc && i < f->programs->workloads_cnt; i++) {
		const struct workload *w = &f->programs->workloads[i];

		for (unsigned label = 1; !rc && label < DIAGNOSIS_CNT; label++)
			if (is_tried(w, label))
				rc = add_ailment(f, w, label, seed);
	}
	return rc || !f->o->mutations ? rc : add_lookalikes(f, seed);
}
