/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands that make cells have in common: options, progress, and what they print. */
#include "harness/command.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/provenance.h"
#include "harness/run.h"
#include "harness/score_run.h"
#include "lib/files.h"
#include "lib/progress.h"

struct make_args make_args = {
	.results = "results",
	.patience_ns = TRIAL_PATIENCE_NS,
	.file_bytes = TRIAL_FILE_BYTES,
};

const char *const make_engines[] = {"local", "slurm", NULL};

int make_engine_check(struct diag *d)
{
	if (!make_args.engine)
		return 0;
	return diag_set(d, -ENOTSUP, NULL, 0,
			"--engine local, or --shard k/n in a job of your own a shard",
			"the engine %s is not in this version", make_engines[make_args.engine]);
}

struct trial_limits make_limits(void)
{
	return (struct trial_limits){.patience_ns = make_args.patience_ns,
				     .file_bytes = make_args.file_bytes};
}

/* As a reader would write it: without `..`. */
static int path_plain(char path[PATH_LEN], struct diag *d)
{
	char real[PATH_MAX];

	return realpath(path, real) ? path_format(path, d, "%s", real)
				    : file_error(d, -errno, path, "read");
}

/*
 * Where stored runs lie: as asked for, else beside the runs, beside an installed command, or in the
 * source tree above the build folder. The first that exists; else the first.
 */
int make_reference(const struct workshop *w, char ret[PATH_LEN], struct diag *d)
{
	static const char *const places[] = {"", "/../results", "/../../results"};
	int rc;

	if (make_args.reference)
		return path_format(ret, d, "%s", make_args.reference);
	rc = path_format(ret, d, "%s/reference", make_args.results);
	for (size_t i = 0; !rc && access(ret, R_OK) && i < sizeof(places) / sizeof(places[0]); i++)
		rc = path_format(ret, d, "%s%s/reference", w->programs.folder, places[i]);
	if (!rc && access(ret, R_OK))
		return path_format(ret, d, "%s/reference", make_args.results);
	return rc ? rc : path_plain(ret, d);
}

/* Progress counts estimated milliseconds, so that the time left is one. */
struct bar {
	struct progress p;
	uint64_t total_ms;
	bool on;
};

static void step(void *arg, const struct cell *c, size_t done, size_t of, double seconds)
{
	struct bar *b = arg;
	uint64_t left = (uint64_t)(seconds * 1000);

	if (!b->on) {
		b->total_ms = left;
		progress_start(&b->p, "cells", left);
		b->on = true;
	}
	b->on = c != NULL;
	if (c)
		progress_update(&b->p, left < b->total_ms ? b->total_ms - left : 0, c->name);
	else
		progress_end(&b->p);
}

static void shard_of(const struct plan *p, unsigned shard, unsigned shards, struct plan *ret)
{
	*ret = (struct plan){.v = calloc(p->cnt + 1, sizeof(*ret->v))};
	for (size_t i = 0; ret->v && i < p->cnt; i++)
		if (plan_shard(p, i, shards) == shard - 1)
			ret->v[ret->cnt++] = p->v[i];
}

static void print_failures(const char *run, const struct plan *p, FILE *out)
{
	for (size_t i = 0; i < p->cnt; i++) {
		struct cell_status s;
		char cure[PATH_LEN];

		if (status_read(run, p->v[i].name, &s, NULL) || s.state == CELL_OK ||
		    s.state == CELL_UNSUPPORTED)
			continue;
		fprintf(out, "%s %s\n    %s\n", cell_state_name(s.state), p->v[i].name, s.reason);
		if (s.cure[0])
			fprintf(out, "    try: %s\n", status_cure(run, p->v[i].name, &s, cure));
	}
}

void print_left_out(struct workshop *w, const char *run, const struct plan *p, FILE *out)
{
	struct skips s;

	if (skips_collect(run, p, &w->machine, &s, NULL))
		return;
	for (size_t i = 0; i < s.cnt; i++) {
		const struct skip *v = &s.v[i];

		fprintf(out, "left out: %s (%u cell%s): %s\n", v->what, v->cells,
			v->cells == 1 ? "" : "s", v->why);
		if (v->cure[0])
			fprintf(out, "    try: %s\n", v->cure);
	}
	free(s.v);
	print_failures(run, p, out);
}

int make_run(struct workshop *w, const char *run, const struct plan *p, const char *suite,
	     unsigned shard, unsigned shards, bool resume, bool *ret_ended)
{
	char reference[PATH_LEN];
	struct diag d = {0};
	struct bar bar = {.on = false};
	struct run_seconds seconds = {0};
	struct run_options o = {.reference = reference,
				.limits = make_limits(),
				.shard = shard,
				.shards = shards,
				.resume = resume,
				.suite = suite,
				.goes_on = suite != NULL,
				.step = step,
				.arg = &bar,
				.seconds = &seconds};
	struct plan part;
	struct tally t;
	int rc = make_reference(w, reference, &d);

	*ret_ended = false;

	if (!rc)
		rc = run_make(run, p, &w->programs, &w->machine, &o, &d);
	if (rc && rc != -EINTR) {
		int code = command_error(&d);

		return rc == -EEXIST ? EXIT_USAGE : code; /* cells that have ended already */
	}
	if (rc) {
		snprintf(d.cure, sizeof(d.cure), "assay run --resume %.200s", run);
		diag_print(&d, stderr);
	}
	shard_of(p, shard, shards, &part);
	rc = tally_run(run, &part, &t, &d);
	plan_free(&part);
	if (rc)
		return command_error(&d);
	tally_print(&t, stdout);
	printf("\n%.0f s waiting for programs, %.0f running, %.0f joining\n", seconds.programs,
	       seconds.runs, seconds.joins);
	*ret_ended = !t.open;
	return tally_exit_code(&t);
}

static void score_step(void *arg, size_t done, size_t of)
{
	struct bar *b = arg;

	if (!b->on) {
		progress_start(&b->p, "scores", of);
		b->on = true;
	}
	progress_update(&b->p, done, NULL);
	if (done == of)
		progress_end(&b->p);
}

int make_scores(struct workshop *w, const char *run, const struct plan *p, struct diag *d)
{
	struct bar bar = {.on = false};

	return score_run(run, p, &w->programs, score_step, &bar, d);
}
