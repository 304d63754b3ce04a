/* SPDX-License-Identifier: BSD-2-Clause */
/* From two files to a score: load, check, run every part. */
#include "scoring/score.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"
#include "scoring/manifest_rules.h"
#include "scoring/parts.h"

/* What the parts hand on to each other; freed when the score is made. */
struct verdicts {
	struct handoff_verdicts h;
	struct words words;
	struct claims rest; /* borrowed from the score, or the copy below */
	struct claim *copy;
	struct manifest manifest;
	struct stale_rules rules;
	bool has_manifest;
};

static int verdicts_make(const struct score *s, struct verdicts *v)
{
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		v->h.outcome[i] = array_new(s->claims.cnt, sizeof(uint8_t));
		if (!v->h.outcome[i])
			return -ENOMEM;
	}
	v->h.spoken[LEVEL_CONTEXT] = array_new(s->truth.handoffs_cnt, sizeof(uint8_t));
	if (!v->h.spoken[LEVEL_CONTEXT])
		return -ENOMEM;
	return words_map(&s->truth, &s->claims, &v->words);
}

static void verdicts_free(struct verdicts *v)
{
	free(v->h.outcome[LEVEL_CONTEXT]);
	free(v->h.outcome[LEVEL_IDENTITY]);
	free(v->h.spoken[LEVEL_CONTEXT]);
	free(v->words.of);
	free(v->copy);
	if (v->has_manifest)
		manifest_free(&v->manifest);
}

static int score_confidence(struct score *s, const struct verdicts *v, uint8_t start)
{
	struct forecasts f[LEVEL_CNT] = {0};
	int err = handoff_forecasts(&s->claims, v->h.outcome, f);

	if (!err)
		err = stale_forecasts(&s->truth, &v->rest, start, &s->stale_forecasts);
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		s->calibration[i] = calibrate(&f[i]);
		forecasts_free(&f[i]);
	}
	s->p_stale = calibrate(&s->stale_forecasts);
	return err;
}

/*
 * The claims that are no handoffs, which the other parts pass over several times. Where they are
 * few among many, a copy saves those passes; where they are many, the passes are not wasted.
 */
static int set_rest(const struct score *s, struct verdicts *v)
{
	size_t handoffs = claims_count(&s->claims, CLAIM_HANDOFF), cnt = 0;
	/* mutant: equivalent because the copy only saves time */
	size_t rest = s->claims.cnt - handoffs;

	v->rest = s->claims;
	if (rest > handoffs) /* mutant: equivalent because the copy only saves time */
		return 0;
	v->copy = array_new(rest, sizeof(*v->copy));
	if (!v->copy)
		return -ENOMEM;
	for (size_t i = 0; cnt < rest; i++)
		if (s->claims.v[i].kind != CLAIM_HANDOFF)
			v->copy[cnt++] = s->claims.v[i];
	v->rest.v = v->copy;
	v->rest.cnt = rest;
	return 0;
}

static int score_parts(struct score *s, const struct score_options *o, struct verdicts *v)
{
	const struct truth *t = &s->truth;
	int err = score_handoffs_with(t, &s->claims, o, &s->handoff, &v->h);

	if (!err)
		err = score_events(t, &v->rest, &v->words, &s->event);
	if (!err)
		err = score_attribution(t, &v->rest, &s->attribution);
	if (!err)
		err = score_stale(t, &v->rest, o->start, v->has_manifest ? &v->rules : NULL,
				  &s->stale);
	if (!err)
		err = score_confidence(s, v, o->start);
	if (!err)
		err = score_loss(t, &v->rest, v->h.spoken[LEVEL_CONTEXT], &s->loss);
	if (!err)
		err = score_diagnoses(t, &v->rest, &s->diagnosis);
	return err;
}

static int load_manifest(const char *path, struct verdicts *v, struct diag *d)
{
	int err = path ? manifest_load(path, &v->manifest, d) : 0;

	v->has_manifest = path && !err;
	v->rules = (struct stale_rules){.shares = manifest_shares, .arg = &v->manifest};
	return err;
}

static int score_loaded(struct score *s, const struct score_options *o, struct diag *d)
{
	struct verdicts v = {};
	int err = load_manifest(o->manifest, &v, d);

	if (err)
		return err;
	err = verdicts_make(s, &v);
	if (!err)
		err = set_rest(s, &v);
	if (!err)
		err = score_parts(s, o, &v);
	verdicts_free(&v);
	if (err)
		diag_set(d, err, "", 0, "give it more memory, or a $TMPDIR with more room",
			 "the claims cannot be scored: %s", strerror(-err));
	return err;
}

/* A file that says something impossible settles the status; anything else is an error. */
static int settle(struct score *s, int err, enum score_status status, const struct diag *why,
		  struct diag *d)
{
	if (err != -EINVAL) {
		if (d)
			*d = *why;
		return err;
	}
	s->status = status;
	s->error = *why;
	return 0;
}

static int load_truth(struct score *s, const char *path, struct diag *d)
{
	struct diag why = {};
	int err = truth_load(path, &s->truth, &why);

	s->has_truth = !err;
	if (!err)
		err = truth_check(&s->truth, path, &why);
	return err ? settle(s, err, SCORE_BROKEN, &why, d) : 0;
}

static int load_claims(struct score *s, const char *path, const uint32_t *declares, struct diag *d)
{
	struct diag why = {};
	int err = claims_load(path, &s->claims, &why);

	s->has_claims = !err;
	if (!err && declares)
		s->claims.header.declares = *declares;
	return err ? settle(s, err, SCORE_INVALID, &why, d) : 0;
}

/* Broken wins over invalid: what truth cannot judge is not judged, whatever the claims are. */
static int score_paths(struct score *s, const char *truth_path, const char *claims_path,
		       const struct score_options *o, struct diag *d)
{
	int err = load_truth(s, truth_path, d);

	if (err || s->status != SCORE_OK)
		return err;
	err = load_claims(s, claims_path, o->declares, d);
	if (err || s->status != SCORE_OK)
		return err;
	return score_loaded(s, o, d);
}

struct score *score_files(const char *truth_path, const char *claims_path,
			  const struct score_options *o, struct diag *d)
{
	static const struct score_options defaults = {.start = HEALTH_VALIDATED};
	struct score *s = array_new(1, sizeof(*s)); /* mutant: equivalent because one is used */
	int err;

	if (!s) {
		diag_set(d, -ENOMEM, "", 0, NULL, "no memory for a score");
		return NULL;
	}
	err = score_paths(s, truth_path, claims_path, o ? o : &defaults, d);
	if (!err)
		return s;
	score_free(s);
	errno = -err;
	return NULL;
}

void score_free(struct score *s)
{
	if (!s)
		return;
	event_score_free(&s->event);
	attribution_score_free(&s->attribution);
	stale_score_free(&s->stale);
	diagnosis_score_free(&s->diagnosis);
	forecasts_free(&s->stale_forecasts);
	if (s->has_claims)
		claims_free(&s->claims);
	if (s->has_truth)
		truth_free(&s->truth);
	free(s);
}

enum score_status score_status(const struct score *s)
{
	return s->status;
}

const struct diag *score_error(const struct score *s)
{
	return s->status == SCORE_OK ? NULL : &s->error;
}

const struct handoff_score *score_handoff(const struct score *s)
{
	return &s->handoff;
}

uint64_t score_unjudged(const struct score *s)
{
	const struct handoff_counts *context = &s->handoff.level[LEVEL_CONTEXT].all;
	const struct handoff_counts *identity = &s->handoff.level[LEVEL_IDENTITY].all;

	if (context->claims || context->out_of_scope || identity->claims || identity->out_of_scope)
		return 0;
	return claims_count(&s->claims, CLAIM_HANDOFF);
}
