/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagnoses that rest on nothing doubtful. */
#include "profilers/causal/diagnoses.h"

#include <stdio.h>
#include <stdlib.h>

#include "profilers/adapter/diagnosis.h"

struct diagnoses {
	const struct manifest *m;
	const struct health *health;
	const struct rules *rules;
	struct outlet *out;
	struct diagnoser *diagnoser;
};

struct diagnoses *diagnoses_new(const struct manifest *m, const struct health *h,
				const struct rules *rules, struct outlet *out)
{
	struct diagnoses *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	*x = (struct diagnoses){.m = m, .health = h, .rules = rules, .out = out};
	x->diagnoser = diagnoser_new(m, out);
	if (x->diagnoser)
		return x;
	free(x);
	return NULL;
}

void diagnoses_free(struct diagnoses *x)
{
	if (!x)
		return;
	diagnoser_free(x->diagnoser);
	free(x);
}

void diagnoses_event(struct diagnoses *x, uint32_t desc, const struct ev_rec *r)
{
	diagnoser_event(x->diagnoser, desc, r);
}

void diagnoses_record(struct diagnoses *x, const struct ev_rec *r)
{
	diagnoser_record(x->diagnoser, r);
}

void diagnoses_lost(struct diagnoses *x)
{
	diagnoser_lost(x->diagnoser);
}

/* How sure one is that a resource is what its descriptors say: as sure as of the least sure. */
static double sureness(void *arg, uint32_t resource)
{
	const struct diagnoses *x = arg;
	double least = 1;

	if (rules_doubt(x->rules, resource))
		return 0;
	for (uint32_t i = 0; i < x->m->descriptors_cnt; i++) {
		const struct health_of *h = &x->health->of[i];
		double sure = 1 - x->health->p[h->belief];

		if (x->m->descriptors[i].resource != resource)
			continue;
		if (h->state != HEALTH_VALIDATED)
			return 0;
		least = sure < least ? sure : least;
	}
	return least;
}

int diagnoses_settle(struct diagnoses *x)
{
	return diagnoser_settle(x->diagnoser, sureness, x);
}

/* ---- what was withheld ---- */

static uint32_t most_doubtful(const struct diagnoses *x, uint32_t resource)
{
	uint32_t most = UINT32_MAX;

	for (uint32_t i = 0; i < x->m->descriptors_cnt; i++)
		if (x->m->descriptors[i].resource == resource &&
		    (most == UINT32_MAX || x->health->of[i].state > x->health->of[most].state))
			most = i;
	return most;
}

static int say_withheld(struct diagnoses *x, uint32_t resource, unsigned label, uint64_t t)
{
	uint64_t cnt = diagnoser_withheld(x->diagnoser, resource, label);
	uint32_t i = cnt ? most_doubtful(x, resource) : UINT32_MAX;
	struct claim c = {.kind = CLAIM_HEALTH, .has = HAS_EVIDENCE | HAS_P_STALE};
	char why[64];
	int64_t word;

	/* a fall that no rule has named must not seem to be named by this */
	if (i == UINT32_MAX ||
	    (x->health->of[i].state != HEALTH_VALIDATED && !x->health->of[i].why_str))
		return 0;
	snprintf(why, sizeof(why), "withheld-%s", diagnosis_name(label));
	word = x->out->str(x->out->arg, why);
	if (word < 0)
		return (int)word;
	c.type = x->health->of[i].state;
	c.health.desc = x->m->descriptors[i].id;
	c.health.t = t;
	c.health.why_str = (uint32_t)word;
	c.health.evidence = cnt;
	c.health.p_stale = x->health->p[x->health->of[i].belief];
	return x->out->put(x->out->arg, &c);
}

int diagnoses_finish(struct diagnoses *x, uint64_t t)
{
	int err = 0;

	for (uint32_t i = 0; i < x->m->resources_cnt && !err; i++)
		for (unsigned label = 0; label < DIAGNOSIS_CNT && !err; label++)
			err = say_withheld(x, i, label, t);
	return err;
}
