/* SPDX-License-Identifier: BSD-2-Clause */
/* The page's section on acceptance cases. */
#include <string.h>

#include "results/acceptance.h"
#include "results/page.h"

static const char about[] =
	"<p>Each case is a public report of what a profiler got wrong, reduced to two versions of "
	"a small program. A naive reference has to read the first one rightly and the second one "
	"wrongly, as the report says; a case in which it does not is <strong>not "
	"reproduced</strong>. Of the second version a profiler should say what is so, or doubt "
	"before it first names an illness; on the first one it should stay confident (* where it "
	"did not).</p>\n";

static void put_label(struct page *p, const char *profiler)
{
	const char *slash = strrchr(profiler, '/');

	page_text(p, slash ? slash + 1 : profiler);
}

static void put_words(struct page *p, const char *s)
{
	fputs("<td class=\"words\">", p->f);
	page_text(p, s);
	fputs("</td>", p->f);
}

static void put_reading(struct page *p, const struct acceptance_row *r, unsigned version)
{
	char text[96];

	acceptance_text(r, version, text, sizeof(text));
	put_words(p, text);
}

static void put_said(struct page *p, const struct acceptance_said *s)
{
	bool bad = s->verdict == VERDICT_WRONG || s->verdict == VERDICT_FAILED;

	fputs(bad ? "<td class=\"words\"><strong>" : "<td class=\"words\">", p->f);
	page_text(p, s->verdict == VERDICT_FAILED ? cell_state_name(s->state)
						  : verdict_word(s->verdict));
	fputs(s->verdict == VERDICT_NONE || s->confident ? "" : "*", p->f);
	fputs(bad ? "</strong></td>" : "</td>", p->f);
}

static void put_row(struct page *p, const struct acceptance *a, const struct acceptance_row *r)
{
	fputs("<tr><th scope=\"row\"><a href=\"", p->f);
	page_text(p, r->source);
	fputs("\">", p->f);
	page_text(p, r->id);
	fputs("</a> ", p->f);
	page_text(p, r->part);
	fputs("</th>", p->f);
	put_words(p, r->class);
	put_words(p, r->changes);
	put_words(p, r->read);
	put_words(p, r->naive);
	put_reading(p, r, 0);
	put_reading(p, r, 1);
	put_words(p, !r->there	     ? "no reading"
		     : r->busy	     ? "no idle CPU"
		     : r->reproduced ? "yes"
				     : "not reproduced");
	for (size_t i = 0; i < a->contestant_cnt; i++)
		put_said(p, &r->said[i]);
	put_words(p, r->exposes);
	fputs("</tr>\n", p->f);
}

static void put_table(struct page *p, const struct acceptance *a)
{
	static const char *const heads[] = {"case",	      "class",	   "what changes",
					    "counted",	      "by",	   "first version",
					    "second version", "reproduced"};

	fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Acceptance "
	      "cases\"><table><caption>Acceptance cases</caption><thead><tr>",
	      p->f);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		fprintf(p->f, "<th scope=\"col\" class=\"words\">%s</th>", heads[i]);
	for (size_t i = 0; i < a->contestant_cnt; i++) {
		fputs("<th scope=\"col\" class=\"words\">", p->f);
		put_label(p, a->contestants[i]);
		fputs("</th>", p->f);
	}
	fputs("<th scope=\"col\" class=\"words\">what shows it</th></tr></thead>\n<tbody>", p->f);
	for (size_t i = 0; i < a->cnt; i++)
		put_row(p, a, &a->rows[i]);
	fputs("</tbody></table></div>\n", p->f);
}

int page_acceptance(struct page *p)
{
	const struct acceptance *a = p->acceptance;

	if (!a->cnt)
		return 0;
	fputs("<section id=\"acceptance\"><h2>Acceptance cases</h2>\n", p->f);
	fputs(about, p->f);
	put_table(p, a);
	fputs("</section>\n", p->f);
	return 0;
}
