/* SPDX-License-Identifier: BSD-2-Clause */
/* Evidence as text: every line that is printed is one that the printed schema allows. */
#include <criterion/criterion.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/evidence_text.h"
#include "lib/formats/json.h"

/* ---- as much of JSON Schema as is used ---- */

static bool allows(const struct json_value *schema, const struct json_value *v);

static bool same(const struct json_value *a, const struct json_value *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == JSON_STRING)
		return a->str.len == b->str.len && !memcmp(a->str.s, b->str.s, a->str.len);
	return a->kind == JSON_UINT && a->u == b->u;
}

static bool is_listed(const struct json_value *list, const struct json_value *v)
{
	struct json_value one;
	struct json_iter it;

	json_iter_init(&it, list);
	while (json_iter_next(&it, NULL, &one))
		if (same(&one, v))
			return true;
	return false;
}

static bool has_type(const struct json_value *type, const struct json_value *v)
{
	if (json_str_is(type, "integer"))
		return v->kind == JSON_UINT || v->kind == JSON_INT;
	if (json_str_is(type, "string"))
		return v->kind == JSON_STRING;
	if (json_str_is(type, "array"))
		return v->kind == JSON_ARRAY;
	return json_str_is(type, "object") && v->kind == JSON_OBJECT;
}

static bool matches(const struct json_value *pattern, const struct json_value *v)
{
	regex_t re;
	bool does;

	cr_assert_eq(regcomp(&re, pattern->str.s, REG_EXTENDED | REG_NOSUB), 0);
	does = v->kind == JSON_STRING && !regexec(&re, v->str.s, 0, NULL, 0);
	regfree(&re);
	return does;
}

static bool reaches(const struct json_value *least, const struct json_value *v)
{
	if (v->kind == JSON_UINT)
		return least->kind != JSON_UINT || v->u >= least->u;
	return v->kind == JSON_INT && least->kind == JSON_INT && v->i >= least->i;
}

static bool has_fields(const struct json_value *schema, const struct json_value *v)
{
	struct json_value names, name, fields, key, one, field;
	struct json_iter it;

	if (json_get(schema, "required", &names)) {
		json_iter_init(&it, &names);
		while (json_iter_next(&it, NULL, &name))
			if (!json_get(v, name.str.s, &one))
				return false;
	}
	cr_assert(json_get(schema, "properties", &fields));
	json_iter_init(&it, v);
	while (json_iter_next(&it, &key, &one))
		if (!json_get(&fields, key.str.s, &field) || !allows(&field, &one))
			return false;
	return true;
}

static bool has_items(const struct json_value *schema, const struct json_value *v)
{
	struct json_value one;
	struct json_iter it;

	json_iter_init(&it, v);
	while (json_iter_next(&it, NULL, &one))
		if (!allows(schema, &one))
			return false;
	return true;
}

static bool allows(const struct json_value *schema, const struct json_value *v)
{
	struct json_value x;

	if (json_get(schema, "const", &x) && !same(&x, v))
		return false;
	if (json_get(schema, "enum", &x) && !is_listed(&x, v))
		return false;
	if (json_get(schema, "type", &x) && !has_type(&x, v))
		return false;
	if (json_get(schema, "pattern", &x) && !matches(&x, v))
		return false;
	if (json_get(schema, "minimum", &x) && !reaches(&x, v))
		return false;
	if (json_get(schema, "maximum", &x) && (v->kind != JSON_UINT || v->u > x.u))
		return false;
	if (v->kind == JSON_OBJECT)
		return has_fields(schema, v);
	return !json_get(schema, "items", &x) || has_items(&x, v);
}

/* ---- what is printed ---- */

static struct json_parser *schema_parser, *line_parser;
static struct json_value schema;
static char *text;

static void parse(struct json_parser *p, const char *s, size_t len, struct json_value *ret)
{
	const char *why = "";

	cr_assert_eq(json_parse(p, s, len, ret, &why), 0, "%s: %.200s", why, s);
}

static void setup(void)
{
	size_t len;
	FILE *f = open_memstream(&text, &len);

	evidence_schema(f);
	fclose(f);
	schema_parser = json_parser_new();
	line_parser = json_parser_new();
	parse(schema_parser, text, len - 1, &schema);
}

static void teardown(void)
{
	json_parser_free(schema_parser);
	json_parser_free(line_parser);
	free(text);
}

/* How many of the shapes allow the line. */
static unsigned shapes_of(const char *line, size_t len)
{
	struct json_value shapes, shape, v;
	struct json_iter it;
	unsigned n = 0;

	parse(line_parser, line, len, &v);
	cr_assert(json_get(&schema, "oneOf", &shapes));
	json_iter_init(&it, &shapes);
	while (json_iter_next(&it, NULL, &shape))
		n += allows(&shape, &v);
	return n;
}

static char *export(const struct ev_rec *v, size_t cnt)
{
	struct evidence e = {.header = {.pid = 7, .can = ~0u, .records = cnt, .kernel = "6.18"},
			     .v = v,
			     .cnt = cnt};
	char *lines;
	size_t len;
	FILE *f = open_memstream(&lines, &len);

	cr_assert_eq(evidence_export(&e, f), 0);
	fclose(f);
	return lines;
}

TestSuite(evidence_text, .init = setup, .fini = teardown);

static uint64_t draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state ^ *state >> 29;
}

Test(evidence_text, every_line_is_of_one_shape_of_the_schema)
{
	enum { KINDS = 128, EACH = 8, CNT = (KINDS - 1) * EACH };
	static struct ev_rec v[CNT];
	uint64_t state = 20261130;
	size_t lines = 0;
	char *all, *line;

	for (size_t i = 0; i < CNT; i++) {
		uint64_t *words = (uint64_t *)&v[i];

		for (size_t k = 0; k < sizeof(*v) / sizeof(*words); k++)
			words[k] = i % EACH ? draw(&state) >> (8 * (i % EACH)) : 0;
		v[i].kind = (uint8_t)(1 + i / EACH);
		v[i].ago_scale = (uint8_t)(draw(&state) % (EV_AGO_SCALES + 1));
	}
	all = export(v, CNT);
	for (line = all; *line; line = strchr(line, '\n') + 1, lines++)
		cr_assert_eq(shapes_of(line, strcspn(line, "\n")), 1, "%.*s",
			     (int)strcspn(line, "\n"), line);
	cr_expect_eq(lines, CNT + 1);
	free(all);
}

Test(evidence_text, schema_refuses_what_is_no_line)
{
	static const char *const wrong[] = {
		"{}",
		"{\"evidence\":2}",
		"{\"n\":0,\"kind\":\"proc-exec\",\"t\":1,\"tid\":1,\"tgid\":1,\"cpu\":0,"
		"\"seq\":0,\"flags\":[]}",
		"{\"n\":0,\"kind\":\"proc-exec\",\"t\":1,\"tid\":1,\"tgid\":1,\"cpu\":0,"
		"\"seq\":0,\"flags\":[\"odd\"],\"before\":1}",
		"{\"n\":0,\"kind\":\"proc-exec\",\"t\":1,\"tid\":1,\"tgid\":1,\"cpu\":0,"
		"\"seq\":0,\"flags\":[],\"before\":\"0x1\"}",
		"{\"n\":0,\"kind\":\"proc-exec\",\"t\":1,\"tid\":1,\"tgid\":1,\"cpu\":65536,"
		"\"seq\":0,\"flags\":[],\"before\":1}",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_eq(shapes_of(wrong[i], strlen(wrong[i])), 0, "%s", wrong[i]);
}

Test(evidence_text, record_is_printed_under_the_names_of_its_kind)
{
	static const char wanted[] =
		"{\"n\":0,\"kind\":\"io-complete\",\"t\":5,\"tid\":101,\"tgid\":100,\"cpu\":1,"
		"\"seq\":9,\"ago\":520,\"flags\":[\"kernel\",\"other\"],"
		"\"ctx\":\"0xffff888100000000\",\"req\":\"0x10\",\"user_data\":\"0x7f\","
		"\"res\":-125,\"cqe\":\"0x2\"}\n{\"n\":1,\"kind\":\"kind-127\",";
	const struct ev_rec v[] = {{.t = 5,
				    .tid = 101,
				    .tgid = 100,
				    .kind = EV_IO_COMPLETE,
				    .flags = EV_F_KERNEL | EV_F_OTHER,
				    .ago_scale = 3,
				    .ago = 4,
				    .cpu = 1,
				    .seq = 9,
				    .a = 0xffff888100000000,
				    .b = 0x10,
				    .c = 0x7f,
				    .d = (uint64_t)-125,
				    .e = 2},
				   {.kind = 127, .a = 11}};
	char *all = export(v, 2), *line = strchr(all, '\n') + 1;

	cr_expect_eq(strncmp(line, wanted, strlen(wanted)), 0, "%s", line);
	cr_expect(strstr(line, "\"a\":\"0xb\",\"b\":\"0x0\""));
	free(all);
}

Test(evidence_text, every_kind_of_today_has_a_name)
{
	static const uint8_t today[] = {1,  2,	3,  4,	5,  6,	7,  8,	9,  16, 17, 18,
					32, 33, 40, 41, 48, 49, 50, 51, 56, 57, 58, 59,
					64, 65, 68, 69, 70, 72, 73, 74, 75, 76};

	for (size_t i = 0; i < sizeof(today); i++) {
		const struct ev_rec r = {.kind = today[i]};
		char *all = export(&r, 1);

		cr_expect_not(strstr(all, "\"kind-"), "%s", all);
		free(all);
	}
}
