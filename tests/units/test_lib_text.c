/* SPDX-License-Identifier: BSD-2-Clause */
/* What lib writes and keeps as text: JSON, progress lines, words, vocabularies, errors. */
#include <criterion/criterion.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/formats/json.h"
#include "lib/hash.h"
#include "lib/json_out.h"
#include "lib/progress.h"
#include "lib/strtab.h"
#include "lib/utf8.h"
#include "lib/vocab.h"

static char *text;
static size_t text_len;
static FILE *f;
static struct json_out o;

static void open_text(void)
{
	f = open_memstream(&text, &text_len);
	json_out_init(&o, f);
}

static void text_is(const char *want)
{
	cr_assert_eq(json_out_error(&o), 0);
	fclose(f);
	cr_assert_str_eq(text, want);
	free(text);
}

Test(json_out, writes_nested_objects_with_commas)
{
	open_text();
	json_out_object(&o, NULL);
	json_out_u64(&o, "a", UINT64_MAX);
	json_out_i64(&o, "b", INT64_MIN);
	json_out_array(&o, "c");
	json_out_bool(&o, NULL, true);
	json_out_null(&o, NULL);
	json_out_object(&o, NULL);
	json_out_end(&o);
	json_out_array(&o, NULL);
	json_out_end(&o);
	json_out_end(&o);
	json_out_hex(&o, "d", UINT64_C(0x20000000000001));
	json_out_hex(&o, "e", 0);
	json_out_str(&o, "f", NULL);
	json_out_end(&o);
	json_out_newline(&o);
	text_is("{\"a\":18446744073709551615,\"b\":-9223372036854775808,\"c\":[true,null,{},[]],"
		"\"d\":\"0x20000000000001\",\"e\":\"0x0\",\"f\":null}\n");
}

Test(json_out, escapes_what_must_be_escaped)
{
	open_text();
	json_out_strn(&o, NULL, "\"\\/\b\f\n\r\t\x01\x1f\x7f\0\xc3\xa9\xf0\x9f\x98\x80", 18);
	text_is("\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\u0000\xc3\xa9\xf0\x9f\x98\x80\"");
}

#define REPLACED "\xef\xbf\xbd"

Test(json_out, replaces_each_byte_that_is_no_utf8)
{
	open_text();
	json_out_strn(&o, NULL, "a\xff\xc3(\xed\xa0\x80-\xc0\xaf-\xe2\x82", 13);
	text_is("\"a" REPLACED REPLACED "(" REPLACED REPLACED REPLACED "-" REPLACED REPLACED
		"-" REPLACED REPLACED "\"");
}

Test(json_out, writes_strings_longer_than_its_buffer)
{
	char longer[3 * JSON_OUT_BUFFER], want[3 * JSON_OUT_BUFFER + 8];

	memset(longer, 'x', sizeof(longer));
	snprintf(want, sizeof(want), "\"%.*s\"", (int)sizeof(longer), longer);
	open_text();
	json_out_strn(&o, NULL, longer, sizeof(longer));
	text_is(want);
}

static void f64_is(double v, const char *want)
{
	open_text();
	json_out_f64(&o, NULL, v);
	text_is(want);
}

Test(json_out, writes_the_shortest_double)
{
	f64_is(0, "0");
	f64_is(-0.0, "-0.0");
	f64_is(1, "1");
	f64_is(0.1, "0.1");
	f64_is(0.98, "0.98");
	f64_is(0.30000000000000004, "0.30000000000000004");
	f64_is(1.0 / 3, "0.3333333333333333");
	f64_is(2.0 / 3, "0.6666666666666666");
	f64_is(0.0001, "0.0001");
	f64_is(100, "100");
	f64_is(1e100, "1e+100");
	f64_is(5e-324, "5e-324");
	f64_is(1.7976931348623157e308, "1.7976931348623157e+308");
	f64_is(-12.5, "-12.5");
	f64_is(NAN, "null");
	f64_is(-INFINITY, "null");
}

/* Every double that is written is read as itself, and no shorter decimal would be. */
Test(json_out, round_trips_doubles)
{
	uint64_t seed = 1;

	for (uint64_t i = 0; i < 200000; i++) {
		uint64_t bits = hash_u64(i, seed);
		double v, back;
		char buf[JSON_OUT_F64_LEN], shorter[JSON_OUT_F64_LEN];
		int n;

		memcpy(&v, &bits, sizeof(v));
		if (i % 2)
			v = (double)(bits % 100000000) / pow(10, (double)(bits >> 60));
		if (!isfinite(v))
			continue;
		n = json_out_format_f64(buf, v);
		cr_assert_eq((size_t)n, strlen(buf));
		back = strtod(buf, NULL);
		cr_assert_eq(memcmp(&v, &back, sizeof(v)), 0, "%s", buf);
		snprintf(shorter, sizeof(shorter), "%.15g", v);
		if (strtod(shorter, NULL) == v && fpclassify(v) != FP_SUBNORMAL)
			cr_assert_str_eq(buf, shorter);
	}
}

Test(json_out, keeps_the_first_error_of_the_stream)
{
	FILE *full = fopen("/dev/full", "we");

	setvbuf(full, NULL, _IONBF, 0);
	json_out_init(&o, full);
	json_out_u64(&o, NULL, 1);
	cr_assert_eq(json_out_error(&o), -ENOSPC);
	json_out_u64(&o, NULL, 1);
	cr_assert_eq(json_out_error(&o), -ENOSPC);
	fclose(full);
}

Test(json_out, writes_what_the_reader_reads)
{
	struct json_parser *p = json_parser_new();
	struct json_value v, field;
	const char *why;

	open_text();
	json_out_object(&o, NULL);
	json_out_strn(&o, "\"\n\\", "\x01\xff\"", 3);
	json_out_f64(&o, "x", 1e-7);
	json_out_end(&o);
	fclose(f);
	cr_assert_eq(json_parse(p, text, text_len, &v, &why), 0, "%s", why);
	cr_assert(json_get(&v, "\"\n\\", &field));
	cr_assert(json_str_is(&field, "\x01\xef\xbf\xbd\""));
	cr_assert(json_get(&v, "x", &field));
	cr_assert_eq(field.d, 1e-7);
	free(text);
	json_parser_free(p);
}

Test(utf8, takes_exactly_the_well_formed)
{
	cr_assert(utf8_valid("", 0));
	cr_assert(utf8_valid("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 11));
	cr_assert(utf8_valid("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8));
	cr_assert(utf8_valid("\xed\x9f\xbf\xee\x80\x80", 6));
	cr_assert_not(utf8_valid("\x80", 1));
	cr_assert_not(utf8_valid("\xc1\xbf", 2));
	cr_assert_not(utf8_valid("\xe0\x9f\xbf", 3));
	cr_assert_not(utf8_valid("\xed\xa0\x80", 3));
	cr_assert_not(utf8_valid("\xf0\x8f\xbf\xbf", 4));
	cr_assert_not(utf8_valid("\xf4\x90\x80\x80", 4));
	cr_assert_not(utf8_valid("\xf5\x80\x80\x80", 4));
	cr_assert_not(utf8_valid("\xe2\x82", 2));
}

static void progress_is(uint64_t done, uint64_t total, uint64_t seconds, const char *want)
{
	char buf[256];
	int n = progress_format(buf, sizeof(buf), 80, "run", done, total, seconds * 1000000000,
				"c1");

	cr_assert_str_eq(buf, want);
	cr_assert_eq((size_t)n, strlen(buf));
}

Test(progress, shows_share_and_time_left)
{
	progress_is(0, 10, 1, "run [........................]   0 %  starting  c1");
	progress_is(5, 10, 7, "run [############............]  50 %  7 s left  c1");
	progress_is(1, 10, 20, "run [##......................]  10 %  3 min 00 s left  c1");
	progress_is(1, 1000, 10, "run [........................]   0 %  2 h 46 min left  c1");
	progress_is(10, 10, 7, "run [########################] 100 %  0 s left  c1");
	progress_is(11, 10, 7, "run [########################] 100 %  0 s left  c1");
	progress_is(0, 0, 7, "run [########################] 100 %  starting  c1");
}

Test(progress, fits_the_terminal)
{
	char buf[256];

	cr_assert_eq(progress_format(buf, sizeof(buf), 20, "run", 1, 2, 1, NULL), 19);
	cr_assert_str_eq(buf, "run [############..");
}

Test(progress, is_silent_when_not_on_a_terminal)
{
	struct progress p;

	cr_assert_not_null(freopen("/dev/null", "w", stderr));
	progress_start(&p, "run", 10);
	cr_assert_null(p.out);
	progress_update(&p, 5, NULL);
	progress_end(&p);
}

Test(strtab, deals_ids_in_order_of_first_use)
{
	struct strtab *t = strtab_new();

	cr_assert_eq(strtab_intern(t, "", 0), 0);
	cr_assert_eq(strtab_intern(t, "ab", 2), 1);
	cr_assert_eq(strtab_intern(t, "a", 1), 2);
	cr_assert_eq(strtab_intern(t, "abc", 2), 1);
	cr_assert_eq(strtab_find(t, "a", 1), 2);
	cr_assert_eq(strtab_find(t, "b", 1), -ENOENT);
	cr_assert_str_eq(strtab_get(t, 0), "");
	cr_assert_str_eq(strtab_get(t, 1), "ab");
	cr_assert_eq(strtab_count(t), 3);
	strtab_free(t);
	strtab_free(NULL);
}

Test(strtab, forgets_the_last_word_alone)
{
	struct strtab *t = strtab_new();

	cr_assert_eq(strtab_intern(t, "a", 1), 1);
	cr_assert_eq(strtab_intern(t, "b", 1), 2);
	strtab_forget_last(t, 1);
	strtab_forget_last(t, 0);
	cr_assert_eq(strtab_count(t), 3);
	strtab_forget_last(t, 2);
	cr_assert_eq(strtab_find(t, "b", 1), -ENOENT);
	cr_assert_eq(strtab_intern(t, "c", 1), 2);
	cr_assert_str_eq(strtab_get(t, 1), "a");
	strtab_free(t);
}

Test(strtab, keeps_many_words)
{
	struct strtab *t = strtab_new();
	const char *first;
	char word[16];

	strtab_intern(t, "first", 5);
	first = strtab_get(t, 1);
	for (int i = 2; i < 100000; i++) {
		int n = snprintf(word, sizeof(word), "%d", i);

		cr_assert_eq(strtab_intern(t, word, (size_t)n), i);
	}
	cr_assert_eq(strtab_get(t, 1), first, "a pointer moved");
	cr_assert_str_eq(strtab_get(t, 99999), "99999");
	strtab_free(t);
}

#define ROUND_TRIP(word, first, cnt)                                                               \
	for (unsigned i = (first); i < (cnt); i++)                                                 \
	cr_assert_eq(word##_parse(word##_name(i), strlen(word##_name(i))), (int)i)

Test(vocab, parses_every_name_it_prints)
{
	ROUND_TRIP(handoff_type, 0, HANDOFF_TYPE_CNT);
	ROUND_TRIP(key_ns, 1, KEY_NS_CNT);
	ROUND_TRIP(mark, 0, MARK_CNT);
	ROUND_TRIP(event_kind, 0, EVENT_KIND_CNT);
	ROUND_TRIP(effect_kind, 0, EFFECT_KIND_CNT);
	ROUND_TRIP(how, 1, HOW_CNT);
	ROUND_TRIP(source, 1, SOURCE_CNT);
	ROUND_TRIP(health_state, 0, HEALTH_STATE_CNT);
	ROUND_TRIP(profile_by, 0, PROFILE_BY_CNT);
}

Test(vocab, knows_no_other_word)
{
	cr_assert_eq(handoff_type_parse("io", 1), -1);
	cr_assert_eq(handoff_type_parse("ioo", 3), -1);
	cr_assert_eq(how_parse("", 0), -1);
	cr_assert_eq(source_parse("", 0), -1);
	cr_assert_eq(key_ns_parse("", 0), KEY_OTHER);
	cr_assert_eq(key_ns_parse("pid", 3), KEY_OTHER);
}

Test(diag, prints_object_reason_and_cure)
{
	struct diag d;

	cr_assert_eq(diag_set(&d, -EINVAL, "f", 3, "write x", "no %s", "y"), -EINVAL);
	open_text();
	diag_print(&d, f);
	text_is("assay: f:3: no y\n       try: write x\n");
	diag_set(&d, -EIO, NULL, 0, NULL, "gone");
	open_text();
	diag_print(&d, f);
	text_is("assay: gone\n");
	cr_assert_eq(diag_set(NULL, -EIO, "f", 0, NULL, "x"), -EIO);
}
