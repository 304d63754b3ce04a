/* SPDX-License-Identifier: BSD-2-Clause */
/* The printed object of contracts §6 and the figures of scores.csv: shape, status, sameness. */
#include <math.h>
#include <stdint.h>

#include "tests/units/score_text.h"

#define TRUTH_HEAD                                                                                 \
	"{\"truth\":1,\"workload\":\"x\",\"variant\":\"base\",\"seed\":1,\"clock\":\"monotonic\"," \
	"\"scored\":[0,10000],\"threads\":[101,102],\"keys\":[\"user_data\"],\"descriptors\":["    \
	"{\"id\":1,\"resource\":\"pool.frame\",\"valid\":false,\"since\":400,"                     \
	"\"contradicted\":500},{\"id\":2,\"resource\":\"pool.page\",\"valid\":true}]}\n"
#define TRUTH_CLOSE                                                                                \
	"{\"r\":\"close\",\"counts\":{\"begin\":1,\"end\":1,\"segment\":1,\"handoff\":1,"          \
	"\"event\":2},\"full\":false}\n"
#define CLAIMS_HEAD                                                                                \
	"{\"claims\":1,\"profiler\":\"x\",\"version\":\"1\",\"clock\":\"monotonic\","              \
	"\"declares\":[\"handoff:io\",\"event\"]}\n"

static const char truth[] = TRUTH_HEAD
	"{\"r\":\"begin\",\"op\":\"0x1\",\"kind\":\"get\",\"tid\":101,\"t\":[100,110]}\n"
	"{\"r\":\"segment\",\"op\":\"0x1\",\"tid\":101,\"t\":[110,400]}\n"
	"{\"r\":\"handoff\",\"id\":\"0xa1\",\"type\":\"io\",\"seq\":1,\"key\":{\"ns\":\"user_"
	"data\","
	"\"v\":\"0x7f10\"},\"src\":{\"op\":\"0x1\",\"tid\":101,\"t\":[200,230]},\"dst\":{\"op\":"
	"\"0x1\",\"tid\":102,\"take\":1,\"ready\":[200,590],\"t\":[200,700]},\"marks\":[\"inline\"]"
	"}\n"
	"{\"r\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"life\":\"0xb1\",\"units\":1,\"op\":\"0x1\",\"tid\":101,\"t\":[300,302],\"desc\":1}\n"
	"{\"r\":\"event\",\"event\":\"RELEASE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"life\":\"0xb1\",\"units\":1,\"op\":\"0x1\",\"tid\":101,\"t\":[600,602],\"desc\":1}\n"
	"{\"r\":\"end\",\"op\":\"0x1\",\"tid\":102,\"t\":[700,705]}\n"
	"{\"r\":\"cost\",\"op\":\"0x1\",\"tid\":101,\"kind\":\"cpu\",\"v\":250}\n"
	"{\"r\":\"loss\",\"from\":900,\"to\":910,\"lost\":3}\n" TRUTH_CLOSE;

static const char *const lines[] = {
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},\"dst\":{\"tid\":102,"
	"\"t\":640},\"key\":{\"ns\":\"user_data\",\"v\":\"0x7f10\"},\"conf\":0.9,"
	"\"source\":\"kernel\"}\n",
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":null,\"dst\":{\"tid\":102,\"t\":640}}\n",
	"{\"c\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"gen\":1,\"units\":1,\"tid\":101,\"t\":301,\"desc\":1}\n",
	"{\"c\":\"event\",\"event\":\"RELEASE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"gen\":1,\"units\":1,\"tid\":101,\"t\":601,\"desc\":1}\n",
	"{\"c\":\"health\",\"desc\":1,\"state\":\"stale\",\"t\":600,\"why\":\"balance\","
	"\"p_stale\":0.97}\n",
	"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":105},\"kind\":\"cpu\",\"v\":240}\n",
	"{\"c\":\"profile\",\"by\":\"thread\",\"key\":\"101\",\"kind\":\"cpu\",\"v\":9,\"ip\":0.01}"
	"\n",
	"{\"c\":\"profile\",\"by\":\"function\",\"key\":\"f\",\"kind\":\"cpu\",\"v\":9}\n",
	"{\"c\":\"gap\",\"from\":900,\"to\":910,\"lost\":2}\n",
	"{\"c\":\"diagnosis\",\"label\":\"thrash\",\"subject\":\"pool.frame\",\"t\":700}\n",
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };

/* All lines, beginning at `first` and going round. */
static void claims_from(char *ret, size_t size, unsigned first)
{
	size_t len = (size_t)snprintf(ret, size, "%s", CLAIMS_HEAD);

	for (unsigned i = 0; i < LINES; i++)
		len += (size_t)snprintf(ret + len, size - len, "%s", lines[(first + i) % LINES]);
	cr_assert_lt(len, size);
}

/* Names of an object in order, comma-separated. */
static void assert_keys(json_t *object, const char *path, const char *want)
{
	char got[1024] = "";
	const char *key;
	json_t *inner, *at = score_at(object, path);

	cr_assert(json_is_object(at), "no object at %s", path);
	json_object_foreach(at, key, inner)
	{
		if (got[0])
			strcat(got, ",");
		strcat(got, key);
	}
	cr_assert_str_eq(got, want, "at %s: %s", path, got);
}

#define COUNTS                                                                                     \
	"truth,claims,two_ended,right,duplicate,false_join,half,spurious,orphan,out_of_scope,"     \
	"decoy_hits,credited,by_ready,precision,recall,f1,false_join_rate,orphan_only,orphan_rate"
#define CALIBRATION "n,base_rate,brier,skill,reliability,resolution,uncertainty,log_loss,auc"
#define EVENTS	    "truth,claims,matched,precision,recall,units_equal,unit_accuracy"

Test(score_json, has_exactly_the_shape_of_the_contract)
{
	char claims[8192];
	json_t *o;

	claims_from(claims, sizeof(claims), 0);
	o = score_object(truth, claims);
	assert_keys(o, "",
		    "status,handoff,coverage,one_ended,event,effect,cost,profile,stale,"
		    "calibration,loss");
	assert_keys(o, "handoff", "context,identity,cheating");
	assert_keys(o, "handoff.context", "all,declared,type,mark,source");
	assert_keys(o, "handoff.identity", "all,declared,type,mark,source");
	assert_keys(o, "handoff.context.all", COUNTS);
	assert_keys(o, "handoff.context.declared", COUNTS);
	assert_keys(o, "handoff.context.type", "io");
	assert_keys(o, "handoff.context.type.io", COUNTS);
	assert_keys(o, "handoff.identity.mark", "inline");
	assert_keys(o, "handoff.identity.mark.inline", COUNTS);
	assert_keys(o, "handoff.context.source", "kernel");
	assert_keys(o, "handoff.context.source.kernel", COUNTS);
	assert_keys(o, "one_ended", "truth,named,joined");
	assert_keys(o, "event", EVENTS ",desc,identity");
	assert_keys(o, "event.desc", "1,2");
	assert_keys(o, "event.desc.1", EVENTS);
	assert_keys(o, "event.identity",
		    "lives,exact,life_exactness,true_joins,found,join_recall,claimed_joins,pure,"
		    "join_precision,mean_events");
	assert_keys(o, "effect", "truth,claims,matched,precision,recall");
	assert_keys(o, "cost", "cpu,wall");
	assert_keys(o, "cost.cpu",
		    "true,claimed,abs_error,error,median,p99,unattributed,unattributed_share");
	assert_keys(o, "profile", "thread,function");
	assert_keys(o, "profile.thread", "cpu");
	assert_keys(o, "profile.thread.cpu", "tv_distance");
	assert_keys(o, "stale",
		    "resource,matrix,detected,detection_rate,false_alarms,false_alarm_rate,"
		    "localised,localisation_rate");
	assert_keys(o, "stale.resource", "pool.frame,pool.page");
	assert_keys(o, "stale.matrix", "valid,stale");
	assert_keys(o, "stale.matrix.valid", "kept,suspect,stale");
	assert_keys(o, "calibration", "context,identity,p_stale");
	assert_keys(o, "calibration.context", CALIBRATION);
	assert_keys(o, "calibration.p_stale", CALIBRATION);
	assert_keys(o, "loss",
		    "missing,explained,explained_share,intact,in_gap,in_gap_share,lost_true,"
		    "lost_claimed");
	json_decref(o);
}

Test(score_json, prints_each_part)
{
	char claims[8192];
	json_t *o, *frame;

	claims_from(claims, sizeof(claims), 0);
	o = score_object(truth, claims);
	cr_assert_eq(json_integer_value(score_at(o, "handoff.context.all.right")), 1);
	cr_assert_eq(json_number_value(score_at(o, "coverage")), 1);
	cr_assert(json_is_false(score_at(o, "handoff.cheating")));
	cr_assert_eq(json_integer_value(score_at(o, "event.matched")), 2);
	cr_assert_eq(json_integer_value(score_at(o, "event.identity.exact")), 1);
	cr_assert(json_is_null(score_at(o, "effect.precision")), "0/0 is null");
	cr_assert_eq(json_number_value(score_at(o, "cost.cpu.abs_error")), 10);
	cr_assert_eq(json_number_value(score_at(o, "cost.cpu.error")), 0.04);
	cr_assert_eq(json_number_value(score_at(o, "profile.thread.cpu.tv_distance")), 0);
	cr_assert(json_is_null(score_at(o, "profile.function.cpu.tv_distance")));
	cr_assert_eq(json_integer_value(score_at(o, "stale.matrix.stale.stale")), 1);
	cr_assert_eq(json_integer_value(score_at(o, "stale.matrix.valid.kept")), 1);
	cr_assert_eq(json_integer_value(score_at(o, "calibration.p_stale.n")), 20);
	cr_assert_eq(json_integer_value(score_at(o, "calibration.context.n")), 1);
	cr_assert_eq(json_integer_value(score_at(o, "loss.intact")), 1);
	cr_assert_eq(json_integer_value(score_at(o, "loss.lost_true")), 3);
	cr_assert_eq(json_integer_value(score_at(o, "loss.lost_claimed")), 2);
	frame = json_object_get(score_at(o, "stale.resource"), "pool.frame");
	assert_keys(frame, "",
		    "valid,worst,detected,false_alarm,early,censored,latency_ns,latency_events,"
		    "raised");
	cr_assert(json_is_true(json_object_get(frame, "detected")));
	cr_assert_eq(json_integer_value(json_object_get(frame, "latency_ns")), 100);
	cr_assert_eq(json_integer_value(json_object_get(frame, "latency_events")), 1);
	frame = json_object_get(score_at(o, "stale.resource"), "pool.page");
	cr_assert(json_is_null(json_object_get(frame, "detected")));
	cr_assert(json_is_null(json_object_get(frame, "early")));
	cr_assert(json_is_null(json_object_get(frame, "censored")));
	cr_assert(json_is_null(json_object_get(frame, "latency_ns")));
	json_decref(o);
}

Test(score_json, prints_sums_of_costs_exactly_where_they_fit_in_64_bits)
{
	static const char costs[] = TRUTH_HEAD
		"{\"r\":\"begin\",\"op\":1,\"kind\":\"get\",\"tid\":101,\"t\":[10,12]}\n"
		"{\"r\":\"cost\",\"op\":1,\"kind\":\"cpu\",\"v\":9007199254740993}\n"
		"{\"r\":\"cost\",\"op\":1,\"kind\":\"io_bytes\",\"v\":18446744073709551614}\n"
		"{\"r\":\"cost\",\"op\":1,\"kind\":\"io_bytes\",\"v\":1}\n"
		"{\"r\":\"cost\",\"op\":1,\"kind\":\"wait:io\",\"v\":18446744073709551615}\n"
		"{\"r\":\"cost\",\"op\":1,\"kind\":\"wait:io\",\"v\":1}\n"
		"{\"r\":\"end\",\"op\":1,\"tid\":101,\"t\":[90,95]}\n"
		"{\"r\":\"close\",\"counts\":{\"begin\":1,\"end\":1,\"segment\":0,\"handoff\":0,"
		"\"event\":0},\"full\":false}\n";
	static const char claims[] = CLAIMS_HEAD
		"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":11},\"kind\":\"cpu\","
		"\"v\":9007199254740991}\n"
		"{\"c\":\"cost\",\"root\":null,\"kind\":\"cpu\",\"v\":9007199254740994}\n"
		"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":11},\"kind\":\"wall\",\"v\":1,"
		"\"ip\":0.4}\n";
	static const char *const want[] = {
		"\"cpu\":{\"true\":9007199254740993,\"claimed\":18014398509481985,\"abs_error\":2,",
		"\"unattributed\":9007199254740994,",
		"\"io_bytes\":{\"true\":18446744073709551615,\"claimed\":0,"
		"\"abs_error\":18446744073709551615,",
		"\"wait:io\":{\"true\":1.8446744073709552e+19,\"claimed\":0,",
		"\"wall\":{\"true\":81.5,\"claimed\":2.5,",
	};
	char *text = score_text_string(costs, claims);

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		cr_assert(strstr(text, want[i]), "no %s in %s", want[i], text);
	free(text);
}

Test(score_json, prints_the_same_bytes_twice_and_in_any_order_of_claims)
{
	char claims[8192];
	char *first;

	claims_from(claims, sizeof(claims), 0);
	first = score_text_string(truth, claims);
	for (unsigned i = 0; i < LINES; i++) {
		char *again;

		claims_from(claims, sizeof(claims), i);
		again = score_text_string(truth, claims);
		cr_assert_str_eq(again, first, "turned by %u", i);
		free(again);
	}
	free(first);
}

Test(score_json, does_not_care_for_hex_or_decimal_nor_for_unknown_fields)
{
	static const char plain[] =
		CLAIMS_HEAD "{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},"
			    "\"dst\":{\"tid\":"
			    "102,\"t\":640},\"key\":{\"ns\":\"user_data\",\"v\":\"0x7f10\"}}\n";
	static const char fancy[] = CLAIMS_HEAD "{\"c\":\"handoff\",\"mood\":[1,{}],\"type\":"
						"\"io\",\"src\":{\"tid\":101,\"t\":\"0xd7\","
						"\"cpu\":3},\"dst\":{\"tid\":102,\"t\":640},"
						"\"key\":{\"ns\":\"user_data\",\"v\":32528,"
						"\"x\":null}}\n";
	char *a = score_text_string(truth, plain), *b = score_text_string(truth, fancy);

	cr_assert_str_eq(a, b);
	free(a);
	free(b);
}

Test(score_json, scores_a_profiler_that_says_nothing)
{
	json_t *o = score_object(truth, CLAIMS_HEAD);

	cr_assert_str_eq(json_string_value(score_at(o, "status")), "ok");
	cr_assert(json_is_null(score_at(o, "handoff.context.all.precision")));
	cr_assert_eq(json_number_value(score_at(o, "handoff.context.all.recall")), 0);
	cr_assert(json_is_null(score_at(o, "event.precision")));
	cr_assert_eq(json_number_value(score_at(o, "event.recall")), 0);
	cr_assert_eq(json_number_value(score_at(o, "cost.cpu.error")), 1);
	cr_assert_eq(json_object_size(score_at(o, "profile")), 0);
	cr_assert(json_is_null(score_at(o, "calibration.context.brier")));
	cr_assert_eq(json_integer_value(score_at(o, "calibration.context.n")), 0);
	json_decref(o);
}

Test(score_json, says_where_claims_are_invalid)
{
	json_t *o = score_object(truth, CLAIMS_HEAD "{\"c\":\"rumour\",\"t\":5}\n");

	assert_keys(o, "", "status,error");
	assert_keys(o, "error", "file,line,reason");
	cr_assert_str_eq(json_string_value(score_at(o, "status")), "invalid");
	cr_assert_eq(json_integer_value(score_at(o, "error.line")), 2);
	cr_assert_gt(strlen(json_string_value(score_at(o, "error.file"))), 0);
	cr_assert_gt(strlen(json_string_value(score_at(o, "error.reason"))), 0);
	json_decref(o);
}

Test(score_json, lets_broken_win_over_invalid)
{
	json_t *o = score_object(TRUTH_HEAD, "nonsense\n");

	cr_assert_str_eq(json_string_value(score_at(o, "status")), "broken");
	assert_keys(o, "error", "file,line,reason");
	json_decref(o);
	o = score_object("nonsense\n", "nonsense\n");
	cr_assert_str_eq(json_string_value(score_at(o, "status")), "broken");
	json_decref(o);
}

Test(score_json, tells_statuses_apart)
{
	struct score *s = score_text(truth, CLAIMS_HEAD);

	cr_assert_eq(score_status(s), SCORE_OK);
	cr_assert_null(score_error(s));
	cr_assert_eq(score_handoff(s)->level[LEVEL_CONTEXT].all.truth, 1);
	score_free(s);
	s = score_text(truth, "");
	cr_assert_eq(score_status(s), SCORE_INVALID);
	cr_assert_neq(score_error(s)->reason[0], 0);
	score_free(s);
	s = score_text("", CLAIMS_HEAD);
	cr_assert_eq(score_status(s), SCORE_BROKEN);
	score_free(s);
}

Test(score_json, fails_when_a_file_cannot_be_read)
{
	char path[64];
	struct diag d = {0};

	text_file(path, truth);
	cr_assert_null(score_files("/nonexistent/truth", path, NULL, &d));
	cr_assert_neq(d.err, 0);
	cr_assert_neq(d.reason[0], 0);
	cr_assert_null(score_files(path, "/nonexistent/claims", NULL, &d));
	unlink(path);
}

#define MANIFEST                                                                                   \
	"manifest: 1\napplication: x\nresources:\n  - resource: pool.frame\n    unit: frame\n"     \
	"descriptors:\n"                                                                           \
	"  - {id: 1, resource: pool.frame, event: ACQUIRE, site: pool_get:return, "                \
	"instance_key: retval, unit_key: 1, generation: acquire_epoch, confidence: validated}\n"   \
	"  - {id: 2, resource: pool.frame, event: RELEASE, site: pool_put, instance_key: arg0, "   \
	"unit_key: 1, generation: acquire_epoch, confidence: validated}\n"                         \
	"  - {id: 3, resource: pool.frame, event: USE, site: pool_use, instance_key: arg0, "       \
	"unit_key: 1, generation: acquire_epoch, confidence: validated}\n"                         \
	"invariants:\n"                                                                            \
	"  - {id: pairs, kind: pairing, of: [1, 2]}\n"                                             \
	"  - {id: uses, kind: membership, of: [3]}\n"

/* Descriptor 1 is stale, and the neighbour is called suspect: which one shares its invariant? */
static char *score_neighbour(unsigned neighbour, const char *manifest)
{
	static const char frames[] = TRUTH_HEAD
		"{\"r\":\"begin\",\"op\":\"0x1\",\"kind\":\"get\",\"tid\":101,\"t\":[100,110]}\n"
		"{\"r\":\"end\",\"op\":\"0x1\",\"tid\":101,\"t\":[700,705]}\n"
		"{\"r\":\"close\",\"counts\":{\"begin\":1,\"end\":1,\"segment\":0,\"handoff\":0,"
		"\"event\":0},\"full\":false}\n";
	char truth_text[4096], claims[1024], truth_path[64], claims_path[64], manifest_path[64];
	struct score_options o = {.manifest = manifest ? manifest_path : NULL};
	struct diag d = {0};
	struct score *s;
	char *page, *text;

	snprintf(truth_text, sizeof(truth_text), "%s", frames);
	page = strstr(truth_text, "{\"id\":2,\"resource\":\"pool.page\"");
	cr_assert(page);
	snprintf(claims, sizeof(claims),
		 CLAIMS_HEAD "{\"c\":\"health\",\"desc\":1,\"state\":\"stale\",\"t\":600,"
			     "\"why\":\"pairs\"}\n"
			     "{\"c\":\"health\",\"desc\":%u,\"state\":\"suspect\",\"t\":610,"
			     "\"why\":\"pairs\"}\n",
		 neighbour);
	/* 2 and 3 are frames as well */
	strcpy(page, "{\"id\":2,\"resource\":\"pool.frame\",\"valid\":true},"
		     "{\"id\":3,\"resource\":\"pool.frame\",\"valid\":true}]}\n");
	strcat(truth_text, strchr(frames, '\n') + 1);
	text_file(truth_path, truth_text);
	text_file(claims_path, claims);
	text_file(manifest_path, manifest ? manifest : "");
	s = score_files(truth_path, claims_path, &o, &d);
	unlink(truth_path);
	unlink(claims_path);
	unlink(manifest_path);
	if (!s) {
		cr_assert_neq(d.reason[0], 0);
		return NULL;
	}
	text = score_string(s);
	score_free(s);
	return text;
}

Test(score_json, asks_the_manifest_which_descriptors_share_an_invariant)
{
	static const struct {
		unsigned neighbour;
		const char *manifest, *want;
	} rows[] = {
		{2, NULL, "\"localised\":1"},
		{3, NULL, "\"localised\":1"},
		{2, MANIFEST, "\"localised\":1"},
		{3, MANIFEST, "\"localised\":0"},
	};

	for (size_t i = 0; i < 4; i++) {
		char *text = score_neighbour(rows[i].neighbour, rows[i].manifest);

		cr_assert(text && strstr(text, rows[i].want), "row %zu: %s", i, text);
		free(text);
	}
}

Test(score_json, refuses_a_manifest_that_is_none)
{
	cr_assert_null(score_neighbour(2, "manifest: nonsense\n"));
}

Test(score_json, begins_where_the_binding_says)
{
	static const char claims[] = CLAIMS_HEAD "{\"c\":\"health\",\"desc\":1,\"state\":"
						 "\"suspect\",\"t\":600,\"why\":\"balance\"}\n";
	const struct score_options o = {.start = HEALTH_SUSPECT};
	char truth_path[64], claims_path[64];
	struct diag d = {0};
	struct score *s;
	char *text;

	text = score_text_string(truth, claims);
	cr_assert(strstr(text, "\"detection_rate\":1"));
	free(text);
	text_file(truth_path, truth);
	text_file(claims_path, claims);
	s = score_files(truth_path, claims_path, &o, &d);
	unlink(truth_path);
	unlink(claims_path);
	text = score_string(s);
	cr_assert(strstr(text, "\"detection_rate\":0"));
	free(text);
	score_free(s);
}

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
	cr_assert_eq(figure(&x, "calibration.p_stale.n", "all")->value, 20);
	cr_assert_eq(figure(&x, "loss.lost_true", "all")->value, 3);
	cr_assert_eq(figure(&x, "diagnosis.precision", "all")->value, 0);
	cr_assert_eq(figure(&x, "diagnosis.claims", "all")->value, 1);
	for (size_t i = 0; i < x.cnt; i++) {
		cr_assert(x.v[i].has || x.v[i].n == 0, "%s", x.v[i].metric);
		cr_assert(isfinite(x.v[i].value));
		for (size_t j = 0; j < i; j++)
			cr_assert(strcmp(x.v[i].metric, x.v[j].metric) ||
					  strcmp(x.v[i].scope, x.v[j].scope),
				  "%s twice", x.v[i].metric);
	}
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
