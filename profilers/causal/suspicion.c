/* SPDX-License-Identifier: BSD-2-Clause */
/* A sequential test of one rule's violation rate. */
#include "profilers/causal/suspicion.h"

#include <math.h>

static enum suspicion_level level_of(const struct suspicion *s, const struct threshold *t)
{
	if (s->score >= t->at_stale)
		return LEVEL_STALE;
	return s->score >= t->at_suspect ? LEVEL_SUSPECT : LEVEL_CLEAR;
}

void suspicion_add(struct suspicion *s, bool violated)
{
	struct suspicion_run *r = s->runs ? &s->run[s->runs - 1] : NULL;

	if (!r || (!violated && r->bad && s->runs < SUSPICION_RUNS)) {
		r = &s->run[s->runs++];
		*r = (struct suspicion_run){0};
	}
	r->mixed |= !violated && r->bad;
	*(violated ? &r->bad : &r->held) += 1;
}

bool suspicion_waits(const struct suspicion *s)
{
	for (uint32_t i = 0; i < s->runs; i++)
		if (s->run[i].bad)
			return true;
	return false;
}

static double at_least_0(double v)
{
	return v < 0 ? 0 : v;
}

/* Violations that stood among checks that held are not taken for a row of them. */
static void add_run(struct suspicion *s, const struct suspicion_run *r, double valid, double stale)
{
	double held = r->held * log((1 - stale) / (1 - valid));
	double bad = r->bad * log(stale / valid);

	s->checks += (uint64_t)r->held + r->bad;
	s->violations += r->bad;
	s->score = r->mixed ? at_least_0(s->score + held + bad) : at_least_0(s->score + held) + bad;
}

void suspicion_judge(struct suspicion *s, const struct threshold *t, double loss)
{
	double valid = t->valid + LOSS_SPOILS * loss, stale = t->stale;
	uint32_t runs = s->runs;

	s->runs = 0;
	if (valid >= LOSS_BLINDS)
		return;
	if (stale < 2 * valid) /* what cannot be told from loss must be well above it */
		stale = 2 * valid;
	for (uint32_t i = 0; i < runs; i++) {
		add_run(s, &s->run[i], valid, stale);
		if (level_of(s, t) > s->level)
			s->level = level_of(s, t);
	}
}
