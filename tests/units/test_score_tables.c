/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of `assay score --by`, on the contract's samples. */
#include <errno.h>

#include "scoring/tables.h"
#include "tests/units/score_text.h"

#define SAMPLES "tests/units/data/scoring/"

static char *table_text(const char *sample, enum table_by by)
{
	char truth[128], claims[128], *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct diag d = {0};
	struct score *s;

	snprintf(truth, sizeof(truth), SAMPLES "%s/truth.jsonl", sample);
	snprintf(claims, sizeof(claims), SAMPLES "%s/claims.jsonl", sample);
	s = score_files(truth, claims, NULL, &d);
	cr_assert(s);
	cr_assert_eq(score_table(s, by, f), 0);
	fclose(f);
	score_free(s);
	return text;
}

Test(tables, print_a_line_a_mark_at_each_level)
{
	char *text = table_text("16-one-ended-named-and-joined", TABLE_BY_MARK);

	cr_assert(strstr(text, "context, by mark "));
	cr_assert(strstr(text, "identity, by mark "));
	cr_assert(strstr(text,
			 "  cancelled                 1        3        1      0      1      "
			 "0      0      1       0  0.5000  1.0000  0.6667  0.5000   0.0000\n"),
		  "%s", text);
	cr_assert(strstr(text,
			 "  lost                      0        1        0      0      0      "
			 "0      0      1       0       -       -       -       -        -\n"),
		  "%s", text);
	free(text);
}

Test(tables, print_types_and_sources)
{
	char *text = table_text("08-context-and-identity", TABLE_BY_TYPE);

	cr_assert(strstr(text, "  work                      2        1        1"));
	cr_assert(strstr(text, "  declared  "));
	cr_assert(strstr(text, "orphan/t  can be seen\n"));
	cr_assert(strstr(text, "   0.0000  yes\n"), "%s", text);
	cr_assert_null(strstr(text, "  wake  "));
	free(text);
	text = table_text("08-context-and-identity", TABLE_BY_SOURCE);
	cr_assert(strstr(text, "context, by source"));
	cr_assert_null(strstr(text, "kernel"));
	free(text);
}

Test(tables, know_their_words)
{
	cr_assert_eq(table_by_parse("type"), TABLE_BY_TYPE);
	cr_assert_eq(table_by_parse("mark"), TABLE_BY_MARK);
	cr_assert_eq(table_by_parse("source"), TABLE_BY_SOURCE);
	cr_assert_eq(table_by_parse("colour"), -1);
	cr_assert_str_eq(table_by_name(TABLE_BY_SOURCE), "source");
}

Test(tables, are_refused_where_there_is_no_score)
{
	struct diag d = {0};
	struct score *s = score_files(SAMPLES "27-broken-overlapping-segments/truth.jsonl",
				      SAMPLES "01-perfect/claims.jsonl", NULL, &d);

	cr_assert_eq(score_table(s, TABLE_BY_TYPE, stdout), -EINVAL);
	score_free(s);
}
