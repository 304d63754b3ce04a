/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a plan takes: a formula, and what the last run says of it. */
#include "harness/estimate.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/files.h"
#include "lib/formats/json.h"

/* One program of a cell that runs something, from nothing, with its share of earlier builds. */
static const double PROGRAM_SECONDS = 1.4; /* of one processor */

/* Shorter parts are decided by what is no part of the formula. */
static const double TELLS_SECONDS = 5;

/* A correction beyond this is of another machine, or of one that had other work. */
static const double CORRECTION_MOST = 8;

struct run_seconds estimate_plan(const struct plan *p, unsigned processors)
{
	struct run_seconds e = {0};

	for (size_t i = 0; i < p->cnt; i++) {
		const struct cell *c = &p->v[i];
		double seconds = cell_estimate(c);

		switch (c->kind) {
		case KIND_RECORD:
		case KIND_LIVE:
			e.programs += PROGRAM_SECONDS / processors;
			e.runs += seconds;
			break;
		case KIND_OVERHEAD:
			e.runs += seconds;
			break;
		default:
			e.joins += seconds / processors;
			break;
		}
	}
	return e;
}

static double correction(double estimated, double took)
{
	double by = took / (estimated > 0 ? estimated : 1);

	if (estimated < TELLS_SECONDS || took <= 0)
		return 1;
	return by > CORRECTION_MOST	  ? CORRECTION_MOST
	       : by < 1 / CORRECTION_MOST ? 1 / CORRECTION_MOST
					  : by;
}

struct run_seconds estimate_correction(const struct run_seconds *estimated,
				       const struct run_seconds *took)
{
	return (struct run_seconds){.runs = correction(estimated->runs, took->runs),
				    .joins = correction(estimated->joins, took->joins)};
}

/* ---- the last run ---- */

enum { RUN_BYTES_MAX = 16 << 20 };

static bool number(const struct json_value *o, const char *name, double *ret)
{
	struct json_value v;

	return json_get(o, name, &v) && !json_f64(&v, ret);
}

/* What running and joining took; false where it is not finished. */
static bool parse_took(const char *text, size_t len, struct run_seconds *ret)
{
	struct json_parser *parser = json_parser_new();
	struct json_value o, finished, seconds;
	const char *why;
	bool ok = parser && !json_parse(parser, text, len, &o, &why) && o.kind == JSON_OBJECT &&
		  json_get(&o, "finished", &finished) && finished.kind == JSON_STRING &&
		  !json_str_is(&finished, "") && json_get(&o, "seconds", &seconds) &&
		  seconds.kind == JSON_OBJECT && number(&seconds, "runs", &ret->runs) &&
		  number(&seconds, "joins", &ret->joins);

	json_parser_free(parser);
	return ok;
}

static bool read_took(const char *run, struct run_seconds *ret)
{
	char path[PATH_LEN], *text;
	size_t len;
	bool ok;

	if (path_format(path, NULL, "%s/run.json", run) ||
	    file_read(path, RUN_BYTES_MAX, &text, &len, NULL))
		return false;
	ok = parse_took(text, len, ret);
	free(text);
	return ok;
}

static bool read_last(const char *run, unsigned processors, struct run_seconds *ret)
{
	struct run_seconds took = {0}, estimated;
	char path[PATH_LEN];
	struct plan p;

	if (!read_took(run, &took) || path_format(path, NULL, "%s/plan.tsv", run) ||
	    plan_load(path, &p, NULL))
		return false;
	estimated = estimate_plan(&p, processors);
	plan_free(&p);
	*ret = estimate_correction(&estimated, &took);
	return estimated.runs >= TELLS_SECONDS && took.runs > 0;
}

struct run_seconds estimate_last(const struct plan *p, unsigned processors, const char *results,
				 char ret_run[PATH_LEN])
{
	struct run_seconds e = estimate_plan(p, processors), by;
	char latest[PATH_LEN];

	ret_run[0] = '\0';
	if (path_format(latest, NULL, "%s/latest", results) || run_find(latest, ret_run, NULL) ||
	    !read_last(ret_run, processors, &by)) {
		ret_run[0] = '\0';
		return e;
	}
	e.runs *= by.runs;
	e.joins *= by.joins;
	return e;
}
