/* SPDX-License-Identifier: BSD-2-Clause */
/* From cells to scores.csv. */
#include "harness/score_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/folder.h"
#include "harness/overhead_file.h"
#include "harness/process.h"
#include "harness/provenance.h"
#include "harness/summary.h"
#include "lib/formats/claims.h"
#include "results/scores_csv.h"
#include "scoring/score.h"

struct scoring {
	const char *run;
	const struct plan *plan;
	struct programs *programs;
	struct scores_csv *out;
	struct summary *summary;
	char empty[PATH_LEN]; /* file with a header and no claim */
	struct diag *d;
};

/* The cell whose truth a cell is scored against. */
static const char *source(const struct cell *c)
{
	return strcmp(c->from, "-") ? c->from : c->name;
}

/* One cell and its state while its figures are written. */
struct row {
	struct scoring *s;
	const struct cell *c;
	enum cell_state state;
	int err;
};

/* The columns that say which cell it is; the figure's own are left to the caller. */
static struct figure_row row_of(const struct row *r)
{
	const struct cell *c = r->c;

	return (struct figure_row){
		.run = provenance_run_name(r->s->run),
		.cell = c->name,
		.workload = c->workload,
		.variant = c->variant,
		.profiler = c->profiler,
		.division = c->division,
		.regime = c->regime,
		.binding = c->binding,
		.seed = c->seed,
		.status = cell_state_name(r->state),
	};
}

static int put_row(struct row *r, const struct score_figure *f)
{
	struct figure_row row = row_of(r);

	row.metric = f->metric;
	row.scope = f->scope;
	row.has_value = f->has;
	row.value = f->value;
	row.n = f->has ? f->n : 0;
	return scores_csv_put(r->s->out, &row, r->s->d);
}

static int put_cost(const struct overhead_figure *f, void *arg)
{
	struct row *r = arg;
	struct figure_row row = row_of(r);

	row.metric = f->metric;
	row.scope = f->scope;
	row.has_value = f->has;
	row.value = f->value;
	row.has_interval = f->has && f->has_interval;
	row.lo = f->lo;
	row.hi = f->hi;
	row.n = f->has ? f->n : 0;
	return scores_csv_put(r->s->out, &row, r->s->d);
}

/* A figure about the cell itself. */
static int put_own(struct row *r, const char *metric, double value)
{
	struct score_figure f = {.scope = "all", .has = true, .value = value, .n = 1};

	snprintf(f.metric, sizeof(f.metric), "%s", metric);
	return put_row(r, &f);
}

/* Every planned cell has this line: 1 where figures follow, 0 where it was not scored. */
static int put_scored(struct row *r, bool scored)
{
	return put_own(r, "cell.scored", scored);
}

/* How handoffs split is asked of programs as they were built. Of mutants and twins, of which there
 * are ten times as many, it would be half of the file. */
static bool is_left_out(const struct cell *c, const char *scope)
{
	bool plain = (!strcmp(c->variant, "base") || !strncmp(c->variant, "base.", 5)) &&
		     (!strcmp(c->binding, "stamped") || !strcmp(c->binding, "-")) &&
		     !strcmp(c->regime, "clean");

	return !plain && (!strncmp(scope, "type:", 5) || !strncmp(scope, "mark:", 5) ||
			  !strncmp(scope, "source:", 7));
}

/* What an overhead cell says of the run that it scored. */
static bool is_beside_cost(const struct score_figure *f)
{
	static const char *const said[][2] = {{"handoff.context.f1", "declared"},
					      {"handoff.context.f1", "all"},
					      {"handoff.context.false_join_rate", "declared"},
					      {"coverage", "all"},
					      {"event.precision", "all"},
					      {"event.recall", "all"}};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (!strcmp(f->metric, said[i][0]) && !strcmp(f->scope, said[i][1]))
			return true;
	return !strcmp(f->metric, "profile.tv_distance");
}

static int each_figure(const struct score_figure *f, void *arg)
{
	struct row *r = arg;

	if (is_left_out(r->c, f->scope))
		return 0;
	if (r->c->kind == KIND_OVERHEAD) /* accuracy beside cost, which others are summed up for */
		return is_beside_cost(f) ? r->err = put_row(r, f) : 0;
	r->err = put_row(r, f);
	if (!r->err && summary_add(r->s->summary, r->c, r->state, f))
		r->err = diag_set(r->s->d, -ENOMEM, NULL, 0, NULL, "out of memory");
	return r->err;
}

/* Claims of a cell that has none: what the profiler declares, and nothing. */
static int write_empty(struct scoring *s, const struct cell *c)
{
	struct claims_header h = {.declares = DECLARES_HANDOFFS};
	struct claims_writer *w;
	const struct profiler *p;

	snprintf(h.profiler, sizeof(h.profiler), "%.63s", c->profiler);
	snprintf(h.version, sizeof(h.version), "none");
	if (c->kind != KIND_TRUTH && !programs_profiler(s->programs, c->profiler, &p, NULL) &&
	    !p->trouble.err)
		h.declares = p->declares;
	w = claims_writer_open(s->empty, CLAIMS_JSON, &h, s->d);
	return w ? claims_writer_close(w, s->d) : s->d->err;
}

static int score_cell(struct row *r, const char *truth, const char *claims)
{
	const struct cell *c = r->c;
	char manifest[PATH_LEN];
	struct score_options o = {.start = strcmp(c->binding, "best-effort") ? HEALTH_VALIDATED
									     : HEALTH_SUSPECT};
	struct score *score;
	int rc = path_format(manifest, r->s->d, "%s/cells/%s/manifest.yaml", r->s->run, source(c));

	if (rc)
		return rc;
	/* which descriptors share an invariant; workloads without resources have none */
	if (!access(manifest, R_OK))
		o.manifest = manifest;
	score = score_files(truth, claims, &o, r->s->d);
	if (!score)
		return r->s->d->err;
	if (score_status(score) != SCORE_OK) {
		*r->s->d = *score_error(score);
		rc = -EINVAL;
	} else {
		rc = put_scored(r, true);
		if (!rc)
			rc = score_each_figure(score, each_figure, r);
		rc = r->err ? r->err : rc;
	}
	score_free(score);
	return rc;
}

/* What it saw and what it cost, of the same runs. */
static int put_overhead(struct row *r, const char *truth, const char *claims)
{
	char path[PATH_LEN];
	int rc = path_format(path, r->s->d, "%s/cells/%s/" OVERHEAD_FILE, r->s->run, r->c->name);

	if (!rc)
		rc = score_cell(r, truth, claims);
	return rc ? rc : overhead_file_read(path, put_cost, r, r->s->d);
}

static bool has_claims(const struct cell *c)
{
	return c->kind == KIND_JOIN || c->kind == KIND_LIVE || c->kind == KIND_TRUTH ||
	       c->kind == KIND_OVERHEAD;
}

/* Lines more where somebody broke runs or dated doubts back; a number that is 0 everywhere tells
 * nobody anything. */
static int put_notes(struct row *r, const struct cell_status *s)
{
	int rc = s->broken_tries ? put_own(r, "cell.broken_tries", s->broken_tries) : 0;

	if (!rc && s->redated)
		rc = put_own(r, "cell.redated", 1);
	return rc || !s->undated ? rc : put_own(r, "cell.undated", 1);
}

static int put_cell(struct scoring *s, const struct cell *c, const struct cell_status *status)
{
	struct row r = {.s = s, .c = c, .state = status->state};
	char truth[PATH_LEN], claims[PATH_LEN];
	int rc = path_format(truth, s->d, "%s/cells/%s/truth.bin", s->run, cell_truth(c));

	if (!rc)
		rc = path_format(claims, s->d, "%s/cells/%s/claims.bin", s->run, c->name);
	if (rc || !has_claims(c))
		return rc ? rc : put_scored(&r, false);
	rc = put_notes(&r, status);
	if (rc)
		return rc;
	if (access(truth, R_OK))
		return status->state == CELL_OK
			       ? diag_set(s->d, -ENOENT, truth, 0, "make the cell again",
					  "the cell is ok and its truth is not there")
			       : put_scored(&r, false);
	if (status->state == CELL_OK && c->kind == KIND_OVERHEAD)
		return put_overhead(&r, truth, claims);
	if (status->state == CELL_OK)
		return score_cell(&r, truth, claims);
	if (status->state == CELL_UNSUPPORTED || status->state == CELL_BROKEN)
		return put_scored(&r, false);
	/* Contracts §5.8: a crashed, timed-out or invalid cell counts as nothing claimed. */
	rc = write_empty(s, c);
	return rc ? rc : score_cell(&r, truth, s->empty);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct cell *const *)a)->name,
		      (*(const struct cell *const *)b)->name);
}

static int put_all(struct scoring *s, void (*step)(void *, size_t, size_t), void *arg)
{
	const struct cell **order = calloc(s->plan->cnt, sizeof(*order));
	size_t cnt = s->plan->cnt;
	int rc = 0;

	if (!order)
		return diag_set(s->d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (size_t i = 0; i < cnt; i++)
		order[i] = &s->plan->v[i];
	qsort(order, cnt, sizeof(*order), by_name);
	for (size_t i = 0; !rc && i < cnt; i++) {
		struct cell_status status;

		rc = status_read(s->run, order[i]->name, &status, s->d);
		if (!rc)
			rc = put_cell(s, order[i], &status);
		if (step)
			step(arg, i + 1, cnt);
	}
	free(order);
	return rc;
}

/* Behind the cells: what they say together. */
static int put_summary(struct scoring *s)
{
	struct run_quads quads;
	int rc = run_quads_load(s->run, &quads, s->d);

	if (rc)
		return rc;
	rc = summary_write(s->summary, &quads, provenance_run_name(s->run), s->out, s->d);
	run_quads_free(&quads);
	return rc;
}

static int check_ended(const char *run, const struct plan *p, struct diag *d)
{
	struct tally t;
	int rc = tally_run(run, p, &t, d);

	if (rc || !t.open)
		return rc;
	return diag_set(d, -EINVAL, run, 0, "assay run --resume makes them",
			"%zu of %zu planned cells have not ended", t.open, t.planned);
}

int score_run(const char *run, const struct plan *p, struct programs *programs,
	      void (*step)(void *, size_t, size_t), void *arg, struct diag *d)
{
	struct scoring s = {.run = run, .plan = p, .programs = programs, .d = d};
	char path[PATH_LEN], work[PATH_LEN];
	int rc = check_ended(run, p, d);

	if (!rc)
		rc = path_format(path, d, "%s/scores.csv", run);
	if (!rc)
		rc = work_folder_new(run, work, d);
	if (rc)
		return rc;
	rc = path_format(s.empty, d, "%s/empty", work);
	if (!rc)
		rc = scores_csv_create(path, &s.out, d);
	s.summary = summary_new();
	if (!rc && !s.summary)
		rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	if (!rc)
		rc = put_all(&s, step, arg);
	if (!rc)
		rc = put_summary(&s);
	summary_free(s.summary);
	if (rc)
		scores_csv_abort(s.out);
	else
		rc = scores_csv_close(s.out, d);
	folder_remove(work, NULL);
	work_folder_prune(run);
	return rc ? rc : scores_to_sqlite(run, p, d);
}
