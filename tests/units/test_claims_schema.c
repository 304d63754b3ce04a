/* SPDX-License-Identifier: BSD-2-Clause */
/* The schemas that are printed ask for what the readers ask for, field by field. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/programs.h"
#include "lib/files.h"
#include "lib/formats/claims.h"
#include "lib/formats/json.h"

enum { FIELDS_MAX = 10 };

/* A claim of each kind with all of its fields. */
static const struct {
	const char *kind, *fields[FIELDS_MAX];
} full[] = {
	{"handoff",
	 {"\"type\":\"io\"", "\"src\":{\"tid\":1,\"t\":2}", "\"dst\":{\"tid\":3,\"t\":4}",
	  "\"key\":{\"ns\":\"fd\",\"v\":5}", "\"gen\":1", "\"conf\":0.5", "\"how\":\"observed\"",
	  "\"source\":\"kernel\""}},
	{"event",
	 {"\"event\":\"USE\"", "\"class\":\"c\"", "\"tid\":1", "\"t\":2", "\"instance\":3",
	  "\"gen\":4", "\"units\":5", "\"desc\":6", "\"conf\":1"}},
	{"health",
	 {"\"desc\":1", "\"state\":\"stale\"", "\"t\":2", "\"why\":\"w\"", "\"evidence\":3",
	  "\"p_stale\":1"}},
	{"effect",
	 {"\"cause\":{\"tid\":1,\"t\":2}", "\"kind\":\"block-io\"", "\"tid\":3", "\"t\":4",
	  "\"v\":5", "\"conf\":1"}},
	{"cost", {"\"root\":{\"tid\":1,\"t\":2}", "\"kind\":\"cpu\"", "\"v\":3", "\"ip\":1"}},
	{"profile",
	 {"\"by\":\"thread\"", "\"key\":\"1\"", "\"kind\":\"cpu\"", "\"v\":2", "\"ip\":1"}},
	{"gap", {"\"from\":1", "\"to\":2", "\"lost\":3", "\"scope\":\"ring\""}},
	{"diagnosis", {"\"label\":\"leak\"", "\"t\":1", "\"subject\":\"s\"", "\"conf\":1"}},
};

#define FULL_CNT (sizeof(full) / sizeof(full[0]))

static struct json_parser *parser;
static struct json_value schema;
static char *text;

static void parse_schema(void (*print)(FILE *))
{
	size_t len;
	const char *why;
	FILE *f = open_memstream(&text, &len);

	print(f);
	fclose(f);
	parser = json_parser_new();
	cr_assert(zero(int, json_parse(parser, text, len - 1, &schema, &why)), "%s", why);
}

static void claims_setup(void)
{
	parse_schema(claims_schema);
}

static void describe_setup(void)
{
	parse_schema(describe_schema);
}

static void teardown(void)
{
	json_parser_free(parser);
	free(text);
}

/* "NAME":…; the length of the name. */
static size_t name_len(const char *field)
{
	return strcspn(field + 1, "\"");
}

static bool is_required(const struct json_value *object, const char *name, size_t len)
{
	struct json_value list, word;
	struct json_iter it;

	cr_assert(json_get(object, "required", &list));
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &word))
		if (word.str.len == len && !memcmp(word.str.s, name, len))
			return true;
	return false;
}

static size_t properties_cnt(const struct json_value *object)
{
	struct json_value properties, value;
	struct json_iter it;
	size_t cnt = 0;

	cr_assert(json_get(object, "properties", &properties));
	json_iter_init(&it, &properties);
	while (json_iter_next(&it, NULL, &value))
		cnt++;
	return cnt;
}

/* The part of the schema that is about one kind. */
static struct json_value part_of(const char *kind)
{
	struct json_value all, part, properties, c, word;
	struct json_iter it;

	cr_assert(json_get(&schema, "oneOf", &all));
	json_iter_init(&it, &all);
	while (json_iter_next(&it, NULL, &part))
		if (json_get(&part, "properties", &properties) && json_get(&properties, "c", &c) &&
		    json_get(&c, "const", &word) && json_str_is(&word, kind))
			return part;
	cr_assert(0, "the schema knows no %s", kind);
	return all;
}

/* Whether the reader takes the claim without one of its fields. */
static bool is_taken(size_t kind, size_t without)
{
	char path[] = "/tmp/assay-schema-XXXXXX", lines[1024];
	struct claims c;
	int len = snprintf(lines, sizeof(lines),
			   "{\"claims\":1,\"profiler\":\"p\",\"version\":\"1\",\"clock\":"
			   "\"monotonic\",\"declares\":[]}\n{\"c\":\"%s\"",
			   full[kind].kind);
	bool taken;
	int fd = mkstemp(path);

	cr_assert(ge(int, fd, 0));
	close(fd);
	for (size_t i = 0; i < FIELDS_MAX && full[kind].fields[i]; i++)
		if (i != without)
			len += snprintf(lines + len, sizeof(lines) - (size_t)len, ",%s",
					full[kind].fields[i]);
	len += snprintf(lines + len, sizeof(lines) - (size_t)len, "}\n");
	cr_assert(zero(int, file_write(path, lines, (size_t)len, NULL)));
	taken = !claims_load(path, &c, NULL);
	if (taken)
		claims_free(&c);
	unlink(path);
	return taken;
}

Test(schema, asks_for_the_fields_of_a_claim_that_its_reader_asks_for, .init = claims_setup,
     .fini = teardown)
{
	for (size_t k = 0; k < FULL_CNT; k++) {
		struct json_value part = part_of(full[k].kind);
		size_t i;

		cr_expect(is_taken(k, FIELDS_MAX), "%s with all fields", full[k].kind);
		for (i = 0; i < FIELDS_MAX && full[k].fields[i]; i++) {
			const char *field = full[k].fields[i];

			cr_expect(is_taken(k, i) != is_required(&part, field + 1, name_len(field)),
				  "%s without %s", full[k].kind, field);
		}
		cr_expect(eq(sz, properties_cnt(&part), i + 1), "fields of %s", full[k].kind);
	}
}

static const char *const described[] = {"\"name\":\"n\"",	  "\"version\":\"1\"",
					"\"division\":\"none\"",  "\"launch\":[\"join\"]",
					"\"declares\":[\"gap\"]", "\"needs\":[]",
					"\"accepts\":[]"};

#define DESCRIBED_CNT (sizeof(described) / sizeof(described[0]))

Test(schema, asks_for_what_describe_has_to_say, .init = describe_setup, .fini = teardown)
{
	for (size_t without = 0; without <= DESCRIBED_CNT; without++) {
		char line[512] = "{\"x\":0";
		size_t len = strlen(line);
		struct profiler p;
		bool taken;

		for (size_t i = 0; i < DESCRIBED_CNT; i++)
			if (i != without)
				len += (size_t)snprintf(line + len, sizeof(line) - len, ",%s",
							described[i]);
		len += (size_t)snprintf(line + len, sizeof(line) - len, "}");
		taken = !describe_profiler(line, len, &p, NULL);
		if (without == DESCRIBED_CNT)
			cr_expect(taken);
		else
			cr_expect(taken != is_required(&schema, described[without] + 1,
						       name_len(described[without])),
				  "without %s", described[without]);
	}
	cr_expect(eq(sz, properties_cnt(&schema), DESCRIBED_CNT));
}

Test(declares, has_a_word_for_every_bit_and_a_bit_for_every_kind_of_claim)
{
	for (unsigned i = 0; i < DECLARES_CNT; i++)
		cr_expect(eq(int, declares_parse(declares_name(i), strlen(declares_name(i))),
			     (int)i));
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++)
		cr_expect(eq(str, (char *)declares_name(i) + strlen("handoff:"),
			     (char *)handoff_type_name(i)));
	for (size_t k = 1; k < FULL_CNT; k++) {
		struct claim c = {.kind = (uint8_t)k};

		cr_expect(eq(str,
			     (char *)declares_name((unsigned)__builtin_ctz(claim_declares(&c))),
			     (char *)full[k].kind));
	}
}

Test(declares, takes_a_handoff_of_no_type_for_a_mistake_and_other_words_for_unknown)
{
	cr_expect(eq(int, declares_parse("handoff", 7), -EINVAL));
	cr_expect(eq(int, declares_parse("handoff:", 8), -EINVAL));
	cr_expect(eq(int, declares_parse("handoff:iox", 11), -EINVAL));
	cr_expect(eq(int, declares_parse("handoffs", 8), -ENOENT));
	cr_expect(eq(int, declares_parse("rumours", 7), -ENOENT));
}
