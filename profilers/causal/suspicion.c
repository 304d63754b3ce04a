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
	if (!s->runs || (!violated && s->run[s->runs - 1].bad && s->runs < SUSPICION_RUNS)) {
		s->run[s->runs].held = s->run[s->runs].bad = 0;
		s->runs++;
	}
	*(violated ? &s->run[s->runs - 1].bad : &s->run[s->runs - 1].held) += 1;
}

bool suspicion_waits(const struct suspicion *s)
{
	for (uint32_t i = 0; i < s->runs; i++)
		if (s->run[i].bad)
			return true;
	return false;
}

static void add_run(struct suspicion *s, double held, double bad, double valid, double stale)
{
	s->checks += (uint64_t)(held + bad);
	s->violations += (uint64_t)bad;
	s->score += held * log((1 - stale) / (1 - valid));
	if (s->score < 0)
		s->score = 0;
	s->score += bad * log(stale / valid);
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
		add_run(s, s->run[i].held, s->run[i].bad, valid, stale);
		if (level_of(s, t) > s->level)
			s->level = level_of(s, t);
	}
}
