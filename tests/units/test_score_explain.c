/* SPDX-License-Identifier: BSD-2-Clause */
/* `assay explain` and the tables of `assay score --by`: rule by rule, on the contract's samples. */
#include <errno.h>

#include "scoring/explain_parts.h"
#include "scoring/tables.h"
#include "tests/units/score_text.h"
#include "tests/units/score_world.h"

#define SAMPLES "tests/units/data/scoring/"

static struct explain *open_sample(const char *name)
{
	char truth[128], claims[128];
	struct diag d = {0};
	struct explain *x;

	snprintf(truth, sizeof(truth), SAMPLES "%s/truth.jsonl", name);
	snprintf(claims, sizeof(claims), SAMPLES "%s/claims.jsonl", name);
	x = explain_open(truth, claims, &d);
	cr_assert(x, "%s: %s", d.file, d.reason);
	return x;
}

static char *claim_text(const struct explain *x, size_t number)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(explain_claim(x, number, f), 0);
	fclose(f);
	return text;
}

static char *cell_text(const struct explain *x)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(explain_cell(x, f), 0);
	fclose(f);
	return text;
}

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

Test(explain, names_the_claim_that_has_the_credit_of_a_duplicate)
{
	struct explain *x = open_sample("05-duplicates");
	bool found = false;

	for (size_t i = 1; i <= explain_claims_cnt(x); i++) {
		char *text = claim_text(x, i);

		if (strstr(text, "context level: duplicate, because both ends are those of 0x") &&
		    strstr(text, "was credited with it"))
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

Test(explain, explains_events_costs_and_health)
{
	SAYS("17-events-perfect", 1, "paired with ACQUIRE of pool.frame 0x55, life 0xb1, 1 units",
	     "thread 101 [300, 302]", "truth on thread 101 around 301");
	SAYS("19-cost-inclusion-probability", 1, "charged to operation 0x1");
	SAYS("20-stale-latency-from-contradicted", 1,
	     "descriptor 2 of pool.frame is invalid since 1200, contradicted at 1500");
	SAYS("24-effect-of-a-handoff", 1, "truth on thread 101 around 215",
	     "sends handoff 0xa1 io");
	SAYS("22-loss-by-a-gap", 1, "scored in sum");
}

Test(explain, lists_what_is_wrong_and_what_was_missed_most_first)
{
	struct explain *x = open_sample("04-false-join-key-reuse");
	char *text = cell_text(x);

	cr_assert(strstr(text, "wrong claims, most first:\n  1 false join of type io; the first "
			       "is claim 1, {\"c\":\"handoff\""));
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

/* ---- the plain rules, one end against one handoff ---- */

/* Handoff 0 of type io from thread 101 [200, 230] to 102, dst.t [500, 700], ready [300, 400]. */
static struct explain *rules(struct world *w)
{
	static const uint32_t threads[] = {101, 102, 103};
	struct explain *x = calloc(1, sizeof(*x));

	w->t.threads = threads;
	w->t.threads_cnt = 3;
	w->t.keys = 1u << KEY_USER_DATA;
	add_handoff(w, (struct truth_handoff){.id = 0xa1,
					      .type = HANDOFF_IO,
					      .key = {.v = 7, .ns = KEY_USER_DATA},
					      .src_tid = 101,
					      .src_t = {200, 230},
					      .dst_tid = 102,
					      .dst_t = {500, 700},
					      .dst_ready = {300, 400}});
	x->t = w->t;
	x->c = w->c;
	return x;
}

static struct claim claim_at(uint32_t src_tid, uint64_t src_t, uint32_t dst_tid, uint64_t dst_t)
{
	return (struct claim){.kind = CLAIM_HANDOFF,
			      .type = HANDOFF_IO,
			      .ns = KEY_USER_DATA,
			      .has = HAS_SRC | HAS_DST | HAS_KEY,
			      .handoff = {.src_tid = src_tid,
					  .src_t = src_t,
					  .dst_tid = dst_tid,
					  .dst_t = dst_t,
					  .key_v = 7}};
}

static void fits(const struct explain *x, struct claim c, enum end_side side, enum fit_kind kind,
		 uint64_t off)
{
	struct fit f = fit_end(x, &c, side, &x->t.handoffs[0]);

	cr_expect_eq(f.kind, kind, "fit %d, not %d", f.kind, kind);
	cr_expect_eq(f.off, off, "off by %lu, not %lu", f.off, off);
}

Test(explain_fit, holds_a_near_end_to_the_nanosecond)
{
	struct world *w = world_new();
	struct explain *x = rules(w);

	fits(x, claim_at(101, 199, 102, 0), END_SRC, FIT_BEFORE, 1);
	fits(x, claim_at(101, 200, 102, 0), END_SRC, FIT_WINDOW, 0);
	fits(x, claim_at(101, 230, 102, 0), END_SRC, FIT_WINDOW, 0);
	fits(x, claim_at(101, 231, 102, 0), END_SRC, FIT_AFTER, 1);
	free(x);
	world_free(w);
}

Test(explain_fit, holds_a_far_end_in_dst_and_ready)
{
	struct world *w = world_new();
	struct explain *x = rules(w);

	fits(x, claim_at(101, 0, 102, 299), END_DST, FIT_BEFORE, 1);
	fits(x, claim_at(101, 0, 102, 300), END_DST, FIT_READY, 0);
	fits(x, claim_at(101, 0, 102, 400), END_DST, FIT_READY, 0);
	fits(x, claim_at(101, 0, 102, 401), END_DST, FIT_AFTER, 1);
	fits(x, claim_at(101, 0, 102, 499), END_DST, FIT_BEFORE, 1);
	fits(x, claim_at(101, 0, 102, 500), END_DST, FIT_WINDOW, 0);
	fits(x, claim_at(101, 0, 102, 700), END_DST, FIT_WINDOW, 0);
	fits(x, claim_at(101, 0, 102, 701), END_DST, FIT_AFTER, 1);
	free(x);
	world_free(w);
}

Test(explain_fit, asks_a_keyless_end_in_ready_to_be_alone_there)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(101, 0, 102, 400);

	c.has &= (uint16_t)~HAS_KEY;
	fits(x, c, END_DST, FIT_READY, 0);
	/* another type or thread does not count, nor does an end that is not scored */
	add_handoff(w, w->handoffs[0]);
	w->handoffs[1].type = HANDOFF_MSG;
	x->t = w->t;
	fits(x, c, END_DST, FIT_READY, 0);
	w->handoffs[1].type = HANDOFF_IO;
	w->handoffs[1].dst_tid = 103;
	fits(x, c, END_DST, FIT_READY, 0);
	w->handoffs[1].dst_tid = 102;
	w->handoffs[1].dst_t.t1 = 10001;
	fits(x, c, END_DST, FIT_READY, 0);
	w->handoffs[1].dst_t.t1 = 700;
	fits(x, c, END_DST, FIT_READY_SHARED, 0);
	w->handoffs[1].dst_ready.t1 = 399;
	fits(x, c, END_DST, FIT_READY, 0);
	free(x);
	world_free(w);
}

Test(explain_fit, compares_keys_only_where_both_are_comparable)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(101, 210, 102, 600);

	c.handoff.key_v = 8;
	fits(x, c, END_SRC, FIT_KEY, 0);
	fits(x, c, END_DST, FIT_KEY, 0);
	c.ns = KEY_UADDR; /* not in the header: read as absent */
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	c.ns = KEY_OTHER;
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	c.ns = KEY_USER_DATA;
	c.handoff.key_v = 7;
	w->handoffs[0].key.has_scope = 1;
	w->handoffs[0].key.scope = 1;
	fits(x, c, END_SRC, FIT_WINDOW, 0); /* the claim gives no scope */
	c.has |= HAS_SCOPE;
	fits(x, c, END_SRC, FIT_KEY, 0);
	c.handoff.key_scope = 1;
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	w->handoffs[0].key.ns = KEY_NONE;
	c.handoff.key_v = 9;
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	free(x);
	world_free(w);
}

Test(explain_fit, matches_elsewhere_by_key_and_time)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(103, 200, 103, 300);

	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	fits(x, c, END_DST, FIT_ELSEWHERE, 0);
	fits(x, claim_at(103, 199, 103, 299), END_SRC, FIT_BEFORE, 1);
	fits(x, claim_at(103, 400, 103, 400), END_SRC, FIT_ELSEWHERE, 0); /* to ready[1] */
	fits(x, claim_at(103, 401, 103, 401), END_SRC, FIT_AFTER, 1);
	fits(x, claim_at(103, 401, 103, 299), END_DST, FIT_BEFORE, 1);
	fits(x, claim_at(103, 401, 103, 401), END_DST, FIT_AFTER, 1);
	fits(x, claim_at(103, 401, 103, 700), END_DST, FIT_ELSEWHERE, 0);
	c.has &= (uint16_t)~HAS_KEY;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	c.has |= HAS_KEY;
	c.handoff.key_v = 8;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	free(x);
	world_free(w);
}

Test(explain_fit, asks_strange_threads_to_be_the_kernels)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(9, 200, 9, 300);

	fits(x, c, END_SRC, FIT_MUTE, 0);
	fits(x, c, END_DST, FIT_MUTE, 0);
	c.has |= HAS_DST_KERNEL;
	fits(x, c, END_SRC, FIT_MUTE, 0);
	fits(x, c, END_DST, FIT_ELSEWHERE, 0);
	c.has |= HAS_SRC_KERNEL;
	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	w->handoffs[0].type = c.type = HANDOFF_WAKE; /* a type without identity level */
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	w->handoffs[0].type = c.type = HANDOFF_WORK;
	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	w->handoffs[0].type = c.type = HANDOFF_TIMER;
	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	free(x);
	world_free(w);
}

Test(explain_fit, has_no_end_outside_scored_nor_of_another_type)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(101, 210, 102, 600);

	c.type = HANDOFF_MSG;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	c.type = HANDOFF_IO;
	x->t.scored = (struct window){201, 700};
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	fits(x, c, END_DST, FIT_WINDOW, 0);
	x->t.scored = (struct window){200, 699};
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	fits(x, c, END_DST, FIT_NOTHING, 0);
	fits(x, claim_at(103, 210, 102, 600), END_SRC, FIT_NOTHING,
	     0); /* a src elsewhere needs dst */
	x->t.scored = (struct window){0, 10000};
	w->handoffs[0].has = TH_DST;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	c.has = HAS_SRC;
	fits(x, c, END_DST, FIT_NOTHING, 0);
	free(x);
	world_free(w);
}

/* ---- tables ---- */

static char *table_text(const char *sample, enum table_by by)
{
	char truth[128], claims[128], *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct diag d = {0};
	struct score *s;

	snprintf(truth, sizeof(truth), SAMPLES "%s/truth.jsonl", sample);
	snprintf(claims, sizeof(claims), SAMPLES "%s/claims.jsonl", sample);
	s = score_files(truth, claims, NULL, &d);
	cr_assert(s);
	cr_assert_eq(score_table(s, by, f), 0);
	fclose(f);
	score_free(s);
	return text;
}

Test(tables, print_a_line_a_mark_at_each_level)
{
	char *text = table_text("16-one-ended-named-and-joined", TABLE_BY_MARK);

	cr_assert(strstr(text, "context, by mark "));
	cr_assert(strstr(text, "identity, by mark "));
	cr_assert(strstr(text,
			 "  cancelled                 1        3        1      0      1      "
			 "0      0      1       0  0.5000  1.0000  0.6667  0.5000   0.0000\n"),
		  "%s", text);
	cr_assert(strstr(text,
			 "  lost                      0        1        0      0      0      "
			 "0      0      1       0       -       -       -       -        -\n"),
		  "%s", text);
	free(text);
}

Test(tables, print_types_and_sources)
{
	char *text = table_text("08-context-and-identity", TABLE_BY_TYPE);

	cr_assert(strstr(text, "  work                      2        1        1"));
	cr_assert(strstr(text, "  declared  "));
	cr_assert(strstr(text, "orphan/t  can be seen\n"));
	cr_assert(strstr(text, "   0.0000  yes\n"), "%s", text);
	cr_assert_null(strstr(text, "  wake  "));
	free(text);
	text = table_text("08-context-and-identity", TABLE_BY_SOURCE);
	cr_assert(strstr(text, "context, by source"));
	cr_assert_null(strstr(text, "kernel"));
	free(text);
}

Test(tables, know_their_words)
{
	cr_assert_eq(table_by_parse("type"), TABLE_BY_TYPE);
	cr_assert_eq(table_by_parse("mark"), TABLE_BY_MARK);
	cr_assert_eq(table_by_parse("source"), TABLE_BY_SOURCE);
	cr_assert_eq(table_by_parse("colour"), -1);
	cr_assert_str_eq(table_by_name(TABLE_BY_SOURCE), "source");
}

Test(tables, are_refused_where_there_is_no_score)
{
	struct diag d = {0};
	struct score *s = score_files(SAMPLES "27-broken-overlapping-segments/truth.jsonl",
				      SAMPLES "01-perfect/claims.jsonl", NULL, &d);

	cr_assert_eq(score_table(s, TABLE_BY_TYPE, stdout), -EINVAL);
	score_free(s);
}
