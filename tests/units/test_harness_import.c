/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims from other tools' files: what each says, and what is wrong with those that say nothing. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/import.h"
#include "lib/files.h"

static char dir[] = "/tmp/assay-import-XXXXXX";
static char from[64], to[64];
static struct import_options options;
static struct import_result result;
static struct diag d;

static void setup(void)
{
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	snprintf(from, sizeof(from), "%s/from", dir);
	snprintf(to, sizeof(to), "%s/to", dir);
	options = (struct import_options){
		.profiler = "tool", .type = -1, .unit_ns = 1, .by = BY_FUNCTION};
	d = (struct diag){0};
}

static void teardown(void)
{
	unlink(from);
	unlink(to);
	rmdir(dir);
}

TestSuite(import, .init = setup, .fini = teardown);

static int import(enum import_format format, const char *text)
{
	options.format = format;
	cr_assert(zero(int, file_write(from, text, strlen(text), &d)));
	return import_claims(from, to, CLAIMS_JSON, &options, &result, &d);
}

/* Claims without their header line. */
static void expect(enum import_format format, const char *text, const char *claims)
{
	char *got, *body;

	cr_assert(zero(int, import(format, text)), "%s: %s", from, d.reason);
	cr_assert(zero(int, file_read(to, 1 << 20, &got, NULL, &d)));
	body = strchr(got, '\n');
	cr_assert(ne(ptr, body, NULL));
	cr_expect(eq(str, body + 1, (char *)claims));
	free(got);
}

static void refuse(enum import_format format, const char *text, const char *why, uint64_t line)
{
	unlink(to);
	cr_expect(eq(int, import(format, text), -EINVAL), "%s", text);
	cr_expect(ne(ptr, strstr(d.reason, why), NULL), "%s: %s", text, d.reason);
	cr_expect(eq(u64, d.line, line), "%s", text);
	cr_expect(ne(int, access(to, F_OK), 0), "nothing may be written");
	cr_expect(ne(chr, d.cure[0], 0));
}

Test(import, sums_the_last_frame_of_stacks_times_the_unit)
{
	options.unit_ns = 1000;
	expect(IMPORT_FOLDED, "main;a;b 3\nmain;a 2\n\nmain;c;b 5\n",
	       "{\"c\":\"profile\",\"by\":\"function\",\"key\":\"a\",\"kind\":\"cpu\",\"v\":2000}\n"
	       "{\"c\":\"profile\",\"by\":\"function\",\"key\":\"b\",\"kind\":\"cpu\",\"v\":8000}"
	       "\n");
}

Test(import, reads_the_examples_of_the_page)
{
	static const struct {
		enum import_format format;
		const char *path;
	} v[] = {{IMPORT_OTLP, "docs/examples/import/otlp.json"},
		 {IMPORT_CHROME, "docs/examples/import/chrome.json"},
		 {IMPORT_NDJSON, "docs/examples/import/log.ndjson"},
		 {IMPORT_FOLDED, "docs/examples/import/threads.folded"}};

	options.by = BY_THREAD;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		options.format = v[i].format;
		cr_expect(
			zero(int, import_claims(v[i].path, to, CLAIMS_JSON, &options, &result, &d)),
			"%s: %s", v[i].path, d.reason);
		cr_expect(eq(u64, result.claims, v[i].format == IMPORT_FOLDED ? 2 : 1));
		cr_expect(zero(u64, result.orphans));
	}
}

Test(import, takes_threads_from_the_first_frame)
{
	options.by = BY_THREAD;
	expect(IMPORT_FOLDED, "pool-7/102;main;a 3\npool-102;b 4\nanon;b 9\n",
	       "{\"c\":\"profile\",\"by\":\"thread\",\"key\":\"102\",\"kind\":\"cpu\",\"v\":7}\n");
	cr_expect(eq(u64, result.left[LEFT_NO_FRAME], 1));
}

Test(import, keeps_frames_with_blanks_in_them)
{
	expect(IMPORT_FOLDED, "main;operator new 3\n",
	       "{\"c\":\"profile\",\"by\":\"function\",\"key\":\"operator "
	       "new\",\"kind\":\"cpu\",\"v\":3}\n");
}

Test(import, refuses_a_line_without_a_count)
{
	refuse(IMPORT_FOLDED, "a 1\nmain;a;b\n", "no stack and count", 2);
	refuse(IMPORT_FOLDED, "a 1x\n", "no stack and count", 1);
	refuse(IMPORT_FOLDED, "a -1\n", "no stack and count", 1);
}

Test(import, refuses_more_time_than_there_is)
{
	refuse(IMPORT_FOLDED, "a 18446744073709551615\na 1\n", "more than 2^64 ns", 0);
	options.unit_ns = 3;
	refuse(IMPORT_FOLDED, "a 9223372036854775807\n", "more than 2^64 ns", 0);
}

Test(import, refuses_flows_whose_names_could_not_be_told_apart)
{
	char text[1024];

	options.type = HANDOFF_IO;
	snprintf(text, sizeof(text),
		 "[{\"ph\":\"f\",\"id\":1,\"ts\":1,\"tid\":1,\"name\":\"%0600d\"}]", 1);
	refuse(IMPORT_CHROME, text, "more than 512 bytes", 1);
}

Test(import, binds_flow_events_by_category_name_and_id)
{
	expect(IMPORT_CHROME,
	       "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"tid\":1},"
	       "{\"ph\":\"f\",\"id\":\"7\",\"cat\":\"wake\",\"name\":\"w\",\"ts\":10.64,\"tid\":"
	       "102},"
	       "{\"ph\":\"s\",\"id\":7,\"cat\":\"wake\",\"name\":\"w\",\"ts\":10.215,\"tid\":101},"
	       "{\"ph\":\"s\",\"id\":7,\"cat\":\"io\",\"name\":\"w\",\"ts\":10.5,\"tid\":103}]}",
	       "{\"c\":\"handoff\",\"type\":\"wake\",\"src\":{\"tid\":101,\"t\":10215},"
	       "\"dst\":{\"tid\":102,\"t\":10640}}\n");
	cr_expect(eq(u64, result.left[LEFT_OTHER], 1));
}

Test(import, follows_a_flow_through_its_steps_and_reuses_its_id)
{
	options.type = HANDOFF_QUEUE;
	expect(IMPORT_CHROME,
	       "[{\"ph\":\"s\",\"id\":1,\"ts\":1,\"tid\":1},{\"ph\":\"t\",\"id\":1,\"ts\":2,"
	       "\"tid\":2},"
	       "{\"ph\":\"f\",\"id\":1,\"ts\":3,\"tid\":3},{\"ph\":\"f\",\"id\":1,\"ts\":4,\"tid\":"
	       "4}]",
	       "{\"c\":\"handoff\",\"type\":\"queue\",\"src\":{\"tid\":1,\"t\":1000},"
	       "\"dst\":{\"tid\":2,\"t\":2000}}\n"
	       "{\"c\":\"handoff\",\"type\":\"queue\",\"src\":{\"tid\":2,\"t\":2000},"
	       "\"dst\":{\"tid\":3,\"t\":3000}}\n"
	       "{\"c\":\"handoff\",\"type\":\"queue\",\"src\":null,\"dst\":{\"tid\":4,\"t\":4000}}"
	       "\n");
	cr_expect(eq(u64, result.orphans, 1));
}

Test(import, keeps_every_ns_of_a_time_in_microseconds)
{
	options.type = HANDOFF_IO;
	/* 2^52 ns is 4503599627370496: the last ns before it, and whole microseconds beyond */
	expect(IMPORT_CHROME,
	       "[{\"ph\":\"f\",\"id\":1,\"ts\":4503599627370.495,\"tid\":1},"
	       "{\"ph\":\"f\",\"id\":2,\"ts\":1764460800000001,\"tid\":2}]",
	       "{\"c\":\"handoff\",\"type\":\"io\",\"src\":null,\"dst\":{\"tid\":1,\"t\":"
	       "4503599627370495}}\n"
	       "{\"c\":\"handoff\",\"type\":\"io\",\"src\":null,\"dst\":{\"tid\":2,\"t\":"
	       "1764460800000001000}}\n");
	refuse(IMPORT_CHROME, "[{\"ph\":\"f\",\"id\":1,\"ts\":1764460800000001.5,\"tid\":1}]",
	       "cannot be kept exactly", 1);
}

Test(import, refuses_flows_of_no_type_and_what_is_no_trace)
{
	refuse(IMPORT_CHROME, "[{\"ph\":\"s\",\"id\":1,\"cat\":\"frame\",\"ts\":1,\"tid\":1}]",
	       "no type is called frame", 1);
	refuse(IMPORT_CHROME, "{\"events\":[]}", "no \"traceEvents\"", 1);
	refuse(IMPORT_CHROME, "[{\"ph\":\"s\",\"id\":1,\"ts\":1}]", "has no tid", 1);
	refuse(IMPORT_CHROME, "[", "this is no JSON", 1);
	refuse(IMPORT_CHROME, "[]", "nothing that can be claimed", 0);
}

#define SPAN(id, more) "{\"spanId\":\"" id "\",\"attributes\":[{\"key\":\"thread.id\"," more "}"
#define ON(tid)	       "\"value\":{\"intValue\":\"" tid "\"}}]"
#define REQUEST(spans) "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" spans "]}]}]}"

Test(import, joins_producer_spans_and_leaves_other_parents_unknown)
{
	options.type = HANDOFF_QUEUE;
	options.offset_ns = -1000;
	expect(IMPORT_OTLP,
	       REQUEST(SPAN("a", ON("11") ",\"kind\":4,\"startTimeUnixNano\":\"2000\"") "," SPAN(
		       "b",
		       ON("12") ",\"parentSpanId\":\"a\",\"startTimeUnixNano\":"
				"2500") "," SPAN("c",
						 ON("13") ",\"parentSpanId\":"
							  "\"b\","
							  "\"startTimeUnixNano\":"
							  "2600") "," SPAN("d",
									   ON("1"
									      "2") ",\"parentSpanId"
										   "\":\"b\","
										   "\"startTimeUnix"
										   "Nano\":2700")),
	       "{\"c\":\"handoff\",\"type\":\"queue\",\"src\":{\"tid\":11,\"t\":1000},"
	       "\"dst\":{\"tid\":12,\"t\":1500}}\n"
	       "{\"c\":\"handoff\",\"type\":\"queue\",\"src\":null,\"dst\":{\"tid\":13,\"t\":1600}}"
	       "\n");
	cr_expect(eq(u64, result.left[LEFT_ROOT], 1));
	cr_expect(eq(u64, result.left[LEFT_SAME], 1)); /* the child on its parent's thread */
}

Test(import, prefers_a_link_and_reads_a_request_a_line)
{
	options.type = HANDOFF_MSG;
	expect(IMPORT_OTLP,
	       REQUEST(SPAN(
		       "a",
		       ON("11") ",\"kind\":\"SPAN_KIND_PRODUCER\",\"startTimeUnixNano\":"
				"5")) "\n" REQUEST(SPAN("b",
							ON("12") ",\"parentSpanId\":\"x\","
								 "\"links\":[{\"spanId\":\"a\"}],"
								 "\"startTimeUnixNano\":9")) "\n",
	       "{\"c\":\"handoff\",\"type\":\"msg\",\"src\":{\"tid\":11,\"t\":5},"
	       "\"dst\":{\"tid\":12,\"t\":9}}\n");
}

Test(import, refuses_spans_without_id_or_start_and_times_before_nought)
{
	options.type = HANDOFF_MSG;
	refuse(IMPORT_OTLP, REQUEST("{\"spanId\":\"a\"}"), "no spanId, or no startTimeUnixNano", 1);
	options.offset_ns = -10;
	refuse(IMPORT_OTLP, REQUEST("{\"spanId\":\"a\",\"startTimeUnixNano\":9}"),
	       "with an offset of -10", 1);
}

Test(import, reads_objects_by_the_names_that_the_user_gives)
{
	options.type = HANDOFF_WAKE;
	options.path[FIELD_SRC_TID] = "waker.tid";
	options.path[FIELD_SRC_T] = "waker.t";
	expect(IMPORT_NDJSON,
	       "{\"waker\":{\"tid\":5,\"t\":\"0x10\"},\"dst\":{\"tid\":6,\"t\":20},\"conf\":0.5}\n"
	       "{\"dst\":{\"tid\":6,\"t\":30},\"type\":\"io\",\"key\":{\"ns\":\"uaddr\",\"v\":255}}"
	       "\n"
	       "{\"x\":1}\n",
	       "{\"c\":\"handoff\",\"type\":\"wake\",\"src\":{\"tid\":5,\"t\":16},"
	       "\"dst\":{\"tid\":6,\"t\":20},\"conf\":0.5}\n"
	       "{\"c\":\"handoff\",\"type\":\"io\",\"src\":null,\"dst\":{\"tid\":6,\"t\":30},"
	       "\"key\":{\"ns\":\"uaddr\",\"v\":\"0xff\"}}\n");
	cr_expect(eq(u64, result.left[LEFT_NO_END], 1));
}

Test(import, refuses_objects_with_half_an_end)
{
	options.type = HANDOFF_WAKE;
	refuse(IMPORT_NDJSON, "\n{\"dst\":{\"tid\":6}}\n", "no dst.t", 2);
	refuse(IMPORT_NDJSON, "{\"dst\":{\"tid\":6,\"t\":1.5}}\n", "no whole number", 1);
	refuse(IMPORT_NDJSON, "{\"dst\":{\"tid\":4294967296,\"t\":1}}\n", "no whole number", 1);
	refuse(IMPORT_NDJSON, "{\"dst\":{\"tid\":6,\"t\":1},\"conf\":5.5}\n", "conf is none", 1);
	options.type = -1;
	refuse(IMPORT_NDJSON, "{\"dst\":{\"tid\":6,\"t\":1}}\n", "of which type", 1);
}

Test(import, declares_what_it_claims)
{
	struct claims c;

	options.type = HANDOFF_WAKE;
	cr_assert(zero(int, import(IMPORT_NDJSON, "{\"dst\":{\"tid\":6,\"t\":20}}")));
	cr_assert(zero(int, claims_load(to, &c, &d)));
	cr_expect(eq(u32, c.header.declares, 1u << HANDOFF_WAKE));
	cr_expect(eq(str, c.header.profiler, "tool"));
	claims_free(&c);
}

Test(import, takes_the_space_of_a_key_from_the_type_where_none_is_named)
{
	expect(IMPORT_NDJSON,
	       "{\"type\":\"wake\",\"dst\":{\"tid\":2,\"t\":7},\"key\":{\"v\":\"0x10\"}}\n",
	       "{\"c\":\"handoff\",\"type\":\"wake\",\"src\":null,\"dst\":{\"tid\":2,\"t\":7},"
	       "\"key\":{\"ns\":\"uaddr\",\"v\":\"0x10\"}}\n");
	cr_expect(zero(u64, result.keys_ignored));
}

Test(import, counts_keys_that_are_in_no_space)
{
	expect(IMPORT_NDJSON,
	       "{\"type\":\"wake\",\"dst\":{\"tid\":2,\"t\":7},\"key\":{\"v\":1,\"ns\":\"address\"}"
	       "}\n"
	       "{\"type\":\"grant\",\"dst\":{\"tid\":2,\"t\":8},\"key\":{\"v\":2}}\n",
	       "{\"c\":\"handoff\",\"type\":\"wake\",\"src\":null,\"dst\":{\"tid\":2,\"t\":7},"
	       "\"key\":{\"ns\":\"other\",\"v\":\"0x1\"}}\n"
	       "{\"c\":\"handoff\",\"type\":\"grant\",\"src\":null,\"dst\":{\"tid\":2,\"t\":8}}\n");
	cr_expect(eq(u64, result.keys_ignored, 2));
	cr_expect(eq(u64, result.times, 2));
	cr_expect(zero(u64, result.whole_us));
}
