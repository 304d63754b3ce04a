/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A synthetic run folder for the tests of results/: two workloads and one with a hostile name, all
 * ranks, all six states, figures that obey their own arithmetic. Each test makes and removes its
 * own folder.
 */
#ifndef ASSAY_TESTS_TEST_RESULTS_FIXTURE_H
#define ASSAY_TESTS_TEST_RESULTS_FIXTURE_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/scores_csv.h"

#define HOSTILE "evil<&\"',name>"

struct fixture {
	char dir[64];
	unsigned seeds;
	FILE *plan;
	struct scores_csv *csv;
	unsigned planned;
};

struct fixture_cell {
	const char *kind, *workload, *profiler, *division, *state;
	/* shares of truth: right, false join, spurious, orphan */
	double right, joins, spurious, orphan;
};

static const struct fixture_cell fixture_cells[] = {
	{"record", "uring", "collector", "none", "ok", 0, 0, 0, 0},
	{"truth", "uring", "oracle", "none", "ok", 1, 0, 0, 0},
	{"truth", "uring", "liar", "none", "ok", 0, 0, 1, 0},
	{"join", "uring", "causal", "attach", "ok", .994, .0004, 0, .005},
	{"join", "uring", "uring-only", "attach", "ok", .61, .01, 0, .1},
	{"join", "uring", "nearest", "none", "ok", .31, .55, .02, 0},
	{"join", "uring", "fifo", "none", "ok", .42, .5, .02, 0},
	{"join", "uring", "null", "none", "ok", 0, 0, 0, 0},
	{"join", "uring", "random", "none", "ok", .01, .7, .2, 0},
	{"live", "uring", "causal", "attach", "ok", .991, .0005, 0, .006},
	{"record", "wake", "collector", "none", "ok", 0, 0, 0, 0},
	{"truth", "wake", "oracle", "none", "ok", 1, 0, 0, 0},
	{"truth", "wake", "liar", "none", "ok", 0, 0, 1, 0},
	{"join", "wake", "causal", "attach", "ok", .9971, 0, 0, .002},
	{"join", "wake", "nearest", "none", "timeout", 0, 0, 0, 0},
	{"join", "wake", "fifo", "none", "ok", .22, .6, .1, 0},
	{"join", "wake", "null", "none", "ok", 0, 0, 0, 0},
	{"live", "wake", "causal", "attach", "crashed", 0, 0, 0, 0},
	{"live", "wake", "bpftrace", "source", "unsupported", 0, 0, 0, 0},
	{"join", HOSTILE, "/opt/" HOSTILE "/" HOSTILE, "binary", "ok", .7, .1, .1, .05},
	{"join", HOSTILE, "sloppy-profiler-with-a-long-name", "rebuild", "invalid", 0, 0, 0, 0},
	{"join", HOSTILE, "broken-truth", "attach", "broken", 0, 0, 0, 0},
};

enum { FIXTURE_CELL_CNT = sizeof(fixture_cells) / sizeof(fixture_cells[0]) };

static inline FILE *fixture_open(const struct fixture *f, const char *name)
{
	char *path;
	FILE *out;

	cr_assert_gt(asprintf(&path, "%s/%s", f->dir, name), 0);
	out = fopen(path, "w");
	cr_assert(out, "cannot write %s", path);
	free(path);
	return out;
}

static inline void fixture_text(const struct fixture *f, const char *name, const char *text)
{
	FILE *out = fixture_open(f, name);

	fputs(text, out);
	cr_assert_eq(fclose(out), 0);
}

static inline char *fixture_read(const struct fixture *f, const char *name)
{
	char path[512], *text = NULL;
	size_t cap = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	in = fopen(path, "r");
	cr_assert(in, "cannot read %s", path);
	cr_assert_gt(getdelim(&text, &cap, '\0', in), 0);
	fclose(in);
	return text;
}

static inline bool fixture_has(const struct fixture *f, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return !access(path, F_OK);
}

static inline void fixture_put(struct fixture *f, const struct fixture_cell *c, const char *cell,
			       unsigned seed, const char *metric, const char *scope, double num,
			       double den, bool ratio)
{
	struct diag d;
	struct figure_row row = {
		.run = "r-1",
		.cell = cell,
		.workload = c->workload,
		.variant = "base",
		.profiler = c->profiler,
		.division = c->division,
		.regime = "clean",
		.binding = "-",
		.seed = seed,
		.metric = metric,
		.scope = scope,
		.has_value = !ratio || den > 0,
		.value = ratio ? (den > 0 ? num / den : 0) : num,
		.n = (uint64_t)den,
		.status = c->state,
	};

	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
}

static inline void fixture_level(struct fixture *f, const struct fixture_cell *c, const char *cell,
				 unsigned seed, const char *level, const char *scope, double truth)
{
	double right =
		(double)(long)(truth * c->right * (c->right < 1 ? 1 - 0.001 * (seed - 1) : 1));
	double joins = (double)(long)(truth * c->joins);
	double spurious = (double)(long)(truth * c->spurious);
	double orphan = (double)(long)(truth * c->orphan);
	double joined = right + joins + spurious, claims = joined + orphan;
	const struct {
		const char *name;
		double num, den;
		bool ratio;
	} figures[] = {
		{"truth", truth, truth, false},
		{"claims", claims, claims, false},
		{"two_ended", joined, joined, false},
		{"right", right, truth, false},
		{"duplicate", 0, truth, false},
		{"false_join", joins, truth, false},
		{"half", 0, truth, false},
		{"spurious", spurious, truth, false},
		{"orphan", orphan, truth, false},
		{"out_of_scope", 0, truth, false},
		{"decoy_hits", 0, truth, false},
		{"by_ready", (double)(long)(right * .7), truth, false},
		{"precision", right, joined, true},
		{"recall", right, truth, true},
		{"visible", truth, truth, false},
		{"visible_recall", right, truth, true},
		{"f1", 2 * right, claims - orphan + truth, true},
		{"false_join_rate", joins, joined, true},
		{"orphan_rate", orphan, truth, true},
		{"credited", right, truth, false},
		{"orphan_only", orphan, truth, false},
	};
	char metric[96];

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		snprintf(metric, sizeof(metric), "handoff.%s.%s", level, figures[i].name);
		fixture_put(f, c, cell, seed, metric, scope, figures[i].num, figures[i].den,
			    figures[i].ratio);
	}
}

static inline void fixture_figures(struct fixture *f, const struct fixture_cell *c,
				   const char *cell, unsigned seed)
{
	static const char *const levels[] = {"context", "identity"};
	static const struct {
		const char *scope;
		double truth;
	} scopes[] = {{"all", 20000},	       {"declared", 20000},	 {"type:io", 14000},
		      {"type:wake", 6000},     {"mark:punted", 900},	 {"mark:message", 400},
		      {"mark:multishot", 750}, {"source:kernel", 15000}, {"source:inferred", 120}};

	for (size_t l = 0; l < 2; l++)
		for (size_t s = 0; s < sizeof(scopes) / sizeof(scopes[0]); s++)
			fixture_level(f, c, cell, seed, levels[l], scopes[s].scope,
				      scopes[s].truth);
	fixture_put(f, c, cell, seed, "coverage", "all", 0.9125, 1, true);
	fixture_put(f, c, cell, seed, "handoff.cheating", "all", 0, 1, false);
	fixture_put(f, c, cell, seed, "calibration.context.n", "all", 18000, 18000, false);
	fixture_put(f, c, cell, seed, "calibration.context.brier", "all", .0123 * seed, 1, true);
	fixture_put(f, c, cell, seed, "calibration.context.skill", "all", -.5, 1, true);
	fixture_put(f, c, cell, seed, "loss.missing", "all", 12, 12, false);
	fixture_put(f, c, cell, seed, "event.truth", "all", 0, 0, false);
	fixture_put(f, c, cell, seed, "event.recall", "all", 0, 0, true);
	fixture_put(f, c, cell, seed, "cost.error", "kind:cpu", 1.75, 1, true);
	fixture_put(f, c, cell, seed, "cost.true", "kind:cpu", 123456789, 1, true);
	fixture_put(f, c, cell, seed, "new.chapter", "all", 12, 20000, false);
	fixture_put(f, c, cell, seed, "strange, \"new\"\nfigure", "descriptor:<1>", 0.25, 1, true);
}

/* The words of the line that begins so, one space between. */
static inline void fixture_line(const char *text, const char *begin, const char *words)
{
	const char *at = strstr(text, begin);
	char line[160] = "";
	size_t len = 0;

	cr_assert(at, "no line \"%s\":\n%s", begin, text);
	for (at += strlen(begin); *at && *at != '\n' && len + 1 < sizeof(line); at++)
		if (*at != ' ' || (len && line[len - 1] != ' '))
			line[len++] = *at;
	cr_expect_str_eq(line, words, "\n%s", text);
}

/* The folder of a planned cell, and how it ended. */
static inline void fixture_status(struct fixture *f, const char *cell, const char *state)
{
	bool ok = !strcmp(state, "ok");
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/cells/%s", f->dir, cell);
	cr_assert_eq(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "cells/%s/status.json", cell);
	out = fixture_open(f, path);
	fprintf(out,
		"{\"cell\":\"%s\",\"state\":\"%s\",\"reason\":\"%s\",\"cure\":\"%s\","
		"\"seconds\":1.25,\"log\":\"log\"}\n",
		cell, state, ok ? "" : "it said <script>alert('no')</script> & died",
		ok ? "" : "apt-get install \\\"something\\\"");
	fclose(out);
	f->planned++;
}

static inline void fixture_add(struct fixture *f, size_t i, unsigned seed)
{
	const struct fixture_cell *c = &fixture_cells[i];
	bool ok = !strcmp(c->state, "ok");
	char cell[128];

	snprintf(cell, sizeof(cell), "c%02zu.%s.s%u", i, c->kind, seed);
	fprintf(f->plan, "%s\t%s\t%s\tbase\t%s\t%s\tclean\t-\t%u\t-\t-\n", cell, c->kind,
		c->workload, c->profiler, c->division, seed);
	fixture_status(f, cell, c->state);
	fixture_put(f, c, cell, seed, "cell.scored", "all", ok && strcmp(c->kind, "record"), 1,
		    false);
	if (ok && strcmp(c->kind, "record"))
		fixture_figures(f, c, cell, seed);
}

static inline void fixture_json(struct fixture *f)
{
	FILE *out = fixture_open(f, "run.json");

	fprintf(out,
		"{\"run\":\"r-1\",\"suite\":\"default\",\"started\":\"2026-11-29T10:00:00Z\","
		"\"finished\":\"2026-11-29T10:01:32Z\",\"seeds\":[1],\"host\":\"bench<1>\","
		"\"kernel\":\"6.18.5\",\"cpu\":\"AMD & friends\",\"cpus\":2,"
		"\"tools\":{\"gcc\":\"12.2.0\",\"gnuplot\":\"5.4\"},\"build_ids\":{},"
		"\"skipped\":[{\"what\":\"live cells of <x>\",\"why\":\"no BPF & no root\","
		"\"cure\":\"run as root\"}],\"planned\":%u,\"parameters\":{\"n\":"
		"18446744073709551}}\n",
		f->planned);
	fclose(out);
}

/* An empty run: cells are put into it until fixture_end. */
static inline void fixture_begin(struct fixture *f)
{
	char path[256];
	struct diag d;

	*f = (struct fixture){.dir = "/tmp/assay-results-XXXXXX"};
	cr_assert(mkdtemp(f->dir));
	snprintf(path, sizeof(path), "%s/cells", f->dir);
	cr_assert_eq(mkdir(path, 0777), 0);
	f->plan = fixture_open(f, "plan.tsv");
	fputs("cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\t"
	      "params\n",
	      f->plan);
	snprintf(path, sizeof(path), "%s/scores.csv", f->dir);
	cr_assert_eq(scores_csv_create(path, &f->csv, &d), 0, "%s", d.reason);
}

static inline void fixture_end(struct fixture *f)
{
	struct diag d;

	cr_assert_eq(scores_csv_close(f->csv, &d), 0, "%s", d.reason);
	fclose(f->plan);
	fixture_json(f);
}

/* A whole run with that many seeds. */
static inline void fixture_make(struct fixture *f, unsigned seeds)
{
	fixture_begin(f);
	for (unsigned seed = 1; seed <= seeds; seed++)
		for (size_t i = 0; i < FIXTURE_CELL_CNT; i++)
			fixture_add(f, i, seed);
	fixture_end(f);
}

static int fixture_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static inline void fixture_remove(struct fixture *f)
{
	nftw(f->dir, fixture_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Gives one figure of a cell another value. */
static inline void fixture_refigure(const struct fixture *f, const char *cell, const char *figure,
				    const char *value)
{
	char *text = fixture_read(f, "scores.csv"), begin[64], *at = text, *from;
	FILE *out;

	snprintf(begin, sizeof(begin), "\nr-1,%s,", cell);
	do {
		at = strstr(at, begin);
		cr_assert(at, "no %s of %s", figure, cell);
		at++;
		from = strstr(at, figure);
	} while (!from || from > strchr(at, '\n'));
	from += strlen(figure);
	out = fixture_open(f, "scores.csv");
	fprintf(out, "%.*s%s%s", (int)(from - text), text, value, from + strcspn(from, ",\n"));
	cr_assert_eq(fclose(out), 0);
	free(text);
}

#endif
