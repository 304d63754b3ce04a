/* SPDX-License-Identifier: BSD-2-Clause */
/* The page's section on what watching costs, and accuracy against it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/cost_view.h"
#include "results/page.h"
#include "results/text.h"

#define DASH "\xe2\x80\x93"

static const char about[] =
	"<p>CPU that a profiler adds to an operation of a workload at its default rate, as a share "
	"of what the operation takes unwatched. <em>Counted</em>: hits of its BPF programs by the "
	"workload times what a hit takes, entering measured on empty programs in this run, and its "
	"own CPU; not known where some of its probes are no BPF programs or of no known cost. "
	"<em>Paired</em>: the mean of differences between neighbouring runs with and without it, "
	"with its 95\xe2\x80\xaf% interval, and the <em>least</em> effect that so many pairs of "
	"this noise find four times of five: below that a difference is no finding. Accuracy is of "
	"the same cell: F1 over all types of handoffs, and for profiles by thread how near they "
	"come (1 less the distance). Of latency and capacity &lt; marks the least effect where "
	"nothing above it was found.</p>\n";

struct column {
	const char *head, *title, *metric, *scope;
	double times;
	bool effect; /* told only where it exceeds what could have been found */
};

static const struct column columns[] = {
	{"its own, \xc2\xb5s", "CPU of the profiler itself, an operation", "overhead.counted",
	 "profiler", 1e-3, false},
	{"p50, ms", "Added to the latency that half of all stay below", "overhead.latency_added",
	 "p50", 1e-6, true},
	{"p99, ms", "Added to the latency that 99 of 100 stay below", "overhead.latency_added",
	 "p99", 1e-6, true},
	{"capacity, %", "Operations a second lost where the workload does what it can",
	 "overhead.capacity_lost", "all", 100, true},
	{"ready, ms", "From its start until it says that it is ready", "overhead.load_ns", "all",
	 1e-6, false},
	{"MiB", "Resident memory of its processes at its most", "overhead.peak_bytes", "all",
	 1.0 / (1 << 20), false},
	{"maps, MiB", "Kernel memory of its BPF maps", "overhead.kernel_bytes", "all",
	 1.0 / (1 << 20), false},
	{"probes", "Places that its BPF programs are attached at", "overhead.probes", "all", 1,
	 false},
	{"sites, %", "Of the sites in its manifest, those with a probe", "overhead.sites_share",
	 "all", 100, false},
	{"ring, B", "Moved through its BPF ring buffers, an operation", "overhead.ring_bytes",
	 "all", 1, false},
	{"claims", "Claims that it made", "overhead.claims", "all", 1, false},
	{"lost", "Records lost, as its own gaps say", "overhead.lost", "all", 1, false},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), FIXED = 7 };

/* ---- the table ---- */

static void put_number(struct page *p, bool has, double v)
{
	if (has)
		fprintf(p->f, v >= 1000 ? "<td>%.0f</td>" : "<td>%.3g</td>", v);
	else
		fputs("<td class=\"none\">" DASH "</td>", p->f);
}

/* What is below the least effect is no finding: then that is said. */
static void put_column(struct page *p, const struct cost_row *row, const struct column *c)
{
	const struct view_figure *f = cost_figure(p->v, row, c->metric, c->scope), *least;
	char name[64];

	snprintf(name, sizeof(name), "%s_mde", c->metric);
	least = f && c->effect ? cost_figure(p->v, row, name, c->scope) : NULL;
	if (!least)
		put_number(p, f && !c->effect, f ? f->value * c->times : 0);
	else if (f->value < least->value && f->value > -least->value)
		fprintf(p->f,
			"<td class=\"none\" title=\"%.3g [%.3g, %.3g]\">&lt;\xc2\xa0%.3g</td>",
			f->value * c->times, f->lo * c->times, f->hi * c->times,
			least->value * c->times);
	else
		fprintf(p->f, "<td>%.3g <small>%.3g" DASH "%.3g</small></td>", f->value * c->times,
			f->lo * c->times, f->hi * c->times);
}

/* "handoff:io" under its short name; what is declared is the row's first column. */
static void put_declared(struct page *p, const struct cost_row *row)
{
	size_t n = 0;

	fputs("<td class=\"words\">", p->f);
	for (size_t i = view_first(p->v, row->cell);
	     i < p->v->figure_cnt && p->v->figures[i].cell == row->cell; i++) {
		const struct view_figure *f = &p->v->figures[i];

		if (strcmp(f->metric, "overhead.declares"))
			continue;
		fputs(n++ ? ", " : "", p->f);
		page_text(p, strncmp(f->scope, "handoff:", 8) ? f->scope : f->scope + 8);
	}
	fputs("</td>", p->f);
}

static void put_row(struct page *p, const struct cost_row *row)
{
	fputs("<tr>", p->f);
	page_row_name(p, &row->as);
	put_declared(p, row);
	if (row->cell->state != CELL_OK) {
		fprintf(p->f, "<td class=\"state bad\" colspan=\"%d\">%s: ", FIXED - 2 + COLUMNS,
			cell_state_name(row->cell->state));
		page_text(p, row->cell->reason);
		fputs("</td></tr>\n", p->f);
		return;
	}
	put_number(p, row->has_f1, row->f1);
	put_number(p, row->has_profile, row->profile);
	put_number(p, row->has_counted, row->counted * 100);
	if (row->has_paired)
		fprintf(p->f, "<td>%.3g <small>%.3g" DASH "%.3g</small></td><td>%.3g</td>",
			row->paired * 100, row->lo * 100, row->hi * 100, row->least * 100);
	else
		fputs("<td class=\"none\">" DASH "</td><td class=\"none\">" DASH "</td>", p->f);
	for (size_t i = 0; i < COLUMNS; i++)
		put_column(p, row, &columns[i]);
	fputs("</tr>\n", p->f);
}

static void put_head(struct page *p, const char *workload)
{
	fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Cost\"><table>"
	      "<caption>",
	      p->f);
	page_text(p, workload);
	fputs(": what watching costs</caption><thead><tr><th scope=\"col\">profiler</th>"
	      "<th scope=\"col\" class=\"words\">declares</th>"
	      "<th scope=\"col\" title=\"Handoffs, over all types\">F1</th>"
	      "<th scope=\"col\" title=\"Profile by thread: 1 less the distance\">profile</th>"
	      "<th scope=\"col\">counted, %</th><th scope=\"col\">paired, %</th>"
	      "<th scope=\"col\">least, %</th>",
	      p->f);
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(p->f, "<th scope=\"col\" title=\"%s\">%s</th>", columns[i].title,
			columns[i].head);
	fputs("</tr></thead>\n", p->f);
}

static void put_table(struct page *p, const struct cost_view *x, size_t first, size_t cnt)
{
	put_head(p, x->rows[first].cell->workload);
	for (size_t i = first, n; i < first + cnt; i += n) {
		n = cost_view_division(x, i);
		fputs(i > first ? "</tbody><tbody>\n" : "<tbody>\n", p->f);
		page_division(p, &x->rows[i].as, FIXED + COLUMNS);
		for (size_t k = i; k < i + n; k++)
			put_row(p, &x->rows[k]);
	}
	fputs("</tbody></table></div>\n", p->f);
}

/* ---- accuracy per cost ---- */

static void say_paired(struct page *p, const struct cost_row *row)
{
	if (row->has_paired)
		fprintf(p->f, "%.3g\xe2\x80\xaf%% [%.3g, %.3g]", row->paired * 100, row->lo * 100,
			row->hi * 100);
	else
		fputs("an unknown cost", p->f);
}

static void say_joiners(struct page *p, const struct cost_view *x, size_t first, size_t cnt)
{
	const char *sign = "";

	for (size_t i = first; i < first + cnt; i++) {
		const struct cost_row *row = &x->rows[i];

		if (!row->joins)
			continue;
		fputs(sign, p->f);
		page_text(p, view_label(&row->as));
		fputs(" adds ", p->f);
		say_paired(p, row);
		if (row->has_profile)
			fprintf(p->f, " and is %.3g away", 1 - row->profile);
		else
			fputs(" and claims no such profile", p->f);
		sign = "; ";
	}
}

static void say_verdict(struct page *p, const struct cost_view *x, size_t first, size_t cnt)
{
	static const char *const words[] = {
		[COST_ALONE] = "is <b>the only one that says so</b>: at no cost does one of those "
			       "that join handoffs",
		[COST_BEATS] = "<b>beats every profiler that joins handoffs and says so, too, by "
			       "accuracy per cost</b>",
		[COST_UNDECIDED] = "is not shown to beat those that join handoffs by accuracy per "
				   "cost, since the intervals do not settle it",
		[COST_BEATEN] =
			"<b>is beaten by accuracy per cost</b> by one that joins handoffs, too",
	};
	const struct cost_row *sampler = NULL;
	enum cost_verdict verdict = cost_compare(x, first, cnt, &sampler);

	if (verdict == COST_NOTHING)
		return;
	fputs("<p>Asked which thread of ", p->f);
	page_text(p, sampler->cell->workload);
	fputs(" used the CPU, ", p->f);
	page_text(p, view_label(&sampler->as));
	fprintf(p->f, " %s: its profile is %.3g away from the true one, for ", words[verdict],
		1 - sampler->profile);
	say_paired(p, sampler);
	fputs(" of added CPU. ", p->f);
	say_joiners(p, x, first, cnt);
	fputs(".</p>\n", p->f);
}

/* ---- the section ---- */

static void put_frontier(struct page *p, const struct plot *plot)
{
	fputs("<figure class=\"plot\">", p->f);
	if (plot_inline(plot, p->v->run->path, p->f))
		fputs("<p class=\"none\">The drawing could not be read.</p>", p->f);
	fputs("<figcaption>Accuracy against added CPU, ", p->f);
	page_text(p, plot->workload);
	fputs(", division ", p->f);
	page_text(p, plot->division);
	fputs(". Left and high is better; the line joins those that nobody beats at both. Bars: "
	      "the paired interval.</figcaption></figure>\n",
	      p->f);
}

static void put_frontiers(struct page *p)
{
	fputs("<div class=\"plots\">\n", p->f);
	for (size_t i = 0; i < p->plots->cnt; i++)
		if (p->plots->v[i].kind == PLOT_FRONTIER)
			put_frontier(p, &p->plots->v[i]);
	fputs("</div>\n", p->f);
}

bool page_has_costs(const struct view *v)
{
	for (size_t i = 0; i < v->run->cell_cnt; i++)
		if (!strcmp(v->run->cells[i].kind, "overhead"))
			return true;
	return false;
}

int page_cost(struct page *p)
{
	struct cost_view x;

	if (!page_has_costs(p->v))
		return 0;
	if (cost_view_make(p->v, &x))
		return -ENOMEM;
	fprintf(p->f, "<section id=\"cost\"><h2>What watching costs</h2>\n%s", about);
	for (size_t i = 0; i < x.cnt; i += cost_view_workload(&x, i))
		say_verdict(p, &x, i, cost_view_workload(&x, i));
	put_frontiers(p);
	for (size_t i = 0; i < x.cnt; i += cost_view_workload(&x, i))
		put_table(p, &x, i, cost_view_workload(&x, i));
	fputs("</section>\n", p->f);
	cost_view_free(&x);
	return 0;
}
