/* SPDX-License-Identifier: BSD-2-Clause */
/* End of the page: the state of every cell, what was skipped, and where it all came from. */
#include "results/page.h"

#include <string.h>

#include "results/text.h"

enum { CELLS_LISTED = 400 };

static void put_counts(struct page *p)
{
	static const char *const about[CELL_STATE_CNT] = {
		"ran to its end and was scored",
		"this machine lacks something that it needs",
		"the profiler ran, but what it wrote is no claims file",
		"the truth of the run is not sound, with or without the profiler: nothing scored",
		"it did not end in time",
		"the profiler ended badly",
	};
	const struct run_dir *r = p->v->run;

	fputs("<table class=\"narrow\"><caption>Every planned cell ends in one state</caption>"
	      "<thead><tr><th scope=\"col\">state</th><th scope=\"col\">cells</th>"
	      "<th scope=\"col\" class=\"words\">which means</th></tr></thead><tbody>\n",
	      p->f);
	for (unsigned i = 0; i < CELL_STATE_CNT; i++)
		fprintf(p->f,
			"<tr><th scope=\"row\">%s</th><td>%zu</td><td class=\"words\">%s</td>"
			"</tr>\n",
			cell_state_name(i), r->counts[i], about[i]);
	fprintf(p->f,
		"</tbody><tfoot><tr><th scope=\"row\">planned</th><td>%zu</td>"
		"<td class=\"words\">the sum</td></tr></tfoot></table>\n",
		r->cell_cnt);
}

static void put_words(struct page *p, const char *s)
{
	fputs("<td class=\"words\">", p->f);
	page_text(p, s);
	fputs("</td>", p->f);
}

static void put_log(struct page *p, const struct run_cell *c)
{
	fputs("<td class=\"words\">", p->f);
	if (*c->log) {
		fputs("<a href=\"cells/", p->f);
		text_url(p->f, c->cell);
		putc('/', p->f);
		text_url(p->f, c->log);
		fputs("\">log</a>", p->f);
	}
	fputs("</td>", p->f);
}

static void put_cell(struct page *p, const struct run_cell *c)
{
	fputs("<tr><th scope=\"row\">", p->f);
	page_text(p, c->cell);
	fprintf(p->f, "</th><td class=\"state%s\">%s</td><td>%.1f</td>",
		c->state == CELL_OK ? "" : " bad", cell_state_name(c->state), c->seconds);
	put_words(p, c->reason);
	put_words(p, c->cure);
	put_log(p, c);
	fputs("</tr>\n", p->f);
}

static void put_cells(struct page *p, bool well, const char *caption)
{
	const struct run_dir *r = p->v->run;

	fprintf(p->f,
		"<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Cells\">"
		"<table><caption>%s</caption><thead><tr><th scope=\"col\">cell</th>"
		"<th scope=\"col\" class=\"state\">state</th><th scope=\"col\">seconds</th>"
		"<th scope=\"col\" class=\"words\">why</th><th scope=\"col\" class=\"words\">"
		"cure</th><th scope=\"col\" class=\"words\">log</th></tr></thead><tbody>\n",
		caption);
	for (size_t i = 0; i < r->cell_cnt; i++)
		if ((r->cells[i].state == CELL_OK) == well)
			put_cell(p, &r->cells[i]);
	fputs("</tbody></table></div>\n", p->f);
}

static void put_skips(struct page *p)
{
	const struct run_dir *r = p->v->run;

	fputs("<section id=\"skipped\"><h2>What was skipped</h2>\n", p->f);
	if (!r->skip_cnt) {
		fputs("<p>Nothing.</p></section>\n", p->f);
		return;
	}
	fputs("<table><caption class=\"hidden\">What was skipped, why, and the "
	      "cure</caption><thead>"
	      "<tr><th scope=\"col\">what</th><th scope=\"col\" class=\"words\">why</th>"
	      "<th scope=\"col\" class=\"words\">cure</th></tr></thead><tbody>\n",
	      p->f);
	for (size_t i = 0; i < r->skip_cnt; i++) {
		fputs("<tr><th scope=\"row\">", p->f);
		page_text(p, r->skips[i].what);
		fputs("</th>", p->f);
		put_words(p, r->skips[i].why);
		put_words(p, r->skips[i].cure);
		fputs("</tr>\n", p->f);
	}
	fputs("</tbody></table></section>\n", p->f);
}

static void put_provenance(struct page *p)
{
	const struct run_dir *r = p->v->run;

	fputs("<section id=\"provenance\"><h2>Provenance</h2>\n", p->f);
	if (r->tool_cnt) {
		fputs("<table class=\"narrow\"><caption>Tools</caption><thead><tr>"
		      "<th scope=\"col\">tool</th><th scope=\"col\" class=\"words\">version</th>"
		      "</tr></thead><tbody>\n",
		      p->f);
		for (size_t i = 0; i < r->tool_cnt; i++) {
			fputs("<tr><th scope=\"row\">", p->f);
			page_text(p, r->tools[i].name);
			fputs("</th>", p->f);
			put_words(p, r->tools[i].version);
			fputs("</tr>\n", p->f);
		}
		fputs("</tbody></table>\n", p->f);
	}
	fputs("<details><summary>run.json, whole</summary><pre tabindex=\"0\">", p->f);
	page_text(p, r->json);
	fputs("</pre></details></section>\n", p->f);
}

int page_run(struct page *p)
{
	const struct run_dir *r = p->v->run;

	fputs("<section id=\"cells\"><h2>Cells</h2>\n", p->f);
	put_counts(p);
	if (r->counts[CELL_OK] < r->cell_cnt)
		put_cells(p, false, "Cells that did not end well");
	if (r->counts[CELL_OK] <= CELLS_LISTED) {
		fputs("<details><summary>Cells that ended well</summary>\n", p->f);
		put_cells(p, true, "Cells that ended well");
		fputs("</details></section>\n", p->f);
	} else {
		fputs("<p>Those that ended well are too many to be listed here: see <a "
		      "href=\"plan.tsv\">plan.tsv</a> and the table <code>cells</code> of "
		      "<code>scores.sqlite</code>.</p></section>\n",
		      p->f);
	}
	put_skips(p);
	put_provenance(p);
	return 0;
}
