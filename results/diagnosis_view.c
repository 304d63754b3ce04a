/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells arranged for diagnosis. */
#include "results/diagnosis_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strtab.h"
#include "results/stale_view.h"

/* ---- cases ---- */

static enum case_kind kind_of(const struct view *v, const struct view_group *g)
{
	const struct run_quad *quad = run_quads_of(&v->quads, g->variant);
	const char *form = "base";

	if (view_is_ill(g))
		return CASE_ILL;
	run_variant_split(g->variant, &form);
	if (strcmp(form, "mutant") != 0 || (quad && !strcmp(quad->class, "NULL")))
		return CASE_HEALTHY;
	return CASE_LOOKALIKE;
}

/* Truth has to say something of it, and somebody to have been asked. */
static bool has_truth(struct view *v, const struct view_group *g)
{
	double n = 0;

	for (size_t r = 0; r < g->row_cnt; r++)
		if (view_sum(v, &g->rows[r], "diagnosis.truth", "all", &n) && n > 0)
			return true;
	return false;
}

static void add_case(struct view *v, const struct view_group *g, struct diagnosis_view *x)
{
	struct diagnosis_case c = {.g = g, .kind = kind_of(v, g)};

	if (*view_unusual(g->regime) || *view_unusual(g->binding) || !has_truth(v, g))
		return;
	if (c.kind == CASE_ILL)
		c.label = strchr(g->variant, '+') + 1;
	x->cases[x->case_cnt++] = c;
}

static int compare_cases(const void *pa, const void *pb)
{
	const struct diagnosis_case *a = pa, *b = pb;
	int order = (int)a->kind - (int)b->kind;

	if (!order)
		order = strcmp(a->g->workload, b->g->workload);
	return order ? order : strcmp(a->g->variant, b->g->variant);
}

/* ---- contestants ---- */

static bool is_known(const struct diagnosis_view *x, const char *name)
{
	for (size_t i = 0; i < x->contestant_cnt; i++)
		if (!strcmp(x->contestants[i], name))
			return true;
	return false;
}

static int add_contestant(struct view *v, const struct view_row *row, struct diagnosis_view *x)
{
	char name[1100];
	double n = 0;
	int64_t id;

	if (row->rank != RANK_PROFILER || !view_sum(v, row, "diagnosis.claims", "all", &n) || !n)
		return 0;
	snprintf(name, sizeof(name), "%s%s", row->profiler, row->live ? " live" : "");
	if (is_known(x, name))
		return 0;
	id = strtab_intern(v->words, name, strlen(name));
	if (id < 0)
		return (int)id;
	x->contestants[x->contestant_cnt++] = strtab_get(v->words, (uint32_t)id);
	return 0;
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_contestants(struct view *v, struct diagnosis_view *x)
{
	size_t rows = 0;
	int err = 0;

	for (size_t i = 0; i < x->case_cnt; i++)
		rows += x->cases[i].g->row_cnt;
	x->contestants = calloc(rows + 1, sizeof(*x->contestants));
	if (!x->contestants)
		return -ENOMEM;
	for (size_t i = 0; i < x->case_cnt && !err; i++)
		for (size_t r = 0; r < x->cases[i].g->row_cnt && !err; r++)
			err = add_contestant(v, &x->cases[i].g->rows[r], x);
	qsort(x->contestants, x->contestant_cnt, sizeof(*x->contestants), compare_words);
	return err;
}

int diagnosis_view_make(struct view *v, struct diagnosis_view *ret)
{
	struct diagnosis_view x = {.cases = calloc(v->group_cnt + 1, sizeof(*x.cases))};
	int err = x.cases ? 0 : -ENOMEM;

	for (size_t i = 0; i < v->group_cnt && !err; i++)
		add_case(v, &v->groups[i], &x);
	if (!err && x.case_cnt)
		qsort(x.cases, x.case_cnt, sizeof(*x.cases), compare_cases);
	err = err ? err : add_contestants(v, &x);
	if (err)
		diagnosis_view_free(&x);
	else
		*ret = x;
	return err;
}

void diagnosis_view_free(struct diagnosis_view *x)
{
	free(x->cases);
	free(x->contestants);
	memset(x, 0, sizeof(*x));
}

/* ---- what was said ---- */

static double count(struct view *v, const struct view_row *row, const char *metric,
		    const char *scope)
{
	double n = 0;

	return row && view_sum(v, row, metric, scope, &n) ? n : 0;
}

static double of_cell(const struct view *v, const struct run_cell *cell, const char *metric)
{
	for (size_t i = view_first(v, cell); i < v->figure_cnt && v->figures[i].cell == cell; i++)
		if (!strcmp(v->figures[i].metric, metric) && !strcmp(v->figures[i].scope, "all"))
			return v->figures[i].value;
	return 0;
}

static double misled_cells(const struct view *v, const struct view_row *row)
{
	double n = 0;

	for (size_t i = 0; i < row->cell_cnt; i++)
		n += of_cell(v, row->cells[i], "diagnosis.claims") >
		     of_cell(v, row->cells[i], "diagnosis.right");
	return n;
}

struct diagnosis_said diagnosis_said_of(struct view *v, const struct diagnosis_case *c,
					const char *contestant)
{
	const struct view_row *row = stale_row(c->g, contestant);
	struct diagnosis_said s = {.there = row != NULL};
	char scope[64];
	size_t n;

	if (!row)
		return s;
	snprintf(scope, sizeof(scope), "label:%.40s",
		 c->label ? c->label : diagnosis_name(DIAGNOSIS_HEALTHY));
	s.truth = count(v, row, "diagnosis.truth", scope);
	s.found = count(v, row, "diagnosis.found", scope);
	s.claims = count(v, row, "diagnosis.claims", "all");
	s.wrong = s.claims - count(v, row, "diagnosis.right", "all");
	s.misled = misled_cells(v, row);
	s.wait = view_span(v, row, "diagnosis.time_to_label", scope);
	s.state = view_state(row, &n);
	return s;
}

double diagnosis_count(struct view *v, const struct diagnosis_case *c, const char *contestant,
		       unsigned held, unsigned said, bool other)
{
	char scope[64];

	snprintf(scope, sizeof(scope), "said:%s>%s%s", diagnosis_name(held), diagnosis_name(said),
		 other ? "*" : "");
	return count(v, stale_row(c->g, contestant), "diagnosis.said", scope);
}

double diagnosis_false(struct view *v, const struct diagnosis_case *c, const char *contestant,
		       unsigned said)
{
	double n = diagnosis_count(v, c, contestant, said, said, true);

	for (unsigned held = 0; held < DIAGNOSIS_CNT; held++)
		if (held != said)
			n += diagnosis_count(v, c, contestant, held, said, false);
	return n;
}

double diagnosis_wrong_beside(struct view *v, const struct diagnosis_view *x, const char *one,
			      const char *other)
{
	double n = 0;

	for (size_t i = 0; i < x->case_cnt; i++)
		if (diagnosis_said_of(v, &x->cases[i], other).truth > 0)
			n += diagnosis_said_of(v, &x->cases[i], one).wrong;
	return n;
}

static int compare_numbers(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

int diagnosis_sum(struct view *v, const struct diagnosis_view *x, const char *contestant,
		  struct diagnosis_sum *ret)
{
	struct diagnosis_sum sum = {.wait_ns = -1};
	double *wait = malloc((x->case_cnt + 1) * sizeof(*wait));
	size_t n = 0;

	if (!wait)
		return -ENOMEM;
	for (size_t i = 0; i < x->case_cnt; i++) {
		const struct diagnosis_case *c = &x->cases[i];
		struct diagnosis_said s = diagnosis_said_of(v, c, contestant);

		sum.cells[c->kind] += s.truth;
		sum.found[c->kind] += s.found;
		sum.wrong[c->kind] += s.wrong;
		sum.misled[c->kind] += s.misled;
		sum.claims += s.claims;
		if (c->kind == CASE_ILL && s.wait.has)
			wait[n++] = (s.wait.min + s.wait.max) / 2;
	}
	qsort(wait, n, sizeof(*wait), compare_numbers);
	if (n)
		sum.wait_ns = wait[(n - 1) / 2];
	free(wait);
	*ret = sum;
	return 0;
}

/* ---- risk and coverage ---- */

struct risks {
	struct risk_point *v; /* while it grows: right claims in coverage, claims in claims */
	size_t cnt;
};

static struct risk_point *point_of(struct risks *r, double conf)
{
	struct risk_point *v;

	for (size_t i = 0; i < r->cnt; i++)
		if (r->v[i].conf == conf)
			return &r->v[i];
	v = reallocarray(r->v, r->cnt + 1, sizeof(*v));
	if (!v)
		return NULL;
	r->v = v;
	v[r->cnt] = (struct risk_point){.conf = conf};
	return &v[r->cnt++];
}

static int add_risks(struct view *v, const struct diagnosis_case *c, const char *contestant,
		     struct risks *r)
{
	const struct view_row *row = stale_row(c->g, contestant);
	const char **scopes = NULL;
	size_t cnt = 0;
	int err = row ? view_scopes(v, c->g, "diagnosis.claims", "conf:", &scopes, &cnt) : 0;

	for (size_t i = 0; i < cnt && !err; i++) {
		double claims = count(v, row, "diagnosis.claims", scopes[i]);
		struct risk_point *p = claims ? point_of(r, strtod(scopes[i] + 5, NULL)) : NULL;

		if (!claims)
			continue;
		if (!p) {
			err = -ENOMEM;
			break;
		}
		p->claims += claims;
		p->coverage += count(v, row, "diagnosis.right", scopes[i]);
	}
	free(scopes);
	return err;
}

static int most_sure_first(const void *pa, const void *pb)
{
	const struct risk_point *a = pa, *b = pb;

	return (a->conf < b->conf) - (a->conf > b->conf);
}

/* Diagnoses that hold; of one that ails the healthy time before as well. */
static double all_truths(struct view *v, const struct diagnosis_view *x, const char *contestant)
{
	double n = 0;

	for (size_t i = 0; i < x->case_cnt; i++)
		n += count(v, stale_row(x->cases[i].g, contestant), "diagnosis.truth", "all");
	return n;
}

int diagnosis_risk(struct view *v, const struct diagnosis_view *x, const char *contestant,
		   struct risk_point **ret, size_t *ret_cnt)
{
	double truths = all_truths(v, x, contestant), claims = 0, right = 0;
	struct risks r = {0};
	int err = 0;

	for (size_t i = 0; i < x->case_cnt && !err; i++)
		err = add_risks(v, &x->cases[i], contestant, &r);
	if (err) {
		free(r.v);
		return err;
	}
	if (r.cnt)
		qsort(r.v, r.cnt, sizeof(*r.v), most_sure_first);
	for (size_t i = 0; i < r.cnt; i++) {
		claims += r.v[i].claims;
		right += r.v[i].coverage;
		r.v[i].claims = claims;
		r.v[i].coverage = truths > 0 ? right / truths : 0;
		r.v[i].risk = (claims - right) / claims;
	}
	*ret = r.v;
	*ret_cnt = r.cnt;
	return 0;
}
