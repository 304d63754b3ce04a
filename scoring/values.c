/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of each part, by name: one list for JSON, scores.csv and tables. */
#include "scoring/parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct values {
	struct value *v;
	size_t cnt;
};

static void put(struct values *s, struct value x)
{
	assert(s->cnt < VALUES_MAX); /* mutant: equivalent because no part has as many */
	s->v[s->cnt++] = x;
}

static void count(struct values *s, const char *name, uint64_t u)
{
	put(s, (struct value){.name = name, .is_count = true, .u = u, .n = u});
}

/* num / den of whole things. */
static void share(struct values *s, const char *name, uint64_t num, uint64_t den)
{
	put(s, (struct value){.name = name, .r = ratio_of((double)num, (double)den), .n = den});
}

static void number(struct values *s, const char *name, struct ratio r, uint64_t n)
{
	put(s, (struct value){.name = name, .r = r, .n = r.has ? n : 0});
}

/* A sum, printed exactly where it is an integer that fits in 64 bits. */
static void amount(struct values *s, const char *name, long double v, uint64_t n)
{
	/* mutant > 1: equivalent because 0 is printed alike in either way */
	bool is_whole = v >= 0 && v < 0x1p64L && v == floorl(v);
	struct value x = {.name = name, .is_count = is_whole, .n = n};

	if (is_whole)
		x.u = (uint64_t)v;
	else
		x.r = ratio_known((double)v);
	put(s, x);
}

const char *level_name(unsigned level)
{
	static const char *const names[LEVEL_CNT] = {"context", "identity"};

	assert(level < LEVEL_CNT); /* mutant: equivalent because nobody asks for more */
	return names[level];
}

size_t handoff_values(const struct handoff_counts *c, struct value *ret)
{
	struct values s = {.v = ret};
	uint64_t joined = c->right + c->duplicate + c->false_join + c->half + c->spurious;

	count(&s, "truth", c->truth);
	count(&s, "claims", c->claims);
	count(&s, "two_ended", c->two_ended);
	count(&s, "right", c->right);
	count(&s, "duplicate", c->duplicate);
	count(&s, "false_join", c->false_join);
	count(&s, "half", c->half);
	count(&s, "spurious", c->spurious);
	count(&s, "orphan", c->orphan);
	count(&s, "out_of_scope", c->out_of_scope);
	count(&s, "decoy_hits", c->decoy_hits);
	count(&s, "credited", c->credited);
	count(&s, "by_ready", c->by_ready);
	share(&s, "precision", c->right, joined);
	share(&s, "recall", c->credited, c->truth);
	share(&s, "f1", 2 * c->right, c->claims - c->orphan + c->truth);
	share(&s, "false_join_rate", c->false_join, c->two_ended);
	count(&s, "orphan_only", c->orphan_only);
	share(&s, "orphan_rate", c->orphan_only, c->truth);
	return s.cnt;
}

size_t visible_values(const struct handoff_counts *c, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "visible", c->visible);
	share(&s, "visible_recall", c->visible_credited, c->visible);
	return s.cnt;
}

struct value coverage_value(const struct handoff_score *s)
{
	const struct handoff_level *l = &s->level[LEVEL_CONTEXT];

	return (struct value){
		.name = "coverage",
		.r = ratio_of((double)l->declared.truth, (double)l->all.truth),
		.n = l->all.truth,
	};
}

size_t one_ended_values(const struct handoff_score *h, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "truth", h->one_ended_truth);
	count(&s, "named", h->one_ended_named);
	count(&s, "joined", h->one_ended_joined);
	return s.cnt;
}

size_t event_values(const struct event_counts *c, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "truth", c->truth);
	count(&s, "claims", c->claims);
	count(&s, "matched", c->matched);
	share(&s, "precision", c->matched, c->claims);
	share(&s, "recall", c->matched, c->truth);
	count(&s, "units_equal", c->units_equal);
	share(&s, "unit_accuracy", c->units_equal, c->matched);
	return s.cnt;
}

size_t identity_values(const struct identity_score *x, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "lives", x->lives);
	count(&s, "exact", x->exact);
	share(&s, "life_exactness", x->exact, x->lives);
	count(&s, "true_joins", x->true_joins);
	count(&s, "found", x->found);
	share(&s, "join_recall", x->found, x->true_joins);
	count(&s, "claimed_joins", x->claimed_joins);
	count(&s, "pure", x->pure);
	share(&s, "join_precision", x->pure, x->claimed_joins);
	share(&s, "mean_events", x->events_all, x->lives_all);
	return s.cnt;
}

size_t effect_values(const struct effect_score *x, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "truth", x->truth);
	count(&s, "claims", x->claims);
	count(&s, "matched", x->matched);
	share(&s, "precision", x->matched, x->claims);
	share(&s, "recall", x->matched, x->truth);
	return s.cnt;
}

size_t cost_values(const struct cost_score *x, struct value *ret)
{
	struct values s = {.v = ret};

	amount(&s, "true", x->true_sum, x->ops);
	amount(&s, "claimed", x->claimed, x->ops);
	amount(&s, "abs_error", x->abs_error, x->ops);
	number(&s, "error", x->error, x->ops);
	number(&s, "median", x->median, x->ops);
	number(&s, "p99", x->p99, x->ops);
	amount(&s, "unattributed", x->unattributed, x->ops);
	number(&s, "unattributed_share", x->unattributed_share, x->ops);
	return s.cnt;
}

size_t profile_values(const struct profile_score *x, struct value *ret)
{
	struct values s = {.v = ret};

	number(&s, "tv_distance", x->tv_distance, x->claims);
	number(&s, "even_distance", x->even_distance, x->claims);
	return s.cnt;
}

size_t stale_values(const struct stale_score *x, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "detected", x->detected);
	share(&s, "detection_rate", x->detected, x->stale);
	count(&s, "false_alarms", x->false_alarms);
	share(&s, "false_alarm_rate", x->false_alarms, x->was_valid);
	count(&s, "localised", x->localised);
	share(&s, "localisation_rate", x->localised, x->detected);
	share(&s, "pointedness", x->doubted_invalid, x->doubted);
	return s.cnt;
}

size_t calibration_values(const struct calibration *x, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "n", x->n);
	number(&s, "base_rate", x->base_rate, x->n);
	number(&s, "brier", x->brier, x->n);
	number(&s, "skill", x->skill, x->n);
	number(&s, "zero_skill", x->zero_skill, x->n);
	number(&s, "reliability", x->reliability, x->n);
	number(&s, "resolution", x->resolution, x->n);
	number(&s, "uncertainty", x->uncertainty, x->n);
	number(&s, "log_loss", x->log_loss, x->n);
	number(&s, "auc", x->auc, x->n);
	return s.cnt;
}

size_t loss_values(const struct loss_score *x, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "missing", x->missing);
	count(&s, "explained", x->explained);
	share(&s, "explained_share", x->explained, x->missing);
	count(&s, "intact", x->intact);
	count(&s, "in_gap", x->in_gap);
	share(&s, "in_gap_share", x->in_gap, x->intact);
	number(&s, "informedness", loss_informedness(x), x->missing + x->intact);
	count(&s, "lost_true", x->lost_true);
	count(&s, "lost_claimed", x->lost_claimed);
	return s.cnt;
}

size_t diagnosis_values(const struct diagnosis_score *x, struct value *ret)
{
	struct values s = {.v = ret};

	count(&s, "truth", x->truth);
	count(&s, "claims", x->claims);
	count(&s, "right", x->right);
	count(&s, "found", x->found);
	share(&s, "precision", x->right, x->claims);
	/* Who never diagnoses scores null, not 0 (contracts §5.7). */
	share(&s, "coverage", x->found, x->claims ? x->truth : 0);
	number(&s, "time_to_label", x->time_to_label, x->found);
	return s.cnt;
}
