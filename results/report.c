/* SPDX-License-Identifier: BSD-2-Clause */
/* report.html, tables/ and plots/, from a run's folder. */
#include "results/report.h"

#include <errno.h>
#include <string.h>

#include "lib/files.h"
#include "results/acceptance.h"
#include "results/assets.h"
#include "results/page.h"
#include "results/tex.h"

static void put_top(struct page *p)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>assay: ",
	      p->f);
	page_text(p, p->v->run->suite);
	putc(' ', p->f);
	page_text(p, p->v->run->run);
	fprintf(p->f, "</title>\n<style>\n%s</style>\n</head><body><main>\n", asset_report_css);
}

static int put_page(struct page *p)
{
	put_top(p);
	if (page_headline(p) || page_acceptance(p) || page_stale(p) || page_diagnosis(p) ||
	    page_loss(p) || page_hard(p) || page_cost(p) || page_scores(p) || page_reading(p) ||
	    page_rest(p) || page_run(p))
		return -ENOMEM;
	fputs("<footer>Written by <code>assay report</code>. This page needs no network and no "
	      "other file; the links lead to the data beside it.</footer>\n</main></body></html>\n",
	      p->f);
	return 0;
}

static int write_page(struct view *v, const struct plots *plots, const struct acceptance *a,
		      struct diag *d)
{
	struct page p = {.v = v, .plots = plots, .acceptance = a};
	struct file_out file;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/report.html", v->run->path);
	err = file_out_open(&file, path, d);
	if (err)
		return err;
	p.f = file.f;
	if (put_page(&p)) {
		file_out_abort(&file);
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	}
	return file_out_commit(&file, d);
}

static int write_tex(struct view *v, const char *name, int (*put)(struct view *, FILE *),
		     struct diag *d)
{
	struct file_out file;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/tables", v->run->path);
	err = dir_make(path, d);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/tables/%s", v->run->path, name);
	err = file_out_open(&file, path, d);
	if (err)
		return err;
	if (put(v, file.f)) {
		file_out_abort(&file);
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	}
	return file_out_commit(&file, d);
}

int report_write(const char *run_dir, struct diag *d)
{
	struct plots plots = {0};
	struct acceptance a = {0};
	struct view *v;
	int err = view_load(run_dir, &v, d);

	if (err)
		return err;
	err = plots_draw(v, &plots, d);
	if (!err)
		err = write_tex(v, "scores.tex", tex_scores, d);
	if (!err && page_has_variants(v))
		err = write_tex(v, "stale.tex", tex_stale, d);
	if (!err)
		err = acceptance_load(v, &a, d);
	if (!err)
		err = write_page(v, &plots, &a, d);
	acceptance_free(&a);
	plots_free(&plots);
	view_free(v);
	return err;
}

int report_unreproduced(const char *run_dir, size_t *ret, struct diag *d)
{
	struct acceptance a;
	struct view *v;
	size_t cnt = 0;
	int err = view_load(run_dir, &v, d);

	if (err)
		return err;
	err = acceptance_load(v, &a, d);
	for (size_t i = 0; !err && i < a.cnt; i++)
		cnt += a.rows[i].there && !a.rows[i].busy && !a.rows[i].reproduced;
	acceptance_free(&a);
	view_free(v);
	if (!err)
		*ret = cnt;
	return err;
}
