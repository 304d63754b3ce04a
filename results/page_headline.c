/* SPDX-License-Identifier: BSD-2-Clause */
/* Top of the page: what ran, where and when. */
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

/* "2026-11-29 10:00:00 UTC" where that is what the string means, else the string. */
static void put_moment(char *to, size_t len, const char *s)
{
	struct tm t = {0};
	const char *end = strptime(s, "%Y-%m-%dT%H:%M:%S", &t);

	if (end && !strcmp(end, "Z"))
		snprintf(to, len, "%.10s %.8s UTC", s, s + 11);
	else
		snprintf(to, len, "%s", s);
}

static void put_time(struct page *p, const struct run_dir *r)
{
	char moment[128], text[256];
	long s;

	put_moment(moment, sizeof(moment), r->started);
	if (!lasted(r->started, r->finished, &s))
		snprintf(text, sizeof(text), "%s", moment);
	else if (s < 120)
		snprintf(text, sizeof(text), "%s, %ld s", moment, s);
	else
		snprintf(text, sizeof(text), "%s, %ld min %ld s", moment, s / 60, s % 60);
	put_fact(p, "When", text);
}

static void put_seeds(struct page *p, const struct run_dir *r)
{
	fprintf(p->f, "<div><dt>Seeds</dt><dd>%zu", r->seed_cnt);
	if (r->seed_cnt > 1 && r->seed_cnt < 12)
		fputs(" <span class=\"quiet\">(fewer than 12: ranges, no intervals)</span>", p->f);
	else if (r->seed_cnt > 1)
		fputs(" <span class=\"quiet\">(cells show lowest to highest; small: the "
		      "mean's 95\xe2\x80\xaf% interval)</span>",
		      p->f);
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

/* What was not alone on the machine, and with what. */
static void put_beside(struct page *p, const struct run_dir *r)
{
	size_t cnt = 0;

	for (size_t i = 0; i < r->cell_cnt; i++)
		cnt += r->cells[i].beside_builds;
	if (cnt)
		fprintf(p->f,
			"<div><dt>Not alone</dt><dd>%zu recording%s, while programs of others were "
			"built at idle priority</dd></div>\n",
			cnt, cnt == 1 ? "" : "s");
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
	put_beside(p, r);
	fputs("<div><dt>Data</dt><dd><a href=\"scores.csv\">scores.csv</a>, "
	      "<a href=\"plan.tsv\">plan.tsv</a>, <a href=\"run.json\">run.json</a></dd></div>\n"
	      "</dl>\n",
	      p->f);
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
	if (*r->stored) {
		fputs("<p class=\"bad\"><strong>Stored runs</strong>, recorded on ", p->f);
		page_text(p, r->stored);
		fputs(": this machine did not record.</p>\n", p->f);
	}
	put_facts(p);
	fprintf(p->f,
		"</header>\n<nav aria-label=\"Sections\"><a href=\"#verdicts\">Verdicts</a> "
		"%s%s%s%s"
		"<a href=\"#scores\">Scores</a> <a href=\"#reading\">How to read</a> "
		"<a href=\"#rest\">Everything else</a> <a href=\"#cells\">Cells</a> "
		"<a href=\"#skipped\">Skipped</a> <a href=\"#provenance\">Provenance</a></nav>\n",
		page_has_variants(p->v) ? "<a href=\"#stale\">Stale contracts</a> " : "",
		page_has_diagnoses(p->v) ? "<a href=\"#diagnosis\">Diagnosis</a> " : "",
		page_has_losses(p->v) ? "<a href=\"#loss\">Under loss</a> " : "",
		page_has_costs(p->v) ? "<a href=\"#cost\">Cost</a> " : "");
	return page_verdicts(p);
}
