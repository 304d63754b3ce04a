/* SPDX-License-Identifier: BSD-2-Clause */
/* assay mutate train: thresholds of the embedded profiler from a run, each class left out in turn.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/truth.h"
#include "harness/mutate.h"
#include "harness/planning.h"
#include "harness/run.h"
#include "harness/variant.h"
#include "lib/files.h"
#include "lib/progress.h"
#include "mutations/frozen.h"
#include "mutations/tool.h"
#include "results/scores_csv.h"
#include "scoring/statistics.h"

static struct {
	const char *out;
	bool ablate;
} args;

static const struct opt table[] = {
	{"out", 'o', OPT_STR, "DIR", "folder of the run that is made (a new one in RESULTS/runs)",
	 &args.out, 0, 0, NULL},
	{"ablate", 0, OPT_FLAG, NULL, "join all again without each kind of test, too", &args.ablate,
	 0, 0, NULL},
	QUADS_OPT,
	SOURCE_OPT,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay mutate train",
	.usage = "RUN [--out DIR] [--ablate]",
	.purpose =
		"Trains thresholds on a run of the suite quads, and scores each class with those "
		"that it had no part in",
	.table = table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay bench quads --seeds 12 && assay mutate train results/latest",
		     "assay mutate train results/latest --out /tmp/left-out --ablate",
		     "cp /tmp/left-out/training/all.def profilers/causal/thresholds.def && make"},
};

/* A recording of the run that is trained on, and the join that is made of it. */
struct recording {
	const struct cell *cell;
	const struct mutation *mutation; /* NULL: an unchanged program, of class BASE */
	enum form form;
	char folder[PATH_LEN], manifest[PATH_LEN];
	struct window scored;
	uint64_t since; /* 0: nothing became invalid */
};

struct training {
	struct shop *shop;
	char source[PATH_LEN], run[PATH_LEN], folder[PATH_LEN]; /* folder: of the tables */
	char program[PATH_LEN];
	struct plan old, plan;
	struct recording *v;
	size_t cnt;
	struct frozen_list frozen;
	struct diag *d;
};

/* ---- what is there ---- */

static int no_memory(struct diag *d)
{
	return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
}

/* Of truth only what its header says. */
static int read_header(struct training *t, struct recording *r)
{
	char path[PATH_LEN];
	struct truth truth;
	int rc = path_format(path, t->d, "%s/truth.bin", r->folder);

	if (!rc)
		rc = truth_load(path, &truth, t->d);
	if (rc)
		return rc;
	r->scored = truth.scored;
	for (size_t i = 0; i < truth.descriptors_cnt; i++) {
		const struct truth_descriptor *x = &truth.descriptors[i];

		if (!x->valid && (!r->since || x->since < r->since))
			r->since = x->since;
	}
	truth_free(&truth);
	return 0;
}

static const char *class_of(const struct recording *r)
{
	return r->mutation ? mutation_class_name(r->mutation->class) : "BASE";
}

/* Recordings with a manifest that ended well. */
static bool is_fit(struct training *t, const struct cell *c, struct recording *ret)
{
	struct recording r = {.cell = c};
	struct cell_status s;
	char id[RECORD_WORD];

	if (c->kind != KIND_RECORD || status_read(t->source, c->name, &s, NULL) ||
	    s.state != CELL_OK || variant_name_parse(c->variant, id, &r.form, NULL) ||
	    (id[0] && mutation_find(&t->shop->list, id, &r.mutation, NULL)) ||
	    path_format(r.folder, NULL, "%s/cells/%s", t->source, c->name) ||
	    path_format(r.manifest, NULL, "%s/manifest.yaml", r.folder))
		return false;
	*ret = r;
	return !access(ret->manifest, R_OK);
}

static int find_recordings(struct training *t)
{
	t->v = calloc(t->old.cnt + 1, sizeof(*t->v));
	if (!t->v)
		return no_memory(t->d);
	for (size_t i = 0; i < t->old.cnt; i++) {
		int rc = 0;

		if (is_fit(t, &t->old.v[i], &t->v[t->cnt]))
			rc = read_header(t, &t->v[t->cnt++]);
		if (rc)
			return rc;
	}
	if (t->cnt)
		return 0;
	return diag_set(t->d, -ENOENT, t->source, 0, "assay bench quads makes one",
			"the run has no recordings with a manifest");
}

/* ---- training ---- */

static void put_line(const struct training *t, const struct recording *r, FILE *f)
{
	bool mutant = r->mutation && r->form == FORM_MUTANT;

	fprintf(f, "%s\t%s\t%s\t%s/evidence.bin\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t",
		r->mutation ? r->mutation->id : r->cell->workload, class_of(r), form_name(r->form),
		r->folder, r->manifest, r->scored.t0, r->scored.t1, r->since);
	for (uint32_t i = 0; mutant && i < r->mutation->invalid_cnt; i++)
		fprintf(f, "%s%u", i ? "," : "", r->mutation->invalid[i].descriptor);
	fprintf(f, "%s\t%d\n", mutant && r->mutation->invalid_cnt ? "" : "-",
		mutant && frozen_find(&t->frozen, r->mutation->id));
}

static int fit(struct training *t)
{
	char index[PATH_LEN];
	char *argv[] = {t->program, (char *)"fit", index, t->folder, NULL};
	struct file_out o;
	int rc = path_format(index, t->d, "%s/index.tsv", t->folder);

	if (!rc)
		rc = file_out_open(&o, index, t->d);
	if (rc)
		return rc;
	fputs("id\tclass\tform\tevidence\tmanifest\tfrom\tto\tsince\tinvalid\tfrozen\n", o.f);
	for (size_t i = 0; i < t->cnt; i++)
		put_line(t, &t->v[i], o.f);
	rc = file_out_commit(&o, t->d);
	return rc ? rc : tool_must(argv, t->folder, "its message says which run", t->d);
}

/* ---- the run that is made ---- */

static int add_cells(struct training *t, const struct recording *r)
{
	struct cell c = *r->cell;
	int rc = plan_add(&t->plan, &c, t->d);

	if (rc)
		return rc;
	strcpy(c.from, t->plan.v[t->plan.cnt - 1].name);
	c.kind = KIND_JOIN;
	strcpy(c.profiler, "causal");
	strcpy(c.division, "attach");
	return plan_add(&t->plan, &c, t->d);
}

static int plan_run(struct training *t)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->cnt; i++)
		rc = add_cells(t, &t->v[i]);
	return rc ? rc : planning_write(&t->shop->w, t->run, "quads", &t->plan, t->d);
}

/* The recording stays where it is. */
static int link_recording(struct training *t, const struct recording *r, const char *cell)
{
	char path[PATH_LEN];
	int rc = path_format(path, t->d, "%s/cells/%s", t->run, cell);

	if (rc || !symlink(r->folder, path))
		return rc;
	return file_error(t->d, -errno, path, "write");
}

/* By a profiler that has never met the class. */
static int join(struct training *t, const struct recording *r, const char *cell)
{
	char path[PATH_LEN], tab[PATH_LEN], claims[PATH_LEN], evidence[PATH_LEN], exe[PATH_LEN];
	char *argv[] = {t->program,
			(char *)"join",
			tab,
			(char *)"--evidence",
			evidence,
			(char *)"--claims",
			claims,
			(char *)"--exe",
			exe,
			(char *)"--manifest",
			(char *)r->manifest,
			NULL};
	struct cell_status ok = {.state = CELL_OK};
	int rc = path_format(path, t->d, "%s/cells/%s", t->run, cell);

	if (!rc)
		rc = dir_make(path, t->d);
	if (!rc)
		rc = path_format(tab, t->d, "%s/%s.def", t->folder, class_of(r));
	if (!rc)
		rc = path_format(claims, t->d, "%s/claims.bin", path);
	if (!rc)
		rc = path_format(evidence, t->d, "%s/evidence.bin", r->folder);
	if (!rc)
		rc = path_format(exe, t->d, "%s/program", r->folder);
	if (!rc)
		rc = tool_must(argv, path, NULL, t->d);
	return rc ? rc : status_write(t->run, cell, &ok, t->d);
}

static int make_cells(struct training *t)
{
	struct progress p;
	char path[PATH_LEN];
	int rc = path_format(path, t->d, "%s/cells", t->run);

	if (!rc)
		rc = dir_make(path, t->d);
	progress_start(&p, "joins", t->cnt);
	for (size_t i = 0; !rc && i < t->cnt; i++) {
		progress_update(&p, i, t->v[i].cell->name);
		rc = link_recording(t, &t->v[i], t->plan.v[2 * i].name);
		if (!rc)
			rc = join(t, &t->v[i], t->plan.v[2 * i + 1].name);
	}
	progress_end(&p);
	return rc;
}

/* ---- ablation ---- */

/* Beside the figures: a row a kind of test, as the training program wrote it. */
static int ablate(struct training *t)
{
	char index[PATH_LEN], path[PATH_LEN];
	char *argv[] = {t->program, (char *)"ablate", index, t->folder, NULL};
	char *text, *line, *rest;
	int rc = path_format(index, t->d, "%s/index.tsv", t->folder);

	if (!rc)
		rc = path_format(path, t->d, "%s/ablation.tsv", t->folder);
	if (!rc)
		rc = tool_must(argv, t->folder, "its message says which run", t->d);
	if (!rc)
		rc = file_read(path, 1 << 20, &text, NULL, t->d);
	if (rc)
		return rc;
	rest = text;
	while ((line = strsep(&rest, "\n")) && *line)
		puts(line);
	free(text);
	return 0;
}

/* ---- what came out ---- */

/* Of the resources of all cells that were valid at some time, those with an alarm. */
struct printing {
	bool any;
	uint64_t alarms, valid;
};

static int print_row(const struct figure_row *row, void *arg)
{
	struct printing *p = arg;

	if (!strcmp(row->metric, "stale.false_alarms") && row->has_value)
		p->alarms += (uint64_t)row->value;
	if (!strcmp(row->metric, "stale.false_alarm_rate") && strcmp(row->cell, "-"))
		p->valid += row->n;
	if (strncmp(row->metric, "quads.", 6) || !row->has_value || strstr(row->metric, "p_stale."))
		return 0;
	if (!p->any)
		printf("%-24s %-16s %9s %19s %5s\n", "figure", "scope", "value", "95 % interval",
		       "n");
	p->any = true;
	printf("%-24s %-16s %9.4g", row->metric, row->scope, row->value);
	if (row->has_interval)
		printf("  %8.3g %8.3g", row->lo, row->hi);
	else
		printf("  %17s", "");
	printf("  %5" PRIu64 "\n", row->n);
	return 0;
}

static int print_figures(struct training *t)
{
	char path[PATH_LEN];
	struct printing p = {.any = false};
	struct interval i;
	int rc = path_format(path, t->d, "%s/scores.csv", t->run);

	if (!rc)
		rc = scores_csv_read(path, print_row, &p, t->d);
	if (rc)
		return rc;
	i = exact_interval(p.alarms, p.valid, 0.95);
	printf("%-24s %-16s %9.4g  %8.3g %8.3g  %5" PRIu64 "\n", "alarms", "valid resources",
	       p.valid ? (double)p.alarms / (double)p.valid : 0, i.lo, i.hi, p.valid);
	printf("thresholds %s\nrun        %s\n", t->folder, t->run);
	return 0;
}

static int open_training(struct training *t, const char *run)
{
	char path[PATH_LEN];
	int rc = run_find(run, t->source, t->d);

	if (!rc)
		rc = path_format(path, t->d, "%s/plan.tsv", t->source);
	if (!rc)
		rc = plan_load(path, &t->old, t->d);
	if (!rc)
		rc = path_format(t->program, t->d, "%s/profilers/causal/train/train",
				 t->shop->w.programs.folder);
	if (!rc && access(t->program, X_OK))
		rc = diag_set(t->d, -ENOENT, t->program, 0, "make",
			      "the training program has not been built");
	if (!rc)
		rc = frozen_load(&t->shop->house, &t->frozen, t->d);
	if (!rc)
		rc = find_recordings(t);
	if (!rc)
		rc = planning_folder(args.out, "left-out", t->run, t->d);
	if (!rc)
		rc = path_format(t->folder, t->d, "%s/training", t->run);
	return rc ? rc : dir_make(t->folder, t->d);
}

static int train(struct training *t, const char *run)
{
	int rc = open_training(t, run);

	if (!rc)
		rc = plan_run(t);
	if (!rc)
		rc = fit(t);
	if (!rc)
		rc = make_cells(t);
	if (!rc)
		rc = make_scores(&t->shop->w, t->run, &t->plan, t->d);
	if (!rc)
		rc = planning_finish(&t->shop->w, t->run, &t->plan, t->d);
	if (!rc)
		rc = print_figures(t);
	return rc || !args.ablate ? rc : ablate(t);
}

static int run(struct shop *s, int argc, char **argv)
{
	struct diag d = {0};
	struct training t = {.shop = s, .d = &d};
	int rc = argc == 1 ? train(&t, argv[0]) : -EINVAL;

	plan_free(&t.old);
	plan_free(&t.plan);
	free(t.v);
	frozen_free(&t.frozen);
	return rc ? planning_error(&d) : EXIT_GOOD;
}

int mutate_train(int argc, char **argv)
{
	return mutate_with_shop(&opts, argc, argv, run);
}
