/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of acceptance cases, its quads and its pages. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/acceptance.h"
#include "harness/regime.h"
#include "lib/files.h"
#include "mutations/record.h"

static struct mutation_list tree(void)
{
	struct mutation_list l;
	struct diag d = {0};

	cr_assert_eq(mutation_scan("mutations", &l, &d), 0, "%s: %s", d.file, d.reason);
	return l;
}

static unsigned quads_of(const struct mutation_list *l, const struct acceptance_case *c)
{
	unsigned cnt = 0;

	for (size_t i = 0; i < l->cnt; i++)
		cnt += acceptance_is_of(&l->v[i], c);
	return cnt;
}

Test(harness_acceptance, has_a1_to_a17_each_with_what_it_needs)
{
	struct mutation_list l = tree();
	unsigned cnt = 0;
	char id[8];

	for (const struct acceptance_case *c = acceptance_cases; c->id; c++) {
		snprintf(id, sizeof(id), "A%u", ++cnt);
		cr_expect_str_eq(c->id, id);
		cr_expect_eq(acceptance_find(id), c);
		if (!c->workload)
			cr_expect_gt(quads_of(&l, c), 0, "%s has no quad", id);
		else
			cr_expect(c->level && c->before.scope && c->after[0].side.scope, "%s", id);
	}
	cr_expect_eq(cnt, 17);
	cr_expect_null(acceptance_find("A18"));
	mutation_list_free(&l);
}

/* A tag that no case has would be forgotten. */
Test(harness_acceptance, every_tag_is_of_a_case_that_reads_quads)
{
	struct mutation_list l = tree();

	for (size_t i = 0; i < l.cnt; i++) {
		const struct mutation *m = &l.v[i];
		const struct acceptance_case *c = acceptance_find(m->acceptance);

		if (!m->acceptance[0])
			continue;
		cr_expect(c && !c->workload, "%s: %s", m->id, m->acceptance);
		cr_expect(m->reading.figure[0], "%s has no reading to compare", m->id);
	}
	mutation_list_free(&l);
}

Test(harness_acceptance, settings_and_regimes_are_words_that_exist)
{
	struct diag d = {0};
	struct regime r;

	for (const struct acceptance_case *c = acceptance_cases; c->id; c++)
		for (size_t i = 0; c->workload && i < ACCEPTANCE_PARTS && c->after[i].side.scope;
		     i++) {
			const struct acceptance_side *s = &c->after[i].side;

			cr_expect_eq(regime_parse(s->regime, &r, &d), 0, "%s", s->regime);
			cr_expect(!*s->setting || acceptance_params(s->setting), "%s", s->setting);
			cr_expect(!*c->before.setting || acceptance_params(c->before.setting));
		}
	cr_expect_null(acceptance_params("no-such"));
}

Test(harness_acceptance, every_case_has_its_page)
{
	struct diag d = {0};
	char *text, title[16];
	size_t len;

	cr_assert_eq(file_read("docs/acceptance.md", 1 << 20, &text, &len, &d), 0, "%s", d.reason);
	for (const struct acceptance_case *c = acceptance_cases; c->id; c++) {
		const char *at, *next;

		snprintf(title, sizeof(title), "\n## %s:", c->id);
		at = strstr(text, title);
		cr_assert(at, "%s has no page", c->id);
		next = strstr(at + 1, "\n## ");
		for (const char *const *part = (const char *const[]){"*Source:*", "*Here:*",
								     "*What shows it:*", NULL};
		     *part; part++) {
			const char *found = strstr(at, *part);

			cr_expect(found && (!next || found < next), "%s: %s", c->id, *part);
		}
	}
	free(text);
}

/* Cells of one case alone make one row, with both of its versions. */
Test(harness_acceptance, writes_the_cases_whose_versions_are_planned)
{
	struct cell cells[2] = {{.workload = "pipeline", .variant = "base", .regime = "clean"}};
	struct plan p = {.v = cells, .cnt = 1};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	cr_assert_eq(acceptance_write(NULL, &p, out), 0);
	fclose(out);
	cr_expect(strstr(text, "\"case\":\"A9\""), "%s", text);
	cr_expect(strstr(text, "\"scope\":\"type:call\"") &&
		  strstr(text, "\"scope\":\"type:queue\""));
	cr_expect(!strstr(text, "\"case\":\"A16\""), "half of it: %s", text);
	free(text);
}
