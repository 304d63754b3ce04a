/* SPDX-License-Identifier: BSD-2-Clause */
/* Every figure of a score as one line of scores.csv, in a fixed order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/parts.h"

struct sink {
	int (*fn)(const struct score_figure *, void *);
	void *arg;
	int err; /* first that fn returned; nothing is put after it */
};

static void put(struct sink *s, const char *part, const char *scope, const struct value *v)
{
	struct score_figure f = {.n = v->n};

	if (s->err)
		return;
	f.has = v->is_count || v->r.has;
	f.value = v->is_count ? (double)v->u : v->r.v;
	snprintf(f.metric, sizeof(f.metric), "%s%s%s", part, *part ? "." : "", v->name);
	snprintf(f.scope, sizeof(f.scope), "%s", scope);
	s->err = s->fn(&f, s->arg);
}

static void put_all(struct sink *s, const char *part, const char *scope, const struct value *v,
		    size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		put(s, part, scope, &v[i]);
}

static void put_counts(struct sink *s, const char *part, const char *scope,
		       const struct handoff_counts *c)
{
	struct value v[VALUES_MAX];

	put_all(s, part, scope, v, handoff_values(c, v));
}

/* Beside the counts of §6: what can be seen at all, and the recall over that. */
static void put_visible(struct sink *s, const char *part, const char *scope,
			const struct handoff_counts *c)
{
	struct value v[VALUES_MAX];

	put_all(s, part, scope, v, visible_values(c, v));
}

static void put_level(struct sink *s, unsigned level, const struct handoff_level *l)
{
	char part[32];
	char scope[64];

	snprintf(part, sizeof(part), "handoff.%s", level_name(level));
	put_counts(s, part, "all", &l->all);
	put_visible(s, part, "all", &l->all);
	put_counts(s, part, "declared", &l->declared);
	put_visible(s, part, "declared", &l->declared);
	for (uint32_t set = l->types; set;) {
		unsigned i = take_bit(&set);

		snprintf(scope, sizeof(scope), "type:%s", handoff_type_name(i));
		put_counts(s, part, scope, &l->type[i]);
		put_visible(s, part, scope, &l->type[i]);
	}
	for (uint32_t set = l->marks; set;) {
		unsigned i = take_bit(&set);

		snprintf(scope, sizeof(scope), "mark:%s", mark_name(i));
		put_counts(s, part, scope, &l->mark[i]);
	}
	for (uint32_t set = l->sources; set;) {
		unsigned i = take_bit(&set);

		snprintf(scope, sizeof(scope), "source:%s", source_name(i));
		put_counts(s, part, scope, &l->source[i]);
	}
}

static void put_handoff(struct sink *s, const struct handoff_score *h)
{
	struct value v[VALUES_MAX];

	for (unsigned i = 0; i < LEVEL_CNT; i++)
		put_level(s, i, &h->level[i]);
	v[0] = (struct value){.name = "cheating", .is_count = true, .u = h->cheating, .n = 1};
	put(s, "handoff", "all", &v[0]);
	v[0] = coverage_value(h);
	put(s, "", "all", &v[0]);
	put_all(s, "one_ended", "all", v, one_ended_values(h, v));
}

static void put_event(struct sink *s, const struct event_score *e)
{
	struct value v[VALUES_MAX];
	char scope[64];

	put_all(s, "event", "all", v, event_values(&e->all, v));
	for (size_t i = 0; i < e->desc_cnt; i++) {
		snprintf(scope, sizeof(scope), "desc:%u", e->desc[i].id);
		put_all(s, "event", scope, v, event_values(&e->desc[i].c, v));
	}
	put_all(s, "event.identity", "all", v, identity_values(&e->identity, v));
}

static void put_attribution(struct sink *s, const struct attribution_score *a)
{
	struct value v[VALUES_MAX];
	char scope[64];

	put_all(s, "effect", "all", v, effect_values(&a->effect, v));
	for (size_t i = 0; i < a->cost_cnt; i++) {
		snprintf(scope, sizeof(scope), "kind:%s", a->cost[i].kind);
		put_all(s, "cost", scope, v, cost_values(&a->cost[i], v));
	}
	for (size_t i = 0; i < a->profile_cnt; i++) {
		const struct profile_score *p = &a->profile[i];

		snprintf(scope, sizeof(scope), "%s:%s", profile_by_name(p->by), p->kind);
		put_all(s, "profile", scope, v, profile_values(p, v));
	}
}

/* A yes or no, or a number, that only resources of one sort have. */
static void put_known(struct sink *s, const char *scope, const char *name, bool has, uint64_t x)
{
	struct value v = {.name = name, .r = {.v = (double)x, .has = has}, .n = has};

	put(s, "stale.resource", scope, &v);
}

static void put_resource(struct sink *s, const struct resource_score *r)
{
	char scope[64];

	snprintf(scope, sizeof(scope), "resource:%s", r->name);
	put_known(s, scope, "valid", true, r->valid);
	put_known(s, scope, "worst", true, r->worst);
	put_known(s, scope, "detected", !r->valid, r->detected);
	put_known(s, scope, "false_alarm", true, r->false_alarm);
	put_known(s, scope, "early", !r->valid, r->early);
	put_known(s, scope, "censored", !r->valid, r->censored);
	put_known(s, scope, "latency_ns", r->has_latency, r->latency_ns);
	put_known(s, scope, "latency_events", r->has_latency, r->latency_events);
	put_known(s, scope, "raised", true, r->raised);
}

static void put_stale(struct sink *s, const struct stale_score *x)
{
	struct value v[VALUES_MAX];
	char scope[64];

	for (size_t i = 0; i < x->resource_cnt; i++)
		put_resource(s, &x->resource[i]);
	for (unsigned row = 0; row < 2; row++) {
		for (unsigned i = 0; i < SEVERITY_CNT; i++) {
			snprintf(scope, sizeof(scope), "%s:%s", row ? "stale" : "valid",
				 severity_name(i));
			v[0] = (struct value){.name = "matrix",
					      .is_count = true,
					      .u = x->matrix[row][i],
					      .n = x->matrix[row][i]};
			put(s, "stale", scope, &v[0]);
		}
	}
	put_all(s, "stale", "all", v, stale_values(x, v));
}

/* The shortest decimal that reads back as the same number. */
static void put_exact(char *to, size_t len, const char *prefix, double x)
{
	int digits = 0; /* mutant: equivalent because %g drops a nought that it need not print */

	do {
		snprintf(to, len, "%s%.*g", prefix, ++digits, x);
		/* mutant <= 18: equivalent because 17 digits always read back */
	} while (digits < 17 && strtod(to + strlen(prefix), NULL) != x);
}

/* One line a distinct forecast: calibration over many cells needs them. */
static void put_forecasts(struct sink *s, const struct forecasts *f)
{
	char scope[64];

	for (size_t i = 0; i < f->cnt; i++) {
		const struct forecast *x = &f->v[i];
		struct value v = {.name = "came_true",
				  .r = ratio_of((double)x->came_true, (double)x->n),
				  .n = x->n};

		put_exact(scope, sizeof(scope), "forecast:", x->f);
		put(s, "calibration.p_stale", scope, &v);
	}
}

static void put_count(struct sink *s, const char *scope, const char *name, uint64_t n)
{
	const struct value v = {.name = name, .is_count = true, .u = n, .n = 1};

	put(s, "diagnosis", scope, &v);
}

/* Of the right label, and another subject. */
static bool is_other(const struct confusion *x)
{
	return !strcmp(x->true_label, x->label) && strcmp(x->true_subject, x->subject) != 0;
}

enum { SAID_LEN = 20 }; /* of a label in a scope */

/* Do both read alike in a scope? */
static bool same_said(const struct confusion *x, const struct confusion *y)
{
	return !strncmp(x->true_label, y->true_label, SAID_LEN) &&
	       !strncmp(x->label, y->label, SAID_LEN) && is_other(x) == is_other(y);
}

/* Label by label, "-" where nothing is said to hold; "*" behind what was said of another subject.
 */
static void put_said(struct sink *s, const struct confusion *v, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		char scope[64];
		uint64_t claims = 0;
		size_t k = 0;

		while (!same_said(&v[k], &v[i]))
			k++;
		if (k < i)
			continue;
		for (; k < cnt; k++)
			claims += same_said(&v[k], &v[i]) ? v[k].claims : 0;
		snprintf(scope, sizeof(scope), "said:%.*s>%.*s%s", SAID_LEN,
			 *v[i].true_label ? v[i].true_label : "-", SAID_LEN, v[i].label,
			 is_other(&v[i]) ? "*" : "");
		put_count(s, scope, "said", claims);
	}
}

/* For risk and coverage over many cells: how many claims so sure, and how many of them right. Two
 * that read alike are one. */
static void put_sureness(struct sink *s, const struct sureness *v, size_t cnt)
{
	for (size_t i = 0, k; i < cnt; i = k) {
		uint64_t claims = 0, right = 0;
		/* mutant 63 65: equivalent because none is so long */
		char scope[64], next[64];

		snprintf(scope, sizeof(scope), "conf:%.4f", v[i].conf);
		for (k = i; k < cnt; k++) {
			snprintf(next, sizeof(next), "conf:%.4f", v[k].conf);
			if (strcmp(scope, next))
				break;
			claims += v[k].claims;
			right += v[k].right;
		}
		put_count(s, scope, "claims", claims);
		put_count(s, scope, "right", right);
	}
}

static void put_diagnosis(struct sink *s, const struct diagnosis_score *x)
{
	struct value v[VALUES_MAX];

	put_all(s, "diagnosis", "all", v, diagnosis_values(x, v));
	for (size_t i = 0; i < x->label_cnt; i++) {
		const struct labelled *l = &x->labels[i];
		char scope[64];
		struct value wait = {.name = "time_to_label", .r = l->time_to_label, .n = l->found};

		snprintf(scope, sizeof(scope), "label:%.40s", l->label);
		put_count(s, scope, "truth", l->truth);
		put_count(s, scope, "found", l->found);
		put(s, "diagnosis", scope, &wait);
	}
	put_said(s, x->confusion, x->confusion_cnt);
	put_sureness(s, x->sureness, x->sureness_cnt);
}

int score_each_figure(const struct score *s, int (*fn)(const struct score_figure *, void *),
		      void *arg)
{
	struct sink sink = {.fn = fn, .arg = arg};
	struct value v[VALUES_MAX];
	char part[32];

	if (s->status != SCORE_OK)
		return 0;
	put_handoff(&sink, &s->handoff);
	put_event(&sink, &s->event);
	put_attribution(&sink, &s->attribution);
	put_stale(&sink, &s->stale);
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		snprintf(part, sizeof(part), "calibration.%s", level_name(i));
		put_all(&sink, part, "all", v, calibration_values(&s->calibration[i], v));
	}
	put_all(&sink, "calibration.p_stale", "all", v, calibration_values(&s->p_stale, v));
	put_forecasts(&sink, &s->stale_forecasts);
	put_all(&sink, "loss", "all", v, loss_values(&s->loss, v));
	put_diagnosis(&sink, &s->diagnosis);
	return sink.err;
}
