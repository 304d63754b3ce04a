/* SPDX-License-Identifier: BSD-2-Clause */
/* The score tables, a section a workload, and what the figures in them mean. */
#include "results/page.h"

#include <string.h>

#include "results/text.h"

static const char *const levels[][2] = {
	{"context", "Both ends on application threads, at the moment the work was handed over and "
		    "taken up. The headline."},
	{"identity", "The kernel's own side of a step also counts, if the key tells which step it "
		     "was: right about what, even where wrong about who received it. Types io, "
		     "work and timer."},
};

static void put_head(struct page *p)
{
	fputs("<thead><tr><th scope=\"col\">profiler</th><th scope=\"col\" title=\"Share of the "
	      "real "
	      "handoffs that are of types which the profiler declares.\">coverage</th>",
	      p->f);
	for (size_t i = 0; i < handoff_figure_cnt; i++)
		if (!handoff_figures[i].minor)
			fprintf(p->f, "<th scope=\"col\" title=\"%s\">%s</th>",
				handoff_figures[i].about, handoff_figures[i].head);
}

static void put_figures(struct page *p, const struct view_row *row, const char *level)
{
	char metric[METRIC_LEN];

	for (size_t i = 0; i < handoff_figure_cnt; i++) {
		const struct figure *f = &handoff_figures[i];
		struct span s;

		if (f->minor)
			continue;
		s = view_span(p->v, row, handoff_metric(metric, level, f->name), "declared");
		page_span(p, &s, f->kind);
	}
}

static void put_state(struct page *p, const struct view_row *row)
{
	size_t n;
	enum cell_state state = view_state(row, &n);
	struct span cheating = view_span(p->v, row, METRIC_CHEATING, "all");

	if (cheating.has && cheating.max > 0) {
		fputs("<td class=\"state bad\">cheating</td>", p->f);
		return;
	}
	fprintf(p->f, "<td class=\"state%s\">%s", state == CELL_OK ? "" : " bad",
		cell_state_name(state));
	if (n != row->cell_cnt)
		fprintf(p->f, " %zu of %zu", n, row->cell_cnt);
	fputs("</td>", p->f);
}

static void put_row(struct page *p, const struct view_row *row, const char *level)
{
	struct span coverage = view_span(p->v, row, METRIC_COVERAGE, "all");

	fputs("<tr>", p->f);
	page_row_name(p, row);
	page_span(p, &coverage, FIGURE_RATIO);
	put_figures(p, row, level);
	put_state(p, row);
	fputs("</tr>\n", p->f);
}

static size_t column_cnt(void)
{
	size_t n = 3; /* profiler, coverage, state */

	for (size_t i = 0; i < handoff_figure_cnt; i++)
		n += !handoff_figures[i].minor;
	return n;
}

static void put_table(struct page *p, const struct view_group *g, const char *level)
{
	fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Score table\">"
	      "<table><caption>",
	      p->f);
	page_group_name(p, g);
	fprintf(p->f, ", %s level, types that the profiler declares</caption>\n", level);
	put_head(p);
	fputs("<th scope=\"col\" class=\"state\">state</th></tr></thead>\n", p->f);
	for (size_t i = 0; i < g->row_cnt; i++) {
		if (!i || !same_division(&g->rows[i], &g->rows[i - 1])) {
			fputs(i ? "</tbody><tbody>\n" : "<tbody>\n", p->f);
			page_division(p, &g->rows[i], column_cnt());
		}
		put_row(p, &g->rows[i], level);
	}
	fputs("</tbody></table></div>\n", p->f);
}

static void put_plots(struct page *p, const struct view_group *g)
{
	static const char *const captions[GROUP_PLOT_CNT] = {
		"Precision against recall at context level. The upper right corner is perfect; on "
		"a grey curve F1 is the same.",
		"What became of each profiler's claims: green is right, grey is honest silence, "
		"all "
		"else is an error.",
	};
	bool any = false;

	for (unsigned k = 0; k < GROUP_PLOT_CNT; k++) {
		const struct plot *plot = plots_find(p->plots, g, (enum plot_kind)k);

		if (!plot)
			continue;
		fputs(any ? "" : "<div class=\"plots\">\n", p->f);
		any = true;
		fputs("<figure class=\"plot\">", p->f);
		if (plot_inline(plot, p->v->run->path, p->f))
			fputs("<p class=\"none\">The drawing could not be read.</p>", p->f);
		fprintf(p->f, "<figcaption>%s</figcaption></figure>\n", captions[k]);
	}
	fputs(any ? "</div>\n" : "", p->f);
}

/* F1 over all handoffs, declared or not: who knows one type perfectly is not best by that. */
static bool f1_of_all(struct page *p, const struct view_row *row, double *ret)
{
	struct span s = view_span(p->v, row, "handoff.context.f1", "all");

	if (s.has)
		*ret = s.min;
	return s.has;
}

/* The first best of a rank by F1 over all handoffs, for the line that stands for a closed section;
 * *ret_others: how many are as good. */
static const struct view_row *best_of(struct page *p, const struct view_group *g, enum rank rank,
				      double *ret, size_t *ret_others)
{
	const struct view_row *best = NULL;
	double f1;

	for (size_t r = 0; r < g->row_cnt; r++) {
		if (g->rows[r].rank != rank || !f1_of_all(p, &g->rows[r], &f1))
			continue;
		if (best && f1 == *ret)
			++*ret_others;
		if (best && f1 <= *ret)
			continue;
		best = &g->rows[r];
		*ret = f1;
		*ret_others = 0;
	}
	return best;
}

static void put_best(struct page *p, const struct view_group *g, enum rank rank, const char *what)
{
	double f1 = 0;
	size_t others = 0;
	const struct view_row *best = best_of(p, g, rank, &f1, &others);
	char buf[NUMBER_LEN];

	/* who is right about nothing is no best, however many there are */
	if (!best || f1 <= 0)
		return;
	fprintf(p->f, " <span class=\"quiet\">%s ", what);
	page_text(p, view_label(best));
	if (best->live)
		fputs(" live", p->f);
	if (others)
		fprintf(p->f, " and %zu as good", others);
	fprintf(p->f, ", F1 %s</span>", number_ratio(buf, f1));
}

static void put_level(struct page *p, const struct view_group *g, size_t level)
{
	static const char *const scopes[] = {"declared", "all"};

	fprintf(p->f, "<h4>At %s level</h4>\n<p>%s</p>\n", levels[level][0], levels[level][1]);
	put_table(p, g, levels[level][0]);
	fprintf(p->f,
		"<details><summary>Every figure at %s level, declared types and all "
		"types</summary>\n",
		levels[level][0]);
	page_full_table(p, g, levels[level][0], scopes, sizeof(scopes) / sizeof(scopes[0]), 0);
	fputs("</details>\n", p->f);
}

static int put_group(struct page *p, const struct view_group *g)
{
	bool handoffs = view_has_handoffs(p->v, g);

	fputs("<details class=\"group\"><summary><b>", p->f);
	page_group_name(p, g);
	fputs("</b>", p->f);
	if (handoffs) {
		put_best(p, g, RANK_PROFILER, "best over all handoffs:");
		put_best(p, g, RANK_FLOOR, "best guess:");
	} else {
		fputs(" <span class=\"quiet\">no handoffs claimed: resources and costs</span>",
		      p->f);
	}
	fputs("</summary>\n", p->f);
	put_plots(p, g);
	if (!handoffs)
		fputs("<p>Nobody claims a handoff here: see resources and costs below.</p>\n",
		      p->f);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		put_level(p, g, i);
	if (page_details(p, g) || page_parts(p, g))
		return -1;
	fputs("</details>\n", p->f);
	return 0;
}

int page_scores(struct page *p)
{
	fputs("<section id=\"scores\"><h2>Scores</h2>\n", p->f);
	if (p->plots->trouble[0]) {
		fputs("<p class=\"note\">There are no plots: ", p->f);
		page_text(p, p->plots->trouble);
		fputs(".</p>\n", p->f);
	}
	if (page_glance(p))
		return -1;
	fputs("<p>Open a workload for its plots, its tables at both levels, and what its "
	      "resources, "
	      "costs and confidence scored.</p>\n",
	      p->f);
	for (size_t i = 0; i < p->v->group_cnt; i++)
		if (view_is_plain(&p->v->groups[i]) && put_group(p, &p->v->groups[i]))
			return -1;
	fputs("</section>\n", p->f);
	return 0;
}

/* What the workloads put on handoffs that are hard to see, in the words of assay(1). */
static const char *const mark_words[][2] = {
	{"punted", "a kernel worker took the request over"},
	{"inline", "it was done in the call that submitted it"},
	{"multishot", "one request, several completions"},
	{"message", "sent from one ring to another"},
	{"cancelled", "it ended without being done"},
	{"linked", "it waited for the request before it"},
	{"stolen", "another worker than the one meant took it"},
	{"coalesced", "one receipt took it together with others"},
	{"fanout", "one act sent several"},
	{"nested", "sent while another was handled"},
	{"reused_key", "its key was used before"},
	{"spurious", "a return that nobody caused"},
	{"late", "taken after its operation had ended"},
	{"cross", "between two CPUs, two rings, or two threads"},
	{"sqpoll", "a kernel thread submitted it"},
	{"lost", "its other end was never recorded"},
};

static void put_marks(struct page *p)
{
	for (size_t i = 0; i < sizeof(mark_words) / sizeof(mark_words[0]); i++)
		fprintf(p->f, "<div><dt>%s</dt><dd>Mark of a handoff: %s.</dd></div>\n",
			mark_words[i][0], mark_words[i][1]);
}

int page_reading(struct page *p)
{
	fputs("<section id=\"reading\"><h2>How to read a figure</h2>\n"
	      "<p>A <em>handoff</em> is one step of work from one thread and moment to another: a "
	      "request submitted here and completed there, a waiter woken by somebody. The "
	      "workload knows every one that happened; a profiler, watching from outside, claims "
	      "what it believes happened. Each claim meets its fate below.</p>\n<dl "
	      "class=\"reading\">\n",
	      p->f);
	for (size_t i = 0; i < handoff_figure_cnt; i++)
		fprintf(p->f, "<div><dt>%s</dt><dd>%s</dd></div>\n", handoff_figures[i].head,
			handoff_figures[i].about);
	fputs("<div><dt>coverage</dt><dd>Share of the real handoffs that are of types which the "
	      "profiler declares: a specialist may score well on little.</dd></div>\n"
	      "<div><dt>\xe2\x80\x93</dt><dd>Not measured, or nothing to divide by. Never "
	      "zero.</dd></div>\n"
	      "<div><dt>0.9999</dt><dd>Ratios are never rounded up to 1 or down to 0: 1.0000 means "
	      "all, 0.0000 means none.</dd></div>\n"
	      "<div><dt>false orphans</dt><dd>An orphan whose one named end is false counts as "
	      "spurious: it says that something happened where nothing did.</dd></div>\n",
	      p->f);
	put_marks(p);
	fputs("</dl></section>\n", p->f);
	return 0;
}
