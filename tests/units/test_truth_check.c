/* SPDX-License-Identifier: BSD-2-Clause */
/* Every self-check of contracts §2: a truth that fails it alone, and its neighbour that passes. */
#include "tests/units/truth_help.h"

#define BEGIN1 "{\"r\":\"begin\",\"op\":\"0x1\",\"kind\":\"get\",\"tid\":101,\"t\":[100,110]}\n"
#define BEGIN2 "{\"r\":\"begin\",\"op\":\"0x2\",\"kind\":\"get\",\"tid\":102,\"t\":[100,110]}\n"
#define END1   "{\"r\":\"end\",\"op\":\"0x1\",\"tid\":101,\"t\":[900,910]}\n"
#define END2   "{\"r\":\"end\",\"op\":\"0x2\",\"tid\":102,\"t\":[900,910]}\n"
#define SEGMENT(op, tid, from, to)                                                                 \
	"{\"r\":\"segment\",\"op\":" #op ",\"tid\":" #tid ",\"t\":[" #from "," #to "]}\n"
#define SRC(op, tid, from, to) "\"src\":{\"op\":" #op ",\"tid\":" #tid ",\"t\":[" #from "," #to "]}"
#define DST(op, tid, r0, r1, t0, t1)                                                               \
	"\"dst\":{\"op\":" #op ",\"tid\":" #tid ",\"ready\":[" #r0 "," #r1 "],\"t\":[" #t0 "," #t1 \
	"]}"
#define HANDOFF(id, ends, marks)                                                                   \
	"{\"r\":\"handoff\",\"id\":" #id ",\"type\":\"io\"," ends ",\"marks\":[" marks "]}\n"
#define EVENT(kind, cls, inst, life, units)                                                        \
	"{\"r\":\"event\",\"event\":\"" kind "\",\"class\":\"" cls "\",\"instance\":" #inst        \
	",\"life\":" #life ",\"units\":" #units ",\"op\":1,\"tid\":101,\"t\":[300,301]}\n"
#define LIVE(life, units) "{\"r\":\"live\",\"life\":" #life ",\"units\":" #units "}\n"
#define START(life, units)                                                                         \
	"{\"r\":\"live\",\"life\":" #life ",\"units\":" #units ",\"at\":\"start\"}\n"

static void passes(const char *text)
{
	struct diag d;

	cr_assert(check_text(text, &d) == 0, "line %llu: %s", (unsigned long long)d.line, d.reason);
}

static void fails(const char *text, uint64_t line, const char *says)
{
	struct diag d;

	cr_assert(check_text(text, &d) == -EINVAL, "passed: %s", text);
	cr_assert(strstr(d.reason, says) != NULL, "says %s and not %s", d.reason, says);
	cr_assert(d.line == line, "line %llu for: %s", (unsigned long long)d.line, d.reason);
	cr_assert(!strcmp(d.file, "t.jsonl") && d.cure[0]);
}

static void fails_alone(const char *path, const char *says)
{
	size_t len;
	char *text = read_bytes(path, &len);
	struct diag d;

	cr_assert(check_text(text, &d) == -EINVAL);
	cr_assert(strstr(d.reason, says) != NULL, "says %s", d.reason);
	free(text);
}

Test(truth_check, passes_the_contract_and_every_sound_sample)
{
	static const char *const names[] = {
		"contract",
		"01-perfect",
		"09-multishot",
		"11-rank-src-swap",
		"12-ready-without-key-unique",
		"13-ready-without-key-two-windows",
		"14-amb-any-pairing",
		"15-decoy-key-nobody-used",
		"16-one-ended-named-and-joined",
		"18-life-exactness-merged-and-split",
		"19-cost-inclusion-probability",
		"21-stale-localised",
		"22-loss-by-a-gap",
		"23-brier",
		"24-effect-of-a-handoff",
		"25-ids-above-2-53",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128], *text;
		size_t len;

		snprintf(path, sizeof(path), "tests/units/data/truth/%s.jsonl", names[i]);
		text = read_bytes(path, &len);
		passes(text);
		free(text);
	}
}

Test(truth_check, refuses_the_sample_with_overlapping_segments)
{
	fails_alone("tests/units/data/truth/27-broken-overlapping-segments.jsonl",
		    "segments of thread 102 overlap");
}

Test(truth_check, wants_one_close_record_that_is_the_last)
{
	passes(HEADER CLOSE(0, 0, 0, 0, 0));
	fails(HEADER, 1, "no close record");
	fails(HEADER BEGIN1 END1, 3, "no close record");
	fails(HEADER CLOSE(0, 0, 0, 0, 0) CLOSE(0, 0, 0, 0, 0), 2, "2 close records");
	fails(HEADER CLOSE(1, 1, 0, 0, 0) BEGIN1 END1, 2, "not the last");
	fails(HEADER
	      "{\"r\":\"close\",\"counts\":{\"begin\":0,\"end\":0,\"segment\":0,\"handoff\":0,"
	      "\"event\":0},\"full\":true}\n",
	      2, "the log was full");
}

Test(truth_check, compares_the_workloads_counters_with_the_records)
{
#define ALL                                                                                        \
	HEADER BEGIN1 SEGMENT(1, 101, 110, 200)                                                    \
		HANDOFF(7, SRC(1, 101, 120, 130) "," DST(1, 102, 120, 140, 120, 150), "")          \
			EVENT("USE", "c", 5, 6, 1) END1
	passes(ALL CLOSE(1, 1, 1, 1, 1));
	fails(ALL CLOSE(2, 1, 1, 1, 1), 7, "counted 2 begin records and recorded 1");
	fails(ALL CLOSE(1, 0, 1, 1, 1), 7, "counted 0 end records and recorded 1");
	fails(ALL CLOSE(1, 1, 0, 1, 1), 7, "counted 0 segment records and recorded 1");
	fails(ALL CLOSE(1, 1, 1, 9, 1), 7, "counted 9 handoff records and recorded 1");
	fails(ALL CLOSE(1, 1, 1, 1, 0), 7, "counted 0 event records and recorded 1");
}

Test(truth_check, wants_every_thread_listed)
{
	fails(HEADER
	      "{\"r\":\"begin\",\"op\":1,\"kind\":\"k\",\"tid\":103,\"t\":[1,2]}\n" END1 CLOSE(
		      1, 1, 0, 0, 0),
	      2, "thread 103 is not listed");
	fails(HEADER BEGIN1 "{\"r\":\"end\",\"op\":1,\"tid\":0,\"t\":[1,2]}\n" CLOSE(1, 1, 0, 0, 0),
	      3, "thread 0 is not listed");
	fails(HEADER BEGIN1 SEGMENT(1, 7, 110, 120) END1 CLOSE(1, 1, 1, 0, 0), 3, "thread 7");
	fails(HEADER BEGIN1 HANDOFF(7, SRC(1, 8, 120, 130), "\"lost\"") END1 CLOSE(1, 1, 0, 1, 0),
	      3, "thread 8");
	fails(HEADER BEGIN1 HANDOFF(7, DST(1, 9, 120, 140, 120, 150), "\"lost\"")
		      END1 CLOSE(1, 1, 0, 1, 0),
	      3, "thread 9");
	fails(HEADER BEGIN1
	      "{\"r\":\"event\",\"event\":\"USE\",\"class\":\"c\",\"instance\":1,"
	      "\"life\":1,\"units\":1,\"op\":1,\"tid\":10,\"t\":[1,2]}\n" END1 CLOSE(1, 1, 0, 0, 1),
	      3, "thread 10");
	fails(HEADER BEGIN1
	      "{\"r\":\"effect\",\"cause\":1,\"kind\":\"block-io\",\"tid\":11,\"t\":[1,"
	      "2],\"v\":1}\n" END1 CLOSE(1, 1, 0, 0, 0),
	      3, "thread 11");
	fails(HEADER BEGIN1
	      "{\"r\":\"cost\",\"op\":1,\"tid\":12,\"kind\":\"cpu\",\"v\":1}\n" END1 CLOSE(1, 1, 0,
											   0, 0),
	      3, "thread 12");
	fails(HEADER
	      "{\"r\":\"cost\",\"tid\":14,\"kind\":\"off-cpu\",\"v\":1}\n" CLOSE(0, 0, 0, 0, 0),
	      2, "thread 14");
	passes(HEADER "{\"r\":\"cost\",\"pair\":\"15>101\",\"kind\":\"blocked\",\"v\":1}\n" CLOSE(
		0, 0, 0, 0, 0));
	fails(HEADER "{\"r\":\"cost\",\"pair\":\"101>15\",\"kind\":\"blocked\",\"v\":1}\n" CLOSE(
		      0, 0, 0, 0, 0),
	      2, "thread 15");
	fails(HEADER "{\"r\":\"cost\",\"pair\":\"w>w\",\"kind\":\"blocked\",\"v\":1}\n" CLOSE(
		      0, 0, 0, 0, 0),
	      2, "\"w>w\" is no pair of threads");
	fails(HEADER
	      "{\"r\":\"decoy\",\"as\":\"handoff\",\"type\":\"io\",\"tid\":13,\"t\":[1,2]}\n" CLOSE(
		      0, 0, 0, 0, 0),
	      2, "thread 13");
}

Test(truth_check, wants_unique_ids_within_a_kind)
{
	passes(HEADER BEGIN1 HANDOFF(1, SRC(1, 101, 120, 130), "\"lost\"")
		       EVENT("USE", "c", 1, 1, 1) END1 CLOSE(1, 1, 0, 1, 1));
	fails(HEADER BEGIN1 BEGIN1 END1 CLOSE(2, 1, 0, 0, 0), 3, "operation 0x1 begins twice");
	fails(HEADER BEGIN1 END1 END1 CLOSE(1, 2, 0, 0, 0), 4, "operation 0x1 ends twice");
	fails(HEADER BEGIN1 HANDOFF(7, SRC(1, 101, 120, 130), "\"lost\"")
		      HANDOFF(7, SRC(1, 101, 140, 150), "\"lost\"") END1 CLOSE(1, 1, 0, 2, 0),
	      4, "handoff 0x7 stands twice");
	fails("{\"truth\":1,\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,\"clock\":"
	      "\"monotonic\",\"scored\":[0,9],\"threads\":[],\"keys\":[],\"descriptors\":[{\"id\":"
	      "4,"
	      "\"resource\":\"r\",\"valid\":true},{\"id\":4,\"resource\":\"q\",\"valid\":true}]}"
	      "\n" CLOSE(0, 0, 0, 0, 0),
	      1, "descriptor 4 is listed twice");
}

Test(truth_check, wants_unique_ids_among_decoys_that_have_one)
{
#define DECOY(id, from)                                                                            \
	"{\"r\":\"decoy\",\"as\":\"handoff\"," id "\"type\":\"io\",\"tid\":101,\"t\":[" from       \
	"," from "]}\n"
	passes(HEADER BEGIN1 DECOY("\"id\":7,", "700") DECOY("", "710") DECOY("", "720")
		       DECOY("\"id\":8,", "730") HANDOFF(7, SRC(1, 101, 120, 130), "\"lost\"")
			       END1 CLOSE(1, 1, 0, 1, 0));
	fails(HEADER BEGIN1 DECOY("\"id\":7,", "700") DECOY("\"id\":\"0x7\",", "800")
		      END1 CLOSE(1, 1, 0, 0, 0),
	      4, "ids are not unique: decoy 0x7 stands twice");
}

Test(truth_check, wants_every_named_operation_begun)
{
	fails(HEADER END1 CLOSE(0, 1, 0, 0, 0), 2, "operation 0x1 is named and never began");
	fails(HEADER SEGMENT(5, 101, 1, 2) CLOSE(0, 0, 1, 0, 0), 2, "operation 0x5 is named");
	fails(HEADER HANDOFF(7, SRC(6, 101, 1, 2), "\"lost\"") CLOSE(0, 0, 0, 1, 0), 2,
	      "operation 0x6 is named");
	fails(HEADER HANDOFF(7, DST(8, 101, 1, 2, 1, 2), "\"lost\"") CLOSE(0, 0, 0, 1, 0), 2,
	      "operation 0x8 is named");
	fails(HEADER EVENT("USE", "c", 1, 1, 1) CLOSE(0, 0, 0, 0, 1), 2, "operation 0x1 is named");
	fails(HEADER "{\"r\":\"cost\",\"op\":9,\"kind\":\"cpu\",\"v\":1}\n" CLOSE(0, 0, 0, 0, 0), 2,
	      "operation 0x9 is named");
}

Test(truth_check, wants_an_end_record_of_every_operation_be_it_open)
{
	passes(HEADER BEGIN1
	       "{\"r\":\"end\",\"op\":1,\"tid\":101,\"t\":[900,900],\"open\":true}\n" CLOSE(1, 1, 0,
											    0, 0));
	fails(HEADER BEGIN1 CLOSE(1, 0, 0, 0, 0), 2, "operation 0x1 has no end record");
}

Test(truth_check, wants_no_operation_to_end_before_it_begins)
{
	passes(HEADER BEGIN1
	       "{\"r\":\"end\",\"op\":1,\"tid\":101,\"t\":[90,100]}\n" CLOSE(1, 1, 0, 0, 0));
	fails(HEADER BEGIN1
	      "{\"r\":\"end\",\"op\":1,\"tid\":101,\"t\":[90,99]}\n" CLOSE(1, 1, 0, 0, 0),
	      3, "operation 0x1 ends at 99, before it begins at 100");
	fails(HEADER BEGIN1
	      "{\"r\":\"end\",\"op\":1,\"tid\":101,\"t\":[50,60],\"open\":true}\n" CLOSE(1, 1, 0, 0,
											 0),
	      3, "operation 0x1 ends at 60");
}

Test(truth_check, wants_two_ends_unless_cancelled_or_lost)
{
	passes(HEADER BEGIN1 HANDOFF(7, SRC(1, 101, 1, 2), "\"cancelled\"")
		       END1 CLOSE(1, 1, 0, 1, 0));
	passes(HEADER BEGIN1 HANDOFF(7, DST(1, 101, 1, 2, 1, 2), "\"lost\"")
		       END1 CLOSE(1, 1, 0, 1, 0));
	fails(HEADER BEGIN1 HANDOFF(7, SRC(1, 101, 1, 2), "\"punted\"") END1 CLOSE(1, 1, 0, 1, 0),
	      3, "handoff 0x7 has no dst");
	fails(HEADER BEGIN1 HANDOFF(7, SRC(1, 101, 1, 2) ",\"dst\":null", "")
		      END1 CLOSE(1, 1, 0, 1, 0),
	      3, "handoff 0x7 has no dst");
	fails(HEADER BEGIN1 HANDOFF(7, DST(1, 101, 1, 2, 1, 2), "\"late\"")
		      END1 CLOSE(1, 1, 0, 1, 0),
	      3, "handoff 0x7 has no src");
}

Test(truth_check, wants_no_dst_before_its_src)
{
	passes(HEADER BEGIN1 HANDOFF(7, SRC(1, 101, 200, 230) "," DST(1, 102, 200, 200, 200, 200),
				     "") END1 CLOSE(1, 1, 0, 1, 0));
	fails(HEADER BEGIN1 HANDOFF(7, SRC(1, 101, 200, 230) "," DST(1, 102, 199, 240, 200, 240),
				    "") END1 CLOSE(1, 1, 0, 1, 0),
	      3, "handoff 0x7 is ready before its src");
	fails(HEADER BEGIN1 HANDOFF(7, SRC(1, 101, 200, 230) "," DST(1, 102, 200, 240, 199, 240),
				    "") END1 CLOSE(1, 1, 0, 1, 0),
	      3, "the dst of handoff 0x7 begins before its src");
}

Test(truth_check, wants_segments_of_a_thread_apart)
{
	passes(HEADER BEGIN1 BEGIN2 SEGMENT(1, 101, 110, 200) SEGMENT(2, 101, 200, 300) SEGMENT(
		2, 102, 150, 250) SEGMENT(1, 101, 300, 300) END1 END2 CLOSE(2, 2, 4, 0, 0));
	fails(HEADER BEGIN1 BEGIN2 SEGMENT(1, 101, 110, 200) SEGMENT(2, 101, 199, 300)
		      END1 END2 CLOSE(2, 2, 2, 0, 0),
	      5, "begins at 199, before that of 0x1 ends at 200");
}

Test(truth_check, finds_an_overlap_in_any_order_and_over_a_short_one)
{
	fails(HEADER BEGIN1 BEGIN2 SEGMENT(2, 101, 300, 400) SEGMENT(1, 101, 110, 301)
		      END1 END2 CLOSE(2, 2, 2, 0, 0),
	      4, "overlap");
	fails(HEADER BEGIN1 SEGMENT(1, 101, 110, 500) SEGMENT(1, 101, 120, 130)
		      SEGMENT(1, 101, 400, 600) END1 CLOSE(1, 1, 3, 0, 0),
	      4, "overlap");
	fails(HEADER BEGIN1 SEGMENT(1, 101, 110, 500) SEGMENT(1, 101, 500, 500)
		      SEGMENT(1, 101, 499, 600) END1 CLOSE(1, 1, 3, 0, 0),
	      5, "overlap");
}

Test(truth_check, wants_segments_between_begin_and_end)
{
	passes(HEADER BEGIN1 SEGMENT(1, 101, 100, 910) END1 CLOSE(1, 1, 1, 0, 0));
	fails(HEADER BEGIN1 SEGMENT(1, 101, 99, 910) END1 CLOSE(1, 1, 1, 0, 0), 3,
	      "starts before its begin");
	fails(HEADER BEGIN1 SEGMENT(1, 101, 100, 911) END1 CLOSE(1, 1, 1, 0, 0), 3,
	      "goes on after its end");
}

Test(truth_check, balances_every_life_exactly)
{
	passes(HEADER BEGIN1 START(1, 3) EVENT("ACQUIRE", "c", 5, 2, 4) EVENT("USE", "c", 5, 2, 99)
		       EVENT("RELEASE", "c", 5, 2, 1) EVENT("RELEASE", "c", 4, 1, 3) LIVE(2, 3)
			       END1 CLOSE(1, 1, 0, 0, 4));
	fails(HEADER BEGIN1 EVENT("ACQUIRE", "c", 5, 2, 4) END1 CLOSE(1, 1, 0, 0, 1), 3,
	      "life 0x2 does not balance: 4 units were neither released");
	fails(HEADER BEGIN1 EVENT("RELEASE", "c", 5, 2, 4) END1 CLOSE(1, 1, 0, 0, 1), 3,
	      "life 0x2 does not balance: 4 units were released");
	fails(HEADER BEGIN1 EVENT("ACQUIRE", "c", 5, 2, 4) LIVE(2, 5) END1 CLOSE(1, 1, 0, 0, 1), 4,
	      "1 units were released or live at the end");
	fails(HEADER START(2, 4) CLOSE(0, 0, 0, 0, 0), 2, "4 units were neither");
	fails(HEADER BEGIN1 EVENT("ACQUIRE", "c", 5, 2, 18446744073709551615)
		      EVENT("ACQUIRE", "c", 5, 2, 1) END1 CLOSE(1, 1, 0, 0, 2),
	      4, "does not balance");
}

Test(truth_check, wants_one_class_one_instance_one_live_record_a_life)
{
	fails(HEADER BEGIN1 EVENT("USE", "c", 5, 2, 1) EVENT("USE", "d", 5, 2, 1)
		      END1 CLOSE(1, 1, 0, 0, 2),
	      4, "life 0x2 has two classes, c and d");
	fails(HEADER BEGIN1 EVENT("USE", "c", 5, 2, 1) EVENT("USE", "c", 6, 2, 1)
		      END1 CLOSE(1, 1, 0, 0, 2),
	      4, "life 0x2 has two instances, 0x5 and 0x6");
	fails(HEADER BEGIN1 EVENT("ACQUIRE", "c", 5, 2, 2) LIVE(2, 1) LIVE(2, 1)
		      END1 CLOSE(1, 1, 0, 0, 1),
	      5, "life 0x2 has two live records");
}

Test(truth_check, wants_no_descriptor_contradicted_before_it_is_wrong)
{
#define DESCRIPTOR(since, contradicted)                                                            \
	"{\"truth\":1,\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,\"clock\":"               \
	"\"monotonic\",\"scored\":[0,9],\"threads\":[],\"keys\":[],\"descriptors\":[{\"id\":4,"    \
	"\"resource\":\"r\",\"valid\":false,\"since\":" #since ",\"contradicted\":" #contradicted  \
	"}]}\n" CLOSE(0, 0, 0, 0, 0)
	passes(DESCRIPTOR(7, 7));
	fails(DESCRIPTOR(8, 7), 1, "descriptor 4 is contradicted before it became wrong");
}
