/* SPDX-License-Identifier: BSD-2-Clause */
/* The text form of truth: round trip byte for byte, leniency where it is due, and every error. */
#include "tests/units/truth_help.h"

static char *reexport(const char *text)
{
	struct truth t;
	struct diag d = {0};
	char *out;

	cr_assert(load_text(text, &t, &d) == 0, "line %llu: %s", (unsigned long long)d.line,
		  d.reason);
	out = export_text(&t);
	truth_free(&t);
	return out;
}

static void assert_same(const char *text, const char *name)
{
	char *out = reexport(text);

	cr_assert(strcmp(out, text) == 0, "%s came back as\n%s", name, out);
	free(out);
}

static void round_trip(const char *name)
{
	char path[128];
	size_t len;
	char *text;

	snprintf(path, sizeof(path), "tests/units/data/truth/%s.jsonl", name);
	text = read_bytes(path, &len);
	assert_same(text, name);
	free(text);
}

Test(truth_text, exports_byte_for_byte_what_was_canonical)
{
	static const char *const names[] = {
		"contract",
		"01-perfect",
		"04-false-join-key-reuse",
		"08-context-and-identity",
		"09-multishot",
		"10-inline-completion-third-thread",
		"11-rank-src-swap",
		"17-events-perfect",
		"18-life-exactness-merged-and-split",
		"19-cost-inclusion-probability",
		"20-stale-latency-from-contradicted",
		"21-stale-localised",
		"22-loss-by-a-gap",
		"24-effect-of-a-handoff",
		"25-ids-above-2-53",
		"27-broken-overlapping-segments",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		round_trip(names[i]);
}

Test(truth_text, settles_after_one_export_when_not_canonical)
{
	char *once = reexport(
		HEADER "{\"t\":[1,2],\"tid\":101,\"extra\":{\"a\":[1]},\"kind\":\"k\",\"op\":1,"
		       "\"r\":\"begin\"}\n"
		       "{\"r\":\"handoff\",\"id\":\"0x0A\",\"type\":\"io\",\"key\":{\"v\":3,"
		       "\"ns\":\"user_data\"},\"amb\":9,\"marks\":[\"lost\",\"punted\"],"
		       "\"src\":{\"t\":[1,2],\"tid\":101,\"op\":\"0x1\"}}\n"
		       "{\"r\":\"end\",\"op\":1,\"tid\":101,\"t\":[3,3],\"open\":false}\n" CLOSE(
			       1, 1, 0, 1, 0));

	cr_assert(strcmp(once, HEADER
			 "{\"r\":\"begin\",\"op\":\"0x1\",\"kind\":\"k\",\"tid\":101,\"t\":[1,2]}\n"
			 "{\"r\":\"handoff\",\"id\":\"0xa\",\"type\":\"io\",\"key\":{\"ns\":"
			 "\"user_data\",\"v\":\"0x3\"},\"src\":{\"op\":\"0x1\",\"tid\":101,\"t\":["
			 "1,2]},"
			 "\"marks\":[\"punted\",\"lost\"],\"amb\":\"0x9\"}\n"
			 "{\"r\":\"end\",\"op\":\"0x1\",\"tid\":101,\"t\":[3,3]}\n" CLOSE(
				 1, 1, 0, 1, 0)) == 0,
		  "%s", once);
	assert_same(once, "the canonical form");
	free(once);
}

Test(truth_text, keeps_64_bits_exact_in_both_forms)
{
	struct truth t;
	struct diag d;

	cr_assert(load_text(HEADER "{\"r\":\"begin\",\"op\":18446744073709551615,\"kind\":\"k\","
				   "\"tid\":101,\"t\":[9007199254740993,\"0x20000000000001\"]}\n",
			    &t, &d) == 0);
	cr_assert(t.ops[0].id == UINT64_MAX);
	cr_assert(t.ops[0].begin.t0 == UINT64_C(9007199254740993));
	cr_assert(t.ops[0].begin.t1 == UINT64_C(9007199254740993));
	truth_free(&t);
}

Test(truth_text, keeps_key_spaces_that_it_does_not_know)
{
	static const char text[] =
		"{\"truth\":1,\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,\"clock\":"
		"\"monotonic\",\"scored\":[0,9],\"threads\":[1],\"keys\":[\"timerfd\","
		"\"user_data\"],\"descriptors\":[]}\n"
		"{\"r\":\"decoy\",\"as\":\"handoff\",\"type\":\"msg\",\"key\":{\"ns\":\"cookie\","
		"\"v\":\"0x1\"},\"tid\":1,\"t\":[1,2]}\n";
	struct truth t;
	struct diag d;

	assert_same(text, "an unknown key space");
	cr_assert(load_text(text, &t, &d) == 0);
	cr_assert(t.keys == (1u << KEY_TIMERFD | 1u << KEY_USER_DATA));
	cr_assert(t.decoys[0].key.ns == KEY_OTHER);
	truth_free(&t);
}

Test(truth_text, ignores_numbers_that_no_reader_can_use_in_unknown_fields)
{
	struct truth t;
	struct diag d;

	cr_assert(load_text(HEADER "{\"r\":\"begin\",\"x\":[1e400,18446744073709551616],\"op\":7,"
				   "\"kind\":\"k\",\"tid\":101,\"t\":[1,2]}\n",
			    &t, &d) == 0);
	cr_assert(t.ops[0].id == 7);
	truth_free(&t);
	cr_assert(load_text(HEADER "{\"r\":\"begin\",\"op\":18446744073709551616,\"kind\":\"k\","
				   "\"tid\":101,\"t\":[1,2]}\n",
			    &t, &d) == -EINVAL);
	cr_assert(d.line == 2 && strstr(d.reason, "\"op\" of a begin record is no 64-bit number"));
}

Test(truth_text, accepts_a_last_line_without_newline)
{
	char *out = reexport("{\"truth\":1,\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,"
			     "\"clock\":\"monotonic\",\"scored\":[0,1],\"threads\":[],\"keys\":[],"
			     "\"descriptors\":[]}");

	cr_assert(out[strlen(out) - 1] == '\n');
	free(out);
}

/* A line that must be refused, and what its reason must say. */
struct bad {
	const char *line, *says;
};

static void refuse(const char *text, uint64_t line, const char *says)
{
	struct truth t = {.seed = 42};
	struct diag d = {0};

	cr_assert(load_text(text, &t, &d) == -EINVAL, "accepted: %s", text);
	cr_assert(d.line == line, "line %llu for %s", (unsigned long long)d.line, text);
	cr_assert(strstr(d.reason, says) != NULL, "says %s and not %s", d.reason, says);
	cr_assert(d.cure[0] && d.file[0], "no cure or file for %s", text);
	cr_assert(t.seed == 42, "output touched on failure");
}

static void refuse_lines(const struct bad *v, size_t cnt)
{
	char text[2048];

	for (size_t i = 0; i < cnt; i++) {
		snprintf(text, sizeof(text), "%s%s\n", HEADER, v[i].line);
		refuse(text, 2, v[i].says);
	}
}

Test(truth_text, names_the_field_that_is_missing_or_wrong)
{
	static const struct bad lines[] = {
		{"", "blank line"},
		{"[1]", "no object"},
		{"{\"r\":\"begin\"", "JSON"},
		{"{\"op\":1}", "a record has no \"r\""},
		{"{\"r\":\"begun\",\"op\":1}", "kind of record"},
		{"{\"r\":\"begin\",\"kind\":\"k\",\"tid\":1,\"t\":[1,2]}", "no \"op\""},
		{"{\"r\":\"begin\",\"op\":1,\"tid\":1,\"t\":[1,2]}", "no \"kind\""},
		{"{\"r\":\"begin\",\"op\":1,\"kind\":7,\"tid\":1,\"t\":[1,2]}", "no word"},
		{"{\"r\":\"begin\",\"op\":1,\"kind\":\"a\\u0000b\",\"tid\":1,\"t\":[1,2]}",
		 "no word"},
		{"{\"r\":\"begin\",\"op\":1,\"kind\":\"k\",\"t\":[1,2]}", "no \"tid\""},
		{"{\"r\":\"begin\",\"op\":1,\"kind\":\"k\",\"tid\":4294967296,\"t\":[1,2]}",
		 "32 bits"},
		{"{\"r\":\"begin\",\"op\":1.5,\"kind\":\"k\",\"tid\":1,\"t\":[1,2]}", "64-bit"},
		{"{\"r\":\"begin\",\"op\":-1,\"kind\":\"k\",\"tid\":1,\"t\":[1,2]}", "64-bit"},
		{"{\"r\":\"begin\",\"op\":\"1f\",\"kind\":\"k\",\"tid\":1,\"t\":[1,2]}", "64-bit"},
		{"{\"r\":\"begin\",\"op\":1e3,\"kind\":\"k\",\"tid\":1,\"t\":[1,2]}", "64-bit"},
		{"{\"r\":\"segment\",\"op\":1,\"tid\":1}", "a segment record has no \"t\""},
		{"{\"r\":\"segment\",\"op\":1,\"tid\":1,\"t\":5}", "no array"},
		{"{\"r\":\"segment\",\"op\":1,\"tid\":1,\"t\":[5]}", "two times"},
		{"{\"r\":\"segment\",\"op\":1,\"tid\":1,\"t\":[5,6,7]}", "two times"},
		{"{\"r\":\"segment\",\"op\":1,\"tid\":1,\"t\":[5,null]}", "two times"},
		{"{\"r\":\"segment\",\"op\":1,\"tid\":1,\"t\":[6,5]}", "ends before it begins"},
		{"{\"r\":\"end\",\"op\":1,\"tid\":1,\"t\":[5,6],\"open\":1}",
		 "neither true nor false"},
		{"{\"r\":\"effect\",\"cause\":1,\"kind\":\"net\",\"tid\":1,\"t\":[5,6],\"v\":1}",
		 "no effect"},
		{"{\"r\":\"effect\",\"cause\":1,\"kind\":\"block-io\",\"tid\":1,\"t\":[5,6]}",
		 "no \"v\""},
		{"{\"r\":\"cost\",\"op\":1,\"v\":1}", "no \"kind\""},
		{"{\"r\":\"loss\",\"from\":9,\"to\":8}", "ends before it begins"},
		{"{\"r\":\"live\",\"life\":1,\"units\":1,\"at\":\"end\"}", "\"start\""},
		{"{\"r\":\"live\",\"life\":1}", "no \"units\""},
		{"{\"r\":\"diagnosis\",\"label\":\"x\",\"t\":[1,2]}", "no \"subject\""},
		{"{\"r\":\"decoy\",\"type\":\"io\",\"tid\":1,\"t\":[1,2]}", "no \"as\""},
		{"{\"r\":\"decoy\",\"as\":\"gap\",\"tid\":1,\"t\":[1,2]}",
		 "neither handoff nor event"},
		{"{\"r\":\"decoy\",\"as\":\"event\",\"event\":\"USE\",\"tid\":1,\"t\":[1,2]}",
		 "no \"class\""},
		{"{\"r\":\"close\",\"counts\":{\"begin\":1},\"full\":false}", "no \"end\""},
		{"{\"r\":\"close\",\"counts\":3,\"full\":false}", "no object"},
		{"{\"r\":\"close\",\"counts\":{\"begin\":0,\"end\":0,\"segment\":0,\"handoff\":0,"
		 "\"event\":0}}",
		 "no \"full\""},
	};

	refuse_lines(lines, sizeof(lines) / sizeof(lines[0]));
}

#define SRC "\"src\":{\"op\":1,\"tid\":1,\"t\":[1,2]}"
#define DST "\"dst\":{\"op\":1,\"tid\":1,\"ready\":[1,2],\"t\":[1,2]}"

Test(truth_text, names_what_is_wrong_in_handoffs_and_events)
{
	static const struct bad lines[] = {
		{"{\"r\":\"handoff\",\"type\":\"io\"," SRC "," DST "}", "no \"id\""},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"disk\"," SRC "," DST "}",
		 "no handoff type"},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\"}", "neither \"src\" nor \"dst\""},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\",\"src\":null,\"dst\":null}",
		 "neither \"src\" nor \"dst\""},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\",\"src\":3," DST "}", "no object"},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\"," SRC
		 ",\"dst\":{\"op\":1,\"tid\":1,\"t\":[1,2]}}",
		 "no \"ready\""},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\",\"key\":{\"ns\":\"user_data\"}," SRC
		 "," DST "}",
		 "no \"v\""},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\",\"key\":{\"v\":1}," SRC "," DST "}",
		 "no \"ns\""},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\",\"key\":7," SRC "," DST "}",
		 "no object"},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\"," SRC "," DST ",\"marks\":[\"odd\"]}",
		 "no mark"},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\"," SRC "," DST ",\"marks\":\"lost\"}",
		 "no array"},
		{"{\"r\":\"handoff\",\"id\":1,\"type\":\"io\"," SRC "," DST ",\"amb\":\"x\"}",
		 "64-bit"},
		{"{\"r\":\"event\",\"event\":\"GRAB\",\"class\":\"c\",\"instance\":1,\"life\":1,"
		 "\"units\":1,\"op\":1,\"tid\":1,\"t\":[1,2]}",
		 "no event"},
		{"{\"r\":\"event\",\"event\":\"USE\",\"class\":\"c\",\"instance\":1,\"life\":1,"
		 "\"op\":1,\"tid\":1,\"t\":[1,2]}",
		 "no \"units\""},
		{"{\"r\":\"event\",\"event\":\"USE\",\"class\":\"c\",\"instance\":1,\"life\":1,"
		 "\"units\":1,\"tid\":1,\"t\":[1,2]}",
		 "no \"op\""},
	};

	refuse_lines(lines, sizeof(lines) / sizeof(lines[0]));
}

Test(truth_text, refuses_headers_that_it_cannot_trust)
{
#define HEAD(version, clock, threads, keys, descriptors)                                           \
	"{\"truth\":" version                                                                      \
	",\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,\"clock\":\"" clock                   \
	"\",\"scored\":[0,1],\"threads\":" threads ",\"keys\":" keys                               \
	",\"descriptors\":" descriptors "}\n"
	refuse(HEAD("2", "monotonic", "[]", "[]", "[]"), 1, "version 2");
	refuse(HEAD("1", "realtime", "[]", "[]", "[]"), 1, "clock");
	refuse(HEAD("1", "monotonic", "7", "[]", "[]"), 1, "no array");
	refuse(HEAD("1", "monotonic", "[\"a\"]", "[]", "[]"), 1, "no thread id");
	refuse(HEAD("1", "monotonic", "[]", "[3]", "[]"), 1, "no word");
	refuse(HEAD("1", "monotonic", "[]", "[\"fd\",\"zzz\"]", "[]"), 1,
	       "\"keys\" lists \"zzz\", which is no key space");
	refuse(HEAD("1", "monotonic", "[]", "[]", "[1]"), 1, "no object");
	refuse(HEAD("1", "monotonic", "[]", "[]", "[{\"id\":1,\"valid\":true}]"), 1,
	       "no \"resource\"");
	refuse(HEAD("1", "monotonic", "[]", "[]",
		    "[{\"id\":1,\"resource\":\"r\",\"valid\":false}]"),
	       1, "no \"since\"");
	refuse("{\"r\":\"begin\"}\n", 1, "the header has no \"truth\"");
	refuse("", 0, "empty");
}

Test(truth_text, says_so_when_there_is_no_file)
{
	struct truth t;
	struct diag d = {0};

	cr_assert(truth_load("/nonexistent/truth.jsonl", &t, &d) == -ENOENT);
	cr_assert(d.file[0] && d.reason[0]);
}

Test(truth_text, reports_a_stream_that_is_full)
{
	struct truth t;
	struct diag d;
	FILE *full = fopen("/dev/full", "w");

	cr_assert(full != NULL);
	setvbuf(full, NULL, _IONBF, 0);
	cr_assert(load_text(HEADER, &t, &d) == 0);
	cr_assert(truth_export(&t, full) == -ENOSPC);
	fclose(full);
	truth_free(&t);
}
