/* SPDX-License-Identifier: BSD-2-Clause */
/* How the tables of a suite become cells. */
#include "harness/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/certify_run.h"
#include "harness/suite_parts.h"
#include "harness/variant.h"

/* Beside stamped: what contracts §5.4 gives a table of its own. */
static const char *const other_bindings[] = {"strict", "best-effort", NULL};

static bool has_manifest(const struct filling *f, const struct workload *w)
{
	char path[PATH_LEN];

	return !variant_manifest(f->o->house, f->programs->folder, w->name, path, NULL) && path[0];
}

void suite_cell(const struct filling *f, const struct workload *w, enum cell_kind kind,
		uint64_t seed, struct cell *ret)
{
	uint64_t ops = f->o->ops ? f->o->ops : (w->ops * f->suite->op_percent + 99) / 100;

	*ret = (struct cell){.kind = kind, .seed = seed};
	memcpy(ret->workload, w->name, sizeof(ret->workload));
	strcpy(ret->variant, "base");
	strcpy(ret->division, "none");
	strcpy(ret->regime, "clean");
	strcpy(ret->binding, has_manifest(f, w) ? "stamped" : "-");
	strcpy(ret->from, "-");
	snprintf(ret->params, sizeof(ret->params),
		 "ops=%llu rate=%llu workers=%llu queue_depth=%llu fanout=%llu",
		 (unsigned long long)ops, (unsigned long long)w->rate,
		 (unsigned long long)w->workers, (unsigned long long)w->queue_depth,
		 (unsigned long long)w->fanout);
}

static int add_recording(struct filling *f, const struct workload *w, uint64_t seed,
			 char ret_name[CELL_NAME_LEN])
{
	struct cell c;
	int rc;

	suite_cell(f, w, f->o->reference ? KIND_REFERENCE : KIND_RECORD, seed, &c);
	strcpy(c.profiler, "collector");
	if (f->o->reference)
		strcpy(c.params, "-");
	rc = plan_add(f->plan, &c, f->d);
	if (!rc)
		memcpy(ret_name, f->plan->v[f->plan->cnt - 1].name, CELL_NAME_LEN);
	return rc;
}

static int add_derived(struct filling *f, const struct workload *w, uint64_t seed,
		       enum cell_kind kind, const char *profiler, const char *division,
		       const char *from)
{
	struct cell c;

	suite_cell(f, w, kind, seed, &c);
	snprintf(c.profiler, sizeof(c.profiler), "%s", profiler);
	snprintf(c.division, sizeof(c.division), "%s", division);
	memcpy(c.from, from, CELL_NAME_LEN);
	if (f->o->reference)
		strcpy(c.params, "-");
	return plan_add(f->plan, &c, f->d);
}

static bool in_tree(const struct programs *t, const char *name)
{
	for (size_t i = 0; i < t->profilers_cnt; i++)
		if (!strcmp(t->profilers[i].name, name))
			return true;
	return false;
}

int suite_join(struct filling *f, const struct cell *like, const struct profiler *p,
	       const char *name, const char *from)
{
	struct cell c = *like;

	snprintf(c.profiler, sizeof(c.profiler), "%s", name);
	memcpy(c.division, p->division, sizeof(c.division));
	memcpy(c.from, from, CELL_NAME_LEN);
	return plan_add(f->plan, &c, f->d);
}

bool suite_is_stranger(const struct filling *f, const struct profiler *p)
{
	for (size_t i = 0; f->o->strangers && f->o->strangers[i]; i++)
		if (!strcmp(p->path, f->o->strangers[i]))
			return true;
	return false;
}

static const char *const none[] = {NULL};

static const char *const *list(const char *const *names)
{
	return names ? names : none;
}

/* The same recording with some of its records taken away. */
static int add_lossy(struct filling *f, const struct workload *w, uint64_t seed, const char *from)
{
	const char *const *regime = list(f->suite->regimes);
	int rc = 0;

	for (; !rc && *regime; regime++) {
		struct cell c;

		suite_cell(f, w, KIND_JOIN, seed, &c);
		snprintf(c.regime, sizeof(c.regime), "%s", *regime);
		if (f->o->reference)
			strcpy(c.params, "-");
		rc = suite_joins(f, &c, f->suite->lossy, NULL, from);
	}
	return rc;
}

/* A profiler whose describe failed keeps its cell, which then says so. */
static bool joins(const struct profiler *p)
{
	return p->trouble.err || p->launch & LAUNCH_JOIN;
}

static bool is_listed(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

/* The program that a manifest was made for: under strict it must be taken, where variants are
 * refused. */
static int add_bound_bases(struct filling *f, const struct workload *w, uint64_t seed,
			   const char *from)
{
	struct cell c;
	int rc = 0;

	if (f->o->reference || !has_manifest(f, w))
		return 0;
	suite_cell(f, w, KIND_JOIN, seed, &c);
	for (size_t b = 0; !rc && other_bindings[b]; b++)
		rc = suite_joins(f, &c, f->suite->bound, other_bindings[b], from);
	return rc;
}

static int add_from_recording(struct filling *f, const struct workload *w, uint64_t seed)
{
	char from[CELL_NAME_LEN];
	int rc = add_recording(f, w, seed, from);

	for (const char *const *t = list(f->suite->truth); !rc && *t; t++)
		rc = add_derived(f, w, seed, KIND_TRUTH, *t, "none", from);
	for (size_t i = 0; !rc && i < f->programs->profilers_cnt; i++) {
		const struct profiler *p = &f->programs->profilers[i];
		bool stranger = suite_is_stranger(f, p);

		if (f->suite->joins && !stranger && !is_listed(f->suite->joins, p->name))
			continue;
		if (joins(p) && !(stranger && p->trouble.err))
			rc = add_derived(f, w, seed, KIND_JOIN, stranger ? p->path : p->name,
					 p->division, from);
	}
	rc = rc ? rc : add_lossy(f, w, seed, from);
	return rc ? rc : add_bound_bases(f, w, seed, from);
}

/* ---- live cells ---- */

static int add_live(struct filling *f, const struct cell *like, const struct profiler *p,
		    const char *name)
{
	struct cell c = *like;

	snprintf(c.profiler, sizeof(c.profiler), "%s", name);
	memcpy(c.division, p->division, sizeof(c.division));
	return plan_add(f->plan, &c, f->d);
}

static bool is_named(const struct suite_live *live, const char *name)
{
	for (; live && live->profiler; live++)
		if (!strcmp(live->profiler, name))
			return true;
	return false;
}

static bool is_on(const struct suite_live *live, const char *workload)
{
	const char *const *on = live->on;

	while (on && *on && strcmp(*on, workload) != 0)
		on++;
	return !on || *on;
}

/* Whether a row of the table is about a profiler of the tree. */
static bool is_meant(const struct filling *f, const struct suite_live *row,
		     const struct profiler *p)
{
	if (strcmp(row->profiler, SUITE_OTHERS) != 0)
		return !strcmp(row->profiler, p->name);
	return !is_named(f->suite->live, p->name) && p->launch & LAUNCH_LIVE;
}

/* Of as many operations as the row wants, if nobody asked for a number. */
static int add_row_live(struct filling *f, const struct cell *like, const struct suite_live *row,
			const struct profiler *p)
{
	struct cell c = *like;
	const char *rest = strchr(like->params, ' ');

	if (row->op_percent && !f->o->ops && rest)
		snprintf(c.params, sizeof(c.params), "ops=%llu%s",
			 (unsigned long long)cell_param(like, "ops", 0) * row->op_percent / 100,
			 rest);
	return add_live(f, &c, p, p->name);
}

int suite_lives(struct filling *f, const struct cell *like, bool (*fits)(const struct suite_live *))
{
	const struct suite_live *row = f->suite->live;
	int rc = 0;

	for (; !rc && row && row->profiler; row++)
		for (size_t i = 0; !rc && i < f->programs->profilers_cnt; i++) {
			const struct profiler *p = &f->programs->profilers[i];

			if ((!fits || fits(row)) && is_on(row, like->workload) &&
			    !suite_is_stranger(f, p) && is_meant(f, row, p))
				rc = add_row_live(f, like, row, p);
		}
	for (size_t i = 0; !rc && f->o->strangers && f->o->strangers[i]; i++) {
		const struct profiler *p;

		rc = programs_profiler(f->programs, f->o->strangers[i], &p, f->d);
		if (!rc && (p->trouble.err || p->launch & LAUNCH_LIVE))
			rc = add_live(f, like, p, f->o->strangers[i]);
	}
	return rc;
}

static int add_lives(struct filling *f, const struct workload *w, uint64_t seed)
{
	struct cell c;

	suite_cell(f, w, KIND_LIVE, seed, &c);
	return suite_lives(f, &c, NULL);
}

/* ---- variants ---- */

static bool can_make(const struct filling *f, const struct mutation *m, unsigned class,
		     const struct workload **ret)
{
	return m->class == class && !m->deprecated[0] &&
	       !programs_workload(f->programs, m->workloads[0], ret, NULL) && !(*ret)->trouble.err;
}

/* One mutation of a class, of those that can be made here: each class takes another place of its
 * list, so that no workload has them all. */
static const struct mutation *pick_of(const struct filling *f, unsigned class,
				      const struct workload **ret)
{
	const struct mutation_list *l = f->o->mutations;
	const struct workload *w;
	unsigned cnt = 0, at = 0;

	for (size_t i = 0; i < l->cnt; i++)
		cnt += can_make(f, &l->v[i], class, &w);
	for (size_t i = 0; i < l->cnt; i++)
		if (can_make(f, &l->v[i], class, ret) && at++ == class % cnt)
			return &l->v[i];
	return NULL;
}

/* As many as the suite makes, or as the record needs to show what it does. */
static uint64_t variant_ops(const struct filling *f, const struct mutation *m)
{
	uint64_t ops = f->suite->quad_ops;

	if (f->o->ops)
		return f->o->ops;
	return m->ops && runs_watched_ops(m) > ops ? runs_watched_ops(m) : ops;
}

static void variant_init(const struct filling *f, const struct workload *w,
			 const struct mutation *m, enum form form, enum cell_kind kind,
			 uint64_t seed, struct cell *ret)
{
	suite_cell(f, w, kind, seed, ret);
	snprintf(ret->variant, sizeof(ret->variant), "%.48s-%s", m->id, form_name(form));
	snprintf(ret->params, sizeof(ret->params),
		 "ops=%llu rate=%llu workers=%llu queue_depth=%llu fanout=%llu",
		 (unsigned long long)variant_ops(f, m), (unsigned long long)w->rate,
		 (unsigned long long)w->workers, (unsigned long long)w->queue_depth,
		 (unsigned long long)w->fanout);
}

/* Those who look for symbols by name, where one has another. */
static int add_renamed(struct filling *f, const struct workload *w, const struct mutation *m,
		       enum form form, uint64_t seed)
{
	const char *const *name = list(f->suite->renamed);
	int rc = 0;

	for (; !rc && m->class == CLASS_RENAME && *name; name++) {
		const struct profiler *p;
		struct cell c;

		if (!in_tree(f->programs, *name))
			continue;
		variant_init(f, w, m, form, KIND_LIVE, seed, &c);
		rc = programs_profiler(f->programs, *name, &p, f->d);
		if (!rc)
			rc = add_live(f, &c, p, p->name);
	}
	return rc;
}

int suite_joins(struct filling *f, const struct cell *like, const char *const *names,
		const char *binding, const char *from)
{
	int rc = 0;

	for (names = list(names); !rc && *names; names++) {
		const struct profiler *p;
		struct cell c = *like;

		if (!in_tree(f->programs, *names))
			continue;
		rc = programs_profiler(f->programs, *names, &p, f->d);
		c.kind = KIND_JOIN;
		if (binding)
			snprintf(c.binding, sizeof(c.binding), "%s", binding);
		if (!rc)
			rc = suite_join(f, &c, p, p->name, from);
	}
	return rc;
}

int suite_variant(struct filling *f, const struct workload *w, const struct mutation *m,
		  enum form form, uint64_t seed)
{
	char from[CELL_NAME_LEN];
	struct cell c;
	int rc;

	variant_init(f, w, m, form, KIND_RECORD, seed, &c);
	strcpy(c.profiler, "collector");
	rc = plan_add(f->plan, &c, f->d);
	if (!rc)
		memcpy(from, f->plan->v[f->plan->cnt - 1].name, CELL_NAME_LEN);
	if (!rc)
		rc = suite_joins(f, &c, f->suite->quads, NULL, from);
	for (size_t b = 0; !rc && has_manifest(f, w) && other_bindings[b]; b++)
		rc = suite_joins(f, &c, f->suite->bound, other_bindings[b], from);
	return rc ? rc : add_renamed(f, w, m, form, seed);
}

/* The unchanged program, by those who read variants. */
static int add_unchanged(struct filling *f, const struct workload *w, uint64_t seed)
{
	char from[CELL_NAME_LEN];
	struct cell c;
	int rc = add_recording(f, w, seed, from);

	suite_cell(f, w, KIND_JOIN, seed, &c);
	return rc ? rc : suite_joins(f, &c, f->suite->quads, NULL, from);
}

/* Whatever has a manifest. */
static int add_all_unchanged(struct filling *f, uint64_t seed)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < f->programs->workloads_cnt; i++)
		if (has_manifest(f, &f->programs->workloads[i]))
			rc = add_unchanged(f, &f->programs->workloads[i], seed);
	return rc;
}

/* All forms of all that can be made here. */
static int add_whole(struct filling *f, uint64_t seed)
{
	const struct mutation_list *l = f->o->mutations;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->cnt; i++) {
		const struct workload *w;

		for (unsigned form = 0; !rc && form < FORM_CNT; form++)
			if (can_make(f, &l->v[i], l->v[i].class, &w))
				rc = suite_variant(f, w, &l->v[i], (enum form)form, seed);
	}
	return rc;
}

/* Nothing of it can be made from stored runs or without sources. */
static int add_quads(struct filling *f, uint64_t seed)
{
	unsigned made = 0;
	int rc = 0;

	if (!f->o->mutations || f->o->reference)
		return 0;
	if (f->suite->whole)
		return add_whole(f, seed);
	for (unsigned class = 0; !rc && class < CLASS_CNT && made < f->suite->classes; class ++) {
		const struct workload *w;
		const struct mutation *m = pick_of(f, class, &w);

		if (!m)
			continue;
		rc = suite_variant(f, w, m, FORM_MUTANT, seed);
		if (!rc)
			rc = suite_variant(f, w, m, FORM_TWIN, seed);
		made++;
	}
	return rc;
}

/* Of every workload, by everybody. */
static bool has_recordings(const struct suite *s)
{
	return !s->unchanged && !s->acceptance && !s->overhead_only;
}

int suite_plan(const struct suite *s, struct programs *t, const struct suite_options *o,
	       struct plan *ret, struct diag *d)
{
	struct plan p = {0};
	struct filling f = {.suite = s, .o = o, .programs = t, .plan = &p, .d = d};
	/* The same recording under another seed would look like a replication. */
	uint64_t recordings = o->reference ? 1 : o->seeds;
	const struct profiler *stranger;
	int rc = 0;

	if (!t->workloads_cnt)
		return diag_set(d, -ENOENT, t->folder, 0, "make", "no workload has been built");
	if (s->acceptance && o->reference)
		return diag_set(d, -ENOTSUP, NULL, 0, "as root, with BPF (assay doctor)",
				"acceptance cases have to be recorded, and stored runs are none");
	/* described once, before the loops walk the list */
	for (size_t i = 0; !rc && o->strangers && o->strangers[i]; i++)
		rc = programs_profiler(t, o->strangers[i], &stranger, d);
	for (uint64_t seed = 1; !rc && s->acceptance && seed <= o->seeds; seed++)
		rc = suite_acceptance(&f, seed);
	for (uint64_t seed = 1; !rc && has_recordings(s) && seed <= recordings; seed++)
		for (size_t i = 0; !rc && i < t->workloads_cnt; i++)
			rc = add_from_recording(&f, &t->workloads[i], seed);
	for (uint64_t seed = 1; !rc && s->unchanged && seed <= recordings; seed++)
		rc = add_all_unchanged(&f, seed);
	for (uint64_t seed = 1; !rc && seed <= o->seeds; seed++)
		for (size_t i = 0; !rc && i < t->workloads_cnt; i++)
			rc = add_lives(&f, &t->workloads[i], seed);
	for (uint64_t seed = 1; !rc && s->overhead && seed <= o->seeds; seed++)
		rc = suite_overhead(&f, seed);
	for (uint64_t seed = 1; !rc && seed <= o->seeds; seed++)
		rc = add_quads(&f, seed);
	for (uint64_t seed = 1; !rc && seed <= o->seeds; seed++)
		rc = suite_ill(&f, seed);
	for (uint64_t seed = 1; !rc && s->hard && seed <= o->seeds; seed++)
		rc = suite_hard(&f, seed);
	if (rc) {
		plan_free(&p);
		return rc;
	}
	*ret = p;
	return 0;
}
