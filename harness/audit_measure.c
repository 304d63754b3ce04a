/* SPDX-License-Identifier: BSD-2-Clause */
/* What is claimed, as figures that do not depend on addresses, times and thread ids. */
#include "harness/audit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SURE 0.9

bool figure_is_share(unsigned figure)
{
	return figure >= FIGURE_BUSIEST;
}

const char *figure_name(unsigned figure, char ret[64])
{
	static const char *const kinds[CLAIM_KIND_CNT] = {"handoffs", "events",	  "health",
							  "effects",  "costs",	  "profiles",
							  "gaps",     "diagnoses"};
	static const char *const rest[] = {"handoffs with one end",
					   "threads spoken of",
					   "descriptors called into question",
					   "share of the busiest thread",
					   "share claimed for sure",
					   "ended well",
					   "F1 on declared types",
					   "recall of events",
					   "agreement with causal beside it"};

	if (figure < FIGURE_KINDS)
		snprintf(ret, 64, "handoffs of type %s", handoff_type_name(figure));
	else
		snprintf(ret, 64, "%s",
			 figure < FIGURE_ORPHANS ? kinds[figure - FIGURE_KINDS]
						 : rest[figure - FIGURE_ORPHANS]);
	return ret;
}

/* ---- threads ---- */

struct threads {
	uint32_t *v; /* one for each time that a thread is spoken of */
	size_t cnt;
};

static void add_threads(struct threads *t, const struct claim *c)
{
	switch (c->kind) {
	case CLAIM_HANDOFF:
		if (c->has & HAS_SRC)
			t->v[t->cnt++] = c->handoff.src_tid;
		if (c->has & HAS_DST)
			t->v[t->cnt++] = c->handoff.dst_tid;
		break;
	case CLAIM_EVENT:
		t->v[t->cnt++] = c->event.tid;
		break;
	case CLAIM_EFFECT:
		t->v[t->cnt++] = c->effect.tid;
		break;
	case CLAIM_COST:
		if (c->has & HAS_SRC)
			t->v[t->cnt++] = c->cost.root_tid;
		break;
	}
}

static int compare_tids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int measure_threads(const struct claims *c, struct audit_run *r)
{
	struct threads t = {.v = calloc(2 * c->cnt + 1, sizeof(*t.v))};
	size_t most = 0, row = 0, distinct = 0;

	if (!t.v)
		return -ENOMEM;
	for (size_t i = 0; i < c->cnt; i++)
		add_threads(&t, &c->v[i]);
	qsort(t.v, t.cnt, sizeof(*t.v), compare_tids);
	for (size_t i = 0; i < t.cnt; i++) {
		bool same = i && t.v[i] == t.v[i - 1];

		row = same ? row + 1 : 1;
		distinct += !same;
		most = row > most ? row : most;
	}
	r->v[FIGURE_THREADS] = (double)distinct;
	r->v[FIGURE_BUSIEST] = t.cnt ? (double)most / (double)t.cnt : 0;
	free(t.v);
	return 0;
}

/* ---- the rest ---- */

static double confidence(const struct claim *c)
{
	if (!(c->has & HAS_CONF))
		return 1;
	return c->kind == CLAIM_EVENT ? c->event.conf : c->handoff.conf;
}

int audit_measure(const struct claims *c, struct audit_run *ret)
{
	struct audit_run r = {.cheating = false};
	double sure = 0, could = 0;
	int rc = measure_threads(c, &r);

	for (size_t i = 0; i < c->cnt; i++) {
		const struct claim *x = &c->v[i];
		bool handoff = x->kind == CLAIM_HANDOFF;
		bool whole = (x->has & HAS_SRC) && (x->has & HAS_DST);

		r.v[FIGURE_KINDS + x->kind]++;
		if (handoff && whole)
			r.v[FIGURE_HANDOFFS + x->type]++;
		r.v[FIGURE_ORPHANS] += handoff && !whole;
		r.v[FIGURE_DOWNCAST] += x->kind == CLAIM_HEALTH && x->type != HEALTH_VALIDATED;
		if (handoff || x->kind == CLAIM_EVENT) {
			could++;
			sure += confidence(x) >= SURE;
		}
	}
	r.v[FIGURE_SURE] = could > 0 ? sure / could : 0;
	r.v[FIGURE_WELL] = 1;
	r.v[FIGURE_F1] = r.v[FIGURE_EVENTS] = r.v[FIGURE_AGREES] = NAN;
	if (!rc)
		*ret = r;
	return rc;
}

static int keep_figure(const struct score_figure *f, void *arg)
{
	struct audit_run *r = arg;

	if (f->has && !strcmp(f->metric, "handoff.context.f1") && !strcmp(f->scope, "declared"))
		r->v[FIGURE_F1] = f->value;
	if (f->has && !strcmp(f->metric, "event.recall") && !strcmp(f->scope, "all"))
		r->v[FIGURE_EVENTS] = f->value;
	return 0;
}

/* What nothing was claimed of is 0: 0/0 in one arm and not in the other is a difference. */
int audit_measure_score(const struct score *s, struct audit_run *r)
{
	r->v[FIGURE_F1] = r->v[FIGURE_EVENTS] = 0;
	r->cheating = score_handoff(s)->cheating;
	return score_each_figure(s, keep_figure, r);
}

void audit_measure_nothing(bool has_truth, bool has_reference, struct audit_run *ret)
{
	*ret = (struct audit_run){.cheating = false};
	if (!has_reference)
		ret->v[FIGURE_AGREES] = NAN;
	if (!has_truth)
		ret->v[FIGURE_F1] = ret->v[FIGURE_EVENTS] = NAN;
}
