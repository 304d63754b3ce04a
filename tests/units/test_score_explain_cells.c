/* SPDX-License-Identifier: BSD-2-Clause */
/* `assay explain` on cells made up for one question each. */
#include "tests/units/score_explained.h"

/* A chain of three windows of one key; two only touch it, one has another key. The last
 * claim matches only the third window: the batch is found through the second. */
Test(explain_cells, follows_a_batch_to_both_ends_of_its_chain)
{
	static const char truth[] = HEAD SENT("0xa1", 3, "0x7", "[200,215]", "[300,310]",
					      "[400,410]") SENT("0xa2", 1, "0x7", "[210,225]",
								"[320,330]", "[420,430]")
		SENT("0xa3", 2, "0x7", "[220,235]", "[340,350]",
		     "[440,450]") SENT("0xa4", 4, "0x7", "[235,240]", "[360,370]", "[460,470]")
			SENT("0xa5", 5, "0x8", "[200,239]", "[380,390]", "[480,490]")
				SENT("0xa6", 6, "0x7", "[190,200]", "[381,391]", "[481,491]")
					CLOSE(6, 0);
	static const char claims[] =
		CLAIMS JOINED(205, 345, "0x7") JOINED(212, 405, "0x7") JOINED(228, 425, "0x7")
			JOINED(238, 465, "0x7") JOINED(201, 485, "0x8") JOINED(228, 445, "0x7");
	struct explain *x = open_text(truth, claims);
	char *text = claim_text(x, 3);

	cr_assert(strstr(text,
			 "rank: windows of 3 handoffs with this key overlap here; claims give "
			 "3 distinct times, so each means one"),
		  "%s", text);
	cr_assert(strstr(text,
			 "      seq 1: 0xa2, meant by the time 205\n      seq 2: 0xa3, meant by "
			 "the time 212\n      seq 3: 0xa1, meant by the time 228\n"),
		  "%s", text);
	free(text);
	text = claim_text(x, 1); /* meets the first handoff alone */
	cr_assert(strstr(text, "rank: windows of 3 handoffs"), "%s", text);
	free(text);
	explain_free(x);
}

Test(explain_cells, says_when_there_are_not_as_many_times)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]", "[400,410]")
			SENT("0xa2", 2, "0x7", "[210,240]", "[300,330]", "[420,430]") CLOSE(2, 0);
	static const char claims[] = CLAIMS JOINED(215, 305, "0x7");
	struct explain *x = open_text(truth, claims);
	char *text = claim_text(x, 1);

	cr_assert(strstr(text, "windows of 2 handoffs with this key overlap here; claims give 1 "
			       "distinct times, which is not as many: times are not ranked\n      "
			       "seq 1: 0xa1\n      seq 2: 0xa2\n"),
		  "%s", text);
	cr_assert(strstr(text, "take 1: 0xa1\n      take 2: 0xa2\n"), "%s", text);
	free(text);
	explain_free(x);
}

Test(explain_cells, puts_the_most_frequent_error_first)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]", "[400,410]") CLOSE(1, 0);
	static const char claims[] =
		CLAIMS JOINED(215, 5000, "0x7") JOINED(3000, 5000, "0x7") JOINED(3100, 5000, "0x7");
	struct explain *x = open_text(truth, claims);
	char *text = cell_text(x);

	cr_assert(strstr(text, "wrong claims, most first:\n  2 spurious of type io, at both "
			       "levels; the first is claim 2, "),
		  "%s", text);
	cr_assert(strstr(text, "\n  1 half of type io, at both levels; the first is claim 1, "),
		  "%s", text);
	free(text);
	explain_free(x);
}

/* Who declares one type asks what was missed of that; the rest is a sum. */
Test(explain_cells, adds_up_what_was_missed_of_other_types)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]",
			  "[400,410]") "{\"r\":\"handoff\",\"id\":\"0xa2\",\"type\":\"wake\","
				       "\"src\":{\"op\":\"0x1\","
				       "\"tid\":101,\"t\":[240,250]},\"dst\":{\"op\":\"0x1\","
				       "\"tid\":102,\"ready\":[320,"
				       "330],\"t\":[420,430]},\"marks\":[]}\n" CLOSE(2, 0);
	struct explain *x = open_text(truth, CLAIMS JOINED(215, 5000, "0x7"));
	char *text = cell_text(x);

	cr_assert(strstr(text, "see one: the same command and the claim's number, such as 1\n"),
		  "%s", text);
	cr_assert(strstr(text, "missed at context level: 2 of 2 handoffs, most first:\n  1 of type "
			       "io: nothing"),
		  "%s", text);
	cr_assert(strstr(text, "\n  of types that it does not declare: 1 wake\n"), "%s", text);
	cr_assert(!strstr(text, "of type wake"), "%s", text);
	free(text);
	explain_free(x);
}

/* One end that is true, and one of a type that it does not declare, the first of all. */
Test(explain_cells, an_orphan_that_speaks_true_is_not_wrong)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]", "[400,410]") CLOSE(1, 0);
	struct explain *x = open_text(
		truth,
		"{\"claims\":1,\"profiler\":\"x\",\"version\":\"1\",\"clock\":\"monotonic\","
		"\"declares\":[\"handoff:wake\"]}\n"
		"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},\"dst\":null,"
		"\"key\":{\"ns\":\"user_data\",\"v\":\"0x7\"}}\n");
	char *text = cell_text(x);

	cr_assert_str_eq(text, "no claim is wrong\n"
			       "missed at context level: 1 of 1 handoffs, most first:\n"
			       "  of types that it does not declare: 1 io\n");
	free(text);
	explain_free(x);
}

/* The first is half in context and right by its key; the second has no verdict in context. */
Test(explain_cells, lists_what_is_wrong_in_context_or_for_kernel_ends_by_identity)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]", "[400,410]") CLOSE(1, 0);
	static const char claims[] = CLAIMS
		"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},\"dst\":{"
		"\"tid\":101,"
		"\"t\":305},\"key\":{\"ns\":\"user_data\",\"v\":\"0x7\"}}\n"
		"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":3000},\"dst\":{"
		"\"tid\":9,"
		"\"t\":3100,\"kernel\":true},\"key\":{\"ns\":\"user_data\",\"v\":\"0x7\"}}\n";
	struct explain *x = open_text(truth, claims);
	char *text = cell_text(x);

	cr_assert(
		strstr(text, "  1 half of type io, at context level alone; the first is claim 1, "),
		"%s", text);
	cr_assert(
		strstr(text,
		       "  1 spurious of type io, at identity level alone; the first is claim 2, "),
		"%s", text);
	free(text);
	explain_free(x);
}

/* More candidates and members than are shown. */
Test(explain_cells, shows_the_first_of_many)
{
	char truth[8192] = HEAD, *text;
	struct explain *x;
	size_t members = 0;

	for (unsigned i = 1; i <= 10; i++)
		sprintf(truth + strlen(truth),
			SENT("0xa%x", 1, "0x7", "[200,230]", "[300,310]", "[400,410]"), i);
	for (char *seq = truth; (seq = strstr(seq, "\"seq\":1,")); seq++)
		seq[6] = (char)('0' + members++);
	strcat(truth, CLOSE(10, 0));
	x = open_text(truth, CLAIMS JOINED(215, 405, "0x7"));
	text = claim_text(x, 1);
	cr_assert(strstr(text, "    0xa8 io, key"));
	cr_assert_null(strstr(text, "    0xa9 io, key"));
	cr_assert(strstr(text, "\n    and 2 more that match\n"), "%s", text);
	cr_assert(strstr(text, "windows of 10 handoffs"));
	cr_assert(strstr(text, "seq 7: 0xa8"), "%s", text);
	cr_assert_null(strstr(text, "seq 8: "));
	free(text);
	explain_free(x);
}

static const char amb_truth[] = HEAD
	"{\"r\":\"handoff\",\"id\":\"0xa1\",\"type\":\"wake\",\"src\":{\"op\":\"0x1\",\"tid\":101,"
	"\"t\":[200,230]},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"ready\":[300,310],\"t\":[400,410]},"
	"\"amb\":\"0xc1\",\"marks\":[]}\n"
	"{\"r\":\"handoff\",\"id\":\"0xa2\",\"type\":\"wake\",\"src\":{\"op\":\"0x1\",\"tid\":101,"
	"\"t\":[240,250]},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"ready\":[320,330],\"t\":[420,430]},"
	"\"amb\":\"0xc1\",\"marks\":[]}\n"
	"{\"r\":\"handoff\",\"id\":\"0xa3\",\"type\":\"wake\",\"src\":{\"op\":\"0x1\",\"tid\":101,"
	"\"t\":[260,270]},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"ready\":[340,350],\"t\":[440,450]},"
	"\"marks\":[]}\n"
	"{\"r\":\"handoff\",\"id\":\"0xa4\",\"type\":\"wake\",\"src\":{\"op\":\"0x1\",\"tid\":101,"
	"\"t\":[280,290]},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"ready\":[360,370],\"t\":[460,470]},"
	"\"amb\":\"0xc2\",\"marks\":[]}\n" CLOSE(4, 0);
static const char amb_truth_free[] = HEAD
	"{\"r\":\"handoff\",\"id\":\"0xa1\",\"type\":\"wake\",\"src\":{\"op\":\"0x1\",\"tid\":101,"
	"\"t\":[200,230]},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"ready\":[300,310],\"t\":[400,410]},"
	"\"marks\":[]}\n"
	"{\"r\":\"handoff\",\"id\":\"0xa2\",\"type\":\"wake\",\"src\":{\"op\":\"0x1\",\"tid\":101,"
	"\"t\":[220,250]},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"ready\":[320,330],\"t\":[420,430]},"
	"\"marks\":[]}\n" CLOSE(2, 0);
#define WOKEN(src, dst)                                                                            \
	"{\"c\":\"handoff\",\"type\":\"wake\",\"src\":{\"tid\":101,\"t\":" #src                    \
	"},\"dst\":{\"tid\":102,\"t\":" #dst "}}\n"

Test(explain_cells, widens_by_one_group_and_no_more)
{
	static const struct {
		const char *claim, *want;
	} rows[] = {
		{WOKEN(215, 425), "context level: right, because credited with 0xa1"},
		{WOKEN(265, 405),
		 "its src is the near end of 0xa3, its dst the far end of 0xa1 (and of "
		 "1 more), and no handoff is in both"},
		{WOKEN(285, 425),
		 "its src is the near end of 0xa4, its dst the far end of 0xa1 (and of "
		 "1 more), and no handoff is in both"},
		{WOKEN(215, 445),
		 "its src is the near end of 0xa1, its dst the far end of 0xa3, and no "
		 "handoff is in both"},
		{WOKEN(215, 465), "its dst the far end of 0xa4, and no handoff is in both"},
	};

	for (size_t i = 0; i < 5; i++) {
		char claims[1024], *text;
		struct explain *x;

		snprintf(claims, sizeof(claims), CLAIMS "%s", rows[i].claim);
		x = open_text(amb_truth, claims);
		text = claim_text(x, 1);
		cr_assert(strstr(text, rows[i].want), "row %zu: %s", i, text);
		free(text);
		explain_free(x);
	}
}

Test(explain_cells, shows_another_key_only_where_the_time_would_match)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]", "[400,410]") CLOSE(1, 0);
	static const struct {
		const char *claim;
		unsigned differ;
	} rows[] = {
		{JOINED(215, 5000, "0x8"), 1}, {JOINED(3000, 5000, "0x8"), 0},
		{JOINED(3000, 405, "0x8"), 1}, {JOINED(3000, 305, "0x8"), 1},
		{JOINED(215, 405, "0x8"), 2},  {JOINED(305, 350, "0x8"), 0},
	};

	for (size_t i = 0; i < 6; i++) {
		char claims[1024], *text, *at;
		struct explain *x;
		unsigned differ = 0;

		snprintf(claims, sizeof(claims), CLAIMS "%s", rows[i].claim);
		x = open_text(truth, claims);
		at = text = claim_text(x, 1);
		for (; (at = strstr(at, "the keys differ")); at++)
			differ++;
		cr_assert_eq(differ, rows[i].differ, "row %zu: %s", i, text);
		free(text);
		explain_free(x);
	}
}

/* 0xa1 and 0xa2 are one amb group: D of a claim that meets one holds both. */
Test(explain_cells, widens_the_far_end_by_the_amb_group)
{
	struct explain *x = open_sample("14-amb-any-pairing");
	char *text = claim_text(x, 1);

	cr_assert(strstr(text, "context level: right, because credited with 0xa1"), "%s", text);
	cr_assert(strstr(text, "amb group 0xc1"), "%s", text);
	free(text);
	explain_free(x);
}

/* Two handoffs of one key from one send window each, said to come from one src observation. */
Test(explain_cells, says_that_one_src_observation_credits_one_handoff)
{
	struct explain *x = open_text(amb_truth_free, CLAIMS WOKEN(225, 405) WOKEN(225, 425));
	char *text = claim_text(x, 2);

	cr_assert(strstr(text,
			 "duplicate, because both ends are those of 0xa2, but its src observation "
			 "is already credited with another"),
		  "%s", text);
	free(text);
	explain_free(x);
}

#define FRAME_EVENT(event, t)                                                                      \
	"{\"r\":\"event\",\"event\":\"" event "\",\"class\":\"pool.frame\",\"instance\":\"0x55\"," \
	"\"life\":\"0xb1\",\"units\":1,\"op\":\"0x1\",\"tid\":101,\"t\":" t ",\"desc\":1}\n"
#define FRAME_CLAIM(event, tid, t, rest)                                                           \
	"{\"c\":\"event\",\"event\":\"" event "\",\"class\":\"pool.frame\",\"tid\":" #tid          \
	",\"t\":" #t rest "}\n"

Test(explain_cells, shows_the_nearest_event_to_one_that_meets_none)
{
	static const char truth[] = HEAD FRAME_EVENT("ACQUIRE", "[100,110]")
		FRAME_EVENT("USE", "[200,210]") FRAME_EVENT("USE", "[300,310]")
			FRAME_EVENT("RELEASE", "[400,410]") CLOSE(0, 4);
	static const struct {
		const char *claim, *want;
	} rows[] = {
		{FRAME_CLAIM("USE", 101, 290, ""), "[300, 310], 10 ns away"},
		{FRAME_CLAIM("USE", 101, 217, ""), "[200, 210], 7 ns away"},
		{FRAME_CLAIM("USE", 101, 199, ""), "[200, 210], 1 ns away"},
		{FRAME_CLAIM("USE", 101, 255, ""), "[200, 210], 45 ns away"}, /* as is the next */
		{FRAME_CLAIM("USE", 102, 205, ""), "no such event of that class on that thread"},
		{FRAME_CLAIM("WAIT", 101, 205, ""), "no such event of that class on that thread"},
		{FRAME_CLAIM("USE", 101, 205, ",\"units\":1,\"desc\":2"),
		 "it names descriptor 2, truth descriptor 1"},
		{FRAME_CLAIM("USE", 101, 205, ",\"units\":2,\"desc\":1"),
		 "its units are not equal"},
		{FRAME_CLAIM("USE", 101, 205, ""), "its units are not equal"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char claims[1024], *text;
		struct explain *x;

		snprintf(claims, sizeof(claims), CLAIMS "%s", rows[i].claim);
		x = open_text(truth, claims);
		text = claim_text(x, 1);
		cr_assert(strstr(text, rows[i].want), "row %zu: %s", i, text);
		cr_assert_eq(i < 6, strstr(text, "  unpaired: ") != NULL, "row %zu", i);
		cr_assert_eq(i == 6, strstr(text, "it names descriptor") != NULL, "row %zu", i);
		free(text);
		explain_free(x);
	}
}

/* Of many records the last four that begin by then, the next four, and those that hold it. */
Test(explain_cells, shows_truth_around_a_moment)
{
	static const char truth[] = HEAD FRAME_EVENT("ACQUIRE", "[100,900]") FRAME_EVENT(
		"USE", "[200,201]") FRAME_EVENT("USE", "[210,211]") FRAME_EVENT("USE", "[220,221]")
		FRAME_EVENT("USE", "[230,231]") FRAME_EVENT("USE", "[240,241]")
			FRAME_EVENT("USE", "[250,251]") FRAME_EVENT("USE", "[260,261]")
				FRAME_EVENT("USE", "[270,271]") FRAME_EVENT("USE", "[280,281]")
					FRAME_EVENT("USE", "[290,291]")
						FRAME_EVENT("RELEASE", "[950,951]") CLOSE(0, 12);
	struct explain *x = open_text(truth, CLAIMS FRAME_CLAIM("USE", 101, 240, ""));
	char *text = claim_text(x, 1);

	cr_assert(strstr(text, "  truth on thread 101 around 240:\n"
			       "    [100, 900] ACQUIRE 0x55 pool.frame\n"
			       "    [210, 211] USE 0x55 pool.frame\n"
			       "    [220, 221] USE 0x55 pool.frame\n"
			       "    [230, 231] USE 0x55 pool.frame\n"
			       "    [240, 241] USE 0x55 pool.frame\n"
			       "    240 <- the claim\n"
			       "    [250, 251] USE 0x55 pool.frame\n"
			       "    [260, 261] USE 0x55 pool.frame\n"
			       "    [270, 271] USE 0x55 pool.frame\n"
			       "    [280, 281] USE 0x55 pool.frame\n"),
		  "%s", text);
	cr_assert_null(strstr(text, "[290"));
	cr_assert_null(strstr(text, "[200"));
	free(text);
	explain_free(x);
}

Test(explain_cells, says_that_another_claim_has_the_event)
{
	static const char truth[] = HEAD FRAME_EVENT("ACQUIRE", "[100,110]")
		FRAME_EVENT("RELEASE", "[400,410]") CLOSE(0, 2);
	static const char claims[] =
		CLAIMS FRAME_CLAIM("ACQUIRE", 101, 105, ",\"units\":1,\"desc\":1")
			FRAME_CLAIM("ACQUIRE", 101, 106, ",\"units\":1,\"desc\":1");
	struct explain *x = open_text(truth, claims);
	char *text = claim_text(x, 1);

	cr_assert(strstr(text, "paired with ACQUIRE of pool.frame 0x55"));
	cr_assert_null(strstr(text, "not equal"));
	cr_assert_null(strstr(text, "it names descriptor"));
	free(text);
	text = claim_text(x, 2);
	cr_assert(strstr(text,
			 "[100, 110]: its window holds the time, but it is paired with another"),
		  "%s", text);
	free(text);
	explain_free(x);
}

/* As of another run, or by another clock. */
Test(explain_cells, counts_what_has_no_verdict_at_either_level)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]", "[400,410]") CLOSE(1, 0);
	struct explain *x =
		open_text(truth, CLAIMS JOINED(215, 305, "0x7") JOINED(20000, 20100, "0x7")
					 JOINED(30000, 30100, "0x7"));
	char *text = cell_text(x);

	cr_assert_str_eq(text, "no claim is wrong\n"
			       "not scored: 2 of 3 handoff claims, outside the scored time or on "
			       "threads that truth does not know; the first is claim 2\n"
			       "missed at context level: 0 of 1 handoffs\n");
	free(text);
	explain_free(x);
}

/* Of another run; beside one of this run; with a key that nothing used; none at all. */
Test(explain_cells, claims_are_unjudged_only_where_not_one_has_a_verdict)
{
	static const char truth[] =
		HEAD SENT("0xa1", 1, "0x7", "[200,230]", "[300,310]", "[400,410]") CLOSE(1, 0);
	static const struct {
		const char *claims;
		uint64_t unjudged;
	} cases[] = {
		{CLAIMS JOINED(20000, 20100, "0x7") JOINED(30000, 30100, "0x7"), 2},
		{CLAIMS JOINED(20000, 20100, "0x7") JOINED(215, 305, "0x7"), 0},
		{CLAIMS JOINED(215, 305, "0x8"), 0},
		{CLAIMS, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct score *s = score_text(truth, cases[i].claims);

		cr_expect_eq(score_unjudged(s), cases[i].unjudged, "case %zu", i);
		score_free(s);
	}
}
