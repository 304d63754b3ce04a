/* SPDX-License-Identifier: BSD-2-Clause */
/* The printed object of contracts §6: shape, status, sameness. */
#include "tests/units/score_small.h"

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
#define CALIBRATION                                                                                \
	"n,base_rate,brier,skill,zero_skill,reliability,resolution,uncertainty,log_loss,auc"
#define EVENTS "truth,claims,matched,precision,recall,units_equal,unit_accuracy"

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
	assert_keys(o, "profile.thread.cpu", "tv_distance,even_distance");
	assert_keys(o, "stale",
		    "resource,matrix,detected,detection_rate,false_alarms,false_alarm_rate,"
		    "localised,localisation_rate,pointedness");
	assert_keys(o, "stale.resource", "pool.frame,pool.page");
	assert_keys(o, "stale.matrix", "valid,stale");
	assert_keys(o, "stale.matrix.valid", "kept,suspect,stale");
	assert_keys(o, "calibration", "context,identity,p_stale");
	assert_keys(o, "calibration.context", CALIBRATION);
	assert_keys(o, "calibration.p_stale", CALIBRATION);
	assert_keys(o, "loss",
		    "missing,explained,explained_share,intact,in_gap,in_gap_share,informedness,"
		    "lost_true,"
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
		"\"io_bytes\":{\"true\":18446744073709551615,\"claimed\":0,",
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
