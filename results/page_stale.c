/* SPDX-License-Identifier: BSD-2-Clause */
/* Stale contracts: who noticed that a mutation had changed what a probe site means. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/page.h"
#include "results/stale_view.h"
#include "results/text.h"

/* ---- one table a binding ---- */

struct column {
	const char *metric, *scope, *head, *about;
	enum {
		SHOWN_SHARE, /* k of n, with its exact interval */
		SHOWN_COUNT,
		SHOWN_NS,
		SHOWN_SCORE, /* two decimals */
	} shown;
};

static const struct column running[] = {
	{"quads.detection", "all", "found",
	 "Witnessed quads in which every stale resource was found out, in every seed. Higher is "
	 "better.",
	 SHOWN_SHARE},
	{"quads.localisation", "all", "named",
	 "Of the found, those in which the descriptor at fault was named.", SHOWN_SHARE},
	{"quads.apart", "all", "told apart",
	 "Mutant or twin? Of the witnessed quads whose twin is in the run: share in which more "
	 "fell "
	 "on the mutant than on the twin, finds and false alarms alike, over all seeds; as much on "
	 "both counts half, so 0.50 is guessing.",
	 SHOWN_SCORE},
	{"quads.kept", "all", "kept",
	 "Of all quads with a stale resource, witnessed or not: those in which no descriptor of "
	 "one "
	 "was ever doubted, in any seed: confidently wrong. Lower is better.",
	 SHOWN_SHARE},
	{"quads.kept", "mutants", "kept, of all mutants",
	 "The same of all mutants that are no NULL. Where a mutation makes no descriptor invalid "
	 "(SIDE, MOVE, an early HANDOFF) there is nothing to be wrong about: such mutants are "
	 "never "
	 "counted, so who trusts everything does not come to 100\xe2\x80\xaf%.",
	 SHOWN_SHARE},
	{"quads.latency_events", "all", "median latency, events",
	 "Events of the stale resource between the first act that contradicts the manifest and the "
	 "alarm; who is never found out counts as still waiting (Kaplan and Meier). None: more "
	 "than half were never found out.",
	 SHOWN_COUNT},
	{"quads.latency_ns", "all", "median latency", "The same in time.", SHOWN_NS},
	{"quads.never", "all", "never", "Stale resources not found out until the run ended.",
	 SHOWN_COUNT},
	{"quads.alarm", "form:base", "alarms: base",
	 "Unchanged programs that were accused. Lower is better.", SHOWN_SHARE},
	{"quads.alarm", "form:twin", "alarms: twin",
	 "Harmless rebuilds that were accused: who cries here sees that something changed, not "
	 "what.",
	 SHOWN_SHARE},
	{"quads.alarm", "class:NULL", "alarms: null",
	 "Rebuilds with other compiler flags alone that were accused.", SHOWN_SHARE},
	{"quads.p_stale.skill", "all", "skill",
	 "How much better its p_stale is than always saying the base rate: 1 perfect, 0 no better.",
	 SHOWN_SCORE},
};

static const struct column refusing[] = {
	{"quads.refused", "form:mutant", "mutants refused", "Must be all of them.", SHOWN_SHARE},
	{"quads.refused", "form:twin", "twins refused",
	 "Must be all of them: another build is another build.", SHOWN_SHARE},
	{"quads.refused", "class:NULL", "null refused", "Must be all of them.", SHOWN_SHARE},
	{"quads.refused", "form:base", "base refused",
	 "Must be none: this is the build that the manifest was made for.", SHOWN_SHARE},
};

static void put_value(struct page *p, double v, const struct column *c)
{
	char buf[NUMBER_LEN];

	if (c->shown == SHOWN_SHARE)
		fprintf(p->f, "%.0f", 100 * v);
	else if (c->shown == SHOWN_SCORE)
		fputs(number_score(buf, v), p->f);
	else if (c->shown == SHOWN_COUNT)
		page_count(p, v);
	else if (v >= 1e9)
		fprintf(p->f, "%.1f\xe2\x80\xafs", v / 1e9);
	else if (v >= 1e6)
		fprintf(p->f, "%.1f\xe2\x80\xafms", v / 1e6);
	else
		fprintf(p->f, "%.1f\xe2\x80\xaf\xc2\xb5s", v / 1e3);
}

static void put_summary(struct page *p, const struct view_summary *s, const struct column *c)
{
	if (c->shown == SHOWN_SHARE) {
		fprintf(p->f, "<td class=\"bar\" style=\"--v:%.4f\">%.0f of %llu", s->value,
			s->value * (double)s->n, (unsigned long long)s->n);
	} else {
		fputs("<td>", p->f);
		put_value(p, s->value, c);
	}
	if (s->has_interval) {
		fputs("<br/><small>", p->f);
		put_value(p, s->lo, c);
		fputs(s->lo < 0 ? " to " : "\xe2\x80\x93", p->f);
		put_value(p, s->hi, c);
		fprintf(p->f, "%s</small>", c->shown == SHOWN_SHARE ? "\xe2\x80\xaf%" : "");
	}
	fputs("</td>", p->f);
}

static void put_figure(struct page *p, const char *binding, const char *profiler,
		       const struct column *c)
{
	const struct view_summary *s = view_summary(p->v, binding, profiler, c->metric, c->scope);

	if (!s || !s->has_value)
		fputs("<td class=\"none\" title=\"nothing to divide by\">\xe2\x80\x93</td>", p->f);
	else
		put_summary(p, s, c);
}

static void put_label(struct page *p, const char *profiler)
{
	const char *slash = strrchr(profiler, '/');

	page_text(p, slash ? slash + 1 : profiler);
}

static void put_table(struct page *p, const struct stale_view *x, const char *binding,
		      const char *caption, const struct column *columns, size_t cnt)
{
	fprintf(p->f,
		"<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table>"
		"<caption>%s</caption><thead><tr><th scope=\"col\">profiler</th>",
		caption, caption);
	for (size_t i = 0; i < cnt; i++)
		fprintf(p->f, "<th scope=\"col\" title=\"%s\">%s</th>", columns[i].about,
			columns[i].head);
	fputs("</tr></thead>\n<tbody>", p->f);
	for (size_t c = 0; c < x->contestant_cnt; c++) {
		if (!view_summary(p->v, binding, x->contestants[c], columns[0].metric,
				  columns[0].scope))
			continue;
		fputs("<tr><th scope=\"row\">", p->f);
		put_label(p, x->contestants[c]);
		fputs("</th>", p->f);
		for (size_t i = 0; i < cnt; i++)
			put_figure(p, binding, x->contestants[c], &columns[i]);
		fputs("</tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
}

static void put_reading(struct page *p, const struct column *columns, size_t cnt)
{
	fputs("<details><summary>How to read a column</summary><dl class=\"reading\">\n", p->f);
	for (size_t i = 0; i < cnt; i++)
		fprintf(p->f, "<div><dt>%s</dt><dd>%s</dd></div>\n", columns[i].head,
			columns[i].about);
	fputs("<div><dt>small figures</dt><dd>95\xe2\x80\xaf% intervals: of shares exact (Clopper "
	      "and Pearson) with a quad as the unit, of the others by a bootstrap over classes, "
	      "quads and seeds.</dd></div>\n</dl></details>\n",
	      p->f);
}

static bool has_binding(const struct page *p, const struct stale_view *x, const char *binding,
			const struct column *c)
{
	for (size_t i = 0; i < x->contestant_cnt; i++)
		if (view_summary(p->v, binding, x->contestants[i], c->metric, c->scope))
			return true;
	return false;
}

/* ---- reliability ---- */

static void put_reliability(struct page *p)
{
	bool any = false;

	for (size_t i = 0; i < p->plots->cnt; i++) {
		const struct plot *plot = &p->plots->v[i];

		if (plot->kind != PLOT_RELIABILITY)
			continue;
		if (!any)
			fputs("<h3>Does a probability of staleness mean what it says?</h3>\n"
			      "<p>On the diagonal, what is called stale with probability 0.8 is "
			      "stale eight times in ten; above it the profiler is too trusting, "
			      "below it too wary. Twenty bins of equally many forecasts, one a "
			      "descriptor and tenth of a run; many lie on one spot where many "
			      "forecasts are equal. Bars: 95\xe2\x80\xaf% bootstrap over classes, "
			      "quads and seeds.</p>\n<div class=\"plots\">\n",
			      p->f);
		any = true;
		fputs("<figure class=\"plot\">", p->f);
		if (plot_inline(plot, p->v->run->path, p->f))
			fputs("<p class=\"none\">The drawing could not be read.</p>", p->f);
		fputs("<figcaption>", p->f);
		put_label(p, plot->profiler);
		fputs("</figcaption></figure>\n", p->f);
	}
	fputs(any ? "</div>\n" : "", p->f);
}

/* ---- the funnel ---- */

static void put_step(struct page *p, const char *name, unsigned cnt, unsigned of, const char *note)
{
	fprintf(p->f,
		"<tr><th scope=\"row\">%s</th><td class=\"bar\" style=\"--v:%.4f\">%u</td>"
		"<td class=\"words\">%s</td></tr>\n",
		name, of ? (double)cnt / of : 0, cnt, note);
}

/* What a step asks for; the words of `assay mutate verify`. */
static const char *step_about(const char *step)
{
	static const char *const abouts[][2] = {
		{"compiles", "every form, compiler and level builds, and no line that records "
			     "truth was touched"},
		{"symbols", "the same symbols, where the class asks for it"},
		{"signatures", "the same types of functions, and sites that can be probed alike"},
		{"code", "the machine code of base, mutant and twin differs"},
		{"leaks", "no name, string or section tells which form it is"},
		{"canon", "the twin does what base does; the mutant differs as declared"},
		{"process", "nothing tells in /proc while it runs"},
		{"reached", "the changed path runs often enough"},
		{"witness", "a measure of the evidence fires on the mutant alone, every time; who "
			    "declares none passes and stays out of the denominator"},
		{"reading", "who trusts the old manifest reads the mutant wrongly"},
		{"repaired", "what the repaired manifest promises holds for the mutant"},
	};

	for (size_t i = 0; i < sizeof(abouts) / sizeof(abouts[0]); i++)
		if (!strcmp(abouts[i][0], step))
			return abouts[i][1];
	return "";
}

static void put_found(struct page *p, const struct stale_view *x)
{
	for (size_t i = 0; i < x->contestant_cnt; i++) {
		const struct view_summary *s =
			view_summary(p->v, "stamped", x->contestants[i], "quads.detection", "all");

		if (!s || !s->has_value)
			continue;
		fputs("<tr><th scope=\"row\">found by ", p->f);
		put_label(p, x->contestants[i]);
		fprintf(p->f,
			"</th><td class=\"bar\" style=\"--v:%.4f\">%.0f</td>"
			"<td class=\"words\">of the %llu of them that this run holds</td></tr>\n",
			p->v->quads.written ? s->value * (double)s->n / p->v->quads.written : 0,
			s->value * (double)s->n, (unsigned long long)s->n);
	}
}

static void put_funnel(struct page *p, const struct stale_view *x)
{
	const struct run_quads *q = &p->v->quads;

	if (!q->written)
		return;
	fputs("<h3>The funnel</h3>\n<p>Each mutation is certified before anybody is judged by it: "
	      "how many passed each step and all before it.</p>\n<table class=\"funnel\">"
	      "<caption class=\"hidden\">Mutations by step</caption><thead><tr><th scope=\"col\">"
	      "step</th><th scope=\"col\">quads</th><th scope=\"col\" class=\"words\">which "
	      "means</th></tr></thead><tbody>\n",
	      p->f);
	put_step(p, "written", q->written, q->written, "");
	put_step(p, "verified", q->written - q->unverified, q->written,
		 "looked at in the tree that made this run: what follows is of these");
	for (size_t i = 0; q->unverified < q->written && i < q->step_cnt; i++)
		put_step(p, q->steps[i].name, q->steps[i].passed, q->written,
			 step_about(q->steps[i].name));
	if (q->unverified < q->written)
		put_step(p, "certified", q->certified, q->written, "all of the above");
	put_step(p, "witnessed", q->frozen, q->written,
		 "in the frozen list: the denominator of detection");
	put_found(p, x);
	fputs("</tbody></table>\n", p->f);
	if (q->unverified)
		fprintf(p->f,
			"<p class=\"quiet\">%u of them were not verified in that tree; <code>assay "
			"mutate verify</code> does it. The frozen list comes with the "
			"sources.</p>\n",
			q->unverified);
}

#define CNT(a) (sizeof(a) / sizeof((a)[0]))

static void put_others(struct page *p, const struct stale_view *x)
{
	if (has_binding(p, x, "best-effort", &running[0])) {
		fputs("<h3>Bound as best effort</h3>\n<p>The manifest bears the build-id of the "
		      "original: a profiler may resolve its sites anew and begins in doubt "
		      "(<em>suspect</em>). Only a fall below that is an alarm or a find.</p>\n",
		      p->f);
		put_table(p, x, "best-effort", "Best effort", running, CNT(running));
	}
	if (has_binding(p, x, "strict", &refusing[0])) {
		fputs("<h3>Bound strictly</h3>\n<p>The manifest holds for one build alone: mutant, "
		      "twin and null must all be refused, and the original taken.</p>\n",
		      p->f);
		put_table(p, x, "strict", "Strict", refusing, CNT(refusing));
		put_reading(p, refusing, CNT(refusing));
	}
}

int page_stale(struct page *p)
{
	struct stale_view x;
	int err = stale_view_make(p->v, &x);

	if (err)
		return err;
	if (!x.quad_cnt) {
		stale_view_free(&x);
		return 0;
	}
	fputs("<section id=\"stale\"><h2>Stale contracts</h2>\n"
	      "<p>A manifest says what a probe site means. A <em>mutant</em> is the program after "
	      "a "
	      "change that keeps its symbols and breaks what the manifest says; its <em>twin</em> "
	      "is rebuilt as thoroughly and means the same. The manifest is stamped with the "
	      "build-id of either, so that only what happens at run time can tell: who notices, "
	      "how "
	      "soon, and who cries at the twin as well? A mutation, its mutant and its twin are a "
	      "<em>quad</em> with the base program. Its <em>witness</em> is a measure of the "
	      "evidence that fires on the mutant alone: proof that it can be noticed.</p>\n",
	      p->f);
	put_table(p, &x, "stamped", "Stamped: the headline", running, CNT(running));
	put_reading(p, running, CNT(running));
	err = page_quads(p, &x);
	put_reliability(p);
	put_others(p, &x);
	put_funnel(p, &x);
	fputs("</section>\n", p->f);
	stale_view_free(&x);
	return err;
}
