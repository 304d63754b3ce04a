/* SPDX-License-Identifier: BSD-2-Clause */
/* The corpus joined again, without one kind of test at a time. */
#include "profilers/causal/train/ablate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "profilers/adapter/joiner.h"
#include "profilers/causal/train/table.h"
#include "profilers/causal/trace.h"

enum { WHOLE = TEST_CNT, ROWS = TEST_CNT + 1 };

struct row {
	uint64_t runs, valid, alarms;
	bool *missed; /* one a run: a resource with an invalid descriptor was not found out */
};

/* One join of one run. */
struct judging {
	const struct corpus_join *with;
	uint8_t *state;	      /* in force, one a descriptor */
	bool *fell, *alarmed; /* one a resource */
	uint32_t tests;	      /* bits: made in this run */
	int64_t words;
};

/* ---- claims ---- */

static uint8_t severity(uint8_t state)
{
	return state == HEALTH_REFUSED ? HEALTH_STALE : state;
}

static bool invalid_resource(const struct corpus_join *with, uint32_t resource)
{
	for (uint32_t i = 0; i < with->m.descriptors_cnt; i++)
		if (with->m.descriptors[i].resource == resource &&
		    corpus_is_invalid(with->run, with->m.descriptors[i].id))
			return true;
	return false;
}

static int put(void *arg, const struct claim *c)
{
	struct judging *j = arg;
	const struct corpus_run *r = j->with->run;
	const struct manifest_descriptor *x;
	size_t i;

	if (c->kind != CLAIM_HEALTH)
		return 0;
	x = manifest_descriptor_by_id(&j->with->m, c->health.desc);
	i = (size_t)(x - j->with->m.descriptors);
	if (severity(c->type) <= severity(j->state[i]))
		return 0;
	j->state[i] = c->type;
	if (c->health.t <= r->from || c->health.t > r->to)
		return 0;
	if (invalid_resource(j->with, x->resource) && c->health.t >= r->since)
		j->fell[x->resource] |= c->health.why_str != 0;
	else
		j->alarmed[x->resource] = true;
	return 0;
}

static int64_t str(void *arg, const char *word)
{
	(void)word;
	return ++((struct judging *)arg)->words;
}

static void on_checks(void *arg, const struct rule *r, enum test test, const struct suspicion *s,
		      double loss)
{
	struct judging *j = arg;

	(void)r, (void)loss;
	if (s->runs)
		j->tests |= 1u << test;
}

static void no_belief(void *arg, uint32_t id, enum belief belief, uint64_t t)
{
	(void)arg, (void)id, (void)belief, (void)t;
}

/* ---- one run ---- */

static void count(const struct judging *j, size_t run, struct row *row)
{
	for (uint32_t i = 0; i < j->with->m.resources_cnt; i++) {
		if (!invalid_resource(j->with, i)) {
			row->valid++;
			row->alarms += j->alarmed[i];
		} else if (!j->fell[i]) {
			row->missed[run] = true;
		}
	}
}

static int judge(const struct corpus_join *with, const struct thresholds *t, size_t run,
		 struct row *row, uint32_t *ret_tests, struct diag *d)
{
	size_t descs = with->m.descriptors_cnt + 1, resources = with->m.resources_cnt + 1;
	struct judging j = {.with = with,
			    .state = calloc(descs, sizeof(*j.state)),
			    .fell = calloc(resources, sizeof(*j.fell)),
			    .alarmed = calloc(resources, sizeof(*j.alarmed))};
	struct causal_trace trace = {&j, on_checks, no_belief};
	struct causal_tuning tuning = {t, &trace};
	struct outlet out = {.put = put, .str = str, .arg = &j};
	int rc = j.state && j.fell && j.alarmed
			 ? corpus_join(with, &tuning, &out, d)
			 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc)
		count(&j, run, row);
	*ret_tests = j.tests;
	free(j.state);
	free(j.fell);
	free(j.alarmed);
	return rc;
}

/* Once with all tests; without those that it never makes nothing would be another. */
static int judge_run(const struct corpus *c, size_t run, const char *folder, struct row rows[ROWS],
		     struct diag *d)
{
	struct corpus_join with;
	struct thresholds t;
	struct row whole = rows[WHOLE];
	char path[CORPUS_PATH];
	uint32_t made, tests;
	int rc;

	snprintf(path, sizeof(path), "%s/%s.def", folder, c->runs[run].class);
	rc = table_load(path, &t, d);
	if (!rc)
		rc = corpus_join_open(&c->runs[run], &with, d);
	if (rc)
		return rc;
	rc = judge(&with, &t, run, &rows[WHOLE], &made, d);
	for (unsigned i = 0; !rc && i < TEST_CNT; i++) {
		t.off = 1u << i;
		rows[i].runs += (made & t.off) != 0;
		if (made & t.off) {
			rc = judge(&with, &t, run, &rows[i], &tests, d);
			continue;
		}
		rows[i].missed[run] = rows[WHOLE].missed[run];
		rows[i].valid += rows[WHOLE].valid - whole.valid;
		rows[i].alarms += rows[WHOLE].alarms - whole.alarms;
	}
	corpus_join_close(&with);
	return rc;
}

/* ---- mutations ---- */

static bool is_stale(const struct corpus_run *r)
{
	return r->invalid_cnt > 0;
}

/* The first run of a mutation with something invalid speaks for all of them. */
static bool is_first(const struct corpus *c, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (is_stale(&c->runs[i]) && !strcmp(c->runs[i].id, c->runs[run].id))
			return false;
	return is_stale(&c->runs[run]);
}

static bool found(const struct corpus *c, const struct row *row, const char *id)
{
	for (size_t i = 0; i < c->runs_cnt; i++)
		if (is_stale(&c->runs[i]) && !strcmp(c->runs[i].id, id) && row->missed[i])
			return false;
	return true;
}

/* Mutations that a finds and b does not. */
static void put_names(const struct corpus *c, const struct row *a, const struct row *b, FILE *f)
{
	bool any = false;

	for (size_t i = 0; i < c->runs_cnt; i++) {
		const char *id = c->runs[i].id;

		if (!is_first(c, i) || !found(c, a, id) || found(c, b, id))
			continue;
		fprintf(f, "%s%s", any ? "," : "", id);
		any = true;
	}
	if (!any)
		fputc('-', f);
}

static void put_row(const struct corpus *c, const struct row rows[ROWS], unsigned i, FILE *f)
{
	size_t all[2] = {0}, seen[2] = {0};

	for (size_t k = 0; k < c->runs_cnt; k++)
		if (is_first(c, k)) {
			all[c->runs[k].frozen]++;
			seen[c->runs[k].frozen] += found(c, &rows[i], c->runs[k].id);
		}
	fprintf(f, "%s\t%llu\t%zu\t%zu\t%zu\t%zu\t%llu\t%llu\t", i == WHOLE ? "-" : test_name(i),
		(unsigned long long)(i == WHOLE ? c->runs_cnt : rows[i].runs), all[1], seen[1],
		all[0], seen[0], (unsigned long long)rows[i].valid,
		(unsigned long long)rows[i].alarms);
	put_names(c, &rows[WHOLE], &rows[i], f);
	fputc('\t', f);
	put_names(c, &rows[i], &rows[WHOLE], f);
	fputc('\n', f);
}

static int write_rows(const struct corpus *c, const char *folder, const struct row rows[ROWS],
		      struct diag *d)
{
	char path[CORPUS_PATH];
	struct file_out o;
	int rc;

	snprintf(path, sizeof(path), "%s/ablation.tsv", folder);
	rc = file_out_open(&o, path, d);
	if (rc)
		return rc;
	fputs(ABLATION_HEADER "\n", o.f);
	put_row(c, rows, WHOLE, o.f);
	for (unsigned i = 0; i < TEST_CNT; i++)
		put_row(c, rows, i, o.f);
	return file_out_commit(&o, d);
}

int ablate(const struct corpus *c, const char *folder, struct diag *d)
{
	struct row rows[ROWS] = {{0}};
	int rc = 0;

	for (unsigned i = 0; !rc && i < ROWS; i++) {
		rows[i].missed = calloc(c->runs_cnt + 1, sizeof(*rows[i].missed));
		if (!rows[i].missed)
			rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	}
	for (size_t i = 0; !rc && i < c->runs_cnt; i++)
		rc = judge_run(c, i, folder, rows, d);
	if (!rc)
		rc = write_rows(c, folder, rows, d);
	for (unsigned i = 0; i < ROWS; i++)
		free(rows[i].missed);
	return rc;
}
