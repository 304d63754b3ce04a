/* SPDX-License-Identifier: BSD-2-Clause */
/* From cells to scores.csv. */
#include "harness/score_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/folder.h"
#include "harness/overhead_file.h"
#include "harness/provenance.h"
#include "harness/score_ahead.h"
#include "harness/summary.h"
#include "lib/formats/claims.h"
#include "results/scores_csv.h"
#include "scoring/handoff_mem.h"
#include "scoring/score.h"

struct scoring {
	const char *run;
	const struct plan *plan;
	struct programs *programs;
	struct scores_csv *out;
	struct summary *summary;
	const struct cell **order;
	struct score_ahead *ahead;
	bool beside;	      /* one is scored beside others */
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

/* Noughts alone would look like a profiler that said nothing. */
static int put_unjudged(struct row *r, const struct score *s)
{
	uint64_t n = score_unjudged(s);

	return n ? put_own(r, "cell.unjudged", (double)n) : 0;
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
static int write_empty(struct scoring *s, const struct cell *c, const struct cell_status *status)
{
	struct claims_header h = {.declares = DECLARES_HANDOFFS};
	struct claims_writer *w;
	const struct profiler *p;

	snprintf(h.profiler, sizeof(h.profiler), "%.63s", c->profiler);
	snprintf(h.version, sizeof(h.version), "none");
	if (status->has_declares)
		h.declares = status->declares;
	else if (c->kind != KIND_TRUTH && !programs_profiler(s->programs, c->profiler, &p, NULL) &&
		 !p->trouble.err)
		h.declares = p->declares;
	w = claims_writer_open(s->empty, CLAIMS_JSON, &h, s->d);
	return w ? claims_writer_close(w, s->d) : s->d->err;
}

/* Those that are scored at once share processors and memory, of which one alone has all. */
static struct score *score_claims(const struct scoring *s, const struct cell *c,
				  const struct cell_status *status, const char *truth,
				  const char *claims, struct diag *d)
{
	char manifest[PATH_LEN];
	struct score_options o = {.start = strcmp(c->binding, "best-effort") ? HEALTH_VALIDATED
									     : HEALTH_SUSPECT};

	if (path_format(manifest, d, "%s/cells/%s/manifest.yaml", s->run, source(c)))
		return NULL;
	if (s->beside) {
		o.threads = 1;
		o.memory = ((uint64_t)MEM_DEFAULT_MIB << 20) / SCORES_AT_ONCE;
	}
	/* which descriptors share an invariant; workloads without resources have none */
	if (!access(manifest, R_OK))
		o.manifest = manifest;
	if (status->has_declares)
		o.declares = &status->declares;
	return score_files(truth, claims, &o, d);
}

/* Writes and frees it. */
static int put_score(struct row *r, struct score *score)
{
	int rc;

	if (!score)
		return r->s->d->err;
	if (score_status(score) != SCORE_OK) {
		*r->s->d = *score_error(score);
		rc = -EINVAL;
	} else {
		rc = put_scored(r, true);
		if (!rc)
			rc = put_unjudged(r, score);
		if (!rc)
			rc = score_each_figure(score, each_figure, r);
		rc = r->err ? r->err : rc;
	}
	score_free(score);
	return rc;
}

/* What it saw and what it cost, of the same runs. */
static int put_overhead(struct row *r, struct score *score)
{
	char path[PATH_LEN];
	int rc = path_format(path, r->s->d, "%s/cells/%s/" OVERHEAD_FILE, r->s->run, r->c->name);

	if (!rc)
		rc = put_score(r, score);
	else
		score_free(score);
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

/* The files that a cell is scored from; false: it has none. */
static bool find_files(const char *run, const struct cell *c, char truth[PATH_LEN],
		       char claims[PATH_LEN], struct diag *d)
{
	return has_claims(c) &&
	       !path_format(truth, d, "%s/cells/%s/truth.bin", run, cell_truth(c)) &&
	       !path_format(claims, d, "%s/cells/%s/claims.bin", run, c->name) &&
	       !access(truth, R_OK);
}

/* Of the cells that ended well; the others have nothing that takes time. */
static struct score *make_score(void *arg, size_t i, struct diag *d)
{
	const struct scoring *s = arg;
	const struct cell *c = s->order[i];
	char truth[PATH_LEN], claims[PATH_LEN];
	struct cell_status status;

	if (status_read(s->run, c->name, &status, d) || status.state != CELL_OK ||
	    !find_files(s->run, c, truth, claims, d))
		return NULL;
	return score_claims(s, c, &status, truth, claims, d);
}

/* Contracts §5.8: a crashed, timed-out or invalid cell counts as nothing claimed. */
static int put_nothing_claimed(struct row *r, const struct cell_status *status, const char *truth)
{
	struct scoring *s = r->s;
	int rc = write_empty(s, r->c, status);

	return rc ? rc : put_score(r, score_claims(s, r->c, status, truth, s->empty, s->d));
}

static int put_bad_cell(struct row *r, const struct cell_status *status)
{
	char truth[PATH_LEN], claims[PATH_LEN];
	bool there = find_files(r->s->run, r->c, truth, claims, r->s->d);

	if (r->state == CELL_OK)
		return diag_set(r->s->d, -ENOENT, truth, 0, "make the cell again",
				"the cell is ok and its truth is not there");
	if (!there || r->state == CELL_UNSUPPORTED || r->state == CELL_BROKEN)
		return put_scored(r, false);
	return put_nothing_claimed(r, status, truth);
}

/* score: of a cell that ended well; freed. */
static int put_cell(struct scoring *s, const struct cell *c, const struct cell_status *status,
		    struct score *score)
{
	struct row r = {.s = s, .c = c, .state = status->state};
	int rc = has_claims(c) ? put_notes(&r, status) : 0;

	if (rc) {
		score_free(score);
		return rc;
	}
	if (!has_claims(c))
		return put_scored(&r, false);
	if (!score)
		return put_bad_cell(&r, status);
	return c->kind == KIND_OVERHEAD ? put_overhead(&r, score) : put_score(&r, score);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct cell *const *)a)->name,
		      (*(const struct cell *const *)b)->name);
}

static int put_in_order(struct scoring *s, void (*step)(void *, size_t, size_t), void *arg)
{
	size_t cnt = s->plan->cnt;
	int rc = 0;

	for (size_t i = 0; !rc && i < cnt; i++) {
		struct cell_status status;
		struct diag why = {0};
		struct score *score = score_ahead_take(s->ahead, i, &why);

		rc = status_read(s->run, s->order[i]->name, &status, s->d);
		if (!rc && !score && why.err) {
			*s->d = why;
			rc = why.err;
		}
		if (rc)
			score_free(score);
		else
			rc = put_cell(s, s->order[i], &status, score);
		if (step)
			step(arg, i + 1, cnt);
	}
	return rc;
}

static int put_all(struct scoring *s, void (*step)(void *, size_t, size_t), void *arg)
{
	size_t cnt = s->plan->cnt, scores = 0;
	int rc;

	s->order = calloc(cnt, sizeof(*s->order));
	if (!s->order)
		return diag_set(s->d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (size_t i = 0; i < cnt; i++) {
		s->order[i] = &s->plan->v[i];
		scores += has_claims(s->order[i]);
	}
	s->beside = scores > 1;
	qsort(s->order, cnt, sizeof(*s->order), by_name);
	s->ahead = score_ahead_new(cnt, make_score, s);
	rc = s->ahead ? put_in_order(s, step, arg)
		      : diag_set(s->d, -ENOMEM, NULL, 0, NULL, "out of memory");
	score_ahead_free(s->ahead);
	free(s->order);
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
