/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of diagnoses. */
#include "results/table_diagnosis.h"

#include <string.h>

#include "results/diagnosis_view.h"
#include "results/stale_view.h"
#include "results/text.h"

enum { NAME_WIDTH = 30, CASE_WIDTH = 34, COLUMN_WIDTH = 10, SAID_WIDTH = 21, CONTESTANTS = 2 };

static void put_share(FILE *out, double part, double whole)
{
	char text[48] = "-";

	if (whole > 0)
		snprintf(text, sizeof(text), "%.0f/%.0f", part, whole);
	fprintf(out, "%*s", COLUMN_WIDTH, text);
}

static const char *wait_text(char *text, size_t len, double ns)
{
	if (ns < 0)
		snprintf(text, len, "-");
	else
		snprintf(text, len, "%.0f ms", ns / 1e6);
	return text;
}

static int put_sum(struct view *v, const struct diagnosis_view *x, const char *contestant,
		   FILE *out)
{
	const char *slash = strrchr(contestant, '/');
	struct diagnosis_sum s;
	char name[64], wait[48];
	int err = diagnosis_sum(v, x, contestant, &s);

	if (err)
		return err;
	snprintf(name, sizeof(name), "  %.60s", slash ? slash + 1 : contestant);
	text_padded(out, name, "", NAME_WIDTH);
	put_share(out, s.found[CASE_ILL], s.cells[CASE_ILL]);
	put_share(out, s.found[CASE_HEALTHY], s.cells[CASE_HEALTHY]);
	put_share(out, s.misled[CASE_LOOKALIKE], s.cells[CASE_LOOKALIKE]);
	fprintf(out, "%*.0f%*s\n", COLUMN_WIDTH, s.misled[CASE_ILL] + s.misled[CASE_HEALTHY],
		COLUMN_WIDTH, wait_text(wait, sizeof(wait), s.wait_ns));
	return 0;
}

/* What was named, and when; else what was said falsely; else nothing. */
static void put_said(struct view *v, const struct diagnosis_case *c, const char *contestant,
		     FILE *out)
{
	struct diagnosis_said s = diagnosis_said_of(v, c, contestant);
	char text[96] = "-";

	if (c->kind == CASE_ILL && s.wait.has)
		wait_text(text, sizeof(text), (s.wait.min + s.wait.max) / 2);
	for (unsigned label = 0; s.wrong > 0 && label < DIAGNOSIS_CNT; label++) {
		size_t len = strlen(text);

		if (diagnosis_false(v, c, contestant, label) > 0)
			snprintf(len == 1 ? text : text + len, sizeof(text) - (len == 1 ? 0 : len),
				 "%s%s", len == 1 ? "" : " ", diagnosis_name(label));
	}
	if (c->kind == CASE_LOOKALIKE && !s.wrong && s.found > 0)
		snprintf(text, sizeof(text), "healthy");
	if (s.there && s.state != CELL_OK && !(s.claims > 0))
		snprintf(text, sizeof(text), "%s", cell_state_name(s.state));
	fprintf(out, "%*.*s", SAID_WIDTH, SAID_WIDTH - 1, text);
}

static void put_case(struct view *v, const struct diagnosis_case *c, const char *const *asked,
		     size_t cnt, FILE *out)
{
	const char *form;
	size_t len = run_variant_split(c->g->variant, &form);
	char name[96];

	if (c->kind == CASE_ILL)
		snprintf(name, sizeof(name), "  %.40s %.40s", c->g->workload, c->label);
	else
		snprintf(name, sizeof(name), "  %.*s *", (int)(len < 60 ? len : 60), c->g->variant);
	text_padded(out, name, "", CASE_WIDTH);
	for (size_t i = 0; i < cnt; i++)
		put_said(v, c, asked[i], out);
	putc('\n', out);
}

/* Whether it was asked about anything but what is healthy: who only runs live is not. */
static bool is_asked(const struct diagnosis_view *x, const char *contestant)
{
	for (size_t i = 0; i < x->case_cnt; i++)
		if (x->cases[i].kind != CASE_HEALTHY && stale_row(x->cases[i].g, contestant))
			return true;
	return false;
}

/* With more profilers the page is the better place. */
static void put_cases(struct view *v, const struct diagnosis_view *x, FILE *out)
{
	const char *asked[CONTESTANTS];
	size_t cnt = 0;

	for (size_t i = 0; i < x->contestant_cnt; i++) {
		if (!is_asked(x, x->contestants[i]))
			continue;
		if (cnt == CONTESTANTS)
			return;
		asked[cnt++] = x->contestants[i];
	}
	text_padded(out, "  case by case", "", CASE_WIDTH);
	for (size_t i = 0; i < cnt; i++)
		fprintf(out, "%*.*s", SAID_WIDTH, SAID_WIDTH - 1, asked[i]);
	putc('\n', out);
	for (size_t i = 0; i < x->case_cnt; i++)
		if (x->cases[i].kind != CASE_HEALTHY)
			put_case(v, &x->cases[i], asked, cnt, out);
	fputs("time until it was named; -: nothing was said; *: healthy, and a stale manifest may\n"
	      "show something else: what was made of it\n",
	      out);
}

static bool has_cases(const struct diagnosis_view *x)
{
	for (size_t i = 0; i < x->case_cnt; i++)
		if (x->cases[i].kind == CASE_ILL)
			return x->contestant_cnt > 0;
	return false;
}

int table_diagnosis(struct view *v, FILE *out)
{
	static const char *const heads[] = {"named", "healthy", "lookalike", "wrong", "time"};
	struct diagnosis_view x;
	int err = diagnosis_view_make(v, &x);

	if (err)
		return err;
	if (has_cases(&x)) {
		text_padded(out, "diagnosis", "", NAME_WIDTH);
		for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
			fprintf(out, "%*s", COLUMN_WIDTH, heads[i]);
		putc('\n', out);
		for (size_t i = 0; i < x.contestant_cnt && !err; i++)
			err = put_sum(v, &x, x.contestants[i], out);
		fputs("named: what ails, with the resource to blame; healthy: unchanged programs "
		      "and twins\ncalled so; lookalike: healthy mutants that were said to ail; "
		      "wrong: false\ndiagnoses of all others, in cells; time: median until it was "
		      "named\n\n",
		      out);
		put_cases(v, &x, out);
		putc('\n', out);
	}
	diagnosis_view_free(&x);
	return err;
}
