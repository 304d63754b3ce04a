/* SPDX-License-Identifier: BSD-2-Clause */
/* The page's section on diagnosis: what ails, and who says so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/diagnosis_view.h"
#include "results/page.h"

static const char about[] =
	"<p>A service turns ill in the middle of its run: a setting that nobody outside can see "
	"makes "
	"it leak, waste, wait. Truth knows the moment, the label and the resource that is to "
	"blame, "
	"and measures that the label is real. Before, and in every other run, it is healthy. A "
	"<em>lookalike</em> is a healthy program too: a mutation made its manifest stale, so that "
	"whoever trusts that reads an illness. The right answer is <em>healthy</em>, or to "
	"withhold "
	"a diagnosis. Coverage counts as much as being right: who never diagnoses is never "
	"wrong.</p>\n";

static void put_label(struct page *p, const char *profiler)
{
	const char *slash = strrchr(profiler, '/');

	page_text(p, slash ? slash + 1 : profiler);
}

static void put_share(struct page *p, double part, double whole)
{
	if (whole > 0)
		fprintf(p->f, "<td class=\"bar\" style=\"--v:%.4f\">%.0f of %.0f</td>",
			part / whole, part, whole);
	else
		fputs("<td class=\"none\">\xe2\x80\x93</td>", p->f);
}

static void put_ms(struct page *p, double ns)
{
	if (ns >= 0)
		fprintf(p->f, "%.0f\xe2\x80\xafms", ns / 1e6);
	else
		fputs("\xe2\x80\x93", p->f);
}

static void put_table_head(struct page *p, const char *caption, const char *const *heads,
			   size_t cnt)
{
	fprintf(p->f,
		"<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table>"
		"<caption>%s</caption><thead><tr>",
		caption, caption);
	for (size_t i = 0; i < cnt; i++)
		fprintf(p->f, "<th scope=\"col\">%s</th>", heads[i]);
	fputs("</tr></thead>\n<tbody>", p->f);
}

static void put_table_end(struct page *p)
{
	fputs("</tbody></table></div>\n", p->f);
}

/* ---- who named what ---- */

static double wrong_of(const struct diagnosis_sum *s)
{
	return s->wrong[CASE_ILL] + s->wrong[CASE_HEALTHY] + s->wrong[CASE_LOOKALIKE];
}

/* The reference that trusts everything; NULL where it is not in the run. */
static const char *reference_of(const struct diagnosis_view *x)
{
	for (size_t i = 0; i < x->contestant_cnt; i++)
		if (!strcmp(x->contestants[i], "attach-only"))
			return x->contestants[i];
	return NULL;
}

/* Of what the reference got wrong where the other was asked, too: who was not asked has avoided
 * nothing. */
static void put_avoided(struct page *p, const struct diagnosis_view *x, const char *reference,
			const char *contestant)
{
	double trusting = 0, wrong = 0;

	if (reference) {
		trusting = diagnosis_wrong_beside(p->v, x, reference, contestant);
		wrong = diagnosis_wrong_beside(p->v, x, contestant, reference);
	}
	if (trusting > 0)
		fprintf(p->f, "<td>%.0f of %.0f</td>", trusting - wrong, trusting);
	else
		fputs("<td class=\"none\">\xe2\x80\x93</td>", p->f);
}

static int put_sum(struct page *p, const struct diagnosis_view *x, size_t i, const char *reference)
{
	struct diagnosis_sum s;
	int err = diagnosis_sum(p->v, x, x->contestants[i], &s);

	if (err)
		return err;
	fputs("<tr><th scope=\"row\">", p->f);
	put_label(p, x->contestants[i]);
	fputs("</th>", p->f);
	put_share(p, s.found[CASE_ILL], s.cells[CASE_ILL]);
	put_share(p, s.found[CASE_HEALTHY], s.cells[CASE_HEALTHY]);
	fputs("<td>", p->f);
	put_ms(p, s.wait_ns);
	fprintf(p->f, "</td><td>%.0f</td><td>%.0f</td><td>%.0f</td>", s.misled[CASE_ILL],
		s.misled[CASE_HEALTHY], s.misled[CASE_LOOKALIKE]);
	put_share(p, wrong_of(&s), s.claims);
	put_avoided(p, x, reference, x->contestants[i]);
	fputs("</tr>\n", p->f);
	return 0;
}

static int put_sums(struct page *p, const struct diagnosis_view *x)
{
	static const char *const heads[] = {"profiler",
					    "named",
					    "healthy named",
					    "median time",
					    "wrong, of ill",
					    "wrong, of healthy",
					    "wrong, of lookalikes",
					    "risk",
					    "wrong ones avoided"};
	const char *reference = reference_of(x);
	int err = 0;

	put_table_head(p, "Who names what ails", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < x->contestant_cnt && !err; i++)
		err = put_sum(p, x, i, reference);
	put_table_end(p);
	fputs("<details><summary>How to read a column</summary><dl class=\"reading\">\n"
	      "<div><dt>named</dt><dd>Programs that turned ill of which the label and the resource "
	      "to "
	      "blame were said, while they were. Higher is better.</dd></div>\n"
	      "<div><dt>healthy named</dt><dd>Unchanged programs, twins and rebuilds that were "
	      "called "
	      "healthy: coverage on what is well.</dd></div>\n"
	      "<div><dt>median time</dt><dd>From the turn to the diagnosis.</dd></div>\n"
	      "<div><dt>wrong</dt><dd>Runs of which something false was said, by what they "
	      "were.</dd></div>\n"
	      "<div><dt>risk</dt><dd>Share of all diagnoses that are false.</dd></div>\n"
	      "<div><dt>wrong ones avoided</dt><dd>Against <code>attach-only</code>, which reads "
	      "the "
	      "same and doubts nothing, on the programs of which both were "
	      "asked.</dd></div>\n</dl></details>\n",
	      p->f);
	return err;
}

/* ---- case by case ---- */

/* Labels that were said and did not hold; of a program that is ill `healthy` is one. */
static void put_false(struct page *p, const struct diagnosis_case *c, const char *contestant)
{
	const char *between = "";

	for (unsigned label = 0; label < DIAGNOSIS_CNT; label++) {
		if (!(diagnosis_false(p->v, c, contestant, label) > 0))
			continue;
		fprintf(p->f, "%s<strong>%s</strong>", between, diagnosis_name(label));
		between = ", ";
	}
}

static void put_said(struct page *p, const struct diagnosis_case *c, const char *contestant)
{
	struct diagnosis_said s = diagnosis_said_of(p->v, c, contestant);

	fputs("<td class=\"words\">", p->f);
	if (!s.there) {
		fputs("\xe2\x80\x93", p->f);
	} else if (s.state != CELL_OK && !(s.claims > 0)) {
		fprintf(p->f, "<span class=\"bad\">%s</span>", cell_state_name(s.state));
	} else if (c->kind == CASE_ILL && s.found > 0) {
		put_ms(p, (s.wait.min + s.wait.max) / 2);
		if (s.found < s.truth)
			fprintf(p->f, " (%.0f of %.0f)", s.found, s.truth);
	} else if (c->kind == CASE_LOOKALIKE && !(s.wrong > 0)) {
		fputs(s.found > 0 ? "healthy" : "withheld", p->f);
	} else if (!(s.wrong > 0)) {
		fputs("nothing", p->f);
	}
	if (s.wrong > 0) {
		fputs(c->kind == CASE_ILL && s.found > 0 ? "; " : "", p->f);
		put_false(p, c, contestant);
		fprintf(p->f, " <small>%.0f wrong</small>", s.wrong);
	}
	fputs("</td>", p->f);
}

static void put_case(struct page *p, const struct diagnosis_view *x, const struct diagnosis_case *c)
{
	const char *form;
	size_t len = run_variant_split(c->g->variant, &form);
	char id[128];

	fputs("<tr><th scope=\"row\">", p->f);
	page_text(p, c->g->workload);
	fputs("</th><td class=\"words\">", p->f);
	if (c->kind == CASE_ILL) {
		page_text(p, c->label);
	} else {
		snprintf(id, sizeof(id), "%.*s", (int)(len < 100 ? len : 100), c->g->variant);
		fputs("healthy: ", p->f);
		page_text(p, id);
	}
	fputs("</td>", p->f);
	for (size_t i = 0; i < x->contestant_cnt; i++)
		put_said(p, c, x->contestants[i]);
	fputs("</tr>\n", p->f);
}

static void put_cases(struct page *p, const struct diagnosis_view *x)
{
	fputs("<h3>Case by case</h3>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" "
	      "aria-label=\"Case by case\"><table><caption>Time from the turn to the diagnosis, or "
	      "what "
	      "was said instead</caption><thead><tr><th scope=\"col\">workload</th>"
	      "<th scope=\"col\" class=\"words\">truth</th>",
	      p->f);
	for (size_t i = 0; i < x->contestant_cnt; i++) {
		fputs("<th scope=\"col\" class=\"words\">", p->f);
		put_label(p, x->contestants[i]);
		fputs("</th>", p->f);
	}
	fputs("</tr></thead>\n<tbody>", p->f);
	for (size_t i = 0; i < x->case_cnt; i++)
		if (x->cases[i].kind != CASE_HEALTHY)
			put_case(p, x, &x->cases[i]);
	put_table_end(p);
}

/* ---- confusion ---- */

static double confused(struct page *p, const struct diagnosis_view *x, const char *who,
		       bool lookalikes, unsigned held, unsigned said, bool other)
{
	double n = 0;

	for (size_t i = 0; i < x->case_cnt; i++)
		if ((x->cases[i].kind == CASE_LOOKALIKE) == lookalikes)
			n += diagnosis_count(p->v, &x->cases[i], who, held, said, other);
	return n;
}

static void put_confusion_row(struct page *p, const struct diagnosis_view *x, const char *who,
			      bool lookalikes, unsigned held)
{
	double other = 0;

	fprintf(p->f, "<tr><th scope=\"row\">%s%s</th>", lookalikes ? "lookalike, " : "",
		diagnosis_name(held));
	for (unsigned said = 0; said < DIAGNOSIS_CNT; said++) {
		double n = confused(p, x, who, lookalikes, held, said, false);

		other += confused(p, x, who, lookalikes, held, said, true);
		if (n > 0)
			fprintf(p->f,
				said == held ? "<td><strong>%.0f</strong></td>" : "<td>%.0f</td>",
				n);
		else
			fputs("<td class=\"none\">\xc2\xb7</td>", p->f);
	}
	fprintf(p->f,
		other > 0 ? "<td>%.0f</td></tr>\n" : "<td class=\"none\">\xc2\xb7</td></tr>\n",
		other);
}

static void put_confusion(struct page *p, const struct diagnosis_view *x, const char *who)
{
	fputs("<details><summary>Confusion: ", p->f);
	put_label(p, who);
	fputs("</summary>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" "
	      "aria-label=\"Confusion\"><table><caption>Diagnoses, by what held when they were "
	      "made</caption><thead><tr><th scope=\"col\">truth</th>",
	      p->f);
	for (unsigned said = 0; said < DIAGNOSIS_CNT; said++)
		fprintf(p->f, "<th scope=\"col\">%s</th>", diagnosis_name(said));
	fputs("<th scope=\"col\">another subject</th></tr></thead>\n<tbody>", p->f);
	for (unsigned held = 0; held < DIAGNOSIS_CNT; held++)
		put_confusion_row(p, x, who, false, held);
	put_confusion_row(p, x, who, true, DIAGNOSIS_HEALTHY);
	put_table_end(p);
	fputs("</details>\n", p->f);
}

/* ---- risk and coverage ---- */

static int put_risk(struct page *p, const struct diagnosis_view *x, const char *who)
{
	struct risk_point *v = NULL;
	size_t cnt = 0;
	int err = diagnosis_risk(p->v, x, who, &v, &cnt);

	for (size_t i = 0; i < cnt && !err; i++) {
		fputs("<tr><th scope=\"row\">", p->f);
		put_label(p, who);
		fprintf(p->f,
			"</th><td>%.4f</td><td class=\"bar\" style=\"--v:%.4f\">%.3f</td>"
			"<td class=\"bar\" style=\"--v:%.4f\">%.3f</td><td>%.0f</td></tr>\n",
			v[i].conf, v[i].coverage, v[i].coverage, v[i].risk, v[i].risk, v[i].claims);
	}
	free(v);
	return err;
}

static int put_risks(struct page *p, const struct diagnosis_view *x)
{
	static const char *const heads[] = {"profiler", "at least so sure", "coverage", "risk",
					    "diagnoses"};
	int err = 0;

	fputs("<h3>Risk and coverage</h3>\n<p>Of all that holds, healthy times included, the share "
	      "that is named by diagnoses at least so sure; and of those diagnoses the share that "
	      "is "
	      "false. Low risk at high coverage is better: much is said, and little of it is "
	      "wrong.</p>\n",
	      p->f);
	put_table_head(p, "Risk and coverage", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < x->contestant_cnt && !err; i++)
		err = put_risk(p, x, x->contestants[i]);
	put_table_end(p);
	return err;
}

bool page_has_diagnoses(const struct view *v)
{
	for (size_t i = 0; i < v->group_cnt; i++)
		if (view_is_ill(&v->groups[i]))
			return true;
	return false;
}

int page_diagnosis(struct page *p)
{
	struct diagnosis_view x;
	int err = diagnosis_view_make(p->v, &x);

	if (err)
		return err;
	if (page_has_diagnoses(p->v) && x.contestant_cnt) {
		fputs("<section id=\"diagnosis\"><h2>Diagnosis</h2>\n", p->f);
		fputs(about, p->f);
		err = put_sums(p, &x);
		put_cases(p, &x);
		if (!err)
			err = put_risks(p, &x);
		for (size_t i = 0; i < x.contestant_cnt; i++)
			put_confusion(p, &x, x.contestants[i]);
		fputs("</section>\n", p->f);
	}
	diagnosis_view_free(&x);
	return err;
}
