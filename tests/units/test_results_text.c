/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and strangers' words on paper. */
#include <criterion/criterion.h>

#include "results/text.h"

static const char *ratio(double v)
{
	static char buf[NUMBER_LEN];

	return number_ratio(buf, v);
}

Test(text, never_rounds_a_ratio_to_one_or_nought_unless_it_is)
{
	cr_expect_str_eq(ratio(1), "1.0000");
	cr_expect_str_eq(ratio(0.99999), "0.9999");
	cr_expect_str_eq(ratio(0.99984), "0.9998");
	cr_expect_str_eq(ratio(0), "0.0000");
	cr_expect_str_eq(ratio(0.00001), "0.0001");
	cr_expect_str_eq(ratio(0.5), "0.5000");
	cr_expect_str_eq(ratio(-0.25), "-0.2500");
}

static const char *score(double v)
{
	static char buf[NUMBER_LEN];

	return number_score(buf, v);
}

/* Told apart but for one tie in 116 quads is not told apart always. */
Test(text, never_rounds_a_score_to_one_or_nought_unless_it_is)
{
	cr_expect_str_eq(score(1), "1.00");
	cr_expect_str_eq(score(231.0 / 232), "0.99");
	cr_expect_str_eq(score(0.984), "0.98");
	cr_expect_str_eq(score(0.5), "0.50");
	cr_expect_str_eq(score(0), "0.00");
	cr_expect_str_eq(score(0.002), "0.01");
	cr_expect_str_eq(score(-0.0027), "-0.01");
	cr_expect_str_eq(score(-2.471), "-2.47");
}

static const char *grouped(uint64_t v)
{
	static char buf[NUMBER_LEN];

	return number_count(buf, v, " ");
}

Test(text, groups_counts_by_thousands_from_five_digits_on)
{
	cr_expect_str_eq(grouped(0), "0");
	cr_expect_str_eq(grouped(1234), "1234");
	cr_expect_str_eq(grouped(12345), "12 345");
	cr_expect_str_eq(grouped(1234567), "1 234 567");
	cr_expect_str_eq(grouped(UINT64_MAX), "18 446 744 073 709 551 615");
}

static char *written(void (*put)(FILE *, const char *), const char *s)
{
	static char text[256];
	FILE *f = fmemopen(text, sizeof(text), "w");

	put(f, s);
	fclose(f);
	return text;
}

Test(text, escapes_html_and_replaces_what_is_no_utf8_or_invisible)
{
	cr_expect_str_eq(written(text_html, "<a href='x'>\"&"),
			 "&lt;a href=&#39;x&#39;&gt;&quot;&amp;");
	cr_expect_str_eq(written(text_html, "a\x01z\xff"), "a\xef\xbf\xbdz\xef\xbf\xbd");
	/* a bidirectional override could make a name read as another */
	cr_expect_str_eq(written(text_html, "\xe2\x80\xae"), "\xef\xbf\xbd");
	cr_expect_str_eq(written(text_html, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82"),
			 "\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82");
}

Test(text, escapes_latex)
{
	cr_expect_str_eq(written(text_latex, "a_b%#$&{}~^\\"),
			 "a\\_b\\%\\#\\$\\&\\{\\}\\textasciitilde{}\\textasciicircum{}"
			 "\\textbackslash{}");
}

Test(text, escapes_urls_of_files)
{
	cr_expect_str_eq(written(text_url, "cells/a b?#%/\"log"), "cells/a%20b%3F%23%25/%22log");
}

static void put_five(FILE *f, const char *s)
{
	text_plain(f, s, 5);
}

Test(text, cuts_a_word_at_the_column_and_not_inside_a_character)
{
	cr_expect_str_eq(written(put_five, "abcde"), "abcde");
	cr_expect_str_eq(written(put_five, "abcdef"), "abcd\xe2\x80\xa6");
	cr_expect_str_eq(written(put_five, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"),
			 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xe2\x80\xa6");
	cr_expect_str_eq(written(put_five, "a\x1b[2J"), "a\xef\xbf\xbd[2J");
}

Test(text, reads_truncated_and_overlong_sequences_as_one_replacement_a_byte)
{
	const char *s = "\xe2\x82"
			"a"
			"\xc0\xaf"
			"\xed\xa0\x80";
	size_t n = 0;

	for (uint32_t c; (c = utf8_next(&s)); n++)
		cr_expect(c == 0xfffd || c == 'a');
	cr_expect_eq(n, 8);
}
