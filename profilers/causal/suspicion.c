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

bool suspicion_judge(struct suspicion *s, const struct threshold *t, double loss)
{
	double valid = t->valid + LOSS_SPOILS * loss, stale = t->stale;
	double good = s->fresh - s->fresh_bad, bad = s->fresh_bad;
	enum suspicion_level level;

	s->fresh = s->fresh_bad = 0;
	if (good + bad == 0 || valid >= LOSS_BLINDS)
		return false;
	s->checks += (uint64_t)(good + bad);
	s->violations += (uint64_t)bad;
	if (stale < 2 * valid) /* what cannot be told from loss must be well above it */
		stale = 2 * valid;
	s->score += bad * log(stale / valid) + good * log((1 - stale) / (1 - valid));
	if (s->score < 0)
		s->score = 0;
	level = level_of(s, t);
	if (level <= s->level)
		return false;
	s->level = level;
	return true;
}
