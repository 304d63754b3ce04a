/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of scores.csv. */
#include <math.h>

#include "tests/units/score_small.h"

struct figures {
	struct score_figure v[1024];
	size_t cnt, stop_at;
};

static int keep(const struct score_figure *f, void *arg)
{
	struct figures *x = arg;

	cr_assert_lt(x->cnt, 1024);
	x->v[x->cnt++] = *f;
	return x->cnt == x->stop_at ? -7 : 0;
}

static const struct score_figure *figure(const struct figures *x, const char *metric,
					 const char *scope)
{
	for (size_t i = 0; i < x->cnt; i++)
		if (!strcmp(x->v[i].metric, metric) && !strcmp(x->v[i].scope, scope))
			return &x->v[i];
	cr_assert_fail("no figure %s, scope %s", metric, scope);
	return NULL;
}

/* How many forecasts of staleness the lines of distinct ones add up to. */
static uint64_t forecasts(const struct figures *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->cnt; i++)
		if (!strcmp(x->v[i].metric, "calibration.p_stale.came_true"))
			n += x->v[i].n;
	return n;
}

/* Each is a number, and none is there twice. */
static void expect_once(const struct figures *x)
{
	for (size_t i = 0; i < x->cnt; i++) {
		cr_assert(x->v[i].has || x->v[i].n == 0, "%s", x->v[i].metric);
		cr_assert(isfinite(x->v[i].value));
		cr_assert_null(strstr(x->v[i].scope, "null"));
		for (size_t j = 0; j < i; j++)
			cr_assert(strcmp(x->v[i].metric, x->v[j].metric) ||
					  strcmp(x->v[i].scope, x->v[j].scope),
				  "%s twice", x->v[i].metric);
	}
}

enum { ANY = -1 };

/* A figure that must be there; n: ANY, or how many it is taken from. */
struct expected {
	const char *metric, *scope;
	double value; /* NAN: null */
	int n;
};

static void expect_figures(const struct figures *x, const struct expected *v, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		const struct score_figure *f = figure(x, v[i].metric, v[i].scope);

		cr_expect_eq(f->has, !isnan(v[i].value), "%s %s", v[i].metric, v[i].scope);
		if (f->has)
			cr_expect_eq(f->value, v[i].value, "%s %s is %g", v[i].metric, v[i].scope,
				     f->value);
		if (v[i].n != ANY)
			cr_expect_eq(f->n, (uint64_t)v[i].n, "%s %s of %lu", v[i].metric,
				     v[i].scope, (unsigned long)f->n);
	}
}
#define EXPECT_FIGURES(x, v) expect_figures(x, v, sizeof(v) / sizeof((v)[0]))

/* Those of the small run; *ret is emptied. */
static void small_figures(struct figures *ret)
{
	char claims[8192];
	struct score *s;

	claims_from(claims, sizeof(claims), 0);
	s = score_text(truth, claims);
	*ret = (struct figures){0};
	cr_assert_eq(score_each_figure(s, keep, ret), 0);
	score_free(s);
}

Test(score_figures, give_what_became_of_handoffs_and_events)
{
	static struct figures x;
	static const struct expected v[] = {
		{"handoff.context.f1", "all", 1, 2},
		{"handoff.context.recall", "type:io", 1, 1},
		{"handoff.identity.precision", "mark:inline", 1, ANY},
		{"handoff.context.claims", "source:kernel", 1, ANY},
		{"handoff.context.precision", "declared", 1, 1},
		{"handoff.cheating", "all", 0, 1},
		{"coverage", "all", 1, ANY},
		{"one_ended.truth", "all", 0, ANY},
		{"event.recall", "desc:1", 1, 2},
		{"event.identity.mean_events", "all", 2, ANY},
		{"effect.recall", "all", NAN, 0},
		{"loss.lost_true", "all", 3, ANY},
	};

	small_figures(&x);
	EXPECT_FIGURES(&x, v);
	expect_once(&x);
}

Test(score_figures, give_what_became_of_costs_and_forecasts)
{
	static struct figures x;
	static const struct expected v[] = {
		{"cost.error", "kind:cpu", 0.04, 1},
		{"cost.claimed", "kind:wall", 0, ANY},
		{"profile.tv_distance", "function:cpu", NAN, ANY},
		{"calibration.context.n", "all", 1, ANY},
		{"calibration.identity.n", "all", 1, ANY},
		{"calibration.p_stale.n", "all", 20, ANY},
	};

	small_figures(&x);
	EXPECT_FIGURES(&x, v);
	cr_expect(figure(&x, "profile.tv_distance", "thread:cpu")->has);
	cr_expect_eq(figure(&x, "profile.tv_distance", "thread:cpu")->n, 1u);
	cr_expect_eq(forecasts(&x), 20u);
}

Test(score_figures, give_what_became_of_resources)
{
	static struct figures x;
	static const struct expected v[] = {
		{"stale.resource.latency_ns", "resource:pool.frame", 100, ANY},
		{"stale.resource.worst", "resource:pool.frame", 2, ANY},
		{"stale.resource.worst", "resource:pool.page", 0, ANY},
		{"stale.resource.valid", "resource:pool.frame", 0, ANY},
		{"stale.resource.valid", "resource:pool.page", 1, ANY},
		{"stale.resource.detected", "resource:pool.frame", 1, ANY},
		{"stale.resource.detected", "resource:pool.page", NAN, ANY},
		{"stale.resource.false_alarm", "resource:pool.page", 0, ANY},
		{"stale.resource.raised", "resource:pool.page", 0, ANY},
		{"stale.resource.early", "resource:pool.frame", 0, ANY},
		{"stale.resource.early", "resource:pool.page", NAN, ANY},
		{"stale.resource.censored", "resource:pool.frame", 0, ANY},
		{"stale.resource.censored", "resource:pool.page", NAN, ANY},
		{"stale.matrix", "stale:stale", 1, ANY},
		{"stale.matrix", "valid:kept", 1, ANY},
		{"stale.detection_rate", "all", 1, ANY},
	};

	small_figures(&x);
	EXPECT_FIGURES(&x, v);
}

Test(score_figures, give_what_was_diagnosed_where_nothing_was_wrong)
{
	static struct figures x;
	static const struct expected v[] = {
		{"diagnosis.precision", "all", 0, ANY},
		{"diagnosis.claims", "all", 1, ANY},
		{"diagnosis.said", "said:->thrash", 1, 1},
		{"diagnosis.claims", "conf:1.0000", 1, 1},
		{"diagnosis.right", "conf:1.0000", 0, 1},
	};

	small_figures(&x);
	EXPECT_FIGURES(&x, v);
}

#define WRONG(label, subject, from)                                                                \
	"{\"r\":\"diagnosis\",\"label\":\"" label "\",\"subject\":\"" subject "\",\"t\":[" #from   \
	",5000]}\n"

static void say(char *claims, size_t size, const char *label, const char *subject, unsigned t,
		double conf)
{
	size_t len = strlen(claims);
	int more = snprintf(claims + len, size - len,
			    "{\"c\":\"diagnosis\",\"label\":\"%s\",\"subject\":\"%s\",\"t\":%u,"
			    "\"conf\":%.9g}\n",
			    label, subject, t, conf);

	cr_assert_lt((size_t)more, size - len);
}

/* A star only where the label is right and the subject is not. */
Test(score_figures, tell_a_wrong_subject_from_a_wrong_label)
{
	static struct figures x;
	static const struct expected v[] = {
		{"diagnosis.said", "said:thrash>thrash", 2, 1},
		{"diagnosis.said", "said:thrash>thrash*", 1, 1},
		{"diagnosis.said", "said:thrash>convoy", 3, 1},
		{"diagnosis.truth", "label:thrash", 1, 1},
		{"diagnosis.found", "label:thrash", 1, 1},
		{"diagnosis.time_to_label", "label:thrash", 300, 1},
		{"diagnosis.truth", "label:leak", 1, 1},
		{"diagnosis.found", "label:leak", 0, 1},
		{"diagnosis.time_to_label", "label:leak", NAN, 0},
		{"diagnosis.claims", "conf:0.9000", 2, 1},
		{"diagnosis.right", "conf:0.9000", 1, 1},
		{"diagnosis.claims", "conf:0.5000", 4, 1},
		{"diagnosis.right", "conf:0.5000", 1, 1},
	};
	static const char wrong[] = TRUTH_HEAD WRONG("thrash", "pool.frame", 1000)
		WRONG("leak", "pool.page", 4000) TRUTH_NOTHING;
	char claims[2048] = CLAIMS_HEAD;
	struct score *s;

	say(claims, sizeof(claims), "thrash", "pool.frame", 1300, 0.9);
	say(claims, sizeof(claims), "thrash", "pool.frame", 1400, 0.5);
	say(claims, sizeof(claims), "thrash", "pool.page", 1400, 0.90000001);
	say(claims, sizeof(claims), "convoy", "pool.frame", 1500, 0.5);
	say(claims, sizeof(claims), "convoy", "pool.page", 1500, 0.5);
	say(claims, sizeof(claims), "convoy", "pool.lock", 1500, 0.5);
	s = score_text(wrong, claims);
	cr_assert_eq(score_each_figure(s, keep, &x), 0);
	EXPECT_FIGURES(&x, v);
	expect_once(&x);
	score_free(s);
}

Test(score_figures, stop_where_the_caller_does)
{
	static struct figures x = {.stop_at = 5};
	struct score *s = score_text(truth, CLAIMS_HEAD);

	cr_assert_eq(score_each_figure(s, keep, &x), -7);
	cr_assert_eq(x.cnt, 5);
	score_free(s);
}

Test(score_figures, are_none_where_there_is_no_score)
{
	static struct figures x;
	struct score *s = score_text("", "");

	cr_assert_eq(score_each_figure(s, keep, &x), 0);
	cr_assert_eq(x.cnt, 0);
	score_free(s);
}

Test(score_figures, score_null_for_a_profiler_that_never_diagnoses)
{
	static struct figures x;
	struct score *s = score_text(truth, CLAIMS_HEAD);

	cr_assert_eq(score_each_figure(s, keep, &x), 0);
	cr_assert_not(figure(&x, "diagnosis.precision", "all")->has);
	cr_assert_not(figure(&x, "diagnosis.coverage", "all")->has);
	score_free(s);
}

/* What is said may be any words; a scope has room for their beginning. */
Test(score_figures, count_labels_that_read_alike_in_one)
{
	static struct figures x;
	struct score *s =
		score_text(truth, CLAIMS_HEAD
			   "{\"c\":\"diagnosis\",\"label\":\"a-label-of-twenty-one-x\",\"t\":9}\n"
			   "{\"c\":\"diagnosis\",\"label\":\"a-label-of-twenty-one-y\",\"t\":9}\n");

	cr_assert_eq(score_each_figure(s, keep, &x), 0);
	expect_once(&x);
	cr_assert_eq(figure(&x, "diagnosis.said", "said:->a-label-of-twenty-on")->value, 2);
	score_free(s);
}

/* 2^64 with the least ip there is weighs more than a double holds: a figure that is not finite is
 * refused by scores.csv, and with it all those of the run. */
Test(score_figures, are_finite_whatever_a_claim_weighs)
{
	static const char *const claims[] = {
		"{\"c\":\"cost\",\"root\":null,\"kind\":\"cpu\",\"v\":18446744073709551615,\"ip\":"
		"5e-324}\n",
		"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":105},\"kind\":\"cpu\","
		"\"v\":18446744073709551615,\"ip\":5e-324}\n",
		"{\"c\":\"profile\",\"by\":\"thread\",\"key\":\"101\",\"kind\":\"cpu\","
		"\"v\":18446744073709551615,\"ip\":5e-324}\n",
	};

	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		static struct figures x;
		char text[1024];
		struct score *s;

		snprintf(text, sizeof(text), "%s%s%s", CLAIMS_HEAD, claims[i], claims[i]);
		s = score_text(truth, text);
		x.cnt = 0;
		cr_assert_eq(score_each_figure(s, keep, &x), 0);
		expect_once(&x);
		score_free(s);
	}
}

/* The scope of a forecast reads back as the same number and has no digit too many. */
Test(score_figures, spell_a_forecast_as_shortly_as_it_reads_back)
{
	static const struct {
		const char *claimed, *scope;
	} rows[] = {{"0.25", "forecast:0.25"},
		    {"0.30000000000000004", "forecast:0.30000000000000004"},
		    {"0.3333333333333333", "forecast:0.3333333333333333"},
		    {"1", "forecast:1"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static struct figures x;
		char claims[1024];
		struct score *s;

		snprintf(claims, sizeof(claims),
			 CLAIMS_HEAD "{\"c\":\"health\",\"desc\":1,\"state\":\"stale\",\"t\":0,"
				     "\"p_stale\":%s}\n",
			 rows[i].claimed);
		s = score_text(truth, claims);
		x.cnt = 0;
		cr_assert_eq(score_each_figure(s, keep, &x), 0);
		cr_assert_eq(figure(&x, "calibration.p_stale.came_true", rows[i].scope)->value, 1);
		cr_assert_eq(figure(&x, "calibration.p_stale.came_true", "forecast:0.05")->n, 10);
		score_free(s);
	}
}
