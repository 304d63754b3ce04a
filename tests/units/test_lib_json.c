/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of JSON: exact integers, strictness, iteration. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/json.h"

static struct json_parser *parser;

static void setup(void)
{
	parser = json_parser_new();
	cr_assert_not_null(parser);
}

static void teardown(void)
{
	json_parser_free(parser);
}

TestSuite(json, .init = setup, .fini = teardown);

/* From a buffer of exactly that size, so that a read past the end is seen by ASan. */
static int parse(const char *text, struct json_value *ret, const char **ret_why)
{
	size_t len = strlen(text);
	char *exact = malloc(len ? len : 1);
	int err;

	memcpy(exact, text, len);
	err = json_parse(parser, exact, len, ret, ret_why);
	free(exact);
	return err;
}

static struct json_value parsed(const char *text)
{
	struct json_value v = {0};
	const char *why = "";

	cr_assert_eq(parse(text, &v, &why), 0, "%s: %s", text, why);
	return v;
}

static void refused(const char *text)
{
	struct json_value v;
	const char *why = NULL;

	cr_assert_eq(parse(text, &v, &why), -EINVAL, "accepted: %s", text);
	cr_assert_not_null(why, "no reason for %s", text);
}

Test(json, keeps_integers_exact_when_above_2_53)
{
	cr_assert_eq(parsed("9007199254740993").u, UINT64_C(9007199254740993));
	cr_assert_eq(parsed("18446744073709551615").u, UINT64_MAX);
	cr_assert_eq(parsed("-9223372036854775808").i, INT64_MIN);
	cr_assert_eq(parsed("-9223372036854775808").kind, JSON_INT);
}

Test(json, tells_kinds_apart)
{
	cr_assert_eq(parsed("null").kind, JSON_NULL);
	cr_assert_eq(parsed("true").kind, JSON_BOOL);
	cr_assert(parsed("true").b);
	cr_assert_eq(parsed("0").kind, JSON_UINT);
	cr_assert_eq(parsed("-0").kind, JSON_UINT);
	cr_assert_eq(parsed("1.0").kind, JSON_DOUBLE);
	cr_assert_eq(parsed("1e3").kind, JSON_DOUBLE);
	cr_assert_eq(parsed("\"\"").kind, JSON_STRING);
	cr_assert_eq(parsed("[]").kind, JSON_ARRAY);
	cr_assert_eq(parsed("{}").kind, JSON_OBJECT);
}

Test(json, refuses_text_that_is_not_one_json_value)
{
	static const char *const bad[] = {
		"",
		" ",
		"{",
		"}",
		"{\"a\":1,}",
		"[1 2]",
		"01",
		"+1",
		"1.",
		".5",
		"nul",
		"{}{}",
		"{} x",
		"'a'",
		"\"a",
		"\"\\x\"",
		"\"\t\"",
		"\"\xff\"",
		"\"\\ud800\"",
		"NaN",
		"{\"a\" 1}",
		"{a:1}",
		"{\"a\":}",
		"[1,]",
		"--1",
		"0x10",
		"[1e400,01]",
		"[1e400,1.]",
		"[1e400,+1]",
		"[1e400,1e]",
		"[1e400,1e400x]",
		"[1e400,-]",
		"[1e400 1e400]",
		"{\"a\"1e400}",
		"1e400\"a\"",
		"[1e400,\"\\\"]",
		"01000000000000000000000000000000",
		"1e400e400",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i]);
}

Test(json, reads_past_numbers_that_no_reader_can_use)
{
	static const char *const big[] = {
		"18446744073709551616",
		"-9223372036854775809",
		"1e400",
		"-1E+400",
		"1.5e999",
		"100000000000000000000000000000000000000000000000000000000000000000000000",
	};

	for (size_t i = 0; i < sizeof(big) / sizeof(big[0]); i++) {
		struct json_value v = parsed(big[i]);
		uint64_t u = 42;
		double d = 42;

		cr_assert_eq(v.kind, JSON_BIG, "%s", big[i]);
		cr_assert_eq(json_u64(&v, &u), -EINVAL);
		cr_assert_eq(json_f64(&v, &d), -EINVAL);
		cr_assert_eq(u, 42);
		cr_assert_eq(d, 42);
	}
}

Test(json, keeps_everything_else_exact_when_a_number_is_too_big)
{
	struct json_value v =
		parsed("{\"a\":[18446744073709551616,18446744073709551615,\"1e400\\\"\"],"
		       "\"1e400\":-7,\"b\":0.5,\"c\":1e400,\"d\":0,\"e\":true}");
	struct json_value a, x;
	struct json_iter it;

	cr_assert(json_get(&v, "a", &a));
	json_iter_init(&it, &a);
	cr_assert(json_iter_next(&it, NULL, &x) && x.kind == JSON_BIG);
	cr_assert(json_iter_next(&it, NULL, &x) && x.kind == JSON_UINT && x.u == UINT64_MAX);
	cr_assert(json_iter_next(&it, NULL, &x) && json_str_is(&x, "1e400\""));
	cr_assert(json_get(&v, "1e400", &x) && x.kind == JSON_INT && x.i == -7);
	cr_assert(json_get(&v, "b", &x) && x.kind == JSON_DOUBLE && x.d == 0.5);
	cr_assert(json_get(&v, "c", &x) && x.kind == JSON_BIG);
	cr_assert(json_get(&v, "d", &x) && x.kind == JSON_UINT && x.u == 0);
	cr_assert(json_get(&v, "e", &x) && x.kind == JSON_BOOL && x.b);
}

Test(json, bounds_nesting)
{
	enum { FINE = 1000, TOO_DEEP = 100000 };
	char *text = calloc(1, 2 * TOO_DEEP + 1);

	memset(text, '[', FINE);
	memset(text + FINE, ']', FINE);
	parsed(text);
	memset(text, '[', TOO_DEEP);
	memset(text + TOO_DEEP, ']', TOO_DEEP);
	refused(text);
	free(text);
}

Test(json, iterates_objects_in_order_with_duplicates)
{
	struct json_value v = parsed("{\"a\":1,\"b\":{\"c\":[2]},\"a\":3}"), key, value;
	struct json_iter it;
	char seen[8] = "";

	json_iter_init(&it, &v);
	while (json_iter_next(&it, &key, &value))
		strncat(seen, key.str.s, key.str.len);
	cr_assert_str_eq(seen, "aba");
	cr_assert(json_get(&v, "a", &value));
	cr_assert_eq(value.u, 1);
	cr_assert_not(json_get(&v, "c", &value));
}

Test(json, iterates_arrays_and_nothing_else)
{
	struct json_value scalar = parsed("7"), v, value;
	struct json_iter it;
	size_t cnt = 0;

	v = parsed("[1,[9,9],{\"x\":8},4]");
	json_iter_init(&it, &v);
	while (json_iter_next(&it, NULL, &value))
		cnt++;
	cr_assert_eq(cnt, 4);
	cr_assert_eq(value.u, 4);
	json_iter_init(&it, &scalar);
	cr_assert_not(json_iter_next(&it, NULL, &value));
	cr_assert_not(json_get(&scalar, "x", &value));
}

Test(json, iterates_nothing_when_empty)
{
	struct json_value v, value;
	struct json_iter it;

	v = parsed("[]");
	json_iter_init(&it, &v);
	cr_assert_not(json_iter_next(&it, NULL, &value));
	v = parsed("{}");
	json_iter_init(&it, &v);
	cr_assert_not(json_iter_next(&it, NULL, &value));
}

Test(json, reads_64_bit_values_in_both_forms)
{
	struct json_value v;
	uint64_t u = 0;

	v = parsed("\"0xffffffffffffffff\"");
	cr_assert_eq(json_u64(&v, &u), 0);
	cr_assert_eq(u, UINT64_MAX);
	v = parsed("\"0x0000000000000000000020000000000001\"");
	cr_assert_eq(json_u64(&v, &u), 0);
	cr_assert_eq(u, UINT64_C(0x20000000000001));
	v = parsed("\"0xAb\"");
	cr_assert_eq(json_u64(&v, &u), 0);
	cr_assert_eq(u, 0xab);
}

Test(json, leaves_output_untouched_when_no_64_bit_value)
{
	static const char *const bad[] = {
		"\"0x\"",   "\"\"", "\"12\"", "\"0X1\"", "\"0x1g\"", "\"0x10000000000000000\"",
		"-1",	    "1.0",  "1e2",    "null",	 "true",     "[1]",
		"\" 0x1\"",
	};
	uint64_t u = 42;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct json_value v = parsed(bad[i]);

		cr_assert_eq(json_u64(&v, &u), -EINVAL, "accepted: %s", bad[i]);
	}
	cr_assert_eq(u, 42);
}

Test(json, reads_any_finite_number_as_double)
{
	struct json_value v;
	double d = 7;

	v = parsed("0.97");
	cr_assert_eq(json_f64(&v, &d), 0);
	cr_assert_eq(d, 0.97);
	v = parsed("1");
	cr_assert_eq(json_f64(&v, &d), 0);
	cr_assert_eq(d, 1.0);
	v = parsed("-3");
	cr_assert_eq(json_f64(&v, &d), 0);
	cr_assert_eq(d, -3.0);
	v = parsed("\"1\"");
	cr_assert_eq(json_f64(&v, &d), -EINVAL);
}

Test(json, compares_words_by_length_when_they_hold_nul)
{
	struct json_value v;

	v = parsed("\"io\"");
	cr_assert(json_str_is(&v, "io"));
	cr_assert_not(json_str_is(&v, "i"));
	v = parsed("\"io\\u0000\"");
	cr_assert_not(json_str_is(&v, "io"));
	v = parsed("1");
	cr_assert_not(json_str_is(&v, "1"));
}

Test(json, survives_reuse_when_a_text_was_bad)
{
	refused("{\"a\":[1,2");
	cr_assert_eq(parsed("5").u, 5);
}
