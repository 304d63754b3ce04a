/* SPDX-License-Identifier: BSD-2-Clause */
/* Top of the page: what ran, one sentence a profiler, and whether the measurement is sound. */
#include "results/page.h"

#include <string.h>
#include <time.h>

static void put_fact(struct page *p, const char *name, const char *value)
{
	fprintf(p->f, "<div><dt>%s</dt><dd>", name);
	if (*value)
		page_text(p, value);
	else
		fputs("<span class=\"none\">not recorded</span>", p->f);
	fputs("</dd></div>\n", p->f);
}

/* Seconds between two ISO 8601 times in UTC; false where one is no such time. */
static bool lasted(const char *from, const char *to, long *ret)
{
	struct tm a = {0}, b = {0};

	if (!strptime(from, "%Y-%m-%dT%H:%M:%S", &a) || !strptime(to, "%Y-%m-%dT%H:%M:%S", &b))
		return false;
	*ret = (long)(timegm(&b) - timegm(&a));
	return *ret >= 0;
}

static void put_time(struct page *p, const struct run_dir *r)
{
	char text[256];
	long s;

	if (!lasted(r->started, r->finished, &s))
		snprintf(text, sizeof(text), "%s", r->started);
	else if (s < 120)
		snprintf(text, sizeof(text), "%s, %ld s", r->started, s);
	else
		snprintf(text, sizeof(text), "%s, %ld min %ld s", r->started, s / 60, s % 60);
	put_fact(p, "When", text);
}

static void put_seeds(struct page *p, const struct run_dir *r)
{
	fprintf(p->f, "<div><dt>Seeds</dt><dd>%zu", r->seed_cnt);
	if (r->seed_cnt > 1 && r->seed_cnt < 12)
		fputs(" <span class=\"quiet\">(fewer than 12: ranges, no intervals)</span>", p->f);
	else if (r->seed_cnt > 1)
		fputs(" <span class=\"quiet\">(cells show lowest to highest)</span>", p->f);
	fputs("</dd></div>\n", p->f);
}

static void put_cells(struct page *p, const struct run_dir *r)
{
	const char *sign = "=";

	fprintf(p->f, "<div><dt>Cells</dt><dd>%zu", r->cell_cnt);
	for (unsigned i = 0; i < CELL_STATE_CNT; i++) {
		if (!r->counts[i])
			continue;
		fprintf(p->f, " %s %zu %s", sign, r->counts[i], cell_state_name(i));
		sign = "+";
	}
	fputs("</dd></div>\n", p->f);
}

static void put_facts(struct page *p)
{
	const struct run_dir *r = p->v->run;
	char machine[512];

	if (r->cpus)
		snprintf(machine, sizeof(machine), "%s (%llu CPUs)", r->cpu,
			 (unsigned long long)r->cpus);
	else
		snprintf(machine, sizeof(machine), "%s", r->cpu);
	fputs("<dl class=\"facts\">\n", p->f);
	put_fact(p, "Run", r->run);
	put_fact(p, "Host", r->host);
	put_fact(p, "Kernel", r->kernel);
	put_fact(p, "Processor", machine);
	put_time(p, r);
	put_seeds(p, r);
	put_cells(p, r);
	fputs("<div><dt>Data</dt><dd><a href=\"scores.csv\">scores.csv</a>, "
	      "<a href=\"plan.tsv\">plan.tsv</a>, <a href=\"run.json\">run.json</a></dd></div>\n"
	      "</dl>\n",
	      p->f);
}

/* ---- verdicts ---- */

/* What all rows of one profiler, replayed or live, say together. */
struct summary {
	struct span precision, recall, f1, coverage;
	double joins, two_ended;
	size_t workloads, cells, bad;
	enum cell_state worst;
};

static void join(struct span *to, const struct span *s)
{
	if (!s->has)
		return;
	if (!to->has || s->min < to->min)
		to->min = s->min;
	if (!to->has || s->max > to->max)
		to->max = s->max;
	to->has = true;
}

static void add_row(struct view *v, const struct view_row *row, struct summary *s)
{
	static const char metrics[][32] = {"handoff.context.precision", "handoff.context.recall",
					   "handoff.context.f1"};
	struct span *to[] = {&s->precision, &s->recall, &s->f1}, one;
	double n = 0;

	for (size_t i = 0; i < 3; i++) {
		one = view_span(v, row, metrics[i], "declared");
		join(to[i], &one);
	}
	one = view_span(v, row, METRIC_COVERAGE, "all");
	join(&s->coverage, &one);
	if (view_sum(v, row, "handoff.context.false_join", "declared", &n))
		s->joins += n;
	if (view_sum(v, row, "handoff.context.two_ended", "declared", &n))
		s->two_ended += n;
	s->workloads++;
	s->cells += row->cell_cnt;
	for (size_t i = 0; i < row->cell_cnt; i++) {
		s->bad += row->cells[i]->state != CELL_OK;
		if (row->cells[i]->state > s->worst)
			s->worst = row->cells[i]->state;
	}
}

static bool same_profiler(const struct view_row *a, const struct view_row *b)
{
	return a->rank == b->rank && !strcmp(a->profiler, b->profiler) && same_division(a, b);
}

/* Headline figures come from the plain case: base variant, clean regime, headline binding. */
static bool plain(const struct view_group *g)
{
	return !*view_unusual(g->variant) && !*view_unusual(g->regime) &&
	       !*view_unusual(g->binding);
}

static struct summary summarise(struct view *v, const struct view_row *row, bool live)
{
	struct summary s = {0};

	for (size_t g = 0; g < v->group_cnt; g++)
		for (size_t r = 0; plain(&v->groups[g]) && r < v->groups[g].row_cnt; r++)
			if (v->groups[g].rows[r].live == live &&
			    same_profiler(&v->groups[g].rows[r], row))
				add_row(v, &v->groups[g].rows[r], &s);
	return s;
}

static void say_scores(struct page *p, const struct summary *s, bool floor)
{
	fprintf(p->f, " on %zu workload%s: ", s->workloads, s->workloads == 1 ? "" : "s");
	if (!s->precision.has && !s->recall.has) {
		fputs("nothing could be scored", p->f);
		return;
	}
	fputs("precision ", p->f);
	page_ratio(p, &s->precision);
	fputs(", recall ", p->f);
	page_ratio(p, &s->recall);
	fputs(", F1 ", p->f);
	page_ratio(p, &s->f1);
	if (s->coverage.has && s->coverage.min < 1) {
		fputs(" on the types that it declares, which are ", p->f);
		page_ratio(p, &s->coverage);
		fputs(" of all handoffs", p->f);
	}
	if (s->two_ended > 0 && !floor) {
		fputs("; ", p->f);
		page_count(p, s->joins);
		fprintf(p->f, " false join%s among ", s->joins == 1 ? "" : "s");
		page_count(p, s->two_ended);
		fputs(" joined claims", p->f);
	}
}

static void say_state(struct page *p, const struct summary *s)
{
	if (!s->bad)
		return;
	fprintf(p->f, ". <strong class=\"bad\">%zu of %zu cell%s did not end well (%s)</strong>",
		s->bad, s->cells, s->cells == 1 ? "" : "s", cell_state_name(s->worst));
}

static void say_one(struct page *p, const struct view_row *row)
{
	static const char *const openers[RANK_CNT] = {
		[RANK_CEILING] = "What perfect sight scores,",
		[RANK_PROFILER] = "Replayed",
		[RANK_FLOOR] = "Guesses",
		[RANK_LIAR] = "What is false throughout scores,",
	};
	struct summary replayed = summarise(p->v, row, false), live = summarise(p->v, row, true);

	fputs("<tr><th scope=\"row\">", p->f);
	page_text(p, view_label(row));
	fputs("</th><td>", p->f);
	if (replayed.cells) {
		fputs(openers[row->rank], p->f);
		say_scores(p, &replayed, row->rank == RANK_FLOOR);
		say_state(p, &replayed);
		fputs(live.cells ? ". " : ".", p->f);
	}
	if (live.cells) {
		fputs("Live", p->f);
		say_scores(p, &live, false);
		say_state(p, &live);
		putc('.', p->f);
	}
	fputs("</td></tr>\n", p->f);
}

/* The next profiler to speak of: lowest rank, then division and name, that was not yet. */
static const struct view_row *first_of(const struct view *v, size_t g, size_t r)
{
	const struct view_row *row = &v->groups[g].rows[r];

	for (size_t i = 0; i <= g; i++)
		for (size_t j = 0; j < (i < g ? v->groups[i].row_cnt : r); j++)
			if (plain(&v->groups[i]) && same_profiler(&v->groups[i].rows[j], row))
				return NULL;
	return row;
}

static void put_verdicts_of(struct page *p, enum rank rank, bool *opened)
{
	const struct view *v = p->v;
	const struct view_row *last = NULL;

	for (size_t g = 0; g < v->group_cnt; g++) {
		for (size_t r = 0; plain(&v->groups[g]) && r < v->groups[g].row_cnt; r++) {
			const struct view_row *row = &v->groups[g].rows[r];

			if (row->rank != rank || !first_of(v, g, r))
				continue;
			if (!last || !same_division(last, row)) {
				fputs(*opened ? "</tbody><tbody>\n" : "<tbody>\n", p->f);
				page_division(p, row, 2);
				*opened = true;
			}
			say_one(p, row);
			last = row;
		}
	}
}

static void put_verdicts(struct page *p)
{
	static const enum rank order[] = {RANK_PROFILER, RANK_FLOOR, RANK_CEILING, RANK_LIAR};
	bool opened = false;

	fputs("<section id=\"verdicts\"><h2>Verdicts</h2>\n"
	      "<p>Each sentence is about handoffs at <em>context</em> level: did the profiler name "
	      "the thread and moment on both sides of an asynchronous step? Ranges run from the "
	      "lowest to the highest workload and seed.</p>\n"
	      "<table class=\"verdicts\"><caption class=\"hidden\">One sentence a "
	      "profiler</caption>\n"
	      "<thead class=\"hidden\"><tr><th scope=\"col\">profiler</th>"
	      "<th scope=\"col\">verdict</th></tr></thead>\n",
	      p->f);
	for (size_t i = 0; i < RANK_CNT; i++)
		put_verdicts_of(p, order[i], &opened);
	fprintf(p->f, "%s</table>\n", opened ? "</tbody>" : "");
	page_checks(p);
	fputs("</section>\n", p->f);
}

int page_headline(struct page *p)
{
	const struct run_dir *r = p->v->run;

	fputs("<header><p class=\"brand\">assay</p><h1>", p->f);
	if (*r->suite) {
		fputs("Suite ", p->f);
		page_text(p, r->suite);
	} else {
		fputs("A run", p->f);
	}
	fputs("</h1>\n", p->f);
	put_facts(p);
	fputs("</header>\n<nav aria-label=\"Sections\"><a href=\"#verdicts\">Verdicts</a> "
	      "<a href=\"#scores\">Scores</a> <a href=\"#reading\">How to read</a> "
	      "<a href=\"#rest\">Everything else</a> <a href=\"#cells\">Cells</a> "
	      "<a href=\"#skipped\">Skipped</a> <a href=\"#provenance\">Provenance</a></nav>\n",
	      p->f);
	put_verdicts(p);
	return 0;
}
