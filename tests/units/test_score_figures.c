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

Test(score_figures, give_each_printed_number_once)
{
	static struct figures x;
	char claims[8192];
	struct score *s;

	claims_from(claims, sizeof(claims), 0);
	s = score_text(truth, claims);
	cr_assert_eq(score_each_figure(s, keep, &x), 0);
	cr_assert_eq(figure(&x, "handoff.context.f1", "all")->value, 1);
	cr_assert_eq(figure(&x, "handoff.context.f1", "all")->n, 2);
	cr_assert_eq(figure(&x, "handoff.context.recall", "type:io")->n, 1);
	cr_assert_eq(figure(&x, "handoff.identity.precision", "mark:inline")->value, 1);
	cr_assert_eq(figure(&x, "handoff.context.claims", "source:kernel")->value, 1);
	cr_assert_eq(figure(&x, "handoff.context.precision", "declared")->n, 1);
	cr_assert_eq(figure(&x, "handoff.cheating", "all")->value, 0);
	cr_assert_eq(figure(&x, "calibration.p_stale.n", "all")->value, 20);
	cr_assert_eq(forecasts(&x), 20);
	cr_assert_eq(figure(&x, "handoff.cheating", "all")->n, 1);
	cr_assert_eq(figure(&x, "coverage", "all")->value, 1);
	cr_assert_eq(figure(&x, "one_ended.truth", "all")->value, 0);
	cr_assert_eq(figure(&x, "event.recall", "desc:1")->value, 1);
	cr_assert_eq(figure(&x, "event.recall", "desc:1")->n, 2);
	cr_assert_eq(figure(&x, "event.identity.mean_events", "all")->value, 2);
	cr_assert_not(figure(&x, "effect.recall", "all")->has);
	cr_assert_eq(figure(&x, "effect.recall", "all")->n, 0);
	cr_assert_eq(figure(&x, "cost.error", "kind:cpu")->value, 0.04);
	cr_assert_eq(figure(&x, "cost.error", "kind:cpu")->n, 1);
	cr_assert_not(figure(&x, "profile.tv_distance", "function:cpu")->has);
	cr_assert(figure(&x, "profile.tv_distance", "thread:cpu")->has);
	cr_assert_eq(figure(&x, "profile.tv_distance", "thread:cpu")->n, 1);
	cr_assert_eq(figure(&x, "cost.claimed", "kind:wall")->value, 0);
	cr_assert_eq(figure(&x, "stale.resource.latency_ns", "resource:pool.frame")->value, 100);
	cr_assert_not(figure(&x, "stale.resource.detected", "resource:pool.page")->has);
	cr_assert_eq(figure(&x, "stale.resource.worst", "resource:pool.frame")->value, 2);
	cr_assert(figure(&x, "stale.resource.worst", "resource:pool.page")->has);
	cr_assert(figure(&x, "stale.resource.valid", "resource:pool.page")->has);
	cr_assert_eq(figure(&x, "stale.resource.valid", "resource:pool.page")->value, 1);
	cr_assert(figure(&x, "stale.resource.false_alarm", "resource:pool.page")->has);
	cr_assert(figure(&x, "stale.resource.raised", "resource:pool.page")->has);
	cr_assert(figure(&x, "stale.resource.early", "resource:pool.frame")->has);
	cr_assert_not(figure(&x, "stale.resource.early", "resource:pool.page")->has);
	cr_assert_not(figure(&x, "stale.resource.censored", "resource:pool.page")->has);
	cr_assert_eq(figure(&x, "stale.matrix", "stale:stale")->value, 1);
	cr_assert_eq(figure(&x, "stale.matrix", "valid:kept")->value, 1);
	cr_assert_eq(figure(&x, "stale.detection_rate", "all")->value, 1);
	cr_assert_eq(figure(&x, "calibration.context.n", "all")->value, 1);
	cr_assert_eq(figure(&x, "calibration.identity.n", "all")->value, 1);
	cr_assert_eq(figure(&x, "loss.lost_true", "all")->value, 3);
	cr_assert_eq(figure(&x, "diagnosis.precision", "all")->value, 0);
	cr_assert_eq(figure(&x, "diagnosis.claims", "all")->value, 1);
	cr_assert_eq(figure(&x, "diagnosis.said", "said:->thrash")->value, 1);
	cr_assert_eq(figure(&x, "diagnosis.claims", "conf:1.0000")->value, 1);
	cr_assert_eq(figure(&x, "diagnosis.right", "conf:1.0000")->value, 0);
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
