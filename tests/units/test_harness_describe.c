/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs say of themselves. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <string.h>

#include "harness/programs.h"
#include "lib/formats/claims.h"

Test(harness_describe, reads_a_profiler)
{
	static const char text[] =
		"{\"name\":\"causal\",\"version\":\"1.0\",\"division\":\"attach\","
		"\"launch\":[\"attach\",\"join\"],\"declares\":[\"handoff:io\",\"handoff:wake\","
		"\"gap\",\"telepathy\"],\"needs\":[\"root\",\"bpf\"]}\n";
	struct profiler p;
	struct diag d = {0};

	cr_assert(zero(int, describe_profiler(text, sizeof(text) - 1, &p, &d)), "%s", d.reason);
	cr_expect(eq(str, p.name, "causal"));
	cr_expect(eq(str, p.division, "attach"));
	cr_expect(eq(uint, p.launch, LAUNCH_ATTACH | LAUNCH_JOIN));
	cr_expect(eq(u32, p.declares, 1u << HANDOFF_IO | 1u << HANDOFF_WAKE | DECLARES_GAP));
	cr_expect(eq(uint, p.needs_cnt, 2));
	cr_expect(eq(str, p.needs[1], "bpf"));
}

Test(harness_describe, knows_every_launch_form_and_what_else_is_taken)
{
	static const char text[] =
		"{\"name\":\"mine\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"wrap\","
		"\"env\"],\"accepts\":[\"budget\",\"control\",\"packed\"]}";
	struct profiler p;

	cr_assert(zero(int, describe_profiler(text, sizeof(text) - 1, &p, NULL)));
	cr_expect(eq(uint, p.launch, LAUNCH_WRAP | LAUNCH_ENV));
	cr_expect(eq(uint, profiler_launch(&p), LAUNCH_ENV));
	cr_expect(eq(str, (char *)launch_name(LAUNCH_WRAP), "wrap"));
	cr_expect(eq(u32, p.accepts, ACCEPTS_CONTROL | ACCEPTS_BUDGET | ACCEPTS_PACKED));
	p.launch = LAUNCH_JOIN;
	cr_expect(eq(uint, profiler_launch(&p), 0));
}

struct bad_text {
	char text[300];
};

ParameterizedTestParameters(harness_describe, refuses_a_bad_profiler)
{
	static struct bad_text rows[] = {
		{""},
		{"hello"},
		{"[]"},
		{"{}"},
		{"{\"name\":\"\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"join\"]}"},
		{"{\"name\":7,\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"join\"]}"},
		{"{\"name\":\"x\",\"division\":\"attach\",\"launch\":[\"join\"]}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"top\",\"launch\":[\"join\"]}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[]}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"fly\"]}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\"}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"join\"],"
		 "\"needs\":\"root\"}"},
		{"{\"name\":\"a\",\"version\":\"1\",\"division\":\"none\",\"launch\":\"join\","
		 "\"accepts\":[\"money\"]}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"join\"],"
		 "\"declares\":[\"handoff:oi\"]}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"join\"],"
		 "\"declares\":[\"handoff\"]}"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":[\"join\"],"
		 "\"declares\":\"gap\"}"},
	};

	return cr_make_param_array(struct bad_text, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct bad_text *b, harness_describe, refuses_a_bad_profiler)
{
	struct profiler p = {.name = "kept"};
	struct diag d = {0};

	cr_expect(eq(int, describe_profiler(b->text, strlen(b->text), &p, &d), -EINVAL), "%s",
		  b->text);
	cr_expect(ne(chr, d.reason[0], '\0'));
	cr_expect(eq(str, p.name, "kept"));
}

struct told {
	char text[300], words[100];
};

/* What is wrong is named, not described. */
ParameterizedTestParameters(harness_describe, names_what_is_wrong)
{
	static struct told rows[] = {
		{"hello I am a profiler", "it printed: hello I am a profiler"},
		{"{\"name\":\"x\",\"version\":1,\"division\":\"attach\",\"launch\":\"join\"}",
		 "\"version\" is no string"},
		{"{\"name\":\"x\",\"version\":\"\",\"division\":\"attach\",\"launch\":\"join\"}",
		 "\"version\" has 0 bytes, not 1 to 31"},
		{"{\"version\":\"1\",\"division\":\"attach\",\"launch\":\"join\"}",
		 "\"name\" is missing"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":\"join\","
		 "\"declares\":[\"gap\",\"handoff:wakes\"]}",
		 "\"declares\" has handoff:wakes"},
		{"{\"name\":\"x\",\"version\":\"1\",\"division\":\"attach\",\"launch\":\"join\","
		 "\"declares\":[7]}",
		 "\"declares\" has what is no string"},
	};

	return cr_make_param_array(struct told, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct told *t, harness_describe, names_what_is_wrong)
{
	struct profiler p;
	struct diag d = {0};

	cr_expect(eq(int, describe_profiler(t->text, strlen(t->text), &p, &d), -EINVAL));
	cr_expect(ne(ptr, strstr(d.reason, t->words), NULL), "%s", d.reason);
}

Test(harness_describe, keeps_a_declared_word_that_nobody_knows)
{
	static const char text[] = "{\"name\":\"x\",\"version\":\"1\",\"division\":\"none\","
				   "\"launch\":\"join\",\"declares\":[\"gap\",\"wake\",\"x\"]}";
	struct profiler p;

	cr_assert(zero(int, describe_profiler(text, sizeof(text) - 1, &p, NULL)));
	cr_expect(eq(str, p.unknown, "wake"));
	cr_expect(eq(u32, p.declares, DECLARES_GAP));
}

Test(harness_describe, reads_a_workload)
{
	static const char text[] =
		"{\"name\":\"uring\",\"models\":\"a storage server\",\"kinds\":[\"get\"],"
		"\"keys\":[\"user_data\"],\"handoffs\":[\"io\"],\"marks\":[\"late\",\"lost\"],"
		"\"records\":100,\"outcomes\":[\"pool "
		"grows\"],\"defaults\":{\"rate\":3000,\"workers\":2,\"depth\":32,\"queue_depth\":"
		"64,\"fanout\":1,\"ops\":4000}}";
	struct workload w;
	struct diag d = {0};

	cr_assert(zero(int, describe_workload(text, sizeof(text) - 1, &w, &d)), "%s", d.reason);
	cr_expect(eq(ulong, w.ops, 4000));
	cr_expect(eq(ulong, w.rate, 3000));
	cr_expect(eq(ulong, w.queue_depth, 64));
	cr_expect(eq(str, w.models, "a storage server"));
	cr_expect(eq(u32, w.keys, 1u << KEY_USER_DATA));
	cr_expect(eq(u32, w.handoffs, 1u << HANDOFF_IO));
	cr_expect(eq(u32, w.marks, 1u << MARK_LATE | 1u << MARK_LOST));
	cr_expect(eq(uint, w.outcomes_cnt, 1));
	cr_expect(eq(str, w.outcomes[0], "pool grows"));
	cr_expect(eq(ulong, w.records, 100));
}

Test(harness_describe, refuses_a_workload_without_defaults)
{
	static const char text[] = "{\"name\":\"uring\",\"models\":\"a storage server\"}";
	struct workload w;
	struct diag d = {0};

	cr_expect(eq(int, describe_workload(text, sizeof(text) - 1, &w, &d), -EINVAL));
	cr_expect(ne(ptr, strstr(d.reason, "defaults"), NULL));
}
