/* SPDX-License-Identifier: BSD-2-Clause */
/* One sentence a profiler: what it reached on all workloads together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/page.h"

/* What all rows of one profiler, all replayed or all live, say together. */
struct summary {
	struct span precision, recall, f1, coverage;
	struct span identity_precision, identity_recall;
	double joins, two_ended, decoys, unjudged;
	bool cheating;
	size_t scored, cells, bad, broken_tries;
	const struct run_cell *worst;
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

static void add_cells(const struct view_row *row, struct summary *s)
{
	s->cells += row->cell_cnt;
	for (size_t i = 0; i < row->cell_cnt; i++) {
		const struct run_cell *c = row->cells[i];

		s->bad += c->state != CELL_OK;
		s->broken_tries += c->state == CELL_OK ? c->broken_tries : 0;
		if (c->state != CELL_OK && (!s->worst || c->state > s->worst->state))
			s->worst = c;
	}
}

static void add_row(struct view *v, const struct view_row *row, struct summary *s)
{
	const struct {
		const char *metric;
		struct span *to;
	} spans[] = {
		{"handoff.context.precision", &s->precision},
		{"handoff.context.recall", &s->recall},
		{"handoff.context.f1", &s->f1},
		{"handoff.identity.precision", &s->identity_precision},
		{"handoff.identity.recall", &s->identity_recall},
	};
	struct span one;
	bool scored = false;
	double n = 0;

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		one = view_span(v, row, spans[i].metric, "declared");
		join(spans[i].to, &one);
		scored |= one.has;
	}
	s->scored += scored;
	one = view_span(v, row, METRIC_COVERAGE, "all");
	if (scored)
		join(&s->coverage, &one);
	if (view_sum(v, row, "handoff.context.false_join", "declared", &n))
		s->joins += n;
	if (view_sum(v, row, "handoff.context.two_ended", "declared", &n))
		s->two_ended += n;
	one = view_span(v, row, METRIC_CHEATING, "all");
	s->cheating |= one.has && one.max > 0;
	if (view_sum(v, row, "handoff.context.decoy_hits", "all", &n))
		s->decoys += n;
	if (view_sum(v, row, METRIC_UNJUDGED, "all", &n))
		s->unjudged += n;
	add_cells(row, s);
}

static bool same_profiler(const struct view_row *a, const struct view_row *b)
{
	return same_division(a, b) && !strcmp(a->profiler, b->profiler);
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

static void say_joins(struct page *p, const struct summary *s)
{
	fputs("; ", p->f);
	page_count(p, s->joins);
	fprintf(p->f, " false join%s among ", s->joins == 1 ? "" : "s");
	page_count(p, s->two_ended);
	fputs(" joined claims", p->f);
}

static bool differs(const struct span *a, const struct span *b)
{
	return a->min != b->min || a->max != b->max;
}

/* Only where the kernel's side of a step makes a difference. */
static void say_identity(struct page *p, const struct summary *s)
{
	if (!s->identity_recall.has || (!differs(&s->recall, &s->identity_recall) &&
					!differs(&s->precision, &s->identity_precision)))
		return;
	fputs("At identity level: precision ", p->f);
	page_ratio(p, &s->identity_precision);
	fputs(", recall ", p->f);
	page_ratio(p, &s->identity_recall);
	fputs(". ", p->f);
}

static void say_scores(struct page *p, const struct summary *s, enum rank rank)
{
	fprintf(p->f, "on %zu workload%s: ", s->scored, s->scored == 1 ? "" : "s");
	if (s->precision.has) {
		fputs("precision ", p->f);
		page_ratio(p, &s->precision);
	} else {
		fputs(s->unjudged > 0 ? "no claim that could be judged, so no precision"
				      : "no claims, so no precision",
		      p->f);
	}
	fputs(", recall ", p->f);
	page_ratio(p, &s->recall);
	fputs(", F1 ", p->f);
	page_ratio(p, &s->f1);
	if (s->coverage.has && s->coverage.min < 1 && rank == RANK_PROFILER) {
		fputs(" on the types that it declares, ", p->f);
		page_ratio(p, &s->coverage);
		fputs(" of all handoffs", p->f);
	}
	if (s->two_ended > 0 && rank == RANK_PROFILER)
		say_joins(p, s);
	fputs(". ", p->f);
	if (rank == RANK_PROFILER)
		say_identity(p, s);
}

/* A cell that could not run here is no failure of the profiler's. */
static void say_state(struct page *p, const struct summary *s)
{
	bool failed = s->worst && s->worst->state != CELL_UNSUPPORTED;

	if (s->broken_tries)
		fprintf(p->f,
			"<span class=\"bad\">%zu run%s with it %s broken</span>, and sound without "
			"it; what counts is the first sound one of three. ",
			s->broken_tries, s->broken_tries == 1 ? "" : "s",
			s->broken_tries == 1 ? "was" : "were");
	if (!s->worst)
		return;
	fprintf(p->f, "<span class=\"%s\">%zu of %zu cell%s %s</span>", failed ? "bad" : "quiet",
		s->bad, s->cells, s->cells == 1 ? "" : "s", cell_state_name(s->worst->state));
	if (*s->worst->reason) {
		fputs(": <span class=\"quiet\">", p->f);
		page_text(p, s->worst->reason);
		fputs("</span>", p->f);
	}
	fputs(". ", p->f);
}

static void say_unjudged(struct page *p, const struct summary *s)
{
	fputs("<span class=\"bad\">", p->f);
	page_count(p, s->unjudged);
	fputs(" claims not scored</span>: of some cells all are of another time or other threads "
	      "than the run. Is it the clock? ",
	      p->f);
}

static void say_cheating(struct page *p, const struct summary *s)
{
	fputs("<strong class=\"bad\">Cheating</strong>: ", p->f);
	page_count(p, s->decoys);
	fputs(" claims lie on decoys, acts that never happened and stand in truth alone. ", p->f);
}

bool page_has_variants(const struct view *v)
{
	for (size_t g = 0; g < v->group_cnt; g++)
		if (*view_unusual(v->groups[g].variant))
			return true;
	return false;
}

/* Where it is told what is claimed by a profiler that declares no handoffs. */
static const char *elsewhere(struct page *p, const struct view_row *row)
{
	double events = 0;

	view_sum(p->v, row, "event.claims", "all", &events);
	if (events <= 0)
		return "what it says stands under <a href=\"#scores\">Scores</a>";
	return page_has_variants(p->v)
		       ? "what it says of resources stands under <a href=\"#stale\">Stale "
			 "contracts</a>"
		       : "what it says of resources stands under <a href=\"#scores\">Scores</a>";
}

static void say(struct page *p, const struct view_row *row, const struct summary *s,
		const char *opener)
{
	if (!s->cells)
		return;
	if (s->cheating)
		say_cheating(p, s);
	if (s->scored) {
		fprintf(p->f, "%s ", opener);
		say_scores(p, s, row->rank);
	} else if (s->bad < s->cells) {
		fprintf(p->f, "%s: declares no handoffs; %s. ", opener, elsewhere(p, row));
	}
	if (s->unjudged > 0)
		say_unjudged(p, s);
	say_state(p, s);
}

static double missed(struct page *p, const struct view_row *row, const char *scope)
{
	double truth = 0, credited = 0;

	view_sum(p->v, row, "handoff.context.truth", scope, &truth);
	view_sum(p->v, row, "handoff.context.credited", scope, &credited);
	return truth - credited;
}

/* The mark that most of the missed handoffs bear: where to look first. */
static int say_missed(struct page *p, const struct view_group *g, const struct view_row *row)
{
	double all = missed(p, row, "declared"), truth = 0, most = 0;
	const char **scopes, *mark = NULL;
	size_t cnt;

	view_sum(p->v, row, "handoff.context.truth", "declared", &truth);
	if (all < truth / 1000 || all <= 0)
		return 0;
	if (view_scopes(p->v, g, "handoff.context.truth", "mark:", &scopes, &cnt))
		return -ENOMEM;
	for (size_t i = 0; i < cnt; i++) {
		double n = missed(p, row, scopes[i]);

		/* A key is used again nearly everywhere: that says nothing of where. */
		if (n > most && strcmp(scopes[i], "mark:reused_key")) {
			most = n;
			mark = scopes[i] + strlen("mark:");
		}
	}
	if (mark) {
		if (most < all) {
			page_count(p, most);
			fputs(" of the ", p->f);
		} else {
			fputs("All ", p->f);
		}
		page_count(p, all);
		fputs(" handoffs missed on ", p->f);
		page_group_name(p, g);
		fputs(" are marked <b>", p->f);
		page_text(p, mark);
		fputs("</b>. ", p->f);
	}
	free(scopes);
	return 0;
}

static int say_all_missed(struct page *p, const struct view_row *row)
{
	for (size_t g = 0; g < p->v->group_cnt; g++) {
		const struct view_group *group = &p->v->groups[g];

		for (size_t r = 0; plain(group) && r < group->row_cnt; r++)
			if (!group->rows[r].live && same_profiler(&group->rows[r], row) &&
			    say_missed(p, group, &group->rows[r]))
				return -ENOMEM;
	}
	return 0;
}

static const struct view_summary *over_quads(const struct page *p, const struct view_row *row,
					     bool live, const char *metric, const char *scope)
{
	char name[4200];

	snprintf(name, sizeof(name), "%s%s", row->profiler, live ? " live" : "");
	return view_summary(p->v, "stamped", name, metric, scope);
}

/* What it noticed of mutants, and at what price on their twins. */
static void say_stale(struct page *p, const struct view_row *row, bool live)
{
	const struct view_summary *found = over_quads(p, row, live, "quads.detection", "all");
	const struct view_summary *alarm = over_quads(p, row, live, "quads.alarm", "form:twin");

	if (!found || !found->has_value)
		return;
	fprintf(p->f, "Stale contracts: found out in <b>%.0f of %llu</b> witnessed mutants",
		found->value * (double)found->n, (unsigned long long)found->n);
	if (alarm && alarm->has_value)
		fprintf(p->f, ", false alarms on <b>%.0f of %llu</b> harmless twins",
			alarm->value * (double)alarm->n, (unsigned long long)alarm->n);
	fputs(". ", p->f);
}

/* Over all programs, since it is mutants that are doubted. */
static void say_redated(struct page *p, const struct view_row *row)
{
	size_t cnt = 0, unknown = 0;

	for (size_t g = 0; g < p->v->group_cnt; g++)
		for (size_t r = 0; r < p->v->groups[g].row_cnt; r++) {
			const struct view_row *x = &p->v->groups[g].rows[r];

			for (size_t i = 0; same_profiler(x, row) && i < x->cell_cnt; i++) {
				cnt += x->cells[i]->redated;
				unknown += x->cells[i]->undated;
			}
		}
	if (cnt)
		fprintf(p->f,
			"<span class=\"bad\">Dated back</span>: the doubts of %zu cell%s could not "
			"be had when they are dated, and count from the end of the run. ",
			cnt, cnt == 1 ? "" : "s");
	if (unknown)
		fprintf(p->f,
			"Whether the doubts of %zu cell%s could be had when they are dated is not "
			"known; no median latency counts them. ",
			unknown, unknown == 1 ? "" : "s");
}

static int say_row(struct page *p, const struct view_row *row)
{
	static const char *const openers[RANK_CNT] = {
		[RANK_CEILING] = "What perfect sight scores",
		[RANK_PROFILER] = "Replayed",
		[RANK_FLOOR] = "Guesses",
		[RANK_LIAR] = "What falsehood scores",
	};
	struct summary replayed = summarise(p->v, row, false), live = summarise(p->v, row, true);

	fputs("<tr><th scope=\"row\">", p->f);
	page_text(p, view_label(row));
	fputs("</th><td>", p->f);
	say(p, row, &replayed, openers[row->rank]);
	if (row->rank == RANK_PROFILER && replayed.two_ended > 0 && say_all_missed(p, row))
		return -ENOMEM;
	say_stale(p, row, false);
	say_redated(p, row);
	if (replayed.cells && live.cells)
		fputs("<br/>", p->f);
	say(p, row, &live, "Live");
	say_stale(p, row, true);
	fputs("</td></tr>\n", p->f);
	return 0;
}

/* Profilers first: they are what the reader came for. */
static int compare_rows(const void *a, const void *b)
{
	static const int place[RANK_CNT] = {
		[RANK_PROFILER] = 0, [RANK_FLOOR] = 1, [RANK_CEILING] = 2, [RANK_LIAR] = 3};
	const struct view_row *x = *(const struct view_row *const *)a;
	const struct view_row *y = *(const struct view_row *const *)b;
	int order = place[x->rank] - place[y->rank];

	if (!order)
		order = (int)division_order(x) - (int)division_order(y);
	if (!order)
		order = strcmp(x->division, y->division);
	return order ? order : strcmp(x->profiler, y->profiler);
}

const struct view_row **page_profilers(const struct view *v, size_t *ret_cnt)
{
	const struct view_row **rows;
	size_t n = 0, kept = 0;

	for (size_t g = 0; g < v->group_cnt; g++)
		n += v->groups[g].row_cnt;
	rows = calloc(n + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	n = 0;
	for (size_t g = 0; g < v->group_cnt; g++)
		for (size_t r = 0; plain(&v->groups[g]) && r < v->groups[g].row_cnt; r++)
			rows[n++] = &v->groups[g].rows[r];
	qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++)
		if (!kept || !same_profiler(rows[kept - 1], rows[i]))
			rows[kept++] = rows[i];
	*ret_cnt = kept;
	return rows;
}

int page_verdicts(struct page *p)
{
	size_t cnt;
	const struct view_row **rows = page_profilers(p->v, &cnt);
	int err = 0;

	if (!rows)
		return -ENOMEM;
	fputs("<section id=\"verdicts\"><h2>Verdicts</h2>\n"
	      "<p>Handoffs are judged at <em>context</em> level: did the profiler name the thread "
	      "and the moment on both sides of an asynchronous step? Ranges run from the lowest to "
	      "the highest workload and seed. Stale contracts: did it notice that a mutation had "
	      "changed what a probe site means?</p>\n"
	      "<table class=\"verdicts\"><caption class=\"hidden\">One sentence a "
	      "profiler</caption>\n"
	      "<thead class=\"hidden\"><tr><th scope=\"col\">profiler</th>"
	      "<th scope=\"col\">verdict</th></tr></thead>\n",
	      p->f);
	for (size_t i = 0; i < cnt; i++) {
		if (!i || !same_division(rows[i], rows[i - 1])) {
			fputs(i ? "</tbody><tbody>\n" : "<tbody>\n", p->f);
			page_division(p, rows[i], 2);
		}
		err = err ? err : say_row(p, rows[i]);
	}
	fprintf(p->f, "%s</table>\n", cnt ? "</tbody>" : "");
	free(rows);
	page_checks(p);
	fputs("</section>\n", p->f);
	return err;
}
