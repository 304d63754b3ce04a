/* SPDX-License-Identifier: BSD-2-Clause */
/* `assay explain` on rank batches, and on what does not belong to one. */
#include "tests/units/score_explained.h"

/* Claim `number` of the cell is told so. */
static void tells(const char *truth, const char *claims, size_t number, const char *want)
{
	struct explain *x = open_text(truth, claims);
	char *text = claim_text(x, number);

	cr_assert(strstr(text, want), "no %s in %s", want, text);
	free(text);
	explain_free(x);
}

#define TAKEN(id, seq, take, type, src, ready, dst)                                                \
	"{\"r\":\"handoff\",\"id\":\"" id "\",\"type\":\"" type "\",\"seq\":" #seq                 \
	",\"key\":{\"ns\":\"user_data\",\"v\":\"0x7\"},\"src\":{\"op\":\"0x1\",\"tid\":101,"       \
	"\"t\":" src "},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"take\":" #take ",\"ready\":" ready   \
	",\"t\":" dst "},\"marks\":[]}\n"
#define END_OF(type, tid, t, key)                                                                  \
	"{\"c\":\"handoff\",\"type\":\"" type "\",\"src\":{\"tid\":" #tid ",\"t\":" #t             \
	",\"kernel\":true},\"dst\":null" key "}\n"
#define KEY_7 ",\"key\":{\"ns\":\"user_data\",\"v\":\"0x7\"}"
#define KEY_8 ",\"key\":{\"ns\":\"user_data\",\"v\":\"0x8\"}"

/* Sent first is taken last: one side goes by seq, the other by take. */
static const char crossed[] = HEAD TAKEN("0xa1", 1, 2, "io", "[200,230]", "[300,330]", "[600,700]")
	TAKEN("0xa2", 2, 1, "io", "[210,240]", "[310,340]", "[400,590]") CLOSE(2, 0);

Test(explain_batch, goes_by_seq_where_sent_and_by_take_where_received)
{
	static const char claims[] = CLAIMS JOINED(215, 325, "0x7") JOINED(225, 315, "0x7");

	tells(crossed, claims, 1,
	      "seq 1: 0xa1, meant by the time 215\n      seq 2: 0xa2, meant by the time 225\n");
	tells(crossed, claims, 1,
	      "take 1: 0xa2, meant by the time 315\n      take 2: 0xa1, meant by the time 325\n");
}

/* A claim may match by dst.t alone, and then gives no time in the windows of the batch. */
Test(explain_batch, counts_no_time_where_none_is_given)
{
	tells(crossed, CLAIMS JOINED(3000, 650, "0x7"), 1,
	      "windows of 2 handoffs with this key overlap here; claims give 0 distinct times");
}

Test(explain_batch, holds_one_type_alone)
{
	static const char truth[] =
		HEAD TAKEN("0xa1", 1, 1, "io", "[200,230]", "[300,330]", "[400,590]")
			TAKEN("0xa2", 2, 2, "io", "[210,240]", "[310,340]", "[600,700]")
				TAKEN("0xa3", 3, 3, "msg", "[220,250]", "[320,350]", "[710,720]")
					CLOSE(3, 0);

	tells(truth, CLAIMS JOINED(215, 325, "0x7"), 1, "rank: windows of 2 handoffs");
}

/* Times of other types, keys and threads, of claims without a key, and outside of the windows. */
Test(explain_batch, asks_claims_of_its_type_key_and_thread)
{
	static const char claims[] = CLAIMS JOINED(215, 3000, "0x7") END_OF("msg", 101, 216, KEY_7)
		END_OF("io", 101, 217, KEY_8) END_OF("io", 7, 218, KEY_7) END_OF("io", 101, 219, "")
			END_OF("io", 101, 199, KEY_7) END_OF("io", 101, 241, KEY_7)
				JOINED(225, 3000, "0x7") END_OF("io", 101, 225, KEY_7);

	tells(crossed, claims, 1,
	      "claims give 2 distinct times, so each means one of them, in order\n"
	      "      seq 1: 0xa1, meant by the time 215\n"
	      "      seq 2: 0xa2, meant by the time 225\n");
}

/* As many candidates as are shown: none is left to be counted. */
Test(explain_batch, speaks_of_more_only_where_there_are_more)
{
	char truth[8192] = HEAD, *text;
	struct explain *x;
	size_t members = 0;

	for (unsigned i = 1; i <= 8; i++)
		sprintf(truth + strlen(truth),
			SENT("0xa%x", 1, "0x7", "[200,230]", "[300,310]", "[400,410]"), i);
	for (char *seq = truth; (seq = strstr(seq, "\"seq\":1,")); seq++)
		seq[6] = (char)('0' + members++);
	strcat(truth, CLOSE(8, 0));
	x = open_text(truth, CLAIMS JOINED(215, 405, "0x7"));
	text = claim_text(x, 1);
	cr_assert(strstr(text, "    0xa8 io, key"));
	cr_assert_null(strstr(text, "more that match"), "%s", text);
	free(text);
	explain_free(x);
}

/* An end that is given and false, without the other. */
Test(explain_batch, tells_a_false_orphan)
{
	static const char claims[] = CLAIMS END_OF("io", 101, 5000, KEY_7);
	struct explain *x = open_text(crossed, claims);
	char *text = cell_text(x);

	cr_assert(strstr(text, "1 spurious of type io, at both levels (orphans: the end that they "
			       "name is false); the first is claim 1, "),
		  "%s", text);
	free(text);
	explain_free(x);
	tells(crossed, claims, 1, "context level: spurious, because it names one end, and no");
}

/* Of a thread that is none of the application's truth has nothing to show. */
Test(explain_batch, shows_no_truth_of_a_strange_thread)
{
	struct explain *x = open_text(crossed, CLAIMS END_OF("io", 7, 215, KEY_7));
	char *text = claim_text(x, 1);

	cr_assert(strstr(text, "src: thread 7, none of the application's at 215"), "%s", text);
	cr_assert_null(strstr(text, "truth on thread"), "%s", text);
	free(text);
	explain_free(x);
}

/* The whole of what stands on a thread: its own ends alone, and the first line too. */
Test(explain_batch, shows_what_a_thread_did_and_no_other)
{
	tells(HEAD TAKEN("0xa1", 1, 1, "io", "[200,230]", "[300,330]", "[400,590]") CLOSE(1, 0),
	      CLAIMS JOINED(215, 450, "0x7"), 1,
	      "  truth on thread 101 around 215:\n"
	      "    [10, 12] begins operation 0x1 get\n"
	      "    [200, 230] sends handoff 0xa1 io\n"
	      "    215 <- the claim\n"
	      "    [9000, 9005] ends operation 0x1\n");
	tells(HEAD TAKEN("0xa1", 1, 1, "io", "[200,230]", "[300,330]", "[400,590]") CLOSE(1, 0),
	      CLAIMS JOINED(215, 450, "0x7"), 1,
	      "  truth on thread 102 around 450:\n"
	      "    [300, 330] may receive handoff 0xa1 io\n"
	      "    [400, 590] handles handoff 0xa1 io\n"
	      "    450 <- the claim\n");
}
