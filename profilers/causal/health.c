/* SPDX-License-Identifier: BSD-2-Clause */
/* What is believed of each descriptor. */
#include "profilers/causal/health.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "profilers/causal/trace.h"

#define P_STEP 0.05

static bool is_watched(const struct manifest *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->invariants_cnt; i++)
		for (uint32_t k = 0; k < m->invariants[i].of_cnt; k++)
			if (m->invariants[i].of[k] == id)
				return true;
	return false;
}

static void begin_one(const struct manifest *m, const struct manifest_descriptor *d, uint8_t start,
		      struct health_of *h)
{
	h->state = start;
	h->belief = is_watched(m, d->id) ? BELIEF_START : BELIEF_UNSEEN;
	if (start == HEALTH_VALIDATED && d->confidence == CONFIDENCE_CANDIDATE)
		h->state = HEALTH_SUSPECT;
	if (h->state == HEALTH_SUSPECT)
		h->belief = BELIEF_CANDIDATE;
	else if (h->state == HEALTH_REFUSED)
		h->belief = BELIEF_REFUSED;
}

int health_open(struct health *h, const struct join_setup *s, struct outlet *out,
		const struct causal_tuning *tuning)
{
	h->m = s->manifest;
	h->p = tuning->thresholds->p_stale;
	h->trace = tuning->trace;
	h->out = out;
	h->of = calloc(s->manifest->descriptors_cnt + 1, sizeof(*h->of));
	if (!h->of)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->m->descriptors_cnt; i++)
		begin_one(h->m, &h->m->descriptors[i], s->start, &h->of[i]);
	return 0;
}

void health_close(struct health *h)
{
	free(h->of);
	h->of = NULL;
}

static int claim(struct health *h, uint32_t desc, uint64_t evidence, uint64_t t)
{
	const struct health_of *x = &h->of[desc];
	struct claim c = {.kind = CLAIM_HEALTH, .type = x->state, .has = HAS_P_STALE};

	c.health.desc = h->m->descriptors[desc].id;
	c.health.t = t;
	c.health.p_stale = h->p[x->belief];
	c.health.why_str = x->why_str;
	if (evidence) {
		c.has |= HAS_EVIDENCE;
		c.health.evidence = evidence;
	}
	if (h->trace)
		h->trace->believed(h->trace->arg, c.health.desc, (enum belief)x->belief, t);
	return h->out->put(h->out->arg, &c);
}

int health_begin(struct health *h, uint64_t t)
{
	int err = 0;

	for (uint32_t i = 0; i < h->m->descriptors_cnt && !err; i++)
		err = claim(h, i, 0, t);
	return err;
}

/* Of two rules that doubt a descriptor the one that doubts more speaks; each may correct itself. */
static bool speaks(const struct health *h, const struct health_of *x, const struct verdict *v)
{
	double more = h->p[v->belief] - h->p[x->belief];

	if (v->state != x->state)
		return v->state > x->state;
	return v->why_str == x->why_str ? fabs(more) >= P_STEP : more >= P_STEP;
}

int health_lower(struct health *h, uint32_t desc, const struct verdict *v, uint64_t t)
{
	struct health_of *x = &h->of[desc];

	if (!speaks(h, x, v))
		return 0;
	x->state = v->state;
	x->belief = v->belief;
	x->why_str = v->why_str;
	return claim(h, desc, v->evidence, t);
}

int health_right(struct health *h, uint32_t desc, uint64_t t)
{
	struct health_of *x = &h->of[desc];

	if (x->clean_claimed || x->state != HEALTH_VALIDATED || ++x->checked < HEALTH_CLEAN)
		return 0;
	x->clean_claimed = true;
	x->belief = BELIEF_CLEAN;
	return claim(h, desc, 0, t);
}

double health_confidence(const struct health *h, uint32_t desc)
{
	static const double by_state[HEALTH_STATE_CNT] = {0.99, 0.5, 0.05, 0};

	return by_state[h->of[desc].state];
}
