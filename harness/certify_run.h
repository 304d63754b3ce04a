/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of a certificate that run programs: canon, process, reached, witness, reading and
 * repaired.
 *
 * Runs of a base that no patch touched are the same for all its mutations: they are made once for a
 * certifier and kept in its folder, by whichever of several processes needs one first.
 */
#ifndef ASSAY_HARNESS_CERTIFY_RUN_H
#define ASSAY_HARNESS_CERTIFY_RUN_H

#include "harness/certify.h"
#include "harness/folder.h"
#include "harness/variant.h"
#include "mutations/names.h"
#include "mutations/tally.h"
#include "mutations/witness.h"
#include "scoring/score.h"

/* Fills the last steps as far as they get; negative errno only for trouble of the machine. */
int certify_runs(const struct certifier *c, const struct mutation *m, const char *workload,
		 struct certificate *ret, struct diag *d);

/* ---- between the parts ---- */

/* One operation after the other, which means the same each time; as usual, under the collector; and
 * one after the other under the collector, which shows the same each time. */
enum run_kind { RUN_SERIAL, RUN_WATCHED, RUN_CALIBRATING };

/* What a serial run says. */
struct meaning {
	char *canon;
	size_t len;
	struct run_tally tally;
};

/* The three forms of one build, and what their runs said. */
struct runs {
	const struct certifier *certifier;
	const struct mutation *mutation;
	const struct workload *workload;
	struct certificate *certificate;
	unsigned build; /* index in certify_builds */
	bool first;	/* the build that is run k times */
	struct variant forms[FORM_CNT];
	char exe[FORM_CNT][PATH_LEN];
	struct meaning meaning[FORM_CNT];
	struct name_list views[FORM_CNT]; /* what /proc showed of them */
	char repaired[PATH_LEN];	  /* the manifest to watch with, "": the old one */
};

/* Where what a run left lies. */
struct run_files {
	char folder[PATH_LEN];
	char truth[PATH_LEN], evidence[PATH_LEN], manifest[PATH_LEN], claims[PATH_LEN];
	char view[PATH_LEN];
};

/* The step failed: fmt takes two strings. Always 0. */
int runs_fail(const struct runs *x, enum step s, const char *fmt, const char *what, const char *why)
	__attribute__((format(printf, 3, 0)));
bool runs_failed(const struct runs *x);

/* The forms of a mutation under one of its builds; the step that fails goes to v. */
int runs_open(const struct certifier *c, const struct mutation *m, const struct workload *w,
	      unsigned build, struct certificate *v, struct runs **ret, struct diag *d);
void runs_close(struct runs *x);

/*
 * Runs a form for the i-th time and adds to its view. 0 and *ret_why filled (err != 0) where the
 * run is not sound; negative errno for trouble of the machine. Files of a form that shares its run
 * with no other are those of its last run.
 */
int runs_one(struct runs *x, enum form f, enum run_kind kind, unsigned i, struct run_files *ret,
	     struct diag *ret_why, struct diag *d);

/* Operations of a run that is watched. */
uint64_t runs_watched_ops(const struct mutation *m);

/* Canon and reached (certify_canon.c). */
int runs_canon(struct runs *x, struct diag *d);
int runs_reached(struct runs *x, struct diag *d);
/* Witness and reading (certify_watch.c), k of k on the first build. */
int runs_watched(struct runs *x, struct diag *d);
/* Repaired (certify_repair.c). */
int runs_repaired(struct runs *x, struct diag *d);
/* Claims that a profiler makes of a watched run; those of a run that others share are kept. */
int runs_join(const struct runs *x, const struct profiler *p, enum form f,
	      const struct run_files *files, struct diag *d);
/* What a profiler's claims of such a run are worth, figure by figure; none where truth is broken.
 */
int runs_scored(const struct runs *x, const struct profiler *p, enum form f,
		const struct run_files *files, int (*each)(const struct score_figure *, void *),
		void *arg, struct diag *d);
/* The hits of a watched run; the caller frees them. */
int runs_seen(const struct run_files *files, struct seen_list *ret, struct diag *d);
/* Whether the runs so far showed what tells. */
void runs_shown(struct runs *x);

#endif
