/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a claims file and its header: what is no line, no header, no declaration is refused. */
#include "tests/units/claims_text.h"

TestSuite(claims_lines, .init = setup, .fini = teardown);

Test(claims_lines, refuses_lines_that_are_not_one_json_object)
{
	refused_at(HEADER GOOD "\n" GOOD, 3, "blank");
	refused_at(HEADER GOOD " \t\r\n", 3, "blank");
	refused_at(HEADER GOOD "\n", 3, "blank");
	refused_at("\n" HEADER, 1, "blank");
	refused_at(HEADER GOOD "{\"c\":\"gap\",\"from\":1,\"to\":1}{}\n", 3, "JSON");
	refused_at(HEADER GOOD "{\"c\":\"gap\",\"from\":1,\"to\":1,}\n", 3, "JSON");
	refused_at(HEADER GOOD "{\"c\":\"gap\",\"from\":NaN,\"to\":1}\n", 3, "");
	refused_at(HEADER GOOD "nonsense\n", 3, "word");
}

Test(claims_lines, refuses_a_file_of_zero_bytes)
{
	refused_at("", 0, "zero bytes");
}

Test(claims_lines, takes_a_whole_last_line_without_newline)
{
	struct claims c;
	struct diag d;

	cr_assert_eq(load(HEADER "{\"c\":\"gap\",\"from\":1,\"to\":1}", &c, &d), 0);
	cr_assert_eq(c.cnt, 1);
	claims_free(&c);
}

Test(claims_lines, takes_a_header_alone)
{
	struct claims c;
	struct diag d;

	cr_assert_eq(load(HEADER, &c, &d), 0);
	cr_assert_eq(c.cnt, 0);
	cr_assert_str_eq(c.header.profiler, "p");
	cr_assert_str_eq(c.header.version, "1");
	cr_assert_eq(c.header.declares, 1u << HANDOFF_IO);
	claims_free(&c);
}

static void header_refused(const char *old, const char *new, const char *word)
{
	char text[2048];

	swap(text, sizeof(text), HEADER GOOD, old, new);
	refused_at(text, 1, word);
}

Test(claims_lines, refuses_headers_that_are_not_version_1_monotonic)
{
	refused_at(GOOD, 1, "header");
	header_refused("\"claims\":1", "\"claims\":2", "version");
	header_refused("\"claims\":1", "\"claims\":\"1\"", "version");
	header_refused("\"claims\":1", "\"claims\":1.0", "version");
	header_refused("monotonic", "realtime", "clock");
	header_refused("\"clock\":\"monotonic\",", "", "clock");
	header_refused("\"profiler\":\"p\",", "", "profiler");
	header_refused("\"profiler\":\"p\",", "\"profiler\":\"\",", "profiler");
	header_refused("\"version\":\"1\",", "", "version");
	header_refused("\"version\":\"1\",", "\"version\":1,", "version");
	header_refused("\"version\":\"1\",",
		       "\"version\":\"0123456789012345678901234567890123456789\",", "version");
	header_refused(",\"declares\":[\"handoff:io\"]", "", "declares");
	header_refused("\"claims\":1", "\"claims\":1,\"claims\":1", "twice");
}

Test(claims_lines, refuses_declarations_that_name_no_type)
{
	header_refused("[\"handoff:io\"]", "[\"handoff\"]", "handoff");
	header_refused("[\"handoff:io\"]", "[\"handoff:\"]", "handoff:");
	header_refused("[\"handoff:io\"]", "[\"handoff:luck\"]", "handoff:luck");
	header_refused("[\"handoff:io\"]", "[\"event\",7]", "no string");
	header_refused("[\"handoff:io\"]", "\"handoff:io\"", "no array");
}

Test(claims_lines, ignores_other_unknown_declarations)
{
	char text[2048];
	struct claims c;
	struct diag d;

	swap(text, sizeof(text), HEADER, "[\"handoff:io\"]",
	     "[\"handoffs\",\"magic\",\"\",\"handoff:call\",\"diagnosis\",\"event\"]");
	cr_assert_eq(load(text, &c, &d), 0);
	cr_assert_eq(c.header.declares, 1u << HANDOFF_CALL | DECLARES_DIAGNOSIS | DECLARES_EVENT);
	claims_free(&c);
}

Test(claims_lines, refuses_a_line_of_more_than_16_mib)
{
	size_t len = (16u << 20) + 1000, header = strlen(HEADER);
	char *text = malloc(len);
	struct claims c;
	struct diag d;

	memset(text, 'x', len);
	memcpy(text, HEADER, header);
	cr_assert_eq(load_bytes(text, len, &c, &d), -EINVAL);
	cr_assert_eq(d.line, 2);
	free(text);
}
