/* SPDX-License-Identifier: BSD-2-Clause */
/* `assay explain`: rule by rule, on the contract's samples. */
#include <errno.h>

#include "tests/units/score_explained.h"

/* The text on claim `number` of a sample holds every line of `want` in that order. */
static void says(const char *sample, size_t number, const char *const *want)
{
	struct explain *x = open_sample(sample);
	char *text = claim_text(x, number), *at = text;

	for (; *want; want++) {
		at = strstr(at, *want);
		cr_assert(at, "%s, claim %zu: \"%s\" is not (there) in\n%s", sample, number, *want,
			  text);
	}
	free(text);
	explain_free(x);
}
#define SAYS(sample, number, ...) says(sample, number, (const char *const[]){__VA_ARGS__, NULL})

Test(explain, shows_both_ends_of_a_false_join)
{
	SAYS("04-false-join-key-reuse", 1, "claim 1 (line 2): {\"c\":\"handoff\"",
	     "context level: false join, because its src is the near end of 0xa1, its dst the far "
	     "end of 0xa2, and no handoff is in both",
	     "identity level: false join", "src: thread 101 at 215",
	     "0xa1 io, key user_data 0x7f00, src thread 101 [200, 230], dst thread 102 [200, 700] "
	     "ready [200, 590]",
	     "matches: the time lies in src.t", "0xa2", "no match: 885 ns too early",
	     "truth on thread 101 around 215", "[110, 400] executes operation 0x1",
	     "[200, 230] sends handoff 0xa1 io", "215 <- the claim",
	     "[1000, 1010] begins operation 0x2 get", "dst: thread 102 at 1650", "0xa2",
	     "matches: the time lies in dst.t", "0xa1", "no match: 950 ns too late",
	     "[1100, 1590] may receive handoff 0xa2 io", "[1100, 1700] handles handoff 0xa2 io",
	     "1650 <- the claim", "[1700, 1705] ends operation 0x2");
}

Test(explain, says_what_a_right_claim_was_credited_with)
{
	SAYS("01-perfect", 2, "context level: right, because credited with 0xa2",
	     "identity level: right, because credited with 0xa2");
}

Test(explain, speaks_of_no_rank_where_there_is_no_batch)
{
	struct explain *x = open_sample("01-perfect");
	char *text = claim_text(x, 1);

	cr_assert_null(strstr(text, "rank"));
	free(text);
	explain_free(x);
}

Test(explain, names_the_claim_that_has_the_credit_of_a_duplicate)
{
	struct explain *x = open_sample("05-duplicates");
	bool found = false;

	for (size_t i = 1; i <= explain_claims_cnt(x); i++) {
		char *text = claim_text(x, i);

		if (strstr(text, "context level: duplicate, because both ends are those of 0x") &&
		    strstr(text, "but claim 1 was credited with it"))
			found = true;
		free(text);
	}
	cr_assert(found);
	explain_free(x);
}

Test(explain, says_which_half_is_missing)
{
	SAYS("23-brier", 2,
	     "context level: half, because its src is the near end of 0xa2, its dst the far end of "
	     "none",
	     "dst: thread 102 at 900", "no handoff of truth matches", "no match: 200 ns too late");
}

Test(explain, says_that_nothing_is_there)
{
	SAYS("07-spurious", 1, "context level: spurious, because no handoff has an end there");
}

Test(explain, says_what_an_orphan_speaks_of)
{
	SAYS("03-orphans-only", 1,
	     "context level: orphan, because its dst alone is the far end of 0xa1: no error",
	     "src: not given", "dst: thread 102 at 640");
	SAYS("03-orphans-only", 2, "its src alone is the near end of 0xa2");
}

Test(explain, sends_kernel_ends_to_the_identity_level)
{
	SAYS("08-context-and-identity", 2,
	     "context level: not scored, because its dst is on thread 7, which is none of the "
	     "application's",
	     "identity level: right, because credited with 0xa2",
	     "dst: thread 7, none of the application's at 1500",
	     "matches at identity level only: another thread, by key and time");
}

Test(explain, shows_the_rank_batch_that_decided)
{
	SAYS("11-rank-src-swap", 1,
	     "false join, because by its windows alone it could be 0xa2, but rank gives its time "
	     "in a batch to another handoff",
	     "rank: windows of 2 handoffs with this key overlap here; claims give 2 distinct "
	     "times, so each means one of them",
	     "seq 1: 0xa1, meant by the time 210", "seq 2: 0xa2, meant by the time 220");
}

Test(explain, tells_a_differing_key)
{
	SAYS("25-ids-above-2-53", 2, "no match: the keys differ");
}

Test(explain, refuses_a_claim_that_is_not_there)
{
	struct explain *x = open_sample("01-perfect");

	cr_assert_eq(explain_claims_cnt(x), 2);
	cr_assert_eq(explain_claim(x, 0, stdout), -ERANGE);
	cr_assert_eq(explain_claim(x, 3, stdout), -ERANGE);
	explain_free(x);
	explain_free(NULL);
}

Test(explain, fails_on_broken_truth_and_invalid_claims)
{
	struct diag d = {0};

	cr_assert_null(explain_open(SAMPLES "27-broken-overlapping-segments/truth.jsonl",
				    SAMPLES "01-perfect/claims.jsonl", &d));
	cr_assert_neq(d.reason[0], 0);
	d = (struct diag){0};
	cr_assert_null(explain_open(SAMPLES "01-perfect/truth.jsonl",
				    SAMPLES "26-malformed-unknown-claim/claims.jsonl", &d));
	cr_assert_eq(d.line, 3);
	d = (struct diag){0};
	cr_assert_null(explain_open("/nonexistent", "/nonexistent", &d));
	cr_assert_neq(d.reason[0], 0);
}

/* Claims about the first descriptor of truth, a valid one, and about one that is not there. */
static void tells_health(void)
{
	static const char truth[] =
		"{\"truth\":1,\"workload\":\"x\",\"variant\":\"base\",\"seed\":1,"
		"\"clock\":\"monotonic\",\"scored\":[0,10000],\"threads\":[101],\"keys\":[],"
		"\"descriptors\":[{\"id\":5,\"resource\":\"pool.frame\",\"valid\":true},"
		"{\"id\":6,\"resource\":\"pool.page\",\"valid\":true}]}\n"
		"{\"r\":\"close\",\"counts\":{\"begin\":0,\"end\":0,\"segment\":0,\"handoff\":0,"
		"\"event\":0},\"full\":false}\n";
	static const char *const want[] = {"  descriptor 5 of pool.frame is valid\n",
					   "  descriptor 6 of pool.page is valid\n",
					   "  truth lists no such descriptor"};

	for (unsigned i = 0; i < 3; i++) {
		char claims[512], *text;
		struct explain *x;

		snprintf(claims, sizeof(claims),
			 CLAIMS "{\"c\":\"health\",\"desc\":%u,\"state\":\"stale\",\"t\":5}\n",
			 5 + i);
		x = open_text(truth, claims);
		text = claim_text(x, 1);
		cr_assert(strstr(text, want[i]), "no %s in %s", want[i], text);
		free(text);
		explain_free(x);
	}
}

Test(explain, explains_events_costs_and_health)
{
	SAYS("17-events-perfect", 1, "paired with ACQUIRE of pool.frame 0x55, life 0xb1, 1 units",
	     "thread 101 [300, 302]", "truth on thread 101 around 301");
	SAYS("19-cost-inclusion-probability", 1, "charged to operation 0x1");
	SAYS("20-stale-latency-from-contradicted", 1,
	     "descriptor 2 of pool.frame is invalid since 1200, contradicted at 1500");
	tells_health();
	SAYS("24-effect-of-a-handoff", 1, "truth on thread 101 around 215",
	     "sends handoff 0xa1 io");
	SAYS("22-loss-by-a-gap", 1, "scored in sum");
}

Test(explain, lists_what_is_wrong_and_what_was_missed_most_first)
{
	struct explain *x = open_sample("04-false-join-key-reuse");
	char *text = cell_text(x);

	cr_assert(strstr(text, "wrong claims, most first:\n  1 false join of type io, at both "
			       "levels; the first is claim 1, {\"c\":\"handoff\""));
	cr_assert(strstr(text, "missed at context level: 2 of 2 handoffs, most first:"));
	cr_assert(strstr(text, "1 of type io: nothing speaks of them; the first is\n    0xa1 io"));
	cr_assert(strstr(text, "1 of type io, reused_key: nothing speaks of them"));
	free(text);
	explain_free(x);
	x = open_sample("03-orphans-only");
	text = cell_text(x);
	cr_assert(strstr(text, "no claim is wrong"));
	cr_assert(strstr(text, "2 of type io: only an orphan speaks of them; the first is\n    "
			       "0xa1 io"));
	free(text);
	explain_free(x);
	x = open_sample("01-perfect");
	text = cell_text(x);
	cr_assert_str_eq(text, "no claim is wrong\nmissed at context level: 0 of 2 handoffs\n");
	free(text);
	explain_free(x);
}
